/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * model/names: private to this room. The words of an enum stand once in a const array in the order
 * of the enum; both directions read it. Exact match: no case folding, no abbreviations.
 */
#ifndef BLKGATE_MODEL_NAMES_H
#define BLKGATE_MODEL_NAMES_H

#include <stddef.h>
#include <string.h>

#define NAMES_COUNT(a) (sizeof(a) / sizeof((a)[0]))

static inline const char *names_at(const char *const *v, size_t n, size_t i)
{
	return i < n ? v[i] : "?";
}

/* Index or -1. */
static inline int names_find(const char *const *v, size_t n, const char *name)
{
	for (size_t i = 0; name && i < n; i++) {
		if (strcmp(v[i], name) == 0)
			return (int)i;
	}
	return -1;
}

/* Defines TYPE##_name and TYPE##_find over one array: the pair cannot drift apart. */
#define NAMES_DEFINE(prefix, type, array)                                                          \
	const char *prefix##_name(type x)                                                          \
	{                                                                                          \
		return names_at(array, NAMES_COUNT(array), (size_t)x);                             \
	}                                                                                          \
	int prefix##_find(const char *name, type *out)                                             \
	{                                                                                          \
		int i = names_find(array, NAMES_COUNT(array), name);                               \
                                                                                                   \
		if (i < 0)                                                                         \
			return -1;                                                                 \
		*out = (type)i;                                                                    \
		return 0;                                                                          \
	}

#endif
