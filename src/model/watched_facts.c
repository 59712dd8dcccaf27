/* SPDX-License-Identifier: GPL-2.0-or-later */
/* model/watched_facts: what was watched, as facts for a condition and as a line for people. */
#include "model/watched.h"

#include <inttypes.h>
#include <math.h>

/* "8 GT/s" in thousandths: 8000; 0 = no number. */
static int64_t thousandths(const char *text)
{
	uint64_t whole = 0, part = 0;
	unsigned digits = 0;

	if (!text || !str_take_u64(&text, &whole) || whole > 1000000)
		return 0;
	if (*text == '.')
		for (text++; c_isdigit(*text) && digits < 3; text++, digits++)
			part = part * 10 + (uint64_t)(*text - '0');
	for (; digits < 3; digits++)
		part *= 10;
	return (int64_t)(whole * 1000 + part);
}

/* What stands behind the number of a speed: "GT/s". */
static const char *speed_unit(const struct facts *target)
{
	const char *v = facts_value(target, "link.max_speed");

	while (v && (c_isdigit(*v) || *v == '.'))
		v++;
	return v && *v == ' ' ? v + 1 : "GT/s";
}

int watched_link_full(const struct facts *target, int64_t speed, int64_t width)
{
	int64_t max_speed = thousandths(facts_value(target, "link.max_speed"));
	int64_t max_width = thousandths(facts_value(target, "link.max_width")) / 1000;
	bool sata = !facts_find(target, "link.max_width"); /* it has one lane and says nothing */

	if (!max_speed || !(max_width || sata))
		return -1;
	return speed >= max_speed && (sata || width >= max_width);
}

static void link_facts_of(const struct facts *target, struct facts *f, struct arena *a,
			  int64_t speed, int64_t width)
{
	int full = watched_link_full(target, speed, width);

	facts_set(f, a, "link.speed",
		  arena_printf(a, "%g %s", (double)speed / 1000, speed_unit(target)), NULL);
	facts_set(f, a, "link.width", arena_printf(a, "%" PRId64, width), NULL);
	facts_set(f, a, "link",
		  full < 0 ? NULL
		  : full   ? "full"
			   : "downgraded",
		  "the device states no maximum");
}

static void link_seen(const struct watched *w, const struct facts *target, struct facts *low,
		      struct facts *high, struct arena *a)
{
	const struct watched_series *speed = &w->of[WATCHED_LINK_SPEED];
	const struct watched_series *width = &w->of[WATCHED_LINK_WIDTH];
	static const char *const keys[] = {"link", "link.speed", "link.width"};
	const char *why = speed->state == WATCHED_UNKNOWN ? speed->why : width->why;

	if (speed->state == WATCHED_NONE)
		return;
	if (speed->state == WATCHED_KNOWN && width->state == WATCHED_KNOWN) {
		link_facts_of(target, low, a, speed->min, width->min);
		link_facts_of(target, high, a, speed->max, width->max);
		return;
	}
	for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++) {
		facts_set(low, a, keys[i], NULL, why);
		facts_set(high, a, keys[i], NULL, why);
	}
}

static void number_seen(const struct watched *w, enum watched_key key, const char *name,
			const char *unit, struct facts *low, struct facts *high, struct arena *a)
{
	const struct watched_series *s = &w->of[key];

	if (s->state == WATCHED_NONE)
		return;
	if (s->state == WATCHED_UNKNOWN) {
		facts_set(low, a, name, NULL, s->why);
		facts_set(high, a, name, NULL, s->why);
		return;
	}
	facts_set(low, a, name, arena_printf(a, "%" PRId64 "%s", s->min, unit), NULL);
	facts_set(high, a, name, arena_printf(a, "%" PRId64 "%s", s->max, unit), NULL);
}

static void counter_seen(const struct watched *w, enum watched_key key, struct facts *f,
			 struct arena *a)
{
	const struct watched_series *s = &w->of[key];
	const char *name = watched_items[key].key, *grown;

	if (s->state == WATCHED_NONE)
		return;
	grown = arena_printf(a, "%s.new", name);
	facts_set(f, a, name,
		  s->state == WATCHED_KNOWN ? arena_printf(a, "%" PRId64, s->last) : NULL, s->why);
	facts_set(f, a, grown,
		  s->state == WATCHED_KNOWN ? arena_printf(a, "%" PRId64, watched_growth(w, key))
					    : NULL,
		  s->why);
}

static void log_seen(const struct watched *w, struct facts *f, struct arena *a)
{
	const struct watched_series *s = &w->of[WATCHED_KERNEL_LOG];

	if (s->state == WATCHED_UNKNOWN)
		facts_set(f, a, "kernel_log", NULL, s->why);
	else if (s->state == WATCHED_KNOWN && s->last == 0)
		facts_set(f, a, "kernel_log", "clean", NULL);
	else if (s->state == WATCHED_KNOWN)
		facts_set(f, a, "kernel_log",
			  arena_printf(a, "%" PRId64 " line%s: %s", s->last,
				       s->last == 1 ? "" : "s", w->line ? w->line : ""),
			  NULL);
}

/* "yes" with which counters is not put into the value: it is compared. */
static void throttled_seen(const struct watched *w, struct facts *f, struct arena *a)
{
	struct str how;

	str_init(&how);
	if (watched_throttling_known(w))
		facts_set(f, a, "throttled", watched_throttled(w, &how) ? "yes" : "no", NULL);
	else if (w->of[WATCHED_THERMAL_1_TIME].state == WATCHED_UNKNOWN)
		facts_set(f, a, "throttled", NULL, w->of[WATCHED_THERMAL_1_TIME].why);
	if (w->of[WATCHED_CPU_THROTTLE].state == WATCHED_KNOWN)
		facts_set(f, a, "cpu.throttled",
			  watched_growth(w, WATCHED_CPU_THROTTLE) ? "yes" : "no", NULL);
	str_release(&how);
}

static void other_seen(const struct watched *w, struct facts *f, struct arena *a)
{
	double share = watched_other_io(w);
	const struct watched_series *s = &w->of[WATCHED_OTHER_BYTES];

	if (s->state == WATCHED_UNKNOWN)
		facts_set(f, a, "other_io", NULL, s->why);
	else if (!isnan(share))
		facts_set(f, a, "other_io", arena_printf(a, "%.2f%%", share * 100), NULL);
}

void watched_facts(const struct watched *w, const struct facts *target, struct facts *low,
		   struct facts *high, struct arena *a)
{
	link_seen(w, target, low, high, a);
	number_seen(w, WATCHED_TEMPERATURE, "temperature", "C", low, high, a);
	number_seen(w, WATCHED_CRITICAL_WARNING, "health.critical_warning", "", low, high, a);
	for (enum watched_key k = 0; k < WATCHED_COUNT; k++)
		if (watched_items[k].counter)
			counter_seen(w, k, high, a);
	log_seen(w, high, a);
	throttled_seen(w, high, a);
	other_seen(w, high, a);
}
