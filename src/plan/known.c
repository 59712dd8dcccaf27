/* SPDX-License-Identifier: GPL-2.0-or-later */
/* plan/known: `known:` entries to the checks they excuse. One that fits nothing excuses nothing,
 * and its author would not notice: an error. */
#include "plan/planner.h"

#include "base/clock.h"

enum { NEAREST_MAX = 4096 }; /* names compared for a hint */

static void hint_job(struct planner *pl, struct diag *g, const char *name)
{
	size_t n = pl->p->njobs < NEAREST_MAX ? pl->p->njobs : NEAREST_MAX;
	const char **names = xcalloc(n + 1, sizeof(*names));
	const char *nearest;

	for (size_t i = 0; i < n; i++)
		names[i] = pl->p->jobs[i].name;
	nearest = str_nearest(name, names, n);
	free(names);
	if (nearest)
		diag_hint(g, "did you mean workload '%s'?", nearest);
	else
		diag_hint(g, "`check: \"WORKLOAD gate METRIC\"`, as `plan` shows them");
}

static void hint_check(struct diag *g, const struct check *c, size_t n, const char *job,
		       const char *rest)
{
	const char **names = xcalloc(n + 1, sizeof(*names));
	const char *nearest;
	size_t gates = 0;

	for (size_t i = 0; i < n; i++)
		if (c[i].kind == CHECK_GATE)
			names[gates++] = c[i].name;
	nearest = str_nearest(rest, names, gates);
	if (nearest || gates)
		diag_hint(g, "did you mean '%s %s'?", job, nearest ? nearest : names[0]);
	else
		diag_hint(g, "workload '%s' has no gate", job);
	free(names);
}

/* First check of a job in the list, which is ascending by job. */
static size_t checks_first(const struct plan *p, uint32_t job)
{
	size_t lo = 0, hi = p->nchecks;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (p->checks[mid].job < job)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

static size_t checks_count(const struct plan *p, size_t first)
{
	size_t n = 0;

	while (first + n < p->nchecks && p->checks[first + n].job == p->checks[first].job)
		n++;
	return n;
}

static void known_within(struct planner *pl, const struct known_entry *k, uint32_t workload)
{
	uint64_t *fired = &pl->p->fired[workload];

	*fired |= 1ULL << RULE_KNOWN_WITHIN_TOLERANCE;
	plan_finding(pl->p, pl->d, &pl->s->workloads.v[workload], RULE_KNOWN_WITHIN_TOLERANCE,
		     &(struct place){k->line, k->column},
		     "no_worse_than of known '%s' is within the tolerance: it excuses nothing",
		     k->check);
}

/* Its last day is over: the check is judged as if the entry were not there. */
static void known_expired(struct planner *pl, const struct known_entry *k, uint32_t workload)
{
	struct diag *g;
	struct str day;

	if (k->until >= clock_utc())
		return;
	str_init(&day);
	clock_format_utc(&day, k->until);
	pl->p->fired[workload] |= 1ULL << RULE_KNOWN_EXPIRED;
	g = plan_finding(pl->p, pl->d, &pl->s->workloads.v[workload], RULE_KNOWN_EXPIRED,
			 &(struct place){k->line, k->column},
			 "until %.10s of known '%s' has passed: it excuses nothing any more", day.s,
			 k->check);
	if (g)
		diag_hint(g, "remove the entry, or renew its date with its ticket (%s)", k->ticket);
	str_release(&day);
}

static bool known_one(struct planner *pl, const struct known_entry *k, uint32_t job,
		      const char *name)
{
	struct plan *p = pl->p;
	size_t first = checks_first(p, job);
	size_t n = first < p->nchecks && p->checks[first].job == job ? checks_count(p, first) : 0;
	struct diag *g;

	for (size_t i = first; i < first + n; i++) {
		struct check *c = &p->checks[i];

		if (c->kind != CHECK_GATE || strcmp(c->name, name) != 0)
			continue;
		c->known = (struct check_known){.ticket = k->ticket ? k->ticket : "",
						.no_worse_than = k->no_worse_than,
						.until = k->until};
		/* once for all targets: the tolerance is the suite's */
		if (p->jobs[job].target == 0 && !c->absolute && k->no_worse_than <= c->tolerance)
			known_within(pl, k, p->workload[job]);
		if (p->jobs[job].target == 0)
			known_expired(pl, k, p->workload[job]);
		return true;
	}
	g = planner_report(pl, k->line, k->column, "known: workload '%s' has no check '%s'",
			   p->jobs[job].name, name);
	if (g)
		hint_check(g, p->checks + first, n, p->jobs[job].name, name);
	return false;
}

void known_apply(struct planner *pl)
{
	for (size_t i = 0; i < pl->s->known.n; i++) {
		const struct known_entry *k = &pl->s->known.v[i];
		const char *space = strchr(k->check, ' ');
		const char *name =
			space ? arena_strndup(pl->a, k->check, (size_t)(space - k->check))
			      : k->check;
		uint32_t job = planner_find_job(pl, name);

		if (job == UINT32_MAX) {
			struct diag *g = planner_report(pl, k->line, k->column,
							"known: there is no workload '%s'", name);
			if (g)
				hint_job(pl, g, name);
			continue;
		}
		size_t n = pl->ntargets; /* and the total behind them */

		n += job + n < pl->p->njobs && pl->p->jobs[job + n].total;
		for (size_t t = 0; t < n; t++)
			if (!known_one(pl, k, job + (uint32_t)t, space ? space + 1 : ""))
				break;
	}
}
