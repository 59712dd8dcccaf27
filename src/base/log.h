/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * base/log: notices. The second law (never fall back in silence) needs one place where a room can
 * announce what it replaced; src/cmd prints them, results store them. Texts are copied.
 */
#ifndef BLKGATE_BASE_LOG_H
#define BLKGATE_BASE_LOG_H

#include <stddef.h>

struct notices {
	char **v;
	size_t n, cap;
};

void notices_init(struct notices *n);
void notices_release(struct notices *n);
/* Adds a sentence unless the same one is already there; true when it was new. */
_Bool notices_add(struct notices *n, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

#endif
