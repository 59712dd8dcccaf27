/* SPDX-License-Identifier: GPL-2.0-or-later */
/* base/hash: FNV-1a 64, for labels and tables. A label is never evidence: texts are compared. */
#ifndef BLKGATE_BASE_HASH_H
#define BLKGATE_BASE_HASH_H

#include <stddef.h>
#include <stdint.h>

uint64_t hash_bytes(const void *p, size_t n);
uint64_t hash_str(const char *s);

#endif
