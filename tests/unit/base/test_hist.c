/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "base/hist.h"
#include "../normal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* 34 KiB each: on the heap, as the runner keeps them. */
static struct hist *new_hist(void)
{
	return xcalloc(1, sizeof(struct hist));
}

static void buckets_cover_the_range_without_gap(void **state)
{
	(void)state;
	for (unsigned i = 0; i < HIST_BUCKETS; i++) {
		uint64_t low = hist_low(i), last = low + hist_width(i) - 1;

		assert_int_equal(hist_index(low), i);
		assert_int_equal(hist_index(last), i);
		if (i + 1 < HIST_BUCKETS)
			assert_true(hist_low(i + 1) == last + 1);
		else
			assert_true(last + 1 == UINT64_C(1) << HIST_MAX_EXP);
		/* The stated error bound: the middle is within 0.4 % of both ends. */
		if (low > 0)
			assert_true((double)(hist_width(i) - 1) / 2 <= 0.004 * (double)low);
	}
}

static int compare_u64(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

static void percentiles_of_a_lognormal_are_within_the_bound(void **state)
{
	enum { N = 20000 };
	static const double qs[] = {0.001, 0.01, 0.25, 0.5, 0.9, 0.95, 0.99, 0.999, 0.9999};
	uint64_t *v = xmalloc(N * sizeof(*v));
	struct hist *h = new_hist();
	struct bins b;
	struct rng r;

	(void)state;
	rng_seed(&r, 1);
	for (int i = 0; i < N; i++) {
		v[i] = (uint64_t)exp(11 + 0.7 * rng_normal(&r));
		hist_add(h, v[i]);
	}
	qsort(v, N, sizeof(*v), compare_u64);
	bins_init(&b);
	bins_from_hist(&b, h);
	double last = 0;

	for (size_t i = 0; i < sizeof(qs) / sizeof(qs[0]); i++) {
		double exact = (double)v[(size_t)ceil(qs[i] * N - 1e-6) - 1];
		double got = bins_percentile(&b, qs[i]);

		assert_true(fabs(got / exact - 1) < 0.004);
		assert_true(got >= last && got <= (double)b.max && got >= (double)b.min);
		last = got;
	}
	bins_release(&b);
	free(h);
	free(v);
}

/* Expected values by the definition of nearest rank, on values whose buckets are one ns wide. */
static void nearest_rank_is_exact_on_small_values(void **state)
{
	static const struct {
		double q;
		uint64_t want;
	} t[] = {{0.07, 7},  {0.29, 29}, {0.5, 50},    {0.57, 57}, {0.9, 90},
		 {0.95, 95}, {0.99, 99}, {0.999, 100}, {0.005, 1}, {1e-9, 1}};
	struct hist *h = new_hist();
	struct bins b;

	(void)state;
	for (uint64_t i = 1; i <= 100; i++)
		hist_add(h, i);
	bins_init(&b);
	bins_from_hist(&b, h);
	for (size_t i = 0; i < sizeof(t) / sizeof(t[0]); i++) {
		assert_true(bins_percentile(&b, t[i].q) == (double)t[i].want);
		assert_true(bins_above(&b, t[i].q) == 100 - t[i].want);
		assert_true(bins_step(&b, t[i].q) == 1);
	}
	assert_true(bins_mean(&b) == 50.5);
	assert_true(fabs(bins_stddev(&b) - 29.01149198) < 1e-7);
	bins_release(&b);
	free(h);
}

static void nothing_measured_is_not_a_number(void **state)
{
	struct hist *h = new_hist();
	struct bins b;

	(void)state;
	bins_init(&b);
	bins_from_hist(&b, h);
	assert_true(isnan(bins_percentile(&b, 0.5)));
	assert_true(isnan(bins_mean(&b)));
	assert_true(isnan(bins_stddev(&b)));
	assert_true(bins_step(&b, 0.5) == 0);
	assert_true(bins_above(&b, 0.5) == 0);
	assert_true(b.min == 0 && b.max == 0);
	hist_add(h, 5000);
	bins_from_hist(&b, h);
	assert_true(bins_percentile(&b, 0.5) == 5000); /* one sample: held within [min, max] */
	assert_true(isnan(bins_stddev(&b)));
	bins_release(&b);
	free(h);
}

/* bugs-given percentile-1: 10 at 1 ms, 90 at 40 s; and the same with values above the top. */
static void values_above_the_top_are_counted_never_clamped(void **state)
{
	struct hist *h = new_hist();
	struct bins b;

	(void)state;
	bins_init(&b);
	for (int i = 0; i < 10; i++)
		hist_add(h, 1000000);
	for (int i = 0; i < 90; i++)
		hist_add(h, UINT64_C(40000000000));
	bins_from_hist(&b, h);
	assert_true(fabs(bins_percentile(&b, 0.5) / 40e9 - 1) < 0.004);
	assert_true(bins_percentile(&b, 0.5) <= bins_percentile(&b, 0.99));
	assert_true(bins_percentile(&b, 0.99) <= (double)b.max);
	assert_true(b.max == UINT64_C(40000000000));
	assert_true(b.over == 0);

	hist_add(h, UINT64_C(1) << 40);
	hist_add(h, UINT64_MAX / 2);
	bins_from_hist(&b, h);
	assert_true(b.over == 2 && b.n == 102);
	assert_true(b.max == UINT64_MAX / 2);
	assert_false(isnan(bins_percentile(&b, 0.98)));
	assert_true(isnan(bins_percentile(&b, 0.99)));
	assert_true(isnan(bins_stddev(&b)));
	assert_true(bins_step(&b, 0.999) == 0);
	bins_release(&b);
	free(h);
}

static void merging_is_adding(void **state)
{
	struct hist *a = new_hist(), *b = new_hist(), *both = new_hist(), *none = new_hist();
	struct rng r;

	(void)state;
	rng_seed(&r, 5);
	for (int i = 0; i < 5000; i++) {
		uint64_t v = rng_below(&r, UINT64_C(1) << (rng_below(&r, 42) + 1));

		hist_add(i % 3 ? a : b, v);
		hist_add(both, v);
	}
	hist_merge(a, none);
	hist_merge(none, b);
	hist_merge(a, none);
	assert_memory_equal(a, both, sizeof(*a));
	hist_reset(a);
	assert_true(a->n == 0);
	free(a);
	free(b);
	free(both);
	free(none);
}

static void assert_same_bins(const struct bins *a, const struct bins *b)
{
	assert_int_equal(a->nb, b->nb);
	for (size_t i = 0; i < a->nb; i++) {
		assert_int_equal(a->b[i].index, b->b[i].index);
		assert_true(a->b[i].count == b->b[i].count);
	}
}

static void text_round_trip(void **state)
{
	struct hist *h = new_hist();
	struct bins b, c;
	struct err e = ERR_INIT;
	struct rng r;
	struct str s;

	(void)state;
	rng_seed(&r, 9);
	hist_add(h, 0);
	hist_add(h, (UINT64_C(1) << 40) - 1);
	hist_add(h, UINT64_C(1) << 41);
	for (int i = 0; i < 1000; i++)
		hist_add(h, rng_below(&r, 1000000));
	bins_init(&b);
	bins_init(&c);
	str_init(&s);
	bins_from_hist(&b, h);
	bins_encode(&b, &s);
	c.n = b.n;
	c.over = b.over;
	assert_int_equal(bins_decode(s.s, &c, &e), 0);
	assert_same_bins(&c, &b);
	bins_copy(&c, &b);
	assert_true(c.sum == b.sum && c.b != b.b);
	assert_same_bins(&c, &b);
	bins_release(&b);
	bins_release(&c);

	str_clear(&s);
	bins_encode(&b, &s);
	assert_string_equal(s.s, "");
	assert_int_equal(bins_decode("", &b, &e), 0);
	str_release(&s);
	free(h);
}

static void damaged_text_is_refused(void **state)
{
	static const struct {
		const char *text;
		uint64_t n, over;
	} bad[] = {
		{"", 1, 0},
		{"5:1", 2, 0},
		{"5:1", 0, 0},
		{"5:1", 1, 1},
		{"5:0", 0, 0},
		{"4352:1", 1, 0},
		{"4351:1 1:1", 2, 0},
		{"5:1 0:1", 2, 0},
		{"5:1  1:1", 2, 0},
		{"5:1 ", 1, 0},
		{" 5:1", 1, 0},
		{"5", 1, 0},
		{"5:", 1, 0},
		{":1", 1, 0},
		{"-1:1", 1, 0},
		{"5:-1", 1, 0},
		{"5:1;1:1", 2, 0},
		{"99999999999999999999:1", 1, 0},
		{"5:18446744073709551615 1:2", 1, 0},
		{"5:18446744073709551616", 0, 0},
		{"18446744073709551615:1", 1, 0},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		struct err e = ERR_INIT;
		struct bins b;

		bins_init(&b);
		b.n = bad[i].n;
		b.over = bad[i].over;
		if (bins_decode(bad[i].text, &b, &e) != ERR_DATA)
			fail_msg("accepted '%s'", bad[i].text);
		assert_non_null(strstr(e.text, "damaged"));
		assert_null(b.b);
		bins_release(&b);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(buckets_cover_the_range_without_gap),
		cmocka_unit_test(percentiles_of_a_lognormal_are_within_the_bound),
		cmocka_unit_test(nearest_rank_is_exact_on_small_values),
		cmocka_unit_test(nothing_measured_is_not_a_number),
		cmocka_unit_test(values_above_the_top_are_counted_never_clamped),
		cmocka_unit_test(merging_is_adding),
		cmocka_unit_test(text_round_trip),
		cmocka_unit_test(damaged_text_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
