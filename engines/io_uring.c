/* SPDX-License-Identifier: GPL-2.0-or-later */
/* io_uring: one ring a job, submitted by the thread that opened it. */
#include "engines/table.h"

#include <errno.h>
#include <fcntl.h>
#include <liburing.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#define RING_MAX 32768u /* IORING_MAX_ENTRIES of the kernel */

struct uring {
	struct io_uring ring;
	int broken; /* negative errno of a submission whose entries could not be taken back */
	struct io_uring_cqe **cqes;
	unsigned depth;
	const char *about;
	int fds[];
};

/* Value of a one-line file, or fallback. */
static long read_number(const char *path, const char *key, long fallback)
{
	char buf[4096];
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t n = fd < 0 ? -1 : read(fd, buf, sizeof(buf) - 1);

	if (fd >= 0)
		close(fd);
	if (n <= 0)
		return fallback;
	buf[n] = '\0';
	const char *at = key ? strstr(buf, key) : buf;
	return at ? strtol(at + (key ? strlen(key) : 0), NULL, 10) : fallback;
}

static int refused_eperm(unsigned entries, struct err *e)
{
	long off = read_number("/proc/sys/kernel/io_uring_disabled", NULL, 0);

	if (off > 0) {
		err_sys(e, ERR_MEASURE, EPERM,
			"engine \"io_uring\": ring of %u entries (kernel.io_uring_disabled is %ld)",
			entries, off);
		return err_hint(e, off == 1
					   ? "1 allows it to root and to kernel.io_uring_group; or "
					     "sysctl kernel.io_uring_disabled=0"
					   : "sysctl kernel.io_uring_disabled=0, or choose another "
					     "ioengine");
	}
	bool filtered = read_number("/proc/self/status", "\nSeccomp:", 0) > 0;
	err_sys(e, ERR_MEASURE, EPERM, "engine \"io_uring\": ring of %u entries%s", entries,
		filtered ? " (a seccomp filter is active)" : "");
	return err_hint(e, "container runtimes deny io_uring_setup(2) in their default seccomp "
			   "profile: allow it there, or choose another ioengine");
}

static int refused(unsigned entries, int rc, struct err *e)
{
	struct rlimit lim;

	switch (-rc) {
	case EPERM:
	case EACCES:
		return refused_eperm(entries, e);
	case ENOMEM:
		if (getrlimit(RLIMIT_MEMLOCK, &lim) < 0 || lim.rlim_cur == RLIM_INFINITY) {
			err_sys(e, ERR_MEASURE, ENOMEM,
				"engine \"io_uring\": ring of %u entries (RLIMIT_MEMLOCK is "
				"unlimited)",
				entries);
			return err_hint(e, "lower iodepth or numjobs");
		}
		err_sys(e, ERR_MEASURE, ENOMEM,
			"engine \"io_uring\": ring of %u entries (RLIMIT_MEMLOCK is %llu KiB)",
			entries, (unsigned long long)lim.rlim_cur / 1024);
		return err_hint(e,
				"raise it (ulimit -l, LimitMEMLOCK=), or lower iodepth or numjobs");
	case ENOSYS:
		err_sys(e, ERR_MEASURE, ENOSYS, "engine \"io_uring\": ring of %u entries", entries);
		return err_hint(e,
				"the kernel has no io_uring, or a sandbox hides it; choose another "
				"ioengine");
	default:
		return err_sys(e, ERR_MEASURE, -rc, "engine \"io_uring\": ring of %u entries",
			       entries);
	}
}

/*
 * These flags say in whose time the kernel finishes a completion (this thread's next call, instead
 * of an interruption by IPI). The I/O that reaches the device, its order and its results are the
 * same, so trying them is no replacement of what was asked. The kernel has no feature bit for
 * set-up flags: a trial is the only question, EINVAL the only "absent". Which were taken changes
 * what an I/O costs the CPU, so each run notes them. TASKRUN_FLAG lets a look without system call
 * see that completions wait to be run.
 */
static const struct setup {
	unsigned flags;
	const char *about;
} setups[] = {
	{IORING_SETUP_SINGLE_ISSUER | IORING_SETUP_DEFER_TASKRUN | IORING_SETUP_TASKRUN_FLAG,
	 "io_uring set up with SINGLE_ISSUER, DEFER_TASKRUN, TASKRUN_FLAG"},
	{IORING_SETUP_COOP_TASKRUN | IORING_SETUP_TASKRUN_FLAG,
	 "io_uring set up with COOP_TASKRUN, TASKRUN_FLAG"},
	{0, "io_uring set up without flags"},
};

/* *about (may be NULL) tells which set-up it became. */
static int ring_setup(struct io_uring *ring, unsigned entries, const char **about, struct err *e)
{
	int rc = -EINVAL;

	if (entries > RING_MAX) {
		err_set(e, ERR_MEASURE, "engine \"io_uring\": depth %u is beyond %u", entries,
			RING_MAX);
		return err_hint(e, "spread the depth over numjobs");
	}
	for (size_t i = 0; rc == -EINVAL && i < sizeof(setups) / sizeof(setups[0]); i++) {
		rc = io_uring_queue_init(entries, ring, setups[i].flags);
		if (about)
			*about = setups[i].about;
	}
	if (rc < 0)
		return refused(entries, rc, e);
	/* Without EXT_ARG a wait with a limit needs a timeout request of its own in the ring. */
	if (!(ring->features & IORING_FEAT_EXT_ARG) || !(ring->features & IORING_FEAT_NODROP)) {
		io_uring_queue_exit(ring);
		err_set(e, ERR_MEASURE, "engine \"io_uring\": the kernel is too old (no EXT_ARG)");
		return err_hint(e, "Linux 5.11 or later, or another ioengine");
	}
	return 0;
}

static bool try_again(int rc)
{
	return rc == -EAGAIN || rc == -EBUSY || rc == -EINTR || rc == -ETIME;
}

/* The calls are filtered one by one: a ring that can be set up need not be one that can be used. */
static int call_refused(const char *call, int sys, struct err *e)
{
	err_sys(e, ERR_MEASURE, sys, "engine \"io_uring\": a ring could be set up, but %s failed%s",
		call,
		read_number("/proc/self/status", "\nSeccomp:", 0) > 0
			? " (a seccomp filter is active)"
			: "");
	return err_hint(e,
			"allow io_uring_setup, io_uring_enter and io_uring_register in the seccomp "
			"profile, or choose another ioengine");
}

static int probe_ops(struct io_uring *ring, struct err *e)
{
	static const int ops[] = {IORING_OP_READ, IORING_OP_WRITE, IORING_OP_FSYNC,
				  IORING_OP_ASYNC_CANCEL};
	enum { OPS = 256 };
	struct io_uring_probe *p = xcalloc(1, sizeof(*p) + OPS * sizeof(p->ops[0]));
	int rc = io_uring_register_probe(ring, p, OPS);

	if (rc < 0)
		rc = call_refused("io_uring_register(2)", -rc, e);
	for (size_t i = 0; rc == 0 && i < sizeof(ops) / sizeof(ops[0]); i++) {
		if (!io_uring_opcode_supported(p, ops[i]))
			rc = err_set(e, ERR_MEASURE,
				     "engine \"io_uring\": the kernel does not offer operation %d",
				     ops[i]);
	}
	free(p);
	return rc;
}

/* One no-op there and back, by the call that the runner waits with. */
static int probe_round(struct io_uring *ring, struct err *e)
{
	uint64_t end = clock_now() + NS_PER_SEC;
	struct __kernel_timespec ts = {.tv_sec = 1};
	struct io_uring_cqe *cqe = NULL;
	int rc;

	io_uring_prep_nop(io_uring_get_sqe(ring));
	do
		rc = io_uring_submit_and_wait_timeout(ring, &cqe, 1, &ts, NULL);
	while (rc < 0 && try_again(rc) && clock_now() < end);
	if (rc < 0)
		return call_refused("io_uring_enter(2)", -rc, e);
	if (io_uring_peek_cqe(ring, &cqe))
		return err_set(e, ERR_MEASURE,
			       "engine \"io_uring\": a no-op did not come back within a second");
	if (cqe->res < 0)
		return err_sys(e, ERR_MEASURE, -cqe->res, "engine \"io_uring\": a no-op failed");
	io_uring_cqe_seen(ring, cqe);
	return 0;
}

static int uring_probe(struct err *e)
{
	struct io_uring ring;
	int rc = ring_setup(&ring, 8, NULL, e);

	if (rc)
		return rc;
	rc = probe_ops(&ring, e);
	if (!rc)
		rc = probe_round(&ring, e);
	io_uring_queue_exit(&ring);
	return rc;
}

static int uring_open(void **ctx, const struct engine_config *c, struct err *e)
{
	struct uring *u = xcalloc(1, sizeof(*u) + c->nfds * sizeof(u->fds[0]));
	int rc = ring_setup(&u->ring, c->depth, &u->about, e);

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

		if (rc < 0 && !try_again(rc))
			u->broken = rc;
		if (rc <= 0)
			return;
	}
}

static void prep(const struct uring *u, struct io_uring_sqe *sqe, struct io *io)
{
	int fd = u->fds[io->fd];

	switch (io->op) {
	case IO_READ:
		io_uring_prep_read(sqe, fd, io->buf, io->len, io->offset);
		break;
	case IO_WRITE:
		io_uring_prep_write(sqe, fd, io->buf, io->len, io->offset);
		break;
	case IO_FSYNC:
		io_uring_prep_fsync(sqe, fd, 0);
		break;
	case IO_FDATASYNC:
	case IO_TRIM: /* not in the capability bits */
		io_uring_prep_fsync(sqe, fd, IORING_FSYNC_DATASYNC);
		break;
	}
	io_uring_sqe_set_data(sqe, io);
}

static int uring_submit(void *ctx, struct io **ios, unsigned n)
{
	struct uring *u = ctx;
	unsigned taken = 0;

	if (u->broken)
		return u->broken;
	while (taken < n) {
		struct io_uring_sqe *sqe = io_uring_get_sqe(&u->ring);

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
		if (rc < 0 && !try_again(rc))
			u->broken = rc;
	}
	return got == 0 && u->broken ? u->broken : (int)got;
}

static void uring_cancel(void *ctx, struct io *io)
{
	struct uring *u = ctx;
	struct io_uring_sqe *sqe = io_uring_get_sqe(&u->ring);

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
	.what = "Linux io_uring, interrupt driven",
	.caps = ENGINE_OP_READ | ENGINE_OP_WRITE | ENGINE_OP_FSYNC | ENGINE_OP_FDATASYNC,
	.probe = uring_probe,
	.open = uring_open,
	.submit = uring_submit,
	.reap = uring_reap,
	.cancel = uring_cancel,
	.close = uring_close,
	.about = uring_about,
};
