/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Rows of results: what is stored, what is said, and what is not kept. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <sys/stat.h>
#include "gate/history.h"
#include "store.h"

/* A result of that day whose gate came to this. */
static void make(struct result *r, unsigned day, enum verdict_kind kind, double change)
{
	struct verdict *v;

	lab_simple(r, day, 100000);
	r->verdicts.n = 0;
	v = VEC_PUSH(&r->verdicts);
	*v = (struct verdict){.check = VERDICT_MEASURE, .kind = VERDICT_PASS};
	v = VEC_PUSH(&r->verdicts);
	*v = (struct verdict){.kind = kind, .change = change, .tolerance = .05};
}

static void keep(struct store *s, unsigned day, enum verdict_kind kind, double change)
{
	struct err e = ERR_INIT;
	struct result r;
	bool stored;

	make(&r, day, kind, change);
	if (history_store(s->dir, &r, &stored, &e) != 0)
		fail_msg("%s", e.text);
	assert_true(stored);
	result_release(&r);
}

static size_t notes(struct store *s, unsigned day, enum verdict_kind kind, double change,
		    struct str *out)
{
	struct err e = ERR_INIT;
	struct history h;
	struct result r;
	size_t n;

	if (history_load(s->dir, "kernel-gate", "default", &h, &e) != 0)
		fail_msg("%s", e.text);
	make(&r, day, kind, change);
	str_clear(out);
	n = history_notes(&h, &r, out);
	result_release(&r);
	history_release(&h);
	return n;
}

static void test_streaks(void **state)
{
	static const struct {
		enum verdict_kind kind;
		double change;
		const char *text;
	} cases[] = {
		{VERDICT_REGRESSION, -.08, "red in 3 results, since 2026-09-21"},
		{VERDICT_PASS, .08, "the gain is unguarded: accept with --new-epoch"},
		{VERDICT_INCONCLUSIVE, -.03, "undecided in 3 results"},
	};
	struct str out;

	(void)state;
	str_init(&out);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct store s;

		store_open(&s);
		keep(&s, 0, cases[i].kind, cases[i].change);
		assert_int_equal(notes(&s, 1, cases[i].kind, cases[i].change, &out), 0);
		keep(&s, 1, cases[i].kind, cases[i].change);
		assert_int_equal(notes(&s, 2, cases[i].kind, cases[i].change, &out), 1);
		lab_contains(out.s, cases[i].text);
		lab_contains(out.s, "dut rand-4k gate read.iops: ");
		/* a clean one ends the row */
		assert_int_equal(notes(&s, 2, VERDICT_PASS, .001, &out), 0);
		store_close(&s);
	}
	str_release(&out);
}

/* Signs and not verdicts: what chance does in less than 3.2 %. */
static void test_health(void **state)
{
	struct store s;
	struct str out;

	(void)state;
	str_init(&out);
	store_open(&s);
	for (unsigned i = 0; i < 10; i++)
		keep(&s, i, VERDICT_INCONCLUSIVE, i % 2 ? -.06 : 0);
	assert_int_equal(notes(&s, 10, VERDICT_PASS, 0, &out), 0); /* five times only */
	assert_int_equal(notes(&s, 10, VERDICT_PASS, -.06, &out), 1);
	lab_contains(out.s,
		     "of 11 results 6 lay beyond the tolerance on the worse side and 0 on the");
	keep(&s, 10, VERDICT_PASS, .06);
	/* 5 to 1 is chance in 22 %, 8 to 1 in 3.9 %, 9 to 1 in 2.1 % */
	assert_int_equal(notes(&s, 11, VERDICT_PASS, 0, &out), 0);
	for (unsigned i = 11; i < 14; i++)
		keep(&s, i, VERDICT_PASS, -.06);
	assert_int_equal(notes(&s, 14, VERDICT_PASS, 0, &out), 0);
	assert_int_equal(notes(&s, 14, VERDICT_PASS, -.06, &out), 1);
	lab_contains(out.s,
		     "of 15 results 9 lay beyond the tolerance on the worse side and 1 on the");
	keep(&s, 14, VERDICT_PASS, .06);
	assert_int_equal(notes(&s, 15, VERDICT_PASS, -.06, &out), 0); /* 9 to 2 */
	store_close(&s);
	str_release(&out);
}

/* Where more is worse, growing is the loss. */
static void test_direction(void **state)
{
	struct store s;
	struct str out;

	(void)state;
	str_init(&out);
	store_open(&s);
	for (unsigned i = 0; i < 3; i++) {
		struct err e = ERR_INIT;
		struct result r;

		make(&r, i, VERDICT_PASS, .08);
		r.checks[0].metric = "read.lat.mean";
		assert_int_equal(history_store(s.dir, &r, NULL, &e), 0);
		if (i == 2) {
			struct history h;

			assert_int_equal(history_load(s.dir, "kernel-gate", "default", &h, &e), 0);
			assert_int_equal(h.entries.n, 3);
			assert_int_equal(h.entries.v[0].gates.n, 1);
			assert_int_equal(h.entries.v[0].gates.v[0].beyond, 1);
			assert_int_equal(history_notes(&h, &r, &out), 0);
			history_release(&h);
		}
		result_release(&r);
	}
	store_close(&s);
	str_release(&out);
}

static void injected(struct result *r)
{
	r->inject = "slow=10%";
}
static void partial(struct result *r)
{
	r->partial = "--only";
}
static void interrupted(struct result *r)
{
	r->interrupted = true;
}
static void unfinished(struct result *r)
{
	r->unfinished = true;
}
static void no_session(struct result *r)
{
	r->sessions.n = 0;
}

static void test_not_kept(void **state)
{
	void (*const cases[])(struct result * r) = {injected, partial, interrupted, unfinished,
						    no_session};
	struct store s;

	(void)state;
	store_open(&s);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct err e = ERR_INIT;
		bool stored = true;
		struct history h;
		struct result r;

		make(&r, 1, VERDICT_PASS, 0);
		cases[i](&r);
		assert_int_equal(history_store(s.dir, &r, &stored, &e), 0);
		assert_false(stored);
		assert_int_equal(history_load(s.dir, "kernel-gate", "default", &h, &e), 0);
		assert_int_equal(h.entries.n, 0);
		history_release(&h);
		result_release(&r);
	}
	store_close(&s);
}

static void test_names(void **state)
{
	struct err e = ERR_INIT;
	struct history h;
	struct store s;
	struct result r;

	(void)state;
	store_open(&s);
	make(&r, 1, VERDICT_PASS, 0);
	r.suite = "../../etc";
	assert_int_equal(history_store(s.dir, &r, NULL, &e), ERR_USAGE);
	assert_int_equal(history_load(s.dir, "../..", "default", &h, &e), ERR_USAGE);
	history_release(&h);
	result_release(&r);
	store_close(&s);
}

static void test_damaged(void **state)
{
	static const char *const texts[] = {
		"",
		"{",
		"[]",
		"{\"blkgate_history\": 2}",
		"{\"blkgate_history\": 1, \"session\": 3}",
		"{\"blkgate_history\": 1, \"session\": \"x\", \"started\": 1, \"gates\": [{}]}"};
	struct store s;
	char *path;

	(void)state;
	store_open(&s);
	keep(&s, 0, VERDICT_PASS, 0);
	path = xasprintf("%s/kernel-gate/default/zz.json", s.dir);
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		struct err e = ERR_INIT;
		struct history h;

		assert_int_equal(file_write(path, texts[i], strlen(texts[i]), &e), 0);
		assert_int_equal(history_load(s.dir, "kernel-gate", "default", &h, &e), ERR_DATA);
		lab_contains(e.text, "zz.json");
		history_release(&h);
	}
	free(path);
	store_close(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_streaks),   cmocka_unit_test(test_health),
		cmocka_unit_test(test_direction), cmocka_unit_test(test_not_kept),
		cmocka_unit_test(test_names),     cmocka_unit_test(test_damaged),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
