/* SPDX-License-Identifier: GPL-2.0-or-later */
/* adjust_by: the covariance as a pure function, and the evidence it needs. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include "gate/sequence.h"
#include "lab.h"

/* By hand: y = 2 x inside both groups, the new ones 0.3 higher at equal x. */
static void test_by_hand(void **state)
{
	static const double bx[] = {0, 1, 2, 3}, by[] = {0.1, 1.9, 4.1, 5.9};
	static const double fx[] = {1, 3}, fy[] = {2.3, 6.3};
	struct stored_input in = {.base = by,
				  .nbase = 4,
				  .fresh = fy,
				  .nfresh = 2,
				  .max = 2,
				  .delta = .2,
				  .red_total = .001,
				  .base_canary = bx,
				  .fresh_canary = fx};
	/* Sxx = 5 + 2, Sxy = 9.8 + 4, Syy = 19.24 + 8 */
	const double slope = 13.8 / 7, ss = 27.24 - slope * 13.8, df = 3;
	const double est = 4.3 - 3.0 - slope * .5;
	struct stored_output out;

	(void)state;
	stored_judge(&in, &out);
	assert_true(fabs(out.slope - slope) < 1e-12);
	assert_true(fabs(out.canary - .5) < 1e-12);
	assert_true(fabs(out.est - est) < 1e-12);
	assert_true(fabs(out.df - df) < 1e-12);
	assert_true(fabs(out.se - sqrt(ss / df) * sqrt(.5 + .25 + .25 / 7)) < 1e-12);
}

/* A canary that stood still inside the groups gives no slope; when it moved between them nothing
 * can be said, in neither direction. */
static void test_still_canary(void **state)
{
	static const double base[] = {0, .001, -.001, 0, .001, -.001}, worse[] = {.2, .2, .2};
	static const double still[] = {1, 1, 1, 1, 1, 1}, moved[] = {1.1, 1.1, 1.1};
	struct stored_input in = {.base = base,
				  .nbase = 6,
				  .fresh = worse,
				  .nfresh = 3,
				  .max = 3,
				  .delta = .0488,
				  .red_total = .001,
				  .base_canary = still,
				  .fresh_canary = still};
	struct stored_output out;

	(void)state;
	stored_judge(&in, &out);
	assert_int_equal(out.state, SEQUENCE_REGRESSION);
	in.fresh_canary = moved;
	stored_judge(&in, &out);
	assert_int_equal(out.state, SEQUENCE_GIVE_UP);
	in.fresh = base;
	stored_judge(&in, &out);
	assert_int_equal(out.state, SEQUENCE_GIVE_UP);
	in.fresh_canary = NULL; /* one side only */
	stored_judge(&in, &out);
	assert_true(isnan(out.est));
	in.fresh_canary = (const double[]){1, NAN, 1};
	stored_judge(&in, &out);
	assert_true(isnan(out.est));
}

#define DAYS 10
/* Levels of the machine, one a session: the gate and its canary follow it alike. */
static double machine(unsigned day)
{
	static const double level[] = {1, .95, 1.04, .98, 1.06, .94, 1.01, .97, 1.05, .99};

	return level[day % DAYS];
}

static void two(struct result *r, unsigned day, double at, double change, bool canary)
{
	lab_init(r, day);
	lab_job(r, "rand")->adjust_by = "memory";
	lab_job(r, "memory")->canary = true;
	r->jobs[1].untouched = true;
	lab_gate(r, 0, "read.iops", 0.05);
	for (unsigned s = 0; s < 2; s++) {
		uint32_t n = lab_session(r);

		lab_runs(r, 0, n, 100000 * at * change * (s ? 1.001 : 1));
		if (canary)
			lab_runs(r, 1, n, 500000 * at * (s ? 1.002 : 1));
		if (r->runs.n && day < DAYS)
			break; /* one session each in the baseline */
	}
	if (!canary) {
		r->jobs[1].state = JOB_SKIPPED;
		r->jobs[1].why = "not there";
	}
}

static void store(struct baseline *b, unsigned n)
{
	struct result r[DAYS];
	const struct result *list[DAYS] = {0};
	struct err e = ERR_INIT;

	for (unsigned i = 0; i < n; i++) {
		two(&r[i], i, machine(i), 1 + (i % 2 ? .003 : -.003), true);
		list[i] = &r[i];
	}
	if (baseline_from_results(list, n, b, &e) != 0)
		fail_msg("%s", e.text);
	for (unsigned i = 0; i < n; i++)
		result_release(&r[i]);
}

static void test_gate(void **state)
{
	struct baseline b;
	struct result r;
	const struct verdict *v;

	(void)state;
	store(&b, DAYS);
	/* the whole machine is 8 % slower today, and the canary says so */
	two(&r, 40, .92, 1, true);
	lab_judge(&r, &b);
	v = lab_verdict(&r, 0, 0);
	assert_int_equal(v->kind, VERDICT_PASS);
	assert_true(fabs(v->change) < .01);
	lab_contains(v->text, "at equal level of canary 'memory', which moved by -7.");
	lab_contains(v->text, "raw: undecided, -7.");
	assert_string_equal(v->adjusted_by, "memory");
	r.jobs[0].adjust_by = NULL; /* only by declaration */
	lab_judge(&r, &b);
	v = lab_verdict(&r, 0, 0);
	assert_int_not_equal(v->kind, VERDICT_PASS);
	assert_null(strstr(v->text, "equal level of"));
	assert_null(v->adjusted_by);
	result_release(&r);
	/* a loss that the canary does not share is found the better */
	two(&r, 40, 1, .90, true);
	lab_judge(&r, &b);
	assert_int_equal(lab_verdict(&r, 0, 0)->kind, VERDICT_REGRESSION);
	result_release(&r);
	baseline_release(&b);
}

static void test_missing_canary(void **state)
{
	struct baseline b;
	struct result r;
	const struct verdict *v;

	(void)state;
	store(&b, DAYS);
	two(&r, 40, 1, 1, false);
	lab_judge(&r, &b);
	v = lab_verdict(&r, 0, 0);
	lab_expect(v, VERDICT_ERROR, STATUS_ERROR, JUNIT_ERROR);
	lab_contains(v->text, "canary 'memory', which has no read.iops in session 1");
	result_release(&r);
	two(&r, 40, 1, 1, true);
	r.jobs[0].adjust_by = "gone";
	lab_judge(&r, &b);
	v = lab_verdict(&r, 0, 0);
	assert_int_equal(v->kind, VERDICT_INCOMPARABLE);
	lab_contains(v->text, "canary 'gone' is not in the result");
	result_release(&r);
	baseline_release(&b);
	/* too few sessions for a slope: raw, and it says so */
	store(&b, 3);
	two(&r, 40, 1, 1, true);
	lab_judge(&r, &b);
	lab_contains(lab_verdict(&r, 0, 0)->text, "not adjusted by canary 'memory' while provis");
	result_release(&r);
	baseline_release(&b);
}

/* A baseline session of before the canary is left out, and so it is said. */
static void test_baseline_without(void **state)
{
	struct result r[DAYS], now;
	const struct result *list[DAYS] = {0};
	struct baseline b;
	struct err e = ERR_INIT;

	(void)state;
	for (unsigned i = 0; i < DAYS; i++) {
		two(&r[i], i, machine(i), 1 + (i % 2 ? .003 : -.003), i >= 3);
		list[i] = &r[i];
	}
	assert_int_equal(baseline_from_results(list, DAYS, &b, &e), 0);
	two(&now, 40, 1, 1, true);
	lab_judge(&now, &b);
	assert_int_equal(lab_verdict(&now, 0, 0)->base_sessions, DAYS - 3);
	lab_contains(lab_verdict(&now, 0, 0)->text, "3 incomparable sessions");
	for (unsigned i = 0; i < DAYS; i++)
		result_release(&r[i]);
	result_release(&now);
	baseline_release(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_by_hand),
		cmocka_unit_test(test_still_canary),
		cmocka_unit_test(test_gate),
		cmocka_unit_test(test_missing_canary),
		cmocka_unit_test(test_baseline_without),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
