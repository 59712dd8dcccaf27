/* SPDX-License-Identifier: GPL-2.0-or-later */
/* model/doc_get: strict getters of the result reader, over those of json. */
#include "model/result_io.h"

int doc_bad(const struct reader *rd, const struct json *o, const char *key, const char *fmt, ...)
{
	struct str path, text;
	va_list ap;

	str_init(&path);
	str_init(&text);
	json_path(o, key, &path);
	va_start(ap, fmt);
	str_vaddf(&text, fmt, ap);
	va_end(ap);
	err_set(rd->e, ERR_DATA, "'%.200s': %.120s%s%.250s", rd->name, path.s, path.len ? ": " : "",
		text.s);
	str_release(&text);
	str_release(&path);
	return ERR_DATA;
}

int doc_u32(const struct reader *rd, const struct json *o, const char *key, uint32_t max,
	    uint32_t *out)
{
	uint64_t n;
	int rc = json_get_u64(o, key, &n, rd->e);

	if (rc)
		return rc;
	if (n > max)
		return doc_bad(rd, o, key, "%llu is beyond %u", (unsigned long long)n, max);
	*out = (uint32_t)n;
	return 0;
}

int doc_opt_u32(const struct reader *rd, const struct json *o, const char *key, uint32_t max,
		uint32_t *out)
{
	struct json x = json_member(o, key);

	return json_present(&x) ? doc_u32(rd, o, key, max, out) : 0;
}

int doc_opt_text(const struct reader *rd, const struct json *o, const char *key, const char **out)
{
	const char *s;
	int rc = json_opt_str(o, key, NULL, &s, rd->e);

	if (rc == 0)
		*out = arena_strdup(&rd->r->arena, s);
	return rc;
}

int doc_text(const struct reader *rd, const struct json *o, const char *key, const char **out)
{
	const char *s;
	int rc = json_get_str(o, key, &s, rd->e);

	if (rc)
		return rc;
	if (!*s)
		return doc_bad(rd, o, key, "is empty");
	*out = arena_strdup(&rd->r->arena, s);
	return 0;
}

int doc_seed(const struct reader *rd, const struct json *o, const char *key, uint64_t *out)
{
	const char *s;
	int rc = json_get_str(o, key, &s, rd->e);

	if (rc)
		return rc;
	if (!str_to_u64(s, out))
		return doc_bad(rd, o, key, "'%.40s' is no whole number", s);
	return 0;
}

int doc_object(const struct reader *rd, const struct json *o, const char *key, struct json *out)
{
	*out = json_member(o, key);
	if (!json_present(out))
		return doc_bad(rd, o, key, "is missing");
	return json_need_object(out, rd->e);
}

int doc_array(const struct reader *rd, const struct json *o, const char *key, struct json *out)
{
	*out = json_member(o, key);
	if (!json_present(out))
		return doc_bad(rd, o, key, "is missing");
	return json_need_array(out, rd->e);
}

static int read_fact(const struct reader *rd, const struct json *m, struct facts *f)
{
	struct json unknown = json_member(m, "unknown");
	const char *s;
	int rc;

	if (json_present(&unknown)) {
		rc = json_as_str(&unknown, &s, rd->e);
		if (rc == 0)
			facts_set(f, &rd->r->arena, m->key, NULL, s);
		return rc;
	}
	rc = json_as_str(m, &s, rd->e);
	if (rc == 0)
		facts_set(f, &rd->r->arena, m->key, s, NULL);
	return rc;
}

int doc_facts(const struct reader *rd, const struct json *o, const char *key, struct facts *f)
{
	struct json obj, m;
	int rc = doc_object(rd, o, key, &obj);

	for (size_t i = 0; rc == 0 && json_object_at(&obj, i, &m); i++)
		rc = read_fact(rd, &m, f);
	return rc;
}

int doc_texts(const struct reader *rd, const struct json *o, const char *key, struct text_vec *out)
{
	struct json list, item;
	const char *s;
	int rc = doc_array(rd, o, key, &list);

	for (size_t i = 0; rc == 0 && i < json_length(&list); i++) {
		item = json_element(&list, i);
		rc = json_as_str(&item, &s, rd->e);
		if (rc == 0)
			*VEC_PUSH(out) = arena_strdup(&rd->r->arena, s);
	}
	return rc;
}
