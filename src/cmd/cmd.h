/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * cmd: the only room that reads argv, prints and exits. One file a command; the table in main.c
 * drives dispatch and help. Results go to stdout, everything for humans to stderr.
 *
 * To add a command: write src/cmd/NAME.c with `int cmd_NAME(int argc, char **argv)` and a const
 * option table, declare it here, add its row to the table in main.c, and test its help and statuses
 * in tests/cli.
 */
#ifndef BLKGATE_CMD_CMD_H
#define BLKGATE_CMD_CMD_H

#include "base/diags.h"
#include "base/err.h"
#include "base/vec.h"
#include "model/result.h"
#include "model/verdict.h"
#include "report/report.h"
#include "suite/suite.h"

int cmd_run(int argc, char **argv);
int cmd_plan(int argc, char **argv);
int cmd_lint(int argc, char **argv);
int cmd_probe(int argc, char **argv);
int cmd_judge(int argc, char **argv);
int cmd_report(int argc, char **argv);
int cmd_baseline(int argc, char **argv);
int cmd_calibrate(int argc, char **argv);
int cmd_selftest(int argc, char **argv);
int cmd_compare(int argc, char **argv);
int cmd_version(int argc, char **argv);

/* One option of a command: --name or --name VALUE (also --name=VALUE). `take` stores it. */
struct options;
struct option_def {
	const char *name;
	const char *value; /* what it is called in help, NULL = a flag */
	const char *help;
	bool repeatable;
	int (*take)(struct options *o, const char *value, struct err *e);
};

/* What every command may have been told. Lists grow; a single option given twice is an error. */
struct options {
	VEC(const char *) args; /* what is no option */
	VEC(struct setting) set, labels;
	VEC(const char *) targets, allow_write, against, with;
	VEC(struct setting) policy;
	const char *out, *junit, *json, *baselines, *profile, *only, *check, *change, *inject,
		*reason, *suite, *latency_log, *history, *by, *versus, *ab, *root, *targets_file;
	enum junit_style junit_style;
	uint32_t runs, sessions_min, sessions_max, pairs, trials;
	double undecided; /* share, 0 = not given */
	uint64_t budget_time, budget_written, seed, wait_lock;
	bool has_seed, quiet, verbose, strict, dry_run, new_epoch, bisect, engines, rules, help,
		write, two_sided;
};

void options_release(struct options *o);

/* The shared option rows, referred to by the commands' tables. */
extern const struct option_def opt_out, opt_junit, opt_junit_style, opt_json, opt_baselines,
	opt_profile, opt_only, opt_check, opt_set, opt_runs, opt_sessions, opt_trials, opt_budget,
	opt_seed, opt_label, opt_change, opt_inject, opt_allow_write, opt_target, opt_wait_lock,
	opt_policy, opt_bisect, opt_dry_run, opt_quiet, opt_verbose, opt_strict, opt_reason,
	opt_new_epoch, opt_against, opt_suite, opt_engines, opt_rules, opt_latency_log, opt_from,
	opt_write, opt_undecided, opt_history, opt_with, opt_by, opt_two_sided, opt_versus, opt_ab,
	opt_pairs, opt_root, opt_targets;

/* Parses the command line (unknown options are refused with the nearest known one; "--" ends them)
 * and answers --help with usage, options and example on stdout. Returns -1 to go on, else the exit
 * status. */
int command_start(struct options *o, const char *usage, const char *what,
		  const struct option_def *const *defs, const char *example, int argc, char **argv);

/* messages.c: everything human, to stderr. */
void say(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
void say_err(const struct err *e); /* "blkgate: text" + place + "  hint" lines */
/* Place, cause and remedy in one line, as a report shows them. Free it. */
char *err_sentence(const struct err *e);
void say_diags(const struct diags *d, enum diag_level least);
enum exit_status status_of(const struct err *e);
/* Colours only on a terminal, and not with NO_COLOR set. */
bool want_colour(int fd);
unsigned terminal_width(int fd);

/* documents.c: writes every document that was asked for; ERR_OUTPUT. */
struct documents {
	const struct options *o;
	const struct result *const *results;
	const char *const *paths; /* of each result's document */
	const char *command;      /* "blkgate run ... --target ...", for `again:`; may be NULL */
	size_t n;
	const struct report_suite_error *broken;
	size_t nbroken;
	bool own;  /* the results are this invocation's: write them to paths, junit.xml to --out */
	bool keep; /* the result in --out is what a refusal speaks of: it stays where it is */
};
/* To a file, or to stdout for "-": ERR_OUTPUT. */
int document_write(const char *path, const char *data, size_t n, struct err *e);
/* Two documents for one place: ERR_USAGE. */
int documents_clash(const struct options *o, struct err *e);
/* Sets the older results aside (.old) and writes the JUnit files of what was not measured. */
int documents_begin(const struct documents *d, struct err *e);
int documents_write(const struct documents *d, struct err *e);
/* Only the JUnit files, while a run goes on. */
int documents_junit(const struct documents *d, struct err *e);
/* Tables and blocks of each result to stderr, then the last line. */
void print_results(const struct documents *d, enum exit_status status);
/* past.c: --history; prints what the row of results says and stores these, after the verdicts. */
enum exit_status past_results(const struct documents *d);
/* Exit status for git bisect run: 0 1, 125 cannot tell, 128 stop. */
int bisect_status(enum exit_status s);

/* signals.c: SIGINT, SIGTERM, SIGHUP set the flag that is returned. */
const volatile int *signals_install(void);
/* SIGPIPE and SIGXFSZ become errors of the write that meets them. */
void signals_ignore(void);

#endif
