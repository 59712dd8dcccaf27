/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * plan/conditions: requires, admit and when against the facts. An unknown fact never counts as met:
 * there is no path from missing evidence to PASS. What a condition cannot mean (wait, spread, a
 * share of a reference) the suite has refused.
 */
#include "plan/planner.h"

#include <stdio.h>

enum truth { COND_UNMET, COND_MET, COND_UNKNOWN, COND_WRONG };

/* Facts of the target come before those of the host; a label may be named without its prefix. */
static const struct fact *fact_of(const struct facts *target, const struct facts *host,
				  const char *key)
{
	const struct fact *f = facts_find2(target, host, key);
	char label[160];

	if (f || (size_t)snprintf(label, sizeof(label), "label.%s", key) >= sizeof(label))
		return f;
	return facts_find2(target, host, label);
}

/* *why: the actual value, or why it is unknown, in a. e is set when the comparison means nothing.
 */
static enum truth condition(const struct expr *x, const struct fact *f, struct arena *a,
			    const char **why, struct err *e)
{
	int rc;

	if (!f || !f->value) {
		*why = arena_printf(a, "%s cannot be read here%s%s", x->subject,
				    f && f->why ? ": " : "", f && f->why ? f->why : "");
		return COND_UNKNOWN;
	}
	rc = expr_compare_fact(f->key, f->value, x->op, x->value, e);
	if (rc < 0) {
		*why = arena_strdup(a, e->text);
		return COND_WRONG;
	}
	*why = f->value;
	return rc ? COND_MET : COND_UNMET;
}

static enum truth condition_planned(struct planner *pl, const struct expr *x,
				    const struct target *t, const char **why)
{
	const struct fact *f = fact_of(&t->facts, &pl->p->host, x->subject);
	struct err e = ERR_INIT;
	enum truth v = condition(x, f, pl->a, why, &e);

	if (v == COND_WRONG)
		planner_report_err(pl, x->line, x->column, &e);
	return v;
}

static void unmet(struct str *out, const char *where, const struct expr *x, const struct target *t,
		  const char *verb, enum truth v, const char *why)
{
	str_addf(out, v == COND_UNMET ? "%s: %s %s on '%s': it is '%s'" : "%s: %s %s on '%s': %s",
		 where, x->text, verb, t->role, why);
}

static void condition_suite(struct planner *pl, const struct expr *x, const char *where)
{
	for (size_t i = 0; i < pl->p->ntargets; i++) {
		const struct target *t = &pl->p->targets[i];
		const char *why;
		enum truth v;

		/* Its jobs are errors by themselves; only the host can still be asked. */
		if (pl->missing[i] && !facts_find(&pl->p->host, x->subject))
			continue;
		v = condition_planned(pl, x, t, &why);
		if (v == COND_MET)
			continue;
		str_clear(&pl->tmp);
		unmet(&pl->tmp, where, x, t, "is not met", v, why);
		planner_setup_error(pl, v == COND_WRONG ? ERR_SUITE : ERR_TARGET,
				    arena_strdup(pl->a, pl->tmp.s));
	}
}

/* Where the value of a condition comes from after a session. */
enum from { FROM_LINK, FROM_HOST, FROM_SUITE, FROM_PLAN };

static enum from source_of(const struct plan *p, const struct target *t, const struct expr *x)
{
	const struct fact *f = fact_of(&t->facts, &p->host, x->subject);

	if (!f)
		return FROM_PLAN;
	if (str_eq(f->key, "link") || str_starts(f->key, "link.") ||
	    str_starts(f->key, "upstream."))
		return FROM_LINK;
	if (str_starts(f->key, "label."))
		return FROM_SUITE; /* what a person said does not change under way */
	return facts_find(&t->facts, f->key) ? FROM_PLAN : FROM_HOST;
}

/* Law 2: a state that is watched less closely than the suite reads is announced. */
static void admit_announce(struct planner *pl, const struct expr *x)
{
	for (size_t i = 0; i < pl->p->ntargets; i++)
		if (!pl->missing[i] && source_of(pl->p, &pl->p->targets[i], x) == FROM_PLAN)
			notices_add(&pl->p->notices, "admit: %s is checked before the run only",
				    x->subject);
}

void conditions_suite(struct planner *pl)
{
	const struct suite *s = pl->s;

	if (pl->o->lint_only)
		return;
	for (size_t i = 0; i < s->require.n; i++)
		condition_suite(pl, &s->require.v[i], "requires");
	for (size_t i = 0; i < s->admit.n; i++) {
		condition_suite(pl, &s->admit.v[i], "admit");
		admit_announce(pl, &s->admit.v[i]);
	}
}

void conditions_when(struct planner *pl, const struct workload *w, struct job *j)
{
	const struct target *t = &pl->p->targets[j->target];
	const char *why;
	enum truth v;

	if (!w->has_when || pl->o->lint_only || j->state != JOB_READY)
		return;
	v = condition_planned(pl, &w->when, t, &why);
	if (v == COND_UNMET)
		job_stop(j, JOB_SKIPPED,
			 arena_printf(pl->a, "when: %s is not met (%s)", w->when.text, why));
	else if (v != COND_MET)
		job_stop(j, JOB_ERROR,
			 arena_printf(pl->a, "when: %s cannot be decided: %s", w->when.text, why));
}

static bool measured(const struct plan *p, size_t target)
{
	for (size_t i = 0; i < p->njobs; i++)
		if (p->jobs[i].target == target && p->jobs[i].state == JOB_READY)
			return true;
	return false;
}

/* The facts of one moment: of the host, and of the target being looked at. */
struct now {
	struct arena arena;
	struct facts host, link;
};

static bool still_holds(const struct plan *p, const struct target *t, const struct expr *x,
			struct now *now, struct str *why)
{
	const struct fact *f = fact_of(&t->facts, &p->host, x->subject);
	struct err e = ERR_INIT;
	const char *text;
	enum truth v;

	switch (source_of(p, t, x)) {
	case FROM_LINK:
		f = facts_find(&now->link, f->key);
		break;
	case FROM_HOST:
		f = facts_find(&now->host, f->key);
		break;
	case FROM_SUITE:
	case FROM_PLAN:
		break;
	}
	v = condition(x, f, &now->arena, &text, &e);
	if (v != COND_MET)
		unmet(why, "admit", x, t, "does not hold any more", v, text);
	return v == COND_MET;
}

int plan_admitted(const struct plan *p, const struct host *h, struct str *why)
{
	const struct suite *s = p->suite;
	bool holds = true;
	struct now now;

	if (s->admit.n == 0)
		return 1;
	arena_init(&now.arena);
	facts_init(&now.host);
	host_facts(h, &now.host, &now.arena);
	for (size_t i = 0; i < p->ntargets && holds; i++) {
		const struct target *t = &p->targets[i];

		if (!measured(p, i) || target_is_total(t))
			continue;
		facts_init(&now.link);
		host_link(h, t, &now.link, &now.arena);
		for (size_t k = 0; k < s->admit.n && holds; k++)
			holds = still_holds(p, t, &s->admit.v[k], &now, why);
		facts_release(&now.link);
	}
	facts_release(&now.host);
	arena_release(&now.arena);
	return holds;
}
