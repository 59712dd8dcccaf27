/* SPDX-License-Identifier: GPL-2.0-or-later */
/* adjust_by: a gate judged at equal level of a canary, by declaration only. */
#include "plan/planner.h"

/* The job of that name on the same target; UINT32_MAX = none. */
static uint32_t canary_of(const struct plan *p, const struct job *j)
{
	for (uint32_t i = 0; i < p->njobs; i++)
		if (p->jobs[i].target == j->target && str_eq(p->jobs[i].name, j->adjust_by))
			return i;
	return UINT32_MAX;
}

static void refuse(struct planner *pl, const struct workload *w, const char *hint, const char *why)
{
	struct diag *g = planner_report(pl, w->adjust_line, w->adjust_column, "adjust_by '%s': %s",
					w->adjust_by, why);

	if (g)
		diag_hint(g, "%s", hint);
}

static bool may_adjust(struct planner *pl, const struct workload *w, const struct job *j,
		       uint32_t canary)
{
	const struct job *k = canary == UINT32_MAX ? NULL : &pl->p->jobs[canary];

	if (j->total || w->all_targets)
		refuse(pl, w, "leave out 'targets: all' or 'adjust_by'",
		       "the runs on all targets have no canary beside them");
	else if (j->canary)
		refuse(pl, w, "leave out 'adjust_by'", "a canary is what others are adjusted by");
	else if (!k)
		refuse(pl, w, "an instance of a matrix is NAME:axis=value",
		       "there is no such workload");
	else if (!k->canary || !k->untouched)
		refuse(pl, w,
		       "write 'canary: {untouched: true}' there, if the change cannot reach it",
		       "that workload is no canary that is declared untouched by the change; "
		       "adjusted by one that it hits, a loss becomes a pass");
	else
		return true;
	return false;
}

/* What is judged by it cannot be selected without it. */
static void select_along(struct planner *pl, uint32_t job, uint32_t canary)
{
	struct job *k = &pl->p->jobs[canary];
	bool selected = !pl->unselected[job] && pl->p->jobs[job].state == JOB_READY;

	if (!selected)
		return;
	pl->unselected[canary] = false;
	if (k->state == JOB_SKIPPED && pl->no_check_selected && k->why == pl->no_check_selected) {
		k->state = JOB_READY;
		k->why = NULL;
	}
}

void adjust_check(struct planner *pl)
{
	for (uint32_t i = 0; i < pl->p->njobs; i++) {
		const struct workload *w = &pl->s->workloads.v[pl->p->workload[i]];
		uint32_t canary;

		if (!pl->p->jobs[i].adjust_by)
			continue;
		canary = canary_of(pl->p, &pl->p->jobs[i]);
		if (may_adjust(pl, w, &pl->p->jobs[i], canary))
			select_along(pl, i, canary);
	}
}
