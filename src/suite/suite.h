/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * suite: what was written, with its places. Reading is strict: every unknown or duplicate key, wrong
 * type and bad value is reported (all of them, with file:line:column, nearest known word and hint).
 * The suite touches no device and applies no defaults: that is plan's.
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
#include "suite/words.h"
#include "suite/yaml.h"

struct setting { const char *key, *value; }; /* --set, --label */

enum origin_kind { ORIGIN_DEFAULT, ORIGIN_DEFAULTS, ORIGIN_WORKLOAD, ORIGIN_MATRIX, ORIGIN_COMMAND, ORIGIN_TARGET };
struct origin {
	enum origin_kind kind;
	uint32_t line, column;
	const char *param; /* "runtime=30s from --set" when a parameter stood behind it, else NULL */
};

struct word_value {
	const struct word *word;
	const struct ynode *node; /* scalar, ${} replaced */
};

struct axis {
	const struct word *word;
	const struct ynode **value;
	size_t n;
};

struct exclude { /* all words must match */
	VEC(struct word_value) words;
	uint32_t line;
};

struct gate_entry {
	const char *metric;  /* as written, maybe without direction */
	double tolerance;    /* ratio or base unit */
	bool absolute;
	const char *tolerance_text; /* "5%", "+50ms" */
	enum check_role role;
	uint32_t line, column;
};

struct waiver {
	const char *rule, *reason;
	uint32_t line, column;
};

struct workload {
	const char *name, *description;
	const char *name_pattern; /* "rand-{rw}-qd{iodepth}" or NULL */
	uint32_t line, column;
	VEC(struct word_value) words;
	VEC(struct axis) matrix; /* in the order of the word table */
	VEC(struct exclude) exclude;
	VEC(struct expr) expect;
	VEC(struct gate_entry) gate;
	VEC(struct waiver) waive;
	bool has_when, optional, canary, untouched;
	struct expr when;
};

struct param { const char *name, *value; bool required, set; uint32_t line, column; };
struct label_rule { const char *name, *value; bool required; uint32_t line, column; };
struct datasheet { const char *name; enum unit unit; double value; uint32_t line, column; };
struct known_entry {
	const char *check;   /* "WORKLOAD gate METRIC" */
	double no_worse_than;
	const char *ticket;
	int64_t until;
	uint32_t line, column;
};

struct suite {
	struct arena arena;
	const char *file, *name, *description;
	VEC(struct param) params;
	VEC(struct label_rule) labels;
	VEC(struct datasheet) datasheet;
	uint64_t budget_time, budget_written; /* ns, bytes; 0 = none */
	VEC(struct expr) require, admit;
	VEC(const char *) under_test, must_match, note;
	struct policy policy;
	double assumed_session_sd; /* 0.015 */
	VEC(struct word_value) defaults;
	uint32_t sessions_min, sessions_max; /* 1..5 */
	VEC(struct waiver) waive;            /* suite wide */
	VEC(struct workload) workloads;
	VEC(struct known_entry) known;
};

/* Reads and checks one file (or text under that name). All errors go to d. 0, or ERR_SUITE when d has
 * errors (e from the first of them); the suite is then empty but releasable. ERR_SUITE also when
 * the file cannot be read. */
int suite_load(const char *path, const struct setting *set, size_t nset, struct suite *s,
	       struct diags *d, struct err *e);
int suite_parse(const char *text, size_t n, const char *name, const struct setting *set, size_t nset,
		struct suite *s, struct diags *d, struct err *e);
void suite_release(struct suite *s);

#endif
