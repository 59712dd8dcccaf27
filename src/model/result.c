/* SPDX-License-Identifier: GPL-2.0-or-later */
/* model/result: lifecycle and lookup. */
#include "model/result.h"

void result_init(struct result *r)
{
	*r = (struct result){
		.measurement_version = MEASUREMENT_VERSION,
		.tool_version = BLKGATE_VERSION,
		.policy = POLICY_DEFAULT,
		.sessions_min = 1,
		.sessions_max = 5,
		.assumed_session_sd = 0.015,
		.false_alarm = 0.05,
		.then_status = -1,
	};
	arena_init(&r->arena);
	facts_init(&r->host);
}

void result_release(struct result *r)
{
	if (r->owns_plan) {
		for (size_t i = 0; i < r->ntargets; i++)
			facts_release(&r->targets[i].facts);
		free(r->targets);
		free(r->jobs);
		free(r->checks);
	}
	for (size_t i = 0; i < r->runs.n; i++)
		outcome_release(&r->runs.v[i].out);
	VEC_RELEASE(&r->runs);
	for (size_t i = 0; i < r->preparations.n; i++)
		VEC_RELEASE(&r->preparations.v[i].rounds);
	VEC_RELEASE(&r->preparations);
	VEC_RELEASE(&r->sessions);
	attempts_release(r);
	VEC_RELEASE(&r->notices);
	VEC_RELEASE(&r->verdicts);
	VEC_RELEASE(&r->compare.under_test);
	VEC_RELEASE(&r->compare.must_match);
	VEC_RELEASE(&r->compare.note);
	facts_release(&r->host);
	arena_release(&r->arena);
	result_init(r);
}

const struct preparation *result_preparation(const struct result *r, const struct run *run)
{
	for (size_t i = r->preparations.n; i-- > 0;) {
		const struct preparation *p = &r->preparations.v[i];

		if (p->job == run->job && p->session == run->session &&
		    (p->run == run->run || p->run == PREPARATION_OF_SESSION))
			return p;
	}
	return NULL;
}

struct preparation *result_add_preparation(struct result *r, uint32_t job, uint32_t session,
					   uint32_t run)
{
	struct preparation *p = NULL;

	for (size_t i = 0; i < r->preparations.n; i++) {
		struct preparation *x = &r->preparations.v[i];

		if (x->job == job && x->session == session && x->run == run)
			p = x;
	}
	if (p)
		VEC_RELEASE(&p->rounds);
	else
		p = VEC_PUSH(&r->preparations);
	*p = (struct preparation){.job = job, .session = session, .run = run};
	return p;
}
