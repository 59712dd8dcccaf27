/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * engines/sync: what psync, pvsync2 and mmap share: submit does the one I/O, reap hands it back.
 * Includes: engines/engine.h. A context begins with this struct.
 */
#ifndef BLKGATE_ENGINES_SYNC_H
#define BLKGATE_ENGINES_SYNC_H

#include "engines/engine.h"

struct sync_done {
	struct io *io; /* finished and not yet reaped; NULL = none */
};

/* The reap hook: there is nothing to wait for. */
int sync_reap(void *ctx, struct io **done, unsigned min, unsigned max, uint64_t until);

#endif
