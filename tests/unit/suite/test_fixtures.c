/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Every suite of tests/fixtures/suites. One of bad/ says in lines `#! LINE:COLUMN text` what must
 * be found where; the text is part of the message or of the hint, and nothing else may be an error.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/fileio.h"
#include "suite/suite.h"

#define DIR "tests/fixtures/suites/"

static const struct setting kernel = {"kernel", "6.12.9"};

static bool found(const struct diags *d, unsigned line, unsigned column, const char *text)
{
	for (size_t i = 0; i < d->n; i++)
		if (d->v[i].level == DIAG_ERROR && d->v[i].line == line &&
		    d->v[i].column == column &&
		    (strstr(d->v[i].text, text) || strstr(d->v[i].hint, text)))
			return true;
	return false;
}

static void show(const struct diags *d)
{
	for (size_t i = 0; i < d->n; i++)
		print_message("  %s:%u:%u: %s | %s\n", d->v[i].file, d->v[i].line, d->v[i].column,
			      d->v[i].text, d->v[i].hint);
}

static size_t check_expectations(const char *path, char *text, const struct diags *d, bool *ok)
{
	char *save = NULL;
	size_t n = 0;

	for (char *l = strtok_r(text, "\n", &save); l; l = strtok_r(NULL, "\n", &save)) {
		unsigned line, column;
		int at = 0;

		if (sscanf(l, "#! %u:%u %n", &line, &column, &at) != 2)
			continue;
		assert_true(at > 0 && l[at]);
		n++;
		if (!found(d, line, column, l + at)) {
			print_message("%s: not found: %s\n", path, l);
			*ok = false;
		}
	}
	return n;
}

static void test_bad(void **state)
{
	char **names, path[512];
	size_t n, want;
	bool all = true;
	struct err e = ERR_INIT;

	(void)state;
	assert_int_equal(file_list(DIR "bad", ".yaml", &names, &n, &e), 0);
	assert_true(n > 25);
	for (size_t i = 0; i < n; i++) {
		struct str text;
		struct suite s;
		struct diags d;
		bool ok = true;

		snprintf(path, sizeof(path), DIR "bad/%s", names[i]);
		str_init(&text);
		assert_int_equal(file_read(path, 0, &text, &e), 0);
		diags_init(&d);
		assert_int_equal(suite_load(path, NULL, 0, &s, &d, &e), ERR_SUITE);
		assert_int_equal(e.code, ERR_SUITE);
		assert_int_equal(s.workloads.n, 0);
		want = check_expectations(path, text.s, &d, &ok);
		assert_true(want > 0);
		if (want != d.errors) {
			print_message("%s: %zu errors, expected %zu\n", path, d.errors, want);
			ok = false;
		}
		if (!ok)
			show(&d);
		all &= ok;
		suite_release(&s);
		diags_release(&d);
		str_release(&text);
	}
	file_list_free(names, n);
	assert_true(all);
}

static void test_good(void **state)
{
	char **names, path[512];
	size_t n;
	struct err e = ERR_INIT;

	(void)state;
	assert_int_equal(file_list(DIR "good", ".yaml", &names, &n, &e), 0);
	assert_true(n >= 3);
	for (size_t i = 0; i < n; i++) {
		struct suite s;
		struct diags d;
		bool needs = strcmp(names[i], "design.yaml") == 0;

		snprintf(path, sizeof(path), DIR "good/%s", names[i]);
		diags_init(&d);
		if (suite_load(path, &kernel, needs, &s, &d, &e)) {
			show(&d);
			fail_msg("%s is refused", path);
		}
		assert_int_equal(d.n, 0);
		assert_true(s.workloads.n > 0);
		suite_release(&s);
		diags_release(&d);
	}
	file_list_free(names, n);
}

static void test_unreadable(void **state)
{
	struct suite s;
	struct diags d;
	struct err e = ERR_INIT;

	(void)state;
	diags_init(&d);
	assert_int_equal(suite_load(DIR "absent.yaml", NULL, 0, &s, &d, &e), ERR_SUITE);
	assert_int_equal(d.errors, 1);
	assert_non_null(strstr(d.v[0].text, "absent.yaml"));
	suite_release(&s);
	assert_int_equal(suite_load(DIR "good", NULL, 0, &s, &d, &e), ERR_SUITE);
	suite_release(&s);
	diags_release(&d);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_bad),
		cmocka_unit_test(test_good),
		cmocka_unit_test(test_unreadable),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
