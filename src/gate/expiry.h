/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * gate/expiry: the age of a baseline, and what is too old to count. An age is one at the start of
 * the result that is judged, never now: a verdict is the same whenever it is reached. It counts
 * from the measurement of a session and not from its acceptance: accepting late makes no figure
 * younger. Pure. Units: seconds, UTC.
 */
#ifndef BLKGATE_GATE_EXPIRY_H
#define BLKGATE_GATE_EXPIRY_H

#include "gate/baseline.h"

#define EXPIRY_DAY 86400
#define EXPIRY_YEAR (365 * EXPIRY_DAY)

/* How a result looks at ages; of a pooled one, its first attempt: what was told then stands. */
struct expiry expiry_of(const struct result *r);
/* Is it older than max_age? Of what was named by hand (results, no folder) nothing is. */
bool expiry_over(const struct expiry *x, const struct baseline *b, const struct base_session *s);
/* Newest of the sessions of the current epoch that are not of that result (NULL = of none); NULL =
 * there is none. */
const struct base_session *expiry_newest(const struct baseline *b, const struct result *without);
/* Whole days, never below 0. */
int64_t expiry_days(int64_t seconds);
/* "180d", "36h". */
void expiry_add_age(struct str *out, int64_t max_age);
/* What a reader must know of the baseline's age: it is older than a year, or newer than the result,
 * so that nobody knows how old. False = nothing. */
bool expiry_note(const struct expiry *x, const struct baseline *b, const struct result *without,
		 struct str *out);

#endif
