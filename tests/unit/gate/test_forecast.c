/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The forecast against the rates of PROCEDURE 5.7 and 7, and against the k factors of PROCEDURE 6.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include "gate/calibrate.h"
#include "gate/forecast.h"
#include <math.h>

/* session sd 1.5 %, median of five runs of sd 2 % */
#define SD sqrt(.015 * .015 + .287 * .02 * .02)

static struct forecast_gate gate(uint32_t sessions)
{
	return (struct forecast_gate){.sessions = sessions,
				      .blocks = sessions,
				      .max = 5,
				      .delta = log1p(.05),
				      .sd = SD,
				      .within_sd = .02,
				      .assumed_sd = .015,
				      .red_total = .001};
}

static void near(double got, double want, double slack, const char *what)
{
	if (!(fabs(got - want) <= slack))
		fail_msg("%s: %.4f, not within %.4f of %.4f", what, got, slack, want);
}

static void test_tabulated_rates(void **state)
{
	static const struct {
		uint32_t sessions;
		double pass, cost;
	} rows[] = {{1, .49, 0},   {2, .77, 0},     {3, .88, 0},     {4, .94, 0},
		    {5, .93, 2.4}, {10, .989, 1.8}, {20, .998, 1.55}};
	struct forecaster *f = forecast_open();

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct forecast_gate g = gate(rows[i].sessions);
		struct forecast out;

		assert_true(forecast_ask(f, &g, &out));
		near(out.pass, rows[i].pass, .04, "pass on unchanged code");
		near(out.pass + out.red + out.undecided, 1, 1e-9, "shares");
		assert_true(out.red < .005);
		if (rows[i].cost > 0)
			near(out.cost, rows[i].cost, .12, "sessions");
		g.effect = log1p(.10);
		assert_true(forecast_ask(f, &g, &out));
		if (rows[i].sessions >= 10)
			assert_true(out.red > .98);
		assert_true(out.pass < .01);
	}
	forecast_close(f);
}

static void test_k_factors(void **state)
{
	static const uint32_t sessions[] = {5, 7, 10, 20};
	struct forecaster *f = forecast_open();

	(void)state;
	for (size_t i = 0; i < 4; i++) {
		struct forecast_gate g = gate(sessions[i]);
		double k = calibrate_stored(sessions[i], 5, .95);

		near(forecast_tolerance(f, g, .95) / SD, k, .12 * k, "k for 95 %");
		k = calibrate_stored(sessions[i], 5, .99);
		near(forecast_tolerance(f, g, .99) / SD, k, .12 * k, "k for 99 %");
	}
	forecast_close(f);
}

static void test_finds(void **state)
{
	struct forecaster *f = forecast_open();
	struct forecast_gate g = gate(10);
	double e = forecast_finds(f, g, .95);
	struct forecast out;

	(void)state;
	assert_true(e > g.delta && e < 2 * g.delta);
	g.effect = e;
	assert_true(forecast_ask(f, &g, &out));
	near(out.red, .95, .02, "found");
	g.sd *= 100; /* nothing can be found in that */
	assert_true(isnan(forecast_finds(f, g, .95)));
	forecast_close(f);
}

/* No figure without its evidence. */
static void test_unknown(void **state)
{
	struct forecaster *f = forecast_open();
	struct forecast_gate g = gate(10);
	struct forecast out;

	(void)state;
	g.sessions = 0;
	assert_false(forecast_ask(f, &g, &out));
	assert_true(out.undecided >= 1 && out.pass <= 0);
	g = gate(10);
	g.sd = NAN;
	assert_false(forecast_ask(f, &g, &out));
	g = gate(10);
	g.delta = 0;
	assert_false(forecast_ask(f, &g, &out));
	g = gate(3);
	g.assumed_sd = NAN;
	assert_false(forecast_ask(f, &g, &out));
	g = gate(10);
	g.max = 7;
	assert_false(forecast_ask(f, &g, &out));
	g = gate(10);
	g.sd = 0;
	assert_true(isnan(forecast_tolerance(f, g, .95)));
	assert_true(forecast_ask(f, &g, &out));
	assert_true(out.pass >= 1);
	forecast_close(f);
}

static struct forecast_gate arms(uint32_t pairs, double sd)
{
	return (struct forecast_gate){
		.pairs = pairs, .delta = log1p(.05), .within_sd = sd, .red_total = .001};
}

/* Two arms against the rates of PROCEDURE 4 and 5, and the factors of 6. */
static void test_pairs(void **state)
{
	static const uint32_t budgets[] = {10, 15, 20};
	struct forecaster *f = forecast_open();
	struct forecast_gate g = arms(20, .02);
	struct forecast out;

	(void)state;
	assert_true(forecast_ask(f, &g, &out));
	near(out.pass, 1, .003, "pass, run sd 2 %");
	near(out.cost, 4.95, .1, "pairs, run sd 2 %");
	g = arms(20, .05);
	g.effect = log1p(.10);
	assert_true(forecast_ask(f, &g, &out));
	near(out.red, .98, .015, "found, run sd 5 %");
	g = arms(20, .20);
	assert_true(forecast_ask(f, &g, &out));
	assert_true(out.undecided > .85 && out.red < .005);
	for (size_t i = 0; i < 3; i++) {
		double k = calibrate_interleaved(budgets[i], .95);

		g = arms(budgets[i], .02);
		near(forecast_tolerance(f, g, .95) / .02, k, .08 * k, "k for 95 %");
		k = calibrate_interleaved(budgets[i], .99);
		near(forecast_tolerance(f, g, .99) / .02, k, .08 * k, "k for 99 %");
	}
	g = arms(9, .02); /* there is no such budget */
	assert_false(forecast_ask(f, &g, &out));
	assert_true(out.undecided >= 1);
	g = arms(20, NAN);
	assert_false(forecast_ask(f, &g, &out));
	forecast_close(f);
}

/* A canary correlated 0.8, session sd 3 %, run sd 1 % (PROCEDURE 5.6): what is left at its level,
 * and a degree of freedom less. */
static void test_adjusted(void **state)
{
	const double own = .03 * .03 + .287 * .01 * .01, shared = .8 * .03 * .03;
	struct forecaster *f = forecast_open();
	struct forecast_gate g = gate(10);
	struct forecast raw, out;

	(void)state;
	g.sd = sqrt(own);
	assert_true(forecast_ask(f, &g, &raw));
	near(raw.pass, .737, .04, "raw: pass");
	g.sd = sqrt(own - shared * shared / own);
	assert_true(forecast_ask(f, &g, &raw));
	g.adjusted = true;
	assert_true(forecast_ask(f, &g, &out));
	near(out.pass, .970, .015, "adjusted: pass");
	near(out.cost, 2.1, .12, "adjusted: sessions");
	assert_true(out.pass < raw.pass && out.cost > raw.cost); /* the slope is not free */
	g.effect = log1p(.10);
	assert_true(forecast_ask(f, &g, &out));
	near(out.red, .998, .01, "adjusted: found");
	g.blocks = 4; /* the provisional rule adjusts nothing */
	assert_false(forecast_ask(f, &g, &out));
	forecast_close(f);
}

static void test_suite(void **state)
{
	const struct forecast v[] = {{.9, .01, .09, 2}, {.99, 0, .01, 1}, {.5, .02, .48, 4}};
	size_t worst;
	struct forecast all = forecast_suite(v, 3, &worst);

	(void)state;
	assert_int_equal(worst, 2);
	near(all.pass, .9 * .99 * .5, 1e-12, "pass");
	near(all.red, 1 - .99 * .98, 1e-12, "red");
	near(all.cost, 4, 1e-12, "sessions");
	near(all.pass + all.red + all.undecided, 1, 1e-12, "shares");
}

/* The same question has the same answer, whatever was asked before. */
static void test_repeatable(void **state)
{
	struct forecaster *a = forecast_open(), *b = forecast_open();
	struct forecast_gate g = gate(7), other = gate(12);
	struct forecast x, y;

	(void)state;
	assert_true(forecast_ask(a, &other, &x));
	assert_true(forecast_ask(a, &g, &x));
	assert_true(forecast_ask(b, &g, &y));
	near(x.pass, y.pass, 0, "pass");
	near(x.cost, y.cost, 0, "sessions");
	forecast_close(a);
	forecast_close(b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_tabulated_rates), cmocka_unit_test(test_k_factors),
		cmocka_unit_test(test_finds),           cmocka_unit_test(test_unknown),
		cmocka_unit_test(test_pairs),           cmocka_unit_test(test_adjusted),
		cmocka_unit_test(test_suite),           cmocka_unit_test(test_repeatable),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
