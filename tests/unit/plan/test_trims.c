/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "plan_test.h"

#include "recorded.h"

#include <errno.h>
#include <sys/stat.h>

#define DISK_ID "/dev/disk/by-id/ata-x"

/* A recorded disk of 64 MiB that may be written, with a queue that discards. */
static void put_disk(struct fix *f, const char *max, const char *granularity)
{
	static const char *const allow[1] = {DISK_ID};

	put(f, "/sys/block/sda/dev", "8:0\n");
	put(f, "/sys/block/sda/size", "131072\n");
	put(f, "/sys/block/sda/queue/logical_block_size", "512\n");
	put(f, "/sys/block/sda/queue/discard_max_bytes", max);
	put(f, "/sys/block/sda/queue/discard_granularity", granularity);
	put(f, "/dev/sda", "");
	put(f, "/run/udev/data/b8:0", "E:DEVTYPE=disk\n");
	put(f, "/proc/self/mountinfo", "21 1 254:0 / / rw - ext4 /dev/vda rw\n");
	put(f, "/proc/swaps", "Filename\t\t\t\tType\t\tSize\tUsed\tPriority\n");
	put_link(f, "../../sda", DISK_ID);
	f->host.root = f->dir;
	f->arg[0].id = "/dev/sda";
	f->o.allow_write = allow;
	f->o.nallow = 1;
}

#define TRIM HEAD_BARE "  - {name: t, rw: randtrim, bs: 64k}\n"

static void needs_what_a_write_needs(void **state)
{
	struct fix *f = *state;
	struct target_needs n;
	bool bounded;

	put_disk(f, "4294966784\n", "4096\n");
	fix_ok(f, TRIM);
	assert_int_equal(f->plan.jobs[0].state, JOB_READY);
	assert_true(f->plan.targets[0].write_allowed);
	n = plan_target_needs(&f->plan, 0);
	assert_true(n.writes);
	/* but it writes nothing, also before its runs */
	assert_int_equal(plan_session_written(&f->plan, &bounded, NULL), 0);
	assert_true(bounded);
	assert_int_equal(plan_refill_bytes(&f->plan, &f->plan.jobs[0]), 0);
	assert_false(f->plan.jobs[0].end_fsync);
	f->o.nallow = 0;
	fix_ok(f, TRIM);
	assert_int_equal(f->plan.jobs[0].state, JOB_ERROR);
	assert_part(f->plan.jobs[0].why, "is not permitted");
	f->o.nallow = 1;
	put(f, "/run/udev/data/b8:0", "E:ID_FS_TYPE=xfs\n");
	fix_ok(f, TRIM);
	assert_part(f->plan.jobs[0].why, "xfs signature");
	put(f, "/run/udev/data/b8:0", "E:DEVTYPE=disk\n");
	put(f, "/sys/block/sda/ro", "1\n");
	fix_ok(f, TRIM);
	assert_part(f->plan.jobs[0].why, "read-only");
	put(f, "/sys/block/sda/ro", "0\n");
	put(f, "/proc/self/mountinfo", "40 21 8:0 / /home rw - ext4 /dev/sda rw\n");
	fix_ok(f, TRIM);
	assert_part(f->plan.jobs[0].why, "is in use");
}

/* Told by the queue, before a byte is touched. */
static void device_without_discard(void **state)
{
	struct fix *f = *state;

	put_disk(f, "0\n", "0\n");
	fix_ok(f, TRIM "  - {name: w, rw: write, bs: 64k}\n");
	assert_int_equal(f->plan.jobs[0].state, JOB_ERROR);
	assert_part(f->plan.jobs[0].why, "does not support discard");
	assert_part(f->plan.jobs[0].why, "(suite.yaml:4)");
	assert_int_equal(f->plan.jobs[1].state, JOB_READY);
	char path[256];
	snprintf(path, sizeof(path), "%s/sys/block/sda/queue/discard_max_bytes", f->dir);
	assert_int_equal(unlink(path), 0);
	fix_ok(f, TRIM);
	assert_part(f->plan.jobs[0].why, "supports discard is unknown");
}

static void granularity(void **state)
{
	struct fix *f = *state;
	static const struct {
		const char *keys, *part;
	} v[] = {
		{"bs: 4k", "bs 4 KiB is no multiple of the discard granularity 64 KiB on 'dut'"},
		{"bs: 96k", "bs 96 KiB is no multiple"},
		{"bs: 64k, offset: 4k", "offset 4 KiB is no multiple"},
		{"bs: 64k", NULL},
		{"bs: 128k, offset: 64k", NULL},
		{"bs: 4k, ioengine: sim", NULL},
	};

	put_disk(f, "4294966784\n", "65536\n");
	for (size_t i = 0; i < sizeof(v) / sizeof(v[0]); i++) {
		char text[256];

		snprintf(text, sizeof(text), HEAD_BARE "  - {name: t, rw: trim, size: 1MiB, %s}\n",
			 v[i].keys);
		fix_ok(f, text);
		assert_int_equal(f->plan.jobs[0].state, JOB_READY);
		assert_int_equal(fix_count(f, "trim-granularity"), v[i].part ? 1 : 0);
		if (v[i].part)
			assert_part(fix_rule(f, "trim-granularity")->text, v[i].part);
	}
	/* unknown or none: nothing to hold against it */
	put(f, "/sys/block/sda/queue/discard_granularity", "0\n");
	fix_ok(f, HEAD_BARE "  - {name: t, rw: trim, bs: 512}\n");
	assert_int_equal(fix_count(f, "trim-granularity"), 0);
	/* the sector is the device's own demand, with direct or without */
	fix_ok(f, HEAD_BARE "  - {name: t, rw: trim, bs: 100, direct: false}\n");
	assert_int_equal(f->plan.jobs[0].state, JOB_ERROR);
	assert_part(f->plan.jobs[0].why, "no multiple of the logical block 512 bytes");
	/* a waiver for what only a target shows is never unused */
	fix_ok(f, HEAD_BARE "  - {name: t, rw: trim, bs: 64k, waive: {trim-granularity: x}}\n");
	assert_int_equal(fix_count(f, "unused-waiver"), 0);
}

/* A partition that begins inside a unit shifts all that lies in it. */
static void granularity_of_a_partition(void **state)
{
	struct fix *f = *state;
	static const char *const allow[1] = {"/dev/disk/by-id/ata-x-part1"};

	put_disk(f, "4294966784\n", "65536\n");
	put(f, "/sys/block/sda/sda1/dev", "8:1\n");
	put(f, "/sys/block/sda/sda1/partition", "1\n");
	put(f, "/sys/block/sda/sda1/start", "63\n");
	put(f, "/sys/block/sda/sda1/size", "4096\n");
	put(f, "/dev/sda1", "");
	put(f, "/run/udev/data/b8:1", "E:DEVTYPE=partition\n");
	put_link(f, "../../sda1", allow[0]);
	f->o.allow_write = allow;
	f->arg[0].id = "/dev/sda1";
	fix_ok(f, TRIM);
	assert_int_equal(f->plan.jobs[0].state, JOB_READY);
	assert_part(fix_rule(f, "trim-granularity")->text,
		    "with the partition's begin at 31.5 KiB");
	put(f, "/sys/block/sda/sda1/start", "2048\n");
	fix_ok(f, TRIM);
	assert_int_equal(fix_count(f, "trim-granularity"), 0);
}

/* A read of trimmed blocks measures nothing, and looks like a fast drive. */
static void reads_of_trimmed_blocks(void **state)
{
	struct fix *f = *state;
	static const struct {
		const char *trims, *reads;
		bool hit;
	} v[] = {
		{"", "rw: read", true},
		{"size: 32MiB", "rw: randread, offset: 16MiB", true},
		{"size: 32MiB", "rw: randread, offset: 32MiB", false},
		{"size: 32MiB, offset: 32MiB", "rw: read, size: 32MiB", false},
		{"size: 32MiB, offset: 32MiB", "rw: read, size: 32832k, bs: 64k", true},
		{"size: 50%", "rw: read, offset: 32MiB", false},
		{"size: 50%", "rw: read, size: 51%", true},
		{"offset: 50%, size: 50%", "rw: read, size: 50%", false},
		{"offset: 50%, size: 50%", "rw: read, size: 51%", true},
		{"", "rw: randrw", true},
		{"", "rw: randrw, rwmixread: 0", false},
		{"", "rw: write", false},
		{"", "rw: randtrim", false},
		{"", "rw: read, ioengine: sim, size: 1MiB", false},
		{"ioengine: sim, size: 1MiB", "rw: read", false},
		{"", "rw: read, when: target.type == file", false},
		{"", "rw: read, when: target.type == block", true},
	};

	put_disk(f, "4294966784\n", "4096\n");
	for (size_t i = 0; i < sizeof(v) / sizeof(v[0]); i++) {
		char text[512];

		snprintf(text, sizeof(text),
			 HEAD_BARE "  - {name: a, bs: 64k, rw: trim, %s}\n  - {name: b, %s}\n",
			 v[i].trims, v[i].reads);
		if (!v[i].hit) {
			fix_ok(f, text);
			assert_int_equal(fix_count(f, "read-of-trimmed"), 0);
			continue;
		}
		fix_refused(f, text, "workload 'b' reads what workload 'a' trims");
		assert_int_equal(fix_count(f, "read-of-trimmed"), 1);
		assert_int_equal(fix_rule(f, "read-of-trimmed")->line, 5);
		assert_part(fix_rule(f, "read-of-trimmed")->hint, "offset and size");
	}
	/* so small a share that it begins with the device */
	fix_refused(f,
		    HEAD_BARE "  - {name: a, rw: trim, offset: 1%, bs: 4MiB, size: 4MiB}\n"
			      "  - {name: b, rw: read, size: 4MiB}\n",
		    "from 0 to 4 MiB");
	/* a device stays trimmed until the reader is selected */
	f->o.only = "a";
	fix_refused(f, HEAD_BARE "  - {name: a, rw: trim}\n  - {name: b, rw: read}\n",
		    "from 0 to 64 MiB");
	f->o.only = NULL;
	/* once a pair, whatever the matrix makes of it */
	fix_refused(f,
		    HEAD_BARE "  - {name: a, rw: trim, matrix: {bs: [4k, 8k]}}\n"
			      "  - {name: b, rw: read, matrix: {bs: [4k, 8k]}}\n"
			      "  - {name: c, rw: read}\n",
		    "'b:bs=4KiB' reads what workload 'a:bs=4KiB' trims");
	assert_int_equal(fix_count(f, "read-of-trimmed"), 2);
	/* an error cannot be waived */
	fix_refused_somewhere(f,
			      HEAD_BARE "  - {name: a, rw: trim, waive: {read-of-trimmed: x}}\n");
}

/* Without a target what may come of one is unknown: only what overlaps on any is told. */
static void reads_of_trimmed_blocks_in_lint(void **state)
{
	struct fix *f = *state;

	f->o.lint_only = true;
	f->o.ntargets = 0;
	fix_refused(f, HEAD_BARE "  - {name: a, rw: trim}\n  - {name: b, rw: read, offset: 1GiB}\n",
		    "from 1 GiB to the end");
	fix_refused(f, HEAD_BARE "  - {name: a, rw: trim, size: 1%}\n  - {name: b, rw: read}\n",
		    "'b' reads what workload 'a' trims");
	fix_ok(f, HEAD_BARE "  - {name: a, rw: trim, size: 50%}\n"
			    "  - {name: b, rw: read, offset: 1GiB}\n");
	fix_ok(f, HEAD_BARE "  - {name: a, rw: trim, size: 1GiB}\n"
			    "  - {name: b, rw: read, offset: 1GiB}\n");
	/* a share of the target begins where only the target tells */
	fix_ok(f, HEAD_BARE "  - {name: a, rw: trim, offset: 50%, size: 50%}\n"
			    "  - {name: b, rw: read, size: 50%}\n");
	fix_ok(f, HEAD_BARE "  - {name: a, rw: trim, size: 1GiB}\n"
			    "  - {name: b, rw: read, offset: 50%}\n");
	fix_refused(f, HEAD_BARE "  - {name: a, rw: trim}\n  - {name: b, rw: read, offset: 50%}\n",
		    "'b' reads what workload 'a' trims (shares of the target): a trimmed block");
	/* each of several files is as long as its share */
	fix_ok(f, HEAD_BARE "  - {name: a, rw: trim, nrfiles: 4, size: 64MiB}\n"
			    "  - {name: b, rw: read, offset: 16MiB, size: 16MiB}\n");
	fix_refused(f,
		    HEAD_BARE "  - {name: a, rw: trim, nrfiles: 4, size: 64MiB}\n"
			      "  - {name: b, rw: read, offset: 8MiB, size: 16MiB}\n",
		    "from 8 MiB to 16 MiB");
	fix_ok(f, HEAD_BARE "  - {name: a, rw: trim, when: target.type == block}\n"
			    "  - {name: b, rw: read, when: target.type == dir}\n");
	/* shares are held against shares */
	fix_ok(f, HEAD_BARE "  - {name: a, rw: trim, offset: 50%}\n"
			    "  - {name: b, rw: read, size: 50%}\n");
	fix_refused(f,
		    HEAD_BARE "  - {name: a, rw: trim, offset: 50%}\n"
			      "  - {name: b, rw: read, size: 51%}\n",
		    "trims (shares of the target)");
	/* where a share begins in bytes is not known, unless the other one is all of it */
	fix_ok(f, HEAD_BARE "  - {name: a, rw: trim, offset: 50%, size: 1MiB}\n"
			    "  - {name: b, rw: read, size: 1MiB}\n");
	fix_refused(f,
		    HEAD_BARE "  - {name: a, rw: trim, offset: 50%, size: 1MiB}\n"
			      "  - {name: b, rw: read}\n",
		    "trims (shares of the target)");
}

/* A write into holes is another write than the one before the trim. */
static void writes_of_trimmed_blocks(void **state)
{
	struct fix *f = *state;

	put_disk(f, "4294966784\n", "4096\n");
	fix_ok(f, HEAD_BARE "  - {name: a, rw: trim, size: 32MiB}\n  - {name: b, rw: randwrite}\n");
	assert_int_equal(fix_count(f, "write-of-trimmed"), 1);
	assert_part(fix_rule(f, "write-of-trimmed")->text,
		    "'b' writes what workload 'a' trims (from 0 to 32 MiB)");
	fix_ok(f, HEAD_BARE "  - {name: a, rw: trim, size: 32MiB}\n"
			    "  - {name: b, rw: write, offset: 32MiB}\n");
	assert_int_equal(fix_count(f, "write-of-trimmed"), 0);
	fix_ok(f, HEAD_BARE "  - {name: a, rw: trim}\n"
			    "  - {name: b, rw: write, waive: {write-of-trimmed: meant}}\n");
	assert_int_equal(fix_rule(f, "write-of-trimmed")->level, DIAG_NOTE);
	/* the warning does not hide the error of another instance */
	fix_refused(f,
		    HEAD_BARE "  - {name: a, rw: trim}\n"
			      "  - {name: b, matrix: {rw: [write, read]}}\n",
		    "'b:rw=read' reads");
	assert_int_equal(fix_count(f, "write-of-trimmed"), 1);
}

/* More than the target, whatever the target is. */
static void shares_beyond_the_target(void **state)
{
	struct fix *f = *state;

	f->o.lint_only = true;
	f->o.ntargets = 0;
	fix_ok(f, HEAD_BARE "  - {name: a, rw: read, offset: 99%, size: 1%}\n");
	fix_refused(f, HEAD_BARE "  - {name: a, rw: read, offset: 50%, size: 51%}\n",
		    "offset 50% and size 51% of workload 'a' are more than the target");
	fix_ok(f, HEAD_BARE "  - {name: a, rw: read, offset: 50%, size: 64MiB}\n");
	/* nor on any */
	fix_refused(f, HEAD_BARE "  - {name: a, rw: read, size: 50%, nrfiles: 2}\n",
		    "size 50% of workload 'a': nrfiles 2 needs a folder");
	fix_refused(f, HEAD_BARE "  - {name: a, rw: read, size: 4M, offset: 5%, nrfiles: 2}\n",
		    "offset 5% of workload 'a': nrfiles 2 needs a folder");
}

static void what_trims_twice(void **state)
{
	struct fix *f = *state;
	static const struct {
		const char *keys, *word;
	} v[] = {
		{"rw: trim, runtime: 1s", "with runtime"},
		{"rw: trim, ramp_time: 1s", "with ramp_time"},
		{"rw: trim, loops: 2", "with loops"},
		{"rw: trim, numjobs: 2", "with numjobs"},
		{"rw: randtrim, norandommap: true", "with norandommap"},
		{"rw: randtrim, random_distribution: \"zipf:1.2\"", "with random_distribution"},
		{"rw: trim, norandommap: true", NULL},
		{"rw: trim, numjobs: 2, files: per_job", NULL},
		{"rw: randtrim", NULL},
		{"rw: randwrite, runtime: 1s", NULL},
		{"rw: trim, runtime: 1s, ioengine: \"null\"", NULL},
	};

	for (size_t i = 0; i < sizeof(v) / sizeof(v[0]); i++) {
		char text[256];

		snprintf(text, sizeof(text),
			 HEAD_BARE "  - {name: t, size: 1MiB, direct: auto, %s}\n", v[i].keys);
		fix_ok(f, text);
		assert_int_equal(fix_count(f, "trim-again"), v[i].word ? 1 : 0);
		if (v[i].word)
			assert_part(fix_rule(f, "trim-again")->text, v[i].word);
	}
}

static void words_without_effect(void **state)
{
	struct fix *f = *state;

	fix_ok(f,
	       HEAD "  - {name: t, rw: trim, fsync: 1, fdatasync: 1, end_fsync: true, sync: dsync, "
		    "refill_buffers: true, rwmixread: 30}\n");
	assert_part(fix_rule(f, "fsync-without-write")->text,
		    "fsync, fdatasync, end_fsync have no effect: rw is trim");
	assert_int_equal(fix_count(f, "contents-without-write"), 1);
	assert_part(fix_rule(f, "mix-without-mix")->text, "rw is trim");
	assert_string_equal(fix_rule(f, "mix-without-mix")->hint, "");
	fix_ok(f, HEAD "  - {name: t, rw: trim, ioengine: psync, iodepth: 4, direct: auto}\n");
	assert_part(fix_rule(f, "depth-on-sync-engine")->hint, "iodepth: 1");
	fix_refused(f, HEAD "  - {name: t, rw: trim, ioengine: pvsync2, hipri: true}\n",
		    "hipri has no meaning for rw: trim");
	fix_refused(f, HEAD "  - {name: t, rw: trim, ioengine: pvsync2, nowait: true}\n",
		    "nowait has no meaning for rw: trim");
	fix_refused(f, HEAD "  - {name: t, rw: trim, expect: [write.iops >= 1]}\n",
		    "is trim and has no write.iops");
	fix_refused(f, HEAD "  - {name: t, rw: write, expect: [trim.iops >= 1]}\n",
		    "is write and has no trim.iops");
	/* the same name asked of a reader before */
	fix_ok(f, HEAD "  - {name: r, rw: read, expect: [iops >= 1]}\n"
		       "  - {name: t, rw: trim, expect: [iops >= 1, clat.p50 <= 1s]}\n");
	assert_string_equal(f->plan.checks[0].metric, "read.iops");
	assert_string_equal(f->plan.checks[1].metric, "trim.iops");
	assert_string_equal(f->plan.checks[2].metric, "trim.clat.p50");
}

static void engines(void **state)
{
	struct fix *f = *state;
	static const char *const cannot[] = {"libaio", "io_uring", "posixaio", "mmap"};
	size_t told = 0;

	for (size_t i = 0; i < sizeof(cannot) / sizeof(cannot[0]); i++) {
		char text[256], part[64];
		const struct diag *d;

		snprintf(text, sizeof(text),
			 HEAD "  - {name: t, rw: randtrim, direct: auto, ioengine: %s}\n",
			 cannot[i]);
		snprintf(part, sizeof(part), "ioengine %s cannot do rw: randtrim", cannot[i]);
		d = fix_refused(f, text, part);
		assert_part(d->hint, "psync pvsync2 io_uring_cmd null sim");
	}
	/* replaced under auto, and announced; without a machine nobody knows yet */
	fix_ok(f, HEAD "  - {name: t, rw: trim, ioengine: auto, direct: auto}\n");
	assert_string_equal(f->plan.jobs[0].ioengine, "psync");
	for (size_t i = 0; i < f->plan.notices.n; i++)
		told += strstr(f->plan.notices.v[i], "psync is used") != NULL;
	assert_int_equal(told, 1);
	f->o.lint_only = true;
	f->o.ntargets = 0;
	fix_ok(f, HEAD "  - {name: t, rw: trim, ioengine: auto}\n");
}

/* Files hold data again before each run, which is written and counts. */
static void folder(void **state)
{
	struct fix *f = *state;
	const uint64_t mib = 1 << 20;
	bool bounded;

	fix_ok(f, HEAD_BARE "  - {name: t, rw: trim, size: 1MiB, offset: 1MiB, runs: 5}\n");
	if (f->plan.jobs[0].state != JOB_READY) {
		assert_part(f->plan.jobs[0].why, "a hole cannot be punched");
		print_message("skip: %s\n", f->plan.jobs[0].why);
		skip();
	}
	assert_int_equal(plan_refill_bytes(&f->plan, &f->plan.jobs[0]), mib);
	assert_int_equal(plan_session_written(&f->plan, &bounded, NULL), 2 * mib + 5 * mib);
	assert_int_equal(fix_count(f, "precondition"), 0);
	fix_ok(f, HEAD_BARE
	       "  - {name: t, rw: trim, size: 1MiB, numjobs: 3, files: per_job, runs: 1}\n");
	assert_int_equal(plan_refill_bytes(&f->plan, &f->plan.jobs[0]), 3 * mib);
	fix_ok(f, HEAD "  - {name: t, rw: trim}\n  - {name: w, rw: write, ioengine: psync}\n");
	assert_int_equal(plan_refill_bytes(&f->plan, &f->plan.jobs[0]), 0);
	/* all files of a folder begin with the same one */
	fix_refused(f,
		    HEAD_BARE "  - {name: a, rw: trim, size: 1MiB}\n"
			      "  - {name: b, rw: read, size: 4k, numjobs: 2, files: per_job}\n",
		    "'b' reads what workload 'a' trims");
	fix_ok(f, HEAD_BARE "  - {name: t, rw: trim, size: 64k, bs: 512}\n");
	assert_part(fix_rule(f, "trim-granularity")->text, "of the block of the file system");
}

static void device_that_was_not_written(void **state)
{
	struct fix *f = *state;

	put_disk(f, "4294966784\n", "4096\n");
	fix_ok(f, HEAD_BARE "  - {name: t, rw: trim, bs: 64k, expect: [iops >= 1]}\n");
	assert_part(fix_rule(f, "precondition")->text, "nothing left to trim");
	fix_ok(f, HEAD_BARE "  - {name: t, rw: trim, bs: 64k, expect: [iops >= 1], "
			    "waive: {precondition: the command is what counts}}\n");
	assert_int_equal(fix_rule(f, "precondition")->level, DIAG_NOTE);
}

/* A trim carries no data: a block of a GiB takes no GiB of memory. */
static void no_buffers(void **state)
{
	struct fix *f = *state;

	put_disk(f, "4294966784\n", "4096\n");
	put(f, "/sys/block/sda/size", "16777216\n");
	put(f, "/proc/meminfo", "MemTotal: 524288 kB\nMemAvailable: 262144 kB\n");
	fix_ok(f, HEAD_BARE "  - {name: t, rw: trim, bs: 1GiB, numjobs: 4}\n"
			    "  - {name: w, rw: write, bs: 1GiB}\n");
	assert_int_equal(f->plan.jobs[0].state, JOB_READY);
	assert_int_equal(f->plan.jobs[1].state, JOB_ERROR);
}

/* Asked of a file without changing it. */
static void punching_is_asked(void **state)
{
	struct fix *f = *state;
	char data[8192], back[8192];
	int fd = plan_scratch_file(f->dir), rc;
	struct stat st;

	assert_true(fd >= 0);
	memset(data, 7, sizeof(data));
	assert_int_equal(write(fd, data, 5000), 5000);
	rc = plan_punches(fd);
	assert_true(rc == 0 || rc == -EOPNOTSUPP);
	assert_int_equal(fstat(fd, &st), 0);
	assert_int_equal(st.st_size, 5000);
	assert_int_equal(pread(fd, back, sizeof(back), 0), 5000);
	assert_memory_equal(data, back, 5000);
	close(fd);
	assert_int_equal(plan_punches(fd), -EBADF);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		DISK_TEST(needs_what_a_write_needs),
		DISK_TEST(device_without_discard),
		DISK_TEST(granularity),
		DISK_TEST(granularity_of_a_partition),
		DISK_TEST(reads_of_trimmed_blocks),
		TEST(reads_of_trimmed_blocks_in_lint),
		DISK_TEST(writes_of_trimmed_blocks),
		TEST(shares_beyond_the_target),
		TEST(what_trims_twice),
		TEST(words_without_effect),
		TEST(engines),
		TEST(folder),
		DISK_TEST(device_that_was_not_written),
		DISK_TEST(no_buffers),
		TEST(punching_is_asked),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
