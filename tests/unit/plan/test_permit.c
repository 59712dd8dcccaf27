/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "plan_test.h"

#include "engines/engine.h"
#include "recorded.h"

#include "base/fileio.h"

#include <fcntl.h>

#define SWAPS "Filename\t\t\t\tType\t\tSize\tUsed\tPriority\n"

/* A recorded machine with one disk: sda, a partition, an identity, nothing that uses it. */
static void put_disk(struct fix *f, const char *logical)
{
	char by_id[256];

	put(f, "/sys/block/sda/dev", "8:0\n");
	put(f, "/sys/block/sda/size", "2048\n"); /* 1 MiB */
	put(f, "/sys/block/sda/queue/logical_block_size", logical);
	put(f, "/sys/block/sda/sda1/dev", "8:1\n");
	put(f, "/sys/block/sda/sda1/partition", "1\n");
	put(f, "/sys/block/sda/sda1/size", "1024\n");
	put(f, "/dev/sda", "");
	put(f, "/dev/sda1", "");
	put(f, "/dev/disk/by-id/README", "");
	put(f, "/run/udev/data/b8:0", "E:DEVTYPE=disk\n");
	put(f, "/proc/self/mountinfo", "21 1 254:0 / / rw - ext4 /dev/vda rw\n");
	put(f, "/proc/swaps", SWAPS);
	snprintf(by_id, sizeof(by_id), "%s/dev/disk/by-id/ata-x", f->dir);
	unlink(by_id);
	assert_int_equal(symlink("../../sda", by_id), 0);
	f->host.root = f->dir;
	f->arg[0].id = "/dev/sda";
}

#define PLAIN HEAD_BARE "  - {name: w, rw: randwrite}\n  - {name: r, rw: randread}\n"

static void refused(struct fix *f, const char *part)
{
	fix_ok(f, PLAIN);
	assert_int_equal(f->plan.jobs[0].state, JOB_ERROR);
	assert_part(f->plan.jobs[0].why, part);
	assert_int_equal(f->plan.jobs[1].state, JOB_READY);
	assert_false(f->plan.targets[0].write_allowed);
}

static void writing_needs_an_identity(void **state)
{
	struct fix *f = *state;
	const char *allow[2] = {"/dev/sda", NULL};

	put_disk(f, "512\n");
	f->o.allow_write = allow;
	refused(f, "not permitted");
	f->o.nallow = 1;
	refused(f, "'/dev/sda'"); /* a name of today is no identity */
	allow[0] = "/dev/disk/by-id/ata-other";
	refused(f, "not permitted");
	allow[1] = "/dev/disk/by-id/ata-x";
	f->o.nallow = 2;
	fix_ok(f, PLAIN);
	assert_int_equal(f->plan.jobs[0].state, JOB_READY);
	assert_int_equal(f->plan.jobs[1].state, JOB_READY);
	assert_true(f->plan.targets[0].write_allowed);
	/* permission for a disk is none for its partition */
	f->arg[0].id = "/dev/sda1";
	put(f, "/run/udev/data/b8:1", "E:DEVTYPE=partition\n");
	refused(f, "not permitted");
}

/* bugs-given overwrite-1: no option lifts it. */
static void in_use(void **state)
{
	struct fix *f = *state;
	const char *allow[1] = {"/dev/disk/by-id/ata-x"};
	bool announced = false;

	put_disk(f, "512\n");
	f->o.allow_write = allow;
	f->o.nallow = 1;
	put(f, "/proc/self/mountinfo",
	    "21 1 254:0 / / rw - ext4 /dev/vda rw\n"
	    "40 21 8:1 / /home rw - ext4 /dev/sda1 rw\n");
	refused(f, "is in use");
	assert_part(f->plan.jobs[0].why, "/home");
	for (size_t i = 0; i < f->plan.notices.n; i++)
		announced = announced || strstr(f->plan.notices.v[i], "is in use: ");
	assert_true(announced);
	put(f, "/proc/self/mountinfo", "21 1 254:0 / / rw - ext4 /dev/vda rw\n");
	put(f, "/proc/swaps", SWAPS "/dev/sda1 partition\t1024\t0\t-2\n");
	refused(f, "it is in use: ");
	/* what cannot be found out counts as used */
	put(f, "/proc/swaps", "what is this\n/dev/sda1\n");
	refused(f, "cannot be found out");
}

/* `blockdev --setro` lets an open for writing through: only the write would tell. */
static void read_only_device(void **state)
{
	struct fix *f = *state;
	const char *allow[1] = {"/dev/disk/by-id/ata-x"};

	put_disk(f, "512\n");
	put(f, "/sys/block/sda/ro", "1\n");
	refused(f, "'/dev/sda' is read-only");
	assert_part(f->plan.jobs[0].why, "blockdev --setrw /dev/sda");
	f->o.allow_write = allow;
	f->o.nallow = 1;
	refused(f, "'/dev/sda' is read-only");
	put(f, "/sys/block/sda/ro", "0\n");
	fix_ok(f, PLAIN);
	assert_int_equal(f->plan.jobs[0].state, JOB_READY);
	/* a partition has a switch of its own */
	put(f, "/sys/block/sda/sda1/ro", "1\n");
	put(f, "/run/udev/data/b8:1", "E:DEVTYPE=partition\n");
	f->arg[0].id = "/dev/sda1";
	refused(f, "'/dev/sda1' is read-only");
}

/* What lies on such a device: a file is read, the files of a folder cannot be made. */
static void read_only_below(void **state)
{
	struct fix *f = *state;
	const char *allow[1] = {"/mnt/file"};

	put_disk(f, "512\n");
	put(f, "/sys/block/sda/ro", "1\n");
	put(f, "/proc/self/mountinfo",
	    "21 1 254:0 / / rw - ext4 /dev/vda rw\n"
	    "40 21 8:0 / /mnt ro - ext4 /dev/sda ro\n");
	put(f, "/mnt/file", "0123456789abcdef");
	f->arg[0].id = "/mnt/file";
	f->o.allow_write = allow;
	f->o.nallow = 1;
	fix_ok(f, HEAD_BARE "  - {name: w, rw: write, bs: 4, size: 8, direct: false}\n"
			    "  - {name: r, rw: read, bs: 4, size: 8, direct: false}\n");
	assert_int_equal(f->plan.jobs[0].state, JOB_ERROR);
	assert_part(f->plan.jobs[0].why, "device 'sda', which is read-only");
	assert_int_equal(f->plan.jobs[1].state, JOB_READY);
	f->arg[0].id = "/mnt";
	fix_ok(f, HEAD_BARE "  - {name: r, rw: read, size: 8k, direct: false}\n"
			    "  - {name: s, rw: read, size: 8k, ioengine: sim}\n");
	assert_int_equal(f->plan.jobs[0].state, JOB_ERROR);
	assert_part(f->plan.jobs[0].why, "is read-only");
	assert_int_equal(f->plan.jobs[1].state, JOB_READY);
}

/* Buffers are touched before the first I/O: too many of them end in the kernel's OOM killer. */
static void memory(void **state)
{
	struct fix *f = *state;
	static const struct {
		const char *keys, *why;
	} v[] = {
		{"bs: 1MiB, iodepth: 32768, numjobs: 8",
		 "(bs 1 MiB, iodepth 32768, numjobs 8) need 256 GiB"},
		{"bs: 1MiB, iodepth: 922", "need 922 MiB, and of the 1 GiB of memory"},
		{"bs: 1MiB, iodepth: 921", NULL},                       /* 90 % of 1 GiB */
		{"bs: 512, iodepth: 1024, numjobs: 256", "need 1 GiB"}, /* a page each */
		{"bs: 1MiB, iodepth: 4096, ioengine: psync",
		 NULL}, /* one in flight, whatever it says */
		{"bs: 1MiB, ioengine: psync, numjobs: 1024",
		 "lower bs, iodepth or numjobs (suite.yaml:5)"},
		{"bs: 1MiB, ioengine: psync, iodepth: 7, numjobs: 1000",
		 "(bs 1 MiB, iodepth 1, numjobs 1000)"},
		{"bs: 1GiB, iodepth: 65536, numjobs: 1024", "need 64 PiB"},
	};
	size_t told = 0;

	if (sysconf(_SC_PAGESIZE) != 4096)
		skip(); /* the numbers above are of 4 KiB pages */
	put_disk(f, "512\n");
	put(f, "/sys/block/sda/size", "16777216\n");
	put(f, "/proc/meminfo", "MemTotal: 2097152 kB\nMemAvailable: 1048576 kB\n");
	for (size_t i = 0; i < sizeof(v) / sizeof(v[0]); i++) {
		char text[512];

		snprintf(text, sizeof(text),
			 HEAD "  - {name: a, rw: read, size: 1GiB, %s}\n  - {name: b, rw: read}\n",
			 v[i].keys);
		fix_ok(f, text);
		if (v[i].why) {
			assert_int_equal(f->plan.jobs[0].state, JOB_ERROR);
			assert_part(f->plan.jobs[0].why, v[i].why);
		} else {
			assert_int_equal(f->plan.jobs[0].state, JOB_READY);
		}
		assert_int_equal(f->plan.jobs[1].state, JOB_READY);
	}
	/* unknown memory stops nothing, and that it was not checked is said */
	put(f, "/proc/meminfo", "MemTotal: 2097152 kB\n");
	fix_ok(f, HEAD "  - {name: a, rw: read, bs: 1MiB, iodepth: 32768, numjobs: 8}\n");
	assert_int_equal(f->plan.jobs[0].state, JOB_READY);
	for (size_t i = 0; i < f->plan.notices.n; i++)
		told += strstr(f->plan.notices.v[i],
			       "fit into memory: '/proc/meminfo' has no MemAvailable") != NULL;
	assert_int_equal(told, 1);
}

static void signature(void **state)
{
	struct fix *f = *state;
	const char *allow[1] = {"/dev/disk/by-id/ata-x"};

	put_disk(f, "512\n");
	f->o.allow_write = allow;
	f->o.nallow = 1;
	put(f, "/run/udev/data/b8:0", "E:ID_FS_TYPE=xfs\n");
	refused(f, "xfs signature");
}

/* bugs-given direct-io-2 */
static void alignment_and_size(void **state)
{
	struct fix *f = *state;
	static const struct {
		const char *keys, *why;
	} v[] = {
		{"bs: 512",
		 "bs 512 bytes is no multiple of the logical block 4 KiB of 'dut' (suite.yaml:4)"},
		{"offset: 1k, size: 8k", "offset 1 KiB is no multiple of the logical block 4 KiB"},
		{"size: 2MiB", "size 2 MiB reach beyond 'dut' of 1 MiB (suite.yaml:4)"},
		{"offset: 1MiB, size: 4k", "reach beyond"},
		{"offset: 2MiB", "reach beyond"},
		{"files: per_job", "needs a folder"},
		{"bs: 512, direct: false", NULL},
		{"offset: 512KiB", NULL},
		{"direct: auto", NULL},
	};

	put_disk(f, "4096\n");
	for (size_t i = 0; i < sizeof(v) / sizeof(v[0]); i++) {
		char text[512];

		snprintf(text, sizeof(text),
			 HEAD_BARE "  - {name: a, rw: read, %s}\n  - {name: b, rw: read}\n",
			 v[i].keys);
		fix_ok(f, text);
		if (v[i].why) {
			assert_int_equal(f->plan.jobs[0].state, JOB_ERROR);
			assert_part(f->plan.jobs[0].why, v[i].why);
		} else {
			assert_int_equal(f->plan.jobs[0].state, JOB_READY);
		}
		assert_int_equal(f->plan.jobs[1].state, JOB_READY);
		assert_int_equal(f->plan.jobs[1].size, 1048576);
		assert_int_equal(fix_origin(f, 1, "size")->kind, ORIGIN_TARGET);
		assert_true(f->plan.jobs[1].direct);
	}
	fix_ok(f, HEAD_BARE "  - {name: a, rw: read, offset: 512KiB}\n");
	assert_int_equal(f->plan.jobs[0].size, 524288);
}

static void existing_file(void **state)
{
	struct fix *f = *state;
	const char *const text = HEAD_BARE "  - {name: w, rw: write, size: 4k, direct: false}\n"
					   "  - {name: r, rw: read, size: 4k, direct: false}\n"
					   "  - {name: l, rw: read, size: 1MiB, direct: false}\n";
	const char *allow[1];
	char path[128];

	put(f, "/file", "0123456789abcdef");
	snprintf(path, sizeof(path), "%s/file", f->dir);
	assert_int_equal(truncate(path, 8192), 0);
	f->arg[0].id = path;
	fix_ok(f, text);
	assert_int_equal(f->plan.jobs[0].state, JOB_ERROR);
	assert_part(f->plan.jobs[0].why, "--allow-write");
	assert_int_equal(f->plan.jobs[1].state, JOB_READY);
	assert_int_equal(f->plan.jobs[2].state, JOB_ERROR);
	assert_part(f->plan.jobs[2].why, "reach beyond");
	allow[0] = path;
	f->o.allow_write = allow;
	f->o.nallow = 1;
	fix_ok(f, text);
	assert_int_equal(f->plan.jobs[0].state, JOB_READY);
	assert_true(f->plan.targets[0].write_allowed);
}

static void fill(int fd, off_t from, size_t n)
{
	char bytes[4096];

	memset(bytes, 'x', sizeof(bytes));
	for (size_t at = 0; at < n; at += sizeof(bytes))
		assert_int_equal(pwrite(fd, bytes, sizeof(bytes), from + (off_t)at), sizeof(bytes));
}

/* A read of what was never written is answered by the file system, and looks like a fast drive. */
static void holes(void **state)
{
	struct fix *f = *state;
	const char *const text =
		HEAD_BARE "  - {name: low, rw: read, size: 64k, direct: false}\n"
			  "  - {name: high, rw: randread, size: 64k, offset: 64k, direct: false}\n"
			  "  - {name: all, rw: randrw, size: 128k, direct: false}\n"
			  "  - {name: w, rw: write, size: 128k, direct: false}\n"
			  "  - {name: mix, rw: randrw, rwmixread: 0, size: 128k, direct: false}\n"
			  "  - {name: sim, rw: read, size: 128k, ioengine: sim}\n";
	const char *allow[1];
	char path[128];
	int fd;

	snprintf(path, sizeof(path), "%s/file", f->dir);
	allow[0] = path;
	f->arg[0].id = path;
	f->o.allow_write = allow;
	f->o.nallow = 1;
	fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
	assert_true(fd >= 0);
	assert_int_equal(ftruncate(fd, 131072), 0);
	if (lseek(fd, 0, SEEK_HOLE) != 0) {
		print_message("the file system of %s has no holes\n", f->dir);
		close(fd);
		skip();
	}
	fill(fd, 0, 65536);
	fix_ok(f, text);
	assert_int_equal(f->plan.jobs[0].state, JOB_READY);
	assert_int_equal(f->plan.jobs[1].state, JOB_ERROR);
	assert_part(f->plan.jobs[1].why, "the region has holes (the first at 64 KiB)");
	assert_part(f->plan.jobs[1].why, "(suite.yaml:5)");
	assert_int_equal(f->plan.jobs[2].state, JOB_ERROR);
	for (int i = 3; i < 6; i++) /* they read nothing from it */
		assert_int_equal(f->plan.jobs[i].state, JOB_READY);
	fill(fd, 65536, 65536);
	fix_ok(f, text);
	for (int i = 0; i < 6; i++)
		assert_int_equal(f->plan.jobs[i].state, JOB_READY);
	close(fd);
}

/* fallocate() gives extents that read as zeros without the device; a look at them through the page
 * cache must not make data of them. */
static void unwritten_extents(void **state)
{
	struct fix *f = *state;
	char path[128], byte[65536];
	int fd;

	snprintf(path, sizeof(path), "%s/file", f->dir);
	f->arg[0].id = path;
	fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
	assert_true(fd >= 0);
	if (fallocate(fd, 0, 0, 65536) < 0) {
		print_message("the file system of %s has no fallocate\n", f->dir);
		close(fd);
		skip();
	}
	fix_ok(f, HEAD_BARE "  - {name: r, rw: read, size: 64k, direct: false}\n");
	if (f->plan.targets[0].fstype && strcmp(f->plan.targets[0].fstype, "tmpfs") == 0) {
		print_message("a tmpfs has no unwritten extents\n");
		close(fd);
		skip();
	}
	assert_int_equal(f->plan.jobs[0].state, JOB_ERROR);
	assert_part(f->plan.jobs[0].why, "never reach the device");
	assert_int_equal(pread(fd, byte, sizeof(byte), 0), sizeof(byte));
	fix_ok(f, HEAD_BARE "  - {name: r, rw: read, size: 64k, direct: false}\n");
	assert_int_equal(f->plan.jobs[0].state, JOB_ERROR);
	assert_part(f->plan.jobs[0].why, "never reach the device");
	fill(fd, 0, 65536);
	fix_ok(f, HEAD_BARE "  - {name: r, rw: read, size: 64k, direct: false}\n");
	assert_int_equal(f->plan.jobs[0].state, JOB_READY);
	close(fd);
}

/* bugs-given space-1 */
static void room_in_a_folder(void **state)
{
	struct fix *f = *state;
	const char *const text = HEAD_BARE
		"  - {name: a, rw: write, size: 100k, direct: false, ioengine: psync}\n"
		"  - {name: b, rw: read, size: 50k, direct: false, files: per_job, numjobs: 4}\n"
		"  - {name: c, rw: read, size: 1MiB, ioengine: sim}\n";

	fix_ok(f, text);
	for (size_t i = 0; i < 3; i++)
		assert_int_equal(f->plan.jobs[i].state, JOB_READY);
	/* less than 100k x 1.05 */
	f->plan.targets[0].size = 102400;
	plan_permit(&f->plan, &f->o);
	assert_int_equal(f->plan.jobs[0].state, JOB_ERROR);
	assert_part(f->plan.jobs[0].why, "5 % of margin");
	assert_int_equal(f->plan.jobs[1].state, JOB_ERROR);
	assert_int_equal(f->plan.jobs[2].state, JOB_READY); /* needs no file */
	/* each alone fits, one file of the larger size and three of the other do not */
	fix_ok(f, text);
	f->plan.targets[0].size = 250 * 1024;
	plan_permit(&f->plan, &f->o);
	assert_int_equal(f->plan.jobs[0].state, JOB_READY);
	assert_int_equal(f->plan.jobs[1].state, JOB_ERROR);
	assert_part(f->plan.jobs[1].why, "4 files (250 KiB together)");
	fix_ok(f, HEAD_BARE "  - {name: a, rw: write, size: 8000000000000000000, direct: false}\n");
	assert_int_equal(f->plan.jobs[0].state, JOB_ERROR);
}

static void nothing_is_left_in_the_folder(void **state)
{
	struct fix *f = *state;

	fix_ok(f, HEAD_BARE "  - {name: a, rw: write, size: 4k, direct: auto, ioengine: psync}\n");
	assert_int_equal(rmdir(f->dir), 0);
	fix_ok(f, HEAD_BARE "  - {name: a, rw: write, size: 4k}\n");
	assert_int_equal(f->plan.jobs[0].state, JOB_ERROR);
}

/* `files: per_job` is refused on a device, so the shipped suite that has it asks for a folder, and
 * has a workload of another name for what is shared. */
static void shipped_readers(void **state)
{
	struct fix *f = *state;
	struct err e = ERR_INIT;
	struct str text;

	str_init(&text);
	assert_int_equal(file_read("suites/m2-adapter.yaml", 0, &text, &e), 0);
	for (int device = 0; device < 2; device++) {
		if (device)
			put_disk(f, "512\n");
		fix_ok(f, text.s);
		for (size_t i = 0; i < f->plan.njobs; i++) {
			const struct job *j = &f->plan.jobs[i];

			if (strcmp(j->name, "randread-8files") == 0)
				assert_int_equal(j->state == JOB_SKIPPED, device);
			if (strcmp(j->name, "randread-8jobs") == 0)
				assert_int_equal(j->state == JOB_SKIPPED, !device);
		}
	}
	str_release(&text);
}

/* bugs-given iopoll-1: set-up never refuses, and some kernels do without polling in silence. */
static void polling(void **state)
{
	static const char *const engines[] = {"pvsync2", "io_uring"};
	struct fix *f = *state;
	struct err e = ERR_INIT;
	char text[256];

	for (int i = 0; i < 2; i++) {
		if (engine_probe(engine_find(engines[i]), &e)) {
			print_message("skip in part: %s\n", e.text);
			continue;
		}
		snprintf(text, sizeof(text),
			 HEAD_BARE "  - {name: r, rw: randread, ioengine: %s, hipri: true}\n",
			 engines[i]);
		put_disk(f, "512\n");
		if (i == 0) {
			fix_ok(f, text);
			assert_part(f->plan.jobs[0].why, "device.io_poll is unknown");
		}
		put(f, "/sys/block/sda/queue/io_poll", "0\n");
		fix_ok(f, text);
		assert_int_equal(f->plan.jobs[0].state, JOB_ERROR);
		assert_part(f->plan.jobs[0].why, "polling is not supported here");
		assert_part(f->plan.jobs[0].why, "device.io_poll is 0");
		/* a recorded machine can be asked no further, and what is synchronous is refused */
		put(f, "/sys/block/sda/queue/io_poll", "1\n");
		fix_ok(f, text);
		assert_int_equal(f->plan.jobs[0].state, i == 0 ? JOB_ERROR : JOB_READY);
		if (i == 0)
			assert_part(f->plan.jobs[0].why, "ignores the hint of synchronous I/O");
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		DISK_TEST(writing_needs_an_identity),
		DISK_TEST(in_use),
		DISK_TEST(signature),
		DISK_TEST(alignment_and_size),
		DISK_TEST(read_only_device),
		DISK_TEST(read_only_below),
		DISK_TEST(memory),
		DISK_TEST(polling),
		DISK_TEST(existing_file),
		TEST(room_in_a_folder),
		TEST(nothing_is_left_in_the_folder),
		DISK_TEST(holes),
		DISK_TEST(unwritten_extents),
		DISK_TEST(shipped_readers),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
