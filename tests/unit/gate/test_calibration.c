/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What calibrate reads out of accepted sessions: spreads, modes, the cure, and never a figure from
 * too little. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include "../normal.h"
#include "gate/calibration.h"
#include "lab.h"

static double session_sd, run_sd, gap;
static double own_sd; /* what the session brings to the gate and not to the canary */
static bool still;    /* the canary never moves */
static struct rng rng;

/* A session of five runs: a level of its own, runs about it, half of them in another mode. */
static void noisy(struct result *r, unsigned i)
{
	double level = 100000 * exp(session_sd * rng_normal(&rng));

	(void)i;
	for (size_t k = 0; k < r->runs.n; k++)
		lab_rate(&r->runs.v[k].out,
			 level * exp(run_sd * rng_normal(&rng) + (k % 2 ? gap / 2 : -gap / 2)));
}

/* The same beside a canary that shares the level. */
static void beside(struct result *r, unsigned i)
{
	double level = 100000 * exp(session_sd * rng_normal(&rng));
	double own = level * exp(own_sd * rng_normal(&rng));
	uint32_t canary = 1;

	for (size_t k = 0; k < r->runs.n; k++)
		lab_rate(&r->runs.v[k].out, own * exp(run_sd * rng_normal(&rng)));
	lab_job(r, "memory")->canary = true;
	lab_check(r, canary, CHECK_EXPECT, "read.iops");
	if (i == 3)
		return; /* of that session the canary is missing */
	for (uint32_t k = 0; k < r->jobs[canary].runs; k++)
		lab_rate(&lab_run(r, canary, 0, k)->out,
			 still ? 50000 : .5 * level * exp(run_sd * rng_normal(&rng)));
}

static struct calibration_ask asked(double tolerance)
{
	return (struct calibration_ask){.target = "dut",
					.job = "rand-4k",
					.metric = "read.iops",
					.tolerance = tolerance,
					.max = 5,
					.gates = 1,
					.undecided = .05,
					.red_total = .001,
					.assumed_sd = .015};
}

static bool ask(unsigned sessions, double tolerance, struct calibration *c, struct str *text)
{
	struct calibration_ask a = asked(tolerance);
	struct forecaster *f = forecast_open();
	struct baseline b;
	bool known;

	rng_seed(&rng, 11);
	lab_baseline(&b, sessions, 100000, noisy);
	known = calibrate_gate(f, &b, &a, c);
	str_clear(text);
	calibration_text(&a, c, text);
	baseline_release(&b);
	forecast_close(f);
	return known;
}

static void test_spreads(void **state)
{
	struct calibration c;
	struct str text;

	(void)state;
	str_init(&text);
	session_sd = .015;
	run_sd = .02;
	gap = 0;
	assert_true(ask(60, .05, &c, &text));
	assert_int_equal(c.sessions, 60);
	assert_int_equal(c.blocks, 60);
	assert_true(fabs(c.run_sd - .02) < .003);
	assert_true(fabs(c.session_sd - .015) < .004);
	assert_true(c.known && c.forecast_known && c.apart <= 0);
	assert_int_equal(c.state, GATEABLE);
	assert_true(c.needed > .02 && c.needed < .05);
	assert_true(c.finds > .05 && c.finds < .12);
	lab_contains(text.s, " is found in 95 of 100\n");
	lab_contains(text.s, "; sd of a session value, its runs' part included, ");
	assert_int_equal(c.passes_from, 0);
	assert_null(strstr(text.s, "cannot turn green"));
	lab_contains(text.s, "tolerance 5 %: holds; unchanged code: pass 9");
	str_release(&text);
}

/* adjust_by: judged by what is left at equal level of the canary, the raw figures beside. */
static void test_adjusted(void **state)
{
	struct job jobs[] = {{.name = "rand-4k", .rw = RW_RANDREAD, .adjust_by = "memory"},
			     {.name = "memory", .rw = RW_RANDREAD}};
	struct calibration_ask a = asked(.05);
	struct forecaster *f = forecast_open();
	struct calibration c;
	struct baseline b;
	struct str text;

	(void)state;
	str_init(&text);
	session_sd = .06;
	own_sd = .008;
	run_sd = .005;
	rng_seed(&rng, 12);
	lab_baseline(&b, 21, 100000, beside);
	calibration_beside(&a, jobs, 2, &jobs[0]);
	assert_string_equal(a.canary, "memory");
	assert_string_equal(a.canary_metric, "read.iops");
	assert_true(calibrate_gate(f, &b, &a, &c));
	assert_true(c.adjusted && c.known && c.forecast_known);
	assert_int_equal(c.sessions, 20);
	assert_int_equal(c.left_out, 1);
	assert_true(fabs(c.median_sd - .009) < .004);
	assert_true(c.raw_sd > .04);
	assert_true(fabs(c.slope - 1) < .15);
	assert_int_equal(c.state, GATEABLE);
	assert_true(c.forecast.pass > .97 && c.raw.pass < .9);
	assert_true(c.needed < .04 && c.needed_raw > .05);
	/* a degree of freedom and the slope cost something */
	assert_true(c.factor > calibrate_stored(20, 5, .95) * .98);
	calibration_text(&a, &c, &text);
	lab_contains(text.s, "at equal level of canary 'memory' (slope ");
	lab_contains(text.s, ", by which the gate is judged");
	lab_contains(text.s, " (raw: ");
	baseline_release(&b);
	a.canary = NULL;
	still = true;
	lab_baseline(&b, 8, 100000, beside);
	calibration_beside(&a, jobs, 2, &jobs[0]);
	assert_true(calibrate_gate(f, &b, &a, &c));
	assert_false(c.known || c.forecast_known);
	str_clear(&text);
	calibration_text(&a, &c, &text);
	lab_contains(text.s, "it tells nothing");
	still = false;
	jobs[0].adjust_by = NULL;
	calibration_beside(&a, jobs, 2, &jobs[0]);
	assert_null(a.canary);
	assert_true(calibrate_gate(f, &b, &a, &c));
	assert_true(c.known && !c.adjusted);
	assert_true(isnan(c.needed_raw));
	baseline_release(&b);
	str_release(&text);
	forecast_close(f);
}

static void test_cures(void **state)
{
	struct calibration c;
	struct str text;

	(void)state;
	str_init(&text);
	gap = 0;
	run_sd = .005;
	session_sd = .025;
	assert_true(ask(10, .05, &c, &text));
	assert_true(c.state != GATEABLE);
	lab_contains(text.s, "cure: ");
	session_sd = .06; /* runs are quiet: two arms in one session would do */
	assert_true(ask(20, .05, &c, &text));
	assert_int_equal(c.state, UNGATEABLE);
	lab_contains(text.s, "cure: interleave");
	run_sd = .2;
	assert_true(ask(20, .05, &c, &text));
	lab_contains(text.s, "cure: a tolerance of ");
	str_release(&text);
}

static void asked_of(struct baseline *b, struct calibration *c, struct str *text)
{
	struct calibration_ask a = asked(.05);
	struct forecaster *f = forecast_open();

	assert_true(calibrate_gate(f, b, &a, c));
	str_clear(text);
	calibration_text(&a, c, text);
	forecast_close(f);
}

/* All sessions of one boot: what will hold, and that it does not yet. */
static void test_first_day(void **state)
{
	struct calibration c;
	struct baseline b;
	struct str text;

	(void)state;
	str_init(&text);
	session_sd = run_sd = 0;
	gap = 0;
	rng_seed(&rng, 11);
	lab_baseline(&b, 26, 100000, noisy);
	for (size_t i = 0; i < b.n; i++) {
		b.sessions[i].boot_id = "one";
		b.sessions[i].started = b.sessions[0].started + 60 * (int64_t)i;
	}
	asked_of(&b, &c, &text);
	assert_int_equal(c.blocks, 1);
	assert_int_equal(c.passes_from, 2);
	assert_int_equal(c.state, GATEABLE);
	lab_contains(text.s, "tolerance 5 %: holds (from 5 boots or days on)\n");
	lab_contains(text.s, "now, provisional (1 of 5 boots or days), unchanged code: pass 0.0 %, "
			     "undecided 100.0 %, red < 0.2 %");
	lab_contains(text.s,
		     "cannot turn green before 2 boots or days are in the baseline (now 1)");
	lab_contains(text.s, "a session sd of 1.5 % is assumed, with which a tolerance below 5.4 % "
			     "never passes");
	lab_contains(text.s, "What helps: accept a session after a reboot or on another day, a "
			     "wider tolerance, two arms in turn");
	lab_contains(text.s, "cure: accept sessions after a reboot or on another day (1 of 5)");
	b.n = 1; /* known from the first session on */
	asked_of(&b, &c, &text);
	assert_false(c.known);
	assert_int_equal(c.passes_from, 2);
	lab_contains(text.s, "cannot turn green before 2 boots or days");
	b.n = 26;
	/* the spread that another epoch has told is not assumed again */
	for (size_t i = 0; i < 25; i++)
		b.sessions[i].started -= (int64_t)(25 - i) * LAB_DAY; /* a day each */
	b.sessions[25].epoch = b.epoch = 2;
	asked_of(&b, &c, &text);
	assert_int_equal(c.sessions, 1);
	assert_int_equal(c.passes_from, 1);
	assert_true(c.older_df > 20);
	assert_null(strstr(text.s, "cannot turn green"));
	baseline_release(&b);
	str_release(&text);
}

/* Values in steps are told, and a tolerance that is less than five of them is none. */
static void test_coarse(void **state)
{
	struct calibration c, fine;
	struct baseline b;
	struct str text;

	(void)state;
	str_init(&text);
	session_sd = .01;
	run_sd = .01;
	gap = 0;
	rng_seed(&rng, 11);
	lab_baseline(&b, 20, 100000, noisy);
	asked_of(&b, &fine, &text);
	assert_int_equal(fine.state, GATEABLE);
	assert_null(strstr(text.s, "steps"));
	for (size_t k = 0; k < b.sessions[3].jobs.v[0].values.n; k++)
		b.sessions[3].jobs.v[0].values.v[k].step[2] = .02;
	asked_of(&b, &c, &text);
	assert_int_equal(c.state, UNGATEABLE);
	assert_true(c.needed > .09 && fine.needed < .05);
	lab_contains(text.s, "the values come in steps of 2.0 %, and it takes five of them");
	lab_contains(text.s, "cure: a tolerance of ");
	baseline_release(&b);
	str_release(&text);
}

/* Every slice moved the same bytes. */
static void level_rate(struct result *r, unsigned i)
{
	(void)i;
	for (size_t k = 0; k < r->runs.n; k++) {
		struct outcome *o = &r->runs.v[k].out;

		lab_slices(o, 1000);
		for (uint64_t n = 0; n < o->nslots; n++) {
			o->slots[n].ios[DIR_READ] = 1000;
			o->slots[n].bytes[DIR_READ] = 4096000;
		}
	}
}

/* All values 0: their step is one in the base unit, as the rule takes it. */
static void test_zeros(void **state)
{
	struct calibration_ask a = asked(3);
	struct forecaster *f = forecast_open();
	struct calibration c;
	struct baseline b;

	(void)state;
	a.metric = "bw.dips";
	a.absolute = true;
	lab_baseline(&b, 8, 100000, level_rate);
	assert_true(calibrate_gate(f, &b, &a, &c));
	assert_true(fabs(c.q - 1) < 1e-9);
	assert_int_equal(c.state, GATEABLE); /* whole things: a tolerance of 3 is enough */
	a.tolerance = .5;
	assert_true(calibrate_gate(f, &b, &a, &c));
	assert_int_equal(c.state, UNGATEABLE);
	baseline_release(&b);
	forecast_close(f);
}

/* A cure must cure: neither boots, when the noise is too much for any number of them, nor a
 * tolerance that lets everything pass. */
static void test_no_cure(void **state)
{
	const struct metric *rate = metric_find("read.iops"),
			    *latency = metric_find("read.clat.p99");
	struct calibration c;
	struct baseline b;
	struct str text;

	(void)state;
	assert_true(calibration_gates_nothing(.51, rate) && calibration_gates_nothing(NAN, rate));
	assert_true(calibration_gates_nothing(1.01, latency));
	assert_false(calibration_gates_nothing(.5, rate) || calibration_gates_nothing(1, latency));
	str_init(&text);
	session_sd = .8;
	run_sd = .6;
	rng_seed(&rng, 11);
	lab_baseline(&b, 8, 100000, noisy);
	for (size_t i = 0; i < b.n; i++) {
		b.sessions[i].boot_id = "one";
		b.sessions[i].started = b.sessions[0].started + 60 * (int64_t)i;
	}
	asked_of(&b, &c, &text);
	assert_int_equal(c.state, UNGATEABLE);
	lab_contains(text.s, "cure: a longer runtime or ramp_time, or role: watch (the tolerance "
			     "that it needs, ");
	assert_null(strstr(text.s, "cure: accept"));
	assert_null(strstr(text.s, "e+"));
	baseline_release(&b);
	str_release(&text);
}

static void test_too_little(void **state)
{
	struct calibration c;
	struct str text;

	(void)state;
	str_init(&text);
	session_sd = run_sd = .01;
	gap = 0;
	assert_true(ask(4, .05, &c, &text));
	assert_false(c.known);
	assert_true(isnan(c.needed) && isnan(c.finds));
	lab_contains(text.s, "5 sessions are needed");
	assert_true(ask(6, NAN, &c, &text));
	assert_true(c.known && !c.forecast_known);
	assert_null(strstr(text.s, "holds"));
	str_release(&text);
}

static void test_modes(void **state)
{
	struct calibration c;
	struct str text;
	double v[60];
	size_t low;

	(void)state;
	str_init(&text);
	session_sd = 0;
	run_sd = .003;
	gap = .04;
	assert_true(ask(12, .05, &c, &text));
	assert_true(fabs(c.apart - .04) < .01);
	assert_int_equal(c.lower_mode + c.upper_mode, 60);
	lab_contains(text.s, "two modes: ");
	gap = 0;
	assert_true(ask(12, .05, &c, &text));
	assert_true(c.apart <= 0);

	rng_seed(&rng, 3);
	for (unsigned trial = 0; trial < 300; trial++) {
		for (size_t i = 0; i < 60; i++)
			v[i] = rng_normal(&rng);
		assert_true(calibration_modes(v, 60, &low) <= 0);
		for (size_t i = 0; i < 60; i++)
			v[i] = rng_double(&rng);
		assert_true(calibration_modes(v, 60, &low) <= 0);
	}
	for (size_t i = 0; i < 60; i++)
		v[i] = 7; /* no spread at all */
	assert_true(calibration_modes(v, 60, &low) <= 0);
	assert_true(calibration_modes(v, 10, &low) <= 0);
	str_release(&text);
}

static void test_absent(void **state)
{
	struct calibration_ask a = {
		.target = "dut", .job = "other", .metric = "read.iops", .tolerance = .05, .max = 5};
	struct forecaster *f = forecast_open();
	struct calibration c;
	struct baseline b;

	(void)state;
	lab_baseline(&b, 6, 100000, NULL);
	assert_false(calibrate_gate(f, &b, &a, &c));
	a.job = "rand-4k";
	a.metric = "read.nonsense";
	assert_false(calibrate_gate(f, &b, &a, &c));
	a.metric = "read.iops";
	a.tolerance = 0;
	assert_false(calibrate_gate(f, &b, &a, &c));
	baseline_release(&b);
	forecast_close(f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_spreads),    cmocka_unit_test(test_cures),
		cmocka_unit_test(test_too_little), cmocka_unit_test(test_modes),
		cmocka_unit_test(test_absent),     cmocka_unit_test(test_adjusted),
		cmocka_unit_test(test_first_day),  cmocka_unit_test(test_coarse),
		cmocka_unit_test(test_no_cure),    cmocka_unit_test(test_zeros),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
