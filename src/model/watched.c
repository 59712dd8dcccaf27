/* SPDX-License-Identifier: GPL-2.0-or-later */
/* model/watched: looks added up, what they come to, and their text. */
#include "model/watched.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

const struct watched_item watched_items[WATCHED_COUNT] = {
	[WATCHED_TEMPERATURE] = {"temperature", false},
	[WATCHED_LINK_SPEED] = {"link.speed", false},
	[WATCHED_LINK_WIDTH] = {"link.width", false},
	[WATCHED_CRITICAL_WARNING] = {"health.critical_warning", false},
	[WATCHED_MEDIA_ERRORS] = {"health.media_errors", true},
	[WATCHED_ERROR_LOG] = {"health.error_log_entries", true},
	[WATCHED_THERMAL_1_TRANSITIONS] = {"health.thermal_1_transitions", true},
	[WATCHED_THERMAL_2_TRANSITIONS] = {"health.thermal_2_transitions", true},
	[WATCHED_THERMAL_1_TIME] = {"health.thermal_1_time", true},
	[WATCHED_THERMAL_2_TIME] = {"health.thermal_2_time", true},
	[WATCHED_WARNING_TEMP_TIME] = {"health.warning_temp_time", true},
	[WATCHED_CRITICAL_TEMP_TIME] = {"health.critical_temp_time", true},
	[WATCHED_IO_ERRORS] = {"device.io_errors", true},
	[WATCHED_PCIE_CORRECTABLE] = {"pcie.correctable", true},
	[WATCHED_PCIE_NONFATAL] = {"pcie.nonfatal", true},
	[WATCHED_PCIE_FATAL] = {"pcie.fatal", true},
	[WATCHED_CPU_THROTTLE] = {"cpu.throttle_count", true},
	[WATCHED_KERNEL_LOG] = {"kernel_log.lines", false},
	[WATCHED_DEVICE_BYTES] = {"device.bytes", false},
	[WATCHED_OTHER_BYTES] = {"device.other_bytes", false},
};

/* The device's own account of having been too hot (NVMe base specification, SMART log). */
static const enum watched_key thermal[] = {
	WATCHED_THERMAL_1_TRANSITIONS, WATCHED_THERMAL_2_TRANSITIONS, WATCHED_THERMAL_1_TIME,
	WATCHED_THERMAL_2_TIME,        WATCHED_WARNING_TEMP_TIME,     WATCHED_CRITICAL_TEMP_TIME,
};
#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

void watched_see(struct watched *w, enum watched_key key, int64_t value)
{
	struct watched_series *s = &w->of[key];

	if (s->state == WATCHED_UNKNOWN)
		return;
	if (s->n++ == 0)
		s->first = s->min = s->max = value;
	s->state = WATCHED_KNOWN;
	s->last = value;
	if (value < s->min)
		s->min = value;
	if (value > s->max)
		s->max = value;
}

void watched_miss(struct watched *w, struct arena *a, enum watched_key key, const char *why)
{
	if (w->of[key].state == WATCHED_UNKNOWN)
		return;
	w->of[key] = (struct watched_series){
		.state = WATCHED_UNKNOWN, .why = arena_strdup(a, why && *why ? why : "not read")};
}

int64_t watched_growth(const struct watched *w, enum watched_key key)
{
	const struct watched_series *s = &w->of[key];

	if (s->state != WATCHED_KNOWN)
		return 0;
	return s->last >= s->first ? s->last - s->first : s->last + 1;
}

bool watched_throttled(const struct watched *w, struct str *how)
{
	bool moved = false;

	for (size_t i = 0; i < COUNT(thermal); i++) {
		int64_t n = watched_growth(w, thermal[i]);

		if (n <= 0)
			continue;
		str_addf(how, "%s%s +%" PRId64, moved ? ", " : "", watched_items[thermal[i]].key,
			 n);
		moved = true;
	}
	return moved;
}

bool watched_throttling_known(const struct watched *w)
{
	for (size_t i = 0; i < COUNT(thermal); i++)
		if (w->of[thermal[i]].state == WATCHED_KNOWN)
			return true;
	return false;
}

double watched_other_io(const struct watched *w)
{
	const struct watched_series *all = &w->of[WATCHED_DEVICE_BYTES];
	const struct watched_series *other = &w->of[WATCHED_OTHER_BYTES];

	if (all->state != WATCHED_KNOWN || other->state != WATCHED_KNOWN)
		return NAN;
	return all->last > 0 ? (double)other->last / (double)all->last : 0;
}

struct watched *watched_copy(const struct watched *w, struct arena *a)
{
	struct watched *c;

	if (!w)
		return NULL;
	c = arena_alloc(a, sizeof(*c));
	*c = *w;
	c->line = arena_strdup(a, w->line);
	for (size_t i = 0; i < WATCHED_COUNT; i++)
		c->of[i].why = arena_strdup(a, w->of[i].why);
	return c;
}

void watched_format(const struct watched_series *s, bool counter, struct str *out)
{
	str_addf(out, "%" PRIu64 " %" PRId64, s->n, s->first);
	if (!counter)
		str_addf(out, " %" PRId64 " %" PRId64, s->min, s->max);
	str_addf(out, " %" PRId64, s->last);
}

static bool take_number(const char **text, int64_t *out)
{
	bool minus = **text == '-';
	const char *s = *text + minus;
	uint64_t v;

	if (!str_take_u64(&s, &v) || v > INT64_MAX)
		return false;
	*out = minus ? -(int64_t)v : (int64_t)v;
	*text = s;
	return true;
}

int watched_parse(const char *text, bool counter, struct watched_series *s)
{
	int64_t v[5] = {0};
	unsigned n = counter ? 3 : 5;

	for (unsigned i = 0; i < n; i++)
		if ((i && *text++ != ' ') || !take_number(&text, &v[i]))
			return -1;
	if (*text || v[0] <= 0)
		return -1;
	*s = (struct watched_series){
		.state = WATCHED_KNOWN, .n = (uint64_t)v[0], .first = v[1], .last = v[n - 1]};
	s->min = counter ? (v[1] < v[2] ? v[1] : v[2]) : v[2];
	s->max = counter ? (v[1] < v[2] ? v[2] : v[1]) : v[3];
	return s->min <= s->first && s->min <= s->last && s->max >= s->first && s->max >= s->last
		       ? 0
		       : -1;
}
