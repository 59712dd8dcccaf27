/* SPDX-License-Identifier: GPL-2.0-or-later */
/* model/watched_words: what was watched over several runs, for people. */
#include "model/watched.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

/* Below it nobody else's I/O is told from the blur of the looks. */
#define OTHER_SHARE 0.01

void watched_words_init(struct watched_words *x)
{
	str_init(&x->excluded);
	str_init(&x->seen);
	str_init(&x->unknown);
}

void watched_words_release(struct watched_words *x)
{
	str_release(&x->excluded);
	str_release(&x->seen);
	str_release(&x->unknown);
}

/* Several runs as one: the least and the greatest of all. One that is not known makes the whole
 * unknown, and so does one that did not look while others did. */
static struct watched_series all_of(const struct watched *const *w, size_t n, enum watched_key key)
{
	struct watched_series sum = {0};
	bool missing = false;

	for (size_t i = 0; i < n; i++) {
		const struct watched_series *s = &w[i]->of[key];

		if (s->state == WATCHED_UNKNOWN)
			return *s;
		if (s->state == WATCHED_NONE) {
			missing = true;
			continue;
		}
		if (sum.state == WATCHED_NONE)
			sum = *s;
		sum.min = s->min < sum.min ? s->min : sum.min;
		sum.max = s->max > sum.max ? s->max : sum.max;
	}
	if (missing && sum.state == WATCHED_KNOWN)
		sum = (struct watched_series){.state = WATCHED_UNKNOWN,
					      .why = "not looked at in every run"};
	return sum;
}

static struct str *more(struct str *s)
{
	if (s->len)
		str_add(s, ", ");
	return s;
}

/* True when there is something to say of it: it is known. */
static bool known(struct watched_words *out, const char *what, const struct watched_series *s)
{
	if (s->state == WATCHED_UNKNOWN)
		str_addf(more(&out->unknown), "%s (%s)", what, s->why);
	return s->state == WATCHED_KNOWN;
}

/* "GT/s" of "8 GT/s". */
static const char *unit_of(const struct facts *target)
{
	const char *v = facts_value(target, "link.max_speed");
	const char *space = v ? strchr(v, ' ') : NULL;

	return space ? space + 1 : "GT/s";
}

static void say_link(const struct watched *const *w, size_t n, const struct facts *target,
		     struct watched_words *out)
{
	struct watched_series speed = all_of(w, n, WATCHED_LINK_SPEED);
	struct watched_series width = all_of(w, n, WATCHED_LINK_WIDTH);
	const char *max_width = facts_value(target, "link.max_width");
	bool below = watched_link_full(target, speed.min, width.min) == 0;
	struct str *to = below ? &out->seen : &out->excluded;

	if (!known(out, "link under load", &speed) || width.state != WATCHED_KNOWN)
		return;
	str_addf(more(to), "link %g %s", (double)speed.min / 1000, unit_of(target));
	if (max_width)
		str_addf(to, " x%" PRId64, width.min);
	if (below && (speed.min != speed.max || width.min != width.max))
		str_add(to, " at the least");
	str_add(to, " under load");
	if (below)
		str_addf(to, " where it can do %s%s%s", facts_value(target, "link.max_speed"),
			 max_width ? " x" : "", max_width ? max_width : "");
}

static void say_temperature(const struct watched *const *w, size_t n, struct watched_words *out)
{
	struct watched_series s = all_of(w, n, WATCHED_TEMPERATURE);

	if (!known(out, "temperature", &s))
		return;
	if (s.min == s.max)
		str_addf(more(&out->excluded), "%" PRId64 " C", s.max);
	else
		str_addf(more(&out->excluded), "%" PRId64 "..%" PRId64 " C", s.min, s.max);
}

static void say_throttling(const struct watched *const *w, size_t n, struct watched_words *out)
{
	struct watched_series s = all_of(w, n, WATCHED_THERMAL_1_TIME);
	bool throttled = false;
	struct str how;

	str_init(&how);
	for (size_t i = 0; i < n && !throttled; i++)
		throttled = watched_throttled(w[i], &how);
	if (throttled)
		str_addf(more(&out->seen), "throttled (%s)", how.s);
	else if (known(out, "throttling", &s))
		str_add(more(&out->excluded), "no throttling");
	str_release(&how);
}

static void say_log(const struct watched *const *w, size_t n, struct watched_words *out)
{
	struct watched_series s = all_of(w, n, WATCHED_KERNEL_LOG);
	const char *line = NULL;
	int64_t lines = 0;

	if (!known(out, "kernel log", &s))
		return;
	for (size_t i = 0; i < n; i++) {
		lines += w[i]->of[WATCHED_KERNEL_LOG].last;
		line = line ? line : w[i]->line;
	}
	if (lines == 0)
		str_add(more(&out->excluded), "kernel log clean");
	else
		str_addf(more(&out->seen), "kernel log %" PRId64 " line%s: %s", lines,
			 lines == 1 ? "" : "s", line ? line : "");
}

static void say_other(const struct watched *const *w, size_t n, struct watched_words *out)
{
	struct watched_series s = all_of(w, n, WATCHED_OTHER_BYTES);
	double share = 0;

	if (!known(out, "other I/O", &s))
		return;
	for (size_t i = 0; i < n; i++) {
		double x = watched_other_io(w[i]);

		share = x > share ? x : share;
	}
	if (share < OTHER_SHARE)
		str_add(more(&out->excluded), "no other I/O");
	else
		str_addf(more(&out->seen), "other I/O up to %.0f %%", share * 100);
}

/* Only where they moved: that they did not is what everybody expects. */
static void say_errors(const struct watched *const *w, size_t n, struct watched_words *out)
{
	static const enum watched_key keys[] = {WATCHED_MEDIA_ERRORS,  WATCHED_ERROR_LOG,
						WATCHED_IO_ERRORS,     WATCHED_PCIE_CORRECTABLE,
						WATCHED_PCIE_NONFATAL, WATCHED_PCIE_FATAL,
						WATCHED_CPU_THROTTLE};

	for (size_t k = 0; k < sizeof(keys) / sizeof(keys[0]); k++) {
		int64_t grown = 0;

		for (size_t i = 0; i < n; i++)
			grown += watched_growth(w[i], keys[k]);
		if (grown > 0)
			str_addf(more(&out->seen), "%s +%" PRId64, watched_items[keys[k]].key,
				 grown);
	}
}

void watched_summary(const struct watched *const *w, size_t n, const struct facts *target,
		     struct watched_words *out)
{
	if (n == 0)
		return;
	say_link(w, n, target, out);
	say_temperature(w, n, out);
	say_throttling(w, n, out);
	say_log(w, n, out);
	say_other(w, n, out);
	say_errors(w, n, out);
}
