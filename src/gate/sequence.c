/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The stored-baseline rule of PROCEDURE 6a and, below five sessions or blocks, the assumed-sd rule
 * of PROCEDURE 7. Every constant below is tabulated there; none may be tuned here.
 */
#include "gate/sequence.h"
#include "gate/dist.h"
#include <math.h>

#define MAX_LOOKS 6u
#define PRIOR_DF 4.0 /* weight of the assumed variance, in degrees of freedom */

struct level_row {
	double pass;   /* total 4 %: heavy-tailed session effects add up to 0.9 points */
	double red[3]; /* totals 0.1 %, 0.05 %, 0.01 %; looks 2..K */
};

static const double red_totals[3] = {0.001, 0.0005, 0.0001};
static const struct level_row levels[MAX_LOOKS + 1] = {
	[1] = {.0400, {0, 0, 0}},
	[2] = {.0244, {.00100, .00050, .00010}},
	[3] = {.0188, {.00058, .00029, .000057}},
	[4] = {.0159, {.00044, .00021, .000039}},
	[5] = {.0141, {.00035, .00017, .000033}},
	[6] = {.0128, {.00031, .00015, .000028}},
};

/* Variance of the median of r standard normal values; more than five only makes it smaller, and the
 * tabulated error rates were found with 0.287. */
static const double median_variance[6] = {0.287, 1.0, 0.5, 0.449, 0.298, 0.287};

double stored_pass_level(uint32_t max)
{
	return max >= 1 && max <= MAX_LOOKS ? levels[max].pass : NAN;
}

double stored_red_level(uint32_t max, double total)
{
	if (max < 1 || max > MAX_LOOKS || isnan(total))
		return NAN;
	if (max == 1)
		return 0;
	for (unsigned i = 0; i < 3; i++)
		if (total * (1 + 1e-9) >= red_totals[i])
			return levels[max].red[i];
	return total / (double)(max - 1);
}

struct group {
	double mean; /* of the units (sessions or blocks) */
	double ss;   /* sum of squares about it */
	double n;    /* units */
};

/* Welford: no storage, no cancellation. */
static void group_add(struct group *g, double x)
{
	double d = x - g->mean;

	g->n += 1;
	g->mean += d / g->n;
	g->ss += d * (x - g->mean);
}

static struct group group_sessions(const double *v, size_t n)
{
	struct group g = {0};

	for (size_t i = 0; i < n; i++)
		group_add(&g, v[i]);
	return g;
}

/* Block of session i: as told, else sessions spread evenly over the number of blocks in order. */
static size_t block_of(const uint32_t *block, uint32_t blocks, size_t total, size_t i)
{
	if (block)
		return block[i];
	if (blocks == 0 || blocks >= total)
		return i;
	return i * blocks / total;
}

/* Block value = mean of its sessions (of the first n; total is all there are). */
static struct group group_blocks(const double *v, size_t n, size_t total, const uint32_t *block,
				 uint32_t blocks)
{
	struct group g = {0};

	for (size_t i = 0; i < n; i++) {
		size_t id = block_of(block, blocks, total, i);
		struct group one = {0};
		size_t first = 0;

		while (block_of(block, blocks, total, first) != id)
			first++;
		if (first < i)
			continue;
		for (size_t j = i; j < n; j++)
			if (block_of(block, blocks, total, j) == id)
				group_add(&one, v[j]);
		group_add(&g, one.mean);
	}
	return g;
}

struct look {
	double base_mean, est, se, df;
	double slope, canary; /* 0 without a covariate */
	double canary_base;
};

/* Sums of squares and products of pairs about their own means, added to s. */
struct products {
	double xx, xy, yy;
};

static void add_products(struct products *s, const double *x, const double *y, size_t n, double mx,
			 double my)
{
	for (size_t i = 0; i < n; i++) {
		s->xx += (x[i] - mx) * (x[i] - mx);
		s->xy += (x[i] - mx) * (y[i] - my);
		s->yy += (y[i] - my) * (y[i] - my);
	}
}

/*
 * PROCEDURE 5.6: the slope is pooled inside the two groups, so that a difference between them is
 * not taken for one; a degree of freedom goes for it. A canary that never moved inside them gives
 * no slope: when it moved between them nothing can be said.
 */
static struct look look_adjusted(const struct stored_input *in, size_t k)
{
	struct group b = group_sessions(in->base, in->nbase), f = group_sessions(in->fresh, k);
	struct group cb = group_sessions(in->base_canary, in->nbase),
		     cf = group_sessions(in->fresh_canary, k);
	double df = b.n + f.n - 3, moved = cf.mean - cb.mean, slope, far, s;
	struct products p = {0};

	add_products(&p, in->base_canary, in->base, in->nbase, cb.mean, b.mean);
	add_products(&p, in->fresh_canary, in->fresh, k, cf.mean, f.mean);
	slope = p.xx > 0 ? p.xy / p.xx : 0;
	far = p.xx > 0 ? moved * moved / p.xx : moved < 0 || moved > 0 ? INFINITY : 0;
	s = df >= 1 ? sqrt(fmax(p.yy - slope * p.xy, 0) / df) : INFINITY;
	s = fmax(s, in->q / 2);
	return (struct look){.base_mean = b.mean,
			     .est = f.mean - b.mean - slope * moved,
			     .se = s * sqrt(1 / f.n + 1 / b.n + far),
			     .df = df,
			     .slope = slope,
			     .canary = moved,
			     .canary_base = cb.mean};
}

/* PROCEDURE 5.5: s^2 pooled over both groups with S+k-2 df. */
static struct look look_pooled(const struct stored_input *in, size_t k)
{
	struct group b = group_sessions(in->base, in->nbase), f = group_sessions(in->fresh, k);
	double df = b.n + f.n - 2 + in->older_df;
	double s = df >= 1 ? sqrt((b.ss + f.ss + in->older_ss) / df) : INFINITY;

	/* Equal rounded values would otherwise claim a variance of zero (PROCEDURE 5.9). */
	s = fmax(s, in->q / 2);
	return (struct look){.base_mean = b.mean,
			     .est = f.mean - b.mean,
			     .se = s * sqrt(1 / f.n + 1 / b.n),
			     .df = df};
}

/*
 * PROCEDURE 7, with blocks for sessions: S and nu count blocks and a block's value is the mean of
 * its sessions, because sessions of one boot share what the boot brings. The new mean is over
 * sessions.
 */
static struct look look_assumed(const struct stored_input *in, size_t k)
{
	struct group b =
		group_blocks(in->base, in->nbase, in->nbase, in->base_block, in->base_blocks);
	struct group fb = group_blocks(in->fresh, k, in->nfresh, in->fresh_block, in->fresh_blocks);
	struct group f = group_sessions(in->fresh, k);
	double w = median_variance[in->runs < 5 ? in->runs : 5];
	double va = in->assumed_sd * in->assumed_sd + w * in->within_sd * in->within_sd;
	double nu = (b.n - 1) + (fb.n - 1) + in->older_df, df = PRIOR_DF + nu;
	/* nu * s^2 is the sum of squares itself */
	double s = fmax(sqrt((PRIOR_DF * va + b.ss + fb.ss + in->older_ss) / df), in->q / 2);

	return (struct look){.base_mean = b.mean,
			     .est = f.mean - b.mean,
			     .se = s * sqrt(1 / f.n + 1 / b.n),
			     .df = df};
}

/* New sessions that each lie beyond the tolerance on the given side (+1 worse, -1 better). */
static unsigned beyond(const struct stored_input *in, size_t k, const struct look *l, double side)
{
	unsigned n = 0;

	for (size_t i = 0; i < k; i++) {
		double at = in->fresh_canary ? in->fresh_canary[i] - l->canary_base : 0;

		n += side * (in->fresh[i] - l->base_mean - l->slope * at) > in->delta;
	}
	return n;
}

static enum sequence_state judge_look(const struct stored_input *in, size_t k,
				      struct stored_output *out)
{
	struct look l = in->provisional   ? look_assumed(in, k)
			: in->base_canary ? look_adjusted(in, k)
					  : look_pooled(in, k);
	uint32_t max = in->looks ? in->looks[k - 1] : in->max;
	double pass = dist_t_upper(stored_pass_level(max), l.df) * l.se;
	double red = INFINITY;

	if (k >= 2 && max >= 2)
		red = dist_t_upper(stored_red_level(max, in->red_total), l.df) * l.se;
	out->base_mean = l.base_mean;
	out->est = l.est;
	out->se = l.se;
	out->df = l.df;
	out->slope = l.slope;
	out->canary = l.canary;
	out->upper = l.est + pass;
	out->lower = l.est - red;
	out->certain = out->lower > in->delta;
	out->leaning_fail = l.est > in->delta / 2;
	if (isnan(out->upper))
		return SEQUENCE_GIVE_UP;
	if (isinf(l.se)) /* inf - inf must not decide either way */
		return k >= in->max ? SEQUENCE_GIVE_UP : SEQUENCE_CONTINUE;
	if (l.est > in->delta && out->lower > 0 && beyond(in, k, &l, 1) >= 2)
		return SEQUENCE_REGRESSION;
	if (-l.est > in->delta && l.est + red < 0 && beyond(in, k, &l, -1) >= 2)
		return SEQUENCE_IMPROVEMENT;
	if (out->upper + in->q <= in->delta)
		return SEQUENCE_PASS;
	return k >= in->max ? SEQUENCE_GIVE_UP : SEQUENCE_CONTINUE;
}

static bool usable(const struct stored_input *in)
{
	if (in->nbase == 0 || in->nfresh == 0 || in->max < 1 || in->max > MAX_LOOKS)
		return false;
	if (!(in->delta > 0) || isinf(in->delta) || !(in->q >= 0) || !(in->red_total > 0))
		return false;
	if (!in->base_canary != !in->fresh_canary)
		return false;
	if (in->provisional && !(in->assumed_sd >= 0 && in->within_sd >= 0))
		return false;
	if (!(in->older_ss >= 0 && in->older_df >= 0) || isinf(in->older_ss))
		return false;
	for (size_t i = 0; i < in->nbase; i++)
		if (!isfinite(in->base[i]))
			return false;
	for (size_t i = 0; i < in->nfresh; i++)
		if (!isfinite(in->fresh[i]))
			return false;
	for (size_t i = 0; in->base_canary && i < in->nbase; i++)
		if (!isfinite(in->base_canary[i]))
			return false;
	for (size_t i = 0; in->base_canary && i < in->nfresh; i++)
		if (!isfinite(in->fresh_canary[i]))
			return false;
	return true;
}

static void nothing_known(struct stored_output *out)
{
	*out = (struct stored_output){
		.state = SEQUENCE_GIVE_UP,
		.est = NAN,
		.base_mean = NAN,
		.se = NAN,
		.df = NAN,
		.upper = NAN,
		.lower = -INFINITY,
	};
}

static bool look_decides(const struct stored_input *in, size_t k, struct stored_output *out)
{
	out->state = judge_look(in, k, out);
	if (out->state == SEQUENCE_CONTINUE || out->state == SEQUENCE_GIVE_UP)
		return false;
	out->decided_at = (int)k;
	return true;
}

bool stored_look(const struct stored_input *in, struct stored_output *out)
{
	nothing_known(out);
	return usable(in) && in->nfresh <= in->max && look_decides(in, in->nfresh, out);
}

void stored_judge(const struct stored_input *in, struct stored_output *out)
{
	nothing_known(out);
	if (!usable(in))
		return;
	for (size_t k = 1; k <= in->nfresh && k <= in->max; k++)
		if (look_decides(in, k, out))
			return;
}
