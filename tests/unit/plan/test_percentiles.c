/* SPDX-License-Identifier: GPL-2.0-or-later */
/* percentile_list, and checks of what the device saw and of the depth. */
#include "plan_test.h"

static void lists(void **state)
{
	struct fix *f = *state;
	struct str a, b;

	fix_ok(f, HEAD "  - {name: a, rw: read, runtime: 1s, percentile_list: [99.9, 50, 99.50]}\n"
		       "  - {name: b, rw: read, runtime: 1s, percentile_list: 50:99.9:99.5}\n"
		       "  - {name: c, rw: read, runtime: 1s, percentile_list: 50}\n"
		       "  - {name: d, rw: read, runtime: 1s}\n");
	assert_string_equal(f->plan.jobs[0].percentile_list, "50:99.5:99.9");
	assert_string_equal(f->plan.jobs[1].percentile_list, "50:99.5:99.9");
	assert_string_equal(f->plan.jobs[2].percentile_list, "50");
	assert_string_equal(f->plan.jobs[3].percentile_list, "");
	str_init(&a);
	str_init(&b);
	plan_show(&f->plan, &a);
	assert_part(a.s, "50:99.5:99.9");
	str_clear(&a);
	job_fio(&f->plan.jobs[0], NULL, &a);
	assert_part(a.s, "--percentile_list=50:99.5:99.9");
	/* what is shown is none of what is done */
	str_clear(&a);
	job_canonical(&f->plan.jobs[0], &a);
	job_canonical(&f->plan.jobs[3], &b);
	assert_string_equal(a.s, b.s);
	str_release(&a);
	str_release(&b);
}

static void every_one_of_the_table(void **state)
{
	struct fix *f = *state;

	fix_ok(f, HEAD
	       "  - {name: a, rw: read, runtime: 1s, percentile_list: "
	       "[1, 5, 10, 20, 30, 40, 50, 60, 70, 80, 90, 95, 99, 99.5, 99.9, 99.95, 99.99]}\n"
	       "  - {name: b, rw: read, runtime: 1s, percentile_list: "
	       "[25, 75, 99.999, 99.9999]}\n");
}

static void not_kept(void **state)
{
	struct fix *f = *state;
	const struct diag *d;

	d = fix_refused(f,
			HEAD "  - name: a\n    rw: read\n    runtime: 1s\n"
			     "    percentile_list: [50, 99.7]\n",
			"percentile_list: p99.7 is none of the percentiles kept");
	assert_int_equal(d->line, 8);
	assert_string_equal(d->hint, "the nearest are p99.5 and p99.9");
	d = fix_refused(f, HEAD "  - {name: a, rw: read, runtime: 1s, percentile_list: 99.99999}\n",
			"p99.99999 is none");
	assert_string_equal(d->hint, "the nearest is p99.9999");
	d = fix_refused(f, HEAD "  - {name: a, rw: read, runtime: 1s, percentile_list: 0.5}\n",
			"p0.5 is none");
	assert_string_equal(d->hint, "the nearest is p1");
	d = fix_refused(f,
			HEAD "  - {name: a, rw: read, runtime: 1s, "
			     "gate: {clat.p99.7: 5%}}\n",
			"metric 'clat.p99.7' is unknown");
}

static void malformed(void **state)
{
	static const struct {
		const char *text, *find;
	} rows[] = {
		{"[]", "is no number between 0 and 100"},
		{"[50, 100]", "'100' is no number between 0 and 100"},
		{"[0]", "'0' is no number between 0 and 100"},
		{"50::99", "'' is no number"},
		{"p99", "'p99' is no number"},
		{"[50, [99]]", "an item of 'percentile_list' is no single value"},
		{"[50, 99, 50.0]", "50 stands there twice"},
		{"1:5:10:20:25:30:40:50:60:70:75:80:90:95:99:99.5:99.9:99.95:99.99:99.999:99.9999",
		 "more than 20"},
	};
	struct fix *f = *state;

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		char text[512];

		snprintf(text, sizeof(text),
			 HEAD "  - {name: a, rw: read, runtime: 1s, percentile_list: %s}\n",
			 rows[i].text);
		fix_refused(f, text, rows[i].find);
	}
	/* the others still take one value */
	fix_refused(f, HEAD "  - {name: a, rw: read, runtime: 1s, bs: [4k, 8k]}\n",
		    "'bs' takes one value, not a list");
}

/* A percentile that a check names needs its samples like any other. */
static void samples(void **state)
{
	struct fix *f = *state;
	const struct diag *d;

	fix_ok(f, HEAD "  - {name: a, rw: read, runtime: 10s, rate_iops: 1000, "
		       "gate: {clat.p99.5: 20%}}\n");
	d = fix_rule(f, "percentile-needs-samples");
	assert_non_null(d);
	assert_part(d->text, "about 50 samples above read.clat.p99.5");
}

static void checks(void **state)
{
	struct fix *f = *state;

	fix_ok(f, "blkgate: 1\nname: t\ndefaults: {size: 1MiB, runtime: 1s}\nworkloads:\n"
		  "  - {name: a, rw: randrw, expect: [absorbed <= 1%, depth.reached >= 1]}\n");
	assert_int_equal(f->plan.nchecks, 3);
	assert_string_equal(f->plan.checks[0].name, "expect read.absorbed max");
	assert_string_equal(f->plan.checks[1].name, "expect write.absorbed max");
	assert_true(f->plan.checks[0].limit == 0.01);
	assert_string_equal(f->plan.checks[2].name, "expect depth.reached min");
	fix_refused(f, HEAD "  - {name: a, rw: read, runtime: 1s, expect: [absorbed <= 1%]}\n",
		    "workload 'a' has no read.absorbed: ioengine sim has no device");
	fix_refused(f,
		    HEAD "  - {name: a, rw: read, runtime: 1s, rate: 1MB/s, "
			 "expect: [depth.reached >= 1]}\n",
		    "under rate latency counts from the intended start");
	/* the answer for one job is none for another */
	fix_refused(f,
		    HEAD "  - {name: a, rw: read, runtime: 1s, expect: [depth.reached >= 1]}\n"
			 "  - {name: b, rw: read, runtime: 1s, rate: 1MB/s, "
			 "expect: [depth.reached >= 1]}\n",
		    "workload 'b' has no depth.reached");
	fix_refused(f, HEAD "  - {name: a, rw: read, runtime: 1s, gate: {depth.reached: 5%}}\n",
		    "cannot fail: neither more nor less of it is better");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(lists),    TEST(every_one_of_the_table),
		TEST(not_kept), TEST(malformed),
		TEST(samples),  TEST(checks),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
