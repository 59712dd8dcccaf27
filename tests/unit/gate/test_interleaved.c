/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The decision between two arms: tables against the exact distribution, each way to decide, and
 * what must never decide. Its error rates are proved in tests/prove. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include "gate/calibrate.h"
#include "gate/dist.h"
#include "gate/interleaved.h"
#include <math.h>

#define DELTA log1p(.05)

/* PROCEDURE 5.2 names the levels from which the ranks came. */
static void test_ranks_are_the_exact_ones(void **state)
{
	static const struct {
		uint32_t budget;
		double pass, red;
	} levels[] = {
		{10, .0263, .0006}, {15, .022, .00045}, {20, .0157, .00035}, {28, .01586, .00028}};

	(void)state;
	for (size_t i = 0; i < sizeof(levels) / sizeof(levels[0]); i++) {
		struct interleaved_look look;
		unsigned n = 0;

		for (; interleaved_look(levels[i].budget, .001, n, &look); n++) {
			assert_int_equal(look.pass, dist_ranksum_rank(levels[i].pass, look.pairs));
			assert_int_equal(look.red, dist_ranksum_rank(levels[i].red, look.pairs));
		}
		assert_true(n >= 4);
		assert_int_equal(look.pairs, levels[i].budget);
	}
}

static void test_ranksum(void **state)
{
	(void)state;
	/* two arms of 4: 70 orders alike, one of them has W = 0, two W <= 1 */
	assert_int_equal(dist_ranksum_rank(1 / 70.0 - 1e-6, 4), -1);
	assert_int_equal(dist_ranksum_rank(1 / 70.0, 4), 0);
	assert_int_equal(dist_ranksum_rank(2 / 70.0, 4), 1);
	assert_int_equal(dist_ranksum_rank(1, 4), 16);
	assert_int_equal(dist_ranksum_rank(NAN, 4), -1);
	assert_int_equal(dist_ranksum_rank(.5, 0), -1);
	assert_int_equal(dist_ranksum_rank(.5, 51), -1);
}

/* A smaller share of the family never makes red easier, and is never refused in silence. */
static void test_smaller_totals(void **state)
{
	static const double totals[] = {.001, .0007, .0005, .0002, .0001, .00005, .00001, 1e-7};
	static const uint32_t budgets[] = {10, 15, 20, 28};

	(void)state;
	for (size_t b = 0; b < 4; b++)
		for (size_t t = 1; t < sizeof(totals) / sizeof(totals[0]); t++) {
			struct interleaved_look a, c;

			for (unsigned i = 0; interleaved_look(budgets[b], totals[t - 1], i, &a);
			     i++) {
				assert_true(interleaved_look(budgets[b], totals[t], i, &c));
				assert_true(c.red <= a.red);
				assert_int_equal(c.pass, a.pass);
			}
		}
	assert_true(interleaved_can_fail(20, .001));
	assert_true(interleaved_can_fail(20, .00001));
	assert_false(interleaved_can_fail(10, 1e-7));
	assert_false(interleaved_can_fail(9, .001));
}

static void test_budget(void **state)
{
	(void)state;
	assert_int_equal(interleaved_budget(9), 0);
	assert_int_equal(interleaved_budget(10), 10);
	assert_int_equal(interleaved_budget(19), 15);
	assert_int_equal(interleaved_budget(20), 20);
	assert_int_equal(interleaved_budget(1000), 28);
}

static void test_order(void **state)
{
	unsigned first[2] = {0, 0};

	(void)state;
	for (uint64_t seed = 0; seed < 200; seed++) {
		unsigned a = interleaved_arm(seed, 0);

		first[a]++;
		for (uint32_t pair = 0; pair < 20; pair++) {
			unsigned x = interleaved_arm(seed, 2 * pair),
				 y = interleaved_arm(seed, 2 * pair + 1);

			assert_int_equal(x + y, 1); /* each pair holds both arms */
			assert_int_equal(x, pair % 2 ? 1 - a : a);
		}
	}
	assert_in_range(first[0], 60, 140);
}

/* Arms of n distinct values about 0, the candidate moved by `effect`. */
struct arms {
	double reference[20], candidate[20];
	struct interleaved_input in;
};

static void arms_make(struct arms *a, size_t n, double effect, double noise)
{
	*a = (struct arms){.in = {.npairs = n, .budget = 20, .delta = DELTA, .red_total = .001}};
	a->in.reference = a->reference;
	a->in.candidate = a->candidate;
	for (size_t i = 0; i < n; i++) {
		a->reference[i] = noise * ((double)i - (double)(n - 1) / 2);
		a->candidate[i] = effect + noise * ((double)(n - 1 - i) - (double)(n - 1) / 2 + .3);
	}
}

static void test_decisions(void **state)
{
	struct interleaved_output out;
	struct arms a;

	(void)state;
	arms_make(&a, 4, 0, .001);
	interleaved_judge(&a.in, &out);
	assert_int_equal(out.state, SEQUENCE_PASS);
	assert_int_equal(out.pairs, 4);
	assert_int_equal(out.next, 0);

	/* a loss beyond the tolerance: not before 7 pairs */
	arms_make(&a, 5, 2 * DELTA, .001);
	interleaved_judge(&a.in, &out);
	assert_int_equal(out.state, SEQUENCE_CONTINUE);
	assert_int_equal(out.next, 7);
	assert_true(out.leaning_fail);
	assert_true(isinf(out.lower));
	arms_make(&a, 7, 2 * DELTA, .001);
	interleaved_judge(&a.in, &out);
	assert_int_equal(out.state, SEQUENCE_REGRESSION);
	assert_true(out.certain);
	assert_true(out.est > DELTA && out.lower > 0);

	arms_make(&a, 7, -2 * DELTA, .2 * DELTA);
	interleaved_judge(&a.in, &out);
	assert_int_equal(out.state, SEQUENCE_PASS); /* at 4 pairs: not worse is shown first */
	assert_int_equal(out.pairs, 4);
}

/* A wide spread is given up from 10 pairs on instead of using the budget up. */
static void test_futility(void **state)
{
	struct interleaved_output out;
	struct arms a;

	(void)state;
	arms_make(&a, 20, 0, 0);
	for (size_t i = 0; i < 20; i++) {
		/* spread alike from the first pairs on */
		a.reference[i] = .1 * ((double)(i * 7 % 20) - 9.5);
		a.candidate[i] = .1 * ((double)((i * 7 + 3) % 20) - 9.5);
	}
	interleaved_judge(&a.in, &out);
	assert_int_equal(out.state, SEQUENCE_GIVE_UP);
	assert_true(out.futile);
	assert_int_equal(out.pairs, 10);
	assert_false(isnan(out.est));
}

static void test_step_rule(void **state)
{
	struct interleaved_output out;
	struct arms a;

	(void)state;
	arms_make(&a, 4, .8 * DELTA, 1e-6);
	interleaved_judge(&a.in, &out);
	assert_int_equal(out.state, SEQUENCE_PASS);
	a.in.q = .3 * DELTA;
	interleaved_judge(&a.in, &out);
	assert_int_equal(out.state, SEQUENCE_CONTINUE);
}

static void test_never_from_nothing(void **state)
{
	struct interleaved_output out;
	struct arms a;

	(void)state;
	arms_make(&a, 0, 0, 0);
	interleaved_judge(&a.in, &out);
	assert_int_equal(out.state, SEQUENCE_CONTINUE);
	assert_int_equal(out.next, 4);
	assert_true(isnan(out.est));

	arms_make(&a, 4, 0, .001);
	a.candidate[3] = NAN;
	interleaved_judge(&a.in, &out);
	assert_int_equal(out.state, SEQUENCE_GIVE_UP);
	assert_true(isnan(out.est));

	arms_make(&a, 4, 0, .001);
	a.in.budget = 9;
	interleaved_judge(&a.in, &out);
	assert_int_equal(out.state, SEQUENCE_GIVE_UP);
	a.in.budget = 20;
	a.in.delta = 0;
	interleaved_judge(&a.in, &out);
	assert_int_equal(out.state, SEQUENCE_GIVE_UP);
	a.in.delta = DELTA;
	a.in.red_total = NAN;
	interleaved_judge(&a.in, &out);
	assert_int_equal(out.state, SEQUENCE_GIVE_UP);
}

/* Pairs behind a decision change nothing. */
static void test_first_decision_stands(void **state)
{
	struct interleaved_output early, late;
	struct arms a;

	(void)state;
	arms_make(&a, 4, 0, .001);
	interleaved_judge(&a.in, &early);
	for (size_t i = 4; i < 20; i++) {
		a.reference[i] = 0;
		a.candidate[i] = 1;
	}
	a.in.npairs = 20;
	interleaved_judge(&a.in, &late);
	assert_int_equal(late.state, SEQUENCE_PASS);
	assert_int_equal(late.pairs, early.pairs);
	assert_true(late.est >= early.est && late.est <= early.est);
}

static void test_calibrate(void **state)
{
	(void)state;
	assert_true(fabs(calibrate_stored(10, 5, .95) - 2.24) < 1e-9);
	assert_true(fabs(calibrate_stored(12, 4, .95) - 2.67) < 1e-9); /* as 10 and 3 */
	assert_true(fabs(calibrate_stored(100, 9, .99) - 2.05) < 1e-9);
	assert_true(isnan(calibrate_stored(4, 5, .95)));
	assert_true(isnan(calibrate_stored(10, 0, .95)));
	assert_true(fabs(calibrate_interleaved(20, .99) - 1.45) < 1e-9);
	assert_true(isnan(calibrate_interleaved(9, .99)));
	assert_true(fabs(calibrate_sd(1, 2) - 1.2533141) < 1e-6); /* sqrt(pi / 2) */
	assert_true(fabs(calibrate_sd(1, 10) - 1 / .9726593) < 1e-6);
	assert_true(isnan(calibrate_sd(1, 1)));
	assert_int_equal(calibrate_judge(.05, .01, 2.24, 0, 0), GATEABLE);
	assert_int_equal(calibrate_judge(.05, .03, 2.24, 0, 0), GATEABLE_NOISY);
	assert_int_equal(calibrate_judge(.05, .04, 2.24, 0, 0), UNGATEABLE);
	assert_int_equal(calibrate_judge(.05, NAN, 2.24, 0, 0), UNGATEABLE);
	assert_int_equal(calibrate_judge(.05, .01, NAN, 0, 0), UNGATEABLE);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_ranks_are_the_exact_ones),
		cmocka_unit_test(test_ranksum),
		cmocka_unit_test(test_smaller_totals),
		cmocka_unit_test(test_budget),
		cmocka_unit_test(test_order),
		cmocka_unit_test(test_decisions),
		cmocka_unit_test(test_futility),
		cmocka_unit_test(test_step_rule),
		cmocka_unit_test(test_never_from_nothing),
		cmocka_unit_test(test_first_decision_stands),
		cmocka_unit_test(test_calibrate),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
