/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Dips and drift from slots made by hand: exact numbers. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include "measure/metric.h"
#include <math.h>
#include <stdlib.h>

static const struct job reader = {.rw = RW_RANDREAD, .bs = 4096, .rwmixread = 50};

static void course(struct outcome *o, uint64_t n)
{
	outcome_init(o);
	o->status = OUTCOME_OK;
	o->window = n * SLOT_NS;
	o->nslots = n;
	o->slots = calloc(n, sizeof(*o->slots));
}

static void slot(struct outcome *o, uint64_t i, uint32_t ios)
{
	o->dir[DIR_READ].ios += ios;
	o->dir[DIR_READ].bytes += 4096ULL * ios;
	o->slots[i].ios[DIR_READ] = ios;
	o->slots[i].bytes[DIR_READ] = 4096ULL * ios;
}

static struct value value_of(const char *name, const struct outcome *o)
{
	struct value v;

	metric_value(metric_find(name), &reader, o, &v);
	return v;
}

/* Below half, not at half; of all directions; the slot that the end cuts is none. */
static void test_dips(void **state)
{
	struct outcome o;

	(void)state;
	course(&o, 20);
	for (uint64_t i = 0; i < 20; i++)
		slot(&o, i, i < 3 ? 50 : i < 5 ? 49 : 100);
	assert_true(value_of("bw.dips", &o).v == 2);
	assert_true(value_of("bw.dips", &o).step == 0.5);
	o.slots[3].bytes[DIR_WRITE] = 4096;
	assert_true(value_of("bw.dips", &o).v == 1);
	slot(&o, 19, 0);
	assert_true(value_of("bw.dips", &o).v == 2);
	o.window -= 1;
	assert_true(value_of("bw.dips", &o).v == 1);
	outcome_release(&o);
	/* an even number of slots: the median lies between 4 and 5 I/Os, its half between 2 and 3
	 */
	course(&o, 10);
	for (uint64_t i = 0; i < 10; i++)
		slot(&o, i, i == 0 ? 2 : i < 5 ? 4 : 5);
	assert_true(value_of("bw.dips", &o).v == 1);
	slot(&o, 4, 3);
	slot(&o, 5, 4);
	assert_int_equal(value_of("bw.dips", &o).state, VALUE_OK);
	/* a median of 3.5 */
	slot(&o, 1, 3);
	slot(&o, 2, 3);
	slot(&o, 3, 3);
	assert_int_equal(value_of("bw.dips", &o).state, VALUE_INSUFFICIENT);
	outcome_release(&o);
}

/* Sizes near the end of the range, where a sum of two would wrap. */
static void test_dips_of_giants(void **state)
{
	struct outcome o;

	(void)state;
	course(&o, 10);
	for (uint64_t i = 0; i < 10; i++) {
		slot(&o, i, 100);
		o.slots[i].bytes[DIR_READ] = i == 9 ? UINT64_MAX / 5 : UINT64_MAX / 2;
	}
	assert_true(value_of("bw.dips", &o).v == 1);
	outcome_release(&o);
}

static void drift_is(double want, uint64_t n, uint32_t (*level)(uint64_t i))
{
	struct outcome o;
	struct value v;

	course(&o, n);
	for (uint64_t i = 0; i < n; i++)
		slot(&o, i, level(i));
	v = value_of("bw.drift", &o);
	assert_int_equal(v.state, VALUE_OK);
	if (fabs(v.v - want) > 1e-12)
		fail_msg("%.17g, wanted %.17g", v.v, want);
	outcome_release(&o);
}

static uint32_t level_run(uint64_t i)
{
	(void)i;
	return 1000;
}

static uint32_t falls(uint64_t i)
{
	return 1020 - (uint32_t)i;
}

/* A third of the slices is far below: no least squares would bear that. */
static uint32_t falls_with_dips(uint64_t i)
{
	return i % 3 == 1 && i < 40 ? 10 : 1020 - (uint32_t)i;
}

static uint32_t rises_slowly(uint64_t i)
{
	return 10000 + (uint32_t)i;
}

static void test_drift(void **state)
{
	struct outcome o;

	(void)state;
	drift_is(0, 50, level_run);
	drift_is(-41 / 1000., 41, falls); /* one a slice, 41 slices, the middle one is 1000 */
	/* 1000 slices in 100 groups of 10 */
	drift_is(100 * 100 / (100000 + 5 * 990 + 5 * 9.0), 1000, rises_slowly);
	course(&o, 90);
	for (uint64_t i = 0; i < 90; i++)
		slot(&o, i, falls_with_dips(i));
	assert_true(fabs(value_of("bw.drift", &o).v + 0.09) < 0.01);
	/* nothing but zeros in the middle: no level that a change could be of */
	for (uint64_t i = 0; i < 90; i++)
		o.slots[i].bytes[DIR_READ] = 0;
	assert_int_equal(value_of("bw.drift", &o).state, VALUE_INSUFFICIENT);
	outcome_release(&o);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_dips),
		cmocka_unit_test(test_dips_of_giants),
		cmocka_unit_test(test_drift),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
