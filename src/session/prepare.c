/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "session/prepare.h"

#include "host/host.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/nvme_ioctl.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

static void close_files(struct hold *h)
{
	for (unsigned i = 0; i < h->nfds; i++)
		if (h->fds[i] >= 0)
			close(h->fds[i]);
	free(h->fds);
	h->fds = NULL;
	h->nfds = 0;
}

void hold_release(struct hold *h)
{
	close_files(h);
	if (h->claim >= 0)
		close(h->claim);
	h->claim = -1;
	lock_release(&h->lock);
}

/* The name may have come to mean another file or disk between plan and open, while we waited for
 * the lock say: permission was given for what it named then. */
static int same_target(int fd, const struct target *t, struct err *e)
{
	struct stat st;
	bool block = t->kind == TARGET_BLOCK;
	uint64_t seq;

	if (fstat(fd, &st) < 0)
		return err_sys(e, ERR_TARGET, errno, "cannot look at target '%s'", t->id);
	if (block ? !S_ISBLK(st.st_mode) || major(st.st_rdev) != t->dev_major ||
			    minor(st.st_rdev) != t->dev_minor
		  : st.st_ino != t->inode || st.st_dev != t->fs_dev)
		return err_set(e, ERR_TARGET, "target '%s' is another %s than when it was checked",
			       t->id, block ? "device" : "file");
	seq = block ? host_diskseq(fd) : 0;
	if (t->diskseq && seq && seq != t->diskseq)
		return err_set(e, ERR_TARGET,
			       "the disk behind target '%s' was replaced since it was checked",
			       t->id);
	return 0;
}

/* The node whose commands go to the namespace that is claimed: asked of both, as its name may have
 * come to mean another one. A descriptor, or ERR_TARGET. */
static int open_passthrough(int claim, const struct target *t, bool writes, struct err *e)
{
	int fd = open(t->passthrough,
		      (writes ? O_RDWR : O_RDONLY) | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	int nsid = ioctl(claim, NVME_IOCTL_ID);
	struct stat st;

	if (fd < 0)
		return err_sys(e, ERR_TARGET, errno, "cannot open target '%s'", t->id);
	if (fstat(fd, &st) == 0 && S_ISCHR(st.st_mode) && major(st.st_rdev) == t->ng_major &&
	    minor(st.st_rdev) == t->ng_minor && nsid > 0 && ioctl(fd, NVME_IOCTL_ID) == nsid)
		return fd;
	close(fd);
	return err_set(e, ERR_TARGET, "target '%s' is another device than when it was checked",
		       t->id);
}

static int open_node(struct hold *h, const struct target *t, bool writes, struct err *e)
{
	/* The path was resolved when it was checked: a link there now is somebody's doing. */
	int flags = (writes ? O_RDWR : O_RDONLY) | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK;
	int fd;

	/* O_EXCL on a block device is the kernel's own claim: it fails while anything below or
	 * above is mounted, swap or held, and a mount then fails while we hold it. Only writers
	 * take it. */
	if (t->kind == TARGET_BLOCK && writes)
		flags |= O_EXCL;
	fd = open(t->path, flags);
	if (fd < 0 && errno == EBUSY) {
		err_set(e, ERR_BUSY, "target '%s' is in use: the kernel refuses an exclusive open",
			t->id);
		return err_hint(e, "unmount it and stop what holds it (lsblk %s)", t->path);
	}
	if (fd < 0)
		return err_sys(e, ERR_TARGET, errno, "cannot open target '%s'", t->id);
	if (same_target(fd, t, e) < 0) {
		close(fd);
		return e->code;
	}
	if (t->passthrough) {
		h->claim = fd;
		fd = open_passthrough(fd, t, writes, e);
		if (fd < 0)
			return e->code;
	}
	h->fds = xmalloc(sizeof(*h->fds));
	h->fds[0] = fd;
	h->nfds = 1;
	return 0;
}

/* The kernel's claim sees neither a file system made meanwhile nor a loop device stacked on top. */
static int still_unused(const struct target *t, struct err *e)
{
	const struct host host = {.root = "/"};
	struct notices users;
	struct arena a;
	const char *type = NULL;
	int rc;

	notices_init(&users);
	arena_init(&a);
	rc = host_in_use(&host, t, &users, e);
	if (rc == 0 && users.n)
		rc = err_set(e, ERR_BUSY, "target '%s' came into use: %s", t->id, users.v[0]);
	if (rc == 0)
		rc = host_signature(&host, t, &a, &type, e);
	if (rc == 0 && type)
		rc = err_set(e, ERR_TARGET, "target '%s' holds a signature now: %s", t->id, type);
	notices_release(&users);
	arena_release(&a);
	return rc;
}

/* What was asked of the name and of the permission when the plan was made. */
static int still_meant(const struct target *t, bool writes, struct err *e)
{
	const struct host host = {.root = "/"};
	struct err no = ERR_INIT;

	if (host_still(t, e) < 0)
		return e->code;
	if (!writes || !t->permit || host_identity(&host, t->permit, t, &no) == 1)
		return 0;
	return err_set(e, ERR_TARGET,
		       "--allow-write '%s' named target '%s' when it was checked, and now: %s",
		       t->permit, t->id, no.text);
}

/* systemd's protocol for block devices: the lock of the whole disk stands for its partitions too,
 * and udev stops probing meanwhile. Where only the partition was granted, its own node has to do.
 */
static int take_lock(struct hold *h, const struct target *t, uint64_t wait_lock,
		     const volatile int *stop, struct err *e)
{
	struct err de = ERR_INIT;
	int rc;

	if (t->disk_path && !str_eq(t->disk_path, t->path)) {
		rc = lock_take(&h->lock, t->disk_path, false, wait_lock, stop, &de);
		if (rc == 0 || de.code == ERR_BUSY || de.code == ERR_INTR) {
			if (rc < 0)
				*e = de;
			return rc;
		}
	}
	return lock_take(&h->lock, t->path, false, wait_lock, stop, e);
}

int hold_take(struct hold *h, const struct plan *p, uint32_t target, uint64_t wait_lock,
	      const volatile int *stop, struct err *e)
{
	const struct target *t = &p->targets[target];
	struct target_needs needs = plan_target_needs(p, target);
	int rc = 0;

	*h = (struct hold){.lock = {.fd = -1}, .claim = -1};
	if (!needs.files)
		return 0;
	if (take_lock(h, t, wait_lock, stop, e) < 0) {
		if (e->code == ERR_BUSY)
			err_hint(e,
				 "another blkgate run uses it; wait for it with --wait-lock 10min");
		return e->code;
	}
	if (t->kind == TARGET_DIR)
		rc = same_target(h->lock.fd, t, e);
	else
		rc = open_node(h, t, needs.writes, e);
	if (rc == 0)
		rc = still_meant(t, needs.writes, e);
	if (rc == 0 && t->kind != TARGET_DIR && needs.writes)
		rc = still_unused(t, e);
	if (rc < 0)
		hold_release(h);
	return rc;
}

int hold_prepare(struct hold *h, const struct plan *p, uint32_t target, uint64_t seed,
		 const struct run_options *ro, uint64_t *written, struct err *e)
{
	const struct target *t = &p->targets[target];
	struct target_needs needs = plan_target_needs(p, target);
	uint64_t bytes = 0;

	if (t->kind != TARGET_DIR || !needs.files)
		return 0;
	close_files(h);
	h->fds = xmalloc(needs.files * sizeof(*h->fds));
	for (unsigned i = 0, until = 0; i < needs.files; i++) {
		uint64_t wrote = 0;
		int fd = plan_scratch_file(t->path), rc;

		if (fd < 0)
			return err_sys(e, ERR_TARGET, -fd, "cannot make a file in folder '%s'",
				       t->id);
		h->fds[h->nfds++] = fd;
		if (i >= until)
			bytes = plan_file_bytes(p, target, i, &until);
		rc = run_layout(fd, bytes, seed + i, needs.cached, t->id, ro, &wrote, &h->lost, e);
		*written += wrote;
		if (rc < 0)
			return rc;
	}
	return 0;
}

int hold_refill(struct hold *h, const struct plan *p, const struct job *j, uint64_t seed,
		const struct run_options *ro, uint64_t *written, struct err *e)
{
	const struct target *t = &p->targets[j->target];
	uint64_t bytes = plan_refill_bytes(p, j), size = job_file_size(j);
	bool cached = plan_target_needs(p, j->target).cached;
	int rc = 0;

	for (unsigned i = 0; rc == 0 && i * size < bytes; i++) {
		uint64_t wrote = 0;

		rc = plan_punches(h->fds[i]);
		if (rc < 0)
			return err_sys(e, ERR_MEASURE, -rc,
				       "a hole cannot be punched into '%s', so that nothing can be "
				       "trimmed there",
				       t->id);
		rc = run_refill(h->fds[i], j->offset, size, seed + i, cached, t->id, ro, &wrote,
				&h->lost, e);
		*written += wrote;
	}
	return rc;
}

static const char *file_mark(int fd, struct arena *a)
{
	struct stat st;

	if (fstat(fd, &st) < 0)
		return NULL;
	return arena_printf(a, "file %llu %llu %lld %lld.%09ld %lld.%09ld",
			    (unsigned long long)st.st_dev, (unsigned long long)st.st_ino,
			    (long long)st.st_size, (long long)st.st_mtim.tv_sec, st.st_mtim.tv_nsec,
			    (long long)st.st_ctim.tv_sec, st.st_ctim.tv_nsec);
}

const char *hold_mark(const struct hold *h, const struct plan *p, uint32_t target, struct arena *a)
{
	const struct host live = {.root = "/"};
	const struct target *t = &p->targets[target];
	const char *text = NULL;
	struct err e = ERR_INIT;
	struct str s;

	if (t->kind == TARGET_FILE && h->nfds)
		return file_mark(h->fds[0], a);
	if (t->kind != TARGET_BLOCK)
		return NULL;
	str_init(&s);
	if (host_write_mark(&live, t, &s, &e) == 0)
		text = arena_strdup(a, s.s);
	str_release(&s);
	return text;
}

void hold_descriptors(const struct hold *h, const struct plan *p, const struct job *j,
		      struct run_request *req)
{
	const struct target *t = &p->targets[j->target];

	req->fds = h->fds;
	req->nfds = 0;
	if (plan_job_diskless(j))
		return;
	/* A device or file has one node: per_job has a meaning only in a folder. */
	req->nfds = t->kind == TARGET_DIR ? (unsigned)job_files(j) : 1;
}
