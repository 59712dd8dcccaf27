/* SPDX-License-Identifier: GPL-2.0-or-later */
/* io_uring: one ring a job, submitted by the thread that opened it. */
#include "engines/table.h"
#include "engines/uring.h"

#include <stdlib.h>

static int uring_open(void **ctx, const struct engine_config *c, struct err *e)
{
	struct uring *u = xcalloc(1, sizeof(*u) + c->nfds * sizeof(u->fds[0]));
	int rc = uring_setup(u, c, e);

	if (rc) {
		free(u);
		return rc;
	}
	for (unsigned i = 0; i < c->nfds; i++)
		u->fds[i] = u->registerfiles ? (int)i : c->fds[i];
	u->sqe_flags = u->registerfiles ? IOSQE_FIXED_FILE : 0;
	u->op_read = u->fixedbufs ? IORING_OP_READ_FIXED : IORING_OP_READ;
	u->op_write = u->fixedbufs ? IORING_OP_WRITE_FIXED : IORING_OP_WRITE;
	u->buf_mask = u->fixedbufs ? UINT16_MAX : 0;
	*ctx = u;
	return 0;
}

__attribute__((noinline, cold)) static void prep_other(struct io_uring_sqe *sqe, int fd,
						       const struct io *io)
{
	switch (io->op) {
	case IO_READ:
	case IO_WRITE:
		break;
	case IO_FSYNC:
		io_uring_prep_fsync(sqe, fd, 0);
		break;
	case IO_FDATASYNC:
	case IO_TRIM: /* not in the capability bits */
		io_uring_prep_fsync(sqe, fd, IORING_FSYNC_DATASYNC);
		break;
	}
}

/* The stores of io_uring_prep_read() and so on, less the fields that are 0 in every entry here. */
static inline void prep(const struct uring *u, struct io_uring_sqe *sqe, struct io *io)
{
	int fd = u->fds[io->fd];

	if (__builtin_expect(io->op == IO_READ || io->op == IO_WRITE, 1)) {
		sqe->opcode = io->op == IO_READ ? u->op_read : u->op_write;
		sqe->fd = fd;
		sqe->off = io->offset;
		sqe->addr = (uintptr_t)io->buf;
		sqe->len = io->len;
		sqe->rw_flags = 0; /* where a sync and a cancel have theirs */
		sqe->buf_index = (uint16_t)io->index & u->buf_mask;
	} else {
		prep_other(sqe, fd, io);
	}
	sqe->flags = u->sqe_flags;
	io_uring_sqe_set_data(sqe, io);
}

/* NULL = full. Under SQPOLL entries become free when the kernel's thread took them. */
static struct io_uring_sqe *next_sqe(struct uring *u)
{
	struct io_uring_sqe *sqe = io_uring_get_sqe(&u->ring);

	if (!sqe && u->sqthread_poll) {
		uring_flush(u);
		io_uring_sqring_wait(&u->ring);
		sqe = io_uring_get_sqe(&u->ring);
	}
	return sqe;
}

static int uring_submit(void *ctx, struct io **ios, unsigned n)
{
	struct uring *u = ctx;
	unsigned taken = 0;

	if (__builtin_expect(u->broken, 0))
		return u->broken;
	/* Entries that are known to be free are taken without a question for each. */
	if (__builtin_expect(!u->sqthread_poll && io_uring_sq_space_left(&u->ring) >= n, 1)) {
		struct io_uring_sq *sq = &u->ring.sq;
		const unsigned tail = sq->sqe_tail, mask = sq->ring_mask;

		for (; taken < n; taken++)
			prep(u, &sq->sqes[(tail + taken) & mask], ios[taken]);
		sq->sqe_tail = tail + n;
	}
	while (taken < n) {
		struct io_uring_sqe *sqe = next_sqe(u);

		if (!sqe)
			break;
		prep(u, sqe, ios[taken++]);
	}
	uring_flush(u);
	return (int)taken;
}

/* What stands in the completion ring. A cancel's own completion has no io. */
static inline unsigned take(struct uring *u, struct io **done, unsigned max)
{
	unsigned got = 0, seen = 0, head;
	struct io_uring_cqe *cqe;

	io_uring_for_each_cqe(&u->ring, head, cqe)
	{
		struct io *io = io_uring_cqe_get_data(cqe);

		if (got == max)
			break;
		seen++;
		if (__builtin_expect(!io, 0))
			continue;
		io->res = cqe->res;
		done[got++] = io;
	}
	io_uring_cq_advance(&u->ring, seen);
	return got;
}

/* Without waiting. */
static unsigned drain(struct uring *u, struct io **done, unsigned max)
{
	struct io_uring_cqe *cqe;
	unsigned got;

	/* Nobody else looks whether a polled I/O is done: no interrupt will tell. */
	if (__builtin_expect(u->hipri, 0) && io_uring_cq_ready(&u->ring) == 0)
		io_uring_get_events(&u->ring);
	got = take(u, done, max);
	/* Completions that the kernel holds back (deferred, or overflown) it hands out when asked.
	 */
	if (got < max && io_uring_peek_batch_cqe(&u->ring, &cqe, 1))
		got += take(u, done + got, max - got);
	return got;
}

static int uring_reap(void *ctx, struct io **done, unsigned min, unsigned max, uint64_t until)
{
	struct uring *u = ctx;

	uring_flush(u);
	/* A wait asks the kernel anyway: before it only what is there already. */
	unsigned got = min && until && !u->hipri ? take(u, done, max) : drain(u, done, max);

	bool again = got < min && until > 0;

	while (again && got < min && !u->broken) {
		again = uring_wait(u, min - got, until);
		got += drain(u, done + got, max - got);
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
	uring_flush(u);
}

static const char *uring_about(void *ctx)
{
	return ((const struct uring *)ctx)->about;
}

static void uring_close(void *ctx)
{
	struct uring *u = ctx;

	io_uring_queue_exit(&u->ring);
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
