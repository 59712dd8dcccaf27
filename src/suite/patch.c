/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "suite/patch.h"

#include <stdlib.h>
#include <string.h>

static int by_place(const void *a, const void *b)
{
	const struct patch_edit *x = a, *y = b;

	if (x->line != y->line)
		return x->line < y->line ? -1 : 1;
	return (x->column > y->column) - (x->column < y->column);
}

/* Start of a line, or NULL behind the last one. */
static const char *line_at(const char *text, const char *end, uint32_t line)
{
	for (; line > 1 && text; line--) {
		const char *nl = memchr(text, '\n', (size_t)(end - text));

		text = nl ? nl + 1 : NULL;
	}
	return text;
}

static int elsewhere(const struct patch_edit *p, struct err *e)
{
	err_set(e, ERR_SUITE, "line %u, column %u does not hold '%s'", p->line, p->column, p->was);
	return err_hint(e, "the file was changed meanwhile, or the value is a parameter: change it "
			   "by hand");
}

static int block_scalar(const struct patch_edit *p, struct err *e)
{
	err_set(e, ERR_SUITE,
		"line %u: the value is a block scalar (| or >), which is not rewritten", p->line);
	return err_hint(e, "write it behind the key, as 5%%, or change it to %s by hand", p->is);
}

/* Aliases of one anchor: one text for several values, so they must want the same. */
static int shared(const struct patch_edit *a, const struct patch_edit *b, struct err *e)
{
	if (str_eq(a->is, b->is))
		return 0;
	err_set(e, ERR_SUITE,
		"line %u: several values share this text by an anchor, and would become %s and %s",
		a->line, a->is, b->is);
	return err_hint(e, "write each value out, or change it by hand");
}

int patch_text(const char *text, size_t n, const struct patch_edit *v, size_t count,
	       struct str *out, struct err *e)
{
	struct patch_edit *sorted = xcalloc(count + 1, sizeof(*sorted));
	const char *at = text, *end = text + n;
	int rc = 0;

	if (count)
		memcpy(sorted, v, count * sizeof(*v));
	qsort(sorted, count, sizeof(*sorted), by_place);
	for (size_t i = 0; i < count && rc == 0; i++) {
		const struct patch_edit *p = &sorted[i];
		const char *place = line_at(text, end, p->line);
		size_t length = strlen(p->was);

		if (i && by_place(p - 1, p) == 0) {
			rc = shared(p - 1, p, e);
			continue;
		}
		if (place && p->column >= 1 && (size_t)(end - place) >= p->column)
			place += p->column - 1;
		else
			place = NULL;
		if (place && *place == '&') { /* the value begins with the name of its anchor */
			place += strcspn(place, " \t\n");
			place += strspn(place, " \t");
		}
		if (place && (*place == '|' || *place == '>')) {
			rc = block_scalar(p, e);
			break;
		}
		if (place && (*place == '"' || *place == '\''))
			place++;
		if (!place || place < at || (size_t)(end - place) < length ||
		    memcmp(place, p->was, length) != 0) {
			rc = elsewhere(p, e);
			break;
		}
		str_addn(out, at, (size_t)(place - at));
		str_add(out, p->is);
		at = place + length;
	}
	if (rc == 0)
		str_addn(out, at, (size_t)(end - at));
	free(sorted);
	return rc;
}

void patch_diff(const char *name, const char *was, const char *is, struct str *out)
{
	bool any = false;

	for (unsigned line = 1; *was && *is; line++) {
		size_t a = strcspn(was, "\n"), b = strcspn(is, "\n");

		if (a != b || memcmp(was, is, a) != 0) {
			if (!any)
				str_addf(out, "--- %s\n+++ %s\n", name, name);
			any = true;
			str_addf(out, "@@ -%u +%u @@\n-%.*s\n+%.*s\n", line, line, (int)a, was,
				 (int)b, is);
		}
		was += a + (was[a] == '\n');
		is += b + (is[b] == '\n');
	}
}
