/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/clock.h"
#include "cmd/load.h"
#include "cmd/results.h"

#include <pwd.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static const struct option_def *const defs[] = {
	&opt_baselines, &opt_profile, &opt_suite, &opt_reason, &opt_new_epoch, &opt_dry_run, NULL,
};

static const char usage_line[] = "baseline accept|show|diff|drop|retire ARGUMENT... [OPTION]...";

/* Who accepts: the account, for git blame knows the commit but not the run. */
static const char *account(void)
{
	struct passwd *pw = getpwuid(getuid());

	return pw && pw->pw_name ? pw->pw_name : "unknown";
}

static int fail(const struct err *e)
{
	say_err(e);
	return (int)status_of(e);
}

/* One result after the other: what the first adds, the second is judged against. */
static int accept_one(struct options *o, const char *path)
{
	struct options one = *o;
	struct loaded_results l;
	struct err e = ERR_INIT;
	struct accept_options ao = {
		.dir = o->baselines,
		.who = account(),
		.reason = o->reason,
		.new_epoch = o->new_epoch,
		.dry_run = o->dry_run,
	};
	struct str text;
	size_t stored = 0;
	int rc = STATUS_ERROR;

	one.args.v = &path;
	one.args.n = 1;
	results_open(&l, &one);
	str_init(&text);
	if (l.n && baseline_accept(&l.v[0], &l.baselines[0], &ao, &stored, &text, &e) == 0)
		rc = STATUS_PASS;
	else if (l.n)
		rc = fail(&e);
	fwrite(text.s, 1, text.len, stdout);
	str_release(&text);
	results_release(&l);
	return rc;
}

static int do_accept(struct options *o)
{
	int rc = STATUS_PASS;

	for (size_t i = 0; i < o->args.n && rc == STATUS_PASS; i++)
		rc = accept_one(o, o->args.v[i]);
	return rc;
}

/* The baseline of a suite's name, or of a suite file (anything that ends in .yaml or .yml). */
static int open_baseline(struct options *o, const char *suite, struct baseline *b, struct err *e)
{
	const char *profile = o->profile ? o->profile : "default";
	struct suite s;
	struct diags d;
	int rc;

	if (!str_ends(suite, ".yaml") && !str_ends(suite, ".yml")) {
		rc = baseline_load(o->baselines, suite, profile, b, e);
		b->expiry.at = clock_utc();
	} else {
		diags_init(&d);
		rc = suite_load(suite, o->set.v, o->set.n, &s, &d, e);
		if (rc == 0)
			rc = baseline_load(o->baselines, s.name, profile, b, e);
		if (rc == 0)
			b->expiry = (struct expiry){clock_utc(), s.baseline_max_age};
		suite_release(&s);
		diags_release(&d);
	}
	if (rc == 0 && b->n == 0) {
		baseline_release(b);
		err_set(e, ERR_NOBASE, "no session of suite '%s', profile '%s' is stored in '%s'",
			suite, profile, o->baselines);
		return err_hint(e, "blkgate run SUITE --target ID, then blkgate baseline accept "
				   "blkgate-out/result.json");
	}
	return rc;
}

/* A suite file tells the tolerances; its name alone does not. */
static void show_forecast(struct options *o, const struct baseline *b, struct str *text)
{
	const char *suite = o->args.n ? o->args.v[0] : o->suite;
	struct options one = *o;
	struct load l;

	if (!str_ends(suite, ".yaml") && !str_ends(suite, ".yml"))
		return;
	one.args.v = &suite;
	one.args.n = 1;
	if (load_open(&l, &one, false, true, DIAG_ERROR) == 0 && !l.v[0].err.code)
		forecast_text(&l.v[0], b, true, text);
	load_release(&l);
}

static int do_show(struct options *o)
{
	struct baseline b;
	struct err e = ERR_INIT;
	struct str text;

	if (open_baseline(o, o->args.n ? o->args.v[0] : o->suite, &b, &e) < 0)
		return fail(&e);
	str_init(&text);
	baseline_show(&b, &text);
	show_forecast(o, &b, &text);
	fwrite(text.s, 1, text.len, stdout);
	str_release(&text);
	baseline_release(&b);
	return STATUS_PASS;
}

static int do_diff(struct options *o)
{
	struct loaded_results l;
	struct str text;
	int rc;

	for (size_t i = 0; i < o->args.n; i++)
		if (str_ends(o->args.v[i], ".yaml") || str_ends(o->args.v[i], ".yml") ||
		    (!strchr(o->args.v[i], '/') && access(o->args.v[i], F_OK) < 0)) {
			say("blkgate: baseline diff needs a result, and '%s' is none",
			    o->args.v[i]);
			say("  blkgate baseline diff blkgate-out/result.json");
			return STATUS_USAGE;
		}
	results_open(&l, o);
	str_init(&text);
	rc = l.n == o->args.n ? STATUS_PASS : STATUS_ERROR;
	for (size_t i = 0; i < l.n; i++) {
		if (l.v[i].interleave.kind == INTERLEAVE_NONE) {
			baseline_diff(&l.baselines[i], &l.v[i], &text);
			continue;
		}
		say("blkgate: '%s' compares two arms with each other; blkgate report shows it",
		    l.paths[i]);
		rc = STATUS_USAGE;
	}
	fwrite(text.s, 1, text.len, stdout);
	str_release(&text);
	results_release(&l);
	return rc;
}

static int need_suite(struct options *o, struct err *e)
{
	if (o->suite)
		return 0;
	err_set(e, ERR_USAGE, "no suite was named");
	return err_hint(e, "--suite suites/smoke.yaml, or its name");
}

static int would_drop(const struct baseline *b, const char *id)
{
	for (size_t i = 0; i < b->n; i++)
		if (str_eq(b->sessions[i].id, id)) {
			printf("would drop %s\n", id);
			return STATUS_PASS;
		}
	say("blkgate: no session '%s' is stored in '%s'", id, b->dir);
	return STATUS_USAGE;
}

static int do_drop(struct options *o)
{
	struct baseline b;
	struct err e = ERR_INIT;
	struct str text;
	int rc = STATUS_PASS;

	if (need_suite(o, &e) < 0 || open_baseline(o, o->suite, &b, &e) < 0)
		return fail(&e);
	str_init(&text);
	baseline_drop_forgets(&b, o->args.v, o->args.n, &text);
	fwrite(text.s, 1, text.len, stderr);
	str_release(&text);
	for (size_t i = 0; i < o->args.n && rc == STATUS_PASS; i++) {
		if (o->dry_run)
			rc = would_drop(&b, o->args.v[i]);
		else if (baseline_drop(&b, o->args.v[i], &e) < 0)
			rc = fail(&e);
		else
			printf("dropped %s\n", o->args.v[i]);
	}
	baseline_release(&b);
	return rc;
}

static int do_retire(struct options *o)
{
	struct baseline b;
	struct err e = ERR_INIT;
	int rc = STATUS_PASS;

	if (need_suite(o, &e) < 0)
		return fail(&e);
	if (!o->reason) {
		err_set(&e, ERR_USAGE, "retiring a check needs a reason");
		err_hint(&e, "--reason TEXT");
		return fail(&e);
	}
	if (open_baseline(o, o->suite, &b, &e) < 0)
		return fail(&e);
	for (size_t i = 0; i < o->args.n && rc == STATUS_PASS; i++) {
		if (baseline_retire(&b, o->args.v[i], account(), o->reason, o->dry_run, &e) < 0)
			rc = fail(&e);
		else
			printf("%s %s\n", o->dry_run ? "would retire" : "retired", o->args.v[i]);
	}
	baseline_release(&b);
	return rc;
}

int cmd_baseline(int argc, char **argv)
{
	static const struct {
		const char *name, *needs;
		int (*fn)(struct options *o);
	} verbs[] = {
		{"accept", "a result: blkgate-out/result.json", do_accept},
		{"show", "a suite: its file or its name", do_show},
		{"diff", "a result: blkgate-out/result.json", do_diff},
		{"drop", "a session's id (see baseline show)", do_drop},
		{"retire", "what is no longer demanded: 'TARGET WORKLOAD gate METRIC'", do_retire},
	};
	struct options o;
	int rc = command_start(
		&o, usage_line,
		"The life of a baseline: one immutable file a session, in\n"
		"BASELINES/SUITE/PROFILE, to be kept in git.\n\n"
		"  accept RESULT...   stores its sessions (--new-epoch --reason for "
		"another level)\n"
		"  show SUITE         level and spread of each gate, and the files; a "
		"suite's file or name\n"
		"  diff RESULT...     what a result differs in\n"
		"  drop SESSION...    --suite SUITE: removes files; why is for the "
		"commit to say\n"
		"  retire CHECK...    --suite SUITE --reason TEXT: no longer demanded, "
		"'TARGET WORKLOAD'\n"
		"                     or 'TARGET WORKLOAD gate METRIC'",
		defs,
		"  blkgate baseline accept blkgate-out/result.json\n"
		"  blkgate baseline show suites/smoke.yaml\n"
		"  blkgate baseline drop 20261128T140322-a1b2c3 --suite smoke",
		argc, argv);

	if (rc >= 0)
		return rc;
	for (size_t i = 0; o.args.n && i < sizeof(verbs) / sizeof(*verbs); i++) {
		if (!str_eq(o.args.v[0], verbs[i].name))
			continue;
		o.args.v++;
		o.args.n--;
		if (o.args.n || (o.suite && verbs[i].fn == do_show)) {
			rc = verbs[i].fn(&o);
		} else {
			say("blkgate: baseline %s needs %s", verbs[i].name, verbs[i].needs);
			rc = STATUS_USAGE;
		}
		o.args.v--;
		options_release(&o);
		return rc;
	}
	say("blkgate: baseline needs one of accept, show, diff, drop, retire");
	say("usage: blkgate %s", usage_line);
	options_release(&o);
	return STATUS_USAGE;
}
