/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "gate/calibration.h"
#include "gate/baseline_level.h"
#include "gate/judge.h"
#include <math.h>

#define MEDIAN_OF_FIVE 0.287 /* variance of the median of five standard normal values */
#define PAIRS 20u
#define FOUND 0.95
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
			baseline_current(b, i)
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

static void measure_spread(const struct level *l, const struct scale *s, struct calibration *c)
{
	const struct pool *runs = s->absolute ? &l->runs_plain : &l->runs_log;
	double *x = xcalloc(l->n + 1, sizeof(*x)), part;
	struct pool p = {0};

	for (size_t i = 0; i < l->n; i++)
		x[i] = scale_orient(s, l->x[i]);
	pool_add(&p, x, l->n);
	c->median_sd = calibrate_sd(pool_sd(&p), l->n);
	c->run_sd = pool_sd(runs);
	part = c->median_sd * c->median_sd - MEDIAN_OF_FIVE * c->run_sd * c->run_sd;
	c->session_sd = part > 0 ? sqrt(part) : 0;
	free(x);
}

/* The share that each of m gates must pass with, so that all of them do in 1 - undecided. */
static double share_of(const struct calibration_ask *a)
{
	double m = a->gates > 1 ? (double)a->gates : 1;

	return fmin(fmax(pow(1 - a->undecided, 1 / m), .75), .9999);
}

static struct forecast_gate played(const struct calibration_ask *a, const struct calibration *c,
				   const struct scale *s)
{
	return (struct forecast_gate){
		.sessions = (uint32_t)c->sessions,
		.blocks = c->blocks,
		.max = a->max,
		.delta = s->delta,
		.sd = c->median_sd,
		.within_sd = c->run_sd,
		.assumed_sd = a->absolute ? fmax(a->assumed_sd * fabs(c->level), s->delta / 10)
					  : a->assumed_sd,
		.red_total = a->red_total};
}

bool calibrate_gate(struct forecaster *f, const struct baseline *b, const struct calibration_ask *a,
		    struct calibration *c)
{
	bool set = isfinite(a->tolerance);
	struct level l;
	struct scale s;

	*c = (struct calibration){.metric = metric_find(a->metric), .absolute = a->absolute};
	c->needed = c->factor = c->finds = c->interleaved = c->delta = NAN;
	if (!c->metric || !scale_make(c->metric, set ? a->tolerance : .05, a->absolute, &s))
		return false;
	c->delta = s.delta;
	level_open(&l, b, NULL, a->target, a->job, a->metric);
	c->sessions = l.n;
	c->left_out = l.left_out;
	c->blocks = level_blocks(&l);
	c->runs = l.runs;
	c->level = level_median(&l);
	if (l.n > 0) {
		measure_spread(&l, &s, c);
		look_for_modes(b, &l, &s, c);
	}
	level_close(&l);
	if (c->sessions == 0)
		return false;
	c->known = c->sessions >= CALIBRATION_SESSIONS && isfinite(c->median_sd);
	if (c->known) {
		struct forecast_gate g = played(a, c, &s);

		c->factor = calibrate_stored((uint32_t)c->sessions, a->max, share_of(a));
		c->needed = scale_loss(&s, c->factor * c->median_sd);
		c->interleaved =
			scale_loss(&s, calibrate_interleaved(PAIRS, share_of(a)) * c->run_sd);
		c->state = calibrate_judge(s.delta, c->median_sd, c->factor);
		if (set) {
			c->forecast_known = forecast_ask(f, &g, &c->forecast);
			c->finds = scale_loss(&s, forecast_finds(f, g, FOUND));
		}
	}
	return true;
}

static void add_amount(const struct calibration *c, double x, struct str *out)
{
	if (!isfinite(x))
		str_add(out, "unknown");
	else if (c->absolute)
		unit_format(out, c->metric->unit, x);
	else
		str_addf(out, "%.2g %%", x * 100);
}

void calibration_cure(const struct calibration_ask *a, const struct calibration *c, struct str *out)
{
	double more = calibrate_stored(20, a->max, share_of(a)) * c->median_sd;

	if (c->blocks < CALIBRATION_SESSIONS)
		str_addf(out, "cure: accept sessions of other boots or days (%u of %u)", c->blocks,
			 CALIBRATION_SESSIONS);
	else if (c->sessions < 20 && more <= c->delta)
		str_addf(out, "cure: accept sessions until there are 20 (now %zu)", c->sessions);
	else if (c->interleaved <= a->tolerance)
		str_add(out, "cure: interleave: --versus ROLE, or --ab SETTING=A,B");
	else {
		str_add(out, "cure: a tolerance of ");
		add_amount(c, c->needed, out);
		str_add(out, ", a longer runtime or ramp_time, or role: watch");
	}
}

static void add_verdict(const struct calibration_ask *a, const struct calibration *c,
			struct str *out)
{
	str_add(out, "  tolerance ");
	add_amount(c, a->tolerance, out);
	str_add(out, c->state == GATEABLE         ? ": holds"
		     : c->state == GATEABLE_NOISY ? ": too tight for this noise"
						  : ": ungateable");
	if (c->blocks < CALIBRATION_SESSIONS)
		str_addf(out, " (from 5 boots or days on); now, provisional (%u of 5)", c->blocks);
	if (c->forecast_known)
		str_addf(out, "%s unchanged code passes in %.1f %%, undecided %.1f %%, red %.2f %%",
			 c->blocks < CALIBRATION_SESSIONS ? "," : ";", 100 * c->forecast.pass,
			 100 * c->forecast.undecided, 100 * c->forecast.red);
	str_add(out, "; finds a loss of ");
	add_amount(c, c->finds, out);
	str_addc(out, '\n');
	if (c->state != GATEABLE) {
		str_add(out, "  ");
		calibration_cure(a, c, out);
		str_addc(out, '\n');
	}
}

void calibration_text(const struct calibration_ask *a, const struct calibration *c, struct str *out)
{
	baseline_add_gate(out, a->target, a->job, a->metric);
	str_addf(out, ": %zu session%s, %u block%s, run sd ", c->sessions,
		 c->sessions == 1 ? "" : "s", c->blocks, c->blocks == 1 ? "" : "s");
	add_amount(c, c->run_sd, out);
	if (!c->known) {
		str_addf(out,
			 "\n  %u sessions are needed to know the spread between sessions, "
			 "better 10\n",
			 CALIBRATION_SESSIONS);
		return;
	}
	str_add(out, ", session sd ");
	add_amount(c, c->session_sd, out);
	str_add(out, ", of a session median ");
	add_amount(c, c->median_sd, out);
	str_addc(out, '\n');
	if (c->blocks < CALIBRATION_SESSIONS)
		str_addf(out,
			 "  the sessions come from %u boot%s or day%s: what differs between boots "
			 "is "
			 "not in them\n",
			 c->blocks, c->blocks == 1 ? "" : "s", c->blocks == 1 ? "" : "s");
	if (c->apart > 0) {
		str_addf(out, "  two modes: %zu and %zu runs, ", c->lower_mode, c->upper_mode);
		add_amount(c, c->apart, out);
		str_add(out, " apart\n");
	}
	str_add(out, "  this noise allows a tolerance of ");
	add_amount(c, c->needed, out);
	str_addf(out, " (%.2f x the sd); interleaved, 20 pairs: ", c->factor);
	add_amount(c, c->interleaved, out);
	str_addc(out, '\n');
	if (isfinite(a->tolerance))
		add_verdict(a, c, out);
}
