/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/units.h"
#include "base/unitkind.h"
#include "base/unittrap.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define QUOTE_MAX 60u

/* mant / 10^frac x factor, negative when neg. */
struct quantity {
	bool neg;
	uint64_t mant, factor;
	unsigned frac;
};

/* 10^22 is the largest power of ten that a double holds exactly. */
static const double power10[23] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
				   1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
				   1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};

/* "'text': why", the text made fit to print and bounded. */
static int bad(struct err *e, const char *text, const char *why)
{
	struct str q;
	size_t n = strlen(text);

	str_init(&q);
	str_add_clean(&q, text, n < QUOTE_MAX ? n : QUOTE_MAX);
	err_set(e, ERR_USAGE, "'%s%s': %s", q.s, n > QUOTE_MAX ? "..." : "", why);
	str_release(&q);
	return ERR_USAGE;
}

static int bad_kind(const struct unit_kind *k, const char *text, const char *why, struct err *e)
{
	struct str s;

	str_init(&s);
	str_addf(&s, why, k->what);
	bad(e, text, s.s);
	str_release(&s);
	return err_hint(e, "write for example '%s'", k->example);
}

static const struct unit_spelling *find_spelling(const struct unit_kind *k, const char *unit)
{
	for (const struct unit_spelling *s = k->spellings; s->text; s++) {
		if (strcmp(s->text, unit) == 0)
			return s;
	}
	return NULL;
}

/* Adds "4KiB = 4096 bytes". */
static void add_choice(struct str *s, const struct unit_kind *k, const char *number,
		       const char *unit, const struct quantity *q)
{
	const struct unit_spelling *sp = find_spelling(k, unit);
	unsigned __int128 v = sp ? (unsigned __int128)q->mant * sp->factor : 0;

	str_addf(s, "%s%s", number, unit);
	if (k->base && q->frac == 0 && sp && sp->factor > 1 && v <= UINT64_MAX)
		str_addf(s, " = %llu %s", (unsigned long long)v, k->base);
}

static int bad_unit(const struct unit_kind *k, const char *text, const char *number,
		    const char *unit, const struct quantity *q, struct err *e)
{
	const char *to[2] = {NULL, NULL};
	struct str s;

	for (const struct unit_alias *a = k->aliases; a->text && !to[0]; a++) {
		if (strcasecmp(a->text, unit) == 0)
			memcpy(to, a->to, sizeof(to));
	}
	for (const struct unit_spelling *sp = k->spellings; sp->text && !to[0]; sp++) {
		if (*unit && strcasecmp(sp->text, unit) == 0)
			to[0] = sp->text;
	}
	str_init(&s);
	if (*unit == '\0') {
		str_addf(&s, "%s needs a unit", k->what);
	} else {
		str_add(&s, "unit '");
		str_add_clean(&s, unit, strnlen(unit, QUOTE_MAX / 2));
		str_addf(&s, "' is not accepted for %s", k->what);
	}
	bad(e, text, s.s);
	str_clear(&s);
	if (to[0]) {
		str_add(&s, "write ");
		add_choice(&s, k, number, to[0], q);
		if (to[1]) {
			str_add(&s, ", or ");
			add_choice(&s, k, number, to[1], q);
		}
	} else {
		str_addf(&s, "accepted: %s", k->accepted);
	}
	err_hint(e, "%s", s.s);
	str_release(&s);
	return ERR_USAGE;
}

/* The digits at *p into q; NULL or what is wrong with them. */
static const char *take_digits(const char **p, struct quantity *q)
{
	const char *s = *p;
	unsigned zeros = 0; /* after the point, kept back until a digit follows */
	bool point = false;

	for (; c_isdigit(*s) || (*s == '.' && !point); s++) {
		if (*s == '.') {
			point = true;
			continue;
		}
		if (point && *s == '0') {
			zeros++;
			continue;
		}
		for (unsigned i = 0; i < zeros; i++) {
			if (__builtin_mul_overflow(q->mant, 10, &q->mant))
				return "the number has more digits than can be kept";
		}
		q->frac += zeros + point;
		zeros = 0;
		if (__builtin_mul_overflow(q->mant, 10, &q->mant) ||
		    __builtin_add_overflow(q->mant, (uint64_t)(*s - '0'), &q->mant))
			return point ? "the number has more digits than can be kept"
				     : "the number is too large";
	}
	if (q->frac > 20)
		return "the number has more digits than can be kept";
	*p = s;
	return NULL;
}

/* A number that reads differently elsewhere: says so and names the plain spelling. */
static int refuse_trap(const char *text, const char *s, bool neg, struct err *e)
{
	struct str fix, why;
	const char *what;

	str_init(&fix);
	what = units_trap(s, &fix);
	if (!what) {
		str_release(&fix);
		return 0;
	}
	str_init(&why);
	str_addf(&why, "%s is not accepted", what);
	bad(e, text, why.s);
	str_release(&why);
	if (fix.len && fix.len < QUOTE_MAX && utf8_valid(fix.s, fix.len, NULL))
		err_hint(e, "write %s%s", neg ? "-" : "", fix.s);
	else
		err_hint(e, "write it in plain decimal digits");
	str_release(&fix);
	return ERR_USAGE;
}

/* The unit at s, which follows the digits that began at `digits`. */
static int read_unit(const struct unit_kind *k, const char *text, const char *digits, const char *s,
		     struct quantity *q, struct err *e)
{
	char *number = xasprintf("%s%.*s", q->neg ? "-" : "", (int)(s - digits), digits);
	size_t n;
	int ret = 0;

	while (c_isspace(*s))
		s++;
	for (n = strlen(s); n > 0 && c_isspace(s[n - 1]);)
		n--;
	char *unit = xstrndup(s, n);
	const struct unit_spelling *sp = find_spelling(k, unit);

	if (sp)
		q->factor = sp->factor;
	else
		ret = bad_unit(k, text, number, unit, q, e);
	free(unit);
	free(number);
	return ret;
}

static int read_quantity(const struct unit_kind *k, const char *text, struct quantity *q,
			 struct err *e)
{
	const char *s = text;

	*q = (struct quantity){0};
	while (c_isspace(*s))
		s++;
	if (*s == '\0')
		return bad_kind(k, text, "%s is missing", e);
	q->neg = *s == '-';
	if (q->neg || (*s == '+' && k->plus))
		s++;
	if (refuse_trap(text, s, q->neg, e))
		return ERR_USAGE;
	if (!c_isdigit(*s))
		return bad_kind(k, text, "expected %s", e);
	if (q->neg && !k->minus)
		return bad_kind(k, text, "%s cannot be negative", e);
	const char *digits = s, *why = take_digits(&s, q);

	if (why)
		return bad_kind(k, text, why, e);
	return read_unit(k, text, digits, s, q, e);
}

/* A whole number of base units, exactly; at most max. */
static int read_whole(const struct unit_kind *k, const char *text, uint64_t max, uint64_t *out,
		      struct err *e)
{
	struct quantity q;
	int ret = read_quantity(k, text, &q, e);

	if (ret)
		return ret;
	unsigned __int128 v = (unsigned __int128)q.mant * q.factor;

	for (unsigned i = 0; i < q.frac; i++) {
		if (v % 10) {
			bad(e, text, k->whole);
			return err_hint(e, "write for example '%s'", k->example);
		}
		v /= 10;
	}
	if (v > max)
		return bad_kind(k, text, "%s cannot be that large", e);
	*out = (uint64_t)v;
	return 0;
}

/* The value divided by 10^shift. */
static int read_double(const struct unit_kind *k, const char *text, unsigned shift, double *out,
		       struct err *e)
{
	struct quantity q;
	int ret = read_quantity(k, text, &q, e);

	if (ret)
		return ret;
	/* One rounding for all that fits 53 bits: numerator and power of ten are exact. */
	double v = (double)((unsigned __int128)q.mant * q.factor) / power10[q.frac + shift];

	*out = q.neg ? -v : v;
	return 0;
}

int units_count(const char *s, uint64_t *out, struct err *e)
{
	return read_whole(&unit_kind_count, s, UINT64_MAX, out, e);
}

int units_number(const char *s, double *out, struct err *e)
{
	return read_double(&unit_kind_number, s, 0, out, e);
}

/* off_t and the kernel's loff_t are signed: a larger size cannot be addressed. */
int units_size(const char *s, uint64_t *out, struct err *e)
{
	return read_whole(&unit_kind_size, s, INT64_MAX, out, e);
}

int units_time(const char *s, uint64_t *out, struct err *e)
{
	if (str_eq(s, "0")) {
		*out = 0;
		return 0;
	}
	return read_whole(&unit_kind_time, s, INT64_MAX, out, e);
}

int units_iops(const char *s, double *out, struct err *e)
{
	return read_double(&unit_kind_iops, s, 0, out, e);
}

int units_percent(const char *s, double *out, struct err *e)
{
	return read_double(&unit_kind_percent, s, 2, out, e);
}

int units_bool(const char *s, bool *out, struct err *e)
{
	static const char *const yes[] = {"true", "yes", "on", "1"};
	static const char *const no[] = {"false", "no", "off", "0"};

	for (unsigned i = 0; i < 4; i++) {
		if (strcasecmp(s, yes[i]) == 0 || strcasecmp(s, no[i]) == 0) {
			*out = strcasecmp(s, yes[i]) == 0;
			return 0;
		}
	}
	bad(e, s, "expected true or false");
	return err_hint(e, "accepted: true false yes no on off 1 0");
}

int unit_parse(enum unit u, const char *s, double *out, struct err *e)
{
	uint64_t whole = 0;
	int ret;

	switch (u) {
	case UNIT_IOPS:
		return units_iops(s, out, e);
	case UNIT_BW:
		return read_double(&unit_kind_bandwidth, s, 0, out, e);
	case UNIT_RATIO:
		return units_percent(s, out, e);
	case UNIT_CELSIUS:
		return read_double(&unit_kind_celsius, s, 0, out, e);
	case UNIT_COUNT:
		ret = units_count(s, &whole, e);
		break;
	case UNIT_TIME:
		ret = units_time(s, &whole, e);
		break;
	case UNIT_BYTES:
		ret = units_size(s, &whole, e);
		break;
	default:
		return units_number(s, out, e);
	}
	if (ret == 0)
		*out = (double)whole;
	return ret;
}
