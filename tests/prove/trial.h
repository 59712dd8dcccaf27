/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Simulated gates: many trials of one cell, judged by the shipped code. */
#ifndef PROVE_TRIAL_H
#define PROVE_TRIAL_H

#include "noise.h"
#include "gate/interleaved.h"

struct cell {
	enum noise noise;
	double sr, ss; /* sd of a run, of a session */
	double effect; /* e; the true difference is log(1 + e) */
	unsigned trials;
	uint64_t seed;
	/* stored */
	unsigned sessions, max; /* S, K; 0 = interleaved */
	/* A canary beside each session, which shares its effect with this correlation and sees the
	 * effect of the change times `hit`; 0 = none, and the gate is not adjusted. */
	double canary, hit;
	bool steps; /* the first look was planned for one session, and the sequence went on for K */
	/* interleaved */
	uint32_t pairs;
	bool fixed_order; /* AB AB instead of ABBA */
	double layout;    /* sd of what one preparation of an arm brings; 0 = fresh for every run */
	double bucket;    /* values rounded to it */
	double q;         /* what the rule is told of it */
	/* suite */
	unsigned gates;     /* 0 = 1 */
	double correlation; /* of the session effects of the gates */
};

struct rates {
	double pass, red, improvement; /* shares of the trials; of a suite: all pass, any red */
	double cost; /* mean pairs or sessions until (the last gate) was decided */
};

void simulate(const struct cell *c, struct rates *out);
/* One trial of one gate against stored sessions / of two arms. common: of all gates of a suite. */
enum sequence_state trial_stored(const struct cell *c, struct rng *rng, const double *common,
				 unsigned *cost);
enum sequence_state trial_interleaved(const struct cell *c, struct rng *rng, unsigned *cost);
/* Share of calibrations (10 sessions) that warn for a tolerance. */
double calibrations_warn(const struct cell *c, double tolerance);

#endif
