/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The budgets of time and of bytes written: no run and no layout starts that would pass them. */
#include "session/conductor.h"

#include "base/clock.h"
#include "base/units.h"

#include <stdlib.h>

/* The last run of that job, NULL before the first. */
static const struct outcome *last_run(const struct conductor *c, const struct job *j)
{
	for (size_t i = c->r->runs.n; i-- > 0;)
		if (&c->p->jobs[c->r->runs.v[i].job] == j)
			return &c->r->runs.v[i].out;
	return NULL;
}

static uint64_t run_time(const struct conductor *c, const struct job *j)
{
	const struct outcome *last = last_run(c, j);
	uint64_t planned = plan_run_time(j);

	return last && last->wall > planned ? last->wall : planned;
}

/* What a run wrote before is what it will write; the first one of a job bounded by size is known
 * too. A first free-running one is not: it may pass the budget, the next will not start. */
static uint64_t run_written(const struct conductor *c, const struct job *j)
{
	const struct outcome *last = last_run(c, j);

	if (j->total)
		return 0;
	if (job_trims(j))
		return interleaving(c)
			       ? 0
			       : plan_refill_bytes(c->p, j); /* what is trimmed is not written */
	if (!job_writes(j))
		return 0;
	if (last)
		return last->written;
	return j->time_based ? 0 : j->size * j->loops * j->numjobs;
}

static const char *check(struct conductor *c, uint64_t time, uint64_t bytes)
{
	uint64_t spent = clock_now() - c->begun;
	struct str s;
	const char *text = NULL;

	str_init(&s);
	if (c->p->budget_time && spent + time > c->p->budget_time) {
		str_add(&s, "the budget of ");
		unit_format_duration(&s, c->p->budget_time);
		str_add(&s, " is used up");
	} else if (c->p->budget_written && bytes && c->written + bytes > c->p->budget_written) {
		str_add(&s, "the budget of ");
		unit_format_size(&s, c->p->budget_written);
		str_add(&s, " written is used up");
	}
	if (s.len)
		text = arena_strdup(&c->r->arena, s.s);
	str_release(&s);
	return text;
}

const char *budget_refuses(struct conductor *c, uint64_t time, uint64_t bytes)
{
	return check(c, time, bytes);
}

const char *budget_refuses_run(struct conductor *c, const struct order_entry *entry, size_t n)
{
	uint64_t time = 0, bytes = 0;

	for (size_t i = 0; i < n; i++) {
		const struct job *j = &c->p->jobs[entry[i].job];
		uint64_t t = run_time(c, j);

		time = t > time ? t : time; /* at the same time */
		bytes += run_written(c, j);
	}
	return check(c, time, bytes);
}

static uint64_t fresh_bytes(const struct conductor *c, const struct order_entry *entry, size_t n)
{
	uint32_t *job = xcalloc(n, sizeof(*job));
	struct job *room = xcalloc(n, sizeof(*room));
	struct plan part;
	uint64_t bytes;

	for (size_t i = 0; i < n; i++)
		job[i] = entry[i].job;
	part = plan_part(c->p, job, n, room);
	bytes = plan_layout_bytes(&part);
	free(room);
	free(job);
	return bytes;
}

const char *budget_refuses_pair(struct conductor *c, const struct order_entry *reference,
				const struct order_entry *candidate, size_t n)
{
	const struct order_entry *of[ARM_COUNT] = {reference, candidate};
	uint64_t time = 0, bytes = 0;

	for (unsigned arm = 0; arm < ARM_COUNT; arm++) {
		uint64_t longest = 0;

		for (size_t i = 0; i < n; i++) {
			const struct job *j = &c->p->jobs[of[arm][i].job];
			uint64_t t = run_time(c, j);

			longest = t > longest ? t : longest;
			bytes += run_written(c, j);
		}
		bytes += fresh_bytes(c, of[arm], n);
		time += longest + c->fresh_ns;
	}
	return check(c, time, bytes);
}

const char *budget_refuses_session(struct conductor *c)
{
	uint64_t time = 0, bytes = plan_layout_bytes(c->p);

	/* The first session starts with what fits; its runs are asked for one by one. */
	for (size_t i = 0; c->session > c->first && i < c->p->njobs; i++) {
		const struct job *j = &c->p->jobs[i];

		if (!c->chosen[i])
			continue;
		if (!j->group || j->group == i + 1) /* the others run meanwhile */
			time += j->runs * run_time(c, j);
		bytes += j->runs * run_written(c, j);
	}
	return check(c, time, bytes);
}
