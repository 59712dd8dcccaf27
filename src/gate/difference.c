/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "gate/difference.h"
#include "base/str.h"
#include "gate/dist.h"
#include "gate/estimate.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

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

static double median_of(const double *v, size_t n)
{
	double *work = xcalloc(n, sizeof(*work)), m;

	memcpy(work, v, n * sizeof(*work));
	m = estimate_median(work, n);
	free(work);
	return m;
}

/* Of a middle of n values, in units of the variance of one. */
static double mean_variance(size_t n)
{
	return 1 / (double)n;
}

static double runs_variance(size_t n)
{
	return median_variance((uint32_t)n);
}

typedef double middle_fn(const double *v, size_t n);
typedef double variance_fn(size_t n);

static void difference_between(const double *a, size_t na, const double *b, size_t nb, double q,
			       middle_fn *middle, variance_fn *variance, struct difference *out)
{
	double df = (double)(na + nb) - 2, s, se, both, one;

	*out = (struct difference){NAN, NAN, NAN, NAN, NAN};
	if (na == 0 || nb == 0)
		return;
	out->est = middle(b, nb) - middle(a, na);
	if (df < 1)
		return;
	/* Equal rounded values would claim that there is no spread (PROCEDURE 5.9). */
	s = fmax(sqrt((squares_of(a, na, mean_of(a, na)) + squares_of(b, nb, mean_of(b, nb))) / df),
		 q / 2);
	se = s * sqrt(variance(na) + variance(nb));
	both = dist_t_upper(0.025, df) * se;
	one = dist_t_upper(0.05, df) * se;
	out->low = out->est - both;
	out->high = out->est + both;
	out->least = out->est - one - q;
	out->greatest = out->est + one + q;
}

void difference_of(const double *a, size_t na, const double *b, size_t nb, double q,
		   struct difference *out)
{
	difference_between(a, na, b, nb, q, mean_of, mean_variance, out);
}

void difference_of_medians(const double *a, size_t na, const double *b, size_t nb, double q,
			   struct difference *out)
{
	difference_between(a, na, b, nb, q, median_of, runs_variance, out);
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
