/* SPDX-License-Identifier: GPL-2.0-or-later */
/* measure/series: sliding sums over the slots, in integers. */
#include "measure/series.h"
#include "base/vec.h"
#include <math.h>
#include <stdlib.h>

#define DRIFT_GROUPS 100
#define DIP_IOS 4 /* of the median slot: half of less is a question of luck */

/* Slots that lie inside the window with their whole length. */
static uint64_t series_whole(const struct outcome *o)
{
	uint64_t whole = o->window / SLOT_NS;

	return whole < o->nslots ? whole : o->nslots;
}

bool series_complete(const struct outcome *o)
{
	return o->nslots >= o->window / SLOT_NS;
}

static uint64_t slot_bytes(const struct outcome_slot *s)
{
	return s->bytes[DIR_READ] + s->bytes[DIR_WRITE] + s->bytes[DIR_TRIM];
}

static uint64_t slot_ios(const struct outcome_slot *s)
{
	return (uint64_t)s->ios[DIR_READ] + s->ios[DIR_WRITE] + s->ios[DIR_TRIM];
}

bool series_lowest_second(const struct outcome *o, uint64_t *bytes, uint64_t *ios)
{
	uint64_t n = series_whole(o), sum = 0, count = 0;

	if (n < SLOTS_A_SECOND)
		return false;
	for (uint64_t i = 0; i < n; i++) {
		sum += slot_bytes(&o->slots[i]);
		count += slot_ios(&o->slots[i]);
		if (i >= SLOTS_A_SECOND) {
			sum -= slot_bytes(&o->slots[i - SLOTS_A_SECOND]);
			count -= slot_ios(&o->slots[i - SLOTS_A_SECOND]);
		}
		if (i + 1 == SLOTS_A_SECOND || (i >= SLOTS_A_SECOND && sum < *bytes)) {
			*bytes = sum;
			*ios = count;
		}
	}
	return true;
}

static int ascending_u64(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

/* Twice the median of n > 0 values, so that it is whole; saturated. Sorts v. */
static uint64_t twice_median(uint64_t *v, uint64_t n)
{
	uint64_t sum;

	qsort(v, n, sizeof(*v), ascending_u64);
	if (__builtin_add_overflow(v[(n - 1) / 2], v[n / 2], &sum))
		return UINT64_MAX;
	return sum;
}

/* Enough whole slots, and enough in them? work has room for all. */
static bool series_fine(const struct outcome *o, uint64_t *work)
{
	uint64_t n = series_whole(o);

	if (n < SLOTS_A_SECOND)
		return false;
	for (uint64_t i = 0; i < n; i++)
		work[i] = slot_ios(&o->slots[i]);
	return twice_median(work, n) >= 2 * DIP_IOS;
}

bool series_dips(const struct outcome *o, uint64_t *dips)
{
	uint64_t n = series_whole(o), *work = xcalloc(n + 1, sizeof(*work)), twice;
	bool fine = series_fine(o, work);

	for (uint64_t i = 0; fine && i < n; i++)
		work[i] = slot_bytes(&o->slots[i]);
	twice = fine ? twice_median(work, n) : 0;
	*dips = 0;
	for (uint64_t i = 0; fine && i < n; i++) /* 4 v < a + b without an overflow */
		*dips += work[i] < twice / 4 + (twice % 4 > 0);
	free(work);
	return fine;
}

static int ascending(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static double median(double *v, size_t n)
{
	qsort(v, n, sizeof(*v), ascending);
	return (v[(n - 1) / 2] + v[n / 2]) / 2;
}

/* Bytes of groups of as many slots each; what is over at the end is left out. */
static size_t group_slots(const struct outcome *o, double *y)
{
	uint64_t n = series_whole(o), length = (n + DRIFT_GROUPS - 1) / DRIFT_GROUPS;
	size_t groups = n / length;

	for (size_t i = 0; i < groups; i++) {
		y[i] = 0;
		for (uint64_t k = 0; k < length; k++)
			y[i] += (double)slot_bytes(&o->slots[i * length + k]);
	}
	return groups;
}

static double line_change(double *y, size_t n)
{
	double *slope = xcalloc(n * (n - 1) / 2, sizeof(*slope)), m, s;
	size_t used = 0;

	for (size_t i = 0; i < n; i++)
		for (size_t k = i + 1; k < n; k++)
			slope[used++] = (y[k] - y[i]) / (double)(k - i);
	s = median(slope, used);
	free(slope);
	m = median(y, n);
	return m > 0 ? s * (double)n / m : NAN;
}

bool series_drift(const struct outcome *o, double *change)
{
	uint64_t *work = xcalloc(series_whole(o) + 1, sizeof(*work));
	bool fine = series_fine(o, work);
	double y[DRIFT_GROUPS];

	free(work);
	if (fine)
		*change = line_change(y, group_slots(o, y));
	return fine && !isnan(*change);
}

static uint64_t longest(const struct outcome_slot *s, enum series_latency which, unsigned dir)
{
	switch (which) {
	case SERIES_SLAT:
		return s->slat[dir];
	case SERIES_CLAT:
		return s->clat[dir];
	case SERIES_LAT:
		return s->lat[dir];
	case SERIES_SYNC:
		break;
	}
	return s->sync;
}

uint64_t series_reaching(const struct outcome *o, enum series_latency which, unsigned dir,
			 uint64_t ns)
{
	uint64_t n = 0;

	for (uint64_t i = 0; i < o->nslots; i++)
		n += longest(&o->slots[i], which, dir) >= ns;
	return n;
}
