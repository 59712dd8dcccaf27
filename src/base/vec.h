/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * base/vec: growing a plain {pointer, n, cap} triple, the one way arrays grow here.
 *
 *	struct { struct job *v; size_t n, cap; } jobs = {0};
 *	struct job *j = VEC_PUSH(&jobs);       (zeroed new element)
 *	VEC_RELEASE(&jobs);
 */
#ifndef BLKGATE_BASE_VEC_H
#define BLKGATE_BASE_VEC_H

#include "base/str.h"
#include <stdlib.h>
#include <string.h>

#define VEC(type)                                                                                  \
	struct {                                                                                   \
		type *v;                                                                           \
		size_t n, cap;                                                                     \
	}

static inline void *vec_grow(void *v, size_t n, size_t *cap, size_t size)
{
	if (n < *cap)
		return v;
	*cap = *cap ? *cap * 2 : 8;
	return xreallocarray(v, *cap, size);
}

/* Pointer to a new zeroed last element. */
#define VEC_PUSH(p)                                                                                \
	((p)->v = vec_grow((p)->v, (p)->n, &(p)->cap, sizeof(*(p)->v)),                            \
	 memset(&(p)->v[(p)->n], 0, sizeof(*(p)->v)), &(p)->v[(p)->n++])

#define VEC_RELEASE(p)                                                                             \
	do {                                                                                       \
		free((p)->v);                                                                      \
		(p)->v = NULL;                                                                     \
		(p)->n = (p)->cap = 0;                                                             \
	} while (0)

#endif
