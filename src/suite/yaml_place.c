/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "suite/yaml_place.h"

#include <string.h>

#include "base/vec.h"

static void add_line(struct places *p, size_t byte)
{
	p->line = vec_grow(p->line, p->nlines, &p->cap, sizeof(*p->line));
	p->line[p->nlines++] = byte;
}

void places_init(struct places *p, const char *text, size_t n)
{
	const char *at = text, *end = text + n;
	unsigned char high = 0;

	memset(p, 0, sizeof(*p));
	p->text = text;
	p->n = n;
	add_line(p, 0);
	while (at < end && (at = memchr(at, '\n', (size_t)(end - at))))
		add_line(p, (size_t)(++at - text));
	for (size_t i = 0; i < n; i++)
		high |= (unsigned char)text[i];
	p->ascii = high < 0x80;
}

void places_release(struct places *p)
{
	free(p->line);
	p->line = NULL;
}

static bool is_tail(char c)
{
	return ((unsigned char)c & 0xC0) == 0x80;
}

size_t places_byte(struct places *p, size_t index)
{
	if (p->ascii)
		return index < p->n ? index : p->n;
	while (p->index < index && p->byte < p->n) {
		p->byte++;
		while (p->byte < p->n && is_tail(p->text[p->byte]))
			p->byte++;
		p->index++;
	}
	while (p->index > index && p->byte > 0) {
		p->byte--;
		while (p->byte > 0 && is_tail(p->text[p->byte]))
			p->byte--;
		p->index--;
	}
	return p->byte;
}

void places_find(struct places *p, size_t byte, unsigned *line, unsigned *column)
{
	size_t lo = p->last, hi;

	if (p->line[lo] > byte || (lo + 1 < p->nlines && p->line[lo + 1] <= byte)) {
		lo = 0;
		hi = p->nlines;
		while (hi - lo > 1) {
			size_t mid = lo + (hi - lo) / 2;

			if (p->line[mid] <= byte)
				lo = mid;
			else
				hi = mid;
		}
		p->last = lo;
	}
	*line = (unsigned)lo + 1;
	*column = (unsigned)(byte - p->line[lo]) + 1;
}

static int refuse(struct places *p, const char *name, size_t byte, struct err *e)
{
	unsigned line, column;

	places_find(p, byte, &line, &column);
	return err_at(e, name, line, column);
}

/* Length of a character YAML forbids at s, or 0: C0 but TAB LF CR, DEL, C1 but NEL, U+FEFF, U+FFFE,
 * U+FFFF. The text is UTF-8. */
static unsigned forbidden(const unsigned char *s)
{
	if (s[0] < 0x20)
		return s[0] != '\t' && s[0] != '\n' && s[0] != '\r';
	if (s[0] == 0x7F)
		return 1;
	if (s[0] == 0xC2)
		return s[1] < 0xA0 && s[1] != 0x85 ? 2 : 0;
	if (s[0] == 0xEF && ((s[1] == 0xBB && s[2] == 0xBF) || (s[1] == 0xBF && s[2] >= 0xBE)))
		return 3;
	return 0;
}

static unsigned code_point(const unsigned char *s, unsigned len)
{
	if (len == 2)
		return (s[0] & 0x1Fu) << 6 | (s[1] & 0x3Fu);
	if (len == 3)
		return (s[0] & 0x0Fu) << 12 | (s[1] & 0x3Fu) << 6 | (s[2] & 0x3Fu);
	return s[0];
}

int places_check(struct places *p, const char *name, struct err *e)
{
	const unsigned char *s = (const unsigned char *)p->text;
	size_t bad = 0;

	if (p->n >= 2 && ((s[0] == 0xFF && s[1] == 0xFE) || (s[0] == 0xFE && s[1] == 0xFF) ||
			  (s[0] != 0) != (s[1] != 0))) {
		err_set(e, ERR_SUITE, "the file is UTF-16 or UTF-32");
		err_hint(e, "save it as UTF-8");
		return refuse(p, name, 0, e);
	}
	if (!p->ascii && !utf8_valid(p->text, p->n, &bad)) {
		err_set(e, ERR_SUITE, "byte 0x%02X is not valid UTF-8", s[bad]);
		err_hint(e, "save the file as UTF-8");
		return refuse(p, name, bad, e);
	}
	for (size_t i = 0; i < p->n; i++) {
		/* every forbidden character starts with one of these bytes */
		if (s[i] >= 0x20 && s[i] != 0x7F && s[i] != 0xC2 && s[i] != 0xEF)
			continue;
		unsigned len = forbidden(s + i);

		if (len == 0)
			continue;
		err_set(e, ERR_SUITE, "character U+%04X is not allowed", code_point(s + i, len));
		return refuse(p, name, i, e);
	}
	return 0;
}
