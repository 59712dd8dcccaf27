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
	VEC_RELEASE(&r->sessions);
	VEC_RELEASE(&r->notices);
	VEC_RELEASE(&r->verdicts);
	VEC_RELEASE(&r->compare.under_test);
	VEC_RELEASE(&r->compare.must_match);
	VEC_RELEASE(&r->compare.note);
	facts_release(&r->host);
	arena_release(&r->arena);
	result_init(r);
}

size_t result_runs(const struct result *r, uint32_t job, uint32_t session, const struct run **v,
		   size_t n)
{
	size_t got = 0;

	for (size_t i = 0; i < r->runs.n; i++) {
		const struct run *x = &r->runs.v[i];
		size_t at = got;

		if (x->job != job || x->session != session)
			continue;
		/* insertion by number: runs stand in executed order, a handful each */
		while (at > 0 && v[at - 1]->run > x->run)
			at--;
		if (at == n)
			continue;
		if (got == n)
			got--;
		memmove(&v[at + 1], &v[at], (got - at) * sizeof(v[0]));
		v[at] = x;
		got++;
	}
	return got;
}
