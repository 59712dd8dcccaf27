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
					  {"read.clat.mean", .06, 2}, {"read.clat.p99", .20, 3},
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
	assert_int_equal(size_of(&r, twin), 4); /* the latency as if it were judged */
	result_release(&r);
}

static uint32_t rate_of(const struct result *r, uint32_t check)
{
	const struct family f = family_of(r);

	return family_rate_of(&f, check);
}

/* By the words of the job alone. */
static void test_rate_of(void **state)
{
	struct result r;
	struct job *j;

	(void)state;
	j = start(&r);
	lab_gate(&r, 0, "read.iops", .05);
	lab_gate(&r, 0, "read.clat.mean", .06);
	lab_gate(&r, 0, "read.lat.mean", .02);
	lab_gate(&r, 0, "read.clat.p99", .20);
	assert_int_equal(rate_of(&r, 0), 0);
	assert_int_equal(rate_of(&r, 1), 0);
	assert_int_equal(rate_of(&r, 2), 2); /* tighter than the rate */
	assert_int_equal(rate_of(&r, 3), 3);
	j->thinktime = 1000;
	assert_int_equal(rate_of(&r, 1), 1);
	result_release(&r);
}

/* A session of each run so many I/Os in flight, of 32. */
static void queue(struct result *r, unsigned day, double iops, double depth)
{
	lab_init(r, day);
	lab_job(r, "rand-4k");
	lab_gate(r, 0, "read.iops", .08);
	lab_gate(r, 0, "read.clat.mean", .10);
	for (uint32_t s = 0; s < (day >= 40 ? 2 : 1); s++) {
		lab_session(r);
		for (uint32_t i = 0; i < 5; i++) {
			struct outcome *o = &lab_run(r, 0, s, i)->out;
			double at = iops * (1 + .002 * ((int)i - 2) + .001 * (day % 3));
			struct hist *h = xcalloc(1, sizeof(*h));

			lab_rate(o, at);
			hist_add_n(h, (uint64_t)(depth / at * 1e9), o->dir[DIR_READ].ios);
			bins_from_hist(&o->dir[DIR_READ].clat, h);
			free(h);
			lab_slices(o, 1000000);
		}
	}
}

static void queues(struct baseline *b, double depth, bool values)
{
	const struct result *p[6];
	struct err e = ERR_INIT;
	struct result r[6];

	for (unsigned i = 0; i < 6; i++) {
		queue(&r[i], i, 1e5, depth);
		if (i == 2 && !values)
			bins_release(&r[i].runs.v[1].out.dir[DIR_READ].clat);
		p[i] = &r[i];
	}
	if (baseline_from_results(p, 6, b, &e) != 0)
		fail_msg("%s", e.text);
	for (unsigned i = 0; i < 6; i++)
		result_release(&r[i]);
}

/* Only a queue that was full on both sides binds the latency to the rate. */
static void test_full_queue(void **state)
{
	static const struct {
		double was, is, iops;
		bool values;
		enum verdict_kind latency;
		enum exit_status status;
	} cases[] = {
		{31.8, 31.7, 1e5, true, VERDICT_SKIPPED, STATUS_PASS},
		{31.8, 31.7, 8e4, true, VERDICT_SKIPPED, STATUS_REGRESSION},
		/* half full, then full: twice the latency at the same rate */
		{16, 31.8, 1e5, true, VERDICT_REGRESSION, STATUS_REGRESSION},
		{16, 16, 1e5, true, VERDICT_PASS, STATUS_PASS},
		{30.5, 31.9, 1e5, true, VERDICT_PASS, STATUS_PASS},
		/* one run of the baseline does not tell */
		{31.8, 31.7, 1e5, false, VERDICT_PASS, STATUS_PASS},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		const struct verdict *v;
		struct baseline b;
		struct result r;

		queues(&b, cases[i].was, cases[i].values);
		queue(&r, 40, cases[i].iops, cases[i].is);
		lab_judge(&r, &b);
		v = lab_verdict(&r, 0, 1);
		if (v->kind != cases[i].latency || r.status != cases[i].status)
			fail_msg("%zu: status %d, %s: %s", i, (int)r.status, verdict_name(v->kind),
				 v->text);
		if (v->kind == VERDICT_SKIPPED)
			lab_contains(v->text, "'gate read.iops', judged there (the queue was full");
		assert_int_equal(r.judged_gates, 2);
		result_release(&r);
		baseline_release(&b);
	}
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
		cmocka_unit_test(test_one_fact),    cmocka_unit_test(test_rate_of),
		cmocka_unit_test(test_full_queue),  cmocka_unit_test(test_tight_latency_stands),
		cmocka_unit_test(test_other_facts), cmocka_unit_test(test_kept_apart),
		cmocka_unit_test(test_verdicts),    cmocka_unit_test(test_law),
		cmocka_unit_test(test_level),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
