/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Words that take a list of values. */
#include <stdlib.h>
#include <string.h>

#include "base/units.h"
#include "suite/words_read.h"
#include "suite/yaml.h"

enum { PERCENTILES_MAX = 20, NUMBER_MAX = 16 }; /* fio's limit too; longest text of one */

const char *word_text(const struct word *w, const struct ynode *node, struct arena *a)
{
	const char *text;
	struct str s;

	if (node->kind == Y_SCALAR)
		return w->map ? NULL : node->text;
	if (w->map)
		return node->kind == Y_MAP ? word_map_text(node, a) : NULL;
	if (node->kind != Y_SEQ || !w->list)
		return NULL;
	str_init(&s);
	for (size_t i = 0; i < node->n; i++) {
		if (node->item[i]->kind != Y_SCALAR) {
			str_release(&s);
			return NULL;
		}
		str_addf(&s, "%s%s", i ? ":" : "", node->item[i]->text);
	}
	text = arena_strdup(a, s.s);
	str_release(&s);
	return text;
}

static int one_percentile(const struct word *w, const char *from, size_t n, double *out,
			  struct err *e)
{
	char part[NUMBER_MAX];

	if (n && n < sizeof(part)) {
		memcpy(part, from, n);
		part[n] = '\0';
		if (units_number(part, out, e) == 0 && *out > 0 && *out < 100)
			return 0;
	}
	err_set(e, ERR_SUITE, "%s: '%.*s' is no number between 0 and 100", w->name,
		(int)(n < 40 ? n : 40), from);
	return err_hint(e, "write [50, 99, 99.9], or 50:99:99.9");
}

static int ascending(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

/* Whether there is such a percentile is the plan's to know, which has the table of metrics. */
WORD_READER(word_read_percentiles)
{
	double v[PERCENTILES_MAX];
	unsigned n = 0;
	struct str out;

	for (const char *s = text, *end; s; s = *end ? end + 1 : NULL) {
		end = strchrnul(s, ':');
		if (n == PERCENTILES_MAX)
			return err_set(e, ERR_SUITE, "%s: more than %d percentiles", w->name,
				       PERCENTILES_MAX);
		if (one_percentile(w, s, (size_t)(end - s), &v[n++], e))
			return e->code;
	}
	qsort(v, n, sizeof(*v), ascending);
	str_init(&out);
	for (unsigned i = 0; i < n; i++) {
		str_addf(&out, "%s", i ? ":" : "");
		units_add_double(&out, v[i]);
		if (i && !(v[i] > v[i - 1])) {
			err_set(e, ERR_SUITE, "%s: %.6g stands there twice", w->name, v[i]);
			break;
		}
	}
	j->percentile_list = arena_strdup(a, out.s);
	str_release(&out);
	return e->code;
}
