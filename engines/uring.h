/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * engines/uring: private to uring_setup.c (how a ring comes to be), io_uring.c and io_uring_cmd.c
 * (how it is used).
 */
#ifndef BLKGATE_ENGINES_URING_H
#define BLKGATE_ENGINES_URING_H

#include "engines/engine.h"

#include <errno.h>
#include <liburing.h>

struct uring {
	struct io_uring ring;
	int broken; /* negative errno of a submission whose entries could not be taken back */
	unsigned asked; /* set-up flags that the engine cannot do without */
	bool hipri, fixedbufs, registerfiles, sqthread_poll; /* in force */
	uint8_t op_read, op_write, sqe_flags;                /* what every entry of that kind has */
	uint16_t buf_mask; /* all = the buffer of an io is registered */
	char about[128];
	int fds[]; /* as they stand in an entry: descriptors, or indices of registered ones */
};

/* The ring with everything that the config asks for, or ERR_MEASURE: nothing is left out. */
int uring_setup(struct uring *u, const struct engine_config *c, struct err *e);
int uring_probe(struct err *e);
int uring_probe_cmd(struct err *e); /* with IORING_OP_URING_CMD and the ring that it needs */
static inline bool uring_try_again(int rc)
{
	return rc == -EAGAIN || rc == -EBUSY || rc == -EINTR || rc == -ETIME;
}

#endif
