/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cmd/invocation.h"

#include "base/fileio.h"

#include <string.h>

static const struct option_def *const defs[] = {
	&opt_target,    &opt_out,      &opt_junit,       &opt_junit_style, &opt_json,
	&opt_baselines, &opt_profile,  &opt_only,        &opt_check,       &opt_set,
	&opt_runs,      &opt_sessions, &opt_budget,      &opt_seed,        &opt_label,
	&opt_change,    &opt_inject,   &opt_allow_write, &opt_policy,      &opt_wait_lock,
	&opt_bisect,    &opt_dry_run,  &opt_quiet,       &opt_verbose,     &opt_latency_log,
	&opt_history,   &opt_with,     &opt_versus,      &opt_ab,          &opt_pairs,
	&opt_targets,   NULL,
};

/* Where the documents of this run went, what it chose and how much it said is not what the next one
 * wants. */
static bool is_own(const char *arg, bool *value)
{
	static const char *const with_value[] = {"--sessions", "--only", "--check",
						 "--with",     "--out",  "--latency-log",
						 "--junit",    "--json", NULL};
	static const char *const flags[] = {"--quiet", "--verbose", NULL};

	*value = false;
	for (size_t k = 0; flags[k]; k++)
		if (str_eq(arg, flags[k]))
			return true;
	for (size_t k = 0; with_value[k]; k++)
		if (str_starts(arg, with_value[k])) {
			*value = !strchr(arg, '=');
			return true;
		}
	return false;
}

static void remember_command(struct invocation *v, int argc, char **argv)
{
	str_init(&v->command);
	str_add(&v->command, "blkgate run");
	for (int i = 1; i < argc; i++) {
		bool value;

		if (is_own(argv[i], &value)) {
			i += value;
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
		return e->code;
	if (o->json && o->args.n > 1) {
		err_set(e, ERR_USAGE, "--json takes the result of one suite, %zu were named",
			o->args.n);
		return err_hint(e, "each suite's result is in %s/SUITE/result.json", o->out);
	}
	if (documents_clash(o, e) < 0)
		return e->code;
	if (o->dry_run)
		return 0;
	if (o->latency_log && file_mkdirs(o->latency_log, e) < 0)
		return e->code;
	return file_mkdirs(o->out, e);
}

static const char usage_line[] = "run SUITE... --target [ROLE=]ID [OPTION]...";
static const char what_it_does[] =
	"Runs the suite's workloads on the target, compares with the accepted sessions in\n"
	"baselines/SUITE/PROFILE, writes blkgate-out/{result.json,junit.xml}; the exit status\n"
	"is the verdict.";
static const char an_example[] =
	"  blkgate run suites/smoke.yaml --target /var/tmp --junit junit.xml";

static int run(struct invocation *v)
{
	struct err e = ERR_INIT;

	if (check_options(v, &e) < 0) {
		say_err(&e);
		return (int)status_of(&e);
	}
	if (load_open(&v->l, &v->o, true, false,
		      v->o.verbose ? DIAG_NOTE
		      : v->o.quiet ? DIAG_ERROR
				   : DIAG_WARN) < 0)
		return STATUS_USAGE;
	if (with_check(&v->o, &v->l, &e) < 0) {
		say_err(&e);
		return (int)status_of(&e);
	}
	invocation_open(v);
	return v->o.dry_run ? invocation_dry_run(v) : invocation_run(v);
}

int cmd_run(int argc, char **argv)
{
	struct invocation v = {.status = STATUS_PASS};
	int rc;

	remember_command(&v, argc, argv);
	rc = command_start(&v.o, usage_line, what_it_does, defs, an_example, argc, argv);
	if (rc < 0)
		rc = run(&v);
	invocation_release(&v);
	return rc;
}
