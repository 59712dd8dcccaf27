/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * cmd/invocation: one `blkgate run`: its suites, their baselines and results, the documents. Each
 * planned suite has its result from the beginning ("not measured"), so every document written on
 * the way names every case.
 */
#ifndef BLKGATE_CMD_INVOCATION_H
#define BLKGATE_CMD_INVOCATION_H

#include "cmd/load.h"
#include "session/session.h"

/* The results of --with for one suite, judged against its baseline; with.c. */
struct evidence_files {
	struct result *v;
	struct pool_source *source;
	size_t n;
};
/* Those of the files that are of that suite, all of them when it is the only one, into the options
 * of the session, whose change is taken from them when the command line names none. ERR_DATA,
 * ERR_REFUSED. */
struct conducted;
int with_open(const struct options *o, bool only, struct conducted *c, struct err *e);
void with_release(struct evidence_files *f);
/* retry.c: a red attempt of the same change in --out or --history that --with does not hold:
 * ERR_REFUSED. ERR_DATA: a history file is damaged. */
int retry_check(const struct options *o, const struct conducted *c, struct err *e);
/* A sequence in which nothing is undecided any more: what a further run would be for. NULL = there
 * is something to find out. */
const char *with_idle(struct conducted *c);
/* A file that no suite of the command takes: ERR_REFUSED. */
int with_check(const struct options *o, const struct load *l, struct err *e);

/* A suite that could be planned. */
struct conducted {
	struct loaded *suite;
	struct baseline baseline;
	struct result result;
	char *dir;  /* folder of its documents */
	char *path; /* of its result.json */
	struct session_options options;
	struct evidence_files *with; /* what it goes on from; NULL = nothing */
	char *journal;
	char *setup_error; /* a baseline that cannot be read */
};

struct invocation {
	struct options o;
	struct load l;
	struct inject inject;
	struct str command; /* to run it again */
	struct conducted *v;
	size_t n;
	struct report_suite_error *broken;
	char **broken_text;
	size_t nbroken;
	const struct result **results; /* n, for documents */
	const char **paths;
	struct documents d;
	bool keep; /* the result in --out, for the refusal names it */
	enum exit_status status;
};

/* Baselines, first results, and the documents that say "not measured": from here on no older
 * document of this folder can be taken for one of this run. */
void invocation_open(struct invocation *v);
/* Runs all, writes and prints. Returns the exit status. */
int invocation_run(struct invocation *v);
/* Which jobs would run, which would not and why; writes nothing. Returns the exit status. */
int invocation_dry_run(struct invocation *v);
void invocation_release(struct invocation *v);

#endif
