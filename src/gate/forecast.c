/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "gate/forecast.h"
#include "base/vec.h"
#include "gate/dist.h"
#include "gate/estimate.h"
#include "gate/forecast_play.h"
#include "gate/interleaved.h"
#include <float.h>
#include <math.h>
#include <stdlib.h>

#define REACH 32 /* times the spread or the tolerance: where the search ends */
#define HALVINGS 11

struct forecaster {
	VEC(struct played) v;
	double *normal; /* quantiles drawn once: a look-up is cheaper than a logarithm */
};

struct forecaster *forecast_open(void)
{
	struct forecaster *f = xcalloc(1, sizeof(*f));

	f->normal = xcalloc(FORECAST_NORMALS, sizeof(*f->normal));
	for (unsigned i = 0; i < FORECAST_NORMALS; i++)
		f->normal[i] = dist_normal_quantile((i + 0.5) / FORECAST_NORMALS);
	return f;
}

void forecast_close(struct forecaster *f)
{
	VEC_RELEASE(&f->v);
	free(f->normal);
	free(f);
}

static bool same(const struct played *a, const struct played *b)
{
	return a->pairs == b->pairs && a->adjusted == b->adjusted && a->sessions == b->sessions &&
	       a->blocks == b->blocks && a->max == b->max && a->looks == b->looks &&
	       a->sd == b->sd && a->within == b->within && a->prior == b->prior &&
	       a->effect == b->effect && a->q == b->q && a->one_boot == b->one_boot &&
	       a->older_sd == b->older_sd && a->older_df == b->older_df &&
	       !(a->red_total < b->red_total) && !(a->red_total > b->red_total);
}

/* Steps of a figure in units of the tolerance; rounded up, so that the forecast is not too good. */
static int steps_of(double x, double delta, double step)
{
	double n = ceil(x / delta / step - 1e-9);

	return n < 0 ? 0 : n > 100000 ? 100000 : (int)n;
}

static int steps(double x, double delta)
{
	return steps_of(x, delta, FORECAST_STEP);
}

/* PROCEDURE 7: the variance of a session value that is assumed, with what its runs bring. */
static double prior_sd(const struct forecast_gate *g)
{
	return sqrt(g->assumed_sd * g->assumed_sd +
		    median_variance(g->runs) * g->within_sd * g->within_sd);
}

static bool known(double sd)
{
	return sd >= 0 && isfinite(sd);
}

static uint32_t looks_of(const struct forecast_gate *g)
{
	return g->looks > g->max && g->looks <= 6 ? g->looks : g->max;
}

static bool ask_pairs(const struct forecast_gate *g, struct played *p)
{
	if (!interleaved_budget(g->pairs) || !known(g->within_sd))
		return false;
	p->pairs = interleaved_budget(g->pairs);
	p->within = steps(g->within_sd, g->delta);
	return true;
}

static bool ask_sessions(const struct forecast_gate *g, struct played *p)
{
	if (!g->sessions || !g->blocks || g->max < 1 || g->max > 6 || !known(g->sd))
		return false;
	p->sessions = g->sessions < FORECAST_SESSIONS_MAX ? g->sessions : FORECAST_SESSIONS_MAX;
	p->blocks = g->blocks < p->sessions ? g->blocks : p->sessions;
	p->max = g->max;
	p->looks = looks_of(g);
	p->sd = steps(g->sd, g->delta);
	if (g->older_df > 0 && !g->adjusted) {
		p->older_df = (int)fmin(g->older_df, FORECAST_SESSIONS_MAX);
		p->older_sd = steps(sqrt(g->older_ss / g->older_df), g->delta);
	}
	if (p->blocks >= FORECAST_BLOCKS) { /* the rule does not ask for them */
		p->blocks = FORECAST_BLOCKS;
		p->adjusted = g->adjusted;
		return true;
	}
	if (g->adjusted || !(g->assumed_sd >= 0 && g->within_sd >= 0))
		return false;
	p->prior = steps_of(prior_sd(g), g->delta, FORECAST_PRIOR_STEP);
	p->one_boot = g->one_boot;
	return true;
}

bool forecast_ask(struct forecaster *f, const struct forecast_gate *g, struct forecast *out)
{
	struct played p = {.red_total = g->red_total};

	*out = (struct forecast){0, 0, 1, NAN};
	if (!(g->delta > 0) || !isfinite(g->delta) || !(g->red_total > 0) || !isfinite(g->effect))
		return false;
	if (!(g->q >= 0) || !isfinite(g->q) || !(g->pairs ? ask_pairs(g, &p) : ask_sessions(g, &p)))
		return false;
	p.q = steps(g->q, g->delta);
	p.effect = (int)lround(fmin(fmax(g->effect / g->delta / FORECAST_STEP, -1e5), 1e5));
	for (size_t i = 0; i < f->v.n; i++)
		if (same(&f->v.v[i], &p)) {
			*out = f->v.v[i].out;
			return true;
		}
	forecast_play(f->normal, &p);
	*VEC_PUSH(&f->v) = p;
	*out = p.out;
	return true;
}

/* Pass grows with the tolerance and red with the effect: halve until the step is small. */
static double least(struct forecaster *f, struct forecast_gate *g, double *x, double unit,
		    double share, bool red)
{
	double low = 0, high = unit * REACH;

	for (int i = 0; i < HALVINGS; i++) {
		struct forecast out;

		*x = (low + high) / 2;
		if (!forecast_ask(f, g, &out))
			return NAN;
		if ((red ? out.red : out.pass) >= share)
			high = *x;
		else
			low = *x;
	}
	return high < unit * REACH ? high : NAN;
}

double forecast_tolerance(struct forecaster *f, struct forecast_gate g, double share)
{
	double sd = g.pairs ? g.within_sd : g.sd;

	g.effect = 0;
	if (!(sd > 0))
		return NAN;
	return least(f, &g, &g.delta, sd, share, false);
}

double forecast_finds(struct forecaster *f, struct forecast_gate g, double share)
{
	return least(f, &g, &g.effect, g.delta, share, true);
}

/* The shipped rule on sessions without any difference: its limit is the tolerance it needs. */
double forecast_least(const struct forecast_gate *g)
{
	double base[FORECAST_BLOCKS] = {0}, fresh[6] = {0}, least = INFINITY;
	const uint32_t k = looks_of(g), looks[6] = {k, k, k, k, k, k};
	struct stored_input in = {.base = base,
				  .nbase = g->blocks,
				  .fresh = fresh,
				  .max = g->max,
				  .looks = looks,
				  .delta = DBL_MIN,
				  .q = g->q,
				  .red_total = .001,
				  .provisional = true,
				  .assumed_sd = g->assumed_sd,
				  .within_sd = g->within_sd,
				  .base_blocks = g->blocks,
				  .runs = g->runs,
				  .older_ss = g->older_ss,
				  .older_df = g->older_df};

	if (g->blocks == 0 || g->blocks >= FORECAST_BLOCKS || g->max < 1 || g->max > 6)
		return NAN;
	for (in.nfresh = 1; in.nfresh <= g->max; in.nfresh++) {
		struct stored_output out;

		in.fresh_blocks = g->one_boot ? 1 : (uint32_t)in.nfresh;
		stored_judge(&in, &out);
		if (isnan(out.upper))
			return NAN;
		least = fmin(least, out.upper + g->q);
	}
	return least;
}

uint32_t forecast_passes_from(struct forecast_gate g)
{
	for (; g.blocks < FORECAST_BLOCKS; g.blocks++) {
		double least = forecast_least(&g);

		if (isnan(least) || !(g.delta > 0))
			return 0;
		if (least <= g.delta)
			break;
	}
	return g.blocks;
}

void forecast_add_shares(const struct forecast *f, size_t gates, struct str *out)
{
	str_addf(out, "pass %.1f %%, undecided %.1f %%, red ", 100 * f->pass, 100 * f->undecided);
	if (f->red > 0) /* none of n: 3 / n at 95 % */
		str_addf(out, "%.2f %%", 100 * f->red);
	else
		str_addf(out, "< %.1f %%",
			 ceil(1000 * (1 - pow(1 - 3.0 / FORECAST_TRIALS, (double)gates))) / 10);
}

struct forecast forecast_suite(const struct forecast *v, size_t n, size_t *worst)
{
	struct forecast all = {.pass = 1};
	double clean = 1;

	*worst = 0;
	for (size_t i = 0; i < n; i++) {
		all.pass *= v[i].pass;
		clean *= 1 - v[i].red;
		all.cost = fmax(all.cost, v[i].cost);
		if (v[i].undecided > v[*worst].undecided)
			*worst = i;
	}
	all.red = 1 - clean;
	all.undecided = fmax(0, 1 - all.pass - all.red);
	return all;
}
