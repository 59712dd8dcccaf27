/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * base/unittrap: numbers that are not plain decimals, and what was meant by them. Part of units.
 */
#ifndef BLKGATE_BASE_UNITTRAP_H
#define BLKGATE_BASE_UNITTRAP_H

#include "base/str.h"

/* When s starts with a number that reads differently elsewhere (010, 0x10, 1e3, 1_000, 1,5,
 * .5, 5.): returns what it is, and in fix the whole text in the plain spelling ("" when there is
 * none). NULL when the number is plain. s has no sign. */
const char *units_trap(const char *s, struct str *fix);

#endif
