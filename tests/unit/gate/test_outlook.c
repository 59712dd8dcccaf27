/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The forecast of a whole suite: against accepted sessions, of two arms in turn, at equal level of
 * a canary; and no figure where the evidence lacks. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include "../normal.h"
#include "gate/outlook.h"
#include "lab.h"

static double run_sd;
static const char *role;
static struct rng rng;

/* One session: runs of that spread, on a target of that role, with a canary beside. */
static void noisy(struct result *r, unsigned i)
{
	double level = 100000 * exp(.06 * rng_normal(&rng));

	(void)i;
	r->targets[0].role = role;
	for (size_t k = 0; k < r->runs.n; k++)
		lab_rate(&r->runs.v[k].out, level * exp(run_sd * rng_normal(&rng)));
	lab_job(r, "memory")->canary = true;
	lab_check(r, 1, CHECK_EXPECT, "read.iops");
	for (uint32_t k = 0; k < r->jobs[1].runs; k++)
		lab_rate(&lab_run(r, 1, 0, k)->out, level * exp(.003 * rng_normal(&rng)));
}

/* A suite of one or two gates for two targets: the first is the reference. */
struct suite {
	struct job jobs[2];
	struct check checks[2];
	struct target targets[2];
	struct interleave interleave;
	struct outlook_ask ask;
};

static void suite_init(struct suite *s)
{
	*s = (struct suite){
		.jobs = {{.name = "rand-4k", .rw = RW_RANDREAD, .target = 1},
			 {.name = "memory", .rw = RW_RANDREAD, .target = 1, .canary = true}},
		.checks = {{.kind = CHECK_GATE,
			    .metric = "read.iops",
			    .name = "gate read.iops",
			    .tolerance = .05},
			   {.kind = CHECK_GATE,
			    .metric = "read.clat.p99",
			    .name = "gate read.clat.p99",
			    .tolerance = .2}},
		.targets = {{.role = "old"}, {.role = "new"}},
		.interleave = {.kind = INTERLEAVE_VERSUS, .name = {"old", "new"}, .pairs = 20}};
	s->ask = (struct outlook_ask){.jobs = s->jobs,
				      .njobs = 2,
				      .checks = s->checks,
				      .nchecks = 1,
				      .targets = s->targets,
				      .ntargets = 2,
				      .max = 5,
				      .assumed_sd = .015,
				      .interleave = &s->interleave};
}

static void sessions(struct baseline *b, unsigned n, const char *of, double sd)
{
	rng_seed(&rng, 21);
	role = of;
	run_sd = sd;
	lab_baseline(b, n, 100000, noisy);
}

static void told(const struct outlook_ask *a, const struct baseline *b, struct outlook *o,
		 struct str *text)
{
	outlook(a, b, o);
	str_clear(text);
	outlook_text(o, text);
}

/* The level of sessions differs by 6 %: to two arms in one session that is nothing. */
static void test_arms(void **state)
{
	struct baseline b;
	struct outlook o;
	struct suite s;
	struct str text;

	(void)state;
	str_init(&text);
	suite_init(&s);
	sessions(&b, 8, "old", .02);
	told(&s.ask, &b, &o, &text);
	assert_int_equal(o.played, 1);
	assert_int_equal(o.pairs, 20);
	assert_true(o.all.pass > .99 && o.all.cost > 4 && o.all.cost < 6);
	lab_contains(text.s, " pairs of at most 20\n");
	assert_null(strstr(text.s, "bears"));
	s.interleave.kind = INTERLEAVE_NONE; /* against the baseline it is much */
	told(&s.ask, &b, &o, &text);
	assert_int_equal(o.played, 0); /* of the role that is asked for there is no session */
	lab_contains(text.s, "forecast: not known");
	s.targets[1].role = "old";
	told(&s.ask, &b, &o, &text);
	assert_int_equal(o.pairs, 0);
	assert_true(o.all.undecided > .3);
	lab_contains(text.s, "most of the undecided: old rand-4k");
	baseline_release(&b);
	/* with sessions enough nothing cheaper is left */
	sessions(&b, 20, "old", .02);
	told(&s.ask, &b, &o, &text);
	lab_contains(text.s, "cure: interleave: --versus ROLE, or --ab SETTING=A,B");
	baseline_release(&b);
	str_release(&text);
}

static void test_noisy_arms(void **state)
{
	struct baseline b;
	struct outlook o, more;
	struct suite s;
	struct str text;

	(void)state;
	str_init(&text);
	suite_init(&s);
	s.interleave.pairs = 10;
	sessions(&b, 8, "new", .035);
	told(&s.ask, &b, &o, &text);
	assert_true(o.all.undecided > .05);
	lab_contains(text.s, "most of the undecided: new rand-4k");
	lab_contains(text.s, "cure: --pairs 15");
	s.interleave.pairs = 20;
	told(&s.ask, &b, &more, &text);
	assert_true(more.all.undecided < o.all.undecided);
	baseline_release(&b);
	sessions(&b, 8, "new", .15);
	told(&s.ask, &b, &o, &text);
	assert_true(o.all.pass < .5 && o.all.red < .01);
	lab_contains(text.s, "cure: a tolerance of ");
	baseline_release(&b);
	str_release(&text);
}

/* Nothing is invented: what the tolerance bears is a figure of the rule (PROCEDURE 6). */
static void test_unknown_runs(void **state)
{
	struct baseline b = {0};
	struct outlook o;
	struct suite s;
	struct str text;

	(void)state;
	str_init(&text);
	suite_init(&s);
	told(&s.ask, &b, &o, &text);
	assert_int_equal(o.played, 0);
	lab_contains(text.s, "forecast: not known: no two accepted sessions of 'old' or 'new'");
	/* 0.0513 over 1.22 (1.45), 1.39 (1.67), 1.71 (2.04) */
	lab_contains(text.s, "a tolerance of 5.0 % bears a run sd of 4.2 % (3.5 %) with 20 pairs, "
			     "3.7 % (3.1 %) with 15, 3.0 % (2.5 %) with 10: 95 (99) of 100");
	assert_null(strstr(text.s, "pass 0"));
	s.interleave.pairs = 28;
	told(&s.ask, &b, &o, &text);
	lab_contains(text.s, ", and more with the 28 planned: ");
	s.interleave.kind = INTERLEAVE_SETTING;
	told(&s.ask, &b, &o, &text);
	lab_contains(text.s, "sessions of 'new' tell");
	s.interleave.kind = INTERLEAVE_VERSUS;
	sessions(&b, 1, "old", .02); /* one is too few */
	told(&s.ask, &b, &o, &text);
	assert_int_equal(o.played, 0);
	baseline_release(&b);
	/* one gate of two is known: the other is named and is in no figure */
	sessions(&b, 8, "old", .02);
	s.ask.nchecks = 2;
	told(&s.ask, &b, &o, &text);
	assert_int_equal(o.played, 1);
	assert_int_equal(o.gates, 2);
	lab_contains(text.s, "(1 of 2 gates; of the others too few sessions are known)");
	lab_contains(text.s, "not known of 1 gate: ");
	lab_contains(text.s, "a tolerance of 20.0 % bears");
	s.ask.nchecks = 0;
	told(&s.ask, &b, &o, &text);
	assert_string_equal(text.s, "");
	baseline_release(&b);
	str_release(&text);
}

static void test_adjusted(void **state)
{
	struct baseline b;
	struct outlook o, raw;
	struct suite s;
	struct str text;

	(void)state;
	str_init(&text);
	suite_init(&s);
	s.interleave.kind = INTERLEAVE_NONE;
	s.targets[1].role = "old";
	sessions(&b, 12, "old", .005);
	told(&s.ask, &b, &raw, &text);
	assert_null(strstr(text.s, "adjust_by"));
	s.jobs[0].adjust_by = "memory";
	told(&s.ask, &b, &o, &text);
	assert_true(o.adjusted && o.all.pass > .99);
	assert_true(raw.all.pass < .7);
	assert_true(fabs(o.raw.pass - raw.all.pass) < 1e-9);
	lab_contains(text.s, "  raw, without adjust_by: pass ");
	baseline_release(&b);
	str_release(&text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_arms),
		cmocka_unit_test(test_noisy_arms),
		cmocka_unit_test(test_unknown_runs),
		cmocka_unit_test(test_adjusted),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
