/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How a ring comes to be: set-up, registration, the sentences of a refusal, the probe. */
#include "engines/uring.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

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
	case EMFILE:
		err_sys(e, ERR_MEASURE, EMFILE, "engine \"io_uring\": ring of %u entries", entries);
		return err_hint(e, "each job has a ring: raise RLIMIT_NOFILE (ulimit -n), or lower "
				   "numjobs");
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
	 "SINGLE_ISSUER, DEFER_TASKRUN, TASKRUN_FLAG"},
	{IORING_SETUP_COOP_TASKRUN | IORING_SETUP_TASKRUN_FLAG, "COOP_TASKRUN, TASKRUN_FLAG"},
	{0, NULL},
};
/* Another thread submits, so that none of the above applies (EINVAL); nor is it ever left out. */
static const struct setup setup_sqpoll = {IORING_SETUP_SQPOLL, "SQPOLL"};

/*
 * `asked` (IOPOLL, SQPOLL) is in every trial. *taken (may be NULL) tells which set-up it became.
 */
static int ring_setup(struct io_uring *ring, unsigned entries, unsigned asked,
		      const struct setup **taken, struct err *e)
{
	const struct setup *try = asked & IORING_SETUP_SQPOLL ? &setup_sqpoll : setups;
	size_t n = try == setups ? sizeof(setups) / sizeof(setups[0]) : 1;
	int rc = -EINVAL;

	for (size_t i = 0; rc == -EINVAL && i < n; i++) {
		rc = io_uring_queue_init(entries, ring, try[i].flags | asked);
		if (taken)
			*taken = &try[i];
	}
	if (rc < 0)
		return refused(entries, rc, e);
	if ((ring->flags & asked) != asked) {
		io_uring_queue_exit(ring);
		return err_set(e, ERR_MEASURE,
			       "engine \"io_uring\": the kernel left out set-up flags 0x%x",
			       asked & ~ring->flags);
	}
	/* Without EXT_ARG a wait with a limit needs a timeout request of its own in the ring. */
	if (!(ring->features & IORING_FEAT_EXT_ARG) || !(ring->features & IORING_FEAT_NODROP)) {
		io_uring_queue_exit(ring);
		err_set(e, ERR_MEASURE, "engine \"io_uring\": the kernel is too old (no EXT_ARG)");
		return err_hint(e, "Linux 5.11 or later, or another ioengine");
	}
	return 0;
}

/* Each I/O has a buffer of its own, registered under its index: one may be 1 GiB at most, all of
 * the area together is often more. */
static int register_buffers(struct uring *u, const struct engine_config *c, struct err *e)
{
	struct iovec *v = xcalloc(c->depth, sizeof(*v));
	struct rlimit lim = {.rlim_cur = RLIM_INFINITY};

	for (unsigned i = 0; i < c->depth; i++)
		v[i] = (struct iovec){(char *)c->buffers + i * c->buffer_len, c->buffer_len};
	int rc = io_uring_register_buffers(&u->ring, v, c->depth);

	free(v);
	u->fixedbufs = rc == 0;
	if (rc == 0)
		return 0;
	err_sys(e, ERR_MEASURE, -rc, "engine \"io_uring\": fixedbufs: %u buffers of %zu bytes",
		c->depth, c->buffer_len);
	if (rc == -ENOMEM && getrlimit(RLIMIT_MEMLOCK, &lim) == 0 && lim.rlim_cur != RLIM_INFINITY)
		return err_hint(e,
				"RLIMIT_MEMLOCK is %llu KiB: raise it (ulimit -l, LimitMEMLOCK=), "
				"or lower iodepth, bs or numjobs",
				(unsigned long long)lim.rlim_cur / 1024);
	return err_hint(e, "lower iodepth (16384 buffers at most) or bs, or fixedbufs: false");
}

static int register_files(struct uring *u, const struct engine_config *c, struct err *e)
{
	int rc = io_uring_register_files(&u->ring, c->fds, c->nfds);

	u->registerfiles = rc == 0;
	if (rc == 0)
		return 0;
	return err_sys(e, ERR_MEASURE, -rc, "engine \"io_uring\": registerfiles: %u descriptors",
		       c->nfds);
}

/* "io_uring set up with IOPOLL, SQPOLL, fixed buffers" */
static void tell_about(struct uring *u, const struct setup *taken)
{
	const char *parts[] = {u->hipri ? "IOPOLL" : NULL, taken->about,
			       u->fixedbufs ? "fixed buffers" : NULL,
			       u->registerfiles ? "registered files" : NULL};
	const char *between = "io_uring set up with ";
	size_t n = 0;

	for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++) {
		if (!parts[i])
			continue;
		n += (size_t)snprintf(u->about + n, sizeof(u->about) - n, "%s%s", between,
				      parts[i]);
		between = ", ";
	}
	if (n == 0)
		snprintf(u->about, sizeof(u->about), "io_uring set up without flags");
}

int uring_setup(struct uring *u, const struct engine_config *c, struct err *e)
{
	unsigned asked = u->asked | (c->hipri ? IORING_SETUP_IOPOLL : 0) |
			 (c->sqthread_poll ? IORING_SETUP_SQPOLL : 0);
	const struct setup *taken;
	int rc = ring_setup(&u->ring, c->depth, asked, &taken, e);

	if (rc)
		return rc;
	u->hipri = c->hipri;
	u->sqthread_poll = c->sqthread_poll;
	if (c->fixedbufs)
		rc = register_buffers(u, c, e);
	if (!rc && c->registerfiles)
		rc = register_files(u, c, e);
	if (rc)
		io_uring_queue_exit(&u->ring);
	else
		tell_about(u, taken);
	return rc;
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

static int probe_ops(struct io_uring *ring, const int *ops, size_t n, struct err *e)
{
	enum { OPS = 256 };
	struct io_uring_probe *p = xcalloc(1, sizeof(*p) + OPS * sizeof(p->ops[0]));
	int rc = io_uring_register_probe(ring, p, OPS);

	if (rc < 0)
		rc = call_refused("io_uring_register(2)", -rc, e);
	for (size_t i = 0; rc == 0 && i < n; i++) {
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
	while (rc < 0 && uring_try_again(rc) && clock_now() < end);
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

static int probe_with(unsigned asked, const int *ops, size_t n, struct err *e)
{
	struct io_uring ring;
	int rc = ring_setup(&ring, 8, asked, NULL, e);

	if (rc)
		return rc;
	rc = probe_ops(&ring, ops, n, e);
	if (!rc)
		rc = probe_round(&ring, e);
	io_uring_queue_exit(&ring);
	return rc;
}

int uring_probe(struct err *e)
{
	static const int ops[] = {IORING_OP_READ,       IORING_OP_WRITE,
				  IORING_OP_FSYNC,      IORING_OP_ASYNC_CANCEL,
				  IORING_OP_READ_FIXED, IORING_OP_WRITE_FIXED};

	return probe_with(0, ops, sizeof(ops) / sizeof(ops[0]), e);
}

int uring_probe_cmd(struct err *e)
{
	static const int ops[] = {IORING_OP_URING_CMD};
	int rc = probe_with(IORING_SETUP_SQE128 | IORING_SETUP_CQE32, ops, 1, e);

	if (rc && e->sys == EINVAL)
		err_hint(e, "passthrough needs Linux 5.19 or later");
	return rc;
}
