/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * suite/expr: the one grammar for requires, admit, when and expect (EBNF in suites/README.md).
 *
 *	expr      = [ "every run:" ] subject operator value [ "wait" time ]
 *	subject   = name { "." name } | "spread" "(" name { "." name } ")"
 *	operator  = ">=" | "<=" | ">" | "<" | "==" | "!="
 *	value     = number [ unit ] | percent "of" reference | word { word }
 *	reference = "link" | "upstream" | "datasheet." name
 *
 * Includes: model, base. Ownership: strings in the given arena.
 */
#ifndef BLKGATE_SUITE_EXPR_H
#define BLKGATE_SUITE_EXPR_H

#include "base/arena.h"
#include "model/check.h"

struct expr {
	const char *text;    /* as written, white space folded */
	bool every_run, spread;
	const char *subject; /* "read.bw", "target.type" */
	enum check_op op;
	const char *value;   /* right side as written, "2ms", "block"; NULL when percent_of is set */
	const char *percent_of; /* NULL, "link", "upstream", "datasheet.NAME" */
	double ratio;        /* with percent_of: 0.8 */
	uint64_t wait;       /* ns, admit only; 0 = none */
	uint32_t line, column;
};

/* 0 or ERR_SUITE (place is the caller's; hints for `=` , `=>`, swapped sides, missing space). */
int expr_parse(const char *text, struct arena *a, struct expr *out, struct err *e);

/* Compares a fact with the value: numerically when both are numbers or sizes, by version rules for
 * `kernel.release` and other dotted numbers under < <= > >=, else as text (== and != only).
 * Returns 1 true, 0 false, or ERR_SUITE (ordering of texts). */
int expr_compare(const char *fact, enum check_op op, const char *value, struct err *e);

#endif
