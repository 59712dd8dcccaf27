/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Was the queue full? Little's law binds rate and mean latency while the same number of I/Os is in
 * flight, and a queue that is not full can hold more of them: then the latency grows at the same
 * rate.
 */
#include "gate/judge.h"
#include <math.h>
#include <stdio.h>

#define FULL 0.95 /* of the depth */
#define EVEN                                                                                       \
	1.02 /* the fullest over the emptiest of all runs of both sides: so much of a latency      \
	      * can hide behind the rate */

struct fill {
	double least, most;
};

static const struct metric *rate_of(const struct metric *latency)
{
	char name[32];

	snprintf(name, sizeof(name), "%s.iops", io_dir_name((enum io_dir)latency->dir));
	return metric_find(name);
}

/* I/Os in flight over those that may be; not a number is none. */
static void add(struct fill *f, const struct job *j, double iops, double latency_ns)
{
	double depth = (double)j->iodepth * j->numjobs * job_parts(j);
	double full = iops * latency_ns / 1e9 / depth;

	f->least = full >= f->least ? f->least : isnan(full) ? 0 : full;
	f->most = fmax(f->most, full);
}

static void add_now(const struct judge *g, uint32_t job, const struct metric *latency,
		    struct fill *f)
{
	const struct run *const *run = &g->run[g->run_first[job]];
	const struct job *j = &g->r->jobs[job];
	struct value rate, mean;

	for (size_t i = 0; i < judge_runs(g, job); i++) {
		metric_value(rate_of(latency), j, &run[i]->out, &rate);
		metric_value(latency, j, &run[i]->out, &mean);
		if (rate.state == VALUE_OK && mean.state == VALUE_OK)
			add(f, j, rate.v, mean.v);
		else
			f->least = 0;
	}
}

/* A session that holds other words is no evidence, and one that lacks a value tells nothing. */
static void add_then(struct judge *g, uint32_t job, const struct metric *latency, struct fill *f)
{
	const struct job *j = &g->r->jobs[job];

	for (size_t s = 0; s < g->base.n; s++) {
		const struct base_job *b = g->base.job[s * g->r->njobs + job];
		const struct base_value *rate = judge_base_value(b, rate_of(latency)->name),
					*mean = judge_base_value(b, latency->name);

		if (!b || !str_eq(b->canonical, judge_canonical(g, job)))
			continue;
		if (!rate || !mean || rate->n != b->runs || mean->n != b->runs)
			f->least = 0;
		else
			for (uint32_t i = 0; i < b->runs; i++)
				add(f, j, rate->v[i], mean->v[i]);
	}
}

bool judge_queue_full(struct judge *g, uint32_t job, const struct metric *latency)
{
	struct fill f = {.least = INFINITY};
	struct arms a;

	add_now(g, job, latency, &f);
	if (g->r->interleave.kind == INTERLEAVE_NONE)
		add_then(g, job, latency, &f);
	else if (!judge_arms(g, job, &a))
		return false;
	else if (a.job[ARM_REFERENCE] != a.job[ARM_CANDIDATE])
		add_now(g, a.job[a.job[ARM_REFERENCE] == job ? ARM_CANDIDATE : ARM_REFERENCE],
			latency, &f);
	return f.most > 0 && f.least >= FULL && f.most <= EVEN * f.least;
}
