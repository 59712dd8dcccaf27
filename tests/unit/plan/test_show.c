/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "plan_test.h"
#include <math.h>

#include "base/clock.h"

#include <errno.h>
#include <sys/stat.h>

static void time_and_bytes(void **state)
{
	struct fix *f = *state;
	bool bounded;

	/* 5 runs x (1 s + 9 s + 20 ms); sim needs no layout */
	fix_ok(f, HEAD "  - {name: a, rw: write, runtime: 9s, ramp_time: 1s}\n");
	assert_int_equal(plan_session_time(&f->plan), 5 * (10 * NS_PER_SEC + 20 * NS_PER_MS));
	assert_int_equal(plan_session_written(&f->plan, &bounded, NULL), 0);
	assert_true(bounded);
	/* size bound: 2 MB at 200 MB/s, twice by two jobs, one file of 2 MB at 500 MB/s */
	fix_ok(f, "blkgate: 1\nname: t\ndefaults: {ioengine: psync, direct: false, end_fsync: "
		  "false}\nworkloads:\n"
		  "  - {name: a, rw: write, size: 2MB, bs: 1kB, loops: 2, numjobs: 2, runs: 1}\n");
	assert_int_equal(plan_session_time(&f->plan), (40 + 20 + 4) * NS_PER_MS);
	assert_int_equal(plan_session_written(&f->plan, &bounded, NULL), 2000000 + 8000000);
	assert_true(bounded);
	/* verify reads the 4 MB of both jobs once, at 200 MB/s; a second file */
	fix_ok(f, "blkgate: 1\nname: t\ndefaults: {ioengine: psync, direct: false, end_fsync: "
		  "false}\nworkloads:\n"
		  "  - {name: a, rw: write, size: 2MB, bs: 1kB, loops: 2, numjobs: 2, runs: 1, "
		  "files: per_job, verify: crc32c}\n");
	assert_int_equal(plan_session_time(&f->plan), (40 + 20 + 8 + 20 + 2) * NS_PER_MS);
	/* paced: rate x time; reads write only the layout */
	fix_ok(f, "blkgate: 1\nname: t\ndefaults: {ioengine: psync, direct: false, size: 4096, "
		  "runs: 1}\nworkloads:\n"
		  "  - {name: a, rw: randrw, rwmixread: 75, rate_iops: 100, runtime: 10s}\n"
		  "  - {name: b, rw: read, runtime: 10s}\n");
	assert_int_equal(plan_session_written(&f->plan, &bounded, NULL),
			 4096 + 100 * 10 * 4096 / 4);
	assert_true(bounded);
	/* free running: bounded by the fastest device we assume */
	fix_ok(f, "blkgate: 1\nname: t\ndefaults: {ioengine: psync, direct: false, size: 4096, "
		  "runs: 1}\nworkloads:\n"
		  "  - {name: a, rw: write, runtime: 10s}\n");
	assert_int_equal(plan_session_written(&f->plan, &bounded, NULL), 4096 + (20ULL << 30));
	assert_false(bounded);
	/* what does not run takes no time */
	f->plan.jobs[0].state = JOB_SKIPPED;
	assert_int_equal(plan_session_time(&f->plan), 0);
	/* absurd sums do not wrap */
	f->plan.jobs[0].state = JOB_READY;
	f->plan.jobs[0].runs = UINT32_MAX;
	f->plan.jobs[0].runtime = UINT64_MAX / 2;
	assert_true(plan_session_time(&f->plan) > 8000000000000000000ULL);
	assert_true(plan_session_written(&f->plan, &bounded, NULL) < UINT64_MAX);
}

/* What the session asks of the plan, so that both count alike. */
static void needs(void **state)
{
	struct fix *f = *state;
	struct target_needs n;
	struct stat st;
	int fd;

	fix_ok(f, "blkgate: 1\nname: t\ndefaults: {ioengine: psync, direct: false, size: "
		  "4096}\nworkloads:\n"
		  "  - {name: a, rw: read, numjobs: 3, files: per_job}\n"
		  "  - {name: b, rw: read, offset: 8192, numjobs: 9}\n"
		  "  - {name: c, rw: write, ioengine: sim, invalidate: false}\n");
	n = plan_target_needs(&f->plan, 0);
	assert_int_equal(n.files, 3);
	assert_int_equal(n.bytes, 8192 + 4096);
	assert_false(n.writes || n.cached);
	assert_false(plan_job_diskless(&f->plan.jobs[0]));
	assert_true(plan_job_diskless(&f->plan.jobs[2]));
	f->plan.jobs[1].rw = RW_RANDRW;
	f->plan.jobs[1].invalidate = false;
	n = plan_target_needs(&f->plan, 0);
	assert_true(n.writes && n.cached);
	f->plan.jobs[0].state = f->plan.jobs[1].state = JOB_ERROR;
	assert_int_equal(plan_target_needs(&f->plan, 0).files, 0);
	/* never more than the run surely takes */
	f->plan.jobs[0].ramp_time = NS_PER_SEC;
	f->plan.jobs[0].runtime = 5 * NS_PER_SEC;
	f->plan.jobs[0].time_based = true;
	assert_int_equal(plan_run_time(&f->plan.jobs[0]), 6 * NS_PER_SEC + 20 * NS_PER_MS);
	f->plan.jobs[0].time_based = false;
	assert_int_equal(plan_run_time(&f->plan.jobs[0]), NS_PER_SEC + 20 * NS_PER_MS);
	/* no name is left of the file */
	fd = plan_scratch_file(f->dir);
	assert_true(fd >= 0);
	assert_int_equal(fstat(fd, &st), 0);
	assert_int_equal(st.st_nlink, 0);
	assert_int_equal(write(fd, "x", 1), 1);
	close(fd);
	assert_int_equal(plan_scratch_file("/nonexistent/folder"), -ENOENT);
}

static void text_for_people(void **state)
{
	struct fix *f = *state;
	struct str s;

	fix_ok(f, "blkgate: 1\nname: shown\ndatasheet: {seq: 1000 MB/s}\ndefaults: {ioengine: "
		  "psync, size: 1MiB}\n"
		  "workloads:\n"
		  "  - name: a\n    rw: read\n    bs: 4 KiB\n    direct: auto\n    runtime: 1s\n"
		  "    gate: {read.bw: 5%, read.clat.p99: {tolerance: 20%, role: watch}}\n"
		  "    expect: [read.bw >= 50% of datasheet.seq]\n"
		  "  - {name: b, rw: read, when: target.type == block}\n");
	str_init(&s);
	plan_show(&f->plan, &s);
	assert_part(s.s, "suite shown (suite.yaml), 2 jobs, 3 checks");
	assert_part(s.s, "a on dut\n");
	assert_part(s.s, "4 KiB (4096)      suite.yaml:8:9"); /* bugs-given suffix-1: exact bytes */
	assert_part(s.s, "differs from fio");
	assert_part(s.s, "(auto)");
	assert_part(s.s, "read.bw: 5%");
	assert_part(s.s, "20%, watch");
	assert_part(s.s, "read.bw >= 50% of datasheet.seq = 500 MB/s");
	assert_part(s.s, "skipped: when: target.type == block is not met (dir)");
	assert_part(s.s, "1 ready, 1 skipped, 0 in error");
	assert_part(s.s, "1..5 sessions");
	/* what was left out is one paragraph; every value stands somewhere, once a job */
	assert_part(s.s, "  defaults: bssplit -, bsrange -, iodepth 1, ");
	assert_part(s.s, "offset 0, ");
	assert_part(s.s, "1 MiB (1048576)   defaults suite.yaml:4:35");
	assert_null(strstr(s.s, "sim"));
	assert_null(strstr(s.s, "rwmixread"));
	for (const char *p = s.s; *p;) {
		size_t n = strcspn(p, "\n");

		assert_true(n <= 80 || strstr(p, f->dir));
		assert_true(n == 0 || p[n - 1] != ' ');
		p += n + (p[n] == '\n');
	}
	str_release(&s);
}

/* Free-running writes: the bound, and what a session and all of them may come to, in one kind of
 * unit. */
static void totals_for_people(void **state)
{
	struct fix *f = *state;
	struct str s;

	fix_ok(f, "blkgate: 1\nname: t\ndefaults: {ioengine: psync, direct: false, size: 1GiB, "
		  "runs: 5}\nworkloads:\n"
		  "  - {name: a, rw: randrw, rwmixread: 0, runtime: 1s, gate: {write.iops: 5%}}\n");
	str_init(&s);
	plan_show(&f->plan, &s);
	assert_part(s.s, "11 GiB a session at 2 GiB/s (free-running writes); 1..5 sessions: 11");
	assert_part(s.s, "to 55 GiB");
	assert_part(s.s, "rwmixread                 0 "); /* written, and the mode is mixed */
	str_release(&s);
}

/* What is alike stands once; what is left out is named in a line, its reason once. */
static void alike_once(void **state)
{
	struct fix *f = *state;
	const char *at;
	struct str s;

	fix_ok(f, "blkgate: 1\nname: t\ndefaults: {ioengine: psync, direct: false, size: 1MiB, "
		  "runtime: 1s}\nworkloads:\n"
		  "  - {name: a, rw: read, gate: {read.iops: 5%}}\n"
		  "  - {name: b, rw: randread, iodepth: 1, gate: {read.iops: 6%}}\n"
		  "  - {name: c, rw: read, when: target.type == block, gate: {read.iops: 7%}}\n"
		  "  - {name: d, rw: read, when: target.type == block, gate: {read.iops: 8%}}\n");
	str_init(&s);
	plan_show(&f->plan, &s);
	at = strstr(s.s, "alike in all 2 workloads\n");
	assert_non_null(at);
	assert_part(at, "  size                      1 MiB (1048576)");
	assert_null(strstr(strstr(at, "a on dut\n"), "size")); /* not again */
	assert_null(strstr(strstr(at, "\n\n"), "  defaults: bs"));
	assert_part(strstr(at, "a on dut\n"), "  rw                        read ");
	assert_part(strstr(at, "a on dut\n"), "defaults: iodepth 1\n");
	assert_part(strstr(at, "b on dut\n"), "  rw                        randread ");
	assert_part(strstr(at, "b on dut\n"), "  iodepth                   1 "); /* written */
	assert_part(s.s,
		    "skipped: when: target.type == block is not met (dir)\n  c on dut, d on dut\n");
	assert_null(strstr(s.s, "7%"));
	assert_null(strstr(s.s, "8%"));
	assert_part(s.s, "2 ready, 2 skipped, 0 in error");
	str_clear(&s);
	f->plan.setup_error = "a session takes too long";
	f->plan.budget_time = 1;
	plan_show(&f->plan, &s);
	assert_part(s.s, "jobs     none runs, for the error above; without it 2 ready");
	assert_part(s.s, "(not");
	assert_null(strstr(s.s, "(may"));
	f->plan.setup_error = NULL;
	str_release(&s);
}

/* What accepted sessions wrote takes the place of the bound. */
static void written_as_seen(void **state)
{
	struct fix *f = *state;
	double rate[2] = {100e6, NAN};
	bool bounded, seen;
	struct str s;

	fix_ok(f,
	       "blkgate: 1\nname: t\ndefaults: {ioengine: psync, direct: false, size: 1MiB, "
	       "runs: 5}\nworkloads:\n"
	       "  - {name: a, rw: randwrite, runtime: 4s, ramp_time: 1s, gate: {write.iops: 5%}}\n"
	       "  - {name: b, rw: write, loops: 3, gate: {write.iops: 5%}}\n");
	f->plan.jobs[1].time_based = false;
	f->plan.jobs[1].runtime = 0;
	f->plan.seen_write = rate;
	assert_int_equal(plan_session_written(&f->plan, &bounded, &seen),
			 1048576 + 5 * 500000000ULL + 5 * 3 * 1048576);
	assert_true(bounded && seen);
	str_init(&s);
	plan_show(&f->plan, &s);
	assert_part(s.s, "written  2.34 GiB a session, by what accepted sessions wrote");
	rate[1] = 1e6; /* bound by its size, however slow it was */
	assert_int_equal(plan_session_written(&f->plan, &bounded, &seen),
			 1048576 + 5 * 500000000ULL + 5 * 3 * 1048576);
	rate[0] = rate[1] = NAN;
	plan_session_written(&f->plan, &bounded, &seen);
	assert_false(bounded || seen);
	f->plan.seen_write = NULL;
	str_release(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(time_and_bytes),    TEST(needs),      TEST(text_for_people),
		TEST(totals_for_people), TEST(alike_once), TEST(written_as_seen),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
