/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What is done before a job is measured, on the sim engine: fills, rounds, what they decide. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "gate/gate.h"
#include "json/json.h"
#include "session/session.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct world {
	char dir[64];
	struct suite suite;
	struct plan plan;
	struct diags diags;
	struct host host;
	struct result result;
	struct session_options options;
	bool has_result;
};

#define WORDS "defaults: {ioengine: sim, size: 1MiB, runtime: 1s, runs: 2, sessions: 1"
#define HEAD "blkgate: 1\nname: t\nwaive: {no-checks: a test}\n" WORDS
#define FILL "fill: sequential, bs: 64KiB"
#define STEADY(rounds) "steady_state: {round: 1s, rounds: " rounds "}"

static void open_world(struct world *w, const char *text)
{
	struct err e = ERR_INIT;
	struct target_arg target = {.role = "dut", .id = w->dir};
	struct plan_options po = {0};

	memset(w, 0, sizeof(*w));
	snprintf(w->dir, sizeof(w->dir), "/tmp/blkgate-precondition.XXXXXX");
	assert_non_null(mkdtemp(w->dir));
	w->host.root = "/";
	diags_init(&w->diags);
	if (suite_parse(text, strlen(text), "t.yaml", NULL, 0, &w->suite, &w->diags, &e) < 0)
		fail_msg("%s", e.text);
	po.host = &w->host;
	po.targets = &target;
	po.ntargets = 1;
	po.seed = 5;
	po.profile = "default";
	if (plan_make(&w->suite, &po, &w->plan, &w->diags, &e) < 0)
		fail_msg("%s", e.text);
}

static void conduct(struct world *w)
{
	struct err e = ERR_INIT;

	w->has_result = true;
	if (session_run(&w->plan, &w->options, &w->result, &e) < 0)
		fail_msg("%s", e.text);
}

static void close_world(struct world *w)
{
	if (w->has_result)
		result_release(&w->result);
	plan_release(&w->plan);
	suite_release(&w->suite);
	diags_release(&w->diags);
	rmdir(w->dir);
}

static unsigned runs_ok(const struct result *r, uint32_t job)
{
	unsigned n = 0;

	for (size_t i = 0; i < r->runs.n; i++)
		n += r->runs.v[i].job == job && r->runs.v[i].out.status == OUTCOME_OK;
	return n;
}

static const struct verdict *verdict_of(const struct result *r, uint32_t job, uint32_t check)
{
	for (size_t i = 0; i < r->verdicts.n; i++)
		if (r->verdicts.v[i].job == job && r->verdicts.v[i].check == check)
			return &r->verdicts.v[i];
	fail_msg("no verdict of job %u, check %u", job, check);
	return NULL;
}

static void says(const char *text, const char *what)
{
	if (!strstr(text, what))
		fail_msg("'%s' lacks '%s'", text, what);
}

static void filled_and_steady(void **state)
{
	(void)state;
	struct world w;
	const struct preparation *p;

	open_world(&w, HEAD "}\nworkloads:\n  - {name: a, rw: randwrite, precondition: {" FILL
			    ", loops: 3, " STEADY("6..9") "}, expect: [write.iops >= 1]}\n");
	conduct(&w);
	assert_int_equal(w.result.status, STATUS_PASS);
	assert_int_equal(runs_ok(&w.result, 0), 2);
	assert_int_equal(w.result.preparations.n, 1);
	p = &w.result.preparations.v[0];
	assert_true(p->whole);
	assert_int_equal(p->filled, 3 << 20);
	assert_int_equal(p->rounds.n, 6); /* equal rounds: the least number that is asked for */
	assert_int_equal(p->run, PREPARATION_OF_SESSION);
	close_world(&w);
}

/* Each session is prepared anew; a tail that is no whole block of the fill is written too. */
static void each_session(void **state)
{
	(void)state;
	struct world w;

	open_world(&w,
		   HEAD "}\nworkloads:\n  - {name: a, rw: randread, size: 1029KiB, precondition: {"
			"fill: random, bs: 100KiB}}\n");
	w.plan.sessions_min = w.plan.sessions_max = 2;
	conduct(&w);
	assert_int_equal(w.result.preparations.n, 2);
	assert_int_equal(w.result.preparations.v[0].filled, 1029 << 10);
	assert_int_equal(w.result.preparations.v[1].filled, 1029 << 10);
	assert_int_equal(w.result.preparations.v[1].session, 1);
	close_world(&w);
}

static void one_fill_for_two(void **state)
{
	(void)state;
	struct world w;

	open_world(&w, HEAD ", precondition: {" FILL "}}\nworkloads:\n  - {name: a, rw: randread}\n"
			    "  - {name: b, rw: read}\n");
	conduct(&w);
	assert_int_equal(w.result.preparations.n, 2);
	assert_int_equal(w.result.preparations.v[0].filled, 1 << 20);
	assert_int_equal(w.result.preparations.v[1].filled, 0);
	assert_true(w.result.preparations.v[1].whole);
	says(w.result.preparations.v[1].note, "as for 'a'");
	assert_int_equal(runs_ok(&w.result, 1), 2);
	close_world(&w);
}

/* A factor a round, spread so far that no five are within 20 %. */
#define WILD "sim: \"lat=100us,sd=90%\", "

static void not_steady_decides_nothing(void **state)
{
	(void)state;
	struct world w;
	const struct verdict *v;
	struct result again;
	struct err e = ERR_INIT;
	struct gate_options g = {.sessions_max = 5};
	struct jw jw;
	const char *text;

	open_world(&w, HEAD "}\nworkloads:\n  - {name: a, rw: randwrite, " WILD
			    "precondition: {" STEADY("5..7") "}, expect: [write.iops >= 1, "
							     "write.clat.max <= 1ns]}\n");
	w.plan.sessions_max = 5;
	conduct(&w);
	assert_int_equal(w.result.preparations.v[0].rounds.n, 7);
	assert_int_equal(w.result.sessions.n, 1); /* a further one would not change it */
	assert_int_equal(runs_ok(&w.result, 0), 2);
	assert_int_equal(w.result.status, STATUS_INCONCLUSIVE);
	v = verdict_of(&w.result, 0, 0);
	assert_int_equal(v->kind, VERDICT_INCONCLUSIVE);
	assert_int_equal(v->leaning, 1);
	says(v->text,
	     "steady state not reached in 7 rounds (session 1): total.iops of the last was ");
	says(v->text, "of at most 20 %");
	v = verdict_of(&w.result, 0, 1);
	assert_int_equal(v->kind, VERDICT_INCONCLUSIVE);
	assert_int_equal(v->leaning, -1);
	/* the same from the document; without the rounds there is no measurement at all */
	jw_init(&jw);
	result_write(&w.result, true, &jw);
	text = jw_finish(&jw);
	assert_int_equal(result_parse(text, strlen(text), "t", &again, &e), 0);
	gate_judge(&again, NULL, &g);
	assert_int_equal(again.status, STATUS_INCONCLUSIVE);
	assert_string_equal(verdict_of(&again, 0, 0)->text, verdict_of(&w.result, 0, 0)->text);
	again.preparations.v[0].rounds.n = 0;
	gate_judge(&again, NULL, &g);
	assert_int_equal(again.status, STATUS_ERROR);
	VEC_RELEASE(&again.preparations.v[0].rounds);
	again.preparations.n = 0;
	gate_judge(&again, NULL, &g);
	assert_int_equal(again.status, STATUS_ERROR);
	says(verdict_of(&again, 0, VERDICT_MEASURE)->text, "nothing tells that its precondition");
	result_release(&again);
	jw_release(&jw);
	close_world(&w);
}

static void a_fill_that_fails(void **state)
{
	(void)state;
	struct world w;

	open_world(&w, HEAD ", precondition: {" FILL "}}\nworkloads:\n"
			    "  - {name: a, rw: randread, sim: \"error=EIO@9\"}\n"
			    "  - {name: b, rw: read, offset: 1MiB}\n");
	conduct(&w);
	assert_int_equal(runs_ok(&w.result, 0), 0);
	assert_int_equal(runs_ok(&w.result, 1), 2);
	assert_int_equal(w.result.status, STATUS_ERROR);
	says(verdict_of(&w.result, 0, VERDICT_MEASURE)->text, "precondition: fill: ");
	assert_false(w.result.preparations.v[0].whole);
	close_world(&w);
}

static void a_budget_that_does_not_hold_it(void **state)
{
	(void)state;
	struct world w;

	open_world(&w,
		   HEAD "}\nworkloads:\n  - {name: a, rw: randwrite, time_based: false, runtime: "
			"1ms, precondition: {" STEADY("5") "}}\n");
	w.plan.budget_written = 12 << 10; /* less than three rounds */
	conduct(&w);
	assert_int_equal(w.result.status, STATUS_ERROR);
	assert_int_equal(runs_ok(&w.result, 0), 0);
	assert_non_null(w.result.partial);
	says(w.result.partial, "written is used up");
	close_world(&w);
}

static void wrong(const char *workloads, const char *what)
{
	struct err e = ERR_INIT;
	struct target_arg target = {.role = "dut", .id = "/tmp"};
	struct host host = {.root = "/"};
	struct plan_options po = {.host = &host, .targets = &target, .ntargets = 1};
	char text[1000];
	struct diags d;
	struct suite s;
	struct plan p;

	snprintf(text, sizeof(text), HEAD "}\nworkloads:\n%s", workloads);
	diags_init(&d);
	if (suite_parse(text, strlen(text), "t.yaml", NULL, 0, &s, &d, &e) < 0)
		fail_msg("%s", e.text);
	assert_int_equal(plan_make(&s, &po, &p, &d, &e), ERR_SUITE);
	says(e.text, what);
	plan_release(&p);
	suite_release(&s);
	diags_release(&d);
}

static void what_means_nothing(void **state)
{
	(void)state;
	wrong("  - {name: a, rw: read, precondition: {steady_state: {metric: write.iops}}}\n",
	      "it does nothing that 'write.iops' is of");
	wrong("  - {name: a, rw: read, precondition: {steady_state: {metric: write.iosp}}}\n",
	      "there is no metric");
	wrong("  - {name: a, rw: rw, precondition: {steady_state: {metric: iops}}}\n",
	      "stands for several metrics");
	wrong("  - {name: a, rw: read, precondition: {steady_state: {}}}\n"
	      "  - {name: b, rw: read, stonewall: false}\n",
	      "which runs at the same time as others");
	wrong("  - {name: a, rw: read, ioengine: psync, precondition: {trim: true}}\n",
	      "would read what was trimmed");
	wrong("  - {name: a, rw: write, ioengine: psync, precondition: {trim: true}}\n"
	      "  - {name: b, rw: read, ioengine: psync}\n",
	      "trims what workload 'b' reads");
	wrong("  - {name: a, rw: read, precondition: {fill: random}}\n"
	      "  - {name: b, rw: read, precondition: {fill: sequential}}\n",
	      "is another one than that of 'a' on the same blocks");
	wrong("  - {name: a, rw: read, ioengine: psync, nrfiles: 3, precondition: {fill: random, "
	      "bs: 64KiB}}\n",
	      "no multiple of the fill's bs");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(filled_and_steady),
		cmocka_unit_test(each_session),
		cmocka_unit_test(one_fill_for_two),
		cmocka_unit_test(not_steady_decides_nothing),
		cmocka_unit_test(a_fill_that_fails),
		cmocka_unit_test(a_budget_that_does_not_hold_it),
		cmocka_unit_test(what_means_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
