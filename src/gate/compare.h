/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * gate/compare: results side by side, never pooled: neither is the baseline of the other, and no
 * verdict comes of it. A side is the mean of all its session medians (geometric where the change is
 * a ratio), and the change is made of two such means. Sessions are the units as soon as one side
 * has two of them; of one session a side, its runs are, which cannot carry a verdict, and so it is
 * said.
 *
 * Includes: measure model json base. Ownership: compare_make fills from judged results that outlive
 * it; compare_release frees.
 */
#ifndef BLKGATE_GATE_COMPARE_H
#define BLKGATE_GATE_COMPARE_H

#include "gate/difference.h"
#include "json/json.h"
#include "measure/metric.h"
#include "model/result.h"

/* Each text in the arena of the comparison. */
struct compare_side {
	const char *name;   /* the file, or the value of --by */
	const char *what;   /* "change X, 3 sessions, 2 boots, injected" */
	bool one_block;     /* several sessions, all of one boot */
	const char *differ; /* facts that differ from the first side's; NULL = none */
};

struct compare_cell {          /* one metric of one workload on one side */
	double value;          /* mean of the session medians on the scale; NaN = none */
	double *session, *run; /* session medians; runs of the first session; on the scale */
	size_t nsession, nrun;
	const char *missing; /* why there is none; NULL = there is */
	bool absent;         /* the side never chose it: no failure of the comparison */
};

struct compare_row {
	const char *workload, *target; /* target NULL with --by */
	const struct metric *metric;
	bool absolute;    /* differences in the unit of the metric; else ratios (logs) */
	double tolerance; /* of its gate; 0 = no gate */
	double q;         /* largest quantisation step on the scale */
	double assumed_sd;
	struct compare_cell *cell;  /* a side */
	struct difference *against; /* of each side, the first's unused */
};

struct compare {
	struct arena arena;
	const char *suite;
	const char *by; /* fact key, or NULL */
	VEC(struct compare_side) sides;
	VEC(struct compare_row) rows;
	bool two_sided;
	size_t compared; /* cells that have a difference */
	size_t failed;   /* cells that should have one */
};

struct compare_ask {
	const struct result *const *r;
	const char *const *names;
	size_t n;
	const char *by; /* "label.adapter": a side for each of its values; NULL = a side for each
			   result */
	bool two_sided;
};

/* ERR_REFUSED: other suites, one side only, a label that is not known, one session on two sides. */
int compare_make(const struct compare_ask *a, struct compare *out, struct err *e);
void compare_release(struct compare *c);
/* Are the sides' sessions the units of that cell's difference? */
bool compare_by_sessions(const struct compare_row *row, size_t side);
/* Has each of the two sides so many sessions that their spread may carry "the same"? */
bool compare_carries(const struct compare_row *row, size_t side);
void compare_text(const struct compare *c, struct str *out);
void compare_json(const struct compare *c, struct jw *w);

#endif
