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
	unsigned at[PW_COUNT];
};

struct lint_rule {
	enum rule rule;
	enum plan_word word; /* where the finding is placed */
	bool (*hits)(const struct lint_view *v, struct str *text, struct str *hint);
};

extern const struct lint_rule lint_rules[];
extern const unsigned lint_rule_count;

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
