/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Each gate by twice its own tolerance: which injection, in which trial, and what that shows. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "session/trial.h"

#include <math.h>
#include <string.h>

#define ROOM 8

struct fix {
	struct plan p;
	struct job jobs[ROOM];
	struct check checks[ROOM];
	struct trial_known known[ROOM];
	struct trials t;
	struct inject in[ROOM];
	bool needed[ROOM];
};

static struct job *add_job(struct fix *f)
{
	struct job *j = &f->jobs[f->p.njobs++];

	*j = (struct job){.name = "j",
			  .ioengine = "sim",
			  .rw = RW_RANDREAD,
			  .iodepth = 1,
			  .numjobs = 1,
			  .state = JOB_READY};
	f->p.jobs = f->jobs;
	f->p.checks = f->checks;
	return j;
}

/* A gate of the last job. */
static struct check *add_gate(struct fix *f, const char *metric, double tolerance, double level)
{
	size_t n = f->p.nchecks++;

	f->checks[n] = (struct check){.job = (uint32_t)f->p.njobs - 1,
				      .kind = CHECK_GATE,
				      .metric = metric,
				      .tolerance = tolerance};
	f->known[n] = (struct trial_known){true, level};
	return &f->checks[n];
}

static const struct trial_gate *gate(const struct fix *f, uint32_t check)
{
	for (size_t i = 0; i < f->t.gates.n; i++)
		if (f->t.gates.v[i].check == check)
			return &f->t.gates.v[i];
	fail_msg("check %u is in no list", check);
	return NULL;
}

static void near_to(double a, double b)
{
	if (!(fabs(a - b) < 1e-9 * fmax(fabs(b), 1)))
		fail_msg("%.12g is not %.12g", a, b);
}

static void make(struct fix *f)
{
	trials_plan(&f->p, f->known, &f->t);
}

/* A workload of three tolerances takes three trials, and its neighbour with one is in the first. */
static void own_tolerance(void **state)
{
	struct fix f = {0};

	(void)state;
	add_job(&f);
	add_gate(&f, "read.iops", 0.05, 1e4);
	add_gate(&f, "read.bw", 0.05, 4e7);
	add_gate(&f, "read.clat.p99", 0.2, 1e5);
	add_gate(&f, "stall.longest", 50e6, 1e5)->absolute = true;
	add_job(&f)->iodepth = 32;
	add_gate(&f, "read.iops", 0.5, 1e4);
	add_gate(&f, "read.clat.mean", 0.1, 1e6);
	make(&f);
	assert_int_equal(f.t.n, 3);
	near_to(gate(&f, 0)->in.slow, 1 - 0.95 * 0.95);
	assert_int_equal(gate(&f, 0)->trial, gate(&f, 1)->trial);
	assert_int_equal(gate(&f, 2)->in.delay, 44000);
	assert_int_equal(gate(&f, 3)->in.delay, 100000000);
	assert_true(gate(&f, 0)->trial != gate(&f, 2)->trial);
	near_to(gate(&f, 4)->in.slow, 0.75);
	near_to(gate(&f, 4)->aim, -0.75);
	near_to(gate(&f, 5)->in.slow, 1 - 1 / 1.21); /* Little: the mean grows by 21 % */
	near_to(gate(&f, 5)->aim, 0.21);
	for (uint32_t i = 0; i < 3; i++) {
		trials_inject(&f.t, &f.p, i, f.in, f.needed);
		assert_true(f.needed[0]);
		assert_int_equal(f.needed[1], i < 2);
		assert_int_equal(f.in[0].slow > 0, i == 0);
		assert_int_equal(f.in[1].slow > 0, i < 2);
		assert_int_equal(f.in[0].delay > 0, i > 0);
	}
	trials_release(&f.t);
}

/* What no injection moves by a known amount is in no trial, and says why. */
static void not_tested(void **state)
{
	struct fix f = {0};
	uint32_t n = 0;

	(void)state;
	add_job(&f);
	add_gate(&f, "cpu.per_io", 0.1, 1e3);
	add_gate(&f, "read.clat.stddev", 0.1, 1e3);
	add_gate(&f, "read.clat.p99", 0.1, NAN);
	add_gate(&f, "read.iops", 4000, 8000)->absolute = true; /* twice it is everything */
	add_gate(&f, "read.bw", 0.05, 1e7)->known.no_worse_than = 0.2;
	add_job(&f)->iodepth = 8;
	add_gate(&f, "read.clat.p99", 0.1, 1e6);
	add_gate(&f, "stall.longest", 0.5, 1e7);
	make(&f);
	assert_int_equal(f.t.n, 0);
	for (; n < f.p.nchecks; n++) {
		assert_non_null(gate(&f, n)->why);
		assert_int_equal(gate(&f, n)->trial, TRIAL_NONE);
	}
	trials_release(&f.t);
}

/* What is watched, or judged elsewhere, or of a workload that does not run, is none. */
static void left_out(void **state)
{
	struct fix f = {0};

	(void)state;
	add_job(&f);
	add_gate(&f, "read.iops", 0.1, 1e4)->role = ROLE_WATCH;
	add_gate(&f, "read.bw", 0.1, 1e4);
	f.known[1].judged = false;
	add_gate(&f, "read.iops", 0.1, 1e4)->kind = CHECK_EXPECT;
	add_job(&f)->state = JOB_SKIPPED;
	add_gate(&f, "read.iops", 0.1, 1e4);
	make(&f);
	assert_int_equal(f.t.gates.n, 0);
	trials_release(&f.t);
}

/* A device that is shared hides pauses; a pace or a thinktime is stretched in part. */
static void unsure(void **state)
{
	struct fix f = {0};

	(void)state;
	add_job(&f)->numjobs = 4;
	add_gate(&f, "read.iops", 0.1, 1e4);
	add_job(&f)->thinktime = 1000;
	add_gate(&f, "read.iops", 0.1, 1e4);
	add_job(&f)->rate_iops = 100;
	add_gate(&f, "read.iops", 0.1, 1e2);
	add_gate(&f, "read.clat.p99", 0.1, 1e5);
	add_job(&f)->rate = 1e6;
	add_gate(&f, "read.lat.p99", 0.1, 1e5);
	make(&f);
	assert_false(gate(&f, 0)->sure);
	assert_false(gate(&f, 1)->sure);
	assert_true(gate(&f, 2)->sure);
	assert_int_equal(gate(&f, 3)->in.delay, 21000);
	assert_true(gate(&f, 3)->sure);
	assert_false(gate(&f, 4)->sure);
	trials_release(&f.t);
}

/* Of what runs together one is slowed at a time, the others run along; canaries come last, alone,
 * and run along else. */
static void together(void **state)
{
	struct fix f = {0};

	(void)state;
	add_job(&f)->group = 1;
	add_gate(&f, "read.iops", 0.1, 1e4);
	add_job(&f)->group = 1;
	add_gate(&f, "read.iops", 0.1, 1e4);
	add_job(&f);
	add_gate(&f, "read.iops", 0.2, 1e4);
	add_job(&f)->canary = true;
	add_gate(&f, "read.iops", 0.3, 1e4);
	make(&f);
	assert_int_equal(f.t.n, 3);
	for (uint32_t i = 0; i < 3; i++) {
		trials_inject(&f.t, &f.p, i, f.in, f.needed);
		assert_int_equal(f.needed[0], i < 2);
		assert_int_equal(f.needed[1], i < 2);
		assert_int_equal(f.needed[2], i == 0);
		assert_true(f.needed[3]);
		assert_int_equal(f.in[0].slow > 0, i == 0);
		assert_int_equal(f.in[1].slow > 0, i == 1);
		assert_int_equal(f.in[3].slow > 0, i == 2);
	}
	trials_release(&f.t);
}

/* A sum falls by what all its parts do. */
static void total(void **state)
{
	struct fix f = {0};

	(void)state;
	add_job(&f)->group = 1;
	add_job(&f)->group = 1;
	add_job(&f)->group = 1;
	f.jobs[2].total = true;
	add_gate(&f, "read.bw", 0.1, 1e7);
	add_gate(&f, "read.clat.p99", 0.1, 1e5);
	make(&f);
	assert_int_equal(f.t.n, 1);
	assert_non_null(gate(&f, 1)->why);
	trials_inject(&f.t, &f.p, 0, f.in, f.needed);
	near_to(f.in[0].slow, 0.19);
	near_to(f.in[1].slow, 0.19);
	assert_true(f.needed[0] && f.needed[1] && f.needed[2]);
	trials_release(&f.t);
}

static void ends(void **state)
{
	static const struct {
		enum verdict_kind kind;
		double change;
		bool sure;
		const char *judged;
		enum trial_end end;
	} rows[] = {
		{VERDICT_REGRESSION, -0.19, true, NULL, TRIAL_FOUND},
		{VERDICT_REGRESSION, -0.19, false, NULL, TRIAL_FOUND},
		/* red by far more than its double shows nothing about it */
		{VERDICT_REGRESSION, -0.60, false, NULL, TRIAL_UNTESTED},
		{VERDICT_PASS, -0.19, false, NULL, TRIAL_MISSED},
		{VERDICT_PASS, 0, true, NULL, TRIAL_MISSED},
		{VERDICT_PASS, -0.02, false, NULL, TRIAL_UNTESTED},
		{VERDICT_INCONCLUSIVE, -0.15, true, NULL, TRIAL_UNDECIDED},
		{VERDICT_INCONCLUSIVE, NAN, true, NULL, TRIAL_UNTESTED},
		{VERDICT_ERROR, -0.19, true, NULL, TRIAL_UNTESTED},
		{VERDICT_KNOWN, -0.19, true, NULL, TRIAL_MISSED},
		{VERDICT_REGRESSION, -0.19, true, "the share of slow I/Os", TRIAL_UNTESTED},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct trial_gate g = {.aim = -0.19, .sure = rows[i].sure, .in.slow = 0.19};
		struct verdict v = {.kind = rows[i].kind,
				    .change = rows[i].change,
				    .judged = rows[i].judged,
				    .text = "a reason"};
		struct str why;
		enum trial_end end;

		str_init(&why);
		end = trial_end(&g, &v, &why);
		if (end != rows[i].end)
			fail_msg("row %zu: %d, wanted %d", i, end, rows[i].end);
		assert_int_equal(why.len > 0, end == TRIAL_UNTESTED);
		str_release(&why);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(own_tolerance), cmocka_unit_test(not_tested),
		cmocka_unit_test(left_out),      cmocka_unit_test(unsure),
		cmocka_unit_test(together),      cmocka_unit_test(total),
		cmocka_unit_test(ends),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
