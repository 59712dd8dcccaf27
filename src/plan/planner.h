/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * plan/planner: the private state of one plan_make() call, shared by this room's files.
 */
#ifndef BLKGATE_PLAN_PLANNER_H
#define BLKGATE_PLAN_PLANNER_H

#include "base/vec.h"
#include "engines/engine.h"
#include "measure/metric.h"
#include "plan/plan.h"

#define PLAN_MAX_INSTANCES 100000u
#define PLAN_MIN_RUNS 5u /* medians of fewer runs are not exchangeable with the baseline's */

/* Words the plan itself decides about; planner.at[] holds their place in the word table. */
enum plan_word {
	PW_RW,
	PW_BS,
	PW_IOENGINE,
	PW_IODEPTH,
	PW_BATCH_SUBMIT,
	PW_COMPLETE_MIN,
	PW_COMPLETE_MAX,
	PW_SIZE,
	PW_OFFSET,
	PW_RUNTIME,
	PW_RAMP,
	PW_TIME_BASED,
	PW_DIRECT,
	PW_SYNC,
	PW_FSYNC,
	PW_FDATASYNC,
	PW_END_FSYNC,
	PW_RATE,
	PW_MIX,
	PW_FILES,
	PW_RUNS,
	PW_SIM,
	PW_BSSPLIT,
	PW_BSRANGE,
	PW_NORANDOMMAP,
	PW_DISTRIBUTION,
	PW_REFILL,
	PW_COMPRESS,
	PW_DEDUPE,
	PW_RATE_BW,
	PW_THINKTIME,
	PW_THINKTIME_BLOCKS,
	PW_LOOPS,
	PW_NUMJOBS,
	PW_PERCENTILES,
	PW_STONEWALL,
	PW_NRFILES,
	PW_CPUS,
	PW_CPUS_POLICY,
	PW_NUMA_CPUS,
	PW_NUMA_MEMORY,
	PW_VERIFY,
	PW_PRECONDITION,
	PW_TUNABLES,
	PW_DROP_CACHES,
	PW_COUNT
};
unsigned plan_word_at(enum plan_word w);

struct engine_state {
	bool asked, usable;
	const char *why; /* why not */
};

struct name_slot {
	const char *name;
	uint32_t job;
}; /* first job of that name */
struct metric_slot {
	const char *name;
	unsigned dirs;
	int n;
	const struct metric *m[DIR_COUNT];
};
struct report_key {
	uint32_t line, column;
	const char *fmt;
};

struct planner {
	struct plan *p;
	const struct suite *s;
	const struct plan_options *o;
	struct diags *d;
	struct arena *a;         /* the plan's */
	size_t ntargets;         /* >= 1: lint has one that is not there */
	const char **missing;    /* ntargets: why the target cannot be used, or NULL */
	double *link, *upstream; /* ntargets: bytes/s, NaN = unknown */
	unsigned at[PW_COUNT];

	struct job base; /* defaults and `defaults:` */
	struct job_origins base_origins;
	struct engine_state *engine;      /* engine_count */
	const struct engine *auto_engine; /* NULL = not asked yet */
	const char *engine_why;           /* of the instance being resolved */
	const char *percentiles;          /* the list that was looked at last */
	const char *not_selected;         /* sentences shared by many */
	const char *check_not_selected, *no_check_selected;

	struct name_slot *names; /* open addressing, power of two */
	size_t names_mask;
	struct metric_slot metrics[256];
	const char **gate_names;   /* by metric */
	const char **expect_names; /* by metric x {min, max} x {median, every run}; no reference */
	VEC(struct check) checks;
	VEC(const char *) texts; /* of the current workload's gates */
	VEC(struct report_key) reported;
	size_t selected, checks_selected;
	bool *unselected; /* by job: --only does not name it */
	struct str tmp;
};

/* An error, once for each place and kind of sentence. NULL when it is already there. */
struct diag *planner_report(struct planner *pl, uint32_t line, uint32_t column, const char *fmt,
			    ...) __attribute__((format(printf, 4, 5)));
/* Reports an err at that place (the first one there). */
void planner_report_err(struct planner *pl, uint32_t line, uint32_t column, const struct err *e);
/* The first reason stands: changes a ready job only. */
void job_stop(struct job *j, enum job_state state, const char *why);
/* libaio without O_DIRECT: the kernel does the I/O while it is submitted, one after another. */
bool plan_runs_at_depth_one(const struct job *j);
struct place {
	uint32_t line, column;
};
/* A finding of a rule about workload w (NULL: about the suite). NULL when it is waived: it became a
 * note then, and takes no hint. */
struct diag *plan_finding(const struct plan *p, struct diags *d, const struct workload *w,
			  enum rule rule, const struct place *at, const char *fmt, ...)
	__attribute__((format(printf, 6, 7)));
/* First job of that name, or UINT32_MAX. */
uint32_t planner_find_job(const struct planner *pl, const char *name);
/* First reason stands. */
void planner_setup_error(struct planner *pl, int code, const char *text);

/* targets.c */
int targets_resolve(struct planner *pl, struct err *e);
int labels_apply(struct planner *pl, struct err *e);
/* direct.c: does the target do O_DIRECT? Learnt before jobs are resolved. */
void direct_learn(const struct host *h, struct target *t, const char *release, struct arena *a,
		  const char **refused);
/* NULL when O_DIRECT is honoured there (or cannot be asked), else the sentence. */
const char *direct_refuses(const struct target *t);
/* statx told the limits, or it is a block device: what `direct: auto` relies on. */
bool direct_reported(const struct target *t);

/* adjust.c: `adjust_by` names a canary that may be adjusted by; a selection takes it along. */
void adjust_check(struct planner *pl);

/* matrix.c: fills jobs, origins, workload. */
int matrix_expand(struct planner *pl, struct err *e);

/* resolve.c */
void resolve_base(struct planner *pl);
void resolve_word(struct planner *pl, struct job *j, struct job_origins *og, const struct word *w,
		  const struct ynode *node, enum origin_kind kind);
void resolve_instance(struct planner *pl, const struct workload *w, struct job *j,
		      struct job_origins *og);
void resolve_on_target(struct planner *pl, const struct workload *w, struct job *j,
		       struct job_origins *og);

/* engines.c: the engine behind j->ioengine as written; sets ioengine, ioengine_asked. NULL, or why
 * it cannot be used on this machine. */
const char *engine_resolve(struct planner *pl, struct job *j, const struct job_origins *og);
/* What the engine of that name can have in flight; UINT32_MAX = it does not say. */
uint32_t engine_depth_max(const char *name);

/* interleave.c: the arms are targets that were given; once all jobs are there, who is judged and
 * the setting behind --ab; when it is known which can run: none runs without its counterpart. */
int interleave_targets(struct planner *pl, struct err *e);
void interleave_jobs(struct planner *pl);
void interleave_settle(struct plan *p);
static inline bool interleaved(const struct plan *p)
{
	return p->interleave.kind != INTERLEAVE_NONE;
}
/* Sessions, or pairs of runs, that are always made, and at most. */
static inline uint32_t rounds_min(const struct plan *p)
{
	return interleaved(p) ? p->first_look : p->sessions_min;
}
static inline uint32_t rounds_max(const struct plan *p)
{
	return interleaved(p) ? p->interleave.pairs : p->sessions_max;
}
static inline const char *round_name(const struct plan *p)
{
	return interleaved(p) ? "pair" : "session";
}

/* tunables.c: the files behind the settings that jobs ask for; then, when it is known which jobs
 * run, what of the facts they change. */
void tunables_find(struct planner *pl);
void tunables_settle(struct plan *p);
/* preparation.c: what a precondition means for its job and beside the others; then what only the
 * target and the machine can tell. */
void preparation_check(struct planner *pl);
void preparation_permit(struct plan *p, const struct host *h);
/* percentiles.c: every percentile of percentile_list is one of the table. */
void percentiles_check(struct planner *pl, const struct job *j, const struct job_origins *og);
/* passthrough.c: NULL when engine and node belong together and the drive answers, else the
 * sentence. */
const char *job_passthrough(struct plan *p, const struct host *h, struct job *j);
/* placement.c: words that contradict each other; nodes and processors of the machine. */
void placement_words(struct planner *pl, const struct workload *w, struct job *j,
		     struct job_origins *og);
void placement_on_target(struct planner *pl, struct job *j, const struct target *t,
			 const struct job_origins *og);

/* polling.c: NULL when hipri is not asked for or works, else the sentence. */
const char *job_polls(struct plan *p, const struct host *h, struct job *j);

/* conditions.c */
void conditions_suite(
	struct planner *pl); /* requires; admit before the run, later: plan_admitted */
void conditions_when(struct planner *pl, const struct workload *w, struct job *j);

/*
 * groups.c: what runs at the same time. groups_make, when all jobs are there: finds the groups,
 * lets --only and --check take a group whole or not at all, and writes what runs beside a job into
 * its identity. groups_settle, when it is known which jobs can run: a group that lacks one is not
 * what was asked for, and none of it runs.
 */
void groups_make(struct planner *pl);
void groups_settle(struct plan *p);
/* The job whose run stands for the time of its group; of no group: itself. */
static inline bool group_leads(const struct plan *p, size_t job)
{
	return !p->jobs[job].group || p->jobs[job].group == job + 1;
}

/* checks.c, known.c */
void checks_begin(struct planner *pl, const struct workload *w);
void checks_make(struct planner *pl, const struct workload *w, uint32_t job);
/* Metrics behind a written name, each one that this job can have. 0 when an error was reported. */
int checks_metrics(struct planner *pl, const char *name, uint32_t line, uint32_t column,
		   const struct job *j, const struct metric **m);
/* Names are unique in the job; the checks of a job are the last ones of the list. */
bool checks_name_free(struct planner *pl, const struct check *c);
void checks_add(struct planner *pl, const struct check *c);
/* expects.c */
void expect_make(struct planner *pl, const struct expr *x, uint32_t job);
void known_apply(struct planner *pl);

/* fits.c: the line of the suite to name for a word of a job. */
uint32_t job_line(const struct plan *p, const struct job *j, enum plan_word w);
/* NULL, or why the kernel would fail each write: some only when it is made, with EPERM. */
const char *target_read_only(struct plan *p, const struct target *t);
/* Stops the jobs that its kind, its size or its alignment does not allow; those whose files a
 * folder has no room for. */
void target_fits(struct plan *p, uint32_t target);
void folder_room(struct plan *p, uint32_t target);
/* own.c: stops what would write among blkgate's own files; a target that holds them is a notice. */
void own_folders(struct plan *p, const struct plan_options *o, uint32_t target);
/* capacity.c: stops the jobs that the engine, the memory or the limit of open files of this machine
 * cannot hold. */
void capacity_check(struct plan *p, const struct host *h);

/* estimate.c: NULL, or why the budget cannot hold the least number of sessions on any device. */
const char *plan_budget_refuses(struct plan *p);
/* Bytes/s that a write without pacer is taken to do at most. */
#define PLAN_WRITE_RATE (2.0 * (1 << 30))

/* show.c: a size for a sentence: "64 MiB", "4000 bytes", "76.1 GiB (81754075137 bytes)". */
void plan_add_size(struct str *out, uint64_t bytes);
const char *plan_size(struct arena *a, uint64_t bytes);
/* For the list of words, where the bytes stand with their unit: "64 MiB (67108864)". */
void plan_add_word_size(struct str *out, uint64_t bytes);
/* Blanks up to that column of the line that begins at line_start, one at least. */
void plan_pad_to(struct str *out, size_t line_start, size_t column);
/* Text broken at blanks; the lines after the first are indented. */
void plan_fold(struct str *out, size_t line_start, size_t indent, const char *text);
/* show_jobs.c */
void plan_show_jobs(const struct plan *p, struct str *out);

/* trims.c: NULL, or why the job cannot trim on its target. */
const char *job_trimmable(struct plan *p, const struct host *h, const struct job *j);
/* No workload may read what another one trims: findings of the suite. */
void trims_against_reads(struct planner *pl);

/* Do they work on the same blocks of one target, as far as is known? Also before a target is. */
bool jobs_overlap(const struct plan *p, const struct job *a, const struct job *b);

/* holes.c: NULL when every byte of the region was written, else the sentence; the file is only
 * asked. */
const char *region_has_holes(const char *path, uint64_t offset, uint64_t size, struct arena *a);

#endif
