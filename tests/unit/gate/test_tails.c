/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tails: cliffs, shares, clat.tail, and what a baseline keeps of them. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include "gate/calibration.h"
#include "gate/outlook.h"
#include "gate/tail.h"
#include "gate/tails.h"
#include "lab.h"
#include "store.h"

#define IOS 200000

/* A run of fast I/Os about 80 us and so many slow ones about 5 ms, which come in every slice or in
 * so many. */
static void two_modes(struct outcome *o, unsigned slow, unsigned bursts, unsigned salt)
{
	struct hist *h = xcalloc(1, sizeof(*h));

	for (unsigned i = 0; i < 100; i++)
		hist_add_n(h, 78000 + 40 * i + 20 * salt, (IOS - slow) / 100);
	for (unsigned i = 0; i < 10; i++)
		hist_add_n(h, 4900000 + 20000 * i + 1000 * salt, slow / 10);
	bins_from_hist(&o->dir[DIR_READ].clat, h);
	free(h);
	lab_rate(o, IOS / 64.);
	lab_slices(o, 82000);
	for (unsigned i = 0; i < bursts && i < o->nslots; i++)
		o->slots[i].clat[DIR_READ] = 5000000;
}

/* Session day of a job with that gate. */
static void modes_result(struct result *r, unsigned day, const char *gate, unsigned slow,
			 unsigned bursts)
{
	lab_init(r, day);
	lab_job(r, "rand-4k");
	lab_gate(r, 0, gate, 0.2);
	for (uint32_t s = 0; s < (day >= 40 ? 2 : 1); s++) {
		lab_session(r);
		for (uint32_t i = 0; i < 5; i++)
			two_modes(&lab_run(r, 0, s, i)->out, slow + 10 * ((i + day) % 3), bursts,
				  i + day % 4);
	}
}

static void modes_baseline(struct baseline *b, const char *gate, unsigned slow, unsigned bursts)
{
	struct result r[6];
	const struct result *p[6];
	struct err e = ERR_INIT;

	for (unsigned i = 0; i < 6; i++) {
		modes_result(&r[i], i, gate, slow, bursts);
		p[i] = &r[i];
	}
	if (baseline_from_results(p, 6, b, &e))
		fail_msg("%s", e.text);
	for (unsigned i = 0; i < 6; i++)
		result_release(&r[i]);
}

static void judged(const char *gate, unsigned was, unsigned is, unsigned bursts,
		   enum verdict_kind kind, const char *has)
{
	struct baseline b;
	struct result r;
	const struct verdict *v;

	modes_baseline(&b, gate, was, 600);
	modes_result(&r, 40, gate, is, bursts);
	lab_judge(&r, &b);
	v = lab_verdict(&r, 0, 0);
	if (v->kind != kind)
		fail_msg("%s %u -> %u: %s: %s", gate, was, is, verdict_name(v->kind), v->text);
	lab_contains(v->text, has);
	result_release(&r);
	baseline_release(&b);
}

/* 1 % slow: p99 lies between the modes and its value is chance; the share is judged. */
static void test_cliff(void **state)
{
	(void)state;
	judged("read.clat.p99", 2000, 2000, 600, VERDICT_PASS,
	       "the percentile lies on a cliff between two modes, 8");
	judged("read.clat.p99", 2000, 4000, 600, VERDICT_REGRESSION,
	       "read.clat.p99 (share of I/Os slower than ");
	judged("read.clat.p99", 2000, 4000, 600, VERDICT_REGRESSION, "tolerance 50 %");
	judged("read.clat.p99", 2000, 1000, 600, VERDICT_IMPROVEMENT, "better beyond");
	/* far from it the percentile itself is judged: here it is blind, and says so nowhere */
	judged("read.clat.p99", 200, 400, 600, VERDICT_PASS, "read.clat.p99 +0.");
	judged("read.clat.p90", 2000, 4000, 600, VERDICT_PASS, "read.clat.p90 +0.");
}

/* So much time has no counterpart in shares: on a cliff such a gate says nothing, and says so. It
 * may be wider than the cliff is high, and it is judged by the percentile where there is none. */
static void test_absolute(void **state)
{
	static const struct {
		const char *gate;
		double tolerance;
		unsigned was, is;
		enum verdict_kind kind;
		const char *has;
	} cases[] = {
		{"read.clat.p99", 1e6, 2000, 4000, VERDICT_INCONCLUSIVE, "no absolute tolerance"},
		{"read.clat.p99", 1e6, 2000, 2000, VERDICT_INCONCLUSIVE, "tolerance in per cent"},
		{"read.clat.p99", 1e5, 200, 200, VERDICT_PASS, "read.clat.p99 "},
		{"read.clat.p90", 1e5, 2000, 4000, VERDICT_PASS, "read.clat.p90 "},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		const struct verdict *v;
		struct baseline b;
		struct result r;

		modes_baseline(&b, cases[i].gate, cases[i].was, 600);
		modes_result(&r, 40, cases[i].gate, cases[i].is, 600);
		r.checks[0].absolute = true;
		r.checks[0].tolerance = cases[i].tolerance;
		lab_judge(&r, &b);
		v = lab_verdict(&r, 0, 0);
		if (v->kind != cases[i].kind)
			fail_msg("%zu: %s: %s", i, verdict_name(v->kind), v->text);
		lab_contains(v->text, cases[i].has);
		result_release(&r);
		baseline_release(&b);
	}
}

/* 0.1 -> 0.2 %: p99 stands still. */
static void test_tail(void **state)
{
	(void)state;
	judged("read.clat.tail", 200, 200, 600, VERDICT_PASS, "looked at the share of I/Os slower");
	judged("read.clat.tail", 200, 400, 600, VERDICT_REGRESSION,
	       "read.clat.tail (share of I/Os slower than ");
	judged("read.clat.tail", 200, 400, 20, VERDICT_REGRESSION, "+9");
	/* all in three bursts: too few events to be red, too many I/Os to be green */
	judged("read.clat.tail", 200, 400, 3, VERDICT_INCONCLUSIVE, "is of fewer than 15 bursts");
	/* p99 itself on the cliff: the share between the modes tells it */
	judged("read.clat.tail", 2000, 4000, 600, VERDICT_REGRESSION, "share of I/Os slower than ");
	/* none at all is no loss, whatever it comes in */
	judged("read.clat.tail", 200, 0, 3, VERDICT_IMPROVEMENT, "looked at");
	/* and where there was none, some are one */
	judged("read.clat.tail", 0, 200, 600, VERDICT_REGRESSION, "share of I/Os slower than");
}

/* A baseline whose files were written before the gate was there holds no tails. */
static void test_without_tails(void **state)
{
	static const char *const gates[] = {"read.clat.tail", "read.clat.p99"};
	static const unsigned slow[] = {200, 2000};

	(void)state;
	for (unsigned i = 0; i < 2; i++) {
		struct err e = ERR_INIT;
		const struct verdict *v;
		struct result r;
		struct store s;

		store_open(&s);
		for (unsigned day = 0; day < 5; day++) {
			size_t stored;

			modes_result(&r, day, "read.clat.mean", slow[i], 600);
			lab_judge(&r, NULL);
			if (store_accept(&s, &r, NULL, &stored, &e))
				fail_msg("%s", e.text);
			result_release(&r);
		}
		store_load(&s);
		modes_result(&r, 40, gates[i], slow[i], 600);
		lab_judge(&r, &s.b);
		v = lab_verdict(&r, 0, 0);
		lab_expect(v, VERDICT_INCONCLUSIVE, STATUS_INCONCLUSIVE, JUNIT_SKIPPED);
		lab_contains(v->text, i ? "on a cliff between two modes"
					: "does not tell the share of slow I/Os");
		result_release(&r);
		baseline_release(&s.b);
		store_close(&s);
	}
}

/* The same from files as from results, bit for bit. */
static void test_stored(void **state)
{
	struct result r[5], now;
	const struct result *p[5];
	struct baseline direct;
	struct err e = ERR_INIT;
	struct store s;

	(void)state;
	store_open(&s);
	for (unsigned i = 0; i < 5; i++) {
		size_t stored;

		modes_result(&r[i], i, "read.clat.tail", 150, 600);
		lab_judge(&r[i], NULL);
		if (store_accept(&s, &r[i], NULL, &stored, &e))
			fail_msg("%s", e.text);
		p[i] = &r[i];
	}
	assert_int_equal(baseline_from_results(p, 5, &direct, &e), 0);
	store_load(&s);
	modes_result(&now, 40, "read.clat.tail", 300, 600);
	lab_judge(&now, &direct);
	struct verdict a = *lab_verdict(&now, 0, 0);

	lab_judge(&now, &s.b);
	const struct verdict *b = lab_verdict(&now, 0, 0);

	assert_int_equal(a.kind, VERDICT_REGRESSION);
	assert_int_equal(b->kind, VERDICT_REGRESSION);
	assert_true(a.change == b->change && a.low == b->low && a.base_value == b->base_value);
	assert_true(fabs(b->change - 1) < 0.1);
	assert_true(fabs(b->shift[0] - 1) < 0.01 && fabs(b->shift[2] - 1) < 0.01);
	assert_true(b->shift[3] > 50); /* p99.9 lies at the slow ones now */
	assert_string_equal(a.text, b->text);
	baseline_release(&direct);
	baseline_release(&s.b);
	for (unsigned i = 0; i < 5; i++)
		result_release(&r[i]);
	result_release(&now);
	store_close(&s);
}

static void test_gap(void **state)
{
	double grid[QUANTILE_POINTS];
	struct gap gap;

	(void)state;
	/* a power law, smooth, however long: 1.3 to 0.7 % is 1.86 to the third */
	for (unsigned i = 0; i < QUANTILE_POINTS; i++)
		grid[i] = 1e5 * pow(10, 3 * i / 8.);
	assert_false(tails_gap(grid, .99, .2, &gap));
	/* a step where 1 % begins */
	for (unsigned i = 0; i < QUANTILE_POINTS; i++)
		grid[i] = i <= 16 ? 8e4 : 5e6;
	assert_true(tails_gap(grid, .99, .2, &gap));
	assert_true(gap.low == 8e4 && gap.high == 5e6);
	assert_false(tails_gap(grid, .999, .2, &gap));
	assert_false(tails_gap(grid, .95, .2, &gap));
	assert_false(tails_gap(grid, .9999, .2, &gap)); /* beyond the grid */
	/* a step that the tolerance covers is none */
	for (unsigned i = 0; i < QUANTILE_POINTS; i++)
		grid[i] = i <= 16 ? 1e5 : 1.4e5;
	assert_false(tails_gap(grid, .99, .2, &gap));
	grid[17] = NAN;
	assert_false(tails_gap(grid, .99, .1, &gap));
}

static void test_counts(void **state)
{
	struct outcome o;
	struct arena a;
	struct tail t;

	(void)state;
	arena_init(&a);
	outcome_init(&o);
	o.window = LAB_WINDOW;
	two_modes(&o, 100, 7, 0);
	tail_of(metric_find("read.clat.p99"), &o, &a, &t);
	assert_int_equal(tail_ios(&t, tail_limit(1e6)), 100);
	assert_int_equal(tail_slices(&t, tail_limit(1e6)), 7);
	assert_int_equal(tail_ios(&t, 0), o.dir[DIR_READ].clat.n);
	assert_int_equal(tail_slices(&t, 0), 640);
	assert_int_equal(tail_ios(&t, tail_limit(1e7)), 0);
	/* a limit is never below what it was asked for, nor an eighth of an octave above */
	for (double ns = 1; ns < 1e12; ns *= 1.37) {
		double low = (double)hist_low(tail_limit(ns));

		assert_true(low >= ns && low < ns * 1.13 + 16);
	}
	outcome_release(&o);
	arena_release(&a);
}

/* Few I/Os are as many as the bursts asked for; many in few bursts are no share. */
static void test_share(void **state)
{
	double share, step;

	(void)state;
	assert_true(tails_share(0, 0, 10000, &share, &step));
	assert_true(fabs(share - .0015) < 1e-12 && fabs(step - 1.0 / 15) < 1e-12);
	assert_true(tails_share(TAIL_BURSTS, 1, 10000, &share, &step));
	assert_false(tails_share(300, TAIL_BURSTS - 1, 10000, &share, &step));
	assert_true(tails_share(300, TAIL_BURSTS, 10000, &share, &step));
	assert_true(fabs(share - .03) < 1e-12 && fabs(step - 1.0 / 300) < 1e-12);
	assert_true(tails_share(3, 3, 4, &share, &step)); /* never above all of them */
	assert_true(fabs(share - 1) < 1e-12);
}

static void calibrated(const char *gate, unsigned slow, bool told, double tolerance, bool absolute,
		       struct calibration *c, struct str *text)
{
	const struct calibration_ask ask = {.target = "dut",
					    .job = "rand-4k",
					    .metric = gate,
					    .tolerance = tolerance,
					    .absolute = absolute,
					    .max = 5,
					    .gates = 1,
					    .undecided = .05,
					    .red_total = .001,
					    .assumed_sd = .015};
	struct forecaster *f = forecast_open();
	struct baseline b;

	modes_baseline(&b, gate, slow, 600);
	for (size_t k = 0; !told && k < b.sessions[2].jobs.v[0].latencies.n; k++)
		b.sessions[2].jobs.v[0].latencies.v[k].tail[1].kept = false;
	str_clear(text);
	if (!calibrate_gate(f, &b, &ask, c))
		fail_msg("%s: nothing is known", gate);
	calibration_text(&ask, c, text);
	baseline_release(&b);
	forecast_close(f);
}

/* The forecast plays what the rule judges: on a cliff the spread of the percentile is that between
 * two modes, and of a tail the mean says nothing. */
static void test_forecast(void **state)
{
	struct calibration c;
	struct str text;

	(void)state;
	str_init(&text);
	calibrated("read.clat.p99", 2000, true, .2, false, &c, &text);
	lab_contains(text.s, "gate read.clat.p99 (judged by the share of I/Os slower than ");
	lab_contains(text.s, "  tolerance 50 %: holds; unchanged code: pass 100.0 %");
	assert_int_equal(c.state, GATEABLE);
	assert_true(c.raw_sd < .05 && c.q > 0 && c.q < .001);
	assert_null(strstr(text.s, "interleave")); /* two arms are not judged by a share */
	calibrated("read.clat.p99", 200, true, .2, false, &c, &text); /* no cliff there */
	assert_null(strstr(text.s, "judged by"));
	lab_contains(text.s, "  tolerance 20 %: ");
	calibrated("read.clat.tail", 200, true, .2, false, &c, &text);
	lab_contains(text.s, "gate read.clat.tail (judged by ");
	assert_true(c.forecast_known && c.forecast.pass > .9);
	/* what the rule will not decide is no forecast */
	calibrated("read.clat.p99", 2000, true, 1e5, true, &c, &text);
	lab_contains(text.s, "no absolute tolerance can be judged");
	assert_false(c.known || c.forecast_known);
	calibrated("read.clat.p99", 2000, false, .2, false, &c, &text);
	lab_contains(text.s, "the baseline does not tell the share of slow I/Os");
	assert_false(c.known || c.forecast_known);
	str_release(&text);
}

/* And between two arms nothing is judged on a cliff: the run sd tells nothing of it. */
static void test_forecast_arms(void **state)
{
	struct job job = {.name = "rand-4k", .rw = RW_RANDREAD};
	struct check check = {.kind = CHECK_GATE,
			      .metric = "read.clat.p99",
			      .name = "gate read.clat.p99",
			      .tolerance = .2};
	struct target target = {.role = "dut"};
	struct interleave in = {.kind = INTERLEAVE_SETTING, .pairs = 20};
	const struct outlook_ask ask = {.jobs = &job,
					.njobs = 1,
					.checks = &check,
					.nchecks = 1,
					.targets = &target,
					.ntargets = 1,
					.max = 5,
					.assumed_sd = .015,
					.interleave = &in};
	struct baseline b;
	struct outlook o;
	struct str text;

	(void)state;
	str_init(&text);
	modes_baseline(&b, "read.clat.p99", 200, 600);
	outlook(&ask, &b, &o);
	assert_int_equal(o.played, 1);
	assert_int_equal(o.unjudged, 0);
	baseline_release(&b);
	modes_baseline(&b, "read.clat.p99", 2000, 600);
	outlook(&ask, &b, &o);
	assert_int_equal(o.played, 0);
	assert_int_equal(o.unjudged, 1);
	outlook_text(&o, &text);
	lab_contains(text.s,
		     "dut rand-4k gate read.clat.p99 will be undecided: it is a tail, or lies on a "
		     "cliff");
	check.metric = "read.clat.tail";
	outlook(&ask, &b, &o);
	assert_int_equal(o.unjudged, 1);
	assert_int_equal(o.played, 0);
	baseline_release(&b);
	str_release(&text);
}

/* Judged from look to look with one input, each look has the level of the first. */
static void test_input_stays(void **state)
{
	static const double base[] = {0, .01, -.01, 0, .005, -.005}, fresh[] = {.3, .31};
	struct stored_input in[2], before[2];
	struct stored_output out[2], again[2];

	(void)state;
	for (unsigned i = 0; i < 2; i++)
		in[i] = (struct stored_input){.base = base,
					      .nbase = 6,
					      .fresh = fresh,
					      .nfresh = 2,
					      .max = 5,
					      .delta = .2,
					      .red_total = .001,
					      .runs = 5};
	memcpy(before, in, sizeof(in));
	tails_judge(in, out, 2);
	assert_memory_equal(before, in, sizeof(in));
	tails_judge(in, again, 2);
	assert_true(out[0].lower == again[0].lower && isfinite(out[0].lower));
	/* each of two figures has half of the level */
	stored_judge(&in[0], &again[0]);
	assert_true(out[0].lower < again[0].lower);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_cliff),         cmocka_unit_test(test_absolute),
		cmocka_unit_test(test_tail),          cmocka_unit_test(test_stored),
		cmocka_unit_test(test_without_tails), cmocka_unit_test(test_gap),
		cmocka_unit_test(test_counts),        cmocka_unit_test(test_forecast_arms),
		cmocka_unit_test(test_forecast),      cmocka_unit_test(test_share),
		cmocka_unit_test(test_input_stays),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
