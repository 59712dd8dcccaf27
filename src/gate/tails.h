/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * gate/tails: the pure parts of judging tails: several decisions as one, and where two modes of a
 * latency part. The proof of the error rates runs this code.
 */
#ifndef BLKGATE_GATE_TAILS_H
#define BLKGATE_GATE_TAILS_H

#include "gate/sequence.h"

#define TAIL_PARTS 5
#define TAIL_SHARE_TOLERANCE 0.5 /* PROCEDURE 9 */
#define TAIL_BURSTS 15u          /* slices that a share needs in a run */

/*
 * Judges n figures as one gate: each input gets its part of the red level (Bonferroni), and a pass
 * takes all of them, so that its error is no larger than that of any. Fills out[0..n) and returns
 * the figure that the gate stands or falls with: the worst of the red ones; else the undecided one
 * nearest to failing; else the improvement; else the pass nearest to failing. n > 0.
 */
size_t tails_judge(const struct stored_input *in, struct stored_output *out, size_t n);
/* That figure, of those that were judged already. */
size_t tails_worst(const struct stored_input *in, const struct stored_output *out, size_t n);

/*
 * The share of a run's I/Os that are slow, and its step. Fewer than the bursts that it takes count
 * as so many: how few they are is chance, and nothing has no logarithm. False: there are more, in
 * too few slices.
 */
bool tails_share(uint64_t ios, uint64_t slices, uint64_t all, double *share, double *step);

struct gap {
	double low, high; /* ns, on both sides */
};
/* Does quantile q of a reference grid (tail.h) lie between two modes: at q -/+ 0.3 (1-q) they are
 * apart by more than (1 + tolerance)^2, and most of that is one step of an eighth of a decade of
 * I/Os? A smooth tail that is merely long has no such step. */
bool tails_gap(const double *grid, double q, double tolerance, struct gap *out);

#endif
