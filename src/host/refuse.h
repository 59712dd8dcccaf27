/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * host/refuse: the sentences for a target that cannot be used: what is the matter, which right is
 * missing, what to do. All return ERR_TARGET with e->sys set. Inside host only.
 */
#ifndef BLKGATE_HOST_REFUSE_H
#define BLKGATE_HOST_REFUSE_H

#include "host/host.h"
#include <sys/types.h>

/* Walking to the target failed at `where` (a path inside the root). */
int refuse_path(const struct host *h, const struct target *t, int sys, const char *where,
		struct err *e);
/* t->path is there, but may not be opened. */
int refuse_open(const struct host *h, const struct target *t, int sys, struct err *e);
/* Socket, fifo, character device. */
int refuse_kind(const struct target *t, mode_t mode, struct err *e);

#endif
