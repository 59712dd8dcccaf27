/* SPDX-License-Identifier: GPL-2.0-or-later */
/* host/fs: facts of the file system below a file or folder, and of the device that holds it. */
#include "host/internal.h"
#include "base/fileio.h"

#include <errno.h>

static bool in_memory(const char *fstype)
{
	return str_eq(fstype, "tmpfs") || str_eq(fstype, "ramfs") || str_eq(fstype, "hugetlbfs");
}

/* How many devices the btrfs that holds `name` has; 0 when it is none of a mounted btrfs. */
static size_t btrfs_devices(const struct host *h, const char *name)
{
	char **ids, **devices;
	size_t n, nd, found = 0;

	if (host_list(h, &ids, &n, "/sys/fs/btrfs") < 0)
		return 0;
	for (size_t i = 0; i < n && !found; i++) {
		if (!host_exists(h, "/sys/fs/btrfs/%s/devices/%s", ids[i], name))
			continue;
		if (host_list(h, &devices, &nd, "/sys/fs/btrfs/%s/devices", ids[i]) == 0)
			found = nd;
		file_list_free(devices, nd);
	}
	file_list_free(ids, n);
	return found;
}

static size_t device_of(const struct host *h, const struct blocks *b, const struct mount_entry *m,
			const struct target *t, struct str *why)
{
	size_t i = blocks_by_number(b, t->dev_major, t->dev_minor), n;

	/* btrfs, overlay and network file systems have a number of their own: ask the source */
	if (i == BLOCK_NONE && m->source[0] == '/')
		i = blocks_by_path(h, b, m->source);
	if (i == BLOCK_NONE) {
		str_addf(why, "file system '%s' from '%s' is not on one block device", m->fstype,
			 m->source);
		return BLOCK_NONE;
	}
	n = str_eq(m->fstype, "btrfs") ? btrfs_devices(h, b->v[i].name) : 1;
	if (n > 1) {
		str_addf(why, "the btrfs on '%s' spreads over %zu devices", b->v[i].name, n);
		return BLOCK_NONE;
	}
	return i;
}

static void no_device(struct target *t, struct arena *a, const char *value, const char *why)
{
	facts_set(&t->facts, a, "fs.kernel_device", value, why);
	device_facts_all(&t->facts, a, value, why);
}

size_t fs_facts(const struct host *h, const struct blocks *b, const char *path, struct target *t,
		struct arena *a)
{
	struct mounts m = {0};
	const struct mount_entry *on = NULL;
	struct err e = ERR_INIT;
	struct str s;
	size_t i = BLOCK_NONE;

	str_init(&s);
	if (mounts_load(h, "/proc/self/mountinfo", a, &m, &e) == 0)
		on = mounts_of(h, &m, path);
	if (!on) {
		const char *why = e.text[0] ? e.text : "no line of the mount table holds it";

		facts_set(&t->facts, a, "fs.type", NULL, why);
		facts_set(&t->facts, a, "fs.options", NULL, why);
		no_device(t, a, NULL, why);
		goto done;
	}
	if (!host_live(h)) {
		t->dev_major = on->dev_major;
		t->dev_minor = on->dev_minor;
	}
	t->fstype = on->fstype;
	facts_set(&t->facts, a, "fs.type", on->fstype, NULL);
	mount_options(on, &s);
	facts_set(&t->facts, a, "fs.options", s.s, NULL);
	if (in_memory(on->fstype)) {
		no_device(t, a, "none", NULL);
		goto done;
	}
	str_clear(&s);
	i = device_of(h, b, on, t, &s);
	if (i == BLOCK_NONE) {
		no_device(t, a, NULL, s.s);
		goto done;
	}
	t->dev_major = b->v[i].dev_major;
	t->dev_minor = b->v[i].dev_minor;
	facts_set(&t->facts, a, "fs.kernel_device", b->v[i].name, NULL);
	device_facts(h, b, i, &t->facts, a);
done:
	mounts_release(&m);
	str_release(&s);
	return i;
}
