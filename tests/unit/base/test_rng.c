/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "../normal.h"

#include <math.h>
#include <string.h>

static void splitmix_seeding_is_the_published_one(void **state)
{
	struct rng r;

	(void)state;
	rng_seed(&r, 0);
	assert_true(r.s[0] == 0xe220a8397b1dcdafu);
	assert_true(r.s[1] == 0x6e789e6aa1b965f4u);
	assert_true(r.s[2] == 0x06c45d188009454fu);
	assert_true(r.s[3] == 0xf88bb8a8724c81ecu);
}

static void xoshiro_is_the_published_one(void **state)
{
	struct rng r = {.s = {1, 2, 3, 4}};
	/* The first outputs of the authors' implementation for this state. */
	static const uint64_t want[] = {11520, 0, 1509978240, 1215971899390074240};

	(void)state;
	for (size_t i = 0; i < 4; i++)
		assert_true(rng_next(&r) == want[i]);
}

static void below_stays_below_and_reaches_all(void **state)
{
	struct rng r;
	unsigned seen[7] = {0};

	(void)state;
	rng_seed(&r, 42);
	for (int i = 0; i < 70000; i++) {
		uint64_t v = rng_below(&r, 7);

		assert_true(v < 7);
		seen[v]++;
	}
	/* Expected 10000 each, sd 93: six of them. */
	for (int i = 0; i < 7; i++)
		assert_in_range(seen[i], 9440, 10560);
	for (int i = 0; i < 100; i++) {
		assert_true(rng_below(&r, 1) == 0);
		assert_true(rng_below(&r, UINT64_MAX) < UINT64_MAX);
		assert_true(rng_below(&r, (UINT64_C(1) << 63) + 1) <= UINT64_C(1) << 63);
	}
}

static void doubles_and_normals_have_their_moments(void **state)
{
	enum { N = 100000 };
	double sum = 0, nsum = 0, nsq = 0;
	struct rng r;

	(void)state;
	rng_seed(&r, 7);
	for (int i = 0; i < N; i++) {
		double u = rng_double(&r), z = rng_normal(&r);

		assert_true(u >= 0 && u < 1);
		assert_true(isfinite(z));
		sum += u;
		nsum += z;
		nsq += z * z;
	}
	assert_true(fabs(sum / N - 0.5) < 0.006);
	assert_true(fabs(nsum / N) < 0.02);
	assert_true(fabs(nsq / N - 1) < 0.03);
}

static void shuffle_keeps_the_elements_and_depends_on_the_seed(void **state)
{
	struct {
		int id;
		char rest[5];
	} v[50], w[50];
	struct rng r;
	int sum = 0, moved = 0;

	(void)state;
	memset(v, 0, sizeof(v));
	for (int i = 0; i < 50; i++)
		v[i].id = i;
	memcpy(w, v, sizeof(v));
	rng_seed(&r, 3);
	rng_shuffle(&r, v, 50, sizeof(v[0]));
	rng_seed(&r, 3);
	rng_shuffle(&r, w, 50, sizeof(w[0]));
	assert_memory_equal(v, w, sizeof(v));
	for (int i = 0; i < 50; i++) {
		sum += v[i].id;
		moved += v[i].id != i;
	}
	assert_int_equal(sum, 49 * 50 / 2);
	assert_true(moved > 30);
	rng_shuffle(&r, v, 0, sizeof(v[0]));
	rng_shuffle(&r, v, 1, sizeof(v[0]));
}

static void entropy_differs(void **state)
{
	(void)state;
	assert_true(rng_entropy() != rng_entropy());
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(splitmix_seeding_is_the_published_one),
		cmocka_unit_test(xoshiro_is_the_published_one),
		cmocka_unit_test(below_stays_below_and_reaches_all),
		cmocka_unit_test(doubles_and_normals_have_their_moments),
		cmocka_unit_test(shuffle_keeps_the_elements_and_depends_on_the_seed),
		cmocka_unit_test(entropy_differs),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
