/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * host/inuse: who uses a device. Nothing here lifts a finding, and what cannot be read counts as
 * used.
 *
 * Family: the device, its whole disk, all partitions of it, what it is made of (dm and md slaves, a
 * block device behind a loop) with the same around each, and other paths to the same disk (equal
 * wwid). Own: the device and what lies below it. A holder that is not own uses the family.
 */
#include "host/internal.h"
#include "base/fileio.h"

#include <errno.h>

struct family {
	bool *in, *own;
	struct str *wwid; /* of whole disks; "" = none */
};

static void family_init(const struct host *h, const struct blocks *b, struct family *f)
{
	f->in = xcalloc(b->n, sizeof(*f->in));
	f->own = xcalloc(b->n, sizeof(*f->own));
	f->wwid = xcalloc(b->n, sizeof(*f->wwid));
	for (size_t i = 0; i < b->n; i++) {
		str_init(&f->wwid[i]);
		if (b->v[i].disk == i && !b->v[i].hidden)
			(void)block_wwid(h, &b->v[i], &f->wwid[i]);
	}
}

static void family_release(const struct blocks *b, struct family *f)
{
	for (size_t i = 0; i < b->n; i++)
		str_release(&f->wwid[i]);
	free(f->wwid);
	free(f->own);
	free(f->in);
}

static void add_disk(const struct blocks *b, struct family *f, size_t disk)
{
	for (size_t k = 0; k < b->n; k++)
		if (b->v[k].disk == disk)
			f->in[k] = true;
	/* a second path to the same disk, not (or not yet) joined by multipath */
	for (size_t k = 0; k < b->n; k++)
		if (f->wwid[disk].len && b->v[b->v[k].disk].disk != disk &&
		    str_eq(f->wwid[b->v[k].disk].s, f->wwid[disk].s))
			f->in[k] = true;
}

static int add_own(const struct host *h, const struct blocks *b, struct family *f, size_t i,
		   struct err *e)
{
	struct block_list below = {0};
	size_t disk = b->v[i].disk;
	int rc;

	if (f->own[i])
		return 0; /* also ends a loop in a damaged fixture */
	f->own[i] = f->own[disk] = true;
	add_disk(b, f, disk);
	rc = block_slaves(h, b, i, &below);
	if (rc < 0)
		err_sys(e, ERR_TARGET, -rc, "cannot find out what '/dev/%s' is made of",
			b->v[disk].name);
	for (size_t k = 0; rc == 0 && k < below.n; k++)
		rc = add_own(h, b, f, below.v[k], e);
	VEC_RELEASE(&below);
	return rc < 0 ? ERR_TARGET : 0;
}

/* Devices named in a mount's source or options: "/dev/sda1", bcachefs' "/dev/a:/dev/b",
 * "logdev=/dev/sdb1". One a call; NULL at the end. */
static const char *next_device(const char *p, struct str *out)
{
	const char *at = strstr(p, "/dev/");
	size_t n;

	if (!at)
		return NULL;
	n = strcspn(at, ",:");
	str_clear(out);
	str_addn(out, at, n);
	return at + n;
}

static void note_mount(const struct blocks *b, size_t i, const struct mount_entry *m,
		       struct notices *users)
{
	bool known = false;
	struct str s;

	str_init(&s);
	str_add(&s, "'");
	block_node(&b->v[i], &s);
	str_addf(&s, "' is mounted on '%s' (%s)", m->target, m->fstype);
	/* a new namespace begins as a copy of another */
	for (size_t k = 0; m->space && k < users->n; k++)
		known |= str_starts(users->v[k], s.s);
	if (!known)
		notices_add(users, "%s%s%s", s.s, m->space ? " in the mount namespace of " : "",
			    m->space ? m->space : "");
	str_release(&s);
}

static void mount_users(const struct host *h, const struct blocks *b, const struct family *f,
			const struct mount_entry *m, struct notices *users)
{
	size_t i = blocks_by_number(b, m->dev_major, m->dev_minor);
	const char *texts[] = {m->source, m->fs_options};
	struct str path;

	if (i != BLOCK_NONE) {
		if (f->in[i])
			note_mount(b, i, m, users);
	}
	str_init(&path);
	/* tmpfs and bind mounts may carry any text as source: only one that begins with a device */
	for (size_t k = 0; k < 2; k++) {
		if (k == 0 && !str_starts(m->source, "/dev/"))
			continue;
		for (const char *p = texts[k]; (p = next_device(p, &path));) {
			i = blocks_by_path(h, b, path.s);
			if (i != BLOCK_NONE && f->in[i])
				note_mount(b, i, m, users);
		}
	}
	str_release(&path);
}

static int check_mounts(const struct host *h, const struct blocks *b, const struct family *f,
			struct arena *a, struct notices *users, struct err *e)
{
	struct mounts m;

	if (mounts_load(h, "/proc/self/mountinfo", a, &m, e) < 0)
		return e->code;
	mounts_elsewhere(h, a, &m);
	for (size_t i = 0; i < m.n; i++)
		mount_users(h, b, f, &m.v[i], users);
	mounts_release(&m);
	return 0;
}

static int check_swaps(const struct host *h, const struct blocks *b, const struct family *f,
		       struct arena *a, struct notices *users, struct err *e)
{
	const char **paths;
	size_t n;

	if (swaps_load(h, a, &paths, &n, e) < 0)
		return e->code;
	for (size_t k = 0; k < n; k++) {
		size_t i = blocks_by_path(h, b, paths[k]);

		if (i != BLOCK_NONE && f->in[i])
			notices_add(users, "'%s' is swap space", paths[k]);
	}
	return 0;
}

/* "LVM volume 'vg-root'", "md array", "device '...'" */
static void add_holder(const struct host *h, const struct blocks *b, const char *name,
		       struct str *out)
{
	size_t i = blocks_by_name(b, name);
	struct str uuid, label;
	size_t n;

	str_init(&uuid);
	str_init(&label);
	str_addf(out, "'%s'", name);
	if (i != BLOCK_NONE && host_read(h, &label, "%s/dm/name", b->v[i].dir) == 0 && label.len) {
		(void)host_read(h, &uuid, "%s/dm/uuid", b->v[i].dir);
		n = strcspn(uuid.s, "-");
		str_addf(out, " (%.*s '%s')", n ? (int)n : 2, n ? uuid.s : "dm", label.s);
	}
	str_release(&label);
	str_release(&uuid);
}

static int check_holders(const struct host *h, const struct blocks *b, const struct family *f,
			 size_t i, struct notices *users, struct err *e)
{
	char **names;
	size_t n;
	struct str node, holder;
	int rc = host_list(h, &names, &n, "%s/holders", b->v[i].dir);

	if (rc < 0)
		return err_sys(e, ERR_TARGET, -rc, "cannot find out what holds '/dev/%s'",
			       b->v[i].name);
	str_init(&node);
	str_init(&holder);
	block_node(&b->v[i], &node);
	for (size_t k = 0; k < n; k++) {
		size_t by = blocks_by_name(b, names[k]);

		if (by != BLOCK_NONE && f->own[by])
			continue;
		str_clear(&holder);
		add_holder(h, b, names[k], &holder);
		notices_add(users, "'%s' is held by %s", node.s, holder.s);
	}
	str_release(&holder);
	str_release(&node);
	file_list_free(names, n);
	return 0;
}

/* A loop device stacked on a device leaves no trace in holders and takes no exclusive claim. */
static int check_loop(const struct host *h, const struct blocks *b, const struct family *f,
		      size_t loop, struct notices *users, struct err *e)
{
	struct str backing;
	size_t i;
	int rc;

	if (f->own[loop] || !str_starts(b->v[loop].name, "loop") || b->v[loop].disk != loop)
		return 0;
	str_init(&backing);
	rc = host_read(h, &backing, "%s/loop/backing_file", b->v[loop].dir);
	if (rc == 0) {
		i = blocks_by_path(h, b, backing.s);
		if (i != BLOCK_NONE && f->in[i])
			notices_add(users, "'/dev/%s' is a loop device stacked on '%s'",
				    b->v[loop].name, backing.s);
	} else if (rc == -ENOENT || rc == -ENXIO || rc == -ENODEV || rc == -EIO) {
		rc = 0; /* nothing attached, or detached between two reads */
	} else {
		rc = err_sys(e, ERR_TARGET, -rc, "cannot find out what '/dev/%s' is stacked on",
			     b->v[loop].name);
	}
	str_release(&backing);
	return rc;
}

static int btrfs_users(const struct host *h, const struct blocks *b, const struct family *f,
		       struct notices *users, struct err *e)
{
	char **ids, **devices;
	size_t n, nd;
	int rc = host_list(h, &ids, &n, "/sys/fs/btrfs");

	for (size_t i = 0; rc == 0 && i < n; i++) {
		rc = host_list(h, &devices, &nd, "/sys/fs/btrfs/%s/devices", ids[i]);
		if (rc == -ENOTDIR)
			rc = 0; /* "features" and its like */
		for (size_t k = 0; k < nd; k++) {
			size_t dev = blocks_by_name(b, devices[k]);

			if (dev != BLOCK_NONE && f->in[dev])
				notices_add(users, "'/dev/%s' belongs to the mounted btrfs %s",
					    devices[k], ids[i]);
		}
		file_list_free(devices, nd);
	}
	file_list_free(ids, n);
	return rc < 0 ? err_sys(e, ERR_TARGET, -rc, "cannot list '/sys/fs/btrfs'") : 0;
}

static int check_all(const struct host *h, const struct blocks *b, const struct family *f,
		     struct arena *a, struct notices *users, struct err *e)
{
	int rc = check_mounts(h, b, f, a, users, e);

	if (rc == 0)
		rc = check_swaps(h, b, f, a, users, e);
	for (size_t i = 0; rc == 0 && i < b->n; i++) {
		if (f->in[i])
			rc = check_holders(h, b, f, i, users, e);
		if (rc == 0)
			rc = check_loop(h, b, f, i, users, e);
	}
	return rc == 0 ? btrfs_users(h, b, f, users, e) : rc;
}

int host_in_use(const struct host *h, const struct target *t, struct notices *users, struct err *e)
{
	struct blocks b;
	struct family f;
	struct arena a;
	size_t i;
	int rc;

	if (t->kind == TARGET_FILE)
		return file_users(h, t, users, e);
	if (t->kind != TARGET_BLOCK)
		return 0;
	if (blocks_load(h, &b, e) < 0)
		return e->code;
	i = blocks_by_number(&b, t->dev_major, t->dev_minor);
	if (i == BLOCK_NONE) {
		blocks_release(&b);
		return err_set(e, ERR_TARGET,
			       "cannot find out what uses '%s': device %u:%u is not in /sys/block",
			       t->id, t->dev_major, t->dev_minor);
	}
	arena_init(&a);
	family_init(h, &b, &f);
	rc = add_own(h, &b, &f, i, e);
	if (rc == 0)
		rc = check_all(h, &b, &f, &a, users, e);
	family_release(&b, &f);
	arena_release(&a);
	blocks_release(&b);
	return rc;
}
