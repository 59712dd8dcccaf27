/* SPDX-License-Identifier: GPL-2.0-or-later */
/* host/fs: facts of the file system below a file or folder, and of the device that holds it. */
#include "host/internal.h"
#include "base/fileio.h"

#include <errno.h>
#include <sys/statfs.h>
#include <sys/statvfs.h>

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

/* A chroot shows no mount that lies outside of it, although it is used. The file system itself
 * tells what a mount table would: its kind, and the options that are the kernel's own. */
static bool from_statfs(const struct host *h, const char *path, const struct target *t,
			struct arena *a, struct mount_entry *out)
{
	static const struct {
		uint32_t magic;
		const char *name;
	} kinds[] = {
		{0xef53, "ext4"},        {0x58465342, "xfs"},   {0x9123683e, "btrfs"},
		{0x01021994, "tmpfs"},   {0x858458f6, "ramfs"}, {0xf2f52010, "f2fs"},
		{0x794c7630, "overlay"}, {0x6969, "nfs"},       {0x2fc12fc1, "zfs"},
		{0x4d44, "vfat"},        {0x2011bab0, "exfat"}, {0xca451a4e, "bcachefs"},
	};
	static const struct {
		unsigned long flag;
		const char *name;
	} flags[] = {
		{ST_NODEV, "nodev"},       {ST_NOEXEC, "noexec"},   {ST_NOSUID, "nosuid"},
		{ST_SYNCHRONOUS, "sync"},  {ST_NOATIME, "noatime"}, {ST_NODIRATIME, "nodiratime"},
		{ST_RELATIME, "relatime"}, {ST_MANDLOCK, "mand"},
	};
	struct statfs fs;
	struct statvfs vfs;
	struct str s;

	if (!host_live(h) || statfs(path, &fs) < 0 || statvfs(path, &vfs) < 0)
		return false;
	*out = (struct mount_entry){.dev_major = t->dev_major,
				    .dev_minor = t->dev_minor,
				    .root = "",
				    .target = "",
				    .source = "unknown",
				    .fs_options = ""};
	for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds); i++)
		if ((uint32_t)fs.f_type == kinds[i].magic)
			out->fstype = kinds[i].name;
	if (!out->fstype)
		out->fstype = arena_printf(a, "0x%x", (unsigned)fs.f_type);
	str_init(&s);
	str_add(&s, vfs.f_flag & ST_RDONLY ? "ro" : "rw");
	for (size_t i = 0; i < sizeof(flags) / sizeof(*flags); i++)
		if (vfs.f_flag & flags[i].flag)
			str_addf(&s, ",%s", flags[i].name);
	out->vfs_options = arena_strdup(a, s.s);
	str_release(&s);
	return true;
}

/* What a hole is made of. */
static void block_fact(const struct host *h, const char *path, struct target *t, struct arena *a)
{
	struct statvfs vfs;

	if (host_live(h) && statvfs(path, &vfs) == 0 && vfs.f_frsize)
		facts_set(&t->facts, a, "fs.block_size", arena_printf(a, "%lu", vfs.f_frsize),
			  NULL);
}

size_t fs_facts(const struct host *h, const struct blocks *b, const char *path, struct target *t,
		struct arena *a)
{
	struct mounts m = {0};
	const struct mount_entry *on = NULL;
	struct mount_entry told;
	struct err e = ERR_INIT;
	struct str s;
	size_t i = BLOCK_NONE;

	str_init(&s);
	if (mounts_load(h, "/proc/self/mountinfo", a, &m, &e) == 0)
		on = mounts_of(h, &m, path);
	if (!on && from_statfs(h, path, t, a, &told))
		on = &told;
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
	block_fact(h, path, t, a);
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
