/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Baseline files: written and read back, damaged, dropped, retired, shown. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include "base/fileio.h"
#include "gate/baseline_file.h"
#include "gate/tail.h"
#include "lab.h"
#include "store.h"

static void test_absent(void **state)
{
	struct store s;
	struct err e = ERR_INIT;
	struct str out;

	(void)state;
	store_open(&s);
	store_load(&s);
	assert_int_equal(s.b.n, 0);
	assert_int_equal(s.b.epoch, 0);
	assert_string_equal(s.b.digest, "");
	str_init(&out);
	baseline_show(&s.b, &out);
	lab_contains(out.s, "blkgate baseline accept RESULT");
	str_release(&out);
	baseline_release(&s.b);
	assert_int_equal(baseline_load(s.dir, "../etc", "default", &s.b, &e), ERR_USAGE);
	assert_int_equal(baseline_load(s.dir, "kernel-gate", "a/b", &s.b, &e), ERR_USAGE);
	assert_int_equal(baseline_load(s.dir, "kernel-gate", "", &s.b, &e), ERR_USAGE);
	assert_int_equal(baseline_load(s.dir, "kernel-gate", "..", &s.b, &e), ERR_USAGE);
	store_close(&s);
}

/* The judgement on files is that on the results they came from, to the last bit. */
static void test_round_trip(void **state)
{
	struct baseline memory;
	struct result r, again;
	struct store s;
	const struct verdict *a, *b;

	(void)state;
	store_open(&s);
	store_fill(&s, 10, 100000);
	store_load(&s);
	assert_int_equal(s.b.n, 10);
	assert_int_equal(s.b.epoch, 1);
	assert_true(strlen(s.b.digest) == 16);
	lab_baseline(&memory, 10, 100000, NULL);
	for (unsigned i = 0; i < 2; i++) {
		lab_init(i ? &again : &r, 40);
		lab_job(i ? &again : &r, "rand-4k");
		lab_gate(i ? &again : &r, 0, "read.iops", .05);
		lab_runs(i ? &again : &r, 0, lab_session(i ? &again : &r), 92345);
		lab_runs(i ? &again : &r, 0, lab_session(i ? &again : &r), 91234);
	}
	lab_judge(&r, &memory);
	lab_judge(&again, &s.b);
	a = lab_verdict(&r, 0, 0);
	b = lab_verdict(&again, 0, 0);
	assert_int_equal(a->kind, VERDICT_REGRESSION);
	assert_int_equal(a->kind, b->kind);
	assert_true(a->change == b->change && a->low == b->low && a->high == b->high);
	assert_true(a->excluded == b->excluded && a->base_value == b->base_value);
	assert_string_equal(a->text, b->text);
	result_release(&r);
	result_release(&again);
	baseline_release(&memory);
	baseline_release(&s.b);
	store_close(&s);
}

/* Verdicts of a result that was written and read again are the same. */
static void test_reread_result(void **state)
{
	struct result r, again;
	struct baseline b;
	struct err e;

	(void)state;
	lab_baseline(&b, 10, 100000, NULL);
	lab_init(&r, 40);
	lab_job(&r, "rand-4k");
	lab_gate(&r, 0, "read.iops", .05);
	lab_check(&r, 0, CHECK_EXPECT, "read.bw")->limit = 1e8;
	lab_runs(&r, 0, lab_session(&r), 92345);
	lab_runs(&r, 0, lab_session(&r), 91234);
	lab_judge(&r, &b);
	if (lab_again(&r, true, &again, &e))
		fail_msg("%s", e.text);
	lab_judge(&again, &b);
	assert_int_equal(r.verdicts.n, again.verdicts.n);
	assert_int_equal(r.status, again.status);
	for (size_t i = 0; i < r.verdicts.n; i++) {
		const struct verdict *x = &r.verdicts.v[i], *y = &again.verdicts.v[i];

		assert_int_equal(x->kind, y->kind);
		assert_string_equal(x->text, y->text);
		assert_true(x->change == y->change || (isnan(x->change) && isnan(y->change)));
		assert_true(x->low == y->low || (isnan(x->low) && isnan(y->low)));
	}
	result_release(&again);
	result_release(&r);
	baseline_release(&b);
}

static char *first_file(const struct store *s)
{
	store_load((struct store *)s);
	char *path = xstrdup(s->b.sessions[0].path);

	baseline_release((struct baseline *)&s->b);
	return path;
}

/* baseline-file-2: a damaged file is a clear error that names it, never a missing baseline. */
static void test_damaged(void **state)
{
	struct store s;
	struct str whole;
	struct err e = ERR_INIT;
	char *path;

	(void)state;
	store_open(&s);
	store_fill(&s, 3, 100000);
	path = first_file(&s);
	str_init(&whole);
	assert_int_equal(file_read(path, 0, &whole, &e), 0);
	for (size_t i = 0; i <= 40; i++) {
		e = ERR_INIT;
		/* cut at 41 places, the last one ten bytes short */
		assert_int_equal(file_write(path, whole.s, i * (whole.len - 10) / 40, &e), 0);
		assert_int_equal(baseline_load(s.dir, "kernel-gate", "default", &s.b, &e),
				 ERR_DATA);
		lab_contains(e.text, path);
		lab_contains(e.hint, "restore it from git or drop it");
		assert_int_equal(s.b.n, 0);
	}
	str_release(&whole);
	free(path);
	store_close(&s);
}

static void test_altered(void **state)
{
	static const struct {
		const char *what, *with, *text;
	} cases[] = {
		{"\"blkgate_baseline\": 1", "\"blkgate_baseline\": 2", "version 2"},
		{"\"suite\": \"kernel-gate\"", "\"suite\": \"other\"", "belongs to suite 'other'"},
		{"\"profile\": \"default\"", "\"profile\": \"other\"", "profile 'other'"},
		/* gate-incomparable-1: another unit is refused, not skipped */
		{"\"unit\": \"IOPS\"", "\"unit\": \"kIOPS\"", "is in 'kIOPS'"},
		{"\"read.iops\": {", "\"read.iops_mean\": {", "read.iops_mean"},
		{"\"epoch\": 1", "\"epoch\": 0", "epoch"},
		{"\"epoch\": 1", "\"epoch\": -1", "epoch"},
		{"\"runs\": 5", "\"runs\": 4", "values of 4 runs"},
		{"\"runs\": 5", "\"runs\": 0", "runs"},
		{"\"started\": \"", "\"started\": \"x", "started"},
		{"\"targets\": {", "\"targets\": {}, \"was\": {", "has no facts"},
		{"\"seed\": \"7\"", "\"seed\": \"seven\"", "seed"},
		/* one of two would be taken, in silence */
		{"\"read.iops\": {",
		 "\"read.iops\": {\"v\": [1], \"step\": [0], \"unit\": \"IOPS\"}, \"read.iops\": {",
		 "duplicate"},
		{"\"gates\": [", "\"gates\": [\"read.iops\", ", "'read.iops' stands twice"},
		{"\"gates\": [", "\"gates\": [\"read.iopses\", ", "'read.iopses' is unknown"},
		{"\"jobs\": [",
		 "\"jobs\": [{\"name\": \"rand-4k\", \"target\": \"dut\", \"canonical\": \"x\", "
		 "\"runs\": 1, \"gates\": [], \"values\": {}}, ",
		 "'rand-4k' on 'dut' stands twice"},
	};
	struct store s;
	struct str whole;
	struct err e = ERR_INIT;
	char *path;

	(void)state;
	store_open(&s);
	store_fill(&s, 1, 100000);
	path = first_file(&s);
	str_init(&whole);
	assert_int_equal(file_read(path, 0, &whole, &e), 0);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const char *at = strstr(whole.s, cases[i].what);
		struct str t;

		if (!at)
			fail_msg("no %s in:\n%.2000s", cases[i].what, whole.s);
		str_init(&t);
		str_addn(&t, whole.s, (size_t)(at - whole.s));
		str_add(&t, cases[i].with);
		str_add(&t, at + strlen(cases[i].what));
		assert_int_equal(file_write(path, t.s, t.len, &e), 0);
		if (baseline_load(s.dir, "kernel-gate", "default", &s.b, &e) != ERR_DATA)
			fail_msg("accepted: %s", cases[i].with);
		lab_contains(e.text, cases[i].text);
		str_release(&t);
	}
	str_release(&whole);
	free(path);
	store_close(&s);
}

static void test_twice(void **state)
{
	struct store s;
	struct str whole;
	struct err e = ERR_INIT;
	char *path, *copy;

	(void)state;
	store_open(&s);
	store_fill(&s, 2, 100000);
	path = first_file(&s);
	copy = xasprintf("%.*s-copy.json", (int)(strlen(path) - 5), path);
	str_init(&whole);
	assert_int_equal(file_read(path, 0, &whole, &e), 0);
	assert_int_equal(file_write(copy, whole.s, whole.len, &e), 0);
	assert_int_equal(baseline_load(s.dir, "kernel-gate", "default", &s.b, &e), ERR_DATA);
	lab_contains(e.text, "twice");
	str_release(&whole);
	free(path);
	free(copy);
	store_close(&s);
}

/* Whole documents are the same bytes for the same session; the grid has its 33 points. */
static void test_document(void **state)
{
	struct base_session b;
	struct arena a;
	struct result r;
	struct jw w[2];
	struct hist *h = xcalloc(1, sizeof(*h));
	const char *grid;
	unsigned commas = 0;

	(void)state;
	lab_simple(&r, 1, 100000);
	for (unsigned i = 1; i <= 20000; i++)
		hist_add(h, i * 100);
	bins_from_hist(&r.runs.v[0].out.dir[DIR_READ].clat, h);
	free(h);
	arena_init(&a);
	baseline_session_from(&r, 0, &a, &b);
	for (unsigned i = 0; i < 2; i++) {
		jw_init(&w[i]);
		baseline_session_write(&b, &r, 0, &w[i]);
		jw_finish(&w[i]);
	}
	assert_string_equal(w[0].out.s, w[1].out.s);
	grid = strstr(w[0].out.s, "\"read.clat\"");
	assert_non_null(grid);
	grid = strchr(strchr(grid, '[') + 1, '[') + 1;
	assert_int_equal(strtoull(grid, NULL, 10), 100); /* the smallest */
	for (const char *p = grid; *p != ']'; p++)
		commas += *p == ',';
	assert_int_equal(commas, QUANTILE_POINTS - 1);
	jw_release(&w[0]);
	jw_release(&w[1]);
	baseline_session_release(&b);
	arena_release(&a);
	result_release(&r);
}

static void test_drop(void **state)
{
	struct store s;
	struct err e = ERR_INIT;
	char digest[24];
	char *id;

	(void)state;
	store_open(&s);
	store_fill(&s, 3, 100000);
	store_load(&s);
	memcpy(digest, s.b.digest, sizeof(digest));
	assert_int_equal(baseline_drop(&s.b, "no-such", &e), ERR_USAGE);
	id = xstrdup(s.b.sessions[1].id);
	assert_int_equal(baseline_drop(&s.b, id, &e), 0);
	baseline_release(&s.b);
	store_load(&s);
	assert_int_equal(s.b.n, 2);
	assert_true(strcmp(digest, s.b.digest) != 0);
	for (size_t i = 0; i < s.b.n; i++)
		assert_string_not_equal(s.b.sessions[i].id, id);
	free(id);
	baseline_release(&s.b);
	store_close(&s);
}

static bool has_missing(const struct result *r)
{
	return r->verdicts.n > 0 && r->verdicts.v[r->verdicts.n - 1].job == UINT32_MAX;
}

static void test_retire(void **state)
{
	static const char *const whats[] = {"dut rand-4k", "dut rand-4k gate read.iops"};

	(void)state;
	for (unsigned i = 0; i < 2; i++) {
		struct store s;
		struct result r;
		struct err e = ERR_INIT;

		store_open(&s);
		store_fill(&s, 2, 100000);
		store_load(&s);
		lab_init(&r, 40);
		lab_job(&r, "other");
		lab_runs(&r, 0, lab_session(&r), 100000);
		lab_judge(&r, &s.b);
		assert_true(has_missing(&r));
		assert_int_equal(baseline_retire(&s.b, "dut rand-8k", "me", NULL, false, &e),
				 ERR_USAGE);
		assert_int_equal(
			baseline_retire(&s.b, "dut rand-4k gate read.bw", "me", NULL, false, &e),
			ERR_USAGE);
		assert_int_equal(baseline_retire(&s.b, whats[i], "me", "no longer sold", false, &e),
				 0);
		baseline_release(&s.b);
		store_load(&s);
		assert_int_equal(s.b.n, 3);
		lab_judge(&r, &s.b);
		assert_false(has_missing(&r));
		assert_int_equal(r.status, STATUS_PASS);
		/* the record is no session: gates of the job are judged as before */
		result_release(&r);
		lab_simple(&r, 40, 100000);
		lab_judge(&r, &s.b);
		assert_int_equal(lab_verdict(&r, 0, 0)->base_sessions, 2);
		result_release(&r);
		baseline_release(&s.b);
		store_close(&s);
	}
}

static void test_show(void **state)
{
	struct store s;
	struct result r;
	struct str out;

	(void)state;
	store_open(&s);
	store_fill(&s, 4, 100000);
	store_load(&s);
	str_init(&out);
	baseline_show(&s.b, &out);
	lab_contains(out.s, "epoch 1, 4 sessions in 4 blocks, 2026-09-21..2026-09-24");
	lab_contains(out.s, "dut rand-4k gate read.iops: 4 sessions, 4 blocks, median ");
	lab_contains(out.s, "provisional (4 of 5)");
	lab_contains(out.s, "sd of a session value 0.58 %, run sd 0.79 %");
	lab_contains(out.s, "by tester");
	str_clear(&out);
	lab_simple(&r, 40, 90000);
	lab_fact(&r, "kernel.release", "6.12.9");
	r.jobs[0].iodepth = 16;
	baseline_diff(&s.b, &r, &out);
	lab_contains(out.s, "(-10.0 %)");
	lab_contains(out.s, "incomparable: iodepth 32 -> 16");
	lab_contains(out.s, "kernel.release 6.12.8 -> 6.12.9 (under test)");
	result_release(&r);
	str_release(&out);
	baseline_release(&s.b);
	store_close(&s);
}

/* What was stored is text of others: no control character of it reaches a terminal, and none makes
 * a line of its own. */
static void test_clean(void **state)
{
	static const char evil[] = "a\033[2J\r\nGREEN\t\x9b\177";
	struct store s;
	struct result r;
	struct str out;
	size_t lines = 0, stored;
	struct err e = ERR_INIT;
	struct accept_options o = {.who = evil, .reason = evil};

	(void)state;
	store_open(&s);
	lab_simple(&r, 0, 100000);
	lab_fact(&r, "kernel.release", evil);
	lab_fact(&r, "boot.id", evil);
	assert_int_equal(store_accept(&s, &r, &o, &stored, &e), 0);
	result_release(&r);
	store_load(&s);
	s.b.sessions[0].id = s.b.sessions[0].who = s.b.sessions[0].boot_id = evil;
	s.b.sessions[0].reason = evil;
	*VEC_PUSH(&s.b.sessions[0].jobs.v[0].gates) = evil;
	str_init(&out);
	baseline_show(&s.b, &out);
	for (size_t i = 0; i < out.len; i++) {
		assert_true((out.s[i] >= ' ' && out.s[i] != 127) || out.s[i] == '\n');
		lines += out.s[i] == '\n';
	}
	assert_int_equal(lines, 6); /* head, gates:, two of them, files:, one */
	lab_contains(out.s, "by a\\x1b[2J  GREEN \\x9b\\x7f: a\\x1b");
	str_clear(&out);
	lab_simple(&r, 40, 90000);
	lab_fact(&r, "kernel.release", evil);
	r.jobs[0].name = r.targets[0].role = evil;
	s.b.sessions[0].jobs.v[0].target = evil;
	baseline_diff(&s.b, &r, &out);
	for (size_t i = lines = 0; i < out.len; i++) {
		assert_true((out.s[i] >= ' ' && out.s[i] != 127) || out.s[i] == '\n');
		lines += out.s[i] == '\n';
	}
	assert_int_equal(lines, 3);
	result_release(&r);
	str_release(&out);
	baseline_release(&s.b);
	store_close(&s);
}

/* A gate of an older epoch is shown as long as it is demanded, and compared with nothing. */
static void test_show_epochs(void **state)
{
	struct store s;
	struct result r;
	struct str out;
	struct err e = ERR_INIT;

	(void)state;
	store_open(&s);
	store_fill(&s, 2, 100000);
	store_load(&s);
	s.b.sessions[1].epoch = s.b.epoch = 2;
	s.b.sessions[1].jobs.v[0].name = "other";
	str_init(&out);
	baseline_show(&s.b, &out);
	lab_contains(out.s, "dut rand-4k gate read.iops: of epoch 1 only, demanded until");
	lab_contains(out.s, "dut other gate read.iops: 1 session");
	assert_int_equal(baseline_retire(&s.b, "dut rand-4k", "me", "gone", false, &e), 0);
	baseline_release(&s.b);
	store_load(&s);
	s.b.sessions[1].epoch = s.b.epoch = 2;
	s.b.sessions[1].jobs.v[0].name = "other";
	str_clear(&out);
	baseline_show(&s.b, &out);
	assert_null(strstr(out.s, "rand-4k gate"));
	baseline_release(&s.b);
	/* diff leaves the result's own session out */
	store_load(&s);
	lab_simple(&r, 40, 90000);
	snprintf(r.sessions.v[0].id, sizeof(r.sessions.v[0].id), "%s", s.b.sessions[1].id);
	str_clear(&out);
	baseline_diff(&s.b, &r, &out);
	lab_contains(out.s, "99.5 k IOPS -> ");
	result_release(&r);
	str_release(&out);
	baseline_release(&s.b);
	store_close(&s);
}

/* Sorted by name beside the order of the file: each workload with each of its targets. */
static void test_named(void **state)
{
	static const char *const names[] = {"w2", "w10", "w1", "a", "w1x", "w"};
	struct baseline b;
	struct result r;
	struct err e = ERR_INIT;
	const struct result *p = &r;
	size_t n;

	(void)state;
	lab_init(&r, 0);
	for (uint32_t i = 0; i < 6; i++)
		lab_job(&r, names[i]);
	lab_session(&r);
	for (uint32_t i = 0; i < 6; i++)
		lab_runs(&r, i, 0, 100000 + i);
	assert_int_equal(baseline_from_results(&p, 1, &b, &e), 0);
	assert_int_equal(b.sessions[0].jobs.n, 6);
	for (uint32_t i = 0; i < 6; i++) {
		const struct base_job *const *v = baseline_jobs_named(&b.sessions[0], names[i], &n);

		assert_int_equal(n, 1);
		assert_string_equal(v[0]->name, names[i]);
		assert_ptr_equal(v[0], &b.sessions[0].jobs.v[i]);
	}
	assert_null(baseline_jobs_named(&b.sessions[0], "w3", &n));
	assert_int_equal(n, 0);
	assert_null(baseline_jobs_named(&b.sessions[0], "zz", &n));
	baseline_release(&b);
	result_release(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_named),       cmocka_unit_test(test_absent),
		cmocka_unit_test(test_round_trip),  cmocka_unit_test(test_reread_result),
		cmocka_unit_test(test_damaged),     cmocka_unit_test(test_altered),
		cmocka_unit_test(test_twice),       cmocka_unit_test(test_document),
		cmocka_unit_test(test_drop),        cmocka_unit_test(test_retire),
		cmocka_unit_test(test_show),        cmocka_unit_test(test_clean),
		cmocka_unit_test(test_show_epochs),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
