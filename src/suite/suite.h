/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * suite: what was written, with its places. Reading is strict: every unknown or duplicate key,
 * wrong type and bad value is reported (all of them, with file:line:column, nearest known word and
 * hint). The suite touches no device and applies no defaults: that is plan's.
 *
 * Includes: model, base. Ownership: suite_load fills, suite_release frees; everything inside lives
 * in the suite's arena and is valid until then.
 */
#ifndef BLKGATE_SUITE_SUITE_H
#define BLKGATE_SUITE_SUITE_H

#include "base/arena.h"
#include "base/diags.h"
#include "base/units.h"
#include "base/vec.h"
#include "model/check.h"
#include "suite/expr.h"
#include "suite/rules.h"
#include "suite/words.h"
#include "suite/yaml.h"

struct setting {
	const char *key, *value;
}; /* --set, --label */

enum origin_kind {
	ORIGIN_DEFAULT,
	ORIGIN_DEFAULTS,
	ORIGIN_WORKLOAD,
	ORIGIN_MATRIX,
	ORIGIN_COMMAND,
	ORIGIN_TARGET
};
struct origin {
	enum origin_kind kind;
	uint32_t line, column;
	const char *param; /* "--set runtime=30s" when a parameter stood behind it, else NULL */
};

struct word_value {
	const struct word *word;
	const struct ynode *node; /* scalar, ${} replaced */
};

typedef VEC(struct word_value) word_values;

struct axis {
	const struct word *word;
	const struct ynode **value;
	size_t n;
};

typedef VEC(struct expr) exprs;

struct exclude { /* all words must match */
	word_values words;
	uint32_t line;
};

struct gate_entry {
	const char *metric; /* as written, maybe without direction */
	double tolerance;   /* ratio or base unit */
	bool absolute;
	enum unit
		unit; /* of the tolerance: UNIT_RATIO, or the unit an absolute one was written in */
	const char *tolerance_text; /* "5%", "+50ms" */
	enum check_role role;
	uint32_t line, column;
	uint32_t at_line, at_column; /* of the tolerance; 0 = it came from a parameter */
};

struct waiver {
	enum rule rule;
	const char *reason;
	uint32_t line, column;
	bool used; /* by a finding of the suite's own reader */
};

typedef VEC(struct waiver) waivers;

struct suite_command {
	const char *const *argv; /* ends with NULL */
	uint64_t timeout;        /* ns */
	uint32_t line;
};

typedef VEC(struct suite_command) suite_commands;

struct workload {
	const char *name, *description;
	const char *name_pattern; /* "rand-{rw}-qd{iodepth}" or NULL */
	uint32_t line, column;
	word_values words;
	VEC(struct axis) matrix; /* in the order of the word table */
	VEC(struct exclude) exclude;
	exprs expect;
	VEC(struct gate_entry) gate;
	waivers waive;
	suite_commands setup, teardown; /* around each run */
	bool has_when, optional, canary, untouched;
	bool all_targets;      /* targets: all */
	const char *adjust_by; /* name of a canary, or NULL */
	uint32_t adjust_line, adjust_column;
	struct expr when;
};

/* value NULL = required and not given; set: the value came from --set */
struct param {
	const char *name, *value;
	bool required, set;
	uint32_t line, column;
	uint32_t uses;
};
/* required: --label must give it, value is NULL; else the value is fixed */
struct label_rule {
	const char *name, *value;
	bool required;
	uint32_t line, column;
};
struct datasheet {
	const char *name;
	enum unit unit;
	double value;
	uint32_t line, column;
};
struct known_entry {
	const char *check; /* "WORKLOAD gate METRIC" */
	double no_worse_than;
	const char *ticket;
	int64_t until; /* UTC seconds, end of the day written */
	uint32_t line, column;
};

typedef VEC(const char *) fact_names;

struct suite {
	struct arena arena;
	const char *file, *name, *description;
	VEC(struct param) params;
	VEC(struct label_rule) labels;
	VEC(struct datasheet) datasheet;
	uint64_t budget_time, budget_written; /* ns, bytes; 0 = none */
	exprs require, admit;
	fact_names under_test, must_match, note;
	struct policy policy;
	double assumed_session_sd; /* 0.015 */
	int64_t baseline_max_age;  /* s, at least a day; 0 = for ever */
	word_values defaults;
	uint32_t sessions_min, sessions_max; /* 1..5 */
	waivers waive;                       /* suite wide */
	suite_commands setup, teardown;      /* around all of them */
	VEC(struct workload) workloads;
	VEC(struct known_entry) known;
};

/* Reads and checks one file (or text under that name). All errors go to d. 0, or ERR_SUITE when d
 * has errors (e from the first of them); the suite is then empty but releasable. ERR_SUITE also
 * when the file cannot be read. */
int suite_load(const char *path, const struct setting *set, size_t nset, struct suite *s,
	       struct diags *d, struct err *e);
int suite_parse(const char *text, size_t n, const char *name, const struct setting *set,
		size_t nset, struct suite *s, struct diags *d, struct err *e);
void suite_release(struct suite *s);
/* The waiver for a rule, of the workload (or NULL) or else of the suite; NULL when there is none.
 */
const struct waiver *suite_waiver(const struct suite *s, const struct workload *w, enum rule rule);
/* "blkdiscard -f /dev/x", quoted as for a shell. */
void suite_command_show(const struct suite_command *c, struct str *out);
/* The parameters behind a value as "--set runtime=30s, x=1 of s.yaml:4:14"; NULL when none. */
const char *suite_param_text(const struct suite *s, const struct ynode *node, struct arena *a);

#endif
