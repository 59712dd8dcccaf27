/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Noise of simulated measurements. */
#ifndef TEST_NORMAL_H
#define TEST_NORMAL_H

#include "base/rng.h"

#include <math.h>

/* Standard normal, by the polar method. */
static inline double rng_normal(struct rng *r)
{
	double u, v, s;

	do {
		u = 2 * rng_double(r) - 1;
		v = 2 * rng_double(r) - 1;
		s = u * u + v * v;
	} while (s >= 1 || s == 0);
	return u * sqrt(-2 * log(s) / s);
}

#endif
