/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "gate/forecast.h"
#include "base/rng.h"
#include "base/vec.h"
#include "gate/dist.h"
#include "gate/sequence.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define TRIALS 2000u
#define SESSIONS_MAX 30u /* more change nothing that can be seen */
#define PROVISIONAL_BELOW 5u
/* Spreads are played in steps of this share of the tolerance, so that gates share what was played.
 */
#define STEP 0.02
#define REACH 32 /* times the spread or the tolerance: where the search ends */
#define HALVINGS 11

/* Everything in units of the tolerance. */
struct played {
	uint32_t sessions, blocks, max;
	int sd, within, assumed, effect; /* steps */
	double red_total;
	struct forecast out;
};

struct forecaster {
	VEC(struct played) v;
	double *normal; /* quantiles drawn once: a look-up is cheaper than a logarithm */
};

#define NORMALS 4096u

struct forecaster *forecast_open(void)
{
	struct forecaster *f = xcalloc(1, sizeof(*f));

	f->normal = xcalloc(NORMALS, sizeof(*f->normal));
	for (unsigned i = 0; i < NORMALS; i++)
		f->normal[i] = dist_normal_quantile((i + 0.5) / NORMALS);
	return f;
}

void forecast_close(struct forecaster *f)
{
	VEC_RELEASE(&f->v);
	free(f->normal);
	free(f);
}

static double draw(const struct forecaster *f, struct rng *r)
{
	return f->normal[rng_next(r) & (NORMALS - 1)];
}

static void play(const struct forecaster *f, struct played *p)
{
	double base[SESSIONS_MAX], fresh[6], sd = p->sd * STEP, effect = p->effect * STEP;
	struct stored_input in = {.base = base,
				  .nbase = p->sessions,
				  .fresh = fresh,
				  .max = p->max,
				  .delta = 1,
				  .red_total = p->red_total,
				  .provisional = p->blocks < PROVISIONAL_BELOW,
				  .assumed_sd = p->assumed * STEP,
				  .within_sd = p->within * STEP,
				  .base_blocks = p->blocks,
				  .fresh_blocks = p->max};
	unsigned pass = 0, red = 0, cost = 0;
	struct rng r;

	rng_seed(&r, 0x5eed);
	for (unsigned t = 0; t < TRIALS; t++) {
		struct stored_output out = {.state = SEQUENCE_CONTINUE};

		for (uint32_t i = 0; i < p->sessions; i++)
			base[i] = sd * draw(f, &r);
		for (in.nfresh = 0; out.state == SEQUENCE_CONTINUE;) {
			fresh[in.nfresh++] = effect + sd * draw(f, &r);
			in.fresh_blocks = (uint32_t)in.nfresh;
			stored_judge(&in, &out);
		}
		cost += (unsigned)in.nfresh;
		pass += out.state == SEQUENCE_PASS || out.state == SEQUENCE_IMPROVEMENT;
		red += out.state == SEQUENCE_REGRESSION;
	}
	p->out = (struct forecast){.pass = (double)pass / TRIALS,
				   .red = (double)red / TRIALS,
				   .undecided = (double)(TRIALS - pass - red) / TRIALS,
				   .sessions = (double)cost / TRIALS};
}

static bool same(const struct played *a, const struct played *b)
{
	return a->sessions == b->sessions && a->blocks == b->blocks && a->max == b->max &&
	       a->sd == b->sd && a->within == b->within && a->assumed == b->assumed &&
	       a->effect == b->effect && !(a->red_total < b->red_total) &&
	       !(a->red_total > b->red_total);
}

/* Steps of a figure in units of the tolerance; rounded up, so that the forecast is not too good. */
static int steps(double x, double delta)
{
	double n = ceil(x / delta / STEP - 1e-9);

	return n < 0 ? 0 : n > 100000 ? 100000 : (int)n;
}

bool forecast_ask(struct forecaster *f, const struct forecast_gate *g, struct forecast *out)
{
	struct played p = {.sessions = g->sessions < SESSIONS_MAX ? g->sessions : SESSIONS_MAX,
			   .blocks = g->blocks < SESSIONS_MAX ? g->blocks : SESSIONS_MAX,
			   .max = g->max,
			   .red_total = g->red_total};

	*out = (struct forecast){0, 0, 1, NAN};
	if (!g->sessions || !g->blocks || g->max < 1 || g->max > 6 || !(g->delta > 0) ||
	    !isfinite(g->delta) || !(g->sd >= 0) || !isfinite(g->sd) || !(g->red_total > 0) ||
	    !isfinite(g->effect))
		return false;
	p.sd = steps(g->sd, g->delta);
	p.effect = (int)lround(fmin(fmax(g->effect / g->delta / STEP, -1e5), 1e5));
	if (p.sessions < PROVISIONAL_BELOW)
		p.blocks = p.blocks < p.sessions ? p.blocks : p.sessions;
	if (p.blocks < PROVISIONAL_BELOW) { /* else the rule does not ask for them */
		if (!(g->assumed_sd >= 0 && g->within_sd >= 0))
			return false;
		p.assumed = steps(g->assumed_sd, g->delta);
		p.within = steps(g->within_sd, g->delta);
	} else {
		p.blocks = PROVISIONAL_BELOW;
	}
	for (size_t i = 0; i < f->v.n; i++)
		if (same(&f->v.v[i], &p)) {
			*out = f->v.v[i].out;
			return true;
		}
	play(f, &p);
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
	g.effect = 0;
	if (!(g.sd > 0))
		return NAN;
	return least(f, &g, &g.delta, g.sd, share, false);
}

double forecast_finds(struct forecaster *f, struct forecast_gate g, double share)
{
	return least(f, &g, &g.effect, g.delta, share, true);
}

struct forecast forecast_suite(const struct forecast *v, size_t n, size_t *worst)
{
	struct forecast all = {.pass = 1};
	double clean = 1;

	*worst = 0;
	for (size_t i = 0; i < n; i++) {
		all.pass *= v[i].pass;
		clean *= 1 - v[i].red;
		all.sessions = fmax(all.sessions, v[i].sessions);
		if (v[i].undecided > v[*worst].undecided)
			*worst = i;
	}
	all.red = 1 - clean;
	all.undecided = fmax(0, 1 - all.pass - all.red);
	return all;
}
