/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "gate/dist.h"
#include <Rmath.h>
#include <math.h>

static double clamp(double x, double lo, double hi)
{
	return x < lo ? lo : x > hi ? hi : x;
}

double dist_t_upper(double level, double df)
{
	if (isnan(level) || isnan(df))
		return NAN;
	return qt(clamp(level, 1e-12, 0.5), clamp(df, 1.0, 1e7), 0, 0);
}

double dist_normal_quantile(double p)
{
	return isnan(p) ? NAN : qnorm(clamp(p, 1e-12, 1 - 1e-12), 0, 1, 1, 0);
}

size_t dist_median_rank(size_t n)
{
	const double tail = 0.03125; /* one side: 2^-5 */
	double size = clamp((double)n, 0.0, 1e7), x;

	if (n == 0)
		return 0;
	x = qbinom(tail, size, 0.5, 1, 0);
	/* qbinom gives the first x that reaches the tail; the rank may not pass it. */
	while (x >= 0 && pbinom(x, size, 0.5, 1, 0) > tail * (1 + 1e-9))
		x -= 1;
	return x < 0 ? 1 : (size_t)x + 1;
}

double dist_sign_test(size_t fewer, size_t n)
{
	double size = clamp((double)n, 0.0, 1e7);

	return fmin(1, 2 * pbinom(clamp((double)fewer, 0, size), size, 0.5, 1, 0));
}

int dist_ranksum_rank(double level, unsigned n)
{
	int low = -1, high = (int)(n * n);

	if (isnan(level) || n < 1 || n > 50)
		return -1;
	while (low < high) {
		int mid = low + (high - low + 1) / 2;

		if (pwilcox(mid, n, n, 1, 0) <= level * (1 + 1e-9))
			low = mid;
		else
			high = mid - 1;
	}
	return low;
}
