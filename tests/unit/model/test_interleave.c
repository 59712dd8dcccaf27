/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What is compared with what, and whose turn each run was: written, read back, and refused where it
 * contradicts itself. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include "sample.h"

static char *document(void)
{
	struct result r;
	char *text;

	sample_result(&r);
	r.interleave = (struct interleave){.kind = INTERLEAVE_SETTING,
					   .name = {"none", "mq-deadline"},
					   .setting = "scheduler",
					   .path = "/sys/block/sda/queue/scheduler",
					   .pairs = 20,
					   .seed = 18446744073709551615u};
	r.runs.v[0].pair = 3;
	r.runs.v[0].arm = ARM_CANDIDATE;
	text = sample_text(&r, false);
	result_release(&r);
	return text;
}

static void it_reads_back(void **state)
{
	char *text = document();
	struct err e = ERR_INIT;
	struct result r;

	(void)state;
	if (result_parse(text, strlen(text), "r.json", &r, &e))
		fail_msg("%s", e.text);
	assert_int_equal(r.interleave.kind, INTERLEAVE_SETTING);
	assert_string_equal(r.interleave.name[ARM_REFERENCE], "none");
	assert_string_equal(r.interleave.name[ARM_CANDIDATE], "mq-deadline");
	assert_string_equal(r.interleave.setting, "scheduler");
	assert_string_equal(r.interleave.path, "/sys/block/sda/queue/scheduler");
	assert_int_equal(r.interleave.pairs, 20);
	assert_true(r.interleave.seed == 18446744073709551615u);
	assert_int_equal(r.runs.v[0].pair, 3);
	assert_int_equal(r.runs.v[0].arm, ARM_CANDIDATE);
	assert_int_equal(r.runs.v[1].pair, 0);
	assert_int_equal(r.runs.v[1].arm, ARM_REFERENCE);
	result_release(&r);
	free(text);
}

static void others_have_no_trace_of_it(void **state)
{
	struct result r;
	char *text;

	(void)state;
	sample_result(&r);
	text = sample_text(&r, false);
	assert_null(strstr(text, "interleaved"));
	assert_null(strstr(text, "\"pair\""));
	free(text);
	result_release(&r);
}

static char *replaced(const char *text, const char *what, const char *with)
{
	const char *at = strstr(text, what);
	struct str s;

	if (!at)
		fail_msg("the document has no %s", what);
	str_init(&s);
	str_addn(&s, text, (size_t)(at - text));
	str_add(&s, with);
	str_add(&s, at + strlen(what));
	return str_detach(&s);
}

static void contradictions_are_refused(void **state)
{
	static const struct {
		const char *what, *with, *path;
	} rows[] = {
		{"\"kind\": \"setting\"", "\"kind\": \"none\"", "kind"},
		{"\"kind\": \"setting\"", "\"kind\": \"odd\"", "kind"},
		{"\"kind\": \"setting\"", "\"kind\": \"versus\"", "no target 'none'"},
		{"\"setting\": \"scheduler\",", "", "setting"},
		{"\"reference\": \"none\"", "\"reference\": \"\"", "reference"},
		{"\"pairs\": 20", "\"pairs\": 9", "pairs"},
		{"\"pairs\": 20", "\"pairs\": 29", "pairs"},
		{"\"pair\": 3", "\"pair\": 20", "pair"},
		{"\"pair\": 3", "\"pear\": 3", "pair"},
		{"\"arm\": 1", "\"arm\": 2", "arm"},
	};
	char *text = document();

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		char *bad = replaced(text, rows[i].what, rows[i].with);
		struct err e = ERR_INIT;
		struct result r;

		if (result_parse(bad, strlen(bad), "r.json", &r, &e) != ERR_DATA)
			fail_msg("accepted: %s", rows[i].with);
		if (!strstr(e.text, rows[i].path))
			fail_msg("%s: %s", rows[i].with, e.text);
		result_release(&r);
		free(bad);
	}
	free(text);
}

static void partners(void **state)
{
	struct job j[5] = {{.name = "a", .target = 0},
			   {.name = "a", .target = 1},
			   {.name = "b", .target = 0},
			   {.name = "c", .target = 0},
			   {.name = "b", .target = 1}};

	(void)state;
	assert_int_equal(interleave_partner(j, 5, 0), 1);
	assert_int_equal(interleave_partner(j, 5, 1), 0);
	assert_int_equal(interleave_partner(j, 5, 2), 4);
	assert_int_equal(interleave_partner(j, 5, 4), 2);
	assert_int_equal(interleave_partner(j, 5, 3), UINT32_MAX);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(it_reads_back),
		cmocka_unit_test(others_have_no_trace_of_it),
		cmocka_unit_test(contradictions_are_refused),
		cmocka_unit_test(partners),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
