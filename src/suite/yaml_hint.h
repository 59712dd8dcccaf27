/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * suite/yaml_hint: turns the parser's complaint into a sentence and a remedy for the usual traps.
 * Private to the suite room. Includes: base.
 */
#ifndef BLKGATE_SUITE_YAML_HINT_H
#define BLKGATE_SUITE_YAML_HINT_H

#include "base/err.h"

struct yaml_fault {
	const char *text; /* the whole buffer */
	size_t n;
	size_t at;                     /* byte offset of the problem, <= n */
	size_t context_at;             /* byte offset of what was being read; = at when unknown */
	const char *problem, *context; /* the parser's words; context may be NULL */
};

/* Fills text and hint of e (ERR_SUITE, no place); returns the byte offset that the place should
 * name. */
size_t yaml_hint_fault(const struct yaml_fault *f, struct err *e);
/* The sentence for a tag, which parses well and is refused. */
void yaml_hint_tag(const char *tag, struct err *e);
/* Hint for a scalar that looks like "key:value" without the space, else NULL. Static text. */
const char *yaml_hint_colon(const char *scalar);

#endif
