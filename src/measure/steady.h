/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * measure/steady: is a sequence of rounds steady? Both criteria of SNIA's Solid State Storage
 * Performance Test Specification (2.0.1, "Steady State") hold together over the last five rounds:
 * the largest value less the smallest is within `range` of their average, and so is what the line
 * of least squares through them rises or falls within `slope`. Pure; thread safe.
 */
#ifndef BLKGATE_MEASURE_STEADY_H
#define BLKGATE_MEASURE_STEADY_H

#include <stdbool.h>
#include <stddef.h>

struct steady {
	double average;
	double range; /* (max - min) / average */
	double slope; /* signed: slope of the line x (n - 1) / average */
	bool reached;
};

/*
 * Of n values, n >= 2, in the order of time. The limits are ratios, 0.2 = 20 %; equal to the limit
 * is within. An average that is not above 0, or a value that is no number, is not steady.
 */
void steady_window(const double *v, size_t n, double range, double slope, struct steady *out);

#endif
