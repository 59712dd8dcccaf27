/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * gate/difference: two groups of values of equal standing, neither of them a baseline: their
 * difference with an interval, and whether it is shown to be small. Pure.
 */
#ifndef BLKGATE_GATE_DIFFERENCE_H
#define BLKGATE_GATE_DIFFERENCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct difference {
	double est;             /* middle of b less middle of a */
	double low, high;       /* 95 %, both sides */
	double least, greatest; /* the two one-sided limits at 95 % each, a step q further out */
};

/* Of the means. Pooled t; the spread is at least half a step. NaN where there is no degree of
 * freedom. */
void difference_of(const double *a, size_t na, const double *b, size_t nb, double q,
		   struct difference *out);

/* Of the medians, with the spread of a median, pi / 2n of the variance of one value (its limit for
 * many normal ones, and more than that of few). */
void difference_of_medians(const double *a, size_t na, const double *b, size_t nb, double q,
			   struct difference *out);

enum sameness { SAME, DIFFERENT, UNDECIDED };
/* SAME: both one-sided tests exclude a difference beyond -below or +above. DIFFERENT: the interval
 * lies beyond one of them. Bounds > 0. */
enum sameness difference_sameness(const struct difference *d, double below, double above);

/* Sessions a side with which two equal sides are shown to be the same in 90 % of the cases, when
 * one session value has that sd; at most 99. */
uint32_t difference_sessions(double sd, double delta);

#endif
