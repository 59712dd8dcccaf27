/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * session/command: commands of a suite (setup, teardown), run without a shell, each in a process
 * group of its own, with a time limit, with nothing of ours open, with an environment of a few
 * variables, and without input. They run as the user of blkgate.
 */
#ifndef BLKGATE_SESSION_COMMAND_H
#define BLKGATE_SESSION_COMMAND_H

#include "base/err.h"
#include "suite/suite.h"

/* NULL = the variable is not set. */
struct command_env {
	const char *target;   /* BLKGATE_TARGET: the path */
	const char *role;     /* BLKGATE_ROLE */
	const char *workload; /* BLKGATE_WORKLOAD */
	const char *out;      /* BLKGATE_OUT: the folder of results */
};

/* Runs them in order up to the first that fails. *stop (may be NULL) ends one that goes on. The
 * text of an error holds the command, how it ended and the end of what it printed. ERR_MEASURE,
 * ERR_INTR.
 */
int commands_run(const suite_commands *c, const char *what, const struct command_env *env,
		 const volatile int *stop, struct err *e);

#endif
