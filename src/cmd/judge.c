/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cmd/results.h"

static const struct option_def *const defs[] = {
	&opt_baselines, &opt_profile, &opt_against, &opt_policy,  &opt_junit,   &opt_junit_style,
	&opt_json,      &opt_bisect,  &opt_quiet,   &opt_verbose, &opt_history, NULL,
};

static int no_arguments(const char *command)
{
	say("blkgate: no result was named");
	say("  blkgate %s blkgate-out/result.json", command);
	return STATUS_USAGE;
}

/* `report` stays with each file: two of one suite and profile have the same cases. */
static bool same_suite_twice(const struct loaded_results *l)
{
	for (size_t i = 0; i < l->n; i++)
		for (size_t k = 0; k < i; k++)
			if (str_eq(l->v[i].suite, l->v[k].suite) &&
			    str_eq(l->v[i].profile, l->v[k].profile)) {
				say("blkgate: '%s' and '%s' are both results of suite '%s', "
				    "profile '%s'",
				    l->paths[k], l->paths[i], l->v[i].suite, l->v[i].profile);
				say("  name one, or pool them: blkgate judge %s %s", l->paths[k],
				    l->paths[i]);
				return true;
			}
	return false;
}

/* judge and report differ in one thing: the status of report says whether it could render. */
static int judge_or_report(const char *name, const char *usage, const char *what,
			   const char *example, bool verdict_status, int argc, char **argv)
{
	struct options o;
	struct loaded_results l;
	struct documents d;
	struct err e = ERR_INIT;
	enum exit_status status;
	int rc = command_start(&o, usage, what, defs, example, argc, argv);

	if (rc >= 0)
		return rc;
	if (!o.args.n) {
		options_release(&o);
		return no_arguments(name);
	}
	if (o.json && o.args.n > 1 && !verdict_status)
		err_set(&e, ERR_USAGE, "--json takes one result, %zu were named", o.args.n);
	else
		documents_clash(&o, &e);
	if (e.code) {
		say_err(&e);
		options_release(&o);
		return STATUS_USAGE;
	}
	results_open(&l, &o);
	if (verdict_status && results_pool(&l, &e) == 0 && o.json && l.n + l.nbroken > 1)
		err_set(&e, ERR_USAGE, "--json takes the result of one suite, these are %zu",
			l.n + l.nbroken);
	if (e.code)
		say_err(&e);
	if (e.code || (!verdict_status && same_suite_twice(&l))) {
		results_release(&l);
		options_release(&o);
		return STATUS_USAGE;
	}
	d = (struct documents){
		.o = &o,
		.results = l.list,
		.paths = l.paths,
		.n = l.n,
		.broken = l.broken,
		.nbroken = l.nbroken,
	};
	status = l.status;
	if (documents_write(&d, &e) < 0) {
		say_err(&e);
		status = status_worse(status, STATUS_ERROR);
	}
	status = status_worse(status, past_results(&d));
	print_results(&d, status);
	rc = (int)status;
	if (!verdict_status)
		rc = l.n == o.args.n && !e.code ? STATUS_PASS : STATUS_ERROR;
	results_release(&l);
	options_release(&o);
	return rc;
}

int cmd_judge(int argc, char **argv)
{
	return judge_or_report("judge", "judge RESULT... [--against RESULT]... [OPTION]...",
			       "Judges results (or journals) again, offline: the same files give "
			       "the same verdict.\nResults of one suite, profile and change are "
			       "sessions of one sequence and are pooled.",
			       "  blkgate judge blkgate-out/result.json --baselines baselines",
			       true, argc, argv);
}

int cmd_report(int argc, char **argv)
{
	return judge_or_report(
		"report", "report RESULT... [OPTION]...",
		"Renders results again. The status is 0 when it could, whatever the verdict.",
		"  blkgate report blkgate-out/result.json --junit junit.xml", false, argc, argv);
}
