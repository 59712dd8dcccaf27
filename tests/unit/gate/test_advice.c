/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a verdict and a change of a baseline say: it agrees with itself, what it advises can be
 * done, and it helps. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <sys/stat.h>
#include "base/clock.h"
#include "store.h"

static void lacks(const char *text, const char *part)
{
	if (strstr(text, part))
		fail_msg("'%s' must not contain '%s'", text, part);
}

/* Judges against what is stored and accepts; the lines of accept into text. */
static int accept_text(struct store *s, struct result *r, const struct accept_options *o,
		       struct str *text, struct err *e)
{
	struct accept_options with = o ? *o : (struct accept_options){.who = "tester"};
	size_t stored;
	int rc;

	with.dir = s->dir;
	store_load(s);
	lab_judge(r, &s->b);
	str_clear(text);
	rc = baseline_accept(r, &s->b, &with, &stored, text, e);
	baseline_release(&s->b);
	return rc;
}

static void judge_stored(struct store *s, struct result *r)
{
	store_load(s);
	lab_judge(r, &s->b);
	baseline_release(&s->b);
}

static void levels(struct result *r, unsigned day, const double *level, unsigned n)
{
	lab_init(r, day);
	lab_job(r, "rand-4k");
	lab_gate(r, 0, "read.iops", .05);
	for (unsigned i = 0; i < n; i++)
		lab_runs(r, 0, lab_session(r), level[i]);
}

/* A loss that enters the epoch enters it aloud: also in a dry run, and not with a new epoch. */
static void test_red_enters(void **state)
{
	static const double red[] = {8600, 8600};

	(void)state;
	for (unsigned i = 0; i < 3; i++) {
		struct accept_options o = {.dry_run = i == 1, .new_epoch = i == 2, .reason = "t"};
		struct err e = ERR_INIT;
		struct result r;
		struct store s;
		struct str text;

		store_open(&s);
		store_fill(&s, 2, 100000);
		str_init(&text);
		levels(&r, 40, red, 2);
		assert_int_equal(accept_text(&s, &r, &o, &text, &e), 0);
		lab_expect(lab_verdict(&r, 0, 0), VERDICT_REGRESSION, STATUS_REGRESSION,
			   JUNIT_FAILURE);
		if (i < 2)
			lab_contains(text.s,
				     "warning: these sessions were judged a regression (rand-4k "
				     "read.iops -91.4 %): they widen the baseline; if it is a new "
				     "level: --new-epoch --reason TEXT\n");
		else
			lacks(text.s, "warning");
		result_release(&r);
		str_release(&text);
		store_close(&s);
	}
}

/* One session of day `boot` against one of day 0. */
static void one_more(struct result *r, unsigned boot, double level)
{
	lab_init(r, boot);
	r->started += 1200; /* another session, also of the same boot */
	lab_job(r, "rand-4k");
	lab_gate(r, 0, "read.iops", .05);
	lab_runs(r, 0, lab_session(r), level);
}

/* Accepting is advised where it makes the baseline less thin, and never of what leans fail. */
static void test_provisional_advice(void **state)
{
	static const struct {
		unsigned boot;
		double level;
		const char *inject;
		const char *has, *lacks;
	} cases[] = {
		{7, 100000, NULL, "baseline accept RESULT --baselines ", "count already"},
		{7, 100000, NULL, "` adds this one", "count already"},
		{0, 100000, NULL, "this one is of a boot and day that count already", "accept"},
		{7, 92000, NULL, "leaning fail", "accept"},
		{0, 92000, NULL, "leaning fail", "count already"},
		{7, 100000, "slow=1%", "leaning pass", "accept"},
	};
	struct store s;

	(void)state;
	store_open(&s);
	store_fill(&s, 1, 100000);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct result r;
		const struct verdict *v;

		one_more(&r, cases[i].boot, cases[i].level);
		r.inject = cases[i].inject;
		judge_stored(&s, &r);
		v = lab_verdict(&r, 0, 0);
		assert_int_equal(v->kind, VERDICT_INCONCLUSIVE);
		lab_contains(v->text, "; provisional: 1 of 5 boots or days (1 session), assumes");
		lab_contains(v->text, cases[i].has);
		lacks(v->text, cases[i].lacks);
		result_release(&r);
	}
	store_close(&s);
}

static void samples(struct outcome *o, unsigned n)
{
	struct hist *h = xcalloc(1, sizeof(*h));

	for (unsigned i = 0; i < n; i++)
		hist_add(h, 80000 + i);
	bins_from_hist(&o->dir[DIR_READ].clat, h);
	free(h);
	o->window = NS_PER_SEC;
	lab_slices(o, NS_PER_SEC);
}

/* A session whose first `few` runs of five have 353 samples. */
static void percentile(struct result *r, unsigned day, unsigned few)
{
	lab_init(r, day);
	lab_job(r, "log")->runtime = NS_PER_SEC;
	lab_gate(r, 0, "read.clat.p99", .2);
	lab_runs(r, 0, lab_session(r), 100000);
	for (unsigned i = 0; i < 5; i++)
		samples(&r->runs.v[i].out, i < few ? 353 : 20000);
}

#define NEEDS "read.clat.p99 needs 10 000 samples a run (100 above the percentile), 353 were seen"

/* Too few samples are said at the first run, and accepting is no cure for them. */
static void test_few_samples(void **state)
{
	struct err e = ERR_INIT;
	const struct verdict *v;
	struct store s;
	struct result r;
	struct str text;

	(void)state;
	store_open(&s);
	str_init(&text);
	percentile(&r, 0, 5);
	assert_int_equal(accept_text(&s, &r, NULL, &text, &e), 0);
	v = lab_verdict(&r, 0, 0);
	lab_expect(v, VERDICT_NO_BASELINE, STATUS_NO_BASELINE, JUNIT_ERROR);
	lab_contains(v->text, "no baseline for read.clat.p99");
	lab_contains(v->text, "; " NEEDS ": a runtime of about 30 s");
	lacks(v->text, "accept");
	lab_contains(text.s, "\nwarning: no value for 'log gate read.clat.p99' in this session");
	judge_stored(&s, &r); /* itself */
	lab_contains(lab_verdict(&r, 0, 0)->text, NEEDS);
	lacks(lab_verdict(&r, 0, 0)->text, "measure again");
	result_release(&r);
	percentile(&r, 1, 5); /* again: nothing to accept, and status 3 */
	judge_stored(&s, &r);
	v = lab_verdict(&r, 0, 0);
	lab_expect(v, VERDICT_INCONCLUSIVE, STATUS_INCONCLUSIVE, JUNIT_SKIPPED);
	assert_int_equal(strncmp(v->text, NEEDS, strlen(NEEDS)), 0);
	lacks(v->text, "accept");
	/* as an amount of I/O where the time is not given */
	r.jobs[0].time_based = false;
	judge_stored(&s, &r);
	lab_contains(lab_verdict(&r, 0, 0)->text, ": about 30 times the loops or the size");
	result_release(&r);
	str_release(&text);
	store_close(&s);
}

/* One run of five with too few: accepted once, it is not asked for again. */
static void test_mixed_samples(void **state)
{
	struct err e = ERR_INIT;
	const struct verdict *v;
	struct store s;
	struct result r;
	struct str text;

	(void)state;
	store_open(&s);
	str_init(&text);
	percentile(&r, 0, 1);
	assert_int_equal(accept_text(&s, &r, NULL, &text, &e), 0);
	lab_contains(lab_verdict(&r, 0, 0)->text, "353 were seen in 1 of 5 runs: a runtime");
	lab_contains(text.s, "only 4 of 5 runs have a value for 'log gate read.clat.p99'");
	result_release(&r);
	percentile(&r, 1, 4);
	judge_stored(&s, &r);
	v = lab_verdict(&r, 0, 0);
	lab_expect(v, VERDICT_INCONCLUSIVE, STATUS_INCONCLUSIVE, JUNIT_SKIPPED);
	lab_contains(v->text, "353 were seen in 4 of 5 runs");
	lacks(v->text, "accept");
	result_release(&r);
	/* a whole one has nothing to be compared with; there accepting helps, and it can be done */
	percentile(&r, 2, 0);
	judge_stored(&s, &r);
	v = lab_verdict(&r, 0, 0);
	lab_expect(v, VERDICT_INCOMPARABLE, STATUS_NO_BASELINE, JUNIT_ERROR);
	lab_contains(v->text, "4 of 5 runs have a value");
	lab_contains(v->text,
		     "; a session that has them comes with `blkgate baseline accept RESULT");
	lacks(v->text, "--new-epoch");
	assert_int_equal(accept_text(&s, &r, NULL, &text, &e), 0);
	result_release(&r);
	percentile(&r, 3, 0);
	judge_stored(&s, &r);
	assert_int_equal(lab_verdict(&r, 0, 0)->base_sessions, 1);
	result_release(&r);
	str_release(&text);
	store_close(&s);
}

/* Where it was looked, whether that exists, and the command for that place. */
static void test_place(void **state)
{
	struct store s;
	struct result r;
	char *folder, *accept;
	struct err e = ERR_INIT;

	(void)state;
	store_open(&s);
	folder = xasprintf(": folder '%s/kernel-gate/default' ", s.dir);
	accept = xasprintf("keep this measurement with `blkgate baseline accept RESULT "
			   "--baselines %s`",
			   s.dir);
	for (unsigned i = 0; i < 4; i++) {
		static const char *const what[] = {"does not exist", "holds no session",
						   "holds 1 session without it", "does not exist"};
		char *made = xasprintf("%s/kernel-gate/default", s.dir);
		const struct verdict *v;

		if (i == 1)
			assert_int_equal(file_mkdirs(made, &e), 0);
		if (i == 2)
			store_fill(&s, 1, 100000);
		free(made);
		lab_simple(&r, 40, 100000);
		if (i == 2) { /* the job that is stored, and a new one */
			lab_job(&r, "new");
			lab_gate(&r, 1, "read.iops", .05);
			lab_runs(&r, 1, 0, 1000);
		}
		store_load(&s);
		if (i == 3) {
			s.b.dir = "baselines";
			s.b.found = false;
			s.b.n = 0;
		}
		lab_judge(&r, &s.b);
		v = lab_verdict(&r, i == 2, i == 2);
		lab_expect(v, VERDICT_NO_BASELINE, STATUS_NO_BASELINE, JUNIT_ERROR);
		lab_contains(v->text,
			     i == 3 ? ": folder 'baselines/kernel-gate/default' " : folder);
		lab_contains(v->text, what[i]);
		lab_contains(v->text, i == 3 ? "`blkgate baseline accept RESULT`" : accept);
		r.inject = "slow=1%";
		lab_judge(&r, &s.b);
		v = lab_verdict(&r, i == 2, i == 2);
		lacks(v->text, "baseline accept");
		lab_contains(v->text, "cannot become one: the result is injected");
		if (i == 3)
			s.b.n = 1;
		baseline_release(&s.b);
		result_release(&r);
	}
	free(folder);
	free(accept);
	store_close(&s);
}

/* Incomparable has a remedy; accepted all the same it is told, and shown. */
static void test_incomparable(void **state)
{
	static const double good[] = {100000};
	struct store s;
	struct result r;
	struct str text;
	struct err e = ERR_INIT;
	const struct verdict *v;

	(void)state;
	store_open(&s);
	str_init(&text);
	store_fill(&s, 3, 100000);
	levels(&r, 40, good, 1);
	r.jobs[0].bs = 8192;
	assert_int_equal(accept_text(&s, &r, NULL, &text, &e), 0);
	v = lab_verdict(&r, 0, 0);
	lab_expect(v, VERDICT_INCOMPARABLE, STATUS_NO_BASELINE, JUNIT_ERROR);
	lab_contains(v->text, "; undo the change, or accept this as a new level: `blkgate baseline "
			      "accept RESULT --baselines ");
	lab_contains(v->text, " --new-epoch --reason WHY`");
	lab_contains(text.s, "warning: incomparable with the sessions that are stored (rand-4k "
			     "read.iops)");
	store_load(&s);
	str_clear(&text);
	baseline_show(&s.b, &text);
	lab_contains(text.s, "read.iops: 1 session, 1 block");
	lab_contains(text.s, "; 3 sessions not comparable with the newest, left out");
	/* stored, it cannot be accepted once more */
	lab_judge(&r, &s.b);
	v = lab_verdict(&r, 0, 0);
	lab_contains(v->text, "measure again to compare with it");
	lacks(v->text, "baseline accept");
	/* measured in another way counts as little */
	s.b.sessions[0].jobs.v[0].canonical = s.b.sessions[3].jobs.v[0].canonical;
	s.b.sessions[0].measurement_version += 7;
	str_clear(&text);
	baseline_show(&s.b, &text);
	lab_contains(text.s, "; 3 sessions not comparable");
	baseline_release(&s.b);
	result_release(&r);
	str_release(&text);
	store_close(&s);
}

/* A session that is stored is skipped when another comes with it, and refused alone. */
static void test_half_stored(void **state)
{
	static const double same[] = {100000, 100000, 100000};

	(void)state;
	for (unsigned epoch = 0; epoch < 2; epoch++) {
		struct accept_options o = {.new_epoch = epoch, .reason = "t"};
		struct err e = ERR_INIT;
		struct store s;
		struct result r;
		struct str text;

		store_open(&s);
		str_init(&text);
		levels(&r, 40, same, 1);
		assert_int_equal(accept_text(&s, &r, NULL, &text, &e), 0);
		result_release(&r);
		levels(&r, 40, same, 3);
		assert_int_equal(accept_text(&s, &r, &o, &text, &e), 0);
		lab_contains(text.s, "skipped session ");
		lab_contains(text.s, ": it is stored already, in epoch 1\n");
		lab_contains(text.s, r.sessions.v[2].id);
		store_load(&s);
		assert_int_equal(s.b.n, 3);
		assert_int_equal(s.b.sessions[0].epoch, 1);
		assert_int_equal(s.b.sessions[2].epoch, 1 + epoch);
		baseline_release(&s.b);
		assert_int_equal(accept_text(&s, &r, &o, &text, &e), ERR_REFUSED);
		lab_contains(e.text, "stored already");
		result_release(&r);
		str_release(&text);
		store_close(&s);
	}
}

/* A gate in one session only: dropping that takes the demand away, and says so. */
static void test_drop_forgets(void **state)
{
	struct store s;
	struct err e = ERR_INIT;
	struct str text;
	const char *ids[2];

	(void)state;
	store_open(&s);
	str_init(&text);
	store_fill(&s, 2, 100000);
	store_load(&s);
	ids[0] = s.b.sessions[1].id;
	ids[1] = s.b.sessions[0].id;
	assert_int_equal(baseline_drop_forgets(&s.b, ids, 1, &text), 0);
	assert_int_equal(baseline_drop_forgets(&s.b, &ids[1], 1, &text), 0);
	assert_int_equal(text.len, 0);
	assert_int_equal(baseline_drop_forgets(&s.b, ids, 2, &text), 1);
	assert_string_equal(text.s, "warning: 'dut rand-4k gate read.iops' is in no other session: "
				    "it is no longer demanded\n");
	/* what was retired is not forgotten */
	assert_int_equal(baseline_retire(&s.b, "dut rand-4k", "me", "sold", false, &e), 0);
	baseline_release(&s.b);
	store_load(&s);
	ids[0] = s.b.sessions[1].id;
	ids[1] = s.b.sessions[0].id;
	assert_int_equal(baseline_drop_forgets(&s.b, ids, 2, &text), 0);
	baseline_release(&s.b);
	str_release(&text);
	store_close(&s);
}

/* What an older epoch demands has no level now, and no policy excuses that; one that nobody demands
 * is excused. */
static void test_older_epoch(void **state)
{
	struct store s;
	struct result r;
	struct err e = ERR_INIT;

	(void)state;
	store_open(&s);
	store_fill(&s, 2, 100000);
	for (unsigned i = 0; i < 2; i++) {
		const struct verdict *v;

		store_load(&s);
		s.b.sessions[1].epoch = s.b.epoch = 2;
		s.b.sessions[1].jobs.v[0].name = "other";
		lab_simple(&r, 40, 100000);
		lab_job(&r, "other");
		lab_gate(&r, 1, "read.iops", .05);
		lab_runs(&r, 1, 0, 100000);
		r.policy.no_baseline = NO_BASELINE_WARN;
		lab_judge(&r, &s.b);
		v = lab_verdict(&r, 0, 0);
		if (i == 0) {
			lab_expect(v, VERDICT_NO_BASELINE, STATUS_NO_BASELINE, JUNIT_ERROR);
			assert_string_equal(v->type, "demanded");
			lab_contains(v->text, "holds it in epoch 1 only, which demands it");
			lab_contains(v->text, "baseline accept RESULT");
			assert_int_equal(baseline_retire(&s.b, "dut rand-4k", "me", "t", false, &e),
					 0);
		} else {
			lab_expect(v, VERDICT_NO_BASELINE, STATUS_PASS, JUNIT_SKIPPED);
			lab_contains(v->text, "holds 1 session without it");
		}
		baseline_release(&s.b);
		result_release(&r);
	}
	store_close(&s);
}

/* A file that the system does not hand out is not damaged, and nobody is told to remove it. */
static void test_unreadable(void **state)
{
	struct store s;
	struct err e = ERR_INIT;
	char *path;

	(void)state;
	store_open(&s);
	store_fill(&s, 1, 100000);
	path = xasprintf("%s/kernel-gate/default/x.json", s.dir);
	assert_int_equal(symlink("x.json", path), 0); /* ELOOP: for root as well */
	assert_int_equal(baseline_load(s.dir, "kernel-gate", "default", &s.b, &e), ERR_DATA);
	lab_contains(e.text, "cannot read baseline file '");
	lab_contains(e.text, path);
	lacks(e.text, "damaged");
	lacks(e.hint, "remove");
	lab_contains(e.hint, "keep the file");
	if (geteuid() != 0) {
		assert_int_equal(unlink(path), 0);
		assert_int_equal(file_write(path, "{}", 2, &e), 0);
		assert_int_equal(chmod(path, 0), 0);
		assert_int_equal(baseline_load(s.dir, "kernel-gate", "default", &s.b, &e),
				 ERR_DATA);
		lab_contains(e.text, "Permission denied");
		lab_contains(e.hint, "right to read");
	}
	free(path);
	store_close(&s);
}

/* The two values and the percentage are of the same means, on both scales and in both rules, with
 * sessions that are far apart. */
static void test_values_agree(void **state)
{
	static const double level[] = {88000, 71000, 93000};

	(void)state;
	for (unsigned i = 0; i < 4; i++) {
		struct baseline b;
		struct result r;
		const struct verdict *v;

		lab_baseline(&b, i < 2 ? 7 : 3, 100000, NULL);
		for (size_t k = 0; k < b.sessions[1].jobs.v[0].values.n; k++)
			for (size_t n = 0; n < 5; n++)
				b.sessions[1].jobs.v[0].values.v[k].v[n] *= 1.4;
		lab_init(&r, 40);
		lab_job(&r, "rand-4k");
		lab_gate(&r, 0, "read.iops", i % 2 ? 5000 : .05)->absolute = i % 2;
		for (unsigned n = 0; n < 3; n++)
			lab_runs(&r, 0, lab_session(&r), level[n]);
		lab_judge(&r, &b);
		v = lab_verdict(&r, 0, 0);
		assert_true(v->nsessions == 3 && v->provisional == (i >= 2));
		assert_true(v->base_value > 102000);
		if (i % 2)
			assert_true(fabs(v->value - v->base_value - v->change) < 1e-6);
		else
			assert_true(fabs(v->value / v->base_value - 1 - v->change) < 1e-12);
		result_release(&r);
		baseline_release(&b);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_red_enters),   cmocka_unit_test(test_provisional_advice),
		cmocka_unit_test(test_few_samples),  cmocka_unit_test(test_mixed_samples),
		cmocka_unit_test(test_place),        cmocka_unit_test(test_incomparable),
		cmocka_unit_test(test_half_stored),  cmocka_unit_test(test_drop_forgets),
		cmocka_unit_test(test_older_epoch),  cmocka_unit_test(test_unreadable),
		cmocka_unit_test(test_values_agree),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
