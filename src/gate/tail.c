/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Grids and tails of one run, from its histogram and its slots. */
#include "gate/tail.h"
#include <math.h>

const struct bins *latency_bins(const struct metric *m, const struct outcome *o)
{
	unsigned d = m->dir < DIR_COUNT ? m->dir : 0;

	switch (m->source) {
	case SOURCE_SLAT:
		return &o->dir[d].slat;
	case SOURCE_CLAT:
		return &o->dir[d].clat;
	case SOURCE_LAT:
		return &o->dir[d].lat;
	case SOURCE_SYNC:
		return &o->sync_lat;
	default:
		return NULL;
	}
}

static uint64_t longest(const struct metric *m, const struct outcome_slot *s)
{
	unsigned d = m->dir < DIR_COUNT ? m->dir : 0;

	switch (m->source) {
	case SOURCE_SLAT:
		return s->slat[d];
	case SOURCE_CLAT:
		return s->clat[d];
	case SOURCE_LAT:
		return s->lat[d];
	default:
		return s->sync;
	}
}

static uint32_t coarse(uint32_t index)
{
	return index / TAIL_STEP * TAIL_STEP;
}

/* The bins of a histogram, eight an octave. */
static void fold(const struct bins *b, struct arena *a, struct bins *out)
{
	*out = (struct bins){.n = b->n, .over = b->over};
	out->b = arena_alloc(a, (b->nb + 1) * sizeof(*out->b));
	for (size_t i = 0; i < b->nb; i++) {
		uint32_t at = coarse(b->b[i].index);

		if (out->nb && out->b[out->nb - 1].index == at)
			out->b[out->nb - 1].count += b->b[i].count;
		else
			out->b[out->nb++] = (struct bin){at, b->b[i].count};
	}
}

void tail_of(const struct metric *m, const struct outcome *o, struct arena *a, struct tail *t)
{
	struct hist *h = xcalloc(1, sizeof(*h));
	struct bins slots;

	fold(latency_bins(m, o), a, &t->ios);
	for (uint64_t i = 0; i < o->nslots; i++)
		if (longest(m, &o->slots[i]))
			hist_add(h, longest(m, &o->slots[i]));
	bins_init(&slots);
	bins_from_hist(&slots, h);
	fold(&slots, a, &t->slices);
	bins_release(&slots);
	free(h);
	t->kept = true;
}

uint32_t tail_limit(double ns)
{
	uint32_t at;

	if (!(ns > 0))
		return 0;
	if (ns >= (double)(UINT64_C(1) << HIST_MAX_EXP))
		return HIST_BUCKETS;
	at = coarse(hist_index((uint64_t)ns));
	return (double)hist_low(at) >= ns ? at : at + TAIL_STEP;
}

static uint64_t count_from(const struct bins *b, uint32_t limit)
{
	uint64_t n = b->over;

	for (size_t i = b->nb; i > 0 && b->b[i - 1].index >= limit; i--)
		n += b->b[i - 1].count;
	return n;
}

uint64_t tail_ios(const struct tail *t, uint32_t limit)
{
	return count_from(&t->ios, limit);
}

uint64_t tail_slices(const struct tail *t, uint32_t limit)
{
	return count_from(&t->slices, limit);
}

void grid_of(const struct bins *b, double *grid)
{
	for (unsigned i = 0; i < QUANTILE_POINTS; i++) {
		grid[i] = i == 0 ? (double)b->min : bins_percentile(b, 1 - pow(10, -(double)i / 8));
		if (b->n == 0)
			grid[i] = NAN;
	}
}

double grid_at(const double *grid, double exceedance)
{
	double at = -8 * log10(exceedance), part;
	unsigned i = (unsigned)fmin(fmax(at, 0), QUANTILE_POINTS - 1);

	part = at - i;
	if (!(at >= 0) || at > QUANTILE_POINTS - 1 + 1e-9)
		return NAN;
	if (i + 1 == QUANTILE_POINTS || part < 1e-9)
		return grid[i];
	return grid[i] * pow(grid[i + 1] / grid[i], part);
}
