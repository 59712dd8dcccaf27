/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The depth that was reached, by Little's law on a virtual clock, and when it is worth a note. */
#include "helper.h"
#include "run/live.h"

static void constant_latency_is_exact(void **state)
{
	static const struct {
		const char *script;
		uint32_t depth, jobs, fdatasync;
		double rate_iops;
		uint64_t thinktime, ramp;
		double want;
		const char *note;
	} rows[] = {
		{"lat=100us", 1, 1, 0, 0, 0, 0, 1, ""},
		{"lat=100us", 32, 1, 0, 0, 0, 0, 32, ""},
		{"lat=100us", 8, 3, 0, 0, 0, NS_PER_MS, 8, ""},
		/* 1000 a second of 100 us each: a pacer explains it */
		{"lat=100us", 32, 1, 0, 1000, 0, 0, 0.1, ""},
		{"lat=1ms", 32, 2, 0, 1000, 0, 0, 1, ""},
		/* 100 us of work, 900 us of thought */
		{"lat=100us", 4, 1, 0, 0, 900 * NS_PER_US, 0, 0.1, ""},
		/* each write waits for the sync of the one before */
		{"lat=100us, sync=900us", 32, 1, 1, 0, 0, 0, 0.1, "depth reached 0.10 of 32"},
		{"lat=100us, sync=900us", 1, 1, 1, 0, 0, 0, 0.1, ""},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct job j = deep(sim_job(rows[i].script), rows[i].depth);
		struct outcome o;
		double got;

		j.numjobs = rows[i].jobs;
		j.ramp_time = rows[i].ramp;
		j.rate_iops = rows[i].rate_iops;
		j.thinktime = rows[i].thinktime;
		j.thinktime_blocks = rows[i].thinktime ? 1 : 0;
		j.fdatasync = rows[i].fdatasync;
		j.rw = j.fdatasync ? RW_WRITE : RW_READ;
		run_ok(&j, INJECT_NONE, &o);
		got = outcome_depth(&o, j.numjobs, j.iodepth);
		/* one I/O more or less at a border */
		if (fabs(got - rows[i].want) > 1.01 * rows[i].want / 900)
			fail_msg("row %zu: %.6f", i, got);
		assert_string_equal(o.notes, rows[i].note);
		outcome_release(&o);
	}
}

/* The last I/Os end behind the window and count whole: never above what can be in flight. */
static void never_above_what_was_asked(void **state)
{
	struct job j = deep(sim_job("lat=300ms"), 4);
	struct outcome o;

	(void)state;
	run_ok(&j, INJECT_NONE, &o);
	assert_true(outcome_depth(&o, 1, 4) == 4);
	outcome_release(&o);
}

static void notes_of(uint32_t depth, bool sync, uint64_t latency, const char *want)
{
	struct job j = deep(sim_job(""), depth);
	struct outcome o;

	outcome_init(&o);
	o.window = NS_PER_SEC;
	o.has_slat = !sync;
	o.dir[DIR_READ].clat.n = 1000;
	o.dir[DIR_READ].clat.sum = 1000 * latency;
	depth_note(&j, &o);
	assert_string_equal(o.notes, want);
	outcome_release(&o);
}

/* depth-1: asked 32 of a synchronous engine, and it is seen. */
static void the_gap_is_noted(void **state)
{
	(void)state;
	notes_of(32, true, 990 * NS_PER_US, "depth reached 0.99 of 32");
	notes_of(32, false, 25600 * NS_PER_US, "");
	notes_of(32, false, 25599 * NS_PER_US, "depth reached 26 of 32");
	notes_of(32, false, 3100 * NS_PER_US, "depth reached 3.1 of 32");
	notes_of(1, true, 10 * NS_PER_US, "");
}

/* Under rate latency counts from the intended start: it is no time in flight. */
static void an_open_loop_tells_none(void **state)
{
	struct job j = deep(sim_job("lat=100us"), 32);
	struct outcome o;

	(void)state;
	j.rate = 4096e3;
	run_ok(&j, INJECT_NONE, &o);
	assert_string_equal(o.notes, "latency from the intended start");
	outcome_release(&o);
}

/* 2000 a second are asked of a target that does 1000 at this depth. */
static void a_missed_rate_is_noted(void **state)
{
	static const struct {
		double rate_iops;
		uint32_t jobs;
		const char *note;
	} rows[] = {
		{2000, 1, "rate_iops reached 1000 of 2000"},
		{2000, 2, "rate_iops reached 2000 of 4000"},
		{990, 1, ""},
		{1020, 1, ""}, /* within 5 % */
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct job j = deep(sim_job("lat=1ms"), 1);
		struct outcome o;

		j.rate_iops = rows[i].rate_iops;
		j.numjobs = rows[i].jobs;
		run_ok(&j, INJECT_NONE, &o);
		assert_string_equal(o.notes, rows[i].note);
		outcome_release(&o);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(constant_latency_is_exact),
		cmocka_unit_test(never_above_what_was_asked),
		cmocka_unit_test(the_gap_is_noted),
		cmocka_unit_test(an_open_loop_tells_none),
		cmocka_unit_test(a_missed_rate_is_noted),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
