/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Targets and single runs of a session: each ends in the result, also when it could not be made. */
#include "session/party.h"

#include "base/clock.h"
#include "base/rng.h"
#include "host/host.h"

#include <stdio.h>
#include <stdlib.h>

static void on_progress(void *arg, const struct run_progress *progress)
{
	struct conductor *c = arg;

	admission_tick(c->admission, progress);
	tell(arg, EVENT_PROGRESS, progress, NULL, NULL);
}

static void add_closing(struct closing *l, int fd)
{
	if (fd >= 0)
		*VEC_PUSH(l) = fd;
}

static void add_watching(void *arg, int fd)
{
	add_closing(arg, fd);
}

/* The journal, the locks and all targets that are not used at the same time. */
struct run_options party_options(struct conductor *c, const bool *used, struct closing *close_fds)
{
	*close_fds = (struct closing){0};
	add_closing(close_fds, c->journalling ? c->journal.fd : -1);
	add_closing(close_fds, c->journal_lock.fd);
	admission_descriptors(c->admission, add_watching, close_fds);
	for (size_t i = 0; i < c->settings.n; i++)
		add_closing(close_fds, c->settings.v[i].lock.fd);
	for (uint32_t t = 0; t < c->p->ntargets; t++) {
		const struct hold *h = &c->holds[t];

		add_closing(close_fds, h->lock.fd);
		add_closing(close_fds, h->claim);
		for (unsigned i = 0; !used[t] && i < h->nfds; i++)
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
	bool *only = xcalloc(c->p->ntargets + 1, sizeof(*only));
	int rc = 0;

	for (uint32_t t = 0; t < c->p->ntargets; t++) {
		struct closing close_fds;
		struct run_options ro;
		struct err te = ERR_INIT;
		bool used = false;

		for (size_t i = 0; i < c->p->njobs; i++)
			used |= job_uses(c, i, t);
		if (!used || c->holds[t].lost)
			continue;
		if (c->p->targets[t].kind == TARGET_DIR)
			tell(c, EVENT_LAYOUT, NULL, NULL, c->p->targets[t].id);
		only[t] = true;
		ro = party_options(c, only, &close_fds);
		only[t] = false;
		hold_prepare(&c->holds[t], c->p, t, seed, &ro, &c->written, &te);
		VEC_RELEASE(&close_fds);
		if (te.code == ERR_INTR) {
			*e = te;
			rc = te.code;
			break;
		}
		if (te.code)
			fail_target(c, t, &te);
	}
	free(only);
	return rc;
}

static void party_open(struct conductor *c, struct party *y)
{
	y->req = xcalloc(y->n, sizeof(*y->req));
	y->out = xcalloc(y->n, sizeof(*y->out));
	y->others = xcalloc(y->n, sizeof(*y->others));
	y->used = xcalloc(c->p->ntargets + 1, sizeof(*y->used));
	for (size_t i = 0; i < y->n; i++)
		y->used[c->p->jobs[y->entry[i].job].target] = true;
}

static void party_close(struct party *y)
{
	for (size_t i = 0; i < y->n; i++)
		VEC_RELEASE(&y->others[i]);
	free(y->req);
	free(y->out); /* what is in them went to the result */
	free(y->others);
	free(y->used);
}

/* What is slowed down is compared with what is not. */
static struct inject inject_of(const struct conductor *c, uint32_t job)
{
	if (interleaving(c) && c->arm == ARM_REFERENCE)
		return INJECT_NONE;
	return session_inject(c->p, c->o, job);
}

static void request(struct conductor *c, struct party *y, size_t i)
{
	const struct order_entry *entry = &y->entry[i];
	const struct job *j = &c->p->jobs[entry->job];
	uint64_t seed = c->r->sessions.v[c->session].seed;
	uint64_t mixed = rng_mix(seed ^ rng_mix(entry->job) ^ (entry->run + 1));

	for (uint32_t t = 0; t < c->p->ntargets; t++)
		for (unsigned k = 0; y->used[t] && t != j->target && k < c->holds[t].nfds; k++)
			add_closing(&y->others[i], c->holds[t].fds[k]);
	y->req[i] = (struct run_request){
		.job = j,
		.target_name = c->p->targets[j->target].id,
		.close_in_child = y->others[i].v,
		.nclose = (unsigned)y->others[i].n,
		.seed = j->randrepeat ? offsets_seed(c, y, i) : mixed,
		.run_seed = mixed,
		.inject = inject_of(c, entry->job),
	};
	hold_descriptors(&c->holds[j->target], c->p, j, &y->req[i]);
}

static void push_run(struct conductor *c, const struct party *y, uint32_t job, int64_t started,
		     const struct outcome *o)
{
	struct run *run = VEC_PUSH(&c->r->runs);

	*run = (struct run){
		.job = job,
		.session = c->session,
		.run = y->entry[0].run,
		.order = y->order,
		.started = started,
		.pair = c->pair,
		.arm = arm_of_run(c, job),
		.out = *o,
		.watched =
			y->watched ? admission_seen(c->admission, c->p->jobs[job].target) : NULL};
}

/* Everything of the party into the journal, then to the observer. */
static int party_told(struct conductor *c, size_t from, struct err *e)
{
	for (size_t i = from; i < c->r->runs.n; i++)
		if (record_run(c, &c->r->runs.v[i], e) < 0)
			return e->code;
	for (size_t i = from; i < c->r->runs.n; i++) {
		c->now.job = c->r->runs.v[i].job;
		tell(c, EVENT_RUN_DONE, NULL, &c->r->runs.v[i], NULL);
	}
	return 0;
}

/* What was trimmed is written anew before the next run trims it. */
static int refill(struct conductor *c, const struct party *y, const struct run_options *ro,
		  struct err *e)
{
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < y->n && !interleaving(c); i++) {
		const struct job *j = &c->p->jobs[y->entry[i].job];

		rc = hold_refill(&c->holds[j->target], c->p, j, y->req[i].run_seed, ro, &c->written,
				 e);
	}
	return rc;
}

/* Interleaved, each run has files of its own: what all runs of an arm shared would be taken for a
 * difference between the arms (PROCEDURE 5.4). */
static int fresh_files(struct conductor *c, const struct party *y, struct err *e)
{
	uint32_t target = c->p->jobs[y->entry[0].job].target, *job = xcalloc(y->n, sizeof(*job));
	struct job *room = xcalloc(y->n, sizeof(*room));
	uint64_t begun = clock_now(), seed = c->r->sessions.v[c->session].seed;
	struct closing close_fds;
	struct run_options ro = party_options(c, y->used, &close_fds);
	struct plan part;

	for (size_t i = 0; i < y->n; i++)
		job[i] = y->entry[i].job;
	part = plan_part(c->p, job, y->n, room);
	if (c->p->targets[target].kind == TARGET_DIR && plan_target_needs(&part, target).files)
		tell(c, EVENT_LAYOUT, NULL, NULL, c->p->targets[target].id);
	hold_prepare(&c->holds[target], &part, target, rng_mix(seed ^ rng_mix(y->order + 1)), &ro,
		     &c->written, e);
	VEC_RELEASE(&close_fds);
	free(room);
	free(job);
	if (clock_now() - begun > c->fresh_ns)
		c->fresh_ns = clock_now() - begun;
	return e->code;
}

/* The settings, and the files of an interleaved run, which is what a session prepares else. */
static int prepare_turn(struct conductor *c, const struct party *y, struct err *e)
{
	const struct host live = {.root = "/"};

	if (put_settings(c, y->entry, y->n, e) < 0 || runs_setup(c, y, e) < 0)
		return e->code;
	if (interleaving(c) && (fresh_files(c, y, e) < 0 || prepare_runs(c, y, e) < 0))
		return e->code;
	for (size_t i = 0; i < y->n; i++)
		if (c->p->jobs[y->entry[i].job].drop_caches)
			return host_drop_caches(&live, false, e);
	return 0;
}

/* Somebody else (udev when a device is closed, say) may have set it back meanwhile. */
static void settings_held(struct conductor *c, struct party *y)
{
	struct err e = ERR_INIT;

	if (check_settings(c, y->entry, y->n, &e) == 0)
		return;
	for (size_t i = 0; i < y->n; i++) {
		c->failed[y->entry[i].job] = true;
		if (y->out[i].status == OUTCOME_OK)
			outcome_spoil(&y->out[i], "a setting was changed during the run: %.400s",
				      e.text);
	}
}

/* A device that changed under a run was not what was measured to its end. */
static void check_media(struct conductor *c, struct party *y)
{
	for (size_t i = 0; i < y->n; i++) {
		struct err e = ERR_INIT;

		if (target_unchanged(c, c->p->jobs[y->entry[i].job].target, &e) == 0)
			continue;
		c->failed[y->entry[i].job] = true;
		if (y->out[i].status == OUTCOME_OK)
			outcome_spoil(&y->out[i], "%.450s", e.text);
	}
}

static int logs_begin(struct conductor *c, struct party *y, struct err *e)
{
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < y->n; i++)
		rc = latency_log_begin(c, &c->p->jobs[y->entry[i].job], &y->req[i], e);
	return rc;
}

static void tell_waiting(void *arg, const char *text)
{
	tell(arg, EVENT_NOTICE, NULL, NULL, text);
}

/* The runs as asked, watched while they are made. */
static int run_watched(struct conductor *c, struct party *y, const struct run_options *ro,
		       struct err *e)
{
	struct admission_run *run = xcalloc(y->n, sizeof(*run));
	int rc;

	for (size_t i = 0; i < y->n; i++)
		run[i] = (struct admission_run){&c->p->jobs[y->entry[i].job], &y->out[i]};
	rc = admission_wait(c->admission, run, y->n, c->o->stop, tell_waiting, c, e);
	y->watched = rc == 0;
	if (y->watched) {
		admission_begin(c->admission, run, y->n);
		rc = run_jobs(y->req, y->n, ro, y->out, e);
	}
	for (size_t i = 0; i < y->n && rc < 0; i++) {
		y->out[i].status = rc == ERR_INTR ? OUTCOME_INTERRUPTED
				   : y->watched   ? OUTCOME_SETUP
						  : OUTCOME_ADMISSION;
		y->out[i].sys = e->sys;
		snprintf(y->out[i].text, sizeof(y->out[i].text), "%.500s", e->text);
	}
	if (y->watched)
		admission_end(c->admission);
	free(run);
	return 0;
}

static int make_runs(struct conductor *c, struct party *y, struct err *e)
{
	uint32_t total = total_of(c, y->entry[0].job);
	struct closing close_fds;
	struct err re = ERR_INIT;
	int prepared = prepare_turn(c, y, &re);
	struct run_options ro = party_options(c, y->used, &close_fds);
	struct outcome sum;
	size_t from = c->r->runs.n;
	int64_t started = clock_utc();
	bool stopped = false;

	for (size_t i = 0; i < y->n; i++)
		request(c, y, i);
	if (prepared < 0 || refill(c, y, &ro, &re) < 0 || logs_begin(c, y, &re) < 0 ||
	    run_watched(c, y, &ro, &re) < 0)
		for (size_t i = 0; i < y->n; i++) {
			y->out[i].status =
				re.code == ERR_INTR ? OUTCOME_INTERRUPTED : OUTCOME_SETUP;
			y->out[i].sys = re.sys;
			snprintf(y->out[i].text, sizeof(y->out[i].text), "%.500s", re.text);
		}
	VEC_RELEASE(&close_fds);
	for (size_t i = 0; i < y->n; i++) {
		c->written += y->out[i].written;
		c->holds[c->p->jobs[y->entry[i].job].target].lost |= y->out[i].abandoned;
		stopped |= y->out[i].status == OUTCOME_INTERRUPTED;
	}
	settings_held(c, y);
	check_media(c, y);
	runs_teardown(c, y);
	spoil_others(c, y);
	unmix_device(c, y);
	if (total != UINT32_MAX)
		make_total(c, y, &sum);
	for (size_t i = 0; i < y->n; i++)
		push_run(c, y, y->entry[i].job, started, &y->out[i]);
	if (total != UINT32_MAX) {
		c->failed[total] |= sum.status != OUTCOME_OK;
		push_run(c, y, total, started, &sum);
	}
	for (size_t i = 0; i < y->n; i++)
		latency_log_end(c, y->req[i].log, &c->r->runs.v[from + i], e);
	if (party_told(c, from, e) < 0 || e->code)
		return e->code;
	return stopped ? err_set(e, ERR_INTR, "stopped by a signal") : 0;
}

/* False, with the runs in the result, when the party cannot be. */
static bool party_starts(struct conductor *c, const struct party *y)
{
	const char *why;
	struct err e = ERR_INIT;

	for (size_t i = 0; i < y->n; i++) {
		const struct job *j = &c->p->jobs[y->entry[i].job];

		if (c->failed[y->entry[i].job])
			return false;
		if (!c->holds[j->target].lost || plan_job_diskless(j))
			continue;
		fail_with_group(c, y->entry[i], OUTCOME_LOST, 0,
				"target lost: an earlier worker on it could not be killed");
		return false;
	}
	for (size_t i = 0; i < y->n; i++) {
		const struct job *j = &c->p->jobs[y->entry[i].job];

		if (plan_job_diskless(j) || target_again(c, j->target, &e) == 0)
			continue;
		fail_target(c, j->target, &e);
		return false;
	}
	/* a pair was asked for as a whole */
	why = interleaving(c) ? NULL : budget_refuses_run(c, y->entry, y->n);
	if (!why)
		return true;
	for (size_t i = 0; i < y->n; i++)
		fail_one(c, y->entry[i], OUTCOME_NONE, 0, why);
	fail_company(c, y->entry[0].job, why);
	if (!c->r->partial)
		c->r->partial = why;
	return false;
}

int execute(struct conductor *c, const struct order_entry *entry, size_t n, uint32_t order,
	    struct err *e)
{
	struct party y = {.entry = entry, .n = n, .order = order};
	uint32_t total = total_of(c, entry->job);
	int rc = 0;

	if (!party_starts(c, &y))
		return 0;
	for (size_t i = 0; rc == 0 && i < n; i++) {
		c->now = entry[i];
		rc = record_start(c, e);
	}
	if (rc == 0 && total != UINT32_MAX) {
		c->now = (struct order_entry){.job = total, .run = entry->run};
		rc = record_start(c, e);
	}
	if (rc < 0)
		return rc;
	c->now = entry[0];
	tell(c, EVENT_RUN, NULL, NULL, NULL);
	party_open(c, &y);
	rc = make_runs(c, &y, e);
	party_close(&y);
	return rc;
}
