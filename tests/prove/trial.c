/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "trial.h"
#include "gate/calibrate.h"
#include "gate/estimate.h"
#include "gate/sequence.h"
#include <math.h>

#define RUNS 5
#define SESSIONS_MAX 40
#define DELTA log1p(.05)

static double red_total(const struct cell *c)
{
	double family = c->gates ? .05 / c->gates : 1;

	return family < .001 ? family : .001;
}

static double rounded(const struct cell *c, double x)
{
	return c->bucket > 0 ? round(x / c->bucket) * c->bucket : x;
}

/* What the session brings: partly to all gates of the suite. */
static double level(const struct cell *c, struct rng *rng, const double *common)
{
	double own = session_effect(c->noise, c->ss, rng);

	if (!common)
		return own;
	return c->ss * sqrt(c->correlation) * *common + sqrt(1 - c->correlation) * own;
}

static double session_value(const struct cell *c, struct rng *rng, double at)
{
	double run[RUNS];
	struct stream s;

	stream_start(&s, c->noise, c->sr, RUNS, rng);
	for (unsigned i = 0; i < RUNS; i++)
		run[i] = rounded(c, at + stream_next(&s));
	return estimate_median(run, RUNS);
}

/* One session of gate and canary: what the machine brings to both, to each alone, and runs. */
static void canary_session(const struct cell *c, struct rng *rng, double effect, double *gate,
			   double *canary)
{
	double both = c->ss * sqrt(c->canary), alone = c->ss * sqrt(1 - c->canary);
	double shared = both * noise_normal(rng);

	*gate = session_value(c, rng, effect + shared + alone * noise_normal(rng));
	*canary = session_value(c, rng, effect * c->hit + shared + alone * noise_normal(rng));
}

static enum sequence_state trial_canary(const struct cell *c, struct rng *rng, unsigned *cost)
{
	double base[SESSIONS_MAX], fresh[6], base_canary[SESSIONS_MAX], fresh_canary[6];
	struct stored_input in = {.base = base,
				  .nbase = c->sessions,
				  .fresh = fresh,
				  .max = c->max,
				  .delta = DELTA,
				  .red_total = red_total(c),
				  .runs = RUNS,
				  .base_canary = base_canary,
				  .fresh_canary = fresh_canary};
	struct stored_output out = {.state = SEQUENCE_CONTINUE};

	for (unsigned i = 0; i < c->sessions; i++)
		canary_session(c, rng, 0, &base[i], &base_canary[i]);
	while (out.state == SEQUENCE_CONTINUE) {
		size_t i = in.nfresh++;

		canary_session(c, rng, log1p(c->effect), &fresh[i], &fresh_canary[i]);
		stored_look(&in, &out);
	}
	*cost = (unsigned)in.nfresh;
	return out.state;
}

enum sequence_state trial_stored(const struct cell *c, struct rng *rng, const double *common,
				 unsigned *cost)
{
	static const uint32_t steps[6] = {1, 5, 5, 5, 5, 5};
	double base[SESSIONS_MAX], fresh[6];
	struct stored_input in = {.base = base,
				  .nbase = c->sessions,
				  .fresh = fresh,
				  .max = c->max,
				  .looks = c->steps ? steps : NULL,
				  .delta = DELTA,
				  .q = c->q,
				  .red_total = red_total(c),
				  .runs = RUNS};
	struct stored_output out = {.state = SEQUENCE_CONTINUE};

	if (c->canary > 0)
		return trial_canary(c, rng, cost);
	for (unsigned i = 0; i < c->sessions; i++)
		base[i] = session_value(c, rng, level(c, rng, common ? common + i : NULL));
	while (out.state == SEQUENCE_CONTINUE) {
		unsigned i = (unsigned)in.nfresh++;
		const double *shared = common ? common + c->sessions + i : NULL;

		fresh[i] = session_value(c, rng, log1p(c->effect) + level(c, rng, shared));
		stored_look(&in, &out);
	}
	*cost = (unsigned)in.nfresh;
	return out.state;
}

enum sequence_state trial_interleaved(const struct cell *c, struct rng *rng, unsigned *cost)
{
	double arm[2][INTERLEAVED_PAIRS_MAX], luck[2] = {0, 0};
	struct interleaved_input in = {.reference = arm[0],
				       .candidate = arm[1],
				       .budget = c->pairs,
				       .delta = DELTA,
				       .q = c->q,
				       .red_total = red_total(c)};
	struct interleaved_output out;
	uint64_t seed = rng_next(rng);
	struct stream s;

	stream_start(&s, c->noise, c->sr, 20, rng);
	for (unsigned a = 0; c->layout > 0 && a < 2; a++)
		luck[a] = c->layout * noise_normal(rng);
	interleaved_judge(&in, &out);
	while (out.state == SEQUENCE_CONTINUE) {
		for (; in.npairs < out.next; in.npairs++)
			for (uint32_t k = 0; k < 2; k++) {
				uint32_t at = (uint32_t)in.npairs * 2 + k;
				unsigned a = c->fixed_order ? k : interleaved_arm(seed, at);
				double x = stream_next(&s) + luck[a];

				arm[a][in.npairs] = rounded(c, x + (a ? log1p(c->effect) : 0));
			}
		interleaved_judge(&in, &out);
	}
	*cost = out.pairs;
	return out.state;
}

static enum sequence_state suite(const struct cell *c, struct rng *rng, unsigned *cost)
{
	double common[SESSIONS_MAX + 6];
	bool pass = true, red = false;
	unsigned n = c->gates ? c->gates : 1, one;

	*cost = 0;
	for (unsigned i = 0; i < SESSIONS_MAX + 6; i++)
		common[i] = c->gates ? noise_normal(rng) : 0;
	for (unsigned g = 0; g < n; g++) {
		struct cell gate = *c;
		enum sequence_state st;

		gate.effect = g ? 0 : c->effect; /* one gate of the suite has it */
		st = c->sessions ? trial_stored(&gate, rng, c->gates ? common : NULL, &one)
				 : trial_interleaved(&gate, rng, &one);
		*cost = one > *cost ? one : *cost;
		if (n == 1)
			return st;
		pass &= st == SEQUENCE_PASS || st == SEQUENCE_IMPROVEMENT;
		red |= st == SEQUENCE_REGRESSION;
	}
	return red ? SEQUENCE_REGRESSION : pass ? SEQUENCE_PASS : SEQUENCE_GIVE_UP;
}

void simulate(const struct cell *c, struct rates *out)
{
	double n = c->trials;
	struct rng rng;

	*out = (struct rates){0};
	rng_seed(&rng, c->seed);
	for (unsigned t = 0; t < c->trials; t++) {
		unsigned cost;
		enum sequence_state st = suite(c, &rng, &cost);

		out->pass += st == SEQUENCE_PASS;
		out->red += st == SEQUENCE_REGRESSION;
		out->improvement += st == SEQUENCE_IMPROVEMENT;
		out->cost += cost;
	}
	out->pass /= n;
	out->red /= n;
	out->improvement /= n;
	out->cost /= n;
}

double calibrations_warn(const struct cell *c, double tolerance)
{
	double factor = calibrate_stored(c->sessions, c->max, .95);
	unsigned warned = 0;
	struct rng rng;

	rng_seed(&rng, c->seed);
	for (unsigned t = 0; t < c->trials; t++) {
		struct pool p = {0};
		double v[SESSIONS_MAX];

		for (unsigned i = 0; i < c->sessions; i++)
			v[i] = session_value(c, &rng, level(c, &rng, NULL));
		pool_add(&p, v, c->sessions);
		warned += calibrate_judge(log1p(tolerance), calibrate_sd(pool_sd(&p), c->sessions),
					  factor) != GATEABLE;
	}
	return (double)warned / c->trials;
}
