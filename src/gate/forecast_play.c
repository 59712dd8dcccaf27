/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "gate/forecast_play.h"
#include "base/rng.h"
#include "gate/interleaved.h"
#include <math.h>

#define FRESH_MAX 6

struct player {
	const double *normal;
	struct rng rng;
};

static double draw(struct player *p)
{
	return p->normal[rng_next(&p->rng) & (FORECAST_NORMALS - 1)];
}

/*
 * The estimate at equal canary level is the same whatever the true slope and the canary's spread
 * are, as both are estimated: a canary of spread 1 and slope 0 stands for all of them.
 */
static enum sequence_state sessions_once(struct player *r, const struct played *p, unsigned *cost)
{
	double base[FORECAST_SESSIONS_MAX], fresh[FRESH_MAX];
	double base_canary[FORECAST_SESSIONS_MAX], fresh_canary[FRESH_MAX];
	const uint32_t looks[FRESH_MAX] = {p->looks, p->looks, p->looks,
					   p->looks, p->looks, p->looks};
	double sd = p->sd * FORECAST_STEP, effect = p->effect * FORECAST_STEP;
	struct stored_input in = {.base = base,
				  .nbase = p->sessions,
				  .fresh = fresh,
				  .max = p->max,
				  .looks = looks,
				  .delta = 1,
				  .red_total = p->red_total,
				  .q = p->q * FORECAST_STEP,
				  .provisional = p->blocks < FORECAST_BLOCKS,
				  .assumed_sd = p->prior * FORECAST_PRIOR_STEP,
				  .base_blocks = p->blocks,
				  .older_ss = p->older_df * pow(p->older_sd * FORECAST_STEP, 2),
				  .older_df = p->older_df};
	struct stored_output out = {.state = SEQUENCE_CONTINUE};

	if (p->adjusted) {
		in.base_canary = base_canary;
		in.fresh_canary = fresh_canary;
	}
	for (uint32_t i = 0; i < p->sessions; i++) {
		base[i] = sd * draw(r);
		base_canary[i] = p->adjusted ? draw(r) : 0;
	}
	while (out.state == SEQUENCE_CONTINUE) {
		fresh[in.nfresh] = effect + sd * draw(r);
		fresh_canary[in.nfresh] = p->adjusted ? draw(r) : 0;
		in.nfresh++;
		in.fresh_blocks = p->one_boot ? 1 : (uint32_t)in.nfresh;
		stored_judge(&in, &out);
	}
	*cost = (unsigned)in.nfresh;
	return out.state;
}

/* The order of the arms matters for noise that is not independent only. */
static enum sequence_state pairs_once(struct player *r, const struct played *p, unsigned *cost)
{
	double arm[2][INTERLEAVED_PAIRS_MAX], sd = p->within * FORECAST_STEP;
	struct interleaved_input in = {.reference = arm[0],
				       .candidate = arm[1],
				       .budget = p->pairs,
				       .delta = 1,
				       .q = p->q * FORECAST_STEP,
				       .red_total = p->red_total};
	struct interleaved_output out;

	for (interleaved_judge(&in, &out); out.state == SEQUENCE_CONTINUE;
	     interleaved_judge(&in, &out))
		for (; in.npairs < out.next; in.npairs++) {
			arm[0][in.npairs] = sd * draw(r);
			arm[1][in.npairs] = p->effect * FORECAST_STEP + sd * draw(r);
		}
	*cost = out.pairs;
	return out.state;
}

void forecast_play(const double *normal, struct played *p)
{
	unsigned pass = 0, red = 0, cost = 0;
	struct player r = {.normal = normal};

	rng_seed(&r.rng, 0x5eed);
	for (unsigned t = 0; t < FORECAST_TRIALS; t++) {
		unsigned one;
		enum sequence_state st =
			p->pairs ? pairs_once(&r, p, &one) : sessions_once(&r, p, &one);

		cost += one;
		pass += st == SEQUENCE_PASS || st == SEQUENCE_IMPROVEMENT;
		red += st == SEQUENCE_REGRESSION;
	}
	p->out = (struct forecast){.pass = (double)pass / FORECAST_TRIALS,
				   .red = (double)red / FORECAST_TRIALS,
				   .undecided =
					   (double)(FORECAST_TRIALS - pass - red) / FORECAST_TRIALS,
				   .cost = (double)cost / FORECAST_TRIALS};
}
