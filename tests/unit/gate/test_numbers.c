/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the device saw is judged or refused, never assumed; percentiles beside the usual ones. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include "store.h"

static void test_absorbed(void **state)
{
	/* of an application that moved 100 units */
	static const struct {
		struct outcome_device device;
		double units;
		enum verdict_kind kind;
		enum exit_status status;
		const char *text;
	} rows[] = {
		{{.state = DEVICE_KNOWN}, 100, VERDICT_PASS, STATUS_PASS, "as expected <= 1.0 %"},
		{{.state = DEVICE_KNOWN}, 104, VERDICT_PASS, STATUS_PASS, "0.0 %"},
		{{.state = DEVICE_KNOWN},
		 3,
		 VERDICT_MISSED,
		 STATUS_REGRESSION,
		 "read.absorbed 97.0 %"},
		{{.state = DEVICE_KNOWN},
		 0,
		 VERDICT_MISSED,
		 STATUS_REGRESSION,
		 "read.absorbed 100 %"},
		{{.state = DEVICE_KNOWN},
		 150,
		 VERDICT_ERROR,
		 STATUS_ERROR,
		 "has no value in run 1 of session 1: the device saw more, "},
		{{.why = "btrfs has no single device"},
		 0,
		 VERDICT_ERROR,
		 STATUS_ERROR,
		 "has no value in run 1 of session 1: btrfs has no single device"},
		{{.why = ""}, 0, VERDICT_ERROR, STATUS_ERROR, "it was not recorded"},
		{{.state = DEVICE_NONE},
		 0,
		 VERDICT_ERROR,
		 STATUS_ERROR,
		 "does not exist for this workload"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		const struct verdict *v;
		struct check *c;
		struct result r;

		lab_init(&r, 40);
		lab_job(&r, "rand-4k");
		c = lab_check(&r, 0, CHECK_EXPECT, "read.absorbed");
		c->op = OP_LE;
		c->limit = 0.01;
		lab_runs(&r, 0, lab_session(&r), 100000);
		for (size_t k = 0; k < r.runs.n; k++) {
			struct outcome *o = &r.runs.v[k].out;

			o->device_read = rows[i].device;
			o->device_read.bytes =
				(uint64_t)((double)o->dir[DIR_READ].bytes * rows[i].units / 100);
		}
		lab_judge(&r, NULL);
		v = lab_verdict(&r, 0, 0);
		if (v->kind != rows[i].kind || v->status != rows[i].status)
			fail_msg("row %zu: %s: %s", i, verdict_name(v->kind), v->text);
		lab_contains(v->text, rows[i].text);
		result_release(&r);
	}
}

/* The same suite with a latency of 100 us and a tail, and perhaps a gate on a percentile. */
static void tailed(struct result *r, unsigned day, const char *gate)
{
	struct hist *h = xcalloc(1, sizeof(*h));

	lab_simple(r, day, 100000);
	for (size_t i = 0; i < r->runs.n; i++) {
		hist_reset(h);
		hist_add_n(h, 100000 + i, 39800);
		hist_add_n(h, 900000 + i * 1000, 200);
		bins_from_hist(&r->runs.v[i].out.dir[DIR_READ].clat, h);
		lab_slices(&r->runs.v[i].out, 1000000);
	}
	free(h);
	if (gate)
		lab_gate(r, 0, gate, 0.2);
}

static void accept(struct store *s, struct result *r)
{
	struct err e = ERR_INIT;
	size_t stored;

	if (store_accept(s, r, NULL, &stored, &e))
		fail_msg("%s", e.text);
}

static bool in_baseline(struct store *s, size_t session, const char *metric)
{
	bool found = false;

	store_load(s);
	assert_true(session < s->b.n);
	for (size_t i = 0; i < s->b.sessions[session].jobs.v[0].values.n; i++)
		found |= str_eq(s->b.sessions[session].jobs.v[0].values.v[i].metric, metric);
	baseline_release(&s->b);
	return found;
}

/* A session accepted without it does not hold it and says so; one accepted with it does. */
static void test_percentile_named_later(void **state)
{
	struct store s;
	struct result r;
	const struct verdict *v;

	(void)state;
	store_open(&s);
	tailed(&r, 0, NULL);
	accept(&s, &r);
	result_release(&r);
	assert_true(in_baseline(&s, 0, "read.clat.p99"));
	assert_false(in_baseline(&s, 0, "read.clat.p99.5"));
	assert_false(in_baseline(&s, 0, "read.clat.p75"));

	tailed(&r, 1, "read.clat.p99.5");
	r.jobs[0].percentile_list = "50:75";
	store_load(&s);
	lab_judge(&r, &s.b);
	v = lab_verdict(&r, 0, 1);
	lab_expect(v, VERDICT_NO_BASELINE, STATUS_NO_BASELINE, JUNIT_ERROR);
	lab_contains(v->text, "no baseline for read.clat.p99.5");
	assert_true(lab_verdict(&r, 0, 0)->kind != VERDICT_NO_BASELINE);
	baseline_release(&s.b);
	accept(&s, &r);
	result_release(&r);
	assert_true(in_baseline(&s, 1, "read.clat.p99.5"));
	assert_true(in_baseline(&s, 1, "read.clat.p75"));
	assert_false(in_baseline(&s, 1, "read.lat.p99.5"));

	tailed(&r, 2, "read.clat.p99.5");
	store_load(&s);
	lab_judge(&r, &s.b);
	assert_int_equal(lab_verdict(&r, 0, 1)->base_sessions, 1);
	baseline_release(&s.b);
	result_release(&r);
	store_close(&s);
}

/* Results hold the histograms: compared with them, any percentile has its baseline. */
static void test_percentile_of_results(void **state)
{
	struct result r[6], now;
	const struct result *p[6];
	struct err e = ERR_INIT;
	struct baseline b;

	(void)state;
	for (unsigned i = 0; i < 6; i++) {
		tailed(&r[i], i, NULL);
		p[i] = &r[i];
	}
	assert_int_equal(baseline_from_results(p, 6, &b, &e), 0);
	tailed(&now, 40, "read.clat.p99.5");
	lab_judge(&now, &b);
	assert_int_equal(lab_verdict(&now, 0, 1)->base_sessions, 6);
	baseline_release(&b);
	result_release(&now);
	for (unsigned i = 0; i < 6; i++)
		result_release(&r[i]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_absorbed),
		cmocka_unit_test(test_percentile_named_later),
		cmocka_unit_test(test_percentile_of_results),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
