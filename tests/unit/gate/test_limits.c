/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The limits that are printed are those that decided, and values in steps (PROCEDURE 5.9). */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include "gate/dist.h"
#include "gate/sequence.h"
#include "lab.h"

/* A new session of that level against ten of 100 k, whose values come in steps. */
static const struct verdict *judged(struct result *r, double level, unsigned sessions, double step)
{
	struct baseline b;

	lab_baseline(&b, 10, 100000, NULL);
	for (size_t i = 0; i < b.n; i++)
		for (size_t k = 0; k < b.sessions[i].jobs.v[0].values.n; k++) {
			struct base_value *v = &b.sessions[i].jobs.v[0].values.v[k];

			for (size_t n = 0; n < v->n; n++)
				v->step[n] = step;
		}
	lab_simple(r, 20, level);
	for (unsigned i = 1; i < sessions; i++)
		lab_runs(r, 0, lab_session(r), level);
	lab_judge(r, &b);
	baseline_release(&b);
	return lab_verdict(r, 0, 0);
}

/* The bad end of the interval is the loss that is excluded, or that cannot be. */
static void test_interval(void **state)
{
	static const struct {
		double level, step;
		enum verdict_kind kind;
	} cases[] = {
		{100000, 0, VERDICT_PASS},           {100000, .004, VERDICT_PASS},
		{97500, .009, VERDICT_PASS},         {96500, .009, VERDICT_INCONCLUSIVE},
		{95000, .004, VERDICT_INCONCLUSIVE},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct result r;
		const struct verdict *v = judged(&r, cases[i].level, 1, cases[i].step);

		assert_int_equal(v->kind, cases[i].kind);
		assert_true(fabs(-v->low - v->excluded) < 1e-9);
		assert_true((v->excluded <= .05) == (v->kind == VERDICT_PASS));
		assert_true(v->low < v->change && v->change < v->high);
		result_release(&r);
	}
}

static void test_coarse(void **state)
{
	struct result r;
	const struct verdict *v = judged(&r, 100000, 1, .0105);

	(void)state;
	lab_expect(v, VERDICT_INCONCLUSIVE, STATUS_INCONCLUSIVE, v->shape);
	lab_contains(v->text,
		     "would be excluded, too coarse: the values come in steps of 1.1 %, and "
		     "a pass takes a tolerance of five of them, 5.1 %");
	assert_false(v->wants_session); /* more of them are as coarse */
	result_release(&r);
	/* where no loss at all is left, no step hides one */
	v = judged(&r, 130000, 1, .0105);
	assert_int_equal(v->kind, VERDICT_IMPROVEMENT);
	result_release(&r);
	/* what is lost beyond all steps is lost */
	v = judged(&r, 60000, 2, .0105);
	assert_int_equal(v->kind, VERDICT_REGRESSION);
	assert_true(v->high < 0);
	result_release(&r);
}

/* --sessions 1 of a suite that plans five: the look is one of five, as a run that goes on with it
 * will take it to have been. */
static void test_planned(void **state)
{
	static const struct {
		uint32_t max, suite, looks;
	} cases[] = {{1, 5, 5}, {1, 0, 1}, {1, 1, 1}, {3, 1, 3}, {2, 900, 5}};
	double known = 0;

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const struct verdict *v;
		struct baseline b;
		struct result r;
		double half;

		lab_baseline(&b, 10, 100000, NULL);
		lab_simple(&r, 20, 97000);
		r.sessions_max = cases[i].max;
		r.sessions_suite = cases[i].suite;
		lab_judge(&r, &b);
		v = lab_verdict(&r, 0, 0);
		/* one standard error, whatever the level */
		half = log1p(v->high) - log1p(v->change);
		half /= dist_t_upper(stored_pass_level(cases[i].looks), 9);
		if (known > 0 && fabs(half / known - 1) > .01)
			fail_msg("case %zu: not the level of %u looks", i, cases[i].looks);
		known = half;
		baseline_release(&b);
		result_release(&r);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_interval),
		cmocka_unit_test(test_coarse),
		cmocka_unit_test(test_planned),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
