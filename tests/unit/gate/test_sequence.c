/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The decision against numbers computed by hand: t quantiles come from numerical integration of the
 * density, not from the library under test. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include "../normal.h"
#include "gate/dist.h"
#include "gate/estimate.h"
#include "gate/sequence.h"
#include <math.h>

static void near(double got, double want, double eps)
{
	if (!(fabs(got - want) <= eps))
		fail_msg("got %.9g, wanted %.9g", got, want);
}

static void test_t_quantile(void **state)
{
	static const struct {
		double level, df, t;
	} cases[] = {
		{.05, 10, 1.812461},    {.0141, 9, 2.611528},  {.0141, 4, 3.364002},
		{.0141, 5, 3.056946},   {.0141, 13, 2.468768}, {.00035, 10, 4.822118},
		{.00035, 5, 7.420655},  {.040, 9, 1.972653},   {.001, 10, 4.143700},
		{.00005, 10, 6.211051},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		near(dist_t_upper(cases[i].level, cases[i].df), cases[i].t, 2e-6);
	near(dist_t_upper(.5, 7), 0, 1e-12);
}

/* Nothing that is asked can make the library print or leave. */
static void test_t_hostile(void **state)
{
	(void)state;
	assert_true(isnan(dist_t_upper(NAN, 5)));
	assert_true(isnan(dist_t_upper(.05, NAN)));
	assert_true(isfinite(dist_t_upper(0, 1)));
	assert_true(isfinite(dist_t_upper(-1, -INFINITY)));
	near(dist_t_upper(.05, INFINITY), 1.644854, 1e-4);
	near(dist_t_upper(7, 3), 0, 1e-12);
}

static void test_median_rank(void **state)
{
	/* 2 P(Bin(n, 1/2) < c) <= 1/16 */
	static const struct {
		size_t n, c;
	} cases[] = {{0, 0}, {1, 1},  {4, 1},  {5, 1},  {8, 1},
		     {9, 2}, {10, 2}, {11, 2}, {12, 3}, {25, 8}};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		assert_int_equal(dist_median_rank(cases[i].n), cases[i].c);
	assert_true(dist_median_rank(1000000000) > 0);
}

static void test_levels(void **state)
{
	static const double pass[] = {.040, .0244, .0188, .0159, .0141, .0128};
	static const double red[] = {0, .00100, .00058, .00044, .00035, .00031};

	(void)state;
	for (uint32_t k = 1; k <= 6; k++) {
		near(stored_pass_level(k), pass[k - 1], 0);
		near(stored_red_level(k, 0.001), red[k - 1], 0);
	}
	assert_true(isnan(stored_pass_level(0)) && isnan(stored_pass_level(7)));
	assert_true(isnan(stored_red_level(0, .001)) && isnan(stored_red_level(7, .001)));
	near(stored_red_level(5, 0.05 / 50), .00035, 0); /* m = 50: still 0.1 % */
	near(stored_red_level(5, 0.05 / 51), .00017,
	     0); /* not tabulated: the next smaller, 0.05 % */
	near(stored_red_level(5, 0.0005), .00017, 0);
	near(stored_red_level(5, 0.0004), .000033, 0);
	near(stored_red_level(3, 0.0001), .000057, 0);
	near(stored_red_level(5, 0.00004), .00001,
	     1e-12); /* below all: divided by four red looks */
	near(stored_red_level(2, 0.00004), .00004, 1e-12);
	near(stored_red_level(5, 0.5), .00035, 0); /* never looser than the table */
}

/* Ten sessions at +-0.01: mean 0, sum of squares 0.001. */
static const double base10[10] = {.01, -.01, .01, -.01, .01, -.01, .01, -.01, .01, -.01};

static struct stored_input input(const double *fresh, size_t k)
{
	return (struct stored_input){.base = base10,
				     .nbase = 10,
				     .fresh = fresh,
				     .nfresh = k,
				     .max = 5,
				     .delta = .05,
				     .red_total = .001};
}

static void judged(const struct stored_input *in, enum sequence_state want, int at)
{
	struct stored_output out;

	stored_judge(in, &out);
	if (out.state != want || out.decided_at != at)
		fail_msg("state %d at %d, wanted %d at %d (est %g upper %g lower %g)",
			 (int)out.state, out.decided_at, (int)want, at, out.est, out.upper,
			 out.lower);
}

static void test_first_look(void **state)
{
	/* s = sqrt(.001 / 9), se = s sqrt(1.1) = .0110554, t(.0141; 9) se = .0288714 */
	double pass[] = {.0211}, undecided[] = {.0212}, red[] = {.9};
	struct stored_input in = input(pass, 1);
	struct stored_output out;

	(void)state;
	stored_judge(&in, &out);
	near(out.est, .0211, 1e-12);
	near(out.se, .01105542, 1e-8);
	near(out.df, 9, 0);
	near(out.upper, .0211 + .0288714, 1e-6);
	assert_true(isinf(out.lower) && out.lower < 0);
	judged(&in, SEQUENCE_PASS, 1);
	in = input(undecided, 1);
	judged(&in, SEQUENCE_CONTINUE, 0);
	/* the first session alone is never red, however bad */
	in = input(red, 1);
	judged(&in, SEQUENCE_CONTINUE, 0);
	stored_judge(&in, &out);
	assert_true(out.leaning_fail && !out.certain);
	/* K = 1 has no red look: undecided at the end */
	in.max = 1;
	judged(&in, SEQUENCE_GIVE_UP, 0);
}

static void test_quantisation(void **state)
{
	double edge[] = {.0161}, over[] = {.0162}, flat[3] = {0, 0, 0};
	struct stored_input in = input(edge, 1);
	struct stored_output out;

	(void)state;
	in.q = .005; /* PASS needs upper + q <= delta */
	judged(&in, SEQUENCE_PASS, 1);
	in.fresh = over;
	judged(&in, SEQUENCE_CONTINUE, 0);
	/* all values in one bucket: s is held at q/2, so that nothing is certain below the step */
	in = (struct stored_input){.base = flat,
				   .nbase = 3,
				   .fresh = edge,
				   .nfresh = 1,
				   .max = 5,
				   .delta = .05,
				   .q = .02,
				   .red_total = .001};
	stored_judge(&in, &out);
	near(out.se, .01 * sqrt(1 + 1 / 3.), 1e-12);
}

static void test_red_needs_two(void **state)
{
	/* k = 2: s = .01, se = .01 sqrt(.6) = .0077460, t(.00035; 10) se = .0373520 */
	double red[] = {.06, .06}, one[] = {.12, .045, .06}, edge[] = {.05, .05};
	double certain[] = {.09, .09};
	struct stored_input in = input(red, 2);
	struct stored_output out;

	(void)state;
	stored_judge(&in, &out);
	near(out.lower, .06 - .0373520, 1e-6);
	assert_false(out.certain);
	judged(&in, SEQUENCE_REGRESSION, 2);
	in = input(edge, 2); /* not beyond the tolerance */
	judged(&in, SEQUENCE_CONTINUE, 0);
	/* est .0825 and lower .0096, but only one session lies beyond: one bad boot is no
	 * regression */
	in = input(one, 2);
	stored_judge(&in, &out);
	assert_true(out.est > .05 && out.lower > 0);
	judged(&in, SEQUENCE_CONTINUE, 0);
	in = input(one, 3); /* a second one agrees */
	judged(&in, SEQUENCE_REGRESSION, 3);
	in = input(certain, 2);
	stored_judge(&in, &out);
	assert_true(out.state == SEQUENCE_REGRESSION && out.certain);
	/* 51 gates: the level of 0.05 % */
	in = input(red, 2);
	in.red_total = .05 / 51;
	stored_judge(&in, &out);
	assert_true(out.lower < .06 - .0373520);
}

static void test_improvement(void **state)
{
	/* Only coarse values keep the first look from passing: q = .2, s held at .1.
	 * Look 1: -.4 + 2.611528 x .1 x 1.048809 + .2 = .0739. Look 2: 4.822118 x .1 x .774597 =
	 * .3735. */
	double better[] = {-.4, -.4}, fine[] = {-.06};
	struct stored_input in = input(better, 2);

	(void)state;
	in.q = .2;
	judged(&in, SEQUENCE_IMPROVEMENT, 2);
	in = input(fine, 1);
	judged(&in, SEQUENCE_PASS, 1);
}

static void test_first_decision_stands(void **state)
{
	double pass_then_red[] = {0, .2, .2, .2, .2}, red_then_pass[] = {.08, .08, -.5, -.5, -.5};
	double seven[] = {.04, .04, .04, .04, .04, -.9, -.9};
	struct stored_input in = input(pass_then_red, 5);

	(void)state;
	judged(&in, SEQUENCE_PASS, 1);
	in = input(red_then_pass, 5);
	judged(&in, SEQUENCE_REGRESSION, 2);
	in = input(seven, 5);
	judged(&in, SEQUENCE_GIVE_UP, 0);
	in = input(seven, 7); /* beyond the last look nothing is read */
	judged(&in, SEQUENCE_GIVE_UP, 0);
	in = input(seven, 4);
	judged(&in, SEQUENCE_CONTINUE, 0);
}

static void test_provisional(void **state)
{
	double zero[] = {0}, fresh[] = {-.0377, .02}, worse[] = {-.0376};
	double two_blocks[] = {.01, .03, -.01, -.03};
	const uint32_t pairs[] = {0, 0, 1, 1}, same[] = {0, 0};
	struct stored_input in = {.base = zero,
				  .nbase = 1,
				  .fresh = fresh,
				  .nfresh = 1,
				  .max = 5,
				  .delta = .05,
				  .red_total = .001,
				  .provisional = true,
				  .assumed_sd = .015,
				  .within_sd = .02,
				  .base_blocks = 1,
				  .fresh_blocks = 1};
	struct stored_output out;

	(void)state;
	/* v_a = .000225 + .287 x .0004 = .0003398; df 4; se = sqrt(2 v_a) = .0260692; t se =
	 * .0876970 */
	stored_judge(&in, &out);
	near(out.df, 4, 0);
	near(out.se, .02606914, 1e-7);
	near(out.upper, -.0377 + .0876970, 2e-6);
	judged(&in, SEQUENCE_PASS, 1);
	in.fresh = worse;
	judged(&in, SEQUENCE_CONTINUE, 0);
	/* Two blocks of two sessions: block values +-.02, sum of squares .0008, nu 1, S 2.
	 * s^2 = (4 v_a + .0008) / 5 = .00043184; se = s sqrt(1 + 1/2) = .0254511 */
	in.base = two_blocks;
	in.nbase = 4;
	in.base_block = pairs;
	in.base_blocks = 2;
	stored_judge(&in, &out);
	near(out.df, 5, 0);
	near(out.se, .02545114, 1e-7);
	near(out.upper, -.0376 + 3.056946 * .02545114, 2e-6);
	/* Without the table the sessions are spread evenly over the blocks: the same here. */
	in.base_block = NULL;
	stored_judge(&in, &out);
	near(out.se, .02545114, 1e-7);
	/* Two new sessions of one boot: k = 2 in the mean, one block in nu. */
	in.base = zero;
	in.nbase = in.base_blocks = 1;
	in.fresh = (double[]){.03, .05};
	in.nfresh = 2;
	in.fresh_block = same;
	stored_judge(&in, &out);
	near(out.df, 4, 0);
	near(out.est, .04, 1e-12);
	near(out.se, sqrt(.0003398 * 1.5), 1e-8);
}

/* The variance of the median is that of as many runs as there are: played, and as the rule takes
 * it.
 */
static void test_median_variance(void **state)
{
	static const uint32_t runs[] = {1, 2, 3, 4, 5, 6, 7, 9, 11, 15, 25};
	double base[] = {0}, fresh[] = {0};
	struct stored_input in = {.base = base,
				  .nbase = 1,
				  .fresh = fresh,
				  .nfresh = 1,
				  .max = 5,
				  .delta = .05,
				  .red_total = .001,
				  .provisional = true,
				  .within_sd = .02,
				  .base_blocks = 1,
				  .fresh_blocks = 1};
	struct stored_output out;
	struct rng rng;

	(void)state;
	rng_seed(&rng, 5);
	for (size_t i = 0; i < sizeof(runs) / sizeof(runs[0]); i++) {
		double v[25], sum = 0;

		for (unsigned t = 0; t < 20000; t++) {
			for (uint32_t k = 0; k < runs[i]; k++)
				v[k] = rng_normal(&rng);
			sum += pow(estimate_median(v, runs[i]), 2) / 20000;
		}
		near(sum / median_variance(runs[i]), 1, .05);
		in.runs = runs[i];
		stored_judge(&in, &out);
		near(out.se, .02 * sqrt(2 * median_variance(runs[i])), 1e-12);
	}
	near(median_variance(0), median_variance(5), 0);
}

/* On the plain scale: the share of the level, and a tenth of the tolerance at least. */
static void test_assumed_sd(void **state)
{
	const struct scale logs = {.delta = .05}, plain = {.absolute = true, .delta = 100};

	(void)state;
	near(scale_assumed_sd(&logs, 0, 5000), .015, 0);
	near(scale_assumed_sd(&logs, .02, 5000), .02, 0);
	near(scale_assumed_sd(&plain, .02, -5000), 100, 1e-9);
	near(scale_assumed_sd(&plain, .02, 10), 10, 1e-9);
	near(scale_assumed_sd(&plain, 0, 0), 10, 1e-9);
	/* five steps, but of what is counted in whole things */
	near(scale_least(&logs, metric_find("read.iops"), .01), .05, 1e-12);
	near(scale_least(&plain, metric_find("read.clat.p99"), 7), 35, 1e-12);
	near(scale_least(&plain, metric_find("bw.dips"), 1), 1, 0);
	near(scale_least(&logs, metric_find("bw.dips"), .01), .05, 1e-12);
}

static void test_hostile(void **state)
{
	double good[] = {0}, bad[] = {NAN}, inf[] = {0, INFINITY};
	struct stored_input in = input(good, 1);

	(void)state;
	in.delta = 0;
	judged(&in, SEQUENCE_GIVE_UP, 0);
	in.delta = NAN;
	judged(&in, SEQUENCE_GIVE_UP, 0);
	in.delta = INFINITY;
	judged(&in, SEQUENCE_GIVE_UP, 0);
	in = input(bad, 1);
	judged(&in, SEQUENCE_GIVE_UP, 0);
	in = input(inf, 2);
	judged(&in, SEQUENCE_GIVE_UP, 0);
	in = input(good, 0);
	judged(&in, SEQUENCE_GIVE_UP, 0);
	in = input(good, 1);
	in.base = bad;
	in.nbase = 1;
	judged(&in, SEQUENCE_GIVE_UP, 0);
	in = input(good, 1);
	in.max = 7;
	judged(&in, SEQUENCE_GIVE_UP, 0);
	in.max = 0;
	judged(&in, SEQUENCE_GIVE_UP, 0);
	in = input(good, 1);
	in.q = NAN;
	judged(&in, SEQUENCE_GIVE_UP, 0);
	in = input(good, 1);
	in.provisional = true;
	in.within_sd = NAN;
	judged(&in, SEQUENCE_GIVE_UP, 0);
	/* one against one has no variance of its own: never a pass */
	in = input(good, 1);
	in.nbase = 1;
	judged(&in, SEQUENCE_CONTINUE, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_t_quantile),
		cmocka_unit_test(test_t_hostile),
		cmocka_unit_test(test_median_rank),
		cmocka_unit_test(test_levels),
		cmocka_unit_test(test_first_look),
		cmocka_unit_test(test_quantisation),
		cmocka_unit_test(test_red_needs_two),
		cmocka_unit_test(test_improvement),
		cmocka_unit_test(test_first_decision_stands),
		cmocka_unit_test(test_provisional),
		cmocka_unit_test(test_median_variance),
		cmocka_unit_test(test_assumed_sd),
		cmocka_unit_test(test_hostile),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
