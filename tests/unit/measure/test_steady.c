/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Steady state by both criteria together; the numbers are computed by hand. */
#include "measure/steady.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static struct steady of(const double *v, size_t n)
{
	struct steady s;

	steady_window(v, n, 0.2, 0.1, &s);
	return s;
}
#define OF(...) of((const double[]){__VA_ARGS__}, sizeof((double[]){__VA_ARGS__}) / sizeof(double))

static void near(double a, double b)
{
	if (!(fabs(a - b) < 1e-12))
		fail_msg("%.17g is not %.17g", a, b);
}

/* 100 102 98 101 99: average 100, range 4; deviations 0 2 -2 1 -1 with x -2..2 give
 * 0 - 2 + 0 + 1 - 2 = -3, over 10: -0.3 a round, -1.2 over the window. */
static void by_hand(void **state)
{
	struct steady s = OF(100, 102, 98, 101, 99);

	(void)state;
	near(s.average, 100);
	near(s.range, 0.04);
	near(s.slope, -0.012);
	assert_true(s.reached);
}

/* 90 100 110 100 100: range 20 of 100, which is the limit; slope (20 + 10 * -1 ... ) by x:
 * -2 * -10 + -1 * 0 + 0 * 10 + 1 * 0 + 2 * 0 = 20, over 10: 2 a round, 8 over the window. */
static void limits_are_within(void **state)
{
	struct steady s = OF(90, 100, 110, 100, 100);

	(void)state;
	near(s.range, 0.2);
	near(s.slope, 0.08);
	assert_true(s.reached);
	assert_false(OF(89.9, 100, 110.1, 100, 100).reached);
	/* a straight line from 95 to 105: slope 2.5 a round, 10 over the window, and range 10 */
	s = OF(95, 97.5, 100, 102.5, 105);
	near(s.range, 0.1);
	near(s.slope, 0.1);
	assert_true(s.reached);
}

/* Each criterion alone lets through what the other holds back. */
static void both_together(void **state)
{
	struct steady s = OF(94, 97, 100, 103, 106);

	(void)state;
	near(s.range, 0.12); /* within 20 % */
	near(s.slope, 0.12); /* beyond 10 % */
	assert_false(s.reached);
	s = OF(106, 103, 100, 97, 94);
	near(s.slope, -0.12); /* downwards as well */
	assert_false(s.reached);
	/* symmetric about the middle: the line is flat, the values are 30 apart */
	s = OF(100, 85, 115, 115, 85);
	near(s.range, 0.3);
	near(s.slope, 0.0);
	assert_false(s.reached);
}

static void no_numbers(void **state)
{
	(void)state;
	assert_false(OF(0, 0, 0, 0, 0).reached);
	assert_false(OF(100, 100, NAN, 100, 100).reached);
	assert_false(OF(100, 100, INFINITY, 100, 100).reached);
	assert_false(OF(-100, -100, -100, -100, -100).reached);
	assert_false(OF(100).reached);
	assert_true(OF(100, 100).reached);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(by_hand),
		cmocka_unit_test(limits_are_within),
		cmocka_unit_test(both_together),
		cmocka_unit_test(no_numbers),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
