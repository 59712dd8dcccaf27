/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The verdict on the measurement of a job: is there anything that may be judged? */
#include "gate/judge.h"

static const char *failure_type(enum outcome_status s)
{
	return s == OUTCOME_NONE ? "not-measured" : outcome_status_name(s);
}

/* One session of the job holds the demanded runs, each once and each good. */
static bool session_whole(struct judge *g, const struct job *j, const struct job_session *s,
			  struct verdict *v)
{
	struct result *r = g->r;
	unsigned session = s->session + 1;

	if (s->session >= r->sessions.n) {
		verdict_say(r, v, VERDICT_ERROR, "not-measured",
			    "runs of session %u, which the result does not list", session);
		return false;
	}
	for (size_t i = 0; i < s->n; i++) {
		const struct outcome *o = &s->v[i]->out;

		if (o->status == OUTCOME_OK)
			continue;
		verdict_say(r, v, VERDICT_ERROR, failure_type(o->status),
			    "run %u of %u in session %u: %s", s->v[i]->run + 1, j->runs, session,
			    *o->text ? o->text : outcome_status_name(o->status));
		return false;
	}
	for (size_t i = 0; i < s->n; i++) {
		if (s->v[i]->run == i && s->n == j->runs)
			continue;
		verdict_say(r, v, VERDICT_ERROR, r->interrupted ? "interrupted" : "not-measured",
			    "%zu of %u runs measured in session %u%s%s", s->n, j->runs, session,
			    r->partial || r->interrupted ? ": " : "",
			    r->partial       ? r->partial
			    : r->interrupted ? "interrupted"
					     : "");
		return false;
	}
	return true;
}

void verdict_measure(struct judge *g, uint32_t job, struct verdict *v)
{
	struct result *r = g->r;
	const struct job *j = &r->jobs[job];
	struct job_session s;
	size_t pos = 0;
	unsigned sessions = 0;

	if (j->state == JOB_SKIPPED) {
		verdict_say(r, v, VERDICT_SKIPPED, NULL, "%s",
			    j->why && *j->why ? j->why : "not selected");
		return;
	}
	if (r->setup_error) {
		verdict_say(r, v, VERDICT_ERROR, "setup", "%s",
			    *r->setup_error ? r->setup_error : "the suite could not be set up");
		return;
	}
	if (j->state == JOB_ERROR) {
		verdict_say(r, v, VERDICT_ERROR, "setup", "%s",
			    j->why && *j->why ? j->why : "cannot run here");
		return;
	}
	for (; judge_next(g, job, &pos, &s); sessions++)
		if (!session_whole(g, j, &s, v))
			return;
	if (sessions == 0) {
		const char *why = r->partial ? r->partial : r->interrupted ? "interrupted" : NULL;

		verdict_say(r, v, VERDICT_ERROR, r->interrupted ? "interrupted" : "not-measured",
			    "not measured%s%s", why ? ": " : "", why ? why : "");
		return;
	}
	v->nsessions = sessions;
	verdict_say(r, v, VERDICT_PASS, NULL, "%zu run%s in %u session%s", judge_runs(g, job),
		    judge_runs(g, job) == 1 ? "" : "s", sessions, sessions == 1 ? "" : "s");
}
