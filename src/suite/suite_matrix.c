/* SPDX-License-Identifier: GPL-2.0-or-later */
/* matrix, exclude and the pattern of names: which instances one workload entry stands for. */
#include <string.h>

#include "suite/reader.h"
#include "suite/strset.h"

enum { AXIS_MAX = 1024, INSTANCES_MAX = 100000 };

/* Canonical values of each axis, by word_index: for duplicates and for exclude. */
struct axis_names {
	struct strset of[WORD_COUNT_MAX];
};

/* The value as it stands in names; NULL after an error. Lives in the scratch arena. */
static const char *canonical(struct reader *r, const struct word *w, const char *text)
{
	struct job j = {0};
	struct err e = ERR_INIT;
	struct str out;
	const char *name;

	if (w->read(w, text, &r->scratch, &j, &e))
		return NULL;
	str_init(&out);
	word_name_value(w, &j, &out);
	name = arena_strndup(&r->scratch, out.s, out.len);
	str_release(&out);
	return name;
}

/* The word of an axis, or NULL after an error. */
static const struct word *axis_word(struct reader *r, const struct workload *w,
				    const struct ynode *key)
{
	const struct word *word = word_find(key->text);

	if (!word) {
		const char *names[WORD_COUNT_MAX];

		for (unsigned i = 0; i < word_count; i++)
			names[i] = word_table[i].name;
		rd_unknown(r, key, "a matrix", names, word_count);
		return NULL;
	}
	if (strcmp(key->text, "runs") == 0) {
		rd_hint(rd_error(r, key, "'runs' is no axis: it does not change what is measured"),
			"write 'runs' beside the matrix");
		return NULL;
	}
	if (word->map) {
		rd_hint(rd_error(r, key, "'%s' is no axis: its values have no names", key->text),
			"write a workload for each");
		return NULL;
	}
	if (strcmp(key->text, "stonewall") == 0) {
		rd_hint(rd_error(r, key,
				 "'stonewall' is no axis: it says what runs at the same time"),
			"write two workloads, one with 'stonewall: false' and one without");
		return NULL;
	}
	for (size_t i = 0; i < w->words.n; i++) {
		if (w->words.v[i].word != word)
			continue;
		rd_hint(rd_error(r, key, "'%s' is an axis of the matrix and also fixed on line %u",
				 key->text, w->words.v[i].node->line),
			"keep one of the two");
		return NULL;
	}
	return word;
}

static void read_axis(struct reader *r, struct workload *w, const struct ynode *key,
		      const struct ynode *list, struct axis_names *names)
{
	const struct word *word = axis_word(r, w, key);
	struct axis axis;

	if (!word || !rd_is(r, key, list, Y_SEQ))
		return;
	if (list->n == 0 || list->n > AXIS_MAX) {
		rd_error(r, list, "axis '%s' has %zu values: 1 to %d", key->text, list->n,
			 AXIS_MAX);
		return;
	}
	axis = (struct axis){word, arena_alloc(&r->s->arena, list->n * sizeof(*axis.value)), 0};
	for (size_t i = 0; i < list->n; i++) {
		const struct ynode *node = list->item[i];
		const char *name;

		if (!read_word(r, key, node))
			continue;
		name = canonical(r, word, node->text);
		if (name && !strset_add(&names->of[word_index(word)], name, 0, NULL))
			rd_error(r, node, "axis '%s' has the value '%s' twice", key->text, name);
		else
			axis.value[axis.n++] = node;
	}
	*VEC_PUSH(&w->matrix) = axis;
}

/* The order of the word table is the order of axes in names. */
static void sort_axes(struct workload *w)
{
	for (size_t i = 1; i < w->matrix.n; i++) {
		struct axis a = w->matrix.v[i];
		size_t k = i;

		for (; k > 0 && w->matrix.v[k - 1].word > a.word; k--)
			w->matrix.v[k] = w->matrix.v[k - 1];
		w->matrix.v[k] = a;
	}
}

static const struct axis *axis_find(const struct workload *w, const struct word *word)
{
	for (size_t i = 0; i < w->matrix.n; i++)
		if (w->matrix.v[i].word == word)
			return &w->matrix.v[i];
	return NULL;
}

static void check_value(struct reader *r, const struct word *word, const struct ynode *node,
			const struct axis_names *names)
{
	const char *wanted = canonical(r, word, node->text);
	uint32_t tag;

	if (wanted && strset_find(&names->of[word_index(word)], wanted, &tag))
		return;
	rd_hint(rd_error(r, node, "axis '%s' has no value '%s'", word->name, node->text),
		"an exclude that matches nothing leaves nothing out");
}

static void read_one_exclude(struct reader *r, struct workload *w, const struct ynode *map,
			     const struct axis_names *names)
{
	static const struct ynode what = {.kind = Y_SCALAR, .text = "exclude"};
	struct exclude x = {.line = map->line};

	if (!rd_is(r, &what, map, Y_MAP))
		return;
	if (map->n == 0)
		rd_error(r, map, "an empty exclude would leave out everything");
	for (size_t i = 0; i < map->n; i++) {
		const struct ynode *key = map->key[i];
		const struct word *word = read_word(r, key, map->item[i]);

		if (!word)
			continue;
		if (!axis_find(w, word)) {
			rd_hint(rd_error(r, key,
					 "exclude names '%s', which is no axis of the matrix",
					 key->text),
				"exclude leaves out combinations of axes");
			continue;
		}
		check_value(r, word, map->item[i], names);
		*VEC_PUSH(&x.words) = (struct word_value){word, map->item[i]};
	}
	*VEC_PUSH(&w->exclude) = x;
}

static void count_instances(struct reader *r, const struct workload *w, const struct ynode *matrix)
{
	size_t instances = 1;

	for (size_t i = 0; i < w->matrix.n && instances <= INSTANCES_MAX; i++)
		instances *= w->matrix.v[i].n ? w->matrix.v[i].n : 1;
	if (instances > INSTANCES_MAX)
		rd_error(r, matrix, "the matrix has more than %d instances", INSTANCES_MAX);
}

void read_matrix(struct reader *r, struct workload *w, const struct ynode *matrix,
		 const struct ynode *exclude)
{
	static const struct ynode what = {.kind = Y_SCALAR, .text = "matrix"},
				  without = {.kind = Y_SCALAR, .text = "exclude"};
	struct axis_names names = {0};

	if (!rd_is(r, &what, matrix, Y_MAP))
		return;
	if (matrix->n == 0)
		rd_hint(rd_error(r, matrix, "'matrix' is empty"),
			"write 'matrix: {iodepth: [1, 32]}'");
	for (size_t i = 0; i < matrix->n; i++)
		read_axis(r, w, matrix->key[i], matrix->item[i], &names);
	sort_axes(w);
	count_instances(r, w, matrix);
	if (exclude && rd_is(r, &without, exclude, Y_SEQ))
		for (size_t i = 0; i < exclude->n; i++)
			read_one_exclude(r, w, exclude->item[i], &names);
	for (size_t i = 0; i < WORD_COUNT_MAX; i++)
		strset_release(&names.of[i]);
}

/* One {axis} at s, or NULL after an error. Marks the axis. */
static const char *pattern_axis(struct reader *r, struct workload *w, const struct ynode *node,
				const char *s, bool *used)
{
	const char *end = strchr(s, '}');
	const struct word *word;
	char *name;

	if (!end) {
		rd_error(r, node, "name '%s': '{' is not closed", node->text);
		return NULL;
	}
	name = arena_strndup(&r->scratch, s + 1, (size_t)(end - s - 1));
	word = word_find(name);
	if (!word || !axis_find(w, word)) {
		const char *near = word ? NULL : word_nearest(name);
		struct diag *g = rd_error(r, node, "name '%s': '%s' is no axis of the matrix",
					  node->text, name);

		if (near && axis_find(w, word_find(near)))
			rd_hint(g, "did you mean '{%s}'?", near);
		return NULL;
	}
	used[word_index(word)] = true;
	return end + 1;
}

void read_name_pattern(struct reader *r, struct workload *w, const struct ynode *node)
{
	bool used[WORD_COUNT_MAX] = {false};

	if (node->bad)
		return;
	for (const char *s = node->text; *s;) {
		if (*s == '{') {
			s = pattern_axis(r, w, node, s, used);
			if (!s)
				return;
		} else if (c_isalnum(*s) || strchr("_+:=-", *s)) {
			s++;
		} else {
			rd_hint(rd_error(r, node, "name '%s' holds a character that is not allowed",
					 node->text),
				"allowed are letters, digits, _+:=- and {axis}");
			return;
		}
	}
	for (size_t i = 0; i < w->matrix.n; i++) {
		const struct axis *a = &w->matrix.v[i];

		if (a->n > 1 && !used[word_index(a->word)])
			rd_hint(rd_error(r, node,
					 "name '%s' leaves out the axis '%s': names would be equal",
					 node->text, a->word->name),
				"add {%s}", a->word->name);
	}
}
