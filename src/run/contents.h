/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * run/contents (private): what stands in the buffers of writes. Incompressible unless asked; of
 * every 512 bytes a share of zeros makes them compressible, and a share of the blocks repeats an
 * earlier one of the same thread.
 */
#ifndef BLKGATE_RUN_CONTENTS_H
#define BLKGATE_RUN_CONTENTS_H

#include "base/rng.h"
#include "model/job.h"

enum { CONTENTS_CHUNK = 512, CONTENTS_KEPT = 256 };

struct contents {
	uint32_t block;               /* bytes: the unit of duplicates */
	uint32_t filled;              /* of every chunk; zeros follow */
	uint32_t dedupe;              /* per cent */
	uint64_t kept[CONTENTS_KEPT]; /* seeds of earlier blocks, the oldest replaced first */
	uint64_t n;                   /* seeds so far */
	struct rng rng;
};

void contents_init(struct contents *c, const struct job *j, uint64_t seed);
/* Fills whole blocks (the last one may be cut). */
void contents_fill(struct contents *c, void *buf, size_t len);
/* One block, from its own seed. */
void contents_block(const struct contents *c, void *buf, uint32_t len, uint64_t seed);

#endif
