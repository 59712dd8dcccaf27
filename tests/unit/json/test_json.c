/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "json/json.h"

#include <string.h>

static struct json_doc *parse(const char *text)
{
	struct json_doc *d;
	struct err e = ERR_INIT;

	if (json_parse(text, strlen(text), "r.json", &d, &e) != 0)
		fail_msg("%s", e.text);
	return d;
}

static void reads_each_kind(void **state)
{
	struct json_doc *d =
		parse("{\"s\": \"t\\u00e9xt\", \"i\": -3, \"u\": 9223372036854775807,"
		      " \"r\": 2.5, \"b\": true, \"n\": null, \"a\": [1, \"x\"], \"o\": {}}");
	struct json root = json_root(d), a, x;
	struct err e = ERR_INIT;
	const char *s;
	int64_t i;
	uint64_t u;
	double r;
	bool b;

	(void)state;
	assert_int_equal(json_need_object(&root, &e), 0);
	assert_int_equal(json_get_str(&root, "s", &s, &e), 0);
	assert_string_equal(s, "t\xc3\xa9xt");
	assert_int_equal(json_get_i64(&root, "i", &i, &e), 0);
	assert_true(i == -3);
	assert_int_equal(json_get_u64(&root, "u", &u, &e), 0);
	assert_true(u == INT64_MAX);
	assert_int_equal(json_get_double(&root, "r", &r, &e), 0);
	assert_true(r == 2.5);
	assert_int_equal(json_get_double(&root, "i", &r, &e), 0);
	assert_true(r == -3);
	assert_int_equal(json_get_bool(&root, "b", &b, &e), 0);
	assert_true(b);
	a = json_member(&root, "n");
	assert_false(json_present(&a)); /* null is absent */
	a = json_member(&root, "a");
	assert_true(json_present(&a));
	assert_int_equal(json_need_array(&a, &e), 0);
	assert_int_equal(json_length(&a), 2);
	x = json_element(&a, 0);
	assert_int_equal(json_as_u64(&x, &u, &e), 0);
	assert_true(u == 1);
	assert_int_equal(json_as_double(&x, &r, &e), 0);
	assert_true(r == 1);
	x = json_element(&a, 1);
	assert_int_equal(json_as_str(&x, &s, &e), 0);
	x = json_element(&a, 2);
	assert_false(json_present(&x));
	assert_int_equal(json_length(&root), 0);
	assert_int_equal(e.code, 0);
	json_doc_free(d);
	json_doc_free(NULL);
}

static void optional_members_have_defaults_but_no_wrong_kind(void **state)
{
	struct json_doc *d = parse("{\"s\": 1, \"u\": -1, \"i\": \"x\", \"r\": \"x\", \"b\": 0,"
				   " \"null\": null, \"in\": 5}");
	struct json root = json_root(d), in = json_member(&root, "in"),
		    none = json_member(&root, "none");
	struct err e = ERR_INIT;
	const char *s;
	double r;
	bool b;

	(void)state;
	assert_int_equal(json_opt_str(&root, "none", "d", &s, &e), 0);
	assert_string_equal(s, "d");
	assert_int_equal(json_opt_str(&root, "null", NULL, &s, &e), 0);
	assert_null(s);
	assert_int_equal(json_opt_double(&root, "none", 0.5, &r, &e), 0);
	assert_true(r == 0.5);
	assert_int_equal(json_opt_bool(&root, "none", true, &b, &e), 0);
	assert_true(b);
	assert_int_equal(json_opt_double(&none, "x", 3, &r, &e), 0); /* in an absent object */
	assert_true(r == 3);
	assert_int_equal(json_opt_str(&root, "s", "d", &s, &e), ERR_DATA);
	assert_int_equal(json_opt_double(&root, "r", 1, &r, &e), ERR_DATA);
	assert_int_equal(json_opt_bool(&root, "b", true, &b, &e), ERR_DATA);
	assert_int_equal(json_opt_double(&in, "x", 1, &r, &e), ERR_DATA); /* not an object at all */
	assert_string_equal(e.text, "'r.json': in: expected an object, found a whole number");
	json_doc_free(d);
}

static void messages_name_document_and_path(void **state)
{
	struct json_doc *d = parse("{\"runs\": [{}, {\"read\": {\"ios\": \"many\", \"bw\": 1.5}}],"
				   " \"values\": {\"read.iops\": [1]}}");
	struct json root = json_root(d), runs = json_member(&root, "runs"),
		    run = json_element(&runs, 1), rd = json_member(&run, "read"),
		    values = json_member(&root, "values");
	struct err e = ERR_INIT;
	uint64_t u;
	double r;

	(void)state;
	assert_int_equal(json_get_u64(&rd, "ios", &u, &e), ERR_DATA);
	assert_string_equal(e.text,
			    "'r.json': runs[1].read.ios: expected a whole number, found a string");
	assert_int_equal(json_get_u64(&rd, "bw", &u, &e), ERR_DATA);
	assert_string_equal(e.text, "'r.json': runs[1].read.bw: expected a whole number, found a "
				    "number with a fraction");
	assert_int_equal(json_get_u64(&rd, "lat", &u, &e), ERR_DATA);
	assert_string_equal(e.text,
			    "'r.json': runs[1].read.lat: expected a whole number, found nothing");
	assert_int_equal(json_get_double(&values, "read.iops", &r, &e), ERR_DATA);
	assert_string_equal(e.text,
			    "'r.json': values[\"read.iops\"]: expected a number, found an array");
	assert_int_equal(json_need_array(&root, &e), ERR_DATA);
	assert_string_equal(e.text, "'r.json': top level: expected an array, found an object");
	json_doc_free(d);
}

/* 2^63 and above: a string of digits, the form that jw_u64 writes; nothing else is a number. */
static void large_whole_numbers_come_as_digits(void **state)
{
	static const struct {
		const char *text;
		bool ok;
		uint64_t want;
	} t[] = {
		{"[\"18446744073709551615\"]", true, UINT64_MAX},
		{"[\"9223372036854775808\"]", true, UINT64_C(1) << 63},
		{"[\"9223372036854775807\"]", false, 0}, /* has a number form */
		{"[\"18446744073709551616\"]", false, 0},
		{"[\"09223372036854775808\"]", false, 0},
		{"[\"\"]", false, 0},
		{"[\"-1\"]", false, 0},
		{"[\"5\"]", false, 0},
		{"[-1]", false, 0},
		{"[1.0]", false, 0},
		{"[0]", true, 0},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(t) / sizeof(t[0]); i++) {
		struct json_doc *d = parse(t[i].text);
		struct json root = json_root(d), x = json_element(&root, 0);
		struct err e = ERR_INIT;
		uint64_t u = 0;

		assert_int_equal(json_as_u64(&x, &u, &e), t[i].ok ? 0 : ERR_DATA);
		if (t[i].ok)
			assert_true(u == t[i].want);
		json_doc_free(d);
	}
}

static void members_come_in_file_order(void **state)
{
	static const char *const want[] = {"z", "a", "m", "b"};
	struct json_doc *d =
		parse("{\"z\": 1, \"a\": null, \"m\": {\"y\": 1, \"x\": 2}, \"b\": 4}");
	struct json root = json_root(d), m, in;
	size_t i;

	(void)state;
	for (i = 0; json_object_at(&root, i, &m); i++) {
		assert_string_equal(m.key, want[i]);
		/* Another loop in between moves the cursor away and must not disturb this one. */
		if (i == 2) {
			assert_true(json_object_at(&m, 1, &in));
			assert_string_equal(in.key, "x");
			assert_false(json_object_at(&m, 2, &in));
		}
	}
	assert_int_equal(i, 4);
	assert_true(json_object_at(&root, 3, &m));
	assert_string_equal(m.key, "b");
	assert_true(json_object_at(&root, 0, &m));
	assert_string_equal(m.key, "z");
	assert_true(json_object_at(&root, 1, &m));
	assert_false(json_present(&m));
	m = json_member(&root, "z");
	assert_false(json_object_at(&m, 0, &in));
	m = json_member(&root, "none");
	assert_false(json_object_at(&m, 0, &in));
	json_doc_free(d);
}

static void refuse(const char *text, size_t n, unsigned line, unsigned column, const char *why)
{
	struct json_doc *d = (struct json_doc *)&n;
	struct err e = ERR_INIT;

	if (json_parse(text, n, "r.json", &d, &e) != ERR_DATA)
		fail_msg("accepted '%s'", text);
	assert_null(d);
	if (!strstr(e.text, why) || !strstr(e.text, "'r.json'"))
		fail_msg("'%s': text is: %s", text, e.text);
	if (line && (e.line != line || e.column != column))
		fail_msg("'%s': place is %u:%u", text, e.line, e.column);
}

static void damaged_documents_are_refused_with_their_place(void **state)
{
	static const struct {
		const char *text;
		unsigned line, column;
		const char *why;
	} t[] = {
		{"", 0, 0, "empty"},
		{"  ", 0, 0, "expected"},
		{"{\"a\": 1,\n \"b\": \xff}", 2, 7, "invalid UTF-8"},
		{"{\"\xed\xa0\x80\": 1}", 1, 3, "invalid UTF-8"},
		{"{\"a\": 1, \"a\": 2}", 1, 0, "duplicate"},
		{"{\"a\": 1", 1, 0, "'}' expected"},
		{"{\"a\": 1} x", 1, 0, "end of file expected"},
		{"{\"a\": 1}{\"a\": 1}", 1, 0, "end of file expected"},
		{"{\"a\":\n  1,,}", 2, 0, "string"},
		{"[1, 2,]", 1, 0, "unexpected token"},
		{"{'a': 1}", 1, 2, "string or '}' expected"},
		{"[NaN]", 1, 0, "invalid token"},
		{"[Infinity]", 1, 0, "invalid token"},
		{"[1e999]", 1, 0, "overflow"},
		{"[9223372036854775808]", 1, 0, "too big"},
		{"[01]", 1, 0, "invalid token"},
		{"[\"\x01\"]", 1, 0, "control character"},
		{"[\"\\u0000\"]", 1, 0, "NUL"},
		{"[\"\\ud800\"]", 1, 0, "invalid Unicode"},
		{"\"scalar\"", 1, 0, "'[' or '{' expected"},
		{"\xef\xbb\xbf{}", 1, 0, "expected"}, /* no byte order mark */
	};

	(void)state;
	for (size_t i = 0; i < sizeof(t) / sizeof(t[0]); i++)
		refuse(t[i].text, strlen(t[i].text), t[i].column ? t[i].line : 0, t[i].column,
		       t[i].why);
	refuse("{}\0", 3, 0, 0, "end of file expected");
	refuse("[\"a\0b\"]", 7, 0, 0, "control character");
}

static void every_truncation_is_refused(void **state)
{
	const char *text = "{\"runs\": [{\"read\": {\"ios\": 123, \"hist\": \"1:2 3:4\"}}, true, "
			   "null, -1.5e3], \"t\": \"\\u00e9\"}";
	size_t n = strlen(text);

	(void)state;
	json_doc_free(parse(text));
	for (size_t k = 0; k < n; k++)
		refuse(text, k, 0, 0, "no valid JSON");
}

static void depth_is_limited(void **state)
{
	struct json_doc *d;
	struct err e = ERR_INIT;
	struct str s;

	(void)state;
	str_init(&s);
	for (int i = 0; i < 64; i++)
		str_addc(&s, '[');
	str_add(&s, "\"[[[[\\\"[[[[{{{{\"");
	for (int i = 0; i < 64; i++)
		str_addc(&s, ']');
	assert_int_equal(json_parse(s.s, s.len, "d", &d, &e), 0);
	json_doc_free(d);
	str_clear(&s);
	for (int i = 0; i < 200000; i++)
		str_add(&s, i % 2 ? "{\"a\":" : "[");
	refuse(s.s, s.len, 1, 193, "64 deep"); /* after 32 pairs of '[' and '{"a":' */
	str_release(&s);
}

/* The one spelling of a place, for the getters here and for those of the model. */
static void a_path_names_members_and_elements(void **state)
{
	struct json_doc *d;
	struct err e = ERR_INIT;
	struct str path;
	static const char text[] = "{\"values\": [{\"read.iops\": {\"a\": 1}}], \"\": 2}";

	(void)state;
	str_init(&path);
	assert_int_equal(json_parse(text, strlen(text), "p.json", &d, &e), 0);
	struct json root = json_root(d), list = json_member(&root, "values");
	struct json first = json_element(&list, 0), odd = json_member(&first, "read.iops");

	json_path(&root, NULL, &path);
	assert_string_equal(path.s, "");
	json_path(&root, "values", &path);
	assert_string_equal(path.s, "values");
	str_clear(&path);
	json_path(&root, "", &path); /* an empty key is seen */
	assert_string_equal(path.s, "[\"\"]");
	str_clear(&path);
	str_add(&path, "at "); /* what stands there already needs no dot */
	json_path(&odd, "a", &path);
	assert_string_equal(path.s, "at values[0][\"read.iops\"].a");
	str_release(&path);
	json_doc_free(d);
}

/* Iterating a large object must not be quadratic: 10^5 members would take minutes. */
static void large_objects_iterate_in_a_line(void **state)
{
	struct json_doc *d;
	struct json root, m;
	struct str s;
	size_t n = 0;

	(void)state;
	str_init(&s);
	for (int i = 0; i < 100000; i++)
		str_addf(&s, "%c\"k%d\": %d", i ? ',' : '{', i, i);
	str_addc(&s, '}');
	d = parse(s.s);
	root = json_root(d);
	while (json_object_at(&root, n, &m))
		n++;
	assert_int_equal(n, 100000);
	json_doc_free(d);
	str_release(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(reads_each_kind),
		cmocka_unit_test(optional_members_have_defaults_but_no_wrong_kind),
		cmocka_unit_test(messages_name_document_and_path),
		cmocka_unit_test(large_whole_numbers_come_as_digits),
		cmocka_unit_test(members_come_in_file_order),
		cmocka_unit_test(damaged_documents_are_refused_with_their_place),
		cmocka_unit_test(every_truncation_is_refused),
		cmocka_unit_test(depth_is_limited),
		cmocka_unit_test(a_path_names_members_and_elements),
		cmocka_unit_test(large_objects_iterate_in_a_line),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
