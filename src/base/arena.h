/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * base/arena: memory that is freed all at once. Suites, plans and results keep their strings in
 * one; pointers into an arena are valid until arena_release(). Never returns NULL.
 */
#ifndef BLKGATE_BASE_ARENA_H
#define BLKGATE_BASE_ARENA_H

#include <stddef.h>

struct arena_block;
struct arena {
	struct arena_block *head;
};

void arena_init(struct arena *a);
void arena_release(struct arena *a);
void *arena_alloc(struct arena *a, size_t n);       /* zeroed, aligned for any type */
char *arena_strdup(struct arena *a, const char *s); /* NULL gives NULL */
char *arena_strndup(struct arena *a, const char *s, size_t n);
char *arena_printf(struct arena *a, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

#endif
