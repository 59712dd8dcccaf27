/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * plan/lint: what a rule gets, and the table of rules. A rule looks at one resolved job, says in
 * one sentence what is odd and names the word it is about; name and level are suite/rules.h's,
 * place and waivers lint.c's.
 */
#ifndef BLKGATE_PLAN_LINT_H
#define BLKGATE_PLAN_LINT_H

#include "plan/planner.h"

struct lint_view {
	const struct plan *p;
	const struct job *j;
	const struct job_origins *og;
	const struct workload *w;
	const struct engine *g;     /* NULL = unknown name, or `auto` before a machine was asked */
	const struct check *checks; /* of this job */
	size_t nchecks;
	bool nothing_judged;  /* no workload of the suite has a gate or an expect */
	enum plan_word *word; /* a rule about several words says here which one it is */
	/* the rule's own; one that is worse in some cases, or about no word, says so here */
	enum diag_level *level;
	struct place *place; /* line 0: that of the word */
	unsigned at[PW_COUNT];
};

struct lint_rule {
	enum rule rule;
	enum plan_word word; /* where the finding is placed */
	bool (*hits)(const struct lint_view *v, struct str *text, struct str *hint);
};

extern const struct lint_rule lint_rules[];
extern const unsigned lint_rule_count;

/* rules_cache.c */
bool lint_buffered_depth(const struct lint_view *v, struct str *text, struct str *hint);
bool lint_buffered_write_without_sync(const struct lint_view *v, struct str *text,
				      struct str *hint);
bool lint_page_cache(const struct lint_view *v, struct str *text, struct str *hint);
bool lint_device_cache(const struct lint_view *v, struct str *text, struct str *hint);
/* rules_media.c */
bool lint_precondition(const struct lint_view *v, struct str *text, struct str *hint);
bool lint_read_of_unwritten(const struct lint_view *v, struct str *text, struct str *hint);
bool lint_compressible_data(const struct lint_view *v, struct str *text, struct str *hint);
bool lint_concurrent_on_device(const struct lint_view *v, struct str *text, struct str *hint);
/* rules_limit.c */
bool lint_limit_wrong_way(const struct lint_view *v, struct str *text, struct str *hint);

/* rules_suite.c: what no job alone shows. Returns the bits of the rules that found something. */
uint64_t lint_suite(struct plan *p, struct diags *d);
/* rules_trim.c */
bool lint_trim_again(const struct lint_view *v, struct str *text, struct str *hint);
bool lint_trim_granularity(const struct lint_view *v, struct str *text, struct str *hint);
/* rules_place.c */
bool lint_split_above_processors(const struct lint_view *v, struct str *text, struct str *hint);
/* rules_pace.c */
bool lint_rate_with_thinktime(const struct lint_view *v, struct str *text, struct str *hint);
bool lint_thinktime_not_below_runtime(const struct lint_view *v, struct str *text,
				      struct str *hint);
/* rules_verify.c */
bool lint_verify_not_possible(const struct lint_view *v, struct str *text, struct str *hint);

#endif
