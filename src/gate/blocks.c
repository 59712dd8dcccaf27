/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "gate/blocks.h"
#include "gate/baseline.h"
#include <string.h>

static bool same_block(const struct boot_time *a, const struct boot_time *b)
{
	int64_t apart = a->started > b->started ? a->started - b->started : b->started - a->started;

	return a->boot && b->boot && strcmp(a->boot, b->boot) == 0 && apart <= BLOCK_SECONDS;
}

uint32_t blocks_assign(const struct boot_time *v, size_t n, uint32_t *block)
{
	size_t *first = xcalloc(n + 1, sizeof(*first));
	uint32_t blocks = 0;

	for (size_t i = 0; i < n; i++) {
		uint32_t b = blocks;

		/* the newest block first: a boot that lasted days has several */
		while (b > 0 && !same_block(&v[first[b - 1]], &v[i]))
			b--;
		if (b > 0) {
			block[i] = b - 1;
			continue;
		}
		first[blocks] = i;
		block[i] = blocks++;
	}
	free(first);
	return blocks;
}

uint32_t baseline_blocks(const struct base_session *const *s, size_t n)
{
	struct boot_time *t = xcalloc(n + 1, sizeof(*t));
	uint32_t *block = xcalloc(n + 1, sizeof(*block)), blocks;
	size_t used = 0;

	for (size_t i = 0; i < n; i++)
		if (!s[i]->retired_jobs)
			t[used++] = (struct boot_time){s[i]->boot_id, s[i]->started};
	blocks = blocks_assign(t, used, block);
	free(block);
	free(t);
	return blocks;
}
