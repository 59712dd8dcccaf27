/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What stands in the buffers of writes. */
#include "helper.h"
#include "run/contents.h"

#include <fcntl.h>
#include <unistd.h>

enum { BS = 4096, BLOCKS = 4000 };

static struct job job_of(uint32_t compress, uint32_t dedupe)
{
	struct job j = sim_job("");

	j.rw = RW_WRITE;
	j.buffer_compress_percentage = compress;
	j.dedupe_percentage = dedupe;
	return j;
}

static void zeros_of_each_chunk(void **state)
{
	static const struct {
		uint32_t compress;
		size_t zeros;
	} rows[] = {{0, 0}, {25, 128}, {50, 256}, {40, 200}, {99, 504}};

	(void)state;
	for (size_t r = 0; r < sizeof(rows) / sizeof(rows[0]); r++) {
		struct job j = job_of(rows[r].compress, 0);
		uint8_t buf[BS + 100];
		struct contents c;

		contents_init(&c, &j, 7);
		contents_fill(&c, buf, sizeof(buf));
		for (size_t at = 0; at < BS; at += 512) {
			size_t from = 512 - rows[r].zeros, random = 0;

			for (size_t i = 0; i < from; i++)
				random += buf[at + i] != 0;
			assert_true(random + 2 >= from * 9 / 10);
			for (size_t i = from; i < 512; i++)
				assert_int_equal(buf[at + i], 0);
		}
	}
}

/* Bytes are as frequent as by chance: nothing for an entropy coder. */
static void random_bytes(void **state)
{
	static uint8_t buf[256 * BS];
	struct job j = job_of(0, 0);
	unsigned hits[256] = {0};
	struct contents c;
	double chi = 0, want = sizeof(buf) / 256.0;

	(void)state;
	contents_init(&c, &j, 8);
	contents_fill(&c, buf, sizeof(buf));
	for (size_t i = 0; i < sizeof(buf); i++)
		hits[buf[i]]++;
	for (int i = 0; i < 256; i++)
		chi += (hits[i] - want) * (hits[i] - want) / want;
	assert_true(chi < 400); /* 255 expected, sd 22.6 */
}

static int by_head(const void *a, const void *b)
{
	return memcmp(a, b, 8);
}

static unsigned duplicates(uint8_t *blocks)
{
	unsigned same = 0;

	qsort(blocks, BLOCKS, BS, by_head);
	for (int i = 1; i < BLOCKS; i++)
		same += memcmp(blocks + (size_t)(i - 1) * BS, blocks + (size_t)i * BS, BS) == 0;
	return same;
}

static void share_of_duplicates(void **state)
{
	static const struct {
		uint32_t dedupe;
		unsigned low, high;
	} rows[] = {{0, 0, 0}, {30, 1080, 1320}, {90, 3500, 3700}, {100, BLOCKS - 1, BLOCKS - 1}};
	uint8_t *blocks = malloc((size_t)BLOCKS * BS);

	(void)state;
	for (size_t r = 0; r < sizeof(rows) / sizeof(rows[0]); r++) {
		struct job j = job_of(0, rows[r].dedupe);
		struct contents c;

		contents_init(&c, &j, 9);
		contents_fill(&c, blocks, (size_t)BLOCKS * BS);
		assert_in_range(duplicates(blocks), rows[r].low, rows[r].high);
	}
	free(blocks);
}

static int scratch(void)
{
	char path[] = "/tmp/blkgate-contents-XXXXXX";
	int fd = mkstemp(path);

	assert_true(fd >= 0);
	unlink(path);
	return fd;
}

/* What arrives in the file. Depth 1 and one buffer: without refill all blocks are one. */
static void written_to_a_file(void **state)
{
	static const struct {
		bool refill;
		uint32_t dedupe;
		unsigned low, high;
	} rows[] = {{false, 0, BLOCKS - 1, BLOCKS - 1}, {true, 0, 0, 0}, {true, 50, 1850, 2150}};
	uint8_t *blocks = malloc((size_t)BLOCKS * BS);

	(void)state;
	for (size_t r = 0; r < sizeof(rows) / sizeof(rows[0]); r++) {
		struct job j = sized(job_of(50, rows[r].dedupe), RW_RANDWRITE, BLOCKS * BS, 1);
		struct run_request q = {
			.job = &j, .nfds = 1, .target_name = "T", .seed = 1, .run_seed = 2};
		struct outcome o = {0};
		int fd = scratch();

		q.fds = &fd;
		j.ioengine = "psync";
		j.refill_buffers = rows[r].refill;
		run_with(&q, NULL, &o);
		if (o.status != OUTCOME_OK)
			fail_msg("%s", o.text);
		assert_int_equal(pread(fd, blocks, (size_t)BLOCKS * BS, 0), (ssize_t)BLOCKS * BS);
		assert_int_equal(blocks[BS - 1], 0);
		assert_in_range(duplicates(blocks), rows[r].low, rows[r].high);
		outcome_release(&o);
		close(fd);
	}
	free(blocks);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(zeros_of_each_chunk),
		cmocka_unit_test(random_bytes),
		cmocka_unit_test(share_of_duplicates),
		cmocka_unit_test(written_to_a_file),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
