/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * gate/baseline: accepted sessions of one suite and profile, one immutable file a session
 * (`baselines/SUITE/PROFILE/SESSION.json`, "blkgate_baseline": 1), in epochs. `run` never writes
 * one.
 *
 * Includes: measure model json base. Ownership: baseline_load fills, baseline_release frees.
 * A damaged file is a clear error naming it, never a missing baseline.
 */
#ifndef BLKGATE_GATE_BASELINE_H
#define BLKGATE_GATE_BASELINE_H

#include "base/arena.h"
#include "base/vec.h"
#include "measure/metric.h"
#include "model/result.h"

#define BASELINE_VERSION 1
#define BASELINE_BLOCKS 5u /* an epoch of fewer is provisional and does not defend its level */

struct base_value { /* one metric of one job in one session: the values of its runs */
	const char *metric;
	enum unit unit;
	double *v;    /* one a run, base unit, in order of run; only runs whose value was OK */
	double *step; /* of each the step, as model/value.h has it */
	size_t n;
};

struct base_latency;
struct base_job {
	const char *name;      /* workload */
	const char *target;    /* role */
	const char *canonical; /* identity text */
	uint32_t runs;
	const struct facts *facts; /* of the target in that session */
	VEC(struct base_value) values;
	VEC(const char *) gates;            /* metrics gated when it was accepted */
	VEC(struct base_latency) latencies; /* gate/tail.h */
};

struct base_session {
	const char *id, *path;
	int64_t started, accepted;
	const char *boot_id; /* NULL = unknown: a block of its own */
	uint32_t epoch;      /* from 1 */
	bool retired_jobs;   /* file is a retirement record (no values) */
	unsigned measurement_version;
	const char *who, *reason;
	uint64_t seed;
	struct facts host;
	VEC(struct facts) target_facts;
	VEC(struct base_job) jobs;
	/* the same by name, then as they stand; NULL = it is of no baseline yet */
	const struct base_job **by_name;
	VEC(const char *)
	retired_of; /* the sessions that stood when it was written: of these it speaks */
	VEC(const char *) retired; /* "TARGET WORKLOAD" or "TARGET WORKLOAD gate METRIC" */
};

/* When ages are taken, and beyond which age a session does not count (gate/expiry.h). */
struct expiry {
	int64_t at;      /* UTC */
	int64_t max_age; /* s; 0 = for ever */
};

struct baseline {
	struct arena arena;
	const char *dir; /* NULL = from results */
	const char *suite, *profile;
	bool found;                    /* the folder DIR/SUITE/PROFILE exists */
	struct base_session *sessions; /* oldest first (by start, then id) */
	size_t n;
	uint32_t epoch;  /* the current one; 0 = empty */
	char digest[24]; /* over all files, "" = empty */
	/* For what is said of it without a result (show, calibrate, forecast); set by the caller
	 * after loading, zero = nothing is too old. gate_judge goes by the result's own. */
	struct expiry expiry;
};

/* dir is the baselines folder. An absent folder is an empty baseline, not an error. ERR_DATA:
 * damaged, other version, wrong suite or profile inside. */
int baseline_load(const char *dir, const char *suite, const char *profile, struct baseline *b,
		  struct err *e);
/* The n jobs of that workload in a session of a baseline, one a target, as they stand in it; NULL =
 * none. */
const struct base_job *const *baseline_jobs_named(const struct base_session *s, const char *name,
						  size_t *n);
void baseline_release(struct baseline *b);
/* Same from RESULT files (`judge --against`): their sessions as a baseline, nothing stored.
 * ERR_REFUSED: one of them is injected, interrupted or partial; ERR_NOBASE: no session in them. */
int baseline_from_results(const struct result *const *r, size_t n, struct baseline *b,
			  struct err *e);

/* Blocks of the sessions that pass `pick` (NULL = all): one boot within 6 h is one block. */
uint32_t baseline_blocks(const struct base_session *const *s, size_t n);

/* Median over the sessions of the current epoch that hold that metric of the job, which is the same
 * text now; NAN = none does. */
double baseline_median(const struct baseline *b, const char *role, const struct job *j,
		       const char *metric);

struct accept_options {
	const char *dir;
	const char *who, *reason; /* reason may be NULL */
	bool new_epoch;
	bool dry_run;
};
/*
 * Stores each session of a judged result as a file; *stored gets how many, text one line each. One
 * that is stored already is skipped, and so said. A line "warning: ..." says what the acceptance
 * costs: a regression or something incomparable let into the epoch, a gate without a value.
 * ERR_REFUSED (status 2): injected, partial, interrupted, errors in the measurement, without
 * something that the baseline demands and nobody retired, regression without new_epoch + reason,
 * every session stored already. DESIGN 3.5 "Baseline".
 */
int baseline_accept(const struct result *r, const struct baseline *b,
		    const struct accept_options *o, size_t *stored, struct str *text,
		    struct err *e);
/* Removes one session's file (by id). */
int baseline_drop(const struct baseline *b, const char *session, struct err *e);
/* One line "warning: ..." for each gate that is demanded now and would not be without these
 * sessions, for no other holds it; returns how many. Asked with all that are to be dropped, before
 * the first is. */
size_t baseline_drop_forgets(const struct baseline *b, const char *const *ids, size_t n,
			     struct str *text);
/* Writes a retirement record: the check or job is no longer demanded by the sessions that stand
 * now; one accepted later demands it again. dry_run: only whether it could. */
int baseline_retire(const struct baseline *b, const char *what, const char *who, const char *reason,
		    bool dry_run, struct err *e);
/* For people: sessions, epochs, blocks, age and expiry (where b->expiry is set), per gate median
 * and spread. */
void baseline_show(const struct baseline *b, struct str *out);
/* What a result differs in from the baseline: per gate old and new medians, facts changed. */
void baseline_diff(const struct baseline *b, const struct result *r, struct str *out);

#endif
