/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * plan/groups: what runs at the same time. A workload with `stonewall: false` joins the one before
 * it, on each target; one with `targets: all` is one group over the targets, and its total a job of
 * that group. What is asked for is the mixture, so a group is selected, runs and fails as a whole.
 */
#include "plan/planner.h"

static const char NEITHER[] =
	"what is measured would be neither the mixture nor the workload alone";

struct span { /* jobs of one workload */
	uint32_t first, n;
};

static struct span *spans_find(const struct plan *p)
{
	struct span *v = xcalloc(p->suite->workloads.n + 1, sizeof(*v));

	for (uint32_t i = 0; i < p->njobs; i++) {
		struct span *s = &v[p->workload[i]];

		if (s->n++ == 0)
			s->first = i;
	}
	return v;
}

/* Where a job says that it does not wait. */
static struct place wall_at(const struct planner *pl, const struct job *j)
{
	const struct origin *og = &pl->p->origins[j - pl->p->jobs].of[pl->at[PW_STONEWALL]];

	return og->line ? (struct place){og->line, og->column} : (struct place){j->file_line, 0};
}

/* NULL, or why a workload can be no part of a group. */
static const char *unfit(const struct planner *pl, const struct span *s, uint32_t wi)
{
	const struct workload *w = &pl->s->workloads.v[wi];

	if (w->all_targets)
		return "'targets: all' runs it on all targets at the same time already";
	if (s[wi].n > pl->ntargets)
		return "its matrix has more than one instance";
	if (w->canary)
		return "it is a canary, which tells about the machine and not about a mixture";
	return NULL;
}

static void say_unfit(struct planner *pl, const struct place *at, const struct job *first,
		      const struct job *j, const char *name, const char *why)
{
	planner_report(pl, at->line, at->column,
		       "'%s' cannot run at the same time as '%s': '%s': %s", j->name, first->name,
		       name, why);
}

/* Their windows must be one, from the first to the last moment. */
static bool windows_meet(struct planner *pl, const struct place *at, const struct job *a,
			 const struct job *b)
{
	struct diag *g = NULL;
	struct str x, y;

	str_init(&x);
	str_init(&y);
	if (!a->time_based || !b->time_based) {
		g = planner_report(
			pl, at->line, at->column,
			"the windows of '%s' and '%s' need not overlap: '%s' ends at its "
			"size and not with the time; %s",
			a->name, b->name, (a->time_based ? b : a)->name, NEITHER);
		if (g)
			diag_hint(g, "give both a runtime: `runtime: 10s`");
	} else if (a->startdelay + a->ramp_time != b->startdelay + b->ramp_time) {
		unit_format_duration(&x, a->startdelay + a->ramp_time);
		unit_format_duration(&y, b->startdelay + b->ramp_time);
		g = planner_report(
			pl, at->line, at->column,
			"the windows of '%s' and '%s' do not overlap in full: they begin "
			"after %s and %s (startdelay and ramp_time); %s",
			a->name, b->name, x.s, y.s, NEITHER);
		if (g)
			diag_hint(g, "give both the same startdelay and ramp_time");
	} else if (a->runtime != b->runtime) {
		unit_format_duration(&x, a->runtime);
		unit_format_duration(&y, b->runtime);
		g = planner_report(
			pl, at->line, at->column,
			"the windows of '%s' and '%s' do not overlap in full: runtime is "
			"%s and %s; %s",
			a->name, b->name, x.s, y.s, NEITHER);
		if (g)
			diag_hint(g, "give both the same runtime");
	} else {
		str_release(&x);
		str_release(&y);
		return true;
	}
	str_release(&x);
	str_release(&y);
	return false;
}

static bool may_join(struct planner *pl, const struct span *s, uint32_t head, uint32_t wi)
{
	const struct job *a = &pl->p->jobs[s[head].first], *b = &pl->p->jobs[s[wi].first];
	struct place at = wall_at(pl, b);
	const char *why;
	struct diag *g;

	if (head == wi) {
		g = planner_report(pl, at.line, at.column,
				   "workload '%s' is the first: there is none before it that it "
				   "could run beside",
				   b->name);
		if (g)
			diag_hint(g, "write `stonewall: false` at each workload that runs at the "
				     "same time as the one before it, not in defaults");
		return false;
	}
	why = unfit(pl, s, head);
	if (why) {
		say_unfit(pl, &at, a, b, pl->s->workloads.v[head].name, why);
		return false;
	}
	why = unfit(pl, s, wi);
	if (why) {
		say_unfit(pl, &at, a, b, pl->s->workloads.v[wi].name, why);
		return false;
	}
	if (a->runs != b->runs) {
		planner_report(
			pl, at.line, at.column,
			"'%s' cannot run at the same time as '%s': it has %u runs a session, "
			"the other %u",
			b->name, a->name, b->runs, a->runs);
		return false;
	}
	return windows_meet(pl, &at, a, b);
}

static void join(struct plan *p, const struct span *head, const struct span *s)
{
	for (uint32_t t = 0; t < s->n && t < head->n; t++)
		p->jobs[head->first + t].group = p->jobs[s->first + t].group = head->first + t + 1;
}

static void find_neighbours(struct planner *pl, const struct span *s)
{
	struct plan *p = pl->p;
	uint32_t head = UINT32_MAX;

	for (uint32_t wi = 0; wi < pl->s->workloads.n; wi++) {
		if (!s[wi].n)
			continue;
		if (head == UINT32_MAX)
			head = wi;
		if (p->jobs[s[wi].first].stonewall)
			head = wi;
		else if (may_join(pl, s, head, wi))
			join(p, &s[head], &s[wi]);
	}
}

static void same_window(struct planner *pl, const struct workload *w, const struct job *j)
{
	struct diag *g;

	if (j->time_based)
		return;
	g = planner_report(pl, w->line, w->column,
			   "targets: all of '%s': the windows on the targets need not overlap: it "
			   "ends at its size and not with the time; %s",
			   w->name, NEITHER);
	if (g)
		diag_hint(g, "give it a runtime: `runtime: 10s`");
}

/* Each instance on all targets, and the total of each. */
static void find_totals(struct planner *pl, const struct span *s)
{
	struct plan *p = pl->p;
	uint32_t each = (uint32_t)pl->ntargets + 1;

	for (uint32_t wi = 0; wi < pl->s->workloads.n; wi++) {
		const struct workload *w = &pl->s->workloads.v[wi];

		if (!w->all_targets || !s[wi].n)
			continue;
		p->ntargets = pl->ntargets + 1;
		same_window(pl, w, &p->jobs[s[wi].first]);
		for (uint32_t i = 0; i < s[wi].n; i++)
			p->jobs[s[wi].first + i].group = s[wi].first + i / each * each + 1;
		if (pl->ntargets == 1 && !pl->o->lint_only)
			notices_add(&p->notices,
				    "targets: all of '%s': there is one target, and the total is "
				    "its figures",
				    w->name);
	}
}

/* The total is comparable when every target is: their facts, by role. */
static void total_facts(struct planner *pl)
{
	struct target *all = &pl->p->targets[pl->ntargets];

	if (pl->p->ntargets == pl->ntargets)
		return;
	for (size_t t = 0; t < pl->ntargets; t++) {
		const struct facts *f = &pl->p->targets[t].facts;

		for (size_t i = 0; i < f->n; i++)
			if (!str_starts(f->v[i].key, "target.")) /* what was typed, free bytes */
				facts_set(&all->facts, pl->a,
					  arena_printf(pl->a, "%s:%s", pl->p->targets[t].role,
						       f->v[i].key),
					  f->v[i].value, f->v[i].why);
	}
}

static bool wanted(const struct planner *pl, size_t i)
{
	const struct job *j = &pl->p->jobs[i];

	return !pl->unselected[i] && !(pl->no_check_selected && j->why == pl->no_check_selected);
}

static void take_along(struct planner *pl, size_t i, size_t asked)
{
	struct plan *p = pl->p;
	struct job *j = &p->jobs[i];

	if (wanted(pl, i))
		return;
	pl->unselected[i] = false;
	if (j->why && j->why == pl->no_check_selected) {
		j->state = JOB_READY;
		j->why = NULL;
	}
	if (strcmp(j->name, p->jobs[asked].name) != 0)
		notices_add(
			&p->notices,
			"'%s' runs at the same time as '%s', which was selected, and so runs too",
			j->name, p->jobs[asked].name);
}

/* A group whole or not at all; what is left over is skipped. */
static void select_jobs(struct planner *pl, const uint32_t *ring)
{
	struct plan *p = pl->p;

	for (uint32_t i = 0; i < p->njobs; i++)
		for (uint32_t k = ring[i]; wanted(pl, i) && k != i; k = ring[k])
			take_along(pl, k, i);
	for (size_t i = 0; i < p->njobs; i++)
		if (pl->unselected[i]) {
			p->jobs[i].state = JOB_SKIPPED;
			p->jobs[i].why = pl->not_selected;
		}
}

void groups_make(struct planner *pl)
{
	struct plan *p = pl->p;
	struct span *s = spans_find(p);
	uint32_t *ring;

	find_neighbours(pl, s);
	find_totals(pl, s);
	free(s);
	total_facts(pl);
	ring = jobs_ring(p->jobs, p->njobs);
	select_jobs(pl, ring);
	free(ring);
	jobs_beside(p->jobs, p->njobs, pl->a);
}

/* The one that keeps its group from running: an error before a skip. */
static const struct job *culprit(const struct plan *p, const uint32_t *ring, uint32_t first)
{
	const struct job *found = NULL;
	uint32_t i = first;

	do {
		const struct job *j = &p->jobs[i];

		if (j->state != JOB_READY &&
		    (!found || (found->state == JOB_SKIPPED && j->state == JOB_ERROR)))
			found = j;
		i = ring[i];
	} while (i != first);
	return found;
}

static void stop_group(struct plan *p, const uint32_t *ring, uint32_t first, const struct job *bad)
{
	uint32_t i = first;

	do {
		struct job *j = &p->jobs[i];

		if (j->state == JOB_READY)
			job_stop(j, bad->state,
				 arena_printf(&p->arena, "%s '%s' on '%s', which %s: %s",
					      j->total ? "no total without"
						       : "it runs only at the same time as",
					      bad->name, p->targets[bad->target].role,
					      bad->state == JOB_ERROR ? "cannot run" : "is skipped",
					      bad->why ? bad->why : "no reason given"));
		i = ring[i];
	} while (i != first);
}

void groups_settle(struct plan *p)
{
	uint32_t *ring = jobs_ring(p->jobs, p->njobs);

	for (uint32_t i = 0; i < p->njobs; i++) {
		const struct job *bad = NULL;

		if (ring[i] != i && group_leads(p, i))
			bad = culprit(p, ring, i);
		if (!bad)
			continue;
		stop_group(p, ring, i, bad);
	}
	free(ring);
}
