/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "json/json.h"

#include <math.h>
#include <signal.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
#include <fcntl.h>

static void layout_is_stable(void **state)
{
	struct jw w;

	(void)state;
	jw_init(&w);
	jw_object(&w, NULL);
	jw_u64(&w, "blkgate_result", 1);
	jw_str(&w, "host", "lab1");
	jw_object(&w, "labels");
	jw_end_object(&w);
	jw_array(&w, "runs");
	jw_object_flat(&w, NULL);
	jw_i64(&w, "a", -1);
	jw_array(&w, "slots"); /* inside flat all is flat */
	jw_u64(&w, NULL, 1);
	jw_u64(&w, NULL, 2);
	jw_end_array(&w);
	jw_object_flat(&w, "e");
	jw_end_object(&w);
	jw_end_object(&w);
	jw_object(&w, NULL);
	jw_bool(&w, "partial", false);
	jw_str(&w, "none", NULL);
	jw_end_object(&w);
	jw_end_array(&w);
	jw_array_flat(&w, "empty");
	jw_end_array(&w);
	jw_double(&w, "pi", 3.25);
	jw_end_object(&w);
	assert_string_equal(jw_finish(&w), "{\n"
					   " \"blkgate_result\": 1,\n"
					   " \"host\": \"lab1\",\n"
					   " \"labels\": {},\n"
					   " \"runs\": [\n"
					   "  {\"a\": -1, \"slots\": [1, 2], \"e\": {}},\n"
					   "  {\n"
					   "   \"partial\": false,\n"
					   "   \"none\": null\n"
					   "  }\n"
					   " ],\n"
					   " \"empty\": [],\n"
					   " \"pi\": 3.25\n"
					   "}\n");
	size_t n = w.out.len;

	jw_finish(&w); /* again: still one final newline */
	assert_int_equal(w.out.len, n);
	jw_release(&w);
}

static void a_flat_document_is_one_line(void **state)
{
	struct jw w;

	(void)state;
	jw_init(&w);
	jw_object_flat(&w, NULL);
	jw_str(&w, "text", "a\nb");
	jw_object(&w, "in");
	jw_null(&w, "x");
	jw_end_object(&w);
	jw_end_object(&w);
	assert_string_equal(jw_finish(&w), "{\"text\": \"a\\nb\", \"in\": {\"x\": null}}\n");
	jw_release(&w);
}

/* bugs-given nan-inf-1: no bare nan anywhere. */
static void what_is_no_number_is_null(void **state)
{
	struct jw w;

	(void)state;
	jw_init(&w);
	jw_array_flat(&w, NULL);
	jw_double(&w, NULL, NAN);
	jw_double(&w, NULL, -INFINITY);
	jw_double(&w, NULL, 1e300);
	jw_double(&w, NULL, -0.0);
	jw_end_array(&w);
	assert_string_equal(jw_finish(&w), "[null, null, 1e+300, -0.0]\n");
	jw_release(&w);
}

static void hostile_text_comes_back_as_the_sanitiser_left_it(void **state)
{
	static const char *const texts[] = {"",
					    "plain",
					    "quote \" slash \\ / tab \t lf \n cr \r",
					    "\x1b[31m\x08\x7f",
					    "\xff\xfe\xc3",
					    "\xc3\xa9\xf0\x9f\x98\x80",
					    "</script>",
					    "\\u0000",
					    "\xe2\x80\xa8"};
	enum { N = sizeof(texts) / sizeof(texts[0]) };
	struct json_doc *d;
	struct err e = ERR_INIT;
	struct jw w;

	(void)state;
	jw_init(&w);
	jw_object(&w, NULL);
	for (size_t i = 0; i < N; i++)
		jw_str(&w, texts[i], texts[i]);
	jw_end_object(&w);
	jw_finish(&w);
	if (json_parse(w.out.s, w.out.len, "w", &d, &e) != 0)
		fail_msg("%s in %s", e.text, w.out.s);
	struct json root = json_root(d), m;

	for (size_t i = 0; i < N; i++) {
		const char *back;
		struct str clean;

		str_init(&clean);
		str_add_clean(&clean, texts[i], SIZE_MAX);
		assert_true(json_object_at(&root, i, &m));
		assert_string_equal(m.key, clean.s);
		assert_int_equal(json_as_str(&m, &back, &e), 0);
		assert_string_equal(back, clean.s);
		str_release(&clean);
	}
	json_doc_free(d);
	jw_release(&w);
}

static void numbers_come_back_equal(void **state)
{
	static const uint64_t u[] = {0, 1, INT64_MAX, UINT64_C(1) << 63, UINT64_MAX};
	static const double r[] = {0,    0.1,    5003.2, 1.0 / 3, 1e15, 9007199254740993.0,
				   1e22, 2e-308, -7};
	struct json_doc *d;
	struct err e = ERR_INIT;
	struct jw w;

	(void)state;
	jw_init(&w);
	jw_array(&w, NULL);
	for (size_t i = 0; i < 5; i++)
		jw_u64(&w, NULL, u[i]);
	for (size_t i = 0; i < 9; i++)
		jw_double(&w, NULL, r[i]);
	jw_i64(&w, NULL, INT64_MIN);
	jw_end_array(&w);
	jw_finish(&w);
	if (json_parse(w.out.s, w.out.len, "w", &d, &e) != 0)
		fail_msg("%s in %s", e.text, w.out.s);
	struct json root = json_root(d);

	for (size_t i = 0; i < 5; i++) {
		struct json x = json_element(&root, i);
		uint64_t v;

		assert_int_equal(json_as_u64(&x, &v, &e), 0);
		assert_true(v == u[i]);
	}
	for (size_t i = 0; i < 9; i++) {
		struct json x = json_element(&root, 5 + i);
		double v;

		assert_int_equal(json_as_double(&x, &v, &e), 0);
		assert_true(v == r[i]);
	}
	json_doc_free(d);
	jw_release(&w);
}

static void misuse_end_open(struct jw *w)
{
	jw_object(w, NULL);
	jw_finish(w);
}

static void misuse_wrong_end(struct jw *w)
{
	jw_object(w, NULL);
	jw_end_array(w);
}

static void misuse_no_key(struct jw *w)
{
	jw_object(w, NULL);
	jw_u64(w, NULL, 1);
}

static void misuse_key_in_array(struct jw *w)
{
	jw_array(w, NULL);
	jw_u64(w, "k", 1);
}

static void misuse_two_roots(struct jw *w)
{
	jw_array(w, NULL);
	jw_end_array(w);
	jw_array(w, NULL);
}

static void misuse_too_many_ends(struct jw *w)
{
	jw_end_object(w);
}

static void misuse_nothing(struct jw *w)
{
	jw_finish(w);
}

static void misuse_too_deep(struct jw *w)
{
	for (int i = 0; i < 65; i++)
		jw_array(w, NULL);
}

static void misuse_aborts(void **state)
{
	static void (*const misuse[])(struct jw *) = {
		misuse_end_open,  misuse_wrong_end,     misuse_no_key,  misuse_key_in_array,
		misuse_two_roots, misuse_too_many_ends, misuse_nothing, misuse_too_deep,
	};

	(void)state;
	for (size_t i = 0; i < sizeof(misuse) / sizeof(misuse[0]); i++) {
		int status;
		pid_t pid = fork();

		if (pid == 0) {
			struct rlimit none = {0, 0};
			int null = open("/dev/null", O_WRONLY);
			struct jw w;

			signal(SIGABRT, SIG_DFL);
			setrlimit(RLIMIT_CORE, &none);
			dup2(null, STDERR_FILENO);
			jw_init(&w);
			misuse[i](&w);
			_exit(0);
		}
		assert_int_equal(waitpid(pid, &status, 0), pid);
		assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(layout_is_stable),
		cmocka_unit_test(a_flat_document_is_one_line),
		cmocka_unit_test(what_is_no_number_is_null),
		cmocka_unit_test(hostile_text_comes_back_as_the_sanitiser_left_it),
		cmocka_unit_test(numbers_come_back_equal),
		cmocka_unit_test(misuse_aborts),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
