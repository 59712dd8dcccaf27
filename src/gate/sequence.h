/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * gate/sequence: the decision as a pure function: values so far -> continue, decided, given up
 * (PROCEDURE.md 6a, 7). The proof of the error rates runs this code.
 * All values are oriented: positive = worse; logs for relative tolerances, plain base units for
 * absolute ones.
 */
#ifndef BLKGATE_GATE_SEQUENCE_H
#define BLKGATE_GATE_SEQUENCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum sequence_state {
	SEQUENCE_CONTINUE,
	SEQUENCE_PASS,
	SEQUENCE_REGRESSION,
	SEQUENCE_IMPROVEMENT,
	SEQUENCE_GIVE_UP
};

struct stored_input {
	const double *base;  /* session values: median of the oriented logs of the runs */
	size_t nbase;        /* S */
	const double *fresh; /* new session values in order */
	size_t nfresh;       /* k */
	uint32_t max;        /* K, 1..6 */
	/* K of each new session's look as it was planned when that was made, never falling and at
	 * most max; NULL = max. A decision that was told stays one when the sequence goes on with a
	 * larger K. */
	const uint32_t *looks;
	double delta;        /* tolerance on the oriented scale, > 0 */
	double q;            /* quantisation step on the same scale, >= 0 */
	double red_total;    /* min(0.001, 0.05 / m) */
	/* assumed-sd rule, used when provisional */
	bool provisional;
	double assumed_sd; /* session sd on this scale: 0.015, or absolute form */
	double within_sd;  /* pooled run sd inside sessions, on this scale */
	uint32_t base_blocks, fresh_blocks;
	const uint32_t
		*base_block; /* block index of each base session (provisional), may be NULL */
	const uint32_t *fresh_block; /* the same of each new session; NULL = spread evenly over the
					blocks */
	uint32_t runs; /* runs of a session, for the variance of their median; 0 = 5 */
	/* Sums of squares of comparable sessions (provisional: blocks) of older epochs about the
	 * level of their own epoch, and their degrees of freedom: the variance is pooled over
	 * epochs, the level is not. */
	double older_ss, older_df;
	/* Analysis of covariance (PROCEDURE 5.6): session values of a canary, one beside each
	 * above; NULL = none. The estimate is that at equal canary level, by the slope inside the
	 * groups. Not with `provisional`; the older epochs are left out. */
	const double *base_canary, *fresh_canary;
};

struct stored_output {
	enum sequence_state state;
	double est, se, df; /* est positive = worse */
	double base_mean;   /* est = mean of the new sessions less this */
	double upper;       /* pass limit: est + t se, without q */
	double lower;       /* red limit: est - t se; -inf when no red look yet */
	bool certain;       /* lower > delta */
	bool leaning_fail;  /* undecided and est > delta/2 */
	double slope, canary; /* of the covariance: slope, and new less base level of the canary */
	int decided_at;     /* k at which the first decision fell, 0 = none */
};

/* Judges looks 1..k in order and returns the first decision (later sessions change nothing), or the
 * last look's numbers. NaN in = SEQUENCE_GIVE_UP. */
void stored_judge(const struct stored_input *in, struct stored_output *out);
/*
 * The look after the last session of the input alone; true when it decides. A result is judged by
 * one such call after the other, each with an input that is made of the baseline and the sessions
 * up to that look (q, spread, blocks): what comes later is not known to it. stored_judge is the
 * same where those figures are the same at every look.
 */
bool stored_look(const struct stored_input *in, struct stored_output *out);

/*
 * One-sided levels of PROCEDURE 5.5 for K = 1..6 looks. A red total that is not tabulated takes the
 * next smaller one; below the smallest it is divided by the number of red looks (Bonferroni, safe).
 * K = 1 has no red look: level 0.
 */
double stored_pass_level(uint32_t max);
double stored_red_level(uint32_t max, double total);

#endif
