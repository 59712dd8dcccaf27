/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The writer. Text is built in call order, so equal calls give equal bytes and diffs stay small. */
#include "json/json.h"
#include "base/units.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define DEPTH_MAX 64u

/* Unbalanced use would become a document that no reader takes, long after the cause. */
static void need(bool ok, const char *what)
{
	if (ok)
		return;
	fprintf(stderr, "blkgate: bug: json writer: %s\n", what);
	abort();
}

void jw_init(struct jw *w)
{
	*w = (struct jw){.first = true};
	str_init(&w->out);
}

void jw_release(struct jw *w)
{
	str_release(&w->out);
	jw_init(w);
}

static bool in_object(const struct jw *w)
{
	return w->depth > 0 && (w->objects >> (w->depth - 1) & 1);
}

static void add_string(struct jw *w, const char *text)
{
	struct str clean;

	str_init(&clean);
	str_add_clean(&clean, text, SIZE_MAX);
	str_addc(&w->out, '"');
	for (const char *p = clean.s; *p; p++) {
		if (*p == '"' || *p == '\\')
			str_addc(&w->out, '\\');
		if (*p == '\n')
			str_add(&w->out, "\\n");
		else if (*p == '\r')
			str_add(&w->out, "\\r");
		else if (*p == '\t')
			str_add(&w->out, "\\t");
		else
			str_addc(&w->out, *p);
	}
	str_addc(&w->out, '"');
	str_release(&clean);
}

static void new_line(struct jw *w)
{
	str_addc(&w->out, '\n');
	for (unsigned i = 0; i < w->depth; i++)
		str_addc(&w->out, ' ');
}

/* What stands before a value: comma, line break, key. */
static void begin_value(struct jw *w, const char *key)
{
	need(w->depth > 0 || w->out.len == 0, "a document holds one value");
	need((key != NULL) == in_object(w),
	     key ? "a key outside an object" : "a member needs a key");
	if (!w->first)
		str_addc(&w->out, ',');
	if (w->depth > 0 && !w->flat_from)
		new_line(w);
	else if (!w->first)
		str_addc(&w->out, ' ');
	w->first = false;
	if (key) {
		add_string(w, key);
		str_add(&w->out, ": ");
	}
}

static void open_container(struct jw *w, const char *key, bool object, bool flat)
{
	begin_value(w, key);
	need(w->depth < DEPTH_MAX, "too deep");
	str_addc(&w->out, object ? '{' : '[');
	if (object)
		w->objects |= UINT64_C(1) << w->depth;
	else
		w->objects &= ~(UINT64_C(1) << w->depth);
	w->depth++;
	if (flat && !w->flat_from)
		w->flat_from = w->depth;
	w->first = true;
}

static void close_container(struct jw *w, bool object)
{
	need(w->depth > 0 && in_object(w) == object, "end without its begin");
	bool flat = w->flat_from != 0;

	if (w->flat_from == w->depth)
		w->flat_from = 0;
	w->depth--;
	if (!flat && !w->first)
		new_line(w);
	str_addc(&w->out, object ? '}' : ']');
	w->first = false;
}

void jw_object(struct jw *w, const char *key)
{
	open_container(w, key, true, false);
}

void jw_object_flat(struct jw *w, const char *key)
{
	open_container(w, key, true, true);
}

void jw_array(struct jw *w, const char *key)
{
	open_container(w, key, false, false);
}

void jw_array_flat(struct jw *w, const char *key)
{
	open_container(w, key, false, true);
}

void jw_end_object(struct jw *w)
{
	close_container(w, true);
}

void jw_end_array(struct jw *w)
{
	close_container(w, false);
}

void jw_str(struct jw *w, const char *key, const char *value)
{
	if (!value) {
		jw_null(w, key);
		return;
	}
	begin_value(w, key);
	add_string(w, value);
}

void jw_u64(struct jw *w, const char *key, uint64_t value)
{
	const char *quote = value > INT64_MAX ? "\"" : "";

	begin_value(w, key);
	str_addf(&w->out, "%s%llu%s", quote, (unsigned long long)value, quote);
}

void jw_i64(struct jw *w, const char *key, int64_t value)
{
	begin_value(w, key);
	str_addf(&w->out, "%lld", (long long)value);
}

void jw_double(struct jw *w, const char *key, double value)
{
	if (!isfinite(value)) {
		jw_null(w, key);
		return;
	}
	begin_value(w, key);
	units_add_double(&w->out, value);
}

void jw_bool(struct jw *w, const char *key, bool value)
{
	begin_value(w, key);
	str_add(&w->out, value ? "true" : "false");
}

void jw_null(struct jw *w, const char *key)
{
	begin_value(w, key);
	str_add(&w->out, "null");
}

const char *jw_finish(struct jw *w)
{
	need(w->depth == 0 && w->out.len > 0, "finished with an open container or without a value");
	if (w->out.s[w->out.len - 1] != '\n')
		str_addc(&w->out, '\n');
	return w->out.s;
}
