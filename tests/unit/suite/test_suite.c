/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the fields of a suite hold after reading; fixtures of bad suites are in test_fixtures. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "suite/suite.h"

#define HEAD "blkgate: 1\nname: t\n"
#define TAIL "workloads:\n  - {name: x, rw: read}\n"

struct loaded {
	struct suite s;
	struct diags d;
	struct err e;
	int rc;
};

static void load(struct loaded *l, const char *text, const struct setting *set, size_t nset)
{
	l->e = ERR_INIT;
	diags_init(&l->d);
	l->rc = suite_parse(text, strlen(text), "t.yaml", set, nset, &l->s, &l->d, &l->e);
	assert_int_equal(l->rc != 0, l->d.errors != 0);
}

static void unload(struct loaded *l)
{
	suite_release(&l->s);
	diags_release(&l->d);
}

static void load_file(struct loaded *l, const char *path, const struct setting *set, size_t nset)
{
	l->e = ERR_INIT;
	diags_init(&l->d);
	l->rc = suite_load(path, set, nset, &l->s, &l->d, &l->e);
	if (l->rc)
		fail_msg("%s:%u:%u: %s", l->e.file, l->e.line, l->e.column, l->e.text);
}

static const struct word_value *value_of(const struct workload *w, const char *word)
{
	for (size_t i = 0; i < w->words.n; i++)
		if (strcmp(w->words.v[i].word->name, word) == 0)
			return &w->words.v[i];
	fail_msg("workload '%s' has no '%s'", w->name, word);
	return NULL;
}

static bool near_to(double a, double b)
{
	return fabs(a - b) <= 1e-9 * fabs(b);
}

static void test_design(void **state)
{
	static const struct setting set[] = {{"kernel", "6.12.9"}};
	struct loaded l;
	const struct workload *w;

	(void)state;
	load_file(&l, "tests/fixtures/suites/good/design.yaml", set, 1);
	assert_string_equal(l.s.name, "adapter-card");
	assert_int_equal(l.s.params.n, 2);
	assert_true(l.s.params.v[1].required && l.s.params.v[1].set);
	assert_string_equal(l.s.labels.v[0].name, "adapter");
	assert_true(l.s.labels.v[0].required);
	assert_null(l.s.labels.v[0].value);
	assert_int_equal(l.s.datasheet.v[0].unit, UNIT_BW);
	assert_true(near_to(l.s.datasheet.v[0].value, 3.23e9));
	assert_int_equal(l.s.datasheet.v[1].unit, UNIT_IOPS);
	assert_true(near_to(l.s.datasheet.v[1].value, 340e3));
	assert_int_equal(l.s.budget_time, 45 * 60 * NS_PER_SEC);
	assert_int_equal(l.s.budget_written, 50000000000ULL);
	assert_string_equal(l.s.require.v[1].value, "6.12.9");
	assert_int_equal(l.s.admit.n, 3);
	assert_string_equal(l.s.under_test.v[1], "label.adapter");
	assert_string_equal(l.s.must_match.v[0], "device.model");
	assert_int_equal(l.s.sessions_min, 1);
	assert_int_equal(l.s.sessions_max, 5);
	assert_int_equal(l.s.defaults.n, 4);
	assert_true(near_to(l.s.assumed_session_sd, 0.015));
	assert_int_equal(l.s.known.n, 1);
	assert_true(near_to(l.s.known.v[0].no_worse_than, 0.09));
	assert_string_equal(l.s.known.v[0].ticket, "STOR-1421");
	/* the last second of 2027-01-31 */
	assert_int_equal(l.s.known.v[0].until, 1801439999);

	assert_int_equal(l.s.workloads.n, 2);
	w = &l.s.workloads.v[0];
	assert_string_equal(w->name, "seq-read");
	assert_int_equal(w->expect.n, 3);
	assert_string_equal(w->expect.v[1].percent_of, "datasheet.seq_read");
	assert_int_equal(w->gate.n, 2);
	assert_true(near_to(w->gate.v[0].tolerance, 0.05) && !w->gate.v[0].absolute);
	assert_int_equal(w->gate.v[0].role, ROLE_PRIMARY);
	assert_int_equal(w->gate.v[1].role, ROLE_WATCH);
	assert_string_equal(value_of(w, "runtime")->node->text, "10s");
	assert_string_equal(suite_param_text(&l.s, value_of(w, "runtime")->node, &l.s.arena),
			    "runtime=10s of tests/fixtures/suites/good/design.yaml:6:14");
	assert_null(suite_param_text(&l.s, value_of(w, "bs")->node, &l.s.arena));

	w = &l.s.workloads.v[1];
	assert_int_equal(w->matrix.n, 2);
	assert_string_equal(w->matrix.v[0].word->name, "rw");
	assert_int_equal(w->exclude.n, 1);
	assert_int_equal(w->exclude.v[0].words.n, 2);
	assert_true(w->gate.v[1].absolute);
	assert_int_equal(w->gate.v[1].unit, UNIT_TIME);
	assert_true(near_to(w->gate.v[1].tolerance, 50e6));
	assert_string_equal(w->gate.v[1].tolerance_text, "+50ms");
	assert_int_equal(w->waive.v[0].rule, RULE_PRECONDITION);
	unload(&l);
}

static void test_everything(void **state)
{
	static const struct setting set[] = {{"runtime", "3s"}};
	struct loaded l;
	const struct workload *w;

	(void)state;
	load_file(&l, "tests/fixtures/suites/good/everything.yaml", set, 1);
	assert_string_equal(l.s.description, "A folded text over two lines.\n");
	/* yaml-word-1: the text, not a boolean */
	assert_string_equal(l.s.labels.v[1].value, "on");
	assert_int_equal(l.s.datasheet.v[2].unit, UNIT_TIME);
	assert_true(near_to(l.s.datasheet.v[2].value, 80e3));
	assert_int_equal(l.s.admit.n, 1);
	assert_int_equal(l.s.policy.inconclusive, INCONCLUSIVE_FAIL);
	assert_int_equal(l.s.policy.no_baseline, NO_BASELINE_WARN);
	assert_int_equal(l.s.policy.provisional, PROVISIONAL_FAIL);
	assert_true(near_to(l.s.assumed_session_sd, 0.02));
	assert_int_equal(l.s.baseline_max_age, 180 * 86400);
	assert_int_equal(l.s.sessions_min, 2);
	assert_int_equal(l.s.sessions_max, 3);
	assert_string_equal(l.s.note.v[0], "host.name");
	assert_int_equal(l.s.waive.v[0].rule, RULE_DEPTH_ON_SYNC_ENGINE);

	w = &l.s.workloads.v[0];
	assert_string_equal(w->name, "no");
	assert_string_equal(value_of(w, "iodepth")->node->text, "32");
	assert_string_equal(value_of(w, "sim")->node->text, "$5");
	assert_string_equal(value_of(w, "runtime")->node->text, "3s");
	assert_string_equal(value_of(w, "runtime")->node->raw, "${runtime}");
	assert_string_equal(suite_param_text(&l.s, value_of(w, "runtime")->node, &l.s.arena),
			    "--set runtime=3s");
	assert_true(w->has_when && w->optional && w->canary && w->untouched);
	assert_string_equal(w->when.value, "block");
	assert_int_equal(w->expect.n, 7);
	assert_true(w->expect.v[0].every_run && w->expect.v[1].every_run);
	assert_string_equal(w->expect.v[0].text, "every run: read.bw >= 5 MB/s");
	assert_true(w->expect.v[2].spread);
	assert_int_equal(w->gate.v[2].unit, UNIT_IOPS);
	assert_true(near_to(w->gate.v[2].tolerance, 500));
	assert_int_equal(w->gate.v[3].unit, UNIT_BW);
	assert_true(near_to(w->gate.v[3].tolerance, 10e6));

	w = &l.s.workloads.v[1];
	assert_string_equal(w->name_pattern, "rand-{rw}-qd{iodepth}-{direct}");
	/* axes in the order of the word table, values in the order written */
	assert_string_equal(w->matrix.v[0].word->name, "rw");
	assert_string_equal(w->matrix.v[1].word->name, "iodepth");
	assert_string_equal(w->matrix.v[2].word->name, "direct");
	assert_string_equal(w->matrix.v[0].value[0]->text, "randwrite");
	assert_int_equal(w->matrix.v[1].n, 2);
	assert_true(w->canary && !w->untouched);
	assert_string_equal(value_of(&l.s.workloads.v[2], "bs")->node->text, "4 KiB");
	unload(&l);
}

static void test_settings(void **state)
{
	static const char text[] = HEAD "parameters: {runtime: 1s, kernel: {required: true}}\n"
					"requires: ['kernel.release == ${kernel}']\n"
					"defaults: {runtime: '${runtime}'}\n" TAIL;
	static const struct {
		struct setting set[2];
		size_t n;
		const char *text, *hint; /* NULL = accepted */
	} c[] = {
		{{{"kernel", "6"}}, 1, NULL, NULL},
		{{{"kernel", "6"}, {"runtime", "2s"}}, 2, NULL, NULL},
		{{{"runtime", "2s"}}, 1, "'kernel' is required", "--set kernel=VALUE"},
		{{{"kernel", "6"}, {"runtim", "2s"}}, 2, "declares no such", "'runtime'"},
		{{{"kernel", "6"}, {"zzz", "2s"}}, 2, "declares no such", "runtime, kernel"},
		{{{"kernel", "6"}, {"kernel", "7"}}, 2, "given twice", ""},
		{{{"kernel", "6"}, {"runtime", "2"}}, 2, "needs a unit", "written as '${runtime}'"},
		/* a value is plain text: it is not read again */
		{{{"kernel", "${runtime}"}}, 1, NULL, NULL},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(c) / sizeof(*c); i++) {
		struct loaded l;

		load(&l, text, c[i].set, c[i].n);
		if (!c[i].text) {
			assert_int_equal(l.rc, 0);
			assert_string_equal(l.s.require.v[0].value, c[i].set[0].value);
		} else if (l.d.errors != 1 || !strstr(l.d.v[0].text, c[i].text) ||
			   !strstr(l.d.v[0].hint, c[i].hint)) {
			fail_msg("row %zu: %zu errors, '%s' '%s'", i, l.d.errors,
				 l.d.n ? l.d.v[0].text : "", l.d.n ? l.d.v[0].hint : "");
		}
		unload(&l);
	}
}

/* The place is where a parameter is used; the text names who gave the value, and where. */
static void test_given_elsewhere(void **state)
{
	static const char text[] = HEAD "parameters: {runtime: 2}\n"
					"defaults: {runtime: '${runtime}'}\n" TAIL;
	const struct setting set = {"runtime", "3"};
	char want[64];
	struct loaded l;

	(void)state;
	load(&l, text, NULL, 0);
	assert_int_equal(l.d.errors, 1);
	assert_int_equal(l.d.v[0].line, 4);
	snprintf(want, sizeof(want), "(runtime=2 of %s:3:14)", l.d.v[0].file);
	assert_non_null(strstr(l.d.v[0].text, want));
	unload(&l);
	load(&l, text, &set, 1);
	assert_int_equal(l.d.errors, 1);
	assert_non_null(strstr(l.d.v[0].text, "(--set runtime=3)"));
	unload(&l);
}

/* Another range than 1..5 is told how to be written. */
static void test_sessions_range(void **state)
{
	static const struct {
		const char *text, *hint;
	} c[] = {
		{"1-2", "write 1..2"},   {"1 to 3", "write 1..3"}, {"'1,2'", "write 1..2"},
		{"1...4", "write 1..4"}, {"1 .. 2 x", ""},         {"x", ""},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(c) / sizeof(*c); i++) {
		char text[256];
		struct loaded l;

		snprintf(text, sizeof(text), HEAD "defaults: {sessions: %s}\n" TAIL, c[i].text);
		load(&l, text, NULL, 0);
		assert_int_equal(l.d.errors, 1);
		assert_non_null(strstr(l.d.v[0].hint, c[i].hint));
		unload(&l);
	}
}

static bool warned(const struct diags *d, const char *rule)
{
	for (size_t i = 0; i < d->n; i++)
		if (d->v[i].level == DIAG_WARN && strcmp(d->v[i].rule, rule) == 0)
			return true;
	return false;
}

/* Warnings carry a rule, and with a reason become notes: never silence. */
static void test_warnings(void **state)
{
	static const struct {
		const char *text, *rule;
	} c[] = {
		{"parameters: {a: 1}\n" TAIL, "unused-parameter"},
		{"requires: [kernel.relese == 6]\n" TAIL, "unknown-fact"},
		{"compare: {note: [device.modell]}\n" TAIL, "unknown-fact"},
		{"workloads:\n  - name: x #1\n    rw: read\n", "comment-cut"},
	};
	char text[400];

	(void)state;
	for (size_t i = 0; i < sizeof(c) / sizeof(*c); i++) {
		struct loaded l;

		snprintf(text, sizeof(text), HEAD "%s", c[i].text);
		load(&l, text, NULL, 0);
		assert_int_equal(l.rc, 0);
		assert_int_equal(l.d.n, 1);
		assert_true(warned(&l.d, c[i].rule));
		unload(&l);
		snprintf(text, sizeof(text), HEAD "waive: {%s: as wished}\n%s", c[i].rule,
			 c[i].text);
		load(&l, text, NULL, 0);
		assert_int_equal(l.rc, 0);
		assert_int_equal(l.d.n, 1);
		assert_int_equal(l.d.warnings, 0);
		assert_int_equal(l.d.v[0].level, DIAG_NOTE);
		assert_non_null(strstr(l.d.v[0].text, "(waived: as wished)"));
		assert_true(l.s.waive.v[0].used);
		unload(&l);
	}
}

/* One session is enough for what never turns red by itself, and for what needs no baseline. */
static void test_one_session(void **state)
{
	static const struct {
		const char *sessions, *checks;
		bool refused;
	} c[] = {
		{"1", "gate: {read.bw: 5%}", true},
		{"1..1", "gate: {read.bw: {tolerance: 5%, role: primary}}", true},
		{"1", "gate: {iops: {tolerance: 5%, role: watch}, read.bw: 5%}", true},
		{"1", "gate: {read.bw: {tolerance: 5%, role: watch}}, expect: [read.iops >= 5]",
		 false},
		{"1", "expect: [read.iops >= 5]", false},
		{"1", "canary: true", false},
		{"1..2", "gate: {read.bw: 5%}", false},
		{"2", "gate: {read.bw: 5%}", false},
	};
	char text[400];

	(void)state;
	for (size_t i = 0; i < sizeof(c) / sizeof(*c); i++) {
		struct loaded l;

		snprintf(text, sizeof(text),
			 HEAD "defaults: {sessions: %s}\nworkloads:\n  - {name: a, rw: read, %s}\n",
			 c[i].sessions, c[i].checks);
		load(&l, text, NULL, 0);
		assert_int_equal(l.rc, c[i].refused ? ERR_SUITE : 0);
		assert_int_equal(l.d.errors, c[i].refused);
		if (c[i].refused) {
			assert_string_equal(l.d.v[0].rule, "cannot-turn-red");
			assert_non_null(strstr(l.d.v[0].hint, "1..2"));
		}
		unload(&l);
	}
}

/* Facts that are no closed set are compared with anything, and so are labels of such a name. */
static void test_values_of_facts(void **state)
{
	static const struct {
		const char *when;
		bool refused;
	} c[] = {
		{"target.type == folder", true},    {"target.type != regular", true},
		{"target.type == Block", true},     {"link == up", true},
		{"power.source == ac", true},       {"device.read_only == no", true},
		{"fs.direct == true", true},        {"target.type == block", false},
		{"target.type == file", false},     {"target.type != dir", false},
		{"link == downgraded", false},      {"link == none", false},
		{"link.speed == fast", false},      {"device.transport == carrier pigeon", false},
		{"label.link == up", false},        {"device.read_only == 1", false},
		{"power.source != battery", false},
	};
	char text[400];

	(void)state;
	for (size_t i = 0; i < sizeof(c) / sizeof(*c); i++) {
		struct loaded l;

		snprintf(text, sizeof(text), HEAD "workloads:\n  - {name: a, rw: read, when: %s}\n",
			 c[i].when);
		load(&l, text, NULL, 0);
		if (l.rc != (c[i].refused ? ERR_SUITE : 0))
			print_message("%s\n", c[i].when);
		assert_int_equal(l.rc, c[i].refused ? ERR_SUITE : 0);
		assert_int_equal(l.d.errors, c[i].refused);
		unload(&l);
	}
}

/* The rules of plan are known to the suite and the reverse: one list, none of them without a name.
 */
static void test_rules(void **state)
{
	char text[400];

	(void)state;
	for (unsigned i = 0; i < RULE_COUNT; i++) {
		const struct rule_word *w = &rule_table[i];
		char number[RULE_NUMBER_SIZE];
		struct loaded l;
		enum rule found;

		assert_non_null(w->name);
		assert_int_equal(rule_find(w->name, &found), 0);
		assert_int_equal(found, i);
		assert_int_equal(rule_find(rule_number((enum rule)i, number), &found), 0);
		assert_int_equal(found, i);
		assert_true(w->number > 0 && w->number < 1000 && w->what && *w->what);
		for (unsigned k = 0; k < i; k++)
			assert_true(rule_table[k].number < w->number);
		snprintf(text, sizeof(text), HEAD "waive: {%s: why}\n" TAIL,
			 i % 2 ? number : w->name);
		load(&l, text, NULL, 0);
		assert_int_equal(l.rc, w->level == DIAG_ERROR ? ERR_SUITE : 0);
		if (w->level == DIAG_ERROR)
			assert_non_null(strstr(l.d.v[0].text, "cannot be waived"));
		else
			assert_false(l.s.waive.v[0].used);
		unload(&l);
	}
}

/* Suites and trackers hold the numbers: none may move. */
static void test_rule_numbers(void **state)
{
	static const struct {
		unsigned number;
		const char *name;
	} v[] = {{1, "comment-cut"},
		 {9, "depth-on-sync-engine"},
		 {14, "ramp-not-below-runtime"},
		 {23, "no-checks"},
		 {26, "precondition"},
		 {30, "trim-granularity"},
		 {34, "thinktime-not-below-runtime"}};
	enum rule r;

	(void)state;
	for (size_t i = 0; i < sizeof(v) / sizeof(*v); i++) {
		assert_int_equal(rule_find(v[i].name, &r), 0);
		assert_int_equal(rule_table[r].number, v[i].number);
	}
	assert_int_equal(rule_find("BG000", &r), -1);
	assert_int_equal(rule_find("bg009", &r), -1);
	assert_int_equal(rule_find("BG9", &r), -1);
}

/* One mistake behind an alias must not fill the screen. */
static void test_many_errors(void **state)
{
	struct str s;
	struct loaded l;

	(void)state;
	str_init(&s);
	str_add(&s, HEAD "workloads:\n  - &w {name: x, rw: raed}\n");
	for (int i = 0; i < 5000; i++)
		str_add(&s, "  - *w\n");
	load(&l, s.s, NULL, 0);
	assert_int_equal(l.rc, ERR_SUITE);
	assert_true(l.d.n < 300);
	assert_non_null(strstr(l.d.v[0].text, "more errors are not shown"));
	unload(&l);
	str_release(&s);
}

/* A released or refused suite can be released again, and another one read into the same place. */
static void test_lifecycle(void **state)
{
	struct loaded l;

	(void)state;
	load(&l, "blkgate: [", NULL, 0);
	assert_int_equal(l.rc, ERR_SUITE);
	assert_int_equal(l.e.code, ERR_SUITE);
	assert_string_equal(l.e.file, "t.yaml");
	assert_int_equal(l.e.line, 1);
	assert_null(l.s.name);
	suite_release(&l.s);
	unload(&l);
	load(&l, HEAD TAIL, NULL, 0);
	assert_int_equal(l.rc, 0);
	unload(&l);
}

static void test_large(void **state)
{
	struct str s;
	struct loaded l;

	(void)state;
	str_init(&s);
	str_add(&s, HEAD "workloads:\n");
	for (int i = 0; i < 3000; i++)
		str_addf(&s, "  - {name: w-%d, rw: read, gate: {read.bw: 5%%}}\n", i);
	load(&l, s.s, NULL, 0);
	assert_int_equal(l.rc, 0);
	assert_int_equal(l.s.workloads.n, 3000);
	assert_string_equal(l.s.workloads.v[2999].name, "w-2999");
	assert_int_equal(l.s.workloads.v[2999].line, 3003);
	unload(&l);
	str_release(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_design),         cmocka_unit_test(test_everything),
		cmocka_unit_test(test_settings),       cmocka_unit_test(test_given_elsewhere),
		cmocka_unit_test(test_sessions_range), cmocka_unit_test(test_warnings),
		cmocka_unit_test(test_rules),          cmocka_unit_test(test_rule_numbers),
		cmocka_unit_test(test_one_session),    cmocka_unit_test(test_values_of_facts),
		cmocka_unit_test(test_many_errors),    cmocka_unit_test(test_lifecycle),
		cmocka_unit_test(test_large),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
