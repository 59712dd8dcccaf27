/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * cmd/load: suites and plans of a command line. Prints the findings; a suite that cannot be planned
 * stays in the list as broken, so that reports can name it.
 */
#ifndef BLKGATE_CMD_LOAD_H
#define BLKGATE_CMD_LOAD_H

#include "cmd/cmd.h"
#include "cmd/hostfile.h"
#include "plan/plan.h"

struct loaded {
	const char *path;
	struct suite suite;
	struct plan plan;
	struct diags diags;
	bool has_suite, has_plan;
	struct err err; /* code != 0: broken */
};

struct load {
	struct loaded *v;
	size_t n;
	struct host host;
	VEC(struct target_arg) targets;
	struct host_file host_file; /* its texts are in targets and in the options */
	struct notices by_host_file; /* what was taken from it */
	uint64_t seed;
	struct interleave interleave; /* what --versus, --ab and --pairs ask for */
	uint32_t first_look;          /* pairs that are always made */
	enum exit_status status;      /* worst over the broken ones */
};

/* Reads and plans each suite of o->args. need_targets: at least one --target. lint: no target, no
 * probe. Prints all findings of at least `least`. Returns 0, or ERR_USAGE (printed) when the
 * command line itself is wrong; broken suites only set status. */
int load_open(struct load *l, struct options *o, bool need_targets, bool lint,
	      enum diag_level least);
void load_release(struct load *l);
/* targets.c: the targets of o->targets, roles of the host file among them, whose permission and
 * labels join those of the command line. ERR_USAGE. */
int load_targets(struct load *l, struct options *o, bool need, struct err *e);
/* interleave.c: fills in what is compared. ERR_USAGE. */
int interleave_options(const struct options *o, struct load *l, bool lint, struct err *e);
/* Notices; ERR_SUITE when no gate could turn red within the pairs. */
int interleave_check(const struct options *o, struct plan *p, struct err *e);
/* The forecast of a planned suite against that baseline, for people; any_role: it was planned
 * without targets. */
struct baseline;
void forecast_text(const struct loaded *s, const struct baseline *b, bool any_role,
		   struct str *out);

/* sight.c: the primary gates whose tolerance the spread of that baseline drowns, to d. */
void sight_findings(const struct loaded *s, const struct baseline *b, struct diags *d);

#endif
