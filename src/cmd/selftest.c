/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * selftest: does this suite, on this machine, stay green without a change and go red at twice the
 * tolerance? Sessions of this boot are the baseline, each counted as a block of its own: what
 * differs between boots is not in it, and the closing lines say so.
 */
#include "cmd/load.h"
#include "cmd/progress.h"
#include "session/session.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define BASE_SESSIONS 5u /* fewer would be judged by the provisional rule */
#define SLOW_MAX 0.9

static const struct option_def *const defs[] = {
	&opt_target,      &opt_set,      &opt_only,  &opt_runs,      &opt_seed,    &opt_label,
	&opt_allow_write, &opt_sessions, &opt_quiet, &opt_wait_lock, &opt_targets, NULL,
};

struct trial {
	struct loaded *s;
	const struct options *o;
	const volatile int *stop;
	struct result *base; /* the sessions that stand for a baseline */
	uint32_t nbase;
	struct baseline baseline;
	struct str out;
	unsigned false_red, undecided, missed, gates, errors;
};

static int measure(struct trial *t, uint32_t min, uint32_t max, double slow, struct result *r,
		   struct err *e)
{
	struct session_options so = {.stop = t->stop,
				     .wait_lock = t->o->wait_lock,
				     .baseline = t->baseline.n ? &t->baseline : NULL};
	struct progress progress;
	char *text = NULL;
	int rc;

	if (slow > 0) {
		so.inject.slow = slow;
		text = xasprintf("slow=%.4g%%", slow * 100);
		so.inject_text = text;
	}
	t->s->plan.sessions_min = min;
	t->s->plan.sessions_max = max;
	t->s->plan.seed++; /* another order of the runs each time */
	progress_init(&progress, t->o, NULL);
	so.event = progress_event;
	so.arg = &progress;
	rc = session_run(&t->s->plan, &so, r, e);
	progress_end(&progress);
	free(text);
	return rc;
}

/* A job that could not be measured proves nothing about its gates. */
static bool measured(struct trial *t, const struct result *r, const char *what)
{
	for (size_t i = 0; i < r->verdicts.n; i++) {
		const struct verdict *v = &r->verdicts.v[i];

		if (v->check != VERDICT_MEASURE || v->kind != VERDICT_ERROR || v->job >= r->njobs)
			continue;
		str_addf(&t->out, "%s: %s could not be measured: ", what, r->jobs[v->job].name);
		str_add_clean(&t->out, v->text, SIZE_MAX);
		str_addc(&t->out, '\n');
		t->errors++;
	}
	return t->errors == 0;
}

static bool is_gate(const struct result *r, const struct verdict *v)
{
	return v->job < r->njobs && v->check < r->nchecks &&
	       r->checks[v->check].kind == CHECK_GATE && r->checks[v->check].role == ROLE_PRIMARY &&
	       v->kind != VERDICT_SKIPPED;
}

/* What stretched gaps between completions must show in: rates, and latencies where they grow. */
static bool reacts(const struct check *c)
{
	const struct metric *m = metric_find(c->metric);

	return m && !c->absolute &&
	       (m->source == SOURCE_IOS || m->source == SOURCE_BYTES ||
		(m->stat == STAT_MEAN && (m->source == SOURCE_LAT || m->source == SOURCE_CLAT)));
}

static double largest_tolerance(const struct plan *p)
{
	double most = 0;

	for (size_t i = 0; i < p->nchecks; i++)
		if (p->checks[i].kind == CHECK_GATE && p->checks[i].role == ROLE_PRIMARY &&
		    reacts(&p->checks[i]))
			most = fmax(most, p->checks[i].tolerance);
	return most;
}

static void tell(struct trial *t, const struct result *r, const struct verdict *v, const char *what)
{
	str_addf(&t->out, "%s %s %s: %s", r->targets[r->jobs[v->job].target].role,
		 r->jobs[v->job].name, r->checks[v->check].name, what);
	if (!isnan(v->change))
		str_addf(&t->out, " (%+.1f %%)", 100 * v->change);
	str_addc(&t->out, '\n');
}

static void look_unchanged(struct trial *t, const struct result *r)
{
	for (size_t i = 0; i < r->verdicts.n; i++) {
		const struct verdict *v = &r->verdicts.v[i];

		if (!is_gate(r, v))
			continue;
		t->gates++;
		if (v->kind == VERDICT_REGRESSION) {
			t->false_red++;
			tell(t, r, v, "RED on unchanged code");
		} else if (v->kind != VERDICT_PASS && v->kind != VERDICT_IMPROVEMENT) {
			t->undecided++;
			tell(t, r, v, "undecided on unchanged code; see blkgate calibrate");
		}
	}
}

static void look_slowed(struct trial *t, const struct result *r, double slow)
{
	for (size_t i = 0; i < r->verdicts.n; i++) {
		const struct verdict *v = &r->verdicts.v[i];

		if (!is_gate(r, v))
			continue;
		if (!reacts(&r->checks[v->check]))
			tell(t, r, v, "not tested: slowing all I/O need not show in it");
		else if (v->kind == VERDICT_REGRESSION)
			continue;
		else {
			t->missed++;
			tell(t, r, v, "NOT RED although I/O was slowed");
		}
	}
	str_addf(&t->out, "slowed by %.3g %%, %s: %u gate%s did not go red\n", 100 * slow,
		 slow < SLOW_MAX ? "twice the largest tolerance"
				 : "the most there is, and not twice the largest tolerance",
		 t->missed, t->missed == 1 ? "" : "s");
}

static int collect(struct trial *t, struct err *e)
{
	const struct result **list = xcalloc(t->nbase, sizeof(*list));
	int rc = 0;

	for (uint32_t i = 0; i < t->nbase && rc == 0; i++) {
		if (!t->o->quiet)
			say("selftest: session %u of %u of the baseline", i + 1, t->nbase);
		rc = measure(t, 1, 1, 0, &t->base[i], e);
		list[i] = &t->base[i];
		if (rc == 0 && !measured(t, &t->base[i], "baseline"))
			rc = err_set(e, ERR_MEASURE,
				     "the baseline of the selftest could not be measured");
	}
	if (rc == 0)
		rc = baseline_from_results(list, t->nbase, &t->baseline, e);
	/* One boot would be one block, and the rule a provisional one. */
	for (size_t i = 0; rc == 0 && i < t->baseline.n; i++)
		t->baseline.sessions[i].boot_id = NULL;
	free(list);
	return rc;
}

static int try_out(struct trial *t, uint32_t max, struct err *e)
{
	double slow = fmin(2 * largest_tolerance(&t->s->plan), SLOW_MAX);
	struct result same, slowed;
	int rc;

	result_init(&same);
	result_init(&slowed);
	rc = measure(t, 1, max, 0, &same, e);
	if (rc == 0 && measured(t, &same, "unchanged"))
		look_unchanged(t, &same);
	if (rc == 0 && slow > 0)
		rc = measure(t, 2, max, slow, &slowed, e);
	if (rc == 0 && slow > 0 && measured(t, &slowed, "slowed"))
		look_slowed(t, &slowed, slow);
	result_release(&same);
	result_release(&slowed);
	return rc;
}

static enum exit_status verdict(const struct trial *t)
{
	if (t->errors || t->gates == 0)
		return STATUS_ERROR;
	if (t->false_red || t->missed)
		return STATUS_REGRESSION;
	return t->undecided ? STATUS_INCONCLUSIVE : STATUS_PASS;
}

/* 0 of n: the upper 95 % limit of the true share is 1 - 0.05^(1/n). */
static void close_with(const struct trial *t, enum exit_status status)
{
	fwrite(t->out.s, 1, t->out.len, stdout);
	printf("unchanged: %u of %u gates red, %u undecided", t->false_red, t->gates, t->undecided);
	if (t->false_red == 0 && t->gates)
		printf("; so few trials show no more than: fewer than %.0f %% of such gates are "
		       "red on "
		       "unchanged code (95 %%)",
		       100 * (1 - pow(0.05, 1.0 / t->gates)));
	printf("\nthe baseline was %u sessions of this boot: what differs between boots is not in "
	       "it\n",
	       t->nbase);
	say("blkgate: selftest %s  %u gates  status %d: %s",
	    status == STATUS_PASS ? "PASSED" : "FAILED", t->gates, (int)status,
	    status == STATUS_PASS           ? "green without a change, red at twice the tolerance"
	    : status == STATUS_INCONCLUSIVE ? "a gate could not decide on unchanged code"
	    : status == STATUS_ERROR        ? "nothing could be judged"
				     : "a gate was red without a change, or stayed green with one");
}

static void say_cost(const struct loaded *s, uint32_t nbase, uint32_t max)
{
	uint64_t one = plan_session_time(&s->plan);
	struct str text;

	str_init(&text);
	str_addf(&text,
		 "selftest: %u sessions as a baseline, 1 to %u unchanged, 2 to %u slowed: ", nbase,
		 max, max);
	unit_format_duration(&text, one * (nbase + 3));
	str_add(&text, " to ");
	unit_format_duration(&text, one * (nbase + 2 * (uint64_t)max));
	say("%s, slowed ones longer", text.s);
	str_release(&text);
}

static int selftest(struct loaded *s, const struct options *o)
{
	struct trial t = {.s = s,
			  .o = o,
			  .stop = signals_install(),
			  .nbase = o->sessions_min > BASE_SESSIONS ? o->sessions_min
								   : BASE_SESSIONS};
	uint32_t max = s->plan.sessions_max > 2 ? s->plan.sessions_max : 2;
	struct err e = ERR_INIT;
	enum exit_status status;
	int rc;

	if (s->plan.setup_error) {
		say("blkgate: %s: %s", s->path, s->plan.setup_error);
		return s->plan.setup_code == ERR_SUITE ? STATUS_USAGE : STATUS_ERROR;
	}
	if (largest_tolerance(&s->plan) <= 0) {
		say("blkgate: %s: no primary gate of a rate or mean latency in per cent: there is "
		    "nothing to test",
		    s->path);
		return STATUS_USAGE;
	}
	say_cost(s, t.nbase, max);
	str_init(&t.out);
	t.base = xcalloc(t.nbase, sizeof(*t.base));
	for (uint32_t i = 0; i < t.nbase; i++)
		result_init(&t.base[i]);
	rc = collect(&t, &e);
	if (rc == 0)
		rc = try_out(&t, max, &e);
	if (rc)
		say_err(&e);
	status = rc ? status_of(&e) : verdict(&t);
	close_with(&t, status);
	baseline_release(&t.baseline);
	for (uint32_t i = 0; i < t.nbase; i++)
		result_release(&t.base[i]);
	free(t.base);
	str_release(&t.out);
	return (int)status;
}

int cmd_selftest(int argc, char **argv)
{
	struct options o;
	struct load l;
	int rc = command_start(
		&o, "selftest SUITE --target [ROLE=]ID [OPTION]...",
		"Measures the suite against itself: the gates must stay green without a "
		"change and\ngo red when I/O is slowed by twice the tolerance. Nothing is "
		"stored.",
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
