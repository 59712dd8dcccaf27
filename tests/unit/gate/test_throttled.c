/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What was watched during the runs, judged: throttled runs, and those that were not admitted. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include "gate/comparable.h"
#include "store.h"

/* The run saw its drive's counters of heat stand, or move. */
static void saw_heat(struct result *r, size_t run, bool moved)
{
	struct watched *w = arena_alloc(&r->arena, sizeof(*w));

	watched_see(w, WATCHED_THERMAL_1_TIME, 40);
	watched_see(w, WATCHED_THERMAL_1_TIME, moved ? 43 : 40);
	r->runs.v[run].watched = w;
}

static void cool(struct result *r)
{
	for (size_t i = 0; i < r->runs.n; i++)
		saw_heat(r, i, false);
}

static void hot(struct result *r)
{
	cool(r);
	saw_heat(r, 3, true);
}

static void test_undecided_either_way(void **state)
{
	static const struct {
		double level;
		enum verdict_kind kind;
		int leaning;
	} cases[] = {{100000, VERDICT_PASS, 1},
		     {130000, VERDICT_PASS, 1},
		     {80000, VERDICT_INCONCLUSIVE, -1}};
	struct baseline b;

	(void)state;
	lab_baseline(&b, 8, 100000, NULL);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct result r;
		const struct verdict *v;

		lab_simple(&r, 20, cases[i].level);
		cool(&r);
		lab_judge(&r, &b);
		v = lab_verdict(&r, 0, 0);
		if (cases[i].kind == VERDICT_PASS)
			assert_int_equal(v->status, STATUS_PASS);
		else
			assert_int_equal(v->kind, cases[i].kind);
		hot(&r);
		lab_judge(&r, &b);
		v = lab_verdict(&r, 0, 0);
		lab_expect(v, VERDICT_INCONCLUSIVE, STATUS_INCONCLUSIVE, JUNIT_SKIPPED);
		assert_string_equal(v->type, "throttled");
		assert_int_equal(v->leaning, cases[i].leaning);
		assert_false(v->wants_session);
		lab_contains(v->text, "the device throttled in run 4 of session 1: "
				      "health.thermal_1_time +3; without that: ");
		/* it was measured all the same */
		lab_expect(lab_verdict(&r, 0, VERDICT_MEASURE), VERDICT_PASS, STATUS_PASS,
			   JUNIT_CASE);
		result_release(&r);
	}
	baseline_release(&b);
}

/* Heat behind the decision is no part of it. */
static void test_after_the_decision(void **state)
{
	struct baseline b;
	struct result r;

	(void)state;
	lab_baseline(&b, 8, 100000, NULL);
	lab_simple(&r, 20, 80000);
	lab_runs(&r, 0, lab_session(&r), 80000);
	lab_runs(&r, 0, lab_session(&r), 80000);
	cool(&r);
	saw_heat(&r, 12, true);
	lab_judge(&r, &b);
	assert_int_equal(lab_verdict(&r, 0, 0)->kind, VERDICT_REGRESSION);
	saw_heat(&r, 7, true);
	lab_judge(&r, &b);
	assert_int_equal(lab_verdict(&r, 0, 0)->kind, VERDICT_INCONCLUSIVE);
	result_release(&r);
	baseline_release(&b);
}

/* Two sessions that agree are a regression, unless the drive was too hot. */
static void test_no_regression_of_heat(void **state)
{
	struct baseline b;
	struct result r;

	(void)state;
	lab_baseline(&b, 8, 100000, NULL);
	lab_simple(&r, 20, 80000);
	lab_runs(&r, 0, lab_session(&r), 80000);
	cool(&r);
	lab_judge(&r, &b);
	lab_expect(lab_verdict(&r, 0, 0), VERDICT_REGRESSION, STATUS_REGRESSION, JUNIT_FAILURE);
	saw_heat(&r, 7, true);
	lab_judge(&r, &b);
	lab_expect(lab_verdict(&r, 0, 0), VERDICT_INCONCLUSIVE, STATUS_INCONCLUSIVE, JUNIT_SKIPPED);
	lab_contains(lab_verdict(&r, 0, 0)->text, "run 3 of session 2");
	assert_int_equal(lab_verdict(&r, 0, 0)->leaning, -1);
	result_release(&r);
	baseline_release(&b);
}

static void test_policies_and_expectations(void **state)
{
	struct result r;
	struct check *c;

	(void)state;
	lab_init(&r, 40);
	lab_job(&r, "rand-4k");
	c = lab_check(&r, 0, CHECK_EXPECT, "read.iops");
	c->op = OP_GE;
	c->limit = 90000;
	lab_runs(&r, 0, lab_session(&r), 100000);
	hot(&r);
	r.policy.inconclusive = INCONCLUSIVE_WARN;
	lab_judge(&r, NULL);
	lab_expect(lab_verdict(&r, 0, 0), VERDICT_INCONCLUSIVE, STATUS_PASS, JUNIT_SKIPPED);
	r.policy.inconclusive = INCONCLUSIVE_FAIL;
	lab_judge(&r, NULL);
	lab_expect(lab_verdict(&r, 0, 0), VERDICT_INCONCLUSIVE, STATUS_REGRESSION, JUNIT_FAILURE);
	r.policy.inconclusive = INCONCLUSIVE_WARN;
	c->limit = 110000;
	lab_judge(&r, NULL);
	lab_expect(lab_verdict(&r, 0, 0), VERDICT_INCONCLUSIVE, STATUS_INCONCLUSIVE, JUNIT_SKIPPED);
	/* what is no verdict on numbers stays what it is */
	r.runs.v[0].out.status = OUTCOME_IO_ERROR;
	lab_judge(&r, NULL);
	lab_expect(lab_verdict(&r, 0, 0), VERDICT_SKIPPED, STATUS_PASS, JUNIT_SKIPPED);
	result_release(&r);
}

static void test_no_baseline_of_heat(void **state)
{
	struct store s;
	struct result r;
	struct err e = ERR_INIT;
	size_t stored;

	(void)state;
	store_open(&s);
	lab_simple(&r, 0, 100000);
	hot(&r);
	assert_int_equal(store_accept(&s, &r, NULL, &stored, &e), ERR_REFUSED);
	lab_contains(e.text, "the measurement of 'rand-4k' does not count: the device throttled");
	cool(&r);
	e = ERR_INIT;
	assert_int_equal(store_accept(&s, &r, NULL, &stored, &e), 0);
	result_release(&r);
	store_close(&s);
}

/* DESIGN 3.4: a broken admission is an error of the measurement, with what broke it. */
static void test_not_admitted(void **state)
{
	struct result r;
	const struct verdict *v;

	(void)state;
	lab_simple(&r, 20, 100000);
	r.runs.v[1].out.status = OUTCOME_ADMISSION;
	snprintf(r.runs.v[1].out.text, sizeof(r.runs.v[1].out.text),
		 "admit: link == full did not hold during the run on 'dut': it was 'downgraded'");
	lab_judge(&r, NULL);
	v = lab_verdict(&r, 0, VERDICT_MEASURE);
	lab_expect(v, VERDICT_ERROR, STATUS_ERROR, JUNIT_ERROR);
	assert_string_equal(v->type, "admission");
	lab_contains(v->text, "run 2 of 5 in session 1: admit: link == full did not hold");
	assert_int_equal(r.status, STATUS_ERROR);
	result_release(&r);
}

/* Two sessions of an unchanged drive differ in what it counts, and are sessions of one thing. */
static void test_counters_are_no_change(void **state)
{
	static const char *const quiet[] = {"temperature", "health.data_written",
					    "health.error_log_entries", "health.power_on_hours",
					    "pcie.correctable"};
	struct facts a, b;
	struct arena arena;
	struct str out;

	(void)state;
	arena_init(&arena);
	facts_init(&a);
	facts_init(&b);
	str_init(&out);
	for (size_t i = 0; i < sizeof(quiet) / sizeof(quiet[0]); i++) {
		facts_set(&a, &arena, quiet[i], "1", NULL);
		facts_set(&b, &arena, quiet[i], "2", NULL);
	}
	comparable_changes(NULL, (struct fact_side){&a, NULL}, (struct fact_side){&b, NULL}, &out);
	assert_string_equal(out.s, "nothing under test changed");
	facts_set(&a, &arena, "health.percentage_used", "3", NULL);
	facts_set(&b, &arena, "health.percentage_used", "4", NULL);
	str_clear(&out);
	comparable_changes(NULL, (struct fact_side){&a, NULL}, (struct fact_side){&b, NULL}, &out);
	assert_string_equal(out.s,
			    "nothing under test changed; health.percentage_used 3 -> 4 (note)");
	str_clear(&out);
	assert_int_equal(comparable_other(NULL, (struct fact_side){&a, NULL},
					  (struct fact_side){&b, NULL}, true, &out),
			 0);
	str_release(&out);
	facts_release(&a);
	facts_release(&b);
	arena_release(&arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_after_the_decision),
		cmocka_unit_test(test_undecided_either_way),
		cmocka_unit_test(test_no_regression_of_heat),
		cmocka_unit_test(test_policies_and_expectations),
		cmocka_unit_test(test_no_baseline_of_heat),
		cmocka_unit_test(test_not_admitted),
		cmocka_unit_test(test_counters_are_no_change),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
