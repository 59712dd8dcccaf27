/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the parts of the proof share: bounds that are checked and counted. A bound b holds when the
 * observed rate is within b and 3 standard errors; NAN = there is none, and none is counted.
 */
#ifndef PROVE_PROOF_H
#define PROVE_PROOF_H

#include "trial.h"

struct proof {
	unsigned trials; /* of a cell with a bound */
	unsigned checked, broken;
};

/* A rate of n trials against its bound; prints what is broken. */
void check_rate(struct proof *p, bool at_most, double got, double bound, unsigned n,
		const char *what);
/* A mean number of pairs or sessions; half a per cent of slack. */
void check_cost(struct proof *p, double got, double bound, const char *what);
/* Something that is so or not. */
void check_true(struct proof *p, bool holds, const char *what);
/* The cell with that noise and effect. */
struct rates prove_one(const struct proof *p, struct cell c, enum noise noise, double effect,
		       uint64_t seed);

/* Tails (PROCEDURE 9). tail.c: clat.tail sees what p99 does not. cliff.c: a percentile between two
 * modes is judged by the share of slow I/Os. */
void prove_tails(struct proof *p);
void prove_cliffs(struct proof *p);
/* boots.c: few sessions, boots, older epochs. levels.c: other budgets and smaller red totals. */
void prove_boots(struct proof *p);
void prove_levels(struct proof *p);
/* field.c: what the rules of the field come to (GATES 3.2), without a bound but that they must be
 * seen to fail. */
void prove_field(struct proof *p);

#endif
