/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The brake: many workloads lean red and the canary moved with them. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include "lab.h"

#define JOBS 4

/* Four gated workloads and a canary without a gate, two sessions each; `level` of each. */
static void make(struct result *r, unsigned day, const double *level, double canary, bool untouched)
{
	static const char *const names[JOBS] = {"a", "b", "c", "d"};
	uint32_t s;

	lab_init(r, day);
	for (uint32_t j = 0; j < JOBS; j++) {
		lab_job(r, names[j]);
		lab_gate(r, j, "read.iops", .05);
	}
	lab_job(r, "still")->canary = true;
	r->jobs[JOBS].untouched = untouched;
	for (unsigned i = 0; i < 2; i++) {
		s = lab_session(r);
		for (uint32_t j = 0; j < JOBS; j++)
			lab_runs(r, j, s, level[j]);
		lab_runs(r, JOBS, s, canary);
	}
}

static const double same[JOBS] = {1e5, 1e5, 1e5, 1e5}, half[JOBS] = {8e4, 8e4, 1e5, 1e5},
		    one[JOBS] = {8e4, 1e5, 1e5, 1e5};

/* The canary's sessions lie that far apart. */
static void baseline_of(struct baseline *b, double wide)
{
	struct result r[10];
	const struct result *p[10];
	struct err e = ERR_INIT;

	for (unsigned i = 0; i < 10; i++) {
		double level[JOBS], f = 1 + (i % 2 ? .003 : -.003);

		for (unsigned j = 0; j < JOBS; j++)
			level[j] = 1e5 * f;
		make(&r[i], i, level, 1e5 * (1 + (i % 2 ? wide : -wide)), false);
		p[i] = &r[i];
	}
	assert_int_equal(baseline_from_results(p, 10, b, &e), 0);
	for (unsigned i = 0; i < 10; i++)
		result_release(&r[i]);
}

static void baseline(struct baseline *b)
{
	baseline_of(b, .003);
}

static void expect(const double *level, double canary, bool untouched, bool suspected,
		   enum exit_status status)
{
	struct baseline b;
	struct result r;

	baseline(&b);
	make(&r, 40, level, canary, untouched);
	lab_judge(&r, &b);
	if (suspected != (r.environment != NULL))
		fail_msg("environment: %s", r.environment ? r.environment : "not suspected");
	if (r.status != status)
		fail_msg("status %d, wanted %d", (int)r.status, (int)status);
	for (uint32_t j = 0; suspected && untouched && j < JOBS; j++) {
		const struct verdict *v = lab_verdict(&r, j, j);

		lab_expect(v, VERDICT_ERROR, STATUS_ERROR, JUNIT_ERROR);
		assert_string_equal(v->type, "environment");
		lab_contains(v->text, "canary 'still'");
		assert_false(gate_wants_session(&r, j));
	}
	result_release(&r);
	baseline_release(&b);
}

static void test_brake(void **state)
{
	(void)state;
	expect(same, 1e5, false, false, STATUS_PASS);
	expect(half, 1e5, false, false, STATUS_REGRESSION); /* the canary stood still */
	expect(half, 8e4, false, true, STATUS_REGRESSION);  /* the verdicts stand */
	expect(half, 8e4, true, true, STATUS_ERROR);
	expect(one, 8e4, true, false, STATUS_REGRESSION);    /* one of four is not many */
	expect(same, 8e4, true, false, STATUS_PASS);         /* nothing leans red */
	expect(half, 1.2e5, true, false, STATUS_REGRESSION); /* faster is no excuse */
}

/* An untouched canary that moved by so much, and what becomes of a loss of a fifth everywhere. */
static void moved(double wide, double canary, double tight, double own, enum exit_status status)
{
	static const double all[JOBS] = {8e4, 8e4, 8e4, 8e4};
	struct baseline b;
	struct result r;

	baseline_of(&b, wide);
	make(&r, 40, all, 1e5 * canary, true);
	if (tight > 0)
		r.checks[0].tolerance = tight;
	if (own > 0)
		lab_gate(&r, JOBS, "read.iops", own)->role = ROLE_WATCH;
	lab_judge(&r, &b);
	if (r.status != status)
		fail_msg("canary %.3f: status %d, wanted %d: %s", canary, (int)r.status,
			 (int)status, r.environment ? r.environment : "not suspected");
	result_release(&r);
	baseline_release(&b);
}

/* It moved when its own loss is shown and is one by the measure of the gates that lean red, or by
 * its own; one gate that is tight is no measure for the others. */
static void test_moved(void **state)
{
	(void)state;
	moved(.003, .992, 0.01, 0, STATUS_REGRESSION);
	moved(.003, .97, 0.01, 0, STATUS_REGRESSION);
	moved(.003, .93, 0.01, 0, STATUS_ERROR);
	moved(.003, .97, 0, .02, STATUS_ERROR);
	moved(.003, .97, 0, .04, STATUS_REGRESSION);
	moved(.08, .93, 0, 0, STATUS_REGRESSION); /* it does that by itself */
}

/* What the canary did after the decision is no part of it. */
static void test_moved_later(void **state)
{
	struct baseline b;
	struct result r;
	uint32_t s;

	(void)state;
	baseline(&b);
	make(&r, 40, half, 1e5, true);
	for (unsigned i = 0; i < 2; i++) {
		s = lab_session(&r);
		for (uint32_t j = 0; j < JOBS; j++)
			lab_runs(&r, j, s, half[j]);
		lab_runs(&r, JOBS, s, 6e4);
	}
	lab_judge(&r, &b);
	assert_int_equal(r.status, STATUS_REGRESSION);
	result_release(&r);
	baseline_release(&b);
}

/* A canary that cannot be judged excuses nothing. */
static void test_unknown_canary(void **state)
{
	struct baseline b;
	struct result r;

	(void)state;
	baseline(&b);
	make(&r, 40, half, 8e4, true);
	r.jobs[JOBS].bs = 8192; /* another job than in the baseline */
	lab_judge(&r, &b);
	assert_null(r.environment);
	assert_int_equal(r.status, STATUS_REGRESSION);
	result_release(&r);
	baseline_release(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_brake),
		cmocka_unit_test(test_unknown_canary),
		cmocka_unit_test(test_moved),
		cmocka_unit_test(test_moved_later),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
