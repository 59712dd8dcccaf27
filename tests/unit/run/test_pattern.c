/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "helper.h"
#include "run/pattern.h"

static struct job job_of(enum job_rw rw, uint64_t blocks)
{
	struct job j = sim_job("");

	j.rw = rw;
	j.size = blocks * j.bs;
	j.offset = 1 << 20;
	return j;
}

static const uint64_t sizes[] = {1,    2,    3,    4,    5,    7,     13,    16,   17,
				 31,   64,   65,   97,   127,  128,   129,   255,  1000,
				 1024, 1025, 4093, 4096, 4097, 16384, 16385, 65521};

static void permutation_is_a_bijection(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		struct job j = job_of(RW_RANDREAD, sizes[i]);
		uint8_t *seen = calloc(sizes[i], 1);
		struct pattern p;

		pattern_init(&p, &j, 0, 42 + i);
		for (uint64_t b = 0; b < sizes[i]; b++) {
			uint64_t to = pattern_permute(&p, b);

			assert_true(to < sizes[i]);
			assert_int_equal(seen[to], 0);
			seen[to] = 1;
		}
		free(seen);
	}
}

/* A device of 16 TiB at 512 bytes: beyond 32 bits, and no step leaves the region. */
static void huge_region(void **state)
{
	struct job j = sim_job("");
	struct pattern p;
	uint64_t last = UINT64_MAX;

	(void)state;
	j.rw = RW_RANDREAD;
	j.bs = 512;
	j.size = (1ULL << 44) + 512 * 3;
	pattern_init(&p, &j, 0, 1);
	for (int i = 0; i < 10000; i++) {
		enum io_dir dir;
		uint64_t offset, pass;

		pattern_next(&p, &dir, &offset, &pass);
		assert_true(offset + 512 <= j.size);
		assert_int_equal(offset % 512, 0);
		assert_int_not_equal(offset, last);
		last = offset;
	}
}

static void once_a_pass_in_another_order(void **state)
{
	enum { N = 1000, PASSES = 3 };
	struct job j = job_of(RW_RANDWRITE, N);
	static uint64_t order[PASSES][N];
	struct pattern p;

	(void)state;
	pattern_init(&p, &j, 0, 7);
	for (int s = 0; s < PASSES; s++) {
		uint8_t seen[N] = {0};

		for (int i = 0; i < N; i++) {
			enum io_dir dir;
			uint64_t offset, pass;

			pattern_next(&p, &dir, &offset, &pass);
			assert_int_equal(pass, s);
			assert_int_equal(dir, DIR_WRITE);
			assert_true(offset >= j.offset && offset < j.offset + j.size);
			order[s][i] = (offset - j.offset) / j.bs;
			assert_int_equal(seen[order[s][i]]++, 0);
		}
	}
	unsigned same = 0, steps = 0;

	for (int i = 0; i < N; i++) {
		same += order[0][i] == order[1][i];
		same += order[1][i] == order[2][i];
		steps += i && order[0][i] == order[0][i - 1] + 1;
	}
	assert_true(same < 20);  /* 2 expected by chance */
	assert_true(steps < 15); /* 1 expected */
}

static void sequential_wraps_and_ends_early(void **state)
{
	struct job j = job_of(RW_READ, 3);
	struct pattern p;

	(void)state;
	j.size += 100; /* the tail that holds no block is not touched */
	pattern_init(&p, &j, 5, 9);
	for (uint64_t i = 0; i < 7; i++) {
		enum io_dir dir;
		uint64_t offset, pass;

		pattern_next(&p, &dir, &offset, &pass);
		assert_int_equal(offset, j.offset + i % 3 * j.bs);
		assert_int_equal(pass, i / 3);
		assert_int_equal(dir, DIR_READ);
	}
}

static void seed_decides(void **state)
{
	struct job j = job_of(RW_RANDREAD, 5000);
	struct pattern p[4];
	unsigned equal[4] = {0};

	(void)state;
	pattern_init(&p[0], &j, 0, 11);
	pattern_init(&p[1], &j, 0, 11);
	pattern_init(&p[2], &j, 1, 11); /* another thread */
	pattern_init(&p[3], &j, 0, 12); /* another seed */
	for (int i = 0; i < 1000; i++) {
		uint64_t offset[4], pass;
		enum io_dir dir;

		for (int k = 0; k < 4; k++) {
			pattern_next(&p[k], &dir, &offset[k], &pass);
			equal[k] += offset[k] == offset[0];
		}
	}
	assert_int_equal(equal[1], 1000);
	assert_true(equal[2] < 10);
	assert_true(equal[3] < 10);
}

static void norandommap_covers_evenly(void **state)
{
	enum { N = 16, DRAWS = 16000 };
	struct job j = job_of(RW_RANDREAD, N);
	unsigned hits[N] = {0};
	struct pattern p;

	(void)state;
	j.norandommap = true;
	pattern_init(&p, &j, 0, 3);
	for (int i = 0; i < DRAWS; i++) {
		enum io_dir dir;
		uint64_t offset, pass;

		pattern_next(&p, &dir, &offset, &pass);
		hits[(offset - j.offset) / j.bs]++;
		assert_int_equal(pass, i / N);
	}
	for (int i = 0; i < N; i++)
		assert_in_range(hits[i], 850, 1150); /* sd 31 */
}

static void rwmixread_share(void **state)
{
	static const struct {
		enum job_rw rw;
		uint32_t mix;
		unsigned low, high;
	} rows[] = {
		{RW_RANDRW, 70, 6800, 7200}, {RW_RW, 30, 2800, 3200},
		{RW_RW, 100, 10000, 10000},  {RW_RANDRW, 0, 0, 0},
		{RW_READ, 30, 10000, 10000}, {RW_WRITE, 70, 0, 0},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct job j = job_of(rows[i].rw, 100);
		unsigned reads = 0;
		struct pattern p;

		j.rwmixread = rows[i].mix;
		pattern_init(&p, &j, 0, 21);
		for (int n = 0; n < 10000; n++) {
			enum io_dir dir;
			uint64_t offset, pass;

			pattern_next(&p, &dir, &offset, &pass);
			reads += dir == DIR_READ;
		}
		assert_in_range(reads, rows[i].low, rows[i].high);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(permutation_is_a_bijection),
		cmocka_unit_test(huge_region),
		cmocka_unit_test(once_a_pass_in_another_order),
		cmocka_unit_test(sequential_wraps_and_ends_early),
		cmocka_unit_test(seed_decides),
		cmocka_unit_test(norandommap_covers_evenly),
		cmocka_unit_test(rwmixread_share),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
