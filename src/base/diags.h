/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * base/diags: a list of located findings, for rooms that report all errors and not the first.
 *
 * Includes: base only. Ownership: diags_init/diags_release; texts are copied in.
 * Threads: one thread.
 */
#ifndef BLKGATE_BASE_DIAGS_H
#define BLKGATE_BASE_DIAGS_H

#include "base/err.h"

enum diag_level { DIAG_NOTE, DIAG_WARN, DIAG_ERROR };

struct diag {
	enum diag_level level;
	char *rule;            /* lint rule name (kebab-case), "" when it is no waivable rule */
	char *file;            /* may be "" */
	unsigned line, column; /* from 1, bytes; 0 = none */
	char *text;
	char *hint; /* may be "" */
};

struct diags {
	struct diag *v;
	size_t n, cap;
	size_t errors, warnings;
};

void diags_init(struct diags *d);
void diags_release(struct diags *d);
/* Appends a finding; rule, file may be NULL. Returns the entry so that a hint can be added. */
struct diag *diags_add(struct diags *d, enum diag_level level, const char *rule, const char *file,
		       unsigned line, unsigned column, const char *fmt, ...)
	__attribute__((format(printf, 7, 8)));
void diag_hint(struct diag *g, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* Appends an err (level error). */
void diags_add_err(struct diags *d, const struct err *e);
/* Sorts by file, line, column, keeping the order of equals. */
void diags_sort(struct diags *d);
/* Fills e (code given) from the first error of d, with "(and N more)"; returns code. */
int diags_to_err(const struct diags *d, enum err_code code, struct err *e);

#endif
