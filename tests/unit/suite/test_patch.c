/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Values of a suite are changed where they stand; everything else stays as it is. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <string.h>
#include "suite/patch.h"

static const char text[] = "a: 1%   # keep\n"
			   "gate: {iops: 5%, bw: \"6%\"}\n"
			   "last: 7%";

static void test_edits(void **state)
{
	const struct patch_edit v[] = {{3, 7, "7%", "70%"},
				       {2, 22, "6%", "6.5%"},
				       {2, 14, "5%", "10%"},
				       {1, 4, "1%", "2%"}};
	struct err e = ERR_INIT;
	struct str out, diff;

	(void)state;
	str_init(&out);
	str_init(&diff);
	assert_int_equal(patch_text(text, strlen(text), v, 4, &out, &e), 0);
	assert_string_equal(out.s, "a: 2%   # keep\n"
				   "gate: {iops: 10%, bw: \"6.5%\"}\n"
				   "last: 70%");
	patch_diff("s.yaml", text, out.s, &diff);
	assert_string_equal(diff.s, "--- s.yaml\n+++ s.yaml\n"
				    "@@ -1 +1 @@\n-a: 1%   # keep\n+a: 2%   # keep\n"
				    "@@ -2 +2 @@\n-gate: {iops: 5%, bw: \"6%\"}\n"
				    "+gate: {iops: 10%, bw: \"6.5%\"}\n"
				    "@@ -3 +3 @@\n-last: 7%\n+last: 70%\n");
	str_clear(&diff);
	patch_diff("s.yaml", text, text, &diff);
	assert_string_equal(diff.s, "");
	str_clear(&out);
	assert_int_equal(patch_text(text, strlen(text), NULL, 0, &out, &e), 0);
	assert_string_equal(out.s, text);
	str_release(&out);
	str_release(&diff);
}

static void test_refused(void **state)
{
	static const struct patch_edit cases[] = {
		{1, 4, "9%", "2%"}, /* another value stands there */
		{1, 5, "1%", "2%"},    {9, 1, "1%", "2%"},  {1, 0, "1%", "2%"},
		{1, 4000, "1%", "2%"}, {3, 7, "7% ", "2%"}, /* beyond the end */
		{0, 0, "a", "b"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct err e = ERR_INIT;
		struct str out;

		str_init(&out);
		if (patch_text(text, strlen(text), &cases[i], 1, &out, &e) != ERR_SUITE)
			fail_msg("case %zu taken", i);
		assert_non_null(strstr(e.text, cases[i].was));
		str_release(&out);
	}
}

static void test_twice(void **state)
{
	const struct patch_edit v[] = {{1, 4, "1%", "2%"}, {1, 4, "1%", "3%"}};
	struct err e = ERR_INIT;
	struct str out;

	(void)state;
	str_init(&out);
	assert_int_equal(patch_text(text, strlen(text), v, 2, &out, &e), ERR_SUITE);
	assert_non_null(strstr(e.text, "line 1: several values share this text by an anchor, and "
				       "would become 2% and 3%"));
	str_release(&out);
}

/* The two forms of YAML that are not a plain value at its place. */
static void test_anchors_and_blocks(void **state)
{
	static const char shared[] = "a: &t 1%\nb: *t\n", block[] = "a: >-\n  1%\n";
	const struct patch_edit v[] = {{1, 4, "1%", "2%"}, {1, 4, "1%", "2%"}};
	struct err e = ERR_INIT;
	struct str out;

	(void)state;
	str_init(&out);
	assert_int_equal(patch_text(shared, strlen(shared), v, 2, &out, &e), 0);
	assert_string_equal(out.s, "a: &t 2%\nb: *t\n");
	assert_int_equal(patch_text(block, strlen(block), v, 1, &out, &e), ERR_SUITE);
	assert_non_null(strstr(e.text, "block scalar"));
	str_release(&out);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_edits),
		cmocka_unit_test(test_refused),
		cmocka_unit_test(test_twice),
		cmocka_unit_test(test_anchors_and_blocks),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
