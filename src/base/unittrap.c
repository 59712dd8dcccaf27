/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/unittrap.h"

#include <string.h>

#define EXPONENT_MAX 18

static size_t digits(const char *s)
{
	size_t n = 0;

	while (c_isdigit(s[n]))
		n++;
	return n;
}

static const char *trap_hex(const char *s, struct str *fix)
{
	uint64_t v = 0;
	size_t i = 2;

	if (s[0] != '0' || (s[1] != 'x' && s[1] != 'X'))
		return NULL;
	for (; c_isdigit(s[i]) || (s[i] >= 'a' && s[i] <= 'f') || (s[i] >= 'A' && s[i] <= 'F');
	     i++) {
		if (v >> 60)
			return "a hexadecimal number";
		v = v << 4 | (uint64_t)(c_isdigit(s[i]) ? s[i] - '0' : (s[i] | 0x20) - 'a' + 10);
	}
	if (i > 2)
		str_addf(fix, "%llu%s", (unsigned long long)v, s + i);
	return "a hexadecimal number";
}

static bool groups(const char *s)
{
	return (*s == '_' || *s == ',' || *s == '\'') && c_isdigit(s[1]);
}

/* One comma that is not followed by three digits is somebody's decimal point. */
static const char *trap_grouped(const char *s, struct str *fix)
{
	size_t end = 0, commas = 0, others = 0, last = 0;

	for (; c_isdigit(s[end]) || (end && groups(s + end)); end++) {
		if (s[end] == ',') {
			commas++;
			last = end;
		} else if (!c_isdigit(s[end])) {
			others++;
		}
	}
	if (!commas && !others)
		return NULL;
	if (commas == 1 && !others && digits(s + last + 1) != 3) {
		str_addf(fix, "%.*s.%s", (int)last, s, s + last + 1);
		return "a number with a decimal comma";
	}
	for (size_t i = 0; i < end; i++) {
		if (c_isdigit(s[i]))
			str_addc(fix, s[i]);
	}
	str_add(fix, s + end);
	return "a number with grouped digits";
}

/* Writes digits with the point after `point` of them (may lie outside), without needless zeros. */
static void add_pointed(struct str *fix, const char *d, size_t n, long point)
{
	while (n > 0 && point < (long)n && d[n - 1] == '0')
		n--;
	while (n > 0 && point > 1 && d[0] == '0') {
		d++;
		n--;
		point--;
	}
	if (point <= 0)
		str_add(fix, "0");
	for (long i = 0; i < point; i++)
		str_addc(fix, i < (long)n ? d[i] : '0');
	if (point >= (long)n)
		return;
	str_addc(fix, '.');
	for (long i = point; i < 0; i++)
		str_addc(fix, '0');
	str_addn(fix, d + (point > 0 ? point : 0), n - (size_t)(point > 0 ? point : 0));
}

static const char *trap_exponent(const char *s, struct str *fix)
{
	static const char what[] = "a number with an exponent";
	size_t whole = digits(s), frac = 0, i = whole;

	if (s[i] == '.')
		frac = digits(s + ++i);
	i += frac;
	if (whole + frac == 0 || (s[i] != 'e' && s[i] != 'E'))
		return NULL;
	bool minus = s[++i] == '-';

	if (s[i] == '-' || s[i] == '+')
		i++;
	size_t n = digits(s + i);

	if (n == 0)
		return NULL;
	long e = 0;

	for (size_t k = 0; k < n && e <= EXPONENT_MAX; k++)
		e = e * 10 + (s[i + k] - '0');
	if (e > EXPONENT_MAX || whole + frac > 40)
		return what;
	struct str d;

	str_init(&d);
	str_addn(&d, s, whole);
	if (frac)
		str_addn(&d, s + whole + 1, frac);
	add_pointed(fix, d.s, d.len, (long)whole + (minus ? -e : e));
	str_release(&d);
	str_add(fix, s + i + n);
	return what;
}

const char *units_trap(const char *s, struct str *fix)
{
	const char *what = trap_hex(s, fix);

	if (!what)
		what = trap_grouped(s, fix);
	if (!what)
		what = trap_exponent(s, fix);
	if (what)
		return what;
	if (s[0] == '.' && c_isdigit(s[1])) {
		str_addf(fix, "0%s", s);
		return "a number without a digit before the point";
	}
	size_t n = digits(s), zeros = 0;

	if (n > 0 && s[n] == '.' && !c_isdigit(s[n + 1])) {
		str_addf(fix, "%.*s%s", (int)n, s, s + n + 1);
		return "a number without a digit after the point";
	}
	while (zeros + 1 < n && s[zeros] == '0')
		zeros++;
	if (!zeros)
		return NULL;
	str_add(fix, s + zeros);
	return "a number with a leading zero, octal elsewhere";
}
