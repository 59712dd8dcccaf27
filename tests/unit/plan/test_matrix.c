/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "plan_test.h"

static void order_is_workload_instance_target(void **state)
{
	struct fix *f = *state;
	static const char *const names[] = {"a",
					    "a",
					    "m:rw=read:iodepth=1",
					    "m:rw=read:iodepth=1",
					    "m:rw=read:iodepth=8",
					    "m:rw=read:iodepth=8",
					    "m:rw=write:iodepth=1",
					    "m:rw=write:iodepth=1",
					    "m:rw=write:iodepth=8",
					    "m:rw=write:iodepth=8"};

	f->arg[0] = (struct target_arg){"old", f->dir};
	f->arg[1] = (struct target_arg){"new", "/tmp"};
	f->o.ntargets = 2;
	/* axes stand in the order of the word table, not in that of the suite */
	fix_ok(f, HEAD "  - {name: a, rw: read}\n"
		       "  - name: m\n    matrix: {iodepth: [1, 8], rw: [read, write]}\n");
	assert_int_equal(f->plan.njobs, 10);
	for (size_t i = 0; i < 10; i++) {
		assert_string_equal(f->plan.jobs[i].name, names[i]);
		assert_int_equal(f->plan.jobs[i].target, i % 2);
		assert_int_equal(f->plan.workload[i], i >= 2);
		assert_int_equal(f->plan.jobs[i].state, JOB_READY);
	}
	assert_string_equal(f->plan.targets[1].role, "new");
	assert_int_equal(f->plan.jobs[9].rw, RW_WRITE);
	assert_int_equal(f->plan.jobs[9].iodepth, 8);
}

static void names(void **state)
{
	struct fix *f = *state;

	fix_ok(f, HEAD
	       "  - name: m\n    rw: read\n    matrix: {bs: [4k, 64KiB]}\n"
	       "  - name: rand-{rw}-qd{iodepth}\n    matrix: {rw: [randread], iodepth: [1, 32]}\n");
	assert_string_equal(f->plan.jobs[0].name, "m:bs=4KiB");
	assert_string_equal(f->plan.jobs[1].name, "m:bs=64KiB");
	assert_string_equal(f->plan.jobs[2].name, "rand-randread-qd1");
	assert_string_equal(f->plan.jobs[3].name, "rand-randread-qd32");
}

static void excluded(void **state)
{
	struct fix *f = *state;

	fix_ok(f, HEAD "  - name: m\n    matrix: {rw: [read, write], bs: [4KiB, 8KiB]}\n"
		       "    exclude: [{rw: write, bs: 4096}]\n");
	assert_int_equal(f->plan.njobs, 3);
	assert_string_equal(f->plan.jobs[2].name, "m:rw=write:bs=8KiB");

	fix_refused_somewhere(f, HEAD "  - name: m\n    matrix: {rw: [read, write]}\n"
				      "    exclude: [{rw: randread}]\n");
	fix_refused_somewhere(f, HEAD
			      "  - name: m\n    matrix: {rw: [read]}\n    exclude: [{rw: read}]\n");
}

/* bugs-given junit-identity-2 */
static void equal_names_are_refused(void **state)
{
	struct fix *f = *state;
	const struct diag *g;

	fix_refused_somewhere(f, HEAD "  - name: m\n    rw: read\n    matrix: {bs: [4k, 4096]}\n");
	fix_refused_somewhere(f, HEAD
			      "  - name: m-{rw}\n    matrix: {rw: [read, write], bs: [4k, 8k]}\n");
	g = fix_refused(f,
			HEAD "  - {name: m-read, rw: read}\n"
			     "  - name: m-{rw}\n    matrix: {rw: [read, write]}\n",
			"line 5");
	assert_part(g->text, "line 6");
}

static void guard_of_instances(void **state)
{
	struct fix *f = *state;
	struct str s;

	str_init(&s);
	str_add(&s, HEAD "  - name: m\n    rw: read\n    matrix:\n");
	for (int axis = 0; axis < 3; axis++) {
		static const char *const word[] = {"bs", "iodepth", "numjobs"};

		str_addf(&s, "      %s: [", word[axis]);
		for (int i = 1; i <= 100; i++)
			str_addf(&s, "%s%d", i > 1 ? ", " : "", axis ? i : i * 512);
		str_add(&s, "]\n");
	}
	fix_refused_somewhere(f, s.s);
	str_clear(&s);
	/* each below the guard, together above it */
	str_add(&s, HEAD);
	for (int w = 0; w < 101; w++) {
		str_addf(&s, "  - name: w%d\n    rw: read\n    matrix: &m%d\n", w, w);
		for (int axis = 0; axis < 2; axis++) {
			str_addf(&s, "      %s: [", axis ? "iodepth" : "numjobs");
			for (int i = 1; i <= (axis ? 100 : 10); i++)
				str_addf(&s, "%s%d", i > 1 ? ", " : "", i);
			str_add(&s, "]\n");
		}
	}
	fix_refused(f, s.s, "above 100000 instances");
	str_release(&s);
}

static void many_workloads(void **state)
{
	struct fix *f = *state;
	struct str s;

	str_init(&s);
	str_add(&s, HEAD);
	for (int i = 0; i < 10000; i++)
		str_addf(&s,
			 "  - name: w%d\n    rw: randread\n    runtime: 1s\n"
			 "    gate: {iops: 5%%, read.clat.p99: 20%%}\n"
			 "    expect: [read.bw >= 1 MB/s, read.clat.p99 <= 2ms]\n",
			 i);
	f->o.lint_only = true;
	fix_ok(f, s.s);
	assert_int_equal(f->plan.njobs, 10000);
	assert_int_equal(f->plan.nchecks, 40000);
	assert_int_equal(f->plan.checks[39999].job, 9999);
	f->o.lint_only = false;
	fix_ok(f, s.s);
	assert_int_equal(f->plan.nchecks, 40000);
	str_release(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(order_is_workload_instance_target),
		TEST(names),
		TEST(excluded),
		TEST(equal_names_are_refused),
		TEST(guard_of_instances),
		TEST(many_workloads),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
