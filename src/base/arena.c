/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/arena.h"
#include "base/str.h"

#include <stdalign.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BLOCK_BYTES 8192u

struct arena_block {
	struct arena_block *next;
	size_t used, size;
	alignas(max_align_t) char data[];
};

void arena_init(struct arena *a)
{
	a->head = NULL;
}

void arena_release(struct arena *a)
{
	while (a->head) {
		struct arena_block *b = a->head;

		a->head = b->next;
		free(b);
	}
}

void *arena_alloc(struct arena *a, size_t n)
{
	const size_t align = alignof(max_align_t);
	struct arena_block *b = a->head;

	if (n > SIZE_MAX / 2)
		return xcalloc(n, 2); /* overflows: the one way out is the common abort */
	n = n ? (n + align - 1) / align * align : align;
	if (!b || b->size - b->used < n) {
		size_t size = n > BLOCK_BYTES ? n : BLOCK_BYTES;

		b = xcalloc(1, sizeof(*b) + size);
		b->size = size;
		/* A big block goes behind the head, whose rest stays in use. */
		if (a->head && size > BLOCK_BYTES) {
			b->next = a->head->next;
			a->head->next = b;
		} else {
			b->next = a->head;
			a->head = b;
		}
	}
	void *p = b->data + b->used;
	b->used += n;
	return p;
}

char *arena_strndup(struct arena *a, const char *s, size_t n)
{
	if (!s)
		return NULL;
	size_t len = strnlen(s, n);
	char *to = arena_alloc(a, len + 1);

	memcpy(to, s, len);
	return to;
}

char *arena_strdup(struct arena *a, const char *s)
{
	return s ? arena_strndup(a, s, strlen(s)) : NULL;
}

char *arena_printf(struct arena *a, const char *fmt, ...)
{
	struct str text;
	va_list ap;

	str_init(&text);
	va_start(ap, fmt);
	str_vaddf(&text, fmt, ap);
	va_end(ap);
	char *to = arena_strdup(a, text.s);
	str_release(&text);
	return to;
}
