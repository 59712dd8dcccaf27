/* SPDX-License-Identifier: GPL-2.0-or-later */
/* An epoch gives the level; the spread comes from all epochs that can be compared. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include "gate/estimate.h"
#include "gate/sequence.h"
#include "lab.h"

static void test_pooled(void **state)
{
	static const double base[] = {-.01, -.005, 0, .005, .01, 0}, fresh[] = {.002};
	struct stored_input in = {.base = base,
				  .nbase = 6,
				  .fresh = fresh,
				  .nfresh = 1,
				  .max = 5,
				  .delta = .0488,
				  .red_total = .001};
	struct stored_output alone, quiet, loud;

	(void)state;
	stored_judge(&in, &alone);
	in.older_df = 9;
	in.older_ss = 9 * .005 * .005;
	stored_judge(&in, &quiet);
	in.older_ss = 9 * .05 * .05;
	stored_judge(&in, &loud);
	assert_true(alone.df > 4.9 && alone.df < 5.1 && quiet.df > 13.9 && quiet.df < 14.1);
	assert_true(quiet.upper < alone.upper && loud.upper > alone.upper);
	assert_true(fabs(quiet.est - alone.est) < 1e-12 && fabs(loud.est - alone.est) < 1e-12);
	in.older_ss = NAN;
	stored_judge(&in, &loud);
	assert_int_equal(loud.state, SEQUENCE_GIVE_UP);
	in.older_ss = 1;
	in.older_df = -1;
	stored_judge(&in, &loud);
	assert_int_equal(loud.state, SEQUENCE_GIVE_UP);
}

/* ss^2 = (4 va + ss) / (4 + nu): with nothing in the epoch but one session each, the older spread
 * stands beside the assumed one. */
static void test_pooled_provisional(void **state)
{
	static const double base[] = {0}, fresh[] = {0};
	struct stored_input in = {.base = base,
				  .nbase = 1,
				  .fresh = fresh,
				  .nfresh = 1,
				  .max = 5,
				  .delta = .0488,
				  .red_total = .001,
				  .provisional = true,
				  .assumed_sd = .015,
				  .base_blocks = 1,
				  .fresh_blocks = 1,
				  .older_df = 8,
				  .older_ss = 8 * .004 * .004};
	struct stored_output out;

	(void)state;
	stored_judge(&in, &out);
	assert_true(fabs(out.df - 12) < 1e-9);
	assert_true(fabs(out.se - sqrt((4 * .015 * .015 + in.older_ss) / 12) * sqrt(2)) < 1e-12);
}

static void test_block_means(void **state)
{
	double v[] = {1, 2, 10, 20, 3};
	const uint32_t block[] = {0, 0, 1, 1, 0};

	(void)state;
	assert_int_equal(pool_block_means(v, block, 5, 2), 2);
	assert_true(fabs(v[0] - 2) < 1e-12 && fabs(v[1] - 15) < 1e-12);
}

static void older(struct baseline *b, size_t n)
{
	for (size_t i = 0; i < b->n; i++)
		b->sessions[i].epoch = i < n ? 1 : 2;
	b->epoch = 2;
}

static void other_drive(struct result *r, unsigned i)
{
	if (i < 8)
		lab_target_fact(r, "device.model", "Sample 970");
}

/* Eight quiet sessions of epoch 1 beside two of epoch 2: the loss that cannot be excluded shrinks;
 * those of another drive do not count. */
static void test_judged(void **state)
{
	double excluded[3];

	(void)state;
	for (unsigned i = 0; i < 3; i++) {
		const struct verdict *v;
		struct baseline b;
		struct result r;

		lab_baseline(&b, 10, 100000, i == 2 ? other_drive : NULL);
		if (i == 0) /* none but the two */
			for (size_t k = 0; k < 8; k++)
				b.sessions[k].jobs.n = 0;
		older(&b, 8);
		lab_simple(&r, 40, 100000);
		lab_judge(&r, &b);
		v = lab_verdict(&r, 0, 0);
		assert_true(v->provisional);
		assert_int_equal(v->base_sessions, 2);
		excluded[i] = v->excluded;
		result_release(&r);
		if (i == 0)
			for (size_t k = 0; k < 8; k++)
				b.sessions[k].jobs.n = 1;
		baseline_release(&b);
	}
	assert_true(excluded[1] < excluded[0] * .8);
	assert_true(fabs(excluded[2] - excluded[0]) < 1e-12);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_pooled),
		cmocka_unit_test(test_pooled_provisional),
		cmocka_unit_test(test_block_means),
		cmocka_unit_test(test_judged),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
