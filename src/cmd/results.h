/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cmd/results: result files of a command line, loaded and judged; for judge, report and baseline.
 */
#ifndef BLKGATE_CMD_RESULTS_H
#define BLKGATE_CMD_RESULTS_H

#include "cmd/cmd.h"
#include "gate/gate.h"

struct loaded_results {
	struct result *v; /* nv of them */
	size_t nv;
	const struct result **list;        /* n: those that stand for themselves */
	const char **paths;                /* where each came from */
	struct baseline *baselines;        /* beside v */
	struct report_suite_error *broken; /* the files that could not be read or judged */
	char **broken_text;
	size_t nbroken;
	size_t n;                /* results that loaded */
	enum exit_status status; /* worst, damaged files included */
};

/* Loads each file (result or journal), prints what is wrong with those that cannot be read, and
 * judges the rest against --baselines (or --against). Policies of the command line replace those
 * stored. */
void results_open(struct loaded_results *l, struct options *o);
/* Results of one suite and profile become one: the sessions of the older ones before those of the
 * newest, in its place of the list, judged anew. ERR_REFUSED when they are not of one change. */
int results_pool(struct loaded_results *l, struct err *e);
void results_release(struct loaded_results *l);
/* The sessions of --from or --against, else the accepted ones of that suite and --profile.
 * ERR_NOBASE when there is none; *b can be released in each case. */
int results_baseline(struct options *o, const char *suite, struct baseline *b, struct err *e);

#endif
