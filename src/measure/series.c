/* SPDX-License-Identifier: GPL-2.0-or-later */
/* measure/series: sliding sums over the slots, in integers. */
#include "measure/series.h"

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
