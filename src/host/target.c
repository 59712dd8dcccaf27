/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * host/target: from what the user wrote to a device, file or folder with its facts. Opens nothing
 * for writing; with a root other than "/" it opens no device at all.
 */
#include "host/internal.h"
#include "host/refuse.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <linux/fs.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <sys/statvfs.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#define SECTOR_MIN 512u /* the kernel's smallest logical block */

/* In <linux/fs.h> since 5.15. */
#ifndef BLKGETDISKSEQ
#define BLKGETDISKSEQ _IOR(0x12, 128, __u64)
#endif

static int ask_dio(int fd, const char *path, struct target *t)
{
	struct statx sx;

	t->dio_known = false;
	t->dio_mem = t->dio_offset = 0;
	if (statx(fd, path, path[0] ? AT_STATX_DONT_SYNC : AT_EMPTY_PATH, STATX_DIOALIGN, &sx) < 0)
		return -errno;
	/* Answered with zeros means: direct I/O is not possible on this file (ext4 data=journal).
	 */
	if (!(sx.stx_mask & STATX_DIOALIGN) || sx.stx_dio_offset_align == 0)
		return 0;
	t->dio_known = true;
	t->dio_mem = sx.stx_dio_mem_align;
	t->dio_offset = sx.stx_dio_offset_align;
	return 0;
}

uint64_t host_diskseq(int fd)
{
	uint64_t seq = 0;

	return ioctl(fd, BLKGETDISKSEQ, &seq) == 0 ? seq : 0;
}

int host_dio(int fd, struct target *t)
{
	int rc = ask_dio(fd, "", t);

	if (rc == 0 && t->dio_known && t->kind != TARGET_BLOCK)
		t->logical_block = t->dio_offset;
	return rc;
}

static void dio_fact(struct target *t, struct arena *a)
{
	facts_set(&t->facts, a, "target.dio",
		  t->dio_known ? arena_printf(a, "memory %u offset %u", t->dio_mem, t->dio_offset)
			       : "not reported",
		  NULL);
}

static void size_fact(const struct host *h, struct target *t, struct arena *a)
{
	if (t->kind == TARGET_DIR && !host_live(h))
		facts_set(&t->facts, a, "target.size", NULL,
			  "a recorded machine does not tell the free space of its folders");
	else
		facts_set(&t->facts, a, "target.size", arena_printf(a, "%" PRIu64, t->size), NULL);
}

static uint32_t sysfs_logical(const struct host *h, const struct blocks *b, size_t i)
{
	uint64_t v = 0;

	if (i == BLOCK_NONE)
		return SECTOR_MIN;
	if (host_read_u64(h, &v, "%s/queue/logical_block_size", b->v[b->v[i].disk].dir) < 0 ||
	    v < SECTOR_MIN || v > (1u << 30))
		return SECTOR_MIN;
	return (uint32_t)v;
}

/* What a block device's own statx answer is made of, for kernels (and roots) that do not give it.
 */
static void sysfs_dio(const struct host *h, const struct blocks *b, size_t i, struct target *t)
{
	uint64_t mask;

	if (i == BLOCK_NONE ||
	    host_read_u64(h, &mask, "%s/queue/dma_alignment", b->v[b->v[i].disk].dir) < 0 ||
	    mask >= (1u << 30))
		return;
	t->dio_known = true;
	t->dio_mem = (uint32_t)mask + 1;
	t->dio_offset = t->logical_block;
}

static int open_device(const struct host *h, struct target *t, struct err *e)
{
	/* O_NONBLOCK: a drive without medium answers at once */
	int fd = open(t->path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	uint64_t size = 0, seq = 0;
	int sector = 0;
	struct stat st;

	if (fd < 0)
		return refuse_open(h, t, errno, e);
	if (fstat(fd, &st) < 0 || !S_ISBLK(st.st_mode) || major(st.st_rdev) != t->dev_major ||
	    minor(st.st_rdev) != t->dev_minor) {
		close(fd);
		return err_set(e, ERR_TARGET, "target '%s' changed while it was looked at", t->id);
	}
	if (ioctl(fd, BLKGETSIZE64, &size) < 0) {
		int sys = errno;

		close(fd);
		return err_sys(e, ERR_TARGET, sys, "cannot read the size of '%s'", t->path);
	}
	t->size = size;
	if (ioctl(fd, BLKSSZGET, &sector) == 0 && sector > 0)
		t->logical_block = (uint32_t)sector;
	seq = host_diskseq(fd);
	if (seq)
		t->diskseq = seq;
	(void)ask_dio(fd, "", t);
	close(fd);
	return 0;
}

static int fill_block(const struct host *h, const struct blocks *b, size_t i, struct target *t,
		      struct arena *a, struct err *e)
{
	uint64_t sectors = 0;

	t->kind = TARGET_BLOCK;
	t->logical_block = sysfs_logical(h, b, i);
	if (i != BLOCK_NONE) {
		t->dev_major = b->v[i].dev_major;
		t->dev_minor = b->v[i].dev_minor;
		if (host_read_u64(h, &sectors, "%s/size", b->v[i].dir) == 0 &&
		    sectors <= UINT64_MAX / 512)
			t->size = sectors * 512;
		(void)host_read_u64(h, &t->diskseq, "%s/diskseq", b->v[b->v[i].disk].dir);
	}
	if (host_live(h) && open_device(h, t, e) < 0)
		return e->code;
	if (t->size == 0) {
		err_set(e, ERR_TARGET, "target '%s' has no size", t->id);
		return err_hint(e, t->passthrough
					   ? "the kernel cannot use the format of its blocks "
					     "(metadata in the data)"
					   : "it holds no medium, or nothing is attached to "
					     "it yet");
	}
	if (!t->dio_known)
		sysfs_dio(h, b, i, t);
	if (i == BLOCK_NONE) {
		device_facts_all(&t->facts, a, NULL, "the device is not in /sys/block");
		limit_facts(h, b, i, &t->facts, a);
	} else {
		device_facts(h, b, i, &t->facts, a);
	}
	dio_fact(t, a);
	return 0;
}

static int fill_file(const struct host *h, const struct blocks *b, struct target *t,
		     const struct stat *st, struct arena *a, struct err *e)
{
	char full[PATH_MAX];
	size_t i;

	if ((size_t)snprintf(full, sizeof(full), "%s%s", host_prefix(h), t->path) >= sizeof(full))
		return refuse_path(h, t, ENAMETOOLONG, t->path, e);
	if (faccessat(AT_FDCWD, full, R_OK, AT_EACCESS) < 0)
		return refuse_open(h, t, errno, e);
	t->kind = TARGET_FILE;
	t->size = (uint64_t)st->st_size;
	if (host_live(h))
		(void)ask_dio(AT_FDCWD, full, t);
	i = fs_facts(h, b, t->path, t, a);
	t->logical_block = t->dio_known ? t->dio_offset : sysfs_logical(h, b, i);
	if (host_live(h))
		dio_fact(t, a);
	else
		facts_set(&t->facts, a, "target.dio", NULL,
			  "a recorded machine does not tell it of its files");
	return 0;
}

/* Whether a folder's files take direct I/O only a file can tell: host_dio() on one of the session's
 * own. */
static int fill_dir(const struct host *h, const struct blocks *b, struct target *t, struct arena *a,
		    struct err *e)
{
	char full[PATH_MAX];
	struct statvfs v;
	size_t i;

	if ((size_t)snprintf(full, sizeof(full), "%s%s", host_prefix(h), t->path) >= sizeof(full))
		return refuse_path(h, t, ENAMETOOLONG, t->path, e);
	if (faccessat(AT_FDCWD, full, W_OK | X_OK, AT_EACCESS) < 0)
		return refuse_open(h, t, errno, e);
	if (statvfs(full, &v) < 0)
		return err_sys(e, ERR_TARGET, errno, "cannot ask the free space of '%s'", t->id);
	if (v.f_flag & ST_RDONLY)
		return refuse_open(h, t, EROFS, e);
	t->kind = TARGET_DIR;
	t->size = (uint64_t)v.f_bavail * v.f_frsize;
	t->write_allowed = true;
	i = fs_facts(h, b, t->path, t, a);
	t->logical_block = sysfs_logical(h, b, i);
	return 0;
}

/* The node of an identity or link, as a path; *index when the identity named the device itself. */
static int locate(const struct host *h, const struct blocks *b, const char *id, struct str *path,
		  size_t *index, struct err *e)
{
	*index = BLOCK_NONE;
	switch (id_form(id)) {
	case ID_PATH:
		str_add(path, id);
		return 0;
	case ID_BY_ID:
		id_link(id, path);
		return 0;
	case ID_WWID:
	case ID_SERIAL:
	case ID_PCI:
	case ID_DISKSEQ:
		break;
	}
	if (id_find(h, b, id, index, e) < 0)
		return e->code;
	block_node(&b->v[*index], path);
	return 0;
}

/* A recorded machine holds no device nodes: what sysfs knows by that name is one. */
static size_t block_index(const struct host *h, const struct blocks *b, const char *path,
			  const struct stat *st, bool *is_block)
{
	size_t i = BLOCK_NONE;

	*is_block = S_ISBLK(st->st_mode);
	if (*is_block)
		return blocks_by_number(b, major(st->st_rdev), minor(st->st_rdev));
	if (!host_live(h) && !S_ISDIR(st->st_mode))
		i = blocks_by_path(h, b, path);
	*is_block = i != BLOCK_NONE;
	return i;
}

/*
 * /dev/ngXnY becomes its block device, which is judged in its place. *named as in locate().
 */
static int through_generic(const struct host *h, const struct blocks *b, struct target *t,
			   struct str *real, size_t *named, struct arena *a, struct err *e)
{
	struct stat st;
	char full[PATH_MAX];
	int rc = host_stat(h, real->s, &st);

	/* what is wrong with the path is fill()'s to say */
	rc = rc < 0 ? 0 : generic_sibling(h, b, real->s, &st, named, e);
	if (rc <= 0)
		return rc;
	t->path = t->passthrough = arena_strdup(a, real->s);
	t->dev_major = t->ng_major = major(st.st_rdev);
	t->dev_minor = t->ng_minor = minor(st.st_rdev);
	if ((size_t)snprintf(full, sizeof(full), "%s%s", host_prefix(h), real->s) >= sizeof(full))
		return refuse_path(h, t, ENAMETOOLONG, real->s, e);
	if (faccessat(AT_FDCWD, full, R_OK, AT_EACCESS) < 0)
		return refuse_open(h, t, errno, e);
	str_clear(real);
	block_node(&b->v[*named], real);
	return 0;
}

static void disk_path(const struct blocks *b, size_t i, struct target *t, struct arena *a)
{
	struct str node;

	str_init(&node);
	block_node(&b->v[b->v[i].disk], &node);
	t->disk_path = arena_strdup(a, node.s);
	str_release(&node);
}

static int fill(const struct host *h, const struct blocks *b, struct target *t,
		const struct str *real, size_t named, struct arena *a, struct err *e)
{
	struct stat st;
	bool is_block;
	size_t i;
	int rc = host_stat(h, real->s, &st);

	if (rc < 0)
		return refuse_path(h, t, -rc, real->s, e);
	t->path = arena_strdup(a, real->s);
	t->dev_major = major(S_ISBLK(st.st_mode) ? st.st_rdev : st.st_dev);
	t->dev_minor = minor(S_ISBLK(st.st_mode) ? st.st_rdev : st.st_dev);
	t->fs_dev = st.st_dev;
	t->inode = st.st_ino;
	i = block_index(h, b, real->s, &st, &is_block);
	if (named != BLOCK_NONE && i != named)
		return err_set(e, ERR_TARGET,
			       "'%s' is '%s' in sysfs, but the node '%s' leads elsewhere", t->id,
			       b->v[named].name, real->s);
	if (is_block)
		disk_path(b, i, t, a);
	if (is_block)
		rc = fill_block(h, b, i, t, a, e);
	else if (S_ISREG(st.st_mode))
		rc = fill_file(h, b, t, &st, a, e);
	else if (S_ISDIR(st.st_mode))
		rc = fill_dir(h, b, t, a, e);
	else
		rc = refuse_kind(t, st.st_mode, e);
	if (rc < 0)
		return rc;
	facts_set(&t->facts, a, "target.type", target_kind_name(t->kind), NULL);
	size_fact(h, t, a);
	return 0;
}

int host_target(const struct host *h, const char *role, const char *id, struct arena *a,
		struct target *t, struct err *e)
{
	struct blocks b = {0};
	struct err blocks_err = ERR_INIT;
	struct str path, real;
	size_t named;
	int rc;

	*t = (struct target){.role = arena_strdup(a, role), .id = arena_strdup(a, id)};
	facts_init(&t->facts);
	if (id[0] == '\0')
		return err_set(e, ERR_TARGET, "target '%s' has an empty name", role ? role : "dut");
	str_init(&path);
	str_init(&real);
	rc = blocks_load(h, &b, &blocks_err);
	/* files and folders do without /sys; an identity does not */
	if (rc < 0 && id_form(id) != ID_PATH && id_form(id) != ID_BY_ID)
		*e = blocks_err;
	else
		rc = locate(h, &b, id, &path, &named, e);
	if (rc == 0) {
		rc = host_resolve(h, path.s, &real);
		if (rc < 0)
			rc = refuse_path(h, t, -rc, real.s, e);
		else if (through_generic(h, &b, t, &real, &named, a, e) == 0)
			rc = fill(h, &b, t, &real, named, a, e);
		else
			rc = e->code;
	}
	if (rc < 0) {
		facts_release(&t->facts);
		t->kind = TARGET_NONE;
		t->path = t->passthrough = NULL;
	}
	blocks_release(&b);
	str_release(&real);
	str_release(&path);
	return rc;
}
