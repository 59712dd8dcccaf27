/* SPDX-License-Identifier: GPL-2.0-or-later */
/* null: every I/O is done at once and in full. What it measures is the harness. */
#include "engines/table.h"

#include <stdlib.h>

struct null {
	unsigned head, tail; /* free running; at most depth apart */
	unsigned mask;
	struct io *queue[];
};

static int null_probe(struct err *e)
{
	(void)e;
	return 0;
}

static int null_open(void **ctx, const struct engine_config *c, struct err *e)
{
	unsigned size = 1;

	(void)e;
	while (size < c->depth)
		size *= 2;
	struct null *z = xcalloc(1, sizeof(*z) + size * sizeof(z->queue[0]));
	z->mask = size - 1;
	*ctx = z;
	return 0;
}

static int null_submit(void *ctx, struct io **ios, unsigned n)
{
	struct null *z = ctx;

	for (unsigned i = 0; i < n; i++) {
		ios[i]->res = ios[i]->op <= IO_TRIM ? ios[i]->len : 0; /* a sync has no bytes */
		z->queue[z->tail++ & z->mask] = ios[i];
	}
	return (int)n;
}

static int null_reap(void *ctx, struct io **done, unsigned min, unsigned max, uint64_t until)
{
	struct null *z = ctx;
	unsigned n = z->tail - z->head;

	(void)min;
	(void)until;
	if (n > max)
		n = max;
	for (unsigned i = 0; i < n; i++)
		done[i] = z->queue[z->head++ & z->mask];
	return (int)n;
}

static void null_close(void *ctx)
{
	free(ctx);
}

const struct engine engine_null = {
	.api = ENGINE_API,
	.name = "null",
	.what = "completes everything at once; measures the harness",
	.caps = ENGINE_OP_READ | ENGINE_OP_WRITE | ENGINE_OP_TRIM | ENGINE_OP_FSYNC |
		ENGINE_OP_FDATASYNC | ENGINE_DISKLESS,
	.depth_max = 1u << 30,
	.probe = null_probe,
	.open = null_open,
	.submit = null_submit,
	.reap = null_reap,
	.close = null_close,
};
