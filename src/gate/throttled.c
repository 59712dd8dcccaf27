/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A device that slowed itself down was measured at work on something else than the workload: what
 * the numbers say is undecided (DESIGN 3.4), in both directions. */
#include "gate/judge.h"

#include <stdlib.h>

bool judge_throttled_run(const struct run *run, struct str *out)
{
	struct str how;
	bool yes;

	str_init(&how);
	yes = run->watched && watched_throttled(run->watched, &how);
	if (yes)
		str_addf(out, "the device throttled in run %u of session %u: %s", run->run + 1,
			 run->session + 1, how.s);
	str_release(&how);
	return yes;
}

/* What was measured after the decision is no part of it. */
static bool after(const struct verdict *v, uint32_t sessions, const struct run *run)
{
	return (v->pairs && run->pair >= v->pairs) || (v->decided_at && sessions > v->decided_at);
}

static bool throttled_job(const struct judge *g, uint32_t job, const struct verdict *v,
			  struct str *out)
{
	struct job_session s;
	uint32_t sessions = 0;
	size_t pos = 0;

	while (judge_next(g, job, &pos, &s)) {
		sessions++;
		for (size_t i = 0; i < s.n; i++)
			if (!after(v, sessions, s.v[i]) && judge_throttled_run(s.v[i], out))
				return true;
	}
	return false;
}

/* The first throttled run of the job, or of that with which it is compared. */
static bool throttled(const struct judge *g, uint32_t job, const struct verdict *v, struct str *out)
{
	struct arms *a;
	bool yes = throttled_job(g, job, v, out);

	if (yes || g->r->interleave.kind == INTERLEAVE_NONE)
		return yes;
	a = xcalloc(1, sizeof(*a));
	if (judge_arms(g, job, a))
		for (unsigned arm = 0; arm < ARM_COUNT && !yes; arm++)
			yes = throttled_job(g, a->job[arm], v, out);
	free(a);
	return yes;
}

void verdict_throttled(struct judge *g, uint32_t job, struct verdict *v)
{
	int leaning = 0;
	struct str text;

	switch (v->kind) {
	case VERDICT_PASS:
	case VERDICT_IMPROVEMENT:
		leaning = 1;
		break;
	case VERDICT_REGRESSION:
	case VERDICT_KNOWN:
	case VERDICT_MISSED:
		leaning = -1;
		break;
	case VERDICT_INCONCLUSIVE:
		leaning = v->leaning;
		break;
	default:
		return;
	}
	str_init(&text);
	if (throttled(g, job, v, &text)) {
		verdict_say(g->r, v, VERDICT_INCONCLUSIVE, "throttled", "%s; without that: %s, %s",
			    text.s, verdict_name(v->kind), v->text);
		v->leaning = leaning;
		v->wants_session = false; /* a further one would not take this one back */
	}
	str_release(&text);
}
