/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * suite/yaml_place: from libyaml's positions to line and column in bytes.
 *
 * libyaml counts characters, and reports bad encoding only as 1:1, so the buffer is checked first
 * and an index is turned into a byte offset here. Lines end at '\n' alone, as editors and compilers
 * count. Private to the suite room. Includes: base.
 */
#ifndef BLKGATE_SUITE_YAML_PLACE_H
#define BLKGATE_SUITE_YAML_PLACE_H

#include "base/err.h"

struct places {
	const char *text;
	size_t n;
	bool ascii;
	size_t index, byte; /* cursor of places_byte: positions come nearly in order */
	size_t *line;       /* byte offset of each line */
	size_t nlines, cap;
	size_t last; /* line found last */
};

void places_init(struct places *p, const char *text, size_t n);
void places_release(struct places *p);
/* UTF-8 and the characters that YAML allows; ERR_SUITE with place. */
int places_check(struct places *p, const char *name, struct err *e);
/* Byte offset of a character index. */
size_t places_byte(struct places *p, size_t index);
void places_find(struct places *p, size_t byte, unsigned *line, unsigned *column);

#endif
