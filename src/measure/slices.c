/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * measure/slices: do the I/Os of a percentile come from enough different times? A hundred in three
 * bursts say as much about the next run as three I/Os would.
 */
#include "measure/metric.h"
#include "measure/series.h"
#include <math.h>

#define SLICES 30
#define SHORT_RUN 10 /* a tenth of the slices is enough there */

/* The latency of a source and its histogram; false when it is none. */
static bool latency_of(const struct metric *m, const struct outcome *o, const struct bins **b,
		       enum series_latency *which)
{
	unsigned dir = m->dir < DIR_COUNT ? m->dir : 0;

	switch (m->source) {
	case SOURCE_SLAT:
		*which = SERIES_SLAT;
		*b = &o->dir[dir].slat;
		return true;
	case SOURCE_CLAT:
		*which = SERIES_CLAT;
		*b = &o->dir[dir].clat;
		return true;
	case SOURCE_LAT:
		*which = SERIES_LAT;
		*b = &o->dir[dir].lat;
		return true;
	case SOURCE_SYNC:
		*which = SERIES_SYNC;
		*b = &o->sync_lat;
		return true;
	default:
		return false;
	}
}

bool metric_slices(const struct metric *m, const struct outcome *o, uint64_t *seen, uint64_t *need)
{
	uint64_t all = (o->window + SLOT_NS - 1) / SLOT_NS;
	enum series_latency which;
	const struct bins *b;

	if (!(m->quantile > 0) || !latency_of(m, o, &b, &which) ||
	    isnan(bins_percentile(b, m->quantile)))
		return false;
	*need = (all + SHORT_RUN - 1) / SHORT_RUN;
	if (*need > SLICES)
		*need = SLICES;
	*seen = series_reaching(o, which, m->dir, bins_floor(b, m->quantile));
	return true;
}
