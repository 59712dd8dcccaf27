/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * gate/forecast: what a rule will come to, found by playing it: the shipped decision on sessions
 * (or on runs of two arms) drawn from a normal law with the spread that was measured. Fixed seeds:
 * the same figures give the same forecast. Pure; a forecaster remembers what it played. Threads:
 * one.
 */
#ifndef BLKGATE_GATE_FORECAST_H
#define BLKGATE_GATE_FORECAST_H

#include "base/str.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* One gate; standard deviations and tolerance on one scale (logs, or base units). */
struct forecast_gate {
	uint32_t sessions, blocks; /* of the baseline; 0 = there is none yet */
	uint32_t max;              /* new sessions at most, 1..6 */
	uint32_t looks;            /* K that the levels are for; 0 or below max = max */
	/* Two arms in turn, pairs at most: of the rest delta, within_sd, red_total and effect hold;
	 * 0 = against the baseline. */
	uint32_t pairs;
	double delta; /* tolerance */
	double sd;    /* of one session value */
	/* Judged at equal level of a canary (PROCEDURE 5.6): sd is what is left then. Not while
	 * provisional. */
	bool adjusted;
	double within_sd;  /* of one run inside a session */
	double assumed_sd; /* of a session, for the provisional rule */
	uint32_t runs;     /* of a session; 0 = 5 */
	/* The new sessions are those of one run, and so of one boot: to the provisional rule they
	 * are one block. */
	bool one_boot;
	double q; /* step of the values */
	/* Spread of older epochs that the rule pools: sum of squares, degrees of freedom. */
	double older_ss, older_df;
	double red_total;
	double effect; /* true difference, positive = worse; 0 = unchanged code */
};

struct forecast {
	double pass, red, undecided; /* shares that sum to 1 */
	double cost;                 /* mean number of new sessions, or of pairs */
};

struct forecaster;
struct forecaster *forecast_open(void);
void forecast_close(struct forecaster *f);
/* False when nothing can be said: no baseline, a spread or tolerance that is not known. */
bool forecast_ask(struct forecaster *f, const struct forecast_gate *g, struct forecast *out);
/*
 * Smallest tolerance (on the scale of sd) at which the gate decides PASS on unchanged code with at
 * least this share; and smallest effect that the gate as it is finds (red) with it. NAN when there
 * is none within 32 times the spread or tolerance.
 */
double forecast_tolerance(struct forecaster *f, struct forecast_gate g, double share);
double forecast_finds(struct forecaster *f, struct forecast_gate g, double share);

/*
 * While provisional: the smallest tolerance that can pass at all, when new and old sessions are
 * equal and show no spread of their own; for a tolerance below it unchanged code stays undecided,
 * whatever its sessions show. NAN when nothing can be said.
 */
double forecast_least(const struct forecast_gate *g);
/* The blocks that the baseline needs before the gate can pass: its own when it can already; at most
 * FORECAST_BLOCKS, from which on nothing is assumed. 0 when nothing can be said. */
#define FORECAST_BLOCKS 5u
uint32_t forecast_passes_from(struct forecast_gate g);

/* "pass 99.0 %, undecided 1.0 %, red < 0.2 %": what was never seen in the trials of so many gates
 * is told by its 95 % limit. */
void forecast_add_shares(const struct forecast *f, size_t gates, struct str *out);

/* All gates of a suite, taken as independent (what a session brings to all of them makes it
 * better): pass = all pass, red = any red. *worst = index of the gate with the most undecided. */
struct forecast forecast_suite(const struct forecast *v, size_t n, size_t *worst);

#endif
