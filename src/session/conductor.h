/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * session/conductor: the private state of one session_run() call, shared by this room's files.
 */
#ifndef BLKGATE_SESSION_CONDUCTOR_H
#define BLKGATE_SESSION_CONDUCTOR_H

#include "base/fileio.h"
#include "session/prepare.h"
#include "session/session.h"

struct conductor {
	const struct plan *p;
	const struct session_options *o;
	struct result *r;
	struct hold *holds; /* ntargets */
	bool *chosen;       /* njobs: runs in the coming session */
	bool *failed;       /* njobs: had an error, no further run */
	struct journal journal;
	bool journalling;
	struct lock out;       /* of the journal */
	struct err unrecorded; /* the first failure of record_failed() */
	uint64_t begun;   /* clock_now at the start */
	uint64_t written; /* bytes, all sessions */
	int *child_close; /* descriptors a worker must not keep */
	unsigned nclose;
	uint32_t session, done, total;
	uint64_t remaining; /* planned ns of the runs still to come in this session */
	struct slot now;    /* the run in flight */
};

/* budget.c */
uint64_t budget_run_time(const struct job *j); /* planned ns of one run, harness included */
/* NULL while the budget allows the job's next run, else the sentence (static or in the arena). */
const char *budget_refuses(struct conductor *c, const struct job *j);
bool budget_allows_session(struct conductor *c);

/* record.c: the journal */
int record_open(struct conductor *c, struct err *e);
int record_session(struct conductor *c, struct err *e);
int record_start(struct conductor *c, struct err *e);
int record_run(struct conductor *c, const struct run *run, struct err *e);
/* A run that was never started; a failure waits in c->unrecorded for the end of the session. */
void record_failed(struct conductor *c, const struct run *run);
void record_close(struct conductor *c);

#endif
