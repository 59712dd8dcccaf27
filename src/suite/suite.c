/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "suite/suite.h"

#include <string.h>

#include "base/fileio.h"
#include "suite/reader.h"

static void suite_init(struct suite *s, const char *file)
{
	memset(s, 0, sizeof(*s));
	arena_init(&s->arena);
	s->file = arena_strdup(&s->arena, file);
	s->policy = POLICY_DEFAULT;
	s->assumed_session_sd = 0.015;
	s->sessions_min = 1;
	s->sessions_max = 5;
}

void suite_release(struct suite *s)
{
	for (size_t i = 0; i < s->workloads.n; i++)
		workload_release(&s->workloads.v[i]);
	VEC_RELEASE(&s->workloads);
	VEC_RELEASE(&s->params);
	VEC_RELEASE(&s->labels);
	VEC_RELEASE(&s->datasheet);
	VEC_RELEASE(&s->require);
	VEC_RELEASE(&s->admit);
	VEC_RELEASE(&s->under_test);
	VEC_RELEASE(&s->must_match);
	VEC_RELEASE(&s->note);
	VEC_RELEASE(&s->defaults);
	VEC_RELEASE(&s->waive);
	VEC_RELEASE(&s->setup);
	VEC_RELEASE(&s->teardown);
	VEC_RELEASE(&s->known);
	arena_release(&s->arena);
	memset(s, 0, sizeof(*s));
}

static void read_root(struct reader *r, const struct ynode *root)
{
	const char *names[32];

	for (size_t i = 0; i < nsections; i++)
		names[i] = sections[i].name;
	for (size_t i = 0; i < root->n; i++) {
		const char *key = root->key[i]->text;
		size_t k = 0;

		while (k < nsections && strcmp(names[k], key) != 0)
			k++;
		if (k < nsections)
			continue;
		if (word_find(key) || strcmp(key, "sessions") == 0)
			rd_hint(rd_error(r, root->key[i], "'%s' is a word of a workload", key),
				"put it into a workload, or into 'defaults' for all of them");
		else
			rd_unknown(r, root->key[i], "a suite", names, nsections);
	}
	for (size_t i = 0; i < nsections; i++) {
		struct ynode *key = NULL, *node = yaml_get(root, names[i], &key);

		if (node)
			sections[i].read(r, key, node);
		else if (sections[i].remedy)
			rd_hint(rd_error(r, root, "the suite has no '%s'", names[i]), "%s",
				sections[i].remedy);
	}
}

static void read_suite(struct reader *r, struct ynode *root, const struct setting *set, size_t nset)
{
	const struct ynode *params = yaml_get(root, "parameters", NULL);

	if (root->kind != Y_MAP) {
		rd_hint(rd_error(r, root, "a suite is a mapping, not %s", ykind_name(root->kind)),
			"it starts with 'blkgate: 1' and has a 'name' and 'workloads'");
		return;
	}
	if (root->n == 0) {
		rd_error(r, root, "the suite is empty");
		return;
	}
	params_read(r, params, set, nset);
	params_apply(r, root, params);
	read_root(r, root);
	gates_check(r);
	params_unused(r);
	if (r->quiet)
		diags_add(r->d, DIAG_WARN, NULL, r->s->file, 0, 0,
			  "%zu more warnings are not shown", r->quiet);
	if (r->hidden)
		diags_add(r->d, DIAG_ERROR, NULL, r->s->file, 0, 0, "%zu more errors are not shown",
			  r->hidden);
}

const struct waiver *suite_waiver(const struct suite *s, const struct workload *w, enum rule rule)
{
	for (size_t i = 0; w && i < w->waive.n; i++)
		if (w->waive.v[i].rule == rule)
			return &w->waive.v[i];
	for (size_t i = 0; i < s->waive.n; i++)
		if (s->waive.v[i].rule == rule)
			return &s->waive.v[i];
	return NULL;
}

int suite_parse(const char *text, size_t n, const char *name, const struct setting *set,
		size_t nset, struct suite *s, struct diags *d, struct err *e)
{
	struct reader r = {.s = s, .d = d};
	struct err bad = ERR_INIT;
	struct ynode *root;
	int rc = 0;

	suite_init(s, name);
	arena_init(&r.scratch);
	if (yaml_parse(text, n, s->file, &s->arena, &root, &bad)) {
		diags_add_err(d, &bad);
		r.errors++;
	} else {
		read_suite(&r, root, set, nset);
	}
	arena_release(&r.scratch);
	diags_sort(d);
	if (r.errors) {
		rc = diags_to_err(d, ERR_SUITE, e);
		suite_release(s);
	}
	return rc;
}

int suite_load(const char *path, const struct setting *set, size_t nset, struct suite *s,
	       struct diags *d, struct err *e)
{
	struct str text;
	int rc;

	memset(s, 0, sizeof(*s));
	str_init(&text);
	if (file_read(path, YAML_BYTES_MAX, &text, e)) {
		e->code = ERR_SUITE;
		diags_add_err(d, e);
		rc = ERR_SUITE;
	} else {
		rc = suite_parse(text.s, text.len, path, set, nset, s, d, e);
	}
	str_release(&text);
	return rc;
}
