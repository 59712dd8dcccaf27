/* SPDX-License-Identifier: GPL-2.0-or-later */
/* host/stack: what block devices are made of: partitions, dm, md, loop, down to physical disks. */
#include "host/internal.h"
#include "base/fileio.h"

#include <errno.h>

#define STACK_MAX 16 /* deeper stacks are loops of a damaged fixture */

/* A loop device whose backing file is itself a block device. */
static void add_backing(const struct host *h, const struct blocks *b, size_t disk,
			struct block_list *out)
{
	struct str s;
	size_t i;

	str_init(&s);
	if (host_read(h, &s, "%s/loop/backing_file", b->v[disk].dir) == 0) {
		i = blocks_by_path(h, b, s.s);
		if (i != BLOCK_NONE && i != disk)
			*VEC_PUSH(out) = i;
	}
	str_release(&s);
}

int block_slaves(const struct host *h, const struct blocks *b, size_t i, struct block_list *out)
{
	size_t disk = b->v[i].disk;
	char **names;
	size_t n;
	int rc = host_list(h, &names, &n, "%s/slaves", b->v[disk].dir);

	for (size_t k = 0; rc == 0 && k < n; k++) {
		size_t part = blocks_by_name(b, names[k]);

		if (part == BLOCK_NONE)
			rc = -ENODEV;
		else
			*VEC_PUSH(out) = part;
	}
	file_list_free(names, n);
	add_backing(h, b, disk, out);
	return rc;
}

static bool made_of_blocks(const char *name)
{
	return str_starts(name, "dm-") || str_starts(name, "md") || str_starts(name, "bcache");
}

size_t block_physical(const struct host *h, const struct blocks *b, size_t i, struct str *why)
{
	for (unsigned depth = 0; depth < STACK_MAX; depth++) {
		struct block_list below = {0};
		size_t disk = b->v[i].disk, n, next;
		int rc;

		if (str_starts(b->v[disk].name, "loop"))
			return disk; /* a cache of its own lies between: the loop is the device */
		rc = block_slaves(h, b, disk, &below);
		n = below.n;
		next = n ? below.v[0] : BLOCK_NONE;
		VEC_RELEASE(&below);
		if (rc < 0) {
			str_addf(why, "what '%s' is made of cannot be read: %s", b->v[disk].name,
				 strerror(-rc));
			return BLOCK_NONE;
		}
		if (n == 0 && !made_of_blocks(b->v[disk].name))
			return disk;
		if (n != 1) {
			str_addf(why, "'%s' is made of %zu devices", b->v[disk].name, n);
			return BLOCK_NONE;
		}
		i = next;
	}
	str_addf(why, "'%s' is stacked too deep", b->v[i].name);
	return BLOCK_NONE;
}

static int add_leaves(const struct host *h, const struct blocks *b, size_t i, unsigned depth,
		      struct block_list *out)
{
	struct block_list below = {0};
	size_t disk = b->v[i].disk;
	bool loop = str_starts(b->v[disk].name, "loop"), had = false;
	int rc = loop ? 0 : block_slaves(h, b, disk, &below);

	if (rc == 0 && (depth == 0 || (below.n == 0 && made_of_blocks(b->v[disk].name))))
		rc = -ENODEV;
	for (size_t k = 0; k < out->n; k++)
		had |= out->v[k] == disk;
	if (rc == 0 && below.n == 0 && !had)
		*VEC_PUSH(out) = disk;
	for (size_t k = 0; rc == 0 && k < below.n; k++)
		rc = add_leaves(h, b, below.v[k], depth - 1, out);
	VEC_RELEASE(&below);
	return rc;
}

int block_leaves(const struct host *h, const struct blocks *b, size_t i, struct block_list *out)
{
	return add_leaves(h, b, i, STACK_MAX, out);
}
