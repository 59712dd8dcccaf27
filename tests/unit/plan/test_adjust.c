/* SPDX-License-Identifier: GPL-2.0-or-later */
/* adjust_by: which workload may be adjusted by which, and what a selection takes along. */
#include "plan_test.h"

#define SUITE                                                                                      \
	"blkgate: 1\nname: t\ndefaults: {ioengine: sim, size: 1MiB, runtime: 10s}\nworkloads:\n"
#define CANARY "  - {name: c, rw: read, canary: {untouched: true}}\n"

static void by_name(void **state)
{
	struct fix *f = *state;

	f->arg[0].role = "one";
	f->arg[1] = (struct target_arg){"two", "/tmp"};
	f->o.ntargets = 2;
	fix_ok(f, SUITE CANARY "  - {name: a, rw: read, adjust_by: c, gate: {iops: 5%}}\n");
	for (size_t i = 0; i < f->plan.njobs; i++)
		assert_true(str_eq(f->plan.jobs[i].adjust_by,
				   str_eq(f->plan.jobs[i].name, "a") ? "c" : NULL));
}

static void who_may_not(void **state)
{
	static const struct {
		const char *canary, *words, *part;
	} rows[] = {
		{CANARY, "adjust_by: d", "adjust_by 'd': there is no such workload"},
		{CANARY, "adjust_by: a", "adjust_by 'a': that workload is no canary"},
		{"  - {name: c, rw: read}\n", "adjust_by: c", "that workload is no canary"},
		{"  - {name: c, rw: read, canary: true}\n", "adjust_by: c",
		 "declared untouched by the change"},
		{CANARY, "adjust_by: c, canary: true", "a canary is what others are adjusted by"},
		{CANARY, "adjust_by: c, targets: all", "have no canary beside them"},
	};
	struct fix *f = *state;

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		char text[500];
		const struct diag *g;

		snprintf(text, sizeof(text), SUITE "%s  - {name: a, rw: read, %s}\n",
			 rows[i].canary, rows[i].words);
		g = fix_refused(f, text, rows[i].part);
		assert_int_equal(g->line, 6);
	}
}

static void selected_along(void **state)
{
	static const char suite[] =
		SUITE CANARY "  - {name: a, rw: read, adjust_by: c, gate: {iops: 5%}}\n"
			     "  - {name: b, rw: read, gate: {iops: 5%}}\n";
	struct fix *f = *state;

	f->o.only = "a";
	fix_ok(f, suite);
	assert_int_equal(f->plan.jobs[0].state, JOB_READY);
	assert_int_equal(f->plan.jobs[1].state, JOB_READY);
	assert_int_equal(f->plan.jobs[2].state, JOB_SKIPPED);
	f->o.only = "b"; /* nothing is judged by it */
	fix_ok(f, suite);
	assert_int_equal(f->plan.jobs[0].state, JOB_SKIPPED);
	f->o.only = NULL;
	f->o.check = "gate read.iops";
	fix_ok(f, suite);
	assert_int_equal(f->plan.jobs[0].state, JOB_READY);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(by_name, fix_setup, fix_teardown),
		cmocka_unit_test_setup_teardown(who_may_not, fix_setup, fix_teardown),
		cmocka_unit_test_setup_teardown(selected_along, fix_setup, fix_teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
