/* SPDX-License-Identifier: GPL-2.0-or-later */
/* `labels`: what no machine can read, and what one can. */
#include <string.h>

#include "suite/reader.h"

/* The fact behind a label's name, NULL = the machine does not tell. */
static const char *fact_of_label(const char *name)
{
	for (size_t i = 0; i < fact_word_count; i++) {
		const char *last = strrchr(fact_words[i], '.');

		if ((str_starts(fact_words[i], "device.") || str_starts(fact_words[i], "kernel.") ||
		     str_starts(fact_words[i], "cpu.") || str_starts(fact_words[i], "host.")) &&
		    strcmp(last + 1, name) == 0)
			return fact_words[i];
	}
	return strcmp(name, "kernel") == 0 ? "kernel.release" : NULL;
}

static void label_of_fact(struct reader *r, const struct ynode *k)
{
	const char *fact = fact_of_label(k->text);

	if (fact)
		rd_hint(rd_warn(r, k, RULE_LABEL_REPEATS,
				"label '%s' repeats what is read as '%s': one day they will differ",
				k->text, fact),
			"remove it and use '%s'", fact);
}

void read_labels(struct reader *r, const struct ynode *key, const struct ynode *node)
{
	if (!rd_is(r, key, node, Y_MAP))
		return;
	for (size_t i = 0; i < node->n; i++) {
		const struct ynode *k = node->key[i];
		const char *text = rd_text(r, k, node->item[i]);
		struct label_rule *l;

		if (!text || !rd_name(r, k, "label", "_-"))
			continue;
		label_of_fact(r, k);
		l = VEC_PUSH(&r->s->labels);
		l->name = k->text;
		l->required = strcmp(text, "required") == 0;
		l->value = l->required ? NULL : text;
		l->line = k->line;
		l->column = k->column;
	}
}
