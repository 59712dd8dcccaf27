/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * session/conductor: the private state of one session_run() call, shared by this room's files.
 */
#ifndef BLKGATE_SESSION_CONDUCTOR_H
#define BLKGATE_SESSION_CONDUCTOR_H

#include "base/fileio.h"
#include "session/admission.h"
#include "session/prepare.h"
#include "session/session.h"
#include "session/setting.h"

struct conductor {
	const struct plan *p;
	const struct session_options *o;
	struct result *r;
	struct hold *holds; /* ntargets */
	bool *chosen;       /* njobs: runs in the coming session */
	bool *failed;       /* njobs: had an error, no further run */
	uint32_t *filled; /* njobs, by fill_of: the job that filled it in this session, from 1; or 0
			   */
	uint32_t *ring;   /* njobs: what runs at the same time (jobs_ring) */
	struct admission *admission;
	struct journal journal;
	bool journalling;
	struct lock journal_lock;
	struct err unrecorded; /* the first failure of record_failed() */
	uint64_t begun;        /* clock_now at the start */
	uint64_t written;      /* bytes, all sessions */
	uint32_t first;        /* session of this invocation; those before are of earlier ones */
	uint32_t session, done, total;
	uint64_t remaining;    /* planned ns of the runs still to come in this session */
	struct result earlier; /* an interrupted run, whose preparation this one may go on from */
	bool has_earlier;
	struct order_entry now; /* the run in flight */
	struct settings settings;
	/* interleaved */
	uint32_t *partner; /* njobs: the same workload in the other arm; NULL = not interleaved */
	uint32_t pair;
	enum arm arm;
	uint64_t fresh_ns; /* the longest that files for one run took so far */
};
static inline bool interleaving(const struct conductor *c)
{
	return c->p->interleave.kind != INTERLEAVE_NONE;
}

/* conductor.c: to the observer. */
void tell(struct conductor *c, enum session_event_kind kind, const struct run_progress *progress,
	  const struct run *finished, const char *text);

void judge_now(struct conductor *c);
void new_session(struct conductor *c);
/* The claims that failed before there was a session to which the journal could tie them. */
void record_early(struct conductor *c);

/* interleave.c: the one session of two arms. */
int run_interleaved(struct conductor *c, struct err *e);

/* tunables.c: what --ab compares and what workloads ask for. A setting that cannot be taken or does
 * not take its values fails the jobs that want it. */
void take_settings(struct conductor *c);
/* What those n runs want, and all else as it was. ERR_TARGET. */
int put_settings(struct conductor *c, const struct order_entry *entry, size_t n, struct err *e);
/* Does all of it still hold? ERR_TARGET. */
int check_settings(const struct conductor *c, const struct order_entry *entry, size_t n,
		   struct err *e);
/* Puts back all, and tells what could not be, whatever else went wrong: rc, or ERR_TARGET. */
int release_settings(struct conductor *c, int rc, struct err *e);

/* around.c: setup and teardown of the suite. ERR_INTR, ERR_MEASURE (teardown alone: what failed
 * before is an error of the jobs). */
int suite_setup(struct conductor *c, struct err *e);
int suite_teardown(struct conductor *c, int rc, struct err *e);

/* execute.c */
void take_holds(struct conductor *c);
/* Fresh files on the targets of the chosen jobs. Only ERR_INTR is returned; other failures are the
 * jobs'. */
int prepare_targets(struct conductor *c, uint64_t seed, struct err *e);
/* Makes n runs at the same time (the entries of one group) and what they come to in total, or says
 * in the result why not. ERR_INTR, ERR_OUTPUT (journal). */
int execute(struct conductor *c, const struct order_entry *entry, size_t n, uint32_t order,
	    struct err *e);
/* again.c: before a run, is a block device still the one that was checked? When it has another name
 * now it is claimed under that. After a run: is the medium the same? ERR_TARGET, ERR_BUSY,
 * ERR_INTR. */
int target_again(struct conductor *c, uint32_t target, struct err *e);
int target_unchanged(const struct conductor *c, uint32_t target, struct err *e);
/* together.c: how many entries from this one on run at the same time. */
size_t order_together(const struct conductor *c, const struct session_order *o, size_t at);
/* precondition.c: of the chosen jobs. Only ERR_INTR and ERR_OUTPUT are returned; other failures are
 * the jobs'. */
int prepare_jobs(struct conductor *c, struct err *e);
/* resume.c: before the journal is begun anew; false = it begins anew, and why is told. */
void resume_open(struct conductor *c);
void resume_close(struct conductor *c);
bool resume_preparation(struct conductor *c, struct preparation *p);
/* failed.c: that run, and all of its group, were not made. */
void fail_entry(struct conductor *c, struct order_entry entry, enum outcome_status status,
		const char *text);
/* Every chosen job that has not failed yet gets an outcome without a measurement. */
void fail_chosen(struct conductor *c, enum outcome_status status, const char *text);

/* latency_log.c: a log for the run where one is asked for. ERR_MEASURE (memory). */
int latency_log_begin(const struct conductor *c, const struct job *j, struct run_request *req,
		      struct err *e);
/* Writes its file, says so in the run's notes, frees it. ERR_OUTPUT. */
int latency_log_end(struct conductor *c, struct latlog *log, struct run *run, struct err *e);

/* budget.c: NULL while the budget allows it, else the sentence (in the result's arena). */
const char *budget_refuses_run(struct conductor *c, const struct order_entry *entry, size_t n);
/* Time and bytes of what is no run. */
const char *budget_refuses(struct conductor *c, uint64_t time, uint64_t bytes);
/* One run of each arm, and the files for it. */
const char *budget_refuses_pair(struct conductor *c, const struct order_entry *reference,
				const struct order_entry *candidate, size_t n);
const char *budget_refuses_session(struct conductor *c); /* layout included */

/* record.c: the journal */
int record_open(struct conductor *c, struct err *e);
int record_session(struct conductor *c, struct err *e);
int record_start(struct conductor *c, struct err *e);
/* A step of it is done: the state of the target is noted, then the record is written. */
int prepared(struct conductor *c, struct preparation *p, struct err *e);
int record_run(struct conductor *c, const struct run *run, struct err *e);
/* A run that was never started; a failure waits in c->unrecorded for the end of the session. */
void record_failed(struct conductor *c, const struct run *run);
void record_close(struct conductor *c);

#endif
