/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "plan_test.h"

#define WITH(keys) "blkgate: 1\nname: t\n" keys "defaults: {ioengine: sim, size: 1MiB}\nworkloads:\n"

static void targets_and_roles(void **state)
{
	struct fix *f = *state;
	const char *const text = HEAD "  - {name: a, rw: read}\n";

	f->o.ntargets = 0;
	assert_int_equal(fix_plan(f, text), ERR_USAGE);
	assert_part(f->err.text, "no target");
	f->o.ntargets = 2;
	f->arg[0] = (struct target_arg){"x", f->dir};
	f->arg[1] = (struct target_arg){NULL, f->dir};
	assert_int_equal(fix_plan(f, text), ERR_USAGE);
	assert_part(f->err.text, "no role name");
	f->arg[1].role = "x";
	assert_int_equal(fix_plan(f, text), ERR_USAGE);
	assert_part(f->err.text, "given to two targets");
	f->arg[1].role = "a b";
	assert_int_equal(fix_plan(f, text), ERR_USAGE);
	f->o.ntargets = 1;
	f->arg[0].role = NULL;
	fix_ok(f, text);
	assert_string_equal(f->plan.targets[0].role, "dut");
}

/* bugs-given exit-zero-1, no-dev-2: one target that is not there fails its own jobs and no other. */
static void missing_target(void **state)
{
	struct fix *f = *state;

	f->arg[0] = (struct target_arg){"here", f->dir};
	f->arg[1] = (struct target_arg){"gone", "/nonexistent/disk"};
	f->arg[2] = (struct target_arg){"tty", "/dev/null"};
	f->o.ntargets = 3;
	fix_ok(f, WITH("requires: [target.type == dir]\n") "  - {name: a, rw: read, gate: {iops: 5%}}\n");
	assert_int_equal(f->plan.njobs, 3);
	assert_int_equal(f->plan.nchecks, 3);
	assert_int_equal(f->plan.jobs[0].state, JOB_READY);
	assert_int_equal(f->plan.jobs[1].state, JOB_ERROR);
	assert_part(f->plan.jobs[1].why, "/nonexistent/disk");
	assert_int_equal(f->plan.jobs[2].state, JOB_ERROR);
	assert_int_equal(f->plan.targets[1].kind, TARGET_NONE);
	assert_string_equal(f->plan.targets[1].role, "gone");
	assert_null(f->plan.setup_error);
}

static void requirements(void **state)
{
	struct fix *f = *state;

	fix_ok(f, WITH("requires: [target.type == dir, kernel.release >= 2.6]\n") "  - {name: a, rw: read}\n");
	assert_null(f->plan.setup_error);
	fix_ok(f, WITH("requires: [target.type == block]\n") "  - {name: a, rw: read}\n");
	assert_int_equal(f->plan.setup_code, ERR_TARGET);
	assert_part(f->plan.setup_error, "target.type == block");
	assert_part(f->plan.setup_error, "it is 'dir'");
	assert_int_equal(f->plan.jobs[0].state, JOB_READY);
	/* unknown is not met */
	fix_ok(f, WITH("requires: [no.such.fact != x]\n") "  - {name: a, rw: read}\n");
	assert_int_equal(f->plan.setup_code, ERR_TARGET);
	assert_part(f->plan.setup_error, "cannot be read here");
	fix_ok(f, WITH("admit: [temperature < 70C wait 10min]\n") "  - {name: a, rw: read}\n");
	assert_int_equal(f->plan.setup_code, ERR_TARGET);
	assert_part(f->plan.setup_error, "admit: ");
	/* ordering texts means nothing */
	assert_int_equal(fix_plan(f, WITH("requires: [target.type >= block]\n") "  - {name: a, rw: read}\n"),
			 ERR_SUITE);
	/* lint asks no machine */
	f->o.lint_only = true;
	fix_ok(f, WITH("requires: [target.type == block]\n") "  - {name: a, rw: read}\n");
	assert_null(f->plan.setup_error);
}

static void when(void **state)
{
	struct fix *f = *state;

	fix_ok(f, HEAD "  - {name: a, rw: read, when: target.type == block}\n"
		       "  - {name: b, rw: read, when: target.type == dir}\n"
		       "  - {name: c, rw: read, when: device.colour == red}\n");
	assert_int_equal(f->plan.jobs[0].state, JOB_SKIPPED);
	assert_string_equal(f->plan.jobs[0].why, "when: target.type == block is not met (dir)");
	assert_int_equal(f->plan.jobs[1].state, JOB_READY);
	/* law 1: not knowing is no reason to skip */
	assert_int_equal(f->plan.jobs[2].state, JOB_ERROR);
	assert_part(f->plan.jobs[2].why, "cannot be decided");
}

static void labels(void **state)
{
	struct fix *f = *state;
	const char *const text = WITH("labels: {adapter: required, rack: r1}\nrequires: [label.adapter != none]\n")
		"  - {name: a, rw: read, when: rack == r1}\n";
	struct setting l[2] = {{"adapter", "x4"}, {"dut.bay", "7"}};

	fix_ok(f, text);
	assert_int_equal(f->plan.setup_code, ERR_SUITE);
	assert_part(f->plan.setup_error, "--label adapter=X");
	f->o.labels = l;
	f->o.nlabels = 2;
	fix_ok(f, text);
	assert_null(f->plan.setup_error);
	assert_string_equal(facts_value(&f->plan.host, "label.adapter"), "x4");
	assert_string_equal(facts_value(&f->plan.host, "label.rack"), "r1");
	assert_string_equal(facts_value(&f->plan.targets[0].facts, "label.bay"), "7");
	assert_int_equal(f->plan.jobs[0].state, JOB_READY);
	l[0].key = "dut.adapter";
	fix_ok(f, text);
	assert_null(f->plan.setup_error);
	l[0].key = "drive.adapter";
	assert_int_equal(fix_plan(f, text), ERR_USAGE);
	assert_part(f->err.text, "no role 'drive'");
}

static void sessions_and_budget(void **state)
{
	struct fix *f = *state;

	f->o.sessions_min = f->o.sessions_max = 2;
	f->o.budget_time = 5;
	f->o.seed = 9;
	fix_ok(f, HEAD "  - {name: a, rw: read}\n");
	assert_int_equal(f->plan.sessions_min, 2);
	assert_int_equal(f->plan.sessions_max, 2);
	assert_int_equal(f->plan.budget_time, 5);
	assert_int_equal(f->plan.seed, 9);
	assert_string_equal(f->plan.profile, "default");
	f->o.sessions_min = f->o.sessions_max = 0;
	fix_ok(f, HEAD "  - {name: a, rw: read}\n");
	assert_int_equal(f->plan.sessions_min, 1);
	assert_int_equal(f->plan.sessions_max, 5);
	f->o.sessions_min = f->o.sessions_max = 6;
	assert_int_equal(fix_plan(f, HEAD "  - {name: a, rw: read}\n"), ERR_USAGE);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(targets_and_roles), TEST(missing_target), TEST(requirements),
		TEST(when), TEST(labels), TEST(sessions_and_budget),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
