/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * gate/blocks: sessions of one boot within 6 h count as one block, since they share what the boot
 * brings. A session of unknown boot counts as of the boot of those about it: what is not known makes
 * no block of its own.
 */
#ifndef BLKGATE_GATE_BLOCKS_H
#define BLKGATE_GATE_BLOCKS_H

#include <stddef.h>
#include <stdint.h>

#define BLOCK_SECONDS (6 * 3600)

struct boot_time {
	const char *boot; /* NULL = unknown */
	int64_t started;  /* UTC */
};

/* Puts the block of each session (from 0, in order of first appearance) into block (room for n);
 * returns the number of blocks. A block reaches 6 h from its first session in the given order. */
uint32_t blocks_assign(const struct boot_time *v, size_t n, uint32_t *block);

#endif
