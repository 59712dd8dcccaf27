/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * run/pattern: which direction and offset comes next. O(1) memory for every pattern: with
 * norandommap false each block of the region is visited exactly once a pass by walking a keyed
 * permutation (4-round Feistel network over the next power of two, cycle walking), another key each
 * pass.
 * Includes: model/job.h, base/rng.h. Threads: one pattern a thread.
 */
#ifndef BLKGATE_RUN_PATTERN_H
#define BLKGATE_RUN_PATTERN_H

#include "base/rng.h"
#include "model/job.h"
#include "model/outcome.h"
#include "run/spread.h"

enum { PATTERN_AHEAD = 32 };

/* The permutation of one pass. */
struct shuffle {
	uint64_t key[4];            /* one a round */
	unsigned to_left, to_right; /* shift that leaves as many bits as that half is wide */
};

struct pattern {
	uint64_t blocks, offset; /* region in blocks of bs; first byte */
	uint32_t bs;
	bool random, map;  /* map: exactly once a pass */
	uint32_t read_pct; /* 100 = reads only */
	enum io_dir other; /* what is not a read */
	uint64_t pos, pass;
	struct shuffle shuffle;
	struct rng rng, mix;
	uint32_t len, units; /* of the I/O that pattern_next() gave: bytes, blocks */
	enum io_dir only;    /* of a plain one */
	bool plain;          /* one size, one direction, each block once a pass */
	bool odd;            /* sizes vary or offsets are not uniform: spread is in use */
	struct spread spread;
	unsigned taken,
		nahead; /* of a plain one: offsets that were computed ahead, all of one pass */
	uint64_t ahead[PATTERN_AHEAD];
};

/* The next one, where none was computed ahead. */
void pattern_draw(struct pattern *p, enum io_dir *dir, uint64_t *offset, uint64_t *pass);

/* One file of thread t of the job. Sequential jobs of a shared file all start at the region's
 * begin, as fio's do. */
void pattern_init(struct pattern *p, const struct job *j, unsigned thread, uint64_t seed);
/* Of another file of the same thread: begins anew with a seed of its own. Cheaper than
 * pattern_init(). */
void pattern_init_like(struct pattern *p, const struct pattern *like, unsigned thread,
		       uint64_t seed);
/* Next I/O; *pass counts finished passes over the region before it. Of sizes that vary an I/O
 * covers several blocks of the smallest one. A sequential pass cuts its last I/O; a random one that
 * would reach beyond the region starts earlier. Ranks of zipf and pareto are scattered over the
 * region by one permutation, the same for all threads: hot blocks are hot for all of them. */
static inline void pattern_next(struct pattern *p, enum io_dir *dir, uint64_t *offset,
				uint64_t *pass)
{
	if (__builtin_expect(p->taken == p->nahead, 0)) {
		pattern_draw(p, dir, offset, pass);
		return;
	}
	*offset = p->ahead[p->taken++];
	*pass = p->pass;
	*dir = p->only;
}
/* Takes back the last n I/Os, which were never submitted. Of the patterns that verify has:
 * neither of sizes that vary nor of a plain one, which is computed ahead. */
void pattern_rewind(struct pattern *p, uint64_t n);
/* Which I/O of that pass goes to the block, from 0; of patterns that visit each block once a pass.
 */
uint64_t pattern_position(const struct pattern *p, uint64_t pass, uint64_t block);
/* The permutation itself, for tests: a bijection of [0, blocks). */
uint64_t pattern_permute(const struct pattern *p, uint64_t i);

#endif
