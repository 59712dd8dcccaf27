/* SPDX-License-Identifier: GPL-2.0-or-later */
/* io_uring: one ring a job, submitted by the thread that opened it. */
#include "engines/table.h"
#include "engines/uring.h"

#include <stdlib.h>
#include <string.h>

static int uring_open(void **ctx, const struct engine_config *c, struct err *e)
{
	struct uring *u = xcalloc(1, sizeof(*u) + c->nfds * sizeof(u->fds[0]));
	int rc = uring_setup(u, c, e);

	if (rc) {
		free(u);
		return rc;
	}
	u->cqes = xcalloc(c->depth, sizeof(struct io_uring_cqe *));
	u->depth = c->depth;
	memcpy(u->fds, c->fds, c->nfds * sizeof(u->fds[0]));
	*ctx = u;
	return 0;
}

/* Hands every prepared entry to the kernel. One that it does not take now (short of memory,
 * completions overflown) stays in the ring and goes with the next call; it cannot be taken back. */
static void flush(struct uring *u)
{
	while (!u->broken && io_uring_sq_ready(&u->ring) > 0) {
		int rc = io_uring_submit(&u->ring);

		if (rc < 0 && !uring_try_again(rc))
			u->broken = rc;
		/* The SQPOLL thread takes them in its own time; the call has woken it. */
		if (rc <= 0 || u->sqthread_poll)
			return;
	}
}

static void prep_rw(const struct uring *u, struct io_uring_sqe *sqe, int fd, const struct io *io)
{
	bool write = io->op == IO_WRITE;

	if (u->fixedbufs && write)
		io_uring_prep_write_fixed(sqe, fd, io->buf, io->len, io->offset, (int)io->index);
	else if (u->fixedbufs)
		io_uring_prep_read_fixed(sqe, fd, io->buf, io->len, io->offset, (int)io->index);
	else if (write)
		io_uring_prep_write(sqe, fd, io->buf, io->len, io->offset);
	else
		io_uring_prep_read(sqe, fd, io->buf, io->len, io->offset);
}

static void prep(const struct uring *u, struct io_uring_sqe *sqe, struct io *io)
{
	int fd = u->registerfiles ? (int)io->fd : u->fds[io->fd];

	switch (io->op) {
	case IO_READ:
	case IO_WRITE:
		prep_rw(u, sqe, fd, io);
		break;
	case IO_FSYNC:
		io_uring_prep_fsync(sqe, fd, 0);
		break;
	case IO_FDATASYNC:
	case IO_TRIM: /* not in the capability bits */
		io_uring_prep_fsync(sqe, fd, IORING_FSYNC_DATASYNC);
		break;
	}
	if (u->registerfiles)
		io_uring_sqe_set_flags(sqe, IOSQE_FIXED_FILE);
	io_uring_sqe_set_data(sqe, io);
}

/* NULL = full. Under SQPOLL entries become free when the kernel's thread took them. */
static struct io_uring_sqe *next_sqe(struct uring *u)
{
	struct io_uring_sqe *sqe = io_uring_get_sqe(&u->ring);

	if (!sqe && u->sqthread_poll) {
		flush(u);
		io_uring_sqring_wait(&u->ring);
		sqe = io_uring_get_sqe(&u->ring);
	}
	return sqe;
}

static int uring_submit(void *ctx, struct io **ios, unsigned n)
{
	struct uring *u = ctx;
	unsigned taken = 0;

	if (u->broken)
		return u->broken;
	while (taken < n) {
		struct io_uring_sqe *sqe = next_sqe(u);

		if (!sqe)
			break;
		prep(u, sqe, ios[taken++]);
	}
	flush(u);
	return (int)taken;
}

/* What is in the completion ring, without waiting. A cancel's own completion has no io. */
static unsigned drain(struct uring *u, struct io **done, unsigned max)
{
	unsigned got = 0;

	/* Nobody else looks whether a polled I/O is done: no interrupt will tell. */
	if (u->hipri && io_uring_cq_ready(&u->ring) == 0)
		io_uring_get_events(&u->ring);
	while (got < max) {
		unsigned ask = max - got < u->depth ? max - got : u->depth;
		unsigned n = io_uring_peek_batch_cqe(&u->ring, u->cqes, ask);

		if (n == 0)
			break;
		for (unsigned i = 0; i < n; i++) {
			struct io *io = io_uring_cqe_get_data(u->cqes[i]);
			if (!io)
				continue;
			io->res = u->cqes[i]->res;
			done[got++] = io;
		}
		io_uring_cq_advance(&u->ring, n);
	}
	return got;
}

static int uring_reap(void *ctx, struct io **done, unsigned min, unsigned max, uint64_t until)
{
	struct uring *u = ctx;

	flush(u);
	unsigned got = drain(u, done, max);
	while (got < min && until > 0 && !u->broken) {
		uint64_t now = clock_now();
		struct io_uring_cqe *cqe;

		if (now >= until)
			break;
		struct __kernel_timespec ts = {
			.tv_sec = (long long)((until - now) / NS_PER_SEC),
			.tv_nsec = (long long)((until - now) % NS_PER_SEC),
		};
		int rc = io_uring_submit_and_wait_timeout(&u->ring, &cqe, min - got, &ts, NULL);
		got += drain(u, done + got, max - got);
		if (rc == -EINTR)
			break;
		/* ETIME may come long before the time (seen with an I/O that failed at once): only
		 * the clock ends the wait. */
		if (rc < 0 && !uring_try_again(rc))
			u->broken = rc;
	}
	return got == 0 && u->broken ? u->broken : (int)got;
}

static void uring_cancel(void *ctx, struct io *io)
{
	struct uring *u = ctx;
	struct io_uring_sqe *sqe = next_sqe(u);

	if (!sqe)
		return;
	io_uring_prep_cancel(sqe, io, 0);
	io_uring_sqe_set_data(sqe, NULL);
	flush(u);
}

static const char *uring_about(void *ctx)
{
	return ((const struct uring *)ctx)->about;
}

static void uring_close(void *ctx)
{
	struct uring *u = ctx;

	io_uring_queue_exit(&u->ring);
	free(u->cqes);
	free(u);
}

const struct engine engine_io_uring = {
	.api = ENGINE_API,
	.name = "io_uring",
	.what = "Linux io_uring; hipri, fixedbufs, registerfiles, sqthread_poll",
	.caps = ENGINE_OP_READ | ENGINE_OP_WRITE | ENGINE_OP_FSYNC | ENGINE_OP_FDATASYNC |
		ENGINE_HIPRI | ENGINE_FIXEDBUFS | ENGINE_REGISTERFILES | ENGINE_SQPOLL,
	.depth_max = 32768, /* IORING_MAX_ENTRIES of the kernel */
	.probe = uring_probe,
	.open = uring_open,
	.submit = uring_submit,
	.reap = uring_reap,
	.cancel = uring_cancel,
	.close = uring_close,
	.about = uring_about,
};
