/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Hodges-Lehmann with the exact unpaired rank-sum. Every constant is tabulated in PROCEDURE 5.2 and
 * valid for any continuous distribution; none may be tuned here.
 */
#include "gate/interleaved.h"
#include "base/rng.h"
#include "gate/dist.h"
#include <math.h>
#include <stdlib.h>

#define LOOKS_MAX 6u
#define TOTALS_MAX 4u
#define FUTILITY 1.5      /* PROCEDURE 5.8 */
#define FUTILITY_FROM 10u /* pairs */
#define NONE (-1)

struct red_row {
	double total; /* 0 = no further row */
	int c[LOOKS_MAX];
};

struct budget_row {
	uint32_t budget;
	unsigned looks;
	uint32_t pairs[LOOKS_MAX];
	int pass[LOOKS_MAX]; /* total 4.7-4.9 % */
	struct red_row red[TOTALS_MAX];
};

static const struct budget_row budgets[] = {
	{10, 4, {4, 5, 7, 10}, {0, 2, 8, 24}, {{.001, {NONE, NONE, 1, 9}}}},
	{15, 4, {5, 7, 10, 15}, {2, 8, 23, 63}, {{.001, {NONE, 0, 8, 35}}}},
	{20,
	 6,
	 {4, 5, 7, 10, 14, 20},
	 {0, 1, 7, 21, 51, 120},
	 {{.001, {NONE, NONE, 0, 7, 27, 78}},
	  {.0005, {NONE, NONE, NONE, 6, 25, 74}},
	  {.0001, {NONE, NONE, NONE, 3, 18, 60}},
	  {.00005, {NONE, NONE, NONE, 1, 15, 56}}}},
	{28,
	 6,
	 {5, 7, 10, 14, 20, 28},
	 {1, 7, 21, 51, 120, 261},
	 {{.001, {NONE, NONE, 7, 26, 76, 186}}}},
};
#define BUDGETS (sizeof(budgets) / sizeof(budgets[0]))

static const struct budget_row *row_of(uint32_t pairs)
{
	const struct budget_row *row = NULL;

	for (size_t i = 0; i < BUDGETS; i++)
		if (budgets[i].budget <= pairs)
			row = &budgets[i];
	return row;
}

uint32_t interleaved_budget(uint32_t pairs)
{
	const struct budget_row *row = row_of(pairs);

	return row ? row->budget : 0;
}

static int red_rank(const struct budget_row *row, double total, unsigned i)
{
	for (unsigned k = 0; k < TOTALS_MAX && row->red[k].total > 0; k++)
		if (total * (1 + 1e-9) >= row->red[k].total)
			return row->red[k].c[i];
	return dist_ranksum_rank(total / row->looks, row->pairs[i]);
}

bool interleaved_look(uint32_t budget, double red_total, unsigned i, struct interleaved_look *out)
{
	const struct budget_row *row = row_of(budget);

	if (!row || i >= row->looks || !(red_total > 0))
		return false;
	*out = (struct interleaved_look){row->pairs[i], row->pass[i], red_rank(row, red_total, i)};
	return true;
}

bool interleaved_can_fail(uint32_t budget, double red_total)
{
	struct interleaved_look look;

	for (unsigned i = 0; interleaved_look(budget, red_total, i, &look); i++)
		if (look.red >= 0)
			return true;
	return false;
}

unsigned interleaved_arm(uint64_t seed, uint32_t position)
{
	unsigned first = (unsigned)(rng_mix(seed ^ 0xabba) & 1);
	uint32_t pair = position / 2;

	return first ^ (pair & 1) ^ (position & 1);
}

static int ascending(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

/* All n*n differences, sorted; their median is the estimate (Hodges and Lehmann 1963). */
static void differences(const struct interleaved_input *in, uint32_t n, double *d)
{
	for (uint32_t i = 0; i < n; i++)
		for (uint32_t k = 0; k < n; k++)
			d[i * n + k] = in->candidate[i] - in->reference[k];
	qsort(d, (size_t)n * n, sizeof(*d), ascending);
}

static enum sequence_state judge_look(const struct interleaved_input *in,
				      const struct interleaved_look *look, uint32_t budget,
				      struct interleaved_output *out)
{
	double d[INTERLEAVED_PAIRS_MAX * INTERLEAVED_PAIRS_MAX], better = INFINITY;
	uint32_t n = look->pairs, all = n * n;

	differences(in, n, d);
	out->pairs = n;
	out->est = all % 2 ? d[all / 2] : (d[all / 2 - 1] + d[all / 2]) / 2;
	out->upper = look->pass >= 0 ? d[all - 1 - (uint32_t)look->pass] : INFINITY;
	out->floor = look->pass >= 0 ? d[look->pass] : -INFINITY;
	out->lower = look->red >= 0 ? d[look->red] : -INFINITY;
	if (look->red >= 0)
		better = d[all - 1 - (uint32_t)look->red];
	out->certain = out->lower > in->delta;
	out->leaning_fail = out->est > in->delta / 2;
	if (out->lower > 0 && out->est > in->delta)
		return SEQUENCE_REGRESSION;
	if (better < 0 && -out->est > in->delta)
		return SEQUENCE_IMPROVEMENT;
	if (out->upper + in->q <= in->delta)
		return SEQUENCE_PASS;
	out->futile = n >= FUTILITY_FROM && n < budget &&
		      (out->upper - out->est) * sqrt((double)n / budget) > FUTILITY * in->delta;
	return out->futile || n >= budget ? SEQUENCE_GIVE_UP : SEQUENCE_CONTINUE;
}

static bool usable(const struct interleaved_input *in)
{
	if (!(in->delta > 0) || isinf(in->delta) || !(in->q >= 0) || !(in->red_total > 0))
		return false;
	for (size_t i = 0; i < in->npairs; i++)
		if (!isfinite(in->reference[i]) || !isfinite(in->candidate[i]))
			return false;
	return true;
}

void interleaved_judge(const struct interleaved_input *in, struct interleaved_output *out)
{
	uint32_t budget = interleaved_budget(in->budget);
	struct interleaved_look look;

	*out = (struct interleaved_output){.state = SEQUENCE_GIVE_UP,
					   .est = NAN,
					   .upper = INFINITY,
					   .lower = -INFINITY,
					   .floor = -INFINITY};
	if (!budget || !usable(in))
		return;
	out->state = SEQUENCE_CONTINUE;
	for (unsigned i = 0; interleaved_look(budget, in->red_total, i, &look); i++) {
		out->next = look.pairs;
		if (look.pairs > in->npairs)
			return;
		out->state = judge_look(in, &look, budget, out);
		if (out->state != SEQUENCE_CONTINUE)
			break;
	}
	out->next = 0;
}
