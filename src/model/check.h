/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * model/check: what a suite demands of a job: an expectation (absolute) or a gate (against the
 * baseline). Also the comparison operators and the policy words.
 * Includes: base. Ownership: strings in the owner's arena. Limits are in the metric's base unit
 * (base/units.h).
 */
#ifndef BLKGATE_MODEL_CHECK_H
#define BLKGATE_MODEL_CHECK_H

#include "base/err.h"

enum check_kind { CHECK_GATE, CHECK_EXPECT };
enum check_op { OP_GE, OP_LE, OP_GT, OP_LT, OP_EQ, OP_NE };
enum check_role { ROLE_PRIMARY, ROLE_WATCH };

/* A `known` entry that applies to this check. */
struct check_known {
	const char *ticket;   /* NULL = none */
	double no_worse_than; /* ratio, 0.09 */
	int64_t until;        /* UTC seconds at the end of that day; 0 = none */
};

struct check {
	const char *name; /* unique in the job, no numbers: "gate read.bw", "expect read.bw min of
			     link" */
	uint32_t job;     /* index into jobs */
	enum check_kind kind;
	const char *metric;  /* "read.clat.p99": a name of the metric table */
	const char *text;    /* as the suite says it: "read.bw >= 80% of link", "read.bw: 5%" */
	uint32_t line;       /* in the suite */
	const char *skipped; /* why, or NULL */

	/* expectation */
	enum check_op op;
	double limit;              /* base unit; a ratio when percent_of is set */
	const char *percent_of;    /* NULL, "link", "upstream", "datasheet.NAME" */
	double reference;          /* value of percent_of in the base unit; NaN = unknown */
	const char *reference_why; /* sentence when unknown */
	bool every_run;
	/* Of the workload on all targets, (max - min) / median of their medians: limit is a ratio.
	 * The job is that of the first target, or the total. */
	bool spread;

	/* gate */
	double tolerance; /* ratio, or base unit when absolute */
	bool absolute;
	enum check_role role;
	struct check_known known;
};

const char *check_op_name(enum check_op op);             /* ">=" */
int check_op_find(const char *text, enum check_op *out); /* 0 or -1 */
const char *check_kind_name(enum check_kind k);          /* "gate" "expect" */
int check_kind_find(const char *name, enum check_kind *out);
const char *check_role_name(enum check_role r); /* "primary" "watch" */
int check_role_find(const char *name, enum check_role *out);

enum policy_inconclusive { INCONCLUSIVE_REPORT, INCONCLUSIVE_FAIL, INCONCLUSIVE_WARN };
enum policy_no_baseline { NO_BASELINE_FAIL, NO_BASELINE_WARN };
enum policy_provisional { PROVISIONAL_JUDGE, PROVISIONAL_FAIL };
/* Settings of the kernel that a killed run left switched. */
enum policy_leftover { LEFTOVER_REFUSE, LEFTOVER_RESTORE };

struct policy {
	enum policy_inconclusive inconclusive;
	enum policy_no_baseline no_baseline;
	enum policy_provisional provisional;
	enum policy_leftover leftover; /* of a run; no part of the verdict */
};
#define POLICY_DEFAULT ((struct policy){0})
/* Sets one word: key "inconclusive", value "fail". 0 or ERR_USAGE listing the words. */
int policy_set(struct policy *p, const char *key, const char *value, struct err *e);
const char *policy_word(const struct policy *p, const char *key); /* the word now in force */

#endif
