/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * selftest: does this suite, on this machine, stay green without a change, and does each gate go
 * red at twice its own tolerance? Sessions of this boot are the baseline, each counted as a block
 * of its own: what differs between boots is not in it, and the closing lines say so.
 */
#include "cmd/load.h"
#include "cmd/progress.h"
#include "cmd/selftest.h"
#include "session/session.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define BASE_SESSIONS 5u /* fewer would be judged by the provisional rule */

static const struct option_def *const defs[] = {
	&opt_target,    &opt_set,         &opt_only,     &opt_runs,    &opt_seed,
	&opt_label,     &opt_allow_write, &opt_sessions, &opt_trials,  &opt_quiet,
	&opt_wait_lock, &opt_baselines,   &opt_profile,  &opt_targets, NULL,
};

struct selftest {
	struct loaded *s;
	const struct options *o;
	const volatile int *stop;
	struct result *base; /* the sessions that stand for a baseline */
	uint32_t nbase, max;
	struct baseline baseline; /* of those */
	struct baseline stored;   /* what `run` would compare with */
	struct trials trials;
	struct tally *tally; /* one a check */
	struct str out;
	unsigned errors;
	unsigned quiet, quiet_red; /* trials without a change, those with a red gate */
};

/* in: what is injected into each job, with the jobs that are needed for it; NULL = nothing. */
static int measure(struct selftest *t, uint32_t min, uint32_t max, const struct inject *in,
		   const bool *needed, struct result *r, struct err *e)
{
	struct session_options so = {.stop = t->stop,
				     .wait_lock = t->o->wait_lock,
				     .baseline = t->baseline.n ? &t->baseline : NULL,
				     .inject_job = in,
				     .only_job = needed,
				     .inject_text = in ? "selftest: twice a tolerance" : NULL};
	struct progress progress;
	int rc;

	t->s->plan.sessions_min = min;
	t->s->plan.sessions_max = max;
	t->s->plan.seed++; /* another order of the runs each time */
	progress_init(&progress, t->o, NULL);
	so.event = progress_event;
	so.arg = &progress;
	rc = session_run(&t->s->plan, &so, r, e);
	progress_end(&progress);
	return rc;
}

/* A job that could not be measured proves nothing about its gates. needed: NULL = all were. */
static bool measured(struct selftest *t, const struct result *r, const bool *needed,
		     const char *what)
{
	for (size_t i = 0; i < r->verdicts.n; i++) {
		const struct verdict *v = &r->verdicts.v[i];

		if (v->check != VERDICT_MEASURE || v->kind != VERDICT_ERROR || v->job >= r->njobs ||
		    (needed && !needed[v->job]))
			continue;
		str_addf(&t->out, "%s: %s could not be measured: ", what, r->jobs[v->job].name);
		str_add_clean(&t->out, v->text, SIZE_MAX);
		str_addc(&t->out, '\n');
		t->errors++;
	}
	return t->errors == 0;
}

static bool has_gate(const struct plan *p)
{
	for (size_t i = 0; i < p->nchecks; i++)
		if (p->checks[i].kind == CHECK_GATE && p->checks[i].role == ROLE_PRIMARY)
			return true;
	return false;
}

static int collect(struct selftest *t, struct err *e)
{
	const struct result **list = xcalloc(t->nbase, sizeof(*list));
	int rc = 0;

	for (uint32_t i = 0; i < t->nbase && rc == 0; i++) {
		if (!t->o->quiet)
			say("selftest: session %u of %u of the baseline", i + 1, t->nbase);
		rc = measure(t, 1, 1, NULL, NULL, &t->base[i], e);
		list[i] = &t->base[i];
		if (rc == 0 && !measured(t, &t->base[i], NULL, "baseline"))
			rc = err_set(e, ERR_MEASURE,
				     "the baseline of the selftest could not be measured");
	}
	if (rc == 0)
		rc = baseline_from_results(list, t->nbase, &t->baseline, e);
	/* One boot would be one block, and the rule a provisional one. */
	for (size_t i = 0; rc == 0 && i < t->baseline.n; i++)
		t->baseline.sessions[i].boot_id = t->baseline.sessions[i].id;
	free(list);
	return rc;
}

/* Levels of the first result without a change, and which gates it judges. */
static void plan_trials(struct selftest *t, const struct result *r)
{
	const struct plan *p = &t->s->plan;
	struct trial_known *known = xcalloc(p->nchecks + 1, sizeof(*known));

	for (size_t i = 0; i < r->verdicts.n; i++) {
		const struct verdict *v = &r->verdicts.v[i];

		if (v->check >= p->nchecks || v->job >= r->njobs)
			continue;
		known[v->check].judged = v->kind != VERDICT_SKIPPED;
		known[v->check].level = v->judged ? NAN : v->base_value;
	}
	trials_plan(p, known, &t->trials);
	free(known);
}

/* The same measurement, judged as `run` would judge it today: with blocks as they are. */
static void judge_today(struct selftest *t, struct result *r)
{
	struct gate_options g = {.now = r->ended, .sessions_max = r->sessions_max};
	unsigned provisional = 0, undecided = 0, none = 0;

	if (t->stored.n == 0) {
		str_add(&t->out,
			"today: no session is accepted yet, `blkgate run` has no baseline\n");
		return;
	}
	gate_judge(r, &t->stored, &g);
	for (size_t i = 0; i < r->verdicts.n; i++) {
		const struct verdict *v = &r->verdicts.v[i];

		for (size_t k = 0; k < t->trials.gates.n; k++) {
			if (t->trials.gates.v[k].check != v->check)
				continue;
			provisional += v->provisional;
			undecided += v->kind == VERDICT_INCONCLUSIVE;
			none += v->kind == VERDICT_NO_BASELINE || v->kind == VERDICT_INCOMPARABLE;
		}
	}
	str_addf(&t->out,
		 "today: with the stored baseline this unchanged measurement leaves %u of %zu "
		 "gate%s undecided, %u provisional (fewer than %u boots or days) and %u without a "
		 "baseline\n",
		 undecided, t->trials.gates.n, t->trials.gates.n == 1 ? "" : "s", provisional,
		 BASELINE_BLOCKS, none);
}

static int unchanged(struct selftest *t, bool first, struct err *e)
{
	struct result r;
	int rc;

	result_init(&r);
	rc = measure(t, 1, t->max, NULL, NULL, &r, e);
	if (rc == 0 && measured(t, &r, NULL, "unchanged")) {
		if (first)
			plan_trials(t, &r);
		t->quiet++;
		t->quiet_red += tally_unchanged(t->tally, &r);
		if (first)
			judge_today(t, &r);
	}
	result_release(&r);
	return rc;
}

static int slowed(struct selftest *t, uint32_t trial, struct err *e)
{
	const struct plan *p = &t->s->plan;
	struct inject *in = xcalloc(p->njobs + 1, sizeof(*in));
	bool *needed = xcalloc(p->njobs + 1, sizeof(*needed));
	struct result r;
	int rc;

	result_init(&r);
	trials_inject(&t->trials, p, trial, in, needed);
	rc = measure(t, 2, t->max > 2 ? t->max : 2, in, needed, &r, e);
	if (rc == 0 && measured(t, &r, needed, "slowed"))
		tally_slowed(t->tally, &t->trials, trial, &r);
	result_release(&r);
	free(needed);
	free(in);
	return rc;
}

static int try_out(struct selftest *t, struct err *e)
{
	unsigned times = t->o->trials ? t->o->trials : 1;
	int rc = 0;

	for (unsigned n = 0; rc == 0 && n < times && !t->errors; n++) {
		if (!t->o->quiet)
			say("selftest: without a change, %u of %u", n + 1, times);
		rc = unchanged(t, n == 0, e);
	}
	for (unsigned n = 0; rc == 0 && n < times * t->trials.n && !t->errors; n++) {
		if (!t->o->quiet)
			say("selftest: slowed, %u of %u", n + 1, times * t->trials.n);
		rc = slowed(t, n % t->trials.n, e);
	}
	return rc;
}

static const char *meaning(enum exit_status status)
{
	switch (status) {
	case STATUS_PASS:
		return "green without a change, each red at twice its own tolerance";
	case STATUS_INCONCLUSIVE:
		return "a gate could not decide, or was not tested";
	case STATUS_REGRESSION:
		return "a gate was red without a change, or stayed green with one";
	default:
		return status_meaning(status);
	}
}

static void close_with(const struct selftest *t, enum exit_status status)
{
	size_t gates = t->trials.gates.n;

	fwrite(t->out.s, 1, t->out.len, stdout);
	if (gates)
		printf("the baseline was %u sessions of this boot, each counted as one of its own: "
		       "so the gates will be after %u boots or days; what differs between boots is "
		       "not in it\n",
		       t->nbase, t->nbase);
	say("blkgate: selftest %s  %zu gate%s, %u not shown  status %d: %s",
	    status == STATUS_PASS          ? "PASSED"
	    : status == STATUS_INTERRUPTED ? "INTERRUPTED"
					   : "FAILED",
	    gates, gates == 1 ? "" : "s", tally_not_shown(t->tally, &t->trials), (int)status,
	    meaning(status));
}

static void say_cost(const struct selftest *t)
{
	uint64_t one = plan_session_time(&t->s->plan);
	unsigned times = t->o->trials ? t->o->trials : 1;
	struct str text;

	str_init(&text);
	str_addf(&text,
		 "selftest: %u sessions as a baseline, then %u time%s 1 to %u unchanged, and 2 to "
		 "%u slowed for each tolerance that a workload has: ",
		 t->nbase, times, times == 1 ? "" : "s", t->max, t->max);
	unit_format_duration(&text, one * (t->nbase + 3 * (uint64_t)times));
	str_add(&text, " to ");
	unit_format_duration(&text, one * (t->nbase + 2 * (uint64_t)t->max * times));
	say("%s with one tolerance, slowed ones longer", text.s);
	str_release(&text);
}

static void selftest_release(struct selftest *t)
{
	baseline_release(&t->baseline);
	baseline_release(&t->stored);
	trials_release(&t->trials);
	for (uint32_t i = 0; i < t->nbase; i++)
		result_release(&t->base[i]);
	for (size_t i = 0; i < t->s->plan.nchecks; i++)
		free(t->tally[i].why);
	free(t->tally);
	free(t->base);
	str_release(&t->out);
}

static int run_it(struct selftest *t)
{
	struct err e = ERR_INIT;
	enum exit_status status;
	int rc;

	str_init(&t->out);
	t->tally = xcalloc(t->s->plan.nchecks + 1, sizeof(*t->tally));
	t->base = xcalloc(t->nbase, sizeof(*t->base));
	for (uint32_t i = 0; i < t->nbase; i++)
		result_init(&t->base[i]);
	rc = baseline_load(t->o->baselines, t->s->suite.name, t->s->plan.profile, &t->stored, &e);
	if (rc == 0)
		rc = collect(t, &e);
	if (rc == 0)
		rc = try_out(t, &e);
	if (rc)
		say_err(&e);
	if (t->trials.gates.n)
		tally_text(t->tally, &t->trials, &t->s->plan, t->quiet, t->quiet_red, &t->out);
	status = tally_status(t->tally, &t->trials);
	if (rc || t->errors)
		status = rc ? status_of(&e) : STATUS_ERROR;
	close_with(t, status);
	selftest_release(t);
	return (int)status;
}

static int selftest(struct loaded *s, const struct options *o)
{
	struct selftest t = {.s = s,
			     .o = o,
			     .stop = signals_install(),
			     .nbase = o->sessions_min > BASE_SESSIONS ? o->sessions_min
								      : BASE_SESSIONS,
			     .max = s->plan.sessions_max > 2 ? s->plan.sessions_max : 2};

	if (s->plan.setup_error) {
		say("blkgate: %s: %s", s->path, s->plan.setup_error);
		return s->plan.setup_code == ERR_SUITE ? STATUS_USAGE : STATUS_ERROR;
	}
	if (!has_gate(&s->plan)) {
		say("blkgate: %s: no primary gate: there is nothing to test", s->path);
		return STATUS_USAGE;
	}
	say_cost(&t);
	return run_it(&t);
}

int cmd_selftest(int argc, char **argv)
{
	struct options o;
	struct load l;
	int rc = command_start(
		&o, "selftest SUITE --target [ROLE=]ID [OPTION]...",
		"Measures the suite against itself: the gates must stay green without a "
		"change, and\neach must go red when I/O is slowed by twice its own tolerance. "
		"Nothing is stored.",
		defs, "  blkgate selftest suites/smoke.yaml --target /var/tmp", argc, argv);

	if (rc >= 0)
		return rc;
	if (o.args.n > 1) {
		say("blkgate: selftest takes one suite, %zu were named", o.args.n);
		options_release(&o);
		return STATUS_USAGE;
	}
	if (load_open(&l, &o, true, false, o.quiet ? DIAG_ERROR : DIAG_WARN) < 0) {
		load_release(&l);
		options_release(&o);
		return STATUS_USAGE;
	}
	rc = l.v[0].err.code ? (int)l.status : selftest(&l.v[0], &o);
	load_release(&l);
	options_release(&o);
	return rc;
}
