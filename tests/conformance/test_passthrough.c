/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * io_uring_cmd against an NVMe drive. The list of test_engines.c makes files, which it cannot do;
 * this one writes to the namespaces of the virtual lab (ci/lab), and only there: BLKGATE_LAB_NG
 * names the node of a namespace of 512-byte blocks that may be destroyed, BLKGATE_LAB_NG_4K,
 * _PI and _EXTENDED others. Without it only refusals are tested.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "bench.h"
#include "engines/nvme.h"

#include <errno.h>

#define BYTES (64u << 20) /* of a namespace of the lab */

static const struct engine *engine(void)
{
	const struct engine *g = engine_find("io_uring_cmd");

	assert_non_null(g);
	return g;
}

static int node_of(const char *variable, int flags)
{
	const char *path = getenv(variable);

	if (!path)
		fail_msg("%s names no node", variable);
	int fd = open(path, flags | O_CLOEXEC);

	if (fd < 0)
		fail_msg("%s: %s", path, strerror(errno));
	return fd;
}

static void lab_open(struct bench *b)
{
	bench_open_fd(b, engine(), node_of("BLKGATE_LAB_NG", O_RDWR));
}

static const char *why(struct bench *b, unsigned i)
{
	return engine_why(&b->run, &b->io[i]);
}

static void fill(char *p, unsigned seed, unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		p[i] = (char)(seed * 31 + i * 7 + (i >> 8));
}

static void round_trip(void)
{
	static const uint64_t offsets[] = {0, 3 * BLOCK, BLOCK, 40 * BLOCK, BYTES - BLOCK};
	char want[BLOCK];
	struct bench b;

	lab_open(&b);
	for (unsigned i = 0; i < 5; i++) {
		fill(b.buf + i * BLOCK, i + 1, BLOCK);
		assert_int_equal(bench_one(&b, bench_io(&b, i, IO_WRITE, BLOCK, offsets[i])),
				 BLOCK);
	}
	assert_int_equal(bench_one(&b, bench_io(&b, 5, IO_FSYNC, 0, 0)), 0);
	assert_int_equal(bench_one(&b, bench_io(&b, 6, IO_FDATASYNC, 0, 0)), 0);
	for (unsigned i = 0; i < 5; i++) {
		memset(b.buf + i * BLOCK, 0, BLOCK);
		assert_int_equal(bench_one(&b, bench_io(&b, i, IO_READ, BLOCK, offsets[i])), BLOCK);
		fill(want, i + 1, BLOCK);
		assert_memory_equal(want, b.buf + i * BLOCK, BLOCK);
		assert_string_equal(why(&b, i), "");
	}
	/* one logical block in the middle of another I/O's */
	assert_int_equal(bench_one(&b, bench_io(&b, 0, IO_READ, 512, 3 * BLOCK + 512)), 512);
	fill(want, 2, BLOCK);
	assert_memory_equal(want + 512, b.buf, 512);
	bench_close(&b);
}

static void reads_and_writes_what_it_says(void **state)
{
	(void)state;
	bench_words = (struct engine_config){0};
	round_trip();
}

/* Registered buffers and files, and the kernel's thread: the same bytes arrive. */
static void words_change_no_bytes(void **state)
{
	static const struct engine_config words[] = {
		{.fixedbufs = true},
		{.registerfiles = true},
		{.sqthread_poll = true},
		{.fixedbufs = true, .registerfiles = true, .sqthread_poll = true},
	};

	(void)state;
	for (unsigned i = 0; i < 4; i++) {
		bench_words = words[i];
		round_trip();
	}
	bench_words = (struct engine_config){0};
}

/* The block device sees the same bytes: passthrough and block layer mean one namespace. */
static void same_bytes_as_the_block_device(void **state)
{
	_Alignas(BLOCK) char back[BLOCK];
	struct bench b;

	(void)state;
	lab_open(&b);
	fill(b.buf, 77, BLOCK);
	assert_int_equal(bench_one(&b, bench_io(&b, 0, IO_WRITE, BLOCK, 8 * BLOCK)), BLOCK);
	int fd = open(getenv("BLKGATE_LAB_BLOCK"), O_RDONLY | O_DIRECT | O_CLOEXEC);

	assert_true(fd >= 0);
	assert_int_equal(pread(fd, back, BLOCK, 8 * BLOCK), BLOCK);
	assert_memory_equal(back, b.buf, BLOCK);
	close(fd);
	bench_close(&b);
}

static void beyond_the_end_is_told_by_the_drive(void **state)
{
	struct bench b;

	(void)state;
	lab_open(&b);
	assert_int_equal(bench_one(&b, bench_io(&b, 0, IO_READ, BLOCK, BYTES)), -ERANGE);
	assert_non_null(strstr(why(&b, 0), "NVMe status 0x80: LBA out of range"));
	assert_int_equal(bench_one(&b, bench_io(&b, 1, IO_WRITE, BLOCK, BYTES - 512)), -ERANGE);
	assert_non_null(strstr(why(&b, 1), "LBA out of range"));
	/* and the ring lives on */
	assert_int_equal(bench_one(&b, bench_io(&b, 1, IO_READ, BLOCK, BYTES - BLOCK)), BLOCK);
	assert_string_equal(why(&b, 1), "");
	bench_close(&b);
}

static void odd_transfers_never_reach_the_drive(void **state)
{
	struct bench b;

	(void)state;
	lab_open(&b);
	assert_int_equal(bench_one(&b, bench_io(&b, 0, IO_READ, 100, 0)), -EINVAL);
	assert_non_null(strstr(why(&b, 0), "logical block"));
	assert_int_equal(bench_one(&b, bench_io(&b, 0, IO_READ, 512, 100)), -EINVAL);
	assert_non_null(strstr(why(&b, 0), "logical block"));
	assert_int_equal(bench_one(&b, bench_io(&b, 0, IO_WRITE, 0, 0)), -EINVAL);
	struct io *io = bench_io(&b, 0, IO_READ, 512, 0);

	io->buf = b.buf + 1;
	assert_int_equal(bench_one(&b, io), -EINVAL);
	assert_non_null(strstr(why(&b, 0), "not aligned"));
	assert_int_equal(bench_one(&b, bench_io(&b, 0, IO_READ, 512, 512)), 512);
	bench_close(&b);
}

static void trim_is_deallocate(void **state)
{
	struct bench b;

	(void)state;
	lab_open(&b);
	fill(b.buf, 9, BLOCK);
	for (unsigned i = 0; i < 3; i++)
		assert_int_equal(bench_one(&b, bench_io(&b, 0, IO_WRITE, BLOCK, (100 + i) * BLOCK)),
				 BLOCK);
	assert_int_equal(bench_one(&b, bench_io(&b, 1, IO_TRIM, BLOCK, 101 * BLOCK)), BLOCK);
	/* What a trimmed block reads is the drive's business; its neighbours are kept. */
	for (unsigned i = 0; i < 3; i++) {
		assert_int_equal(bench_one(&b, bench_io(&b, 2, IO_READ, BLOCK, (100 + i) * BLOCK)),
				 BLOCK);
		if (i != 1)
			assert_memory_equal(b.buf, b.buf + 2 * BLOCK, BLOCK);
	}
	assert_int_equal(bench_one(&b, bench_io(&b, 1, IO_TRIM, 100, 0)), -EINVAL);
	bench_close(&b);
}

/* Thirty-two at once, many rounds: each comes back once with its own bytes. */
static void depth_is_reached(void **state)
{
	enum { MANY = 32 };
	struct io *ios[MANY], *done[MANY];
	struct io io[MANY];
	struct engine_run r;
	struct err e = ERR_INIT;
	char *buf = aligned_alloc(BLOCK, MANY * BLOCK), want[BLOCK];
	int fd = node_of("BLKGATE_LAB_NG", O_RDWR);
	struct engine_config c = {
		.fds = &fd, .nfds = 1, .depth = MANY, .buffers = buf, .buffer_len = BLOCK};

	(void)state;
	assert_non_null(buf);
	if (engine_open(&r, engine(), &c, &e))
		fail_msg("%s", e.text);
	for (unsigned round = 0; round < 8; round++) {
		enum io_op op = round % 2 ? IO_READ : IO_WRITE;
		unsigned back = 0;

		for (unsigned i = 0; i < MANY; i++) {
			io[i] = (struct io){.op = op,
					    .index = i,
					    .buf = buf + i * BLOCK,
					    .len = BLOCK,
					    .offset = (uint64_t)(200 + i) * BLOCK};
			ios[i] = &io[i];
			if (op == IO_WRITE)
				fill(io[i].buf, round + i, BLOCK);
			else
				memset(io[i].buf, 0, BLOCK);
		}
		assert_int_equal(engine_submit(&r, ios, MANY), MANY);
		assert_int_equal(r.inflight, MANY);
		while (back < MANY) {
			int got = engine_reap(&r, done, 1, MANY, engine_now(&r) + LONG_WAIT);

			assert_true(got > 0);
			back += (unsigned)got;
		}
		for (unsigned i = 0; i < MANY; i++) {
			assert_int_equal(io[i].res, BLOCK);
			fill(want, round - (op == IO_READ) + i, BLOCK);
			assert_memory_equal(io[i].buf, want, BLOCK);
		}
	}
	engine_close(&r);
	close(fd);
	free(buf);
}

/* open() with this descriptor and largest transfer; the sentence. */
static void refused(int fd, size_t len, const char *sentence)
{
	struct err e = ERR_INIT;
	struct engine_run r;
	char *buf = aligned_alloc(BLOCK, len);
	struct engine_config c = {
		.fds = &fd, .nfds = 1, .depth = 1, .buffers = buf, .buffer_len = len};

	assert_non_null(buf);
	assert_int_equal(engine_open(&r, engine(), &c, &e), ERR_MEASURE);
	if (!strstr(e.text, sentence))
		fail_msg("'%s' does not hold '%s'", e.text, sentence);
	free(buf);
	close(fd);
}

static void formats_with_metadata_are_refused(void **state)
{
	(void)state;
	refused(node_of("BLKGATE_LAB_NG_PI", O_RDONLY), BLOCK, "PI type 1");
	refused(node_of("BLKGATE_LAB_NG_EXTENDED", O_RDONLY), BLOCK,
		"8 bytes of metadata (in the data: extended LBA)");
}

static void transfers_above_mdts_are_refused(void **state)
{
	(void)state;
	refused(node_of("BLKGATE_LAB_NG", O_RDONLY), 1 << 20,
		"above the 524288 bytes that the device takes at once (MDTS)");
}

static void a_block_of_4096_is_known(void **state)
{
	struct bench b;

	(void)state;
	bench_open_fd(&b, engine(), node_of("BLKGATE_LAB_NG_4K", O_RDWR));
	assert_int_equal(bench_one(&b, bench_io(&b, 0, IO_READ, 512, 0)), -EINVAL);
	fill(b.buf, 5, BLOCK);
	assert_int_equal(bench_one(&b, bench_io(&b, 0, IO_WRITE, BLOCK, BYTES - BLOCK)), BLOCK);
	assert_int_equal(bench_one(&b, bench_io(&b, 1, IO_READ, BLOCK, BYTES - BLOCK)), BLOCK);
	assert_memory_equal(b.buf, b.buf + BLOCK, BLOCK);
	assert_int_equal(bench_one(&b, bench_io(&b, 1, IO_READ, BLOCK, BYTES)), -ERANGE);
	bench_close(&b);
}

/* The device's own block node answers NVMe ioctls too, but takes no commands by ring. */
static void the_block_node_is_refused(void **state)
{
	(void)state;
	refused(node_of("BLKGATE_LAB_BLOCK", O_RDONLY), BLOCK, "this is a block device");
}

static void what_is_no_namespace_is_refused(void **state)
{
	char name[] = "conformance-XXXXXX";
	int fd = mkstemp(name);

	(void)state;
	assert_true(fd >= 0);
	unlink(name);
	refused(fd, BLOCK, "needs the passthrough node of an NVMe namespace; this is a file");
	refused(open("/dev/null", O_RDWR), BLOCK, "this is a character device of another kind");
}

static void status_words_are_the_specification_s(void **state)
{
	const char *text;

	(void)state;
	assert_int_equal(nvme_errno(0x4080, &text), ERANGE); /* with Do Not Retry */
	assert_string_equal(text, "LBA out of range");
	assert_int_equal(nvme_errno(0x281, &text), EIO);
	assert_string_equal(text, "unrecovered read error");
	assert_int_equal(nvme_errno(0x6281, &text), EIO);
	assert_string_equal(text, "unrecovered read error");
	assert_int_equal(nvme_errno(0x081, &text), ENOSPC);
	assert_int_equal(nvme_errno(0x7ff, &text), EIO);
	assert_null(text);
}

int main(void)
{
	const struct CMUnitTest anywhere[] = {
		cmocka_unit_test(what_is_no_namespace_is_refused),
		cmocka_unit_test(status_words_are_the_specification_s),
	};
	const struct CMUnitTest lab[] = {
		cmocka_unit_test(reads_and_writes_what_it_says),
		cmocka_unit_test(words_change_no_bytes),
		cmocka_unit_test(same_bytes_as_the_block_device),
		cmocka_unit_test(beyond_the_end_is_told_by_the_drive),
		cmocka_unit_test(odd_transfers_never_reach_the_drive),
		cmocka_unit_test(trim_is_deallocate),
		cmocka_unit_test(depth_is_reached),
		cmocka_unit_test(formats_with_metadata_are_refused),
		cmocka_unit_test(transfers_above_mdts_are_refused),
		cmocka_unit_test(a_block_of_4096_is_known),
		cmocka_unit_test(the_block_node_is_refused),
	};
	int failed = cmocka_run_group_tests_name("passthrough", anywhere, NULL, NULL);

	/* Counted by the part `lab` of tests/check, which says why when there is none. */
	if (getenv("BLKGATE_LAB_NG"))
		failed += cmocka_run_group_tests_name("passthrough in the lab", lab, NULL, NULL);
	return failed;
}
