/* SPDX-License-Identifier: GPL-2.0-or-later */
/* session/failed: what stands in the result in the place of a run that could not be made. */
#include "session/party.h"

#include "base/clock.h"

#include <stdio.h>

enum arm arm_of_run(const struct conductor *c, uint32_t job)
{
	const struct interleave *i = &c->p->interleave;

	return i->kind == INTERLEAVE_VERSUS
		       ? interleave_arm(i, &c->p->targets[c->p->jobs[job].target])
		       : c->arm;
}

/* What a run left when it could not be started at all. Before the first session there is nothing to
 * which the journal could tie it: run_session() records those. */
void fail_one(struct conductor *c, struct order_entry entry, enum outcome_status status, int sys,
	      const char *text)
{
	struct run *run = VEC_PUSH(&c->r->runs);

	*run = (struct run){.job = entry.job,
			    .session = c->session,
			    .run = entry.run,
			    .order = entry.run,
			    .started = clock_utc(),
			    .pair = c->pair,
			    .arm = arm_of_run(c, entry.job)};
	outcome_init(&run->out);
	run->out.status = status;
	run->out.sys = sys;
	snprintf(run->out.text, sizeof(run->out.text), "%s", text);
	c->failed[entry.job] = true;
	if (c->session < c->r->sessions.n)
		record_failed(c, run);
}

/* A number that no run of the job has in this session: two records of one run are a damaged result.
 */
static uint32_t next_run(const struct conductor *c, size_t job)
{
	uint32_t next = 0;

	for (size_t i = 0; i < c->r->runs.n; i++) {
		const struct run *run = &c->r->runs.v[i];

		if (run->job == job && run->session == c->session && run->run >= next)
			next = run->run + 1;
	}
	return next;
}

const char *job_label(const struct conductor *c, uint32_t job)
{
	const struct job *j = &c->p->jobs[job];

	return arena_printf(&c->r->arena, "'%s' on '%s'", j->name, c->p->targets[j->target].role);
}

void fail_company(struct conductor *c, uint32_t job, const char *text)
{
	for (uint32_t k = c->ring[job]; k != job; k = c->ring[k]) {
		char why[512];

		if (!c->chosen[k] || c->failed[k])
			continue;
		snprintf(why, sizeof(why), "it runs only at the same time as %s, which failed: %s",
			 job_label(c, job), text);
		fail_one(c, (struct order_entry){.job = k, .run = next_run(c, k)},
			 OUTCOME_COMPANION, 0, why);
	}
}

void fail_with_group(struct conductor *c, struct order_entry entry, enum outcome_status status,
		     int sys, const char *text)
{
	fail_one(c, entry, status, sys, text);
	fail_company(c, entry.job, text);
}

void fail_entry(struct conductor *c, struct order_entry entry, enum outcome_status status,
		const char *text)
{
	fail_with_group(c, entry, status, 0, text);
}

void fail_chosen(struct conductor *c, enum outcome_status status, const char *text)
{
	for (size_t i = 0; i < c->p->njobs; i++) {
		struct order_entry entry = {.job = (uint32_t)i, .run = next_run(c, i)};

		if (c->chosen[i] && !c->failed[i])
			fail_one(c, entry, status, 0, text);
	}
}

bool job_uses(const struct conductor *c, size_t job, uint32_t target)
{
	return c->chosen[job] && !c->failed[job] && c->p->jobs[job].target == target &&
	       !plan_job_diskless(&c->p->jobs[job]);
}

void fail_target(struct conductor *c, uint32_t target, const struct err *e)
{
	char text[1100];

	snprintf(text, sizeof(text), "%s%s%s", e->text, e->hint[0] ? "; " : "", e->hint);
	for (size_t i = 0; i < c->p->njobs; i++)
		if (job_uses(c, i, target))
			fail_one(c, (struct order_entry){.job = (uint32_t)i, .run = next_run(c, i)},
				 OUTCOME_SETUP, e->sys, text);
	for (uint32_t i = 0; i < c->p->njobs; i++)
		if (c->chosen[i] && c->failed[i] && c->p->jobs[i].target == target)
			fail_company(c, i, text);
	tell(c, EVENT_NOTICE, NULL, NULL, e->text);
}
