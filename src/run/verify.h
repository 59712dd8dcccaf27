/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * run/verify (private): the writes of a thread under `verify`, and reading them back.
 *
 * No table of what was written: a pass visits each block once, so the position of the pattern tells
 * how often each block was written. For that, no block may have two writes in flight: a pass begins
 * when the one before it is complete. A failed or stopped run is not verified, and is not OK.
 */
#ifndef BLKGATE_RUN_VERIFY_H
#define BLKGATE_RUN_VERIFY_H

#include "run/pattern.h"
#include "run/verify_block.h"

struct task;

struct verify {
	bool on;
	uint64_t id;      /* of the thread of this run */
	uint64_t earlier; /* writes of the ramp, where the window began with a new pattern */
	uint64_t base;    /* passes that those began: the first of the window is one more */
};

void verify_init(struct task *k);
/* The window begins with a new pattern: its first pass overwrites what the ramp wrote. */
void verify_restart(struct task *k);
/* A prepared write of finished passes before it. */
void verify_fill(struct task *k, struct io *io, uint64_t pass);
/* How often the block was written; 0 = never. */
uint64_t verify_generation(const struct verify *v, const struct pattern *p, uint64_t block);
/* Reads back what this thread wrote, once all threads are done. Its engine is opened anew. What is
 * not as written, or cannot be read, fails the run. */
void verify_run(struct task *k);

#endif
