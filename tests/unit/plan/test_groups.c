/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What runs at the same time: who may, what the command line makes of it, the total. */
#include "plan_test.h"

#define MIX "blkgate: 1\nname: t\ndefaults: {ioengine: sim, size: 1MiB, runtime: 10s}\nworkloads:\n"
#define BESIDE "  - {name: b, rw: write, stonewall: false"

static void a_group_a_target(void **state)
{
	struct fix *f = *state;
	struct job *j;

	f->arg[0].role = "one";
	f->arg[1] = (struct target_arg){"two", "/tmp"};
	f->o.ntargets = 2;
	fix_ok(f, MIX "  - {name: a, rw: read}\n" BESIDE "}\n"
		      "  - {name: c, rw: read, stonewall: false}\n  - {name: d, rw: read}\n");
	j = f->plan.jobs;
	assert_int_equal(f->plan.njobs, 8);
	assert_int_equal(f->plan.ntargets, 2);
	for (unsigned i = 0; i < 6; i++)
		assert_int_equal(j[i].group, i % 2 + 1);
	assert_int_equal(j[6].group, 0);
	assert_part(j[0].beside, "1 same bs=4096");
	assert_null(j[6].beside);
}

static void who_may_not(void **state)
{
	static const struct {
		const char *a, *b, *part;
	} rows[] = {
		{"runtime: 20s", "", "runtime is 20 s and 10 s; what is measured would be neither"},
		{"ramp_time: 2s", "", "they begin after 2 s and 0 s (startdelay and ramp_time)"},
		{"", "startdelay: 1s", "they begin after 0 s and 1 s"},
		{"time_based: false", "", "'a' ends at its size"},
		{"", "time_based: false", "'b' ends at its size"},
		{"runs: 6", "", "it has 5 runs a session, the other 6"},
		{"canary: true", "", "'a': it is a canary"},
		{"", "canary: true", "'b': it is a canary"},
		{"matrix: {bs: [4k, 8k]}", "", "'a': its matrix has more than one instance"},
		{"", "matrix: {bs: [4k, 8k]}", "'b': its matrix has more than one instance"},
		{"targets: all", "", "'a': 'targets: all' runs it on all"},
		{"", "targets: all", "'b': 'targets: all' runs it on all"},
	};
	struct fix *f = *state;

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		char text[400];
		const struct diag *g;

		snprintf(text, sizeof(text), MIX "  - {name: a, rw: read%s%s}\n" BESIDE "%s%s}\n",
			 *rows[i].a ? ", " : "", rows[i].a, *rows[i].b ? ", " : "", rows[i].b);
		g = fix_refused(f, text, rows[i].part);
		assert_int_equal(g->line, 6);
		assert_int_equal(g->column, 37);
	}
}

static void the_first_has_none_before_it(void **state)
{
	struct fix *f = *state;
	const struct diag *g;

	g = fix_refused(f, MIX "  - {name: a, rw: read, stonewall: false}\n",
			"workload 'a' is the first");
	assert_int_equal(g->line, 5);
	g = fix_refused(f,
			"blkgate: 1\nname: t\ndefaults: {ioengine: sim, runtime: 1s, size: 1MiB,"
			" stonewall: false}\nworkloads:\n  - {name: a, rw: read}\n",
			"workload 'a' is the first");
	assert_int_equal(g->line, 3);
	assert_part(g->hint, "not in defaults");
	fix_refused_somewhere(f,
			      MIX "  - {name: a, rw: read, matrix: {stonewall: [true, false]}}\n");
}

static const struct job *job_called(const struct fix *f, const char *name)
{
	for (size_t i = 0; i < f->plan.njobs; i++)
		if (strcmp(f->plan.jobs[i].name, name) == 0)
			return &f->plan.jobs[i];
	fail();
	return NULL;
}

static bool noticed(const struct fix *f, const char *part)
{
	for (size_t i = 0; i < f->plan.notices.n; i++)
		if (strstr(f->plan.notices.v[i], part))
			return true;
	return false;
}

static void one_brings_the_other(void **state)
{
	static const char text[] = MIX "  - {name: a, rw: read, expect: [read.iops >= 1]}\n" BESIDE
				       ", expect: [write.bw >= 1 kB/s]}\n  - {name: c, rw: read}\n";
	struct fix *f = *state;

	f->o.only = "b";
	fix_ok(f, text);
	assert_int_equal(job_called(f, "a")->state, JOB_READY);
	assert_int_equal(job_called(f, "b")->state, JOB_READY);
	assert_int_equal(job_called(f, "c")->state, JOB_SKIPPED);
	assert_true(noticed(f, "'a' runs at the same time as 'b', which was selected"));
	f->o.only = "c";
	fix_ok(f, text);
	assert_int_equal(job_called(f, "a")->state, JOB_SKIPPED);
	assert_int_equal(job_called(f, "b")->state, JOB_SKIPPED);
	assert_part(job_called(f, "b")->why, "not selected by --only c");
	f->o.only = NULL;
	f->o.check = "expect write.bw*";
	fix_ok(f, text);
	assert_int_equal(job_called(f, "a")->state, JOB_READY);
	assert_int_equal(job_called(f, "c")->state, JOB_SKIPPED);
	assert_true(noticed(f, "'a' runs at the same time as 'b'"));
}

/* What is left of a mixture is another one. */
static void one_that_cannot_run_stops_the_others(void **state)
{
	struct fix *f = *state;

	fix_ok(f, MIX "  - {name: a, rw: read}\n" BESIDE ", when: target.type == block}\n");
	assert_int_equal(job_called(f, "b")->state, JOB_SKIPPED);
	assert_int_equal(job_called(f, "a")->state, JOB_SKIPPED);
	assert_part(job_called(f, "a")->why,
		    "it runs only at the same time as 'b' on 'dut', which is skipped: when:");
	fix_ok(f, MIX "  - {name: a, rw: read, when: device.nosuch == 1}\n" BESIDE "}\n"
		      "  - {name: c, rw: read, stonewall: false, when: target.type == block}\n");
	assert_int_equal(job_called(f, "a")->state, JOB_ERROR);
	assert_int_equal(job_called(f, "b")->state, JOB_ERROR);
	assert_part(job_called(f, "b")->why, "'a' on 'dut', which cannot run: when:");
	assert_int_equal(job_called(f, "c")->state, JOB_SKIPPED);
}

static void the_time_of_a_group_is_that_of_one(void **state)
{
	struct fix *f = *state;
	uint64_t one, two, apart;

	fix_ok(f, MIX "  - {name: a, rw: read}\n");
	one = plan_session_time(&f->plan);
	fix_ok(f, MIX "  - {name: a, rw: read}\n" BESIDE "}\n");
	two = plan_session_time(&f->plan);
	fix_ok(f, MIX "  - {name: a, rw: read}\n  - {name: b, rw: write}\n");
	apart = plan_session_time(&f->plan);
	assert_int_equal(one, two);
	assert_int_equal(apart, 2 * one);
}

#define ALL                                                                                        \
	MIX "  - {name: a, rw: read, targets: all, gate: {iops: 5%}, expect: [read.bw >= 1 MB/s, " \
	    "all targets: read.bw >= 2 MB/s]}\n"

static void two_targets(struct fix *f, const char *second)
{
	f->arg[0].role = "one";
	f->arg[1] = (struct target_arg){"two", second};
	f->o.ntargets = 2;
}

static void all_targets_and_their_total(void **state)
{
	static const char *const want[] = {"gate read.iops", "expect read.bw min",
					   "gate read.iops", "expect read.bw min",
					   "gate read.iops", "expect read.bw min"};
	struct fix *f = *state;
	const struct facts *facts;
	struct str s;

	two_targets(f, "/tmp");
	fix_ok(f, ALL);
	assert_int_equal(f->plan.njobs, 3);
	assert_int_equal(f->plan.ntargets, 3);
	assert_int_equal(f->plan.nchecks, 6);
	for (unsigned i = 0; i < 6; i++) {
		assert_string_equal(f->plan.checks[i].name, want[i]);
		assert_int_equal(f->plan.checks[i].job, i / 2);
	}
	assert_true(f->plan.checks[5].limit == 2e6);
	assert_true(f->plan.jobs[2].total);
	assert_int_equal(f->plan.jobs[2].target, 2);
	assert_part(f->plan.jobs[2].beside, "2 part ");
	assert_part(f->plan.jobs[0].beside, "1 other ");
	assert_string_equal(f->plan.targets[2].role, "all");
	assert_true(target_is_total(&f->plan.targets[2]));
	facts = &f->plan.targets[2].facts;
	assert_non_null(facts_find(facts, "two:fs.type"));
	assert_null(facts_find(facts, "two:target.path"));
	assert_int_equal(plan_target_needs(&f->plan, 2).files, 0);
	str_init(&s);
	plan_show(&f->plan, &s);
	assert_part(s.s, "a on all\n  the total of a on one, a on two\n");
	assert_part(s.s, "a on one\n  together with a on two\n");
	assert_null(strstr(s.s, "target all"));
	str_release(&s);
}

static void one_target_is_said(void **state)
{
	struct fix *f = *state;

	fix_ok(f, ALL);
	assert_int_equal(f->plan.njobs, 2);
	assert_true(noticed(f, "targets: all of 'a': there is one target"));
	f->o.lint_only = true;
	fix_ok(f, ALL);
	assert_int_equal(f->plan.njobs, 2);
}

static void a_total_needs_all_of_them(void **state)
{
	struct fix *f = *state;

	two_targets(f, "/nonexistent/target");
	fix_ok(f, ALL);
	for (unsigned i = 0; i < 3; i++)
		assert_int_equal(f->plan.jobs[i].state, JOB_ERROR);
	assert_part(f->plan.jobs[0].why, "same time as 'a' on 'two', which cannot run:");
	assert_part(f->plan.jobs[2].why, "no total without 'a' on 'two'");
	f->o.check = "expect*";
	two_targets(f, "/tmp");
	fix_ok(f, MIX "  - {name: a, rw: read, targets: all, gate: {iops: 5%}, expect: ["
		      "all targets: read.bw >= 2 MB/s]}\n");
	for (unsigned i = 0; i < 3; i++)
		assert_int_equal(f->plan.jobs[i].state, JOB_READY);
}

static void what_a_total_cannot_be(void **state)
{
	struct fix *f = *state;
	const struct diag *g;

	g = fix_refused(f, MIX "  - {name: a, rw: read, targets: all, time_based: false}\n",
			"targets: all of 'a': the windows on the targets need not overlap");
	assert_int_equal(g->line, 5);
	g = fix_refused(
		f,
		"blkgate: 1\nname: t\ndatasheet: {r: 1 GB/s}\ndefaults: {ioengine: sim, "
		"size: 1MiB, runtime: 1s}\nworkloads:\n  - {name: a, rw: read, targets: all, "
		"expect: [all targets: read.bw >= 90% of datasheet.r]}\n",
		"datasheet.r is no figure of all targets together");
	assert_int_equal(g->line, 6);
	fix_refused_somewhere(f, MIX "  - {name: a, rw: read, expect: [all targets: read.bw >= 2 "
				     "MB/s]}\n");
	assert_non_null(fix_find(f, "the workload has no total over the targets"));
	f->arg[0].role = "all";
	assert_int_equal(fix_plan(f, MIX "  - {name: a, rw: read}\n"), ERR_USAGE);
	assert_part(f->err.text, "role name 'all' is that of the total");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(a_group_a_target),
		TEST(who_may_not),
		TEST(the_first_has_none_before_it),
		TEST(one_brings_the_other),
		TEST(one_that_cannot_run_stops_the_others),
		TEST(the_time_of_a_group_is_that_of_one),
		TEST(all_targets_and_their_total),
		TEST(one_target_is_said),
		TEST(a_total_needs_all_of_them),
		TEST(what_a_total_cannot_be),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
