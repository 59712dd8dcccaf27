/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Targets and single runs of a session: each ends in the result, also when it could not be made. */
#include "session/conductor.h"

#include "base/clock.h"
#include "base/rng.h"

#include <stdio.h>

static void on_progress(void *arg, const struct run_progress *progress)
{
	tell(arg, EVENT_PROGRESS, progress, NULL, NULL);
}

/* What a worker on that target must not keep: if it cannot be killed it would hold the other
 * targets and the locks until the machine goes down. */
struct closing {
	int *v;
	size_t n, cap;
};

static void add_closing(struct closing *l, int fd)
{
	if (fd >= 0)
		*VEC_PUSH(l) = fd;
}

static struct run_options run_opts(struct conductor *c, uint32_t target, struct closing *close_fds)
{
	*close_fds = (struct closing){0};
	add_closing(close_fds, c->journalling ? c->journal.fd : -1);
	add_closing(close_fds, c->journal_lock.fd);
	for (uint32_t t = 0; t < c->p->ntargets; t++) {
		const struct hold *h = &c->holds[t];

		add_closing(close_fds, h->lock.fd);
		for (unsigned i = 0; t != target && i < h->nfds; i++)
			add_closing(close_fds, h->fds[i]);
	}
	return (struct run_options){
		.stop = c->o->stop,
		.progress = on_progress,
		.arg = c,
		.close_in_child = close_fds->v,
		.nclose = (unsigned)close_fds->n,
	};
}

/* What a run left when it could not be started at all. Before the first session there is nothing to
 * which the journal could tie it: run_session() records those. */
static void add_failed(struct conductor *c, struct order_entry entry, enum outcome_status status,
		       int sys, const char *text)
{
	struct run *run = VEC_PUSH(&c->r->runs);

	*run = (struct run){.job = entry.job,
			    .session = c->session,
			    .run = entry.run,
			    .order = entry.run,
			    .started = clock_utc()};
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

void fail_chosen(struct conductor *c, enum outcome_status status, const char *text)
{
	for (size_t i = 0; i < c->p->njobs; i++) {
		struct order_entry entry = {.job = (uint32_t)i, .run = next_run(c, i)};

		if (c->chosen[i] && !c->failed[i])
			add_failed(c, entry, status, 0, text);
	}
}

static bool uses(const struct conductor *c, size_t job, uint32_t target)
{
	return c->chosen[job] && !c->failed[job] && c->p->jobs[job].target == target &&
	       !plan_job_diskless(&c->p->jobs[job]);
}

static void fail_target(struct conductor *c, uint32_t target, const struct err *e)
{
	char text[1100];

	snprintf(text, sizeof(text), "%s%s%s", e->text, e->hint[0] ? "; " : "", e->hint);
	for (size_t i = 0; i < c->p->njobs; i++)
		if (uses(c, i, target))
			add_failed(c,
				   (struct order_entry){.job = (uint32_t)i, .run = next_run(c, i)},
				   OUTCOME_SETUP, e->sys, text);
	tell(c, EVENT_NOTICE, NULL, NULL, e->text);
}

void take_holds(struct conductor *c)
{
	for (uint32_t t = 0; t < c->p->ntargets; t++) {
		struct err te = ERR_INIT;

		if (hold_take(&c->holds[t], c->p, t, c->o->wait_lock, c->o->stop, &te) < 0)
			fail_target(c, t, &te);
	}
}

int prepare_targets(struct conductor *c, uint64_t seed, struct err *e)
{
	for (uint32_t t = 0; t < c->p->ntargets; t++) {
		struct closing close_fds;
		struct run_options ro;
		struct err te = ERR_INIT;
		bool used = false;

		for (size_t i = 0; i < c->p->njobs; i++)
			used |= uses(c, i, t);
		if (!used || c->holds[t].lost)
			continue;
		if (c->p->targets[t].kind == TARGET_DIR)
			tell(c, EVENT_LAYOUT, NULL, NULL, c->p->targets[t].id);
		ro = run_opts(c, t, &close_fds);
		hold_prepare(&c->holds[t], c->p, t, seed, &ro, &c->written, &te);
		VEC_RELEASE(&close_fds);
		if (te.code == ERR_INTR) {
			*e = te;
			return e->code;
		}
		if (te.code)
			fail_target(c, t, &te);
	}
	return 0;
}

static int make_run(struct conductor *c, struct order_entry entry, uint32_t order, struct err *e)
{
	const struct job *j = &c->p->jobs[entry.job];
	struct hold *h = &c->holds[j->target];
	uint64_t seed = c->r->sessions.v[c->session].seed;
	uint64_t mixed = rng_mix(seed ^ rng_mix(entry.job) ^ (entry.run + 1));
	struct closing close_fds;
	struct run_options ro = run_opts(c, j->target, &close_fds);
	struct run_request req = {
		.job = j,
		.target_name = c->p->targets[j->target].id,
		.seed = j->randrepeat ? rng_mix(j->seed) : mixed,
		.run_seed = mixed,
		.inject = c->o->inject,
	};
	struct err re = ERR_INIT;
	struct run *run = VEC_PUSH(&c->r->runs);

	*run = (struct run){
		.job = entry.job, .session = c->session, .run = entry.run, .order = order};
	outcome_init(&run->out);
	run->started = clock_utc();
	hold_descriptors(h, c->p, j, &req);
	if (latency_log_begin(c, j, &req, &re) < 0 || run_jobs(&req, 1, &ro, &run->out, &re) < 0) {
		run->out.status = OUTCOME_SETUP;
		run->out.sys = re.sys;
		snprintf(run->out.text, sizeof(run->out.text), "%.500s", re.text);
	}
	VEC_RELEASE(&close_fds);
	c->written += run->out.written;
	c->failed[entry.job] |= run->out.status != OUTCOME_OK;
	h->lost |= run->out.abandoned;
	latency_log_end(c, req.log, run, e);
	if (record_run(c, run, e) < 0 || e->code)
		return e->code;
	tell(c, EVENT_RUN_DONE, NULL, run, NULL);
	return run->out.status == OUTCOME_INTERRUPTED ? err_set(e, ERR_INTR, "stopped by a signal")
						      : 0;
}

int execute(struct conductor *c, struct order_entry entry, uint32_t order, struct err *e)
{
	const struct job *j = &c->p->jobs[entry.job];
	const char *why;

	if (c->failed[entry.job])
		return 0;
	if (c->holds[j->target].lost && !plan_job_diskless(j)) {
		add_failed(c, entry, OUTCOME_LOST, 0,
			   "target lost: an earlier worker on it could not be killed");
		return 0;
	}
	why = budget_refuses_run(c, j);
	if (why) {
		add_failed(c, entry, OUTCOME_NONE, 0, why);
		if (!c->r->partial)
			c->r->partial = why;
		return 0;
	}
	c->now = entry;
	if (record_start(c, e) < 0)
		return e->code;
	tell(c, EVENT_RUN, NULL, NULL, NULL);
	return make_run(c, entry, order, e);
}
