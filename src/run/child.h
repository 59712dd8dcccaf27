/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * run/child (private): one forked child under supervision, a worker of a job or a layout.
 * The supervisor alone touches it; the child has a copy and speaks through live.
 */
#ifndef BLKGATE_RUN_CHILD_H
#define BLKGATE_RUN_CHILD_H

#include "run/live.h"

/* wstatus when the kernel did not keep it (SIGCHLD ignored). */
#define CHILD_STATUS_UNKNOWN (-1)

struct child {
	void (*body)(struct child *c); /* in the child; returning from it is its end */
	const void *arg;
	const char *what, *target; /* for sentences */
	const int *close_fds;      /* in the child, besides those of the call */
	unsigned nclose;
	struct live *live;
	uint64_t planned; /* ns from `begun` to its end */
	bool gated;       /* waits for live->go_at */
	/* the supervisor's */
	pid_t pid;
	int pidfd, wstatus;
	int error;                 /* errno when it could not be started */
	uint64_t forked, ended;    /* monotonic ns */
	uint64_t stop_by, kill_by; /* monotonic ns; 0 = not stopped, not killed */
	uint64_t stopped_at,
		stopped; /* monotonic ns of a stop (SIGSTOP) that lasts; ns of those before */
	bool hung, interrupted; /* why it was killed */
	bool headless;          /* when it was killed its main thread was dead already */
	bool gone, abandoned;
};

/* Forks; 0 or -errno. */
int child_start(struct child *c, const struct run_options *opt);
/* From the start to the end of all of them. Each child says how it went. */
void supervise(struct child *c, size_t n, const struct run_options *opt);
/* Letter of /proc/PID/stat of the main thread, '?' = unknown. */
char child_state(pid_t pid);
/* "1 thread in state D, 2 in state Z" of all threads: the main one alone may be a zombie while
 * another one keeps the process. */
void child_states(pid_t pid, char *text, size_t size);
/* Status and sentence of an outcome, from a child that is gone or abandoned. */
void child_verdict(const struct child *c, struct outcome *o);
/* supervisor.c: the verdict on the worker of a job, and its numbers when they may be judged. */
void child_outcome(const struct child *c, struct outcome *o);
/* supervisor.c: a worker's standard streams are replaced, so no target may stand on one of their
 * numbers. 0 or ERR_MEASURE. */
int fd_clear_of_streams(int fd, const char *target, struct err *e);

/* cache.c: pages of a region that are in the page cache; adds to *c. */
struct cache_look {
	uint64_t seen, left; /* pages looked at, and those of them in memory */
	int sys;             /* why nothing can be said, 0 = it can */
};
void cache_look(int fd, uint64_t offset, uint64_t len, struct cache_look *c);
/* A drop that did not happen would make a read through the cache one of memory: true. Of the little
 * that may stay, of what may stay by the suite (`direct: auto`; tmpfs has no other way) and of what
 * cannot be seen the note says so; else it is "". */
bool cache_kept(const struct cache_look *c, bool may_stay, char *note, size_t size);

/* worker.c: body of a job's worker; arg is its struct run_request. */
void worker_body(struct child *c);

#endif
