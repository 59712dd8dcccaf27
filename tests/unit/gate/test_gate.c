/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Every row of the verdict table (DESIGN 3.4) that compares with a stored baseline. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include "lab.h"

/* Sessions at these levels against ten at 100 k. */
static const struct verdict *judge_levels(struct result *r, const struct baseline *b,
					  const double *level, unsigned n)
{
	lab_init(r, 40);
	lab_job(r, "rand-4k");
	lab_gate(r, 0, "read.iops", 0.05);
	for (unsigned i = 0; i < n; i++)
		lab_runs(r, 0, lab_session(r), level[i]);
	lab_judge(r, b);
	return lab_verdict(r, 0, 0);
}

static void test_rows(void **state)
{
	static const struct {
		double level[5];
		unsigned n;
		enum verdict_kind kind;
		enum exit_status status;
		enum junit_shape shape;
		bool wants;
		const char *text;
	} rows[] = {
		{{100000}, 1, VERDICT_PASS, STATUS_PASS, JUNIT_CASE, false, "tolerance 5 %"},
		{{98000}, 1, VERDICT_PASS, STATUS_PASS, JUNIT_CASE, false, "is excluded"},
		/* the red one needs two sessions */
		{{90000},
		 1,
		 VERDICT_INCONCLUSIVE,
		 STATUS_INCONCLUSIVE,
		 JUNIT_SKIPPED,
		 true,
		 "leaning fail"},
		{{90000, 90000},
		 2,
		 VERDICT_REGRESSION,
		 STATUS_REGRESSION,
		 JUNIT_FAILURE,
		 false,
		 "shown by 2 new sessions"},
		{{50000, 50000},
		 2,
		 VERDICT_REGRESSION,
		 STATUS_REGRESSION,
		 JUNIT_FAILURE,
		 false,
		 "-50.0 %"},
		/* gate-improve-2: 40 % faster */
		{{140000},
		 1,
		 VERDICT_IMPROVEMENT,
		 STATUS_PASS,
		 JUNIT_CASE,
		 false,
		 "; `blkgate baseline accept RESULT --new-epoch --reason TEXT` makes it the "
		 "level to keep"},
		{{140000, 140000},
		 2,
		 VERDICT_IMPROVEMENT,
		 STATUS_PASS,
		 JUNIT_CASE,
		 false,
		 "+40.0 %"},
		/* not beyond the tolerance: undecided to the end, whatever the number */
		{{95200, 95200, 95200, 95200},
		 4,
		 VERDICT_INCONCLUSIVE,
		 STATUS_INCONCLUSIVE,
		 JUNIT_SKIPPED,
		 true,
		 "cannot be excluded"},
		{{95200, 95200, 95200, 95200, 95200},
		 5,
		 VERDICT_INCONCLUSIVE,
		 STATUS_INCONCLUSIVE,
		 JUNIT_SKIPPED,
		 false,
		 "after 5 of at most 5"},
		/* a pass stands, whatever comes later */
		{{100000, 80000, 80000}, 3, VERDICT_PASS, STATUS_PASS, JUNIT_CASE, false, ""},
	};
	struct baseline b;

	(void)state;
	lab_baseline(&b, 10, 100000, NULL);
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct result r;
		const struct verdict *v = judge_levels(&r, &b, rows[i].level, rows[i].n);

		lab_expect(v, rows[i].kind, rows[i].status, rows[i].shape);
		lab_contains(v->text, rows[i].text);
		lab_contains(v->text, "nothing under test changed");
		assert_int_equal(v->wants_session, rows[i].wants);
		assert_int_equal(gate_wants_session(&r, 0), rows[i].wants);
		assert_int_equal(r.status, rows[i].status);
		assert_int_equal(v->base_sessions, 10);
		assert_int_equal(v->base_blocks, 10);
		assert_false(v->provisional);
		assert_string_equal(r.baseline_digest, b.digest);
		result_release(&r);
	}
	baseline_release(&b);
}

static void test_numbers(void **state)
{
	static const double level[] = {90000, 91000};
	struct baseline b;
	struct result r;
	const struct verdict *v;

	(void)state;
	lab_baseline(&b, 10, 100000, NULL);
	v = judge_levels(&r, &b, level, 2);
	assert_true(fabs(v->change - (sqrt(.90 * .91) - 1)) < 1e-4);
	assert_true(v->low < v->change && v->change < v->high && v->high < 0);
	assert_true(fabs(v->base_value - 100000) < 2);
	assert_true(fabs(v->value - sqrt(90000. * 91000)) < 2);
	assert_int_equal(v->nsessions, 2);
	assert_true(fabs(v->session_values[0] - 90000) < 1e-6 * 90000);
	assert_true(fabs(v->session_values[1] - 91000) < 1e-6 * 91000);
	assert_true(isnan(v->session_values[2]));
	assert_true(v->excluded > .09);
	assert_true(v->tolerance == .05);
	assert_int_equal(v->base_first, LAB_START);
	assert_int_equal(v->base_last, LAB_START + 9 * LAB_DAY);
	result_release(&r);
	baseline_release(&b);
}

static void test_no_baseline(void **state)
{
	struct baseline b = {0};
	struct result r;

	(void)state;
	for (unsigned i = 0; i < 4; i++) {
		const struct verdict *v;
		bool warn = i % 2;

		lab_simple(&r, 40, 100000);
		r.policy.no_baseline = warn ? NO_BASELINE_WARN : NO_BASELINE_FAIL;
		lab_judge(&r, i < 2 ? NULL : &b);
		v = lab_verdict(&r, 0, 0);
		lab_expect(v, VERDICT_NO_BASELINE, warn ? STATUS_PASS : STATUS_NO_BASELINE,
			   warn ? JUNIT_SKIPPED : JUNIT_ERROR);
		lab_contains(v->text, "blkgate baseline accept RESULT");
		assert_false(v->wants_session);
		assert_int_equal(r.status, warn ? STATUS_PASS : STATUS_NO_BASELINE);
		assert_null(r.baseline_digest);
		result_release(&r);
	}
}

static void test_policy_inconclusive(void **state)
{
	static const struct {
		double level;
		enum policy_inconclusive policy;
		enum exit_status status;
		enum junit_shape shape;
	} cases[] = {
		{97600, INCONCLUSIVE_REPORT, STATUS_INCONCLUSIVE, JUNIT_SKIPPED},
		{97600, INCONCLUSIVE_FAIL, STATUS_REGRESSION, JUNIT_FAILURE},
		{97600, INCONCLUSIVE_WARN, STATUS_PASS, JUNIT_SKIPPED},
		{90000, INCONCLUSIVE_WARN, STATUS_INCONCLUSIVE, JUNIT_SKIPPED}, /* leans fail */
	};
	struct baseline b;

	(void)state;
	lab_baseline(&b, 4, 100000, NULL); /* provisional: wide */
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct result r;
		const struct verdict *v;

		lab_simple(&r, 40, cases[i].level);
		r.policy.inconclusive = cases[i].policy;
		lab_judge(&r, &b);
		v = lab_verdict(&r, 0, 0);
		lab_expect(v, VERDICT_INCONCLUSIVE, cases[i].status, cases[i].shape);
		assert_string_equal(v->type, "inconclusive");
		assert_int_equal(v->leaning, cases[i].level < 97500 ? -1 : 1);
		assert_int_equal(r.status, cases[i].status);
		result_release(&r);
	}
	baseline_release(&b);
}

/* Ten sessions of two boots within hours: two blocks, so still provisional. */
static void few_boots(struct result *r, unsigned i)
{
	lab_fact(r, "boot.id", i < 5 ? "boot-a" : "boot-b");
	r->sessions.v[0].started = LAB_START + i * 600;
}

static void test_provisional(void **state)
{
	struct baseline four, blocks;
	struct result r;
	const struct verdict *v;

	(void)state;
	lab_baseline(&four, 4, 100000, NULL);
	lab_baseline(&blocks, 10, 100000, few_boots);
	for (unsigned i = 0; i < 2; i++) {
		lab_simple(&r, 40, 103000);
		lab_judge(&r, i ? &blocks : &four);
		v = lab_verdict(&r, 0, 0);
		assert_true(v->provisional);
		lab_contains(v->text, i ? "provisional: 2 of 5 boots or days (10 sessions)"
					: "provisional: 4 of 5 boots or days (4 sessions)");
		assert_int_equal(v->base_blocks, i ? 2 : 4);
		result_release(&r);
	}
	/* a pass on four sessions: judge = 0, fail = 5 */
	for (unsigned i = 0; i < 2; i++) {
		lab_simple(&r, 40, 103000);
		r.policy.provisional = i ? PROVISIONAL_FAIL : PROVISIONAL_JUDGE;
		lab_judge(&r, &four);
		lab_expect(lab_verdict(&r, 0, 0), VERDICT_PASS,
			   i ? STATUS_NO_BASELINE : STATUS_PASS, i ? JUNIT_ERROR : JUNIT_CASE);
		v = lab_verdict(&r, 0, 0);
		assert_string_equal(v->type, i ? "provisional" : "pass");
		assert_int_equal(strncmp(v->text,
					 "the baseline is too thin (4 of 5) and provisional=fail: "
					 "read.iops ",
					 66) == 0,
				 i);
		result_release(&r);
	}
	/* a watched one opens no gate, and closes none */
	lab_simple(&r, 40, 103000);
	r.checks[0].role = ROLE_WATCH;
	r.policy.provisional = PROVISIONAL_FAIL;
	lab_judge(&r, &four);
	lab_expect(lab_verdict(&r, 0, 0), VERDICT_PASS, STATUS_PASS, JUNIT_SKIPPED);
	lab_contains(lab_verdict(&r, 0, 0)->text, "watch: read.iops");
	result_release(&r);
	/* a red one stays red under both words */
	for (unsigned i = 0; i < 2; i++) {
		lab_init(&r, 40);
		lab_job(&r, "rand-4k");
		lab_gate(&r, 0, "read.iops", 0.05);
		for (unsigned k = 0; k < 5; k++)
			lab_runs(&r, 0, lab_session(&r), 70000);
		r.policy.provisional = i ? PROVISIONAL_FAIL : PROVISIONAL_JUDGE;
		lab_judge(&r, &four);
		lab_expect(lab_verdict(&r, 0, 0), VERDICT_REGRESSION, STATUS_REGRESSION,
			   JUNIT_FAILURE);
		lab_contains(lab_verdict(&r, 0, 0)->text, "provisional");
		result_release(&r);
	}
	baseline_release(&four);
	baseline_release(&blocks);
}

/* Sessions at these levels, each of the boot and the hour told, against ten boots at 100 k. */
static void judge_boots(struct result *r, const struct baseline *b, const double *level,
			const unsigned *boot, unsigned n)
{
	lab_init(r, 40);
	lab_job(r, "rand-4k");
	lab_gate(r, 0, "read.iops", 0.05);
	for (unsigned i = 0; i < n; i++) {
		struct attempt *a = VEC_PUSH(&r->attempts);
		uint32_t s = lab_session(r);

		*a = (struct attempt){.sessions_min = 1, .looks = 5};
		r->sessions.v[s].from = i + 1;
		r->sessions.v[s].boot = arena_printf(&r->arena, "new-%u", boot[i]);
		lab_runs(r, 0, s, level[i]);
	}
	lab_judge(r, b);
}

static void one_boot_base(struct result *r, unsigned i)
{
	lab_fact(r, "boot.id", "boot-a");
	r->sessions.v[0].started = LAB_START + i * 600;
}

/* Five sessions of one boot are five looks at what that boot brought. */
static void test_one_boot(void **state)
{
	static const double low[] = {90000, 90000}, near[] = {96000, 99000, 98500};
	static const unsigned same[] = {0, 0, 0}, each[] = {0, 1, 2}, two[] = {0, 0, 1};
	static const struct {
		const double *level;
		const unsigned *boot;
		unsigned n;
		enum verdict_kind kind;
		bool marked;
		const char *text;
	} rows[] = {
		{low, same, 2, VERDICT_REGRESSION, true, "shown by 2 new sessions, 1 boot;"},
		{low, each, 2, VERDICT_REGRESSION, false,
		 "shown by 2 new sessions, 2 boots or days;"},
		{low, same, 1, VERDICT_INCONCLUSIVE, false, "after 1 of at most 5 new sessions, "},
		{near, same, 2, VERDICT_PASS, true, "is excluded by 2 new sessions, 1 boot;"},
		{near, two, 3, VERDICT_PASS, true, "is excluded by 2 new sessions, 1 boot;"},
		{near, each, 3, VERDICT_PASS, false, "2 new sessions, 2 boots or days;"},
	};
	struct baseline b, one;
	struct result r;

	(void)state;
	lab_baseline(&b, 10, 100000, NULL);
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		const struct verdict *v;

		judge_boots(&r, &b, rows[i].level, rows[i].boot, rows[i].n);
		v = lab_verdict(&r, 0, 0);
		lab_contains(v->text, rows[i].text);
		assert_int_equal(v->kind, rows[i].kind);
		assert_int_equal(v->one_boot, rows[i].marked);
		assert_int_equal(strstr(v->text, "; one boot: ") != NULL, rows[i].marked);
		result_release(&r);
	}
	/* what a boot brings is in both then */
	lab_baseline(&one, 5, 100000, one_boot_base);
	judge_boots(&r, &one, low, same, 2);
	assert_false(lab_verdict(&r, 0, 0)->one_boot);
	result_release(&r);
	baseline_release(&one);
	baseline_release(&b);
}

static void test_known(void **state)
{
	const int64_t day = LAB_START + 40 * (int64_t)LAB_DAY;
	const struct {
		double level, floor;
		int64_t until;
		enum verdict_kind kind;
		const char *text;
	} cases[] = {
		{92000, .09, 0, VERDICT_KNOWN, "STOR-1421"},
		{92000, .09, day + LAB_DAY, VERDICT_KNOWN, "known"},
		{92000, .09, day - LAB_DAY, VERDICT_REGRESSION,
		 "known only until 2026-10-30, a date that has passed (STOR-1421)"},
		{90500, .09, 0, VERDICT_REGRESSION, "worse than the known 9 %"},
		{99000, .09, 0, VERDICT_PASS, ""},
	};
	struct baseline b;

	(void)state;
	lab_baseline(&b, 10, 100000, NULL);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct result r;
		const struct verdict *v;
		struct check *c;
		bool red = cases[i].kind == VERDICT_REGRESSION;

		lab_init(&r, 40);
		lab_job(&r, "rand-4k");
		c = lab_gate(&r, 0, "read.iops", 0.05);
		c->known = (struct check_known){"STOR-1421", cases[i].floor, cases[i].until};
		lab_runs(&r, 0, lab_session(&r), cases[i].level);
		lab_runs(&r, 0, lab_session(&r), cases[i].level);
		lab_judge(&r, &b);
		v = lab_verdict(&r, 0, 0);
		lab_expect(v, cases[i].kind, red ? STATUS_REGRESSION : STATUS_PASS,
			   red                       ? JUNIT_FAILURE
			   : v->kind == VERDICT_PASS ? JUNIT_CASE
						     : JUNIT_SKIPPED);
		lab_contains(v->text, cases[i].text);
		result_release(&r);
	}
	baseline_release(&b);
}

static void test_watch(void **state)
{
	static const double red[] = {80000, 80000};
	struct baseline b;
	struct result r;
	const struct verdict *v;
	struct gate_counts n;

	(void)state;
	lab_baseline(&b, 10, 100000, NULL);
	for (unsigned sessions = 1; sessions <= 2; sessions++) {
		lab_init(&r, 40);
		lab_job(&r, "rand-4k");
		lab_gate(&r, 0, "read.iops", 0.05)->role = ROLE_WATCH;
		for (unsigned i = 0; i < sessions; i++)
			lab_runs(&r, 0, lab_session(&r), red[i]);
		lab_judge(&r, &b);
		v = lab_verdict(&r, 0, 0);
		lab_expect(v, sessions == 2 ? VERDICT_REGRESSION : VERDICT_INCONCLUSIVE,
			   STATUS_PASS, JUNIT_SKIPPED);
		assert_true(v->watch && !v->wants_session);
		assert_int_equal(strncmp(v->text, "watch: ", 7), 0);
		assert_int_equal(r.status, STATUS_PASS);
		gate_count(&r, &n);
		assert_int_equal(n.watch, 1);
		assert_int_equal(n.regression + n.inconclusive, 0);
		result_release(&r);
	}
	/* but an error of a watched gate is an error */
	lab_init(&r, 40);
	lab_job(&r, "rand-4k");
	lab_gate(&r, 0, "read.slat.mean", 0.05)->role = ROLE_WATCH;
	lab_gate(&r, 0, "read.iops", 0.05);
	lab_runs(&r, 0, lab_session(&r), 100000);
	lab_judge(&r, &b);
	lab_expect(lab_verdict(&r, 0, 0), VERDICT_ERROR, STATUS_ERROR, JUNIT_ERROR);
	result_release(&r);
	baseline_release(&b);
}

/* Missing metric, zero and undefined gates. */
static void test_errors(void **state)
{
	static const struct {
		const char *metric;
		double tolerance;
		const char *text;
	} cases[] = {
		{"write.iops", .05, "read"}, /* a metric that this workload does not have */
		{"read.clat.p99", .05, "read.clat.p99 has no value"}, /* no samples recorded */
		{"read.nonsense", .05, "no metric"},
		{"read.iops", 1.0, "cannot fail"},
		{"read.iops", 0, "cannot fail"},
		{"read.iops", NAN, "cannot fail"},
	};
	struct baseline b;

	(void)state;
	lab_baseline(&b, 10, 100000, NULL);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct result r;
		const struct verdict *v;

		lab_init(&r, 40);
		lab_job(&r, "rand-4k");
		lab_gate(&r, 0, cases[i].metric, cases[i].tolerance);
		lab_gate(&r, 0, "read.iops", .05);
		lab_runs(&r, 0, lab_session(&r), 100000);
		lab_judge(&r, &b);
		v = lab_verdict(&r, 0, 0);
		lab_expect(v, VERDICT_ERROR, STATUS_ERROR, JUNIT_ERROR);
		if (i > 0)
			lab_contains(v->text, cases[i].text);
		assert_int_equal(r.status, STATUS_ERROR);
		result_release(&r);
	}
	baseline_release(&b);
}

static void stalls(struct result *r, uint64_t ns)
{
	for (size_t i = 0; i < r->runs.n; i++)
		r->runs.v[i].out.stall_longest = ns;
}

static void no_stall(struct result *r, unsigned i)
{
	(void)i;
	stalls(r, 0);
}

/* gate-zero-1: 0 to 0 is equal and 0 to x is judged with an absolute tolerance; in per cent it is
 * an error. Nowhere a NaN. */
static void test_zero(void **state)
{
	static const struct {
		uint64_t ns;
		bool absolute;
		enum verdict_kind kind;
	} cases[] = {
		{0, true, VERDICT_PASS},
		{5000000, true, VERDICT_PASS},
		{200000000, true, VERDICT_REGRESSION},
		{0, false, VERDICT_ERROR},
		{5000000, false, VERDICT_ERROR},
	};
	struct baseline b;

	(void)state;
	lab_baseline(&b, 10, 100000, no_stall);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct result r;
		const struct verdict *v;
		struct check *c;

		lab_init(&r, 40);
		lab_job(&r, "rand-4k");
		c = lab_gate(&r, 0, "stall.longest", cases[i].absolute ? 50e6 : .05);
		c->absolute = cases[i].absolute;
		lab_gate(&r, 0, "read.iops", .05);
		lab_runs(&r, 0, lab_session(&r), 100000);
		lab_runs(&r, 0, lab_session(&r), 100000);
		stalls(&r, cases[i].ns);
		lab_judge(&r, &b);
		v = lab_verdict(&r, 0, 0);
		assert_int_equal(v->kind, cases[i].kind);
		assert_null(strstr(v->text, "nan"));
		assert_null(strstr(v->text, "inf"));
		if (v->kind == VERDICT_ERROR)
			lab_contains(v->text, "absolute");
		else
			assert_true(fabs(v->change - (double)cases[i].ns) < 1e-3);
		result_release(&r);
	}
	baseline_release(&b);
}

/* The metric had a value in the baseline and is 0 now: no ratio either. */
static void one_stall(struct result *r, unsigned i)
{
	(void)i;
	stalls(r, 1000000);
}

static void test_zero_now(void **state)
{
	struct baseline b;
	struct result r;

	(void)state;
	lab_baseline(&b, 10, 100000, one_stall);
	lab_simple(&r, 40, 100000);
	lab_gate(&r, 0, "stall.longest", .05);
	stalls(&r, 0);
	lab_judge(&r, &b);
	lab_expect(lab_verdict(&r, 0, 1), VERDICT_ERROR, STATUS_ERROR, JUNIT_ERROR);
	lab_contains(lab_verdict(&r, 0, 1)->text, "this measurement");
	result_release(&r);
	baseline_release(&b);
}

/* gate-drift-2: each result 2 % slower than the one before, all against the pinned baseline. */
static void test_drift(void **state)
{
	struct baseline b;
	double level = 100000;

	(void)state;
	lab_baseline(&b, 10, level, NULL);
	for (unsigned step = 1; step <= 12; step++) {
		struct result r;
		const struct verdict *v;

		level *= 0.98;
		lab_init(&r, 40 + step);
		lab_job(&r, "rand-4k");
		lab_gate(&r, 0, "read.iops", 0.05);
		for (unsigned i = 0; i < 5; i++)
			lab_runs(&r, 0, lab_session(&r), level * (1 + .001 * (i % 2)));
		lab_judge(&r, &b);
		v = lab_verdict(&r, 0, 0);
		assert_int_equal(v->kind, step == 1   ? VERDICT_PASS
					  : step == 2 ? VERDICT_PASS
						      : VERDICT_REGRESSION);
		result_release(&r);
	}
	baseline_release(&b);
}

/* The red level is shared: what one gate shows at 0.1 %, two hundred do not show at 0.01 %. */
static void test_family(void **state)
{
	static const double level[] = {93000, 94400};
	struct baseline b;
	struct result r;

	(void)state;
	lab_baseline(&b, 10, 100000, NULL);
	assert_int_equal(judge_levels(&r, &b, level, 2)->kind, VERDICT_REGRESSION);
	r.false_alarm = 1e-9; /* as if there were very many */
	lab_judge(&r, &b);
	assert_int_equal(lab_verdict(&r, 0, 0)->kind, VERDICT_INCONCLUSIVE);
	result_release(&r);
	baseline_release(&b);
}

/* PROCEDURE 5.9: a handful of I/Os a run cannot tell 5 %: said, and never a pass. */
static void test_coarse(void **state)
{
	struct baseline b;
	struct result r;

	(void)state;
	lab_baseline(&b, 10, 0.5, NULL); /* 32 I/Os in the window: steps of 3 % */
	lab_simple(&r, 40, 0.5);
	lab_judge(&r, &b);
	lab_expect(lab_verdict(&r, 0, 0), VERDICT_INCONCLUSIVE, STATUS_INCONCLUSIVE, JUNIT_SKIPPED);
	lab_contains(lab_verdict(&r, 0, 0)->text, "too coarse");
	result_release(&r);
	baseline_release(&b);
}

/* Slots of equal bytes, but for so many dips. */
static void dips(struct result *r, uint64_t n)
{
	for (size_t i = 0; i < r->runs.n; i++) {
		struct outcome *o = &r->runs.v[i].out;

		lab_slices(o, 1000);
		for (uint64_t k = 0; k < o->nslots; k++) {
			o->slots[k].ios[DIR_READ] = 1000;
			o->slots[k].bytes[DIR_READ] = k < n ? 4096 : 4096000;
		}
	}
}

static void no_dip(struct result *r, unsigned i)
{
	(void)i;
	dips(r, 0);
}

/* A count moves by whole ones, also from 0: there a tolerance of a tenth is no measure of anything.
 */
static void test_zero_has_steps(void **state)
{
	static const struct {
		double tolerance;
		uint64_t now;
		enum verdict_kind kind;
	} cases[] = {
		{0.1, 0, VERDICT_INCONCLUSIVE},
		{0.9, 0, VERDICT_INCONCLUSIVE},
		{10, 0, VERDICT_PASS},
		{10, 30, VERDICT_REGRESSION},
	};
	struct baseline b;

	(void)state;
	lab_baseline(&b, 10, 100000, no_dip);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct result r;
		struct check *c;

		lab_init(&r, 40);
		lab_job(&r, "rand-4k");
		c = lab_gate(&r, 0, "bw.dips", cases[i].tolerance);
		c->absolute = true;
		lab_gate(&r, 0, "read.iops", .05);
		for (unsigned k = 0; k < 5; k++)
			lab_runs(&r, 0, lab_session(&r), 100000);
		dips(&r, cases[i].now);
		lab_judge(&r, &b);
		assert_int_equal(lab_verdict(&r, 0, 0)->kind, cases[i].kind);
		if (cases[i].kind == VERDICT_INCONCLUSIVE)
			lab_contains(lab_verdict(&r, 0, 0)->text, "too coarse");
		result_release(&r);
	}
	baseline_release(&b);
}

static void test_canary_runs_again(void **state)
{
	struct baseline b;
	struct result r;

	(void)state;
	lab_baseline(&b, 10, 100000, NULL);
	lab_init(&r, 40);
	lab_job(&r, "rand-4k");
	lab_job(&r, "still")->canary = true;
	lab_job(&r, "other");
	lab_gate(&r, 0, "read.iops", 0.05);
	lab_session(&r);
	lab_runs(&r, 0, 0, 90000);
	lab_runs(&r, 1, 0, 100000);
	lab_runs(&r, 2, 0, 100000);
	lab_judge(&r, &b);
	assert_true(gate_wants_session(&r, 0));
	assert_true(gate_wants_session(&r, 1));
	assert_false(gate_wants_session(&r, 2));
	result_release(&r);
	baseline_release(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_rows),           cmocka_unit_test(test_numbers),
		cmocka_unit_test(test_no_baseline),    cmocka_unit_test(test_policy_inconclusive),
		cmocka_unit_test(test_provisional),    cmocka_unit_test(test_one_boot),
		cmocka_unit_test(test_known),          cmocka_unit_test(test_watch),
		cmocka_unit_test(test_errors),         cmocka_unit_test(test_zero),
		cmocka_unit_test(test_zero_now),       cmocka_unit_test(test_drift),
		cmocka_unit_test(test_family),         cmocka_unit_test(test_coarse),
		cmocka_unit_test(test_zero_has_steps), cmocka_unit_test(test_canary_runs_again),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
