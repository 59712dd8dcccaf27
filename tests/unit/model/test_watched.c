/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What was watched during a run: looks, documents, facts and words of it. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include "sample.h"

struct place {
	struct arena arena;
	struct facts target;
	struct watched w;
};

static void place_open(struct place *p)
{
	*p = (struct place){0};
	arena_init(&p->arena);
	facts_init(&p->target);
	facts_set(&p->target, &p->arena, "link.max_speed", "8 GT/s", NULL);
	facts_set(&p->target, &p->arena, "link.max_width", "4", NULL);
}

static void place_close(struct place *p)
{
	facts_release(&p->target);
	arena_release(&p->arena);
}

/* A quiet run on a drive at its full link. */
static void quiet(struct watched *w)
{
	for (int i = 0; i < 3; i++) {
		watched_see(w, WATCHED_LINK_SPEED, 8000);
		watched_see(w, WATCHED_LINK_WIDTH, 4);
	}
	watched_see(w, WATCHED_TEMPERATURE, 46);
	watched_see(w, WATCHED_TEMPERATURE, 46);
	for (enum watched_key k = WATCHED_CRITICAL_WARNING; k <= WATCHED_CRITICAL_TEMP_TIME; k++) {
		watched_see(w, k, 7);
		watched_see(w, k, 7);
	}
	watched_see(w, WATCHED_KERNEL_LOG, 0);
	watched_see(w, WATCHED_DEVICE_BYTES, 1000000);
	watched_see(w, WATCHED_OTHER_BYTES, 9999);
}

static void looks_add_up(void **state)
{
	struct place p;
	const struct watched_series *s = &p.w.of[WATCHED_TEMPERATURE];
	struct str how;

	(void)state;
	place_open(&p);
	str_init(&how);
	assert_int_equal(watched_growth(&p.w, WATCHED_MEDIA_ERRORS), 0);
	assert_false(watched_throttling_known(&p.w));
	assert_true(isnan(watched_other_io(&p.w)));
	watched_see(&p.w, WATCHED_TEMPERATURE, 45);
	watched_see(&p.w, WATCHED_TEMPERATURE, 84);
	watched_see(&p.w, WATCHED_TEMPERATURE, -2);
	watched_see(&p.w, WATCHED_TEMPERATURE, 50);
	assert_int_equal(s->n, 4);
	assert_int_equal(s->first, 45);
	assert_int_equal(s->min, -2);
	assert_int_equal(s->max, 84);
	assert_int_equal(s->last, 50);
	/* missed once is not known for good */
	watched_miss(&p.w, &p.arena, WATCHED_TEMPERATURE, "it went away");
	watched_see(&p.w, WATCHED_TEMPERATURE, 45);
	assert_int_equal(s->state, WATCHED_UNKNOWN);
	assert_string_equal(s->why, "it went away");
	watched_see(&p.w, WATCHED_THERMAL_1_TIME, 10);
	watched_see(&p.w, WATCHED_THERMAL_1_TIME, 10);
	assert_true(watched_throttling_known(&p.w));
	assert_false(watched_throttled(&p.w, &how));
	watched_see(&p.w, WATCHED_THERMAL_1_TIME, 13);
	watched_see(&p.w, WATCHED_WARNING_TEMP_TIME, 1);
	watched_see(&p.w, WATCHED_WARNING_TEMP_TIME, 2);
	assert_true(watched_throttled(&p.w, &how));
	assert_string_equal(how.s, "health.thermal_1_time +3, health.warning_temp_time +1");
	/* a counter that fell was reset meanwhile, and counts again from 0 */
	watched_see(&p.w, WATCHED_PCIE_FATAL, 9);
	watched_see(&p.w, WATCHED_PCIE_FATAL, 0);
	assert_int_equal(watched_growth(&p.w, WATCHED_PCIE_FATAL), 1);
	str_release(&how);
	place_close(&p);
}

static void series_as_text(void **state)
{
	static const char *const bad[] = {"",           "1",         "1 2 3 4",    "1 2 3 4 5 6",
					  "0 1 1 1 1",  "1 5 6 7 5", "1 5 1 4 5",  "1 a 1 1 1",
					  "1  1 1 1 1", "1 1 1 1 -", "-1 1 1 1 1", "1 1 1 1 1 "};
	struct watched_series s = {WATCHED_KNOWN, 4, 45, -2, 84, 50, NULL}, back;
	struct str text;

	(void)state;
	str_init(&text);
	watched_format(&s, false, &text);
	assert_string_equal(text.s, "4 45 -2 84 50");
	assert_int_equal(watched_parse(text.s, false, &back), 0);
	assert_memory_equal(&back, &s, sizeof(s));
	str_clear(&text);
	s = (struct watched_series){WATCHED_KNOWN, 2, 7, 7, 9, 9, NULL};
	watched_format(&s, true, &text);
	assert_string_equal(text.s, "2 7 9");
	assert_int_equal(watched_parse(text.s, true, &back), 0);
	assert_memory_equal(&back, &s, sizeof(s));
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		assert_int_equal(watched_parse(bad[i], false, &back), -1);
	assert_int_equal(watched_parse("2 7 9 9", true, &back), -1);
	str_release(&text);
}

static struct result with_watched(const struct watched *w)
{
	struct result r;

	sample_result(&r);
	r.runs.v[0].watched = watched_copy(w, &r.arena);
	return r;
}

static void a_document_keeps_it(void **state)
{
	struct place p;
	struct result r, back;
	struct err e = ERR_INIT;
	char *text, *again;

	(void)state;
	place_open(&p);
	quiet(&p.w);
	watched_miss(&p.w, &p.arena, WATCHED_KERNEL_LOG, "may not be read");
	watched_see(&p.w, WATCHED_MEDIA_ERRORS, 8);
	p.w.line = "I/O error";
	p.w.cost = 12345;
	r = with_watched(&p.w);
	text = sample_text(&r, false);
	if (result_parse(text, strlen(text), "r.json", &back, &e))
		fail_msg("%s", e.text);
	again = sample_text(&back, false);
	assert_string_equal(again, text);
	assert_non_null(back.runs.v[0].watched);
	assert_null(back.runs.v[1].watched);
	for (size_t k = 0; k < WATCHED_COUNT; k++) {
		const struct watched_series *x = &back.runs.v[0].watched->of[k], *y = &p.w.of[k];

		assert_int_equal(x->state, y->state);
		assert_int_equal(x->n, y->n);
		assert_int_equal(x->first, y->first);
		assert_int_equal(x->min, y->min);
		assert_int_equal(x->max, y->max);
		assert_int_equal(x->last, y->last);
	}
	assert_int_equal(watched_growth(back.runs.v[0].watched, WATCHED_MEDIA_ERRORS), 1);
	assert_string_equal(back.runs.v[0].watched->of[WATCHED_KERNEL_LOG].why, "may not be read");
	assert_int_equal(back.runs.v[0].watched->cost, 12345);
	free(again);
	free(text);
	result_release(&back);
	result_release(&r);
	place_close(&p);
}

/* A document in which one text stands in the place of another must be refused, with that word. */
static void refused(const char *text, const char *from, const char *to, const char *part)
{
	const char *at = strstr(text, from);
	struct err e = ERR_INIT;
	struct result back;
	char *changed;

	assert_non_null(at);
	changed = xasprintf("%.*s%s%s", (int)(at - text), text, to, at + strlen(from));
	assert_int_equal(result_parse(changed, strlen(changed), "r.json", &back, &e), ERR_DATA);
	if (!strstr(e.text, part))
		fail_msg("'%s' does not hold '%s'", e.text, part);
	free(changed);
}

static void damaged_documents(void **state)
{
	struct place p;
	struct result r;
	char *text;

	(void)state;
	place_open(&p);
	quiet(&p.w);
	r = with_watched(&p.w);
	text = sample_text(&r, false);
	refused(text, "\"2 46 46 46 46\"", "\"2 46 47 46 46\"", "temperature");
	refused(text, "\"2 46 46 46 46\"", "46", "temperature");
	refused(text, "\"2 7 7\"", "\"2 7\"", "health.media_errors");
	/* more of others than the disk moved */
	refused(text, "\"1 9999 9999 9999 9999\"", "\"1 2000000 2000000 2000000 2000000\"",
		"device.other_bytes");
	refused(text, "\"watched\": {", "\"watched\": {\"unknown\": {\"temperature\": \"x\"}, ",
		"is known and unknown");
	free(text);
	result_release(&r);
	place_close(&p);
}

static void fact_is(const struct facts *f, const char *key, const char *want)
{
	const struct fact *x = facts_find(f, key);

	if (!x || !str_eq(x->value, want))
		fail_msg("%s is '%s', not '%s'", key, x && x->value ? x->value : "unknown", want);
}

static void facts_of_a_run(void **state)
{
	struct place p;
	struct facts low, high;

	(void)state;
	place_open(&p);
	facts_init(&low);
	facts_init(&high);
	quiet(&p.w);
	watched_facts(&p.w, &p.target, &low, &high, &p.arena);
	fact_is(&low, "link", "full");
	fact_is(&low, "link.speed", "8 GT/s");
	fact_is(&high, "kernel_log", "clean");
	fact_is(&high, "throttled", "no");
	fact_is(&high, "other_io", "1.00%");
	fact_is(&high, "health.media_errors", "7");
	fact_is(&high, "health.media_errors.new", "0");
	assert_null(facts_find(&high, "pcie.fatal.new"));
	assert_null(facts_find(&high, "cpu.throttled"));
	/* one look in between at which the link was x1 */
	watched_see(&p.w, WATCHED_LINK_WIDTH, 1);
	watched_see(&p.w, WATCHED_LINK_WIDTH, 4);
	watched_see(&p.w, WATCHED_TEMPERATURE, 84);
	watched_see(&p.w, WATCHED_KERNEL_LOG, 2);
	p.w.line = "ata3: hard resetting link";
	watched_see(&p.w, WATCHED_THERMAL_2_TRANSITIONS, 8);
	watched_see(&p.w, WATCHED_CPU_THROTTLE, 1);
	watched_facts(&p.w, &p.target, &low, &high, &p.arena);
	fact_is(&low, "link", "downgraded");
	fact_is(&low, "link.width", "1");
	fact_is(&high, "link", "full");
	fact_is(&low, "temperature", "46C");
	fact_is(&high, "temperature", "84C");
	fact_is(&high, "kernel_log", "2 lines: ata3: hard resetting link");
	fact_is(&high, "throttled", "yes");
	fact_is(&high, "cpu.throttled", "no");
	/* 2.5 GT/s of a card that can do 2.5 */
	facts_set(&p.target, &p.arena, "link.max_speed", "2.5 GT/s", NULL);
	p.w.of[WATCHED_LINK_SPEED] = (struct watched_series){0};
	watched_see(&p.w, WATCHED_LINK_SPEED, 2500);
	watched_facts(&p.w, &p.target, &low, &high, &p.arena);
	fact_is(&high, "link", "full");
	fact_is(&low, "link.speed", "2.5 GT/s");
	watched_miss(&p.w, &p.arena, WATCHED_LINK_SPEED, "gone");
	watched_facts(&p.w, &p.target, &low, &high, &p.arena);
	assert_null(facts_value(&low, "link"));
	assert_string_equal(facts_find(&low, "link")->why, "gone");
	facts_release(&low);
	facts_release(&high);
	place_close(&p);
}

static void words(const struct place *p, const struct watched *second, const char *excluded,
		  const char *seen, const char *unknown)
{
	const struct watched *v[2] = {&p->w, second};
	struct watched_words x;

	watched_words_init(&x);
	watched_summary(v, second ? 2 : 1, &p->target, &x);
	assert_string_equal(x.excluded.s, excluded);
	assert_string_equal(x.seen.s, seen);
	assert_string_equal(x.unknown.s, unknown);
	watched_words_release(&x);
}

static void words_of_runs(void **state)
{
	struct place p;
	struct watched second = {0}, blind = {0};

	(void)state;
	place_open(&p);
	/* nobody looked: nothing is claimed */
	words(&p, NULL, "", "", "");
	quiet(&p.w);
	words(&p, NULL,
	      "link 8 GT/s x4 under load, 46 C, no throttling, kernel log clean, no other I/O", "",
	      "");
	quiet(&second);
	watched_see(&second, WATCHED_TEMPERATURE, 51);
	watched_see(&second, WATCHED_LINK_WIDTH, 2);
	watched_see(&second, WATCHED_THERMAL_1_TRANSITIONS, 9);
	watched_see(&second, WATCHED_KERNEL_LOG, 1);
	second.line = "I/O error";
	watched_see(&second, WATCHED_MEDIA_ERRORS, 8);
	watched_see(&second, WATCHED_OTHER_BYTES, 120000);
	words(&p, &second, "46..51 C",
	      "link 8 GT/s x2 at the least under load where it can do 8 GT/s x4, throttled "
	      "(health.thermal_1_transitions "
	      "+2), "
	      "kernel log 1 line: I/O error, other I/O up to 12 %, health.media_errors +1",
	      "");
	/* below its maximum in every run alike */
	second.of[WATCHED_LINK_WIDTH].max = second.of[WATCHED_LINK_WIDTH].min = 1;
	second.of[WATCHED_THERMAL_1_TRANSITIONS].last = 7;
	second.of[WATCHED_KERNEL_LOG].last = 0;
	second.of[WATCHED_MEDIA_ERRORS].last = 7;
	second.of[WATCHED_OTHER_BYTES].last = 0;
	p.w = second;
	words(&p, NULL, "46..51 C, no throttling, kernel log clean, no other I/O",
	      "link 8 GT/s x1 under load where it can do 8 GT/s x4", "");
	/* known of one run only is not known of both */
	watched_miss(&blind, &p.arena, WATCHED_KERNEL_LOG, "may not be read");
	words(&p, &blind, "", "",
	      "link under load (not looked at in every run), temperature (not looked at in every "
	      "run), throttling (not looked at in every run), kernel log (may not be read), other "
	      "I/O (not looked at in every run)");
	place_close(&p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(looks_add_up),        cmocka_unit_test(series_as_text),
		cmocka_unit_test(a_document_keeps_it), cmocka_unit_test(damaged_documents),
		cmocka_unit_test(facts_of_a_run),      cmocka_unit_test(words_of_runs),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
