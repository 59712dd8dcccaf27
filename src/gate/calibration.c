/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "gate/calibration.h"
#include "gate/baseline_level.h"
#include "gate/calibration_tails.h"
#include "gate/stored.h"
#include <math.h>
#include <stdio.h>

#define MODES_LEFT 0.15 /* of the variance, after a split in two */
#define MODES_SHARE 0.2 /* of the values, in the smaller group */
#define MODES_FROM 20u  /* values */

static int ascending(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

double calibration_modes(double *v, size_t n, size_t *low)
{
	double sum = 0, sq = 0, left = 0, left_sq = 0, best = INFINITY, apart = 0, total;

	*low = 0;
	if (n < MODES_FROM)
		return 0;
	qsort(v, n, sizeof(*v), ascending);
	for (size_t i = 0; i < n; i++) {
		sum += v[i] - v[0];
		sq += (v[i] - v[0]) * (v[i] - v[0]);
	}
	total = sq - sum * sum / (double)n;
	for (size_t i = 1; i < n; i++) {
		double x = v[i - 1] - v[0], k = (double)i, m = (double)(n - i), inside;

		left += x;
		left_sq += x * x;
		inside = left_sq - left * left / k + (sq - left_sq) -
			 (sum - left) * (sum - left) / m;
		if (k < MODES_SHARE * (double)n || m < MODES_SHARE * (double)n || inside >= best)
			continue;
		best = inside;
		*low = i;
		apart = (sum - left) / m - left / k;
	}
	return total > 0 && best < MODES_LEFT * total ? apart : 0;
}

/* Runs of comparable sessions, each about the level of its session: modes of single runs, not of
 * boots. */
static void look_for_modes(const struct baseline *b, const struct level *l, const struct scale *s,
			   struct calibration *c)
{
	double *v = xcalloc(b->n * l->runs + 1, sizeof(*v));
	size_t n = 0;

	for (size_t i = 0; i < b->n; i++) {
		const struct base_job *j =
			baseline_counts(b, i)
				? baseline_find_job(&b->sessions[i], l->target, l->job)
				: NULL;
		const struct base_value *bv = judge_base_value(j, l->metric);
		double mean = 0;

		if (!bv || bv->n != l->runs || !str_eq(j->canonical, l->canonical))
			continue;
		for (size_t k = 0; k < bv->n; k++)
			mean += scale_orient(s, bv->v[k]) / (double)bv->n;
		for (size_t k = 0; k < bv->n; k++)
			v[n++] = scale_orient(s, bv->v[k]) - mean;
	}
	c->apart = calibration_modes(v, n, &c->lower_mode);
	c->upper_mode = n - c->lower_mode;
	free(v);
}

/* What is left of n session values at equal canary level; two degrees of freedom go for the line.
 */
static double left_over(const double *x, const double *canary, size_t n, double *slope)
{
	double mx = 0, mc = 0, xx = 0, xc = 0, cc = 0;

	for (size_t i = 0; i < n; i++) {
		mx += (x[i] - x[0]) / (double)n;
		mc += (canary[i] - canary[0]) / (double)n;
	}
	for (size_t i = 0; i < n; i++) { /* from the first on: equal values are equal to the bit */
		double dx = x[i] - x[0] - mx, dc = canary[i] - canary[0] - mc;

		xx += dx * dx;
		xc += dx * dc;
		cc += dc * dc;
	}
	*slope = xc / cc;
	/* a canary that stood still tells nothing of the day it moves */
	return n < 3 || !(cc > 0)
		       ? NAN
		       : calibrate_sd(sqrt(fmax(xx - *slope * xc, 0) / (double)(n - 2)), n - 1);
}

static void measure_spread(const struct level *l, const struct scale *s, struct calibration *c)
{
	const struct pool *runs = s->absolute ? &l->runs_plain : &l->runs_log;
	double *x = xcalloc(l->n + 1, sizeof(*x)), part;
	struct pool p = {0};

	for (size_t i = 0; i < l->n; i++)
		x[i] = scale_orient(s, l->x[i]);
	pool_add(&p, x, l->n);
	c->median_sd = c->raw_sd = calibrate_sd(pool_sd(&p), l->n);
	c->run_sd = pool_sd(runs);
	part = c->raw_sd * c->raw_sd - median_variance(l->runs) * c->run_sd * c->run_sd;
	c->session_sd = part > 0 ? sqrt(part) : 0;
	if (l->canary) {
		c->adjusted = true;
		c->median_sd = left_over(x, l->canary, l->n, &c->slope);
		c->slope *= s->sign;
	}
	free(x);
	c->q = s->absolute ? l->step_plain : l->step_log;
	c->least_step = scale_least(s, c->metric, c->q);
}

/* The share that each of m gates must pass with, so that all of them do in 1 - undecided. */
static double share_of(const struct calibration_ask *a)
{
	double m = a->gates > 1 ? (double)a->gates : 1;

	return fmin(fmax(pow(1 - a->undecided, 1 / m), .75), .9999);
}

/* As the rule will judge it: a canary counts when there are blocks enough. */
static struct forecast_gate played(const struct calibration_ask *a, const struct calibration *c,
				   const struct scale *s, uint32_t blocks)
{
	bool adjusted = c->adjusted && blocks >= CALIBRATION_SESSIONS;

	return (struct forecast_gate){.sessions = (uint32_t)c->sessions,
				      .blocks = blocks,
				      .max = a->max,
				      .looks = a->looks,
				      .delta = s->delta,
				      .sd = adjusted ? c->median_sd : c->raw_sd,
				      .adjusted = adjusted,
				      .within_sd = c->run_sd,
				      .runs = c->runs,
				      .one_boot = true,
				      .q = c->q,
				      .older_ss = adjusted ? 0 : c->older_ss,
				      .older_df = adjusted ? 0 : c->older_df,
				      .assumed_sd = scale_assumed_sd(s, a->assumed_sd, c->level),
				      .red_total = a->red_total};
}

/* Tolerance on the scale that the noise allows with that many sessions. The factors that are
 * tabulated hold without a canary; with one they are played. */
static double allowed(struct forecaster *f, const struct calibration_ask *a,
		      const struct calibration *c, const struct scale *s, uint32_t sessions)
{
	struct forecast_gate g = played(a, c, s, sessions);

	if (!c->adjusted)
		return calibrate_need(c->median_sd, calibrate_stored(sessions, a->max, share_of(a)),
				      c->q, c->least_step);
	g.sessions = sessions;
	g.q = 0; /* it goes on top */
	return calibrate_need(c->median_sd > 0 ? forecast_tolerance(f, g, share_of(a)) : 0, 1, c->q,
			      c->least_step);
}

static void ask_rule(struct forecaster *f, const struct calibration_ask *a, const struct scale *s,
		     struct calibration *c)
{
	double needed = allowed(f, a, c, s, (uint32_t)c->sessions);
	double pairs =
		calibrate_need(c->run_sd, calibrate_interleaved(CALIBRATION_PAIRS, share_of(a)),
			       c->q, c->least_step);
	double raw = calibrate_stored((uint32_t)c->sessions, a->max, share_of(a));
	struct forecast_gate g = played(a, c, s, c->blocks);

	c->factor = !c->adjusted ? raw : c->median_sd > 0 ? (needed - c->q) / c->median_sd : 0;
	c->needed = scale_loss(s, needed);
	c->with_more = allowed(f, a, c, s, CALIBRATION_MORE);
	c->interleaved = scale_loss(s, pairs);
	c->state = calibrate_judge(s->delta, c->median_sd, c->factor, c->q, c->least_step);
	if (isfinite(a->tolerance)) {
		c->forecast_known = forecast_ask(f, &g, &c->forecast);
		c->finds = scale_loss(s, forecast_finds(f, g, CALIBRATION_FOUND));
	}
	if (!c->adjusted)
		return;
	c->needed_raw = scale_loss(s, calibrate_need(c->raw_sd, raw, c->q, c->least_step));
	g.adjusted = false;
	g.sd = c->raw_sd;
	forecast_ask(f, &g, &c->raw);
}

/* The first day: what the rule assumes may be more than the tolerance bears. */
static void ask_provisional(const struct calibration_ask *a, const struct level *l,
			    const struct baseline *b, const struct scale *s, struct calibration *c)
{
	bool provisional = c->blocks < CALIBRATION_SESSIONS;
	struct pool older = {0};
	struct forecast_gate g;

	level_older(l, b, s, provisional, &older);
	c->older_ss = older.ss;
	c->older_df = older.df;
	g = played(a, c, s, c->blocks);
	if (!provisional || !isfinite(a->tolerance))
		return;
	c->least = scale_loss(s, forecast_least(&g));
	c->passes_from = forecast_passes_from(g);
}

void calibration_beside(struct calibration_ask *a, const struct job *jobs, size_t njobs,
			const struct job *job)
{
	const struct metric *m = metric_find(a->metric);

	a->canary = a->canary_metric = NULL;
	for (size_t i = 0; job->adjust_by && m && i < njobs; i++)
		if (jobs[i].target == job->target && str_eq(jobs[i].name, job->adjust_by)) {
			a->canary = jobs[i].name;
			a->canary_metric = adjust_metric(m, &jobs[i])->name;
		}
}

static void nothing_known(const struct calibration_ask *a, const struct metric *m,
			  struct calibration *c)
{
	*c = (struct calibration){.metric = m, .absolute = a->absolute, .tolerance = a->tolerance};
	c->needed = c->factor = c->finds = c->interleaved = c->delta = NAN;
	c->needed_raw = c->with_more = c->least = NAN;
}

static void calibrate_level(struct forecaster *f, const struct baseline *b,
			    const struct calibration_ask *a, const struct level *l,
			    const struct scale *s, struct calibration *c)
{
	c->delta = s->delta;
	c->sessions = l->n;
	c->left_out = l->left_out;
	c->expired = l->expired;
	c->blocks = level_blocks(l);
	c->runs = l->runs;
	c->level = level_median(l);
	if (l->n == 0)
		return;
	measure_spread(l, s, c);
	if (l->metric)
		look_for_modes(b, l, s, c);
	ask_provisional(a, l, b, s, c);
	c->known = c->sessions >= CALIBRATION_SESSIONS && isfinite(c->median_sd);
	if (c->known)
		ask_rule(f, a, s, c);
}

/* How much of its tolerance the noise needs. */
static double strain(const struct calibration *c)
{
	return c->known ? calibrate_need(c->median_sd, c->factor, c->q, c->least_step) / c->delta
			: INFINITY;
}

/* All figures must pass, and any makes the gate red: the worst one is told, the forecast is that of
 * all, each at its part of the red level. */
static void calibrate_parts(struct forecaster *f, const struct baseline *b,
			    const struct calibration_ask *ask, const struct tail_parts *p,
			    struct calibration *c)
{
	const struct metric *m = c->metric;
	struct forecast all[TAIL_PARTS], raw[TAIL_PARTS];
	uint32_t passes_from = 0;
	bool known = true;
	size_t worst;

	for (size_t i = 0; i < p->n; i++) {
		const struct tail_part *part = &p->v[i];
		struct calibration_ask a = *ask;
		struct calibration one;

		a.red_total /= (double)p->n;
		a.tolerance = part->tolerance;
		a.absolute = part->absolute;
		nothing_known(&a, m, &one);
		calibrate_level(f, b, &a, &part->level, &part->scale, &one);
		if (part->share)
			one.interleaved = INFINITY;
		snprintf(one.judged, sizeof(one.judged), "%s", part->name);
		all[i] = one.forecast;
		raw[i] = one.raw;
		known &= one.forecast_known;
		passes_from = one.passes_from > passes_from ? one.passes_from : passes_from;
		if (i == 0 || strain(&one) > strain(c))
			*c = one;
	}
	c->passes_from = passes_from;
	c->forecast_known = known;
	c->forecast = forecast_suite(all, p->n, &worst);
	c->raw = forecast_suite(raw, p->n, &worst);
}

bool calibrate_gate(struct forecaster *f, const struct baseline *b, const struct calibration_ask *a,
		    struct calibration *c)
{
	const struct metric *m = metric_find(a->metric);
	bool set = isfinite(a->tolerance);
	struct tail_parts parts;
	struct arena arena;
	struct level l;
	struct scale s;

	nothing_known(a, m, c);
	if (!m || !scale_make(m, set ? a->tolerance : .05, a->absolute, &s))
		return false;
	arena_init(&arena);
	level_open_beside(&l, b, a->target, a->job, a->metric, a->canary, a->canary_metric);
	if (!calibration_tails(b, a, m, &l, &arena, &parts)) {
		calibrate_level(f, b, a, &l, &s, c);
	} else if (parts.n) {
		calibrate_parts(f, b, a, &parts, c);
		calibration_tails_release(&parts);
	} else {
		c->sessions = l.n;
		c->blocks = level_blocks(&l);
		c->unjudged = parts.why;
	}
	level_close(&l);
	arena_release(&arena);
	return c->sessions > 0;
}
