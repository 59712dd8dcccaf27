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

#endif
