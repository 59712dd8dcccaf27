/* SPDX-License-Identifier: GPL-2.0-or-later */
/* One entry of `workloads`. Names, words and switches here; checks and matrix in files of their
 * own. */
#include <string.h>

#include "suite/reader.h"

void workload_release(struct workload *w)
{
	for (size_t i = 0; i < w->exclude.n; i++)
		VEC_RELEASE(&w->exclude.v[i].words);
	VEC_RELEASE(&w->exclude);
	VEC_RELEASE(&w->matrix);
	VEC_RELEASE(&w->words);
	VEC_RELEASE(&w->expect);
	VEC_RELEASE(&w->gate);
	VEC_RELEASE(&w->waive);
	VEC_RELEASE(&w->setup);
	VEC_RELEASE(&w->teardown);
}

static void unknown_word(struct reader *r, const struct ynode *key)
{
	const char *names[WORD_COUNT_MAX];

	for (unsigned i = 0; i < word_count; i++)
		names[i] = word_table[i].name;
	rd_unknown(r, key, "the words of a workload", names, word_count);
}

/* Reported where it stands. */
static bool any_bad(const struct ynode *node)
{
	bool bad = node->bad;

	for (size_t i = 0; !bad && node->kind != Y_SCALAR && i < node->n; i++)
		bad = any_bad(node->item[i]);
	return bad;
}

const struct word *read_word(struct reader *r, const struct ynode *key, const struct ynode *node)
{
	const struct word *w = word_find(key->text);
	const char *text;
	struct err e = ERR_INIT;
	struct job j = {0};

	if (!w) {
		unknown_word(r, key);
		return NULL;
	}
	if (node->kind == Y_SEQ && !w->list && !w->map) {
		rd_hint(rd_error(r, node, "'%s' takes one value, not a list", key->text),
			"several values belong into 'matrix: {%s: [...]}'", key->text);
		return NULL;
	}
	if (w->map && (!rd_is(r, key, node, Y_MAP) || any_bad(node)))
		return NULL;
	text = w->map || node->kind == Y_SEQ ? word_text(w, node, &r->scratch)
					     : rd_text(r, key, node);
	if (!text && (w->map || node->kind == Y_SEQ))
		rd_error(r, node, "an item of '%s' is no single value", key->text);
	if (!text)
		return NULL;
	if (w->read(w, text, &r->scratch, &j, &e)) {
		rd_err(r, node, &e);
		return NULL;
	}
	return w;
}

#define READ_KEY(name)                                                                             \
	static void name(struct reader *r, struct workload *w, const struct ynode *key,            \
			 const struct ynode *node)

READ_KEY(read_name)
{
	const char *text = rd_text(r, key, node);

	w->line = node->line;
	w->column = node->column;
	if (!text)
		return;
	if (node->cut)
		rd_hint(rd_warn(r, node, RULE_COMMENT_CUT, "the name is '%s': a comment follows",
				text),
			"quote the name, or put a space behind '#'");
	if (strchr(text, '{')) {
		w->name_pattern = text;
		w->name = text;
	} else if (rd_name(r, node, "name", "_+:=-")) {
		w->name = text;
	}
}

READ_KEY(read_description)
{
	if (rd_is(r, key, node, Y_SCALAR))
		w->description = node->text;
}

READ_KEY(read_when)
{
	const char *text = rd_text(r, key, node);

	if (!text || !rd_expr(r, node, text, &w->when))
		return;
	w->has_when = true;
	rd_fact_value(r, node, &w->when);
	if (w->when.every_run || w->when.all_targets || w->when.spread || w->when.percent_of ||
	    w->when.wait)
		rd_hint(rd_error(r, node, "'%s' is no condition on the machine", w->when.text),
			"write it like 'target.type == block'");
}

READ_KEY(read_optional)
{
	rd_bool(r, key, node, &w->optional);
}

READ_KEY(read_targets)
{
	const char *text = rd_text(r, key, node);

	if (!text)
		return;
	if (strcmp(text, "all") == 0)
		w->all_targets = true;
	else
		rd_hint(rd_error(r, node, "'targets' is '%s'", text),
			"the only word is 'all': on all targets at the same time; without the key "
			"on one after another");
}

/* `true`, or {untouched: true}: the change under test cannot reach this workload. */
READ_KEY(read_canary)
{
	static const char *const keys[] = {"untouched"};
	const struct ynode *value;
	struct ynode *at = NULL;

	if (node->kind != Y_MAP) {
		rd_bool(r, key, node, &w->canary);
		return;
	}
	RD_KEYS(r, node, "canary", keys);
	w->canary = true;
	value = yaml_get(node, "untouched", &at);
	if (value)
		rd_bool(r, at, value, &w->untouched);
	else if (node->n == 0)
		rd_hint(rd_error(r, node, "'canary' is empty"),
			"write 'canary: true' or 'canary: {untouched: true}'");
}

READ_KEY(read_setup)
{
	read_commands(r, key, node, &w->setup);
}

READ_KEY(read_teardown)
{
	read_commands(r, key, node, &w->teardown);
}

READ_KEY(read_adjust_by)
{
	w->adjust_by = rd_text(r, key, node);
	w->adjust_line = node->line;
	w->adjust_column = node->column;
}

/* Read with the other key of the pair, or before all keys. */
READ_KEY(read_elsewhere)
{
	(void)r;
	(void)w;
	(void)key;
	(void)node;
}

READ_KEY(read_exclude)
{
	(void)w;
	(void)node;
	rd_hint(rd_error(r, key, "'exclude' without 'matrix' excludes nothing"),
		"exclude leaves out combinations of a matrix");
}

struct workload_key {
	const char *name;
	void (*read)(struct reader *r, struct workload *w, const struct ynode *key,
		     const struct ynode *node);
};

static const struct workload_key keys[] = {
	{"name", read_name},         {"description", read_description},
	{"matrix", read_elsewhere},  {"exclude", read_exclude},
	{"expect", read_expect},     {"gate", read_gate},
	{"waive", read_elsewhere},   {"when", read_when},
	{"optional", read_optional}, {"canary", read_canary},
	{"targets", read_elsewhere}, {"adjust_by", read_adjust_by},
	{"setup", read_setup},       {"teardown", read_teardown},
};
enum { NKEYS = sizeof(keys) / sizeof(*keys) };

static const struct workload_key *key_find(const char *name)
{
	for (size_t i = 0; i < NKEYS; i++)
		if (strcmp(keys[i].name, name) == 0)
			return &keys[i];
	return NULL;
}

/* A key of a workload that is neither word nor key: the nearest of both lists. */
static void unknown_key(struct reader *r, const struct ynode *key)
{
	const char *names[WORD_COUNT_MAX + NKEYS];

	if (strcmp(key->text, "sessions") == 0) {
		rd_hint(rd_error(r, key, "'sessions' holds for the whole suite"),
			"put it into 'defaults'");
		return;
	}
	for (size_t i = 0; i < NKEYS; i++)
		names[i] = keys[i].name;
	for (size_t i = 0; i < word_count; i++)
		names[NKEYS + i] = word_table[i].name;
	rd_unknown(r, key, "a workload", names, NKEYS + word_count);
}

static void read_keys(struct reader *r, struct workload *w, const struct ynode *node,
		      const struct ynode *matrix)
{
	for (size_t i = 0; i < node->n; i++) {
		const struct ynode *key = node->key[i];
		const struct workload_key *k = key_find(key->text);
		const struct word *word = k ? NULL : word_find(key->text);

		if (k && !(matrix && k->read == read_exclude))
			k->read(r, w, key, node->item[i]);
		else if (word && read_word(r, key, node->item[i]))
			*VEC_PUSH(&w->words) = (struct word_value){word, node->item[i]};
		else if (!k && !word)
			unknown_key(r, key);
	}
}

static bool has_rw(const struct reader *r, const struct ynode *node, const struct ynode *matrix)
{
	if (yaml_get(node, "rw", NULL) || yaml_get(matrix, "rw", NULL))
		return true;
	for (size_t i = 0; i < r->s->defaults.n; i++)
		if (strcmp(r->s->defaults.v[i].word->name, "rw") == 0)
			return true;
	return false;
}

void read_workload(struct reader *r, const struct ynode *node)
{
	static const struct ynode what = {.kind = Y_SCALAR, .text = "workloads"};
	struct workload w = {.line = node->line, .column = node->column};
	const struct ynode *matrix = yaml_get(node, "matrix", NULL);
	struct ynode *key = NULL;
	const struct ynode *waive = yaml_get(node, "waive", &key), *targets;

	if (!rd_is(r, &what, node, Y_MAP))
		return;
	r->workload = &w;
	if (waive)
		read_waivers(r, key, waive, &w.waive);
	targets = yaml_get(node, "targets", &key);
	if (targets) /* before `expect`, which may name the total */
		read_targets(r, &w, key, targets);
	read_keys(r, &w, node, matrix);
	if (matrix)
		read_matrix(r, &w, matrix, yaml_get(node, "exclude", NULL));
	if (w.name_pattern)
		read_name_pattern(r, &w, yaml_get(node, "name", NULL));
	if (!yaml_get(node, "name", NULL))
		rd_error(r, node, "a workload has no 'name'");
	if (!has_rw(r, node, matrix))
		rd_hint(rd_error(r, node, "workload '%s' has no 'rw'", w.name ? w.name : ""),
			"say what it does: read write randread randwrite rw randrw");
	r->workload = NULL;
	*VEC_PUSH(&r->s->workloads) = w;
}
