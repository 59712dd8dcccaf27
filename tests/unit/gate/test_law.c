/* SPDX-License-Identifier: GPL-2.0-or-later */
/* No path from missing evidence to status 0: each way that was found to lead there. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include "store.h"

static void samples(struct bins *b, unsigned n)
{
	struct hist *h = xcalloc(1, sizeof(*h));

	for (unsigned i = 0; i < n; i++)
		hist_add(h, 3000000000ULL + i);
	bins_from_hist(b, h);
	free(h);
}

static const struct verdict *missing(const struct result *r)
{
	for (size_t i = 0; i < r->verdicts.n; i++)
		if (r->verdicts.v[i].job == UINT32_MAX)
			return &r->verdicts.v[i];
	return NULL;
}

/* The job was not measured, and its checks say so. */
static void expect_unmeasured(struct result *r, const struct baseline *b, const char *text)
{
	lab_judge(r, b);
	lab_expect(lab_verdict(r, 0, VERDICT_MEASURE), VERDICT_ERROR, STATUS_ERROR, JUNIT_ERROR);
	lab_contains(lab_verdict(r, 0, VERDICT_MEASURE)->text, text);
	for (uint32_t i = 0; i < r->nchecks; i++)
		if (r->checks[i].job == 0)
			assert_string_equal(lab_verdict(r, 0, i)->text, "not judged");
	assert_int_equal(r->status, STATUS_ERROR);
}

static void nothing(struct outcome *o)
{
	lab_rate(o, 0);
}
static void other_direction(struct outcome *o)
{
	o->dir[DIR_WRITE] = o->dir[DIR_READ];
	o->dir[DIR_READ] = (struct outcome_dir){0};
}
static void no_window(struct outcome *o)
{
	o->window = 0;
}
static void short_window(struct outcome *o)
{
	o->window = LAB_WINDOW / 2;
}
/* All issued in the window, all completed in the drain: latencies without a rate. */
static void only_drained(struct outcome *o)
{
	lab_rate(o, 0);
	o->dir[DIR_READ].issued = 200;
	samples(&o->dir[DIR_READ].lat, 200);
}

/* nan-inf-1: a run that ended well and holds nothing is no measurement, one of five is enough. */
static void test_empty_run(void **state)
{
	static const struct {
		void (*spoil)(struct outcome *o);
		const char *text;
	} cases[] = {
		{nothing, "no I/O completed in the window"},
		{other_direction, "no I/O completed in the window"},
		{only_drained, "no I/O completed in the window"},
		{no_window, "no length"},
		{short_window, "shorter than the runtime"},
	};
	struct baseline b;

	(void)state;
	lab_baseline(&b, 6, 100000, NULL);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		for (unsigned all = 0; all < 2; all++) {
			struct result r;
			struct check *c;

			lab_simple(&r, 40, 100000);
			c = lab_check(&r, 0, CHECK_EXPECT, "read.lat.max");
			c->op = OP_LE;
			c->limit = 5e9;
			for (size_t k = 0; k < (all ? 5 : 1); k++)
				cases[i].spoil(&r.runs.v[all ? k : 3].out);
			expect_unmeasured(&r, &b, cases[i].text);
			if (!all)
				lab_contains(lab_verdict(&r, 0, VERDICT_MEASURE)->text,
					     "run 4 of 5");
			result_release(&r);
		}
	}
	baseline_release(&b);
}

/* Written under verify and never read back: no evidence that the data was right. */
static void test_nothing_verified(void **state)
{
	(void)state;
	for (int verified = 0; verified < 3; verified++) {
		struct result r;

		lab_simple(&r, 40, 100000);
		r.jobs[0].rw = RW_WRITE;
		r.jobs[0].verify = "crc32c";
		r.jobs[0].size = 1 << 20;
		for (size_t i = 0; i < r.runs.n; i++) {
			struct outcome *o = &r.runs.v[i].out;

			o->dir[DIR_WRITE].ios = o->dir[DIR_READ].ios;
			/* written over and over: the region is what can be verified */
			o->dir[DIR_WRITE].bytes = 40 * r.jobs[0].size;
			o->verified = i || verified == 2 ? r.jobs[0].size : verified * 4096ULL;
		}
		lab_judge(&r, NULL);
		if (verified == 1) {
			lab_expect(lab_verdict(&r, 0, VERDICT_MEASURE), VERDICT_ERROR, STATUS_ERROR,
				   JUNIT_ERROR);
			lab_contains(lab_verdict(&r, 0, VERDICT_MEASURE)->text,
				     "run 1 of 5 in session 1: not all of what it wrote");
		} else if (verified) {
			assert_int_equal(lab_verdict(&r, 0, VERDICT_MEASURE)->kind, VERDICT_PASS);
		} else {
			lab_expect(lab_verdict(&r, 0, VERDICT_MEASURE), VERDICT_ERROR, STATUS_ERROR,
				   JUNIT_ERROR);
			lab_contains(lab_verdict(&r, 0, VERDICT_MEASURE)->text,
				     "run 1 of 5 in session 1: nothing of what it wrote was "
				     "verified");
		}
		result_release(&r);
	}
}

/* A mix that wrote nothing: its reads are judged, what it says of writes is an error, latencies
 * from the drain included. */
static void test_empty_direction(void **state)
{
	static const char *const metrics[] = {"write.iops", "write.bw", "write.lat.max",
					      "write.clat.mean", "write.lat.p50"};

	(void)state;
	for (size_t i = 0; i < sizeof(metrics) / sizeof(metrics[0]); i++) {
		struct result r;

		lab_init(&r, 40);
		lab_job(&r, "mix")->rw = RW_RANDRW;
		lab_check(&r, 0, CHECK_EXPECT, "read.iops")->limit = 1;
		lab_check(&r, 0, CHECK_EXPECT, metrics[i])->op = OP_LE;
		r.checks[1].limit = 1e12;
		lab_gate(&r, 0, metrics[i], .05);
		lab_runs(&r, 0, lab_session(&r), 100000);
		for (size_t k = 0; k < r.runs.n; k++) {
			samples(&r.runs.v[k].out.dir[DIR_WRITE].lat, 300);
			samples(&r.runs.v[k].out.dir[DIR_WRITE].clat, 300);
		}
		lab_judge(&r, NULL);
		lab_expect(lab_verdict(&r, 0, VERDICT_MEASURE), VERDICT_PASS, STATUS_PASS,
			   JUNIT_CASE);
		lab_expect(lab_verdict(&r, 0, 0), VERDICT_PASS, STATUS_PASS, JUNIT_CASE);
		for (uint32_t c = 1; c < 3; c++)
			lab_expect(lab_verdict(&r, 0, c), VERDICT_ERROR, STATUS_ERROR, JUNIT_ERROR);
		assert_int_equal(r.status, STATUS_ERROR);
		result_release(&r);
	}
}

static void two_jobs(struct result *r, uint32_t least, unsigned sessions)
{
	lab_init(r, 40);
	lab_job(r, "a");
	lab_job(r, "b");
	lab_check(r, 0, CHECK_EXPECT, "read.iops")->limit = 1;
	lab_check(r, 1, CHECK_EXPECT, "read.iops")->limit = 1;
	r->sessions_min = least;
	for (unsigned i = 0; i < sessions; i++) {
		lab_session(r);
		lab_runs(r, 0, i, 100000);
		lab_runs(r, 1, i, 100000);
	}
}

/* The demanded sessions: one of three, two of three, three, and more in which only one job ran. */
static void test_sessions_min(void **state)
{
	struct result r;

	(void)state;
	for (unsigned made = 0; made < 3; made++) {
		two_jobs(&r, 3, made);
		r.partial = "journal without end";
		expect_unmeasured(&r, NULL,
				  made ? "of at least 3: journal without end" : "not measured");
		result_release(&r);
	}
	two_jobs(&r, 3, 3);
	lab_judge(&r, NULL);
	assert_int_equal(r.status, STATUS_PASS);
	/* a further session holds only what was undecided */
	lab_runs(&r, 0, lab_session(&r), 100000);
	lab_judge(&r, NULL);
	assert_int_equal(r.status, STATUS_PASS);
	assert_int_equal(lab_verdict(&r, 0, VERDICT_MEASURE)->nsessions, 4);
	assert_int_equal(lab_verdict(&r, 1, VERDICT_MEASURE)->nsessions, 3);
	result_release(&r);
	/* as many sessions, but not the first ones */
	two_jobs(&r, 2, 1);
	lab_session(&r);
	lab_runs(&r, 0, 1, 100000);
	lab_runs(&r, 1, lab_session(&r), 100000);
	lab_judge(&r, NULL);
	lab_expect(lab_verdict(&r, 0, VERDICT_MEASURE), VERDICT_PASS, STATUS_PASS, JUNIT_CASE);
	lab_expect(lab_verdict(&r, 1, VERDICT_MEASURE), VERDICT_ERROR, STATUS_ERROR, JUNIT_ERROR);
	lab_contains(lab_verdict(&r, 1, VERDICT_MEASURE)->text, "session 2 of at least 2");
	/* a session that is listed and holds nothing at all */
	r.runs.n = 10;
	lab_judge(&r, NULL);
	assert_int_equal(r.status, STATUS_ERROR);
	result_release(&r);
	/* a failed run is the reason, not what is missing after it */
	two_jobs(&r, 3, 1);
	r.runs.v[2].out.status = OUTCOME_HUNG;
	expect_unmeasured(&r, NULL, "run 3 of 5 in session 1");
	result_release(&r);
}

/* A job that could run and has no run, and one that was skipped and has some. */
static void test_states(void **state)
{
	struct result r;

	(void)state;
	two_jobs(&r, 1, 1);
	for (size_t i = 0; i < 5; i++)
		r.runs.v[i].job = 1; /* the numbers stand twice as well */
	expect_unmeasured(&r, NULL, "not measured");
	lab_expect(lab_verdict(&r, 1, VERDICT_MEASURE), VERDICT_ERROR, STATUS_ERROR, JUNIT_ERROR);
	result_release(&r);
	two_jobs(&r, 1, 1);
	r.jobs[0].state = JOB_SKIPPED;
	r.jobs[0].why = "when: is not met";
	expect_unmeasured(&r, NULL, "yet it has runs");
	result_release(&r);
	two_jobs(&r, 1, 1);
	r.jobs[0].runs = 0;
	expect_unmeasured(&r, NULL, "of 0 runs");
	result_release(&r);
	two_jobs(&r, 1, 1);
	r.unfinished = true; /* everything is there but the end */
	lab_judge(&r, NULL);
	assert_int_equal(r.status, STATUS_ERROR);
	lab_expect(lab_verdict(&r, 0, 0), VERDICT_PASS, STATUS_PASS, JUNIT_CASE);
	result_release(&r);
}

/* A limit that is no number, or that nothing can miss, is no limit. */
static void test_limits(void **state)
{
	static const double limits[] = {NAN, INFINITY, -INFINITY};

	(void)state;
	for (size_t i = 0; i < 3; i++) {
		for (enum check_op op = OP_GE; op <= OP_NE; op++) {
			struct result r;

			two_jobs(&r, 1, 1);
			r.checks[0].op = op;
			r.checks[0].limit = limits[i];
			lab_judge(&r, NULL);
			lab_expect(lab_verdict(&r, 0, 0), VERDICT_ERROR, STATUS_ERROR, JUNIT_ERROR);
			result_release(&r);
		}
	}
}

/* Checks that were taken out of the result are demanded by the baseline. */
static void test_checks_emptied(void **state)
{
	struct baseline b;
	struct result r;

	(void)state;
	lab_baseline(&b, 6, 100000, NULL);
	lab_simple(&r, 40, 100000);
	r.nchecks = 0;
	lab_judge(&r, &b);
	assert_non_null(missing(&r));
	assert_int_equal(r.status, STATUS_ERROR);
	r.njobs = 0; /* and the jobs as well */
	r.runs.n = 0;
	lab_judge(&r, &b);
	assert_non_null(missing(&r));
	assert_int_equal(r.status, STATUS_ERROR);
	result_release(&r);
	baseline_release(&b);
}

/* The demand of a gate outlives its epoch. */
static void test_epochs(void **state)
{
	struct baseline b;
	struct result r;

	(void)state;
	lab_baseline(&b, 6, 100000, NULL);
	for (size_t i = 0; i < b.n; i++) {
		b.sessions[i].epoch = i < 3 ? 1 : 2;
		b.sessions[i].jobs.v[0].name = i < 3 ? "rand-8k" : "rand-4k";
	}
	b.epoch = 2;
	lab_simple(&r, 40, 100000);
	lab_judge(&r, &b);
	assert_non_null(missing(&r));
	lab_contains(missing(&r)->text, "dut rand-8k is in the baseline");
	assert_int_equal(r.status, STATUS_ERROR);
	/* without a session of the current epoch it is demanded as well */
	b.epoch = 3;
	r.jobs[0].name = "renamed";
	lab_judge(&r, &b);
	assert_int_equal(r.verdicts.n, 4);
	assert_int_equal(r.status, STATUS_ERROR);
	result_release(&r);
	baseline_release(&b);
}

/* A measurement is no evidence about itself. */
static void test_itself(void **state)
{
	struct store s;
	struct baseline b;
	struct result r, other;
	struct err e = ERR_INIT;
	const struct verdict *v;
	size_t stored;

	(void)state;
	store_open(&s);
	lab_simple(&r, 0, 100000);
	assert_int_equal(store_accept(&s, &r, NULL, &stored, &e), 0);
	store_load(&s);
	assert_int_equal(baseline_from_results((const struct result *[]){&r}, 1, &b, &e), 0);
	for (unsigned i = 0; i < 2; i++) {
		lab_judge(&r, i ? &b : &s.b);
		v = lab_verdict(&r, 0, 0);
		lab_expect(v, VERDICT_NO_BASELINE, STATUS_NO_BASELINE, JUNIT_ERROR);
		lab_contains(v->text, "this measurement itself");
		lab_contains(v->text, r.sessions.v[0].id);
		assert_int_equal(r.status, STATUS_NO_BASELINE);
	}
	/* another result is judged against it */
	lab_simple(&other, 1, 100000);
	lab_judge(&other, &s.b);
	assert_int_equal(lab_verdict(&other, 0, 0)->base_sessions, 1);
	baseline_release(&s.b);
	/* with others beside it, only its own session is left out */
	assert_int_equal(store_accept(&s, &other, NULL, &stored, &e), 0);
	store_load(&s);
	assert_int_equal(s.b.n, 2);
	lab_judge(&r, &s.b);
	assert_int_equal(lab_verdict(&r, 0, 0)->base_sessions, 1);
	assert_int_equal(lab_verdict(&r, 0, 0)->base_first, other.started);
	baseline_release(&s.b);
	baseline_release(&b);
	result_release(&other);
	result_release(&r);
	store_close(&s);
}

static void injected(struct result *r)
{
	r->inject = "slow=30%";
}
static void interrupted(struct result *r)
{
	r->interrupted = true;
}
static void partial(struct result *r)
{
	r->partial = "--only 'rand*'";
}
static void unfinished(struct result *r)
{
	r->unfinished = true;
}
static void setup_error(struct result *r)
{
	r->setup_error = "requirement unmet";
}

/* What could not be accepted cannot be a reference either, alone or beside a good one. */
static void test_reference(void **state)
{
	static const struct {
		void (*spoil)(struct result *r);
		const char *text;
	} cases[] = {
		{injected, "injected"}, {interrupted, "interrupted"}, {partial, "partial: --only"},
		{unfinished, "no end"}, {setup_error, "requirement"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct result good, bad;
		struct baseline b;

		lab_simple(&good, 0, 100000);
		lab_simple(&bad, 1, 100000);
		cases[i].spoil(&bad);
		for (unsigned n = 1; n <= 2; n++) {
			const struct result *list[] = {n == 2 ? &good : &bad, &bad};
			struct err e = ERR_INIT;

			assert_int_equal(baseline_from_results(list, n, &b, &e), ERR_REFUSED);
			lab_contains(e.text, cases[i].text);
			lab_contains(e.text, bad.sessions.v[0].id);
			assert_int_equal(b.n, 0);
		}
		result_release(&bad);
		result_release(&good);
	}
}

static void empty_runs(struct result *r, unsigned i)
{
	if (i == 0)
		lab_rate(&r->runs.v[4].out, 0);
}

/* Sessions of the baseline that lack the values of a gate they had: never "no baseline", which a
 * policy may excuse. */
static void test_base_without_values(void **state)
{
	struct baseline b;
	struct result r;
	const struct verdict *v;

	(void)state;
	lab_baseline(&b, 3, 100000, NULL);
	lab_simple(&r, 40, 100000);
	r.policy.no_baseline = NO_BASELINE_WARN;
	for (size_t i = 0; i < b.n; i++) {
		VEC(struct base_value) *values = (void *)&b.sessions[i].jobs.v[0].values;

		lab_judge(&r, &b);
		v = lab_verdict(&r, 0, 0);
		assert_int_equal(v->base_sessions, 3 - i);
		if (i > 0)
			lab_contains(v->text, "left out");
		values->n = 0;
	}
	lab_judge(&r, &b);
	v = lab_verdict(&r, 0, 0);
	lab_expect(v, VERDICT_INCOMPARABLE, STATUS_NO_BASELINE, JUNIT_ERROR);
	lab_contains(v->text, "0 of 5 runs have a value");
	/* a gate that none of them had is new */
	for (size_t i = 0; i < b.n; i++)
		b.sessions[i].jobs.v[0].gates.n = 0;
	lab_judge(&r, &b);
	lab_expect(lab_verdict(&r, 0, 0), VERDICT_NO_BASELINE, STATUS_PASS, JUNIT_SKIPPED);
	result_release(&r);
	baseline_release(&b);
	/* a session in which a run did nothing does not enter one */
	lab_baseline(&b, 2, 100000, empty_runs);
	assert_int_equal(b.n, 1);
	baseline_release(&b);
}

/* Values that are no numbers can come from memory only, and are an error there. */
static void test_base_nan(void **state)
{
	static const double bad[] = {NAN, INFINITY, 0, -1};

	(void)state;
	for (size_t i = 0; i < 4; i++) {
		struct baseline b;
		struct result r;

		lab_baseline(&b, 6, 100000, NULL);
		for (size_t k = 0; k < b.sessions[2].jobs.v[0].values.n; k++)
			b.sessions[2].jobs.v[0].values.v[k].v[1] = bad[i];
		lab_simple(&r, 40, 100000);
		lab_judge(&r, &b);
		lab_expect(lab_verdict(&r, 0, 0), VERDICT_ERROR, STATUS_ERROR, JUNIT_ERROR);
		result_release(&r);
		baseline_release(&b);
	}
}

/* The reader refuses more sessions than were planned, and one session twice. */
static void test_documents(void **state)
{
	static const char *const texts[] = {"2 sessions where 1 are the most", "stands twice"};

	(void)state;
	for (unsigned i = 0; i < 2; i++) {
		struct result r, again;
		struct err e;

		two_jobs(&r, 1, 2);
		r.sessions_max = i == 0 ? 1 : 5;
		if (i == 1)
			memcpy(r.sessions.v[1].id, r.sessions.v[0].id, sizeof(r.sessions.v[0].id));
		lab_judge(&r, NULL);
		assert_int_equal(lab_again(&r, true, &again, &e), ERR_DATA);
		lab_contains(e.text, texts[i]);
		result_release(&r);
	}
}

static void add_line(struct str *doc, struct jw *w)
{
	str_add(doc, jw_finish(w));
	str_addc(doc, '\n');
	jw_release(w);
}

/* A journal cut after each of its records: no cut is green, and what was read from one stays
 * unfinished as a document. */
static void test_cut_journal(void **state)
{
	size_t ends[64], n = 0;
	struct result r;
	struct str doc;
	struct jw w;

	(void)state;
	two_jobs(&r, 2, 2);
	str_init(&doc);
	for (uint32_t s = 0; s < 2; s++) {
		jw_init(&w);
		if (s == 0) {
			result_journal_head(&r, &w);
			add_line(&doc, &w);
			ends[n++] = doc.len;
			jw_init(&w);
		}
		result_journal_session(&r.sessions.v[s], &w);
		add_line(&doc, &w);
		ends[n++] = doc.len;
		for (size_t i = 0; i < r.runs.n; i++) {
			if (r.runs.v[i].session != s)
				continue;
			jw_init(&w);
			result_journal_start(r.runs.v[i].job, s, r.runs.v[i].run, &w);
			add_line(&doc, &w);
			ends[n++] = doc.len;
			jw_init(&w);
			result_journal_run(&r, &r.runs.v[i], &w);
			add_line(&doc, &w);
			ends[n++] = doc.len;
		}
	}
	jw_init(&w);
	result_journal_end(&r, &w);
	add_line(&doc, &w);
	ends[n++] = doc.len;
	for (size_t i = 0; i < n; i++) {
		struct result cut, again;
		struct err e = ERR_INIT;

		if (result_parse(doc.s, ends[i], "journal", &cut, &e))
			fail_msg("record %zu: %s", i, e.text);
		lab_judge(&cut, NULL);
		assert_int_equal(cut.status, i + 1 < n ? STATUS_ERROR : STATUS_PASS);
		assert_int_equal(lab_again(&cut, true, &again, &e), 0);
		lab_judge(&again, NULL);
		assert_int_equal(again.status, cut.status);
		assert_int_equal(again.unfinished, i + 1 < n);
		result_release(&again);
		result_release(&cut);
	}
	str_release(&doc);
	result_release(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_empty_run),    cmocka_unit_test(test_empty_direction),
		cmocka_unit_test(test_sessions_min), cmocka_unit_test(test_states),
		cmocka_unit_test(test_limits),       cmocka_unit_test(test_checks_emptied),
		cmocka_unit_test(test_epochs),       cmocka_unit_test(test_itself),
		cmocka_unit_test(test_reference),    cmocka_unit_test(test_base_without_values),
		cmocka_unit_test(test_base_nan),     cmocka_unit_test(test_documents),
		cmocka_unit_test(test_cut_journal),  cmocka_unit_test(test_nothing_verified),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
