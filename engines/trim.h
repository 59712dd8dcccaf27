/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * engines/trim (private): a trim by system call, for the engines that do one I/O at a time. A block
 * device takes BLKDISCARD, a file a hole punched into it: fallocate on a device would write zeroes
 * where it cannot do so by a discard. Which of the two is asked of the descriptor once, at open.
 */
#ifndef BLKGATE_ENGINES_TRIM_H
#define BLKGATE_ENGINES_TRIM_H

#include "engines/engine.h"

#include <sys/types.h>

/* is_block[i] for each fds[i]. */
void trim_learn(const int *fds, unsigned n, int *is_block);
/* io->len or -1 with errno: the kernel trims all or nothing. */
ssize_t trim_one(int fd, bool is_block, const struct io *io) __attribute__((cold));

#endif
