/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * gate/judge: what the files of this room share while one result is judged. Private to the room.
 * Ownership: the arrays live from judge_open to judge_close; texts live in the result's arena.
 */
#ifndef BLKGATE_GATE_JUDGE_H
#define BLKGATE_GATE_JUDGE_H

#include "gate/gate.h"

struct epoch_index {
	const struct base_session **session; /* oldest first, no retirements */
	size_t n;
	const struct base_job **job; /* [session * njobs + job], NULL = not in it */
	const char **differ; /* [session * ntargets + target]: must-match differences, "" none */
};

struct judge {
	struct result *r;
	const struct baseline *b; /* may be NULL */
	int64_t now;
	struct expiry expiry;
	uint32_t max;     /* K: looks, 1..VERDICT_MAX_SESSIONS */
	double red_total; /* of each primary gate */
	uint32_t *twin;   /* nchecks: family_twins(), and rates of full queues */

	uint32_t *ring; /* jobs_ring: what ran at the same time */
	/* njobs: sessions (pairs) from the first on that were measured well, by verdict_measure */
	uint32_t *whole;
	const struct run **run; /* by job, then session, then number */
	size_t *run_first;      /* njobs + 1 */

	struct epoch_index base; /* the current epoch, without sessions of this result */
	struct epoch_index
		first; /* epoch 1, maybe the same: its oldest sessions are the fixed point */
	struct epoch_index
		older; /* all epochs but the current one: they demand, and give spread, no level */
	const char *own; /* a session of this result that is in the current epoch; NULL = none */
	const char **canonical; /* of each job, made when first asked */
	/* of two targets that are compared with each other: what forbids it, what they differ in */
	const char *arms_forbid, *arms_differ;
};

/* The runs of a job and its counterpart, by arm and pair; NULL = there is none. */
struct arms {
	const struct run *run[ARM_COUNT][INTERLEAVE_PAIRS_MAX];
	uint32_t job[ARM_COUNT]; /* one and the same where a setting is compared */
	uint32_t pairs;          /* from the first on, whole */
	bool twice;              /* two for one place, or one for none */
	bool rest;               /* that, or a run behind the whole pairs */
};
/* False when the job has no counterpart. */
bool judge_arms(const struct judge *g, uint32_t job, struct arms *a);
/* Pairs that every workload gets before the first look. */
uint32_t judge_first_look(const struct result *r);

/* The runs of one job in one session. */
struct job_session {
	const struct run *const *v;
	size_t n;
	uint32_t session;
};

void judge_open(struct judge *g, struct result *r, const struct baseline *b,
		const struct gate_options *o);
void judge_close(struct judge *g);
/* Next session in which the job has runs: *pos from 0; false at the end. */
bool judge_next(const struct judge *g, uint32_t job, size_t *pos, struct job_session *out);
size_t judge_runs(const struct judge *g, uint32_t job);
/* The run of another job that has the session and the number of that one; NULL = none. */
const struct run *judge_run(const struct judge *g, uint32_t job, const struct run *like);
const char *judge_canonical(struct judge *g, uint32_t job);
/* Must-match differences between a session of that index and the job's target, "" when comparable.
 */
const char *judge_differ(struct judge *g, const struct epoch_index *x, size_t session,
			 uint32_t job);
/* queue.c: do all runs of both sides show that the job kept its queue full, to the same degree?
 * That is what makes a mean latency and the rate one fact; what is not known is no. */
bool judge_queue_full(struct judge *g, uint32_t job, const struct metric *latency);
/* A metric of a stored job; NULL = none. */
const struct base_value *judge_base_value(const struct base_job *j, const char *metric);
/* What changed from that session to now, for texts. */
void judge_changes(const struct judge *g, size_t session, uint32_t job, struct str *out);

/* Is that session of an index too old to count for level and spread? It demands all the same. */
bool judge_expired(const struct judge *g, const struct base_session *s);
/* Is that session one of the result's own? It is no evidence about the result. */
bool judge_own_session(const struct result *r, const char *id);
/* Why a run that ended well measured nothing all the same, in a sentence; NULL when it did. */
const char *judge_run_empty(const struct job *j, const struct outcome *o);

/* May the result enter the baseline it was judged against, as far as it is known here? */
bool judge_may_accept(const struct judge *g);
/* The command that lets it in, quoted: "`blkgate baseline accept RESULT`" with these options behind
 * it. */
void judge_add_accept(const struct judge *g, const char *options, struct str *out);
/* "read.clat.p99 needs 10 000 samples a run (100 above the percentile), 353 were seen: a runtime of
 * about 30 s". For a job of which a run has too few for the metric. */
void judge_samples(const struct judge *g, uint32_t job, const struct metric *m, struct str *out);

/* Type of a no-baseline verdict that no policy excuses: another epoch demands the gate. */
#define VERDICT_TYPE_DEMANDED "demanded"

/* Each fills kind, text, type and numbers of a verdict; status and shape are verdict_finish's. */
void verdict_measure(struct judge *g, uint32_t job, struct verdict *v);
void verdict_expect(struct judge *g, const struct check *c, struct verdict *v);
void verdict_gate(struct judge *g, const struct check *c, struct verdict *v);
/* What an earlier attempt missed, all of whose sessions were measured well: VERDICT_MISSED, else v
 * stays as it is. */
void verdict_missed_before(struct judge *g, const struct check *c, struct verdict *v);
/* The same of an expectation whose check says `spread` (model/check.h). */
void verdict_spread(struct judge *g, const struct check *c, const struct metric *m,
		    struct verdict *v);
void verdict_spread_missed_before(struct judge *g, const struct check *c, const struct metric *m,
				  struct verdict *v);
bool expect_holds(enum check_op op, double value, double limit);
/* Values of the metric in the first `runs` runs of the job, of that arm (ARM_COUNT = all); false
 * with the verdict filled when one is not there. v has room for them. */
bool expect_collect(struct judge *g, uint32_t job, const struct metric *m, unsigned arm,
		    size_t runs, double *v, size_t *n, struct verdict *out);
/* Runs of the job that the attempts up to that one made; those of its sessions that are whole, when
 * it was looked at. */
size_t expect_runs_up_to(const struct judge *g, uint32_t job, uint32_t attempt);
size_t expect_runs_whole(const struct judge *g, uint32_t job);
/* What such a verdict comes to when the device throttled in one of the runs behind it, or was not
 * steady before: inconclusive. */
void verdict_clouded(struct judge *g, uint32_t job, struct verdict *v);
/* "the device throttled in run 2 of session 1: ..."; false = as far as is known it did not. */
bool judge_throttled_run(const struct run *run, struct str *out);
/* Appends what the baseline demands and the result does not hold. */
void verdict_missing(struct judge *g);

/* Has somebody retired what that session demands of the job: the job, or (metric not NULL) the
 * gate? */
bool judge_retired(const struct baseline *b, const struct base_session *s, const struct base_job *j,
		   const char *metric);

/* A verdict with every number unknown, appended to the result. */
struct verdict *verdict_new(struct result *r, uint32_t job, uint32_t check);
/* Kind and sentence in one go; type NULL = name of the kind. */
void verdict_say(struct result *r, struct verdict *v, enum verdict_kind kind, const char *type,
		 const char *fmt, ...) __attribute__((format(printf, 5, 6)));
/* Boots or days behind a provisional verdict: the n of "provisional (n of 5)". */
uint32_t verdict_thin(const struct verdict *v);
/* Kind, role and policy -> status and JUnit shape (DESIGN 3.4). c NULL = the measure case. */
void verdict_finish(struct result *r, const struct check *c, struct verdict *v);

#endif
