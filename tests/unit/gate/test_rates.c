/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A short check of the error rates of PROCEDURE 5.5 (the full proof is a program of its own): ten
 * baseline sessions of five runs, up to five new ones, session sd 1.5 %, run sd 2 %, fixed seed. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include "../normal.h"
#include "gate/estimate.h"
#include "gate/sequence.h"
#include <math.h>
#include <stdio.h>

#define TRIALS 2000

static double session_value(struct rng *r, double effect)
{
	double run[5], level = effect + .015 * rng_normal(r);

	for (unsigned i = 0; i < 5; i++)
		run[i] = level + .02 * rng_normal(r);
	return estimate_median(run, 5);
}

static void rates(uint64_t seed, size_t nbase, double effect, bool provisional, double *pass,
		  double *red)
{
	double base[10], fresh[5];
	struct stored_input in = {.base = base,
				  .nbase = nbase,
				  .fresh = fresh,
				  .nfresh = 5,
				  .max = 5,
				  .delta = log1p(.05),
				  .red_total = .001,
				  .provisional = provisional,
				  .assumed_sd = .015,
				  .within_sd = .02,
				  .base_blocks = (uint32_t)nbase,
				  .fresh_blocks = 5};
	unsigned passes = 0, reds = 0;
	struct rng r;

	rng_seed(&r, seed);
	for (unsigned t = 0; t < TRIALS; t++) {
		struct stored_output out;

		for (size_t i = 0; i < nbase; i++)
			base[i] = session_value(&r, 0);
		for (size_t i = 0; i < 5; i++)
			fresh[i] = session_value(&r, effect);
		stored_judge(&in, &out);
		passes += out.state == SEQUENCE_PASS;
		reds += out.state == SEQUENCE_REGRESSION;
	}
	*pass = 100.0 * passes / TRIALS;
	*red = 100.0 * reds / TRIALS;
}

static void at_most(const char *what, double got, double bound)
{
	if (got > bound)
		fail_msg("%s: %.2f %%, at most %.2f %%", what, got, bound);
}

static void at_least(const char *what, double got, double bound)
{
	if (got < bound)
		fail_msg("%s: %.2f %%, at least %.2f %%", what, got, bound);
}

static void test_stored(void **state)
{
	double pass, red;

	(void)state;
	rates(1, 10, 0, false, &pass, &red);
	at_most("red at 0", red, 0.3);
	at_least("pass at 0", pass, 97);
	rates(2, 10, log1p(.05), false, &pass, &red);
	at_most("pass at the tolerance", pass, 6.5);
	rates(3, 10, log1p(.10), false, &pass, &red);
	at_least("red at twice the tolerance", red, 97);
	at_most("pass at twice the tolerance", pass, 0.3);
}

/* PROCEDURE 7, true session sd as assumed: S = 1 and S = 4. */
static void test_assumed(void **state)
{
	double pass, red;

	(void)state;
	rates(4, 1, 0, true, &pass, &red);
	at_most("S 1, red at 0", red, 0.3);
	rates(5, 1, log1p(.05), true, &pass, &red);
	at_most("S 1, pass at the tolerance", pass, 2.5);
	rates(6, 4, 0, true, &pass, &red);
	at_most("S 4, red at 0", red, 0.3);
	at_least("S 4, pass at 0", pass, 91);
	rates(7, 4, log1p(.10), true, &pass, &red);
	at_least("S 4, red at twice the tolerance", red, 97);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_stored),
		cmocka_unit_test(test_assumed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
