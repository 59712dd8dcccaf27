/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The measure case, what its failure does to the checks, the status of the whole, what is missing.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include "lab.h"

static void two_jobs(struct result *r)
{
	lab_init(r, 40);
	lab_job(r, "good");
	lab_job(r, "bad");
	lab_check(r, 0, CHECK_EXPECT, "read.iops")->limit = 1000;
	lab_check(r, 1, CHECK_EXPECT, "read.iops")->limit = 1000;
	lab_session(r);
	lab_runs(r, 0, 0, 100000);
}

static void test_outcomes(void **state)
{
	static const struct {
		enum outcome_status status;
		const char *text, *type;
	} cases[] = {
		{OUTCOME_IO_ERROR, "read of 4096 bytes at 8192: Input/output error", "io_error"},
		{OUTCOME_SETUP, "io_uring refused", "setup"},
		{OUTCOME_CRASHED, "the worker died of signal 11", "crashed"},
		{OUTCOME_HUNG, "no completion for 30 s", "hung"},
		{OUTCOME_LOST, "", "lost"},
		{OUTCOME_INTERRUPTED, "", "interrupted"},
		{OUTCOME_NONE, "", "not-measured"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct result r;
		const struct verdict *v;

		two_jobs(&r);
		lab_runs(&r, 1, 0, 100000);
		r.runs.v[7].out.status = cases[i].status;
		snprintf(r.runs.v[7].out.text, sizeof(r.runs.v[7].out.text), "%s", cases[i].text);
		lab_judge(&r, NULL);
		v = lab_verdict(&r, 1, VERDICT_MEASURE);
		lab_expect(v, VERDICT_ERROR, STATUS_ERROR, JUNIT_ERROR);
		assert_string_equal(v->type, cases[i].type);
		lab_contains(v->text, "run 3 of 5 in session 1");
		lab_contains(v->text, cases[i].text);
		/* its checks are not judged, the other job is */
		lab_expect(lab_verdict(&r, 1, 1), VERDICT_SKIPPED, STATUS_PASS, JUNIT_SKIPPED);
		assert_string_equal(lab_verdict(&r, 1, 1)->text, "not judged");
		lab_expect(lab_verdict(&r, 0, 0), VERDICT_PASS, STATUS_PASS, JUNIT_CASE);
		assert_int_equal(r.status, STATUS_ERROR);
		assert_int_equal(r.verdicts.n, 4);
		result_release(&r);
	}
}

static void test_incomplete(void **state)
{
	struct result r;

	(void)state;
	two_jobs(&r); /* the second job never ran */
	lab_judge(&r, NULL);
	lab_expect(lab_verdict(&r, 1, VERDICT_MEASURE), VERDICT_ERROR, STATUS_ERROR, JUNIT_ERROR);
	lab_contains(lab_verdict(&r, 1, VERDICT_MEASURE)->text, "not measured");
	r.partial = "budget time used up";
	lab_judge(&r, NULL);
	lab_contains(lab_verdict(&r, 1, VERDICT_MEASURE)->text, "budget time used up");
	lab_rate(&lab_run(&r, 1, 0, 0)->out, 1e5); /* one run of five */
	lab_judge(&r, NULL);
	lab_contains(lab_verdict(&r, 1, VERDICT_MEASURE)->text, "1 of 5 runs");
	assert_int_equal(r.status, STATUS_ERROR);
	for (unsigned i = 0; i < 4; i++) /* five runs, but the same one twice */
		lab_rate(&lab_run(&r, 1, 0, i == 3 ? 1 : i + 1)->out, 1e5);
	lab_judge(&r, NULL);
	lab_expect(lab_verdict(&r, 1, VERDICT_MEASURE), VERDICT_ERROR, STATUS_ERROR, JUNIT_ERROR);
	result_release(&r);
}

static void test_states(void **state)
{
	struct result r;
	struct gate_counts n;

	(void)state;
	two_jobs(&r);
	r.jobs[1].state = JOB_SKIPPED;
	r.jobs[1].why = "when: target.type == block is not met";
	lab_judge(&r, NULL);
	lab_expect(lab_verdict(&r, 1, VERDICT_MEASURE), VERDICT_SKIPPED, STATUS_PASS,
		   JUNIT_SKIPPED);
	lab_contains(lab_verdict(&r, 1, VERDICT_MEASURE)->text, "when:");
	lab_expect(lab_verdict(&r, 1, 1), VERDICT_SKIPPED, STATUS_PASS, JUNIT_SKIPPED);
	assert_int_equal(r.status, STATUS_PASS);
	gate_count(&r, &n);
	assert_int_equal(n.measured, 1);
	assert_int_equal(n.pass, 1);
	assert_int_equal(n.skipped, 2);
	/* all skipped is 4 */
	r.jobs[0].state = JOB_SKIPPED;
	lab_judge(&r, NULL);
	assert_int_equal(r.status, STATUS_ERROR);
	r.jobs[0].state = JOB_READY;
	r.jobs[1].state = JOB_ERROR;
	r.jobs[1].why = "size 1 TiB is beyond the target";
	lab_judge(&r, NULL);
	lab_expect(lab_verdict(&r, 1, VERDICT_MEASURE), VERDICT_ERROR, STATUS_ERROR, JUNIT_ERROR);
	lab_contains(lab_verdict(&r, 1, VERDICT_MEASURE)->text, "beyond the target");
	result_release(&r);
}

static void test_setup_error(void **state)
{
	static const enum exit_status codes[] = {STATUS_ERROR, STATUS_USAGE, STATUS_PASS};

	(void)state;
	for (size_t i = 0; i < 3; i++) {
		struct result r;

		two_jobs(&r);
		r.setup_error = "kernel.release is 6.12.8, required 6.12.9";
		r.setup_status = codes[i];
		lab_judge(&r, NULL);
		for (uint32_t j = 0; j < 2; j++) {
			lab_expect(lab_verdict(&r, j, VERDICT_MEASURE), VERDICT_ERROR, STATUS_ERROR,
				   JUNIT_ERROR);
			assert_string_equal(lab_verdict(&r, j, VERDICT_MEASURE)->text,
					    r.setup_error);
			lab_expect(lab_verdict(&r, j, j), VERDICT_SKIPPED, STATUS_PASS,
				   JUNIT_SKIPPED);
		}
		assert_int_equal(r.status, codes[i] == STATUS_USAGE ? STATUS_USAGE : STATUS_ERROR);
		result_release(&r);
	}
}

static void test_measured_only(void **state)
{
	struct result r;
	struct gate_counts n;

	(void)state;
	lab_init(&r, 40);
	lab_job(&r, "plain");
	lab_runs(&r, 0, lab_session(&r), 100000);
	lab_judge(&r, NULL);
	lab_expect(lab_verdict(&r, 0, VERDICT_MEASURE), VERDICT_PASS, STATUS_PASS, JUNIT_CASE);
	assert_true(lab_verdict(&r, 0, VERDICT_MEASURE)->measured_only);
	assert_int_equal(r.status, STATUS_PASS);
	gate_count(&r, &n);
	assert_int_equal(n.measured, 1);
	assert_int_equal(n.pass, 0);
	result_release(&r);
	/* nothing at all is no pass */
	lab_init(&r, 40);
	lab_judge(&r, NULL);
	assert_int_equal(r.status, STATUS_ERROR);
	result_release(&r);
}

/* 130 > 2 > 1 > 4 > 5 > 3 > 0 */
static void test_precedence(void **state)
{
	struct baseline b;
	struct result r;

	(void)state;
	lab_baseline(&b, 10, 100000, NULL);
	lab_init(&r, 40);
	lab_job(&r, "rand-4k");
	lab_job(&r, "new");
	lab_job(&r, "broken");
	lab_gate(&r, 0, "read.iops", .05);
	lab_session(&r);
	lab_runs(&r, 0, 0, 90000);
	lab_runs(&r, 1, 0, 100000);
	lab_runs(&r, 2, 0, 100000);
	lab_judge(&r, &b);
	assert_int_equal(r.status, STATUS_INCONCLUSIVE);
	lab_gate(&r, 1, "read.iops", .05); /* not in the baseline: 5 > 3 */
	lab_judge(&r, &b);
	assert_int_equal(r.status, STATUS_NO_BASELINE);
	r.runs.v[12].out.status = OUTCOME_IO_ERROR; /* 4 > 5 */
	lab_judge(&r, &b);
	assert_int_equal(r.status, STATUS_ERROR);
	lab_session(&r); /* 1 > 4 */
	lab_runs(&r, 0, 1, 90000);
	lab_judge(&r, &b);
	assert_int_equal(r.status, STATUS_REGRESSION);
	r.interrupted = true;
	lab_judge(&r, &b);
	assert_int_equal(r.status, STATUS_INTERRUPTED);
	/* what was finished keeps its verdict */
	assert_int_equal(lab_verdict(&r, 0, 0)->kind, VERDICT_REGRESSION);
	result_release(&r);
	baseline_release(&b);
}

/* Order of the cases: job by job, measure first, whatever the order of the checks. */
static void test_order(void **state)
{
	static const uint32_t want[][2] = {
		{0, VERDICT_MEASURE}, {0, 1}, {1, VERDICT_MEASURE}, {1, 0}, {1, 2}};
	struct result r;

	(void)state;
	lab_init(&r, 40);
	lab_job(&r, "a");
	lab_job(&r, "b");
	lab_check(&r, 1, CHECK_EXPECT, "read.iops");
	lab_check(&r, 0, CHECK_EXPECT, "read.iops");
	lab_check(&r, 1, CHECK_EXPECT, "read.bw");
	lab_session(&r);
	lab_runs(&r, 1, 0, 1000);
	lab_runs(&r, 0, 0, 1000);
	lab_judge(&r, NULL);
	lab_judge(&r, NULL); /* judging again replaces */
	assert_int_equal(r.verdicts.n, 5);
	for (size_t i = 0; i < 5; i++) {
		assert_int_equal(r.verdicts.v[i].job, want[i][0]);
		assert_int_equal(r.verdicts.v[i].check, want[i][1]);
	}
	r.checks[2].job = 9; /* a check of no job does not vanish */
	lab_judge(&r, NULL);
	assert_int_equal(r.status, STATUS_ERROR);
	result_release(&r);
}

static const struct verdict *missing(const struct result *r)
{
	for (size_t i = 0; i < r->verdicts.n; i++)
		if (r->verdicts.v[i].job == UINT32_MAX)
			return &r->verdicts.v[i];
	return NULL;
}

/* gate-missing-2: renamed, removed, its gate removed; only retiring by name ends the demand. */
static void test_missing(void **state)
{
	struct baseline b;
	struct result r;

	(void)state;
	lab_baseline(&b, 6, 100000, NULL);
	lab_simple(&r, 40, 100000);
	lab_judge(&r, &b);
	assert_null(missing(&r));
	assert_int_equal(r.status, STATUS_PASS);
	r.jobs[0].name = "renamed";
	lab_judge(&r, &b);
	assert_non_null(missing(&r));
	lab_expect(missing(&r), VERDICT_ERROR, STATUS_ERROR, JUNIT_ERROR);
	lab_contains(missing(&r)->text, "dut rand-4k is in the baseline");
	assert_int_equal(r.status, STATUS_ERROR);
	r.jobs[0].name = "rand-4k";
	r.checks[0].metric = "read.bw"; /* another gate instead */
	lab_judge(&r, &b);
	lab_contains(missing(&r)->text, "dut rand-4k gate read.iops is in the baseline");
	assert_int_equal(r.status, STATUS_ERROR);
	r.jobs[0].state = JOB_SKIPPED; /* not selected: in the suite all the same */
	r.checks[0].metric = "read.iops";
	lab_judge(&r, &b);
	assert_null(missing(&r));
	result_release(&r);
	baseline_release(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_outcomes),      cmocka_unit_test(test_incomplete),
		cmocka_unit_test(test_states),        cmocka_unit_test(test_setup_error),
		cmocka_unit_test(test_measured_only), cmocka_unit_test(test_precedence),
		cmocka_unit_test(test_order),         cmocka_unit_test(test_missing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
