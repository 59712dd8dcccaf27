/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A budget that cannot hold the least number of sessions is refused before anything starts. */
#include "plan_test.h"

#include "base/clock.h"

static void time_that_is_not_enough(void **state)
{
	struct fix *f = *state;
	const char *const text =
		"blkgate: 1\nname: t\ndefaults: {ioengine: psync, direct: false, size: 1MiB, "
		"runtime: 2s, runs: 5, sessions: 2..5}\nworkloads:\n"
		"  - {name: a, rw: read, gate: {read.bw: 5%}}\n";

	f->o.sessions_min = f->o.sessions_max = 1;
	f->o.budget_time = 5 * NS_PER_SEC;
	fix_ok(f, text);
	assert_part(f->plan.setup_error, "one session takes about 10.1 s, the budget is 5 s");
	assert_int_equal(f->plan.setup_code, ERR_SUITE);
	/* not clearly: the estimate is not exact */
	f->o.budget_time = 9 * NS_PER_SEC;
	fix_ok(f, text);
	assert_null(f->plan.setup_error);
	f->o.sessions_min = f->o.sessions_max = 0;
	fix_ok(f, text);
	assert_part(f->plan.setup_error, "2 sessions take about 20.2 s, the budget is 9 s");
	/* what does not run takes no time, and a virtual clock none of ours */
	f->o.only = "none";
	assert_int_equal(fix_plan(f, text), ERR_SUITE);
	f->o.only = NULL;
	fix_ok(f, HEAD "  - {name: a, rw: read, runtime: 1h, gate: {read.bw: 5%}}\n");
	assert_null(f->plan.setup_error);
	/* a rate is a guess: 30 s at the assumed one may well be 9 s */
	fix_ok(f, "blkgate: 1\nname: t\ndefaults: {ioengine: psync, direct: false, size: 60MB, bs: "
		  "1kB, runs: 100}\n"
		  "workloads:\n  - {name: a, rw: read, expect: [read.bw >= 1 MB/s]}\n");
	assert_null(f->plan.setup_error);
	/* `lint` asks no machine */
	f->o.lint_only = true;
	fix_ok(f, text);
	assert_null(f->plan.setup_error);
}

static void files_beyond_the_budget(void **state)
{
	struct fix *f = *state;
	const char *const text =
		"blkgate: 1\nname: t\nbudget: {written: 10MiB}\ndefaults: {ioengine: psync, "
		"direct: false, size: 4MiB, loops: 1}\nworkloads:\n"
		"  - {name: a, rw: read, gate: {read.bw: 5%}}\n";

	fix_ok(f, text);
	assert_null(f->plan.setup_error);
	f->o.sessions_min = 3;
	fix_ok(f, text);
	assert_part(f->plan.setup_error,
		    "3 sessions write 12 MiB to make the files alone, the budget is 10 MiB");
	assert_int_equal(f->plan.setup_code, ERR_SUITE);
	f->o.budget_written = 12 << 20;
	fix_ok(f, text);
	assert_null(f->plan.setup_error);
	/* the first reason stands */
	f->o.budget_written = 1 << 20;
	fix_ok(f,
	       "blkgate: 1\nname: t\nrequires: [target.type == block]\ndefaults: {ioengine: psync, "
	       "direct: false, size: 4MiB}\nworkloads:\n  - {name: a, rw: read, gate: {read.bw: "
	       "5%}}\n");
	assert_part(f->plan.setup_error, "target.type == block");
	assert_int_equal(f->plan.setup_code, ERR_TARGET);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(time_that_is_not_enough),
		TEST(files_beyond_the_budget),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
