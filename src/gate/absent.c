/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A gate with nothing to compare with: where it was looked for, and what gives it a baseline. */
#include "base/clock.h"
#include "gate/baseline_file.h"
#include "gate/expiry.h"
#include "gate/stored.h"
#include <inttypes.h>

bool judge_may_accept(const struct judge *g)
{
	if (g->own || (g->b && g->b->n > 0 && !g->b->dir))
		return false;
	return baseline_source_check(g->r, &(struct err){0}) == 0;
}

void judge_add_accept(const struct judge *g, const char *options, struct str *out)
{
	str_add(out, "`blkgate baseline accept RESULT");
	if (g->b && g->b->dir && !str_eq(g->b->dir, "baselines")) {
		str_add(out, " --baselines ");
		str_add_shell(out, g->b->dir);
	}
	str_add(out, options);
	str_addc(out, '`');
}

/* The newest other epoch that demands the gate; 0 = none. */
static uint32_t demanded_by(const struct judge *g, const struct check *c)
{
	for (size_t i = g->older.n; i-- > 0;) {
		const struct base_job *j = g->older.job[i * g->r->njobs + c->job];

		if (baseline_gated(j, c->metric) &&
		    !judge_retired(g->b, g->older.session[i], j, c->metric))
			return g->older.session[i]->epoch;
	}
	return 0;
}

static void add_place(const struct judge *g, uint32_t demanded, struct str *s)
{
	const struct baseline *b = g->b;

	if (!b || (!b->dir && b->n == 0)) {
		str_addf(s, " (suite %s, profile %s)", g->r->suite, g->r->profile);
		return;
	}
	if (!b->dir) {
		str_add(s, " in the results to compare with");
		return;
	}
	str_addf(s, ": folder '%s/%s/%s' ", b->dir, b->suite, b->profile);
	if (!b->found)
		str_add(s, "does not exist");
	else if (demanded)
		str_addf(s, "holds it in epoch %u only, which demands it until it is retired",
			 demanded);
	else if (g->base.n == 0)
		str_add(s, "holds no session");
	else
		str_addf(s, "holds %zu session%s without it", g->base.n, g->base.n == 1 ? "" : "s");
}

/* The newest session that holds the gate and is too old. */
static void add_expired(const struct judge *g, const struct check *c, struct str *s)
{
	for (size_t i = g->base.n; i-- > 0;) {
		const struct base_session *b = g->base.session[i];
		const struct base_job *j = g->base.job[i * g->r->njobs + c->job];
		struct str day;

		if (!judge_base_value(j, c->metric) && !baseline_gated(j, c->metric))
			continue;
		str_init(&day);
		clock_format_utc(&day, b->started);
		str_addf(s, " (expired: last measured %.10s, %" PRId64 " days ago, max_age ", day.s,
			 expiry_days(g->expiry.at - b->started));
		expiry_add_age(s, g->expiry.max_age);
		str_addc(s, ')');
		str_release(&day);
		return;
	}
}

static void add_remedy(const struct judge *g, struct str *s)
{
	struct err e = ERR_INIT;

	if (judge_may_accept(g)) {
		str_add(s, "; keep this measurement with ");
		judge_add_accept(g, "", s);
	} else if (baseline_source_check(g->r, &e)) {
		str_addf(s, "; this measurement cannot become one: %s", e.text);
	}
}

void verdict_no_baseline(struct judge *g, const struct evidence *e, struct verdict *v)
{
	const struct check *c = e->check;
	uint32_t demanded = demanded_by(g, c);
	struct str s;

	str_init(&s);
	str_addf(&s, "no baseline for %s", c->metric);
	v->expired = e->expired > 0;
	if (v->expired)
		add_expired(g, c, &s);
	else if (g->own)
		str_addf(&s, " but this measurement itself (session %s, suite %s, profile %s)",
			 g->own, g->r->suite, g->r->profile);
	else
		add_place(g, demanded, &s);
	if (e->short_runs > 0) { /* accepting it would give the gate no value */
		str_add(&s, "; ");
		judge_samples(g, c->job, e->metric, &s);
	} else if (g->own) {
		str_add(&s, ": measure again to compare with it");
	} else {
		add_remedy(g, &s);
	}
	verdict_say(g->r, v, VERDICT_NO_BASELINE, demanded ? VERDICT_TYPE_DEMANDED : NULL, "%s",
		    s.s);
	str_release(&s);
}

static uint32_t young_blocks(const struct judge *g)
{
	const struct base_session **v = xcalloc(g->base.n + 1, sizeof(*v));
	uint32_t blocks;
	size_t n = 0;

	for (size_t i = 0; i < g->base.n; i++)
		if (!judge_expired(g, g->base.session[i]))
			v[n++] = g->base.session[i];
	blocks = baseline_blocks(v, n);
	free(v);
	return blocks;
}

void verdict_incomparable(struct judge *g, const char *session, const char *why, bool no_values,
			  struct verdict *v)
{
	struct str s;

	str_init(&s);
	str_addf(&s, "incomparable with baseline session %s: %s", session, why);
	if (g->own) {
		str_addf(&s,
			 "; this measurement itself is stored (session %s): measure again to "
			 "compare with it",
			 g->own);
	} else if (!judge_may_accept(g)) {
		str_add(&s, no_values ? "" : "; undo the change");
	} else if (no_values) {
		bool defended = young_blocks(g) >= BASELINE_BLOCKS;

		str_add(&s, "; a session that has them comes with ");
		judge_add_accept(g, defended ? " --new-epoch --reason WHY" : "", &s);
	} else {
		str_add(&s, "; undo the change, or accept this as a new level: ");
		judge_add_accept(g, " --new-epoch --reason WHY", &s);
	}
	verdict_say(g->r, v, VERDICT_INCOMPARABLE, NULL, "%s", s.s);
	str_release(&s);
}
