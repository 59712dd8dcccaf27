/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Gates that state one fact are judged once, by the tightest rate; and never by something that
 * could miss what they would have seen. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include "gate/family.h"
#include "lab.h"

static void twins(const struct result *r, uint32_t *twin)
{
	const struct family f = family_of(r);

	family_twins(&f, twin);
}

static size_t size_of(const struct result *r, const uint32_t *twin)
{
	const struct family f = family_of(r);

	return family_size(&f, twin);
}

static double level_of(const struct result *r, const uint32_t *twin)
{
	const struct family f = family_of(r);

	return family_level(&f, twin);
}

struct want {
	const char *metric;
	double tolerance;
	uint32_t twin;
};

static void expect_twins(struct result *r, const struct want *w, size_t n, size_t judged)
{
	uint32_t twin[LAB_ROOM];

	for (size_t i = 0; i < n; i++)
		lab_gate(r, 0, w[i].metric, w[i].tolerance);
	twins(r, twin);
	for (size_t i = 0; i < n; i++)
		if (twin[i] != w[i].twin)
			fail_msg("%s: judged by %u, not by %u", w[i].metric, twin[i], w[i].twin);
	assert_int_equal(size_of(r, twin), judged);
}

static struct job *start(struct result *r)
{
	lab_init(r, 40);
	return lab_job(r, "rand-4k");
}

static void test_one_fact(void **state)
{
	static const struct want all[] = {{"read.bw", .05, 1},        {"read.iops", .05, 1},
					  {"read.clat.mean", .06, 1}, {"read.clat.p99", .20, 3},
					  {"total.iops", .10, 1},     {"cpu.per_io", .05, 5}};
	struct result r;

	(void)state;
	/* the first of two alike stands for the other */
	start(&r);
	expect_twins(&r, (struct want[]){{"read.bw", .05, 0}, {"read.iops", .05, 0}}, 2, 1);
	result_release(&r);
	start(&r);
	lab_gate(&r, 0, all[0].metric, .07);
	for (size_t i = 1; i < 6; i++)
		lab_gate(&r, 0, all[i].metric, all[i].tolerance);
	uint32_t twin[LAB_ROOM];

	twins(&r, twin);
	for (size_t i = 0; i < 6; i++)
		assert_int_equal(twin[i], all[i].twin);
	assert_int_equal(size_of(&r, twin), 3);
	result_release(&r);
}

/* A latency gate that is tighter than the rate sees more than the rate does; and a rate is never
 * judged by a latency, which lacks what is lost between two I/Os. */
static void test_tight_latency_stands(void **state)
{
	struct result r;

	(void)state;
	start(&r);
	expect_twins(&r, (struct want[]){{"read.iops", .05, 0}, {"read.lat.mean", .02, 1}}, 2, 2);
	result_release(&r);
}

static void test_other_facts(void **state)
{
	struct result r;
	struct job *j;

	(void)state;
	j = start(&r);
	j->bssplit = "4096/50:65536/50";
	expect_twins(&r, (struct want[]){{"read.iops", .05, 0}, {"read.bw", .05, 1}}, 2, 2);
	result_release(&r);
	j = start(&r);
	j->rate_iops = 1000;
	expect_twins(&r, (struct want[]){{"read.iops", .05, 0}, {"read.lat.mean", .20, 1}}, 2, 2);
	result_release(&r);
	j = start(&r);
	j->rw = RW_RANDRW;
	expect_twins(&r,
		     (struct want[]){{"read.iops", .05, 0},
				     {"write.iops", .05, 1},
				     {"read.bw", .05, 0},
				     {"total.iops", .05, 3}},
		     4, 3);
	result_release(&r);
	j = start(&r);
	j->rw = RW_RANDWRITE;
	j->fdatasync = 1;
	expect_twins(&r, (struct want[]){{"write.iops", .05, 0}, {"write.lat.mean", .20, 1}}, 2, 2);
	result_release(&r);
}

static void test_kept_apart(void **state)
{
	struct result r;
	uint32_t twin[LAB_ROOM];

	(void)state;
	start(&r);
	lab_gate(&r, 0, "read.iops", .05);
	lab_gate(&r, 0, "read.bw", .05)->role = ROLE_WATCH;
	lab_gate(&r, 0, "read.bw", 1e6)->absolute = true;
	lab_gate(&r, 0, "read.bw", .05)->known.no_worse_than = .09;
	lab_gate(&r, 0, "read.bw", .05)->skipped = "not selected";
	lab_job(&r, "other");
	lab_gate(&r, 1, "read.iops", .05);
	twins(&r, twin);
	for (uint32_t i = 0; i < r.nchecks; i++)
		assert_int_equal(twin[i], i);
	result_release(&r);
}

/* The verdict says where it was judged, the family is the smaller one, and the loss is still red.
 */
static void test_verdicts(void **state)
{
	struct baseline b;
	struct result r;

	(void)state;
	lab_baseline(&b, 10, 100000, NULL);
	lab_simple(&r, 40, 80000);
	lab_runs(&r, 0, lab_session(&r), 80000);
	lab_gate(&r, 0, "read.bw", .10);
	lab_judge(&r, &b);
	lab_expect(lab_verdict(&r, 0, 0), VERDICT_REGRESSION, STATUS_REGRESSION, JUNIT_FAILURE);
	lab_expect(lab_verdict(&r, 0, 1), VERDICT_SKIPPED, STATUS_PASS, JUNIT_SKIPPED);
	lab_contains(lab_verdict(&r, 0, 1)->text, "gate read.iops");
	assert_int_equal(r.status, STATUS_REGRESSION);
	result_release(&r);
	baseline_release(&b);
}

/* Unmeasured stays unmeasured: the twin of an error is no way around it. */
static void test_law(void **state)
{
	struct result r;

	(void)state;
	lab_simple(&r, 40, 100000);
	lab_gate(&r, 0, "read.bw", .10);
	lab_judge(&r, NULL);
	lab_expect(lab_verdict(&r, 0, 0), VERDICT_NO_BASELINE, STATUS_NO_BASELINE, JUNIT_ERROR);
	assert_int_equal(lab_verdict(&r, 0, 1)->kind, VERDICT_SKIPPED);
	assert_int_equal(r.status, STATUS_NO_BASELINE);
	result_release(&r);
}

static void test_level(void **state)
{
	uint32_t twin[LAB_ROOM];
	struct result r;
	double level;

	(void)state;
	start(&r);
	lab_gate(&r, 0, "read.iops", .05);
	lab_gate(&r, 0, "read.bw", .05);
	r.false_alarm = .0012;
	twins(&r, twin);
	level = level_of(&r, twin);
	assert_true(level > .00099 && level < .00101);
	r.false_alarm = .0001;
	level = level_of(&r, twin);
	assert_true(level > .000099 && level < .000101);
	result_release(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_one_fact),    cmocka_unit_test(test_tight_latency_stands),
		cmocka_unit_test(test_other_facts), cmocka_unit_test(test_kept_apart),
		cmocka_unit_test(test_verdicts),    cmocka_unit_test(test_law),
		cmocka_unit_test(test_level),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
