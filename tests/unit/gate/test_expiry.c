/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Sessions beyond max_age give no level; the age is one at the start of the result. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include "gate/expiry.h"
#include "gate/outlook.h"
#include "store.h"

#define MAX_AGE ((int64_t)180 * LAB_DAY)

static void open_result(struct result *r, unsigned day, double level, int64_t max_age)
{
	lab_simple(r, day, level);
	r->baseline_max_age = max_age;
}

static void lacks(const char *text, const char *part)
{
	if (text && strstr(text, part))
		fail_msg("'%s' contains '%s'", text, part);
}

/* Sessions of the days 0 to 5. On day 180 the first is exactly as old as it may be. */
static void test_some(void **state)
{
	static const struct {
		unsigned day;
		uint32_t left;
	} cases[] = {{10, 6}, {180, 6}, {181, 5}, {184, 2}, {185, 1}};
	struct store s;

	(void)state;
	store_open(&s);
	store_fill(&s, 6, 100000);
	store_load(&s);
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		const struct verdict *v;
		struct result r;

		open_result(&r, cases[i].day, 100000, MAX_AGE);
		lab_judge(&r, &s.b);
		v = lab_verdict(&r, 0, 0);
		assert_int_equal(v->base_sessions, cases[i].left);
		assert_int_equal(v->provisional, cases[i].left < 5);
		if (cases[i].left < 6) {
			char *text = xasprintf("; %u expired session%s of the baseline left out",
					       6 - cases[i].left, cases[i].left == 5 ? "" : "s");

			lab_contains(v->text, text);
			free(text);
		} else {
			lacks(v->text, "expired");
		}
		result_release(&r);
	}
	baseline_release(&s.b);
	store_close(&s);
}

/* Old levels do not count: the loss is one against those that do. */
static void test_level(void **state)
{
	struct store s;
	struct result r;

	(void)state;
	store_open(&s);
	for (unsigned day = 0; day < 12; day++) {
		struct err e = ERR_INIT;
		size_t stored;

		/* the day of a session is 40 after that of the one before */
		open_result(&r, day * 40, day < 6 ? 120000 : 100000, 0);
		store_accept(&s, &r, &(struct accept_options){.new_epoch = false}, &stored, &e);
		result_release(&r);
	}
	store_load(&s);
	open_result(&r, 441, 100000, (int64_t)210 * LAB_DAY);
	lab_judge(&r, &s.b);
	assert_true(fabs(lab_verdict(&r, 0, 0)->change) < 0.01);
	r.baseline_max_age = 0;
	lab_judge(&r, &s.b);
	assert_true(lab_verdict(&r, 0, 0)->change < -0.05);
	result_release(&r);
	baseline_release(&s.b);
	store_close(&s);
}

/* Nothing left is no baseline, which no policy excuses; what was demanded is demanded still. */
static void test_all(void **state)
{
	struct store s;
	struct result r;

	(void)state;
	store_open(&s);
	store_fill(&s, 6, 100000);
	store_load(&s);
	for (unsigned warn = 0; warn < 2; warn++) {
		const struct verdict *v;

		open_result(&r, 206, 100000, MAX_AGE);
		r.policy.no_baseline = warn ? NO_BASELINE_WARN : NO_BASELINE_FAIL;
		lab_judge(&r, &s.b);
		v = lab_verdict(&r, 0, 0);
		lab_expect(v, VERDICT_NO_BASELINE, STATUS_NO_BASELINE, JUNIT_ERROR);
		assert_string_equal(v->type, "no-baseline");
		lab_contains(v->text, "(expired: last measured 2026-09-26, 201 days ago, max_age "
				      "180d); keep this measurement with `blkgate baseline accept");
		assert_int_equal(r.status, STATUS_NO_BASELINE);
		result_release(&r);
	}
	lab_init(&r, 206); /* without the gate */
	r.baseline_max_age = MAX_AGE;
	lab_job(&r, "rand-4k");
	lab_runs(&r, 0, lab_session(&r), 100000);
	lab_judge(&r, &s.b);
	assert_int_equal(r.status, STATUS_ERROR);
	result_release(&r);
	baseline_release(&s.b);
	store_close(&s);
}

/* The expired level is not defended: the first session after it is let in, whatever it holds. */
static void test_renew(void **state)
{
	struct err e = ERR_INIT;
	struct store s;
	struct result r;
	size_t stored;

	(void)state;
	store_open(&s);
	store_fill(&s, 6, 100000);
	open_result(&r, 206, 80000, MAX_AGE);
	assert_int_equal(store_accept(&s, &r, NULL, &stored, &e), 0);
	result_release(&r);
	store_load(&s);
	open_result(&r, 207, 80000, MAX_AGE);
	lab_judge(&r, &s.b);
	assert_int_equal(lab_verdict(&r, 0, 0)->base_sessions, 1);
	assert_true(fabs(lab_verdict(&r, 0, 0)->change) < 0.01);
	result_release(&r);
	/* In time it would have been refused. */
	baseline_release(&s.b);
	open_result(&r, 100, 60000, MAX_AGE);
	lab_runs(&r, 0, lab_session(&r), 60000);
	e = (struct err)ERR_INIT;
	assert_int_equal(store_accept(&s, &r, NULL, &stored, &e), ERR_REFUSED);
	result_release(&r);
	store_close(&s);
}

/* Judged later, from the document and with its verdicts deleted, it is the same. */
static void test_offline(void **state)
{
	struct err e = ERR_INIT;
	struct store s;
	struct result r, again;
	struct jw w;
	const char *doc;

	(void)state;
	store_open(&s);
	store_fill(&s, 6, 100000);
	store_load(&s);
	open_result(&r, 184, 100000, MAX_AGE);
	lab_judge(&r, &s.b);
	jw_init(&w);
	result_write(&r, false, &w);
	doc = jw_finish(&w);
	assert_int_equal(result_parse(doc, strlen(doc), "doc", &again, &e), 0);
	assert_int_equal(again.baseline_max_age, MAX_AGE);
	gate_judge(&again, &s.b, &(struct gate_options){.now = r.ended + 1000 * LAB_DAY});
	assert_string_equal(lab_verdict(&again, 0, 0)->text, lab_verdict(&r, 0, 0)->text);
	assert_true(lab_verdict(&again, 0, 0)->change == lab_verdict(&r, 0, 0)->change);
	jw_release(&w);
	result_release(&again);
	result_release(&r);
	baseline_release(&s.b);
	store_close(&s);
}

/* Results that somebody named are what he wants to compare with. */
static void test_named(void **state)
{
	struct baseline b;
	struct result r;

	(void)state;
	lab_baseline(&b, 6, 100000, NULL);
	open_result(&r, 1000, 100000, MAX_AGE);
	lab_judge(&r, &b);
	assert_int_equal(lab_verdict(&r, 0, 0)->base_sessions, 6);
	assert_null(r.baseline_age);
	result_release(&r);
	baseline_release(&b);
}

static void test_notes(void **state)
{
	static const struct {
		unsigned day;
		int64_t max_age;
		const char *note;
	} cases[] = {
		{100, 0, NULL},
		{370, 0, NULL},
		{371, 0,
		 "the newest session of the baseline is 366 days old (2026-09-26); "
		 "`baseline: {max_age: 180d}`"},
		{371, (int64_t)400 * LAB_DAY, "is 366 days old (2026-09-26)"},
		{371, MAX_AGE, NULL}, /* its verdict says it */
		{4, 0, NULL},         /* one day is no clock that was set back */
		{0, MAX_AGE,
		 "4 sessions of the baseline are newer than this measurement, the "
		 "newest by 5 days (2026-09-26): a clock was set back"},
		{3, 0, "1 session of the baseline is newer than this measurement"},
	};
	struct store s;

	(void)state;
	store_open(&s);
	store_fill(&s, 6, 100000);
	store_load(&s);
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct result r;

		open_result(&r, cases[i].day, 100000, cases[i].max_age);
		snprintf(r.sessions.v[0].id, sizeof(r.sessions.v[0].id), "20260921T000000-abcdef");
		lab_judge(&r, &s.b);
		if (cases[i].note && !r.baseline_age)
			fail_msg("case %zu: no note", i);
		if (cases[i].note)
			lab_contains(r.baseline_age, cases[i].note);
		else if (r.baseline_age)
			fail_msg("case %zu: %s", i, r.baseline_age);
		result_release(&r);
	}
	baseline_release(&s.b);
	store_close(&s);
}

static void show(struct store *s, unsigned day, int64_t max_age, struct str *out)
{
	s->b.expiry = (struct expiry){LAB_START + (int64_t)day * LAB_DAY, max_age};
	str_clear(out);
	baseline_show(&s->b, out);
}

static void test_show(void **state)
{
	struct store s;
	struct str out;

	(void)state;
	store_open(&s);
	store_fill(&s, 6, 100000);
	store_load(&s);
	str_init(&out);
	show(&s, 20, 0, &out);
	lab_contains(out.s, "age: the newest session is 15 days old\n");
	lacks(out.s, "expire");
	show(&s, 20, MAX_AGE, &out);
	lab_contains(out.s, "15 days old; it expires 2027-03-25 (max_age 180d)\n");
	show(&s, 182, MAX_AGE, &out);
	lab_contains(out.s, "; 2 sessions have expired\n");
	lab_contains(out.s, "read.iops: 4 sessions, 4 blocks");
	lab_contains(out.s, "; 2 expired sessions left out");
	show(&s, 300, MAX_AGE, &out);
	lab_contains(out.s, "; it expired 2027-03-25 (max_age 180d); 6 sessions have expired\n");
	lab_contains(out.s, "read.iops: expired: 6 sessions, none counts");
	lab_contains(out.s, ", expired");
	show(&s, 0, MAX_AGE, &out);
	lab_contains(out.s, "age: not known, the newest session is of a time to come, in 5 days");
	str_release(&out);
	baseline_release(&s.b);
	store_close(&s);
}

/* A forecast is one of the next result: what will not count then is not in it. */
static void test_forecast(void **state)
{
	struct store s;
	struct result r;
	struct outlook o;

	(void)state;
	store_open(&s);
	store_fill(&s, 6, 100000);
	store_load(&s);
	open_result(&r, 7, 100000, 0);
	for (unsigned late = 0; late < 2; late++) {
		const struct outlook_ask ask = {.jobs = r.jobs,
						.njobs = r.njobs,
						.checks = r.checks,
						.nchecks = r.nchecks,
						.targets = r.targets,
						.ntargets = r.ntargets,
						.interleave = &r.interleave,
						.max = 5,
						.assumed_sd = .015};

		s.b.expiry =
			(struct expiry){LAB_START + (late ? 182 : 20) * (int64_t)LAB_DAY, MAX_AGE};
		outlook(&ask, &s.b, &o);
		assert_int_equal(o.gates, 1);
		assert_int_equal(o.played, !late);
	}
	result_release(&r);
	baseline_release(&s.b);
	store_close(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_some),     cmocka_unit_test(test_level),
		cmocka_unit_test(test_all),      cmocka_unit_test(test_renew),
		cmocka_unit_test(test_offline),  cmocka_unit_test(test_named),
		cmocka_unit_test(test_notes),    cmocka_unit_test(test_show),
		cmocka_unit_test(test_forecast),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
