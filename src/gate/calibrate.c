/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "gate/calibrate.h"
#include "gate/dist.h"
#include <math.h>
#include <stddef.h>

/* Beyond it unchanged code passes in fewer than about three of four cases. */
#define UNGATEABLE_FROM 1.4

struct factor {
	double p95, p99;
};

static const uint32_t looks[] = {1, 2, 3, 5, 6};
#define LOOKS (sizeof(looks) / sizeof(looks[0]))
static const struct stored_row {
	uint32_t sessions;
	struct factor f[LOOKS];
} stored_rows[] = {
	{5, {{4.75, 5.78}, {3.78, 4.55}, {3.29, 3.95}, {2.78, 3.33}, {2.63, 3.16}}},
	{7, {{4.23, 5.09}, {3.35, 4.02}, {2.93, 3.50}, {2.47, 2.94}, {2.35, 2.80}}},
	{10, {{3.91, 4.71}, {3.06, 3.64}, {2.67, 3.17}, {2.24, 2.66}, {2.12, 2.51}}},
	{15, {{3.72, 4.49}, {2.87, 3.43}, {2.46, 2.94}, {2.06, 2.46}, {1.92, 2.29}}},
	{20, {{3.63, 4.37}, {2.78, 3.33}, {2.36, 2.83}, {1.96, 2.32}, {1.83, 2.17}}},
	{30, {{3.56, 4.26}, {2.69, 3.18}, {2.27, 2.70}, {1.86, 2.21}, {1.73, 2.05}}},
};
static const struct pairs_row {
	uint32_t pairs;
	struct factor f;
} pairs_rows[] = {{10, {1.71, 2.04}}, {15, {1.39, 1.67}}, {20, {1.22, 1.45}}};

/* The factor grows with the quantile of the share: the estimate is nearly normal. */
static double at_share(const struct factor *f, double share)
{
	double z95 = dist_normal_quantile(.95), z99 = dist_normal_quantile(.99);

	if (!f || !(share >= .75 && share <= .9999))
		return NAN;
	return f->p95 + (dist_normal_quantile(share) - z95) / (z99 - z95) * (f->p99 - f->p95);
}

double calibrate_stored(uint32_t sessions, uint32_t max, double share)
{
	const struct factor *f = NULL;

	for (size_t i = 0; i < sizeof(stored_rows) / sizeof(stored_rows[0]); i++)
		for (size_t k = 0; k < LOOKS; k++)
			if (stored_rows[i].sessions <= sessions && looks[k] <= max)
				f = &stored_rows[i].f[k];
	return at_share(f, share);
}

double calibrate_interleaved(uint32_t pairs, double share)
{
	const struct factor *f = NULL;

	for (size_t i = 0; i < sizeof(pairs_rows) / sizeof(pairs_rows[0]); i++)
		if (pairs_rows[i].pairs <= pairs)
			f = &pairs_rows[i].f;
	return at_share(f, share);
}

double calibrate_sd(double sd, size_t n)
{
	double k = (double)n;

	if (n < 2)
		return NAN;
	return sd / (sqrt(2 / (k - 1)) * exp(lgamma(k / 2) - lgamma((k - 1) / 2)));
}

double calibrate_need(double sd, double factor, double q, double least)
{
	double need = factor * sd + q;

	return isnan(need) ? NAN : fmax(need, least);
}

enum gateable calibrate_judge(double tolerance, double sd, double factor, double q, double least)
{
	double need = factor * sd;

	if (!(need <= UNGATEABLE_FROM * (tolerance - q)) || !(tolerance >= least))
		return UNGATEABLE;
	return calibrate_need(sd, factor, q, least) > tolerance ? GATEABLE_NOISY : GATEABLE;
}
