/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Parameters: declared in the suite, given by --set, replaced in scalars after parsing. Values are
 * plain text: they do not nest. `$$` stands for one `$`.
 */
#include <string.h>

#include "suite/reader.h"

enum { PARAMS_MAX = 1000 };

static struct param *find(const struct suite *s, const char *name, size_t n)
{
	for (size_t i = 0; i < s->params.n; i++)
		if (strlen(s->params.v[i].name) == n && memcmp(s->params.v[i].name, name, n) == 0)
			return &s->params.v[i];
	return NULL;
}

static const char *nearest(const struct suite *s, const char *name)
{
	const char *names[PARAMS_MAX];

	for (size_t i = 0; i < s->params.n; i++)
		names[i] = s->params.v[i].name;
	return str_nearest(name, names, s->params.n);
}

/* Hint of an unknown name: the nearest, else all that there are. */
static void hint_names(struct reader *r, struct diag *g, const char *name)
{
	const char *near = nearest(r->s, name);
	struct str all;

	if (near) {
		rd_hint(g, "did you mean '%s'?", near);
		return;
	}
	str_init(&all);
	for (size_t i = 0; i < r->s->params.n && i < 20; i++)
		str_addf(&all, "%s%s", i ? ", " : "", r->s->params.v[i].name);
	if (r->s->params.n)
		rd_hint(g, "declared parameters: %s", all.s);
	else
		rd_hint(g, "declare it: 'parameters: {%s: VALUE}'", name);
	str_release(&all);
}

static void read_default(struct reader *r, struct param *p, const struct ynode *node)
{
	struct diag *g;

	if (strstr(node->text, "${")) {
		g = rd_error(r, node, "parameter '%s': '%s' names another parameter", p->name,
			     node->text);
		rd_hint(g, "a parameter is plain text; write the value out");
		return;
	}
	p->value = node->text;
}

static void read_param(struct reader *r, const struct ynode *key, const struct ynode *node)
{
	static const char *const keys[] = {"required", "default", "description"};
	struct param *p;

	if (!rd_name(r, key, "parameter", "_-"))
		return;
	p = VEC_PUSH(&r->s->params);
	p->name = key->text;
	p->line = key->line;
	p->column = key->column;
	if (node->kind == Y_SCALAR) {
		read_default(r, p, node);
		return;
	}
	if (!rd_is(r, key, node, Y_MAP))
		return;
	RD_KEYS(r, node, "a parameter", keys);
	for (size_t i = 0; i < node->n; i++) {
		if (strcmp(node->key[i]->text, "required") == 0)
			rd_bool(r, node->key[i], node->item[i], &p->required);
		else if (strcmp(node->key[i]->text, "default") == 0 &&
			 rd_is(r, node->key[i], node->item[i], Y_SCALAR))
			read_default(r, p, node->item[i]);
	}
	if (p->required && p->value)
		rd_error(r, key, "parameter '%s' is required and has a default", p->name);
	else if (!p->required && !yaml_get(node, "default", NULL))
		rd_hint(rd_error(r, key, "parameter '%s' has no value", p->name),
			"write '%s: VALUE' or '%s: {required: true}'", p->name, p->name);
}

static void apply_set(struct reader *r, const struct setting *set, size_t nset)
{
	for (size_t i = 0; i < nset; i++) {
		struct param *p = find(r->s, set[i].key, strlen(set[i].key));

		if (!p) {
			hint_names(r,
				   rd_error(r, NULL,
					    "--set %s=%s: the suite declares no such parameter",
					    set[i].key, set[i].value),
				   set[i].key);
		} else if (p->set) {
			rd_error(r, NULL, "--set %s is given twice", set[i].key);
		} else {
			p->value = arena_strdup(&r->s->arena, set[i].value);
			p->set = true;
		}
	}
}

void params_read(struct reader *r, const struct ynode *node, const struct setting *set, size_t nset)
{
	static const struct ynode name = {.kind = Y_SCALAR, .text = "parameters"};

	if (node && rd_is(r, &name, node, Y_MAP)) {
		if (node->n > PARAMS_MAX)
			rd_error(r, node, "more than %d parameters", PARAMS_MAX);
		for (size_t i = 0; i < node->n && i < PARAMS_MAX; i++)
			read_param(r, node->key[i], node->item[i]);
	}
	apply_set(r, set, nset);
	for (size_t i = 0; i < r->s->params.n; i++) {
		const struct param *p = &r->s->params.v[i];
		struct ynode at = {.line = p->line, .column = p->column};

		if (p->required && !p->value)
			rd_hint(rd_error(r, &at, "parameter '%s' is required and was not given",
					 p->name),
				"add --set %s=VALUE", p->name);
	}
}

/* One ${name} at s; returns what follows it, or NULL after an error. */
static const char *replace_one(struct reader *r, const struct ynode *node, const char *s,
			       struct str *out)
{
	const char *end = strchr(s, '}'), *name = s + 2;
	struct param *p;
	char *word;

	if (!end || end == name) {
		rd_hint(rd_error(r, node, "'%s': '${' is not followed by a name and '}'",
				 node->text),
			"write '$$' for a dollar sign");
		return NULL;
	}
	p = find(r->s, name, (size_t)(end - name));
	if (!p) {
		word = arena_strndup(&r->scratch, name, (size_t)(end - name));
		hint_names(r, rd_error(r, node, "'%s': no parameter '%s'", node->text, word), word);
		return NULL;
	}
	p->uses++;
	if (!p->value) /* reported where it was declared */
		return NULL;
	str_add(out, p->value);
	return end + 1;
}

static void replace(struct reader *r, struct ynode *node)
{
	struct str out;

	str_init(&out);
	for (const char *s = node->text; s && *s;) {
		if (s[0] == '$' && s[1] == '$') {
			str_addc(&out, '$');
			s += 2;
		} else if (s[0] == '$' && s[1] == '{') {
			s = replace_one(r, node, s, &out);
			node->bad = !s;
		} else {
			str_addc(&out, *s++);
		}
	}
	node->raw = node->text;
	if (!node->bad)
		node->text = arena_strndup(&r->s->arena, out.s, out.len);
	str_release(&out);
}

void params_apply(struct reader *r, struct ynode *node, const struct ynode *except)
{
	if (node == except)
		return;
	for (size_t i = 0; i < node->n; i++)
		params_apply(r, node->item[i], except);
	/* raw is set on a node that an alias brings here again */
	if (node->kind == Y_SCALAR && !node->raw && strchr(node->text, '$') &&
	    (strstr(node->text, "${") || strstr(node->text, "$$")))
		replace(r, node);
}

void params_unused(struct reader *r)
{
	for (size_t i = 0; i < r->s->params.n && !r->errors; i++) {
		const struct param *p = &r->s->params.v[i];
		struct ynode at = {.line = p->line, .column = p->column};

		if (p->uses == 0)
			rd_hint(rd_warn(r, &at, RULE_UNUSED_PARAMETER,
					"parameter '%s' is never used", p->name),
				"write '${%s}' where its value belongs", p->name);
	}
}

static void add_param(struct str *out, const struct suite *s, const struct param *p)
{
	str_addf(out, "%s%s%s=%s", out->len ? ", " : "", p->set ? "--set " : "", p->name, p->value);
	if (!p->set)
		str_addf(out, " of %s:%u:%u", s->file, p->line, p->column);
}

const char *suite_param_text(const struct suite *s, const struct ynode *node, struct arena *a)
{
	struct str out;
	const char *text = NULL;

	if (!node->raw)
		return NULL;
	str_init(&out);
	for (const char *at = node->raw; *at; at++) {
		const char *end = at[0] == '$' && at[1] == '{' ? strchr(at, '}') : NULL;
		const struct param *p;

		if (at[0] == '$' && at[1] == '$')
			at++;
		if (!end)
			continue;
		p = find(s, at + 2, (size_t)(end - at - 2));
		if (p && p->value)
			add_param(&out, s, p);
		at = end;
	}
	if (out.len)
		text = arena_strndup(a, out.s, out.len);
	str_release(&out);
	return text;
}
