/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cmd/cmd.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <unistd.h>

/* Hostile text (a device's model, a file name) must not reach a terminal as control codes. */
static void put_clean(const char *text)
{
	struct str s;

	str_init(&s);
	str_add_clean(&s, text, SIZE_MAX);
	fwrite(s.s, 1, s.len, stderr);
	str_release(&s);
}

void say(const char *fmt, ...)
{
	struct str s;
	va_list ap;

	str_init(&s);
	va_start(ap, fmt);
	str_vaddf(&s, fmt, ap);
	va_end(ap);
	put_clean(s.s);
	fputc('\n', stderr);
	str_release(&s);
}

static void say_place(const char *file, unsigned line, unsigned column)
{
	if (!file || !file[0])
		return;
	put_clean(file);
	if (line)
		fprintf(stderr, ":%u", line);
	if (line && column)
		fprintf(stderr, ":%u", column);
	fputs(": ", stderr);
}

void say_err(const struct err *e)
{
	fputs("blkgate: ", stderr);
	say_place(e->file, e->line, e->column);
	put_clean(e->text);
	fputc('\n', stderr);
	if (e->hint[0])
		say("  %s", e->hint);
}

char *err_sentence(const struct err *e)
{
	char place[300] = "";

	if (e->line)
		snprintf(place, sizeof(place), "%s:%u:%u: ", e->file, e->line, e->column);
	else if (e->file[0])
		snprintf(place, sizeof(place), "%s: ", e->file);
	return xasprintf("%s%s%s%s", place, e->text, e->hint[0] ? "; " : "", e->hint);
}

static void say_rule(const char *name)
{
	char number[RULE_NUMBER_SIZE];
	enum rule r;

	if (name && *name && rule_find(name, &r) == 0)
		fprintf(stderr, " [%s %s]", rule_number(r, number), name);
}

void say_diags(const struct diags *d, enum diag_level least)
{
	static const char *const level[] = {"note", "warning", "error"};

	for (size_t i = 0; i < d->n; i++) {
		const struct diag *g = &d->v[i];

		if (g->level < least)
			continue;
		say_place(g->file, g->line, g->column);
		fprintf(stderr, "%s: ", level[g->level]);
		put_clean(g->text);
		say_rule(g->rule);
		fputc('\n', stderr);
		if (g->hint && g->hint[0])
			say("  %s", g->hint);
	}
}

enum exit_status status_of(const struct err *e)
{
	switch (e->code) {
	case ERR_NONE:
		return STATUS_PASS;
	case ERR_USAGE:
	case ERR_SUITE:
	case ERR_REFUSED:
		return STATUS_USAGE;
	case ERR_NOBASE:
		return STATUS_NO_BASELINE;
	case ERR_INTR:
		return STATUS_INTERRUPTED;
	default:
		return STATUS_ERROR;
	}
}

bool want_colour(int fd)
{
	const char *no = getenv("NO_COLOR");
	const char *term = getenv("TERM");

	return isatty(fd) && !(no && no[0]) && !(term && str_eq(term, "dumb"));
}

unsigned terminal_width(int fd)
{
	struct winsize w;

	if (!isatty(fd) || ioctl(fd, TIOCGWINSZ, &w) < 0 || w.ws_col < 40)
		return 80;
	return w.ws_col;
}

int bisect_status(enum exit_status s)
{
	switch (s) {
	case STATUS_PASS:
		return 0;
	case STATUS_REGRESSION:
		return 1;
	case STATUS_INCONCLUSIVE:
	case STATUS_ERROR:
		return 125;
	default:
		return 128;
	}
}
