/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cmd/cmd.h"

#include "base/units.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void options_init(struct options *o)
{
	*o = (struct options){.baselines = NULL};
}

void options_release(struct options *o)
{
	VEC_RELEASE(&o->args);
	VEC_RELEASE(&o->set);
	VEC_RELEASE(&o->labels);
	VEC_RELEASE(&o->targets);
	VEC_RELEASE(&o->allow_write);
	VEC_RELEASE(&o->against);
	VEC_RELEASE(&o->with);
	VEC_RELEASE(&o->policy);
}

static int text(const char **slot, const char *value, struct err *e)
{
	if (!value[0])
		return err_set(e, ERR_USAGE, "the value is empty");
	*slot = value;
	return 0;
}

#define TAKE_TEXT(field)                                                                           \
	static int take_##field(struct options *o, const char *value, struct err *e)               \
	{                                                                                          \
		return text(&o->field, value, e);                                                  \
	}
TAKE_TEXT(out)
TAKE_TEXT(junit)
TAKE_TEXT(json)
TAKE_TEXT(baselines)
TAKE_TEXT(profile)
TAKE_TEXT(only)
TAKE_TEXT(check)
TAKE_TEXT(change)
TAKE_TEXT(inject)
TAKE_TEXT(reason)
TAKE_TEXT(suite)
TAKE_TEXT(latency_log)
TAKE_TEXT(history)
TAKE_TEXT(by)
TAKE_TEXT(versus)
TAKE_TEXT(ab)
TAKE_TEXT(root)
TAKE_TEXT(targets_file)

#define TAKE_FLAG(field)                                                                           \
	static int take_##field(struct options *o, const char *value, struct err *e)               \
	{                                                                                          \
		(void)value;                                                                       \
		(void)e;                                                                           \
		o->field = true;                                                                   \
		return 0;                                                                          \
	}
TAKE_FLAG(quiet)
TAKE_FLAG(verbose)
TAKE_FLAG(strict)
TAKE_FLAG(dry_run)
TAKE_FLAG(new_epoch)
TAKE_FLAG(bisect)
TAKE_FLAG(engines)
TAKE_FLAG(rules)
TAKE_FLAG(write)
TAKE_FLAG(two_sided)

static int take_undecided(struct options *o, const char *value, struct err *e)
{
	if (unit_parse(UNIT_RATIO, value, &o->undecided, e))
		return e->code;
	if (o->undecided > 0 && o->undecided < 0.25)
		return 0;
	err_set(e, ERR_USAGE, "a share of '%s' is out of range: above 0, below 25%%", value);
	return err_hint(e, "--undecided 5%%");
}

#define TAKE_LIST(field)                                                                           \
	static int take_##field(struct options *o, const char *value, struct err *e)               \
	{                                                                                          \
		if (!value[0])                                                                     \
			return err_set(e, ERR_USAGE, "the value is empty");                        \
		*VEC_PUSH(&o->field) = value;                                                      \
		return 0;                                                                          \
	}
TAKE_LIST(targets)
TAKE_LIST(allow_write)
TAKE_LIST(against)
TAKE_LIST(with)

/* KEY=VALUE; argv is writable, so the pair is split in place. */
static int pair(const char *value, struct setting *out, struct err *e)
{
	char *eq = strchr(value, '=');

	if (!eq || eq == value)
		return err_set(e, ERR_USAGE, "'%s' is not KEY=VALUE", value);
	*eq = '\0';
	*out = (struct setting){.key = value, .value = eq + 1};
	return 0;
}

#define TAKE_PAIR(field)                                                                           \
	static int take_##field(struct options *o, const char *value, struct err *e)               \
	{                                                                                          \
		struct setting s;                                                                  \
                                                                                                   \
		if (pair(value, &s, e) < 0)                                                        \
			return e->code;                                                            \
		*VEC_PUSH(&o->field) = s;                                                          \
		return 0;                                                                          \
	}
TAKE_PAIR(set)
TAKE_PAIR(labels)
TAKE_PAIR(policy)

static int count32(const char *value, uint32_t least, uint32_t most, uint32_t *out, struct err *e)
{
	uint64_t n;

	if (units_count(value, &n, e) < 0)
		return e->code;
	if (n < least || n > most)
		return err_set(e, ERR_USAGE, "'%s' is not between %u and %u", value, least, most);
	*out = (uint32_t)n;
	return 0;
}

static int take_runs(struct options *o, const char *value, struct err *e)
{
	return count32(value, 1, 1000, &o->runs, e);
}

static int take_pairs(struct options *o, const char *value, struct err *e)
{
	return count32(value, INTERLEAVE_PAIRS_MIN, INTERLEAVE_PAIRS_MAX, &o->pairs, e);
}

static int take_trials(struct options *o, const char *value, struct err *e)
{
	return count32(value, 1, 1000, &o->trials, e);
}

static int take_sessions(struct options *o, const char *value, struct err *e)
{
	const char *dots = strstr(value, "..");
	char min[16];

	if (!dots) {
		if (count32(value, 1, 5, &o->sessions_max, e) < 0)
			return err_hint(e, "write N or MIN..MAX: --sessions 1..3");
		o->sessions_min = o->sessions_max;
		return 0;
	}
	if ((size_t)(dots - value) >= sizeof(min))
		return err_set(e, ERR_USAGE, "'%s' is not N or MIN..MAX", value);
	memcpy(min, value, (size_t)(dots - value));
	min[dots - value] = '\0';
	if (count32(min, 1, 5, &o->sessions_min, e) < 0 ||
	    count32(dots + 2, o->sessions_min, 5, &o->sessions_max, e) < 0)
		return e->code;
	return 0;
}

static int take_budget(struct options *o, const char *value, struct err *e)
{
	char *copy = xstrdup(value), *save = NULL;
	int rc = 0;

	for (char *part = strtok_r(copy, ",", &save); part && rc == 0;
	     part = strtok_r(NULL, ",", &save)) {
		uint64_t *budget = str_starts(part, "time=")      ? &o->budget_time
				   : str_starts(part, "written=") ? &o->budget_written
								  : NULL;

		if (!budget)
			rc = err_set(e, ERR_USAGE, "'%s' is neither time=T nor written=SIZE", part);
		else if (budget == &o->budget_time)
			rc = units_time(part + strlen("time="), budget, e);
		else
			rc = units_size(part + strlen("written="), budget, e);
		/* Inside, 0 stands for no budget: the opposite of what it says. */
		if (rc == 0 && *budget == 0)
			rc = err_set(e, ERR_USAGE, "'%s': the budget must be above 0", part);
	}
	free(copy);
	return rc;
}

static int take_seed(struct options *o, const char *value, struct err *e)
{
	o->has_seed = true;
	return units_count(value, &o->seed, e);
}

static int take_wait_lock(struct options *o, const char *value, struct err *e)
{
	return units_time(value, &o->wait_lock, e);
}

static int take_junit_style(struct options *o, const char *value, struct err *e)
{
	if (str_eq(value, "strict"))
		o->junit_style = JUNIT_STRICT;
	else if (str_eq(value, "rich"))
		o->junit_style = JUNIT_RICH;
	else
		return err_set(e, ERR_USAGE, "'%s' is neither strict nor rich", value);
	return 0;
}

#define ROW(var, dash, metavar, field, text)                                                       \
	const struct option_def var = {                                                            \
		.name = dash, .value = metavar, .help = text, .take = take_##field}
/* May be given several times. */
#define LIST(var, dash, metavar, field, text)                                                      \
	const struct option_def var = {.name = dash,                                               \
				       .value = metavar,                                           \
				       .help = text,                                               \
				       .repeatable = true,                                         \
				       .take = take_##field}
ROW(opt_out, "--out", "DIR", out, "folder of result.json, journal, junit.xml (blkgate-out)");
ROW(opt_junit, "--junit", "FILE", junit, "JUnit XML there too, - for stdout");
ROW(opt_junit_style, "--junit-style", "WORD", junit_style,
    "strict (default, both schemas) or rich");
ROW(opt_latency_log, "--latency-log", "DIR", latency_log,
    "every latency as CSV, one file a run (a disk that is not the target)");
ROW(opt_json, "--json", "FILE", json, "the result document there too, - for stdout");
ROW(opt_baselines, "--baselines", "DIR", baselines, "folder of baselines (baselines)");
ROW(opt_profile, "--profile", "NAME", profile,
    "class of machine the baseline belongs to (default)");
ROW(opt_only, "--only", "GLOB", only, "only the workloads whose name matches");
ROW(opt_check, "--check", "GLOB", check, "only the checks whose name matches");
LIST(opt_set, "--set", "PARAM=VALUE", set, "value of a declared parameter; repeatable");
ROW(opt_runs, "--runs", "N", runs, "runs a session");
ROW(opt_sessions, "--sessions", "N|MIN..MAX", sessions, "sessions of this invocation, 1 to 5");
ROW(opt_trials, "--trials", "N", trials, "make each trial N times (1): more can be claimed");
ROW(opt_versus, "--versus", "ROLE", versus,
    "compare the other of two targets with this one, in turns, and with no baseline");
ROW(opt_ab, "--ab", "SETTING=A,B", ab,
    "compare B with A on one target, in turns: scheduler, nr_requests ..., sysctl:KEY");
ROW(opt_pairs, "--pairs", "N", pairs, "pairs of runs of --versus and --ab at most, 10 to 28 (20)");
ROW(opt_budget, "--budget", "time=T,written=SIZE", budget, "stop starting runs beyond it");
ROW(opt_seed, "--seed", "N", seed, "seed of the order and of offsets (recorded)");
LIST(opt_label, "--label", "[ROLE.]KEY=VALUE", labels,
     "a fact that no machine can read; repeatable");
ROW(opt_change, "--change", "ID", change, "what is under test: a commit, a firmware version");
ROW(opt_inject, "--inject", "SPEC", inject, "slow=30% | delay=1ms | error=1e-6: to see it go red");
LIST(opt_allow_write, "--allow-write", "ID", allow_write,
     "may be overwritten: a device's identity or a file");
LIST(opt_target, "--target", "[ROLE=]ID", targets, "device, file or folder; repeatable with roles");
ROW(opt_wait_lock, "--wait-lock", "TIME", wait_lock, "wait for another run on the same target");
LIST(opt_policy, "--policy", "KEY=WORD", policy,
     "inconclusive=report|fail|warn no_baseline=fail|warn ...");
ROW(opt_bisect, "--bisect", NULL, bisect, "exit status for git bisect run");
ROW(opt_dry_run, "--dry-run", NULL, dry_run, "check everything that needs no I/O, then stop");
ROW(opt_quiet, "--quiet", NULL, quiet, "only the last line");
ROW(opt_verbose, "--verbose", NULL, verbose, "every check, and notices");
ROW(opt_strict, "--strict", NULL, strict, "warnings are errors (status 2)");
ROW(opt_reason, "--reason", "TEXT", reason, "why; kept with the baseline");
ROW(opt_new_epoch, "--new-epoch", NULL, new_epoch, "the level has changed on purpose: start anew");
LIST(opt_against, "--against", "RESULT", against,
     "compare with these results instead of the baseline");
LIST(opt_with, "--with", "RESULT", with,
     "go on from this result of the same change: its sessions come first; repeatable");
LIST(opt_from, "--from", "RESULT", against,
     "take the sessions of these results instead of accepted ones");
ROW(opt_write, "--write", NULL, write, "write the proposed tolerances into the suite");
ROW(opt_undecided, "--undecided", "SHARE", undecided,
    "share of runs on unchanged code that may stay undecided, whole suite (5%)");
ROW(opt_history, "--history", "DIR", history,
    "keep what each gate came to, and say what the row of results shows");
ROW(opt_by, "--by", "label.KEY", by,
    "a side for each value of that label (or fact), not for each result");
ROW(opt_two_sided, "--two-sided", NULL, two_sided,
    "say whether a difference beyond the gate's tolerance is excluded, in both directions");
ROW(opt_suite, "--suite", "FILE", suite, "the suite: its file or its name");
ROW(opt_rules, "--rules", NULL, rules, "list what lint finds: number, word, level");
ROW(opt_targets, "--targets", "FILE", targets_file,
    "roles of this machine instead of /etc/blkgate/targets.yaml: id, allow_write, labels");
ROW(opt_root, "--root", "DIR", root, "look at the machine recorded there instead of this one");
ROW(opt_engines, "--engines", NULL, engines, "say for each engine whether it is usable here");

static const struct option_def *find(const struct option_def *const *defs, const char *name,
				     size_t n)
{
	for (; *defs; defs++)
		if (strlen((*defs)->name) == n && !strncmp((*defs)->name, name, n))
			return *defs;
	return NULL;
}

/* Marks the option as given; true when it was so already. */
static bool seen(const struct option_def *const *defs, const struct option_def *d, bool given[64])
{
	size_t i = 0;

	while (defs[i] != d)
		i++;
	if (given[i])
		return true;
	given[i] = true;
	return false;
}

static int unknown(const struct option_def *const *defs, const char *arg, struct err *e)
{
	const char *names[64];
	const char *near;
	size_t n = 0;

	for (; *defs && n < 64; defs++)
		names[n++] = (*defs)->name;
	near = str_nearest(arg, names, n);
	err_set(e, ERR_USAGE, "unknown option '%s'", arg);
	return near ? err_hint(e, "did you mean %s?", near) : e->code;
}

static int options_parse(struct options *o, const struct option_def *const *defs, int argc,
			 char **argv, struct err *e)
{
	bool only_args = false, given[64] = {false};

	for (int i = 1; i < argc; i++) {
		char *arg = argv[i], *eq, *value = NULL;
		const struct option_def *d;

		if (only_args || arg[0] != '-' || !arg[1]) {
			*VEC_PUSH(&o->args) = arg;
			continue;
		}
		if (str_eq(arg, "--")) {
			only_args = true;
			continue;
		}
		if (str_eq(arg, "--help") || str_eq(arg, "-h")) {
			o->help = true;
			return 0;
		}
		eq = strchr(arg, '=');
		d = find(defs, arg, eq ? (size_t)(eq - arg) : strlen(arg));
		if (!d)
			return unknown(defs, arg, e);
		if (eq && !d->value)
			return err_set(e, ERR_USAGE, "option %s takes no value", d->name);
		if (d->value)
			value = eq ? eq + 1 : i + 1 < argc ? argv[++i] : NULL;
		if (d->value && !value)
			return err_set(e, ERR_USAGE, "option %s needs %s", d->name, d->value);
		if (!d->repeatable && seen(defs, d, given))
			return err_set(e, ERR_USAGE, "option %s is given twice", d->name);
		if (d->take(o, value, e) < 0)
			return err_prefix(e, "option %s", d->name);
	}
	return 0;
}

static void print_help(const char *usage, const char *what, const struct option_def *const *defs,
		       const char *example)
{
	printf("usage: blkgate %s\n\n%s\n", usage, what);
	if (*defs)
		printf("\noptions:\n");
	for (; *defs; defs++) {
		char left[64];

		snprintf(left, sizeof(left), "%s%s%s", (*defs)->name, (*defs)->value ? " " : "",
			 (*defs)->value ? (*defs)->value : "");
		printf("  %-28s %s\n", left, (*defs)->help);
	}
	printf("\nexample:\n%s\n", example);
}

int command_start(struct options *o, const char *usage, const char *what,
		  const struct option_def *const *defs, const char *example, int argc, char **argv)
{
	struct err e = ERR_INIT;

	options_init(o);
	if (options_parse(o, defs, argc, argv, &e) < 0) {
		say_err(&e);
		say("usage: blkgate %s", usage);
		options_release(o);
		return STATUS_USAGE;
	}
	if (o->help) {
		print_help(usage, what, defs, example);
		options_release(o);
		return STATUS_PASS;
	}
	if (!o->baselines)
		o->baselines = "baselines";
	return -1;
}
