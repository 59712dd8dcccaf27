/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * session/precondition: what is done to the region of a job before it is measured: trim, fill,
 * rounds until it is steady. Once before the runs of a session, all fills before all rounds, so
 * that none disturbs what another one settled; interleaved, before each run.
 */
#include "model/precondition.h"

#include "base/clock.h"
#include "base/rng.h"
#include "base/units.h"
#include "measure/metric.h"
#include "measure/steady.h"
#include "session/party.h"

#include <stdio.h>
#include <stdlib.h>

/* One job of the preparation, from start to end. ERR_INTR, ERR_MEASURE. */
static int make(struct conductor *c, const struct job *what, uint64_t seed, struct outcome *out,
		struct err *e)
{
	bool *used = xcalloc(c->p->ntargets + 1, sizeof(*used));
	struct hold *h = &c->holds[what->target];
	struct run_request req = {
		.job = what,
		.target_name = c->p->targets[what->target].id,
		.seed = seed,
		.run_seed = seed,
	};
	struct closing close_fds;
	struct run_options ro;

	used[what->target] = true;
	ro = party_options(c, used, &close_fds);
	hold_descriptors(h, c->p, what, &req);
	outcome_init(out);
	if (run_jobs(&req, 1, &ro, out, e) == 0) {
		c->written += out->written;
		h->lost |= out->abandoned;
		if (out->status == OUTCOME_INTERRUPTED)
			err_set(e, ERR_INTR, "stopped by a signal");
		else if (out->status != OUTCOME_OK)
			err_set(e, ERR_MEASURE, "%s", out->text);
	}
	VEC_RELEASE(&close_fds);
	free(used);
	return e->code;
}

static uint64_t seed_of(const struct conductor *c, const struct preparation *p, uint64_t step)
{
	uint64_t session = c->r->sessions.v[p->session].seed;

	return rng_mix(session ^ rng_mix(p->job + 1) ^ rng_mix((uint64_t)p->run << 32 | step));
}

static void announce(struct conductor *c, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
static void announce(struct conductor *c, const char *fmt, ...)
{
	struct str s;
	va_list ap;

	str_init(&s);
	va_start(ap, fmt);
	str_vaddf(&s, fmt, ap);
	va_end(ap);
	tell(c, EVENT_PREPARE, NULL, NULL, s.s);
	str_release(&s);
}

/* Part of a trim or a fill: all of it, or an error. */
static int cover(struct conductor *c, struct preparation *p, const struct job *what, uint64_t step,
		 uint64_t *bytes, struct err *e)
{
	enum io_dir dir = job_trims(what) ? DIR_TRIM : DIR_WRITE;
	uint64_t asked = what->size * what->loops * what->numjobs;
	struct outcome out;
	int rc = make(c, what, seed_of(c, p, step), &out, e);

	*bytes += out.dir[dir].bytes;
	if (rc == 0 && out.dir[dir].bytes != asked)
		rc = err_set(e, ERR_MEASURE, "%llu of %llu bytes were done",
			     (unsigned long long)out.dir[dir].bytes, (unsigned long long)asked);
	if (rc < 0 && rc != ERR_INTR)
		err_prefix(e, "precondition: %s", dir == DIR_TRIM ? "trim" : "fill");
	outcome_release(&out);
	return rc;
}

static int trim_and_fill(struct conductor *c, struct preparation *p, struct err *e)
{
	const struct job *j = &c->p->jobs[p->job];
	struct job what;
	int rc = 0;

	if (j->prepare->trim)
		announce(c, "its region is trimmed");
	for (unsigned part = 0; rc == 0 && j->prepare->trim && part < 2; part++)
		if (plan_trim_job(c->p, j, part, &what))
			rc = cover(c, p, &what, part, &p->trimmed, e);
	if (rc == 0 && plan_fills(j)) {
		struct str s;

		str_init(&s);
		unit_format(&s, UNIT_BYTES, (double)plan_fill_bytes(c->p, j));
		announce(c, "its region is filled: %s", s.s);
		str_release(&s);
	}
	for (unsigned part = 0; rc == 0 && plan_fills(j) && part < 2; part++)
		if (plan_fill_job(c->p, j, part, &what))
			rc = cover(c, p, &what, 2 + part, &p->filled, e);
	p->whole = rc == 0;
	return rc;
}

/* The metric of one round, base unit. */
static int make_round(struct conductor *c, struct preparation *p, double *value, uint64_t *written,
		      struct err *e)
{
	const struct job *j = &c->p->jobs[p->job];
	const struct metric *m[DIR_COUNT];
	struct value v = {0};
	struct outcome out;
	struct job round;
	int rc;

	plan_round_job(j, &round);
	rc = make(c, &round, seed_of(c, p, 4 + p->rounds.n), &out, e);
	*written = out.written;
	if (rc == 0 && metric_resolve(j->prepare->metric, j, m) == 1)
		metric_value(m[0], &round, &out, &v);
	if (rc == 0 && v.state != VALUE_OK)
		rc = err_set(e, ERR_MEASURE, "it has no %s", j->prepare->metric);
	if (rc < 0 && rc != ERR_INTR)
		err_prefix(e, "precondition: round %zu", p->rounds.n + 1);
	*value = v.v;
	outcome_release(&out);
	return rc;
}

static void round_told(struct conductor *c, const struct preparation *p, const struct steady *s)
{
	const struct job *j = &c->p->jobs[p->job];
	const struct metric *m[DIR_COUNT];
	struct str text;

	str_init(&text);
	str_addf(&text, "round %zu of %u..%u  ", p->rounds.n, j->prepare->rounds_min,
		 j->prepare->rounds_max);
	if (metric_resolve(j->prepare->metric, j, m) == 1)
		unit_format(&text, m[0]->unit, p->rounds.v[p->rounds.n - 1]);
	if (p->rounds.n >= STEADY_WINDOW)
		str_addf(&text, "  range %.1f %%, slope %+.1f %%%s", s->range * 100, s->slope * 100,
			 s->reached ? ": steady" : "");
	announce(c, "%s", text.s);
	str_release(&text);
}

static bool is_steady(const struct precondition *x, const struct preparation *p, struct steady *s)
{
	*s = (struct steady){0};
	if (p->rounds.n < STEADY_WINDOW)
		return false;
	steady_window(p->rounds.v + p->rounds.n - STEADY_WINDOW, STEADY_WINDOW, x->range, x->slope,
		      s);
	return s->reached && p->rounds.n >= x->rounds_min;
}

/* NULL, or why the budget does not hold it. */
static const char *budget_of_round(struct conductor *c, const struct job *j, uint64_t written)
{
	struct job round;

	plan_round_job(j, &round);
	return budget_refuses(c, plan_run_time(&round), written);
}

static int until_steady(struct conductor *c, struct preparation *p, struct err *e)
{
	const struct job *j = &c->p->jobs[p->job];
	uint64_t written = 0;
	struct steady s;
	int rc = 0;

	while (!is_steady(j->prepare, p, &s) && p->rounds.n < j->prepare->rounds_max) {
		const char *why = budget_of_round(c, j, written);
		uint64_t begun = clock_now();
		double value;

		if (why)
			return err_set(e, ERR_REFUSED, "%s", why);
		rc = make_round(c, p, &value, &written, e);
		if (rc == ERR_INTR) {
			struct err ignored = ERR_INIT;

			/* what this round wrote is ours: a later run may go on from here */
			prepared(c, p, &ignored);
		}
		if (rc < 0)
			return rc;
		*VEC_PUSH(&p->rounds) = value;
		p->ns += clock_now() - begun;
		is_steady(j->prepare, p, &s);
		round_told(c, p, &s);
		rc = prepared(c, p, e);
		if (rc < 0)
			return rc;
	}
	if (!s.reached)
		tell(c, EVENT_NOTICE, NULL, NULL,
		     arena_printf(&c->r->arena,
				  "%s is not steady after %zu rounds: what is measured decides "
				  "nothing",
				  job_label(c, p->job), p->rounds.n));
	return 0;
}

/* The first job of this session that asked for the same of the same region has done it. */
static bool done_before(struct conductor *c, struct preparation *p)
{
	uint32_t of = c->p->jobs[p->job].fill_of;

	if (p->run != PREPARATION_OF_SESSION || c->filled[of] == 0)
		return false;
	p->note = arena_printf(&c->r->arena, "trim and fill as for '%s'",
			       c->p->jobs[c->filled[of] - 1].name);
	p->whole = true;
	return true;
}

static int fill_step(struct conductor *c, struct preparation *p, struct err *e)
{
	const struct job *j = &c->p->jobs[p->job];
	uint64_t begun = clock_now();
	const char *why;
	int rc;

	if (resume_preparation(c, p)) {
		c->filled[j->fill_of] = p->job + 1;
		return prepared(c, p, e);
	}
	p->whole = !precondition_writes(j->prepare);
	if (p->whole || done_before(c, p))
		return prepared(c, p, e);
	why = budget_refuses(c, 0, plan_job_diskless(j) ? 0 : plan_fill_bytes(c->p, j));
	if (why)
		return err_set(e, ERR_REFUSED, "%s", why);
	rc = trim_and_fill(c, p, e);
	p->ns += clock_now() - begun;
	if (rc < 0)
		return rc;
	if (p->run == PREPARATION_OF_SESSION)
		c->filled[j->fill_of] = p->job + 1;
	return prepared(c, p, e);
}

static int round_step(struct conductor *c, struct preparation *p, struct err *e)
{
	return c->p->jobs[p->job].prepare->metric ? until_steady(c, p, e) : 0;
}

typedef int (*step_fn)(struct conductor *c, struct preparation *p, struct err *e);

/* Under the settings and between the commands of the job, as its runs. */
static int enclosed(struct conductor *c, uint32_t job, step_fn step, struct err *e)
{
	const struct order_entry entry = {.job = job};
	struct outcome out;
	struct party y = {.entry = &entry, .n = 1, .out = &out};
	struct preparation *p = NULL;
	int rc;

	outcome_init(&out);
	out.status = OUTCOME_OK;
	for (size_t i = 0; i < c->r->preparations.n; i++)
		if (c->r->preparations.v[i].job == job &&
		    c->r->preparations.v[i].session == c->session)
			p = &c->r->preparations.v[i];
	if (!p)
		p = result_add_preparation(c->r, job, c->session, PREPARATION_OF_SESSION);
	c->now = entry;
	rc = put_settings(c, &entry, 1, e);
	if (rc == 0)
		rc = runs_setup(c, &y, e);
	if (rc == 0)
		rc = step(c, p, e);
	if (rc == 0)
		rc = check_settings(c, &entry, 1, e);
	runs_teardown(c, &y);
	if (rc == 0 && out.status != OUTCOME_OK)
		rc = err_set(e, ERR_MEASURE, "%s", out.text);
	outcome_release(&out);
	return rc;
}

static bool wants(const struct conductor *c, uint32_t job, step_fn step)
{
	const struct job *j = &c->p->jobs[job];

	return c->chosen[job] && !c->failed[job] && j->prepare && !j->total &&
	       (step == fill_step || j->prepare->metric);
}

/* What could not be prepared is an error of the job; only a signal and the journal end the session.
 */
static int all(struct conductor *c, step_fn step, struct err *e)
{
	for (uint32_t job = 0; job < c->p->njobs; job++) {
		struct err je = ERR_INIT;
		int rc;

		if (!wants(c, job, step))
			continue;
		if (c->o->stop && *c->o->stop)
			return err_set(e, ERR_INTR, "stopped by a signal");
		rc = c->holds[c->p->jobs[job].target].lost
			     ? err_set(&je, ERR_MEASURE,
				       "target lost: an earlier worker on it could not be killed")
			     : enclosed(c, job, step, &je);
		if (rc == ERR_INTR || rc == ERR_OUTPUT) {
			*e = je;
			return rc;
		}
		if (rc == 0)
			continue;
		if (rc == ERR_REFUSED && !c->r->partial)
			c->r->partial = arena_strdup(&c->r->arena, je.text);
		c->failed[job] = false; /* its teardown may have failed too: the cause is told */
		fail_entry(c, (struct order_entry){.job = job},
			   rc == ERR_REFUSED ? OUTCOME_NONE : OUTCOME_SETUP, je.text);
		tell(c, EVENT_NOTICE, NULL, NULL, arena_strdup(&c->r->arena, je.text));
	}
	return 0;
}

int prepare_jobs(struct conductor *c, struct err *e)
{
	int rc;

	for (size_t i = 0; i < c->p->njobs; i++)
		c->filled[i] = 0;
	rc = all(c, fill_step, e);
	return rc < 0 ? rc : all(c, round_step, e);
}

int prepare_runs(struct conductor *c, const struct party *y, struct err *e)
{
	for (size_t i = 0; i < y->n; i++) {
		uint32_t job = y->entry[i].job;
		struct preparation *p;

		if (!c->p->jobs[job].prepare)
			continue;
		p = result_add_preparation(c->r, job, c->session, y->entry[i].run);
		if (fill_step(c, p, e) < 0 || round_step(c, p, e) < 0)
			return e->code;
	}
	return 0;
}
