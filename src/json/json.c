/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Parsing and navigation; the getters are in get.c. */
#include "json/doc.h"

#include <stdlib.h>
#include <string.h>

/* The place of a byte, both from 1 and in bytes. */
static void place_of(const char *text, size_t n, size_t at, unsigned *line, unsigned *column)
{
	size_t start = 0;

	*line = 1;
	if (at > n)
		at = n;
	for (size_t i = 0; i < at; i++) {
		if (text[i] == '\n') {
			++*line;
			start = i + 1;
		}
	}
	*column = (unsigned)(at - start) + 1;
}

static int bad_at(const char *name, const char *text, size_t n, size_t at, const char *why,
		  struct err *e)
{
	unsigned line, column;
	struct str clean;

	place_of(text, n, at, &line, &column);
	str_init(&clean);
	str_add_clean(&clean, why, SIZE_MAX);
	err_set(e, ERR_DATA, "'%s': no valid JSON at line %u, column %u: %s", name, line, column,
		clean.s);
	str_release(&clean);
	return err_at(e, name, line, column);
}

/* Looked at before jansson recurses. Exact for valid JSON, and the rest is refused afterwards. */
static bool too_deep(const char *text, size_t n, size_t *at)
{
	unsigned depth = 0;
	bool string = false;

	for (size_t i = 0; i < n; i++) {
		char c = text[i];

		if (string) {
			if (c == '\\')
				i++;
			else if (c == '"')
				string = false;
			continue;
		}
		if (c == '"')
			string = true;
		else if ((c == '{' || c == '[') && ++depth > JSON_DEPTH_MAX) {
			*at = i;
			return true;
		} else if ((c == '}' || c == ']') && depth > 0) {
			depth--;
		}
	}
	return false;
}

int json_parse(const char *text, size_t n, const char *name, struct json_doc **out, struct err *e)
{
	json_error_t je;
	size_t at;

	*out = NULL;
	if (n == 0)
		return err_set(e, ERR_DATA, "'%s': no valid JSON: the file is empty", name);
	if (!utf8_valid(text, n, &at))
		return bad_at(name, text, n, at, "invalid UTF-8", e);
	if (too_deep(text, n, &at))
		return bad_at(name, text, n, at, "nested more than 64 deep", e);
	json_t *root = json_loadb(text, n, JSON_REJECT_DUPLICATES, &je);

	if (!root)
		return bad_at(name, text, n, je.position > 0 ? (size_t)je.position - 1 : 0, je.text,
			      e);
	struct json_doc *d = xcalloc(1, sizeof(*d));

	d->root = root;
	d->name = xstrdup(name);
	d->cursor = xcalloc(1, sizeof(*d->cursor));
	*out = d;
	return 0;
}

void json_doc_free(struct json_doc *d)
{
	if (!d)
		return;
	json_decref(d->root);
	free(d->cursor);
	free(d->name);
	free(d);
}

struct json json_root(const struct json_doc *d)
{
	return (struct json){.node = d->root, .doc = d};
}

struct json json_member(const struct json *o, const char *key)
{
	const json_t *v = json_object_get(o->node, key); /* NULL for other kinds */

	return (struct json){
		.node = json_is_null(v) ? NULL : v, .doc = o->doc, .up = o, .key = key};
}

struct json json_element(const struct json *a, size_t i)
{
	return (struct json){
		.node = json_array_get(a->node, i), .doc = a->doc, .up = a, .index = i};
}

size_t json_length(const struct json *a)
{
	return json_array_size(a->node);
}

bool json_present(const struct json *j)
{
	return j->node && !json_is_null((const json_t *)j->node);
}

/*
 * jansson iterates and cannot index. The cursor makes the usual loop linear; any other order starts
 * over. jansson's iterator functions want a non-const object but change nothing.
 */
bool json_object_at(const struct json *o, size_t i, struct json *member)
{
	if (!json_is_object((const json_t *)o->node))
		return false;
	json_t *object = (json_t *)(uintptr_t)o->node;
	struct json_cursor *c = o->doc->cursor;

	if (c->object != object || !c->iter || i < c->index)
		*c = (struct json_cursor){.object = object, .iter = json_object_iter(object)};
	for (; c->iter && c->index < i; c->index++)
		c->iter = json_object_iter_next(object, c->iter);
	if (!c->iter)
		return false;
	*member = (struct json){.node = json_object_iter_value(c->iter),
				.doc = o->doc,
				.up = o,
				.key = json_object_iter_key(c->iter),
				.index = i};
	return true;
}
