/* SPDX-License-Identifier: GPL-2.0-or-later */
/* model/facts: a sorted array of key/value texts. */
#include "model/facts.h"
#include "base/vec.h"

void facts_init(struct facts *f)
{
	*f = (struct facts){0};
}

void facts_release(struct facts *f)
{
	VEC_RELEASE(f);
}

/* Position of the first key not below `key`. */
static size_t facts_lower(const struct facts *f, const char *key)
{
	size_t lo = 0, hi = f->n;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (strcmp(f->v[mid].key, key) < 0)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

void facts_set(struct facts *f, struct arena *a, const char *key, const char *value,
	       const char *why)
{
	size_t i = facts_lower(f, key);

	if (i == f->n || strcmp(f->v[i].key, key) != 0) {
		(void)VEC_PUSH(f);
		memmove(&f->v[i + 1], &f->v[i], (f->n - 1 - i) * sizeof(f->v[0]));
		f->v[i].key = arena_strdup(a, key);
	}
	f->v[i].value = arena_strdup(a, value);
	/* an unknown fact always says why: a must-match fact that is unknown decides a verdict */
	f->v[i].why = value ? NULL : arena_strdup(a, why && *why ? why : "no reason given");
}

const struct fact *facts_find(const struct facts *f, const char *key)
{
	size_t i = facts_lower(f, key);

	return i < f->n && strcmp(f->v[i].key, key) == 0 ? &f->v[i] : NULL;
}

const char *facts_value(const struct facts *f, const char *key)
{
	const struct fact *x = facts_find(f, key);

	return x ? x->value : NULL;
}

const struct fact *facts_find2(const struct facts *a, const struct facts *b, const char *key)
{
	const struct fact *x = facts_find(a, key);

	return x ? x : facts_find(b, key);
}
