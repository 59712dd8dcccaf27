/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The conductor on the sim engine: sessions, failures, budgets, stop, journal. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

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

static void open_world(struct world *w, const char *text)
{
	struct err e = ERR_INIT;
	struct target_arg target = {.role = "dut", .id = w->dir};
	struct plan_options po = {0};

	memset(w, 0, sizeof(*w));
	snprintf(w->dir, sizeof(w->dir), "/tmp/blkgate-conductor.XXXXXX");
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

static int conduct(struct world *w, struct err *e)
{
	*e = ERR_INIT;
	w->has_result = true;
	return session_run(&w->plan, &w->options, &w->result, e);
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

#define HEAD "blkgate: 1\nname: t\ndefaults: {ioengine: sim, size: 1MiB, runtime: 1s}\nworkloads:\n"

static unsigned count_runs(const struct result *r, uint32_t job, enum outcome_status status)
{
	unsigned n = 0;

	for (size_t i = 0; i < r->runs.n; i++)
		n += r->runs.v[i].job == job && r->runs.v[i].out.status == status;
	return n;
}

static void one_session_without_baseline(void **state)
{
	(void)state;
	struct world w;
	struct err e;

	open_world(&w, HEAD "  - {name: a, rw: randread, gate: {read.iops: 5%}}\n"
			    "  - {name: b, rw: read, expect: [read.iops >= 1]}\n");
	assert_int_equal(conduct(&w, &e), 0);
	assert_int_equal(w.result.sessions.n, 1);
	assert_true(w.result.sessions.v[0].complete);
	assert_int_equal(count_runs(&w.result, 0, OUTCOME_OK), 5);
	assert_int_equal(count_runs(&w.result, 1, OUTCOME_OK), 5);
	assert_int_equal(w.result.status, STATUS_NO_BASELINE);
	assert_null(w.result.partial);
	close_world(&w);
}

/* What one workload is slowed by, the other does not feel; one that may not run has no run. */
static void one_is_slowed_and_one_left_out(void **state)
{
	static const struct inject in[3] = {{.slow = 0.5}, {0}, {0}};
	static const bool only[3] = {true, true, false};
	uint64_t ios[2] = {0};
	struct world w;
	struct err e;

	(void)state;
	open_world(&w, "blkgate: 1\nname: t\n"
		       "defaults: {ioengine: sim, size: 1MiB, runtime: 1s, runs: 2, sessions: 2}\n"
		       "workloads:\n  - {name: a, rw: read}\n  - {name: b, rw: read}\n"
		       "  - {name: c, rw: read}\n");
	w.options.inject_job = in;
	w.options.only_job = only;
	w.options.inject_text = "a test";
	assert_int_equal(conduct(&w, &e), 0);
	assert_int_equal(w.result.runs.n, 8);
	for (size_t i = 0; i < w.result.runs.n; i++) {
		const struct run *r = &w.result.runs.v[i];

		assert_true(r->job < 2);
		ios[r->job] += r->out.dir[DIR_READ].ios;
	}
	assert_true(ios[0] * 2 >= ios[1] - 8 && ios[0] * 2 <= ios[1] + 8);
	assert_string_equal(w.result.inject, "a test");
	close_world(&w);
}

static void least_sessions_are_made(void **state)
{
	(void)state;
	struct world w;
	struct err e;

	open_world(&w, "blkgate: 1\nname: t\n"
		       "defaults: {ioengine: sim, size: 1MiB, runtime: 1s, runs: 2, sessions: 3}\n"
		       "workloads:\n  - {name: a, rw: read}\n");
	assert_int_equal(conduct(&w, &e), 0);
	assert_int_equal(w.result.sessions.n, 3);
	assert_int_equal(w.result.runs.n, 6);
	assert_string_not_equal(w.result.sessions.v[0].id, w.result.sessions.v[1].id);
	assert_true(w.result.sessions.v[0].seed != w.result.sessions.v[1].seed);
	close_world(&w);
}

static void a_failed_job_is_not_run_again_and_the_rest_goes_on(void **state)
{
	(void)state;
	struct world w;
	struct err e;

	open_world(&w, HEAD "  - {name: bad, rw: read, sim: \"error=EIO@3\"}\n"
			    "  - {name: good, rw: read, expect: [read.iops >= 1]}\n");
	assert_int_equal(conduct(&w, &e), 0);
	assert_int_equal(count_runs(&w.result, 0, OUTCOME_IO_ERROR), 1);
	assert_int_equal(count_runs(&w.result, 0, OUTCOME_OK), 0);
	assert_int_equal(count_runs(&w.result, 1, OUTCOME_OK), 5);
	assert_int_equal(w.result.status, STATUS_ERROR);
	close_world(&w);
}

static void the_byte_budget_stops_writers(void **state)
{
	(void)state;
	struct world w;
	struct err e;

	open_world(&w, "blkgate: 1\nname: t\nbudget: {written: 100MiB}\n"
		       "defaults: {ioengine: sim, size: 1MiB, runtime: 1s}\nworkloads:\n"
		       "  - {name: w, rw: write, direct: true}\n"
		       "  - {name: r, rw: read}\n");
	assert_int_equal(conduct(&w, &e), 0);
	/* 10 000 writes of 4 KiB are 39 MiB a run: two fit, a third would not. */
	assert_int_equal(count_runs(&w.result, 0, OUTCOME_OK), 2);
	assert_int_equal(count_runs(&w.result, 0, OUTCOME_NONE), 1);
	assert_int_equal(count_runs(&w.result, 1, OUTCOME_OK), 5);
	assert_non_null(w.result.partial);
	assert_int_equal(w.result.status, STATUS_ERROR);
	close_world(&w);
}

static void stopped_before_it_began(void **state)
{
	(void)state;
	static volatile int stop = 1;
	struct world w;
	struct err e;

	open_world(&w, HEAD "  - {name: a, rw: read}\n");
	w.options.stop = &stop;
	assert_int_equal(conduct(&w, &e), ERR_INTR);
	assert_true(w.result.interrupted);
	assert_int_equal(w.result.status, STATUS_INTERRUPTED);
	close_world(&w);
}

static void the_journal_tells_the_same(void **state)
{
	(void)state;
	struct world w;
	struct err e;
	struct result again;
	char path[96];

	open_world(&w,
		   HEAD "  - {name: a, rw: randrw, expect: [read.iops >= 1, write.iops >= 1]}\n");
	snprintf(path, sizeof(path), "%s.journal", w.dir);
	w.options.journal = path;
	assert_int_equal(conduct(&w, &e), 0);
	assert_int_equal(result_load(path, &again, &e), 0);
	assert_int_equal(again.runs.n, w.result.runs.n);
	for (size_t i = 0; i < again.runs.n; i++) {
		assert_int_equal(again.runs.v[i].out.dir[DIR_READ].ios,
				 w.result.runs.v[i].out.dir[DIR_READ].ios);
		assert_int_equal(again.runs.v[i].out.window, w.result.runs.v[i].out.window);
	}
	assert_null(again.partial);
	gate_judge(&again, NULL, &(struct gate_options){.now = again.ended, .sessions_max = 5});
	assert_int_equal(again.status, w.result.status);
	assert_int_equal(again.verdicts.n, w.result.verdicts.n);
	for (size_t i = 0; i < again.verdicts.n; i++)
		assert_string_equal(again.verdicts.v[i].text, w.result.verdicts.v[i].text);
	result_release(&again);
	unlink(path);
	close_world(&w);
}

struct seen {
	unsigned kinds[EVENT_NOTICE + 1];
	uint32_t last_done;
};

static void see(void *arg, const struct session_event *ev)
{
	struct seen *s = arg;

	s->kinds[ev->kind]++;
	if (ev->kind == EVENT_RUN_DONE) {
		assert_true(ev->done < ev->total);
		assert_non_null(ev->finished);
		s->last_done = ev->done;
	}
}

static void the_observer_sees_each_run(void **state)
{
	(void)state;
	struct world w;
	struct seen seen = {{0}, 0};
	struct err e;

	open_world(&w, HEAD "  - {name: a, rw: read}\n  - {name: b, rw: read}\n");
	w.options.event = see;
	w.options.arg = &seen;
	assert_int_equal(conduct(&w, &e), 0);
	assert_int_equal(seen.kinds[EVENT_SESSION], 1);
	assert_int_equal(seen.kinds[EVENT_RUN], 10);
	assert_int_equal(seen.kinds[EVENT_RUN_DONE], 10);
	assert_int_equal(seen.kinds[EVENT_JUDGED], 1);
	assert_int_equal(seen.last_done, 9);
	close_world(&w);
}

/* A clock that moves only when somebody waits. */
static uint64_t wait_now(void *arg)
{
	return *(uint64_t *)arg;
}

static void wait_pause(void *arg, uint64_t until)
{
	assert_true(until > *(uint64_t *)arg);
	*(uint64_t *)arg = until;
}

static void on_notice(void *arg, const struct session_event *ev)
{
	if (ev->kind == EVENT_NOTICE && strstr(ev->text, "waiting up to 10 min"))
		++*(unsigned *)arg;
}

/* On a machine without a thermometer the temperature never is what was asked for. */
static void a_run_that_waited_in_vain_is_not_made(void **state)
{
	(void)state;
	struct world w;
	struct err e;
	struct host empty;
	uint64_t now = 7000000000ULL;
	struct session_clock clock = {wait_now, wait_pause, &now};
	unsigned told = 0;

	open_world(&w, "blkgate: 1\nname: t\nadmit: [temperature < 70C wait 10min]\n"
		       "defaults: {ioengine: psync, direct: auto, size: 64KiB, runtime: 50ms}\n"
		       "workloads:\n  - {name: a, rw: read, expect: [read.iops >= 1]}\n");
	/* the plan has seen that there is none; it may be gone only since then */
	assert_non_null(w.plan.setup_error);
	w.plan.setup_error = NULL;
	assert_int_equal(w.plan.jobs[0].state, JOB_READY);
	empty.root = w.dir;
	w.options.host = &empty;
	w.options.clock = &clock;
	w.options.event = on_notice;
	w.options.arg = &told;
	assert_int_equal(conduct(&w, &e), 0);
	assert_int_equal(told, 1);
	assert_true(now == 7000000000ULL + 600 * 1000000000ULL);
	assert_int_equal(w.result.runs.n, 1);
	assert_int_equal(w.result.runs.v[0].out.status, OUTCOME_ADMISSION);
	assert_non_null(strstr(w.result.runs.v[0].out.text, "also after waiting 10 min"));
	assert_null(w.result.runs.v[0].watched);
	assert_int_equal(w.result.status, STATUS_ERROR);
	assert_string_equal(w.result.verdicts.v[0].type, "admission");
	close_world(&w);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(one_session_without_baseline),
		cmocka_unit_test(one_is_slowed_and_one_left_out),
		cmocka_unit_test(least_sessions_are_made),
		cmocka_unit_test(a_failed_job_is_not_run_again_and_the_rest_goes_on),
		cmocka_unit_test(the_byte_budget_stops_writers),
		cmocka_unit_test(stopped_before_it_began),
		cmocka_unit_test(the_journal_tells_the_same),
		cmocka_unit_test(the_observer_sees_each_run),
		cmocka_unit_test(a_run_that_waited_in_vain_is_not_made),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
