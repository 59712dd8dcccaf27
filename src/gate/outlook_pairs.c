/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The forecast of two arms that take turns. Sessions do not enter: what counts is the spread of the
 * runs inside one, which accepted sessions of either arm tell. Without them there is no forecast,
 * but what run sd the tolerance can bear is known.
 */
#include "gate/baseline_level.h"
#include "gate/calibration_tails.h"
#include "gate/interleaved.h"
#include "gate/outlook_gates.h"
#include <math.h>
#include <stdio.h>

#define RUN_DF 8.0 /* two sessions of five runs: fewer tell no spread */

/* step gets the largest one of these and of before. */
static double run_sd_of(const struct baseline *b, const char *role, const struct job *j,
			const char *metric, const struct scale *s, double *step)
{
	const struct pool *p;
	struct level l;
	double sd = NAN;

	level_open(&l, b, NULL, role, j->name, metric);
	p = s->absolute ? &l.runs_plain : &l.runs_log;
	if (p->df >= RUN_DF)
		sd = calibrate_sd(pool_sd(p), (size_t)p->df + 1);
	*step = fmax(*step, s->absolute ? l.step_plain : l.step_log);
	level_close(&l);
	return sd;
}

/* Of the arm with the noisier runs, as far as they are known; NAN = of neither. */
static double run_sd(const struct outlook_ask *a, const struct baseline *b, const struct job *j,
		     const char *metric, const struct scale *s, double *step)
{
	const char *role = j->target < a->ntargets ? a->targets[j->target].role : "";
	double sd = run_sd_of(b, role, j, metric, s, step);

	if (a->interleave->kind == INTERLEAVE_VERSUS)
		sd = fmax(sd, run_sd_of(b, a->interleave->name[ARM_REFERENCE], j, metric, s, step));
	return sd;
}

/* Between two arms nothing is judged on a cliff, and no tail (gate_cliff_between). */
static bool on_cliff(const struct baseline *b, const char *role, const struct job *j,
		     const struct check *c, const struct metric *m)
{
	const struct calibration_ask ask = {.target = role,
					    .job = j->name,
					    .metric = c->metric,
					    .tolerance = c->tolerance,
					    .absolute = c->absolute};
	struct tail_parts parts = {0};
	struct arena a;
	struct level l;
	bool cliff;

	if (m->stat != STAT_PERCENTILE)
		return m->stat == STAT_TAIL;
	arena_init(&a);
	level_open(&l, b, NULL, role, j->name, c->metric);
	cliff = calibration_tails(b, &ask, m, &l, &a, &parts);
	calibration_tails_release(&parts);
	level_close(&l);
	arena_release(&a);
	return cliff;
}

static void note_cliff(struct outlook *out, const char *role, const struct job *j,
		       const struct check *c)
{
	struct str name;

	if (out->unjudged++)
		return;
	str_init(&name);
	baseline_add_gate(&name, role, j->name, c->metric);
	snprintf(
		out->undecidable, sizeof(out->undecidable),
		"%s will be undecided: it is a tail, or lies on a cliff between two modes, and the "
		"share of slow I/Os is judged against a stored baseline only",
		name.s);
	str_release(&name);
}

static void name_arms(const struct outlook_ask *a, const struct job *j, struct outlook *out)
{
	const char *role = j->target < a->ntargets ? a->targets[j->target].role : "";

	if (*out->arms)
		return;
	if (a->interleave->kind == INTERLEAVE_VERSUS)
		snprintf(out->arms, sizeof(out->arms), "'%.40s' or '%.40s'",
			 a->interleave->name[ARM_REFERENCE], role);
	else
		snprintf(out->arms, sizeof(out->arms), "'%.40s'", role);
}

static void note_bear(struct outlook *out, const struct check *c, const struct metric *m,
		      const struct scale *s)
{
	const struct outlook_bear bear = {s->delta, c->tolerance, c->absolute, m->unit};

	for (size_t i = 0; i < out->nbears; i++)
		if (!(out->bears[i].delta < bear.delta) && !(out->bears[i].delta > bear.delta) &&
		    out->bears[i].absolute == bear.absolute && out->bears[i].unit == bear.unit)
			return;
	if (out->nbears < OUTLOOK_BEARS)
		out->bears[out->nbears++] = bear;
}

/* More pairs where they would do: they cost time alone. Else what the noise allows. */
static void add_cure(struct forecaster *f, struct forecast_gate g, size_t gates,
		     const struct check *c, const struct metric *m, const struct scale *s,
		     struct str *out)
{
	static const uint32_t budgets[] = {15, 20, 28};
	double share = outlook_share(gates), tolerance;
	uint32_t now = g.pairs;
	struct forecast with;

	for (size_t i = 0; i < sizeof(budgets) / sizeof(budgets[0]); i++) {
		g.pairs = budgets[i];
		if (budgets[i] <= now || !forecast_ask(f, &g, &with) || with.pass < share)
			continue;
		str_addf(out, "cure: --pairs %u", budgets[i]);
		return;
	}
	tolerance = scale_loss(s, calibrate_need(g.within_sd, calibrate_interleaved(now, share),
						 g.q, scale_least(s, m, g.q)));
	str_add(out, "cure: a tolerance of ");
	unit_format(out, c->absolute ? m->unit : UNIT_RATIO, tolerance);
	str_add(out,
		!c->absolute && calibration_gates_nothing(tolerance, m)
			? " would be needed and gate nothing: a longer runtime or ramp_time, or "
			  "role: watch"
			: ", a longer runtime or ramp_time, or role: watch");
}

static bool one_gate(const struct outlook_ask *a, const struct baseline *b, struct forecaster *f,
		     const struct check *c, double red_total, struct outlook *out,
		     struct forecast *to)
{
	const struct metric *m = metric_find(c->metric);
	const struct job *j = &a->jobs[c->job];
	struct forecast_gate g = {.pairs = a->interleave->pairs, .red_total = red_total};
	struct scale s;

	if (!m || !scale_make(m, c->tolerance, c->absolute, &s))
		return false;
	g.delta = s.delta;
	g.within_sd = run_sd(a, b, j, c->metric, &s, &g.q);
	name_arms(a, j, out);
	if (on_cliff(b, j->target < a->ntargets ? a->targets[j->target].role : "", j, c, m) ||
	    (a->interleave->kind == INTERLEAVE_VERSUS &&
	     on_cliff(b, a->interleave->name[ARM_REFERENCE], j, c, m))) {
		note_cliff(out, j->target < a->ntargets ? a->targets[j->target].role : "", j, c);
		return false;
	}
	if (!forecast_ask(f, &g, to)) {
		note_bear(out, c, m, &s);
		return false;
	}
	if (outlook_is_worst(out, to)) {
		const char *role = j->target < a->ntargets ? a->targets[j->target].role : "";
		struct str cure;

		str_init(&cure);
		add_cure(f, g, out->gates, c, m, &s, &cure);
		outlook_note_worst(out, to, role, j->name, c->metric, cure.s);
		str_release(&cure);
	}
	return true;
}

void outlook_pairs(const struct outlook_ask *a, const struct baseline *b,
		   const struct outlook_gates *v, struct forecaster *f, struct outlook *out)
{
	out->pairs = interleaved_budget(a->interleave->pairs);
	for (size_t i = 0; i < v->n; i++)
		out->played += one_gate(a, b, f, &a->checks[v->check[i]], v->red_total, out,
					&v->forecast[out->played]);
}

static void add_bear(struct str *out, const struct outlook_bear *b, uint32_t pairs, double share)
{
	unit_format(out, b->absolute ? b->unit : UNIT_RATIO,
		    b->delta / calibrate_interleaved(pairs, share));
}

static void add_bears(struct str *out, const struct outlook_bear *b, uint32_t planned)
{
	static const uint32_t budgets[] = {20, 15, 10};

	str_add(out, "  a tolerance of ");
	unit_format(out, b->absolute ? b->unit : UNIT_RATIO, b->tolerance);
	str_add(out, " bears a run sd of ");
	for (size_t i = 0; i < sizeof(budgets) / sizeof(budgets[0]); i++) {
		str_add(out, i ? ", " : "");
		add_bear(out, b, budgets[i], .95);
		str_add(out, " (");
		add_bear(out, b, budgets[i], .99);
		str_addf(out, ") with %u%s", budgets[i], i ? "" : " pairs");
	}
	if (planned > budgets[0])
		str_addf(out, ", and more with the %u planned", planned);
	str_add(out, ": 95 (99) of 100 pass unchanged code\n");
}

void outlook_pairs_text(const struct outlook *o, struct str *out)
{
	size_t unknown = o->gates - o->played;

	if (o->nbears == 0)
		return;
	if (o->played == 0)
		str_add(out, "forecast: not known: ");
	else
		str_addf(out, "  not known of %zu gate%s: ", unknown, unknown == 1 ? "" : "s");
	str_addf(out, "no two accepted sessions of %s tell the run sd\n", o->arms);
	for (size_t i = 0; i < o->nbears; i++)
		add_bears(out, &o->bears[i], o->pairs);
}
