/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * run/spread (private): block sizes that vary and random offsets that are not uniform. A pattern
 * has one; jobs that use neither never come here.
 */
#ifndef BLKGATE_RUN_SPREAD_H
#define BLKGATE_RUN_SPREAD_H

#include "base/rng.h"
#include "model/job.h"

struct spread {
	bool sized, placed; /* sizes vary; offsets are drawn from a distribution */
	bool ranked;        /* what is drawn is a rank, hot first, and not a place */
	struct bs_mix mix;
	struct random_dist dist;
	uint64_t blocks;
	double zetan, half, alpha, eta; /* zipf */
	double power;                   /* pareto */
	struct rng sizes;
};

/* 0, or -1 when a word of the job is not valid. Its user seeds s->sizes. */
int spread_init(struct spread *s, const struct job *j, uint64_t blocks);
/* Length of the next I/O in blocks of the smallest size. */
uint32_t spread_units(struct spread *s);
/* Rank or place of the next I/O: below `blocks`. */
uint64_t spread_draw(const struct spread *s, struct rng *r);

#endif
