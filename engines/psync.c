/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * psync: pread and pwrite. submit does the one I/O, reap hands it back. The calls go past libc's
 * wrappers: in a process with threads those are cancellation points, which cost two locked
 * instructions an I/O, and nobody here is ever cancelled.
 */
#include "engines/sync.h"
#include "engines/table.h"
#include "engines/trim.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

struct psync {
	struct sync_done done;
	unsigned nfds;
	int fds[]; /* nfds, then for each whether a trim of it goes to a block device */
};

static int psync_probe(struct err *e)
{
	(void)e;
	return 0;
}

static int psync_open(void **ctx, const struct engine_config *c, struct err *e)
{
	(void)e;
	struct psync *p = xcalloc(1, sizeof(*p) + 2 * c->nfds * sizeof(p->fds[0]));

	memcpy(p->fds, c->fds, c->nfds * sizeof(p->fds[0]));
	p->nfds = c->nfds;
	trim_learn(p->fds, p->nfds, p->fds + p->nfds);
	*ctx = p;
	return 0;
}

static long psync_one(int fd, const struct io *io)
{
	switch (io->op) {
	case IO_READ:
		return syscall(SYS_pread64, fd, io->buf, (size_t)io->len, io->offset);
	case IO_WRITE:
		return syscall(SYS_pwrite64, fd, io->buf, (size_t)io->len, io->offset);
	case IO_FSYNC:
		return fsync(fd);
	case IO_FDATASYNC:
		return fdatasync(fd);
	case IO_TRIM: /* not here: see psync_submit() */
		break;
	}
	errno = EOPNOTSUPP;
	return -1;
}

static int psync_submit(void *ctx, struct io **ios, unsigned n)
{
	struct psync *p = ctx;
	long r;

	if (p->done.io || n == 0)
		return 0;
	/* EINTR means that nothing was transferred (else the call returns the bytes): do it again.
	 * A failed sync is final; only an interrupted one, which did not fail, is repeated. */
	do {
		if (__builtin_expect(ios[0]->op == IO_TRIM, 0))
			r = trim_one(p->fds[ios[0]->fd], p->fds[p->nfds + ios[0]->fd], ios[0]);
		else
			r = psync_one(p->fds[ios[0]->fd], ios[0]);
	} while (r < 0 && errno == EINTR);
	ios[0]->res = r < 0 ? -errno : r;
	p->done.io = ios[0];
	return 1;
}

static void psync_close(void *ctx)
{
	free(ctx);
}

const struct engine engine_psync = {
	.api = ENGINE_API,
	.name = "psync",
	.what = "pread(2) and pwrite(2), one at a time",
	.caps = ENGINE_OP_READ | ENGINE_OP_WRITE | ENGINE_OP_TRIM | ENGINE_OP_FSYNC |
		ENGINE_OP_FDATASYNC | ENGINE_SYNC,
	.probe = psync_probe,
	.open = psync_open,
	.submit = psync_submit,
	.reap = sync_reap,
	.close = psync_close,
};
