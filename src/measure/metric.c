/* SPDX-License-Identifier: GPL-2.0-or-later */
/* measure/metric: the table of metrics, and how a suite may name them. */
#include "measure/metric.h"
#include "base/str.h"
#include <stdio.h>
#include <string.h>

/* DESIGN 3.3: a percentile rests on 100 samples above it, whatever the percentile. */
#define ABOVE 100

/* The statistics of one latency. */
#define LATENCY(prefix, source, dir, words)                                                        \
	{prefix ".min", UNIT_TIME, BETTER_LOWER, 0, "shortest " words, 1, source, STAT_MIN, dir},  \
		{prefix ".mean", UNIT_TIME, BETTER_LOWER, 0, "mean " words, 1,                     \
		 source,         STAT_MEAN, dir},                                                  \
		{prefix ".stddev",                                                                 \
		 UNIT_TIME,                                                                        \
		 BETTER_LOWER,                                                                     \
		 0,                                                                                \
		 "standard deviation of the " words,                                               \
		 2,                                                                                \
		 source,                                                                           \
		 STAT_STDDEV,                                                                      \
		 dir},                                                                             \
		NAMED(prefix, "p1", 0.01, source, dir, words),                                     \
		NAMED(prefix, "p5", 0.05, source, dir, words),                                     \
		NAMED(prefix, "p10", 0.1, source, dir, words),                                     \
		NAMED(prefix, "p20", 0.2, source, dir, words),                                     \
		NAMED(prefix, "p25", 0.25, source, dir, words),                                    \
		NAMED(prefix, "p30", 0.3, source, dir, words),                                     \
		NAMED(prefix, "p40", 0.4, source, dir, words),                                     \
		PERCENTILE(prefix, "p50", 0.5, source, dir, words),                                \
		NAMED(prefix, "p60", 0.6, source, dir, words),                                     \
		NAMED(prefix, "p70", 0.7, source, dir, words),                                     \
		NAMED(prefix, "p75", 0.75, source, dir, words),                                    \
		NAMED(prefix, "p80", 0.8, source, dir, words),                                     \
		PERCENTILE(prefix, "p90", 0.9, source, dir, words),                                \
		PERCENTILE(prefix, "p95", 0.95, source, dir, words),                               \
		PERCENTILE(prefix, "p99", 0.99, source, dir, words),                               \
		NAMED(prefix, "p99.5", 0.995, source, dir, words),                                 \
		PERCENTILE(prefix, "p99.9", 0.999, source, dir, words),                            \
		NAMED(prefix, "p99.95", 0.9995, source, dir, words),                               \
		PERCENTILE(prefix, "p99.99", 0.9999, source, dir, words),                          \
		NAMED(prefix, "p99.999", 0.99999, source, dir, words),                             \
		NAMED(prefix, "p99.9999", 0.999999, source, dir, words),                           \
	{                                                                                          \
		prefix ".max", UNIT_TIME, BETTER_LOWER, 0, "longest " words, 1, source, STAT_MAX,  \
			dir                                                                        \
	}

#define PERCENTILE(prefix, p, q, source, dir, words)                                               \
	{                                                                                          \
		prefix "." p, UNIT_TIME, BETTER_LOWER, q, p " of the " words, ABOVE, source,       \
			STAT_PERCENTILE, dir                                                       \
	}
/* Kept by every histogram, shown only where a workload or a check names it. */
#define NAMED(prefix, p, q, source, dir, words)                                                    \
	{                                                                                          \
		prefix "." p, UNIT_TIME, BETTER_LOWER, q, p " of the " words, ABOVE, source,       \
			STAT_PERCENTILE, dir, true                                                 \
	}

/* The gate on it looks at more: several quantiles, and shares of I/Os beyond limits. */
#define TAIL(prefix, source, dir, words)                                                           \
	{                                                                                          \
		prefix ".tail", UNIT_TIME, BETTER_LOWER, 0.99,                                     \
			"mean of the slowest hundredth of the " words, ABOVE, source, STAT_TAIL,   \
			dir                                                                        \
	}

#define RATE(prefix, dir, words)                                                                   \
	{prefix ".iops", UNIT_IOPS, BETTER_HIGHER, 0, words " completed a second", 1, SOURCE_IOS,  \
	 STAT_NONE,      dir},                                                                     \
	{                                                                                          \
		prefix ".bw", UNIT_BW, BETTER_HIGHER, 0, "bytes of " words " completed a second",  \
			1, SOURCE_BYTES, STAT_NONE, dir                                            \
	}

#define DIRECTION(name, dir, words)                                                                \
	RATE(name, dir, words), LATENCY(name ".slat", SOURCE_SLAT, dir, "time to submit, " words), \
		LATENCY(name ".clat", SOURCE_CLAT, dir,                                            \
			"time from submission to completion, " words),                             \
		TAIL(name ".clat", SOURCE_CLAT, dir, words),                                       \
		LATENCY(name ".lat", SOURCE_LAT, dir, "time from issue to completion, " words)

#define ABSORBED(name, dir)                                                                        \
	{                                                                                          \
		name ".absorbed", UNIT_RATIO, BETTER_LOWER, 0,                                     \
			"share of the bytes that no device saw in the window", 1, SOURCE_ABSORBED, \
			STAT_NONE, dir                                                             \
	}

const struct metric metric_table[] = {
	DIRECTION("read", DIR_READ, "reads"),
	DIRECTION("write", DIR_WRITE, "writes"),
	DIRECTION("trim", DIR_TRIM, "trims"),
	LATENCY("sync.lat", SOURCE_SYNC, METRIC_ALL, "time of an fsync or fdatasync"),
	RATE("total", METRIC_ALL, "I/Os of all directions"),
	{"cpu.usr", UNIT_RATIO, BETTER_LOWER, 0, "user CPU time over the window", 1, SOURCE_CPU_USR,
	 STAT_NONE, METRIC_ALL},
	{"cpu.sys", UNIT_RATIO, BETTER_LOWER, 0, "system CPU time over the window", 1,
	 SOURCE_CPU_SYS, STAT_NONE, METRIC_ALL},
	{"cpu.per_io", UNIT_TIME, BETTER_LOWER, 0, "CPU time, user and system, an I/O", 1,
	 SOURCE_CPU_IO, STAT_NONE, METRIC_ALL},
	{"bw.lowest_second", UNIT_BW, BETTER_HIGHER, 0, "bytes completed in the slowest second", 1,
	 SOURCE_SLOTS, STAT_NONE, METRIC_ALL},
	{"bw.dips", UNIT_COUNT, BETTER_LOWER, 0,
	 "100-ms slices with less than half the bytes of the median slice", 1, SOURCE_DIPS,
	 STAT_NONE, METRIC_ALL},
	{"bw.drift", UNIT_RATIO, BETTER_ZERO, 0,
	 "change from the begin to the end of the run, of a robust line through the slices", 1,
	 SOURCE_DRIFT, STAT_NONE, METRIC_ALL},
	ABSORBED("read", DIR_READ),
	ABSORBED("write", DIR_WRITE),
	{"depth.reached", UNIT_COUNT, BETTER_NONE, 0, "I/Os of a job really in flight", 1,
	 SOURCE_DEPTH, STAT_NONE, METRIC_ALL},
	{"stall.longest", UNIT_TIME, BETTER_LOWER, 0, "longest time a thread saw no completion", 1,
	 SOURCE_STALL, STAT_NONE, METRIC_ALL},
};
const unsigned metric_count = sizeof(metric_table) / sizeof(metric_table[0]);

#define METRICS (sizeof(metric_table) / sizeof(metric_table[0]))

const struct metric *metric_find(const char *name)
{
	for (size_t i = 0; name && i < METRICS; i++) {
		if (strcmp(metric_table[i].name, name) == 0)
			return &metric_table[i];
	}
	return NULL;
}

unsigned metric_index(const struct metric *m)
{
	return (unsigned)(m - metric_table);
}

const char *metric_nearest(const char *name)
{
	const char *words[2 * METRICS];
	size_t n = 0;

	for (size_t i = 0; i < METRICS; i++)
		words[n++] = metric_table[i].name;
	/* the forms without a direction: "iops", "clat.p99" */
	for (size_t i = 0; i < METRICS; i++) {
		if (metric_table[i].dir == DIR_READ)
			words[n++] = metric_table[i].name + strlen("read.");
	}
	return str_nearest(name, words, n);
}

bool metric_job_does(const struct job *j, unsigned dir)
{
	bool mix = j->rw == RW_RW || j->rw == RW_RANDRW;

	switch (dir) {
	case DIR_READ:
		return job_reads(j) && !(mix && j->rwmixread == 0);
	case DIR_WRITE:
		return job_writes(j) && !job_trims(j) && !(mix && j->rwmixread >= 100);
	case DIR_TRIM:
		return job_trims(j);
	default:
		return true;
	}
}

bool metric_applies(const struct metric *m, const struct job *j, bool sync)
{
	if (m->source == SOURCE_SYNC)
		return metric_job_does(j, DIR_WRITE) && (j->fsync || j->fdatasync || j->end_fsync);
	if (m->source == SOURCE_SLAT && sync)
		return false;
	if (m->source == SOURCE_DEPTH) /* behind an intended start latency is no time in flight */
		return !(j->rate > 0);
	return metric_job_does(j, m->dir);
}

int metric_resolve(const char *name, const struct job *j, const struct metric **out)
{
	const struct metric *exact = metric_find(name);
	bool known = exact != NULL;
	int n = 0;

	if (exact) {
		if (metric_applies(exact, j, false))
			out[n++] = exact;
	} else {
		for (unsigned d = 0; d < DIR_COUNT; d++) {
			char full[64];
			const struct metric *m;

			snprintf(full, sizeof(full), "%s.%.48s", io_dir_name((enum io_dir)d),
				 name ? name : "");
			m = metric_find(full);
			known = known || m;
			if (m && metric_applies(m, j, false))
				out[n++] = m;
		}
	}
	if (n)
		return n;
	return known ? -1 : 0;
}
