/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a reader must not miss, must not read twice, or must not take for something else. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "report/view.h"
#include "sample.h"

static const struct console_options plain = {.width = 80};

static void block_of(const struct sample *s, const struct verdict *v,
		     const struct console_options *o, struct str *out)
{
	struct view w;

	view_init(&w, &s->r);
	view_block(&w, v, o, out);
	view_release(&w);
}

static struct verdict *a_regression(struct sample *s)
{
	struct verdict *v =
		sample_verdict(s, 0, 0, VERDICT_REGRESSION, JUNIT_FAILURE, STATUS_REGRESSION);

	v->change = -0.073;
	v->low = -0.092;
	v->high = -0.053;
	v->tolerance = 0.05;
	v->value = 412000;
	v->base_value = 444000;
	v->base_sessions = 10;
	v->base_blocks = 9;
	v->base_first = 1790899200; /* 2026-10-02 */
	v->base_last = 1795824000;  /* 2026-11-28 */
	v->nsessions = 2;
	v->session_values[0] = 409000;
	v->session_values[1] = 415000;
	v->text = "read.iops -7.3 %: worse beyond the tolerance";
	return v;
}

static void a_suspected_environment_is_told_once(void **state)
{
	(void)state;
	struct sample s;
	struct str out;
	const char *first;

	sample_init(&s);
	for (uint32_t i = 0; i < 2; i++) {
		struct verdict *v =
			sample_verdict(&s, i, i, VERDICT_ERROR, JUNIT_ERROR, STATUS_ERROR);

		v->type = "environment";
		v->text = i ? "suspected; was: that" : "suspected; was: this";
	}
	str_init(&out);
	report_console(&s.r, &plain, &out);
	first = strstr(out.s, "why:");
	assert_non_null(first);
	assert_null(strstr(first + 1, "why:"));
	assert_non_null(strstr(out.s, "also:      b gate read.iops\n"));
	str_release(&out);
	sample_release(&s);
}

static void last_line_of(const struct sample *s, enum exit_status status, struct str *out)
{
	const struct result *r = &s->r;

	str_clear(out);
	report_last_line(&r, 1, status, &plain, out);
}

/* What a policy made of a verdict is not told as what was found. */
static void the_last_line_names_the_policy(void **state)
{
	(void)state;
	struct sample s;
	struct str out;

	str_init(&out);
	sample_init(&s);
	sample_verdict(&s, 0, 0, VERDICT_PASS, JUNIT_CASE, STATUS_PASS);
	sample_verdict(&s, 1, 1, VERDICT_INCONCLUSIVE, JUNIT_SKIPPED, STATUS_PASS);
	last_line_of(&s, STATUS_PASS, &out);
	assert_non_null(strstr(out.s, "status 0: no loss was shown; 1 undecided let pass by policy "
				      "inconclusive=warn\n"));
	s.r.verdicts.v[1].kind = VERDICT_NO_BASELINE;
	last_line_of(&s, STATUS_PASS, &out);
	assert_non_null(strstr(out.s, "1 without baseline let pass by policy no_baseline=warn\n"));
	s.r.verdicts.v[1].watch = true; /* never asked */
	last_line_of(&s, STATUS_PASS, &out);
	assert_non_null(strstr(out.s, "status 0: no loss was found\n"));
	s.r.verdicts.v[1].watch = false;
	s.r.verdicts.v[1].kind = VERDICT_INCONCLUSIVE;
	s.r.verdicts.v[1].status = STATUS_REGRESSION;
	last_line_of(&s, STATUS_REGRESSION, &out);
	assert_non_null(strstr(out.s, "status 1: no regression was shown; 1 undecided failed by "
				      "policy inconclusive=fail\n"));
	s.r.verdicts.v[0].kind = VERDICT_REGRESSION;
	s.r.verdicts.v[0].status = STATUS_REGRESSION;
	last_line_of(&s, STATUS_REGRESSION, &out);
	assert_non_null(strstr(out.s, "status 1: a regression or a missed expectation\n"));
	s.r.verdicts.v[0].kind = VERDICT_PASS;
	s.r.verdicts.v[0].status = s.r.verdicts.v[1].status = STATUS_NO_BASELINE;
	s.r.verdicts.v[0].type = s.r.verdicts.v[1].type = "provisional";
	last_line_of(&s, STATUS_NO_BASELINE, &out);
	assert_non_null(strstr(out.s, "the baseline of 2 is too thin for policy provisional=fail"));
	str_release(&out);
	sample_release(&s);
}

static void figures_at_equal_level_are_marked(void **state)
{
	(void)state;
	struct sample s;
	struct str out;
	struct verdict *v;

	str_init(&out);
	sample_init(&s);
	v = a_regression(&s);
	v->adjusted_by = "still";
	block_of(&s, v, &plain, &out);
	assert_non_null(strstr(out.s, "412 k IOPS, was 444 k IOPS"));
	assert_non_null(strstr(out.s, "at equal level of canary 'still', not as"));
	assert_non_null(strstr(out.s, "measured 409 k IOPS, 415 k IOPS"));
	str_clear(&out);
	report_console(&s.r, &plain, &out);
	assert_non_null(strstr(out.s, " adjusted\n"));
	str_release(&out);
	sample_release(&s);
}

static void another_baseline_is_told(void **state)
{
	(void)state;
	struct sample s;
	struct str out;

	str_init(&out);
	sample_init(&s);
	a_regression(&s);
	report_console(&s.r, &plain, &out); /* the document does not say */
	assert_null(strstr(out.s, "judged again"));
	s.r.then_status = STATUS_INCONCLUSIVE;
	s.r.then_digest = s.r.baseline_digest = "a";
	report_console(&s.r, &plain, &out);
	assert_null(strstr(out.s, "judged again"));
	s.r.baseline_digest = "b";
	report_console(&s.r, &plain, &out);
	assert_non_null(strstr(out.s, "judged again, and the baseline is another one than when "
				      "this result was written: status then 3, now 1\n"));
	str_release(&out);
	sample_release(&s);
}

/* A red attempt that the sequence is not red for, and one behind a decision. */
static void a_hidden_red_is_loud(void **state)
{
	(void)state;
	struct sample s;
	struct str out;
	struct verdict *v;

	str_init(&out);
	sample_init(&s);
	v = sample_verdict(&s, 0, 0, VERDICT_PASS, JUNIT_CASE, STATUS_PASS);
	v->worse_after = true;
	v->change = 0;
	for (unsigned i = 0; i < 2; i++)
		*VEC_PUSH(&s.r.attempts) =
			(struct attempt){.status = i ? STATUS_REGRESSION : STATUS_PASS};
	report_console(&s.r, &plain, &out);
	assert_non_null(strstr(out.s, "WARNING: red by itself: attempt 2; "));
	assert_non_null(strstr(out.s, "WORSE BEHIND ITS DECISION"));
	last_line_of(&s, STATUS_PASS, &out);
	assert_non_null(strstr(out.s, "1 worse behind its decision, 1 attempt red by itself"));
	s.r.status = STATUS_REGRESSION;
	str_clear(&out);
	report_console(&s.r, &plain, &out);
	assert_null(strstr(out.s, "WARNING"));
	str_release(&out);
	sample_release(&s);
}

/* It would go no better, or is judged elsewhere. */
static void again_only_where_it_helps(void **state)
{
	(void)state;
	struct sample s;
	struct str out;
	struct verdict *v;
	const struct console_options o = {.width = 80, .command = "blkgate run x.yaml"};

	str_init(&out);
	sample_init(&s);
	s.r.inject = "slow=30%";
	v = sample_verdict(&s, 0, 0, VERDICT_ERROR, JUNIT_ERROR, STATUS_ERROR);
	block_of(&s, v, &o, &out);
	assert_non_null(strstr(out.s, "again:     blkgate run x.yaml --only a"));
	assert_non_null(strstr(out.s, "injected:"));
	str_clear(&out);
	v->kind = VERDICT_SKIPPED;
	block_of(&s, v, &o, &out);
	assert_null(strstr(out.s, "again:"));
	assert_null(strstr(out.s, "injected:"));
	str_clear(&out);
	v->kind = VERDICT_ERROR;
	s.r.setup_error = "the budget is too small";
	block_of(&s, v, &o, &out);
	assert_null(strstr(out.s, "again:"));
	str_release(&out);
	sample_release(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_suspected_environment_is_told_once),
		cmocka_unit_test(the_last_line_names_the_policy),
		cmocka_unit_test(figures_at_equal_level_are_marked),
		cmocka_unit_test(another_baseline_is_told),
		cmocka_unit_test(a_hidden_red_is_loud),
		cmocka_unit_test(again_only_where_it_helps),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
