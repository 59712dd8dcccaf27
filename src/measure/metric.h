/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * measure/metric: the one table of metrics (DESIGN 3.3), and the one function that derives values
 * from an outcome's integers, so that every verdict can be reproduced bit for bit.
 * Includes: model, base. Plain const data; thread safe.
 */
#ifndef BLKGATE_MEASURE_METRIC_H
#define BLKGATE_MEASURE_METRIC_H

#include "base/arena.h"
#include "model/job.h"
#include "model/outcome.h"
#include "model/result.h"
#include "model/value.h"

enum better { BETTER_HIGHER, BETTER_LOWER, BETTER_ZERO /* nearer to 0 */, BETTER_NONE };

/* How a metric is derived: from which integers, and by which statistic. */
enum metric_source {
	SOURCE_IOS,   /* completions inside the window over its length */
	SOURCE_BYTES, /* real bytes of those over its length */
	SOURCE_SLAT,
	SOURCE_CLAT,
	SOURCE_LAT,
	SOURCE_SYNC, /* fsync and fdatasync calls */
	SOURCE_CPU_USR,
	SOURCE_CPU_SYS,
	SOURCE_CPU_IO, /* CPU time of both over completions */
	SOURCE_SLOTS,  /* lowest sum over ten consecutive whole 100-ms slots */
	SOURCE_DIPS,   /* slots below half of their median */
	SOURCE_DRIFT,  /* slope of a robust line through the slots */
	SOURCE_STALL,
	SOURCE_ABSORBED, /* bytes of the application without those of the device, over the former */
	SOURCE_DEPTH,    /* completion latencies over the window and the jobs (Little's law) */
};
enum metric_stat {
	STAT_NONE,
	STAT_MIN,
	STAT_MEAN,
	STAT_STDDEV,
	STAT_PERCENTILE,
	STAT_MAX,
	STAT_TAIL /* mean beyond the percentile */
};
#define METRIC_ALL DIR_COUNT /* dir of a metric that sums over the directions */

struct metric {
	const char *name; /* "read.clat.p99.9" */
	enum unit unit;
	enum better better;
	double quantile;  /* of a percentile metric, else 0 */
	const char *what; /* one line for people */
	unsigned need;    /* samples needed: above the percentile, else in all */
	enum metric_source source;
	enum metric_stat stat;
	unsigned dir; /* enum io_dir, or METRIC_ALL */
	bool named;   /* stands in values and baselines only where a workload or a check names it */
};

extern const struct metric metric_table[];
extern const unsigned metric_count;
const struct metric *metric_find(const char *name); /* NULL = unknown */
unsigned metric_index(const struct metric *m);
/* Nearest known name for a message, or NULL. */
const char *metric_nearest(const char *name);
/*
 * A name as the suite may write it: exact ("read.iops"), or without direction ("iops", "clat.p99"),
 * which stands for those the job does. Puts up to 3 metrics into out; returns how many, 0 = unknown
 * name, -1 = known but this job has no such direction (read.iops of a write workload).
 */
int metric_resolve(const char *name, const struct job *j, const struct metric **out);
/* Does the job move data that way (enum io_dir, or METRIC_ALL): the mode, and for a mix also the
 * share: randrw with rwmixread 100 writes nothing. */
bool metric_job_does(const struct job *j, unsigned dir);
/* Can this job have that metric at all (slat of a sync engine, sync.lat without syncs: no)? sync
 * tells whether the engine is synchronous. */
bool metric_applies(const struct metric *m, const struct job *j, bool sync);

/*
 * Value of one metric of one run. A failed run gives VALUE_ABSENT for everything; so does a run
 * without samples, without the series or CPU times a metric needs, and any result that is not
 * finite. VALUE_NA: the job does not do that. VALUE_INSUFFICIENT: samples, but too few, or the
 * percentile (or stddev) lies among samples beyond the histogram's range; never a clamped number.
 */
void metric_value(const struct metric *m, const struct job *j, const struct outcome *o,
		  struct value *out);

/*
 * PROCEDURE 9: a burst of slow I/Os is one event. How many 100-ms slices the samples of a
 * percentile or above it come from, and how many it takes: 30, or a tenth of the slices of a short
 * run. False: the metric is no percentile, or no number is known at all.
 */
bool metric_slices(const struct metric *m, const struct outcome *o, uint64_t *seen, uint64_t *need);

/* Why such a value is absent, where more is known than that: ": btrfs has no single device". "" =
 * nothing. Into a's memory. */
const char *metric_absent_why(const struct metric *m, const struct job *j, const struct outcome *o,
			      struct arena *a);

/* Does the job's percentile_list name that percentile? */
bool metric_listed(const struct metric *m, const struct job *j);

/* A result_values_fn: every metric of the run that exists for its job; of the `named` ones those
 * that its percentile_list or a check of the job names. arg is not used. */
void measure_write_values(void *arg, const struct result *r, const struct run *run, struct jw *w);

#endif
