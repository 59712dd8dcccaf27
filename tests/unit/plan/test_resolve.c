/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "plan_test.h"

#include "base/clock.h"
#include "engines/engine.h"

#include <fcntl.h>

#define FULL(line) "blkgate: 1\nname: t\n" line "workloads:\n"

static void precedence_and_origin(void **state)
{
	struct fix *f = *state;
	const struct setting set[] = {{"depth", "4"}};
	struct str s;

	assert_int_equal(fix_plan_set(f,
				      "blkgate: 1\nname: t\nparameters: {depth: 2, size: 1MiB}\n"
				      "defaults: {ioengine: sim, bs: 8KiB, size: \"${size}\"}\n"
				      "workloads:\n"
				      "  - name: m\n    rw: read\n    iodepth: ${depth}\n"
				      "    matrix: {bs: [32KiB]}\n"
				      "  - name: n\n    rw: read\n    bs: 16KiB\n"
				      "  - name: o\n    rw: read\n",
				      set, 1),
			 0);
	assert_int_equal(f->plan.jobs[0].bs, 32768);
	assert_int_equal(f->plan.jobs[1].bs, 16384);
	assert_int_equal(f->plan.jobs[2].bs, 8192);
	assert_int_equal(f->plan.jobs[0].iodepth, 4);
	assert_int_equal(fix_origin(f, 0, "bs")->kind, ORIGIN_MATRIX);
	assert_int_equal(fix_origin(f, 0, "bs")->line, 9);
	assert_int_equal(fix_origin(f, 1, "bs")->kind, ORIGIN_WORKLOAD);
	assert_int_equal(fix_origin(f, 1, "bs")->line, 12);
	assert_int_equal(fix_origin(f, 1, "bs")->column, 9);
	assert_int_equal(fix_origin(f, 2, "bs")->kind, ORIGIN_DEFAULTS);
	assert_int_equal(fix_origin(f, 2, "bs")->line, 4);
	assert_int_equal(fix_origin(f, 2, "iodepth")->kind, ORIGIN_DEFAULT);

	str_init(&s);
	plan_origin(&f->plan, fix_origin(f, 0, "iodepth"), &s);
	assert_part(s.s, "suite.yaml:8:14");
	assert_part(s.s, "--set depth=4");
	str_clear(&s);
	plan_origin(&f->plan, fix_origin(f, 0, "size"), &s);
	assert_part(s.s, "defaults suite.yaml:4:");
	assert_part(s.s, "size=1MiB");
	str_clear(&s);
	plan_origin(&f->plan, fix_origin(f, 0, "direct"), &s);
	assert_string_equal(s.s, "default");
	str_release(&s);
}

static void runs_of_the_command_line(void **state)
{
	struct fix *f = *state;

	f->o.runs = 7;
	fix_ok(f, HEAD "  - {name: a, rw: read, runs: 6}\n");
	assert_int_equal(f->plan.jobs[0].runs, 7);
	assert_int_equal(fix_origin(f, 0, "runs")->kind, ORIGIN_COMMAND);
}

static void time_and_size(void **state)
{
	struct fix *f = *state;

	fix_ok(f, HEAD "  - {name: a, rw: read, runtime: 2s}\n"
		       "  - {name: b, rw: read, runtime: 2s, time_based: false}\n"
		       "  - {name: c, rw: read, loops: 3}\n");
	assert_true(f->plan.jobs[0].time_based);
	assert_int_equal(f->plan.jobs[0].runtime, 2 * NS_PER_SEC);
	assert_false(f->plan.jobs[1].time_based);
	assert_false(f->plan.jobs[2].time_based);
	assert_int_equal(f->plan.jobs[2].loops, 3);
	fix_refused(f, HEAD "  - {name: a, rw: read, time_based: true}\n", "no runtime");
	assert_part(fix_refused(f,
				FULL("defaults: {ioengine: psync, direct: auto}\n") "  - {name: a, "
										    "rw: read}\n",
				"no size")
			    ->hint,
		    "size: 1GiB");
}

static void what_depends_on_other_words(void **state)
{
	struct fix *f = *state;

	fix_ok(f,
	       FULL("defaults: {ioengine: psync, size: 1MiB}\n") "  - {name: a, rw: write, direct: "
								 "false}\n"
								 "  - {name: b, rw: write, direct: "
								 "false, end_fsync: false}\n"
								 "  - {name: c, rw: read, direct: "
								 "false}\n"
								 "  - {name: d, rw: write, direct: "
								 "true}\n"
								 "  - {name: e, rw: randrw, "
								 "direct: false, ioengine: sim, "
								 "iodepth: 8}\n");
	assert_true(f->plan.jobs[0].end_fsync); /* bugs-given lost-write-2 */
	assert_false(f->plan.jobs[1].end_fsync);
	assert_false(f->plan.jobs[2].end_fsync);
	assert_false(f->plan.jobs[3].end_fsync);
	assert_false(f->plan.jobs[4].end_fsync);
	assert_int_equal(f->plan.jobs[4].iodepth_batch_complete_max, 8);
	fix_refused(f, HEAD "  - {name: a, rw: read, iodepth: 2, iodepth_batch_complete_min: 4}\n",
		    "wait for ever");
	fix_refused(f,
		    HEAD "  - {name: a, rw: read, iodepth: 8, iodepth_batch_complete_min: 4, "
			 "iodepth_batch_complete_max: 2}\n",
		    "more than iodepth_batch_complete_max 2");
}

static void engine_auto_is_announced(void **state)
{
	struct fix *f = *state;
	const struct job *j;
	bool announced = false;

	fix_ok(f, HEAD "  - {name: a, rw: read, ioengine: auto, direct: false}\n");
	j = &f->plan.jobs[0];
	assert_string_equal(j->ioengine_asked, "auto");
	assert_true(strcmp(j->ioengine, "io_uring") == 0 || strcmp(j->ioengine, "libaio") == 0 ||
		    strcmp(j->ioengine, "psync") == 0);
	assert_int_equal(j->state, JOB_READY);
	for (size_t i = 0; i < f->plan.notices.n; i++)
		announced = announced || strstr(f->plan.notices.v[i], "ioengine auto: ");
	assert_true(announced);
}

static void engine_unknown(void **state)
{
	struct fix *f = *state;
	const struct diag *g = fix_refused(f, HEAD "  - {name: a, rw: read, ioengine: libaoi}\n",
					   "ioengine 'libaoi' is unknown");

	assert_int_equal(g->line, 5);
	assert_int_equal(g->column, 35);
	assert_part(g->hint, "libaio");
	/* a matrix says it once */
	fix_refused(f, HEAD "  - {name: a, rw: read, ioengine: libaoi, matrix: {bs: [4k, 8k]}}\n",
		    "libaoi");
	assert_int_equal(f->diags.errors, 1);
}

static void direct_auto_follows_the_file_system(void **state)
{
	struct fix *f = *state;
	const struct target *t;
	bool announced = false;

	fix_ok(f, FULL("defaults: {ioengine: psync, size: 1MiB}\n") "  - {name: a, rw: write, "
								    "direct: auto}\n"
								    "  - {name: b, rw: write, "
								    "direct: true}\n");
	t = &f->plan.targets[0];
	assert_true(f->plan.jobs[0].direct_auto);
	assert_false(f->plan.jobs[1].direct_auto);
	assert_int_equal(f->plan.jobs[0].direct, t->dio_known && t->dio_offset > 0);
	assert_int_equal(f->plan.jobs[0].end_fsync, !f->plan.jobs[0].direct);
	assert_int_equal(f->plan.jobs[0].state, JOB_READY);
	for (size_t i = 0; i < f->plan.notices.n; i++)
		announced = announced || strstr(f->plan.notices.v[i], "direct auto: ");
	assert_true(announced);
	if (!t->fstype || strcmp(t->fstype, "tmpfs") != 0)
		return;
	assert_int_equal(f->plan.jobs[1].state, JOB_ERROR);
	assert_part(f->plan.jobs[1].why, "O_DIRECT is not honoured on tmpfs");
	assert_part(f->plan.jobs[1].why, "suite.yaml:6");
}

/* FACTS 1: tmpfs takes the flag and serves the page cache. */
static void direct_on_tmpfs_is_refused(void **state)
{
	struct fix *f = *state;

	if (access("/dev/shm", W_OK) != 0) {
		print_message("no /dev/shm: a tmpfs cannot be tried\n");
		skip();
	}
	f->arg[0].id = "/dev/shm";
	fix_ok(f, FULL("defaults: {ioengine: psync, size: 4096}\n") "  - {name: a, rw: read}\n  - "
								    "{name: b, rw: read, direct: "
								    "auto}\n"
								    "  - {name: c, rw: read, "
								    "direct: false}\n");
	if (!str_eq(f->plan.targets[0].fstype, "tmpfs")) {
		print_message("/dev/shm is no tmpfs here\n");
		skip();
	}
	assert_int_equal(f->plan.jobs[0].state, JOB_ERROR);
	assert_part(f->plan.jobs[0].why, "O_DIRECT is not honoured on tmpfs");
	assert_int_equal(f->plan.jobs[1].state, JOB_READY);
	assert_false(f->plan.jobs[1].direct);
	assert_int_equal(f->plan.jobs[2].state, JOB_READY);
	assert_string_equal(facts_value(&f->plan.targets[0].facts, "fs.direct"), "no");
}

static void lint_needs_no_machine(void **state)
{
	struct fix *f = *state;

	f->o = (struct plan_options){.lint_only = true};
	fix_ok(f, HEAD_BARE
	       "  - {name: a, rw: randwrite, ioengine: auto, direct: auto, gate: {sync.lat.p99: "
	       "5%}}\n"
	       "  - {name: b, rw: read, gate: {read.bw: 5%}, expect: [read.bw >= 80% of link]}\n");
	assert_int_equal(f->plan.ntargets, 1);
	assert_int_equal(f->plan.njobs, 2);
	assert_int_equal(f->plan.jobs[0].state, JOB_READY);
	assert_string_equal(f->plan.jobs[0].ioengine_asked, "auto");
	assert_int_equal(f->plan.notices.n, 0);
}

static void rw_is_required(void **state)
{
	struct fix *f = *state;
	struct str s;

	/* wherever it is refused, it is */
	str_init(&s);
	str_add(&s, HEAD "  - {name: a, bs: 4k}\n");
	f->loaded = true;
	if (suite_parse(s.s, s.len, "suite.yaml", NULL, 0, &f->suite, &f->diags, &f->err) == 0) {
		f->made = true;
		assert_int_equal(plan_make(&f->suite, &f->o, &f->plan, &f->diags, &f->err),
				 ERR_SUITE);
	}
	assert_true(f->diags.errors > 0);
	str_release(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(precedence_and_origin),
		TEST(runs_of_the_command_line),
		TEST(time_and_size),
		TEST(what_depends_on_other_words),
		TEST(engine_auto_is_announced),
		TEST(engine_unknown),
		TEST(direct_auto_follows_the_file_system),
		TEST(direct_on_tmpfs_is_refused),
		TEST(lint_needs_no_machine),
		TEST(rw_is_required),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
