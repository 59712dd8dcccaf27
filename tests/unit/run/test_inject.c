/* SPDX-License-Identifier: GPL-2.0-or-later */
/* --inject and the pacer, on the virtual clock: exact. */
#include "helper.h"
#include "run/pace.h"

static void good_specs(void **state)
{
	static const struct {
		const char *spec;
		struct inject want;
	} rows[] = {
		{"slow=30%", {.slow = 0.3}},
		{"slow=0.3", {.slow = 0.3}},
		{"slow=0", {0}},
		{"delay=1ms", {.delay = NS_PER_MS}},
		{"error=1e-6", {.error = 1e-6}},
		{"error=0.5%", {.error = 0.005}},
		{"slow=10%,delay=20us,error=0.25", {0.1, 20000, 0.25}},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct inject in = {0.9, 9, 0.9};
		struct err e = ERR_INIT;

		assert_int_equal(inject_parse(rows[i].spec, &in, &e), 0);
		assert_float_equal(in.slow, rows[i].want.slow, 1e-12);
		assert_float_equal(in.error, rows[i].want.error, 1e-12);
		assert_int_equal(in.delay, rows[i].want.delay);
	}
}

static void bad_specs(void **state)
{
	static const char *const rows[] = {
		"",
		"slow",
		"slow=",
		"slow=100%",
		"slow=1",
		"slow=-1%",
		"slow=nan",
		"slow=inf",
		"slow=10%%",
		"slow=10 ",
		"slow= 10%",
		"slow=0x1p-2",
		"delay=1",
		"delay=-1ms",
		"delay=",
		"speed=10%",
		"slow=1%,",
		",slow=1%",
		"slow=1%,slow=2%",
		"error=2",
		"slow=1%;delay=1ms",
		"error=1e",
		"=1",
		"slow=1%,,delay=1ms",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct inject in = {0.9, 9, 0.9};
		struct err e = ERR_INIT;

		if (inject_parse(rows[i], &in, &e) != ERR_USAGE)
			fail_msg("accepted '%s'", rows[i]);
		assert_string_not_equal(e.text, "");
		assert_int_equal(in.delay, 9); /* untouched */
	}
}

static void pacer_schedule(void **state)
{
	struct pace p;

	(void)state;
	pace_init(&p, 3, 0);
	pace_start(&p, 1000);
	assert_int_equal(p.due, 1000);
	for (int i = 0; i < 3; i++)
		pace_take(&p, 1);
	assert_int_equal(p.due, 1000 + NS_PER_SEC); /* thirds do not drift */
	pace_init(&p, 100, 0.5);
	pace_start(&p, 0);
	pace_take(&p, 1);
	assert_int_equal(p.due, 20 * NS_PER_MS);
	pace_init(&p, 1e-15, 0); /* never, not a wrapped number */
	pace_start(&p, 5);
	pace_take(&p, 1);
	assert_true(p.due == UINT64_MAX);
	pace_init(&p, 0, 0);
	pace_start(&p, 5);
	pace_take(&p, 1);
	assert_int_equal(p.due, 0);
}

/* Share by which IOPS fell, against the same job without injection. */
static double fall(const struct job *j, double slow)
{
	struct outcome a, b;

	run_ok(j, INJECT_NONE, &a);
	run_ok(j, (struct inject){.slow = slow}, &b);
	double f = 1 - iops(&b) / iops(&a);

	/* Little: depth reached x time = sum of latencies, as nobody waits outside an I/O. */
	if (j->rate_iops == 0) {
		double sum = bins_mean(&b.dir[DIR_READ].lat) * iops(&b) / 1e9;

		assert_true(fabs(sum / j->iodepth - 1) < 0.001);
	}
	outcome_release(&a);
	outcome_release(&b);
	return f;
}

static void slow_is_exact(void **state)
{
	static const struct {
		const char *script;
		uint32_t depth;
		double rate, slow, within;
	} rows[] = {
		{"lat=100us", 1, 0, 0.1, 0.001},
		{"lat=100us, jitter=30%", 1, 0, 0.05, 0.002},
		{"lat=100us", 1, 2000, 0.1, 0.001},  /* the pacer limits */
		{"lat=100us", 1, 20000, 0.1, 0.001}, /* the device limits */
		{"lat=100us, jitter=50%", 1, 9500, 0.2, 0.01},
		{"lat=20ms", 1, 0, 0.3, 0.02},
		{"lat=100us", 32, 0, 0.1, 0.01},
		{"lat=100us, jitter=50%", 32, 0, 0.1, 0.01},
		{"lat=100us, jitter=50%, width=4", 32, 0, 0.25, 0.01},
		{"lat=50us, every=200:lat=1500us", 32, 0, 0.1, 0.01}, /* a long tail in the drain */
		{"lat=100us, jitter=50%", 32, 5000, 0.1, 0.001},
		{"lat=100us, width=2", 32, 200000, 0.1, 0.01},
		{"lat=5ms, jitter=20%", 32, 0, 0.1, 0.02}, /* fewer I/Os than three quanta */
		{"lat=100us, jitter=10%", 2, 0, 0.5, 0.01},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct job j = deep(sim_job(rows[i].script), rows[i].depth);

		j.rw = RW_RANDREAD;
		j.rate_iops = rows[i].rate;
		double f = fall(&j, rows[i].slow);

		if (fabs(f - rows[i].slow) > rows[i].within)
			fail_msg("row %zu: fell by %f", i, f);
	}
}

static void slow_stretches_latency_at_depth_1(void **state)
{
	struct job j = sim_job("lat=90us");
	struct outcome o;

	(void)state;
	j.ramp_time = 50 * NS_PER_MS;
	run_ok(&j, (struct inject){.slow = 0.1}, &o);
	assert_int_equal(o.dir[DIR_READ].lat.min, 100000);
	assert_int_equal(o.dir[DIR_READ].lat.max, 100000);
	assert_int_equal(o.dir[DIR_READ].ios, 10000);
	outcome_release(&o);
	/* Paced: the pacer's gap is stretched once, in its schedule, and is no part of the latency.
	 */
	j.rate_iops = 1000;
	run_ok(&j, (struct inject){.slow = 0.1}, &o);
	assert_int_equal(o.dir[DIR_READ].lat.max, 100000);
	assert_in_range(o.dir[DIR_READ].ios, 900, 901);
	outcome_release(&o);
}

static void delay_adds(void **state)
{
	struct job j = sim_job("lat=100us");
	struct outcome o;

	(void)state;
	run_ok(&j, (struct inject){.delay = 400 * NS_PER_US}, &o);
	assert_int_equal(o.dir[DIR_READ].lat.min, 500000);
	assert_int_equal(o.dir[DIR_READ].ios, 2000);
	outcome_release(&o);
	j = deep(j, 8);
	run_ok(&j, (struct inject){.delay = 400 * NS_PER_US}, &o);
	assert_true(o.dir[DIR_READ].lat.min >= 500000);
	outcome_release(&o);
}

static void error_fails_the_run(void **state)
{
	struct job j = sim_job("lat=100us");
	struct outcome o;
	struct run_request r = {.job = &j, .target_name = "T", .run_seed = 5, .inject.error = 0.01};

	(void)state;
	run_with(&r, NULL, &o);
	assert_int_equal(o.status, OUTCOME_IO_ERROR);
	assert_int_equal(o.sys, EIO);
	assert_int_equal(o.error_len, 4096);
	outcome_release(&o);
	r.inject.error = 1e-12; /* 10 000 I/Os: none is hit */
	run_with(&r, NULL, &o);
	assert_int_equal(o.status, OUTCOME_OK);
	outcome_release(&o);
}

static void slow_with_syncs(void **state)
{
	struct job j = sim_job("lat=100us, sync=1ms");

	(void)state;
	j.rw = RW_WRITE;
	j.fsync = 10;
	for (uint32_t depth = 1; depth <= 8; depth += 7) {
		struct outcome a, b;

		j = deep(j, depth);
		run_ok(&j, INJECT_NONE, &a);
		run_ok(&j, (struct inject){.slow = 0.2}, &b);
		assert_true(fabs(iops(&b) / iops(&a) - 0.8) < 0.01);
		outcome_release(&a);
		outcome_release(&b);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(good_specs),
		cmocka_unit_test(bad_specs),
		cmocka_unit_test(pacer_schedule),
		cmocka_unit_test(slow_is_exact),
		cmocka_unit_test(slow_stretches_latency_at_depth_1),
		cmocka_unit_test(delay_adds),
		cmocka_unit_test(error_fails_the_run),
		cmocka_unit_test(slow_with_syncs),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
