/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Evidence is added, never replaced: earlier sessions first, decisions stand, refusals by name. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include "gate/pooling.h"
#include "gate/sequence.h"
#include "lab.h"

#define NEW_DAY 30

/* A judged result of one session for each level. */
static void measured(struct result *r, const struct baseline *b, unsigned day, const double *level,
		     size_t n)
{
	lab_simple(r, day, level[0]);
	for (size_t i = 1; i < n; i++)
		lab_runs(r, 0, lab_session(r), level[i]);
	r->change = "abc";
	lab_judge(r, b);
}

static int pool(struct result *r, const struct result *a, const struct result *b, struct err *e)
{
	const struct pool_source source[] = {{a, "a.json"}, {b, "b.json"}};

	*e = ERR_INIT;
	return pooling_add(r, "new.json", source, b ? 2 : 1, e);
}

/* What a result came to, as one text. */
static char *verdicts_of(const struct result *r)
{
	struct str s;
	char *text;

	str_init(&s);
	for (size_t i = 0; i < r->verdicts.n; i++) {
		const struct verdict *v = &r->verdicts.v[i];

		str_addf(&s, "%s %a %a %a %s\n", verdict_name(v->kind), v->change, v->low, v->high,
			 v->text);
	}
	text = xstrdup(s.s);
	str_release(&s);
	return text;
}

static void judged_from_the_document(const struct result *r, const struct baseline *b)
{
	char *was = verdicts_of(r), *is;
	struct result again;
	struct err e;

	if (lab_again(r, false, &again, &e) != 0)
		fail_msg("%s", e.text);
	lab_judge(&again, b);
	is = verdicts_of(&again);
	assert_string_equal(is, was);
	assert_int_equal(again.attempts.n, r->attempts.n);
	result_release(&again);
	free(was);
	free(is);
}

static void test_one_sequence(void **state)
{
	static const double slow[] = {93000}, less[] = {94000};
	struct baseline b;
	struct result a, c, r;
	const struct verdict *v;
	struct err e;

	(void)state;
	lab_baseline(&b, 10, 100000, NULL);
	measured(&a, &b, NEW_DAY, slow, 1);
	measured(&c, &b, NEW_DAY + 1, less, 1);
	measured(&r, &b, NEW_DAY + 2, less, 1);
	assert_int_equal(lab_verdict(&a, 0, 0)->kind, VERDICT_INCONCLUSIVE);
	if (pool(&r, &c, &a, &e) != 0) /* the order of the files says nothing */
		fail_msg("%s", e.text);
	lab_judge(&r, &b);
	v = lab_verdict(&r, 0, 0);
	assert_int_equal(r.sessions.n, 3);
	assert_string_equal(r.sessions.v[0].id, a.sessions.v[0].id);
	assert_string_equal(r.sessions.v[0].boot, "boot-30");
	assert_int_equal(r.sessions.v[1].from, 2);
	assert_int_equal(v->nsessions, 3);
	assert_true(fabs(v->session_values[0] - 93000) < 1);
	assert_int_equal(v->kind, VERDICT_REGRESSION);
	lab_contains(r.attempts.v[0].verdict, "1 undecided");
	assert_int_equal(r.attempts.v[0].status, STATUS_INCONCLUSIVE);
	assert_null(r.attempts.v[2].verdict);
	judged_from_the_document(&r, &b);
	result_release(&r);
	result_release(&c);
	result_release(&a);
	baseline_release(&b);
}

static void test_red_stays_red(void **state)
{
	static const double slow[] = {92000, 92500}, good[] = {100000, 100500, 100000};
	struct baseline b;
	struct result a, r;
	const struct verdict *v;
	double change;
	struct err e;

	(void)state;
	lab_baseline(&b, 10, 100000, NULL);
	measured(&a, &b, NEW_DAY, slow, 2);
	v = lab_verdict(&a, 0, 0);
	assert_int_equal(v->kind, VERDICT_REGRESSION);
	change = v->change;
	measured(&r, &b, NEW_DAY + 1, good, 3);
	assert_int_equal(r.status, STATUS_PASS);
	assert_int_equal(pool(&r, &a, NULL, &e), 0);
	lab_judge(&r, &b);
	v = lab_verdict(&r, 0, 0);
	lab_expect(v, VERDICT_REGRESSION, STATUS_REGRESSION, JUNIT_FAILURE);
	assert_true(fabs(v->change - change) < 1e-12);
	lab_contains(v->text, "decided after session 2, 3 further ones beside it: 100 k IOPS");
	judged_from_the_document(&r, &b);
	result_release(&r);
	result_release(&a);
	baseline_release(&b);
}

/* A look keeps the level it was planned for, in both directions. */
static void test_looks(void **state)
{
	static const double base[] = {-.012, -.01, -.005, 0, .005, .01, .012, 0, .003, -.003};
	/* red at the level of two looks, not at that of five */
	static const double red[] = {.062, .0592, 0, 0, 0};
	static const uint32_t looks[] = {2, 2, 5, 5, 5};
	struct stored_output first, grown, five;
	bool found = false;

	(void)state;
	/* widen the baseline until the two levels part */
	for (double f = 1; f < 12 && !found; f += .05) {
		double wide[10];
		struct stored_input in = {.base = wide,
					  .nbase = 10,
					  .fresh = red,
					  .nfresh = 2,
					  .max = 2,
					  .delta = .0488,
					  .red_total = .001};

		for (size_t i = 0; i < 10; i++)
			wide[i] = base[i] * f;
		stored_judge(&in, &first);
		in.nfresh = 5;
		in.max = 5;
		stored_judge(&in, &five);
		if (first.state != SEQUENCE_REGRESSION || five.state == SEQUENCE_REGRESSION)
			continue;
		found = true;
		in.looks = looks;
		stored_judge(&in, &grown);
		assert_int_equal(grown.state, SEQUENCE_REGRESSION);
		assert_int_equal(grown.decided_at, 2);
		assert_true(fabs(grown.lower - first.lower) < 1e-15);
	}
	assert_true(found);
}

static void test_counted_once(void **state)
{
	static const double a_level[] = {97000}, b_level[] = {97500}, c_level[] = {97200};
	struct baseline b;
	struct result a, next, r, same;
	char *one, *two;
	struct err e;

	(void)state;
	lab_baseline(&b, 10, 100000, NULL);
	measured(&a, &b, NEW_DAY, a_level, 1);
	measured(&next, &b, NEW_DAY + 1, b_level, 1);
	assert_int_equal(pool(&next, &a, NULL, &e), 0);
	lab_judge(&next, &b);
	measured(&r, &b, NEW_DAY + 2, c_level, 1);
	assert_int_equal(pool(&r, &next, &a, &e), 0); /* next holds a already */
	lab_judge(&r, &b);
	assert_int_equal(r.sessions.n, 3);
	assert_int_equal(r.attempts.n, 3);
	measured(&same, &b, NEW_DAY + 2, c_level, 1);
	assert_int_equal(pool(&same, &next, NULL, &e), 0);
	lab_judge(&same, &b);
	one = verdicts_of(&r);
	two = verdicts_of(&same);
	assert_string_equal(one, two);
	assert_int_equal(pool(&a, &a, NULL, &e), 0); /* a file twice */
	assert_int_equal(a.sessions.n, 1);
	assert_int_equal(a.attempts.n, 0);
	free(one);
	free(two);
	result_release(&same);
	result_release(&r);
	result_release(&next);
	result_release(&a);
	baseline_release(&b);
}

/* The boot of each session decides about blocks, also in a baseline made of the pooled result. */
static void test_boots(void **state)
{
	static const double level[] = {100000};
	struct baseline b, own;
	struct result a, r;
	const struct result *list[] = {&r};
	struct err e;

	(void)state;
	lab_baseline(&b, 10, 100000, NULL);
	measured(&a, &b, NEW_DAY, level, 1);
	lab_fact(&a, "cpu.microcode", "0x1");
	measured(&r, &b, NEW_DAY + 1, level, 1);
	lab_fact(&r, "cpu.microcode", "0x2");
	assert_int_equal(pool(&r, &a, NULL, &e), 0);
	lab_judge(&r, &b);
	e = ERR_INIT;
	assert_int_equal(baseline_from_results(list, 1, &own, &e), 0);
	assert_int_equal(own.n, 2);
	assert_string_equal(own.sessions[0].boot_id, "boot-30");
	assert_string_equal(own.sessions[1].boot_id, "boot-31");
	assert_string_equal(facts_value(&own.sessions[0].host, "cpu.microcode"), "0x1");
	assert_string_equal(facts_value(&own.sessions[1].host, "cpu.microcode"), "0x2");
	baseline_release(&own);
	result_release(&r);
	result_release(&a);
	baseline_release(&b);
}

static void two_jobs(struct result *r, unsigned day, bool second)
{
	lab_init(r, day);
	r->change = "abc";
	lab_job(r, "rand-4k");
	lab_job(r, "seq");
	lab_gate(r, 0, "read.iops", 0.05);
	lab_gate(r, 1, "read.iops", 0.05);
	lab_session(r);
	lab_runs(r, 0, 0, 97500);
	if (second) {
		lab_runs(r, 1, 0, 50000);
		return;
	}
	r->jobs[1].state = JOB_SKIPPED;
	r->jobs[1].why = "not selected by --only rand-4k";
	r->partial = "selected by --only";
}

/* What was not selected now and was measured before keeps its verdict: a red one cannot be selected
 * away. */
static void test_carried(void **state)
{
	struct result base[2], a, r;
	const struct result *list[] = {&base[0], &base[1]};
	struct baseline b;
	struct err e = ERR_INIT;

	(void)state;
	for (unsigned i = 0; i < 2; i++) {
		two_jobs(&base[i], i, true);
		for (size_t k = 0; k < base[i].runs.n; k++)
			lab_rate(&base[i].runs.v[k].out, 100000);
	}
	assert_int_equal(baseline_from_results(list, 2, &b, &e), 0);
	two_jobs(&a, NEW_DAY, true);
	lab_runs(&a, 0, lab_session(&a), 97500);
	lab_runs(&a, 1, 1, 50000);
	lab_judge(&a, &b);
	assert_int_equal(lab_verdict(&a, 1, 1)->kind, VERDICT_REGRESSION);
	two_jobs(&r, NEW_DAY + 1, false);
	lab_judge(&r, &b);
	assert_int_not_equal(r.status, STATUS_REGRESSION);
	if (pool(&r, &a, NULL, &e) != 0)
		fail_msg("%s", e.text);
	lab_judge(&r, &b);
	assert_null(r.partial);
	assert_int_equal(r.status, STATUS_REGRESSION);
	assert_int_equal(lab_verdict(&r, 1, 1)->kind, VERDICT_REGRESSION);
	assert_int_equal(lab_verdict(&r, 0, 0)->nsessions, 3);
	judged_from_the_document(&r, &b);
	for (unsigned i = 0; i < 2; i++)
		result_release(&base[i]);
	result_release(&r);
	result_release(&a);
	baseline_release(&b);
}

static void test_missed_stays_missed(void **state)
{
	struct result a, r;
	struct err e;

	(void)state;
	for (int i = 0; i < 2; i++) {
		struct result *x = i ? &r : &a;
		struct check *c;

		lab_init(x, NEW_DAY + (unsigned)i);
		x->change = "abc";
		lab_job(x, "rand-4k");
		c = lab_check(x, 0, CHECK_EXPECT, "read.iops");
		c->op = OP_GE;
		c->limit = 99000;
		lab_runs(x, 0, lab_session(x), i ? 120000 : 90000);
		if (i)
			lab_runs(x, 0, lab_session(x), 120000);
		lab_judge(x, NULL);
	}
	assert_int_equal(a.status, STATUS_REGRESSION);
	assert_int_equal(r.status, STATUS_PASS);
	assert_int_equal(pool(&r, &a, NULL, &e), 0);
	lab_judge(&r, NULL);
	lab_expect(lab_verdict(&r, 0, 0), VERDICT_MISSED, STATUS_REGRESSION, JUNIT_FAILURE);
	lab_contains(lab_verdict(&r, 0, 0)->text, "that was attempt 1");
	/* and when a run of the later attempt fails */
	r.runs.v[12].out.status = OUTCOME_IO_ERROR;
	lab_judge(&r, NULL);
	lab_expect(lab_verdict(&r, 0, 0), VERDICT_MISSED, STATUS_REGRESSION, JUNIT_FAILURE);
	lab_contains(lab_verdict(&r, 0, 0)->text, "a later measurement failed");
	assert_int_equal(lab_verdict(&r, 0, VERDICT_MEASURE)->status, STATUS_ERROR);
	assert_int_equal(r.status, STATUS_REGRESSION);
	result_release(&r);
	result_release(&a);
}

/* Each case spoils the earlier result (or this one) in one way. */
static void inject(struct result *a, struct result *r)
{
	(void)r;
	a->inject = "slow=30%";
}
static void inject_now(struct result *a, struct result *r)
{
	(void)a;
	r->inject = "slow=30%";
}
static void interrupted(struct result *a, struct result *r)
{
	(void)r;
	a->interrupted = true;
}
static void unfinished(struct result *a, struct result *r)
{
	(void)r;
	a->unfinished = true;
}
static void budget(struct result *a, struct result *r)
{
	(void)r;
	a->partial = "the budget of 1 min is used up";
}
static void incomplete(struct result *a, struct result *r)
{
	(void)r;
	a->sessions.v[0].complete = false;
}
static void failed(struct result *a, struct result *r)
{
	(void)r;
	a->runs.v[2].out.status = OUTCOME_IO_ERROR;
}
static void other_suite(struct result *a, struct result *r)
{
	(void)r;
	a->suite = "other";
}
static void other_profile(struct result *a, struct result *r)
{
	(void)r;
	a->profile = "fast";
}
static void other_change(struct result *a, struct result *r)
{
	(void)r;
	a->change = "def";
}
static void change_then(struct result *a, struct result *r)
{
	(void)a;
	r->change = NULL;
}
static void change_now(struct result *a, struct result *r)
{
	(void)r;
	a->change = NULL;
}
static void version(struct result *a, struct result *r)
{
	(void)r;
	a->measurement_version = 1;
}
static void kernel(struct result *a, struct result *r)
{
	(void)r;
	lab_fact(a, "kernel.release", "6.12.9");
}
static void model(struct result *a, struct result *r)
{
	(void)r;
	lab_target_fact(a, "device.model", "Other");
}
static void unreadable(struct result *a, struct result *r)
{
	lab_target_fact(a, "device.model", NULL);
	lab_target_fact(r, "device.model", NULL);
}
static void firmware(struct result *a, struct result *r)
{
	a->change = r->change = NULL;
	lab_target_fact(a, "device.firmware", "1.0");
	lab_target_fact(r, "device.firmware", "1.1");
}
static void depth(struct result *a, struct result *r)
{
	(void)r;
	a->jobs[0].iodepth = 16;
}
static void runs(struct result *a, struct result *r)
{
	(void)a;
	r->jobs[0].runs = 3;
	VEC_RELEASE(&r->sessions);
	for (size_t i = 0; i < r->runs.n; i++)
		outcome_release(&r->runs.v[i].out);
	VEC_RELEASE(&r->runs);
}
static void job_gone(struct result *a, struct result *r)
{
	(void)r;
	a->jobs[0].name = "old";
}
static void tolerance(struct result *a, struct result *r)
{
	(void)a;
	r->checks[0].tolerance = 0.10;
}
static void gates_joined(struct result *a, struct result *r)
{
	a->false_alarm = r->false_alarm = .0012;
	lab_gate(r, 0, "read.clat.p99", .2);
}
static void gate_gone(struct result *a, struct result *r)
{
	(void)r;
	a->checks[0].name = "gate read.bw";
}

static void test_refused(void **state)
{
	static const double level[] = {97500};
	static const struct {
		void (*spoil)(struct result *a, struct result *r);
		const char *text;
	} cases[] = {
		{inject, "'a.json' is no evidence for this result: it is injected"},
		{inject_now, "an injected run adds no evidence to 'a.json'"},
		{interrupted, "it was interrupted"},
		{unfinished, "it is unfinished"},
		{budget, "it is partial: the budget"},
		{incomplete, "is not complete"},
		{failed, "the measurement of 'rand-4k' failed"},
		{other_suite, "it is of suite 'other', this one of 'kernel-gate'"},
		{other_profile, "it is of profile 'fast'"},
		{other_change, "it is of change 'def', this one of 'abc'"},
		{change_then, "it names the change 'abc', this one names none"},
		{change_now, "this one names the change 'abc', it names none"},
		{version, "measurement version 1 -> 2"},
		{kernel, "kernel.release 6.12.9 -> 6.12.8"},
		{model, "device.model Other -> Sample 990"},
		{unreadable, "device.model unreadable"},
		{firmware, "device.firmware 1.0 -> 1.1"},
		{depth, "'rand-4k' is another job: "},
		{runs, "runs of a session 5 -> 3"},
		{job_gone, "it measured 'old' on 'dut', which this suite lacks"},
		{tolerance, "'gate read.iops' of 'rand-4k' demanded another thing then"},
		{gates_joined, "its 1 gate turned red at a level of 0.1 % each, the 2 of the "
			       "sequence would at 0.06 %"},
		{gate_gone, "'gate read.bw' of 'rand-4k' is not in this suite any more"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct result a, r;
		struct err e;
		char *was, *is;

		measured(&a, NULL, NEW_DAY, level, 1);
		measured(&r, NULL, NEW_DAY + 1, level, 1);
		cases[i].spoil(&a, &r);
		lab_judge(&a, NULL);
		was = lab_document(&r, false);
		if (pool(&r, &a, NULL, &e) != ERR_REFUSED)
			fail_msg("case %zu was not refused", i);
		lab_contains(e.text, cases[i].text);
		is = lab_document(&r, false);
		assert_string_equal(was, is); /* untouched */
		free(was);
		free(is);
		result_release(&a);
		result_release(&r);
	}
}

/* What is selected now is a part of the family that the sequence began with. */
static void test_level_of_a_selection(void **state)
{
	struct result a, r;
	struct err e;

	(void)state;
	two_jobs(&a, NEW_DAY, true);
	two_jobs(&r, NEW_DAY + 1, false);
	a.false_alarm = r.false_alarm = .0012;
	lab_judge(&a, NULL);
	assert_int_equal(a.judged_gates, 2);
	/* on its own it was judged at a level of its own */
	assert_int_equal(pool(&r, &a, NULL, &e), ERR_REFUSED);
	lab_contains(e.text, "'new.json' is no evidence");
	for (size_t i = 0; i < r.runs.n; i++)
		outcome_release(&r.runs.v[i].out);
	VEC_RELEASE(&r.runs);
	VEC_RELEASE(&r.sessions);
	if (pool(&r, &a, NULL, &e) != 0)
		fail_msg("%s", e.text);
	result_release(&r);
	result_release(&a);
}

/* Without a change id what an unchanged machine does not keep may differ. */
static void test_without_change(void **state)
{
	static const double level[] = {97500};
	struct result a, r;
	struct err e;

	(void)state;
	measured(&a, NULL, NEW_DAY, level, 1);
	measured(&r, NULL, NEW_DAY + 1, level, 1);
	a.change = r.change = NULL;
	lab_target_fact(&a, "target.size", "1");
	lab_target_fact(&r, "target.size", "2");
	assert_int_equal(pool(&r, &a, NULL, &e), 0);
	assert_int_equal(r.sessions.n, 2);
	result_release(&a);
	result_release(&r);
}

/* A document whose sessions do not fit its attempts is damaged. */
static void test_damaged(void **state)
{
	static const double level[] = {97500};
	static const char *const from[] = {"\"from\": 1", "\"from\": 2", "\"looks\": 5"},
				 *const to[] = {"\"from\": 2", "\"from\": 3", "\"looks\": 0"};
	struct result a, r, again;
	struct err e;
	char *doc;

	(void)state;
	measured(&a, NULL, NEW_DAY, level, 1);
	measured(&r, NULL, NEW_DAY + 1, level, 1);
	assert_int_equal(pool(&r, &a, NULL, &e), 0);
	for (size_t i = 0; i < 3; i++) {
		char *at;

		doc = lab_document(&r, false);
		at = strstr(doc, from[i]);
		assert_non_null(at);
		memcpy(at, to[i], strlen(to[i]));
		e = ERR_INIT;
		assert_int_equal(result_parse(doc, strlen(doc), "x.json", &again, &e), ERR_DATA);
		free(doc);
	}
	result_release(&a);
	result_release(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_one_sequence),
		cmocka_unit_test(test_red_stays_red),
		cmocka_unit_test(test_looks),
		cmocka_unit_test(test_counted_once),
		cmocka_unit_test(test_boots),
		cmocka_unit_test(test_carried),
		cmocka_unit_test(test_missed_stays_missed),
		cmocka_unit_test(test_refused),
		cmocka_unit_test(test_level_of_a_selection),
		cmocka_unit_test(test_without_change),
		cmocka_unit_test(test_damaged),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
