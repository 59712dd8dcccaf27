/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Trims in the run loop: counted as such and as nothing else; what they need to find on a file. */
#include "helper.h"

#include "engines/engine.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

static void counted_as_trims(void **state)
{
	static const enum job_rw modes[] = {RW_TRIM, RW_RANDTRIM};

	(void)state;
	for (int i = 0; i < 2; i++) {
		struct job j = deep(sim_job("lat=1ms"), 4);
		struct outcome o;

		j.rw = modes[i];
		j.fsync = 2; /* nothing to sync: no write is counted */
		j.end_fsync = true;
		run_ok(&j, INJECT_NONE, &o);
		assert_int_equal(o.dir[DIR_TRIM].ios, 4000);
		assert_int_equal(o.dir[DIR_TRIM].bytes, 4000 * 4096);
		assert_int_equal(o.dir[DIR_TRIM].clat.n, 4000);
		assert_int_equal(o.dir[DIR_TRIM].clat.min, NS_PER_MS);
		assert_int_equal(o.dir[DIR_READ].ios, 0);
		assert_int_equal(o.dir[DIR_WRITE].ios, 0);
		assert_int_equal(o.slots[3].ios[DIR_TRIM], 400);
		assert_int_equal(o.sync_lat.n, 0);
		assert_int_equal(o.written, 0);
		outcome_release(&o);
	}
}

/* A pass trims each block once. */
static void one_pass_is_the_region(void **state)
{
	struct job j = sized(sim_job(""), RW_RANDTRIM, 1 << 20, 1);
	struct outcome o;

	(void)state;
	run_ok(&j, INJECT_NONE, &o);
	assert_int_equal(o.dir[DIR_TRIM].ios, 256);
	outcome_release(&o);
	j = sized(sim_job(""), RW_TRIM, 1 << 20, 3);
	j.ioengine = "null";
	j.sim = "";
	run_ok(&j, INJECT_NONE, &o);
	assert_int_equal(o.dir[DIR_TRIM].ios, 768);
	outcome_release(&o);
}

static void errors_are_told(void **state)
{
	struct job j = sized(sim_job("error=EOPNOTSUPP@3"), RW_TRIM, 1 << 20, 1);
	struct outcome o;

	(void)state;
	run_not(&j, OUTCOME_IO_ERROR, "trim of 4096 bytes at offset 8192 of 'T' failed", NULL, &o);
	assert_non_null(strstr(o.text, "does not support discard"));
	outcome_release(&o);
	j.sim = "error=EBUSY@1";
	run_not(&j, OUTCOME_IO_ERROR, "invalidate: true", NULL, &o);
	outcome_release(&o);
	/* half a trim is none: it is not repeated as a short write would be */
	j.sim = "short=512@2";
	run_not(&j, OUTCOME_IO_ERROR, "trim of 4096 bytes at offset 4096 of 'T' failed", NULL, &o);
	outcome_release(&o);
	j.sim = "";
	j.ioengine = "libaio";
	run_not(&j, OUTCOME_SETUP, "cannot do what 't' asks for (trim)", NULL, &o);
	outcome_release(&o);
}

static int temporary(void)
{
	const char *dir = getenv("TMPDIR");
	char path[256];

	snprintf(path, sizeof(path), "%s/blkgate-trim-XXXXXX", dir && *dir ? dir : "/var/tmp");
	int fd = mkostemp(path, O_CLOEXEC);

	assert_true(fd >= 0);
	unlink(path);
	return fd;
}

static bool is_zero(int fd, uint64_t at)
{
	char block[4096];

	assert_int_equal(pread(fd, block, sizeof(block), (off_t)at), sizeof(block));
	for (unsigned i = 0; i < sizeof(block); i++)
		if (block[i])
			return false;
	return true;
}

/* Only what lies in the region is written, trimmed and written again. */
static void region_of_a_file(void **state)
{
	static const char *const engines[] = {"psync", "pvsync2"};
	const uint64_t mib = 1 << 20, page = 4096;

	(void)state;
	for (int i = 0; i < 2; i++) {
		struct job j = sized(sim_job(""), RW_RANDTRIM, mib, 1);
		int fd = temporary();
		struct run_request r = {.job = &j, .fds = &fd, .nfds = 1, .target_name = "T"};
		struct err e = ERR_INIT;
		uint64_t written = 0;
		struct stat full, holed;
		struct outcome o;

		j.ioengine = engines[i];
		j.direct = true; /* means nothing for a trim: tmpfs takes it too */
		j.offset = mib;
		assert_int_equal(ftruncate(fd, 3 * (off_t)mib), 0);
		assert_int_equal(run_refill(fd, mib, mib, 1, false, "T", NULL, &written, NULL, &e),
				 0);
		assert_int_equal(written, mib);
		assert_true(is_zero(fd, mib - page) && is_zero(fd, 2 * mib));
		for (uint64_t at = mib; at < 2 * mib; at += page)
			assert_false(is_zero(fd, at));
		assert_int_equal(fsync(fd), 0);
		assert_int_equal(fstat(fd, &full), 0);
		run_with(&r, NULL, &o);
		if (o.sys == EOPNOTSUPP) {
			print_message("skip: no holes can be punched in TMPDIR\n");
			outcome_release(&o);
			close(fd);
			skip();
		}
		if (o.status != OUTCOME_OK)
			fail_msg("%s: %s", engines[i], o.text);
		assert_int_equal(o.dir[DIR_TRIM].ios, 256);
		assert_int_equal(o.dir[DIR_TRIM].bytes, mib);
		assert_int_equal(o.written, 0);
		outcome_release(&o);
		for (uint64_t at = 0; at < 3 * mib; at += page)
			assert_true(is_zero(fd, at));
		assert_int_equal(fstat(fd, &holed), 0);
		assert_int_equal(holed.st_size, full.st_size);
		assert_true(holed.st_blocks < full.st_blocks);
		close(fd);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(counted_as_trims),
		cmocka_unit_test(one_pass_is_the_region),
		cmocka_unit_test(errors_are_told),
		cmocka_unit_test(region_of_a_file),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
