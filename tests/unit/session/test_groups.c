/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Runs at the same time on the sim engine: exact totals, failures of one, journal, verdicts. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "base/clock.h"
#include "base/fileio.h"
#include "json/json.h"
#include "session/session.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct world {
	char dir[2][64];
	struct suite suite;
	struct plan plan;
	struct diags diags;
	struct host host;
	struct result result;
	struct session_options options;
};

static int open_world(void **state)
{
	struct world *w = xcalloc(1, sizeof(*w));

	for (unsigned i = 0; i < 2; i++) {
		snprintf(w->dir[i], sizeof(w->dir[i]), "/tmp/blkgate-groups.XXXXXX");
		assert_non_null(mkdtemp(w->dir[i]));
	}
	w->host.root = "/";
	*state = w;
	return 0;
}

static void clear(struct world *w)
{
	result_release(&w->result);
	plan_release(&w->plan);
	suite_release(&w->suite);
	diags_release(&w->diags);
}

static int close_world(void **state)
{
	struct world *w = *state;

	clear(w);
	rmdir(w->dir[0]);
	rmdir(w->dir[1]);
	free(w);
	return 0;
}

static int conduct(struct world *w, const char *text, unsigned targets, uint64_t seed)
{
	struct target_arg arg[2] = {{"one", w->dir[0]}, {"two", w->dir[1]}};
	struct plan_options po = {.host = &w->host,
				  .targets = arg,
				  .ntargets = targets,
				  .seed = seed,
				  .profile = "default"};
	struct err e = ERR_INIT;

	diags_init(&w->diags);
	if (suite_parse(text, strlen(text), "t.yaml", NULL, 0, &w->suite, &w->diags, &e) < 0)
		fail_msg("%s", e.text);
	if (plan_make(&w->suite, &po, &w->plan, &w->diags, &e) < 0)
		fail_msg("%s", e.text);
	return session_run(&w->plan, &w->options, &w->result, &e);
}

#define HEAD "blkgate: 1\nname: t\ndefaults: {ioengine: sim, size: 1MiB, runtime: 1s}\nworkloads:\n"
#define ALL                                                                                        \
	"blkgate: 1\nname: t\ndefaults: {ioengine: sim, size: 1MiB, runtime: 1s, sessions: 2}\n"   \
	"workloads:\n  - {name: a, rw: read, sim: lat=1ms, targets: all, gate: {iops: 5%}, "       \
	"expect: [read.iops <= 1001 IOPS, all targets: read.iops >= 1999 IOPS]}\n"

static unsigned count(const struct result *r, uint32_t job, enum outcome_status status)
{
	unsigned n = 0;

	for (size_t i = 0; i < r->runs.n; i++)
		n += r->runs.v[i].job == job && r->runs.v[i].out.status == status;
	return n;
}

static const struct run *find(const struct result *r, uint32_t job, uint32_t session, uint32_t run)
{
	for (size_t i = 0; i < r->runs.n; i++) {
		const struct run *x = &r->runs.v[i];

		if (x->job == job && x->session == session && x->run == run)
			return x;
	}
	return NULL;
}

static const struct verdict *measure_of(const struct result *r, uint32_t job)
{
	for (size_t i = 0; i < r->verdicts.n; i++)
		if (r->verdicts.v[i].job == job && r->verdicts.v[i].check == VERDICT_MEASURE)
			return &r->verdicts.v[i];
	return NULL;
}

static void a_group_has_one_turn(void **state)
{
	struct world *w = *state;

	assert_int_equal(conduct(w,
				 HEAD
				 "  - {name: x, rw: read}\n  - {name: a, rw: read, sim: lat=1ms}\n"
				 "  - {name: b, rw: write, sim: lat=2ms, stonewall: false}\n"
				 "  - {name: y, rw: read}\n",
				 1, 5),
			 0);
	assert_int_equal(w->result.status, STATUS_PASS);
	assert_true(w->result.sessions.v[0].complete);
	assert_int_equal(w->result.runs.n, 20);
	for (uint32_t run = 0; run < 5; run++) {
		const struct run *a = find(&w->result, 1, 0, run), *b = find(&w->result, 2, 0, run);

		assert_int_equal(b - a, 1);
		assert_int_equal(a->order, b->order);
		assert_int_equal(a->started, b->started);
		assert_int_equal(a->out.dir[DIR_READ].ios, 1000);
		assert_int_equal(b->out.dir[DIR_WRITE].ios, 500);
	}
}

static void beside_one_that_failed_nothing_was_measured(void **state)
{
	struct world *w = *state;

	assert_int_equal(conduct(w,
				 HEAD
				 "  - {name: a, rw: read, expect: [read.iops >= 1]}\n"
				 "  - {name: b, rw: read, sim: \"error=EIO@3\", stonewall: false}\n"
				 "  - {name: c, rw: read}\n",
				 1, 5),
			 0);
	assert_int_equal(count(&w->result, 0, OUTCOME_COMPANION), 1);
	assert_int_equal(count(&w->result, 0, OUTCOME_OK), 0);
	assert_int_equal(count(&w->result, 1, OUTCOME_IO_ERROR), 1);
	assert_int_equal(count(&w->result, 2, OUTCOME_OK), 5);
	assert_int_equal(w->result.status, STATUS_ERROR);
	assert_false(w->result.sessions.v[0].complete);
	assert_non_null(strstr(find(&w->result, 0, 0, 0)->out.text,
			       "it ran at the same time as 'b' on 'one', which failed: "));
	assert_int_equal(find(&w->result, 0, 0, 0)->out.dir[DIR_READ].ios, 0);
	assert_string_equal(measure_of(&w->result, 0)->type, "companion");
	assert_string_equal(measure_of(&w->result, 1)->type, "io_error");
}

static void the_total_is_exact(void **state)
{
	struct world *w = *state;

	assert_int_equal(conduct(w, ALL, 2, 5), 0);
	assert_int_equal(w->result.status, STATUS_NO_BASELINE);
	assert_int_equal(w->result.runs.n, 2 * 5 * 3);
	for (uint32_t run = 0; run < 5; run++) {
		const struct run *sum = find(&w->result, 2, 1, run);

		assert_int_equal(find(&w->result, 0, 1, run)->out.dir[DIR_READ].ios, 1000);
		assert_int_equal(sum->out.dir[DIR_READ].ios, 2000);
		assert_int_equal(sum->out.dir[DIR_READ].lat.n, 2000);
		assert_int_equal(sum->out.window, NS_PER_SEC);
		assert_int_equal(sum->out.slots[3].ios[DIR_READ], 200);
		assert_true(outcome_depth(&sum->out, job_parts(&w->result.jobs[2]), 8) == 1);
	}
	assert_true(w->result.sessions.v[1].complete);
}

static void a_total_lacks_what_failed(void **state)
{
	struct world *w = *state;

	assert_int_equal(
		conduct(w, HEAD "  - {name: a, rw: read, targets: all, sim: \"error=EIO@3\"}\n", 2,
			5),
		0);
	assert_int_equal(count(&w->result, 2, OUTCOME_COMPANION), 1);
	assert_int_equal(count(&w->result, 2, OUTCOME_OK), 0);
	assert_non_null(strstr(find(&w->result, 2, 0, 0)->out.text, "no total without 'a' on '"));
	assert_int_equal(w->result.verdicts.n, 3);
	for (unsigned i = 0; i < 3; i++)
		assert_int_equal(w->result.verdicts.v[i].kind, VERDICT_ERROR);
}

static void same_verdicts(const struct result *a, const struct result *b)
{
	assert_int_equal(a->verdicts.n, b->verdicts.n);
	assert_int_equal(a->status, b->status);
	for (size_t i = 0; i < a->verdicts.n; i++) {
		assert_int_equal(a->verdicts.v[i].kind, b->verdicts.v[i].kind);
		assert_string_equal(a->verdicts.v[i].text, b->verdicts.v[i].text);
		assert_memory_equal(&a->verdicts.v[i].value, &b->verdicts.v[i].value,
				    sizeof(double));
	}
}

/* From document and journal alike; and what a killed run leaves of a journal. */
static void what_is_written_tells_the_same(void **state)
{
	struct world *w = *state;
	struct gate_options g = {.sessions_max = 2};
	struct result again;
	struct err e = ERR_INIT;
	char path[96], *cut;
	struct str s;
	struct jw doc;

	snprintf(path, sizeof(path), "%s/journal", w->dir[0]);
	w->options.journal = path;
	assert_int_equal(conduct(w, ALL, 2, 5), 0);
	g.now = w->result.ended;
	jw_init(&doc);
	result_write(&w->result, true, &doc);
	jw_finish(&doc);
	assert_int_equal(result_parse(doc.out.s, doc.out.len, "r", &again, &e), 0);
	jw_release(&doc);
	gate_judge(&again, NULL, &g);
	same_verdicts(&w->result, &again);
	result_release(&again);
	str_init(&s);
	assert_int_equal(file_read(path, 0, &s, &e), 0);
	assert_int_equal(result_parse(s.s, s.len, "j", &again, &e), 0);
	gate_judge(&again, NULL, &g);
	same_verdicts(&w->result, &again);
	result_release(&again);
	/* killed in the last run: its three starts are there and none of its three ends */
	cut = strstr(s.s, "{\"start\"");
	for (char *next = cut; next; next = strstr(next + 1, "{\"start\""))
		cut = next;
	cut = strchr(cut, '\n') + 1;
	assert_int_equal(result_parse(s.s, (size_t)(cut - s.s), "j", &again, &e), 0);
	for (uint32_t job = 0; job < 3; job++) {
		assert_int_equal(count(&again, job, OUTCOME_LOST), 1);
		assert_int_equal(count(&again, job, OUTCOME_OK), 9);
	}
	gate_judge(&again, NULL, &g);
	for (uint32_t job = 0; job < 3; job++)
		assert_string_equal(measure_of(&again, job)->type, "lost");
	result_release(&again);
	/* killed while it was written down: what one had measured is not the mixture's */
	cut = strchr(cut, '\n') + 1;
	assert_int_equal(result_parse(s.s, (size_t)(cut - s.s), "j", &again, &e), 0);
	gate_judge(&again, NULL, &g);
	assert_int_equal(again.status, STATUS_ERROR);
	for (uint32_t job = 0; job < 3; job++)
		assert_int_equal(measure_of(&again, job)->kind, VERDICT_ERROR);
	result_release(&again);
	str_release(&s);
	unlink(path);
}

static void the_total_is_gated(void **state)
{
	struct world *w = *state;
	struct accept_options ao = {.dir = w->dir[0], .who = "t"};
	struct gate_options g = {.sessions_max = 2};
	struct baseline b;
	struct err e = ERR_INIT;
	struct str s;
	size_t stored;
	char path[96];

	assert_int_equal(conduct(w, ALL, 2, 5), 0);
	assert_int_equal(baseline_load(w->dir[0], "t", "default", &b, &e), 0);
	str_init(&s);
	assert_int_equal(baseline_accept(&w->result, &b, &ao, &stored, &s, &e), 0);
	assert_int_equal(stored, 2);
	baseline_release(&b);
	clear(w);
	/* twice as slow on each */
	assert_int_equal(
		conduct(w,
			"blkgate: 1\nname: t\ndefaults: {ioengine: sim, size: 1MiB, runtime: "
			"1s, sessions: 2}\nworkloads:\n  - {name: a, rw: read, sim: lat=1ms, "
			"targets: all, gate: {iops: 5%}}\n",
			2, 6),
		0);
	for (size_t i = 0; i < w->result.runs.n; i++)
		w->result.runs.v[i].out.dir[DIR_READ].ios /= 2;
	assert_int_equal(baseline_load(w->dir[0], "t", "default", &b, &e), 0);
	g.now = w->result.ended;
	gate_judge(&w->result, &b, &g);
	assert_int_equal(w->result.verdicts.n, 6);
	for (unsigned i = 1; i < 6; i += 2)
		assert_int_equal(w->result.verdicts.v[i].kind, VERDICT_REGRESSION);
	/* another drive in the second slot: the total is not comparable, nor is that slot */
	facts_set(&w->result.targets[2].facts, &w->result.arena, "two:device.model", "Other", NULL);
	gate_judge(&w->result, &b, &g);
	assert_int_equal(w->result.verdicts.v[1].kind, VERDICT_REGRESSION);
	assert_int_equal(w->result.verdicts.v[5].kind, VERDICT_INCOMPARABLE);
	assert_non_null(strstr(w->result.verdicts.v[5].text, "two:device.model"));
	for (size_t i = 0; i < b.n; i++)
		unlink(b.sessions[i].path);
	baseline_release(&b);
	str_release(&s);
	snprintf(path, sizeof(path), "%s/t/default", w->dir[0]);
	assert_int_equal(rmdir(path), 0);
	snprintf(path, sizeof(path), "%s/t", w->dir[0]);
	assert_int_equal(rmdir(path), 0);
}

/* Undecided is only `a`; what it ran beside runs again with it. */
static void a_further_session_takes_the_company_along(void **state)
{
	static const char text[] =
		"blkgate: 1\nname: t\ndefaults: {ioengine: sim, size: 1MiB, runtime: 1s, sessions: "
		"1..3}\nworkloads:\n  - {name: a, rw: read, sim: lat=1ms, gate: {iops: 5%}}\n"
		"  - {name: b, rw: read, sim: lat=1ms, stonewall: false, expect: [read.iops >= "
		"1]}\n"
		"  - {name: c, rw: read, sim: lat=1ms, expect: [read.iops >= 1]}\n";
	struct world *w = *state;
	const struct result *list[1];
	struct result first;
	struct baseline b;
	struct err e = ERR_INIT;
	struct jw doc;

	assert_int_equal(conduct(w, text, 1, 5), 0);
	jw_init(&doc);
	result_write(&w->result, false, &doc);
	jw_finish(&doc);
	assert_int_equal(result_parse(doc.out.s, doc.out.len, "r", &first, &e), 0);
	jw_release(&doc);
	clear(w);
	list[0] = &first;
	assert_int_equal(baseline_from_results(list, 1, &b, &e), 0);
	w->options.baseline = &b;
	w->options.inject = (struct inject){.slow = 0.05};
	w->options.inject_text = "slow=5%";
	assert_int_equal(conduct(w, text, 1, 6), 0);
	assert_true(w->result.sessions.n > 1);
	assert_int_equal(count(&w->result, 0, OUTCOME_OK), 5 * w->result.sessions.n);
	assert_int_equal(count(&w->result, 1, OUTCOME_OK), 5 * w->result.sessions.n);
	assert_int_equal(count(&w->result, 2, OUTCOME_OK), 5);
	baseline_release(&b);
	result_release(&first);
}

#define TEST(fn) cmocka_unit_test_setup_teardown(fn, open_world, close_world)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(a_group_has_one_turn),
		TEST(beside_one_that_failed_nothing_was_measured),
		TEST(the_total_is_exact),
		TEST(a_total_lacks_what_failed),
		TEST(what_is_written_tells_the_same),
		TEST(the_total_is_gated),
		TEST(a_further_session_takes_the_company_along),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
