/* SPDX-License-Identifier: GPL-2.0-or-later */
/* rate (open loop) and thinktime, on a virtual clock. */
#include "helper.h"
#include "run/pace.h"

static double p99(const struct bins *b)
{
	return bins_percentile(b, 0.99);
}

static void rate_is_kept(void **state)
{
	static const struct {
		double rate;
		uint32_t depth;
		uint64_t ramp, low, high;
	} rows[] = {
		{4096e3, 1, 0, 999, 1001},
		{4096e3, 32, 300 * NS_PER_MS, 999, 1001},
		{4096e2, 4, 0, 99, 101},
		{40, 1, 0, 1, 1}, /* less than one in the window, and it ends */
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct job j = deep(sim_job("lat=100us"), rows[i].depth);
		struct outcome o;

		j.rate = rows[i].rate;
		j.ramp_time = rows[i].ramp;
		run_ok(&j, INJECT_NONE, &o);
		assert_in_range(o.dir[DIR_READ].ios, rows[i].low, rows[i].high);
		assert_non_null(strstr(o.notes, "latency from the intended start"));
		assert_null(strstr(o.notes, "never issued"));
		assert_in_range(o.dir[DIR_READ].lat.max, 99000, 102000);
		outcome_release(&o);
	}
}

/* A stall of 100 ms hides 100 I/Os from a closed loop; an open one has them in its latency. */
static void stall_is_not_hidden(void **state)
{
	struct job j = sim_job("lat=100us, every=500:lat=100ms");
	struct outcome o;

	(void)state;
	j.rate_iops = 1000;
	run_ok(&j, INJECT_NONE, &o);
	assert_true(p99(&o.dir[DIR_READ].clat) < 200e3);
	assert_null(strstr(o.notes, "intended"));
	outcome_release(&o);
	j.rate_iops = 0;
	j.rate = 4096e3;
	run_ok(&j, INJECT_NONE, &o);
	assert_in_range(o.dir[DIR_READ].ios, 998, 1000);
	assert_true(p99(&o.dir[DIR_READ].clat) > 80e6);
	assert_true(p99(&o.dir[DIR_READ].lat) > 80e6);
	outcome_release(&o);
}

/* Twice as much as the target gives: latency grows to half the window, and the rest is told. */
static void slower_than_rate(void **state)
{
	struct job j = sim_job("lat=1ms");
	struct outcome o;

	(void)state;
	j.rate = 2 * 4096e3;
	run_ok(&j, INJECT_NONE, &o);
	assert_in_range(o.dir[DIR_READ].ios, 999, 1000);
	assert_in_range(o.dir[DIR_READ].lat.max, 490 * NS_PER_MS, 510 * NS_PER_MS);
	assert_non_null(strstr(o.notes, "were never issued"));
	outcome_release(&o);
}

/* The rate is of bytes, whatever the sizes. */
static void rate_of_mixed_sizes(void **state)
{
	struct job j = deep(sim_job("lat=10us"), 8);
	struct outcome o;

	(void)state;
	j.rate = 50e6;
	j.bssplit = "4096/50:65536/50";
	run_ok(&j, INJECT_NONE, &o);
	assert_in_range(o.dir[DIR_READ].bytes, 50000000 - 65536, 50000000 + 65536);
	outcome_release(&o);
}

static void slow_stretches_the_rate(void **state)
{
	struct inject half = {.slow = 0.5};
	struct job j = sim_job("lat=100us");
	struct outcome o;

	(void)state;
	j.rate = 4096e3;
	run_ok(&j, half, &o);
	assert_in_range(o.dir[DIR_READ].ios, 499, 501);
	assert_true(o.dir[DIR_READ].lat.max < NS_PER_MS);
	outcome_release(&o);
}

static void thinktime(void **state)
{
	static const struct {
		uint32_t depth, blocks;
		uint64_t think;
		double rate;
		uint64_t low, high;
	} rows[] = {
		{1, 1, 900 * NS_PER_US, 0, 999, 1001},  /* 100 us and 900 us */
		{1, 10, 9 * NS_PER_MS, 0, 998, 1002},   /* 10 of 100 us, then 9 ms */
		{8, 8, 900 * NS_PER_US, 0, 7990, 8010}, /* 8 at once, then 900 us */
		{8, 1, 900 * NS_PER_US, 0, 999, 1001},  /* one at a time */
		{1, 1, 900 * NS_PER_US, 500, 499, 501}, /* the slower of both */
		{1, 1, 5 * NS_PER_SEC, 0, 1, 1},        /* longer than the window, and it ends */
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct job j = deep(sim_job("lat=100us"), rows[i].depth);
		struct outcome o;

		j.thinktime = rows[i].think;
		j.thinktime_blocks = rows[i].blocks;
		j.rate_iops = rows[i].rate;
		run_ok(&j, INJECT_NONE, &o);
		assert_in_range(o.dir[DIR_READ].ios, rows[i].low, rows[i].high);
		assert_in_range(o.dir[DIR_READ].lat.max, 99000, 102000);
		outcome_release(&o);
	}
}

/* With a sync word at the same I/O and an end by size: all of it is done. */
static void thinktime_with_fsync(void **state)
{
	struct job j = sized(sim_job("lat=10us"), RW_WRITE, 64 * 4096, 2);
	struct outcome o;

	(void)state;
	j.fsync = 4;
	j.thinktime = NS_PER_MS;
	j.thinktime_blocks = 4;
	run_ok(&j, INJECT_NONE, &o);
	assert_int_equal(o.dir[DIR_WRITE].ios, 128);
	assert_int_equal(o.sync_lat.n, 32);
	outcome_release(&o);
}

static void pacer_of_both(void **state)
{
	struct pace p;

	(void)state;
	pace_init(&p, 1000, 0);
	pace_init_think(&p, 5000, 2);
	pace_start(&p, 100);
	assert_int_equal(p.due, 100);
	pace_take(&p, 500);
	assert_int_equal(p.due, 500000100);
	pace_take(&p, 500);
	assert_true(p.thinking);
	assert_true(p.due == UINT64_MAX);
	pace_thought(&p, 200);
	assert_int_equal(p.due, 1000000100); /* the schedule is later than the thought */
	pace_take(&p, 1);
	pace_take(&p, 1);
	pace_thought(&p, UINT64_MAX - 10); /* no wrap */
	assert_true(p.due == UINT64_MAX);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(rate_is_kept),
		cmocka_unit_test(stall_is_not_hidden),
		cmocka_unit_test(slower_than_rate),
		cmocka_unit_test(rate_of_mixed_sizes),
		cmocka_unit_test(slow_stretches_the_rate),
		cmocka_unit_test(thinktime),
		cmocka_unit_test(thinktime_with_fsync),
		cmocka_unit_test(pacer_of_both),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
