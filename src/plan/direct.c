/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * plan/direct: does O_DIRECT mean anything on this target? An open() that succeeds proves nothing:
 * tmpfs accepts the flag and serves the page cache (Linux 6.6 and later). statx tells where the
 * kernel reports the limits (6.1 and later, per file system); elsewhere only file systems known to
 * bypass the page cache are believed, and only after a trial open. What was found is fact
 * `fs.direct`.
 */
#include "plan/planner.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

/* Direct I/O by design, whether statx says so or not. */
static const char *const by_design[] = {"ext2", "ext3",  "btrfs", "jfs",  "bcachefs", "nilfs2",
					"gfs2", "ocfs2", "nfs",   "nfs4", "cifs",     NULL};
/* They report it from Linux 6.1 on: no report there is a no (ext4 with data=journal). */
static const char *const reporting[] = {"ext4", "xfs", "f2fs", NULL};

static bool among(const char *const *list, const char *fstype)
{
	for (; fstype && *list; list++)
		if (strcmp(fstype, *list) == 0)
			return true;
	return false;
}

static bool is_trusted(const char *fstype, const char *release)
{
	struct err ignored = ERR_INIT;

	if (among(by_design, fstype))
		return true;
	return among(reporting, fstype) && release &&
	       expr_compare_fact("kernel.release", release, OP_LT, "6.1", &ignored) == 1;
}

int plan_scratch_file(const char *folder)
{
	char path[4096];
	int fd = open(folder, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);

	if (fd >= 0)
		return fd;
	if (errno != EOPNOTSUPP && errno != EISDIR && errno != EINVAL)
		return -errno;
	if ((size_t)snprintf(path, sizeof(path), "%s/.blkgate-XXXXXX", folder) >= sizeof(path))
		return -ENAMETOOLONG;
	fd = mkostemp(path, O_CLOEXEC);
	if (fd < 0)
		return -errno;
	if (unlink(path) < 0) {
		int sys = errno;

		close(fd);
		return -sys;
	}
	return fd;
}

/* Through /proc: an unnamed file has no other path, and a second open is a description of its own.
 */
static bool opens_direct(int fd)
{
	char path[64];
	int d;

	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	d = open(path, O_RDONLY | O_DIRECT | O_CLOEXEC);
	if (d < 0)
		return false;
	close(d);
	return true;
}

static void learn_from(int fd, struct target *t, const char *release, struct arena *a)
{
	bool yes;

	(void)host_dio(fd, t);
	yes = (t->dio_known || is_trusted(t->fstype, release)) && opens_direct(fd);
	facts_set(&t->facts, a, "fs.direct", yes ? "yes" : "no", NULL);
}

void direct_learn(const struct host *h, struct target *t, const char *release, struct arena *a,
		  const char **refused)
{
	int fd;

	/* A recorded machine has no file system behind its paths. */
	if (strcmp(h->root, "/") != 0 || (t->kind != TARGET_DIR && t->kind != TARGET_FILE))
		return;
	fd = t->kind == TARGET_DIR ? plan_scratch_file(t->path)
				   : open(t->path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	if (fd < 0 && t->kind == TARGET_DIR) {
		*refused = arena_printf(a, "cannot make a file in folder '%s': %s", t->id,
					strerror(-fd));
		return;
	}
	if (fd < 0) {
		*refused = arena_printf(a, "cannot open file '%s': %s", t->id, strerror(errno));
		return;
	}
	learn_from(fd, t, release, a);
	close(fd);
}

bool direct_reported(const struct target *t)
{
	const char *v = facts_value(&t->facts, "fs.direct");

	if (t->kind == TARGET_BLOCK)
		return true;
	return t->dio_known && v && strcmp(v, "yes") == 0;
}

const char *direct_refuses(const struct target *t)
{
	const char *v = facts_value(&t->facts, "fs.direct");

	if (t->kind == TARGET_BLOCK || !v || strcmp(v, "no") != 0)
		return NULL;
	if (t->fstype && (strcmp(t->fstype, "tmpfs") == 0 || strcmp(t->fstype, "ramfs") == 0))
		return "the open may succeed, but the page cache answers";
	if (t->dio_known || among(by_design, t->fstype))
		return "opening a file there with O_DIRECT fails";
	return "the kernel reports no direct I/O limits for it";
}
