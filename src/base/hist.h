/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * base/hist: log-linear histogram of durations.
 *
 * Purpose: constant-time recording of latencies without allocation, mergeable by addition.
 * Buckets: values below 128 ns have one bucket each; above, every power of two is divided into 128
 * buckets, so a bucket is at most 1/128 = 0.78 % wide and its middle is within 0.39 % of every
 * value in it. The highest group ends at 2^40 ns (18.3 min); larger values are counted in `over`,
 * never clamped, and max stays exact. 34 groups x 128 = 4352 counters of 8 bytes = 34 KiB.
 * Percentile: nearest rank (the smallest value with at least q*n samples at or below it), told as
 * the middle of its bucket and held within [min, max]. Not interpolated inside the bucket: where
 * many samples are alike, that would be wrong by the whole width.
 *
 * Includes: libc only. Threads: one writer; merge after the writer has ended.
 */
#ifndef BLKGATE_BASE_HIST_H
#define BLKGATE_BASE_HIST_H

#include "base/err.h"
#include "base/str.h"

#define HIST_BITS 7u
#define HIST_SUB (1u << HIST_BITS)
#define HIST_MAX_EXP 40u
#define HIST_BUCKETS ((HIST_MAX_EXP - HIST_BITS + 1u) * HIST_SUB)

struct hist {
	uint64_t n;        /* all samples, over included */
	uint64_t sum;      /* ns, exact */
	uint64_t min, max; /* exact; 0 while n == 0 */
	uint64_t over;     /* samples at or above 2^40 ns */
	uint64_t bucket[HIST_BUCKETS];
};

static inline unsigned hist_index(uint64_t v)
{
	/* exp - HIST_BITS, and 0 for what has a bucket of its own; v >> shift has HIST_SUB as its
	 * leading bit, which makes it the group after. */
	unsigned shift = 63u - HIST_BITS - (unsigned)__builtin_clzll(v | HIST_SUB);

	return (shift << HIST_BITS) + (unsigned)(v >> shift);
}

/* The same value `times` times. */
static inline void hist_add_n(struct hist *h, uint64_t ns, uint64_t times)
{
	/* Outside [min, max]; empty, both are 0, so that only a first value of 0 is inside. */
	if (__builtin_expect(ns - h->min > h->max - h->min, 0)) {
		if (h->n == 0 || ns < h->min)
			h->min = ns;
		if (ns > h->max)
			h->max = ns;
	}
	h->n += times;
	h->sum += ns * times;
	if (__builtin_expect(ns >> HIST_MAX_EXP, 0))
		h->over += times;
	else
		h->bucket[hist_index(ns)] += times;
}

static inline void hist_add(struct hist *h, uint64_t ns)
{
	hist_add_n(h, ns, 1);
}

void hist_reset(struct hist *h);
void hist_merge(struct hist *into, const struct hist *from);
/* Lower bound and width of a bucket, ns. */
uint64_t hist_low(unsigned index);
uint64_t hist_width(unsigned index);

/* The finished form: only buckets in use, for results and arithmetic. Owns b (bins_release). */
struct bin {
	uint32_t index;
	uint64_t count;
};
struct bins {
	uint64_t n, sum, min, max, over; /* as in struct hist; min = max = 0 when n == 0 */
	struct bin *b;                   /* ascending index */
	size_t nb;
};

void bins_init(struct bins *b);
void bins_release(struct bins *b);
void bins_from_hist(struct bins *b, const struct hist *h); /* replaces b's contents */
void bins_copy(struct bins *to, const struct bins *from);
void bins_merge(struct bins *into, const struct bins *from);
/* q in (0,1), ns. NaN when empty; NaN when the rank falls among the overflow (see over). */
double bins_percentile(const struct bins *b, double q);
/* Width of the bucket that holds that percentile, ns; 0 when empty. */
double bins_step(const struct bins *b, double q);
/* Mean of the samples above that rank, by the middles of their buckets. NaN: none, or samples
 * overflowed. */
double bins_mean_above(const struct bins *b, double q);
/* Lowest value of that bucket, ns: every sample at or above it may be the percentile or beyond; no
 * lower one can. 0 when empty or among the overflow. */
uint64_t bins_floor(const struct bins *b, double q);
/* n minus the nearest rank of q: the samples above the percentile (DESIGN 3.3: 100 needed). */
uint64_t bins_above(const struct bins *b, double q);
double bins_mean(const struct bins *b); /* exact, from sum; NaN when empty */
/* Standard deviation from bucket middles; NaN when n < 2 or when samples overflowed. */
double bins_stddev(const struct bins *b);
/* One string "delta:count delta:count ..." (delta = index step from the last one, first from 0);
 * "" when empty. n, sum, min, max, over are stored beside it by the caller. */
void bins_encode(const struct bins *b, struct str *out);
/* Back; n must already hold the total and over, and is checked against the counts. ERR_DATA. */
int bins_decode(const char *text, struct bins *b, struct err *e);

#endif
