/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Two arms in the plan: which targets, whose gates are judged, what one pair takes. */
#include "plan_test.h"

#include "base/clock.h"

#define AB                                                                                         \
	"blkgate: 1\nname: t\ndefaults: {ioengine: psync, direct: false, size: 1MiB, runtime: "    \
	"10s}\n"
#define SIM "blkgate: 1\nname: t\ndefaults: {ioengine: sim, size: 1MiB, runtime: 10s}\nworkloads:\n"
#define ONE SIM "  - {name: a, rw: read, gate: {read.iops: 5%}, expect: [read.iops >= 1]}\n"

static void versus(struct fix *f, const char *reference, size_t targets)
{
	f->arg[0].role = targets > 1 ? "old" : NULL;
	f->arg[1] = (struct target_arg){"new", "/tmp"};
	f->arg[2] = (struct target_arg){"third", "/var/tmp"};
	f->o.ntargets = targets;
	f->o.first_look = 4;
	f->o.interleave = (struct interleave){
		.kind = INTERLEAVE_VERSUS, .name = {reference, NULL}, .pairs = 20};
}

static void the_reference_has_no_gates_of_its_own(void **state)
{
	struct fix *f = *state;

	versus(f, "new", 2);
	fix_ok(f, ONE);
	assert_int_equal(f->plan.njobs, 2);
	assert_int_equal(f->plan.nchecks, 4);
	assert_string_equal(f->plan.interleave.name[ARM_CANDIDATE], "old");
	for (size_t i = 0; i < 4; i++) {
		const struct check *c = &f->plan.checks[i];

		if (c->kind == CHECK_GATE && c->job == 1)
			assert_string_equal(c->skipped, "reference of --versus");
		else
			assert_null(c->skipped);
	}
	/* a pair is the unit: one run of each arm */
	assert_int_equal(f->plan.jobs[0].runs, 1);
	assert_int_equal(f->plan.sessions_max, 1);
	assert_int_equal(fix_origin(f, 0, "runs")->kind, ORIGIN_COMMAND);
}

static void two_targets_and_one_of_them(void **state)
{
	static const struct {
		const char *reference;
		size_t targets;
		const char *part;
	} rows[] = {
		{"old", 1, "--versus compares two targets, 1 was given"},
		{"old", 3, "--versus compares two targets, 3 were given"},
		{"older", 2, "--versus 'older' is the role of no target"},
	};
	struct fix *f = *state;

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		versus(f, rows[i].reference, rows[i].targets);
		assert_int_equal(fix_plan(f, ONE), ERR_USAGE);
		assert_non_null(strstr(f->err.text, rows[i].part));
	}
}

static void one_target_for_a_setting(void **state)
{
	struct fix *f = *state;

	versus(f, "old", 2);
	f->o.interleave = (struct interleave){.kind = INTERLEAVE_SETTING,
					      .setting = "sysctl:no.such.key",
					      .name = {"1", "2"},
					      .pairs = 20};
	assert_int_equal(fix_plan(f, ONE), ERR_USAGE);
	assert_non_null(strstr(f->err.text, "on one target, 2 were given"));
	f->o.ntargets = 1;
	f->arg[0].role = NULL;
	fix_ok(f, ONE);
	assert_int_equal(f->plan.jobs[0].runs, 2);
	/* there is no such file: nothing can be measured, and why is said */
	assert_non_null(strstr(f->plan.setup_error, "'/proc/sys/no/such/key' does not exist"));
	assert_int_equal(f->plan.setup_code, ERR_SUITE);
}

static void at_the_same_time_is_not_in_turns(void **state)
{
	struct fix *f = *state;

	versus(f, "old", 2);
	fix_refused(f, SIM "  - {name: a, rw: read, targets: all}\n", "--versus measures in turns");
}

static void none_runs_without_its_counterpart(void **state)
{
	struct fix *f = *state;

	versus(f, "old", 2);
	f->arg[1].id = "/nonexistent/folder";
	fix_ok(f, AB "workloads:\n  - {name: a, rw: read}\n");
	assert_int_equal(f->plan.jobs[0].state, JOB_ERROR);
	assert_int_equal(f->plan.jobs[1].state, JOB_ERROR);
	assert_non_null(strstr(f->plan.jobs[0].why, "it runs in turns with 'new', where: "));
}

static void other_words_are_told_at_once(void **state)
{
	struct fix *f = *state;
	char small[128], large[128];

	snprintf(small, sizeof(small), "%s/small", f->dir);
	snprintf(large, sizeof(large), "%s/large", f->dir);
	for (unsigned i = 0; i < 2; i++) {
		FILE *file = fopen(i ? large : small, "w");

		assert_non_null(file);
		for (unsigned n = 0; n < (i + 1) * 1024; n++)
			fputs("0123456789abcdef", file);
		fclose(file);
	}
	versus(f, "old", 2);
	f->arg[0].id = small;
	f->arg[1].id = large;
	fix_ok(f, "blkgate: 1\nname: t\ndefaults: {ioengine: psync, direct: false, size: 100%}\n"
		  "workloads:\n  - {name: a, rw: read, gate: {read.iops: 5%}}\n"
		  "  - {name: b, rw: read}\n");
	assert_int_equal(f->plan.jobs[0].state, JOB_ERROR);
	assert_int_equal(f->plan.jobs[1].state, JOB_ERROR);
	assert_non_null(strstr(f->plan.jobs[1].why, "cannot be compared with 'old': size "));
	assert_int_equal(f->plan.jobs[2].state, JOB_READY);
	f->arg[0].id = f->dir;
	unlink(small);
	unlink(large);
}

/* Files of its own for each run: what one session writes once. */
static void files_are_written_for_each_run(void **state)
{
	struct fix *f = *state;
	bool bounded;
	struct str s;

	versus(f, "old", 2);
	fix_ok(f, AB "workloads:\n  - {name: a, rw: read}\n  - {name: b, rw: read, size: 3MiB}\n");
	assert_int_equal(plan_session_written(&f->plan, &bounded, NULL), 8 << 20);
	assert_true(plan_session_time(&f->plan) > 40 * NS_PER_SEC);
	assert_true(plan_session_time(&f->plan) < 42 * NS_PER_SEC);
	str_init(&s);
	plan_show(&f->plan, &s);
	assert_non_null(strstr(s.s, "compare new against old, in turns, 4 to 20 pairs"));
	assert_non_null(strstr(s.s, "a pair; 4..20 pairs: "));
	str_release(&s);
	f->o.budget_written = 16 << 20;
	fix_ok(f, AB "workloads:\n  - {name: a, rw: read}\n  - {name: b, rw: read, size: 3MiB}\n");
	assert_string_equal(f->plan.setup_error, "4 pairs write 32 MiB to make the "
						 "files alone, the budget is 16 MiB");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(the_reference_has_no_gates_of_its_own),
		TEST(two_targets_and_one_of_them),
		TEST(one_target_for_a_setting),
		TEST(at_the_same_time_is_not_in_turns),
		TEST(none_runs_without_its_counterpart),
		TEST(other_words_are_told_at_once),
		TEST(files_are_written_for_each_run),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
