/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * suite/yaml: a YAML document as a located tree, over libyaml's event parser.
 *
 * Strict subset: one document, no tags, no merge keys `<<`, unique keys, valid UTF-8; guards: depth
 * 64, nodes 2 million (aliases counted as expanded), 64 MiB of text. Aliases share nodes.
 * The first error of syntax is reported with place and the hint for the usual traps. A UTF-8 byte
 * order mark at the start is skipped, and columns count behind it.
 * Includes: base. Ownership: the tree lives in the caller's arena. Lines and columns from 1, in
 * bytes.
 */
#ifndef BLKGATE_SUITE_YAML_H
#define BLKGATE_SUITE_YAML_H

#include "base/arena.h"
#include "base/err.h"

enum { YAML_DEPTH_MAX = 64, YAML_NODES_MAX = 2000000, YAML_BYTES_MAX = 64 << 20 };

enum ykind { Y_SCALAR, Y_MAP, Y_SEQ };

struct ynode {
	enum ykind kind;
	bool quoted; /* scalar written with quotes or as a block */
	bool flow;   /* inside [] or {} */
	bool cut; /* unquoted, and `#` without a space behind it follows: a comment may have cut it
		   */
	bool bad; /* a ${} inside could not be replaced; reported, readers stay silent */
	uint32_t line, column;
	const char *text;    /* scalar: as written, ${x} replaced later by suite */
	const char *raw;     /* scalar: before replacement, NULL when nothing was replaced */
	struct ynode **item; /* sequence: elements; map: values */
	struct ynode **key;  /* map: keys (scalars), else NULL */
	size_t n;
};

/* name is the file name for messages. *out is NULL on failure. ERR_SUITE with place and hint. */
int yaml_parse(const char *text, size_t n, const char *name, struct arena *a, struct ynode **out,
	       struct err *e);
/* Value of a key, or NULL; *key (may be NULL) gets the key's node. */
struct ynode *yaml_get(const struct ynode *map, const char *key, struct ynode **key_node);
const char *ykind_name(enum ykind k); /* "a value", "a mapping", "a list" */

#endif
