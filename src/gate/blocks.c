/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "gate/blocks.h"
#include "gate/baseline.h"
#include <string.h>

/* One that nobody knows may be any: it is no proof of another boot. */
static bool same_block(const struct boot_time *first, const struct boot_time *b)
{
	int64_t apart = first->started > b->started ? first->started - b->started
						    : b->started - first->started;

	return apart <= BLOCK_SECONDS &&
	       (!first->boot || !b->boot || strcmp(first->boot, b->boot) == 0);
}

uint32_t blocks_assign(const struct boot_time *v, size_t n, uint32_t *block)
{
	/* of each block the time of its first session, and the first boot that is known */
	struct boot_time *first = xcalloc(n + 1, sizeof(*first));
	uint32_t blocks = 0;

	for (size_t i = 0; i < n; i++) {
		uint32_t b = blocks;

		/* the newest block first: a boot that lasted days has several */
		while (b > 0 && !same_block(&first[b - 1], &v[i]))
			b--;
		if (b == 0) {
			first[blocks] = v[i];
			b = ++blocks;
		}
		block[i] = b - 1;
		if (!first[b - 1].boot)
			first[b - 1].boot = v[i].boot;
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
