/* SPDX-License-Identifier: GPL-2.0-or-later */
/* spread(METRIC) <= X: one check of a workload over all its targets. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include "lab.h"

#define TARGETS 3

/* The same workload on each target, at that level, and a second one between them. */
static struct check *spread(struct result *r, const double *level, size_t n, double limit)
{
	static const char *const role[TARGETS] = {"left", "middle", "right"};
	struct check *c;
	uint32_t session;

	lab_init(r, 1);
	r->targets = xreallocarray(r->targets, TARGETS + 1, sizeof(*r->targets));
	for (size_t t = 1; t < n; t++) {
		r->targets[t] = lab_block(role[t], role[t], role[t]);
		facts_init(&r->targets[t].facts);
	}
	r->targets[0].role = role[0];
	r->ntargets = n;
	session = lab_session(r);
	for (uint32_t t = 0; t < n; t++) {
		lab_job(r, "rand-4k")->target = t;
		if (level[t] > 0)
			lab_runs(r, (uint32_t)r->njobs - 1, session, level[t]);
	}
	c = lab_check(r, 0, CHECK_EXPECT, "read.iops");
	c->spread = true;
	c->op = OP_LE;
	c->limit = limit;
	return c;
}

static void test_limit(void **state)
{
	static const struct {
		double level[TARGETS];
		size_t n;
		double limit, value;
		enum check_op op;
		bool met;
	} cases[] = {
		{{100000, 110000, 90000}, 3, 0.2, 0.2, OP_LE, true},
		{{100000, 110000, 90000}, 3, 0.2, 0.2, OP_LT, false},
		{{100000, 110000, 80000}, 3, 0.2, 0.3, OP_LE, false},
		{{110000, 90000}, 2, 0.2, 0.2, OP_LE, true},
		/* the outlier is not in the median it is held against */
		{{100000, 100000, 50000}, 3, 0.49, 0.5, OP_LE, false},
		{{100000, 100000}, 2, 0.01, 0, OP_LE, true},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct result r;
		const struct verdict *v;

		spread(&r, cases[i].level, cases[i].n, cases[i].limit)->op = cases[i].op;
		lab_judge(&r, NULL);
		v = lab_verdict(&r, 0, 0);
		lab_expect(v, cases[i].met ? VERDICT_PASS : VERDICT_MISSED,
			   cases[i].met ? STATUS_PASS : STATUS_REGRESSION,
			   cases[i].met ? JUNIT_CASE : JUNIT_FAILURE);
		assert_true(fabs(v->value - cases[i].value) < 1e-12);
		assert_true(v->limit == cases[i].limit);
		assert_string_equal(v->judged, "spread(read.iops)");
		assert_int_equal(v->judged_unit, UNIT_RATIO);
		assert_int_equal(r.status, v->status);
		result_release(&r);
	}
}

static void test_text(void **state)
{
	struct result r;

	(void)state;
	spread(&r, (double[]){100000, 110000, 80000}, 3, 0.2);
	lab_judge(&r, NULL);
	lab_contains(lab_verdict(&r, 0, 0)->text, "'right' is lowest with 80.0 k IOPS");
	lab_contains(lab_verdict(&r, 0, 0)->text, "'middle' highest with 110 k IOPS");
	lab_contains(lab_verdict(&r, 0, 0)->text, "median is 100 k IOPS");
	result_release(&r);
}

/* Alike are those that are there: a target without a value is never left out. */
static void test_missing_target(void **state)
{
	const double level[] = {100000, 100000, 100000};

	(void)state;
	for (unsigned what = 0; what < 6; what++) {
		struct result r;
		const struct verdict *v;
		struct run *run;

		spread(&r, level, 3, 0.2);
		run = &r.runs.v[7]; /* of the middle one */
		assert_int_equal(run->job, 1);
		if (what == 0) {
			run->out.status = OUTCOME_IO_ERROR;
		} else if (what == 1) {
			lab_rate(&run->out, 0);
		} else if (what == 2) {
			r.jobs[2].state = JOB_ERROR;
			r.jobs[2].why = "it is gone";
		} else if (what == 3) {
			r.jobs[1].state = JOB_SKIPPED;
			r.jobs[1].why = "when: no";
		} else if (what == 4) {
			r.jobs[1].name = "another";
		} else {
			r.jobs[0].state = JOB_SKIPPED; /* its own */
			r.jobs[0].why = "when: no";
		}
		lab_judge(&r, NULL);
		v = lab_verdict(&r, 0, 0);
		lab_expect(v, VERDICT_ERROR, STATUS_ERROR, JUNIT_ERROR);
		lab_contains(v->text, what == 2 ? "'right'" : what == 5 ? "'left'" : "'middle'");
		assert_int_equal(r.status, STATUS_ERROR);
		result_release(&r);
	}
}

static void test_all_skipped(void **state)
{
	struct result r;

	(void)state;
	spread(&r, (double[]){0, 0, 0}, 3, 0.2);
	for (size_t i = 0; i < 3; i++) {
		r.jobs[i].state = JOB_SKIPPED;
		r.jobs[i].why = "not selected";
	}
	lab_judge(&r, NULL);
	lab_expect(lab_verdict(&r, 0, 0), VERDICT_SKIPPED, STATUS_PASS, JUNIT_SKIPPED);
	assert_int_equal(r.status, STATUS_ERROR); /* nothing was measured */
	result_release(&r);
}

/* Its own measurement failed: that is the evidence, and nothing is judged on it. */
static void test_own_failed(void **state)
{
	struct result r;

	(void)state;
	spread(&r, (double[]){100000, 100000}, 2, 0.2);
	r.runs.v[0].out.status = OUTCOME_IO_ERROR;
	lab_judge(&r, NULL);
	lab_expect(lab_verdict(&r, 0, 0), VERDICT_SKIPPED, STATUS_PASS, JUNIT_SKIPPED);
	assert_int_equal(r.status, STATUS_ERROR);
	result_release(&r);
}

static void test_one_target(void **state)
{
	struct result r;

	(void)state;
	spread(&r, (double[]){100000}, 1, 0.2);
	lab_judge(&r, NULL);
	lab_expect(lab_verdict(&r, 0, 0), VERDICT_ERROR, STATUS_ERROR, JUNIT_ERROR);
	lab_contains(lab_verdict(&r, 0, 0)->text, "two at least");
	result_release(&r);
}

/* The document tells all that the verdict needs; jobs may stand in any order. */
static void test_offline(void **state)
{
	struct result r, again;
	struct err e = ERR_INIT;
	const struct verdict *v, *w;

	(void)state;
	spread(&r, (double[]){100000, 110000, 83333}, 3, 0.2);
	for (uint32_t i = 0; i < 9; i++) { /* others between, farther than the targets are many */
		struct job *j = lab_job(&r, arena_printf(&r.arena, "other-%u", i));

		j->state = JOB_SKIPPED;
		j->why = "not selected";
	}
	for (size_t i = 0; i < r.runs.n; i++)
		if (r.runs.v[i].job == 2)
			r.runs.v[i].job = 11;
	r.jobs[11] = r.jobs[2];
	r.jobs[2].name = "moved";
	r.jobs[2].state = JOB_SKIPPED;
	r.jobs[2].why = "not selected";
	lab_judge(&r, NULL);
	v = lab_verdict(&r, 0, 0);
	lab_expect(v, VERDICT_MISSED, STATUS_REGRESSION, JUNIT_FAILURE);
	assert_int_equal(lab_again(&r, true, &again, &e), 0);
	assert_true(again.checks[0].spread);
	lab_judge(&again, NULL);
	w = lab_verdict(&again, 0, 0);
	assert_true(v->value >= w->value && v->value <= w->value);
	assert_string_equal(v->text, w->text);
	result_release(&again);
	result_release(&r);
}

/* A further session makes the medians alike: what an attempt missed stays missed. */
static void test_attempts(void **state)
{
	struct result r;
	const struct verdict *v;
	uint32_t second;

	(void)state;
	spread(&r, (double[]){100000, 60000}, 2, 0.2);
	for (unsigned i = 0; i < 2; i++) {
		second = lab_session(&r);
		lab_runs(&r, 0, second, 100000);
		lab_runs(&r, 1, second, 100000);
		*VEC_PUSH(&r.attempts) = (struct attempt){0};
	}
	for (uint32_t i = 0; i < 3; i++)
		r.sessions.v[i].from = i ? 2 : 1;
	lab_judge(&r, NULL);
	v = lab_verdict(&r, 0, 0);
	lab_expect(v, VERDICT_MISSED, STATUS_REGRESSION, JUNIT_FAILURE);
	lab_contains(v->text, "that was attempt 1");
	r.attempts.n = 0;
	lab_judge(&r, NULL);
	lab_expect(lab_verdict(&r, 0, 0), VERDICT_PASS, STATUS_PASS, JUNIT_CASE);
	result_release(&r);
}

/* What an attempt missed on whole sessions stands, though a later session failed: on its own target
 * or on another one. What was not missed before is an error then. */
static void test_attempt_failed_later(void **state)
{
	(void)state;
	for (unsigned own = 0; own < 2; own++)
		for (unsigned missed = 0; missed < 2; missed++) {
			struct result r;
			const struct verdict *v;
			uint32_t second;

			spread(&r, (double[]){100000, missed ? 60000 : 100000}, 2, 0.2);
			second = lab_session(&r);
			lab_runs(&r, 0, second, 100000);
			lab_runs(&r, 1, second, 100000);
			for (uint32_t i = 0; i < 2; i++) {
				r.sessions.v[i].from = i + 1;
				*VEC_PUSH(&r.attempts) = (struct attempt){.sessions_min = 1};
			}
			r.runs.v[own ? 10 : 15].out.status = OUTCOME_IO_ERROR;
			assert_int_equal(r.runs.v[own ? 10 : 15].job, !own);
			lab_judge(&r, NULL);
			v = lab_verdict(&r, 0, 0);
			if (missed)
				lab_contains(v->text, "that was attempt 1");
			if (missed)
				lab_expect(v, VERDICT_MISSED, STATUS_REGRESSION, JUNIT_FAILURE);
			else if (own)
				lab_expect(v, VERDICT_SKIPPED, STATUS_PASS, JUNIT_SKIPPED);
			else
				lab_expect(v, VERDICT_ERROR, STATUS_ERROR, JUNIT_ERROR);
			r.attempts.n = 0;
			result_release(&r);
		}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_limit),
		cmocka_unit_test(test_text),
		cmocka_unit_test(test_missing_target),
		cmocka_unit_test(test_all_skipped),
		cmocka_unit_test(test_own_failed),
		cmocka_unit_test(test_one_target),
		cmocka_unit_test(test_offline),
		cmocka_unit_test(test_attempts),
		cmocka_unit_test(test_attempt_failed_later),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
