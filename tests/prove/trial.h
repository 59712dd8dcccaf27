/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Simulated gates: many trials of one cell, judged by the shipped code. */
#ifndef PROVE_TRIAL_H
#define PROVE_TRIAL_H

#include "noise.h"
#include "gate/estimate.h"
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
	/* What a boot brings to all of its sessions, and how many of the baseline it has (0 = 1);
	 * the new sessions have a boot each, or one in common. */
	double boot;
	unsigned per_boot;
	bool one_boot;
	bool provisional; /* the assumed-sd rule, session sd 1.5 % */
	unsigned older;   /* sessions of an older epoch, at another level */
	double total;     /* red total; 0 = what the gates leave */
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
/* Median of the runs of a session at that level; their spread is added to *within (NULL = not). */
double trial_session(const struct cell *c, struct rng *rng, double at, struct pool *within);
double trial_red_total(const struct cell *c);
/* boots.c: the cells with a boot, an older epoch or the assumed sd. */
enum sequence_state trial_boots(const struct cell *c, struct rng *rng, unsigned *cost);
/* Share of calibrations (10 sessions) that warn for a tolerance. */
double calibrations_warn(const struct cell *c, double tolerance);

#endif
