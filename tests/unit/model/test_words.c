/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Words of the enums, policy, precedence of the status, facts. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include "model/result.h"
#include <stdio.h>

#define ROUND_TRIP(prefix, type, count)                                                            \
	do {                                                                                       \
		for (unsigned i = 0; i < (count); i++) {                                           \
			type back = (type)99;                                                      \
			const char *name = prefix##_name((type)i);                                 \
			assert_int_equal(prefix##_find(name, &back), 0);                           \
			assert_int_equal(back, i);                                                 \
			assert_true(*name &&*name != '?');                                         \
		}                                                                                  \
		type keep = (type)1;                                                               \
		assert_int_equal(prefix##_find("", &keep), -1);                                    \
		assert_int_equal(prefix##_find("nonsense", &keep), -1);                            \
		assert_int_equal(prefix##_find(NULL, &keep), -1);                                  \
		assert_int_equal(keep, 1);                                                         \
		assert_string_equal(prefix##_name((type)(count)), "?");                            \
	} while (0)

static void test_round_trips(void **state)
{
	(void)state;
	ROUND_TRIP(job_rw, enum job_rw, RW_RANDTRIM + 1);
	ROUND_TRIP(job_sync, enum job_sync, SYNC_DSYNC + 1);
	ROUND_TRIP(job_files, enum job_files, FILES_PER_JOB + 1);
	ROUND_TRIP(job_state, enum job_state, JOB_ERROR + 1);
	ROUND_TRIP(target_kind, enum target_kind, TARGET_DIR + 1);
	ROUND_TRIP(outcome_status, enum outcome_status, OUTCOME_ADMISSION + 1);
	ROUND_TRIP(check_op, enum check_op, OP_NE + 1);
	ROUND_TRIP(check_kind, enum check_kind, CHECK_EXPECT + 1);
	ROUND_TRIP(check_role, enum check_role, ROLE_WATCH + 1);
	for (unsigned i = 0; i <= VERDICT_SKIPPED; i++)
		for (unsigned k = 0; k < i; k++)
			assert_string_not_equal(verdict_name((enum verdict_kind)i),
						verdict_name((enum verdict_kind)k));
}

static void test_exact_words(void **state)
{
	enum job_rw rw;

	(void)state;
	assert_string_equal(outcome_status_name(OUTCOME_IO_ERROR), "io_error");
	assert_string_equal(verdict_name(VERDICT_NO_BASELINE), "no-baseline");
	assert_string_equal(value_state_name(VALUE_NA), "n/a");
	assert_string_equal(value_state_name(VALUE_INSUFFICIENT), "insufficient");
	assert_string_equal(io_dir_name(DIR_TRIM), "trim");
	assert_string_equal(io_dir_name(DIR_COUNT), "?");
	assert_string_equal(check_op_name(OP_NE), "!=");
	assert_string_equal(junit_shape_name(JUNIT_SKIPPED), "skipped");
	assert_int_equal(job_rw_find("RandRead", &rw), -1);
	assert_int_equal(job_rw_find("rand", &rw), -1);
}

static void test_directions(void **state)
{
	static const struct {
		enum job_rw rw;
		bool reads, writes, random;
	} cases[] = {
		{RW_READ, true, false, false},    {RW_WRITE, false, true, false},
		{RW_RANDREAD, true, false, true}, {RW_RANDWRITE, false, true, true},
		{RW_RW, true, true, false},       {RW_RANDRW, true, true, true},
		{RW_TRIM, false, true, false},    {RW_RANDTRIM, false, true, true},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct job j = {.rw = cases[i].rw, .rwmixread = 100};

		assert_int_equal(job_reads(&j), cases[i].reads);
		assert_int_equal(job_writes(&j), cases[i].writes);
		assert_int_equal(job_random(&j), cases[i].random);
		assert_int_equal(job_trims(&j), i >= 6);
	}
}

static void test_policy(void **state)
{
	struct policy p = POLICY_DEFAULT;
	struct err e = ERR_INIT;

	(void)state;
	assert_string_equal(policy_word(&p, "inconclusive"), "report");
	assert_string_equal(policy_word(&p, "no_baseline"), "fail");
	assert_string_equal(policy_word(&p, "provisional"), "judge");
	assert_int_equal(policy_set(&p, "inconclusive", "warn", &e), 0);
	assert_int_equal(policy_set(&p, "no_baseline", "warn", &e), 0);
	assert_int_equal(policy_set(&p, "provisional", "fail", &e), 0);
	assert_int_equal(p.inconclusive, INCONCLUSIVE_WARN);
	assert_int_equal(p.no_baseline, NO_BASELINE_WARN);
	assert_int_equal(p.provisional, PROVISIONAL_FAIL);
	assert_string_equal(policy_word(&p, "no_baseline"), "warn");
	assert_int_equal(e.code, 0);
	assert_null(policy_word(&p, "nothing"));
}

static void test_policy_errors(void **state)
{
	struct policy p = POLICY_DEFAULT;
	struct err e = ERR_INIT;

	(void)state;
	assert_int_equal(policy_set(&p, "inconclusive", "ignore", &e), ERR_USAGE);
	assert_non_null(strstr(e.text, "'ignore'"));
	assert_non_null(strstr(e.hint, "report, fail, warn"));
	assert_int_equal(policy_set(&p, "no_baseline", "report", &e), ERR_USAGE);
	assert_non_null(strstr(e.hint, "fail, warn"));
	assert_int_equal(policy_set(&p, "regression", "warn", &e), ERR_USAGE);
	assert_non_null(strstr(e.text, "'regression'"));
	assert_non_null(strstr(e.hint, "no_baseline=fail|warn"));
	assert_int_equal(policy_set(&p, "inconclusive", NULL, &e), ERR_USAGE);
	assert_int_equal(policy_set(&p, NULL, "fail", &e), ERR_USAGE);
	assert_int_equal(p.inconclusive, INCONCLUSIVE_REPORT);
}

static void test_status(void **state)
{
	static const enum exit_status order[] = {0, 3, 5, 4, 1, 2, 130};

	(void)state;
	for (size_t i = 0; i < 7; i++) {
		for (size_t k = 0; k < 7; k++)
			assert_int_equal(status_worse(order[i], order[k]), order[i > k ? i : k]);
		for (size_t k = 0; k < i; k++)
			assert_string_not_equal(status_meaning(order[i]), status_meaning(order[k]));
	}
	/* a number that is none of them must not count as a pass */
	assert_int_equal(status_worse(STATUS_PASS, (enum exit_status)77), STATUS_ERROR);
	assert_string_equal(status_meaning(STATUS_REGRESSION),
			    "a regression or a missed expectation");
}

static void test_facts(void **state)
{
	struct arena a;
	struct facts f, g;
	char key[16];

	(void)state;
	arena_init(&a);
	facts_init(&f);
	facts_init(&g);
	for (unsigned i = 0; i < 100; i++) {
		snprintf(key, sizeof(key), "k%02u", (i * 37) % 100);
		facts_set(&f, &a, key, key, NULL);
	}
	assert_int_equal(f.n, 100);
	for (size_t i = 1; i < f.n; i++)
		assert_true(strcmp(f.v[i - 1].key, f.v[i].key) < 0);
	assert_string_equal(facts_value(&f, "k42"), "k42");
	assert_null(facts_find(&f, "k"));
	assert_null(facts_find(&f, "z"));
	facts_set(&f, &a, "k42", NULL, "no permission");
	assert_int_equal(f.n, 100);
	assert_null(facts_value(&f, "k42"));
	assert_string_equal(facts_find(&f, "k42")->why, "no permission");
	facts_set(&f, &a, "k43", NULL, NULL);
	assert_true(*facts_find(&f, "k43")->why);
	facts_set(&f, &a, "k42", facts_value(&f, "k41"), "not used");
	assert_string_equal(facts_value(&f, "k42"), "k41");
	assert_null(facts_find(&f, "k42")->why);
	facts_set(&g, &a, "only.b", "b", NULL);
	facts_set(&g, &a, "k41", "b", NULL);
	assert_string_equal(facts_find2(&f, &g, "k41")->value, "k41");
	assert_string_equal(facts_find2(&f, &g, "only.b")->value, "b");
	assert_null(facts_find2(&f, &g, "none"));
	facts_release(&f);
	facts_release(&g);
	assert_null(facts_find(&f, "k42"));
	arena_release(&a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_round_trips),   cmocka_unit_test(test_exact_words),
		cmocka_unit_test(test_directions),    cmocka_unit_test(test_policy),
		cmocka_unit_test(test_policy_errors), cmocka_unit_test(test_status),
		cmocka_unit_test(test_facts),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
