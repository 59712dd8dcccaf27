/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "session/conductor.h"

#include "base/clock.h"
#include "base/rng.h"
#include "engines/engine.h"

#include <stdio.h>
#include <string.h>

static void tell(struct conductor *c, enum session_event_kind kind,
		 const struct run_progress *progress, const struct run *finished, const char *text)
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
	    .progress = progress,
	    .finished = finished,
	    .text = text,
	};

	if (c->o->event)
		c->o->event(c->o->arg, &ev);
}

static void on_progress(void *arg, const struct run_progress *progress)
{
	tell(arg, EVENT_PROGRESS, progress, NULL, NULL);
}

static struct run_options run_opts(struct conductor *c)
{
	return (struct run_options){
	    .stop = c->o->stop,
	    .progress = on_progress,
	    .arg = c,
	    .close_in_child = c->child_close,
	    .nclose = c->nclose,
	};
}

static void judge(struct conductor *c)
{
	struct gate_options g = {.now = clock_utc(), .sessions_max = c->r->sessions_max};

	c->r->ended = g.now;
	gate_judge(c->r, c->o->baseline, &g);
}

/* What a run left when it could not be started at all. Before the first session there is nothing to
 * which the journal could tie it: run_session() records those. */
static void add_failed(struct conductor *c, struct slot slot, enum outcome_status status, int sys,
		       const char *text)
{
	struct run *run = VEC_PUSH(&c->r->runs);

	*run = (struct run){.job = slot.job,
			    .session = c->session,
			    .run = slot.run,
			    .order = slot.run,
			    .started = clock_utc()};
	outcome_init(&run->out);
	run->out.status = status;
	run->out.sys = sys;
	snprintf(run->out.text, sizeof(run->out.text), "%s", text);
	c->failed[slot.job] = true;
	if (c->session < c->r->sessions.n)
		record_failed(c, run);
}

static void fail_target(struct conductor *c, uint32_t target, const struct err *e)
{
	char text[1100];

	snprintf(text, sizeof(text), "%s%s%s", e->text, e->hint[0] ? "; " : "", e->hint);
	for (size_t i = 0; i < c->p->njobs; i++)
		if (c->chosen[i] && !c->failed[i] && c->p->jobs[i].target == target &&
		    !hold_diskless(&c->p->jobs[i]))
			add_failed(c, (struct slot){.job = (uint32_t)i}, OUTCOME_SETUP, e->sys,
				   text);
}

static void new_session(struct conductor *c)
{
	struct session *s = VEC_PUSH(&c->r->sessions);
	struct str stamp;
	char compact[20];
	size_t n = 0;

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

static int one_run(struct conductor *c, const struct slot *slot, uint32_t order, struct err *e)
{
	const struct job *j = &c->p->jobs[slot->job];
	const struct target *t = &c->p->targets[j->target];
	struct hold *h = &c->holds[j->target];
	const struct session *s = &c->r->sessions.v[c->session];
	uint64_t mixed = rng_mix(s->seed ^ rng_mix(slot->job) ^ (slot->run + 1));
	struct run_options ro = run_opts(c);
	struct run_request req = {
	    .job = j,
	    .target_name = t->id,
	    .seed = j->randrepeat ? rng_mix(j->seed) : mixed,
	    .run_seed = mixed,
	    .inject = c->o->inject,
	};
	struct run *run;
	int rc;

	c->now = *slot;
	hold_descriptors(h, c->p, j, &req);
	if (record_start(c, e) < 0)
		return e->code;
	tell(c, EVENT_RUN, NULL, NULL, NULL);
	run = VEC_PUSH(&c->r->runs);
	*run =
	    (struct run){.job = slot->job, .session = c->session, .run = slot->run, .order = order};
	outcome_init(&run->out);
	run->started = clock_utc();
	rc = run_jobs(&req, 1, &ro, &run->out, e);
	if (rc < 0) {
		run->out.status = OUTCOME_SETUP;
		snprintf(run->out.text, sizeof(run->out.text), "%.500s", e->text);
	}
	c->written += run->out.written;
	if (run->out.status != OUTCOME_OK)
		c->failed[slot->job] = true;
	if (run->out.abandoned)
		h->lost = true;
	if (record_run(c, run, e) < 0)
		return e->code;
	tell(c, EVENT_RUN_DONE, NULL, run, NULL);
	return run->out.status == OUTCOME_INTERRUPTED ? err_set(e, ERR_INTR, "stopped by a signal")
						      : 0;
}

/* Before each run: reasons for which it is not made. True = go. */
static bool may_run(struct conductor *c, struct slot slot)
{
	const struct job *j = &c->p->jobs[slot.job];
	const char *why;

	if (c->failed[slot.job])
		return false;
	if (c->holds[j->target].lost) {
		add_failed(c, slot, OUTCOME_LOST, 0,
			   "target lost: an earlier worker on it could not be killed");
		return false;
	}
	why = budget_refuses(c, j);
	if (why) {
		add_failed(c, slot, OUTCOME_NONE, 0, why);
		if (!c->r->partial)
			c->r->partial = why;
		return false;
	}
	return true;
}

static int prepare_targets(struct conductor *c, uint64_t seed, struct err *e)
{
	struct run_options ro = run_opts(c);

	for (uint32_t t = 0; t < c->p->ntargets; t++) {
		bool used = false;
		struct err te = ERR_INIT;

		for (size_t i = 0; i < c->p->njobs; i++)
			used |= c->chosen[i] && !c->failed[i] && c->p->jobs[i].target == t &&
				!hold_diskless(&c->p->jobs[i]);
		if (!used)
			continue;
		if (c->p->targets[t].kind == TARGET_DIR)
			tell(c, EVENT_LAYOUT, NULL, NULL, c->p->targets[t].id);
		if (hold_prepare(&c->holds[t], c->p, t, seed, &ro, &c->written, &te) == 0)
			continue;
		if (te.code == ERR_INTR) {
			*e = te;
			return e->code;
		}
		fail_target(c, t, &te);
		tell(c, EVENT_NOTICE, NULL, NULL, te.text);
	}
	return 0;
}

static int run_session(struct conductor *c, struct err *e)
{
	struct session_order order;
	uint64_t seed;
	int rc = 0;

	new_session(c);
	seed = c->r->sessions.v[c->session].seed;
	c->now = (struct slot){.job = UINT32_MAX};
	session_order_make(c->p->jobs, c->p->njobs, c->chosen, seed, &order);
	c->done = 0;
	c->total = (uint32_t)order.n;
	c->remaining = 0;
	for (size_t i = 0; i < order.n; i++)
		c->remaining += budget_run_time(&c->p->jobs[order.v[i].job]);
	tell(c, EVENT_SESSION, NULL, NULL, NULL);
	rc = record_session(c, e);
	for (size_t i = 0; rc == 0 && i < c->r->runs.n; i++)
		if (c->r->runs.v[i].session == c->session)
			record_failed(c, &c->r->runs.v[i]); /* the claims that failed */
	if (rc == 0)
		rc = prepare_targets(c, seed, e);
	for (size_t i = 0; rc == 0 && i < order.n; i++) {
		uint64_t planned = budget_run_time(&c->p->jobs[order.v[i].job]);

		if (c->o->stop && *c->o->stop)
			rc = err_set(e, ERR_INTR, "stopped by a signal");
		else if (may_run(c, order.v[i]))
			rc = one_run(c, &order.v[i], (uint32_t)i, e);
		c->done++;
		c->remaining -= planned < c->remaining ? planned : c->remaining;
	}
	c->r->sessions.v[c->session].ended = clock_utc();
	c->r->sessions.v[c->session].complete = rc == 0;
	if (rc == 0)
		rc = record_session(c, e); /* once more: complete */
	session_order_release(&order);
	return rc;
}

/* Which jobs run in the next session; false when none needs one. */
static bool choose(struct conductor *c, uint32_t next)
{
	bool any = false;

	for (size_t i = 0; i < c->p->njobs; i++) {
		bool wants = next < c->r->sessions_min || gate_wants_session(c->r, (uint32_t)i);

		c->chosen[i] = c->p->jobs[i].state == JOB_READY && !c->failed[i] && wants;
		any |= c->chosen[i];
	}
	/* A canary without a company to watch over is no reason for a session of its own. */
	for (size_t i = 0; any && i < c->p->njobs; i++)
		if (c->p->jobs[i].canary && c->p->jobs[i].state == JOB_READY && !c->failed[i])
			c->chosen[i] = true;
	return any;
}

static int run_sessions(struct conductor *c, struct err *e)
{
	int rc = 0;

	for (c->session = 0; rc == 0 && c->session < c->r->sessions_max; c->session++) {
		if (c->session && (!choose(c, c->session) || !budget_allows_session(c)))
			break;
		rc = run_session(c, e);
		judge(c);
		tell(c, EVENT_JUDGED, NULL, NULL, NULL);
	}
	return rc;
}

static void take_holds(struct conductor *c)
{
	for (uint32_t t = 0; t < c->p->ntargets; t++) {
		struct err te = ERR_INIT;

		if (hold_take(&c->holds[t], c->p, t, c->o->wait_lock, c->o->stop, &te) < 0) {
			fail_target(c, t, &te);
			tell(c, EVENT_NOTICE, NULL, NULL, te.text);
		} else if (c->holds[t].lock.fd >= 0) {
			c->child_close[c->nclose++] = c->holds[t].lock.fd;
		}
	}
}

void session_result_init(const struct plan *p, const struct session_options *o, struct result *r)
{
	const struct suite *s = p->suite;

	result_init(r);
	r->suite = s->name;
	r->suite_file = s->file;
	r->description = s->description;
	r->profile = p->profile;
	r->change = o->change;
	r->inject = o->inject_text;
	r->partial = o->partial;
	r->started = r->ended = clock_utc();
	r->seed = p->seed;
	r->measurement_version = MEASUREMENT_VERSION;
	r->tool_version = BLKGATE_VERSION;
	r->values_writer = measure_write_values;
	r->policy = p->policy;
	for (size_t i = 0; i < s->under_test.n; i++)
		*VEC_PUSH(&r->compare.under_test) = s->under_test.v[i];
	for (size_t i = 0; i < s->must_match.n; i++)
		*VEC_PUSH(&r->compare.must_match) = s->must_match.v[i];
	for (size_t i = 0; i < s->note.n; i++)
		*VEC_PUSH(&r->compare.note) = s->note.v[i];
	r->sessions_min = p->sessions_min;
	r->sessions_max = p->sessions_max;
	r->assumed_session_sd = s->assumed_session_sd;
	r->false_alarm = 0.05;
	r->setup_error = p->setup_error;
	if (p->setup_error)
		r->setup_status = p->setup_code == ERR_SUITE ? STATUS_USAGE : STATUS_ERROR;
	for (size_t i = 0; i < p->host.n; i++)
		facts_set(&r->host, &r->arena, p->host.v[i].key, p->host.v[i].value,
			  p->host.v[i].why);
	r->targets = p->targets;
	r->ntargets = p->ntargets;
	r->jobs = p->jobs;
	r->njobs = p->njobs;
	r->checks = p->checks;
	r->nchecks = p->nchecks;
	for (size_t i = 0; i < p->notices.n; i++)
		*VEC_PUSH(&r->notices) = p->notices.v[i];
	{
		struct gate_options g = {.now = r->ended, .sessions_max = r->sessions_max};

		gate_judge(r, o->baseline, &g);
	}
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
	c.holds = xcalloc(p->ntargets ? p->ntargets : 1, sizeof(*c.holds));
	for (size_t t = 0; t < p->ntargets; t++)
		c.holds[t].lock.fd = -1;
	c.out.fd = -1;
	c.chosen = xcalloc(p->njobs ? p->njobs : 1, sizeof(*c.chosen));
	c.failed = xcalloc(p->njobs ? p->njobs : 1, sizeof(*c.failed));
	c.child_close = xcalloc(p->ntargets + 2, sizeof(*c.child_close));
	for (size_t i = 0; i < p->njobs; i++)
		c.chosen[i] = p->jobs[i].state == JOB_READY;
	rc = record_open(&c, e);
	if (rc == 0) {
		take_holds(&c);
		rc = run_sessions(&c, e);
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
	judge(&c);
	record_close(&c);
	for (size_t t = 0; t < p->ntargets; t++)
		hold_release(&c.holds[t]);
	free(c.holds);
	free(c.chosen);
	free(c.failed);
	free(c.child_close);
	return rc;
}
