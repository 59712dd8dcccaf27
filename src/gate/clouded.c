/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A device that slowed itself down, or is still on its way to its level, was measured at work on
 * something else than the workload: what the numbers say is undecided (DESIGN 3.4), in both
 * directions. */
#include "gate/judge.h"
#include "gate/steadiness.h"

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

static bool unsteady_run(const struct judge *g, const struct run *run, struct str *out)
{
	const char *why = run_unsteady(g->r, run, &g->r->arena);

	str_add(out, why ? why : "");
	return why != NULL;
}

/* What was measured after the decision is no part of it. */
static bool after(const struct verdict *v, uint32_t sessions, const struct run *run)
{
	return (v->pairs && run->pair >= v->pairs) || (v->decided_at && sessions > v->decided_at);
}

/* The type of the verdict, NULL = nothing clouds the run. */
static const char *clouded_run(const struct judge *g, const struct run *run, struct str *out)
{
	if (judge_throttled_run(run, out))
		return "throttled";
	return unsteady_run(g, run, out) ? "unsteady" : NULL;
}

static const char *clouded_job(const struct judge *g, uint32_t job, const struct verdict *v,
			       struct str *out)
{
	const char *type = NULL;
	struct job_session s;
	uint32_t sessions = 0;
	size_t pos = 0;

	while (!type && judge_next(g, job, &pos, &s)) {
		sessions++;
		for (size_t i = 0; i < s.n && !type; i++)
			if (!after(v, sessions, s.v[i]))
				type = clouded_run(g, s.v[i], out);
	}
	return type;
}

/* By the first such run of the job, or of that with which it is compared. */
static const char *clouded(const struct judge *g, uint32_t job, const struct verdict *v,
			   struct str *out)
{
	struct arms *a;
	const char *type = clouded_job(g, job, v, out);

	if (type || g->r->interleave.kind == INTERLEAVE_NONE)
		return type;
	a = xcalloc(1, sizeof(*a));
	if (judge_arms(g, job, a))
		for (unsigned arm = 0; arm < ARM_COUNT && !type; arm++)
			type = clouded_job(g, a->job[arm], v, out);
	free(a);
	return type;
}

void verdict_clouded(struct judge *g, uint32_t job, struct verdict *v)
{
	const char *type;
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
	type = clouded(g, job, v, &text);
	if (type) {
		verdict_say(g->r, v, VERDICT_INCONCLUSIVE, type, "%s; without that: %s, %s", text.s,
			    verdict_name(v->kind), v->text);
		v->leaning = leaning;
		v->wants_session = false; /* a further one would not take this one back */
	}
	str_release(&text);
}
