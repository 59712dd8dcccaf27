/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Trims of a real block device: a loop device, whose discards are holes in the file behind it. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "bench.h"

#include <errno.h>
#include <linux/loop.h>
#include <sys/ioctl.h>
#include <sys/stat.h>

#define SIZE (64 * BLOCK)

struct disk {
	int file, loop;
	char node[32];
};

static bool skipped(const char *what)
{
	printf("skip: trims of a block device: %s: %s\n", what, strerror(errno));
	return false;
}

/* A loop device over an unnamed file full of data; it goes with its last descriptor. */
static bool disk_make(struct disk *d)
{
	char data[BLOCK];
	int control = open("/dev/loop-control", O_RDWR | O_CLOEXEC), n;
	struct loop_config c = {.info = {.lo_flags = LO_FLAGS_AUTOCLEAR}};

	*d = (struct disk){.file = -1, .loop = -1};
	if (control < 0)
		return skipped("/dev/loop-control");
	d->file = scratch(O_RDWR);
	memset(data, 0x5a, sizeof(data));
	for (unsigned i = 0; i < SIZE / BLOCK; i++)
		assert_int_equal(pwrite(d->file, data, BLOCK, i * BLOCK), BLOCK);
	assert_int_equal(fsync(d->file), 0);
	c.fd = (uint32_t)d->file;
	/* Another process may take the number that was free a moment ago. */
	for (int tries = 0; tries < 16 && d->loop < 0; tries++) {
		n = ioctl(control, LOOP_CTL_GET_FREE);
		snprintf(d->node, sizeof(d->node), "/dev/loop%d", n);
		d->loop = n < 0 ? -1 : open(d->node, O_RDWR | O_CLOEXEC);
		if (d->loop >= 0 && ioctl(d->loop, LOOP_CONFIGURE, &c)) {
			int sys = errno;

			close(d->loop);
			d->loop = -1;
			errno = sys;
		}
	}
	close(control);
	return d->loop >= 0 ? true : skipped(d->node);
}

static void disk_drop(struct disk *d)
{
	if (d->loop >= 0)
		close(d->loop);
	if (d->file >= 0)
		close(d->file);
}

static void discards(const char *name)
{
	const struct engine *g = engine_find(name);
	struct disk d;
	struct stat before, after;
	struct bench b;
	_Alignas(BLOCK) char back[BLOCK];

	if (!disk_make(&d)) {
		disk_drop(&d);
		skip();
	}
	assert_int_equal(fstat(d.file, &before), 0);
	bench_open_fd(&b, g, open(d.node, O_RDWR | O_CLOEXEC));
	int64_t res = bench_one(&b, bench_io(&b, 0, IO_TRIM, 16 * BLOCK, 8 * BLOCK));
	if (res == -EOPNOTSUPP) {
		errno = EOPNOTSUPP;
		skipped("the file behind the loop device");
		bench_close(&b);
		disk_drop(&d);
		skip();
	}
	assert_int_equal(res, 16 * BLOCK);
	for (unsigned i = 0; i < SIZE / BLOCK; i++) {
		bool trimmed = i >= 8 && i < 24;

		assert_int_equal(pread(b.fds[0], back, BLOCK, i * BLOCK), BLOCK);
		for (unsigned k = 0; k < BLOCK; k++)
			assert_int_equal(back[k], trimmed ? 0 : 0x5a);
	}
	assert_int_equal(fsync(d.file), 0);
	assert_int_equal(fstat(d.file, &after), 0);
	assert_int_equal(after.st_size, before.st_size);
	assert_int_equal(before.st_blocks - after.st_blocks, 16 * BLOCK / 512);
	/* Errors of the device are the I/O's: inside a sector, and behind the end. */
	assert_int_equal(bench_one(&b, bench_io(&b, 1, IO_TRIM, BLOCK, 100)), -EINVAL);
	assert_int_equal(bench_one(&b, bench_io(&b, 2, IO_TRIM, BLOCK, SIZE)), -EINVAL);
	bench_close(&b);

	bench_open_fd(&b, g, open(d.node, O_RDONLY | O_CLOEXEC));
	assert_int_equal(bench_one(&b, bench_io(&b, 0, IO_TRIM, BLOCK, 0)), -EBADF);
	bench_close(&b);
	disk_drop(&d);
}

static void psync_discards(void **state)
{
	(void)state;
	discards("psync");
}

static void pvsync2_discards(void **state)
{
	(void)state;
	discards("pvsync2");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(psync_discards),
		cmocka_unit_test(pvsync2_discards),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
