/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cmd/results.h"

static const struct option_def *const defs[] = {
    &opt_baselines, &opt_profile, &opt_against, &opt_policy,  &opt_junit, &opt_junit_style,
    &opt_json,      &opt_bisect,  &opt_quiet,   &opt_verbose, NULL,
};

static int no_arguments(const char *command)
{
	say("blkgate: no result was named");
	say("  blkgate %s blkgate-out/result.json", command);
	return STATUS_USAGE;
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
	results_open(&l, &o);
	if (o.json && l.n > 1) {
		say("blkgate: --json takes one result, %zu were named", l.n);
		l.status = status_worse(l.status, STATUS_USAGE);
	}
	d = (struct documents){.o = &o, .results = l.list, .n = l.n};
	status = l.status;
	if (documents_write(&d, &e) < 0) {
		say_err(&e);
		status = status_worse(status, STATUS_ERROR);
	}
	print_results(&d, status, o.args.v[0], NULL);
	rc = o.bisect ? bisect_status(status) : (int)status;
	if (!verdict_status && l.n == o.args.n && !e.code)
		rc = STATUS_PASS;
	results_release(&l);
	options_release(&o);
	return rc;
}

int cmd_judge(int argc, char **argv)
{
	return judge_or_report(
	    "judge", "judge RESULT... [--against RESULT]... [OPTION]...",
	    "Judges results (or journals) again, offline: the same files give the same verdict.",
	    "  blkgate judge blkgate-out/result.json --baselines baselines", true, argc, argv);
}

int cmd_report(int argc, char **argv)
{
	return judge_or_report(
	    "report", "report RESULT... [OPTION]...",
	    "Renders results again. The status is 0 when it could, whatever the verdict.",
	    "  blkgate report blkgate-out/result.json --junit junit.xml", false, argc, argv);
}
