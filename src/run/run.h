/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * run: executes jobs. The supervisor forks one worker a job and bounds it by a deadline; the worker
 * starts numjobs threads, each with an own open file description, walks the phases (ramp, measure,
 * drain) and counts into shared memory.
 *
 * Includes: model/{job,target,outcome}, engines/engine.h, base. Sees no check and no verdict.
 * Ownership: requests are borrowed for the call; outcomes are filled for the caller
 * (outcome_release). Threads: called from the single-threaded main only (it forks).
 * Units: ns, bytes.
 */
#ifndef BLKGATE_RUN_RUN_H
#define BLKGATE_RUN_RUN_H

#include "model/job.h"
#include "model/outcome.h"

/* --inject, outside the job's identity. */
struct inject {
	double slow;    /* P in [0,1): IOPS fall by P */
	uint64_t delay; /* ns added to every completion */
	double error;   /* share of I/Os that fail with EIO after they were done */
};
#define INJECT_NONE ((struct inject){0})
/* "slow=30%" | "slow=0.3" | "delay=1ms" | "error=1e-6", comma separated. ERR_USAGE. */
int inject_parse(const char *spec, struct inject *out, struct err *e);

struct run_request {
	const struct job *job;
	/* Session-held descriptors; the worker reopens each thread's through /proc/self/fd so that
	 * it has its own description with the job's flags. shared: nrfiles; per_job: nrfiles for
	 * the first job, then nrfiles for the second ...; diskless: 0. */
	const int *fds;
	unsigned nfds;
	const char *target_name; /* for messages */
	/* What this worker must close besides run_options.close_in_child: the targets of the others
	 * that run at the same time. */
	const int *close_in_child;
	unsigned nclose;
	uint64_t seed;     /* of the offsets of this run */
	uint64_t run_seed; /* differs in every run (sim noise, injected errors) */
	struct inject inject;
	struct latlog *log; /* every latency, kept by the caller (run/latlog.h); NULL = none */
};

struct run_progress { /* totals over the jobs in flight */
	uint64_t at;  /* monotonic ns: the counts are of this moment or a little later */
	uint64_t elapsed,
		expected; /* ns since the start of the window, and its planned length (0 unknown) */
	uint64_t ios, bytes;
	const char *phase; /* "ramp" "measure" "drain" "verify" */
};

struct run_options {
	/* ns beyond the planned time before a worker counts as hung; 0 = 10 s. Also what a stopped
	 * run may take to drain; set-up (buffers, engine, invalidate) may take six of them. */
	uint64_t grace;
	uint64_t kill_wait;       /* ns to wait after SIGKILL before it is abandoned; 0 = 2 s */
	const volatile int *stop; /* set by a signal handler; may be NULL */
	void (*progress)(void *arg,
			 const struct run_progress *p); /* about every 100 ms; may be NULL */
	void *arg;
	const int *close_in_child; /* descriptors (locks, journal) the worker must close */
	unsigned nclose;
};

/* Runs n jobs at the same time, start to end; out[i] is always filled (status says how it went).
 * Returns 0, or negative only when nothing could be started (memory, fork). */
int run_jobs(const struct run_request *req, size_t n, const struct run_options *opt,
	     struct outcome *out, struct err *e);

/* Layout: writes `bytes` of incompressible data (seeded) to fd and syncs, in a forked worker under
 * the same supervision. fallocate is not enough: unwritten extents read at memory speed. The pages
 * are dropped afterwards, or with keep_cached left in the page cache, for jobs that ask for cached
 * I/O (direct and invalidate false). *lost (may be NULL): its worker could not be killed, nothing
 * may touch the target any more. ERR_MEASURE, ERR_INTR. */
int run_layout(int fd, uint64_t bytes, uint64_t seed, bool keep_cached, const char *name,
	       const struct run_options *opt, uint64_t *written, bool *lost, struct err *e);
/* The same for `bytes` from `offset` on: what a run trims must hold data before. */
int run_refill(int fd, uint64_t offset, uint64_t bytes, uint64_t seed, bool keep_cached,
	       const char *name, const struct run_options *opt, uint64_t *written, bool *lost,
	       struct err *e);

/* Writes back and drops the cached pages of fd's file (invalidate). Success is no proof that they
 * went: the kernel only takes the advice (tmpfs, locked pages). The worker of a job that reads
 * through the cache looks, and refuses. 0 or ERR_MEASURE. */
int run_invalidate(int fd, const char *name, struct err *e);

/* Longest time a run of that job may take before the supervisor ends it, grace not included. */
uint64_t run_deadline(const struct job *j);

#endif
