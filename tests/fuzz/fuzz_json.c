/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Any bytes through the reader. What must hold: refusal fills the error; a document that is taken
 * can be walked with every getter, and written again it is taken with the same numbers.
 */
#include "json/json.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool ok)
{
	if (!ok)
		abort();
}

static void copy_scalar(const struct json *j, const char *key, struct jw *w)
{
	struct err e = ERR_INIT;
	const char *text;
	uint64_t whole;
	double real;

	if (json_as_u64(j, &whole, &e) == 0) {
		jw_u64(w, key, whole);
	} else if (json_as_double(j, &real, &e) == 0) {
		jw_double(w, key, real);
	} else if (json_as_str(j, &text, &e) == 0) {
		jw_str(w, key, text);
	} else {
		require(e.code == ERR_DATA && e.text[0]);
		jw_null(w, key);
	}
}

/* At most 64 levels, as the reader promises. */
static void copy(const struct json *j, const char *key, struct jw *w)
{
	struct err e = ERR_INIT;

	if (json_need_object(j, &e) == 0) {
		struct json m;

		jw_object(w, key);
		for (size_t i = 0; json_object_at(j, i, &m); i++)
			copy(&m, m.key, w);
		jw_end_object(w);
	} else if (json_need_array(j, &e) == 0) {
		jw_array_flat(w, key);
		for (size_t i = 0; i < json_length(j); i++) {
			struct json x = json_element(j, i);

			copy(&x, NULL, w);
		}
		jw_end_array(w);
	} else {
		copy_scalar(j, key, w);
	}
}

static void get_all(const struct json *o)
{
	struct err e = ERR_INIT;
	const char *s;
	uint64_t u;
	int64_t i;
	double d;
	bool b;
	struct json m;

	for (size_t k = 0; json_object_at(o, k, &m); k++) {
		require(json_get_str(o, m.key, &s, &e) == 0 || e.code == ERR_DATA);
		require(json_get_u64(o, m.key, &u, &e) == 0 || e.code == ERR_DATA);
		require(json_get_i64(o, m.key, &i, &e) == 0 || e.code == ERR_DATA);
		require(json_opt_double(o, m.key, 1, &d, &e) == 0 || e.code == ERR_DATA);
		require(json_opt_bool(o, m.key, true, &b, &e) == 0 || e.code == ERR_DATA);
	}
}

static void rewrite(const struct json_doc *d, struct jw *w)
{
	struct json root = json_root(d);

	jw_init(w);
	get_all(&root);
	copy(&root, NULL, w);
	jw_finish(w);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct err e = ERR_INIT;
	struct json_doc *d;
	struct jw once, twice;

	if (json_parse((const char *)data, size, "fuzz", &d, &e) != 0) {
		require(d == NULL && e.code == ERR_DATA && e.text[0]);
		require(utf8_valid(e.text, strlen(e.text), NULL));
		return 0;
	}
	rewrite(d, &once);
	json_doc_free(d);
	/* Cleaned keys may collide ("\u0001" and "\\x01"); anything else must be taken again. */
	if (json_parse(once.out.s, once.out.len, "again", &d, &e) != 0) {
		require(strstr(e.text, "duplicate") != NULL);
	} else {
		rewrite(d, &twice);
		json_doc_free(d);
		require(strcmp(once.out.s, twice.out.s) == 0);
		jw_release(&twice);
	}
	jw_release(&once);
	return 0;
}
