/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * cmd/progress: the observer of a session. On a terminal one live line (runs done, live IOPS, ETA);
 * piped, one plain line a finished run. Rewrites the JUnit file at most every 5 s.
 */
#ifndef BLKGATE_CMD_PROGRESS_H
#define BLKGATE_CMD_PROGRESS_H

#include "cmd/cmd.h"
#include "session/session.h"

struct progress {
	bool live, quiet, verbose;
	unsigned width;
	uint64_t last_ios, last_elapsed; /* of the run in flight, for the live rate */
	uint64_t last_junit;             /* clock_now of the last rewrite */
	bool line_open;                  /* a live line stands unfinished */
	struct documents *documents;     /* may be NULL */
};

void progress_init(struct progress *p, const struct options *o, struct documents *documents);
/* The callback; arg is the struct progress. */
void progress_event(void *arg, const struct session_event *ev);
/* Ends an open live line. */
void progress_end(struct progress *p);

#endif
