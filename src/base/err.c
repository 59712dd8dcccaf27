/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/err.h"

#include <stdio.h>
#include <string.h>

/* A cut must not leave half a UTF-8 character: the text ends up in XML and JSON. */
static void mark_cut(char *s, size_t size)
{
	size_t end = size - 4; /* room for "..." and NUL */

	while (end > 0 && ((unsigned char)s[end] & 0xc0) == 0x80)
		end--;
	memcpy(s + end, "...", 4);
}

static void format(char *to, size_t size, const char *fmt, va_list ap)
{
	int n = vsnprintf(to, size, fmt, ap);

	if (n < 0)
		to[0] = '\0';
	else if ((size_t)n >= size)
		mark_cut(to, size);
}

/* The arguments may point into e itself, so the text is made aside and copied last. */
static void store(struct err *e, int code, int sys, const char *text)
{
	memset(e, 0, sizeof(*e));
	e->code = code;
	e->sys = sys;
	memcpy(e->text, text, strlen(text) + 1);
}

const char *err_text(int sys, char *buf, size_t n)
{
	const char *text = strerrordesc_np(sys < 0 ? -sys : sys);

	if (text)
		return text;
	snprintf(buf, n, "unknown error %d", sys < 0 ? -sys : sys);
	return buf;
}

int err_set(struct err *e, enum err_code code, const char *fmt, ...)
{
	char text[sizeof(e->text)];
	va_list ap;

	if (!e)
		return code;
	va_start(ap, fmt);
	format(text, sizeof(text), fmt, ap);
	va_end(ap);
	store(e, code, 0, text);
	return code;
}

int err_sys(struct err *e, enum err_code code, int sys, const char *fmt, ...)
{
	char text[sizeof(e->text)], cause[128], buf[32];
	va_list ap;

	if (!e)
		return code;
	if (sys < 0)
		sys = -sys;
	va_start(ap, fmt);
	format(text, sizeof(text), fmt, ap);
	va_end(ap);
	/* The cause always fits: a long subject is what gets cut. */
	snprintf(cause, sizeof(cause), ": %s", err_text(sys, buf, sizeof(buf)));
	if (strlen(text) + strlen(cause) >= sizeof(text))
		mark_cut(text, sizeof(text) - strlen(cause));
	strcat(text, cause);
	store(e, code, sys, text);
	return code;
}

int err_hint(struct err *e, const char *fmt, ...)
{
	char hint[sizeof(e->hint)];
	va_list ap;

	if (!e)
		return ERR_NONE;
	va_start(ap, fmt);
	format(hint, sizeof(hint), fmt, ap);
	va_end(ap);
	memcpy(e->hint, hint, strlen(hint) + 1);
	return e->code;
}

int err_at(struct err *e, const char *file, unsigned line, unsigned column)
{
	if (!e)
		return ERR_NONE;
	size_t n = file ? strlen(file) : 0;

	/* Of a long path the end tells more than the beginning. */
	if (n >= sizeof(e->file)) {
		const char *tail = file + n - (sizeof(e->file) - 4);

		while (((unsigned char)*tail & 0xc0) == 0x80)
			tail++;
		snprintf(e->file, sizeof(e->file), "...%s", tail);
	} else {
		memmove(e->file, file ? file : "", n + 1);
	}
	e->line = line;
	e->column = column;
	return e->code;
}

int err_prefix(struct err *e, const char *fmt, ...)
{
	char what[sizeof(e->text)], text[2 * sizeof(e->text) + 4];
	va_list ap;

	if (!e)
		return ERR_NONE;
	va_start(ap, fmt);
	format(what, sizeof(what), fmt, ap);
	va_end(ap);
	int n = snprintf(text, sizeof(text), "%s: %s", what, e->text);
	if (n >= (int)sizeof(e->text))
		mark_cut(text, sizeof(e->text));
	memcpy(e->text, text, strlen(text) + 1);
	return e->code;
}
