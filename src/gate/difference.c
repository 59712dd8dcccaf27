/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "gate/difference.h"
#include "gate/dist.h"
#include <math.h>

static double mean_of(const double *v, size_t n)
{
	double sum = 0;

	for (size_t i = 0; i < n; i++)
		sum += v[i];
	return sum / (double)n;
}

static double squares_of(const double *v, size_t n, double mean)
{
	double sum = 0;

	for (size_t i = 0; i < n; i++)
		sum += (v[i] - mean) * (v[i] - mean);
	return sum;
}

void difference_of(const double *a, size_t na, const double *b, size_t nb, double q,
		   struct difference *out)
{
	double ma, mb, df = (double)(na + nb) - 2, s, se, both, one;

	*out = (struct difference){NAN, NAN, NAN, NAN, NAN};
	if (na == 0 || nb == 0)
		return;
	ma = mean_of(a, na);
	mb = mean_of(b, nb);
	out->est = mb - ma;
	if (df < 1)
		return;
	/* Equal rounded values would claim that there is no spread (PROCEDURE 5.9). */
	s = fmax(sqrt((squares_of(a, na, ma) + squares_of(b, nb, mb)) / df), q / 2);
	se = s * sqrt(1 / (double)na + 1 / (double)nb);
	both = dist_t_upper(0.025, df) * se;
	one = dist_t_upper(0.05, df) * se;
	out->low = out->est - both;
	out->high = out->est + both;
	out->least = out->est - one - q;
	out->greatest = out->est + one + q;
}

enum sameness difference_sameness(const struct difference *d, double below, double above)
{
	if (d->least >= -below && d->greatest <= above)
		return SAME;
	if (d->high < -below || d->low > above)
		return DIFFERENT;
	return UNDECIDED; /* NaN too */
}

/* Two equal sides have no difference on average, so either limit may fail: half of a tenth each. */
uint32_t difference_sessions(double sd, double delta)
{
	for (uint32_t n = 2; n < 99; n++) {
		double df = 2.0 * n - 2, se = sd * sqrt(2.0 / n);

		if ((dist_t_upper(0.05, df) + dist_t_upper(0.05, df)) * se <= delta)
			return n;
	}
	return 99;
}
