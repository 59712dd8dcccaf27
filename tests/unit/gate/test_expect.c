/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Expectations: met, missed, marginal, not to be judged. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include "lab.h"

static const struct verdict *expect(struct result *r, enum check_op op, double limit, bool every)
{
	struct check *c;

	lab_init(r, 40);
	lab_job(r, "rand-4k");
	c = lab_check(r, 0, CHECK_EXPECT, "read.iops");
	c->op = op;
	c->limit = limit;
	c->every_run = every;
	lab_runs(r, 0, lab_session(r), 100000); /* 99000 99500 100000 100500 101000 */
	lab_judge(r, NULL);
	return lab_verdict(r, 0, 0);
}

static void test_operators(void **state)
{
	static const struct {
		enum check_op op;
		double limit;
		bool every, met, marginal;
	} cases[] = {
		{OP_GE, 90000, false, true, false},   {OP_GE, 99500, false, true, true},
		{OP_GE, 100000, false, true, true},   {OP_GE, 100001, false, false, true},
		{OP_GE, 110000, false, false, false}, {OP_GT, 100000, false, false, true},
		{OP_LE, 100000, false, true, true},   {OP_LE, 110000, false, true, false},
		{OP_LT, 100000, false, false, true},  {OP_LT, 100001, false, true, true},
		{OP_EQ, 100000, false, true, false},  {OP_NE, 100000, false, false, false},
		{OP_GE, 99000, true, true, false},    {OP_GE, 99001, true, false, true},
		{OP_LE, 101000, true, true, false},   {OP_LE, 100999, true, false, true},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct result r;
		const struct verdict *v = expect(&r, cases[i].op, cases[i].limit, cases[i].every);

		lab_expect(v, cases[i].met ? VERDICT_PASS : VERDICT_MISSED,
			   cases[i].met ? STATUS_PASS : STATUS_REGRESSION,
			   cases[i].met ? JUNIT_CASE : JUNIT_FAILURE);
		if (!cases[i].met)
			assert_string_equal(v->type, "expectation");
		if (v->marginal != cases[i].marginal)
			fail_msg("case %zu: marginal %d: %s", i, v->marginal, v->text);
		if (!cases[i].every)
			assert_int_equal(strstr(v->text, "marginal") != NULL, cases[i].marginal);
		/* of every run the value is that of the worst */
		assert_true(v->value == (!cases[i].every        ? 100000
					 : cases[i].op == OP_GE ? 99000
								: 101000));
		if (cases[i].every)
			lab_contains(v->text, cases[i].op == OP_GE
						      ? "read.iops lowest run 99.0 k IOPS"
						      : "read.iops highest run 101 k IOPS");
		assert_true(v->limit == cases[i].limit);
		assert_int_equal(r.status, v->status);
		result_release(&r);
	}
}

/* `== 1` of every run fails on the run farthest from it, `!= 1` on the nearest. */
static void test_every_equal(void **state)
{
	static const struct {
		enum check_op op;
		double limit, value;
		bool met;
		const char *text;
	} cases[] = {
		{OP_EQ, 99500, 101000, false, "farthest run"},
		{OP_EQ, 100500, 99000, false, "farthest run"},
		{OP_NE, 100500, 100500, false, "nearest run"},
		{OP_NE, 100600, 100500, true, "nearest run"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct result r;
		const struct verdict *v = expect(&r, cases[i].op, cases[i].limit, true);

		assert_int_equal(v->kind, cases[i].met ? VERDICT_PASS : VERDICT_MISSED);
		assert_true(v->value == cases[i].value);
		lab_contains(v->text, cases[i].text);
		result_release(&r);
	}
}

/* One slow run of five does not fail the median, and fails `every run`. */
static void test_every_run(void **state)
{
	(void)state;
	for (unsigned every = 0; every < 2; every++) {
		struct result r;

		expect(&r, OP_GE, 90000, every);
		lab_rate(&r.runs.v[3].out, 50000);
		lab_judge(&r, NULL);
		lab_expect(lab_verdict(&r, 0, 0), every ? VERDICT_MISSED : VERDICT_PASS,
			   every ? STATUS_REGRESSION : STATUS_PASS,
			   every ? JUNIT_FAILURE : JUNIT_CASE);
		result_release(&r);
	}
}

static void test_reference(void **state)
{
	struct result r;
	struct check *c;

	(void)state;
	expect(&r, OP_GE, 0.8, false);
	c = &r.checks[0];
	c->percent_of = "datasheet.rand_read";
	c->reference = 120000; /* 96 k */
	lab_judge(&r, NULL);
	lab_expect(lab_verdict(&r, 0, 0), VERDICT_PASS, STATUS_PASS, JUNIT_CASE);
	assert_true(fabs(lab_verdict(&r, 0, 0)->limit - 96000) < 1e-6);
	lab_contains(lab_verdict(&r, 0, 0)->text, "80 % of datasheet.rand_read");
	c->reference = 130000; /* 104 k */
	lab_judge(&r, NULL);
	lab_expect(lab_verdict(&r, 0, 0), VERDICT_MISSED, STATUS_REGRESSION, JUNIT_FAILURE);
	c->percent_of = "link";
	c->reference = NAN;
	c->reference_why = "the link speed cannot be read";
	lab_judge(&r, NULL);
	lab_expect(lab_verdict(&r, 0, 0), VERDICT_ERROR, STATUS_ERROR, JUNIT_ERROR);
	lab_contains(lab_verdict(&r, 0, 0)->text, "the link speed cannot be read");
	result_release(&r);
}

static void few_samples(struct outcome *o, unsigned n)
{
	struct hist *h = xcalloc(1, sizeof(*h));

	for (unsigned i = 0; i < n; i++)
		hist_add(h, 80000 + i);
	bins_from_hist(&o->dir[DIR_READ].clat, h);
	lab_slices(o, 1000000000);
	free(h);
}

/* A percentile without its hundred samples, in an expectation and in a gate: undecided, not asked
 * again. */
static void test_insufficient(void **state)
{
	struct baseline b;
	struct result r;

	(void)state;
	expect(&r, OP_LE, 1e9, false);
	r.checks[0].metric = "read.clat.p99";
	for (size_t i = 0; i < 5; i++)
		few_samples(&r.runs.v[i].out, i == 2 ? 5000 : 20000);
	lab_judge(&r, NULL);
	lab_expect(lab_verdict(&r, 0, 0), VERDICT_INCONCLUSIVE, STATUS_INCONCLUSIVE, JUNIT_SKIPPED);
	lab_contains(lab_verdict(&r, 0, 0)->text,
		     "5 000 were seen in 1 of 5 runs: a runtime of about ");
	lab_gate(&r, 0, "read.clat.p99", .2);
	lab_judge(&r, NULL);
	lab_expect(lab_verdict(&r, 0, 1), VERDICT_NO_BASELINE, STATUS_NO_BASELINE, JUNIT_ERROR);
	/* against its like, made whole */
	few_samples(&r.runs.v[2].out, 20000);
	assert_int_equal(
		baseline_from_results((const struct result *[]){&r}, 1, &b, &(struct err){0}), 0);
	few_samples(&r.runs.v[2].out, 5000);
	r.sessions.v[0].id[0] = '3';
	lab_judge(&r, &b);
	lab_expect(lab_verdict(&r, 0, 1), VERDICT_INCONCLUSIVE, STATUS_INCONCLUSIVE, JUNIT_SKIPPED);
	assert_false(lab_verdict(&r, 0, 1)->wants_session);
	assert_false(gate_wants_session(&r, 0));
	baseline_release(&b);
	result_release(&r);
}

static void test_not_there(void **state)
{
	static const char *const metrics[] = {"read.slat.mean", "write.iops", "read.clat.mean",
					      "no.such"};

	(void)state;
	for (size_t i = 0; i < 4; i++) {
		struct result r;

		expect(&r, OP_GE, 1, false);
		r.checks[0].metric = metrics[i];
		lab_judge(&r, NULL);
		lab_expect(lab_verdict(&r, 0, 0), VERDICT_ERROR, STATUS_ERROR, JUNIT_ERROR);
		result_release(&r);
	}
}

/* The median is over all runs of all sessions. */
static void test_sessions(void **state)
{
	struct result r;

	(void)state;
	expect(&r, OP_GE, 95000, false);
	lab_runs(&r, 0, lab_session(&r), 80000);
	lab_runs(&r, 0, lab_session(&r), 80000);
	lab_judge(&r, NULL);
	lab_expect(lab_verdict(&r, 0, 0), VERDICT_MISSED, STATUS_REGRESSION, JUNIT_FAILURE);
	assert_true(lab_verdict(&r, 0, 0)->value < 81000);
	result_release(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_operators),   cmocka_unit_test(test_every_run),
		cmocka_unit_test(test_reference),   cmocka_unit_test(test_insufficient),
		cmocka_unit_test(test_not_there),   cmocka_unit_test(test_sessions),
		cmocka_unit_test(test_every_equal),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
