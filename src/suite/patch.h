/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * suite/patch: changes single values in the text of a suite and leaves everything else, comments
 * and layout, as it is. Includes: base.
 */
#ifndef BLKGATE_SUITE_PATCH_H
#define BLKGATE_SUITE_PATCH_H

#include "base/err.h"
#include "base/str.h"

struct patch_edit {
	uint32_t line, column; /* where the value begins, from 1, in bytes */
	const char *was, *is;  /* plain values; quotes around the old one stay */
};

/* Edits in any order; two of one place (an anchor and its alias) must want the same. out gets the whole new text. ERR_SUITE when another text
 * stands at a place: the file has changed, or the value came from a parameter. */
int patch_text(const char *text, size_t n, const struct patch_edit *v, size_t count,
	       struct str *out, struct err *e);
/* The lines that differ as a unified diff without context, for `patch -p0`: both texts have the
 * same number of lines. */
void patch_diff(const char *name, const char *was, const char *is, struct str *out);

#endif
