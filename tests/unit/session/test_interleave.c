/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Two arms in turns on the sim engine: the order of runs, who goes on, failures, budgets, stop, and
 * the setting that is switched. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "gate/interleaved.h"
#include "json/json.h"
#include "session/session.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct world {
	char dir[64], old[80], new[80], file[80], records[80];
	struct suite suite;
	struct plan plan;
	struct diags diags;
	struct host host;
	struct result result;
	struct session_options options;
	bool has_result;
};

static void put(const char *path, const char *text)
{
	FILE *f = fopen(path, "w");

	assert_non_null(f);
	fputs(text, f);
	fclose(f);
}

static void holds(const char *path, const char *text)
{
	char got[64] = "";
	FILE *f = fopen(path, "r");

	assert_non_null(f);
	assert_non_null(fgets(got, sizeof(got), f));
	fclose(f);
	assert_string_equal(got, text);
}

static void open_world(struct world *w, enum interleave_kind kind, uint32_t pairs, const char *text)
{
	struct err e = ERR_INIT;
	struct target_arg target[2];
	struct plan_options po = {0};

	memset(w, 0, sizeof(*w));
	snprintf(w->dir, sizeof(w->dir), "/tmp/blkgate-interleave.XXXXXX");
	assert_non_null(mkdtemp(w->dir));
	snprintf(w->old, sizeof(w->old), "%s/old", w->dir);
	snprintf(w->new, sizeof(w->new), "%s/new", w->dir);
	snprintf(w->file, sizeof(w->file), "%s/setting", w->dir);
	snprintf(w->records, sizeof(w->records), "%s/records", w->dir);
	assert_int_equal(mkdir(w->old, 0700), 0);
	assert_int_equal(mkdir(w->new, 0700), 0);
	w->host.root = "/";
	diags_init(&w->diags);
	if (suite_parse(text, strlen(text), "t.yaml", NULL, 0, &w->suite, &w->diags, &e) < 0)
		fail_msg("%s", e.text);
	target[0] = (struct target_arg){.role = "old", .id = w->old};
	target[1] = (struct target_arg){.role = "new", .id = w->new};
	po.host = &w->host;
	po.targets = target;
	po.ntargets = kind == INTERLEAVE_SETTING ? 1 : 2;
	po.seed = 5;
	po.profile = "default";
	po.interleave = (struct interleave){.kind = kind, .name = {"old", NULL}, .pairs = pairs};
	if (kind == INTERLEAVE_SETTING) {
		/* one that is everywhere; the file behind it is ours below */
		po.interleave.setting = "sysctl:kernel.ostype";
		po.interleave.name[0] = "128";
		po.interleave.name[1] = "256";
	}
	po.first_look = 4;
	if (plan_make(&w->suite, &po, &w->plan, &w->diags, &e) < 0)
		fail_msg("%s", e.text);
	if (kind == INTERLEAVE_SETTING) {
		put(w->file, "64");
		w->plan.setup_error = NULL; /* that setting cannot be written */
		w->plan.interleave.path = w->file;
		w->options.settings = w->records;
	}
}

static int conduct(struct world *w, struct err *e)
{
	*e = ERR_INIT;
	w->has_result = true;
	return session_run(&w->plan, &w->options, &w->result, e);
}

static void close_world(struct world *w)
{
	char command[192];

	if (w->has_result)
		result_release(&w->result);
	plan_release(&w->plan);
	suite_release(&w->suite);
	diags_release(&w->diags);
	snprintf(command, sizeof(command), "rm -rf %s %s.journal", w->dir, w->dir);
	assert_int_equal(system(command), 0);
}

#define HEAD "blkgate: 1\nname: t\ndefaults: {ioengine: sim, size: 1MiB, runtime: 1s}\nworkloads:\n"

static unsigned runs_of(const struct result *r, uint32_t job, unsigned arm)
{
	unsigned n = 0;

	for (size_t i = 0; i < r->runs.n; i++)
		n += r->runs.v[i].job == job && (unsigned)r->runs.v[i].arm == arm &&
		     r->runs.v[i].out.status == OUTCOME_OK;
	return n;
}

static const struct verdict *verdict_of(const struct result *r, uint32_t job, uint32_t check)
{
	for (size_t i = 0; i < r->verdicts.n; i++)
		if (r->verdicts.v[i].job == job && r->verdicts.v[i].check == check)
			return &r->verdicts.v[i];
	fail_msg("no verdict");
	return NULL;
}

/* Jobs: 0 a@old 1 a@new 2 b@old 3 b@new. */
static void equal_arms_pass_at_the_first_look(void **state)
{
	(void)state;
	struct world w;
	struct err e;

	open_world(&w, INTERLEAVE_VERSUS, 20,
		   HEAD "  - {name: a, rw: randread, gate: {read.iops: 5%}}\n"
			"  - {name: b, rw: read, expect: [read.iops >= 1]}\n");
	assert_int_equal(conduct(&w, &e), 0);
	assert_int_equal(w.result.status, STATUS_PASS);
	assert_int_equal(w.result.sessions.n, 1);
	assert_true(w.result.sessions.v[0].complete);
	for (uint32_t j = 0; j < 4; j++) {
		assert_int_equal(runs_of(&w.result, j, j % 2), 4);
		assert_int_equal(runs_of(&w.result, j, 1 - j % 2), 0);
	}
	assert_string_equal(w.plan.checks[0].skipped, "reference of --versus");
	close_world(&w);
}

/* Both runs of a pair stand together; pairs alternate; workloads take turns within each pair. */
static void arms_alternate(void **state)
{
	(void)state;
	struct world w;
	struct err e;
	enum arm first[2];

	open_world(&w, INTERLEAVE_VERSUS, 20,
		   HEAD "  - {name: a, rw: randread}\n  - {name: b, rw: read}\n");
	assert_int_equal(conduct(&w, &e), 0);
	assert_int_equal(w.result.runs.n, 16);
	for (uint32_t i = 0; i < 16; i += 2) {
		const struct run *x = &w.result.runs.v[i], *y = x + 1;
		uint32_t workload = x->job / 2;

		assert_int_equal(x->order, i);
		assert_int_equal(x->pair, i / 4);
		assert_int_equal(y->pair, x->pair);
		assert_int_equal(y->job / 2, workload);
		assert_int_equal(x->arm, x->job % 2);
		assert_int_equal(y->arm, !x->arm);
		if (x->pair == 0)
			first[workload] = x->arm;
		assert_int_equal(x->arm, (unsigned)first[workload] ^ (x->pair & 1));
	}
	close_world(&w);
}

static void only_the_undecided_go_on_until_red(void **state)
{
	(void)state;
	struct world w;
	struct err e;
	const struct verdict *v;

	open_world(&w, INTERLEAVE_VERSUS, 20,
		   HEAD "  - {name: a, rw: randread, gate: {read.iops: 5%}}\n"
			"  - {name: b, rw: read, gate: {read.iops: 60%}}\n");
	/* slows the candidate only: what both arms suffer is no difference between them */
	w.options.inject = (struct inject){.slow = 0.2};
	w.options.inject_text = "slow=20%";
	assert_int_equal(conduct(&w, &e), 0);
	assert_int_equal(w.result.status, STATUS_REGRESSION);
	assert_int_equal(runs_of(&w.result, 0, ARM_REFERENCE), 7);
	assert_int_equal(runs_of(&w.result, 1, ARM_CANDIDATE), 7);
	assert_int_equal(runs_of(&w.result, 3, ARM_CANDIDATE), 4);
	v = verdict_of(&w.result, 1, 1);
	assert_int_equal(v->kind, VERDICT_REGRESSION);
	assert_int_equal(v->pairs, 7);
	assert_true(v->change < -0.19 && v->change > -0.21);
	close_world(&w);
}

static void both_arms_of_a_failed_one_stop(void **state)
{
	(void)state;
	struct world w;
	struct err e;

	open_world(&w, INTERLEAVE_VERSUS, 20,
		   HEAD "  - {name: bad, rw: read, sim: \"error=EIO@3\", gate: {read.iops: 5%}}\n"
			"  - {name: good, rw: read, gate: {read.iops: 5%}}\n");
	assert_int_equal(conduct(&w, &e), 0);
	assert_int_equal(w.result.status, STATUS_ERROR);
	assert_int_equal(w.result.runs.n, 9);
	assert_int_equal(verdict_of(&w.result, 0, VERDICT_MEASURE)->kind, VERDICT_ERROR);
	assert_int_equal(verdict_of(&w.result, 1, VERDICT_MEASURE)->kind, VERDICT_ERROR);
	assert_int_equal(verdict_of(&w.result, 3, 3)->kind, VERDICT_PASS);
	assert_false(w.result.sessions.v[0].complete);
	close_world(&w);
}

static void stopped_before_it_began(void **state)
{
	(void)state;
	static volatile int stop = 1;
	struct world w;
	struct err e;

	open_world(&w, INTERLEAVE_SETTING, 20, HEAD "  - {name: a, rw: read}\n");
	w.options.stop = &stop;
	assert_int_equal(conduct(&w, &e), ERR_INTR);
	assert_int_equal(w.result.status, STATUS_INTERRUPTED);
	holds(w.file, "64");
	close_world(&w);
}

static void the_byte_budget_holds_no_half_pair(void **state)
{
	(void)state;
	struct world w;
	struct err e;

	/* 10 000 writes of 4 KiB are 39 MiB a run: four pairs are 312 MiB, a fifth would be too
	 * many */
	open_world(&w, INTERLEAVE_VERSUS, 20,
		   "blkgate: 1\nname: t\nbudget: {written: 350MiB}\n"
		   "defaults: {ioengine: sim, size: 1MiB, runtime: 1s}\nworkloads:\n"
		   "  - {name: w, rw: write, direct: true, gate: {write.iops: 5%}}\n");
	w.options.inject = (struct inject){.slow = 0.2};
	assert_int_equal(conduct(&w, &e), 0);
	assert_int_equal(runs_of(&w.result, 0, ARM_REFERENCE), 4);
	assert_int_equal(runs_of(&w.result, 1, ARM_CANDIDATE), 4);
	assert_int_equal(w.result.runs.n, 8);
	assert_int_equal(w.result.status, STATUS_INCONCLUSIVE);
	assert_null(w.result.partial);
	close_world(&w);
	/* less than the first look takes: an error, and both arms of it */
	open_world(&w, INTERLEAVE_VERSUS, 20,
		   "blkgate: 1\nname: t\nbudget: {written: 100MiB}\n"
		   "defaults: {ioengine: sim, size: 1MiB, runtime: 1s}\nworkloads:\n"
		   "  - {name: w, rw: write, direct: true, gate: {write.iops: 5%}}\n");
	assert_int_equal(conduct(&w, &e), 0);
	assert_int_equal(w.result.status, STATUS_ERROR);
	assert_non_null(w.result.partial);
	assert_int_equal(verdict_of(&w.result, 0, VERDICT_MEASURE)->kind, VERDICT_ERROR);
	assert_int_equal(verdict_of(&w.result, 1, VERDICT_MEASURE)->kind, VERDICT_ERROR);
	close_world(&w);
}

static void same_verdicts(struct result *again, const struct result *r)
{
	gate_judge(again, NULL, &(struct gate_options){.now = again->ended});
	assert_int_equal(again->status, r->status);
	assert_int_equal(again->verdicts.n, r->verdicts.n);
	for (size_t i = 0; i < again->verdicts.n; i++) {
		const struct verdict *a = &again->verdicts.v[i], *b = &r->verdicts.v[i];

		assert_string_equal(a->text, b->text);
		assert_int_equal(a->pairs, b->pairs);
		assert_memory_equal(&a->change, &b->change, sizeof(a->change));
		assert_memory_equal(&a->low, &b->low, sizeof(a->low));
		assert_memory_equal(&a->excluded, &b->excluded, sizeof(a->excluded));
	}
}

static void journal_and_document_reach_the_same_verdict(void **state)
{
	(void)state;
	static const enum interleave_kind kinds[] = {INTERLEAVE_VERSUS, INTERLEAVE_SETTING};
	char path[96];

	for (unsigned k = 0; k < 2; k++) {
		struct world w;
		struct result again;
		struct jw jw;
		struct err e;

		open_world(&w, kinds[k], 20,
			   HEAD "  - {name: a, rw: randread, sim: \"lat=100us, sd=3%\", "
				"gate: {read.iops: 5%}}\n");
		snprintf(path, sizeof(path), "%s.journal", w.dir);
		w.options.journal = path;
		w.options.inject = (struct inject){.slow = 0.2};
		assert_int_equal(conduct(&w, &e), 0);
		assert_int_equal(w.result.status, STATUS_REGRESSION);
		if (result_load(path, &again, &e) < 0)
			fail_msg("%s", e.text);
		assert_int_equal(again.interleave.kind, kinds[k]);
		same_verdicts(&again, &w.result);
		result_release(&again);
		jw_init(&jw);
		result_write(&w.result, false, &jw);
		if (result_parse(jw_finish(&jw), jw.out.len, "r", &again, &e) < 0)
			fail_msg("%s", e.text);
		same_verdicts(&again, &w.result);
		result_release(&again);
		jw_release(&jw);
		close_world(&w);
	}
}

static void look_at_setting(void *arg, const struct session_event *ev)
{
	if (ev->kind == EVENT_RUN_DONE)
		holds(arg, ev->finished->arm == ARM_REFERENCE ? "128" : "256");
}

static void a_setting_is_switched_and_put_back(void **state)
{
	(void)state;
	struct world w;
	struct err e;
	char record[200];

	open_world(&w, INTERLEAVE_SETTING, 20,
		   HEAD "  - {name: a, rw: read, gate: {read.iops: 5%}}\n");
	w.options.event = look_at_setting;
	w.options.arg = w.file;
	assert_int_equal(conduct(&w, &e), 0);
	assert_int_equal(w.result.status, STATUS_PASS);
	assert_int_equal(runs_of(&w.result, 0, ARM_REFERENCE), 4);
	assert_int_equal(runs_of(&w.result, 0, ARM_CANDIDATE), 4);
	holds(w.file, "64");
	snprintf(record, sizeof(record), "%s", w.records);
	assert_int_equal(rmdir(record), 0); /* nothing is left in it */
	close_world(&w);
}

static void spoil_setting(void *arg, const struct session_event *ev)
{
	if (ev->kind == EVENT_PROGRESS || ev->kind == EVENT_RUN_DONE)
		put(arg, "7");
}

/* Somebody else changes it during a run. */
static void a_run_under_another_value_does_not_count(void **state)
{
	(void)state;
	struct world w;
	struct err e;

	open_world(&w, INTERLEAVE_SETTING, 20,
		   "blkgate: 1\nname: t\ndefaults: {ioengine: null, size: 1MiB, runtime: 300ms}\n"
		   "workloads:\n  - {name: a, rw: read, gate: {read.iops: 50%}}\n");
	w.options.event = spoil_setting;
	w.options.arg = w.file;
	assert_int_equal(conduct(&w, &e), 0);
	assert_int_equal(w.result.status, STATUS_ERROR);
	assert_non_null(strstr(verdict_of(&w.result, 0, VERDICT_MEASURE)->text,
			       "a setting was changed during the run"));
	holds(w.file, "64");
	close_world(&w);
}

static void an_earlier_run_that_was_killed_is_told(void **state)
{
	(void)state;
	struct world w;
	struct err e;
	struct notices left;
	char record[200], text[200];

	open_world(&w, INTERLEAVE_SETTING, 20, HEAD "  - {name: a, rw: read}\n");
	assert_int_equal(mkdir(w.records, 0700), 0);
	snprintf(record, sizeof(record), "%s/x", w.records);
	snprintf(text, sizeof(text), "%s\n8\n%s\n8\n", w.file, w.file);
	put(record, text);
	notices_init(&left);
	session_settings_left(w.records, false, &left);
	assert_int_equal(left.n, 1);
	assert_non_null(strstr(left.v[0], "it was '8'"));
	notices_release(&left);
	/* put back by hand: nothing is left to tell, and the record goes */
	put(w.file, "8");
	notices_init(&left);
	session_settings_left(w.records, false, &left);
	assert_int_equal(left.n, 0);
	assert_int_equal(access(record, F_OK), -1);
	notices_release(&left);
	assert_int_equal(conduct(&w, &e), 0);
	holds(w.file, "8");
	close_world(&w);
}

static void a_setting_that_cannot_be_taken_measures_nothing(void **state)
{
	(void)state;
	struct world w;
	struct err e;

	open_world(&w, INTERLEAVE_SETTING, 20,
		   HEAD "  - {name: a, rw: read, gate: {read.iops: 5%}}\n");
	w.plan.interleave.path = "/proc/self/status"; /* nobody may write it */
	assert_int_equal(conduct(&w, &e), 0);
	assert_int_equal(w.result.status, STATUS_ERROR);
	assert_int_equal(runs_of(&w.result, 0, 0) + runs_of(&w.result, 0, 1), 0);
	assert_int_equal(verdict_of(&w.result, 0, 0)->kind, VERDICT_SKIPPED);
	close_world(&w);
}

static void count_layouts(void *arg, const struct session_event *ev)
{
	unsigned *n = arg;

	n[0] += ev->kind == EVENT_LAYOUT;
	n[1] += ev->kind == EVENT_RUN_DONE;
	assert_true(ev->kind != EVENT_RUN_DONE || n[0] == n[1]);
}

static void each_run_has_files_of_its_own(void **state)
{
	(void)state;
	struct world w;
	struct err e;
	unsigned n[2] = {0, 0};

	open_world(&w, INTERLEAVE_VERSUS, 20,
		   "blkgate: 1\nname: t\n"
		   "defaults: {ioengine: psync, direct: false, size: 64KiB, time_based: false}\n"
		   "workloads:\n  - {name: a, rw: read}\n  - {name: b, rw: write}\n");
	w.options.event = count_layouts;
	w.options.arg = n;
	assert_int_equal(conduct(&w, &e), 0);
	assert_int_equal(w.result.status, STATUS_PASS);
	assert_int_equal(n[0], 16);
	close_world(&w);
}

static void a_mixture_takes_turns_as_one(void **state)
{
	(void)state;
	struct world w;
	struct err e;

	open_world(&w, INTERLEAVE_VERSUS, 20,
		   HEAD "  - {name: a, rw: read, gate: {read.iops: 5%}}\n"
			"  - {name: b, rw: write, stonewall: false, direct: true}\n");
	assert_int_equal(conduct(&w, &e), 0);
	assert_int_equal(w.result.status, STATUS_PASS);
	assert_int_equal(w.result.runs.n, 16);
	for (size_t i = 0; i < 16; i += 2) {
		const struct run *x = &w.result.runs.v[i], *y = x + 1;

		assert_int_equal(x->order, y->order);
		assert_int_equal(x->arm, y->arm);
		assert_int_equal(x->arm, x->job % 2);
		assert_int_equal(y->job, x->job + 2);
	}
	close_world(&w);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(equal_arms_pass_at_the_first_look),
		cmocka_unit_test(arms_alternate),
		cmocka_unit_test(only_the_undecided_go_on_until_red),
		cmocka_unit_test(both_arms_of_a_failed_one_stop),
		cmocka_unit_test(stopped_before_it_began),
		cmocka_unit_test(the_byte_budget_holds_no_half_pair),
		cmocka_unit_test(journal_and_document_reach_the_same_verdict),
		cmocka_unit_test(a_setting_is_switched_and_put_back),
		cmocka_unit_test(a_run_under_another_value_does_not_count),
		cmocka_unit_test(an_earlier_run_that_was_killed_is_told),
		cmocka_unit_test(a_setting_that_cannot_be_taken_measures_nothing),
		cmocka_unit_test(each_run_has_files_of_its_own),
		cmocka_unit_test(a_mixture_takes_turns_as_one),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
