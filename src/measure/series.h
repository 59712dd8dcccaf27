/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * measure/series: private to this room. What the 100-ms slots of one run say about its course.
 * Includes: model/outcome.h. Thread safe.
 */
#ifndef BLKGATE_MEASURE_SERIES_H
#define BLKGATE_MEASURE_SERIES_H

#include "model/outcome.h"

#define SLOTS_A_SECOND (1000000000ULL / SLOT_NS)

/* False when slots of the window are missing: then a stall in them would go unseen. */
bool series_complete(const struct outcome *o);
/* Completions of the slowest second: the lowest sum of bytes over ten consecutive whole slots, over
 * all directions, and the I/Os of that second. False below one second. */
bool series_lowest_second(const struct outcome *o, uint64_t *bytes, uint64_t *ios);

/* Whole slots that moved less than half of what the median one did. False below one second, and
 * when the median slot is too small to be halved: fewer than four I/Os. */
bool series_dips(const struct outcome *o, uint64_t *dips);
/* Relative change over the whole slots, -0.1 = a tenth less at the end, by the median of the slopes
 * between any two (Theil-Sen; of at most 100 groups of slots), over the median. False as above. */
bool series_drift(const struct outcome *o, double *change);
/* Slots in which some latency of that kind was at least ns long: of dir, or for a sync. */
enum series_latency { SERIES_SLAT, SERIES_CLAT, SERIES_LAT, SERIES_SYNC };
uint64_t series_reaching(const struct outcome *o, enum series_latency which, unsigned dir,
			 uint64_t ns);

#endif
