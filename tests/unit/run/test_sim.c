/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The I/O loop on the virtual clock: phases, windows, counts. Everything here is exact. */
#include "helper.h"

static void rates_are_exact(void **state)
{
	static const struct {
		const char *script;
		uint32_t depth, jobs;
		uint64_t ramp, want;
	} rows[] = {
		{"lat=100us", 1, 1, 0, 10000},
		{"lat=1ms", 1, 1, 0, 1000},
		{"lat=100us", 8, 1, 0, 80000},
		{"lat=1ms", 1, 4, 0, 4000}, /* merge-jobs-2: the total is the sum of the threads */
		{"lat=1ms", 1, 1, 500 * NS_PER_MS, 1000},
		{"lat=100us, width=4", 32, 1, 0, 40000},
		{"lat=1ms", 1, 1, 333333, 999}, /* the window starts inside an I/O */
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct job j = deep(sim_job(rows[i].script), rows[i].depth);
		struct outcome o;

		j.numjobs = rows[i].jobs;
		j.ramp_time = rows[i].ramp;
		run_ok(&j, INJECT_NONE, &o);
		assert_int_equal(o.window, NS_PER_SEC);
		assert_int_equal(o.ramp, rows[i].ramp);
		assert_in_range(o.dir[DIR_READ].ios, rows[i].want, rows[i].want + (i == 6));
		assert_int_equal(o.dir[DIR_READ].bytes, o.dir[DIR_READ].ios * j.bs);
		assert_int_equal(o.dir[DIR_WRITE].ios, 0);
		assert_int_equal(o.written, 0);
		outcome_release(&o);
	}
}

static void latency_counts_what_was_issued(void **state)
{
	struct job j = deep(sim_job("lat=300ms"), 4);
	struct outcome o;

	(void)state;
	/* 4 at 0, 300, 600, 900 ms; the last four end at 1200 ms, in drain. */
	run_ok(&j, INJECT_NONE, &o);
	assert_int_equal(o.dir[DIR_READ].ios, 12);
	assert_int_equal(o.dir[DIR_READ].issued, 16);
	assert_int_equal(o.dir[DIR_READ].lat.n, 16);
	assert_int_equal(o.dir[DIR_READ].lat.min, 300 * NS_PER_MS);
	assert_int_equal(o.dir[DIR_READ].lat.max, 300 * NS_PER_MS);
	assert_true(o.has_slat);
	assert_int_equal(o.dir[DIR_READ].slat.n, 16);
	assert_int_equal(o.dir[DIR_READ].slat.max, 0);
	assert_int_equal(o.window, NS_PER_SEC);
	/* 100 ms slots: completions at 300, 600, 900 ms belong to the slots that end there. */
	assert_int_equal(o.nslots, 10);
	for (unsigned s = 0; s < 10; s++)
		assert_int_equal(o.slots[s].ios[DIR_READ], s == 2 || s == 5 || s == 8 ? 4 : 0);
	assert_int_equal(o.stall_longest, 300 * NS_PER_MS);
	outcome_release(&o);
}

static void ramp_is_not_counted(void **state)
{
	/* Slow until 1 s after open, which is the ramp; then... 10 x as slow would show. */
	struct job j = sim_job("lat=100us, slow=10@1s");
	struct outcome o;

	(void)state;
	j.ramp_time = NS_PER_SEC;
	j.rw = RW_WRITE;
	run_ok(&j, INJECT_NONE, &o);
	assert_in_range(o.dir[DIR_WRITE].ios, 999, 1000);
	assert_int_equal(o.dir[DIR_WRITE].lat.min, NS_PER_MS);
	assert_in_range(o.written, 10998ULL * 4096, 11002ULL * 4096); /* all phases */
	outcome_release(&o);
}

/* percentile-1: 40 s among 1 ms, and p50 stays near the exact value; over-range is counted. */
static void long_latencies(void **state)
{
	struct job j = sized(sim_job("lat=1ms, every=10:lat=40s"), RW_READ, 100 * 4096, 1);
	struct outcome o;

	(void)state;
	run_ok(&j, INJECT_NONE, &o);
	const struct bins *b = &o.dir[DIR_READ].lat;

	assert_int_equal(b->n, 100);
	assert_int_equal(b->over, 0);
	assert_int_equal(b->max, 40 * NS_PER_SEC);
	assert_true(fabs(bins_percentile(b, 0.5) / 1e6 - 1) < 0.004);
	assert_true(fabs(bins_percentile(b, 0.95) / 40e9 - 1) < 0.004);
	assert_true(bins_percentile(b, 0.99) <= (double)b->max);
	assert_int_equal(o.stall_longest, 40 * NS_PER_SEC);
	outcome_release(&o);
}

static void bound_by_size(void **state)
{
	static const struct {
		enum job_rw rw;
		uint64_t size, loops;
		uint32_t jobs, depth;
		uint64_t ramp;
	} rows[] = {
		{RW_WRITE, 64 * 4096, 1, 1, 1, 0},
		{RW_WRITE, 64 * 4096, 3, 1, 8, 0},
		{RW_RANDWRITE, 63 * 4096, 2, 4, 16, 0},
		{RW_WRITE, 64 * 4096 + 512, 2, 1, 4, 0},
		{RW_WRITE, 4096, 1, 2, 32, 0},
		{RW_RANDWRITE, 64 * 4096, 2, 1, 8, 3 * NS_PER_MS},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct job j = sized(deep(sim_job("lat=1ms"), rows[i].depth), rows[i].rw,
				     rows[i].size, rows[i].loops);
		uint64_t ios = rows[i].size / 4096 * rows[i].loops * rows[i].jobs;
		struct outcome o;

		j.numjobs = rows[i].jobs;
		j.ramp_time = rows[i].ramp;
		run_ok(&j, INJECT_NONE, &o);
		assert_int_equal(o.dir[DIR_WRITE].issued, ios);
		assert_int_equal(o.dir[DIR_WRITE].lat.n, ios);
		if (!rows[i].ramp) {
			uint64_t each = ios / rows[i].jobs, depth = rows[i].depth;

			assert_int_equal(o.written, ios * 4096);
			assert_int_equal(o.dir[DIR_WRITE].ios, ios);
			/* The window ends with the last completion. */
			assert_int_equal(o.window, (each + depth - 1) / depth * NS_PER_MS);
		}
		outcome_release(&o);
	}
}

static void runtime_bounds_size(void **state)
{
	struct job j = sim_job("lat=1ms");
	struct outcome o;

	(void)state;
	j.time_based = false;
	j.runtime = 50 * NS_PER_MS;
	run_ok(&j, INJECT_NONE, &o);
	assert_int_equal(o.window, 50 * NS_PER_MS);
	assert_int_equal(o.dir[DIR_READ].ios, 50);
	outcome_release(&o);
	j.size = 10 * 4096; /* the size ends first */
	run_ok(&j, INJECT_NONE, &o);
	assert_int_equal(o.window, 10 * NS_PER_MS);
	assert_int_equal(o.dir[DIR_READ].ios, 10);
	outcome_release(&o);
}

/*
 * Threads of one job that end in different ways: one has done its size, for the other time is up
 * first. The CPU time is marked by whoever leaves the window last, in whatever order they come to
 * leave it.
 */
static void some_threads_end_by_size_and_others_by_time(void **state)
{
	struct job j = sized(sim_job("lat=1ms, jitter=40%"), RW_READ, 50 * 4096, 1);
	uint64_t slowest;
	struct outcome o;

	(void)state;
	j.numjobs = 4;
	run_ok(&j, INJECT_NONE, &o);
	slowest = o.window;
	assert_int_equal(o.dir[DIR_READ].ios, 200);
	outcome_release(&o);
	j.runtime = slowest - 1;
	for (int i = 0; i < 20; i++) {
		run_ok(&j, INJECT_NONE, &o); /* looks at the CPU time */
		assert_int_equal(o.window, slowest - 1);
		assert_int_equal(o.dir[DIR_READ].ios, 199);
		outcome_release(&o);
	}
}

static void cpu_time_is_counted(void **state)
{
	struct job j = sized(deep(sim_job(""), 32), RW_RANDREAD, 1000 * 4096, 500);
	struct outcome o;

	(void)state;
	j.ioengine = "null";
	for (uint32_t jobs = 1; jobs <= 3; jobs++) {
		j.numjobs = jobs;
		run_ok(&j, INJECT_NONE, &o);
		assert_true(o.cpu_usr + o.cpu_sys > 0);
		outcome_release(&o);
	}
}

static void time_based_wraps(void **state)
{
	struct job j = sim_job("lat=1ms");
	struct outcome o;

	(void)state;
	j.size = 7 * 4096;
	run_ok(&j, INJECT_NONE, &o);
	assert_int_equal(o.dir[DIR_READ].ios, 1000);
	outcome_release(&o);
}

static void rate_iops(void **state)
{
	static const struct {
		double rate;
		uint32_t depth;
		uint64_t ramp, low, high;
	} rows[] = {
		{2000, 1, 0, 1999, 2001},
		{2000, 32, 0, 1999, 2001},
		{3, 1, 0, 3, 3},
		{2000, 4, 300 * NS_PER_MS, 1999, 2001},
		{50000, 1, 0, 10000, 10000}, /* more than the device gives */
		{0.01, 1, 0, 1, 1}, /* runtime-1: less than one in the window, and it ends */
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct job j = deep(sim_job("lat=100us"), rows[i].depth);
		struct outcome o;

		j.rate_iops = rows[i].rate;
		j.ramp_time = rows[i].ramp;
		run_ok(&j, INJECT_NONE, &o);
		assert_in_range(o.dir[DIR_READ].ios, rows[i].low, rows[i].high);
		assert_int_equal(o.window, NS_PER_SEC);
		outcome_release(&o);
	}
}

/* A stall is caught up with: the schedule is absolute. */
static void pacer_catches_up(void **state)
{
	struct job j = sim_job("lat=100us, every=500:lat=100ms");
	struct outcome o;

	(void)state;
	j.rate_iops = 1000;
	run_ok(&j, INJECT_NONE, &o);
	assert_in_range(o.dir[DIR_READ].ios, 998, 1000);
	assert_in_range(o.stall_longest, 100 * NS_PER_MS, 101 * NS_PER_MS);
	outcome_release(&o);
}

static void mixed(void **state)
{
	struct job j = deep(sim_job("lat=100us"), 4);
	struct outcome o;

	(void)state;
	j.rw = RW_RANDRW;
	j.rwmixread = 70;
	run_ok(&j, INJECT_NONE, &o);
	assert_int_equal(o.dir[DIR_READ].ios + o.dir[DIR_WRITE].ios, 40000);
	assert_in_range(o.dir[DIR_READ].ios, 27600, 28400);
	assert_int_equal(o.written, o.dir[DIR_WRITE].issued * 4096);
	outcome_release(&o);
}

/* partial-io-2 */
static void short_transfers(void **state)
{
	struct job j = sized(sim_job("lat=1ms, short=3072@5, short=512@6, short=1@8"), RW_WRITE,
			     16 * 4096, 1);
	struct outcome o;

	(void)state;
	for (uint32_t depth = 1; depth <= 4; depth += 3) {
		j = deep(j, depth);
		run_ok(&j, INJECT_NONE, &o);
		assert_int_equal(o.dir[DIR_WRITE].shorts, 3);
		assert_int_equal(o.dir[DIR_WRITE].ios, 16);
		assert_int_equal(o.dir[DIR_WRITE].bytes, 16 * 4096);
		assert_int_equal(o.written, 16 * 4096);
		/* The latency spans the parts. At depth 1 the rest of the 5th is the 6th transfer:
		 * 3072 + 512 + 512. */
		assert_int_equal(o.dir[DIR_WRITE].lat.max, (depth == 1 ? 3 : 2) * NS_PER_MS);
		assert_int_equal(o.dir[DIR_WRITE].lat.min, NS_PER_MS);
		outcome_release(&o);
	}
}

static void try_later_is_no_error(void **state)
{
	struct job j =
		sized(sim_job("lat=1ms, error=EAGAIN@3, error=EINTR@7"), RW_READ, 16 * 4096, 1);
	struct outcome o;

	(void)state;
	run_ok(&j, INJECT_NONE, &o);
	assert_int_equal(o.dir[DIR_READ].ios, 16);
	assert_int_equal(o.dir[DIR_READ].issued, 16);
	assert_int_equal(o.dir[DIR_READ].lat.max, 2 * NS_PER_MS);
	assert_int_equal(o.dir[DIR_READ].shorts, 0);
	outcome_release(&o);
}

static void fsync_every_4(void **state)
{
	struct job j = sized(deep(sim_job("lat=1ms, sync=5ms"), 3), RW_WRITE, 18 * 4096, 1);
	struct outcome o;

	(void)state;
	j.fsync = 4;
	run_ok(&j, INJECT_NONE, &o);
	assert_int_equal(o.sync_lat.n, 4);
	assert_int_equal(o.sync_lat.min, 5 * NS_PER_MS);
	assert_int_equal(o.dir[DIR_WRITE].ios, 18);
	assert_int_equal(o.window, (4 * (2 + 5) + 1) * NS_PER_MS);
	outcome_release(&o);
	j.fdatasync = 2; /* when both are due the stronger one is done */
	run_ok(&j, INJECT_NONE, &o);
	assert_int_equal(o.sync_lat.n, 9);
	outcome_release(&o);
	j.rw = RW_READ; /* reads are no writes */
	run_ok(&j, INJECT_NONE, &o);
	assert_int_equal(o.sync_lat.n, 0);
	outcome_release(&o);
}

/* lost-write-2: the sync is inside the window, for both ways of ending it. */
static void end_fsync(void **state)
{
	struct job j = sized(sim_job("lat=1ms, sync=250ms"), RW_WRITE, 10 * 4096, 1);
	struct outcome o;

	(void)state;
	j.end_fsync = true;
	run_ok(&j, INJECT_NONE, &o);
	assert_int_equal(o.sync_lat.n, 1);
	assert_int_equal(o.sync_lat.max, 250 * NS_PER_MS);
	assert_int_equal(o.window, 260 * NS_PER_MS);
	assert_int_equal(o.nslots, 3);
	assert_int_equal(o.stall_longest, 250 * NS_PER_MS);
	outcome_release(&o);
	j = deep(sim_job("lat=30ms, sync=250ms"), 2);
	j.rw = RW_WRITE;
	j.end_fsync = true;
	run_ok(&j, INJECT_NONE, &o);
	assert_int_equal(o.window, (1020 + 250) * NS_PER_MS); /* 34 rounds, then the sync */
	assert_int_equal(o.dir[DIR_WRITE].ios, 68);
	outcome_release(&o);
}

static void batches(void **state)
{
	struct job j = deep(sim_job("lat=100us"), 32);
	struct outcome o;

	(void)state;
	j.iodepth_batch_submit = 16;
	j.iodepth_batch_complete_min = 8;
	j.iodepth_batch_complete_max = 16;
	run_ok(&j, INJECT_NONE, &o);
	assert_int_equal(o.dir[DIR_READ].ios, 320000);
	assert_true(outcome_depth(&o, 1, 32) >= 31.99);
	assert_string_equal(o.notes, "");
	outcome_release(&o);
}

/* nan-inf-1: nothing completes in the window. */
static void nothing_completes(void **state)
{
	struct job j = sim_job("lat=5s");
	struct outcome o;

	(void)state;
	run_ok(&j, INJECT_NONE, &o);
	assert_int_equal(o.dir[DIR_READ].ios, 0);
	assert_int_equal(o.dir[DIR_READ].lat.n, 1);
	assert_int_equal(o.window, NS_PER_SEC);
	assert_int_equal(o.stall_longest, NS_PER_SEC);
	assert_non_null(strstr(o.notes, "no I/O completed"));
	outcome_release(&o);
}

static void runs_repeat(void **state)
{
	struct job j = deep(sim_job("lat=100us, jitter=40%, sd=3%"), 8);
	struct outcome a, b, c;
	struct run_request r = {.job = &j, .target_name = "T", .seed = 1, .run_seed = 3};

	(void)state;
	run_ok(&j, INJECT_NONE, &a);
	run_ok(&j, INJECT_NONE, &b);
	assert_int_equal(a.dir[DIR_READ].ios, b.dir[DIR_READ].ios);
	assert_int_equal(a.dir[DIR_READ].lat.sum, b.dir[DIR_READ].lat.sum);
	run_with(&r, NULL, &c);
	assert_int_not_equal(a.dir[DIR_READ].lat.sum, c.dir[DIR_READ].lat.sum);
	outcome_release(&a);
	outcome_release(&b);
	outcome_release(&c);
}

static void null_engine(void **state)
{
	struct job j = sized(deep(sim_job(""), 32), RW_RANDREAD, 1000 * 4096, 5);
	struct outcome o;

	(void)state;
	j.ioengine = "null";
	j.numjobs = 2;
	run_ok(&j, INJECT_NONE, &o);
	assert_int_equal(o.dir[DIR_READ].ios, 10000);
	assert_int_equal(o.dir[DIR_READ].clat.n, 10000);
	assert_true(o.window > 0);
	outcome_release(&o);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(rates_are_exact),
		cmocka_unit_test(latency_counts_what_was_issued),
		cmocka_unit_test(ramp_is_not_counted),
		cmocka_unit_test(long_latencies),
		cmocka_unit_test(bound_by_size),
		cmocka_unit_test(runtime_bounds_size),
		cmocka_unit_test(some_threads_end_by_size_and_others_by_time),
		cmocka_unit_test(cpu_time_is_counted),
		cmocka_unit_test(time_based_wraps),
		cmocka_unit_test(rate_iops),
		cmocka_unit_test(pacer_catches_up),
		cmocka_unit_test(mixed),
		cmocka_unit_test(short_transfers),
		cmocka_unit_test(try_later_is_no_error),
		cmocka_unit_test(fsync_every_4),
		cmocka_unit_test(end_fsync),
		cmocka_unit_test(batches),
		cmocka_unit_test(nothing_completes),
		cmocka_unit_test(runs_repeat),
		cmocka_unit_test(null_engine),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
