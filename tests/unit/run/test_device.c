/* SPDX-License-Identifier: GPL-2.0-or-later */
/* page-cache-1: bytes of the device beside those of the application. Nothing here is timed: jobs
 * end at their size. The device of the folder is shared with others, so that only lower bounds hold
 * for what was written. */
#include "helper.h"
#include "engines/engine.h"

#include <fcntl.h>
#include <sys/statfs.h>
#include <unistd.h>

#define SIZE (4u << 20)

static int file_in(const char *dir)
{
	char name[64];
	int fd;

	snprintf(name, sizeof(name), "%s/blkgate-device-XXXXXX", dir);
	fd = mkstemp(name);
	if (fd >= 0)
		unlink(name);
	return fd;
}

static void fill(int fd)
{
	char *data = malloc(SIZE);

	for (size_t i = 0; i < SIZE; i++)
		data[i] = (char)(i * 2654435761u >> 13);
	assert_int_equal(pwrite(fd, data, SIZE, 0), SIZE);
	assert_int_equal(fsync(fd), 0);
	free(data);
}

static struct job device_job(const char *engine, enum job_rw rw)
{
	struct job j = sized(sim_job(""), rw, SIZE, 1);

	j.ioengine = engine;
	j.bs = 65536;
	return j;
}

static void run_on(const struct job *j, int fd, struct outcome *o)
{
	struct run_request r = {.job = j,
				.fds = &fd,
				.nfds = fd >= 0 ? 1 : 0,
				.target_name = "T",
				.seed = 1,
				.run_seed = 2};

	run_with(&r, NULL, o);
	if (o->status != OUTCOME_OK)
		fail_msg("%s: %s", j->ioengine, o->text);
}

/* False, with a sentence: the machine does not tell. */
static bool told(const struct outcome_device *d, const char *what)
{
	if (d->state == DEVICE_KNOWN)
		return true;
	assert_true(d->why[0] != '\0');
	print_message("skip in part: %s: %s\n", what, d->why);
	return false;
}

static bool usable(const char *engine)
{
	struct err e = ERR_INIT;

	if (engine_probe(engine_find(engine), &e) == 0)
		return true;
	print_message("skip in part: %s\n", e.text);
	return false;
}

static const char *const queued[] = {"psync", "libaio", "io_uring"};

/* A file that was just written is read from memory; with its pages dropped, from the device. */
static void reads(void **state)
{
	int fd = file_in("/var/tmp");

	(void)state;
	assert_true(fd >= 0);
	fill(fd);
	for (size_t i = 0; i < 3; i++) {
		struct job j = device_job(queued[i], RW_READ);
		struct outcome o;

		if (!usable(queued[i]))
			continue;
		run_on(&j, fd, &o);
		assert_int_equal(o.dir[DIR_READ].bytes, SIZE);
		if (told(&o.device_read, "cached reads"))
			assert_true(o.device_read.bytes < SIZE / 10);
		outcome_release(&o);
		j.invalidate = true;
		run_on(&j, fd, &o);
		if (told(&o.device_read, "reads"))
			assert_in_range(o.device_read.bytes, SIZE * 9 / 10, 2 * SIZE);
		outcome_release(&o);
	}
	close(fd);
}

/* Direct reads: byte for byte, in whichever thread of the kernel they were submitted. */
static void direct_reads(void **state)
{
	int fd = file_in("/var/tmp"), direct;
	char path[40];

	(void)state;
	assert_true(fd >= 0);
	fill(fd);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	direct = open(path, O_RDONLY | O_DIRECT);
	if (direct < 0) {
		print_message("skip: no direct I/O in /var/tmp\n");
		skip();
	}
	close(direct);
	for (size_t i = 0; i < 3; i++) {
		struct job j = deep(device_job(queued[i], RW_RANDREAD), 4);
		struct outcome o;

		if (!usable(queued[i]))
			continue;
		j.direct = true;
		j.numjobs = 2;
		run_on(&j, fd, &o);
		if (told(&o.device_read, "direct reads"))
			assert_int_equal(o.device_read.bytes, 2 * SIZE);
		outcome_release(&o);
		/* what the ramp submitted is not counted, but for what ends in the window */
		j.ramp_time = NS_PER_MS;
		j.numjobs = 1;
		run_on(&j, fd, &o);
		if (told(&o.device_read, "direct reads behind a ramp"))
			assert_in_range(o.device_read.bytes, SIZE - 4 * j.bs, SIZE);
		outcome_release(&o);
	}
	close(fd);
}

/* The sync at the end belongs to the window: with it all of the writes reached the device. */
static void writes(void **state)
{
	int fd = file_in("/var/tmp");
	struct job j = device_job("psync", RW_WRITE);
	struct outcome o;

	(void)state;
	assert_true(fd >= 0);
	fill(fd);
	j.end_fsync = true;
	run_on(&j, fd, &o);
	if (told(&o.device_written, "writes"))
		assert_true(o.device_written.bytes >= SIZE);
	outcome_release(&o);
	close(fd);
}

static void no_single_device(void **state)
{
	int fd = file_in("/dev/shm");
	struct job j = device_job("psync", RW_RW);
	struct outcome o;
	struct statfs fs;

	(void)state;
	if (fd < 0 || fstatfs(fd, &fs) || (uint32_t)fs.f_type != 0x01021994) {
		print_message("skip: no tmpfs at /dev/shm\n");
		skip();
	}
	fill(fd);
	run_on(&j, fd, &o);
	if (told(&o.device_read, "reads of tmpfs"))
		assert_int_equal(o.device_read.bytes, 0);
	assert_int_equal(o.device_written.state, DEVICE_UNKNOWN);
	assert_string_equal(o.device_written.why, "tmpfs has no single device");
	outcome_release(&o);
	close(fd);
}

static void no_device(void **state)
{
	struct job j = device_job("null", RW_RW);
	struct outcome o;

	(void)state;
	run_on(&j, -1, &o);
	assert_int_equal(o.device_read.state, DEVICE_NONE);
	assert_int_equal(o.device_written.state, DEVICE_NONE);
	outcome_release(&o);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(reads),     cmocka_unit_test(direct_reads),
		cmocka_unit_test(writes),    cmocka_unit_test(no_single_device),
		cmocka_unit_test(no_device),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
