/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * plan/lint: applies the rules to the resolved jobs. A workload is told once a rule, at the first
 * instance that breaks it. A waiver turns a warning into a note (never silence); an error cannot be
 * waived, and a waiver that matches nothing is itself a warning: it would hide the next finding.
 */
#include "plan/lint.h"

struct linter {
	const struct plan *p;
	struct diags *d;
	struct str text, hint;
	uint64_t all_fired; /* bit by rule, over the suite */
};

static int rule_find(const char *name)
{
	for (unsigned i = 0; i < lint_rule_count; i++)
		if (strcmp(lint_rules[i].name, name) == 0)
			return (int)i;
	return -1;
}

/* Reason of the waiver for a rule, or NULL. */
static const char *waived(const struct suite *s, const struct workload *w, const char *rule)
{
	for (size_t i = 0; i < w->waive.n; i++)
		if (strcmp(w->waive.v[i].rule, rule) == 0)
			return w->waive.v[i].reason ? w->waive.v[i].reason : "";
	for (size_t i = 0; i < s->waive.n; i++)
		if (strcmp(s->waive.v[i].rule, rule) == 0)
			return s->waive.v[i].reason ? s->waive.v[i].reason : "";
	return NULL;
}

static void found(struct linter *l, const struct lint_view *v, const struct lint_rule *r)
{
	const struct suite *s = l->p->suite;
	const struct workload *w = &s->workloads.v[l->p->workload[v->j - l->p->jobs]];
	const struct origin *og = r->word < PW_COUNT ? &v->og->of[v->at[r->word]] : NULL;
	bool placed = og && og->line;
	const char *reason = r->level == DIAG_ERROR ? NULL : waived(s, w, r->name);
	struct diag *g;

	if (reason)
		str_addf(&l->text, " (waived: %s)", reason);
	g = diags_add(l->d, reason ? DIAG_NOTE : r->level, r->name, s->file,
		      placed ? og->line : w->line, placed ? og->column : w->column,
		      "workload '%s': %s", v->j->name, l->text.s);
	if (l->hint.len && !reason)
		diag_hint(g, "%s", l->hint.s);
}

static void job_rules(struct linter *l, const struct lint_view *v, uint64_t *fired)
{
	for (unsigned i = 0; i < lint_rule_count; i++) {
		if (*fired >> i & 1)
			continue;
		str_clear(&l->text);
		str_clear(&l->hint);
		if (!lint_rules[i].hits(v, &l->text, &l->hint))
			continue;
		*fired |= 1ULL << i;
		found(l, v, &lint_rules[i]);
	}
}

static void waiver_check(struct linter *l, const struct waiver *v, uint64_t fired)
{
	const char *names[LINT_RULES_MAX];
	const char *file = l->p->suite->file, *nearest;
	int rule = rule_find(v->rule);
	struct diag *g;

	if (rule < 0) {
		for (unsigned i = 0; i < lint_rule_count; i++)
			names[i] = lint_rules[i].name;
		nearest = str_nearest(v->rule, names, lint_rule_count);
		g = diags_add(l->d, DIAG_ERROR, NULL, file, v->line, v->column,
			      "waive: there is no rule '%s'", v->rule);
		if (nearest)
			diag_hint(g, "did you mean '%s'?", nearest);
		return;
	}
	if (lint_rules[rule].level == DIAG_ERROR) {
		diags_add(l->d, DIAG_ERROR, NULL, file, v->line, v->column,
			  "waive: rule '%s' is an error and cannot be waived", v->rule);
		return;
	}
	if (fired >> rule & 1 || lint_rules[rule].needs_target)
		return;
	g = diags_add(l->d, DIAG_WARN, "unused-waiver", file, v->line, v->column,
		      "waive: rule '%s' finds nothing here", v->rule);
	diag_hint(g, "remove it: it would hide the next finding");
}

static void workload_end(struct linter *l, uint32_t workload, uint64_t fired)
{
	const struct workload *w = &l->p->suite->workloads.v[workload];

	for (size_t i = 0; i < w->waive.n; i++)
		waiver_check(l, &w->waive.v[i], fired);
	l->all_fired |= fired;
}

static void view_job(const struct plan *p, size_t i, struct lint_view *v)
{
	v->j = &p->jobs[i];
	v->og = &p->origins[i];
	v->g = engine_find(v->j->ioengine);
	/* no target and no probe: the engine behind `auto` is not known */
	if (p->targets[v->j->target].kind == TARGET_NONE && v->j->ioengine_asked &&
	    strcmp(v->j->ioengine_asked, "auto") == 0)
		v->g = NULL;
	v->checks += v->nchecks;
	v->nchecks = 0;
	while (v->checks + v->nchecks < p->checks + p->nchecks && v->checks[v->nchecks].job == i)
		v->nchecks++;
}

void plan_lint(struct plan *p, struct diags *d)
{
	struct linter l = {.p = p, .d = d};
	struct lint_view v = {.p = p, .checks = p->checks};
	uint64_t fired = 0;

	str_init(&l.text);
	str_init(&l.hint);
	for (int i = 0; i < PW_COUNT; i++)
		v.at[i] = plan_word_at((enum plan_word)i);
	for (size_t i = 0; i < p->njobs; i++) {
		view_job(p, i, &v);
		job_rules(&l, &v, &fired);
		if (i + 1 < p->njobs && p->workload[i + 1] == p->workload[i])
			continue;
		workload_end(&l, p->workload[i], fired);
		fired = 0;
	}
	for (size_t i = 0; i < p->suite->waive.n; i++)
		waiver_check(&l, &p->suite->waive.v[i], l.all_fired);
	str_release(&l.text);
	str_release(&l.hint);
}
