/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cmd/load.h"
#include "cmd/progress.h"

#include "base/fileio.h"
#include "session/session.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct option_def *const defs[] = {
    &opt_target,    &opt_out,      &opt_junit,       &opt_junit_style, &opt_json,
    &opt_baselines, &opt_profile,  &opt_only,        &opt_check,       &opt_set,
    &opt_runs,      &opt_sessions, &opt_budget,      &opt_seed,        &opt_label,
    &opt_change,    &opt_inject,   &opt_allow_write, &opt_policy,      &opt_wait_lock,
    &opt_bisect,    &opt_dry_run,  &opt_quiet,       &opt_verbose,     NULL,
};

/* Everything of one invocation. */
struct invocation {
	struct options o;
	struct load l;
	struct result *results; /* one a planned suite */
	const struct result **list;
	struct baseline *baselines;
	bool *has_baseline;
	struct report_suite_error *broken;
	char **broken_text;
	size_t n, nbroken;
	struct documents d;
	struct inject inject;
	struct str command;
	enum exit_status status;
};

static void remember_command(struct invocation *v, int argc, char **argv)
{
	static const char *const skipped[] = {"--sessions", "--only", "--check", "--with", "--out"};

	str_init(&v->command);
	str_add(&v->command, "blkgate run");
	for (int i = 1; i < argc; i++) {
		bool skip = false;

		for (size_t k = 0; k < sizeof(skipped) / sizeof(*skipped); k++)
			if (str_starts(argv[i], skipped[k]))
				skip = true;
		if (skip) {
			i += strchr(argv[i], '=') == NULL;
			continue;
		}
		str_addc(&v->command, ' ');
		str_add_shell(&v->command, argv[i]);
	}
}

/* What must be right before hours of I/O begin: the folder of results, the injection, the streams.
 */
static int check_options(struct invocation *v, struct err *e)
{
	struct options *o = &v->o;

	if (!o->out)
		o->out = "blkgate-out";
	if (o->inject && inject_parse(o->inject, &v->inject, e) < 0)
		return err_prefix(e, "option --inject");
	if (o->json && o->args.n > 1) {
		err_set(e, ERR_USAGE, "--json takes the result of one suite, %zu were named",
			o->args.n);
		return err_hint(e, "each suite's result is in %s/SUITE/result.json", o->out);
	}
	if (o->json && o->junit && str_eq(o->json, "-") && str_eq(o->junit, "-"))
		return err_set(e, ERR_USAGE, "--json and --junit cannot both own standard output");
	return o->dry_run ? 0 : file_mkdirs(o->out, e);
}

/* Place, cause and remedy in one line, as a report shows them. */
static char *err_sentence(const struct err *e)
{
	char place[300] = "";

	if (e->line)
		snprintf(place, sizeof(place), "%s:%u:%u: ", e->file, e->line, e->column);
	else if (e->file[0])
		snprintf(place, sizeof(place), "%s: ", e->file);
	return xasprintf("%s%s%s%s", place, e->text, e->hint[0] ? "; " : "", e->hint);
}

static void add_broken(struct invocation *v, const struct loaded *s)
{
	struct report_suite_error *b = &v->broken[v->nbroken++];

	b->suite = s->has_plan && s->suite.name ? s->suite.name : s->path;
	b->text = v->broken_text[v->nbroken - 1] = err_sentence(&s->err);
	b->status = status_of(&s->err);
	v->status = status_worse(v->status, b->status);
}

static void load_baseline(struct invocation *v, struct loaded *s, size_t i)
{
	if (baseline_load(v->o.baselines, s->suite.name, v->o.profile, &v->baselines[i], &s->err) ==
	    0)
		v->has_baseline[i] = true;
	else
		say_err(&s->err);
}

static void print_notices(const struct invocation *v, const struct plan *p)
{
	if (v->o.quiet)
		return;
	for (size_t i = 0; i < p->notices.n; i++)
		say("note: %s", p->notices.v[i]);
}

static void run_suite(struct invocation *v, struct loaded *s, size_t i, const volatile int *stop)
{
	struct err e = ERR_INIT;
	struct progress progress;
	char *dir = v->l.n == 1 ? xstrdup(v->o.out) : xasprintf("%s/%s", v->o.out, s->suite.name);
	char *journal = xasprintf("%s/journal", dir);
	struct session_options so = {
	    .journal = journal,
	    .change = v->o.change,
	    .inject_text = v->o.inject,
	    .inject = v->inject,
	    .partial = v->o.only    ? "selected by --only"
		       : v->o.check ? "selected by --check"
				    : NULL,
	    .wait_lock = v->o.wait_lock,
	    .stop = stop,
	    .baseline = &v->baselines[i],
	    .event = progress_event,
	    .arg = &progress,
	};
	struct result *r = &v->results[v->n];

	progress_init(&progress, &v->o, &v->d);
	print_notices(v, &s->plan);
	v->list[v->n] = r;
	if (v->o.dry_run) {
		session_result_init(&s->plan, &so, r);
	} else if (file_mkdirs(dir, &e) == 0) {
		v->d.n = v->n + 1;
		session_run(&s->plan, &so, r, &e);
	} else {
		session_result_init(&s->plan, &so, r);
	}
	v->n++;
	progress_end(&progress);
	if (e.code && e.code != ERR_INTR)
		say_err(&e);
	v->status = status_worse(v->status, r->status);
	if (e.code)
		v->status = status_worse(v->status, status_of(&e));
	free(journal);
	free(dir);
}

/* --dry-run: which jobs would run, which would not and why. */
static int dry_run(struct invocation *v)
{
	enum exit_status status = v->status;
	size_t ready = 0, total = 0;

	for (size_t i = 0; i < v->l.n; i++) {
		struct loaded *s = &v->l.v[i];

		if (s->err.code)
			continue;
		print_notices(v, &s->plan);
		if (s->plan.setup_error) {
			say("blkgate: %s: %s", s->path, s->plan.setup_error);
			status = status_worse(
			    status, s->plan.setup_code == ERR_SUITE ? STATUS_USAGE : STATUS_ERROR);
		}
		for (size_t k = 0; k < s->plan.njobs; k++) {
			const struct job *j = &s->plan.jobs[k];

			total++;
			if (j->state == JOB_READY) {
				ready++;
				continue;
			}
			if (j->state == JOB_ERROR)
				status = status_worse(status, STATUS_ERROR);
			say("%s on %s: %s: %s", j->name, s->plan.targets[j->target].role,
			    j->state == JOB_ERROR ? "error" : "skipped", j->why);
		}
	}
	say("blkgate: dry run  %zu of %zu workloads could run, nothing was measured  status %d",
	    ready, total, status);
	return (int)status;
}

static void allocate(struct invocation *v)
{
	size_t n = v->l.n ? v->l.n : 1;

	v->results = xcalloc(n, sizeof(*v->results));
	v->list = xcalloc(n, sizeof(*v->list));
	v->baselines = xcalloc(n, sizeof(*v->baselines));
	v->has_baseline = xcalloc(n, sizeof(*v->has_baseline));
	v->broken = xcalloc(n, sizeof(*v->broken));
	v->broken_text = xcalloc(n, sizeof(*v->broken_text));
	v->d = (struct documents){
	    .o = &v->o, .results = v->list, .broken = v->broken, .out_dir = true};
}

static void release(struct invocation *v)
{
	for (size_t i = 0; i < v->n; i++)
		result_release(&v->results[i]);
	for (size_t i = 0; i < v->l.n; i++)
		if (v->has_baseline[i])
			baseline_release(&v->baselines[i]);
	free(v->results);
	free(v->list);
	free(v->baselines);
	free(v->has_baseline);
	for (size_t i = 0; i < v->nbroken; i++)
		free(v->broken_text[i]);
	free(v->broken_text);
	free(v->broken);
	str_release(&v->command);
	load_release(&v->l);
	options_release(&v->o);
}

static int run_all(struct invocation *v)
{
	const volatile int *stop = signals_install();
	struct err e = ERR_INIT;
	char *path;

	for (size_t i = 0; i < v->l.n; i++) {
		struct loaded *s = &v->l.v[i];

		if (!s->err.code)
			load_baseline(v, s, i);
		if (s->err.code)
			add_broken(v, s);
	}
	v->d.nbroken = v->nbroken;
	for (size_t i = 0; i < v->l.n; i++)
		if (!v->l.v[i].err.code)
			run_suite(v, &v->l.v[i], i, stop);
	v->d.n = v->n;
	if (documents_write(&v->d, &e) < 0) {
		say_err(&e);
		v->status = status_worse(v->status, STATUS_ERROR);
	}
	path = xasprintf("%s/result.json", v->o.out);
	print_results(&v->d, v->status, path, v->command.s);
	free(path);
	return (int)v->status;
}

int cmd_run(int argc, char **argv)
{
	struct invocation v = {.status = STATUS_PASS};
	struct err e = ERR_INIT;
	int rc;

	remember_command(&v, argc, argv);
	rc = command_start(
	    &v.o, "run SUITE... --target [ROLE=]ID [OPTION]...",
	    "Runs the suite's workloads on the target, compares with the accepted sessions in\n"
	    "baselines/SUITE/PROFILE, writes blkgate-out/{result.json,junit.xml}; the exit status\n"
	    "is the verdict.",
	    defs, "  blkgate run suites/smoke.yaml --target /var/tmp --junit junit.xml", argc,
	    argv);
	if (rc >= 0) {
		str_release(&v.command);
		return rc;
	}
	if (check_options(&v, &e) < 0) {
		say_err(&e);
		str_release(&v.command);
		options_release(&v.o);
		return (int)status_of(&e);
	}
	rc = load_open(&v.l, &v.o, true, false, v.o.verbose ? DIAG_NOTE : DIAG_WARN);
	allocate(&v);
	v.status = v.l.status;
	if (rc < 0)
		rc = STATUS_USAGE;
	else if (v.o.dry_run)
		rc = dry_run(&v);
	else
		rc = run_all(&v);
	if (v.o.bisect)
		rc = bisect_status((enum exit_status)rc);
	release(&v);
	return rc;
}
