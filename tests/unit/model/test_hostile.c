/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Damaged and hostile documents: always ERR_DATA with a sentence, never a crash, never half a
 * result. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include "sample.h"

static char *sample_document(void)
{
	struct result r;
	char *text;

	sample_result(&r);
	text = sample_text(&r, false);
	result_release(&r);
	return text;
}

static void assert_refused(const char *text, size_t n, const char *what, const char *path)
{
	struct err e = ERR_INIT;
	struct result r;

	if (result_parse(text, n, "r.json", &r, &e) != ERR_DATA)
		fail_msg("accepted: %s", what);
	if (!strstr(e.text, "r.json"))
		fail_msg("%s: does not name the document: %s", what, e.text);
	if (path && !strstr(e.text, path))
		fail_msg("%s: does not name '%s': %s", what, path, e.text);
	assert_int_equal(r.njobs + r.runs.n + r.ntargets, 0);
	result_release(&r);
}

static void test_truncated(void **state)
{
	char *text = sample_document();
	size_t n = strlen(text);

	(void)state;
	for (size_t i = 0; i < 120; i++)
		assert_refused(text, i * (n - 2) / 119, "truncated", NULL);
	free(text);
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

static void test_replaced(void **state)
{
	static const struct {
		const char *what, *with, *path;
	} cases[] = {
		{"\"blkgate_result\": 1", "\"blkgate_result\": 2", "version 2"},
		{"\"blkgate_result\": 1", "\"blkgate_result\": \"1\"", "blkgate_result"},
		{"\"blkgate_result\": 1", "\"blkgate_result\": 0", "version 0"},
		{"\"blkgate_result\": 1", "\"fio version\": 1", "no blkgate result"},
		{"\"suite\": \"adapter-card\"", "\"suite\": \"../etc\"", "suite"},
		{"\"suite\": \"adapter-card\"", "\"suite\": \"\"", "suite"},
		{"\"suite\": \"adapter-card\"", "\"suite\": null", "suite"},
		{"\"suite\": \"adapter-card\"", "\"suite\": 5", "suite"},
		{"\"profile\": \"default\"", "\"profile\": \"a/b\"", "profile"},
		{"\"started\": 1764338602", "\"started\": 1.5", "started"},
		{"\"seed\": \"18364758544493064720\"", "\"seed\": \"18446744073709551616\"",
		 "seed"},
		{"\"seed\": \"18364758544493064720\"", "\"seed\": \"-1\"", "seed"},
		{"\"seed\": \"18364758544493064720\"", "\"seed\": 7", "seed"},
		{"\"inconclusive\": \"report\"", "\"inconclusive\": \"pass\"",
		 "policy.inconclusive"},
		{"\"sessions_max\": 5", "\"sessions_max\": 0", "sessions_max"},
		{"\"sessions_max\": 5", "\"sessions_max\": 4294967296", "sessions_max"},
		{"\"false_alarm\": 0.05", "\"false_alarm\": 1", "false_alarm"},
		{"\"false_alarm\": 0.05", "\"false_alarm\": NaN", NULL},
		{"\"false_alarm\": 0.05", "\"false_alarm\": 1e999", NULL},
		{"\"false_alarm\": 0.05", "\"false_alarm\": null", "false_alarm"},
		{"\"false_alarm\": 0.05", "\"false_alarm\": 0.05, \"baseline_max_age\": -1",
		 "baseline_max_age"},
		{"\"assumed_session_sd\": 0.015", "\"assumed_session_sd\": 0", "assumed"},
		{"\"under_test\": [", "\"under_test\": [1,", "compare.under_test[0]"},
		{"\"kernel.release\": \"6.12.8\"", "\"kernel.release\": 6.12", "host"},
		{"\"role\": \"scratch\"", "\"role\": \"dut\"", "'dut' stands twice"},
		{"\"kind\": \"block\"", "\"kind\": \"tape\"", "targets[0].kind"},
		{"\"dev_major\": 259", "\"dev_major\": -259", "targets[0].dev_major"},
		{"\"dio_known\": true", "\"dio_known\": 1", "targets[0].dio_known"},
		{"\"target\": 0", "\"target\": 2", "jobs[0].target"},
		{"\"name\": \"fake\"", "\"name\": \"rand-4k:rw=randread:iodepth=32\"",
		 "stands twice"},
		{"\"state\": \"skipped\"", "\"state\": \"fine\"", "jobs[2].state"},
		{"bs=4096 direct", "bs=0 direct", "jobs[0].text"},
		{"bs=4096 direct", "bs=04096 direct", "jobs[0].text"},
		{"complete_min=1 ", "complete_min=17 ", "jobs[0].text"},
		{"ioengine=io_uring ", "ioengine= ", "jobs[0].text"},
		{"loops=1", "loops=0", "jobs[0].text"},
		{"\"job\": 0", "\"job\": 3", "checks[0].job"},
		{"\"job\": 0", "\"job\": 2", "grouped by job"},
		{"\"op\": \">=\"", "\"op\": \"=>\"", "checks[2].op"},
		{"\"limit\": 0.8", "\"limit\": null", "checks[2].limit"},
		{"\"tolerance\": 0.05", "\"tolerance\": 0", "checks[0].tolerance"},
		{"\"tolerance\": 0.05", "\"tolerance\": -0.05", "checks[0].tolerance"},
		{"\"tolerance\": 0.05", "\"tolerance\": \"5%\"", "checks[0].tolerance"},
		{"\"name\": \"gate stall.longest\"", "\"name\": \"gate read.iops\"",
		 "stands twice"},
		{"\"no_worse_than\": 0.09", "\"no_worse_than\": -1", "known.no_worse_than"},
		{"\"role\": \"watch\"", "\"role\": \"off\"", "checks[1].role"},
		{"\"id\": \"20261128T140322-a1b2c0\"", "\"id\": \"../../x\"", "sessions[0].id"},
		{"\"id\": \"20261128T140322-a1b2c0\"",
		 "\"id\": \"20261128T140322-a1b2c0-and-much-longer\"", "sessions[0].id"},
		{"\"device_read\": {\"bytes\": 1234567890}", "\"device_read\": {}", "device_read"},
		{"\"device_read\": {\"bytes\": 1234567890}",
		 "\"device_read\": {\"bytes\": 1, \"none\": true}", "device_read"},
		{"\"device_read\": {\"bytes\": 1234567890}", "\"device_read\": {\"bytes\": -1}",
		 "device_read.bytes"},
		{"\"device_read\": {\"bytes\": 1234567890}", "\"device_read\": 7", "device_read"},
		{"\"complete\": true", "\"complete\": \"yes\"", "sessions[0].complete"},
	};
	char *text = sample_document();

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		char *bad = replaced(text, cases[i].what, cases[i].with);

		assert_refused(bad, strlen(bad), cases[i].with, cases[i].path);
		free(bad);
	}
	free(text);
}

/* Edits inside the first run, which is one line of the document. */
static void test_run_replaced(void **state)
{
	static const struct {
		const char *what, *with, *path;
	} cases[] = {
		{"\"job\": 0", "\"job\": 3", "runs[0].job"},
		{"\"job\": 0", "\"job\": 4294967296", "runs[0].job"},
		{"\"session\": 0", "\"session\": 2", "runs[0].session"},
		{"\"run\": 1", "\"run\": 0", "stands twice"},
		{"\"run\": 1", "\"run\": 18446744073709551615", NULL},
		{"\"status\": \"ok\"", "\"status\": \"fine\"", "runs[0].status"},
		{"\"status\": \"ok\"", "\"status\": \"hung\"", "runs[0].text"},
		{"\"window\": 1250000000", "\"window\": -1", "runs[0].window"},
		{"\"window\": 1250000000, ", "", "runs[0].window"},
		{"\"has_slat\": true", "\"has_slat\": null", "runs[0].has_slat"},
		{"\"ios\": 1200", "\"ios\": 1200.5", "runs[0].read.ios"},
		{"\"ios\": 1200", "\"ios\": NaN", NULL},
		{"\"n\": 1210", "\"n\": 1211", "slat"},
		{"\"n\": 1210", "\"n\": 0", "slat"},
		{"\"over\": 0", "\"over\": 1", "slat"},
		{"\"over\": 0", "\"over\": 4000000000", "slat"},
		{"\"min\": 900", "\"min\": 1000000000000", "slat"},
		{"\"bins\": \"", "\"bins\": \"4352:1 ", "slat.bins"},
		{"\"bins\": \"", "\"bins\": \"0:18446744073709551615 1:2 ", "slat.bins"},
		{"\"bins\": \"", "\"bins\": \"x", "slat.bins"},
		{"\"bins\": \"", "\"bins\": \" ", "slat.bins"},
		{"\"bins\": \"", "\"bins\": [], \"x\": \"", "slat.bins"},
		{"\"read\": \"90:368640", "\"read\": \"96", "slots.read"},
		{"\"read\": \"90:368640", "\"read\": \"4294967296:1", "slots.read"},
		{"\"read\": \"90:368640", "\"read\": \"1:18446744073709551616", "slots.read"},
		{"\"read\": \"90:368640", "\"read\": \"1:2x", "slots.read"},
		{"\"read\": \"90:368640", "\"read\": \"1:2 ", "slots.read"},
		{"\"read\": \"90:368640", "\"read\": \"-1:2", "slots.read"},
		{"\"read\": \"90:368640", "\"read\": \"", "slots.read"},
		{"\"read\": \"90:368640:", "\"read\": \"90:368640 ", "slots.read"},
		{"\"slots\": {", "\"slots\": {\"sync\": \"1 2\", ", "slots"},
		{"\"slots\": {", "\"slots\": {\"sync\": \"1 2 x\", ", "slots"},
		{"\"slots\": {", "\"slots\": {\"write\": \"0:0\", ", "slots"},
		{"\"slots\": {", "\"slots\": [], \"x\": {", "slots"},
		{"\"read\": {", "\"read\": 5, \"x\": {", "runs[0].read"},
		{"\"read\": {", "\"write\": {\"ios\": 1}, \"read\": {", "runs[0].write"},
	};
	char *text = sample_document(), *runs = strstr(text, "\"runs\": ["), *tail;

	(void)state;
	assert_non_null(runs);
	runs = strstr(runs + 9, "{");
	tail = xstrdup(runs);
	*runs = '\0';
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		char *edited = replaced(tail, cases[i].what, cases[i].with);
		char *bad = xasprintf("%s%s", text, edited);

		assert_refused(bad, strlen(bad), cases[i].with, cases[i].path);
		free(bad);
		free(edited);
	}
	free(tail);
	free(text);
}

static void test_other_documents(void **state)
{
	static const char *const cases[] = {
		"",
		" ",
		"{}",
		"[]",
		"null",
		"1",
		"\"blkgate_result\"",
		"{\"blkgate_result\": 1}",
		"{\"blkgate_result\": {}}",
		"{\"blkgate_result\": 1, \"blkgate_result\": 1}",
		"<testsuite/>",
		"{\"blkgate_journal\"",
		"{\"blkgate_journal\": 1}",
		"{\"blkgate_journal\": 2}\n",
		"{\"blkgate_baseline\": 1}",
		"{ \"blkgate_journal\": []}",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		assert_refused(cases[i], strlen(cases[i]), cases[i], NULL);
	assert_refused("{\"a\"\0: 1}", 9, "NUL", NULL);
}

/* Deterministic bytes over the document: refused or read, never anything else. */
static void test_byte_damage(void **state)
{
	static const char with[] = "\"{}[]:,0-9e \x00\xff";
	char *text = sample_document(), *damaged;
	size_t n = strlen(text), refused = 0;

	(void)state;
	damaged = malloc(n);
	for (size_t i = 0; i < 400; i++) {
		struct err e = ERR_INIT;
		struct result r;

		memcpy(damaged, text, n);
		damaged[(i * 7919 + 13) % n] = with[i % (sizeof(with) - 1)];
		if (result_parse(damaged, n, "r.json", &r, &e))
			refused++;
		result_release(&r);
	}
	assert_true(refused > 100);
	free(damaged);
	free(text);
}

static void test_unknown_members(void **state)
{
	char *text = sample_document(), *more, *runs;
	struct err e = ERR_INIT;
	struct result r;

	(void)state;
	more = replaced(text, "\"suite\"", "\"new\": {\"a\": [1, {}]}, \"suite\"");
	runs = replaced(more, "\"window\"", "\"steady\": [true], \"window\"");
	if (result_parse(runs, strlen(runs), "r.json", &r, &e))
		fail_msg("%s", e.text);
	assert_int_equal(r.runs.n, 5);
	result_release(&r);
	free(runs);
	free(more);
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_truncated),    cmocka_unit_test(test_replaced),
		cmocka_unit_test(test_run_replaced), cmocka_unit_test(test_other_documents),
		cmocka_unit_test(test_byte_damage),  cmocka_unit_test(test_unknown_members),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
