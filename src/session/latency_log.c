/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * --latency-log: one file a run with every latency. Its percentiles by nearest rank are those of
 * the result within the error of the histogram (0.4 %); minimum, maximum and mean are the same.
 */
#include "session/conductor.h"

#include "run/latlog.h"

#include <stdlib.h>

int latency_log_begin(const struct conductor *c, const struct job *j, struct run_request *req,
		      struct err *e)
{
	if (!c->o->latency_log)
		return 0;
	req->log = latlog_new(j, e);
	return req->log ? 0 : e->code;
}

static char *path_of(const struct conductor *c, const struct run *run)
{
	const struct job *j = &c->p->jobs[run->job];

	return xasprintf("%s/%s.%s.%s.s%u.r%u.csv", c->o->latency_log, c->p->suite->name,
			 c->p->targets[j->target].role, j->name, run->session + 1, run->run + 1);
}

int latency_log_end(struct conductor *c, struct latlog *log, struct run *run, struct err *e)
{
	const struct outcome *o = &run->out;
	char *path;
	struct str s;
	int rc;

	/* Nothing of a failed run is judged, and an abandoned worker still writes into its log. */
	if (!log || (o->status != OUTCOME_OK && o->status != OUTCOME_INTERRUPTED)) {
		latlog_free(log);
		return 0;
	}
	str_init(&s);
	latlog_text(log, o->has_slat, &s);
	path = path_of(c, run);
	rc = file_write(path, s.s, s.len, e);
	/* In the result, because taking the log down costs time of the run. */
	outcome_note(&run->out, "latency log of %llu I/Os and syncs%s",
		     (unsigned long long)latlog_kept(log), rc ? " (it could not be written)" : "");
	if (latlog_lost(log))
		outcome_note(&run->out, "latency log full: %llu I/Os are not in it",
			     (unsigned long long)latlog_lost(log));
	free(path);
	str_release(&s);
	latlog_free(log);
	return rc;
}
