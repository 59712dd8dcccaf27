/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Filling the buffers of writes. The reasons are in the header. */
#include "run/contents.h"

#include <string.h>

void contents_init(struct contents *c, const struct job *j, uint64_t seed)
{
	*c = (struct contents){.block = j->bs, .dedupe = j->dedupe_percentage};
	/* Whole words, and at least one: a chunk of zeros may not be written at all by the target.
	 */
	c->filled = CONTENTS_CHUNK - CONTENTS_CHUNK * j->buffer_compress_percentage / 100;
	c->filled = c->filled < 8 ? 8 : (c->filled + 7) / 8 * 8;
	rng_seed(&c->rng, seed);
}

/* One multiplication a word and no chain between words: the processor does several at once. */
static void fill_chunk(uint8_t *b, uint32_t filled, uint32_t len, uint64_t seed)
{
	uint32_t words = (filled < len ? filled : len) / 8, done = words * 8;

	for (uint32_t i = 0; i < words; i++) {
		uint64_t v = (seed + i) * 0x9e3779b97f4a7c15ULL;

		v = (v ^ v >> 32) * 0xd6e8feb86659fd93ULL;
		v ^= v >> 29;
		memcpy(b + 8 * i, &v, sizeof(v));
	}
	memset(b + done, 0, len - done);
}

static uint64_t next_seed(struct contents *c)
{
	uint64_t have = c->n < CONTENTS_KEPT ? c->n : CONTENTS_KEPT, seed;

	if (have && c->dedupe && rng_below(&c->rng, 100) < c->dedupe)
		return c->kept[rng_below(&c->rng, have)];
	seed = rng_next(&c->rng);
	c->kept[c->n++ % CONTENTS_KEPT] = seed;
	return seed;
}

void contents_block(const struct contents *c, void *buf, uint32_t len, uint64_t seed)
{
	uint8_t *b = buf;

	for (uint32_t at = 0; at < len; at += CONTENTS_CHUNK) {
		uint32_t n = len - at < CONTENTS_CHUNK ? len - at : CONTENTS_CHUNK;

		fill_chunk(b + at, c->filled, n, seed + at);
	}
}

void contents_fill(struct contents *c, void *buf, size_t len)
{
	uint8_t *b = buf;

	while (len) {
		uint32_t block = len < c->block ? (uint32_t)len : c->block;

		contents_block(c, b, block, next_seed(c));
		b += block;
		len -= block;
	}
}
