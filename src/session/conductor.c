/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "session/conductor.h"

#include "base/clock.h"
#include "base/rng.h"

#include <stdio.h>
#include <stdlib.h>

void tell(struct conductor *c, enum session_event_kind kind, const struct run_progress *progress,
	  const struct run *finished, const char *text)
{
	struct session_event ev = {
		.kind = kind,
		.result = c->r,
		.session = c->session,
		.job = c->now.job,
		.run = c->now.run,
		.done = c->done,
		.total = c->total,
		.eta = c->remaining,
		.pair = interleaving(c) ? c->pair + 1 : 0,
		.value = c->p->interleave.kind == INTERLEAVE_SETTING ? c->p->interleave.name[c->arm]
								     : NULL,
		.progress = progress,
		.finished = finished,
		.text = text,
	};

	if (c->o->event)
		c->o->event(c->o->arg, &ev);
}

void judge_now(struct conductor *c)
{
	struct gate_options g = {.now = clock_utc(), .sessions_max = c->r->sessions_max};

	c->r->ended = g.now;
	gate_judge(c->r, c->o->baseline, &g);
}

void new_session(struct conductor *c)
{
	struct session *s = VEC_PUSH(&c->r->sessions);
	struct str stamp;
	char compact[20];
	size_t n = 0;

	s->from = (uint32_t)c->r->attempts.n;
	s->boot = s->from ? facts_value(&c->r->host, "boot.id") : NULL;
	s->started = clock_utc();
	s->seed = rng_mix(c->p->seed + c->session);
	str_init(&stamp);
	clock_format_utc(&stamp, s->started);
	for (size_t i = 0; i < stamp.len && n < sizeof(compact) - 1; i++)
		if (stamp.s[i] != '-' && stamp.s[i] != ':')
			compact[n++] = stamp.s[i];
	compact[n] = '\0';
	str_release(&stamp);
	/* The id must differ even when the seed is given and the second is the same. */
	snprintf(s->id, sizeof(s->id), "%s-%06x", compact, (unsigned)(rng_entropy() & 0xffffff));
}

/* Runs from that one on that were executed and went well. */
static size_t runs_made(const struct conductor *c, size_t from)
{
	size_t n = 0;

	for (size_t i = from; i < c->r->runs.n; i++)
		n += c->r->runs.v[i].out.status == OUTCOME_OK &&
		     !c->p->jobs[c->r->runs.v[i].job].total;
	return n;
}

static int run_order(struct conductor *c, const struct session_order *order, struct err *e)
{
	size_t made = 0, n;
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < order->n; i += n) {
		uint64_t planned = plan_run_time(&c->p->jobs[order->v[i].job]);
		size_t before = c->r->runs.n;

		n = order_together(c, order, i);
		if (c->o->stop && *c->o->stop)
			rc = err_set(e, ERR_INTR, "stopped by a signal");
		else
			rc = execute(c, &order->v[i], n, (uint32_t)i, e);
		made += runs_made(c, before);
		c->done = (uint32_t)(i + n);
		c->remaining -= planned < c->remaining ? planned : c->remaining;
	}
	c->r->sessions.v[c->session].complete = rc == 0 && made == order->n;
	return rc;
}

void record_early(struct conductor *c)
{
	for (size_t i = 0; i < c->r->runs.n; i++)
		if (c->r->runs.v[i].session == c->session)
			record_failed(c, &c->r->runs.v[i]);
}

static int run_session(struct conductor *c, struct err *e)
{
	struct session_order order;
	uint64_t seed;
	int rc;

	new_session(c);
	seed = c->r->sessions.v[c->session].seed;
	c->now = (struct order_entry){.job = UINT32_MAX};
	session_order_make(c->p->jobs, c->p->njobs, c->chosen, seed, &order);
	c->done = 0;
	c->total = (uint32_t)order.n;
	c->remaining = 0;
	for (size_t i = 0; i < order.n; i += order_together(c, &order, i))
		c->remaining += plan_run_time(&c->p->jobs[order.v[i].job]);
	tell(c, EVENT_SESSION, NULL, NULL, NULL);
	rc = record_session(c, e);
	if (rc == 0)
		record_early(c);
	if (rc == 0)
		rc = prepare_targets(c, seed, e);
	if (rc == 0)
		rc = prepare_jobs(c, e);
	if (rc == 0)
		rc = run_order(c, &order, e);
	c->r->sessions.v[c->session].ended = clock_utc();
	if (rc == 0)
		rc = record_session(c, e); /* once more: whether it is complete */
	session_order_release(&order);
	return rc;
}

static bool may_run(const struct conductor *c, size_t job)
{
	return c->p->jobs[job].state == JOB_READY && !c->failed[job] &&
	       (!c->o->only_job || c->o->only_job[job]);
}

/* Which jobs run in the next session; false when none needs one. */
static bool choose(struct conductor *c, uint32_t next)
{
	bool any = false;

	for (size_t i = 0; i < c->p->njobs; i++) {
		bool wants = next - c->first < c->r->sessions_min ||
			     gate_wants_session(c->r, (uint32_t)i);

		c->chosen[i] = may_run(c, i) && wants;
		any |= c->chosen[i];
	}
	/* A canary without a company to watch over is no reason for a session of its own. */
	for (size_t i = 0; any && i < c->p->njobs; i++)
		if (c->p->jobs[i].canary && may_run(c, (uint32_t)i))
			c->chosen[i] = true;
	/* One of a mixture has no further run without the others. */
	for (uint32_t i = 0; any && i < c->p->njobs; i++)
		for (uint32_t k = c->ring[i]; c->chosen[i] && k != i; k = c->ring[k])
			c->chosen[k] = !c->failed[k];
	return any;
}

/* False when the budget does not allow the session. What is missing of the least number of sessions
 * is an error of the jobs; a further session that would only have decided more is not. */
static bool within_budget(struct conductor *c)
{
	const char *why = budget_refuses_session(c);
	struct err ignored = ERR_INIT; /* the runs that follow would tell it too */

	if (!why)
		return true;
	tell(c, EVENT_NOTICE, NULL, NULL, why);
	if (c->session - c->first < c->r->sessions_min) {
		new_session(c);
		record_session(c, &ignored);
		fail_chosen(c, OUTCOME_NONE, why);
		c->r->partial = why;
	}
	return false;
}

static int run_sessions(struct conductor *c, struct err *e)
{
	int rc = 0;

	for (; rc == 0 && c->session - c->first < c->p->sessions_max; c->session++) {
		if (c->session > c->first && !choose(c, c->session))
			break;
		if (!within_budget(c))
			break;
		rc = run_session(c, e);
		judge_now(c);
		tell(c, EVENT_JUDGED, NULL, NULL, NULL);
	}
	return rc;
}

int session_run(const struct plan *p, const struct session_options *o, struct result *r,
		struct err *e)
{
	struct conductor c = {
		.p = p, .o = o, .r = r, .begun = clock_now(), .now = {.job = UINT32_MAX}};
	int rc = 0;

	session_result_init(p, o, r);
	if (p->setup_error)
		return 0;
	if (session_result_continue(o, r, e))
		return e->code;
	c.first = c.session = (uint32_t)r->sessions.n;
	c.holds = xcalloc(p->ntargets ? p->ntargets : 1, sizeof(*c.holds));
	for (size_t t = 0; t < p->ntargets; t++)
		c.holds[t].lock.fd = c.holds[t].claim = -1;
	c.journal_lock.fd = -1;
	c.chosen = xcalloc(p->njobs ? p->njobs : 1, sizeof(*c.chosen));
	c.failed = xcalloc(p->njobs ? p->njobs : 1, sizeof(*c.failed));
	c.filled = xcalloc(p->njobs ? p->njobs : 1, sizeof(*c.filled));
	c.ring = jobs_ring(p->jobs, p->njobs);
	for (size_t i = 0; i < p->njobs; i++)
		c.chosen[i] = may_run(&c, i);
	rc = record_open(&c, e);
	if (rc == 0) {
		rc = suite_setup(&c, e);
		if (rc == 0) {
			c.admission = admission_open(p, o->host, o->clock, r);
			take_holds(&c);
			take_settings(&c);
			rc = interleaving(&c) ? run_interleaved(&c, e) : run_sessions(&c, e);
		}
		rc = release_settings(&c, rc, e);
		for (size_t t = 0; t < p->ntargets; t++)
			hold_release(&c.holds[t]);
		rc = suite_teardown(&c, rc, e);
	} else {
		r->setup_error = arena_strdup(&r->arena, e->text);
		r->setup_status = STATUS_ERROR;
	}
	if (rc == 0 && c.unrecorded.code) {
		*e = c.unrecorded;
		rc = e->code;
	}
	if (rc == ERR_INTR) {
		r->interrupted = true;
		r->partial = "interrupted";
	}
	judge_now(&c);
	admission_close(c.admission);
	record_close(&c);
	for (size_t t = 0; t < p->ntargets; t++)
		hold_release(&c.holds[t]);
	free(c.holds);
	free(c.chosen);
	free(c.failed);
	free(c.filled);
	resume_close(&c);
	free(c.ring);
	free(c.partner);
	return rc;
}
