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

/* The first day: 26 sessions of one boot without any spread, and a run makes its sessions in one
 * boot. The rule then judges by what it assumes: s = 1.5 %, df = 4, one block against k sessions.
 */
static void test_first_day(void **state)
{
	struct forecaster *f = forecast_open();
	struct forecast_gate g = {.sessions = 26,
				  .blocks = 1,
				  .max = 5,
				  .delta = -log1p(-.05),
				  .assumed_sd = .015,
				  .red_total = .001,
				  .one_boot = true};
	struct forecast out;

	(void)state;
	near(forecast_least(&g), 3.364002 * .015 * sqrt(1 + 1.0 / 5), 1e-6, "tolerance");
	assert_true(forecast_ask(f, &g, &out));
	assert_true(out.pass <= 0 && out.undecided >= 1);
	near(out.cost, 5, 0, "sessions");
	g.delta = .056;
	assert_true(forecast_ask(f, &g, &out));
	near(out.pass, 1, 0, "a wider tolerance");
	g.delta = -log1p(-.05);
	/* a second boot: s^2 = 4 / 5 of it, df = 5, 1/k + 1/2 */
	assert_int_equal(forecast_passes_from(g), 2);
	g.blocks = 2;
	near(forecast_least(&g), 3.056946 * .015 * sqrt(.8 * (.5 + .2)), 1e-6, "of two boots");
	assert_true(forecast_ask(f, &g, &out));
	near(out.pass, 1, 0, "two boots");
	assert_int_equal(forecast_passes_from(g), 2);
	g.blocks = 1;
	/* new sessions that each had a boot of their own are worth more */
	g.one_boot = false;
	assert_int_equal(forecast_passes_from(g), 1);
	g.one_boot = true;
	/* runs add to what is assumed, steps to the limit; more of them than nothing can bear */
	g.within_sd = .03;
	near(forecast_least(&g), 3.364002 * sqrt((.015 * .015 + .287 * .0009) * 1.2), 1e-6, "runs");
	g.within_sd = 0;
	g.q = .01;
	near(forecast_least(&g), 3.364002 * .015 * sqrt(1.2) + .01, 1e-6, "steps");
	g.q = .05;
	assert_int_equal(forecast_passes_from(g), FORECAST_BLOCKS);
	/* older epochs told the spread already: nothing is waited for */
	g.q = 0;
	g.older_df = 9;
	g.older_ss = 9 * .001 * .001;
	assert_int_equal(forecast_passes_from(g), 1);
	assert_true(forecast_ask(f, &g, &out));
	near(out.pass, 1, 0, "with older epochs");
	g.blocks = 0;
	assert_int_equal(forecast_passes_from(g), 0);
	forecast_close(f);
}

/* Values in steps of q: what the rule takes off, the forecast takes off. */
static void test_steps(void **state)
{
	struct forecaster *f = forecast_open();
	struct forecast_gate g = gate(10), pairs = arms(20, .02);
	struct forecast without, with;

	(void)state;
	assert_true(forecast_ask(f, &g, &without));
	g.q = .02;
	assert_true(forecast_ask(f, &g, &with));
	assert_true(with.pass < without.pass - .1);
	assert_true(forecast_ask(f, &pairs, &without));
	pairs.q = .02;
	assert_true(forecast_ask(f, &pairs, &with));
	assert_true(with.cost > without.cost);
	g.q = NAN;
	assert_false(forecast_ask(f, &g, &with));
	assert_int_equal(calibrate_judge(.05, .005, 2.24, 0, 0), GATEABLE);
	assert_int_equal(calibrate_judge(.05, .02, 2.24, .009, 5 * .009),
			 GATEABLE_NOISY); /* q on top */
	assert_int_equal(calibrate_judge(.05, 0, 2.24, .011, 5 * .011),
			 UNGATEABLE); /* fewer than five */
	near(calibrate_need(.01, 2, .001, 5 * .001), .021, 1e-12, "need");
	near(calibrate_need(.01, 2, .01, 5 * .01), .05, 1e-12, "five steps");
	forecast_close(f);
}

/* What was never seen in 2000 trials is not said to be none. */
static void test_shares(void **state)
{
	struct forecast f = {.pass = .99, .undecided = .01};
	struct str s;

	(void)state;
	str_init(&s);
	forecast_add_shares(&f, 1, &s);
	assert_string_equal(s.s, "pass 99.0 %, undecided 1.0 %, red < 0.2 %");
	str_clear(&s);
	forecast_add_shares(&f, 20, &s);
	assert_string_equal(s.s, "pass 99.0 %, undecided 1.0 %, red < 3.0 %");
	f.red = .0005;
	str_clear(&s);
	forecast_add_shares(&f, 20, &s);
	assert_string_equal(s.s, "pass 99.0 %, undecided 1.0 %, red 0.05 %");
	str_release(&s);
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
		cmocka_unit_test(test_first_day),       cmocka_unit_test(test_steps),
		cmocka_unit_test(test_shares),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
