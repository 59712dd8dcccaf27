/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "model/precondition.h"

#include "base/units.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* One "key=value" of a text separated by commas; false at the end. */
static bool next_pair(const char **text, struct arena *a, char **key, char **value)
{
	const char *s = *text, *end, *eq;

	if (!s || !*s)
		return false;
	end = strchrnul(s, ',');
	eq = memchr(s, '=', (size_t)(end - s));
	if (!eq)
		eq = end;
	*key = arena_strndup(a, s, (size_t)(eq - s));
	*value = arena_strndup(a, eq < end ? eq + 1 : end, eq < end ? (size_t)(end - eq - 1) : 0);
	*text = *end ? end + 1 : end;
	return true;
}

static void add_key(struct str *out, const char *key)
{
	str_addf(out, "%s%s=", out->len ? "," : "", key);
}

void precondition_add(const struct precondition *p, struct str *out)
{
	struct str s;

	str_init(&s);
	if (p->trim)
		str_add(&s, "trim=1");
	if (p->fill != FILL_NONE) {
		add_key(&s, "fill");
		str_addf(&s, "%s,loops=%u,bs=%u", p->fill == FILL_RANDOM ? "random" : "sequential",
			 p->loops, p->bs);
	}
	if (p->metric) {
		add_key(&s, "metric");
		str_addf(&s, "%s,rounds=%u..%u,round=%llu,range=", p->metric, p->rounds_min,
			 p->rounds_max, (unsigned long long)p->round);
		units_add_double(&s, p->range);
		str_add(&s, ",slope=");
		units_add_double(&s, p->slope);
	}
	str_addn(out, s.s, s.len);
	str_release(&s);
}

static bool read_u32(const char *s, uint32_t *out)
{
	uint64_t n;

	if (!str_to_u64(s, &n) || n > UINT32_MAX)
		return false;
	*out = (uint32_t)n;
	return true;
}

static bool read_ratio(const char *s, double *out)
{
	char *end;

	if (!c_isdigit(*s))
		return false;
	*out = strtod(s, &end);
	return !*end && isfinite(*out);
}

static bool read_rounds(const char *s, struct precondition *p)
{
	uint64_t min, max;

	if (!str_take_u64(&s, &min) || !str_starts(s, "..") || !str_to_u64(s + 2, &max) ||
	    min < STEADY_WINDOW || max < min || max > STEADY_ROUNDS_LIMIT)
		return false;
	p->rounds_min = (uint32_t)min;
	p->rounds_max = (uint32_t)max;
	return true;
}

static bool read_fill(const char *s, struct precondition *p)
{
	p->fill = str_eq(s, "random") ? FILL_RANDOM : FILL_SEQUENTIAL;
	return p->fill == FILL_RANDOM || str_eq(s, "sequential");
}

static bool read_pair(const char *key, const char *value, struct precondition *p)
{
	if (str_eq(key, "trim"))
		return p->trim = str_eq(value, "1");
	if (str_eq(key, "fill"))
		return read_fill(value, p);
	if (str_eq(key, "loops"))
		return read_u32(value, &p->loops) && p->loops;
	if (str_eq(key, "bs"))
		return read_u32(value, &p->bs) && p->bs;
	if (str_eq(key, "metric"))
		return *(p->metric = value) != '\0';
	if (str_eq(key, "rounds"))
		return read_rounds(value, p);
	if (str_eq(key, "round"))
		return str_to_u64(value, &p->round) && p->round;
	if (str_eq(key, "range"))
		return read_ratio(value, &p->range);
	return str_eq(key, "slope") && read_ratio(value, &p->slope);
}

int precondition_read(const char *text, struct arena *a, struct precondition *out)
{
	const char *t = text;
	char *key, *value;
	struct str again;
	bool ok = true;

	*out = (struct precondition){0};
	while (ok && next_pair(&t, a, &key, &value))
		ok = read_pair(key, value, out);
	/* One form for one meaning: a missing member, another order or spelling is none. */
	str_init(&again);
	if (ok)
		precondition_add(out, &again);
	ok = ok && str_eq(again.s, text ? text : "");
	str_release(&again);
	return ok ? 0 : -1;
}

static void add_escaped(struct str *out, const char *s)
{
	for (; *s; s++) {
		unsigned char c = (unsigned char)*s;

		if (c <= ' ' || c >= 0x7f || c == '%' || c == ',')
			str_addf(out, "%%%02X", c);
		else
			str_addc(out, *s);
	}
}

void tunables_add(const struct tunable_list *l, struct str *out)
{
	for (size_t i = 0; i < l->n; i++) {
		str_addf(out, "%s%s=", i ? "," : "", l->v[i].name);
		add_escaped(out, l->v[i].value);
	}
}

static int hex(char c)
{
	return c_isdigit(c) ? c - '0' : c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

static void unescape(char *s)
{
	char *to = s;

	for (; *s; s++) {
		int hi = *s == '%' ? hex(s[1]) : -1, lo = hi >= 0 ? hex(s[2]) : -1;

		*to++ = lo >= 0 ? (char)(hi * 16 + lo) : *s;
		s += lo >= 0 ? 2 : 0;
	}
	*to = '\0';
}

int tunables_read(const char *text, struct arena *a, struct tunable_list *out)
{
	const char *t = text;
	char *key, *value;
	struct str again;
	bool ok = true;

	*out = (struct tunable_list){0};
	while (ok && next_pair(&t, a, &key, &value)) {
		ok = out->n < TUNABLES_MAX && *key &&
		     (!out->n || strcmp(out->v[out->n - 1].name, key) < 0);
		unescape(value);
		if (ok)
			out->v[out->n++] = (struct tunable){key, value};
	}
	str_init(&again);
	tunables_add(out, &again);
	ok = ok && str_eq(again.s, text ? text : "");
	str_release(&again);
	return ok ? 0 : -1;
}
