/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The result before anything was measured: every case is in it from the beginning. */
#include "session/session.h"

#include "base/clock.h"

static void judge(const struct session_options *o, struct result *r)
{
	struct gate_options g = {.now = r->ended, .sessions_max = r->sessions_max};

	gate_judge(r, o->baseline, &g);
}

/* A change cannot reach such a canary, and an injection plays a change. */
struct inject session_inject(const struct plan *p, const struct session_options *o, uint32_t job)
{
	const struct job *j = &p->jobs[job];

	if (o->inject_job)
		return o->inject_job[job];
	return j->canary && j->untouched ? INJECT_NONE : o->inject;
}

void session_spared(const struct plan *p, const struct session_options *o, struct notices *n)
{
	for (uint32_t i = 0; o->inject_text && i < p->njobs; i++) {
		const struct job *j = &p->jobs[i];

		if (j->canary && j->untouched && j->state == JOB_READY && !o->inject_job)
			notices_add(n,
				    "--inject '%s' is not done to the canary '%s' on '%s': the "
				    "suite declares it untouched by the change",
				    o->inject_text, j->name, p->targets[j->target].role);
	}
}

int session_result_continue(const struct session_options *o, struct result *r, struct err *e)
{
	if (o->nwith == 0)
		return 0;
	if (pooling_add(r, "this run", o->with, o->nwith, e))
		return e->code;
	judge(o, r);
	return 0;
}

void session_result_init(const struct plan *p, const struct session_options *o, struct result *r)
{
	const struct suite *s = p->suite;

	result_init(r);
	r->suite = s->name;
	r->suite_file = s->file;
	r->description = s->description;
	r->profile = p->profile;
	r->change = o->change;
	r->inject = o->inject_text;
	r->partial = o->partial;
	r->started = r->ended = clock_utc();
	r->seed = p->seed;
	r->measurement_version = MEASUREMENT_VERSION;
	r->tool_version = BLKGATE_VERSION;
	r->values_writer = measure_write_values;
	r->policy = p->policy;
	for (size_t i = 0; i < s->under_test.n; i++)
		*VEC_PUSH(&r->compare.under_test) = s->under_test.v[i];
	for (size_t i = 0; i < s->must_match.n; i++)
		*VEC_PUSH(&r->compare.must_match) = s->must_match.v[i];
	for (size_t i = 0; i < s->note.n; i++)
		*VEC_PUSH(&r->compare.note) = s->note.v[i];
	r->interleave = p->interleave;
	r->sessions_min = p->sessions_min;
	r->sessions_max = p->sessions_max;
	r->sessions_suite = s->sessions_max ? s->sessions_max : VERDICT_MAX_SESSIONS;
	r->assumed_session_sd = s->assumed_session_sd;
	r->baseline_max_age = s->baseline_max_age;
	r->false_alarm = 0.05;
	r->setup_error = p->setup_error;
	if (p->setup_error)
		r->setup_status = p->setup_code == ERR_SUITE ? STATUS_USAGE : STATUS_ERROR;
	for (size_t i = 0; i < p->host.n; i++)
		facts_set(&r->host, &r->arena, p->host.v[i].key, p->host.v[i].value,
			  p->host.v[i].why);
	r->targets = p->targets;
	r->ntargets = p->ntargets;
	r->jobs = p->jobs;
	r->njobs = p->njobs;
	r->checks = p->checks;
	r->nchecks = p->nchecks;
	for (size_t i = 0; i < p->notices.n; i++)
		*VEC_PUSH(&r->notices) = p->notices.v[i];
	judge(o, r);
}
