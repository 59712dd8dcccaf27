/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The part of base/str that understands text: UTF-8, the sanitiser, nearness, globs, quoting. */
#include "base/str.h"

#include <string.h>

#define DISTANCE_CAP 99u

/* Length of the character at s (1..4) and its code point, or 0 when the bytes are not UTF-8. */
static unsigned utf8_next(const unsigned char *s, size_t n, uint32_t *cp)
{
	static const uint32_t least[5] = {0, 0, 0x80, 0x800, 0x10000};
	unsigned len;

	if (n == 0)
		return 0;
	if (s[0] < 0x80) {
		*cp = s[0];
		return 1;
	}
	if ((s[0] & 0xe0) == 0xc0) {
		len = 2;
		*cp = s[0] & 0x1fu;
	} else if ((s[0] & 0xf0) == 0xe0) {
		len = 3;
		*cp = s[0] & 0x0fu;
	} else if ((s[0] & 0xf8) == 0xf0) {
		len = 4;
		*cp = s[0] & 0x07u;
	} else {
		return 0;
	}
	if (n < len)
		return 0;
	for (unsigned i = 1; i < len; i++) {
		if ((s[i] & 0xc0) != 0x80)
			return 0;
		*cp = (*cp << 6) | (s[i] & 0x3fu);
	}
	if (*cp < least[len] || *cp > 0x10ffff || (*cp >= 0xd800 && *cp <= 0xdfff))
		return 0;
	return len;
}

bool utf8_valid(const char *s, size_t n, size_t *bad)
{
	uint32_t cp;
	size_t i = 0;

	while (i < n) {
		unsigned len = utf8_next((const unsigned char *)s + i, n - i, &cp);

		if (!len) {
			if (bad)
				*bad = i;
			return false;
		}
		i += len;
	}
	return true;
}

static bool printable(uint32_t cp)
{
	if (cp < 0x20)
		return cp == '\t' || cp == '\n' || cp == '\r';
	if (cp >= 0x7f && cp <= 0x9f)
		return false;
	/* line and paragraph separators, and what turns the direction of the text behind it: a
	 * sentence would be shown in another order than it has */
	if ((cp >= 0x2028 && cp <= 0x202e) || (cp >= 0x2066 && cp <= 0x2069) || cp == 0x200e ||
	    cp == 0x200f || cp == 0x061c)
		return false;
	return cp != 0xfffe && cp != 0xffff;
}

void str_add_clean(struct str *s, const char *text, size_t n)
{
	const unsigned char *p = (const unsigned char *)text;

	if (n == SIZE_MAX)
		n = strlen(text);
	for (size_t i = 0; i < n;) {
		uint32_t cp;
		unsigned len = utf8_next(p + i, n - i, &cp);

		if (len && printable(cp)) {
			str_addn(s, text + i, len);
			i += len;
			continue;
		}
		for (unsigned k = len ? len : 1; k > 0; k--)
			str_addf(s, "\\x%02x", p[i++]);
	}
}

size_t utf8_width(const char *s)
{
	size_t n = strlen(s), width = 0;

	for (size_t i = 0; i < n; width++) {
		uint32_t cp;
		unsigned len = utf8_next((const unsigned char *)s + i, n - i, &cp);

		i += len ? len : 1;
	}
	return width;
}

static unsigned min3(unsigned a, unsigned b, unsigned c)
{
	unsigned m = a < b ? a : b;

	return m < c ? m : c;
}

unsigned str_distance(const char *a, const char *b)
{
	unsigned rows[3][DISTANCE_CAP + 1];
	unsigned *before = rows[0], *last = rows[1], *now = rows[2];
	size_t na = strnlen(a, DISTANCE_CAP + 1), nb = strnlen(b, DISTANCE_CAP + 1);

	if (na > DISTANCE_CAP || nb > DISTANCE_CAP)
		return str_eq(a, b) ? 0 : DISTANCE_CAP;
	for (unsigned j = 0; j <= nb; j++)
		last[j] = before[j] = j;
	for (unsigned i = 1; i <= na; i++) {
		now[0] = i;
		for (unsigned j = 1; j <= nb; j++) {
			unsigned cost = a[i - 1] != b[j - 1];

			now[j] = min3(last[j] + 1, now[j - 1] + 1, last[j - 1] + cost);
			if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] &&
			    before[j - 2] + 1 < now[j])
				now[j] = before[j - 2] + 1;
		}
		unsigned *spare = before;
		before = last;
		last = now;
		now = spare;
	}
	return last[nb];
}

const char *str_nearest(const char *word, const char *const *words, size_t n)
{
	size_t len = strlen(word);
	unsigned limit = len / 3 > 1 ? (unsigned)(len / 3) : 1;
	const char *best = NULL;

	if (limit >= DISTANCE_CAP)
		limit = DISTANCE_CAP - 1;
	for (size_t i = 0; i < n; i++) {
		unsigned d = str_distance(word, words[i]);

		/* Replacing every letter makes any word near any other of its length. */
		if (d > limit || (d > 0 && d >= len))
			continue;
		best = words[i];
		if (d == 0)
			break;
		limit = d - 1;
	}
	return best;
}

/* Matches c against the set at p (just after '['); *end = after ']'. False and *end = NULL when the
 * set is not closed: the bracket is then a plain character, as in a shell. */
static bool glob_set(const char *p, char c, const char **end)
{
	bool inverse = *p == '!' || *p == '^', hit = false;

	if (inverse)
		p++;
	for (bool first = true; *p && (first || *p != ']'); first = false) {
		unsigned char low = (unsigned char)*p++, high = low;

		if (p[0] == '-' && p[1] && p[1] != ']') {
			high = (unsigned char)p[1];
			p += 2;
		}
		if ((unsigned char)c >= low && (unsigned char)c <= high)
			hit = true;
	}
	*end = *p ? p + 1 : NULL;
	return *p && hit != inverse;
}

/* One pattern element against one byte; advances *pp past the element when it matches. */
static bool glob_one(const char **pp, char c)
{
	const char *p = *pp, *end;

	if (*p == '?') {
		*pp = p + 1;
		return true;
	}
	if (*p == '[') {
		bool hit = glob_set(p + 1, c, &end);

		if (end) {
			*pp = end;
			return hit;
		}
	}
	if (*p == '\\' && p[1])
		p++;
	*pp = p + 1;
	return *p == c;
}

bool str_glob(const char *pattern, const char *s)
{
	const char *star = NULL, *retry = NULL, *p = pattern;

	/* Only the last star needs to be taken back: linear memory, no recursion. */
	while (*s) {
		if (*p == '*') {
			star = ++p;
			retry = s;
			continue;
		}
		if (*p && glob_one(&p, *s)) {
			s++;
			continue;
		}
		if (!star)
			return false;
		p = star;
		s = ++retry;
	}
	while (*p == '*')
		p++;
	return *p == '\0';
}

void str_add_shell(struct str *s, const char *text)
{
	bool plain = *text != '\0';

	/* NAME=value would be an assignment in front of a command; --name=value never is. */
	for (const char *p = text; *p && plain; p++)
		plain = c_isalnum(*p) || strchr("_@%+:,./-", *p) || (*p == '=' && *text == '-');
	if (plain) {
		str_add(s, text);
		return;
	}
	str_addc(s, '\'');
	for (const char *p = text; *p; p++) {
		if (*p == '\'')
			str_add(s, "'\\''");
		else
			str_addc(s, *p);
	}
	str_addc(s, '\'');
}
