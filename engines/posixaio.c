/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * posixaio: aio_read(3) and its kin. glibc does them in threads of its own, and the requests of one
 * descriptor in one thread, one after another: depth fills its list, not the device. There is no
 * cancel: a request that a thread has begun cannot be taken back.
 */
#include "engines/table.h"

#include <aio.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/*
 * Two lists without gaps: `flying` are with glibc, `over` ended at their start (a bad argument is
 * refused by the call itself). cbs is indexed by io->index, as a request must not move.
 */
struct posixaio {
	struct aiocb *cbs;
	const struct aiocb **wait; /* of flying[i] */
	struct io **flying, **over;
	unsigned nflying, nover;
	int fds[];
};

/* One read there and back: its thread may be what a filter or a limit refuses. */
static int posixaio_probe(struct err *e)
{
	char byte;
	struct aiocb cb = {.aio_buf = &byte, .aio_nbytes = 1};
	const struct aiocb *list = &cb;

	cb.aio_sigevent.sigev_notify = SIGEV_NONE;
	cb.aio_fildes = open("/dev/zero", O_RDONLY | O_CLOEXEC);
	if (cb.aio_fildes < 0)
		return err_sys(e, ERR_MEASURE, errno, "engine \"posixaio\": '/dev/zero'");
	int sys = aio_read(&cb) ? errno : 0;
	while (!sys && aio_error(&cb) == EINPROGRESS)
		if (aio_suspend(&list, 1, NULL) && errno != EINTR && errno != EAGAIN)
			sys = errno;
	if (!sys)
		sys = aio_error(&cb);
	close(cb.aio_fildes);
	if (sys)
		return err_sys(e, ERR_MEASURE, sys, "engine \"posixaio\": aio_read of a byte");
	return 0;
}

static int posixaio_open(void **ctx, const struct engine_config *c, struct err *e)
{
	(void)e;
	struct posixaio *p = xcalloc(1, sizeof(*p) + c->nfds * sizeof(p->fds[0]));

	p->cbs = xcalloc(c->depth, sizeof(*p->cbs));
	p->wait = xcalloc(c->depth, sizeof(*p->wait));
	p->flying = xcalloc(c->depth, sizeof(struct io *));
	p->over = xcalloc(c->depth, sizeof(struct io *));
	memcpy(p->fds, c->fds, c->nfds * sizeof(p->fds[0]));
	*ctx = p;
	return 0;
}

static int start(const struct posixaio *p, const struct io *io, struct aiocb *cb)
{
	*cb = (struct aiocb){
		.aio_fildes = p->fds[io->fd],
		.aio_buf = io->buf,
		.aio_nbytes = io->len,
		.aio_offset = (off_t)io->offset,
	};
	cb->aio_sigevent.sigev_notify = SIGEV_NONE;
	switch (io->op) {
	case IO_READ:
		return aio_read(cb);
	case IO_WRITE:
		return aio_write(cb);
	case IO_FSYNC:
		return aio_fsync(O_SYNC, cb);
	case IO_FDATASYNC:
		return aio_fsync(O_DSYNC, cb);
	case IO_TRIM:
		break;
	}
	errno = EOPNOTSUPP;
	return -1;
}

static int posixaio_submit(void *ctx, struct io **ios, unsigned n)
{
	struct posixaio *p = ctx;
	unsigned taken = 0;

	for (; taken < n; taken++) {
		struct io *io = ios[taken];
		struct aiocb *cb = &p->cbs[io->index];

		if (start(p, io, cb) == 0) {
			p->wait[p->nflying] = cb;
			p->flying[p->nflying++] = io;
		} else if (errno == EAGAIN) {
			/* No memory or thread for one more: what is in flight gives it back. */
			if (taken == 0 && p->nflying + p->nover == 0)
				return -EAGAIN;
			break;
		} else {
			io->res = -errno;
			p->over[p->nover++] = io;
		}
	}
	return (int)taken;
}

static unsigned drain(struct posixaio *p, struct io **done, unsigned max)
{
	unsigned got = 0;

	while (got < max && p->nover)
		done[got++] = p->over[--p->nover];
	for (unsigned i = 0; got < max && i < p->nflying;) {
		struct io *io = p->flying[i];
		struct aiocb *cb = &p->cbs[io->index];
		int sys = aio_error(cb);

		if (sys == EINPROGRESS) {
			i++;
			continue;
		}
		ssize_t r = aio_return(cb);
		io->res = sys ? -sys : r;
		done[got++] = io;
		p->nflying--;
		p->flying[i] = p->flying[p->nflying];
		p->wait[i] = p->wait[p->nflying];
	}
	return got;
}

/* 0 = something ended or the time is over, else negative errno. */
static int wait_some(const struct posixaio *p, uint64_t ns)
{
	struct timespec ts = {
		.tv_sec = (time_t)(ns / NS_PER_SEC),
		.tv_nsec = (long)(ns % NS_PER_SEC),
	};

	if (p->nflying == 0)
		return nanosleep(&ts, NULL) ? -errno : 0;
	if (aio_suspend(p->wait, (int)p->nflying, &ts) && errno != EAGAIN)
		return -errno;
	return 0;
}

static int posixaio_reap(void *ctx, struct io **done, unsigned min, unsigned max, uint64_t until)
{
	struct posixaio *p = ctx;
	unsigned got = drain(p, done, max);

	while (got < min && until > 0) {
		uint64_t now = clock_now();

		if (now >= until)
			break;
		int rc = wait_some(p, until - now);
		got += drain(p, done + got, max - got);
		if (rc == -EINTR)
			break;
		if (rc < 0)
			return got ? (int)got : rc;
	}
	return (int)got;
}

static void posixaio_close(void *ctx)
{
	struct posixaio *p = ctx;

	free(p->cbs);
	free(p->wait);
	free(p->flying);
	free(p->over);
	free(p);
}

const struct engine engine_posixaio = {
	.api = ENGINE_API,
	.name = "posixaio",
	.what = "aio_read(3) of the C library: its threads, one I/O a descriptor at a time",
	.caps = ENGINE_OP_READ | ENGINE_OP_WRITE | ENGINE_OP_FSYNC | ENGINE_OP_FDATASYNC |
		ENGINE_SERIAL,
	.probe = posixaio_probe,
	.open = posixaio_open,
	.submit = posixaio_submit,
	.reap = posixaio_reap,
	.close = posixaio_close,
};
