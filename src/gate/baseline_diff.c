/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a result differs in from its baseline, for people. */
#include "gate/baseline_level.h"
#include "gate/comparable.h"
#include "gate/judge.h"
#include <math.h>

static double median_now(const struct result *r, uint32_t job, const struct metric *m)
{
	double *v = xcalloc(r->runs.n + 1, sizeof(*v)), median;
	size_t n = 0;

	for (size_t i = 0; i < r->runs.n; i++) {
		struct value val;

		if (r->runs.v[i].job != job)
			continue;
		metric_value(m, &r->jobs[job], &r->runs.v[i].out, &val);
		if (val.state == VALUE_OK)
			v[n++] = val.v;
	}
	median = estimate_median(v, n);
	free(v);
	return median;
}

static void diff_gate(const struct baseline *b, const struct result *r, const struct check *c,
		      const char *role, struct str *out)
{
	const struct job *j = &r->jobs[c->job];
	const struct metric *m = metric_find(c->metric);
	double then, now;
	struct level l;

	str_add(out, "  ");
	baseline_add_gate(out, role, j->name, c->metric);
	str_add(out, ": ");
	if (!m) {
		str_add(out, "unknown metric\n");
		return;
	}
	level_open(&l, b, r, role, j->name, c->metric);
	then = level_median(&l);
	now = median_now(r, c->job, m);
	unit_format(out, m->unit, then);
	str_add(out, " -> ");
	unit_format(out, m->unit, now);
	if (then > 0 && isfinite(now)) {
		str_add(out, " (");
		units_add_signed(out, (now / then - 1) * 100, 1);
		str_add(out, " %)");
	}
	if (l.canonical) {
		struct str text, diff;

		str_init(&text);
		str_init(&diff);
		job_canonical(j, &text);
		job_canonical_diff(l.canonical, text.s, &diff);
		if (diff.len > 0) {
			str_add(out, "; incomparable: ");
			baseline_add_text(out, diff.s, diff.len);
		}
		str_release(&diff);
		str_release(&text);
	}
	str_addc(out, '\n');
	level_close(&l);
}

static void add_facts(struct str *out, const char *role, const char *what, const char *facts)
{
	str_add(out, "  ");
	baseline_add_text(out, role, SIZE_MAX);
	str_add(out, what);
	baseline_add_text(out, facts, SIZE_MAX);
	str_addc(out, '\n');
}

/* Facts of each target against the newest other session of the current epoch that holds it. */
static void diff_facts(const struct baseline *b, const struct result *r, const struct target *t,
		       struct str *out)
{
	for (size_t i = b->n; i-- > 0;) {
		bool other = baseline_current(b, i) && !judge_own_session(r, b->sessions[i].id);

		for (size_t k = 0; other && k < b->sessions[i].jobs.n; k++) {
			struct fact_side then = {b->sessions[i].jobs.v[k].facts,
						 &b->sessions[i].host};
			struct fact_side now = {&t->facts, &r->host};
			struct str s;

			if (!str_eq(b->sessions[i].jobs.v[k].target, t->role))
				continue;
			str_init(&s);
			if (comparable_differences(&r->compare, then, now, &s) > 0)
				add_facts(out, t->role, " must match: ", s.s);
			str_clear(&s);
			comparable_changes(&r->compare, then, now, &s);
			add_facts(out, t->role, ": ", s.s);
			str_release(&s);
			return;
		}
	}
}

void baseline_diff(const struct baseline *b, const struct result *r, struct str *out)
{
	str_addf(out, "baseline %s, profile %s, epoch %u, against this result\n", b->suite,
		 b->profile, b->epoch);
	for (size_t i = 0; i < b->n; i++)
		if (baseline_current(b, i) && judge_own_session(r, b->sessions[i].id)) {
			str_add(out, "  without session ");
			baseline_add_text(out, b->sessions[i].id, SIZE_MAX);
			str_add(out, ", which is of this result\n");
		}
	for (size_t i = 0; i < r->nchecks; i++) {
		const struct check *c = &r->checks[i];

		if (c->kind != CHECK_GATE || c->job >= r->njobs)
			continue;
		diff_gate(b, r, c,
			  r->jobs[c->job].target < r->ntargets
				  ? r->targets[r->jobs[c->job].target].role
				  : "",
			  out);
	}
	for (size_t i = 0; i < r->ntargets; i++)
		if (!target_is_total(&r->targets[i])) /* has the facts of the others */
			diff_facts(b, r, &r->targets[i], out);
}
