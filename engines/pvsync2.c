/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * pvsync2: preadv2 and pwritev2, for their flags. RWF_HIPRI polls for the completion. RWF_NOWAIT
 * first asks for the I/O without waiting; what would have blocked (EAGAIN) is done again without
 * the flag, as the workload is the I/O and not the refusal, and is counted: the run notes how many.
 */
#include "engines/sync.h"
#include "engines/table.h"
#include "engines/trim.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

struct pvsync2 {
	struct sync_done done;
	int flags;
	bool nowait;
	uint64_t retried;
	unsigned nfds;
	int fds[]; /* nfds, then for each whether a trim of it goes to a block device */
};

/* The calls are filtered one by one: ENOSYS and EPERM are told apart from a bad descriptor. */
static int pvsync2_probe(struct err *e)
{
	struct iovec v = {0};

	for (int i = 0; i < 2; i++) {
		ssize_t r = i ? pwritev2(-1, &v, 1, 0, 0) : preadv2(-1, &v, 1, 0, 0);
		if (r < 0 && errno != EBADF)
			return err_sys(e, ERR_MEASURE, errno, "engine \"pvsync2\": %s",
				       i ? "pwritev2(2)" : "preadv2(2)");
	}
	return 0;
}

static int pvsync2_open(void **ctx, const struct engine_config *c, struct err *e)
{
	(void)e;
	struct pvsync2 *p = xcalloc(1, sizeof(*p) + 2 * c->nfds * sizeof(p->fds[0]));

	p->flags = c->hipri ? RWF_HIPRI : 0;
	p->nowait = c->nowait;
	memcpy(p->fds, c->fds, c->nfds * sizeof(p->fds[0]));
	p->nfds = c->nfds;
	trim_learn(p->fds, p->nfds, p->fds + p->nfds);
	*ctx = p;
	return 0;
}

static ssize_t transfer(int fd, const struct io *io, int flags)
{
	struct iovec v = {.iov_base = io->buf, .iov_len = io->len};
	/* -1 is the current position to these calls; as an offset it is as wrong as any negative.
	 */
	off_t at = io->offset == UINT64_MAX ? INT64_MIN : (off_t)io->offset;

	return io->op == IO_READ ? preadv2(fd, &v, 1, at, flags) : pwritev2(fd, &v, 1, at, flags);
}

static ssize_t pvsync2_one(struct pvsync2 *p, const struct io *io)
{
	int fd = p->fds[io->fd];

	switch (io->op) {
	case IO_READ:
	case IO_WRITE:
		if (p->nowait) {
			ssize_t r = transfer(fd, io, p->flags | RWF_NOWAIT);
			if (r >= 0 || errno != EAGAIN)
				return r;
			p->retried++;
		}
		return transfer(fd, io, p->flags);
	case IO_FSYNC:
		return fsync(fd);
	case IO_FDATASYNC:
		return fdatasync(fd);
	case IO_TRIM:
		return trim_one(fd, p->fds[p->nfds + io->fd], io);
	}
	errno = EOPNOTSUPP;
	return -1;
}

static int pvsync2_submit(void *ctx, struct io **ios, unsigned n)
{
	struct pvsync2 *p = ctx;
	ssize_t r;

	if (p->done.io || n == 0)
		return 0;
	/* EINTR means that nothing was transferred: do it again. */
	do {
		r = pvsync2_one(p, ios[0]);
	} while (r < 0 && errno == EINTR);
	ios[0]->res = r < 0 ? -errno : r;
	p->done.io = ios[0];
	return 1;
}

static uint64_t pvsync2_retried(void *ctx)
{
	return ((const struct pvsync2 *)ctx)->retried;
}

static void pvsync2_close(void *ctx)
{
	free(ctx);
}

const struct engine engine_pvsync2 = {
	.api = ENGINE_API,
	.name = "pvsync2",
	.what = "preadv2(2) and pwritev2(2), one at a time; hipri, nowait",
	.caps = ENGINE_OP_READ | ENGINE_OP_WRITE | ENGINE_OP_TRIM | ENGINE_OP_FSYNC |
		ENGINE_OP_FDATASYNC | ENGINE_SYNC | ENGINE_HIPRI | ENGINE_NOWAIT,
	.probe = pvsync2_probe,
	.open = pvsync2_open,
	.submit = pvsync2_submit,
	.reap = sync_reap,
	.close = pvsync2_close,
	.retried = pvsync2_retried,
};
