/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Side by side: intervals, the two one-sided tests, and what is no comparison. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include "../normal.h"
#include "gate/compare.h"
#include "lab.h"

static void test_difference(void **state)
{
	static const double a[] = {1, 2, 3}, b[] = {2, 3, 4}, same[] = {5, 5, 5};
	struct difference d;

	(void)state;
	difference_of(a, 3, b, 3, 0, &d);
	/* s = 1, se = sqrt(2/3), t(.975, 4) = 2.7764, t(.95, 4) = 2.1318 */
	assert_true(fabs(d.est - 1) < 1e-12);
	assert_true(fabs(d.high - (1 + 2.7764451 * sqrt(2.0 / 3))) < 1e-6);
	assert_true(fabs(d.least - (1 - 2.1318468 * sqrt(2.0 / 3))) < 1e-6);
	difference_of(same, 3, same, 3, 0.1, &d); /* rounded alike: half a step remains */
	assert_true(d.high > 0.05 && d.greatest > 0.1);
	difference_of(a, 1, b, 1, 0, &d);
	assert_true(isnan(d.low) && fabs(d.est - 1) < 1e-12);
	assert_int_equal(difference_sameness(&d, 1, 1), UNDECIDED);
	difference_of(a, 0, b, 3, 0, &d);
	assert_true(isnan(d.est));
}

/* A true difference of the tolerance is called the same in 5 % at most; none is found to be the
 * same in 90 % with the number of sessions that is told. */
static void test_rates(void **state)
{
	const double below = -log1p(-.05), above = log1p(.05), sd = .015;
	const uint32_t n = difference_sessions(sd, above);
	unsigned wrong = 0, found = 0;
	struct rng r;

	(void)state;
	rng_seed(&r, 11);
	assert_true(n >= 3 && n < 10);
	for (unsigned t = 0; t < 8000; t++) {
		double a[99], b[99];
		struct difference d;
		bool none = t % 2;

		for (uint32_t i = 0; i < n; i++) {
			a[i] = sd * rng_normal(&r);
			b[i] = sd * rng_normal(&r) + (none ? 0 : above);
		}
		difference_of(a, n, b, n, 0, &d);
		if (difference_sameness(&d, below, above) == SAME)
			(*(none ? &found : &wrong))++;
	}
	if (wrong > 4000 * .06 || found < 4000 * .88)
		fail_msg("%u wrong, %u found of 4000 with %u sessions", wrong, found, n);
}

static void side(struct result *r, unsigned day, const char *adapter, double level, unsigned n)
{
	lab_simple(r, day, level);
	for (unsigned i = 1; i < n; i++)
		lab_runs(r, 0, lab_session(r), level * (1 + (i % 2 ? .002 : -.002)));
	lab_fact(r, "label.adapter", adapter);
	lab_judge(r, NULL);
}

static char *text_of(const struct compare *c)
{
	struct str s;
	char *text;

	str_init(&s);
	compare_text(c, &s);
	text = xstrdup(s.s);
	str_release(&s);
	return text;
}

static int compare3(const struct result *v, size_t n, const char *by, struct compare *c,
		    struct err *e)
{
	static const char *const names[] = {"a.json", "b.json", "c.json"};
	const struct result *list[] = {&v[0], &v[1], &v[2]};
	const struct compare_ask ask = {
		.r = list, .names = names, .n = n, .by = by, .two_sided = true};

	*e = ERR_INIT;
	return compare_make(&ask, c, e);
}

static void test_sides(void **state)
{
	struct result v[3];
	struct compare c;
	struct err e;
	char *text;

	(void)state;
	side(&v[0], 1, "slot", 100000, 3);
	side(&v[1], 2, "card", 100500, 3);
	side(&v[2], 3, "slot", 80000, 1);
	if (compare3(v, 3, NULL, &c, &e) != 0)
		fail_msg("%s", e.text);
	assert_int_equal(c.sides.n, 3);
	assert_int_equal(c.compared, 2);
	assert_int_equal(c.failed, 0);
	text = text_of(&c);
	lab_contains(text, "differs from A in: label.adapter slot -> card");
	lab_contains(text, "no difference larger than 5 % between A and B (95 %)");
	lab_contains(text, "3 and 1 sessions: carries no verdict; about ");
	assert_null(strstr(text, "not judged")); /* once is enough */
	lab_contains(text, "sessions of one boot share what it brings");
	free(text);
	/* an absolute tolerance assumes a share of the level, as the verdicts do: 1500 of 100 k */
	c.rows.v[0].absolute = true;
	c.rows.v[0].tolerance = 5000;
	text = text_of(&c);
	lab_contains(text, "carries no verdict; about 4 sessions a side would");
	free(text);
	compare_release(&c);
	/* the same three by their label: the sessions of a value are units of one side */
	if (compare3(v, 3, "label.adapter", &c, &e) != 0)
		fail_msg("%s", e.text);
	assert_int_equal(c.sides.n, 2);
	assert_string_equal(c.sides.v[0].name, "slot");
	assert_int_equal(c.rows.v[0].cell[0].nsession, 4);
	assert_int_equal(c.rows.v[0].cell[1].nsession, 3);
	compare_release(&c);
	for (size_t i = 0; i < 3; i++)
		result_release(&v[i]);
}

/* The change is that of the two values printed beside it, whatever the sessions are like. */
static void test_values_belong_to_the_change(void **state)
{
	static const double a[] = {100000, 60000, 101000}, b[] = {97000, 99000, 55000, 96000};

	(void)state;
	for (unsigned absolute = 0; absolute < 2; absolute++)
		for (size_t na = 1; na <= 3; na++)
			for (size_t nb = 1; nb <= 4; nb++) {
				struct result v[3];
				const struct compare_row *row;
				struct compare c;
				struct err e;
				double change;

				lab_simple(&v[0], 1, a[0]);
				for (size_t i = 1; i < na; i++)
					lab_runs(&v[0], 0, lab_session(&v[0]), a[i]);
				lab_simple(&v[1], 2, b[0]);
				for (size_t i = 1; i < nb; i++)
					lab_runs(&v[1], 0, lab_session(&v[1]), b[i]);
				/* a run that leaves mean and median of the runs apart */
				lab_rate(&v[1].runs.v[2].out, 30000);
				for (size_t i = 0; i < 2; i++) {
					v[i].checks[0].absolute = absolute;
					v[i].checks[0].tolerance = absolute ? 5000 : .05;
					lab_judge(&v[i], NULL);
				}
				if (compare3(v, 2, NULL, &c, &e) != 0)
					fail_msg("%s", e.text);
				row = &c.rows.v[0];
				assert_int_equal(row->cell[0].nsession, na);
				assert_int_equal(row->cell[1].nsession, nb);
				change = absolute ? row->cell[1].value - row->cell[0].value
						  : log(row->cell[1].value / row->cell[0].value);
				assert_true(fabs(row->against[1].est - change) <
					    1e-9 * (absolute ? 1e5 : 1));
				assert_true(row->against[1].low < row->against[1].est);
				compare_release(&c);
				result_release(&v[0]);
				result_release(&v[1]);
			}
}

static void test_difference_of_medians(void **state)
{
	static const double a[] = {1, 2, 30}, b[] = {2, 3, 4}, two[] = {1, 4};
	struct difference d, mean;

	(void)state;
	difference_of_medians(a, 3, b, 3, 0, &d);
	assert_true(fabs(d.est - 1) < 1e-12);
	difference_of(a, 3, b, 3, 0, &mean);
	/* the same spread, and a median of three has .449 of the variance of one where a mean has
	 * 1/3 */
	assert_true(fabs((d.high - d.est) / (mean.high - mean.est) - sqrt(.449 * 3)) < 1e-9);
	difference_of_medians(two, 2, two, 2, 0, &d);
	difference_of(two, 2, two, 2, 0, &mean);
	assert_true(fabs(d.high - mean.high) < 1e-12);
}

static void test_no_comparison(void **state)
{
	struct result v[3];
	struct compare c;
	struct err e;
	char *text;

	(void)state;
	side(&v[0], 1, "slot", 100000, 2);
	side(&v[1], 2, "slot", 100000, 2);
	side(&v[2], 3, "slot", 100000, 2);
	assert_int_equal(compare3(v, 2, "label.adapter", &c, &e), ERR_REFUSED);
	lab_contains(e.text, "there is one side only: slot");
	assert_int_equal(compare3(v, 1, NULL, &c, &e), ERR_REFUSED);
	assert_int_equal(compare3(v, 2, "label.none", &c, &e), ERR_REFUSED);
	lab_contains(e.text, "'label.none' of target 'dut' is not known");
	v[1].suite = "other";
	assert_int_equal(compare3(v, 2, NULL, &c, &e), ERR_REFUSED);
	v[1].suite = v[0].suite;
	v[1].measurement_version = 1;
	assert_int_equal(compare3(v, 2, NULL, &c, &e), ERR_REFUSED);
	v[1].measurement_version = v[0].measurement_version;
	memcpy(v[1].sessions.v[0].id, v[0].sessions.v[0].id, sizeof(v[0].sessions.v[0].id));
	assert_int_equal(compare3(v, 2, NULL, &c, &e), ERR_REFUSED);
	lab_contains(e.text, "is in 'a.json' and in 'b.json'");
	/* what must be known before the figures, and what has its comparison inside */
	v[1].sessions.v[0].id[0] = 'x';
	v[1].interrupted = true;
	v[1].partial = "interrupted";
	assert_int_equal(compare3(v, 2, NULL, &c, &e), 0);
	text = text_of(&c);
	lab_contains(text, "B b.json (interrupted)");
	free(text);
	compare_release(&c);
	v[1].interrupted = false;
	v[1].partial = NULL;
	v[1].interleave.kind = INTERLEAVE_VERSUS;
	assert_int_equal(compare3(v, 2, NULL, &c, &e), ERR_REFUSED);
	lab_contains(e.text, "'b.json' is interleaved (--versus)");
	v[1].interleave.kind = INTERLEAVE_NONE;
	/* another job, a failed run: named in its row, and counted */
	v[1].jobs[0].iodepth = 1;
	v[2].runs.v[3].out.status = OUTCOME_IO_ERROR;
	lab_judge(&v[2], NULL);
	assert_int_equal(compare3(v, 3, NULL, &c, &e), 0);
	assert_int_equal(c.compared, 0);
	assert_int_equal(c.failed, 2);
	text = text_of(&c);
	lab_contains(text, "n/a (another job: iodepth 32 -> 1");
	lab_contains(text, "n/a (run 4 of 5 in session 1");
	free(text);
	compare_release(&c);
	/* a workload that one side never chose is no failure */
	v[2].jobs[0].state = JOB_SKIPPED;
	v[2].runs.n = 0;
	lab_judge(&v[2], NULL);
	v[1].jobs[0].iodepth = 32;
	assert_int_equal(compare3(v, 3, NULL, &c, &e), 0);
	assert_int_equal(c.compared, 1);
	assert_int_equal(c.failed, 0);
	compare_release(&c);
	for (size_t i = 0; i < 3; i++)
		result_release(&v[i]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_difference),
		cmocka_unit_test(test_rates),
		cmocka_unit_test(test_sides),
		cmocka_unit_test(test_values_belong_to_the_change),
		cmocka_unit_test(test_difference_of_medians),
		cmocka_unit_test(test_no_comparison),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
