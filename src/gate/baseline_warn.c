/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a change of a baseline costs and nobody would see: said when it is made. */
#include "gate/baseline_level.h"
#include "gate/judge.h"
#include <math.h>

#define NAMED 3u /* gates that a line names */

static void add_change(struct str *out, const struct check *c, const struct verdict *v)
{
	const struct metric *m = metric_find(c->metric);

	if (isnan(v->change) || !m)
		return;
	if (c->absolute) {
		str_addc(out, ' ');
		unit_format_signed(out, m->unit, v->change);
	} else {
		str_addc(out, ' ');
		units_add_signed(out, v->change * 100, 1);
		str_add(out, " %");
	}
}

/* The gates that came to that kind: "cached read.iops -91.4 %, ..."; returns how many. */
static unsigned add_gates(const struct result *r, enum verdict_kind kind, struct str *out)
{
	unsigned n = 0;

	for (size_t i = 0; i < r->verdicts.n; i++) {
		const struct verdict *v = &r->verdicts.v[i];
		const struct check *c = v->check < r->nchecks ? &r->checks[v->check] : NULL;

		if (v->kind != kind || !c || c->kind != CHECK_GATE || v->job >= r->njobs)
			continue;
		if (++n > NAMED)
			continue;
		str_add(out, n > 1 ? ", " : "");
		baseline_add_text(out, r->jobs[v->job].name, SIZE_MAX);
		str_addf(out, " %s", c->metric);
		add_change(out, c, v);
	}
	if (n > NAMED)
		str_addf(out, ", %u more", n - NAMED);
	return n;
}

void baseline_warn_level(const struct result *r, struct str *text)
{
	bool one = r->sessions.n == 1;
	struct str gates;

	str_init(&gates);
	if (add_gates(r, VERDICT_REGRESSION, &gates) > 0)
		str_addf(text,
			 "warning: %s judged a regression (%s): %s the baseline; if it is a new "
			 "level: --new-epoch --reason TEXT\n",
			 one ? "this session was" : "these sessions were", gates.s,
			 one ? "it widens" : "they widen");
	str_clear(&gates);
	if (add_gates(r, VERDICT_INCOMPARABLE, &gates) > 0)
		str_addf(text,
			 "warning: incomparable with the sessions that are stored (%s): results "
			 "like this one are not compared with those any more; if it is a new "
			 "level: --new-epoch --reason TEXT\n",
			 gates.s);
	str_release(&gates);
}

void baseline_warn_values(const struct base_session *s, struct str *text)
{
	for (size_t i = 0; i < s->jobs.n; i++) {
		const struct base_job *j = &s->jobs.v[i];

		for (size_t k = 0; k < j->gates.n; k++) {
			const struct base_value *v = judge_base_value(j, j->gates.v[k]);

			if (v && v->n == j->runs)
				continue;
			str_add(text, "warning: ");
			if (v)
				str_addf(text, "only %zu of %u runs have a", v->n, j->runs);
			else
				str_add(text, "no");
			str_add(text, " value for '");
			baseline_add_text(text, j->name, SIZE_MAX);
			str_addf(text,
				 " gate %s' in this session: nothing can be compared with it\n",
				 j->gates.v[k]);
		}
	}
}

static bool dropped(const struct base_session *s, const char *const *ids, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (str_eq(s->id, ids[i]))
			return true;
	return false;
}

/* Does a session hold the gate that stays, or that is dropped and comes after session `at`? */
static bool held_elsewhere(const struct baseline *b, size_t at, const char *const *ids, size_t n,
			   const struct base_job *j, const char *metric)
{
	for (size_t i = 0; i < b->n; i++) {
		const struct base_session *s = &b->sessions[i];

		if (i == at || s->retired_jobs || (i < at && dropped(s, ids, n)))
			continue;
		if (baseline_gated(baseline_find_job(s, j->target, j->name), metric))
			return true;
	}
	return false;
}

/* A gate of session i, which is dropped. */
static size_t forget(const struct baseline *b, size_t i, const char *const *ids, size_t n,
		     const struct base_job *j, const char *metric, struct str *text)
{
	if (held_elsewhere(b, i, ids, n, j, metric) || judge_retired(b, &b->sessions[i], j, metric))
		return 0;
	str_add(text, "warning: '");
	baseline_add_gate(text, j->target, j->name, metric);
	str_add(text, "' is in no other session: it is no longer demanded\n");
	return 1;
}

size_t baseline_drop_forgets(const struct baseline *b, const char *const *ids, size_t n,
			     struct str *text)
{
	size_t lost = 0;

	for (size_t i = 0; i < b->n; i++) {
		const struct base_session *s = &b->sessions[i];

		if (s->retired_jobs || !dropped(s, ids, n))
			continue;
		for (size_t k = 0; k < s->jobs.n; k++)
			for (size_t m = 0; m < s->jobs.v[k].gates.n; m++)
				lost += forget(b, i, ids, n, &s->jobs.v[k], s->jobs.v[k].gates.v[m],
					       text);
	}
	return lost;
}
