/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * measure/values: the one derivation of values from the integers of a run.
 *
 * Same integers, same doubles, on every machine: each value is a few IEEE operations in a fixed
 * order. No product is added to anything here, so that no compiler can fuse the two into one
 * rounding; no long double, no -ffast-math.
 */
#include "measure/metric.h"
#include "measure/series.h"
#include <math.h>

#define NS_A_SECOND 1e9
#define CLOCK_STEP 1.0  /* ns: resolution of the stamps */
#define CPU_STEP 1000.0 /* ns: getrusage counts microseconds */

/* The step of a value: resolution over value; of 0, which has no relative one, the resolution. */
static double relative(double resolution, double v)
{
	return v > 0 ? resolution / v : resolution;
}

static void set_ok(struct value *out, double v, double step, uint64_t n)
{
	*out = (struct value){.state = VALUE_OK, .v = v, .step = step, .n = n};
}

static void set_missing(struct value *out, enum value_state state, uint64_t n)
{
	*out = (struct value){.state = state, .n = n};
}

static uint64_t sum_dirs(const struct outcome *o, unsigned dir, bool bytes)
{
	uint64_t sum = 0;

	for (unsigned d = 0; d < DIR_COUNT; d++) {
		if (dir == METRIC_ALL || dir == d)
			sum += bytes ? o->dir[d].bytes : o->dir[d].ios;
	}
	return sum;
}

/* A rate of nothing is not a slow rate but no measurement ("no samples"): it stays ABSENT. */
static void derive_rate(const struct metric *m, const struct outcome *o, struct value *out)
{
	uint64_t ios = sum_dirs(o, m->dir, false);
	uint64_t amount = m->source == SOURCE_IOS ? ios : sum_dirs(o, m->dir, true);

	if (ios == 0 || o->window == 0)
		return;
	set_ok(out, (double)amount * NS_A_SECOND / (double)o->window, relative(1.0, (double)ios),
	       ios);
}

static void derive_percentile(const struct metric *m, const struct outcome *o, const struct bins *b,
			      struct value *out)
{
	double v = m->stat == STAT_TAIL ? bins_mean_above(b, m->quantile)
					: bins_percentile(b, m->quantile);
	uint64_t seen, slices;

	/* NaN: the rank lies among samples beyond the histogram's range. That much is known: it is
	 * above 2^40 ns; a number is not. */
	if (bins_above(b, m->quantile) < m->need || isnan(v)) {
		set_missing(out, VALUE_INSUFFICIENT, b->n);
		return;
	}
	if (o->nslots == 0) /* nobody can tell whether they came in one burst */
		return;
	if (!metric_slices(m, o, &seen, &slices) || seen < slices) {
		set_missing(out, VALUE_INSUFFICIENT, b->n);
		return;
	}
	set_ok(out, v, relative(fmax(bins_step(b, m->quantile), CLOCK_STEP), v), b->n);
}

static void derive_latency(const struct metric *m, const struct outcome *o, const struct bins *b,
			   struct value *out)
{
	double v;

	/* Samples of a direction in which nothing completed inside the window all come from the
	 * drain: they show what happened when no load was left. */
	if (b->n == 0 || (m->dir != METRIC_ALL && o->dir[m->dir].ios == 0))
		return;
	if (m->stat == STAT_PERCENTILE || m->stat == STAT_TAIL) {
		derive_percentile(m, o, b, out);
		return;
	}
	if (m->stat == STAT_STDDEV) {
		v = bins_stddev(b);
		if (b->n < m->need || isnan(v))
			set_missing(out, VALUE_INSUFFICIENT, b->n);
		else /* from the middles of buckets: no finer than the one in the middle */
			set_ok(out, v, relative(fmax(bins_step(b, 0.5), CLOCK_STEP), v), b->n);
		return;
	}
	if (m->stat == STAT_MEAN)
		v = bins_mean(b);
	else
		v = (double)(m->stat == STAT_MIN ? b->min : b->max);
	set_ok(out, v, relative(CLOCK_STEP, v), b->n);
}

/* A worker that did I/O used CPU: two zeros mean that nobody counted. */
static void derive_cpu(const struct metric *m, const struct outcome *o, struct value *out)
{
	uint64_t ios = sum_dirs(o, METRIC_ALL, false);
	double used, over;

	if (o->cpu_usr + o->cpu_sys == 0 || ios == 0 || o->window == 0)
		return;
	if (m->source == SOURCE_CPU_IO)
		used = (double)(o->cpu_usr + o->cpu_sys);
	else
		used = (double)(m->source == SOURCE_CPU_USR ? o->cpu_usr : o->cpu_sys);
	over = m->source == SOURCE_CPU_IO ? (double)ios : (double)o->window;
	set_ok(out, used / over, used > 0 ? CPU_STEP / used : CPU_STEP / over, ios);
}

static void derive_lowest_second(const struct outcome *o, struct value *out)
{
	uint64_t bytes = 0, ios = 0, all = sum_dirs(o, METRIC_ALL, false);

	if (all == 0 || !series_complete(o))
		return;
	if (!series_lowest_second(o, &bytes, &ios)) {
		set_missing(out, VALUE_INSUFFICIENT, all);
		return;
	}
	/* of a second without I/O: one I/O of the run's mean size */
	set_ok(out, (double)bytes,
	       ios ? 1.0 / (double)ios : (double)sum_dirs(o, METRIC_ALL, true) / (double)all, ios);
}

static void derive_course(const struct metric *m, const struct outcome *o, struct value *out)
{
	uint64_t all = sum_dirs(o, METRIC_ALL, false), dips = 0;
	double change = 0;
	bool fine;

	if (all == 0 || !series_complete(o))
		return;
	fine = m->source == SOURCE_DIPS ? series_dips(o, &dips) : series_drift(o, &change);
	if (!fine)
		set_missing(out, VALUE_INSUFFICIENT, all);
	else if (m->source == SOURCE_DIPS)
		set_ok(out, (double)dips, relative(1.0, (double)dips), all);
	else
		set_ok(out, change, relative(1.0 / (double)all, fabs(change)), all);
}

static void derive_stall(const struct outcome *o, struct value *out)
{
	uint64_t ios = sum_dirs(o, METRIC_ALL, false);

	if (ios == 0 || o->window == 0)
		return;
	set_ok(out, (double)o->stall_longest, relative(CLOCK_STEP, (double)o->stall_longest), ios);
}

/* What may be in flight at a border of the window: the application counts it at its completion, the
 * device at another time. */
static double at_borders(const struct job *j)
{
	return 2.0 * j->iodepth * j->numjobs * job_parts(j) * job_bs_max(j);
}

/* Journals, metadata and others that use the device let it see more: up to a tenth the cache took
 * nothing, beyond that nobody knows what it took. */
#define SEEN_MORE 1.1

static const struct outcome_device *device_of(const struct outcome *o, unsigned dir)
{
	return dir == DIR_READ ? &o->device_read : &o->device_written;
}

static bool device_saw_more(const struct metric *m, const struct job *j, const struct outcome *o)
{
	return (double)device_of(o, m->dir)->bytes - at_borders(j) >
	       SEEN_MORE * (double)o->dir[m->dir].bytes;
}

static void derive_absorbed(const struct metric *m, const struct job *j, const struct outcome *o,
			    struct value *out)
{
	const struct outcome_device *d = device_of(o, m->dir);
	double bytes = (double)o->dir[m->dir].bytes, v;

	if (d->state == DEVICE_NONE)
		set_missing(out, VALUE_NA, 0);
	if (d->state != DEVICE_KNOWN || !o->dir[m->dir].bytes || device_saw_more(m, j, o))
		return;
	v = fmax(0, bytes - (double)d->bytes) / bytes;
	set_ok(out, v, relative(fmin(1, at_borders(j) / bytes), v), o->dir[m->dir].ios);
}

static void derive_depth(const struct job *j, const struct outcome *o, struct value *out)
{
	uint64_t ios = sum_dirs(o, METRIC_ALL, false);

	if (ios == 0 || o->window == 0)
		return;
	set_ok(out, outcome_depth(o, (uint64_t)j->numjobs * job_parts(j), j->iodepth),
	       relative(1.0, (double)ios), ios);
}

static void derive(const struct metric *m, const struct job *j, const struct outcome *o,
		   struct value *out)
{
	switch (m->source) {
	case SOURCE_IOS:
	case SOURCE_BYTES:
		derive_rate(m, o, out);
		break;
	case SOURCE_SLAT:
		derive_latency(m, o, &o->dir[m->dir].slat, out);
		break;
	case SOURCE_CLAT:
		derive_latency(m, o, &o->dir[m->dir].clat, out);
		break;
	case SOURCE_LAT:
		derive_latency(m, o, &o->dir[m->dir].lat, out);
		break;
	case SOURCE_SYNC:
		derive_latency(m, o, &o->sync_lat, out);
		break;
	case SOURCE_CPU_USR:
	case SOURCE_CPU_SYS:
	case SOURCE_CPU_IO:
		derive_cpu(m, o, out);
		break;
	case SOURCE_SLOTS:
		derive_lowest_second(o, out);
		break;
	case SOURCE_DIPS:
	case SOURCE_DRIFT:
		derive_course(m, o, out);
		break;
	case SOURCE_STALL:
		derive_stall(o, out);
		break;
	case SOURCE_ABSORBED:
		derive_absorbed(m, j, o, out);
		break;
	case SOURCE_DEPTH:
		derive_depth(j, o, out);
		break;
	}
}

void metric_value(const struct metric *m, const struct job *j, const struct outcome *o,
		  struct value *out)
{
	set_missing(out, VALUE_ABSENT, 0);
	if (o->status != OUTCOME_OK)
		return;
	if (!metric_applies(m, j, !o->has_slat)) {
		set_missing(out, VALUE_NA, 0);
		return;
	}
	derive(m, j, o, out);
	if (out->state == VALUE_OK && !isfinite(out->v))
		set_missing(out, VALUE_ABSENT, out->n);
}

const char *metric_absent_why(const struct metric *m, const struct job *j, const struct outcome *o,
			      struct arena *a)
{
	const struct outcome_device *d = device_of(o, m->dir);
	const char *text;
	struct value v;
	struct str s;

	metric_value(m, j, o, &v);
	if (m->source != SOURCE_ABSORBED || v.state != VALUE_ABSENT || o->status != OUTCOME_OK)
		return "";
	if (d->state == DEVICE_UNKNOWN)
		return arena_printf(a, ": %s", d->why[0] ? d->why : "it was not recorded");
	if (!device_saw_more(m, j, o))
		return "";
	str_init(&s);
	str_add(&s, ": the device saw more, ");
	unit_format(&s, UNIT_BYTES, (double)d->bytes);
	str_add(&s, " where the application moved ");
	unit_format(&s, UNIT_BYTES, (double)o->dir[m->dir].bytes);
	text = arena_strdup(a, s.s);
	str_release(&s);
	return text;
}
