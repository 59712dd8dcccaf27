/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cmd/selftest: what the trials of a selftest came to, gate by gate, and what they can claim. */
#ifndef BLKGATE_CMD_SELFTEST_H
#define BLKGATE_CMD_SELFTEST_H

#include "model/result.h"
#include "session/trial.h"

struct tally {                                          /* one a check of the plan */
	unsigned same, false_red, undecided;            /* trials without a change */
	unsigned slowed, found, open, missed, untested; /* trials at twice the tolerance */
	double change;                                  /* in the last one that was missed */
	char *why; /* of the last one that was not tested; malloc'ed */
};

/* Counts what one result says of each gate; the slowed ones are those of that trial. */
void tally_unchanged(struct tally *v, const struct result *r);
void tally_slowed(struct tally *v, const struct trials *t, uint32_t trial, const struct result *r);
/* A line a gate, and one for all of them. */
void tally_text(const struct tally *v, const struct trials *t, const struct plan *p,
		struct str *out);
/* Shown, a gate that fails, not decided, nothing measured. *gates gets how many gates there are. */
enum exit_status tally_status(const struct tally *v, const struct trials *t, unsigned *gates);

#endif
