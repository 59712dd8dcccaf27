/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * run/verify_block (private): one block of a run under `verify`. It begins with a header that says
 * whose it is, where it belongs and which write of that place it was, under a crc32c of all that
 * follows the sum; the rest is seeded by these, so that what should stand there can be made again.
 * Of the machine's byte order: nobody reads it but the run that wrote it.
 */
#ifndef BLKGATE_RUN_VERIFY_BLOCK_H
#define BLKGATE_RUN_VERIFY_BLOCK_H

#include "run/contents.h"

struct verify_mark {
	uint64_t id;         /* of the thread of the run */
	uint64_t offset;     /* bytes */
	uint64_t generation; /* counts the writes of this block, from 1 */
};

/* len: at least VERIFY_BS_MIN. */
void verify_block_fill(const struct contents *c, void *buf, uint32_t len,
		       const struct verify_mark *m);
bool verify_block_ok(const void *buf, uint32_t len, const struct verify_mark *m);
/* Of a block that is not: what stands there instead, as the rest of a sentence behind "found". */
void verify_block_explain(const struct contents *c, const void *buf, uint32_t len,
			  const struct verify_mark *m, char *text, size_t size);

#endif
