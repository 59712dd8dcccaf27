/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * mmap: reads and writes are copies out of and into a shared mapping of the whole target; a sync is
 * msync(2) and the sync of the descriptor. Always through the page cache.
 *
 * A page that cannot be had (the device failed, no space behind a hole, the file was cut) comes as
 * SIGBUS in the middle of the copy. The kernel tells no errno with it: the I/O fails with EIO. A
 * buffer that cannot be touched comes as SIGSEGV: EFAULT, as from a system call.
 */
#include "engines/sync.h"
#include "engines/table.h"

#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

struct map {
	int fd, mode;  /* O_ACCMODE of the descriptor, -1 = it is none */
	char *at;      /* NULL = not mapped yet */
	uint64_t size; /* bytes of the target that are mapped */
};

struct mmap_ctx {
	struct sync_done done;
	sigset_t mask;   /* of the thread: put back after a fault */
	unsigned nmaps;
	struct map map[];
};

/* The copy that this thread is in. A signal handler gets no argument, so it must stand somewhere.
 */
static _Thread_local sigjmp_buf *volatile copying;

static void on_fault(int sig, siginfo_t *info, void *ucontext)
{
	(void)info;
	(void)ucontext;
	sigjmp_buf *to = copying;

	if (to)
		siglongjmp(*to, sig);
	/* None of ours: it happens again, and ends the process. */
	signal(sig, SIG_DFL);
}

/*
 * For the process and for good: a context of another thread may still need it when this one closes,
 * and outside a copy the handler does what the default does. Both signals unblocked, or a fault
 * would kill.
 */
static int catch_faults(sigset_t *mask, struct err *e)
{
	struct sigaction sa = {.sa_sigaction = on_fault, .sa_flags = SA_SIGINFO | SA_NODEFER};
	sigset_t both;

	sigemptyset(&sa.sa_mask);
	sigemptyset(&both);
	sigaddset(&both, SIGBUS);
	sigaddset(&both, SIGSEGV);
	if (sigaction(SIGBUS, &sa, NULL) || sigaction(SIGSEGV, &sa, NULL))
		return err_sys(e, ERR_MEASURE, errno, "engine \"mmap\": sigaction");
	int sys = pthread_sigmask(SIG_UNBLOCK, &both, NULL);

	if (!sys)
		sys = pthread_sigmask(SIG_UNBLOCK, NULL, mask);
	return sys ? err_sys(e, ERR_MEASURE, sys, "engine \"mmap\": signal mask") : 0;
}

static int mmap_probe(struct err *e)
{
	(void)e;
	return 0;
}

static int mmap_open(void **ctx, const struct engine_config *c, struct err *e)
{
	struct mmap_ctx *m = xcalloc(1, sizeof(*m) + c->nfds * sizeof(m->map[0]));
	int rc = catch_faults(&m->mask, e);

	if (rc) {
		free(m);
		return rc;
	}
	m->nmaps = c->nfds;
	for (unsigned i = 0; i < c->nfds; i++)
		m->map[i].fd = c->fds[i];
	*ctx = m;
	return 0;
}

static void unmap(struct map *m)
{
	if (m->at)
		munmap(m->at, m->size);
	m->at = NULL;
	m->size = 0;
}

/* Maps all of the target as it is now. 0 or negative errno. The position of the descriptor is used
 * by nobody: every I/O has an offset, and a block device tells its size no other way. */
static int map_all(struct map *m)
{
	int flags = fcntl(m->fd, F_GETFL);

	if (flags < 0)
		return -errno;
	m->mode = flags & O_ACCMODE;
	off_t size = lseek(m->fd, 0, SEEK_END);

	if (size < 0)
		return -errno;
	if ((uint64_t)size == m->size)
		return 0;
	unmap(m);
	if (size == 0)
		return 0;
	int prot = m->mode == O_RDWR ? PROT_READ | PROT_WRITE : PROT_READ;
	void *at = mmap(NULL, (size_t)size, prot, MAP_SHARED, m->fd, 0);

	if (at == MAP_FAILED)
		return -errno;
	m->at = at;
	m->size = (uint64_t)size;
	return 0;
}

/* 0 or negative errno. */
static int copy(const struct mmap_ctx *x, void *to, const void *from, size_t n)
{
	sigjmp_buf here;
	/* The mask is not saved each time: that is a system call. */
	int sig = sigsetjmp(here, 0);

	if (sig) {
		copying = NULL;
		/* SA_NODEFER leaves it alone, but what stands between the kernel and us need not.
		 */
		pthread_sigmask(SIG_SETMASK, &x->mask, NULL);
		return sig == SIGBUS ? -EIO : -EFAULT;
	}
	copying = &here;
	/* The compiler must not move the copy out of the guarded stretch. */
	__asm__ volatile("" ::: "memory");
	memcpy(to, from, n);
	__asm__ volatile("" ::: "memory");
	copying = NULL;
	return 0;
}

static int64_t transfer(const struct mmap_ctx *x, struct map *m, const struct io *io)
{
	bool write = io->op == IO_WRITE;
	uint64_t end;
	int rc;

	if (io->offset > INT64_MAX || __builtin_add_overflow(io->offset, io->len, &end))
		return -EINVAL;
	if (!m->at || end > m->size) {
		rc = map_all(m);
		if (rc)
			return rc;
	}
	if (write ? m->mode == O_RDONLY : m->mode == O_WRONLY)
		return -EBADF;
	if (write && m->mode != O_RDWR)
		return -EACCES; /* as mmap(2): a shared mapping is read too */
	if (write && end > m->size)
		return -EFBIG;
	uint64_t n = io->offset >= m->size ? 0 : m->size - io->offset;

	if (n > io->len)
		n = io->len;
	if (n == 0)
		return 0;
	char *at = m->at + io->offset;

	rc = write ? copy(x, at, io->buf, n) : copy(x, io->buf, at, n);
	return rc ? rc : (int64_t)n;
}

static int64_t sync_all(const struct map *m, bool data)
{
	if (m->at && msync(m->at, m->size, MS_SYNC))
		return -errno;
	return (data ? fdatasync(m->fd) : fsync(m->fd)) ? -errno : 0;
}

static int64_t mmap_one(struct mmap_ctx *x, const struct io *io)
{
	struct map *m = &x->map[io->fd];

	switch (io->op) {
	case IO_READ:
	case IO_WRITE:
		return transfer(x, m, io);
	case IO_FSYNC:
		return sync_all(m, false);
	case IO_FDATASYNC:
		return sync_all(m, true);
	case IO_TRIM:
		break;
	}
	return -EOPNOTSUPP;
}

static int mmap_submit(void *ctx, struct io **ios, unsigned n)
{
	struct mmap_ctx *m = ctx;

	if (m->done.io || n == 0)
		return 0;
	do {
		ios[0]->res = mmap_one(m, ios[0]);
	} while (ios[0]->res == -EINTR);
	m->done.io = ios[0];
	return 1;
}

static void mmap_close(void *ctx)
{
	struct mmap_ctx *m = ctx;

	for (unsigned i = 0; i < m->nmaps; i++)
		unmap(&m->map[i]);
	free(m);
}

const struct engine engine_mmap = {
	.api = ENGINE_API,
	.name = "mmap",
	.what = "memcpy from and to a shared mapping; page cache only",
	.caps = ENGINE_OP_READ | ENGINE_OP_WRITE | ENGINE_OP_FSYNC | ENGINE_OP_FDATASYNC |
		ENGINE_SYNC | ENGINE_MAPPED,
	.probe = mmap_probe,
	.open = mmap_open,
	.submit = mmap_submit,
	.reap = sync_reap,
	.close = mmap_close,
};
