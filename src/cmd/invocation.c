/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cmd/invocation.h"

#include "base/fileio.h"
#include "cmd/progress.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static void add_broken(struct invocation *v, const struct loaded *s)
{
	struct report_suite_error *b = &v->broken[v->nbroken];

	b->suite = s->has_plan && s->suite.name ? s->suite.name : s->path;
	b->text = v->broken_text[v->nbroken++] = err_sentence(&s->err);
	b->status = status_of(&s->err);
	v->status = status_worse(v->status, b->status);
}

static void forget(struct conducted *c)
{
	result_release(&c->result);
	baseline_release(&c->baseline);
	with_release(c->with);
	free(c->dir);
	free(c->path);
	free(c->journal);
	free(c->setup_error);
	*c = (struct conducted){0};
}

/* Evidence that is refused stops the suite before its first I/O. False: it is broken. */
static bool add_evidence(struct invocation *v, struct conducted *c, struct loaded *s)
{
	const char *idle;

	if (with_open(&v->o, v->l.n == 1, c, &s->err) == 0)
		session_result_init(&s->plan, &c->options, &c->result);
	if (!s->err.code && session_result_continue(&c->options, &c->result, &s->err) == 0 &&
	    retry_check(&v->o, c, &s->err))
		v->keep = true;
	if (s->err.code) {
		say_err(&s->err);
		return false;
	}
	idle = with_idle(c);
	if (idle)
		say("note: %s", idle);
	if (!v->o.change && c->options.change && c->options.nwith)
		say("note: --change '%s' is that of '%s'", c->options.change,
		    c->options.with[0].name);
	return true;
}

/* A machine that is not as it was would be measured, and taken for the reference of what is to be
 * put back. */
static void settings_left(struct loaded *s)
{
	bool restore = s->plan.policy.leftover == LEFTOVER_RESTORE;
	struct notices left;
	size_t n;

	notices_init(&left);
	n = session_settings_left(SESSION_SETTINGS, restore, &left);
	for (size_t i = 0; i < left.n; i++)
		notices_add(&s->plan.notices, "%s", left.v[i]);
	if (n && !s->plan.setup_error) {
		s->plan.setup_error = arena_printf(
			&s->plan.arena, "%s%s%s", left.v[0], n > 1 ? ", and others" : "",
			restore ? "" : "; or let this run do it: --policy leftover=restore");
		s->plan.setup_code = ERR_TARGET;
	}
	notices_release(&left);
}

static void add_suite(struct invocation *v, struct loaded *s)
{
	struct conducted *c = &v->v[v->n];
	const struct options *o = &v->o;
	struct err be = ERR_INIT;

	/* A damaged baseline is an error of every case, not a report with fewer cases. */
	if (s->plan.interleave.kind == INTERLEAVE_NONE &&
	    baseline_load(o->baselines, s->suite.name, s->plan.profile, &c->baseline, &be) < 0) {
		say_err(&be);
		c->setup_error = err_sentence(&be);
		s->plan.setup_error = c->setup_error;
		s->plan.setup_code = be.code;
	}
	c->suite = s;
	c->dir = v->l.n == 1 ? xstrdup(o->out) : xasprintf("%s/%s", o->out, s->suite.name);
	c->path = xasprintf("%s/result.json", c->dir);
	c->journal = xasprintf("%s/journal", c->dir);
	c->options = (struct session_options){
		.journal = c->journal,
		.latency_log = o->latency_log,
		.change = o->change,
		.inject_text = o->inject,
		.inject = v->inject,
		.partial = o->only    ? "selected by --only"
			   : o->check ? "selected by --check"
				      : NULL,
		.wait_lock = o->wait_lock,
		.baseline = &c->baseline,
	};
	settings_left(s);
	session_spared(&s->plan, &c->options, &s->plan.notices);
	if (!add_evidence(v, c, s)) {
		forget(c);
		add_broken(v, s);
		return;
	}
	v->results[v->n] = &c->result;
	v->paths[v->n++] = c->path;
}

void invocation_open(struct invocation *v)
{
	size_t n = v->l.n ? v->l.n : 1;

	v->v = xcalloc(n, sizeof(*v->v));
	v->broken = xcalloc(n, sizeof(*v->broken));
	v->broken_text = xcalloc(n, sizeof(*v->broken_text));
	v->results = xcalloc(n, sizeof(*v->results));
	v->paths = xcalloc(n, sizeof(*v->paths));
	for (size_t i = 0; i < v->l.n; i++) {
		if (v->l.v[i].err.code)
			add_broken(v, &v->l.v[i]);
		else
			add_suite(v, &v->l.v[i]);
	}
	v->d = (struct documents){
		.o = &v->o,
		.results = v->results,
		.paths = v->paths,
		.n = v->n,
		.broken = v->broken,
		.nbroken = v->nbroken,
		.command = v->command.s,
		.own = true,
		.keep = v->keep,
	};
}

static void print_notices(const struct invocation *v, const struct plan *p)
{
	for (size_t i = 0; i < p->notices.n && !v->o.quiet; i++)
		say("note: %s", p->notices.v[i]);
}

static void conduct(struct invocation *v, struct conducted *c, const volatile int *stop)
{
	struct err e = ERR_INIT;
	struct progress progress;

	print_notices(v, &c->suite->plan);
	progress_init(&progress, &v->o, &v->d);
	c->options.stop = stop;
	c->options.event = progress_event;
	c->options.arg = &progress;
	if (file_mkdirs(c->dir, &e) == 0) {
		result_release(&c->result);
		session_run(&c->suite->plan, &c->options, &c->result, &e);
	}
	progress_end(&progress);
	if (e.code && e.code != ERR_INTR)
		say_err(&e);
	v->status = status_worse(v->status, c->result.status);
	if (e.code)
		v->status = status_worse(v->status, status_of(&e));
}

int invocation_run(struct invocation *v)
{
	const volatile int *stop = signals_install();
	struct err e = ERR_INIT;

	if (documents_begin(&v->d, &e) < 0) {
		say_err(&e);
		return (int)status_worse(v->status, status_of(&e));
	}
	for (size_t i = 0; i < v->n; i++)
		conduct(v, &v->v[i], stop);
	if (documents_write(&v->d, &e) < 0) {
		say_err(&e);
		v->status = status_worse(v->status, STATUS_ERROR);
	}
	v->status = status_worse(v->status, past_results(&v->d));
	print_results(&v->d, v->status);
	return (int)v->status;
}

static enum exit_status dry_suite(struct invocation *v, const struct conducted *c, size_t *ready)
{
	const struct plan *p = &c->suite->plan;
	enum exit_status status = STATUS_PASS;

	print_notices(v, p);
	if (p->setup_error) {
		say("blkgate: %s: %s", c->suite->path, p->setup_error);
		status = p->setup_code == ERR_SUITE ? STATUS_USAGE : STATUS_ERROR;
	}
	for (size_t k = 0; k < p->njobs; k++) {
		const struct job *j = &p->jobs[k];

		if (j->state == JOB_READY) {
			*ready += !p->setup_error;
			continue;
		}
		if (j->state == JOB_ERROR)
			status = status_worse(status, STATUS_ERROR);
		say("%s on %s: %s: %s", j->name, p->targets[j->target].role,
		    j->state == JOB_ERROR ? "error" : "skipped", j->why);
	}
	return status;
}

int invocation_dry_run(struct invocation *v)
{
	size_t ready = 0, total = 0;

	for (size_t i = 0; i < v->n; i++) {
		v->status = status_worse(v->status, dry_suite(v, &v->v[i], &ready));
		total += v->v[i].suite->plan.njobs;
	}
	say("blkgate: dry run  %zu of %zu workloads could run, nothing was measured  status %d",
	    ready, total, v->status);
	return (int)v->status;
}

void invocation_release(struct invocation *v)
{
	for (size_t i = 0; i < v->n; i++)
		forget(&v->v[i]);
	for (size_t i = 0; i < v->nbroken; i++)
		free(v->broken_text[i]);
	free(v->v);
	free(v->broken);
	free(v->broken_text);
	free(v->results);
	free(v->paths);
	str_release(&v->command);
	load_release(&v->l);
	options_release(&v->o);
}
