/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cmd/load.h"

#include <stdio.h>

static const struct option_def *const defs[] = {&opt_strict, &opt_set,   &opt_verbose, &opt_quiet,
						&opt_pairs,  &opt_rules, NULL};

static const char *plural(size_t n)
{
	return n == 1 ? "" : "s";
}

static enum exit_status list_rules(const struct options *o)
{
	static const char *const level[] = {"note", "warn", "error"};
	char number[RULE_NUMBER_SIZE];

	if (o->args.n) {
		say("blkgate: --rules lists the rules and looks at no suite");
		return STATUS_USAGE;
	}
	for (unsigned i = 0; i < RULE_COUNT; i++)
		printf("%s  %-5s  %-34s  %s\n", rule_number((enum rule)i, number),
		       level[rule_table[i].level], rule_table[i].name, rule_table[i].what);
	return STATUS_PASS;
}

int cmd_lint(int argc, char **argv)
{
	struct options o;
	struct load l;
	size_t warnings = 0, errors = 0, jobs = 0, checks = 0;
	enum exit_status status;
	int rc = command_start(
		&o, "lint SUITE... [OPTION]...",
		"Validates suites: syntax, words, values, contradictions. Touches no device.", defs,
		"  blkgate lint --strict suites/*.yaml", argc, argv);

	if (rc >= 0)
		return rc;
	if (o.rules) {
		status = list_rules(&o);
		options_release(&o);
		return (int)status;
	}
	if (load_open(&l, &o, false, true,
		      o.verbose ? DIAG_NOTE
		      : o.quiet ? DIAG_ERROR
				: DIAG_WARN) < 0) {
		load_release(&l);
		options_release(&o);
		return STATUS_USAGE;
	}
	status = l.status;
	for (size_t i = 0; i < l.n; i++) {
		errors += l.v[i].diags.errors + (l.v[i].err.code && !l.v[i].diags.errors);
		warnings += l.v[i].diags.warnings;
		jobs += l.v[i].has_plan ? l.v[i].plan.njobs : 0;
		checks += l.v[i].has_plan ? l.v[i].plan.nchecks : 0;
	}
	if (o.strict && warnings)
		status = status_worse(status, STATUS_USAGE);
	say("blkgate: lint%s%zu error%s, %zu warning%s in %zu suite%s (%zu workload%s, %zu "
	    "check%s)  "
	    "status %d",
	    status     ? " failed  "
	    : warnings ? ": "
		       : " clean  ",
	    errors, plural(errors), warnings, plural(warnings), l.n, plural(l.n), jobs,
	    plural(jobs), checks, plural(checks), status);
	load_release(&l);
	options_release(&o);
	return (int)status;
}
