/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "suite/reader.h"

#include <string.h>

#include "suite/yaml_hint.h"

/* Words of the format that a later version reads; they are refused, never ignored. */
static const char *const later_keys[] = {"expect_signature"};

static struct diag *add(struct reader *r, enum diag_level level, const char *rule,
			const struct waiver *waived, const struct ynode *at, const char *fmt,
			va_list ap)
{
	const char *params;
	struct diag *g;
	struct str s;

	str_init(&s);
	str_vaddf(&s, fmt, ap);
	/* the place is where the value is used; whoever gave it is elsewhere */
	params = at && at->kind == Y_SCALAR ? suite_param_text(r->s, at, &r->scratch) : NULL;
	if (params)
		str_addf(&s, " (%s)", params);
	if (waived)
		str_addf(&s, " (waived: %s)", waived->reason);
	g = diags_add(r->d, level, rule, r->s->file, at ? at->line : 0, at ? at->column : 0, "%s",
		      s.s);
	str_release(&s);
	if (waived)
		return NULL;
	if (at && at->kind == Y_SCALAR && at->cut)
		diag_hint(g, "the value ends here because ' #' begins a comment: quote the value");
	else if (at && at->kind == Y_SCALAR && at->raw)
		diag_hint(g, "written as '%s'", at->raw);
	return g;
}

static struct diag *add_error(struct reader *r, const char *rule, const struct ynode *at,
			      const char *fmt, va_list ap)
{
	if (at && at->bad)
		return NULL;
	if (r->errors++ >= READER_SHOWN_MAX) {
		r->hidden++;
		return NULL;
	}
	return add(r, DIAG_ERROR, rule, NULL, at, fmt, ap);
}

struct diag *rd_error(struct reader *r, const struct ynode *at, const char *fmt, ...)
{
	struct diag *g;
	va_list ap;

	va_start(ap, fmt);
	g = add_error(r, NULL, at, fmt, ap);
	va_end(ap);
	return g;
}

struct diag *rd_broken(struct reader *r, const struct ynode *at, enum rule rule, const char *fmt,
		       ...)
{
	struct diag *g;
	va_list ap;

	va_start(ap, fmt);
	g = add_error(r, rule_table[rule].name, at, fmt, ap);
	va_end(ap);
	return g;
}

/* Both that hold are used: neither would be missed for the other's sake. */
static const struct waiver *waiver_use(struct reader *r, enum rule rule)
{
	waivers *lists[] = {&r->s->waive, r->workload ? &r->workload->waive : NULL};
	const struct waiver *found = NULL;

	for (size_t l = 0; l < 2; l++)
		for (size_t i = 0; lists[l] && i < lists[l]->n; i++)
			if (lists[l]->v[i].rule == rule) {
				lists[l]->v[i].used = true;
				found = &lists[l]->v[i];
			}
	return found;
}

struct diag *rd_warn(struct reader *r, const struct ynode *at, enum rule rule, const char *fmt, ...)
{
	const struct waiver *waived = waiver_use(r, rule);
	struct diag *g;
	va_list ap;

	if (r->warnings++ >= READER_SHOWN_MAX) {
		r->quiet += waived == NULL;
		return NULL;
	}
	va_start(ap, fmt);
	g = add(r, waived ? DIAG_NOTE : rule_table[rule].level, rule_table[rule].name, waived, at,
		fmt, ap);
	va_end(ap);
	return g;
}

void rd_hint(struct diag *g, const char *fmt, ...)
{
	struct str s;
	va_list ap;

	if (!g || g->hint[0]) /* the hint about the place of the value weighs more */
		return;
	str_init(&s);
	va_start(ap, fmt);
	str_vaddf(&s, fmt, ap);
	va_end(ap);
	diag_hint(g, "%s", s.s);
	str_release(&s);
}

void rd_err(struct reader *r, const struct ynode *at, const struct err *e)
{
	struct diag *g = rd_error(r, at, "%s", e->text);

	if (!g || !e->hint[0])
		return;
	if (at && at->raw)
		diag_hint(g, "%s; written as '%s'", e->hint, at->raw);
	else
		rd_hint(g, "%s", e->hint);
}

bool rd_is(struct reader *r, const struct ynode *key, const struct ynode *node, enum ykind kind)
{
	if (node->kind == kind)
		return true;
	if (node->kind == Y_SCALAR && !node->quoted && !node->text[0]) {
		struct diag *g = rd_error(r, key, "'%s' has no value", key->text);

		rd_hint(g, "expected %s: check the indentation of what follows", ykind_name(kind));
		return false;
	}
	struct diag *g = rd_error(r, node, "'%s' expects %s, not %s", key->text, ykind_name(kind),
				  ykind_name(node->kind));

	if (kind == Y_SEQ && node->kind == Y_SCALAR)
		rd_hint(g, "write it as a list: [%s]", node->text);
	else if (kind == Y_MAP && node->kind == Y_SCALAR && yaml_hint_colon(node->text))
		rd_hint(g, "%s", yaml_hint_colon(node->text));
	return false;
}

const char *rd_text(struct reader *r, const struct ynode *key, const struct ynode *node)
{
	if (!rd_is(r, key, node, Y_SCALAR) || node->bad)
		return NULL;
	if (!node->text[0]) {
		rd_hint(rd_error(r, key, "'%s' has no value", key->text),
			"write '%s: VALUE', or remove the key", key->text);
		return NULL;
	}
	return node->text;
}

bool rd_bool(struct reader *r, const struct ynode *key, const struct ynode *node, bool *out)
{
	const char *text = rd_text(r, key, node);
	struct err e = ERR_INIT;

	if (!text)
		return false;
	if (units_bool(text, out, &e) == 0)
		return true;
	err_prefix(&e, "%s", key->text);
	rd_err(r, node, &e);
	return false;
}

bool rd_percent(struct reader *r, const struct ynode *key, const struct ynode *node, double *out)
{
	const char *text = rd_text(r, key, node);
	struct err e = ERR_INIT;

	if (!text)
		return false;
	if (units_percent(text, out, &e) == 0)
		return true;
	err_prefix(&e, "%s", key->text);
	rd_err(r, node, &e);
	return false;
}

bool rd_expr(struct reader *r, const struct ynode *node, const char *text, struct expr *out)
{
	struct err e = ERR_INIT;

	if (node->bad)
		return false;
	memset(out, 0, sizeof(*out));
	out->line = node->line;
	out->column = node->column;
	if (expr_parse(text, &r->s->arena, out, &e) == 0)
		return true;
	rd_err(r, node, &e);
	return false;
}

bool rd_name(struct reader *r, const struct ynode *node, const char *what, const char *more)
{
	const char *s = node->text;
	struct diag *g;

	while (c_isalnum(*s) || (*s && strchr(more, *s)))
		s++;
	if (s != node->text && !*s && s - node->text <= 128)
		return true;
	if (!*s && s != node->text)
		g = rd_error(r, node, "%s '%.40s...' is longer than 128 characters", what,
			     node->text);
	else if (!*s)
		g = rd_error(r, node, "%s is empty", what);
	else if ((unsigned char)*s < 0x80)
		g = rd_error(r, node, "%s '%s' holds '%c'", what, node->text, *s);
	else
		g = rd_error(r, node, "%s '%s' holds a character that is not ASCII", what,
			     node->text);
	rd_hint(g, "allowed are letters, digits and %s", more);
	return false;
}

void rd_unknown(struct reader *r, const struct ynode *key, const char *where,
		const char *const *known, size_t n)
{
	const char *text = word_fio_sentence(key->text), *near;
	struct diag *g;

	for (size_t i = 0; i < sizeof(later_keys) / sizeof(*later_keys); i++) {
		if (strcmp(key->text, later_keys[i]) != 0)
			continue;
		rd_error(r, key, "'%s' comes with a later version", key->text);
		return;
	}
	if (text) {
		rd_error(r, key, "'%s' is no word here: %s", key->text, text);
		return;
	}
	g = rd_error(r, key, "unknown key '%s' in %s", key->text, where);
	if (!g)
		return;
	near = str_nearest(key->text, known, n);
	if (strstr(key->text, "${"))
		rd_hint(g, "parameters are replaced in values, not in keys");
	else if (yaml_hint_colon(key->text))
		rd_hint(g, "%s", yaml_hint_colon(key->text));
	else if (near)
		rd_hint(g, "did you mean '%s'?", near);
}

void rd_keys(struct reader *r, const struct ynode *map, const char *where, const char *const *known,
	     size_t n)
{
	for (size_t i = 0; i < map->n; i++) {
		size_t k = 0;

		while (k < n && strcmp(map->key[i]->text, known[k]) != 0)
			k++;
		if (k == n)
			rd_unknown(r, map->key[i], where, known, n);
	}
}
