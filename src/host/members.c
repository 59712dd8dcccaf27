/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * host/members: facts of what has several physical disks below it (md, a striped volume) or several
 * links (a namespace with two controllers). A fact that is alike in all is that of the whole; where
 * they differ all values stand in it, and one that is unknown makes it unknown. What would have to
 * be added up, or is no more than one of several ways, is not a fact of the whole: addresses,
 * bandwidths.
 */
#include "host/internal.h"

#include <stdlib.h>

static int by_text(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static void merge(struct facts *f, struct arena *a, const char *key, const struct facts *m,
		  const char *const *names, size_t n)
{
	const char **v = xcalloc(n, sizeof(*v));
	const char *why = NULL;
	size_t known = 0;
	struct str s;

	for (size_t i = 0; i < n; i++) {
		const struct fact *x = facts_find(&m[i], key);

		if (x && x->value)
			v[known++] = x->value;
		else if (x && !why)
			why = arena_printf(a, "of '%s': %s", names[i], x->why);
		else if (!x)
			v[known++] = "none";
	}
	str_init(&s);
	qsort(v, known, sizeof(*v), by_text);
	for (size_t i = 0; i < known; i++)
		if (i == 0 || !str_eq(v[i], v[i - 1]))
			str_addf(&s, "%s%s", i ? " + " : "", v[i]);
	facts_set(f, a, key, why ? NULL : s.s, why);
	str_release(&s);
	free(v);
}

void members_merge(struct facts *f, struct arena *a, const char *const *keys, size_t nkeys,
		   const struct facts *m, const char *const *names, size_t n)
{
	for (size_t k = 0; k < nkeys; k++) {
		bool any = false;

		for (size_t i = 0; i < n; i++)
			any |= facts_find(&m[i], keys[k]) != NULL;
		if (any)
			merge(f, a, keys[k], m, names, n);
	}
}
