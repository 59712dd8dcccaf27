/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * model/result: everything an invocation learnt of one suite; the document `result.json`
 * (`blkgate_result: 1`) and the journal (one record a run) are its two written forms.
 *
 * Includes: model, base (the files of this room that read and write also include json).
 * Ownership: a loaded result owns its arena; one made by a session borrows jobs, checks and targets
 * from the plan, which must outlive it (owns_plan false). Threads: one.
 * The verdict is never read back for judging: `judge` recomputes values and verdicts from integers.
 */
#ifndef BLKGATE_MODEL_RESULT_H
#define BLKGATE_MODEL_RESULT_H

#include "base/arena.h"
#include "base/log.h"
#include "base/vec.h"
#include "model/check.h"
#include "model/facts.h"
#include "model/interleave.h"
#include "model/job.h"
#include "model/outcome.h"
#include "model/target.h"
#include "model/value.h"
#include "model/verdict.h"
#include "model/watched.h"

#define RESULT_VERSION 1
/* Raised when a change of engines, runner or metric table can move a value of unchanged hardware;
 * then baselines of another number are incomparable. Not raised for new words, reports or judging.
 */
/* 2: a percentile is the middle of its bucket; a cheaper I/O path. */
#define MEASUREMENT_VERSION 2
#define BLKGATE_VERSION "0.1.0"

/* One run. session counts from 0 inside this result; run from 0 inside its session. */
struct run {
	uint32_t job, session, run;
	uint32_t order;  /* position in the executed order of the session */
	int64_t started; /* UTC */
	uint32_t pair;   /* interleaved: from 0, with one run an arm */
	enum arm arm;    /* interleaved */
	struct outcome out;
	struct watched *watched; /* in the result's arena; NULL = nobody looked */
};

/* What was done to the region of a job before its runs (model/precondition.h), and what it came to.
 */
#define PREPARATION_OF_SESSION UINT32_MAX
struct preparation {
	uint32_t job, session;
	uint32_t run;             /* or PREPARATION_OF_SESSION: of all runs in it */
	uint64_t trimmed, filled; /* bytes */
	uint64_t ns;              /* that all of it took, what was resumed not included */
	bool whole;               /* trim and fill were done as asked for */
	const char *note;         /* "as for 'a'": by whom, where not by itself; NULL */
	/* State of the target after the last step, for a run that goes on from there: equal texts =
	 * nobody wrote to it meanwhile. NULL = cannot be told. */
	const char *mark;
	uint32_t resumed;   /* of the rounds: made by an earlier run that was interrupted */
	VEC(double) rounds; /* the metric, base unit; in order */
};

struct session {
	char id[32];            /* "20261128T140322-a1b2c3": UTC and six hex digits */
	int64_t started, ended; /* UTC */
	uint64_t seed;          /* of the order */
	bool complete;          /* every chosen run was made */
	/* Of a result that continues earlier ones: its attempt, from 1, and the boot it was made in
	 * (NULL = unknown). 0 and unused else. */
	uint32_t from;
	const char *boot;
};

/*
 * One invocation of those whose sessions a result holds, in order; its own is the last. An earlier
 * one keeps the facts it saw, for it was another boot. No attempts = one invocation, the result's.
 */
struct attempt {
	int64_t started, ended; /* UTC */
	uint32_t sessions_min;
	uint32_t looks;        /* K that its looks were planned for */
	VEC(uint32_t) not_run; /* jobs that it did not select */
	/* What its sessions and those before came to then, for readers; NULL of the last one, whose
	 * status is that of its own sessions where they were judged alone (judge A B). */
	const char *verdict;
	enum exit_status status;
	struct facts host;     /* of an earlier one */
	struct facts *targets; /* ntargets of an earlier one, else NULL */
};

struct compare_rules { /* changes of the comparability defaults: fact keys */
	VEC(const char *) under_test, must_match, note;
};

struct result;
struct jw;
/*
 * Writes the members of a run's `values` object, one result_write_value() a metric, in the order of
 * the metric table. model knows no metric: measure supplies it (measure_write_values).
 */
typedef void (*result_values_fn)(void *arg, const struct result *r, const struct run *run,
				 struct jw *w);

struct result {
	struct arena arena;
	bool owns_plan; /* jobs, checks, targets arrays (malloc) and the targets' facts are ours */

	const char *suite, *suite_file, *description;
	const char *profile; /* baseline class */
	const char *change;  /* --change, or NULL */
	const char *inject;  /* --inject spec, or NULL: then never a baseline */
	const char *partial; /* reason, or NULL: interrupted, budget, --only ... */
	bool interrupted;
	bool unfinished; /* read from a journal that has no end: blkgate or the host died */
	int64_t started, ended;
	uint64_t seed;
	unsigned measurement_version;
	const char *tool_version;
	struct policy policy;
	struct compare_rules compare;
	struct interleave interleave;
	uint32_t sessions_min, sessions_max;
	uint32_t
		sessions_suite; /* the most that the suite plans for a sequence; 0 = sessions_max */
	double assumed_session_sd; /* 0.015 */
	int64_t baseline_max_age;  /* s; older sessions do not count; 0 = for ever */
	double false_alarm;        /* family bound, 0.05 */
	const char *setup_error;   /* the whole suite could not run: sentence, else NULL */
	enum exit_status setup_status;

	struct facts host; /* kernel.*, cpu.*, boot.id, label.* */
	struct target *targets;
	size_t ntargets;
	struct job *jobs;
	size_t njobs;
	struct check *checks;
	size_t nchecks;
	VEC(struct attempt) attempts; /* none, or two and more */
	VEC(struct session) sessions;
	VEC(struct run) runs;
	VEC(struct preparation) preparations;
	VEC(const char *) notices; /* announced replacements; texts in arena */

	/* filled by gate */
	VEC(struct verdict) verdicts; /* job by job: measure first, then its checks */
	const char *baseline_digest;
	/* read from a document, for readers only: what it was judged against and came to when it
	 * was written; NULL and -1 = it does not say */
	const char *then_digest;
	int then_status;
	uint32_t judged_gates; /* primary gates that share the family's level */
	double red_level;      /* of each: false red on unchanged code at most; 0 = no gate */
	const char
		*environment; /* why the place is suspected and not the change; NULL = it is not */
	const char *baseline_age; /* what must be known of the baseline's age; NULL = nothing */
	enum exit_status status;
	bool may_continue; /* whole and sound: a further run may start from it (--with) */
	bool stored;       /* all its sessions stand in the baseline */

	/* for readers of the document only; NULL = `values` are left out */
	result_values_fn values_writer;
	void *values_arg;
};

void result_init(struct result *r);
void result_release(struct result *r); /* empty afterwards, may be called again */

/* Facts and boot of a session, whichever attempt it is of; session < sessions.n. */
const struct facts *result_session_host(const struct result *r, uint32_t session);
const struct facts *result_session_target(const struct result *r, uint32_t session,
					  uint32_t target);
/* K that the levels of its looks are for: what the suite plans for a sequence, more when it was told so.
 * A run that makes fewer sessions may be gone on with, and its look is one of as many. */
uint32_t result_looks(const struct result *r);
const char *result_session_boot(const struct result *r, uint32_t session); /* NULL = unknown */
/* The preparation of a run; NULL = none is recorded. Of several records of one the last holds. */
const struct preparation *result_preparation(const struct result *r, const struct run *run);
/* A new record, or that of the same job, session and run, emptied. */
struct preparation *result_add_preparation(struct result *r, uint32_t job, uint32_t session,
					   uint32_t run);
void attempts_release(struct result *r); /* the result has none afterwards */
/* Did that attempt (from 0) select the job? */
bool attempt_ran(const struct attempt *a, uint32_t job);

/* The fio command of a job and of all that runs at the same time; of a total, that of its parts.
 * scratch is the name of a file in a folder: "/blkgate.fio". */
void result_fio(const struct result *r, uint32_t job, const char *scratch, struct str *out);

/* The document, built in memory. with_verdicts false leaves verdicts and status out. */
void result_write(const struct result *r, bool with_verdicts, struct jw *w);
/* Facts by key: a text is a known value; {"unknown": reason} is one that could not be read. NULL =
 * none. */
void result_write_facts(struct jw *w, const char *key, const struct facts *f);
/* One member of `values`: {"value": 5003.2, "unit": "IOPS"}; a value that is not there is null with
 * its state and count; n/a is left out. */
void result_write_value(struct jw *w, const char *name, enum unit unit, const struct value *v);
/* Reads a result document or a journal (recognised by its first line) into r, whatever it held
 * (uninitialised is fine); r is the caller's (result_release). ERR_DATA for damage or another
 * version, and then r is empty. `values` and verdicts are not read. */
int result_load(const char *path, struct result *r, struct err *e);
int result_parse(const char *text, size_t n, const char *name, struct result *r, struct err *e);

/*
 * Journal: line 1 is the result document in one line without runs (`"blkgate_journal": 1`); then
 * one line a record: {"session": {...}} when a session starts, {"start": [job, session, run]}
 * before a run, {"run": {...}} after it, {"prepared": {...}} after each step of a preparation (the
 * last of one job, session and run holds), {"end": {...}} at the end. A start without its run is
 * OUTCOME_LOST. A session record with an id already seen replaces it (so it may be written again
 * when the session is complete); the end record holds the final sessions, notices, states of jobs
 * that did not run. Reading: a torn last line (a crash in the middle of a write) is skipped, a
 * damaged line elsewhere is ERR_DATA; without an end record `unfinished` is set and `partial` says
 * "journal without end". Each function writes one object in one line; jw_finish() ends it with a
 * newline that journal_add() adds as well: pass one byte less (blank lines are skipped on reading).
 */
void result_journal_head(const struct result *r, struct jw *w);
void result_journal_session(const struct session *s, struct jw *w);
void result_journal_start(uint32_t job, uint32_t session, uint32_t run, struct jw *w);
void result_journal_run(const struct result *r, const struct run *run, struct jw *w);
void result_journal_prepared(const struct preparation *p, struct jw *w);
void result_journal_end(const struct result *r, struct jw *w);

#endif
