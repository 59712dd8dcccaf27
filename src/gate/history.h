/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * gate/history: what the gates came to, result after result, accepted or not: one small file a
 * result
 * (`DIR/SUITE/PROFILE/SESSION.json`, "blkgate_history": 1). It is for people: it changes no verdict
 * and is no baseline.
 * Includes: measure model json base. Ownership: history_load fills, history_release frees.
 */
#ifndef BLKGATE_GATE_HISTORY_H
#define BLKGATE_GATE_HISTORY_H

#include "base/arena.h"
#include "base/vec.h"
#include "model/result.h"

#define HISTORY_VERSION 1
#define HISTORY_KEPT 200u /* the newest so many are looked at */

struct history_gate {
	const char *target, *workload, *metric;
	const char *verdict; /* name of the kind */
	int beyond;  /* the estimate lies beyond the tolerance: +1 worse, -1 better, else 0 */
	double loss; /* the estimate as a loss, negative = better; NAN unknown */
};

struct history_entry {
	const char *session, *change;
	uint32_t status; /* enum exit_status; 0 where the file does not say */
	int64_t started;
	VEC(struct history_gate) gates;
};

struct history {
	struct arena arena;
	VEC(struct history_entry) entries; /* oldest first */
};

/* An absent folder is an empty history. ERR_DATA for a damaged file: it is named. */
int history_load(const char *dir, const char *suite, const char *profile, struct history *h,
		 struct err *e);
void history_release(struct history *h);
/* Stores the judged result, once (its first session names the file). Nothing is stored of a result
 * that is injected, partial or without a session. *stored may be NULL. ERR_OUTPUT, ERR_USAGE. */
int history_store(const char *dir, const struct result *r, bool *stored, struct err *e);
/*
 * What the history and this result say together about each gate, one line each with a newline:
 * streaks of losses, gains or undecided verdicts, and gate health: on unchanged code estimates
 * beyond the tolerance fall on both sides alike, so what the sign test (two-sided, 3.1 %: 6 to 0, 9
 * to 1, 11 to 2) does not let pass for chance tells that the sides differ by something that is not
 * the change. The sign of the estimate counts, not the verdict: real gains mostly end as PASS.
 * Returns the number of lines.
 */
size_t history_notes(const struct history *h, const struct result *r, struct str *out);

#endif
