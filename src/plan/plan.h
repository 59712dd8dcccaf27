/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * plan: suite + host + command line -> jobs and checks with no default left to apply. Pure but for
 * reading the host; does no I/O on a target. `run` reads nothing but the plan; `plan` prints it.
 *
 * Includes: suite host model engines/engine.h engines/sim.h measure/metric.h (const table) base.
 * Ownership: plan_make fills, plan_release frees; strings live in the plan's arena or in the
 * suite's (the suite must outlive the plan). A workload that cannot run is no failure of plan_make:
 * its jobs carry JOB_ERROR or JOB_SKIPPED with the sentence, so the number of test cases of a suite
 * is constant.
 */
#ifndef BLKGATE_PLAN_PLAN_H
#define BLKGATE_PLAN_PLAN_H

#include "base/diags.h"
#include "base/log.h"
#include "host/host.h"
#include "model/interleave.h"
#include "suite/suite.h"

struct target_arg {
	const char *role, *id;
}; /* role NULL: single target "dut" */

/* A folder that blkgate itself keeps something in: no target may be in it. */
struct own_folder {
	const char *what, *path; /* "the output"; path NULL: there is none */
};

struct plan_options {
	const struct host *host;
	const struct own_folder *own;
	size_t nown;
	const struct target_arg *targets;
	size_t ntargets;
	const struct setting *labels; /* --label [ROLE.]KEY=VALUE */
	size_t nlabels;
	const char *const *allow_write; /* --allow-write ids */
	size_t nallow;
	const char *only, *check;             /* globs or NULL */
	uint32_t runs;                        /* 0 = suite's */
	uint32_t sessions_min, sessions_max;  /* 0 = suite's */
	bool continues;                       /* behind the sessions of an earlier result */
	uint64_t seed;                        /* of the whole invocation; recorded */
	uint64_t budget_time, budget_written; /* 0 = suite's */
	const char *profile;
	/* kind, pairs, setting with the names of both values, or the role of the reference */
	struct interleave interleave;
	uint32_t first_look; /* pairs of an interleaved comparison that are always made */
	bool lint_only; /* no targets: resolve what can be resolved, for `lint`; host may be NULL */
};

struct job_origins {
	struct origin of[WORD_COUNT_MAX]; /* by word_index */
};

/* A setting that holds while a job runs, and its file. */
struct plan_setting {
	uint32_t job;
	const char *name, *path, *value;
};

struct plan {
	struct arena arena;
	const struct suite *suite;
	struct facts host;
	struct target *targets;
	size_t ntargets;
	struct job *jobs;
	size_t njobs;
	struct job_origins *origins; /* njobs */
	uint32_t *workload; /* njobs: index into suite->workloads. Jobs go workload, instance,
			       target. */
	uint64_t *fired;    /* by workload of the suite: bit by enum rule, found while expanding */
	struct check *checks;
	size_t nchecks;                /* grouped by job, ascending */
	struct plan_setting *settings; /* by job */
	size_t nsettings;
	struct policy policy;
	uint32_t sessions_min, sessions_max;
	struct interleave interleave; /* kind none: against the baseline */
	uint32_t first_look;
	uint64_t seed, budget_time, budget_written;
	const char *profile;
	const char *setup_error; /* a requirement is unmet, a required label missing, a budget that
				  * holds not one session ...: else NULL */
	int setup_code;          /* enum err_code of it: ERR_TARGET -> status 4, ERR_SUITE -> 2 */
	struct notices notices;  /* announced replacements (auto) */
	/* njobs: bytes/s that accepted sessions of the job wrote, NAN = none told it; the caller's,
	 * NULL = nobody was asked */
	const double *seen_write;
};

/*
 * Expands and resolves. Errors of meaning and lint findings go to d. Returns 0; ERR_SUITE when d
 * got errors or nothing is selected (status 2); ERR_USAGE when the options are wrong (two roles for
 * one target included: it would be compared with itself). p can be released in each case. Target
 * trouble is never an error here: jobs of such a target are JOB_ERROR with the sentence.
 */
int plan_make(const struct suite *s, const struct plan_options *o, struct plan *p, struct diags *d,
	      struct err *e);
void plan_release(struct plan *p);

/* Lint rules on resolved jobs (depth on a synchronous engine, rwmixread with randwrite, bs below
 * the logical block, ramp not below runtime ...) with waivers applied. Called by plan_make. */
void plan_lint(struct plan *p, struct diags *d);
/* A finding of a rule about a check, by a room that knows more than the plan: waivers apply. NULL
 * when it is waived: it became a note then, and takes no hint. */
struct diag *plan_check_finding(const struct plan *p, struct diags *d, const struct check *c,
				enum rule rule, const char *fmt, ...)
	__attribute__((format(printf, 5, 6)));
/* Safety and capacity of the machine and of each target for its jobs: depth of the engine that
 * `auto` found, memory for buffers, in use, polling (one read where the queue can poll), read-only,
 * permission, identity for writing, direct I/O, alignment, size, holes, free space. Opens at most
 * an unnamed file in a folder (plan_make did, to ask for its direct I/O limits) and a file for
 * reading, to ask what of it was ever written. Marks jobs JOB_ERROR. Called by plan_make unless
 * lint_only. */
void plan_permit(struct plan *p, const struct plan_options *o);

/* Does a condition of `admit` have a subject that begins so ("health.")? */
bool plan_admit_asks(const struct plan *p, const char *family);
/*
 * Did the suite's `admit` conditions hold of one run of a job? `seen`: facts of the run, the
 * least and the greatest of what was watched, then what was read again at its end. Both of the
 * first two have to meet a condition that they know; what none knows is unknown and not met, but
 * for labels and for what p->notices says is checked before the run only. A job without a device is
 * not asked about one; a throttled run is admitted, for the gate leaves it undecided. 1, or 0 with
 * the sentence in why and the condition in *which (may be NULL).
 */
int plan_admitted(const struct plan *p, const struct job *j, const struct facts *const *seen,
		  size_t n, const struct expr **which, struct str *why);
/* One condition against one fact (NULL = cannot be read): the same, before a run. */
int plan_condition(const struct plan *p, uint32_t target, const struct expr *x,
		   const struct fact *f, struct str *why);

/* Its engine has no device, or it is a total and does no I/O: what happens to the target does not
 * concern the job. */
bool plan_job_diskless(const struct job *j);
/* Does it change what is on its target, by its I/O or by its precondition? */
bool plan_job_changes(const struct job *j);
/* Is every block of its region written first? */
bool plan_fills(const struct job *j);
/*
 * What is done before a job is measured, as jobs of their own: of its trim and its fill, part 0 is
 * the whole blocks of the region and part 1 what is left behind them (false = there is none); of
 * its steady state, one round. The fill writes with the job's engine and contents, at a depth of
 * its own.
 */
bool plan_trim_job(const struct plan *p, const struct job *j, unsigned part, struct job *out);
bool plan_fill_job(const struct plan *p, const struct job *j, unsigned part, struct job *out);
void plan_round_job(const struct job *j, struct job *out);
/* Bytes that its fill writes. */
uint64_t plan_fill_bytes(const struct plan *p, const struct job *j);
/* What the ready jobs of a target ask of it. */
struct target_needs {
	unsigned files; /* in a folder; 1 for a device or file; 0 = nothing is needed */
	uint64_t bytes; /* of the largest, from its beginning */
	uint64_t total; /* of all together: file 0 is the largest */
	bool writes;
	bool cached; /* a job wants its pages in the cache */
};
struct target_needs plan_target_needs(const struct plan *p, uint32_t target);
/* Bytes of file i, from its beginning, and of those behind it up to *until. Jobs use the first
 * files of a folder, so that a later one is as long as its fewer users need it. */
uint64_t plan_file_bytes(const struct plan *p, uint32_t target, unsigned i, unsigned *until);
/* A file as a session makes them in a folder: unnamed where the file system can, else with a name
 * that lives between two calls. Descriptor (read and write, close on exec) or -errno. */
int plan_scratch_file(const char *folder);
/* 0 when holes can be punched into that file (open for writing), else -errno. Changes nothing. */
int plan_punches(int fd);
/* Bytes written before each run of a job, so that it has something to trim: of files only, a device
 * is trimmed as it is. */
uint64_t plan_refill_bytes(const struct plan *p, const struct job *j);
/* Least time of a run in ns: harness, ramp and a time based runtime. The part of a run that ends at
 * size is not in it: a guess that is too high would refuse a run that fits. */
uint64_t plan_run_time(const struct job *j);

/* Nothing but these jobs, for what must be there for one run of them. Borrows from p, and the jobs
 * are copied to room. */
struct plan plan_part(const struct plan *p, const uint32_t *job, size_t n, struct job *room);
/* Bytes that the fills of the ready jobs write before the first run of a session (interleaved:
 * before all runs of a pair): once where several jobs ask for the same. */
uint64_t plan_fills_bytes(const struct plan *p);
/* Bytes of the files in folders that the ready jobs need. */
uint64_t plan_layout_bytes(const struct plan *p);

/* Interleaved, "session" means one pair of runs of each workload here, with what is written for it.
 * Planned time of one session in ns: layout + runs x (ramp + runtime or estimate + harness). */
uint64_t plan_session_time(const struct plan *p);
/* Upper bound of bytes written in one session, layout included; UINT64_MAX is never returned: a
 * free-running write counts rate x time with the 2 GiB/s bound, and *bounded is false then. A job
 * of p->seen_write counts what it wrote then, and *seen (may be NULL) is true: no upper bound. */
uint64_t plan_session_written(const struct plan *p, bool *bounded, bool *seen);
/* Text of an origin: "suite.yaml:12:5", "defaults suite.yaml:4:3", "matrix suite.yaml:9:7",
 * "default", "target", "command line"; a parameter follows: "suite.yaml:12:5 (--set runtime=1s)".
 */
void plan_origin(const struct plan *p, const struct origin *o, struct str *out);
/* The whole plan for people. */
void plan_show(const struct plan *p, struct str *out);

#endif
