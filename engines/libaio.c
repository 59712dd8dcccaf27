/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * libaio: Linux native AIO. No cancel hook: for files and block devices io_cancel(2) answers
 * EINVAL, an I/O ends when the device ends it.
 */
#include "engines/table.h"

#include <errno.h>
#include <fcntl.h>
#include <libaio.h>
#include <limits.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/*
 * Where the kernel puts completions: a ring mapped at the address of the context, laid out so since
 * Linux 2.5.69 (struct aio_ring of fs/aio.c). Who reads it moves head, and needs no system call.
 */
struct aio_ring {
	unsigned id, nr;
	_Atomic unsigned head, tail;
	unsigned magic, compat, incompat, header_length;
	struct io_event events[];
};
#define AIO_RING_MAGIC 0xa10a10a1u

struct aio {
	io_context_t ctx;
	struct aio_ring *ring; /* NULL = of a kind not known: io_getevents(2) alone reads it */
	struct iocb *cb;       /* by io index */
	struct iocb **batch;   /* depth pointers for io_submit */
	struct io_event *events;
	struct io **failed; /* refused by io_submit: completed here with their errno */
	unsigned nfailed;
	int *fds;
};

static void read_sysctl(const char *path, char *out, size_t n)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t r = fd < 0 ? -1 : read(fd, out, n - 1);

	if (fd >= 0)
		close(fd);
	if (r <= 0) {
		memcpy(out, "unreadable", sizeof("unreadable"));
		return;
	}
	out[r] = '\0';
	out[strcspn(out, "\n")] = '\0';
}

static int setup_refused(unsigned depth, int rc, struct err *e)
{
	char max[32], used[32];

	if (rc == -EAGAIN) {
		read_sysctl("/proc/sys/fs/aio-max-nr", max, sizeof(max));
		read_sysctl("/proc/sys/fs/aio-nr", used, sizeof(used));
		err_sys(e, ERR_MEASURE, EAGAIN,
			"engine \"libaio\": io_setup for depth %u (fs.aio-max-nr is %s, %s in use)",
			depth, max, used);
		return err_hint(
			e, "raise it with sysctl fs.aio-max-nr=N, or lower iodepth or numjobs");
	}
	err_sys(e, ERR_MEASURE, -rc, "engine \"libaio\": io_setup for depth %u", depth);
	if (rc == -ENOSYS)
		err_hint(e, "the kernel was built without CONFIG_AIO; choose another ioengine");
	else if (rc == -EPERM)
		err_hint(e, "a seccomp filter may deny io_setup(2); allow it or choose another "
			    "ioengine");
	return ERR_MEASURE;
}

/* The calls are filtered one by one: contexts may be allowed and their use not. */
static int call_refused(const char *call, int sys, struct err *e)
{
	err_sys(e, ERR_MEASURE, sys, "engine \"libaio\": io_setup went well, but %s failed", call);
	return err_hint(e, "a seccomp filter may deny it: allow io_setup, io_submit, io_getevents "
			   "and io_destroy, or choose another ioengine");
}

/* One I/O there and back. IO_CMD_FSYNC came with Linux 4.18; before it io_submit says EINVAL.
 * Capability bits are constant, so a kernel without it cannot use the engine. */
static int probe_round(io_context_t ctx, struct err *e)
{
	struct timespec ts = {.tv_sec = 1};
	struct iocb cb, *list = &cb;
	struct io_event ev;
	int fd = memfd_create("blkgate-probe", MFD_CLOEXEC);

	if (fd < 0)
		return err_sys(e, ERR_MEASURE, errno,
			       "engine \"libaio\": memory file for its probe");
	io_prep_fsync(&cb, fd);
	int sent = io_submit(ctx, 1, &list);
	int got = sent == 1 ? io_getevents(ctx, 1, 1, &ev, &ts) : 0;
	close(fd);
	long res = got == 1 ? (long)ev.res : 0;
	if (sent == -EINVAL || res < 0)
		return err_sys(e, ERR_MEASURE, sent < 0 ? -sent : (int)-res,
			       "engine \"libaio\": this kernel has no asynchronous fsync");
	if (sent < 0)
		return call_refused("io_submit(2)", -sent, e);
	if (got < 0)
		return call_refused("io_getevents(2)", -got, e);
	if (sent != 1 || got != 1)
		return err_set(e, ERR_MEASURE,
			       "engine \"libaio\": an fsync did not come back within a second");
	return 0;
}

static int aio_probe(struct err *e)
{
	io_context_t ctx = NULL;
	int rc = io_setup(1, &ctx);

	if (rc < 0)
		return setup_refused(1, rc, e);
	rc = probe_round(ctx, e);
	io_destroy(ctx);
	return rc;
}

static void aio_close(void *ctx)
{
	struct aio *a = ctx;

	if (a->ctx)
		io_destroy(a->ctx);
	free(a->cb);
	free(a->batch);
	free(a->events);
	free(a->failed);
	free(a->fds);
	free(a);
}

static struct aio_ring *known_ring(io_context_t ctx)
{
	struct aio_ring *r = (void *)ctx;

	return r->magic == AIO_RING_MAGIC && !r->incompat && r->header_length == sizeof(*r) ? r
											    : NULL;
}

static int aio_open(void **ctx, const struct engine_config *c, struct err *e)
{
	struct aio *a = xcalloc(1, sizeof(*a));
	int rc = c->depth > INT_MAX ? -EINVAL : io_setup((int)c->depth, &a->ctx);

	if (rc < 0) {
		a->ctx = NULL;
		aio_close(a);
		return setup_refused(c->depth, rc, e);
	}
	a->ring = known_ring(a->ctx);
	a->cb = xcalloc(c->depth, sizeof(*a->cb));
	a->batch = xcalloc(c->depth, sizeof(*a->batch));
	a->events = xcalloc(c->depth, sizeof(*a->events));
	a->failed = xcalloc(c->depth, sizeof(struct io *));
	a->fds = xcalloc(c->nfds, sizeof(*a->fds));
	memcpy(a->fds, c->fds, c->nfds * sizeof(*a->fds));
	*ctx = a;
	return 0;
}

__attribute__((noinline, cold)) static void prep_other(struct iocb *cb, int fd, const struct io *io)
{
	switch (io->op) {
	case IO_READ:
	case IO_WRITE:
		break;
	case IO_FSYNC:
		io_prep_fsync(cb, fd);
		break;
	case IO_FDATASYNC:
	case IO_TRIM: /* not in the capability bits */
		io_prep_fdsync(cb, fd);
		break;
	}
}

/* The stores of io_prep_pread() and io_prep_pwrite(), which clear the rest of it each time. */
static inline void prep(const struct aio *a, struct iocb *cb, struct io *io)
{
	int fd = a->fds[io->fd];

	if (__builtin_expect(io->op == IO_READ || io->op == IO_WRITE, 1)) {
		cb->aio_lio_opcode = io->op == IO_READ ? IO_CMD_PREAD : IO_CMD_PWRITE;
		cb->aio_fildes = fd;
		cb->u.c.buf = io->buf;
		cb->u.c.nbytes = io->len;
		cb->u.c.offset = (long long)io->offset;
	} else {
		prep_other(cb, fd, io);
	}
	cb->data = io;
}

static int aio_submit(void *ctx, struct io **ios, unsigned n)
{
	struct aio *a = ctx;
	unsigned taken = 0;

	for (unsigned i = 0; i < n; i++) {
		a->batch[i] = &a->cb[ios[i]->index];
		prep(a, a->batch[i], ios[i]);
	}
	while (taken < n) {
		int rc = io_submit(a->ctx, (long)(n - taken), a->batch + taken);

		if (rc > 0) {
			taken += (unsigned)rc;
			continue;
		}
		if (rc == 0 || rc == -EAGAIN)
			break;
		if (rc == -ENOSYS)
			return rc;
		/* io_submit stops at the first iocb it cannot start and reports its errno only when
		 * none came before: the error belongs to this I/O alone (EBADF, EINVAL ...). */
		ios[taken]->res = rc;
		a->failed[a->nfailed++] = ios[taken++];
	}
	return (int)taken;
}

/* Of one completion. res is unsigned in the header: compared as it stands, no error is ever seen.
 */
static inline struct io *finished(const struct io_event *ev)
{
	struct io *io = ev->data;

	io->res = (int64_t)(long)ev->res;
	return io;
}

/* What is in the ring. */
static unsigned aio_look(struct aio_ring *r, struct io **done, unsigned max)
{
	unsigned head = atomic_load_explicit(&r->head, memory_order_relaxed);
	unsigned tail = atomic_load_explicit(&r->tail, memory_order_acquire), got = 0;

	while (got < max && head != tail) {
		done[got++] = finished(&r->events[head]);
		head = head + 1 < r->nr ? head + 1 : 0;
	}
	if (got)
		atomic_store_explicit(&r->head, head, memory_order_release);
	return got;
}

static int aio_reap(void *ctx, struct io **done, unsigned min, unsigned max, uint64_t until)
{
	struct aio *a = ctx;
	unsigned got = 0;
	struct timespec ts = {0, 0};

	while (got < max && a->nfailed > 0)
		done[got++] = a->failed[--a->nfailed];
	if (a->ring)
		got += aio_look(a->ring, done + got, max - got);
	if (got == max || (a->ring && got >= min))
		return (int)got;
	unsigned want = min > got ? min - got : 0;
	if (want > 0) {
		uint64_t now = until ? clock_now() : 0;
		if (now >= until) {
			want = 0;
		} else {
			ts.tv_sec = (time_t)((until - now) / NS_PER_SEC);
			ts.tv_nsec = (long)((until - now) % NS_PER_SEC);
		}
	}
	int rc = io_getevents(a->ctx, want, max - got, a->events, &ts);
	if (rc == -EINTR)
		return (int)got;
	if (rc < 0)
		return got > 0 ? (int)got : rc;
	for (int i = 0; i < rc; i++)
		done[got++] = finished(&a->events[i]);
	return (int)got;
}

static const char *aio_about(void *ctx)
{
	return ((const struct aio *)ctx)->ring
		       ? ""
		       : "libaio reads completions with io_getevents(2): the "
			 "ring of this kernel is not known";
}

const struct engine engine_libaio = {
	.api = ENGINE_API,
	.name = "libaio",
	.what = "Linux native asynchronous I/O; asynchronous with direct I/O only",
	.caps = ENGINE_OP_READ | ENGINE_OP_WRITE | ENGINE_OP_FSYNC | ENGINE_OP_FDATASYNC,
	.probe = aio_probe,
	.open = aio_open,
	.submit = aio_submit,
	.reap = aio_reap,
	.close = aio_close,
	.about = aio_about,
};
