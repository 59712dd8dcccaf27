/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * gate/interleaved: the decision between two arms that ran in turn (PROCEDURE 5.1-5.3, 6b), as a
 * pure function: pairs so far -> continue, decided, given up. The proof of the error rates runs
 * this code.
 * All values are oriented: positive = worse; logs for relative tolerances, plain base units for
 * absolute ones. One value a run; element i of each arm comes from pair i.
 */
#ifndef BLKGATE_GATE_INTERLEAVED_H
#define BLKGATE_GATE_INTERLEAVED_H

#include "gate/sequence.h"
#include "model/interleave.h"

#define INTERLEAVED_PAIRS_MAX INTERLEAVE_PAIRS_MAX

struct interleaved_input {
	const double *reference, *candidate;
	size_t npairs;
	uint32_t budget;  /* pairs at most; between tabulated budgets the next smaller one holds */
	double delta;     /* tolerance on the oriented scale, > 0 */
	double q;         /* quantisation step on the same scale, >= 0 */
	double red_total; /* min(0.001, 0.05 / m) */
};

struct interleaved_output {
	enum sequence_state state;
	double est;   /* Hodges-Lehmann: median of all differences; positive = worse */
	double upper; /* pass limit, without q; INFINITY when this look has none */
	double lower; /* red limit; -INFINITY when this look has none */
	double floor; /* mirror of upper: the two are the interval that is shown */
	bool certain; /* lower > delta */
	bool futile;  /* given up before the budget: too noisy for it */
	bool leaning_fail;
	uint32_t pairs; /* at which the numbers above were taken */
	uint32_t next;  /* pairs of the next look, 0 = none */
};

/* Goes through the looks in order up to npairs and returns the first decision (later pairs change
 * nothing), or the last look's numbers. CONTINUE with `next` when no look was reached yet. NaN in,
 * or a budget below 10 pairs = SEQUENCE_GIVE_UP with est NaN. */
void interleaved_judge(const struct interleaved_input *in, struct interleaved_output *out);

/* The tabulated budget that holds for this one (10, 15, 20 or 28), 0 = there is none. */
uint32_t interleaved_budget(uint32_t pairs);
/* Can a gate of this red total turn red within the budget at all? */
bool interleaved_can_fail(uint32_t budget, double red_total);
/*
 * Ranks of look i (from 0) of a tabulated budget: the (c+1)-th largest difference is the pass
 * limit, the (c+1)-th smallest the red limit; -1 = no limit at this look. False behind the last
 * look. A red total that is not tabulated takes the next smaller one, else it is divided by the
 * number of looks (Bonferroni, safe) and the rank comes from the exact distribution.
 */
struct interleaved_look {
	uint32_t pairs;
	int pass, red;
};
bool interleaved_look(uint32_t budget, double red_total, unsigned i, struct interleaved_look *out);

/* Arm of the run at that position (0, 1, 2 ...): 0 reference, 1 candidate. ABBA: pairs alternate AB
 * and BA; the seed draws which arm comes first. Never exceeds its error rate under drift, AR(1) and
 * a device of period 2 (PROCEDURE 5.3). */
unsigned interleaved_arm(uint64_t seed, uint32_t position);

#endif
