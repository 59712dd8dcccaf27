/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * gate: the judgement. A pure function of result and baseline: no clock, no file, no device; the
 * same inputs give the same verdicts bit for bit (the date for `known ... until` is an input).
 *
 * Includes: measure model json base. Ownership: verdict texts live in the result's arena.
 */
#ifndef BLKGATE_GATE_GATE_H
#define BLKGATE_GATE_GATE_H

#include "gate/baseline.h"
#include "model/result.h"

struct gate_options {
	int64_t now;           /* UTC, for `known` dates; use the result's `ended` */
	uint32_t sessions_max; /* K of PROCEDURE 6a */
};

/*
 * Fills r->verdicts (one measure verdict a job, then its checks in order), r->status,
 * r->baseline_digest. b may be NULL or empty: gates become no-baseline. Sessions of the result
 * itself that stand in b are left out. Jobs and gates that the baseline holds in any epoch but the
 * result does not (and that are not retired) become error verdicts: they are appended with job =
 * UINT32_MAX and the name in text. Never fails.
 * The arms of an interleaved result are compared with each other: b is not looked at.
 */
void gate_judge(struct result *r, const struct baseline *b, const struct gate_options *o);
/* Must job `job` run again in a further session (a primary gate of it, or a canary, is undecided)?
 */
bool gate_wants_session(const struct result *r, uint32_t job);
/* Counts for the last line: checks by verdict; measured = jobs whose measurement succeeded; error
 * and skipped hold failed and skipped measurements too; watch = checks of role watch, error apart,
 * whatever they came to (they count nowhere else). */
struct gate_counts {
	uint32_t pass, improvement, regression, known, missed, inconclusive, no_baseline, error,
		skipped;
	uint32_t measured, watch;
};
void gate_count(const struct result *r, struct gate_counts *c);

#endif
