/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Who may enter a baseline. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include "store.h"

static void test_first(void **state) /* gate-first-1 */
{
	struct store s;
	struct result r;
	struct err e = ERR_INIT;
	size_t stored;

	(void)state;
	store_open(&s);
	lab_simple(&r, 0, 100000);
	assert_int_equal(
		store_accept(&s, &r, &(struct accept_options){.dry_run = true}, &stored, &e), 0);
	assert_int_equal(stored, 0);
	store_load(&s);
	assert_int_equal(s.b.n, 0);
	baseline_release(&s.b);
	assert_int_equal(store_accept(&s, &r, NULL, &stored, &e), 0);
	assert_int_equal(stored, 1);
	/* the same one again */
	assert_int_equal(store_accept(&s, &r, NULL, &stored, &e), ERR_REFUSED);
	lab_contains(e.text, "stored already");
	result_release(&r);
	store_close(&s);
}

static void bad_run(struct result *r)
{
	r->runs.v[2].out.status = OUTCOME_IO_ERROR;
}
static void lost_run(struct result *r)
{
	r->runs.v[4].out.status = OUTCOME_LOST;
}
static void injected(struct result *r)
{
	r->inject = "slow=10%";
}
static void partial(struct result *r)
{
	r->partial = "--only 'rand*'";
}
static void interrupted(struct result *r)
{
	r->interrupted = true;
}
static void incomplete(struct result *r)
{
	r->sessions.v[0].complete = false;
}
static void setup_error(struct result *r)
{
	r->setup_error = "requirement unmet";
}
static void broken_job(struct result *r)
{
	struct job *j = lab_job(r, "other");

	j->state = JOB_ERROR;
	j->why = "target missing";
}
static void missing_value(struct result *r)
{
	lab_gate(r, 0, "read.clat.mean", .2);
}
static void bad_suite(struct result *r)
{
	r->suite = "../../etc";
}
static void other_profile(struct result *r)
{
	r->profile = "other";
}
static void bad_id(struct result *r)
{
	snprintf(r->sessions.v[0].id, sizeof(r->sessions.v[0].id), "../x");
}
static void no_session(struct result *r)
{
	r->sessions.n = 0;
}
static void unfinished(struct result *r)
{
	r->unfinished = true;
}
static void nothing_done(struct result *r)
{
	lab_rate(&r->runs.v[1].out, 0);
}
static void one_of_three(struct result *r)
{
	r->sessions_min = 3;
}

static void test_refused(void **state)
{
	static const struct {
		void (*spoil)(struct result *r);
		const char *text;
	} cases[] = {
		{bad_run, "failed"},
		{lost_run, "failed"},
		{injected, "injected"},
		{partial, "partial"},
		{interrupted, "interrupted"},
		{incomplete, "not complete"},
		{setup_error, "requirement"},
		{broken_job, "target missing"},
		{missing_value, "has no value"},
		{bad_suite, "suite"},
		{other_profile, "profile"},
		{bad_id, "session"},
		{no_session, "no judged session"},
		{unfinished, "no end"},
		{nothing_done, "no I/O completed"},
		{one_of_three, "not measured in session 2 of at least 3"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		for (unsigned epoch = 0; epoch < 2;
		     epoch++) { /* a new epoch excuses none of them */
			struct accept_options o = {.new_epoch = epoch, .reason = "ticket"};
			struct err e = ERR_INIT;
			struct store s;
			struct result r;
			size_t stored;

			store_open(&s);
			lab_simple(&r, 0, 100000);
			cases[i].spoil(&r);
			if (store_accept(&s, &r, &o, &stored, &e) != ERR_REFUSED)
				fail_msg("case %zu accepted", i);
			lab_contains(e.text, cases[i].text);
			assert_int_equal(stored, 0);
			store_load(&s);
			assert_int_equal(s.b.n, 0);
			baseline_release(&s.b);
			result_release(&r);
			store_close(&s);
		}
	}
}

/* A result of sessions at these levels; each is one block. */
static void levels(struct result *r, unsigned day, const double *level, unsigned n)
{
	lab_init(r, day);
	lab_job(r, "rand-4k");
	lab_gate(r, 0, "read.iops", .05);
	for (unsigned i = 0; i < n; i++)
		lab_runs(r, 0, lab_session(r), level[i]);
}

/* Below five blocks the comparison is not asked; from five on the level is defended. */
static void test_level(void **state)
{
	static const struct {
		unsigned have, n;
		double level[5];
		bool new_epoch;
		const char *reason;
		int code;
	} cases[] = {
		{4, 5, {70000, 70000, 70000, 70000, 70000}, false, NULL, 0},
		{5, 2, {100000, 100000}, false, NULL, 0},
		{5, 2, {130000, 130000}, false, NULL, 0},          /* improvement */
		{10, 1, {92000}, false, NULL, 0},                  /* inconclusive */
		{10, 2, {90000, 90000}, false, NULL, ERR_REFUSED}, /* regression */
		{10, 2, {90000, 90000}, false, "ticket", ERR_REFUSED},
		{10, 2, {90000, 90000}, true, NULL, ERR_REFUSED},
		{10, 2, {90000, 90000}, true, "", ERR_REFUSED},
		{10, 2, {90000, 90000}, true, "ticket", 0},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct accept_options o = {.new_epoch = cases[i].new_epoch,
					   .reason = cases[i].reason};
		struct err e = ERR_INIT;
		struct store s;
		struct result r;
		size_t stored;

		store_open(&s);
		store_fill(&s, cases[i].have, 100000);
		levels(&r, 40, cases[i].level, cases[i].n);
		if (store_accept(&s, &r, &o, &stored, &e) != cases[i].code)
			fail_msg("case %zu: %s", i, e.text);
		assert_int_equal(stored, cases[i].code ? 0 : cases[i].n);
		store_load(&s);
		assert_int_equal(s.b.n, cases[i].have + stored);
		assert_int_equal(s.b.epoch, cases[i].new_epoch && !cases[i].code ? 2 : 1);
		baseline_release(&s.b);
		result_release(&r);
		store_close(&s);
	}
}

/* The new epoch is the level from then on, and the loss against the first one is not forgotten. */
static void test_epoch(void **state)
{
	static const double red[] = {90000, 90000}, same[] = {90000};
	struct store s;
	struct result r;
	struct err e = ERR_INIT;
	size_t stored;
	const struct verdict *v;

	(void)state;
	store_open(&s);
	store_fill(&s, 10, 100000);
	levels(&r, 40, red, 2);
	assert_int_equal(store_accept(&s, &r,
				      &(struct accept_options){.new_epoch = true, .reason = "t"},
				      &stored, &e),
			 0);
	result_release(&r);
	levels(&r, 41, same, 1);
	store_load(&s);
	lab_judge(&r, &s.b);
	v = lab_verdict(&r, 0, 0);
	assert_true(v->provisional);
	assert_int_equal(v->base_sessions, 2);
	assert_int_equal(v->base_blocks, 1);
	assert_true(fabs(v->change) < 1e-6);
	lab_contains(v->text, "worse than the first sessions of the baseline");
	assert_non_null(v->creep);
	lab_contains(v->text, v->creep);
	baseline_release(&s.b);
	result_release(&r);
	store_close(&s);
}

/* What the baseline demands and nobody retired may not leave through an acceptance: not in this
 * epoch and not with a new one. */
static void test_forgotten(void **state)
{
	static const double good[] = {100000};
	struct store s;
	struct err e = ERR_INIT;
	struct result r;
	size_t stored;

	(void)state;
	store_open(&s);
	levels(&r, 0, good, 1);
	lab_job(&r, "second");
	lab_gate(&r, 1, "read.iops", .05);
	lab_runs(&r, 1, 0, 50000);
	assert_int_equal(store_accept(&s, &r, NULL, &stored, &e), 0);
	result_release(&r);
	for (unsigned epoch = 0; epoch < 2; epoch++) {
		struct accept_options o = {.new_epoch = epoch, .reason = "ticket"};

		levels(&r, 1 + epoch, good, 1);
		assert_int_equal(store_accept(&s, &r, &o, &stored, &e), ERR_REFUSED);
		lab_contains(e.text, "dut second is in the baseline");
		lab_contains(e.text, "baseline retire");
		/* the check alone is gone */
		lab_job(&r, "second");
		lab_runs(&r, 1, 0, 50000);
		assert_int_equal(store_accept(&s, &r, &o, &stored, &e), ERR_REFUSED);
		lab_contains(e.text, "dut second gate read.iops");
		result_release(&r);
	}
	store_load(&s);
	assert_int_equal(s.b.n, 1);
	assert_int_equal(baseline_retire(&s.b, "dut second", "me", "sold", false, &e), 0);
	baseline_release(&s.b);
	levels(&r, 3, good, 1);
	assert_int_equal(store_accept(&s, &r,
				      &(struct accept_options){.new_epoch = true, .reason = "t"},
				      &stored, &e),
			 0);
	result_release(&r);
	store_close(&s);
}

/* Several sessions of one boot, in one result or one after the other, may all enter. */
static void test_one_boot(void **state)
{
	static const double good[] = {100000, 100100, 99900};
	struct store s;
	struct err e = ERR_INIT;
	size_t stored;

	(void)state;
	store_open(&s);
	for (unsigned i = 0; i < 2; i++) {
		struct result r;

		levels(&r, i, good, 3);
		lab_fact(&r, "boot.id", "one");
		assert_int_equal(store_accept(&s, &r, NULL, &stored, &e), 0);
		assert_int_equal(stored, 3);
		result_release(&r);
	}
	store_load(&s);
	assert_int_equal(s.b.n, 6);
	baseline_release(&s.b);
	store_close(&s);
}

/* A gate that is new has no level to defend; a job that changed has. */
static void test_new_gate(void **state)
{
	static const double good[] = {100000};
	struct store s;
	struct result r;
	struct err e = ERR_INIT;
	size_t stored;

	(void)state;
	store_open(&s);
	store_fill(&s, 6, 100000);
	levels(&r, 40, good, 1);
	lab_job(&r, "added");
	lab_gate(&r, 1, "read.iops", .05);
	lab_runs(&r, 1, 0, 50000);
	assert_int_equal(store_accept(&s, &r, NULL, &stored, &e), 0);
	result_release(&r);
	levels(&r, 41, good, 1);
	lab_job(&r, "added");
	lab_gate(&r, 1, "read.iops", .05);
	lab_runs(&r, 1, 0, 50000);
	r.jobs[0].bs = 8192;
	assert_int_equal(store_accept(&s, &r, NULL, &stored, &e), ERR_REFUSED);
	lab_contains(e.text, "incomparable");
	result_release(&r);
	store_close(&s);
}

/* A result judged before another session came in does not slip past the level. */
static void test_stale(void **state)
{
	static const double good[] = {100000};
	struct accept_options o = {.who = "tester"};
	struct store s;
	struct result r;
	struct err e = ERR_INIT;
	struct str text;
	size_t stored;

	(void)state;
	store_open(&s);
	levels(&r, 40, good, 1);
	lab_judge(&r, NULL);
	store_fill(&s, 1, 100000);
	store_load(&s);
	o.dir = s.dir;
	str_init(&text);
	assert_int_equal(baseline_accept(&r, &s.b, &o, &stored, &text, &e), ERR_REFUSED);
	lab_contains(e.text, "another state");
	str_release(&text);
	baseline_release(&s.b);
	result_release(&r);
	store_close(&s);
}

/*
 * gate-drift-2 with acceptance: 2 % a step, each accepted, moves the level and widens the noise so
 * that no step is red. The cumulative loss is named from the step on where it exceeds the
 * tolerance, and none beyond it passes.
 */
static void test_drift(void **state)
{
	struct store s;
	double level = 100000;

	(void)state;
	store_open(&s);
	store_fill(&s, 10, level);
	for (unsigned step = 1; step <= 5; step++) {
		double at[2];
		struct result r;
		struct err e = ERR_INIT;
		const struct verdict *v;
		size_t stored;

		level *= .98;
		at[0] = level;
		at[1] = level * 1.001;
		levels(&r, 40 + step, at, 2);
		store_accept(&s, &r, NULL, &stored, &e);
		v = lab_verdict(&r, 0, 0);
		assert_int_equal(strstr(v->text, "worse than the first sessions of the baseline") !=
					 NULL,
				 step >= 3);
		if (step >= 3)
			assert_int_not_equal(v->kind, VERDICT_PASS);
		result_release(&r);
	}
	store_close(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_first),    cmocka_unit_test(test_refused),
		cmocka_unit_test(test_level),    cmocka_unit_test(test_epoch),
		cmocka_unit_test(test_new_gate), cmocka_unit_test(test_stale),
		cmocka_unit_test(test_drift),    cmocka_unit_test(test_forgotten),
		cmocka_unit_test(test_one_boot),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
