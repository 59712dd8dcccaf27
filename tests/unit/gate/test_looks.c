/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A decision stands, bit for bit, whatever the sessions or pairs behind it hold: results that grow
 * session by session, of levels, noise and samples drawn by chance, through every kind of gate. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include "base/rng.h"
#include "lab.h"

#define SESSIONS 5u
#define DRAWS 60u
#define PAIRS 12u

enum kind { RATE, PLAIN, ADJUSTED, PERCENTILE, CLIFF, TAIL, KINDS };

/* Uniform in [-1, 1] for that place of that draw: a longer result begins like the shorter one. */
static double chance(uint64_t draw, uint64_t a, uint64_t b, uint64_t c)
{
	uint64_t x = rng_mix(draw * 1000003 + rng_mix(a * 8191 + rng_mix(b * 131 + c)));

	return (double)(x >> 11) / (double)(1ULL << 52) - 1;
}

/* slow I/Os among so many, in so many bursts. */
static void modes(struct outcome *o, unsigned ios, unsigned slow, unsigned bursts, double level)
{
	struct hist *h = xcalloc(1, sizeof(*h));

	for (unsigned i = 0; i < 100; i++)
		hist_add_n(h, (uint64_t)((78000 + 40 * i) * level), (ios - slow) / 100);
	for (unsigned i = 0; i < 10; i++)
		hist_add_n(h, (uint64_t)((4900000 + 20000 * i) * level), slow / 10);
	bins_from_hist(&o->dir[DIR_READ].clat, h);
	free(h);
	lab_slices(o, (uint64_t)(82000 * level));
	for (unsigned i = 0; i < bursts && i < o->nslots; i++)
		o->slots[i].clat[DIR_READ] = 5000000;
}

static void fill(struct outcome *o, enum kind kind, uint64_t draw, unsigned s, unsigned i,
		 double level, bool base)
{
	bool noisy = !base && chance(draw, s, 7, 0) > 0.3;
	double at = level * (1 + (noisy ? .04 : .002) * chance(draw, s, i, 1));
	bool thin = !base && chance(draw, s, i, 2) > 0.93;
	unsigned slow = kind == CLIFF ? 2000 : 300;

	lab_rate(o, 1e5 * at);
	if (kind < PERCENTILE)
		return;
	slow = (unsigned)(slow * fmax(1 + 15 * (1 - level), .2) *
			  (1 + .05 * chance(draw, s, i, 3)));
	if (thin)
		modes(o, kind == PERCENTILE ? 5000 : 200000, slow * 2, 5, 1);
	else
		modes(o, 200000, slow, 600, kind == PERCENTILE ? 6 - 5 * at : 1);
}

static const char *const metrics[KINDS] = {
	[RATE] = "read.iops",           [PLAIN] = "read.iops",     [ADJUSTED] = "read.iops",
	[PERCENTILE] = "read.clat.p99", [CLIFF] = "read.clat.p99", [TAIL] = "read.clat.tail",
};

static void make(struct result *r, unsigned day, enum kind kind, uint64_t draw, unsigned n,
		 bool base)
{
	struct check *c;

	lab_init(r, day);
	lab_job(r, "rand-4k");
	c = lab_gate(r, 0, metrics[kind], kind == PLAIN ? 5000 : kind < PERCENTILE ? .05 : .15);
	c->absolute = kind == PLAIN;
	if (kind == ADJUSTED) {
		r->jobs[0].adjust_by = "memory";
		lab_job(r, "memory")->canary = true;
	}
	for (unsigned s = 0; s < n; s++) {
		double level = base ? 1 + .004 * chance(draw, day, 9, 9)
				    : 1 + .06 * chance(draw, 3, 3, 3) + .02 * chance(draw, s, 9, 8);
		unsigned where = base ? 100 + day : s;

		lab_session(r);
		for (unsigned i = 0; i < 5; i++) {
			fill(&lab_run(r, 0, s, i)->out, kind, draw, where, i, level, base);
			if (kind == ADJUSTED)
				fill(&lab_run(r, 1, s, i)->out, RATE, draw, 50 + where, i,
				     1 + .01 * chance(draw, where, 9, 7), base);
		}
	}
}

static void make_baseline(struct baseline *b, enum kind kind, uint64_t draw, unsigned n)
{
	const struct result *p[8] = {0};
	struct err e = ERR_INIT;
	struct result r[8];

	for (unsigned i = 0; i < n; i++) {
		make(&r[i], i, kind, draw, 1, true);
		p[i] = &r[i];
	}
	if (baseline_from_results(p, n, b, &e))
		fail_msg("%s", e.text);
	for (unsigned i = 0; i < n; i++)
		result_release(&r[i]);
}

static bool decided(const struct verdict *v)
{
	return v->kind == VERDICT_PASS || v->kind == VERDICT_IMPROVEMENT ||
	       v->kind == VERDICT_REGRESSION;
}

static void same(const struct verdict *now, const struct verdict *then, unsigned kind,
		 uint64_t draw)
{
	if (now->kind != then->kind || memcmp(&now->change, &then->change, sizeof(double)) ||
	    memcmp(&now->low, &then->low, sizeof(double)) ||
	    memcmp(&now->high, &then->high, sizeof(double)) || now->status != then->status)
		fail_msg("kind %u draw %llu: '%s' became '%s'", kind, (unsigned long long)draw,
			 then->text, now->text);
}

static void test_sessions(void **state)
{
	unsigned found[KINDS][2] = {0};

	(void)state;
	for (unsigned kind = 0; kind < KINDS; kind++)
		for (uint64_t draw = 0; draw < DRAWS; draw++) {
			struct verdict then = {0};
			struct result r[SESSIONS];
			struct baseline b;

			make_baseline(&b, kind, draw, draw % 2 ? 3 : 7);
			for (unsigned n = 1; n <= SESSIONS; n++) {
				const struct verdict *v;

				make(&r[n - 1], 40, kind, draw, n, false);
				lab_judge(&r[n - 1], &b);
				v = lab_verdict(&r[n - 1], 0, 0);
				if (decided(&then)) {
					same(v, &then, kind, draw);
				} else if (decided(v)) {
					then = *v;
					found[kind][v->kind == VERDICT_REGRESSION] += n < SESSIONS;
				}
			}
			for (unsigned n = 0; n < SESSIONS; n++)
				result_release(&r[n]);
			baseline_release(&b);
		}
	for (unsigned kind = 0; kind < KINDS; kind++)
		if (!found[kind][0] || !found[kind][1])
			fail_msg("kind %u: %u passes and %u losses to try it with", kind,
				 found[kind][0], found[kind][1]);
}

static void make_pairs(struct result *r, enum kind kind, uint64_t draw, unsigned n)
{
	lab_init(r, 40);
	r->sessions_max = 1;
	r->interleave = (struct interleave){.kind = INTERLEAVE_SETTING,
					    .name = {"none", "kyber"},
					    .setting = "scheduler",
					    .pairs = 20,
					    .seed = 7};
	lab_job(r, "rand-4k");
	lab_gate(r, 0, metrics[kind], .05);
	lab_session(r);
	for (unsigned p = 0; p < n; p++)
		for (unsigned arm = 0; arm < ARM_COUNT; arm++) {
			struct run *run = lab_run(r, 0, 0, 2 * p + arm);

			run->pair = p;
			run->arm = arm;
			fill(&run->out, kind, draw, 20 + p, arm,
			     arm ? 1 + .12 * chance(draw, 3, 3, 4) : 1, false);
		}
}

static void test_pairs(void **state)
{
	static const enum kind kinds[] = {RATE, PERCENTILE};

	(void)state;
	for (unsigned k = 0; k < 2; k++) {
		unsigned found[2] = {0};

		for (uint64_t draw = 0; draw < DRAWS; draw++) {
			struct verdict then = {0};
			struct result r[PAIRS];

			for (unsigned n = 4; n < PAIRS; n++) {
				const struct verdict *v;

				make_pairs(&r[n], kinds[k], draw, n);
				lab_judge(&r[n], NULL);
				v = lab_verdict(&r[n], 0, 0);
				if (decided(&then)) {
					same(v, &then, kinds[k], draw);
				} else if (decided(v)) {
					then = *v;
					found[v->kind == VERDICT_REGRESSION] += n < PAIRS - 1;
				}
			}
			for (unsigned n = 4; n < PAIRS; n++)
				result_release(&r[n]);
		}
		if (!found[0] || !found[1])
			fail_msg("kind %u: %u passes and %u losses to try it with", kinds[k],
				 found[0], found[1]);
	}
}

/* Between two modes a percentile of two arms is chance. */
static void test_cliff_pairs(void **state)
{
	struct result r;

	(void)state;
	make_pairs(&r, CLIFF, 2, 8);
	for (size_t i = 0; i < r.runs.n; i++)
		modes(&r.runs.v[i].out, 200000, r.runs.v[i].arm ? 4000 : 2000, 600, 1);
	lab_judge(&r, NULL);
	lab_expect(lab_verdict(&r, 0, 0), VERDICT_INCONCLUSIVE, STATUS_INCONCLUSIVE, JUNIT_SKIPPED);
	lab_contains(lab_verdict(&r, 0, 0)->text, "on a cliff between two modes");
	assert_false(gate_wants_session(&r, 0));
	result_release(&r);
}

/* A failed run behind the decision: the loss stands beside the error, a pass is none. */
static void test_failed_later(void **state)
{
	struct baseline b;

	(void)state;
	lab_baseline(&b, 8, 100000, NULL);
	for (unsigned loss = 0; loss < 2; loss++) {
		struct result r;

		lab_simple(&r, 40, loss ? 90000 : 100000);
		lab_runs(&r, 0, lab_session(&r), loss ? 90000 : 100000);
		lab_runs(&r, 0, lab_session(&r), 100000);
		r.runs.v[12].out.status = OUTCOME_IO_ERROR;
		lab_judge(&r, &b);
		lab_expect(lab_verdict(&r, 0, VERDICT_MEASURE), VERDICT_ERROR, STATUS_ERROR,
			   JUNIT_ERROR);
		if (loss) {
			lab_expect(lab_verdict(&r, 0, 0), VERDICT_REGRESSION, STATUS_REGRESSION,
				   JUNIT_FAILURE);
			lab_contains(lab_verdict(&r, 0, 0)->text, "a later measurement failed");
		} else {
			lab_expect(lab_verdict(&r, 0, 0), VERDICT_SKIPPED, STATUS_PASS,
				   JUNIT_SKIPPED);
		}
		assert_int_equal(r.status, loss ? STATUS_REGRESSION : STATUS_ERROR);
		result_release(&r);
	}
	baseline_release(&b);
}

/* The same between two arms: a run of pair 9 failed. */
static void test_failed_pair(void **state)
{
	(void)state;
	for (unsigned loss = 0; loss < 2; loss++) {
		struct result r;

		make_pairs(&r, RATE, 1, 9);
		for (size_t i = 0; i < r.runs.n; i++)
			lab_rate(&r.runs.v[i].out,
				 1e5 * (r.runs.v[i].arm && loss ? .8 : 1) + (double)(i % 5));
		r.runs.v[17].out.status = OUTCOME_IO_ERROR;
		lab_judge(&r, NULL);
		assert_int_equal(lab_verdict(&r, 0, VERDICT_MEASURE)->kind, VERDICT_ERROR);
		assert_int_equal(lab_verdict(&r, 0, 0)->kind,
				 loss ? VERDICT_REGRESSION : VERDICT_SKIPPED);
		assert_int_equal(r.status, loss ? STATUS_REGRESSION : STATUS_ERROR);
		result_release(&r);
	}
}

/* A session behind the decision that lacks the metric: no pass, and no pardon. */
static void test_metric_gone(void **state)
{
	struct baseline b;

	(void)state;
	make_baseline(&b, PERCENTILE, 0, 7);
	for (unsigned loss = 0; loss < 2; loss++) {
		struct result r;

		make(&r, 40, PERCENTILE, 0, 3, true);
		for (size_t i = 0; i < 10 && loss; i++)
			modes(&r.runs.v[i].out, 200000, 300, 600, 1.5 + .001 * (double)i);
		bins_release(&r.runs.v[11].out.dir[DIR_READ].clat);
		lab_judge(&r, &b);
		assert_int_equal(lab_verdict(&r, 0, 0)->kind,
				 loss ? VERDICT_REGRESSION : VERDICT_ERROR);
		assert_int_equal(r.status, loss ? STATUS_REGRESSION : STATUS_ERROR);
		result_release(&r);
	}
	baseline_release(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_sessions),     cmocka_unit_test(test_pairs),
		cmocka_unit_test(test_failed_later), cmocka_unit_test(test_failed_pair),
		cmocka_unit_test(test_metric_gone),  cmocka_unit_test(test_cliff_pairs),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
