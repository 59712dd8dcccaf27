/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Reads the script of the sim engine. Each word's reader returns NULL or what is wrong with it. */
#include "engines/sim.h"

#include "base/clock.h"

#include <errno.h>
#include <string.h>

#define WORD_MAX 80
#define TIME_MAX (3600 * NS_PER_SEC)

/* 010 is eight to some readers and ten to others. */
static bool octal_look(const char *s)
{
	return s[0] == '0' && c_isdigit(s[1]);
}

/* Digits with at most one point; *end is the first character behind. Locale-free. */
static bool read_decimal(const char *s, double *out, const char **end)
{
	double v = 0, unit = 1;
	unsigned digits = 0;

	if (octal_look(s))
		return false;
	for (; c_isdigit(*s); s++, digits++)
		v = v * 10 + (*s - '0');
	if (*s == '.' && digits > 0) {
		unsigned whole = digits;
		for (s++; c_isdigit(*s); s++, digits++) {
			unit /= 10;
			v += (*s - '0') * unit;
		}
		if (digits == whole)
			return false;
	}
	*out = v;
	*end = s;
	return digits > 0 && digits <= 18;
}

static bool read_count(const char *s, uint64_t *out)
{
	uint64_t v = 0;
	unsigned digits = 0;

	if (octal_look(s))
		return false;
	for (; c_isdigit(*s); s++, digits++)
		v = v * 10 + (uint64_t)(*s - '0');
	*out = v;
	return *s == '\0' && digits > 0 && digits <= 18;
}

static const char *read_time(const char *s, uint64_t *out)
{
	static const struct {
		const char *name;
		uint64_t ns;
	} units[] = {{"ns", 1},
		     {"us", NS_PER_US},
		     {"ms", NS_PER_MS},
		     {"s", NS_PER_SEC},
		     {"min", 60 * NS_PER_SEC}};
	double v;
	const char *end;

	if (!read_decimal(s, &v, &end))
		return "is no time";
	for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++) {
		if (strcmp(end, units[i].name))
			continue;
		v *= (double)units[i].ns;
		if (v > (double)TIME_MAX)
			return "is longer than an hour";
		*out = (uint64_t)(v + 0.5);
		return NULL;
	}
	return "is a time without one of the units ns us ms s min";
}

static const char *read_percent(const char *s, double *out)
{
	const char *end;

	if (!read_decimal(s, out, &end) || strcmp(end, "%"))
		return "is no percentage (5%)";
	*out /= 100;
	return *out > 1 ? "is more than 100%" : NULL;
}

/* Time of an I/O: not zero, or the virtual clock would stand still and a timed run never end. */
static const char *read_lat(const char *s, uint64_t *out)
{
	const char *why = read_time(s, out);

	return why ? why : *out == 0 ? "must be at least 1ns" : NULL;
}

static const char *set_lat(struct sim_script *s, char *v)
{
	return read_lat(v, &s->lat);
}

static const char *set_jitter(struct sim_script *s, char *v)
{
	return read_percent(v, &s->jitter);
}

static const char *set_sd(struct sim_script *s, char *v)
{
	return read_percent(v, &s->sd);
}

static const char *set_sync(struct sim_script *s, char *v)
{
	return read_time(v, &s->sync);
}

static const char *set_width(struct sim_script *s, char *v)
{
	uint64_t n;

	if (!read_count(v, &n) || n == 0 || n > 65536)
		return "needs a whole number from 1 to 65536";
	s->width = (unsigned)n;
	return NULL;
}

static const char *set_every(struct sim_script *s, char *v)
{
	char *lat = strstr(v, ":lat="), *burst;

	if (!lat)
		return "has the form every=N:lat=TIME or every=N/K:lat=TIME";
	if (s->neach == SIM_EACH_MAX)
		return "is one too many of its kind";
	*lat = '\0';
	struct sim_each *x = &s->each[s->neach];
	x->burst = 1;
	burst = strchr(v, '/');
	if (burst)
		*burst++ = '\0';
	if (!read_count(v, &x->every) || x->every == 0)
		return "needs a whole number from 1";
	if (burst && (!read_count(burst, &x->burst) || x->burst == 0 || x->burst > x->every))
		return "needs a burst from 1 to N: every=N/K:lat=TIME";
	s->neach++;
	return read_lat(lat + strlen(":lat="), &x->lat);
}

static const char *set_slow(struct sim_script *s, char *v)
{
	char *at = strchr(v, '@');
	const char *end;

	if (!at)
		return "has the form slow=FACTOR@TIME";
	*at = '\0';
	if (!read_decimal(v, &s->slow, &end) || *end || s->slow < 0.001 || s->slow > 1000)
		return "needs a factor from 0.001 to 1000";
	return read_time(at + 1, &s->slow_at);
}

static const char *add_event(struct sim_script *s, enum sim_what what, const char *at,
			     int64_t value)
{
	uint64_t n;

	if (!read_count(at, &n) || n == 0)
		return "needs a whole number from 1 after the @";
	if (s->nevent == SIM_EVENT_MAX)
		return "is one event too many";
	s->event[s->nevent++] = (struct sim_event){.what = what, .at = n, .value = value};
	return NULL;
}

static const char *set_error(struct sim_script *s, char *v)
{
	char *at = strchr(v, '@');

	if (!at)
		return "has the form error=ERRNO@N";
	*at = '\0';
	for (int no = 1; no < 4096; no++) {
		const char *name = strerrorname_np(no);
		if (name && !strcmp(name, v))
			return add_event(s, SIM_ERROR, at + 1, no);
	}
	return "names no errno (EIO, ENOSPC ...)";
}

static const char *set_short(struct sim_script *s, char *v)
{
	char *at = strchr(v, '@');
	uint64_t bytes;

	if (!at)
		return "has the form short=BYTES@N";
	*at = '\0';
	if (!read_count(v, &bytes) || bytes > UINT32_MAX)
		return "needs a whole number of bytes";
	return add_event(s, SIM_SHORT, at + 1, (int64_t)bytes);
}

static const char *set_hang(struct sim_script *s, char *v)
{
	return add_event(s, SIM_HANG, v, 0);
}

static const char *set_crash(struct sim_script *s, char *v)
{
	return add_event(s, SIM_CRASH, v, 0);
}

static const struct {
	const char *start; /* the word with its separator */
	bool many;
	const char *(*set)(struct sim_script *s, char *value);
} words[] = {
	{"lat=", false, set_lat},    {"jitter=", false, set_jitter}, {"sd=", false, set_sd},
	{"every=", true, set_every}, {"slow=", false, set_slow},     {"width=", false, set_width},
	{"sync=", false, set_sync},  {"error=", true, set_error},    {"short=", true, set_short},
	{"hang@", true, set_hang},   {"crash@", true, set_crash},
};

static const char *set_word(struct sim_script *s, char *word, unsigned *seen)
{
	for (unsigned i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		if (!str_starts(word, words[i].start))
			continue;
		if (!words[i].many && (*seen & 1u << i))
			return "is given twice";
		*seen |= 1u << i;
		return words[i].set(s, word + strlen(words[i].start));
	}
	return word[0] ? "is not a word of it" : "is an empty word";
}

static int refuse(const char *word, size_t n, const char *why, struct err *e)
{
	int shown = n < WORD_MAX ? (int)n : WORD_MAX;

	err_set(e, ERR_SUITE, "sim script: \"%.*s\" %s", shown, word, why);
	return err_hint(e, "words: lat=TIME jitter=P%% sd=P%% every=N:lat=TIME every=N/K:lat=TIME "
			   "slow=FACTOR@TIME "
			   "width=N sync=TIME error=ERRNO@N short=BYTES@N hang@N crash@N");
}

int sim_parse(const char *script, struct sim_script *s, struct err *e)
{
	unsigned seen = 0;

	*s = (struct sim_script){.lat = 100 * NS_PER_US, .sync = UINT64_MAX, .slow = 1};
	for (const char *p = script; p && *p;) {
		size_t n = strcspn(p, ",");
		const char *from = p, *to = p + n;
		char word[WORD_MAX];

		while (from < to && c_isspace(*from))
			from++;
		while (to > from && c_isspace(to[-1]))
			to--;
		size_t len = (size_t)(to - from);
		if (len >= sizeof(word))
			return refuse(from, len, "is too long", e);
		memcpy(word, from, len);
		word[len] = '\0';
		const char *why = set_word(s, word, &seen);
		if (why)
			return refuse(from, len, why, e);
		if (p[n] == ',' && p[n + 1] == '\0')
			return refuse("", 0, "is an empty word", e);
		p += n + (p[n] == ',');
	}
	if (s->sync == UINT64_MAX)
		s->sync = s->lat;
	return 0;
}

int sim_check(const char *script, struct err *e)
{
	struct sim_script s;

	return sim_parse(script, &s, e);
}
