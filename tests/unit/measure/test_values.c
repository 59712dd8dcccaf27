/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Outcome to values: exact numbers, and everything that must not become a number. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include "base/clock.h"
#include "base/str.h"
#include "measure/metric.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

static struct value value_of(const char *name, const struct job *j, const struct outcome *o)
{
	const struct metric *m = metric_find(name);
	struct value v;

	if (!m)
		fail_msg("no metric %s", name);
	memset(&v, 0xa5, sizeof(v));
	metric_value(m, j, o, &v);
	return v;
}

static void assert_ok(const char *name, const struct job *j, const struct outcome *o, double want,
		      double step)
{
	struct value v = value_of(name, j, o);

	if (v.state != VALUE_OK || v.v != want || v.step != step)
		fail_msg("%s: state %s, %.17g step %.17g, wanted %.17g step %.17g", name,
			 value_state_name(v.state), v.v, v.step, want, step);
	assert_true(v.n > 0 || v.v == 0);
}

static void assert_state(const char *name, const struct job *j, const struct outcome *o,
			 enum value_state state)
{
	struct value v = value_of(name, j, o);

	if (v.state != state)
		fail_msg("%s: %s, wanted %s", name, value_state_name(v.state),
			 value_state_name(state));
	assert_true(v.v == 0 && v.step == 0); /* nothing that could be mistaken for a value */
}

static void bins_of(struct bins *b, const uint64_t *v, const uint64_t *times, size_t n)
{
	struct hist *h = calloc(1, sizeof(*h));

	hist_reset(h);
	for (size_t i = 0; i < n; i++) {
		for (uint64_t k = 0; k < times[i]; k++)
			hist_add(h, v[i]);
	}
	bins_release(b);
	bins_from_hist(b, h);
	free(h);
}

/* So many slices, each of which saw latencies up to ns. */
static void slices_of(struct outcome *o, uint64_t n, uint64_t ns)
{
	free(o->slots);
	o->nslots = n;
	o->slots = calloc(n, sizeof(*o->slots));
	for (uint64_t i = 0; i < n; i++)
		o->slots[i].clat[DIR_READ] = o->slots[i].lat[DIR_READ] = ns;
}

static const struct job reader = {.rw = RW_RANDREAD, .bs = 4096, .rwmixread = 50};
static const struct job mixer = {.rw = RW_RANDRW, .bs = 4096, .rwmixread = 50, .fsync = 8};

static void plain_outcome(struct outcome *o)
{
	static const uint64_t v[] = {100, 100000}, times[] = {50, 950};

	outcome_init(o);
	o->status = OUTCOME_OK;
	o->window = 2 * NS_PER_SEC;
	o->dir[DIR_READ].ios = o->dir[DIR_READ].issued = 1000;
	o->dir[DIR_READ].bytes = 4096000;
	bins_of(&o->dir[DIR_READ].clat, v, times, 2);
	bins_of(&o->dir[DIR_READ].lat, v, times, 2);
	slices_of(o, 20, UINT64_MAX);
	o->cpu_usr = NS_PER_SEC / 2;
	o->cpu_sys = NS_PER_SEC;
	o->stall_longest = 5 * NS_PER_MS;
}

static void test_rates(void **state)
{
	struct outcome o;

	(void)state;
	plain_outcome(&o);
	assert_ok("read.iops", &reader, &o, 500, 1e-3);
	assert_ok("read.bw", &reader, &o, 2048000, 1e-3);
	assert_ok("total.iops", &reader, &o, 500, 1e-3);
	assert_ok("total.bw", &reader, &o, 2048000, 1e-3);
	assert_ok("cpu.usr", &reader, &o, 0.25, 1000.0 / 5e8);
	assert_ok("cpu.sys", &reader, &o, 0.5, 1e-6);
	assert_ok("cpu.per_io", &reader, &o, 1.5e6, 1000.0 / 1.5e9);
	assert_ok("stall.longest", &reader, &o, 5e6, 1.0 / 5e6);
	o.dir[DIR_WRITE].ios = 500;
	o.dir[DIR_WRITE].bytes = 500 * 4096;
	assert_ok("total.iops", &mixer, &o, 750, 1.0 / 1500);
	assert_ok("write.iops", &mixer, &o, 250, 1.0 / 500);
	assert_ok("read.iops", &mixer, &o, 500, 1e-3);
	assert_int_equal(value_of("total.bw", &mixer, &o).n, 1500);
	outcome_release(&o);
}

static void test_latency(void **state)
{
	struct outcome o;
	struct value v;

	(void)state;
	plain_outcome(&o);
	assert_ok("read.clat.min", &reader, &o, 100, 0.01);
	assert_ok("read.clat.max", &reader, &o, 100000, 1e-5);
	assert_ok("read.clat.mean", &reader, &o, 95005, 1.0 / 95005);
	v = value_of("read.clat.p50", &reader, &o);
	assert_int_equal(v.state, VALUE_OK);
	assert_int_equal(v.n, 1000);
	assert_true(fabs(v.v / 100000 - 1) < 0.004);
	/* 100 us lies in a bucket 512 ns wide */
	assert_true(fabs(v.step - 512.0 / v.v) < 1e-12);
	v = value_of("read.clat.stddev", &reader, &o);
	assert_int_equal(v.state, VALUE_OK);
	assert_true(fabs(v.v / 21772 - 1) < 0.01);
	assert_int_equal(value_of("read.lat.p50", &reader, &o).state, VALUE_OK);
	outcome_release(&o);
}

/* 100 samples above the percentile, or no number. */
static void test_sample_rule(void **state)
{
	static const struct {
		const char *name;
		uint64_t n;
	} cases[] = {{"read.clat.p50", 200},
		     {"read.clat.p90", 1000},
		     {"read.clat.p95", 2000},
		     {"read.clat.p99", 10000},
		     {"read.clat.p99.9", 100000}};
	const uint64_t v = 5000;
	struct outcome o;

	(void)state;
	plain_outcome(&o);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		uint64_t n = cases[i].n - 1;

		bins_of(&o.dir[DIR_READ].clat, &v, &n, 1);
		assert_state(cases[i].name, &reader, &o, VALUE_INSUFFICIENT);
		assert_int_equal(value_of(cases[i].name, &reader, &o).n, n);
		n = cases[i].n;
		bins_of(&o.dir[DIR_READ].clat, &v, &n, 1);
		assert_int_equal(value_of(cases[i].name, &reader, &o).state, VALUE_OK);
	}
	assert_state("read.clat.p99.99", &reader, &o, VALUE_INSUFFICIENT);
	outcome_release(&o);
}

/* 10 I/Os at 1 ms, 90 beyond the range: no percentile among them is a number, max is exact. */
static void test_overflow(void **state)
{
	static const uint64_t v[] = {1000000, 40ULL << 40}, times[] = {100, 900};
	static const uint64_t few[] = {900, 100};
	struct outcome o;

	(void)state;
	plain_outcome(&o);
	bins_of(&o.dir[DIR_READ].clat, v, times, 2);
	assert_state("read.clat.p50", &reader, &o, VALUE_INSUFFICIENT);
	assert_state("read.clat.p90", &reader, &o, VALUE_INSUFFICIENT);
	assert_state("read.clat.stddev", &reader, &o, VALUE_INSUFFICIENT);
	assert_true(value_of("read.clat.max", &reader, &o).v == (double)(40ULL << 40));
	assert_int_equal(value_of("read.clat.mean", &reader, &o).state, VALUE_OK);
	bins_of(&o.dir[DIR_READ].clat, v, few, 2);
	assert_int_equal(value_of("read.clat.p50", &reader, &o).state, VALUE_OK);
	assert_true(fabs(value_of("read.clat.p50", &reader, &o).v / 1e6 - 1) < 0.004);
	outcome_release(&o);
}

static void test_not_applicable(void **state)
{
	struct outcome o;

	(void)state;
	plain_outcome(&o);
	assert_state("write.iops", &reader, &o, VALUE_NA);
	assert_state("trim.clat.p50", &reader, &o, VALUE_NA);
	assert_state("sync.lat.max", &reader, &o, VALUE_NA);
	/* a synchronous engine has no slat; an asynchronous one that recorded none lost it */
	assert_state("read.slat.mean", &reader, &o, VALUE_NA);
	o.has_slat = true;
	assert_state("read.slat.mean", &reader, &o, VALUE_ABSENT);
	assert_state("sync.lat.mean", &mixer, &o, VALUE_ABSENT);
	outcome_release(&o);
}

/* nan-inf-1: a window in which nothing finished has no values, no NaN and no 0. */
static void test_nothing_done(void **state)
{
	struct outcome o;

	(void)state;
	outcome_init(&o);
	o.status = OUTCOME_OK;
	o.window = 2 * NS_PER_SEC;
	o.cpu_usr = 1000;
	o.nslots = 20;
	o.slots = calloc(o.nslots, sizeof(*o.slots));
	for (unsigned i = 0; i < metric_count; i++) {
		struct value v;

		metric_value(&metric_table[i], &reader, &o, &v);
		assert_true(v.state == VALUE_ABSENT || v.state == VALUE_NA);
		assert_true(v.v == 0 && v.step == 0 && v.n == 0);
	}
	outcome_release(&o);
	/* and a window of no length divides nothing */
	plain_outcome(&o);
	o.window = 0;
	assert_state("read.iops", &reader, &o, VALUE_ABSENT);
	assert_state("cpu.usr", &reader, &o, VALUE_ABSENT);
	assert_state("stall.longest", &reader, &o, VALUE_ABSENT);
	assert_state("bw.lowest_second", &reader, &o, VALUE_INSUFFICIENT);
	outcome_release(&o);
}

/* Whatever a failed run counted, it is no value. */
static void test_failed(void **state)
{
	struct outcome o;

	(void)state;
	plain_outcome(&o);
	for (unsigned s = 0; s <= OUTCOME_LOST; s++) {
		if (s == OUTCOME_OK)
			continue;
		o.status = (enum outcome_status)s;
		for (unsigned i = 0; i < metric_count; i++)
			assert_state(metric_table[i].name, &mixer, &o, VALUE_ABSENT);
	}
	outcome_release(&o);
}

static void test_cpu_not_counted(void **state)
{
	struct outcome o;

	(void)state;
	plain_outcome(&o);
	o.cpu_usr = 0;
	assert_ok("cpu.usr", &reader, &o, 0, 1000.0 / (double)o.window);
	o.cpu_sys = 0;
	assert_state("cpu.usr", &reader, &o, VALUE_ABSENT);
	assert_state("cpu.per_io", &reader, &o, VALUE_ABSENT);
	outcome_release(&o);
}

static void slots(struct outcome *o, uint64_t n, uint32_t ios)
{
	free(o->slots);
	o->nslots = n;
	o->slots = calloc(n, sizeof(*o->slots));
	for (uint64_t i = 0; i < n; i++) {
		o->slots[i].ios[DIR_READ] = ios;
		o->slots[i].bytes[DIR_READ] = 4096ULL * ios;
	}
}

static void test_lowest_second(void **state)
{
	struct outcome o;

	(void)state;
	plain_outcome(&o);
	/* a second and a half: the dip lies across no full second boundary */
	o.window = 1500 * NS_PER_MS;
	slots(&o, 15, 100);
	assert_ok("bw.lowest_second", &reader, &o, 4096000, 1e-3);
	o.slots[7].ios[DIR_READ] = 0;
	o.slots[7].bytes[DIR_READ] = 0;
	assert_ok("bw.lowest_second", &reader, &o, 4096.0 * 900, 1.0 / 900);
	/* another direction fills it */
	o.slots[7].ios[DIR_WRITE] = 50;
	o.slots[7].bytes[DIR_WRITE] = 50 * 4096;
	assert_ok("bw.lowest_second", &mixer, &o, 4096.0 * 950, 1.0 / 950);
	/* a stalled second is a value, and 0 */
	slots(&o, 15, 0);
	assert_ok("bw.lowest_second", &reader, &o, 0, 4096);
	outcome_release(&o);
}

static void test_lowest_second_borders(void **state)
{
	struct outcome o;

	(void)state;
	plain_outcome(&o);
	/* the slot that the end of the window cuts does not count */
	o.window = 1099 * NS_PER_MS;
	slots(&o, 11, 100);
	o.slots[10].ios[DIR_READ] = 1;
	o.slots[10].bytes[DIR_READ] = 4096;
	assert_ok("bw.lowest_second", &reader, &o, 4096000, 1e-3);
	o.window = 1100 * NS_PER_MS;
	assert_ok("bw.lowest_second", &reader, &o, 4096.0 * 901, 1.0 / 901);
	o.window = 999 * NS_PER_MS;
	assert_state("bw.lowest_second", &reader, &o, VALUE_INSUFFICIENT);
	o.window = 1000 * NS_PER_MS;
	assert_ok("bw.lowest_second", &reader, &o, 4096000, 1e-3);
	/* slots of the window are missing: the stall may be in them */
	o.window = 1200 * NS_PER_MS;
	assert_state("bw.lowest_second", &reader, &o, VALUE_ABSENT);
	/* longer windows: the minimum may be anywhere */
	for (unsigned at = 0; at < 40; at++) {
		o.window = 4000 * NS_PER_MS;
		slots(&o, 40, 10);
		o.slots[at].ios[DIR_READ] = 1;
		o.slots[at].bytes[DIR_READ] = 4096;
		assert_ok("bw.lowest_second", &reader, &o, 4096.0 * 91, 1.0 / 91);
	}
	outcome_release(&o);
}

/* units-2, locale-1: the same integers give the same bits, whatever they are. */
static void test_exact(void **state)
{
	struct outcome o;
	struct value v;
	uint64_t bits;

	(void)state;
	plain_outcome(&o);
	o.window = 10000000007ULL;
	o.dir[DIR_READ].ios = 4444441;
	v = value_of("read.iops", &reader, &o);
	memcpy(&bits, &v.v, sizeof(bits));
	assert_true(bits == 0x411b20706614d81aULL);
	outcome_release(&o);
}

static void test_extremes(void **state)
{
	struct outcome o;

	(void)state;
	plain_outcome(&o);
	o.window = 1;
	o.dir[DIR_READ].ios = o.dir[DIR_READ].bytes = UINT64_MAX;
	o.dir[DIR_WRITE].ios = 1; /* the sum wraps: hostile input, but no crash and no NaN */
	o.stall_longest = UINT64_MAX;
	o.cpu_usr = UINT64_MAX;
	o.cpu_sys = UINT64_MAX;
	for (unsigned i = 0; i < metric_count; i++) {
		struct value v;

		metric_value(&metric_table[i], &mixer, &o, &v);
		assert_true(isfinite(v.v) && isfinite(v.step));
	}
	outcome_release(&o);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_rates),          cmocka_unit_test(test_latency),
		cmocka_unit_test(test_sample_rule),    cmocka_unit_test(test_overflow),
		cmocka_unit_test(test_not_applicable), cmocka_unit_test(test_nothing_done),
		cmocka_unit_test(test_failed),         cmocka_unit_test(test_cpu_not_counted),
		cmocka_unit_test(test_lowest_second),  cmocka_unit_test(test_lowest_second_borders),
		cmocka_unit_test(test_exact),          cmocka_unit_test(test_extremes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
