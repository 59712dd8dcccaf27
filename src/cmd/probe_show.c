/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The two forms of what `blkgate probe` found: for people, and as a document. */
#include "cmd/probe.h"

#include "base/units.h"
#include "json/json.h"

#include <stdio.h>

/* Names of hardware and mount points are foreign text: control characters stay off the terminal. */
static void put(const char *key, const char *value, const char *why)
{
	struct str s;

	str_init(&s);
	str_addf(&s, "  %-28s ", key);
	str_add_clean(&s, value ? value : "unknown: ", SIZE_MAX);
	if (!value)
		str_add_clean(&s, why && *why ? why : "no reason given", SIZE_MAX);
	puts(s.s);
	str_release(&s);
}

/* One line each: the links of a path. */
static void put_parts(const char *key, const char *value)
{
	while (value) {
		const char *end = strstr(value, "; ");
		size_t n = end ? (size_t)(end - value) : strlen(value);
		char *part = xstrndup(value, n);

		put(key, part, NULL);
		free(part);
		key = "";
		value = end ? end + 2 : NULL;
	}
}

/* Numbers of bytes that nobody can read at a glance. */
static enum unit unit_of(const char *key)
{
	if (str_ends(key, "bandwidth"))
		return UNIT_BW;
	return str_eq(key, "device.capacity") || str_eq(key, "target.size") ? UNIT_BYTES
									    : UNIT_NONE;
}

static void put_fact(const struct fact *f)
{
	enum unit unit = unit_of(f->key);
	struct err ignored = ERR_INIT;
	struct str s;
	double v;

	if (f->value && str_eq(f->key, "pcie.path")) {
		put_parts(f->key, f->value);
		return;
	}
	str_init(&s);
	if (f->value)
		str_add(&s, f->value);
	if (f->value && unit != UNIT_NONE && units_number(f->value, &v, &ignored) == 0) {
		str_add(&s, " (");
		unit_format(&s, unit, v);
		str_addc(&s, ')');
	}
	put(f->key, f->value ? s.s : NULL, f->why);
	str_release(&s);
}

static void put_found(const char *key, const struct found *x, const char *none)
{
	for (size_t i = 0; i < x->v.n; i++)
		put(i ? "" : key, x->v.v[i], NULL);
	if (x->err.code)
		put(x->v.n ? "" : key, NULL, x->err.text);
	else if (!x->v.n)
		put(key, none, NULL);
}

static void put_block(const struct probed *x)
{
	put("signature",
	    x->signature_err.code ? NULL
	    : x->signature        ? x->signature
				  : "none",
	    x->signature_err.text);
	put_found("in use by", &x->users, "nothing");
	put_found("--allow-write", &x->identities, "no name is its alone");
	if (x->refused)
		put("", x->refused, NULL);
}

/* Of a folder the free space, which a recorded machine does not tell. */
static bool has_size(const struct target *t)
{
	return t->kind != TARGET_DIR || facts_value(&t->facts, "target.size");
}

static void put_target(const struct probed *x)
{
	const struct target *t = &x->t;
	struct str size;

	puts(x->id);
	str_init(&size);
	unit_format(&size, UNIT_BYTES, (double)t->size);
	put("path", t->path, NULL);
	if (t->passthrough)
		put("passthrough", t->passthrough, NULL);
	put("kind", target_kind_name(t->kind), NULL);
	if (has_size(t))
		put(t->kind == TARGET_DIR ? "free" : "size", size.s, NULL);
	for (size_t i = 0; i < t->facts.n; i++)
		put_fact(&t->facts.v[i]);
	if (t->kind == TARGET_BLOCK)
		put_block(x);
	putchar('\n');
	str_release(&size);
}

void probe_text(const struct probe *p)
{
	for (size_t i = 0; i < p->n; i++)
		if (!p->v[i].err.code)
			put_target(&p->v[i]);
	puts("machine");
	for (size_t i = 0; i < p->machine.n; i++)
		put_fact(&p->machine.v[i]);
	for (size_t i = 0; i < p->left.n; i++)
		put("left switched", p->left.v[i], NULL);
}

/* A list, or why there is none. */
static void write_found(struct jw *w, const char *key, const struct found *x)
{
	if (x->err.code) {
		jw_object_flat(w, key);
		jw_str(w, "unknown", x->err.text);
		jw_end_object(w);
		return;
	}
	jw_array(w, key);
	for (size_t i = 0; i < x->v.n; i++)
		jw_str(w, NULL, x->v.v[i]);
	jw_end_array(w);
}

static void write_block(struct jw *w, const struct probed *x)
{
	const struct target *t = &x->t;

	if (t->passthrough)
		jw_str(w, "passthrough", t->passthrough);
	jw_str(w, "disk", t->disk_path);
	jw_u64(w, "logical_block", t->logical_block);
	if (x->signature_err.code) {
		jw_object_flat(w, "signature");
		jw_str(w, "unknown", x->signature_err.text);
		jw_end_object(w);
	} else {
		jw_str(w, "signature", x->signature);
	}
	write_found(w, "in_use_by", &x->users);
	write_found(w, "identities", &x->identities);
}

static void write_target(struct jw *w, const struct probed *x)
{
	jw_object(w, NULL);
	jw_str(w, "id", x->id);
	if (x->err.code) {
		jw_str(w, "error", x->err.text);
		if (x->err.hint[0])
			jw_str(w, "hint", x->err.hint);
		jw_end_object(w);
		return;
	}
	jw_str(w, "path", x->t.path);
	jw_str(w, "kind", target_kind_name(x->t.kind));
	if (has_size(&x->t))
		jw_u64(w, x->t.kind == TARGET_DIR ? "free" : "size", x->t.size);
	if (x->t.kind == TARGET_BLOCK)
		write_block(w, x);
	result_write_facts(w, "facts", &x->t.facts);
	jw_end_object(w);
}

int probe_json(const struct probe *p, const char *path, struct err *e)
{
	struct jw w;
	const char *text;
	int rc;

	jw_init(&w);
	jw_object(&w, NULL);
	jw_u64(&w, "blkgate_probe", 1);
	jw_str(&w, "tool_version", BLKGATE_VERSION);
	jw_str(&w, "root", p->host.root);
	jw_array(&w, "targets");
	for (size_t i = 0; i < p->n; i++)
		write_target(&w, &p->v[i]);
	jw_end_array(&w);
	result_write_facts(&w, "machine", &p->machine);
	jw_array(&w, "left_switched");
	for (size_t i = 0; i < p->left.n; i++)
		jw_str(&w, NULL, p->left.v[i]);
	jw_end_array(&w);
	jw_end_object(&w);
	text = jw_finish(&w);
	rc = document_write(path, text, w.out.len, e);
	jw_release(&w);
	return rc;
}
