/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "base/diags.h"
#include "base/log.h"

#include <string.h>

static void counts_by_level_and_keeps_copies(void **state)
{
	char file[] = "a.yaml";
	struct diags d;

	(void)state;
	diags_init(&d);
	struct diag *g = diags_add(&d, DIAG_ERROR, NULL, file, 2, 3, "bad %d", 1);

	diag_hint(g, "first");
	diag_hint(g, "second %s", "wins");
	file[0] = 'z';
	diags_add(&d, DIAG_WARN, "sync-depth", NULL, 0, 0, "%s", "deep");
	diags_add(&d, DIAG_NOTE, NULL, NULL, 0, 0, "note");
	assert_int_equal(d.n, 3);
	assert_int_equal(d.errors, 1);
	assert_int_equal(d.warnings, 1);
	assert_string_equal(d.v[0].file, "a.yaml");
	assert_string_equal(d.v[0].hint, "second wins");
	assert_string_equal(d.v[0].rule, "");
	assert_string_equal(d.v[1].rule, "sync-depth");
	/* one finding, one line: a quoted value cannot look like another finding */
	g = diags_add(&d, DIAG_ERROR, NULL, "a", 1, 1, "'%s' is bad", "x\r\nblkgate: GREEN\n");
	assert_string_equal(g->text, "'x\\r\\nblkgate: GREEN\\n' is bad");
	diag_hint(g, "not '%s'", "a\nb");
	assert_string_equal(g->hint, "not 'a\\nb'");
	diags_release(&d);
	assert_int_equal(d.n, 0);
}

static void sorts_by_place_and_keeps_the_order_of_equals(void **state)
{
	static const struct {
		const char *file;
		unsigned line, column;
	} in[] = {{"b", 1, 1}, {"a", 9, 1}, {"a", 2, 5}, {"a", 2, 1}, {"a", 2, 5}, {"", 0, 0}};
	static const char *const want[] = {"5", "3", "2", "4", "1", "0"};
	struct diags d;

	(void)state;
	diags_init(&d);
	for (size_t i = 0; i < 6; i++)
		diags_add(&d, DIAG_ERROR, NULL, in[i].file, in[i].line, in[i].column, "%zu", i);
	diags_sort(&d);
	for (size_t i = 0; i < 6; i++)
		assert_string_equal(d.v[i].text, want[i]);
	diags_release(&d);
}

static void becomes_one_err(void **state)
{
	struct err e = ERR_INIT, source = ERR_INIT;
	struct diags d;

	(void)state;
	diags_init(&d);
	diags_add(&d, DIAG_WARN, "rule", "s", 1, 1, "only a warning");
	assert_int_equal(diags_to_err(&d, ERR_SUITE, &e), ERR_SUITE);
	assert_string_equal(e.text, "only a warning");
	err_set(&source, ERR_SUITE, "broken");
	err_hint(&source, "mend it");
	err_at(&source, "s.yaml", 4, 2);
	diags_add_err(&d, &source);
	diags_add(&d, DIAG_ERROR, NULL, "s.yaml", 5, 1, "also broken");
	assert_int_equal(diags_to_err(&d, ERR_SUITE, &e), ERR_SUITE);
	assert_string_equal(e.text, "broken (and 1 more)");
	assert_string_equal(e.hint, "mend it");
	assert_string_equal(e.file, "s.yaml");
	assert_int_equal(e.line, 4);
	diags_release(&d);
}

static void a_notice_is_kept_once(void **state)
{
	struct notices n;

	(void)state;
	notices_init(&n);
	assert_true(notices_add(&n, "ioengine auto: %s", "psync"));
	assert_false(notices_add(&n, "ioengine auto: %s", "psync"));
	assert_true(notices_add(&n, "ioengine auto: %s", "libaio"));
	assert_int_equal(n.n, 2);
	assert_string_equal(n.v[0], "ioengine auto: psync");
	notices_release(&n);
	assert_int_equal(n.n, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(counts_by_level_and_keeps_copies),
		cmocka_unit_test(sorts_by_place_and_keeps_the_order_of_equals),
		cmocka_unit_test(becomes_one_err),
		cmocka_unit_test(a_notice_is_kept_once),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
