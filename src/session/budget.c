/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "session/conductor.h"

#include "base/clock.h"
#include "base/units.h"

/* What the harness itself takes a run: fork, ring, report; measured 3 to 12 ms. */
#define HARNESS_NS (20 * NS_PER_MS)

uint64_t budget_run_time(const struct job *j)
{
	/* A run bounded by size is counted by what it took last time; before that it is taken as
	 * nothing, for a guess that is too high would refuse a run that fits. */
	return HARNESS_NS + j->ramp_time + (j->time_based ? j->runtime : 0);
}

static uint64_t last_wall(const struct conductor *c, const struct job *j)
{
	for (size_t i = c->r->runs.n; i-- > 0;)
		if (&c->r->jobs[c->r->runs.v[i].job] == j)
			return c->r->runs.v[i].out.wall;
	return 0;
}

static uint64_t last_written(const struct conductor *c, const struct job *j)
{
	for (size_t i = c->r->runs.n; i-- > 0;)
		if (&c->r->jobs[c->r->runs.v[i].job] == j)
			return c->r->runs.v[i].out.written;
	return 0;
}

static uint64_t run_time(const struct conductor *c, const struct job *j)
{
	uint64_t planned = budget_run_time(j), last = last_wall(c, j);

	return last > planned ? last : planned;
}

static const char *refuse(struct conductor *c, bool time)
{
	struct str s;
	const char *text;

	str_init(&s);
	str_add(&s, "the budget of ");
	if (time)
		unit_format_duration(&s, c->p->budget_time);
	else
		unit_format_size(&s, c->p->budget_written);
	str_add(&s, time ? " is used up" : " written is used up");
	text = arena_strdup(&c->r->arena, s.s);
	str_release(&s);
	return text;
}

const char *budget_refuses(struct conductor *c, const struct job *j)
{
	const struct plan *p = c->p;

	if (p->budget_time && clock_now() - c->begun + run_time(c, j) > p->budget_time)
		return refuse(c, true);
	if (p->budget_written && job_writes(j) &&
	    c->written + last_written(c, j) >= p->budget_written)
		return refuse(c, false);
	return NULL;
}

bool budget_allows_session(struct conductor *c)
{
	const struct plan *p = c->p;
	uint64_t time = 0, bytes = 0;

	for (size_t i = 0; i < p->njobs; i++) {
		if (!c->chosen[i])
			continue;
		time += p->jobs[i].runs * run_time(c, &p->jobs[i]);
		bytes += p->jobs[i].runs * last_written(c, &p->jobs[i]);
	}
	if (p->budget_time && clock_now() - c->begun + time > p->budget_time)
		return false;
	return !p->budget_written || c->written + bytes <= p->budget_written;
}
