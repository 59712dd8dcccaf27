/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "base/err.h"

#include <errno.h>
#include <string.h>

static void sets_code_text_and_clears_the_rest(void **state)
{
	struct err e = ERR_INIT;

	(void)state;
	err_set(&e, ERR_SUITE, "unknown key '%s'", "bsize");
	err_hint(&e, "did you mean '%s'?", "bs");
	assert_int_equal(err_at(&e, "s.yaml", 3, 7), ERR_SUITE);
	assert_string_equal(e.text, "unknown key 'bsize'");
	assert_string_equal(e.hint, "did you mean 'bs'?");
	assert_string_equal(e.file, "s.yaml");
	assert_int_equal(e.line, 3);
	assert_int_equal(e.column, 7);
	assert_int_equal(err_set(&e, ERR_DATA, "again"), ERR_DATA);
	assert_string_equal(e.text, "again");
	assert_string_equal(e.hint, "");
	assert_string_equal(e.file, "");
	assert_int_equal(e.line, 0);
}

static void names_the_cause_of_a_system_call(void **state)
{
	struct err e = ERR_INIT;

	(void)state;
	assert_int_equal(err_sys(&e, ERR_SYS, ENOENT, "cannot open '%s'", "x"), ERR_SYS);
	assert_string_equal(e.text, "cannot open 'x': No such file or directory");
	assert_int_equal(e.sys, ENOENT);
	err_sys(&e, ERR_SYS, -ENOSPC, "cannot write");
	assert_int_equal(e.sys, ENOSPC);
}

static void long_texts_are_cut_visibly_and_keep_the_cause(void **state)
{
	char longer[2000];
	struct err e = ERR_INIT;

	(void)state;
	memset(longer, 'a', sizeof(longer) - 1);
	longer[sizeof(longer) - 1] = '\0';
	err_set(&e, ERR_DATA, "%s", longer);
	assert_int_equal(strlen(e.text), sizeof(e.text) - 1);
	assert_string_equal(e.text + sizeof(e.text) - 4, "...");
	err_sys(&e, ERR_DATA, EIO, "%s", longer);
	assert_non_null(strstr(e.text, "...: Input/output error"));
	err_hint(&e, "%s", longer);
	assert_string_equal(e.hint + sizeof(e.hint) - 4, "...");
	err_at(&e, longer, 1, 1);
	assert_int_equal(strncmp(e.file, "...", 3), 0);
	assert_true(strlen(e.file) < sizeof(e.file));
	err_prefix(&e, "%s", longer);
	assert_int_equal(strlen(e.text), sizeof(e.text) - 1);
}

static void a_cut_never_splits_a_character(void **state)
{
	char longer[2001];
	struct err e = ERR_INIT;

	(void)state;
	for (unsigned shift = 0; shift < 2; shift++) {
		longer[0] = 'x';
		for (size_t i = shift; i + 1 < sizeof(longer); i += 2)
			memcpy(longer + i, "\xc3\xa9", 2);
		longer[sizeof(longer) - 1] = '\0';
		err_set(&e, ERR_DATA, "%s", longer);
		size_t n = strlen(e.text);

		assert_string_equal(e.text + n - 3, "...");
		assert_int_equal((unsigned char)e.text[n - 4], 0xa9);
	}
}

static void takes_its_own_text_as_argument(void **state)
{
	struct err e = ERR_INIT;

	(void)state;
	err_set(&e, ERR_DATA, "inner");
	err_hint(&e, "remedy");
	assert_int_equal(err_prefix(&e, "outer %d", 1), ERR_DATA);
	assert_string_equal(e.text, "outer 1: inner");
	assert_string_equal(e.hint, "remedy");
	err_set(&e, ERR_OUTPUT, "new (%s)", e.text);
	assert_string_equal(e.text, "new (outer 1: inner)");
	err_at(&e, "f", 1, 2);
	err_at(&e, e.file, 5, 6);
	assert_string_equal(e.file, "f");
}

/* 512 and 524 are the kernel's own (ERESTARTSYS, ENOTSUPP), and drivers return them. */
static void every_errno_has_a_text(void **state)
{
	struct err e = ERR_INIT;
	char buf[32];

	(void)state;
	for (int no = 1; no < 4096; no++)
		assert_true(err_text(no, buf, sizeof(buf))[0] != '\0');
	assert_string_equal(err_text(ENOSPC, buf, sizeof(buf)), "No space left on device");
	assert_string_equal(err_text(-ENOSPC, buf, sizeof(buf)), "No space left on device");
	assert_string_equal(err_text(524, buf, sizeof(buf)), "unknown error 524");
	assert_int_equal(err_sys(&e, ERR_SYS, 512, "cannot read"), ERR_SYS);
	assert_string_equal(e.text, "cannot read: unknown error 512");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(sets_code_text_and_clears_the_rest),
		cmocka_unit_test(names_the_cause_of_a_system_call),
		cmocka_unit_test(long_texts_are_cut_visibly_and_keep_the_cause),
		cmocka_unit_test(a_cut_never_splits_a_character),
		cmocka_unit_test(every_errno_has_a_text),
		cmocka_unit_test(takes_its_own_text_as_argument),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
