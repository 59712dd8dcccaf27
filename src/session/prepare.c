/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "session/prepare.h"

#include "engines/engine.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#ifndef BLKGETDISKSEQ
#define BLKGETDISKSEQ _IOR(0x12, 128, __u64)
#endif

bool hold_diskless(const struct job *j)
{
	const struct engine *g = engine_find(j->ioengine);

	return g && (g->caps & ENGINE_DISKLESS);
}

/* What the ready jobs of one target ask of it. */
struct needs {
	unsigned files; /* in a folder; 0 = nothing is needed */
	uint64_t bytes; /* of each file */
	bool writes;
	bool cached; /* a job wants its pages in the cache */
};

static struct needs target_needs(const struct plan *p, uint32_t target)
{
	struct needs n = {0};

	for (size_t i = 0; i < p->njobs; i++) {
		const struct job *j = &p->jobs[i];
		unsigned files = j->files == FILES_PER_JOB ? j->numjobs : 1;

		if (j->target != target || j->state != JOB_READY || hold_diskless(j))
			continue;
		n.writes |= job_writes(j);
		n.cached |= !j->direct && !j->invalidate;
		if (files > n.files)
			n.files = files;
		if (j->offset + j->size > n.bytes)
			n.bytes = j->offset + j->size;
	}
	return n;
}

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
	lock_release(&h->lock);
}

/* The node may have come to mean another disk between plan and open: the kernel's disk sequence
 * number and the device number of the open descriptor settle it. */
static int same_device(int fd, const struct target *t, struct err *e)
{
	struct stat st;
	uint64_t seq = 0;

	if (fstat(fd, &st) < 0)
		return err_sys(e, ERR_TARGET, errno, "cannot look at target '%s'", t->id);
	if (t->kind != TARGET_BLOCK)
		return 0;
	if (!S_ISBLK(st.st_mode) || major(st.st_rdev) != t->dev_major ||
	    minor(st.st_rdev) != t->dev_minor)
		return err_set(e, ERR_TARGET,
			       "target '%s' is another device than when it was checked", t->id);
	if (t->diskseq && ioctl(fd, BLKGETDISKSEQ, &seq) == 0 && seq != t->diskseq)
		return err_set(e, ERR_TARGET,
			       "the disk behind target '%s' was replaced since it was checked",
			       t->id);
	return 0;
}

static int open_node(struct hold *h, const struct target *t, bool writes, struct err *e)
{
	int flags = (writes ? O_RDWR : O_RDONLY) | O_CLOEXEC;
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
	if (same_device(fd, t, e) < 0) {
		close(fd);
		return e->code;
	}
	h->fds = xmalloc(sizeof(*h->fds));
	h->fds[0] = fd;
	h->nfds = 1;
	return 0;
}

int hold_take(struct hold *h, const struct plan *p, uint32_t target, uint64_t wait_lock,
	      const volatile int *stop, struct err *e)
{
	const struct target *t = &p->targets[target];
	struct needs needs = target_needs(p, target);

	*h = (struct hold){.lock = {.fd = -1}};
	if (!needs.files)
		return 0;
	/* flock of the node is also what systemd's udev respects (it stops probing meanwhile). */
	if (lock_take(&h->lock, t->path, false, wait_lock, stop, e) < 0) {
		if (e->code == ERR_BUSY)
			err_hint(e,
				 "another blkgate run uses it; wait for it with --wait-lock 10min");
		return e->code;
	}
	if (t->kind != TARGET_DIR && open_node(h, t, needs.writes, e) < 0) {
		hold_release(h);
		return e->code;
	}
	return 0;
}

static int unnamed_file(const struct target *t, struct err *e)
{
	char path[4096];
	int fd = open(t->path, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);

	if (fd >= 0)
		return fd;
	if (errno != EOPNOTSUPP && errno != EISDIR && errno != EINVAL)
		return err_sys(e, ERR_TARGET, errno, "cannot make a file in folder '%s'", t->id);
	/* A file system without O_TMPFILE: the name lives only between these two calls. */
	if ((size_t)snprintf(path, sizeof(path), "%s/.blkgate-XXXXXX", t->path) >= sizeof(path))
		return err_set(e, ERR_TARGET, "path of folder '%s' is too long", t->id);
	fd = mkostemp(path, O_CLOEXEC);
	if (fd < 0)
		return err_sys(e, ERR_TARGET, errno, "cannot make a file in folder '%s'", t->id);
	if (unlink(path) < 0) {
		int sys = errno;

		close(fd);
		return err_sys(e, ERR_TARGET, sys, "cannot remove the name '%s'", path);
	}
	return fd;
}

int hold_prepare(struct hold *h, const struct plan *p, uint32_t target, uint64_t seed,
		 const struct run_options *ro, uint64_t *written, struct err *e)
{
	const struct target *t = &p->targets[target];
	struct needs needs = target_needs(p, target);

	if (t->kind != TARGET_DIR || !needs.files)
		return 0;
	close_files(h);
	h->fds = xmalloc(needs.files * sizeof(*h->fds));
	for (unsigned i = 0; i < needs.files; i++) {
		uint64_t wrote = 0;
		int rc = unnamed_file(t, e);

		if (rc < 0)
			return rc;
		h->fds[h->nfds++] = rc;
		rc = run_layout(h->fds[i], needs.bytes, seed + i, needs.cached, t->id, ro, &wrote, e);
		*written += wrote;
		if (rc < 0)
			return rc;
	}
	return 0;
}

void hold_descriptors(const struct hold *h, const struct plan *p, const struct job *j,
		      struct run_request *req)
{
	const struct target *t = &p->targets[j->target];

	req->fds = h->fds;
	req->nfds = 0;
	if (hold_diskless(j))
		return;
	/* A device or file has one node: per_job has a meaning only in a folder. */
	req->nfds = t->kind == TARGET_DIR && j->files == FILES_PER_JOB ? j->numjobs : 1;
}
