/* SPDX-License-Identifier: GPL-2.0-or-later */
/* nrfiles: where it can be had, what it needs of target and machine; offset in per cent. */
#include "recorded.h"

#include "base/clock.h"

#define FILES "ioengine: psync, direct: false"

static void put_disk(struct fix *f)
{
	put(f, "/sys/block/sda/dev", "8:0\n");
	put(f, "/sys/block/sda/size", "2008\n"); /* 1004 KiB */
	put(f, "/sys/block/sda/queue/logical_block_size", "512\n");
	put(f, "/dev/sda", "");
	put(f, "/proc/self/mountinfo", "21 1 254:0 / / rw - ext4 /dev/vda rw\n");
	f->host.root = f->dir;
	f->arg[0].id = "/dev/sda";
}

static void only_in_a_folder(void **state)
{
	struct fix *f = *state;
	const char *const text =
		HEAD_BARE "  - {name: a, rw: read, nrfiles: 2, size: 64k, direct: false}\n"
			  "  - {name: b, rw: read, nrfiles: 1, size: 64k, direct: false}\n"
			  "  - {name: c, rw: read, nrfiles: 2, size: 64k, ioengine: sim}\n";
	char path[128];

	put_disk(f);
	fix_ok(f, text);
	assert_int_equal(f->plan.jobs[0].state, JOB_ERROR);
	assert_string_equal(f->plan.jobs[0].why,
			    "nrfiles: 2 needs a folder, and 'dut' is a block device; name a folder "
			    "with --target, or leave nrfiles out (suite.yaml:4)");
	assert_int_equal(f->plan.jobs[1].state, JOB_READY);
	assert_int_equal(f->plan.jobs[2].state, JOB_READY); /* has no files */
	f->host.root = "/";
	put(f, "/file", "x");
	snprintf(path, sizeof(path), "%s/file", f->dir);
	assert_int_equal(truncate(path, 65536), 0);
	f->arg[0].id = path;
	fix_ok(f, text);
	assert_int_equal(f->plan.jobs[0].state, JOB_ERROR);
	assert_part(f->plan.jobs[0].why, "'dut' is a file; name a folder");
}

/* Files are as long as the jobs that use them need, and no longer. */
static void what_a_session_makes(void **state)
{
	struct fix *f = *state;
	struct target_needs n;
	unsigned until;
	bool bounded;

	fix_ok(f, HEAD_BARE
	       "  - {name: a, rw: read, size: 1MiB, runs: 1, " FILES "}\n"
	       "  - {name: b, rw: read, size: 400k, nrfiles: 10, offset: 8k, runs: 1, " FILES "}\n"
	       "  - {name: c, rw: read, size: 12k, nrfiles: 3, numjobs: 4, files: per_job, "
	       "runs: 1, " FILES "}\n");
	n = plan_target_needs(&f->plan, 0);
	assert_int_equal(n.files, 12);
	assert_int_equal(n.bytes, 1 << 20);
	assert_int_equal(plan_file_bytes(&f->plan, 0, 0, &until), 1 << 20);
	assert_int_equal(until, 1);
	assert_int_equal(plan_file_bytes(&f->plan, 0, 1, &until), 48 * 1024);
	assert_int_equal(until, 10);
	assert_int_equal(plan_file_bytes(&f->plan, 0, 11, &until), 4096);
	assert_int_equal(until, 12);
	assert_int_equal(plan_file_bytes(&f->plan, 0, 12, &until), 0);
	assert_int_equal(n.total, 1024 * 1024 + 9 * 48 * 1024 + 2 * 4096);
	assert_int_equal(plan_session_written(&f->plan, &bounded, NULL), n.total);
	/* what does not run needs nothing */
	f->plan.jobs[0].state = JOB_SKIPPED;
	assert_int_equal(plan_target_needs(&f->plan, 0).bytes, 48 * 1024);
}

static void time_of_many_files(void **state)
{
	struct fix *f = *state;
	uint64_t one, many;

	fix_ok(f, HEAD_BARE "  - {name: a, rw: read, size: 4000k, runs: 1, " FILES "}\n");
	one = plan_session_time(&f->plan);
	fix_ok(f, HEAD_BARE "  - {name: a, rw: read, size: 4000k, nrfiles: 100, runs: 1, " FILES
			    "}\n");
	many = plan_session_time(&f->plan);
	assert_int_equal(many - one, 99 * 2 * NS_PER_MS);
}

static void room(void **state)
{
	struct fix *f = *state;

	fix_ok(f, HEAD_BARE
	       "  - {name: a, rw: read, size: 400k, nrfiles: 4, numjobs: 2, files: per_job, " FILES
	       "}\n"
	       "  - {name: b, rw: read, size: 100k, " FILES "}\n");
	f->plan.targets[0].size = 850 * 1024; /* 800 KiB x 1.05 */
	plan_permit(&f->plan, &f->o);
	assert_int_equal(f->plan.jobs[0].state, JOB_READY);
	f->plan.targets[0].size = 830 * 1024;
	plan_permit(&f->plan, &f->o);
	assert_int_equal(f->plan.jobs[0].state, JOB_ERROR);
	assert_part(f->plan.jobs[0].why, "its files need 840 KiB with 5 % of margin");
	assert_int_equal(f->plan.jobs[1].state, JOB_READY);
}

/* Every thread opens its files anew; the session holds them besides. */
static void descriptors(void **state)
{
	static const struct {
		const char *keys, *why;
	} v[] = {
		{"nrfiles: 480", NULL}, /* 481 of the worker, 480 held, 32 to spare */
		{"nrfiles: 500", "nrfiles 500 and numjobs 1 need 1033 descriptors, and "
				 "RLIMIT_NOFILE is 1000; raise it (ulimit -n), or lower nrfiles or "
				 "numjobs (suite.yaml:4)"},
		{"nrfiles: 30, numjobs: 30", NULL},
		{"nrfiles: 30, numjobs: 31", "need 1023 descriptors"},
		{"nrfiles: 15, numjobs: 31, files: per_job", NULL},
		{"nrfiles: 16, numjobs: 31, files: per_job", "need 1055 descriptors"},
		{"nrfiles: 1, numjobs: 500", "nrfiles 1 and numjobs 500 need 1033 descriptors"},
		{"nrfiles: 1000, ioengine: sim", NULL},
	};
	struct fix *f = *state;
	size_t told = 0;

	put(f, "/proc/self/limits", "Max open files  1000  2000  files\n");
	put(f, "/proc/self/mountinfo", "21 1 254:0 / / rw - ext4 /dev/vda rw\n");
	put(f, "/mnt/x", "");
	f->host.root = f->dir;
	f->arg[0].id = "/mnt";
	for (size_t i = 0; i < sizeof(v) / sizeof(v[0]); i++) {
		char text[512];

		snprintf(text, sizeof(text),
			 HEAD_BARE "  - {name: a, rw: read, size: 16MiB, direct: false, %s}\n",
			 v[i].keys);
		fix_ok(f, text);
		if (v[i].why) {
			assert_int_equal(f->plan.jobs[0].state, JOB_ERROR);
			assert_part(f->plan.jobs[0].why, v[i].why);
		} else if (f->plan.jobs[0].state != JOB_READY) {
			assert_null(strstr(f->plan.jobs[0].why, "descriptors"));
		}
	}
	/* two that fit alone, and not beside the files of the other */
	fix_ok(f, HEAD_BARE
	       "  - {name: a, rw: read, size: 16MiB, direct: false, nrfiles: 480}\n"
	       "  - {name: b, rw: read, size: 16MiB, direct: false, nrfiles: 2, numjobs: 200}\n");
	assert_int_equal(f->plan.jobs[1].state, JOB_ERROR);
	assert_part(f->plan.jobs[1].why, "need 1112 descriptors");
	/* unknown stops nothing, and is said */
	put(f, "/proc/self/limits", "");
	fix_ok(f, HEAD_BARE "  - {name: a, rw: read, size: 16MiB, direct: false, nrfiles: 500}\n");
	for (size_t i = 0; i < f->plan.notices.n; i++)
		told += strstr(f->plan.notices.v[i], "whether the descriptors suffice") != NULL;
	assert_int_equal(told, 1);
}

static void lint(void **state)
{
	struct fix *f = *state;

	fix_refused(f, HEAD "  - {name: a, rw: read, size: 8k, nrfiles: 3}\n",
		    "size 8 KiB over 3 files is below bs 4 KiB: there is no room for one I/O");
	fix_ok(f, HEAD "  - {name: a, rw: read, size: 12k, nrfiles: 3}\n");
	assert_null(fix_rule(f, "size-not-multiple-of-bs"));
	fix_ok(f, HEAD "  - {name: a, rw: read, size: 20k, nrfiles: 3}\n");
	assert_part(fix_rule(f, "size-not-multiple-of-bs")->text,
		    "size 20 KiB is no multiple of bs 4 KiB in each of 3 files: the last 8 KiB are "
		    "never touched");
	/* files of their own are descriptors of their own, which is where posixaio has depth */
	f->o.lint_only = true;
	fix_ok(f, HEAD "  - {name: a, rw: read, direct: false, ioengine: posixaio, iodepth: 4}\n");
	assert_non_null(fix_rule(f, "depth-on-sync-engine"));
	fix_ok(f, HEAD "  - {name: a, rw: read, direct: false, ioengine: posixaio, iodepth: 4, "
		       "nrfiles: 4}\n");
	assert_null(fix_rule(f, "depth-on-sync-engine"));
	fix_ok(f, HEAD "  - {name: a, rw: read, " FILES ", iodepth: 4, nrfiles: 4}\n");
	assert_non_null(fix_rule(f, "depth-on-sync-engine"));
}

/* In the identity only where there are several: what was stored before stays comparable. */
static void identity(void **state)
{
	struct fix *f = *state;
	struct str one, four;

	str_init(&one);
	str_init(&four);
	fix_ok(f, HEAD "  - {name: a, rw: read}\n  - {name: b, rw: read, nrfiles: 1}\n"
		       "  - {name: c, rw: read, nrfiles: 4}\n");
	job_canonical(&f->plan.jobs[0], &one);
	assert_null(strstr(one.s, "nrfiles"));
	job_canonical(&f->plan.jobs[1], &four);
	assert_string_equal(one.s, four.s);
	str_clear(&four);
	job_canonical(&f->plan.jobs[2], &four);
	assert_part(four.s, " nrfiles=4 ");
	str_clear(&one);
	plan_show(&f->plan, &one);
	assert_part(one.s, "nrfiles                   4 ");
	str_release(&four);
	str_release(&one);
}

static void offset_in_per_cent(void **state)
{
	struct fix *f = *state;
	const struct job *j;
	struct str s;

	put_disk(f);
	fix_ok(f, HEAD_BARE "  - {name: a, rw: read, offset: 25%}\n"
			    "  - {name: b, rw: read, offset: 50%, size: 50%, bs: 64k}\n"
			    "  - {name: c, rw: read, offset: 99%, size: 4k, bs: 4k}\n"
			    "  - {name: d, rw: read, offset: 99%, size: 64k}\n"
			    "  - {name: e, rw: read, matrix: {offset: [0%, 25%]}}\n");
	j = f->plan.jobs;
	assert_int_equal(j[0].offset, 248 * 1024);        /* 251 KiB, in whole blocks */
	assert_int_equal(j[0].size, (1004 - 248) * 1024); /* to the end */
	assert_int_equal(fix_origin(f, 0, "size")->kind, ORIGIN_TARGET);
	assert_int_equal(fix_origin(f, 0, "offset")->line, 4);
	assert_int_equal(j[1].offset, 448 * 1024);
	assert_int_equal(j[1].size, 448 * 1024);
	assert_int_equal(j[1].state, JOB_READY);
	assert_int_equal(j[2].offset, 992 * 1024);
	assert_int_equal(j[2].state, JOB_READY);
	assert_int_equal(j[3].state, JOB_ERROR);
	assert_part(j[3].why, "reach beyond");
	assert_string_equal(j[4].name, "e:offset=0");
	assert_string_equal(j[5].name, "e:offset=25pc");
	str_init(&s);
	job_canonical(&j[0], &s);
	assert_part(s.s, " offset=253952 ");
	assert_null(strstr(s.s, "percent"));
	str_clear(&s);
	plan_show(&f->plan, &s);
	assert_part(s.s, "253952 (25%)");
	str_clear(&s);
	job_fio(&j[0], NULL, &s);
	assert_part(s.s, "--offset=253952");
	str_release(&s);
	f->host.root = "/";
	f->arg[0].id = f->dir;
	const struct diag *g = fix_refused(
		f, HEAD_BARE "  - {name: a, rw: read, offset: 25%, size: 4k, direct: false}\n",
		"offset 25% of workload 'a': a folder has no size of its own");
	assert_int_equal(g->line, 4);
	assert_int_equal(g->column, 33);
	/* without a target the share stands as it is */
	f->o.lint_only = true;
	fix_ok(f, HEAD_BARE "  - {name: a, rw: read, offset: 25%, size: 4k, gate: {iops: 5%}}\n");
	assert_int_equal(f->plan.jobs[0].offset_percent, 25);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		DISK_TEST(only_in_a_folder),
		TEST(what_a_session_makes),
		TEST(time_of_many_files),
		TEST(room),
		DISK_TEST(descriptors),
		TEST(lint),
		TEST(identity),
		DISK_TEST(offset_in_per_cent),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
