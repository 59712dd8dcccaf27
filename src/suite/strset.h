/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * suite/strset: a set of strings, each with a number, so that no check for duplicates is quadratic.
 * Keys are not copied. Private to the suite room. Includes: base.
 */
#ifndef BLKGATE_SUITE_STRSET_H
#define BLKGATE_SUITE_STRSET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct strset_slot {
	const char *key; /* NULL = free */
	uint32_t tag;
};

struct strset {
	struct strset_slot *slot;
	size_t n, slots; /* slots is a power of two, or 0 */
};

void strset_init(struct strset *s);
void strset_release(struct strset *s);
/* Adds key unless it is there; true when it was new, else *before (may be NULL) is its number. */
bool strset_add(struct strset *s, const char *key, uint32_t tag, uint32_t *before);
bool strset_find(const struct strset *s, const char *key, uint32_t *tag);

#endif
