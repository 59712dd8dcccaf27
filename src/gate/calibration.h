/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * gate/calibration: what the accepted sessions of a gate say about its noise: which tolerance it
 * can keep, what it would find, and what would help (PROCEDURE 6, `blkgate calibrate`). Pure.
 * Includes: gate/{baseline,calibrate,forecast}.h model/job.h. Ownership: nothing is kept.
 */
#ifndef BLKGATE_GATE_CALIBRATION_H
#define BLKGATE_GATE_CALIBRATION_H

#include "gate/baseline.h"
#include "gate/calibrate.h"
#include "gate/forecast.h"

#define CALIBRATION_SESSIONS 5u /* fewer say nothing about the spread of sessions */
#define CALIBRATION_MORE 20u    /* sessions, beyond which a baseline gains little */
#define CALIBRATION_PAIRS 20u
#define CALIBRATION_FOUND 0.95

struct calibration_ask {
	const char *target, *job, *metric;
	double tolerance; /* ratio, or base unit when absolute; NAN = none is set */
	bool absolute;
	uint32_t max;      /* new sessions at most */
	uint32_t looks;    /* K of the levels, see forecast_gate */
	size_t gates;      /* primary gates of the suite */
	double undecided;  /* share of suites on unchanged code that may stay undecided */
	double red_total;  /* level of each gate */
	double assumed_sd; /* of a session */
	/* adjust_by: the canary and its figure, see calibration_beside(); NULL = not adjusted */
	const char *canary, *canary_metric;
};
/* Fills canary and canary_metric of an ask whose metric is set. */
void calibration_beside(struct calibration_ask *a, const struct job *jobs, size_t njobs,
			const struct job *job);

struct calibration {
	const struct metric *metric;
	bool absolute;
	size_t sessions, left_out, expired;
	uint32_t blocks, runs;
	double level; /* median of the sessions, base unit */
	/* on the gate's scale: logs, or base units when absolute */
	double run_sd;     /* inside sessions */
	double median_sd;  /* of the session values as they are judged: adjusted, or the raw one */
	double raw_sd;     /* of the session values as they are */
	double session_sd; /* what of it the session brings: the rest is the runs' */
	double factor;     /* k: tolerance over median_sd that keeps the wish; NAN unknown */
	double delta;      /* the tolerance that is set, on the scale */
	double needed;     /* that tolerance: ratio or base unit; infinite: nothing less would do */
	double needed_raw; /* the same without adjust_by; NAN = the gate has none */
	double with_more;  /* the tolerance, on the scale, that 20 accepted sessions would need */
	double interleaved;        /* the same for two arms in one session, 20 pairs */
	double q;                  /* largest step of a value, on the scale */
	double least_step;         /* tolerance that these steps ask for, scale_least() */
	double older_ss, older_df; /* of other epochs, see level_older() */
	/* While provisional, known from the first session on: the smallest tolerance that can pass
	 * now, and the boots or days from which the one that is set can; NAN and 0 unknown. */
	double least;
	uint32_t passes_from;
	double finds;         /* smallest loss that is found in 95 of 100 changes; NAN */
	double tolerance;     /* that is judged: the one that is set, of a share 50 % at least */
	char judged[80];      /* by what other figure than the metric; of several the worst. "" */
	const char *unjudged; /* why the rule decides nothing; NULL = it does */
	enum gateable state;
	double apart; /* distance of the two modes of the runs, on the scale; 0 = one mode */
	size_t lower_mode, upper_mode; /* runs in each */
	bool known;                    /* there are sessions enough for what stands above */
	struct forecast forecast;      /* with the tolerance that is set */
	bool forecast_known;
	/* Judged at equal level of a canary: slope on its level, as the user sees the metric; and
	 * the forecast without that. */
	bool adjusted;
	double slope;
	struct forecast raw;
};

/* False when the baseline holds nothing of that gate. */
bool calibrate_gate(struct forecaster *f, const struct baseline *b, const struct calibration_ask *a,
		    struct calibration *c);
/* Lines for people about one gate, each ending with a newline: noise, what it allows, the cure. */
void calibration_text(const struct calibration_ask *a, const struct calibration *c,
		      struct str *out);
/* Is a tolerance of that much on the scale of logs none: what it lets pass is half of a rate, or
 * twice a latency, and more? */
bool calibration_gates_nothing(double tolerance, const struct metric *m);
/* The gate cannot pass yet, whatever its sessions show: "cannot turn green before 3 boots or days
 * are in the baseline (now 1): ...", with what helps. Nothing when it can. */
void calibration_add_waits(const struct calibration_ask *a, const struct calibration *c,
			   struct str *out);
/* What would help, the cheapest first: sessions that only have to be accepted, two arms in one
 * session, another tolerance. */
void calibration_cure(const struct calibration *c, struct str *out);
/* Two groups of runs? Their distance when the best split in two leaves less than 15 % of the
 * variance (36 % remain of a normal law, 25 % of a uniform one) and each holds a fifth of the
 * values; else 0. Sorts v. *low gets the size of the lower group. */
double calibration_modes(double *v, size_t n, size_t *low);

#endif
