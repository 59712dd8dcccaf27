/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/diags.h"
#include "base/vec.h"

void diags_init(struct diags *d)
{
	memset(d, 0, sizeof(*d));
}

void diags_release(struct diags *d)
{
	for (size_t i = 0; i < d->n; i++) {
		free(d->v[i].rule);
		free(d->v[i].file);
		free(d->v[i].text);
		free(d->v[i].hint);
	}
	free(d->v);
	diags_init(d);
}

/* A finding is one line, whatever the suite made it quote: a value of several could look like
 * findings, or like a verdict, of its own. Takes the text. */
static char *one_line(char *text)
{
	struct str s;

	if (!strpbrk(text, "\n\r"))
		return text;
	str_init(&s);
	for (const char *p = text; *p; p++)
		if (*p == '\n' || *p == '\r')
			str_add(&s, *p == '\n' ? "\\n" : "\\r");
		else
			str_addc(&s, *p);
	free(text);
	return str_detach(&s);
}

static struct diag *append(struct diags *d, enum diag_level level, const char *rule,
			   const char *file, unsigned line, unsigned column, char *text)
{
	struct diag *g = VEC_PUSH(d);

	g->level = level;
	g->rule = xstrdup(rule ? rule : "");
	g->file = xstrdup(file ? file : "");
	g->line = line;
	g->column = column;
	g->text = one_line(text);
	g->hint = xstrdup("");
	if (level == DIAG_ERROR)
		d->errors++;
	else if (level == DIAG_WARN)
		d->warnings++;
	return g;
}

struct diag *diags_add(struct diags *d, enum diag_level level, const char *rule, const char *file,
		       unsigned line, unsigned column, const char *fmt, ...)
{
	struct str text;
	va_list ap;

	str_init(&text);
	va_start(ap, fmt);
	str_vaddf(&text, fmt, ap);
	va_end(ap);
	return append(d, level, rule, file, line, column, str_detach(&text));
}

void diag_hint(struct diag *g, const char *fmt, ...)
{
	struct str text;
	va_list ap;

	str_init(&text);
	va_start(ap, fmt);
	str_vaddf(&text, fmt, ap);
	va_end(ap);
	free(g->hint);
	g->hint = one_line(str_detach(&text));
}

void diags_add_err(struct diags *d, const struct err *e)
{
	struct diag *g = append(d, DIAG_ERROR, NULL, e->file, e->line, e->column, xstrdup(e->text));

	if (e->hint[0])
		diag_hint(g, "%s", e->hint);
}

/* qsort() promises no order for equals, so the place of arrival is the last key. */
struct ranked {
	struct diag g;
	size_t at;
};

static int compare_place(const void *pa, const void *pb)
{
	const struct ranked *a = pa, *b = pb;
	int c = strcmp(a->g.file, b->g.file);

	if (c)
		return c;
	if (a->g.line != b->g.line)
		return a->g.line < b->g.line ? -1 : 1;
	if (a->g.column != b->g.column)
		return a->g.column < b->g.column ? -1 : 1;
	return a->at < b->at ? -1 : a->at > b->at;
}

void diags_sort(struct diags *d)
{
	if (d->n < 2)
		return;
	struct ranked *r = xreallocarray(NULL, d->n, sizeof(*r));

	for (size_t i = 0; i < d->n; i++)
		r[i] = (struct ranked){.g = d->v[i], .at = i};
	qsort(r, d->n, sizeof(*r), compare_place);
	for (size_t i = 0; i < d->n; i++)
		d->v[i] = r[i].g;
	free(r);
}

int diags_to_err(const struct diags *d, enum err_code code, struct err *e)
{
	const struct diag *first = NULL;
	size_t same = 0;

	/* Without an error the first finding speaks: a strict caller refuses warnings too. */
	for (size_t i = 0; i < d->n; i++) {
		if (d->errors && d->v[i].level != DIAG_ERROR)
			continue;
		if (!first)
			first = &d->v[i];
		same++;
	}
	if (!first)
		return err_set(e, code, "no finding");
	if (same > 1)
		err_set(e, code, "%s (and %zu more)", first->text, same - 1);
	else
		err_set(e, code, "%s", first->text);
	if (first->hint[0])
		err_hint(e, "%s", first->hint);
	err_at(e, first->file, first->line, first->column);
	return code;
}
