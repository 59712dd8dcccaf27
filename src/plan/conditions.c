/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * plan/conditions: requires, admit and when against the facts. An unknown fact never counts as met:
 * there is no path from missing evidence to PASS.
 */
#include "plan/planner.h"

#include <stdio.h>

enum truth { COND_UNMET, COND_MET, COND_UNKNOWN, COND_WRONG };

/* Facts of the target come before those of the host; a label may be named without its prefix. */
static const struct fact *fact_of(struct planner *pl, const struct target *t, const char *key)
{
	const struct fact *f = facts_find2(&t->facts, &pl->p->host, key);
	char label[160];

	if (f || (size_t)snprintf(label, sizeof(label), "label.%s", key) >= sizeof(label))
		return f;
	return facts_find2(&t->facts, &pl->p->host, label);
}

/* *why: the actual value, or why it is unknown. */
static enum truth condition(struct planner *pl, const struct expr *x, const struct target *t,
			    const char **why)
{
	const struct fact *f = fact_of(pl, t, x->subject);
	struct err e = ERR_INIT;
	int rc;

	if (!f || !f->value) {
		*why = arena_printf(pl->a, "%s cannot be read here%s%s", x->subject, f ? ": " : "",
				    f ? f->why : "");
		return COND_UNKNOWN;
	}
	rc = expr_compare(f->value, x->op, x->value, &e);
	if (rc < 0) {
		planner_report_err(pl, x->line, x->column, &e);
		*why = arena_strdup(pl->a, e.text);
		return COND_WRONG;
	}
	*why = f->value;
	return rc ? COND_MET : COND_UNMET;
}

/* What the grammar allows but a condition cannot mean. */
static bool condition_valid(struct planner *pl, const struct expr *x, const char *where, bool wait)
{
	if (x->spread || x->every_run)
		planner_report(pl, x->line, x->column,
			       "%s: '%s' speaks of measured values, and a fact is "
			       "compared here",
			       where, x->text);
	else if (!x->value)
		planner_report(pl, x->line, x->column,
			       "%s: '%s': per cent of a reference is for expect", where, x->text);
	else if (x->wait && !wait)
		planner_report(pl, x->line, x->column, "%s: '%s': wait is for admit", where,
			       x->text);
	else
		return true;
	return false;
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
		v = condition(pl, x, t, &why);
		if (v == COND_MET)
			continue;
		planner_setup_error(
		    pl, v == COND_WRONG ? ERR_SUITE : ERR_TARGET,
		    v == COND_UNMET ? arena_printf(pl->a, "%s: %s is not met on '%s': it is '%s'",
						   where, x->text, t->role, why)
				    : arena_printf(pl->a, "%s: %s is not met on '%s': %s", where,
						   x->text, t->role, why));
	}
}

static void conditions_list(struct planner *pl, const struct expr *v, size_t n, const char *where,
			    bool wait)
{
	for (size_t i = 0; i < n; i++)
		if (condition_valid(pl, &v[i], where, wait) && !pl->o->lint_only)
			condition_suite(pl, &v[i], where);
}

void conditions_suite(struct planner *pl)
{
	conditions_list(pl, pl->s->require.v, pl->s->require.n, "requires", false);
	conditions_list(pl, pl->s->admit.v, pl->s->admit.n, "admit", true);
}

void conditions_when(struct planner *pl, const struct workload *w, struct job *j)
{
	const struct target *t = &pl->p->targets[j->target];
	const char *why;
	enum truth v;

	if (!w->has_when || !condition_valid(pl, &w->when, "when", false))
		return;
	if (pl->o->lint_only || j->state != JOB_READY)
		return;
	v = condition(pl, &w->when, t, &why);
	if (v == COND_UNMET)
		job_stop(j, JOB_SKIPPED,
			 arena_printf(pl->a, "when: %s is not met (%s)", w->when.text, why));
	else if (v != COND_MET)
		job_stop(j, JOB_ERROR,
			 arena_printf(pl->a, "when: %s cannot be decided: %s", w->when.text, why));
}
