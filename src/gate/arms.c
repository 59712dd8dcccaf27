/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The runs of an interleaved result by arm and pair. Trusts no order of the document. */
#include "gate/interleaved.h"
#include "gate/judge.h"

static void add_runs(const struct judge *g, uint32_t job, struct arms *a)
{
	const struct run *const *run = &g->run[g->run_first[job]];

	for (size_t i = 0; i < judge_runs(g, job); i++) {
		const struct run **at;

		if (run[i]->pair >= INTERLEAVE_PAIRS_MAX || (unsigned)run[i]->arm >= ARM_COUNT) {
			a->twice = true;
			continue;
		}
		at = &a->run[run[i]->arm][run[i]->pair];
		a->twice |= *at != NULL;
		*at = run[i];
	}
}

bool judge_arms(const struct judge *g, uint32_t job, struct arms *a)
{
	const struct interleave *i = &g->r->interleave;
	uint32_t partner = job;

	*a = (struct arms){0};
	if (i->kind == INTERLEAVE_VERSUS)
		partner = interleave_partner(g->r->jobs, g->r->njobs, job);
	if (partner == UINT32_MAX)
		return false;
	a->job[ARM_REFERENCE] = a->job[ARM_CANDIDATE] = job;
	if (partner != job) {
		enum arm arm = interleave_arm(i, &g->r->targets[g->r->jobs[job].target]);

		a->job[arm == ARM_REFERENCE ? ARM_CANDIDATE : ARM_REFERENCE] = partner;
		add_runs(g, partner, a);
	}
	add_runs(g, job, a);
	while (a->pairs < INTERLEAVE_PAIRS_MAX && a->run[ARM_REFERENCE][a->pairs] &&
	       a->run[ARM_CANDIDATE][a->pairs])
		a->pairs++;
	a->rest = a->twice;
	for (uint32_t k = a->pairs; k < INTERLEAVE_PAIRS_MAX; k++)
		a->rest |= a->run[ARM_REFERENCE][k] || a->run[ARM_CANDIDATE][k];
	return true;
}

uint32_t judge_first_look(const struct result *r)
{
	struct interleaved_look look;

	/* Every budget of the table begins where the first look is, whatever the red level. */
	return interleaved_look(r->interleave.pairs, 0.001, 0, &look) ? look.pairs
								      : INTERLEAVE_PAIRS_MAX;
}
