/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * model/verdict: what a check, or the measurement of a job, came to. Filled by gate, shown by
 * report (which decides nothing). Also the exit status and its precedence (DESIGN 3.1). Includes:
 * base. Ownership: strings in the result's arena. Orientation: change, low, high are signed as the
 * user sees the metric (-7.3 % IOPS is a loss); for an absolute tolerance they are in the metric's
 * base unit, else ratios.
 */
#ifndef BLKGATE_MODEL_VERDICT_H
#define BLKGATE_MODEL_VERDICT_H

#include "base/err.h"
#include "base/str.h"
#include "base/units.h"

enum exit_status {
	STATUS_PASS = 0,
	STATUS_REGRESSION = 1,
	STATUS_USAGE = 2,
	STATUS_INCONCLUSIVE = 3,
	STATUS_ERROR = 4,
	STATUS_NO_BASELINE = 5,
	STATUS_INTERRUPTED = 130,
};
/* The one that wins: 130 > 2 > 1 > 4 > 5 > 3 > 0. */
enum exit_status status_worse(enum exit_status a, enum exit_status b);
/* One sentence for people: "a regression or a missed expectation". */
const char *status_meaning(enum exit_status s);

enum verdict_kind {
	VERDICT_NONE,
	VERDICT_PASS,
	VERDICT_IMPROVEMENT,
	VERDICT_REGRESSION,
	VERDICT_KNOWN,
	VERDICT_MISSED,
	VERDICT_INCONCLUSIVE,
	VERDICT_NO_BASELINE, /* absent */
	VERDICT_INCOMPARABLE,
	VERDICT_ERROR,
	VERDICT_SKIPPED,
};

enum junit_shape { JUNIT_CASE, JUNIT_FAILURE, JUNIT_ERROR, JUNIT_SKIPPED };

#define VERDICT_MEASURE UINT32_MAX /* value of `check` for the measure case of a job */
#define VERDICT_MAX_SESSIONS 5
#define VERDICT_SHIFTS 5
struct verdict_shift {
	const char *name; /* "p99" */
	double exceedance;
};
extern const struct verdict_shift verdict_shifts[VERDICT_SHIFTS];

struct verdict {
	uint32_t job;
	uint32_t check; /* index into checks, or VERDICT_MEASURE */
	enum verdict_kind kind;
	enum exit_status status; /* contribution after policy and role */
	enum junit_shape shape;
	const char *
		type; /* JUnit type: "regression" "expectation" "inconclusive" "incomparable" ... */
	bool watch, provisional, certain, marginal, measured_only;
	bool expired;    /* no-baseline: there is one, too old to count; no policy excuses it */
	bool one_layout; /* interleaved: what is measured on was not prepared afresh for each run */
	bool worse_after; /* sessions behind the decision of a pass are worse beyond the tolerance
			   */
	bool one_boot;    /* decided by several sessions of one boot, the baseline spans several */
	int leaning;      /* inconclusive: +1 leans pass, -1 leans fail, 0 not known */
	bool wants_session; /* a further session could decide it */
	const char *text;   /* one sentence: why. Never empty. */
	/* "30.0 % worse than the first sessions of the baseline", a part of the text that must be
	 * read beside a pass as well; NULL = it is not */
	const char *creep;
	/* job == UINT32_MAX: what the baseline demands and the result does not have */
	const char *absent_target, *absent_workload, *absent_check;

	/* What changed since the newest session of the baseline, under test first; NULL = it was
	 * not compared with one. */
	const char *changed;

	/* The canary at whose equal level value, base_value and change are; NULL = as measured. */
	const char *adjusted_by;
	/* What a gate was judged by where that is not its metric itself: "the share of I/Os slower
	 * than 640 us", and the unit of it; NULL = the metric. */
	const char *judged;
	enum unit judged_unit;

	/* gate */
	double change, low, high; /* NaN = not known */
	double excluded; /* loss that cannot be excluded (same unit as change, positive), NaN */
	/*
	 * Base unit, NaN = not known. Of a gate: the means that `change` is made of, so that value
	 * over base_value is 1 + change: of the baseline's session medians (of blocks while
	 * provisional) and of the new ones up to the decision; geometric for a tolerance in per
	 * cent. Of an expectation: the median of the runs, or the run it stands or falls with when
	 * every run must meet it.
	 */
	double base_value, value;
	double tolerance; /* ratio or base unit */
	uint32_t base_sessions, base_blocks;
	int64_t base_first, base_last; /* UTC of oldest and newest baseline session; 0 = none */
	uint32_t pairs; /* interleaved: at the look that the numbers are of; 0 = against a baseline
			 */
	uint32_t nsessions;
	uint32_t decided_at; /* of these, at which the sequence was decided; 0 = it was not */
	/* new sessions that the numbers are made of, and the blocks (boots or days) that they are
	 * of; 0 = not against a baseline */
	uint32_t look_sessions, look_blocks;
	double session_values[VERDICT_MAX_SESSIONS]; /* new session medians, base unit;
						      NaN = none */
	/* of a latency: medians of the runs' quantiles, new over old, at verdict_shifts; NaN = not
	 * known */
	double shift[VERDICT_SHIFTS];
	/* expectation */
	double limit; /* in the base unit, after percent_of */
};

const char *
verdict_name(enum verdict_kind k); /* "pass" "improvement" ... "no-baseline" "incomparable" */
const char *junit_shape_name(enum junit_shape s); /* "case" "failure" "error" "skipped" */

#endif
