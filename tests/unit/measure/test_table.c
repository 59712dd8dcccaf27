/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The metric table: complete, unique, and how a suite may name what is in it. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include "base/str.h"
#include "json/json.h"
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
	} stats[] = {{"min", 0},
		     {"mean", 0},
		     {"stddev", 0},
		     {"max", 0},
		     {"p1", 0.01},
		     {"p5", 0.05},
		     {"p10", 0.1},
		     {"p20", 0.2},
		     {"p25", 0.25},
		     {"p30", 0.3},
		     {"p40", 0.4},
		     {"p50", 0.5},
		     {"p60", 0.6},
		     {"p70", 0.7},
		     {"p75", 0.75},
		     {"p80", 0.8},
		     {"p90", 0.9},
		     {"p95", 0.95},
		     {"p99", 0.99},
		     {"p99.5", 0.995},
		     {"p99.9", 0.999},
		     {"p99.95", 0.9995},
		     {"p99.99", 0.9999},
		     {"p99.999", 0.99999},
		     {"p99.9999", 0.999999}};
	enum { STATS = sizeof(stats) / sizeof(stats[0]) };
	char name[64];

	(void)state;
	for (unsigned d = 0; d < 3; d++) {
		snprintf(name, sizeof(name), "%s.iops", dirs[d]);
		assert_metric(name, UNIT_IOPS, BETTER_HIGHER, 0);
		snprintf(name, sizeof(name), "%s.bw", dirs[d]);
		assert_metric(name, UNIT_BW, BETTER_HIGHER, 0);
		for (unsigned k = 0; k < 3 * STATS; k++) {
			snprintf(name, sizeof(name), "%s.%s.%s", dirs[d], lats[k / STATS],
				 stats[k % STATS].name);
			assert_metric(name, UNIT_TIME, BETTER_LOWER, stats[k % STATS].q);
		}
	}
	for (unsigned k = 0; k < STATS; k++) {
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
	assert_metric("read.absorbed", UNIT_RATIO, BETTER_LOWER, 0);
	assert_metric("write.absorbed", UNIT_RATIO, BETTER_LOWER, 0);
	assert_metric("depth.reached", UNIT_COUNT, BETTER_NONE, 0);
	assert_int_equal(metric_count, 3 * (3 + 3 * STATS) + STATS + 9 + 3);
}

static void test_unique(void **state)
{
	(void)state;
	for (unsigned i = 0; i < metric_count; i++) {
		const struct metric *m = &metric_table[i];

		assert_ptr_equal(metric_find(m->name), m);
		assert_int_equal(metric_index(m), i);
		assert_true(m->dir <= METRIC_ALL);
		assert_int_equal(m->quantile > 0,
				 m->stat == STAT_PERCENTILE || m->stat == STAT_TAIL);
	}
	assert_null(metric_find(""));
	assert_null(metric_find(NULL));
	assert_null(metric_find("read.clat.p999"));
	assert_null(metric_find("READ.IOPS"));
}

/* What documents hold without being asked: they must not grow with the table. */
static void test_named(void **state)
{
	static const char *const plain[] = {"p50", "p90", "p95", "p99", "p99.9", "p99.99"};
	unsigned n = 0;

	(void)state;
	for (unsigned i = 0; i < metric_count; i++) {
		const struct metric *m = &metric_table[i];
		bool is_plain = m->stat != STAT_PERCENTILE;

		for (unsigned k = 0; k < 6; k++)
			is_plain |= str_ends(m->name, plain[k]) &&
				    m->name[strlen(m->name) - strlen(plain[k]) - 1] == '.';
		assert_int_equal(m->named, !is_plain);
		n += !m->named;
	}
	assert_int_equal(n, 3 * 33 + 10 + 9 + 3);
}

static void test_listed(void **state)
{
	static const struct {
		const char *list, *name;
		bool listed;
	} rows[] = {
		{"50:99:99.95", "read.clat.p99.95", true},
		{"50:99:99.95", "sync.lat.p50", true},
		{"50:99:99.95", "read.clat.p99", true},
		{"50:99:99.95", "read.clat.p99.9", false},
		{"50:99:99.95", "read.clat.p5", false},
		{"99.9", "read.clat.p99", false},
		{"99.9", "read.clat.p99.9", true},
		{"99", "read.clat.p99.9", false},
		{"9", "read.clat.p99.9", false},
		{"50", "cpu.per_io", false},
		{"50", "read.iops", false},
		{"", "read.clat.p50", false},
		{NULL, "read.clat.p50", false},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct job j = {.percentile_list = rows[i].list};

		if (metric_listed(metric_find(rows[i].name), &j) != rows[i].listed)
			fail_msg("row %zu", i);
	}
}

/* A check names a percentile for its own job alone. */
static void test_shown(void **state)
{
	struct job jobs[4] = {{.percentile_list = "75"}};
	struct check checks[] = {{.job = 1, .metric = "read.iops"},
				 {.job = 1, .metric = "read.clat.p99.5"},
				 {.job = 3, .metric = "read.clat.p1"}};
	struct result r = {.jobs = jobs, .njobs = 4, .checks = checks, .nchecks = 3};
	static const struct {
		const char *name;
		unsigned jobs; /* one bit a job */
	} rows[] = {{"read.clat.p99", 15},  {"read.iops", 15},   {"read.clat.p75", 1},
		    {"read.clat.p99.5", 2}, {"read.clat.p1", 8}, {"read.lat.p99.5", 0},
		    {"write.clat.p75", 1},  {"read.clat.p40", 0}};

	(void)state;
	for (uint32_t k = 0; k < 4; k++) {
		struct run run = {.job = k};
		struct jw w;

		jw_init(&w);
		jw_object(&w, NULL);
		measure_write_values(NULL, &r, &run, &w);
		jw_end_object(&w);
		jw_finish(&w);
		for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
			char key[64];

			snprintf(key, sizeof(key), "\"%s\":", rows[i].name);
			assert_int_equal(strstr(w.out.s, key) != NULL, rows[i].jobs >> k & 1);
		}
		jw_release(&w);
	}
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
		cmocka_unit_test(test_named),    cmocka_unit_test(test_listed),
		cmocka_unit_test(test_shown),    cmocka_unit_test(test_nearest),
		cmocka_unit_test(test_resolve),  cmocka_unit_test(test_mix),
		cmocka_unit_test(test_applies),  cmocka_unit_test(test_does),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
