/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * host/generic: /dev/ngXnY, the node that takes NVMe commands. It has no size, holders, mounts or
 * exclusive claim of its own, and writes to the same namespace as /dev/nvmeXnY: that one is looked
 * for, and what holds for it holds for the node. The two have one name (the instance of controller
 * or subsystem, and of the namespace) and one parent in sysfs; with native multipath both belong to
 * the head, and the hidden paths nvmeXcYnZ have neither.
 */
#include "host/internal.h"

#include <errno.h>
#include <stdio.h>
#include <sys/sysmacros.h>

static bool generic_name(const char *name)
{
	unsigned instance, ns;
	char tail;

	return sscanf(name, "ng%un%u%c", &instance, &ns, &tail) == 2;
}

static const char *last_of(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

/* The sysfs name of the node: by its number when live (a node may be called anything), by its own
 * name in another root. "" = no passthrough node. */
static void sysfs_name(const struct host *h, const char *path, const struct stat *st,
		       struct str *name)
{
	struct str link, real;

	str_init(&link);
	str_init(&real);
	if (host_live(h)) {
		str_addf(&link, "/sys/dev/char/%u:%u", major(st->st_rdev), minor(st->st_rdev));
		if (S_ISCHR(st->st_mode) && host_resolve(h, link.s, &real) == 0)
			str_add(name, last_of(real.s));
	} else if (!S_ISDIR(st->st_mode) && str_starts(path, "/dev/")) {
		str_add(name, last_of(path));
	}
	if (!generic_name(name->s) || !host_exists(h, "/sys/class/nvme-generic/%s", name->s))
		str_clear(name);
	str_release(&real);
	str_release(&link);
}

/* The folder that holds the sysfs folder of a device: its controller or subsystem. */
static bool parent_of(const struct host *h, const char *path, struct str *out)
{
	bool found = host_resolve(h, path, out) == 0 && strrchr(out->s, '/');

	if (found) {
		out->len = (size_t)(strrchr(out->s, '/') - out->s);
		out->s[out->len] = '\0';
	}
	return found;
}

static bool one_parent(const struct host *h, const char *generic, const struct block *block)
{
	struct str link, mine, its;
	bool one;

	str_init(&link);
	str_init(&mine);
	str_init(&its);
	str_addf(&link, "/sys/class/nvme-generic/%s", generic);
	one = parent_of(h, link.s, &mine) && parent_of(h, block->dir, &its) &&
	      str_eq(mine.s, its.s);
	str_release(&its);
	str_release(&mine);
	str_release(&link);
	return one;
}

int generic_sibling(const struct host *h, const struct blocks *b, const char *path,
		    const struct stat *st, size_t *sibling, struct err *e)
{
	char block[sizeof(b->v[0].name)];
	struct str name;
	int rc = 0;

	str_init(&name);
	sysfs_name(h, path, st, &name);
	if (name.len) {
		rc = 1;
		snprintf(block, sizeof(block), "nvme%s", name.s + strlen("ng"));
		*sibling = blocks_by_name(b, block);
		if (*sibling == BLOCK_NONE || b->v[*sibling].hidden ||
		    !one_parent(h, name.s, &b->v[*sibling])) {
			rc = err_set(e, ERR_TARGET,
				     "'%s' is the passthrough node of a namespace without a block "
				     "device '%s' beside it: nothing tells what uses it",
				     path, block);
			err_hint(e, "the kernel makes no block device of a format that it cannot "
				    "read, or the namespace is going");
		}
	}
	str_release(&name);
	return rc;
}
