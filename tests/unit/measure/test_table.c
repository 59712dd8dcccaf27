/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The metric table: complete, unique, and how a suite may name what is in it. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include "base/str.h"
#include "measure/metric.h"
#include <stdio.h>
#include <string.h>

static void assert_metric(const char *name, enum unit unit, enum better better, double quantile)
{
	const struct metric *m = metric_find(name);

	if (!m)
		fail_msg("no metric %s", name);
	assert_int_equal(m->unit, unit);
	assert_int_equal(m->better, better);
	assert_true(m->quantile == quantile);
	assert_true(m->what && *m->what);
	assert_int_equal(m->need, quantile > 0 ? 100 : m->stat == STAT_STDDEV ? 2 : 1);
}

static void test_complete(void **state)
{
	static const char *const dirs[] = {"read", "write", "trim"};
	static const char *const lats[] = {"slat", "clat", "lat"};
	static const struct {
		const char *name;
		double q;
	} stats[] = {{"min", 0},         {"mean", 0},   {"stddev", 0}, {"p50", 0.5},
		     {"p90", 0.9},       {"p95", 0.95}, {"p99", 0.99}, {"p99.9", 0.999},
		     {"p99.99", 0.9999}, {"max", 0}};
	char name[64];

	(void)state;
	for (unsigned d = 0; d < 3; d++) {
		snprintf(name, sizeof(name), "%s.iops", dirs[d]);
		assert_metric(name, UNIT_IOPS, BETTER_HIGHER, 0);
		snprintf(name, sizeof(name), "%s.bw", dirs[d]);
		assert_metric(name, UNIT_BW, BETTER_HIGHER, 0);
		for (unsigned k = 0; k < 30; k++) {
			snprintf(name, sizeof(name), "%s.%s.%s", dirs[d], lats[k / 10],
				 stats[k % 10].name);
			assert_metric(name, UNIT_TIME, BETTER_LOWER, stats[k % 10].q);
		}
	}
	for (unsigned k = 0; k < 10; k++) {
		snprintf(name, sizeof(name), "sync.lat.%s", stats[k].name);
		assert_metric(name, UNIT_TIME, BETTER_LOWER, stats[k].q);
	}
	assert_metric("total.iops", UNIT_IOPS, BETTER_HIGHER, 0);
	assert_metric("total.bw", UNIT_BW, BETTER_HIGHER, 0);
	assert_metric("cpu.usr", UNIT_RATIO, BETTER_LOWER, 0);
	assert_metric("cpu.sys", UNIT_RATIO, BETTER_LOWER, 0);
	assert_metric("cpu.per_io", UNIT_TIME, BETTER_LOWER, 0);
	assert_metric("bw.lowest_second", UNIT_BW, BETTER_HIGHER, 0);
	assert_metric("stall.longest", UNIT_TIME, BETTER_LOWER, 0);
	assert_int_equal(metric_count, 3 * 32 + 10 + 7);
}

static void test_unique(void **state)
{
	(void)state;
	for (unsigned i = 0; i < metric_count; i++) {
		const struct metric *m = &metric_table[i];

		assert_ptr_equal(metric_find(m->name), m);
		assert_int_equal(metric_index(m), i);
		assert_true(m->dir <= METRIC_ALL);
		assert_int_equal(m->quantile > 0, m->stat == STAT_PERCENTILE);
	}
	assert_null(metric_find(""));
	assert_null(metric_find(NULL));
	assert_null(metric_find("read.clat.p999"));
	assert_null(metric_find("READ.IOPS"));
}

static void test_nearest(void **state)
{
	(void)state;
	assert_string_equal(metric_nearest("read.iop"), "read.iops");
	assert_string_equal(metric_nearest("iop"), "iops");
	assert_string_equal(metric_nearest("clat.p99,9"), "clat.p99.9");
	assert_null(metric_nearest("something.else.entirely"));
}

static void assert_resolves(const char *name, enum job_rw rw, int n, const char *first,
			    const char *second)
{
	const struct metric *out[3];
	struct job j = {.rw = rw, .rwmixread = 50};

	assert_int_equal(metric_resolve(name, &j, out), n);
	if (n > 0)
		assert_string_equal(out[0]->name, first);
	if (n > 1)
		assert_string_equal(out[1]->name, second);
}

static void test_resolve(void **state)
{
	(void)state;
	assert_resolves("iops", RW_RANDREAD, 1, "read.iops", NULL);
	assert_resolves("iops", RW_WRITE, 1, "write.iops", NULL);
	assert_resolves("iops", RW_RANDRW, 2, "read.iops", "write.iops");
	assert_resolves("clat.p99.9", RW_RW, 2, "read.clat.p99.9", "write.clat.p99.9");
	assert_resolves("lat.max", RW_READ, 1, "read.lat.max", NULL);
	assert_resolves("read.iops", RW_READ, 1, "read.iops", NULL);
	assert_resolves("read.iops", RW_WRITE, -1, NULL, NULL);
	assert_resolves("trim.iops", RW_WRITE, -1, NULL, NULL);
	assert_resolves("trim.iops", RW_TRIM, 1, "trim.iops", NULL);
	assert_resolves("iops", RW_TRIM, 1, "trim.iops", NULL);
	assert_resolves("bw", RW_RANDTRIM, 1, "trim.bw", NULL);
	assert_resolves("clat.p99.9", RW_RANDTRIM, 1, "trim.clat.p99.9", NULL);
	assert_resolves("write.bw", RW_TRIM, -1, NULL, NULL);
	assert_resolves("read.bw", RW_RANDTRIM, -1, NULL, NULL);
	assert_resolves("total.bw", RW_TRIM, 1, "total.bw", NULL);
	assert_resolves("total.iops", RW_WRITE, 1, "total.iops", NULL);
	assert_resolves("cpu.per_io", RW_READ, 1, "cpu.per_io", NULL);
	assert_resolves("bw", RW_READ, 1, "read.bw", NULL);
	assert_resolves("bw.lowest_second", RW_READ, 1, "bw.lowest_second", NULL);
	assert_resolves("sync.lat.max", RW_WRITE, -1, NULL, NULL);
	assert_resolves("per_io", RW_READ, 0, NULL, NULL);
	assert_resolves("nonsense", RW_READ, 0, NULL, NULL);
	assert_resolves("", RW_READ, 0, NULL, NULL);
	assert_resolves(NULL, RW_READ, 0, NULL, NULL);
	assert_resolves("clat.p99.9clat.p99.9clat.p99.9clat.p99.9clat.p99.9clat.p99.9", RW_READ, 0,
			NULL, NULL);
}

/* A mix of 100 % has one direction only. */
static void test_mix(void **state)
{
	const struct metric *out[3];
	struct job j = {.rw = RW_RANDRW, .rwmixread = 100};

	(void)state;
	assert_int_equal(metric_resolve("iops", &j, out), 1);
	assert_string_equal(out[0]->name, "read.iops");
	j.rwmixread = 0;
	assert_int_equal(metric_resolve("iops", &j, out), 1);
	assert_string_equal(out[0]->name, "write.iops");
	/* no meaning outside a mix */
	j.rw = RW_RANDREAD;
	assert_int_equal(metric_resolve("iops", &j, out), 1);
	assert_string_equal(out[0]->name, "read.iops");
}

static void test_does(void **state)
{
	struct job j = {.rw = RW_RANDRW, .rwmixread = 100};

	(void)state;
	assert_true(metric_job_does(&j, DIR_READ));
	assert_false(metric_job_does(&j, DIR_WRITE));
	assert_false(metric_job_does(&j, DIR_TRIM));
	assert_true(metric_job_does(&j, METRIC_ALL));
	j.rwmixread = 0;
	assert_false(metric_job_does(&j, DIR_READ));
	assert_true(metric_job_does(&j, DIR_WRITE));
	j.rw = RW_READ;
	assert_true(metric_job_does(&j, DIR_READ));
}

static void test_applies(void **state)
{
	struct job j = {.rw = RW_WRITE};

	(void)state;
	assert_true(metric_applies(metric_find("write.slat.p99"), &j, false));
	assert_false(metric_applies(metric_find("write.slat.p99"), &j, true));
	assert_true(metric_applies(metric_find("write.clat.p99"), &j, true));
	assert_false(metric_applies(metric_find("read.clat.p99"), &j, true));
	assert_false(metric_applies(metric_find("sync.lat.mean"), &j, true));
	j.fdatasync = 1;
	assert_true(metric_applies(metric_find("sync.lat.mean"), &j, true));
	j.fdatasync = 0;
	j.end_fsync = true;
	assert_true(metric_applies(metric_find("sync.lat.mean"), &j, false));
	j.rw = RW_READ;
	assert_false(metric_applies(metric_find("sync.lat.mean"), &j, false));
	assert_true(metric_applies(metric_find("stall.longest"), &j, true));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_complete), cmocka_unit_test(test_unique),
		cmocka_unit_test(test_nearest),  cmocka_unit_test(test_resolve),
		cmocka_unit_test(test_mix),      cmocka_unit_test(test_applies),
		cmocka_unit_test(test_does),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
