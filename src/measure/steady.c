/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "measure/steady.h"

#include <math.h>

/* Decimal limits are no binary numbers: a window whose range is 20 % by hand is 20 % here. */
static const double ROUNDING = 1e-12;

void steady_window(const double *v, size_t n, double range, double slope, struct steady *out)
{
	double min = INFINITY, max = -INFINITY, sum = 0, xy = 0, xx = 0;

	*out = (struct steady){.average = NAN, .range = NAN, .slope = NAN};
	if (n < 2)
		return;
	for (size_t i = 0; i < n; i++) {
		if (!isfinite(v[i]))
			return;
		min = fmin(min, v[i]);
		max = fmax(max, v[i]);
		sum += v[i];
	}
	out->average = sum / (double)n;
	if (!(out->average > 0) || !isfinite(out->average))
		return;
	for (size_t i = 0; i < n; i++) {
		double x = (double)i - (double)(n - 1) / 2;

		xy += x * (v[i] - out->average);
		xx += x * x;
	}
	out->range = (max - min) / out->average;
	out->slope = xy / xx * (double)(n - 1) / out->average;
	out->reached = out->range <= range + ROUNDING && fabs(out->slope) <= slope + ROUNDING;
}
