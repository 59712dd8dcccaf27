/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * report/view: what all renderings share: names, numbers with their signs and units, the block of a
 * bad verdict. Private to report.
 */
#ifndef BLKGATE_REPORT_VIEW_H
#define BLKGATE_REPORT_VIEW_H

#include "measure/metric.h"
#include "report/report.h"

/* Longest text of one case: readers refuse text nodes above 10 MB, people stop long before. */
#define VIEW_TEXT_MAX 16384

/* "gate read.bw", "measure", or what the baseline demands. Never NULL. */
const char *view_check_name(const struct result *r, const struct verdict *v);
const char *view_workload(const struct result *r, const struct verdict *v);
const char *view_target(const struct result *r, const struct verdict *v);
/* "  beside writer": the other workloads that ran at the same time. */
void view_add_company(struct str *s, const struct result *r, uint32_t job);
/* The metric of a check, NULL for measure. */
const struct metric *view_metric(const struct result *r, const struct verdict *v);

/* The runs of a result grouped by job, so that a large suite is rendered in linear time. */
struct view {
	const struct result *r;
	const struct run **run; /* by job */
	size_t *first;          /* njobs + 1 */
	unsigned arm;           /* view_median: of that one only; ARM_COUNT = all */
};
void view_init(struct view *w, const struct result *r);
void view_release(struct view *w);
/* Median of a metric over the runs of a job; NaN unless every run has it. */
double view_median(const struct view *w, uint32_t job, const struct metric *m);
/* What must be read beside the figures of a job: line(arg, "absorbed" or "note", text) for each.
 * verbose: also what is unknown, and how the engine was set up. */
typedef void view_line_fn(void *arg, const char *name, const char *text);
void view_beside(const struct view *w, uint32_t job, bool verbose, view_line_fn *line, void *arg);
/* The block of one bad verdict (failure text of JUnit, terminal alike), no colour. */
void view_block(const struct view *w, const struct verdict *v, const struct console_options *o,
		struct str *out);
/* "attempt 1, 2026-11-28 14:03: sessions ID, ID; 1 undecided, 3 pass (status 3)": the invocation
 * that made those sessions, and what the sequence came to then; i from 0. */
void view_attempt(const struct result *r, size_t i, struct str *out);
/* What must not be missed where the sequence is not red and one of its attempts was; how many those
 * are, 0 = nothing is added. */
unsigned view_red_attempts(const struct result *r, struct str *out);
/* The first session that is not whole; false = all are. */
bool view_incomplete(const struct result *r, struct str *out);
/* That the baseline has changed since the document was written; false = it has not, or nobody
 * knows.
 */
bool view_other_baseline(const struct result *r, struct str *out);
/* ns the runs of a job took, all sessions. */
uint64_t view_wall(const struct view *w, uint32_t job);
/* Bytes that the runs of a job read back and found right, all sessions. */
uint64_t view_verified(const struct view *w, uint32_t job);
/* "-7.3 % [-9.2, -5.3], tolerance 5 %"; "" when there is no change to show. */
void view_add_estimate(struct str *s, const struct result *r, const struct verdict *v);
/* "red at 0.1 % a gate, 20 gates: at most 2 % of unchanged suites"; judged_gates > 0. */
void view_add_levels(struct str *s, const struct result *r);
/* "  NAME:      text", wrapped to the width at spaces. */
void view_add_line(struct str *s, const char *name, const char *text, unsigned width);
/* Is this verdict one that must be read (not pass, skipped or watched)? */
bool view_is_bad(const struct verdict *v);
/* Word of the headline: GREEN, RED, UNDECIDED, ERROR, NO BASELINE, INTERRUPTED. */
const char *view_headline(enum exit_status s);

/* Would accepting it have a chance? Not of what is injected, partial or interrupted, or of which a
 * measurement or a value is missing. */
bool view_may_accept(const struct result *r);

#endif
