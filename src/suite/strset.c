/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "suite/strset.h"

#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/str.h"

void strset_init(struct strset *s)
{
	memset(s, 0, sizeof(*s));
}

void strset_release(struct strset *s)
{
	free(s->slot);
	strset_init(s);
}

static struct strset_slot *slot_of(const struct strset *s, const char *key)
{
	size_t i = hash_str(key) & (s->slots - 1);

	while (s->slot[i].key && strcmp(s->slot[i].key, key) != 0)
		i = (i + 1) & (s->slots - 1);
	return &s->slot[i];
}

static void grow(struct strset *s)
{
	struct strset old = *s;

	s->slots = old.slots ? old.slots * 2 : 32;
	s->slot = xcalloc(s->slots, sizeof(*s->slot));
	for (size_t i = 0; i < old.slots; i++)
		if (old.slot[i].key)
			*slot_of(s, old.slot[i].key) = old.slot[i];
	free(old.slot);
}

bool strset_add(struct strset *s, const char *key, uint32_t tag, uint32_t *before)
{
	if (s->n * 2 >= s->slots)
		grow(s);
	struct strset_slot *at = slot_of(s, key);

	if (at->key) {
		if (before)
			*before = at->tag;
		return false;
	}
	at->key = key;
	at->tag = tag;
	s->n++;
	return true;
}

bool strset_find(const struct strset *s, const char *key, uint32_t *tag)
{
	if (!s->slots)
		return false;
	const struct strset_slot *at = slot_of(s, key);

	if (at->key)
		*tag = at->tag;
	return at->key != NULL;
}
