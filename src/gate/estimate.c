/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "gate/estimate.h"
#include <math.h>
#include <stdlib.h>

#define ASSUMED_SESSION_SD 0.015
#define STEPS_LEAST 5

bool scale_make(const struct metric *m, double tolerance, bool absolute, struct scale *s)
{
	*s = (struct scale){.absolute = absolute,
			    .sign = m->better == BETTER_HIGHER ? -1 : 1,
			    .magnitude = m->better == BETTER_ZERO};
	if (m->better == BETTER_NONE || !(tolerance > 0) || !isfinite(tolerance))
		return false;
	if (absolute)
		s->delta = tolerance;
	else
		s->delta = s->sign > 0 ? log1p(tolerance) : -log1p(-tolerance);
	return isfinite(s->delta) && s->delta > 0;
}

double scale_orient(const struct scale *s, double value)
{
	if (s->magnitude)
		value = fabs(value);
	return s->sign * (s->absolute ? value : log(value));
}

double scale_value(const struct scale *s, double oriented)
{
	return s->absolute ? s->sign * oriented : exp(s->sign * oriented);
}

double scale_change(const struct scale *s, double difference)
{
	return s->absolute ? s->sign * difference : expm1(s->sign * difference);
}

double scale_loss(const struct scale *s, double difference)
{
	double change = s->sign * scale_change(s, difference);

	return isnan(change) ? NAN : fmax(change, 0);
}

static int ascending(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

double estimate_median(double *v, size_t n)
{
	if (n == 0)
		return NAN;
	qsort(v, n, sizeof(*v), ascending);
	return n % 2 ? v[n / 2] : (v[n / 2 - 1] + v[n / 2]) / 2;
}

/* By integration over the density of the middle order statistics. Beyond the table the limit for
 * many values, which is never too small. */
double median_variance(uint32_t n)
{
	static const double of[] = {.287,  1,     .5,    .449,  .298,  .287,  .2148, .2104,
				    .1682, .1661, .1384, .1372, .1176, .1168, .1023, .1017};

	return n < sizeof(of) / sizeof(of[0]) ? of[n] : M_PI / 2 / n;
}

double estimate_session(const struct scale *s, const double *v, size_t n, double *work)
{
	for (size_t i = 0; i < n; i++)
		work[i] = scale_orient(s, v[i]);
	return estimate_median(work, n);
}

void pool_add(struct pool *p, const double *v, size_t n)
{
	double mean = 0;

	if (n < 2)
		return;
	for (size_t i = 0; i < n; i++)
		mean += v[i] / (double)n;
	for (size_t i = 0; i < n; i++)
		p->ss += (v[i] - mean) * (v[i] - mean);
	p->df += (double)(n - 1);
}

void pool_add_runs(struct pool *p, const struct scale *s, const double *v, size_t n)
{
	double mean = 0;

	if (n < 2)
		return;
	for (size_t i = 0; i < n; i++)
		mean += scale_orient(s, v[i]) / (double)n;
	for (size_t i = 0; i < n; i++) {
		double d = scale_orient(s, v[i]) - mean;

		p->ss += d * d;
	}
	p->df += (double)(n - 1);
}

double pool_sd(const struct pool *p)
{
	return p->df > 0 ? sqrt(p->ss / p->df) : 0;
}

double scale_assumed_sd(const struct scale *s, double assumed, double level)
{
	double sd = assumed > 0 ? assumed : ASSUMED_SESSION_SD;

	return s->absolute ? fmax(sd * fabs(level), s->delta / 10) : sd;
}

double scale_least(const struct scale *s, const struct metric *m, double q)
{
	return s->absolute && m->unit == UNIT_COUNT ? q : STEPS_LEAST * q;
}

size_t pool_block_means(double *v, const uint32_t *block, size_t n, uint32_t blocks)
{
	double *sum = xcalloc((size_t)blocks + 1, sizeof(*sum));
	size_t *count = xcalloc((size_t)blocks + 1, sizeof(*count));

	for (size_t i = 0; i < n; i++) {
		sum[block[i]] += v[i];
		count[block[i]]++;
	}
	for (uint32_t b = 0; b < blocks; b++)
		v[b] = sum[b] / (double)count[b];
	free(sum);
	free(count);
	return blocks;
}
