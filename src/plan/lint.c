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
	/* of the finding */
	enum plan_word word;
	enum diag_level level;
	struct place at;
	bool told_nothing; /* that nothing is judged is told once */
};

static struct diag *finding(const struct plan *p, struct diags *d, const struct workload *w,
			    enum rule rule, enum diag_level level, const struct place *at,
			    const char *fmt, va_list ap)
{
	const struct waiver *waiver = suite_waiver(p->suite, w, rule);
	struct str text;
	struct diag *g;

	str_init(&text);
	str_vaddf(&text, fmt, ap);
	if (waiver)
		str_addf(&text, " (waived: %s)", waiver->reason);
	g = diags_add(d, waiver ? DIAG_NOTE : level, rule_table[rule].name, p->suite->file,
		      at->line, at->column, "%s", text.s);
	str_release(&text);
	return waiver ? NULL : g;
}

struct diag *plan_finding(const struct plan *p, struct diags *d, const struct workload *w,
			  enum rule rule, const struct place *at, const char *fmt, ...)
{
	struct diag *g;
	va_list ap;

	va_start(ap, fmt);
	g = finding(p, d, w, rule, rule_table[rule].level, at, fmt, ap);
	va_end(ap);
	return g;
}

struct diag *plan_check_finding(const struct plan *p, struct diags *d, const struct check *c,
				enum rule rule, const char *fmt, ...)
{
	const struct workload *w = &p->suite->workloads.v[p->workload[c->job]];
	const struct place at = {c->line, 0};
	struct diag *g;
	va_list ap;

	va_start(ap, fmt);
	g = finding(p, d, w, rule, rule_table[rule].level, &at, fmt, ap);
	va_end(ap);
	return g;
}

/* The same with a level of its own. */
__attribute__((format(printf, 7, 8))) static struct diag *
finding_at(const struct plan *p, struct diags *d, const struct workload *w, enum rule rule,
	   enum diag_level level, const struct place *at, const char *fmt, ...)
{
	struct diag *g;
	va_list ap;

	va_start(ap, fmt);
	g = finding(p, d, w, rule, level, at, fmt, ap);
	va_end(ap);
	return g;
}

static void found(struct linter *l, const struct lint_view *v, const struct lint_rule *r)
{
	const struct workload *w = &l->p->suite->workloads.v[l->p->workload[v->j - l->p->jobs]];
	const struct origin *og = l->word < PW_COUNT ? &v->og->of[v->at[l->word]] : NULL;
	struct place at = l->at.line ? l->at : (struct place){w->line, w->column};
	struct diag *g;

	if (og && og->line && !l->at.line)
		at = (struct place){og->line, og->column};
	if (og && og->param)
		str_addf(&l->text, " (%s)", og->param);
	if (r->rule == RULE_NO_CHECKS && v->nothing_judged)
		g = finding_at(l->p, l->d, w, r->rule, DIAG_WARN, &at, "%s", l->text.s);
	else
		g = finding_at(l->p, l->d, w, r->rule, l->level, &at, "workload '%s': %s",
			       v->j->name, l->text.s);
	l->told_nothing |= r->rule == RULE_NO_CHECKS && g;
	if (g && l->hint.len)
		diag_hint(g, "%s", l->hint.s);
}

static void job_rules(struct linter *l, const struct lint_view *v, uint64_t *fired)
{
	for (unsigned i = 0; i < lint_rule_count; i++) {
		const struct lint_rule *r = &lint_rules[i];

		if (*fired >> r->rule & 1)
			continue;
		str_clear(&l->text);
		str_clear(&l->hint);
		l->word = r->word;
		l->level = rule_table[r->rule].level;
		l->at = (struct place){0};
		if (!r->hits(v, &l->text, &l->hint))
			continue;
		*fired |= 1ULL << r->rule;
		found(l, v, r);
	}
}

/* w: the workload of the waivers, NULL for the suite's. Those of unused waivers are looked at last.
 */
static void waivers_check(struct linter *l, const struct workload *w, const waivers *list,
			  uint64_t *fired)
{
	static const char unused[] = "waive: rule '%s' finds nothing here";

	for (size_t i = 0; i < 2 * list->n; i++) {
		const struct waiver *v = &list->v[i % list->n];
		struct place at = {v->line, v->column};
		struct diag *g;

		if ((v->rule == RULE_UNUSED_WAIVER) != (i >= list->n))
			continue;
		if (v->used || *fired >> v->rule & 1 || rule_table[v->rule].needs_target)
			continue;
		/* the waiver of unused waivers cannot excuse itself */
		if (v->rule == RULE_UNUSED_WAIVER) {
			g = diags_add(l->d, DIAG_WARN, rule_table[v->rule].name, l->p->suite->file,
				      v->line, v->column, unused, rule_table[v->rule].name);
		} else {
			*fired |= 1ULL << RULE_UNUSED_WAIVER;
			g = plan_finding(l->p, l->d, w, RULE_UNUSED_WAIVER, &at, unused,
					 rule_table[v->rule].name);
		}
		if (g)
			diag_hint(g, "remove it: it would hide the next finding");
	}
}

static void workload_end(struct linter *l, uint32_t workload, uint64_t fired)
{
	const struct workload *w = &l->p->suite->workloads.v[workload];

	fired |= l->p->fired[workload];
	waivers_check(l, w, &w->waive, &fired);
	l->all_fired |= fired;
}

static void view_job(const struct plan *p, size_t i, struct lint_view *v)
{
	v->j = &p->jobs[i];
	v->og = &p->origins[i];
	v->w = &p->suite->workloads.v[p->workload[i]];
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
	struct lint_view v = {.p = p,
			      .checks = p->checks,
			      .nothing_judged = true,
			      .word = &l.word,
			      .level = &l.level,
			      .place = &l.at};
	uint64_t fired = 0;

	for (size_t i = 0; i < p->suite->workloads.n; i++) {
		const struct workload *w = &p->suite->workloads.v[i];

		l.all_fired |= p->fired[i];
		v.nothing_judged &= w->gate.n == 0 && w->expect.n == 0;
	}
	str_init(&l.text);
	str_init(&l.hint);
	for (int i = 0; i < PW_COUNT; i++)
		v.at[i] = plan_word_at((enum plan_word)i);
	for (size_t i = 0; i < p->njobs; i++) {
		view_job(p, i, &v);
		v.nothing_judged &= !l.told_nothing;
		job_rules(&l, &v, &fired);
		if (i + 1 < p->njobs && p->workload[i + 1] == p->workload[i])
			continue;
		workload_end(&l, p->workload[i], fired);
		fired = 0;
	}
	l.all_fired |= lint_suite(p, d);
	waivers_check(&l, NULL, &p->suite->waive, &l.all_fired);
	str_release(&l.text);
	str_release(&l.hint);
}
