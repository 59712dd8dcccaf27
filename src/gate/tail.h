/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * gate/tail: what is kept of the latencies of a run beside its metrics. The grid: quantiles at
 * fixed exceedances. The tail: a coarse histogram of the I/Os, and one of the longest latency of
 * each 100-ms slice, so that the share of I/Os beyond a limit, and the number of bursts they came
 * in, can be told of old sessions too. Private to the room.
 */
#ifndef BLKGATE_GATE_TAIL_H
#define BLKGATE_GATE_TAIL_H

#include "gate/baseline.h"
#include "json/json.h"

/* Latency quantiles of a run on a fixed grid of log exceedance: 1 - q = 10^(-i/8), i = 0..32. */
#define QUANTILE_POINTS 33
#define TAIL_STEP (HIST_SUB / 8) /* buckets: eight limits an octave */

/* Counts at or above bucket boundaries that are multiples of TAIL_STEP. */
struct tail {
	bool kept;
	struct bins ios;    /* n, over and the bins are meant; the memory is the arena's */
	struct bins slices; /* by the longest latency of each slice; n = those with any */
};
struct base_latency {
	const char *name; /* "read.clat" */
	uint32_t runs;
	double *grid;      /* [run * QUANTILE_POINTS + i], ns; NaN = not known */
	struct tail *tail; /* one a run */
};

/* Adds to j what its runs hold. Written are the grids of every clat and sync.lat, and of a latency
 * one of whose percentiles, or whose tail, is gated, the tails too: they would double the file. */
void latencies_add(const struct run *const *run, size_t n, struct arena *a, struct base_job *j);
void latencies_write_grids(struct jw *w, const struct base_job *j);
void latencies_write_tails(struct jw *w, const struct base_job *j);
/* j->runs is known. Absent is what a session of before has: nothing. ERR_DATA. */
int latencies_read(const struct json *job, struct arena *a, struct base_job *j, struct err *e);
/* NULL = none of it. metric: any of that latency. */
const struct base_latency *latency_find(const struct base_job *j, const struct metric *m);

/* The histogram of the latency of a metric; NULL = it is no latency. */
const struct bins *latency_bins(const struct metric *m, const struct outcome *o);

/* Lowest limit at or above ns, as a bucket index. */
uint32_t tail_limit(double ns);
/* I/Os at or above the limit, and the slices they come from. */
uint64_t tail_ios(const struct tail *t, uint32_t limit);
uint64_t tail_slices(const struct tail *t, uint32_t limit);
void tail_of(const struct metric *m, const struct outcome *o, struct arena *a, struct tail *t);
/* Interpolated in logs between the points of a grid. NaN: beyond it, or not known there. */
double grid_at(const double *grid, double exceedance);
void grid_of(const struct bins *b, double *grid);

#endif
