/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "gate/family.h"
#include "gate/estimate.h"
#include <math.h>

#define FAMILY_DEFAULT 0.05
#define GATE_TOTAL 0.001

static bool is_mean_latency(const struct metric *m)
{
	return m->stat == STAT_MEAN && (m->source == SOURCE_LAT || m->source == SOURCE_CLAT);
}

/* Little: jobs x depth = rate x mean latency, while nothing else makes the I/O wait. */
static bool closed_loop(const struct job *j)
{
	if (j->rate > 0 || j->rate_iops > 0 || j->thinktime || j->fsync || j->fdatasync)
		return false;
	return !(job_writes(j) && j->end_fsync) && !(job_reads(j) && job_writes(j));
}

/* How many I/Os were done, said one way or another? */
static bool tells_rate(const struct job *j, const struct metric *m)
{
	return m->source == SOURCE_IOS || (m->source == SOURCE_BYTES && !job_bs_mixed(j));
}

static bool takes_part(const struct family *f, const struct check *c)
{
	return c->kind == CHECK_GATE && c->role == ROLE_PRIMARY && !c->skipped &&
	       c->job < f->njobs && f->jobs[c->job].state != JOB_SKIPPED;
}

/* One that cannot be judged at all stays an error of its own. */
static bool may_share(const struct family *f, const struct check *c)
{
	const struct metric *m = metric_find(c->metric);
	struct scale s;

	return takes_part(f, c) && m && metric_job_does(&f->jobs[c->job], m->dir) && !c->absolute &&
	       !(c->known.no_worse_than > 0) && scale_make(m, c->tolerance, false, &s);
}

/* A rate of all directions and that of the only one are the same. */
static unsigned direction(const struct job *j, const struct metric *m)
{
	unsigned only = METRIC_ALL, n = 0;

	if (m->dir != METRIC_ALL)
		return m->dir;
	for (unsigned d = 0; d < DIR_COUNT; d++)
		if (metric_job_does(j, d)) {
			only = d;
			n++;
		}
	return n == 1 ? only : METRIC_ALL;
}

static double delta_of(const struct check *c, const struct metric *m)
{
	struct scale s;

	return scale_make(m, c->tolerance, false, &s) ? s.delta : INFINITY;
}

static bool same_fact(const struct family *f, const struct check *a, const struct check *b)
{
	const struct metric *ma = metric_find(a->metric), *mb = metric_find(b->metric);
	const struct job *j = &f->jobs[a->job];

	if (a->job != b->job || !ma || !mb || !may_share(f, a) || !may_share(f, b))
		return false;
	if (direction(j, ma) != direction(j, mb) || !tells_rate(j, mb))
		return false;
	return tells_rate(j, ma) || (is_mean_latency(ma) && closed_loop(j));
}

/*
 * Only a rate stands for others: what is lost between a completion and the next submission is in no
 * latency. Checks of a job stand together (the plan makes them so). The check itself when none is
 * as tight.
 */
static uint32_t tightest_rate(const struct family *f, uint32_t check)
{
	const struct check *c = &f->checks[check];
	const struct metric *m = metric_find(c->metric);
	uint32_t best = check, first = check;
	bool rate = tells_rate(&f->jobs[c->job], m);
	double least = delta_of(c, m);

	while (first > 0 && f->checks[first - 1].job == c->job)
		first--;
	for (uint32_t i = first; i < f->nchecks && f->checks[i].job == c->job; i++) {
		const struct metric *mi = metric_find(f->checks[i].metric);
		bool before = i < best || (best == check && !rate);
		double delta;

		if (i == check || !same_fact(f, c, &f->checks[i]))
			continue;
		delta = delta_of(&f->checks[i], mi);
		if (delta < least || (delta <= least && before)) {
			least = delta;
			best = i;
		}
	}
	return best;
}

void family_twins(const struct family *f, uint32_t *twin)
{
	for (uint32_t i = 0; i < f->nchecks; i++) {
		const struct check *c = &f->checks[i];

		twin[i] = i;
		if (may_share(f, c) && tells_rate(&f->jobs[c->job], metric_find(c->metric)))
			twin[i] = tightest_rate(f, i);
	}
}

uint32_t family_rate_of(const struct family *f, uint32_t check)
{
	const struct check *c = &f->checks[check];

	return may_share(f, c) && is_mean_latency(metric_find(c->metric)) ? tightest_rate(f, check)
									  : check;
}

size_t family_size(const struct family *f, const uint32_t *twin)
{
	size_t m = 0;

	for (uint32_t i = 0; i < f->nchecks; i++)
		m += takes_part(f, &f->checks[i]) && twin[i] == i;
	return m;
}

double family_level(const struct family *f, const uint32_t *twin)
{
	double share = f->false_alarm > 0 ? f->false_alarm : FAMILY_DEFAULT;
	size_t m = family_size(f, twin);

	share /= m > 0 ? (double)m : 1.0;
	return share < GATE_TOTAL ? share : GATE_TOTAL;
}

struct family family_of(const struct result *r)
{
	return (struct family){r->jobs, r->njobs, r->checks, r->nchecks, r->false_alarm};
}
