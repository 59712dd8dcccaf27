/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * suite/reader: what the files that read parts of a suite share: findings with their place, scalars
 * by type, keys against a list. A finding about a node whose ${} failed is dropped: that was
 * reported. Private to the suite room. Includes: model, base.
 */
#ifndef BLKGATE_SUITE_READER_H
#define BLKGATE_SUITE_READER_H

#include "suite/suite.h"

enum { READER_SHOWN_MAX = 200 }; /* an alias can repeat one mistake a million times */

struct reader {
	struct suite *s;
	struct diags *d;
	struct arena scratch;      /* for values that are read only to be checked */
	size_t errors, hidden;     /* errors above READER_SHOWN_MAX are only counted */
	size_t warnings, quiet;    /* likewise */
	struct workload *workload; /* whose waivers hold now, or NULL */
};

/* Adds an error or a warning; the hint is for rd_hint. at may be NULL. NULL when it was dropped, or
 * waived: then it became a note with the reason. */
struct diag *rd_error(struct reader *r, const struct ynode *at, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
struct diag *rd_warn(struct reader *r, const struct ynode *at, enum rule rule, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));
/* The error of a rule, which no waiver lifts. */
struct diag *rd_broken(struct reader *r, const struct ynode *at, enum rule rule, const char *fmt,
		       ...) __attribute__((format(printf, 4, 5)));
void rd_hint(struct diag *g, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* Adds an error of a value reader with its hint. */
void rd_err(struct reader *r, const struct ynode *at, const struct err *e);

/* The text of a scalar, or NULL after an error. */
const char *rd_text(struct reader *r, const struct ynode *key, const struct ynode *node);
bool rd_is(struct reader *r, const struct ynode *key, const struct ynode *node, enum ykind kind);
bool rd_bool(struct reader *r, const struct ynode *key, const struct ynode *node, bool *out);
bool rd_percent(struct reader *r, const struct ynode *key, const struct ynode *node, double *out);
/* Expression of that node's text (or of text, when the node is the mapping form). */
bool rd_expr(struct reader *r, const struct ynode *node, const char *text, struct expr *out);
/* Letters, digits and the characters of more; error says which character. */
bool rd_name(struct reader *r, const struct ynode *node, const char *what, const char *more);

/* "unknown key" with nearest, sentence for fio's options, and the hint for a missing space. */
void rd_unknown(struct reader *r, const struct ynode *key, const char *where,
		const char *const *known, size_t n);
/* Checks the keys of a mapping against a list; unknown ones are reported. */
void rd_keys(struct reader *r, const struct ynode *map, const char *where, const char *const *known,
	     size_t n);
#define RD_KEYS(r, map, where, list) rd_keys(r, map, where, list, sizeof(list) / sizeof(*(list)))

/* suite_facts.c: the facts that a suite can name, but for label.NAME; the table of
 * suites/README.md. */
extern const char *const fact_words[];
extern const size_t fact_word_count;
/* Warns about a name that is no fact. */
void rd_fact(struct reader *r, const struct ynode *at, const char *name);
/* Refuses the comparison of a fact with a value that it never has: it would be decided before any
 * machine was asked, and a workload behind it never measured. */
void rd_fact_value(struct reader *r, const struct ynode *at, const struct expr *x);

/* params.c */
void params_read(struct reader *r, const struct ynode *node, const struct setting *set,
		 size_t nset);
void params_apply(struct reader *r, struct ynode *root, const struct ynode *except);
void params_unused(struct reader *r);

/* suite_workload.c, suite_matrix.c, suite_check.c */
/* waive: {RULE: reason} of the suite or of a workload. */
void read_waivers(struct reader *r, const struct ynode *key, const struct ynode *node, waivers *to);
/* setup or teardown, of the suite or of a workload (commands.c). */
void read_commands(struct reader *r, const struct ynode *key, const struct ynode *node,
		   suite_commands *to);
void read_workload(struct reader *r, const struct ynode *node);
void workload_release(struct workload *w);
const struct word *read_word(struct reader *r, const struct ynode *key, const struct ynode *node);
void read_matrix(struct reader *r, struct workload *w, const struct ynode *matrix,
		 const struct ynode *exclude);
/* A braced pattern {axis} in the name of a workload. */
void read_name_pattern(struct reader *r, struct workload *w, const struct ynode *node);
void read_expect(struct reader *r, struct workload *w, const struct ynode *key,
		 const struct ynode *node);
void read_gate(struct reader *r, struct workload *w, const struct ynode *key,
	       const struct ynode *node);
/* Every gate must be able to turn red in the sessions that the suite allows. */
void gates_check(struct reader *r);
void read_known(struct reader *r, const struct ynode *key, const struct ynode *node);

/* suite_labels.c */
void read_labels(struct reader *r, const struct ynode *key, const struct ynode *node);
/* suite_baseline.c */
void read_baseline(struct reader *r, const struct ynode *key, const struct ynode *node);

/* suite_sections.c: parts of the top level */
struct section {
	const char *name;
	void (*read)(struct reader *r, const struct ynode *key, const struct ynode *node);
	const char *remedy; /* of a section that must be there; NULL = it need not */
};
extern const struct section sections[];
extern const size_t nsections;

#endif
