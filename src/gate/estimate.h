/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * gate/estimate: from values of runs to the oriented scale on which the decision is made, and back
 * to what the user reads. Oriented: positive = worse; logs for a relative tolerance, plain base
 * units for an absolute one. Pure.
 */
#ifndef BLKGATE_GATE_ESTIMATE_H
#define BLKGATE_GATE_ESTIMATE_H

#include "measure/metric.h"
#include "model/check.h"

struct scale {
	bool absolute;
	bool magnitude; /* the distance from 0 is judged; values come back as that */
	double sign;    /* +1: more is worse; -1: less is worse */
	double delta;   /* the tolerance on this scale */
};

/* False when the gate has no meaning: no better direction, or a tolerance that can never be missed
 * (not above zero, or 100 % of a metric of which less is worse). */
bool scale_make(const struct metric *m, double tolerance, bool absolute, struct scale *s);
/* Oriented value. Not finite for a value without logarithm (zero and below) on the relative scale.
 */
double scale_orient(const struct scale *s, double value);
double scale_value(const struct scale *s, double oriented); /* back, base unit */
/* A difference on the scale as the user sees the metric: ratio (-0.073 = 7.3 % lower), or base
 * unit. */
double scale_change(const struct scale *s, double difference);
/* A difference as a loss: positive = worse, ratio or base unit; never negative. */
double scale_loss(const struct scale *s, double difference);

/* Median; sorts v. NaN when n == 0. */
double estimate_median(double *v, size_t n);
/* Variance of the median of n standard normal values (PROCEDURE 7: 0.287 of five). n 0 = 5. */
double median_variance(uint32_t n);
/* Session value: median of the oriented values of its runs. work has room for n. */
double estimate_session(const struct scale *s, const double *v, size_t n, double *work);

/* Pooled standard deviation inside groups. */
struct pool {
	double ss, df;
};
void pool_add(struct pool *p, const double *v, size_t n);
/* The oriented runs of one session. */
void pool_add_runs(struct pool *p, const struct scale *s, const double *v, size_t n);
double pool_sd(const struct pool *p); /* 0 without a degree of freedom */
/* PROCEDURE 7 and DESIGN 3.4: the session sd that is assumed while it is not known, on the scale:
 * the ratio `assumed` (0 = 1.5 %) where that is relative; else that share of the level, and a tenth
 * of the tolerance at least. */
double scale_assumed_sd(const struct scale *s, double assumed, double level);
/* PROCEDURE 5.9: the least tolerance of a gate whose values come in steps of q: five of them, or
 * one where whole things are counted and so many are allowed: there a step is no rounding. */
double scale_least(const struct scale *s, const struct metric *m, double q);
/* Replaces the n values by the means of their blocks (block[i] < blocks); returns blocks. */
size_t pool_block_means(double *v, const uint32_t *block, size_t n, uint32_t blocks);

#endif
