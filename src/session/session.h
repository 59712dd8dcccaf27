/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * session: conducts a plan. Claims the targets, prepares them afresh for every session, runs the
 * jobs interleaved in a seeded order, judges after each session and runs again what is undecided,
 * within budgets; keeps the journal. Tells an observer what happens; prints nothing.
 *
 * Includes: plan run gate measure host model json base. Ownership: the result borrows from the
 * plan, which must outlive it; result_release afterwards. Threads: the single-threaded main only
 * (it forks). Units: ns, bytes.
 */
#ifndef BLKGATE_SESSION_SESSION_H
#define BLKGATE_SESSION_SESSION_H

#include "gate/gate.h"
#include "gate/pooling.h"
#include "model/result.h"
#include "plan/plan.h"
#include "run/run.h"

enum session_event_kind {
	EVENT_SESSION,  /* a session starts */
	EVENT_LAYOUT,   /* a file is about to be written */
	EVENT_PREPARE,  /* text: a step of the precondition of the job */
	EVENT_RUN,      /* a run starts */
	EVENT_PROGRESS, /* about ten times a second inside a run */
	EVENT_RUN_DONE, /* outcome in run */
	EVENT_JUDGED,   /* a session ended and was judged */
	EVENT_NOTICE,   /* text: something the user must know */
};

struct session_event {
	enum session_event_kind kind;
	const struct result *result;
	uint32_t session; /* from 0 */
	uint32_t job;     /* UINT32_MAX = none */
	uint32_t run;
	uint32_t done, total; /* runs of this session */
	uint64_t eta;         /* ns until this session's end, planned */
	uint32_t pair; /* interleaved: from 1, else 0; done, total, eta are until the next look */
	const char *value; /* of the setting that is compared; NULL = none is */
	const struct run_progress *progress;
	const struct run *finished;
	const char *text;
};

/* By which a session waits for a state of the machine; the runs themselves have their own. */
struct session_clock {
	uint64_t (*now)(void *arg);               /* ns, never set back */
	void (*pause)(void *arg, uint64_t until); /* may return early */
	void *arg;
};

struct session_options {
	const char *journal;     /* path, or NULL */
	const char *latency_log; /* folder for the latencies of each run, or NULL */
	const char *change, *inject_text;
	struct inject inject; /* of every job but a canary that is untouched by the change */
	const bool *only_job; /* one a job: may it run? NULL = all; the others are not measured */
	const struct inject *inject_job; /* one a job, instead of that; NULL = alike */
	const char *partial;             /* a selection was made: reason, or NULL */
	uint64_t wait_lock;              /* ns; 0 = do not wait, UINT64_MAX = for ever */
	const char *settings; /* folder of records of switched settings; NULL: SESSION_SETTINGS */
	const struct host *host;           /* what is watched; NULL = this machine */
	const struct session_clock *clock; /* NULL = the monotonic one */
	const volatile int *stop;          /* set by the signal handler */
	const struct baseline *baseline;   /* may be NULL */
	const struct pool_source *with;    /* judged results that this one goes on from */
	size_t nwith;
	void (*event)(void *arg, const struct session_event *ev);
	void *arg;
};

/* Gone after a reboot, as the settings are. */
#define SESSION_SETTINGS "/run/blkgate"
/* One sentence for each setting that a killed run left switched, and how to put it back; with
 * restore it is put back, and the sentence says that. Records of settings that are as they were are
 * removed. How many are still switched. */
size_t session_settings_left(const char *folder, bool restore, struct notices *n);

/*
 * Fills r, judged and ready to be reported, also when it fails: what was measured stays, the rest
 * is "not measured". A target that cannot be claimed or prepared is an error of its jobs and not of
 * this call. Returns 0; ERR_OUTPUT or ERR_BUSY when the journal cannot be written; ERR_INTR when
 * stopped.
 */
int session_run(const struct plan *p, const struct session_options *o, struct result *r,
		struct err *e);
/* The sessions of o->with before those to come, judged; ERR_REFUSED (pooling_add). */
int session_result_continue(const struct session_options *o, struct result *r, struct err *e);
/* What is injected into that job of the plan. */
struct inject session_inject(const struct plan *p, const struct session_options *o, uint32_t job);
/* One sentence for each canary that the injection is not done to. */
void session_spared(const struct plan *p, const struct session_options *o, struct notices *n);
/* A result that holds only the plan and its skips and errors, judged: for setup errors and
 * --dry-run. */
void session_result_init(const struct plan *p, const struct session_options *o, struct result *r);

/* The one order of a session: `runs` rounds; in each every chosen job once, shuffled. Jobs of a
 * group (chosen as a whole) stand one behind the other and are run at the same time; totals are not
 * run. */
struct order_entry {
	uint32_t job, run;
};
struct session_order {
	struct order_entry *v;
	size_t n;
};
void session_order_make(const struct job *jobs, size_t njobs, const bool *chosen, uint64_t seed,
			struct session_order *out);
void session_order_release(struct session_order *o);

#endif
