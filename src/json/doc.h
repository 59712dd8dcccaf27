/* SPDX-License-Identifier: GPL-2.0-or-later */
/* json/doc: what a document is inside the room; the only header that sees jansson. */
#ifndef BLKGATE_JSON_DOC_H
#define BLKGATE_JSON_DOC_H

#include "json/json.h"
#include <jansson.h>

#define JSON_DEPTH_MAX 64u

/* Where json_object_at() stood last. */
struct json_cursor {
	const json_t *object;
	void *iter;
	size_t index;
};

struct json_doc {
	json_t *root;
	char *name;
	struct json_cursor *cursor; /* apart, so that a const document can be iterated */
};

#endif
