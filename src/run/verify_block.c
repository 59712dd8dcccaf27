/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The header and the sum of a verified block, and what a wrong one tells. */
#include "run/verify_block.h"

#include <isa-l/crc.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAGIC 0x6566697265764742ULL /* "BGverife" */

struct header {
	uint32_t sum; /* of all behind it */
	uint32_t len; /* of the block */
	uint64_t magic, id, offset, generation;
};
_Static_assert(sizeof(struct header) == 40 && sizeof(struct header) <= VERIFY_BS_MIN,
	       "without padding, and it fits into the smallest block");

/* The library leaves both inversions of the standard to its caller, and changes no byte. */
static uint32_t crc32c(const void *p, size_t n)
{
	return ~crc32_iscsi((unsigned char *)(uintptr_t)p, (int)n, ~0U);
}

static uint32_t sum_of(const void *buf, uint32_t len)
{
	const size_t from = offsetof(struct header, len);

	return crc32c((const uint8_t *)buf + from, len - from);
}

static struct header header_of(uint32_t len, const struct verify_mark *m)
{
	return (struct header){.len = len,
			       .magic = MAGIC,
			       .id = m->id,
			       .offset = m->offset,
			       .generation = m->generation};
}

void verify_block_fill(const struct contents *c, void *buf, uint32_t len,
		       const struct verify_mark *m)
{
	struct header h = header_of(len, m);

	contents_block(c, buf, len, rng_mix(rng_mix(m->id + m->generation) ^ m->offset));
	memcpy(buf, &h, sizeof(h));
	h.sum = sum_of(buf, len);
	memcpy(buf, &h, sizeof(h.sum));
}

bool verify_block_ok(const void *buf, uint32_t len, const struct verify_mark *m)
{
	struct header want = header_of(len, m);

	memcpy(&want.sum, buf, sizeof(want.sum));
	return memcmp(buf, &want, sizeof(want)) == 0 && want.sum == sum_of(buf, len);
}

static bool all_zero(const uint8_t *b, uint32_t len)
{
	return b[0] == 0 && memcmp(b, b + 1, len - 1) == 0;
}

/* The sum is right: a whole block of another place or time. */
static void explain_whole(const struct header *h, const struct verify_mark *m, char *text,
			  size_t size)
{
	unsigned long long generation = h->generation, offset = h->offset;

	if (h->id != m->id)
		snprintf(text, size,
			 "what another run or job wrote (for offset %llu, its write %llu there)%s",
			 offset, generation, h->offset == m->offset ? ": this write was lost" : "");
	else if (h->offset != m->offset)
		snprintf(text, size,
			 "the block of offset %llu, its write %llu: a write or a read went to the "
			 "wrong place",
			 offset, generation);
	else if (h->generation < m->generation)
		snprintf(text, size,
			 "write %llu of this block, older by %llu: the last one was lost",
			 generation, (unsigned long long)m->generation - generation);
	else
		snprintf(text, size, "write %llu of this block, which is newer", generation);
}

static void explain_damaged(const struct contents *c, const uint8_t *b, const struct header *h,
			    uint32_t len, const struct verify_mark *m, char *text, size_t size)
{
	uint8_t *want = xmalloc(len);
	uint32_t differ = 0, first = 0, last = 0;
	int n = 0;

	verify_block_fill(c, want, len, m);
	for (uint32_t i = 0; i < len; i++) {
		if (b[i] == want[i])
			continue;
		first = differ++ ? first : i;
		last = i;
	}
	if (h->magic != MAGIC)
		n = snprintf(text, size, "no header: lost, or damaged");
	else if (h->id != m->id || h->offset != m->offset || h->generation != m->generation)
		n = snprintf(text, size,
			     "a torn block, with the header of write %llu at offset %llu",
			     (unsigned long long)h->generation, (unsigned long long)h->offset);
	else
		n = snprintf(text, size, "damaged data");
	snprintf(text + n, size - (size_t)n,
		 ", crc32c 0x%08x where the data gives 0x%08x; %u bytes are wrong, from byte %u "
		 "(0x%02x, not 0x%02x) to byte %u of the block",
		 h->sum, sum_of(b, len), differ, first, b[first], want[first], last);
	free(want);
}

void verify_block_explain(const struct contents *c, const void *buf, uint32_t len,
			  const struct verify_mark *m, char *text, size_t size)
{
	struct header h;

	memcpy(&h, buf, sizeof(h));
	if (all_zero(buf, len))
		snprintf(text, size, "zeros: the write was lost, or the block trimmed");
	else if (h.magic == MAGIC && h.len == len && h.sum == sum_of(buf, len))
		explain_whole(&h, m, text, size);
	else
		explain_damaged(c, buf, &h, len, m, text, size);
}
