/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * report: renders judged results. Decides nothing: every word on verdict and status comes from the
 * verdicts. Documents are built in memory; src/cmd writes them.
 * Includes: measure model json base; libxml2's writer in report/junit.c only. Threads: one.
 */
#ifndef BLKGATE_REPORT_REPORT_H
#define BLKGATE_REPORT_REPORT_H

#include "model/result.h"

enum junit_style { JUNIT_STRICT, JUNIT_RICH };

struct report_suite_error { /* a suite that could not even be planned */
	const char *suite;  /* name or file name */
	const char *text;
	enum exit_status status;
};

struct junit_options {
	enum junit_style style;
	const char *command;      /* for the `again:` line of a text; may be NULL */
	const char *const *paths; /* of each result's document, for `if wanted:`; may be NULL */
};

/* One document over all suites: classname SUITE.PROFILE.TARGET.WORKLOAD; uniqueness asserted over
 * the file. broken suites get one case with an error each. 0 or ERR_OUTPUT. */
int report_junit(const struct result *const *r, size_t n, const struct report_suite_error *broken,
		 size_t nbroken, const struct junit_options *o, struct str *out, struct err *e);

struct console_options {
	bool colour;
	unsigned width; /* columns, 80 when unknown */
	bool verbose, quiet;
	bool rows;               /* no blocks: what each bad verdict needs stands elsewhere */
	bool brief;              /* blocks without what a row has said above */
	const char *result_path; /* for the `again:` and `if wanted:` lines; may be NULL */
	const char
		*accept_options; /* " --baselines DIR" for the commands that accept; may be NULL */
	const char
		*command; /* "blkgate run suites/x.yaml --target ..." for `again:`; may be NULL */
};
/* Everything but the last line: table of workloads and checks, block of each bad verdict
 * (DESIGN 3.6). */
void report_console(const struct result *r, const struct console_options *o, struct str *out);
/* The last line: verdict with counts and the meaning of the status. */
void report_last_line(const struct result *const *r, size_t n, enum exit_status status,
		      const struct console_options *o, struct str *out);

#endif
