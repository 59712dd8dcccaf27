/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The strict getters: every refusal names the document, the path and what was found. */
#include "json/doc.h"

#include <math.h>
#include <string.h>

static bool plain_key(const char *key)
{
	for (const char *p = key; *p; p++) {
		if (!c_isalnum(*p) && *p != '_' && *p != '-')
			return false;
	}
	return *key != '\0';
}

static void add_key(struct str *s, const char *key)
{
	if (plain_key(key)) {
		str_addf(s, "%s%s", s->len ? "." : "", key);
	} else {
		str_add(s, "[\"");
		str_add_clean(s, key, SIZE_MAX);
		str_add(s, "\"]");
	}
}

static void add_path(const struct json *j, struct str *s)
{
	if (!j->up)
		return;
	add_path(j->up, s);
	if (j->key)
		add_key(s, j->key);
	else
		str_addf(s, "[%zu]", j->index);
}

void json_path(const struct json *j, const char *member, struct str *out)
{
	struct str path; /* of its own: whether a dot is needed depends on what stands before it */

	str_init(&path);
	add_path(j, &path);
	if (member)
		add_key(&path, member);
	str_addn(out, path.s, path.len);
	str_release(&path);
}

static const char *kind_name(const json_t *v)
{
	switch (v ? json_typeof(v) : JSON_NULL) {
	case JSON_OBJECT:
		return "an object";
	case JSON_ARRAY:
		return "an array";
	case JSON_STRING:
		return "a string";
	case JSON_INTEGER:
		return "a whole number";
	case JSON_REAL:
		return "a number with a fraction";
	case JSON_TRUE:
	case JSON_FALSE:
		return "true or false";
	default:
		return "nothing";
	}
}

/* found NULL: the kind of the node. */
static int refuse(const struct json *j, const char *expected, const char *found, struct err *e)
{
	struct str path;

	str_init(&path);
	json_path(j, NULL, &path);
	err_set(e, ERR_DATA, "'%s': %s: expected %s, found %s", j->doc ? j->doc->name : "",
		path.len ? path.s : "top level", expected, found ? found : kind_name(j->node));
	str_release(&path);
	return ERR_DATA;
}

int json_need_object(const struct json *j, struct err *e)
{
	return json_is_object((const json_t *)j->node) ? 0 : refuse(j, "an object", NULL, e);
}

int json_need_array(const struct json *j, struct err *e)
{
	return json_is_array((const json_t *)j->node) ? 0 : refuse(j, "an array", NULL, e);
}

int json_as_str(const struct json *j, const char **out, struct err *e)
{
	if (!json_is_string((const json_t *)j->node))
		return refuse(j, "a string", NULL, e);
	*out = json_string_value(j->node);
	return 0;
}

int json_as_double(const struct json *j, double *out, struct err *e)
{
	if (!json_is_number((const json_t *)j->node))
		return refuse(j, "a number", NULL, e);
	double v = json_number_value(j->node);

	if (!isfinite(v))
		return refuse(j, "a finite number", "an infinite one", e);
	*out = v;
	return 0;
}

/* The one string that is a number: the digits of a value that JSON integers here cannot hold. */
static bool digits_above_int64(const char *s, uint64_t *out)
{
	return *s != '0' && str_to_u64(s, out) && *out > INT64_MAX;
}

int json_as_u64(const struct json *j, uint64_t *out, struct err *e)
{
	const json_t *v = j->node;
	uint64_t large;

	if (json_is_string(v) && digits_above_int64(json_string_value(v), &large)) {
		*out = large;
		return 0;
	}
	if (!json_is_integer(v))
		return refuse(j, "a whole number", NULL, e);
	if (json_integer_value(v) < 0)
		return refuse(j, "a whole number", "a negative one", e);
	*out = (uint64_t)json_integer_value(v);
	return 0;
}

static int as_i64(const struct json *j, int64_t *out, struct err *e)
{
	if (!json_is_integer((const json_t *)j->node))
		return refuse(j, "a whole number", NULL, e);
	*out = json_integer_value(j->node);
	return 0;
}

static int as_bool(const struct json *j, bool *out, struct err *e)
{
	if (!json_is_boolean((const json_t *)j->node))
		return refuse(j, "true or false", NULL, e);
	*out = json_is_true((const json_t *)j->node);
	return 0;
}

/*
 * The member of an object, absent when the object is. Something else in the object's place is
 * damage, never "absent": a default must not paper over it.
 */
static int member(const struct json *o, const char *key, struct json *j, struct err *e)
{
	*j = json_member(o, key);
	return json_present(o) ? json_need_object(o, e) : 0;
}

int json_get_str(const struct json *o, const char *key, const char **out, struct err *e)
{
	struct json j;
	int ret = member(o, key, &j, e);

	return ret ? ret : json_as_str(&j, out, e);
}

int json_get_u64(const struct json *o, const char *key, uint64_t *out, struct err *e)
{
	struct json j;
	int ret = member(o, key, &j, e);

	return ret ? ret : json_as_u64(&j, out, e);
}

int json_get_i64(const struct json *o, const char *key, int64_t *out, struct err *e)
{
	struct json j;
	int ret = member(o, key, &j, e);

	return ret ? ret : as_i64(&j, out, e);
}

int json_get_double(const struct json *o, const char *key, double *out, struct err *e)
{
	struct json j;
	int ret = member(o, key, &j, e);

	return ret ? ret : json_as_double(&j, out, e);
}

int json_get_bool(const struct json *o, const char *key, bool *out, struct err *e)
{
	struct json j;
	int ret = member(o, key, &j, e);

	return ret ? ret : as_bool(&j, out, e);
}

int json_opt_str(const struct json *o, const char *key, const char *dflt, const char **out,
		 struct err *e)
{
	struct json j;
	int ret = member(o, key, &j, e);

	if (ret == 0 && json_present(&j))
		return json_as_str(&j, out, e);
	if (ret == 0)
		*out = dflt;
	return ret;
}

int json_opt_double(const struct json *o, const char *key, double dflt, double *out, struct err *e)
{
	struct json j;
	int ret = member(o, key, &j, e);

	if (ret == 0 && json_present(&j))
		return json_as_double(&j, out, e);
	if (ret == 0)
		*out = dflt;
	return ret;
}

int json_opt_bool(const struct json *o, const char *key, bool dflt, bool *out, struct err *e)
{
	struct json j;
	int ret = member(o, key, &j, e);

	if (ret == 0 && json_present(&j))
		return as_bool(&j, out, e);
	if (ret == 0)
		*out = dflt;
	return ret;
}
