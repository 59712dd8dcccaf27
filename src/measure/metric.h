/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * measure/metric: the one table of metrics (DESIGN 3.3), and the one function that derives values
 * from an outcome's integers, so that every verdict can be reproduced bit for bit.
 * Includes: model, base. Plain const data; thread safe.
 */
#ifndef BLKGATE_MEASURE_METRIC_H
#define BLKGATE_MEASURE_METRIC_H

#include "model/job.h"
#include "model/outcome.h"
#include "model/value.h"

enum better { BETTER_HIGHER, BETTER_LOWER, BETTER_NONE };

struct metric {
	const char *name;    /* "read.clat.p99.9" */
	enum unit unit;
	enum better better;
	double quantile;     /* of a percentile metric, else 0 */
	const char *what;    /* one line for people */
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
/* Can this job have that metric at all (slat of a sync engine, sync.lat without syncs: no)? sync
 * tells whether the engine is synchronous. */
bool metric_applies(const struct metric *m, const struct job *j, bool sync);

/* Value of one metric of one run. A failed run gives VALUE_ABSENT for everything. */
void metric_value(const struct metric *m, const struct job *j, const struct outcome *o, struct value *out);

/* Mean number in flight right after a submission; NaN when unknown. */
double measure_depth(const struct outcome *o);

#endif
