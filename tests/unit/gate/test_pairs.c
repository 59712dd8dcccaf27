/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Verdicts between two arms that took turns, from results made by hand. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include "lab.h"

static const double wobble[10] = {0.004, -0.006, 0.001,  0.008, -0.003,
				  0.005, -0.008, -0.001, 0.007, -0.004};

static struct target *second_target(struct result *r)
{
	r->targets = xreallocarray(r->targets, 2, sizeof(*r->targets));
	r->targets[1] = lab_block("new", "nvme-eui.2", "/dev/nvme1n1");
	r->targets[0].role = "old";
	for (size_t i = 0; i < r->targets[0].facts.n; i++)
		facts_set(&r->targets[1].facts, &r->arena, r->targets[0].facts.v[i].key,
			  r->targets[0].facts.v[i].value, NULL);
	r->ntargets = 2;
	return &r->targets[1];
}

/* Jobs 0 and 1 are "rand-4k" on old and new; check 0 gates the new one by 5 %. */
static void versus_init(struct result *r)
{
	lab_init(r, 0);
	second_target(r);
	r->sessions_max = 1;
	r->interleave = (struct interleave){
		.kind = INTERLEAVE_VERSUS, .name = {"old", "new"}, .pairs = 20, .seed = 7};
	lab_job(r, "rand-4k");
	lab_job(r, "rand-4k")->target = 1;
	lab_gate(r, 1, "read.iops", 0.05);
	lab_session(r);
}

static void setting_init(struct result *r)
{
	lab_init(r, 0);
	r->sessions_max = 1;
	r->interleave = (struct interleave){.kind = INTERLEAVE_SETTING,
					    .name = {"none", "kyber"},
					    .setting = "scheduler",
					    .pairs = 20,
					    .seed = 7};
	lab_job(r, "rand-4k");
	lab_gate(r, 0, "read.iops", 0.05);
	lab_session(r);
}

static struct run *arm_run(struct result *r, uint32_t pair, enum arm arm, double iops)
{
	bool one = r->interleave.kind == INTERLEAVE_SETTING;
	struct run *run = lab_run(r, one ? 0 : arm, 0, one ? 2 * pair + arm : pair);

	run->pair = pair;
	run->arm = arm;
	lab_rate(&run->out, iops);
	return run;
}

/* Pairs around levels that differ by that ratio; noise is how much of the wobble they have. */
static void pairs(struct result *r, uint32_t from, uint32_t to, double change, double noise)
{
	for (uint32_t i = from; i < to; i++) {
		arm_run(r, i, ARM_REFERENCE, 100000 * (1 + noise * wobble[i % 10]));
		arm_run(r, i, ARM_CANDIDATE,
			100000 * (1 + change) * (1 + noise * wobble[(i + 3) % 10]));
	}
}

static const struct verdict *judged(struct result *r)
{
	lab_judge(r, NULL);
	return lab_verdict(r, r->checks[0].job, 0);
}

static void a_quiet_device_passes_at_four_pairs(void **state)
{
	(void)state;
	const struct verdict *v;
	struct result r;

	versus_init(&r);
	pairs(&r, 0, 4, -0.01, 1);
	v = judged(&r);
	lab_expect(v, VERDICT_PASS, STATUS_PASS, JUNIT_CASE);
	assert_int_equal(v->pairs, 4);
	assert_true(v->low < -0.005 && v->high > -0.015 && v->change < 0 && v->change > -0.02);
	assert_true(fabs(v->value / v->base_value - 1 - v->change) < 1e-9);
	lab_contains(v->text, "is excluded, by 4 pairs; new against old");
	assert_int_equal(r.status, STATUS_PASS);
	assert_null(r.baseline_digest);
	result_release(&r);
}

static void a_loss_needs_seven_pairs(void **state)
{
	(void)state;
	const struct verdict *v;
	struct result r;

	versus_init(&r);
	pairs(&r, 0, 4, -0.12, 1);
	v = judged(&r);
	lab_expect(v, VERDICT_INCONCLUSIVE, STATUS_INCONCLUSIVE, JUNIT_SKIPPED);
	assert_true(v->wants_session);
	assert_true(gate_wants_session(&r, 1));
	assert_false(gate_wants_session(&r, 0));
	lab_contains(v->text, "undecided after 4 of at most 20 pairs, leaning fail");
	pairs(&r, 4, 7, -0.12, 1);
	v = judged(&r);
	lab_expect(v, VERDICT_REGRESSION, STATUS_REGRESSION, JUNIT_FAILURE);
	assert_true(v->certain);
	assert_int_equal(v->pairs, 7);
	lab_contains(v->text, "worse beyond the tolerance, shown by 7 pairs");
	/* what comes behind a decision changes nothing */
	pairs(&r, 7, 20, 0, 1);
	v = judged(&r);
	lab_expect(v, VERDICT_REGRESSION, STATUS_REGRESSION, JUNIT_FAILURE);
	assert_int_equal(v->pairs, 7);
	result_release(&r);
}

static void the_order_of_the_document_is_of_no_account(void **state)
{
	(void)state;
	const struct verdict *v;
	struct result r;
	double change;

	versus_init(&r);
	pairs(&r, 0, 7, -0.12, 1);
	change = judged(&r)->change;
	for (size_t i = 0; i < r.runs.n / 2; i++) {
		struct run other = r.runs.v[i];

		r.runs.v[i] = r.runs.v[r.runs.n - 1 - i];
		r.runs.v[r.runs.n - 1 - i] = other;
	}
	v = judged(&r);
	lab_expect(v, VERDICT_REGRESSION, STATUS_REGRESSION, JUNIT_FAILURE);
	assert_true(!(v->change < change) && !(v->change > change));
	result_release(&r);
}

static void a_gain_is_named(void **state)
{
	(void)state;
	struct result r;

	versus_init(&r);
	pairs(&r, 0, 7, 0.3, 1);
	lab_expect(judged(&r), VERDICT_IMPROVEMENT, STATUS_PASS, JUNIT_CASE);
	result_release(&r);
}

static void too_noisy_is_said_before_the_budget_ends(void **state)
{
	(void)state;
	const struct verdict *v;
	struct result r;

	versus_init(&r);
	pairs(&r, 0, 10, 0, 40);
	v = judged(&r);
	lab_expect(v, VERDICT_INCONCLUSIVE, STATUS_INCONCLUSIVE, JUNIT_SKIPPED);
	assert_false(v->wants_session);
	lab_contains(v->text, "too noisy for 20 pairs");
	result_release(&r);
}

static void the_budget_ends_it(void **state)
{
	(void)state;
	const struct verdict *v;
	struct result r;

	versus_init(&r);
	r.interleave.pairs = 10;
	pairs(&r, 0, 10, -0.05, 1);
	v = judged(&r);
	lab_expect(v, VERDICT_INCONCLUSIVE, STATUS_INCONCLUSIVE, JUNIT_SKIPPED);
	assert_false(v->wants_session);
	lab_contains(v->text, "10 of at most 10 pairs");
	result_release(&r);
}

static void an_absolute_tolerance(void **state)
{
	(void)state;
	const struct verdict *v;
	struct result r;

	versus_init(&r);
	r.checks[0].absolute = true;
	r.checks[0].tolerance = 5000;
	pairs(&r, 0, 7, -0.12, 1);
	v = judged(&r);
	lab_expect(v, VERDICT_REGRESSION, STATUS_REGRESSION, JUNIT_FAILURE);
	assert_true(v->change < -11000 && v->change > -13000);
	result_release(&r);
}

static void a_known_loss_is_known(void **state)
{
	(void)state;
	const struct verdict *v;
	struct result r;

	versus_init(&r);
	r.checks[0].known = (struct check_known){"STOR-1", 0.15, 0};
	pairs(&r, 0, 7, -0.12, 1);
	v = judged(&r);
	lab_expect(v, VERDICT_KNOWN, STATUS_PASS, JUNIT_SKIPPED);
	lab_contains(v->text, "STOR-1");
	r.checks[0].known.no_worse_than = 0.08;
	lab_expect(judged(&r), VERDICT_REGRESSION, STATUS_REGRESSION, JUNIT_FAILURE);
	result_release(&r);
}

/* Law 1: nothing that lacks of one arm leads to a pass of the other. */
static void nothing_missing_passes(void **state)
{
	(void)state;
	struct result r;

	versus_init(&r);
	pairs(&r, 0, 3, 0, 1); /* fewer than the first look */
	lab_judge(&r, NULL);
	assert_int_equal(r.status, STATUS_ERROR);
	lab_contains(lab_verdict(&r, 1, VERDICT_MEASURE)->text, "3 whole pairs of at least 4");
	arm_run(&r, 3, ARM_CANDIDATE, 100000); /* one arm only */
	lab_judge(&r, NULL);
	assert_int_equal(r.status, STATUS_ERROR);
	arm_run(&r, 4, ARM_REFERENCE, 100000);
	lab_judge(&r, NULL);
	assert_int_equal(r.status, STATUS_ERROR);
	arm_run(&r, 3, ARM_REFERENCE, 100000)->run = 9;
	arm_run(&r, 4, ARM_CANDIDATE, 100000);
	lab_judge(&r, NULL);
	assert_int_equal(r.status, STATUS_PASS);
	/* two runs for one place */
	arm_run(&r, 4, ARM_CANDIDATE, 100000)->run = 10;
	lab_judge(&r, NULL);
	assert_int_equal(r.status, STATUS_ERROR);
	result_release(&r);
}

static void a_failed_run_of_either_arm_fails_both(void **state)
{
	(void)state;
	struct result r;

	for (unsigned arm = 0; arm < ARM_COUNT; arm++) {
		const struct verdict *own, *other;

		versus_init(&r);
		pairs(&r, 0, 7, 0, 1);
		r.runs.v[4 + arm].out.status = OUTCOME_IO_ERROR;
		snprintf(r.runs.v[4 + arm].out.text, sizeof(r.runs.v[0].out.text), "EIO at 4096");
		lab_judge(&r, NULL);
		own = lab_verdict(&r, arm, VERDICT_MEASURE);
		other = lab_verdict(&r, 1 - arm, VERDICT_MEASURE);
		lab_expect(own, VERDICT_ERROR, STATUS_ERROR, JUNIT_ERROR);
		lab_expect(other, VERDICT_ERROR, STATUS_ERROR, JUNIT_ERROR);
		assert_string_equal(own->type, outcome_status_name(OUTCOME_IO_ERROR));
		assert_string_equal(other->type, outcome_status_name(OUTCOME_COMPANION));
		lab_contains(other->text, "EIO at 4096");
		lab_expect(lab_verdict(&r, 1, 0), VERDICT_SKIPPED, STATUS_PASS, JUNIT_SKIPPED);
		result_release(&r);
	}
}

/* A drive that was too hot in one arm makes the difference one of heat. */
static void a_throttled_run_of_either_arm_leaves_it_undecided(void **state)
{
	(void)state;

	for (unsigned arm = 0; arm < ARM_COUNT; arm++) {
		const struct verdict *v;
		struct watched hot = {0};
		struct result r;

		versus_init(&r);
		pairs(&r, 0, 7, -0.3, 1);
		lab_expect(judged(&r), VERDICT_REGRESSION, STATUS_REGRESSION, JUNIT_FAILURE);
		watched_see(&hot, WATCHED_WARNING_TEMP_TIME, 4);
		watched_see(&hot, WATCHED_WARNING_TEMP_TIME, 5);
		r.runs.v[4 + arm].watched = &hot;
		v = judged(&r);
		lab_expect(v, VERDICT_INCONCLUSIVE, STATUS_INCONCLUSIVE, JUNIT_SKIPPED);
		assert_string_equal(v->type, "throttled");
		assert_int_equal(v->leaning, -1);
		assert_false(v->wants_session);
		result_release(&r);
	}
}

static void a_workload_without_counterpart(void **state)
{
	(void)state;
	struct result r;

	versus_init(&r);
	pairs(&r, 0, 7, 0, 1);
	r.jobs[0].name = "other";
	lab_judge(&r, NULL);
	assert_int_equal(r.status, STATUS_ERROR);
	result_release(&r);
}

static void a_zero_is_no_pass(void **state)
{
	(void)state;
	struct result r;

	versus_init(&r);
	pairs(&r, 0, 7, 0, 1);
	r.checks[0].metric = "read.clat.max"; /* no sample was recorded: there is no value */
	lab_judge(&r, NULL);
	assert_int_equal(r.status, STATUS_ERROR);
	result_release(&r);
}

/* Four pairs of equal runs with n I/Os of about 100 us, one of 50 and one of 150 us. */
static void same_latencies(struct result *r, unsigned n)
{
	struct hist *h = xcalloc(1, sizeof(*h));

	versus_init(r);
	pairs(r, 0, 4, 0, 1);
	for (unsigned i = 0; i < n; i++)
		hist_add(h, 100000);
	hist_add(h, 50000);
	hist_add(h, 150000);
	for (size_t i = 0; i < r->runs.n; i++) {
		bins_from_hist(&r->runs.v[i].out.dir[DIR_READ].clat, h);
		lab_slices(&r->runs.v[i].out, 150000);
	}
	free(h);
}

static void too_few_samples_ask_for_no_pair(void **state)
{
	(void)state;
	const struct verdict *v;
	struct result r;

	same_latencies(&r, 48);
	r.checks[0].metric = "read.clat.p99.9";
	v = judged(&r);
	lab_expect(v, VERDICT_INCONCLUSIVE, STATUS_INCONCLUSIVE, JUNIT_SKIPPED);
	assert_false(v->wants_session);
	lab_contains(v->text, "50 were seen");
	result_release(&r);
}

/* Its stored rule looks at shares and quantiles: the mean of it stands for none of them. */
static void a_tail_is_not_judged_as_its_mean(void **state)
{
	(void)state;
	const struct verdict *v;
	struct result r;

	same_latencies(&r, 100000);
	r.checks[0].metric = "read.clat.tail";
	r.checks[0].tolerance = 0.2;
	v = judged(&r);
	lab_expect(v, VERDICT_INCONCLUSIVE, STATUS_INCONCLUSIVE, JUNIT_SKIPPED);
	assert_false(v->wants_session);
	assert_true(isnan(v->change));
	lab_contains(v->text, "against a stored baseline only");
	r.checks[0].metric = "read.clat.p99";
	lab_expect(judged(&r), VERDICT_PASS, STATUS_PASS, JUNIT_CASE);
	result_release(&r);
}

/* Values that all fell into one bucket are not known to be equal (PROCEDURE 5.9). */
static void a_pass_gives_away_one_step(void **state)
{
	(void)state;
	const struct verdict *v;
	struct result r;

	same_latencies(&r, 1000);
	r.checks[0].metric = "read.clat.p50";
	r.checks[0].tolerance = 0.002;
	v = judged(&r);
	lab_expect(v, VERDICT_INCONCLUSIVE, STATUS_INCONCLUSIVE, JUNIT_SKIPPED);
	lab_contains(v->text, "the values come in steps of");
	r.checks[0].tolerance = 0.02; /* four steps: one is given away, and five it takes */
	v = judged(&r);
	lab_expect(v, VERDICT_INCONCLUSIVE, STATUS_INCONCLUSIVE, JUNIT_SKIPPED);
	lab_contains(v->text, "would be excluded, too coarse: ");
	r.checks[0].tolerance = 0.03;
	v = judged(&r);
	lab_expect(v, VERDICT_PASS, STATUS_PASS, JUNIT_CASE);
	assert_true(fabs(v->high - v->excluded) < 1e-9); /* the step is in what is printed */
	assert_true(v->high > 0.004);
	result_release(&r);
}

static void other_words_are_not_compared(void **state)
{
	(void)state;
	const struct verdict *v;
	struct result r;

	versus_init(&r);
	pairs(&r, 0, 4, 0, 1);
	r.jobs[1].size *= 2;
	v = judged(&r);
	lab_expect(v, VERDICT_INCOMPARABLE, STATUS_NO_BASELINE, JUNIT_ERROR);
	lab_contains(v->text, "size 1073741824 -> 2147483648");
	result_release(&r);
}

static void what_differs_is_told_and_what_must_not_forbids(void **state)
{
	(void)state;
	const struct verdict *v;
	struct facts *f;
	struct result r;

	versus_init(&r);
	pairs(&r, 0, 4, 0, 1);
	f = &r.targets[1].facts;
	facts_set(f, &r.arena, "device.model", "Sample 991", NULL);
	facts_set(f, &r.arena, "device.serial", "S2", NULL);
	facts_set(f, &r.arena, "target.size", "17", NULL);
	v = judged(&r);
	lab_expect(v, VERDICT_PASS, STATUS_PASS, JUNIT_CASE);
	lab_contains(v->text, "targets differ in: device.model Sample 990 -> Sample 991; also in: "
			      "device.serial");
	assert_null(strstr(v->text, "target.size"));
	/* the same fact, declared to be no part of what is under test */
	*VEC_PUSH(&r.compare.must_match) = "device.model";
	v = judged(&r);
	lab_expect(v, VERDICT_INCOMPARABLE, STATUS_NO_BASELINE, JUNIT_ERROR);
	r.compare.must_match.n = 0;
	facts_set(f, &r.arena, "device.lba_format", "4096", NULL);
	v = judged(&r);
	lab_expect(v, VERDICT_INCOMPARABLE, STATUS_NO_BASELINE, JUNIT_ERROR);
	lab_contains(v->text, "device.lba_format absent -> 4096");
	*VEC_PUSH(&r.compare.under_test) = "device.lba_format";
	lab_expect(judged(&r), VERDICT_PASS, STATUS_PASS, JUNIT_CASE);
	result_release(&r);
}

static void one_layout_is_marked(void **state)
{
	(void)state;
	const struct verdict *v;
	struct result r;

	versus_init(&r);
	pairs(&r, 0, 4, 0, 1);
	v = judged(&r);
	assert_true(v->one_layout);
	lab_contains(v->text, "how often a pass is wrong is not claimed");
	r.targets[0].kind = TARGET_DIR;
	assert_true(judged(&r)->one_layout);
	r.targets[1].kind = TARGET_DIR;
	v = judged(&r);
	assert_false(v->one_layout);
	assert_null(strstr(v->text, "one layout"));
	result_release(&r);
}

static void a_setting_is_one_job(void **state)
{
	(void)state;
	const struct verdict *v;
	struct result r;

	setting_init(&r);
	pairs(&r, 0, 7, -0.12, 1);
	v = judged(&r);
	lab_expect(v, VERDICT_REGRESSION, STATUS_REGRESSION, JUNIT_FAILURE);
	lab_contains(v->text, "scheduler kyber against none");
	assert_int_equal(r.verdicts.n, 2);
	result_release(&r);
}

/* The median over both values of a setting would hide the one that misses it. */
static void an_expectation_holds_for_both_values(void **state)
{
	(void)state;
	const struct verdict *v;
	struct result r;

	setting_init(&r);
	r.nchecks = 0;
	lab_check(&r, 0, CHECK_EXPECT, "read.iops")->limit = 95000;
	pairs(&r, 0, 4, -0.12, 1);
	v = judged(&r);
	lab_expect(v, VERDICT_MISSED, STATUS_REGRESSION, JUNIT_FAILURE);
	lab_contains(v->text, "scheduler kyber: ");
	r.checks[0].limit = 80000;
	lab_expect(judged(&r), VERDICT_PASS, STATUS_PASS, JUNIT_CASE);
	r.checks[0].limit = 150000;
	lab_expect(judged(&r), VERDICT_MISSED, STATUS_REGRESSION, JUNIT_FAILURE);
	result_release(&r);
}

static void gates_of_the_reference_take_no_share(void **state)
{
	(void)state;
	struct result r;

	versus_init(&r);
	r.nchecks = 0;
	lab_gate(&r, 0, "read.iops", 0.05)->skipped = "reference of --versus";
	lab_gate(&r, 1, "read.iops", 0.05);
	pairs(&r, 0, 7, -0.12, 1);
	lab_judge(&r, NULL);
	lab_expect(lab_verdict(&r, 0, 0), VERDICT_SKIPPED, STATUS_PASS, JUNIT_SKIPPED);
	lab_expect(lab_verdict(&r, 1, 1), VERDICT_REGRESSION, STATUS_REGRESSION, JUNIT_FAILURE);
	result_release(&r);
}

/* Neither demands what the baseline holds, nor becomes a session of it. */
static void a_baseline_has_no_part_in_it(void **state)
{
	(void)state;
	struct baseline b;
	struct result r;
	struct err e = ERR_INIT;
	const struct result *list = &r;

	lab_baseline(&b, 6, 50000, NULL);
	versus_init(&r);
	pairs(&r, 0, 4, 0, 1);
	lab_judge(&r, &b);
	assert_int_equal(r.status, STATUS_PASS);
	baseline_release(&b);
	assert_int_equal(baseline_from_results(&list, 1, &b, &e), ERR_REFUSED);
	lab_contains(e.text, "interleaved comparison (--versus)");
	baseline_release(&b);
	result_release(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_quiet_device_passes_at_four_pairs),
		cmocka_unit_test(a_loss_needs_seven_pairs),
		cmocka_unit_test(the_order_of_the_document_is_of_no_account),
		cmocka_unit_test(a_gain_is_named),
		cmocka_unit_test(too_noisy_is_said_before_the_budget_ends),
		cmocka_unit_test(the_budget_ends_it),
		cmocka_unit_test(an_absolute_tolerance),
		cmocka_unit_test(a_known_loss_is_known),
		cmocka_unit_test(nothing_missing_passes),
		cmocka_unit_test(a_throttled_run_of_either_arm_leaves_it_undecided),
		cmocka_unit_test(a_failed_run_of_either_arm_fails_both),
		cmocka_unit_test(a_workload_without_counterpart),
		cmocka_unit_test(a_zero_is_no_pass),
		cmocka_unit_test(too_few_samples_ask_for_no_pair),
		cmocka_unit_test(a_tail_is_not_judged_as_its_mean),
		cmocka_unit_test(a_pass_gives_away_one_step),
		cmocka_unit_test(other_words_are_not_compared),
		cmocka_unit_test(what_differs_is_told_and_what_must_not_forbids),
		cmocka_unit_test(one_layout_is_marked),
		cmocka_unit_test(a_setting_is_one_job),
		cmocka_unit_test(an_expectation_holds_for_both_values),
		cmocka_unit_test(gates_of_the_reference_take_no_share),
		cmocka_unit_test(a_baseline_has_no_part_in_it),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
