/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What may be compared with what: classes of facts, and the verdicts that come of a difference. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include "gate/blocks.h"
#include "gate/comparable.h"
#include "lab.h"
#include "suite/reader.h"

static void test_classes(void **state)
{
	static const struct {
		const char *key;
		enum fact_class cls;
	} cases[] = {
		{"device.model", FACT_MUST_MATCH},
		{"device.capacity", FACT_MUST_MATCH},
		{"device.lba_format", FACT_MUST_MATCH},
		{"device.transport", FACT_MUST_MATCH},
		{"link", FACT_MUST_MATCH},
		{"link.speed", FACT_MUST_MATCH},
		{"link.width", FACT_MUST_MATCH},
		{"device.write_cache", FACT_MUST_MATCH},
		{"fs.type", FACT_MUST_MATCH},
		{"fs.options", FACT_MUST_MATCH},
		{"cpu.model", FACT_MUST_MATCH},
		{"cgroup.limit", FACT_MUST_MATCH},
		{"power.source", FACT_MUST_MATCH},
		{"device.scheduler", FACT_MUST_MATCH},
		{"kernel.release", FACT_UNDER_TEST},
		{"kernel.cmdline", FACT_UNDER_TEST},
		{"device.serial", FACT_NOTE},
		{"device.firmware", FACT_NOTE},
		{"host.name", FACT_NOTE},
		{"label.adapter", FACT_NOTE},
		{"device.modelx", FACT_NOTE},
		{"linkage", FACT_NOTE},
		/* of the total over all targets */
		{"two:device.model", FACT_MUST_MATCH},
		{"link:link.speed", FACT_MUST_MATCH},
		{"device:host.name", FACT_NOTE},
		{"two:device.serial", FACT_NOTE},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		if (fact_class_of(NULL, cases[i].key) != cases[i].cls)
			fail_msg("%s", cases[i].key);
}

static void test_rules(void **state)
{
	struct compare_rules c = {0};

	(void)state;
	*VEC_PUSH(&c.under_test) = "device";
	*VEC_PUSH(&c.under_test) = "label.adapter";
	*VEC_PUSH(&c.must_match) = "device.firmware";
	*VEC_PUSH(&c.must_match) = "host.name";
	*VEC_PUSH(&c.note) = "power.source";
	*VEC_PUSH(&c.note) = "host.name";
	assert_int_equal(fact_class_of(&c, "device.model"), FACT_UNDER_TEST);
	assert_int_equal(fact_class_of(&c, "device.firmware"),
			 FACT_MUST_MATCH);                                 /* the longer rule */
	assert_int_equal(fact_class_of(&c, "host.name"), FACT_MUST_MATCH); /* the stricter class */
	assert_int_equal(fact_class_of(&c, "power.source"), FACT_NOTE);
	assert_int_equal(fact_class_of(&c, "label.adapter"), FACT_UNDER_TEST);
	assert_int_equal(fact_class_of(&c, "cpu.model"), FACT_MUST_MATCH);
	assert_int_equal(fact_class_of(&c, "two:label.adapter"), FACT_UNDER_TEST);
	assert_int_equal(fact_class_of(&c, "two:device.firmware"), FACT_MUST_MATCH);
	VEC_RELEASE(&c.under_test);
	VEC_RELEASE(&c.must_match);
	VEC_RELEASE(&c.note);
}

/* A change of the new result, and what becomes of the gate. */
struct difference {
	const char *key, *then, *now; /* NULL = unreadable, "-" = absent */
	bool host;
	enum verdict_kind kind;
	const char *text;
};

static const struct difference differences[] = {
	{"device.model", "A", "B", false, VERDICT_INCOMPARABLE, "device.model A -> B"},
	{"link", "8.0 GT/s x4", "5.0 GT/s x1", false, VERDICT_INCOMPARABLE,
	 "link 8.0 GT/s x4 -> 5.0 GT/s x1"},
	{"device.write_cache", "write back", "write through", false, VERDICT_INCOMPARABLE,
	 "write through"},
	{"cgroup.limit", "-", "riops=1000", true, VERDICT_INCOMPARABLE, "absent -> riops=1000"},
	{"cgroup.limit", NULL, "none", true, VERDICT_INCOMPARABLE,
	 "unreadable (Permission denied) -> none"},
	{"cgroup.limit", "none", NULL, true, VERDICT_INCOMPARABLE, "none -> unreadable"},
	{"cgroup.limit", NULL, NULL, true, VERDICT_INCOMPARABLE, "unreadable"},
	{"cgroup.limit", "-", "-", true, VERDICT_PASS, "nothing under test changed"},
	{"cpu.model", "A", "B", true, VERDICT_INCOMPARABLE, "cpu.model A -> B"},
	/* gate-host-1: the host is a note */
	{"host.name", "a", "b", true, VERDICT_PASS, "host.name a -> b (note)"},
	{"device.serial", "S1", "S2", false, VERDICT_PASS, "device.serial S1 -> S2 (note)"},
	{"kernel.release", "6.12.8", "6.12.9", true, VERDICT_PASS,
	 "kernel.release 6.12.8 -> 6.12.9 (under test)"},
	{"kernel.cmdline", NULL, NULL, true, VERDICT_PASS, "nothing under test changed"},
	{"boot.id", "x", "y", true, VERDICT_PASS, "nothing under test changed"},
};

static const struct difference *difference_then;

static void set_fact(struct result *r, const struct difference *d, const char *value)
{
	struct facts *f = d->host ? &r->host : &r->targets[0].facts;

	if (value && strcmp(value, "-") == 0)
		return; /* none of these keys is among the lab's own */
	facts_set(f, &r->arena, d->key, value, value ? NULL : "Permission denied");
}

static void as_then(struct result *r, unsigned i)
{
	(void)i;
	set_fact(r, difference_then, difference_then->then);
}

static void test_differences(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(differences) / sizeof(differences[0]); i++) {
		const struct difference *d = &differences[i];
		struct baseline b;
		struct result r;
		const struct verdict *v;

		difference_then = d;
		lab_baseline(&b, 10, 100000, as_then);
		lab_simple(&r, 40, 100000);
		set_fact(&r, d, d->now);
		/* incomparable is never excused by a policy */
		r.policy.no_baseline = NO_BASELINE_WARN;
		lab_judge(&r, &b);
		v = lab_verdict(&r, 0, 0);
		lab_expect(v, d->kind, d->kind == VERDICT_PASS ? STATUS_PASS : STATUS_NO_BASELINE,
			   d->kind == VERDICT_PASS ? JUNIT_CASE : JUNIT_ERROR);
		lab_contains(v->text, d->text);
		result_release(&r);
		baseline_release(&b);
	}
}

static void test_compare_words(void **state)
{
	struct baseline b;
	struct result r;

	(void)state;
	difference_then = &differences[0];
	lab_baseline(&b, 10, 100000, as_then);
	/* the drive is what is tested: under_test makes it comparable and says so */
	lab_simple(&r, 40, 100000);
	set_fact(&r, &differences[0], "B");
	*VEC_PUSH(&r.compare.under_test) = "device.model";
	lab_judge(&r, &b);
	lab_expect(lab_verdict(&r, 0, 0), VERDICT_PASS, STATUS_PASS, JUNIT_CASE);
	lab_contains(lab_verdict(&r, 0, 0)->text, "device.model A -> B (under test)");
	/* a label that must match */
	set_fact(&r, &differences[0], "A");
	lab_fact(&r, "label.adapter", "x");
	*VEC_PUSH(&r.compare.must_match) = "label.adapter";
	lab_judge(&r, &b);
	lab_expect(lab_verdict(&r, 0, 0), VERDICT_INCOMPARABLE, STATUS_NO_BASELINE, JUNIT_ERROR);
	lab_contains(lab_verdict(&r, 0, 0)->text, "label.adapter absent -> x");
	result_release(&r);
	baseline_release(&b);
}

static void other_host_last(struct result *r, unsigned i)
{
	if (i != 9)
		return;
	lab_fact(r, "cpu.model", "Other CPU");
	for (size_t k = 0; k < r->runs.n; k++)
		lab_rate(&r->runs.v[k].out, 300000);
}

/* gate-host-1: the newest stored run came from another CPU and is an outlier. */
static void test_stray_session(void **state)
{
	struct baseline b;
	struct result r;
	const struct verdict *v;

	(void)state;
	lab_baseline(&b, 10, 100000, other_host_last);
	lab_simple(&r, 40, 100000);
	lab_judge(&r, &b);
	v = lab_verdict(&r, 0, 0);
	lab_expect(v, VERDICT_PASS, STATUS_PASS, JUNIT_CASE);
	assert_int_equal(v->base_sessions, 9);
	lab_contains(v->text, "1 incomparable session of the baseline left out");
	result_release(&r);
	baseline_release(&b);
}

static void test_job_text(void **state)
{
	struct baseline b;
	struct result r;

	(void)state;
	lab_baseline(&b, 10, 100000, NULL);
	lab_simple(&r, 40, 100000);
	r.jobs[0].iodepth = 64;
	lab_judge(&r, &b);
	lab_expect(lab_verdict(&r, 0, 0), VERDICT_INCOMPARABLE, STATUS_NO_BASELINE, JUNIT_ERROR);
	lab_contains(lab_verdict(&r, 0, 0)->text, "iodepth 32 -> 64");
	r.jobs[0].iodepth = 32;
	r.measurement_version++;
	lab_judge(&r, &b);
	lab_expect(lab_verdict(&r, 0, 0), VERDICT_INCOMPARABLE, STATUS_NO_BASELINE, JUNIT_ERROR);
	lab_contains(lab_verdict(&r, 0, 0)->text, "measurement version");
	result_release(&r);
	/* medians of three and of five runs are not exchangeable */
	lab_init(&r, 40);
	lab_job(&r, "rand-4k")->runs = 3;
	lab_gate(&r, 0, "read.iops", .05);
	lab_runs(&r, 0, lab_session(&r), 100000);
	lab_judge(&r, &b);
	lab_expect(lab_verdict(&r, 0, 0), VERDICT_INCOMPARABLE, STATUS_NO_BASELINE, JUNIT_ERROR);
	lab_contains(lab_verdict(&r, 0, 0)->text, "runs of a session 5 -> 3");
	result_release(&r);
	baseline_release(&b);
}

static void test_blocks(void **state)
{
	const struct boot_time t[] = {
		{"a", 0},    {"a", 3600}, {"b", 4000}, {"a", 6 * 3600}, {"a", 6 * 3600 + 1},
		{NULL, 100}, {NULL, 100}, {"b", 4001}, {"a", 7 * 3600},
	};
	const uint32_t want[] = {0, 0, 1, 0, 2, 2, 2, 1, 2};
	/* nobody knows, in seconds of each other; then one is known, and another one is another */
	const struct boot_time unknown[] = {{NULL, 0},  {NULL, 5},  {NULL, 10},
					    {"a", 15},  {NULL, 20}, {"b", 25},
					    {NULL, 30}, {"a", 35},  {NULL, 7 * 3600}};
	const uint32_t few[] = {0, 0, 0, 0, 0, 1, 1, 0, 2};
	uint32_t block[9];

	(void)state;
	assert_int_equal(blocks_assign(t, 9, block), 3);
	for (unsigned i = 0; i < 9; i++)
		assert_int_equal(block[i], want[i]);
	assert_int_equal(blocks_assign(unknown, 9, block), 3);
	for (unsigned i = 0; i < 9; i++)
		assert_int_equal(block[i], few[i]);
	assert_int_equal(blocks_assign(NULL, 0, block), 0);
}

static bool among(const char *const *v, size_t n, const char *key)
{
	for (size_t i = 0; i < n; i++)
		if (strcmp(v[i], key) == 0)
			return true;
	return false;
}

/* Of all facts there are only these must match unless the suite says so: a new one that did would
 * make every stored baseline incomparable. */
static void test_class_of_every_fact(void **state)
{
	static const char *const must[] = {
		"device.model",       "device.capacity", "device.lba_format", "device.transport",
		"device.write_cache", "fs.type",         "fs.options",        "cpu.model",
		"cgroup.limit",       "power.source",    "device.scheduler",  "link",
		"link.speed",         "link.width",      "link.max_speed",    "link.max_width",
		"link.port",          "link.bandwidth"};
	static const char *const tested[] = {"kernel.release", "kernel.cmdline"};

	(void)state;
	for (size_t i = 0; i < fact_word_count; i++) {
		enum fact_class want = among(must, 18, fact_words[i])    ? FACT_MUST_MATCH
				       : among(tested, 2, fact_words[i]) ? FACT_UNDER_TEST
									 : FACT_NOTE;

		if (fact_class_of(NULL, fact_words[i]) != want)
			fail_msg("%s", fact_words[i]);
	}
}

/* Each of them, once it must match: unreadable on either side or on both, and absent on one, is a
 * difference; of an unreadable one the reason is said. */
static void test_every_fact_can_be_unreadable(void **state)
{
	/* NULL = unreadable, "-" = absent */
	static const struct {
		const char *then, *now;
		unsigned differences;
	} cases[] = {{"a", "a", 0},   {"a", "b", 1}, {NULL, "a", 1}, {"a", NULL, 1},
		     {NULL, NULL, 1}, {"-", "a", 1}, {"a", "-", 1},  {"-", "-", 0}};

	(void)state;
	for (size_t i = 0; i < fact_word_count; i++) {
		for (size_t k = 0; k < sizeof(cases) / sizeof(*cases); k++) {
			const char *values[2] = {cases[k].then, cases[k].now};
			struct compare_rules c = {0};
			struct facts f[2];
			struct arena a;
			struct str s;

			arena_init(&a);
			str_init(&s);
			*VEC_PUSH(&c.must_match) = fact_words[i];
			for (unsigned x = 0; x < 2; x++) {
				facts_init(&f[x]);
				if (!values[x] || strcmp(values[x], "-") != 0)
					facts_set(&f[x], &a, fact_words[i], values[x], "no right");
			}
			assert_int_equal(comparable_differences(&c, (struct fact_side){&f[0], NULL},
								(struct fact_side){NULL, &f[1]},
								&s),
					 cases[k].differences);
			if (!values[0] || !values[1])
				lab_contains(s.s, "unreadable (no right)");
			for (unsigned x = 0; x < 2; x++)
				facts_release(&f[x]);
			VEC_RELEASE(&c.must_match);
			str_release(&s);
			arena_release(&a);
		}
	}
}

/* A baseline of a version that read less: what it lacks does not push real changes out of the four
 * notes. */
static void test_facts_of_an_older_version(void **state)
{
	static const char *const newer[] = {"cpu.smt", "cpu.turbo", "device.driver", "device.eui"};
	struct facts then, now;
	struct arena a;
	struct str s;

	(void)state;
	arena_init(&a);
	str_init(&s);
	facts_init(&then);
	facts_init(&now);
	facts_set(&then, &a, "host.bios", "1.0", NULL);
	facts_set(&now, &a, "host.bios", "1.1", NULL);
	for (size_t i = 0; i < 4; i++)
		facts_set(&now, &a, newer[i], "x", NULL);
	comparable_changes(NULL, (struct fact_side){&then, NULL}, (struct fact_side){&now, NULL},
			   &s);
	lab_contains(s.s, "nothing under test changed; host.bios 1.0 -> 1.1 (note); cpu.smt "
			  "absent -> x (note)");
	lab_contains(s.s, "; 1 more notes");
	str_clear(&s);
	assert_int_equal(comparable_differences(NULL, (struct fact_side){&then, NULL},
						(struct fact_side){&now, NULL}, &s),
			 0);
	facts_release(&now);
	facts_release(&then);
	str_release(&s);
	arena_release(&a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_classes),
		cmocka_unit_test(test_rules),
		cmocka_unit_test(test_differences),
		cmocka_unit_test(test_compare_words),
		cmocka_unit_test(test_stray_session),
		cmocka_unit_test(test_job_text),
		cmocka_unit_test(test_blocks),
		cmocka_unit_test(test_class_of_every_fact),
		cmocka_unit_test(test_every_fact_can_be_unreadable),
		cmocka_unit_test(test_facts_of_an_older_version),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
