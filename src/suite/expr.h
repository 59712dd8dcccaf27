/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * suite/expr: the one grammar for requires, admit, when and expect. Its EBNF stands in
 * suites/README.md; read besides are "wait TIME" and "spread(...)", which the readers refuse.
 *
 * Includes: model, base. Ownership: strings in the given arena.
 */
#ifndef BLKGATE_SUITE_EXPR_H
#define BLKGATE_SUITE_EXPR_H

#include "base/arena.h"
#include "model/check.h"

struct expr {
	const char *text; /* as written, white space folded */
	bool every_run, spread;
	bool all_targets;    /* of the total over all targets */
	const char *subject; /* "read.bw", "target.type" */
	enum check_op op;
	const char *value; /* right side as written, "2ms", "block"; NULL when percent_of is set */
	const char *percent_of; /* NULL, "link", "upstream", "datasheet.NAME" */
	double ratio;           /* with percent_of: 0.8 */
	uint64_t wait;          /* ns; 0 = none. Read so that it can be refused with a sentence */
	uint32_t line, column;
};

/* 0 or ERR_SUITE (place is the caller's; hints for `=` , `=>`, swapped sides, missing space). */
int expr_parse(const char *text, struct arena *a, struct expr *out, struct err *e);

/*
 * Compares a text with the value: numerically when both are numbers or sizes, by version rules when
 * both are dotted numbers like "6.12.8", else as text (== and != only).
 * Returns 1 true, 0 false, or ERR_SUITE: ordering of texts, and what is true of numbers but not of
 * versions or the reverse ("1.10" < "1.9").
 */
int expr_compare(const char *fact, enum check_op op, const char *value, struct err *e);
/* The same for the fact of that name: kernel.release, device.firmware and whatever else is a
 * version by its meaning is ordered by version rules alone. */
int expr_compare_fact(const char *key, const char *fact, enum check_op op, const char *value,
		      struct err *e);

/* Is that a subject which only a run shows: kernel_log, throttled, other_io, a counter's growth
 * (".new") ...? */
bool expr_of_a_run(const char *subject);

#endif
