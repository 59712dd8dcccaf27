/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Draws of block sizes and of offsets. The reasons are in the header. */
#include "run/spread.h"

#include <math.h>

/* Terms of zeta that are summed; the rest is the integral, off by less than 1e-9 of the sum. */
#define ZETA_TERMS 10000u

static double zeta(uint64_t n, double theta)
{
	uint64_t m = n < ZETA_TERMS ? n : ZETA_TERMS;
	double sum = 0, from = (double)m, to = (double)n;

	for (uint64_t i = m; i; i--)
		sum += pow((double)i, -theta);
	if (n > m)
		sum += (pow(to, 1 - theta) - pow(from, 1 - theta)) / (1 - theta) +
		       (pow(to, -theta) - pow(from, -theta)) / 2;
	return sum;
}

/*
 * The closed form of Gray, Sundaresan, Englert, Baclawski and Weinberger, "Quickly generating
 * billion-record synthetic databases", SIGMOD 1994: constant time a draw, exact for the two hottest
 * ranks and close for the others.
 */
static void zipf_init(struct spread *s)
{
	double theta = s->dist.theta, n = (double)s->blocks;

	s->zetan = zeta(s->blocks, theta);
	s->half = 1 + pow(0.5, theta);
	s->alpha = 1 / (1 - theta);
	s->eta = s->blocks > 2 ? (1 - pow(2 / n, 1 - theta)) / (1 - s->half / s->zetan) : 0;
}

static uint64_t below(double v, uint64_t n)
{
	return v >= (double)n ? n - 1 : v > 0 ? (uint64_t)v : 0;
}

static uint64_t zipf(const struct spread *s, double u)
{
	if (u * s->zetan < 1)
		return 0;
	if (u * s->zetan < s->half)
		return s->blocks > 1;
	return below((double)s->blocks * pow(s->eta * u - s->eta + 1, s->alpha), s->blocks);
}

/* Box and Muller; what falls outside is drawn again, so that the ends get no more than their share.
 */
static uint64_t normal(const struct spread *s, struct rng *r)
{
	double n = (double)s->blocks, at;

	do {
		double radius = sqrt(-2 * log(1 - rng_double(r)));

		at = n / 2 + n * s->dist.theta / 100 * radius * cos(2 * M_PI * rng_double(r));
	} while (at < 0 || at >= n);
	return below(at, s->blocks);
}

static uint64_t zoned(const struct spread *s, struct rng *r)
{
	uint64_t percent = rng_below(r, 100), from, to;
	unsigned before = 0, i = 0;

	for (; percent >= s->dist.zone[i].share; i++) {
		percent -= s->dist.zone[i].share;
		before += s->dist.zone[i].size;
	}
	from = (uint64_t)((double)s->blocks * before / 100);
	to = (uint64_t)((double)s->blocks * (before + s->dist.zone[i].size) / 100);
	if (from >= s->blocks)
		from = s->blocks - 1;
	return to > from ? from + rng_below(r, to - from) : from;
}

int spread_init(struct spread *s, const struct job *j, uint64_t blocks)
{
	*s = (struct spread){.blocks = blocks, .sized = job_bs_mixed(j)};
	if (job_bs_mix(j, &s->mix) || job_random_dist(j, &s->dist))
		return -1;
	s->placed = job_random(j) && s->dist.kind != DIST_RANDOM;
	s->ranked = s->placed && (s->dist.kind == DIST_ZIPF || s->dist.kind == DIST_PARETO);
	if (s->dist.kind == DIST_ZIPF && blocks)
		zipf_init(s);
	/* A share h of the blocks gets 1 - h of the I/Os: 0.2 is the rule of 80 to 20. */
	if (s->dist.kind == DIST_PARETO)
		s->power = log(s->dist.theta) / log(1 - s->dist.theta);
	return 0;
}

uint32_t spread_units(struct spread *s)
{
	uint32_t i = 0;
	uint64_t percent;

	if (!s->sized)
		return 1;
	if (!s->mix.n)
		return 1 + (uint32_t)rng_below(&s->sizes, s->mix.largest / s->mix.smallest);
	percent = rng_below(&s->sizes, 100);
	for (; percent >= s->mix.percent[i]; i++)
		percent -= s->mix.percent[i];
	return s->mix.bs[i] / s->mix.smallest;
}

uint64_t spread_draw(const struct spread *s, struct rng *r)
{
	switch (s->dist.kind) {
	case DIST_ZIPF:
		return zipf(s, rng_double(r));
	case DIST_PARETO:
		return below((double)s->blocks * pow(rng_double(r), s->power), s->blocks);
	case DIST_NORMAL:
		return normal(s, r);
	case DIST_ZONED:
		return zoned(s, r);
	case DIST_RANDOM:
		break;
	}
	return rng_below(r, s->blocks);
}
