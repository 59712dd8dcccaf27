/* SPDX-License-Identifier: GPL-2.0-or-later */
/* host/permission: which names may authorise writing to a device, and does this one? */
#include "host/internal.h"
#include "base/fileio.h"

#include <stdio.h>

/* The links that udev made for it. */
static void add_links(const struct host *h, const struct blocks *b, size_t own, struct notices *out)
{
	static const char dir[] = "/dev/disk/by-id";
	char **names;
	size_t n;

	if (host_list(h, &names, &n, dir) < 0)
		return;
	for (size_t i = 0; i < n; i++) {
		struct str path;

		str_init(&path);
		str_addf(&path, "%s/%s", dir, names[i]);
		if (blocks_by_path(h, b, path.s) == own)
			notices_add(out, "%s", path.s);
		str_release(&path);
	}
	file_list_free(names, n);
}

static void add_identities(const struct host *h, const struct blocks *b, size_t own,
			   const struct target *t, struct notices *out)
{
	const char *address = facts_value(&t->facts, "device.address");
	size_t i;

	/* permission for a disk is not one for its partition */
	if (b->v[own].disk == own) {
		char *pci = xasprintf("pci:%s", address ? address : "");

		id_own_names(h, b, own, out);
		if (address && id_answers(h, b, pci, &i) == 1 && i == own)
			notices_add(out, "%s", pci);
		free(pci);
	}
	add_links(h, b, own, out);
}

int host_identities(const struct host *h, const struct target *t, struct notices *out,
		    struct err *e)
{
	struct blocks b;
	size_t own;

	if (t->kind != TARGET_BLOCK) {
		notices_add(out, "%s", t->path);
		return 0;
	}
	if (blocks_load(h, &b, e) < 0)
		return e->code;
	own = blocks_by_number(&b, t->dev_major, t->dev_minor);
	if (own != BLOCK_NONE)
		add_identities(h, &b, own, t, out);
	blocks_release(&b);
	return 0;
}

/* What would have been accepted for that device. */
static void suggest(const struct host *h, const struct blocks *b, size_t i, const struct target *t,
		    struct err *e)
{
	struct notices names;

	notices_init(&names);
	add_identities(h, b, i, t, &names);
	if (names.n && str_starts(names.v[0], "diskseq:"))
		err_hint(e, "it has no serial number of its own; %s names it until it is removed",
			 names.v[0]);
	else if (names.n)
		err_hint(e, "write %s", names.v[0]);
	else if (b->v[i].disk != i)
		err_hint(e, "name the partition by its link in /dev/disk/by-id");
	else
		err_hint(e, "no name is its alone: it cannot be named for writing");
	notices_release(&names);
}

/* Files and folders are named by their path; links are followed on both sides. */
static int path_identity(const struct host *h, const char *id, const struct target *t,
			 struct err *e)
{
	struct str real;
	int yes;

	str_init(&real);
	yes = id_form(id) == ID_PATH && host_resolve(h, id, &real) == 0 && str_eq(real.s, t->path);
	str_release(&real);
	if (!yes) {
		int code = e->code;

		err_set(e, ERR_TARGET, "'%s' is not the path of target '%s'", id, t->path);
		e->code = code;
	}
	return yes;
}

static int block_identity(const struct host *h, const struct blocks *b, const char *id,
			  const struct target *t, struct err *e)
{
	size_t own = blocks_by_number(b, t->dev_major, t->dev_minor), i = BLOCK_NONE;
	struct str link;

	if (own == BLOCK_NONE) {
		err_set(e, ERR_TARGET,
			"'%s' (%u:%u) is not in /sys/block, so nothing can identify it", t->path,
			t->dev_major, t->dev_minor);
		return 0;
	}
	if (id_form(id) == ID_PATH) {
		err_set(e, ERR_TARGET,
			"'%s' is no identity: the kernel may give this name to another device at "
			"the next boot",
			id);
		suggest(h, b, own, t, e);
		return 0;
	}
	if (id_form(id) == ID_BY_ID) {
		str_init(&link);
		id_link(id, &link);
		i = blocks_by_path(h, b, link.s);
		str_release(&link);
		if (i == BLOCK_NONE) {
			err_set(e, ERR_TARGET, "'%s' leads to no block device", id);
			return 0;
		}
	} else if (id_find(h, b, id, &i, e) < 0) {
		return 0;
	}
	if (i == own)
		return 1;
	err_set(e, ERR_TARGET, "'%s' is /dev/%s, and the target is /dev/%s%s", id, b->v[i].name,
		b->v[own].name,
		b->v[i].disk == b->v[own].disk
			? ": permission for a disk is not one for its partition, nor the reverse"
			: "");
	return 0;
}

int host_identity(const struct host *h, const char *id, const struct target *t, struct err *e)
{
	struct blocks b;
	int yes, code = e->code;

	if (t->kind == TARGET_FILE || t->kind == TARGET_DIR)
		return path_identity(h, id, t, e);
	if (blocks_load(h, &b, e) == 0) {
		yes = block_identity(h, &b, id, t, e);
		blocks_release(&b);
	} else {
		yes = 0;
	}
	/* "no" is an answer, not a failure: the caller's code stands */
	if (!yes)
		e->code = code;
	return yes;
}
