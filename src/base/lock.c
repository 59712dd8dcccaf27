/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The locks of base/fileio: flock(), because it ends with the process and works on a folder. */
#include "base/fileio.h"
#include "base/clock.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#define POLL_NS (50 * NS_PER_MS)

/*
 * fs.protected_regular forbids root O_CREAT on another user's file in a sticky folder, so an
 * existing file is opened without it. A new one is never made through a link that somebody laid.
 */
static int open_lock(const char *path, bool create)
{
	for (unsigned tries = 0; tries < 3; tries++) {
		int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK |
					    (create ? O_NOFOLLOW : 0));

		if (fd >= 0)
			return fd;
		if (errno != ENOENT || !create)
			return -errno;
		fd = open(path, O_RDONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
		if (fd >= 0)
			return fd;
		if (errno != EEXIST)
			return -errno;
	}
	return -EEXIST;
}

int lock_take(struct lock *l, const char *path, bool create, uint64_t wait_ns,
	      const volatile int *stop, struct err *e)
{
	uint64_t start = clock_now();
	int fd = open_lock(path, create);

	l->fd = -1;
	if (fd < 0)
		return err_sys(e, ERR_SYS, -fd, "cannot open lock '%s'", path);
	/* Polled, because a blocking flock() cannot be given a time limit without a signal. */
	while (flock(fd, LOCK_EX | LOCK_NB) != 0) {
		int sys = errno;
		uint64_t waited = clock_now() - start;

		if (sys == EINTR)
			continue;
		if (sys != EWOULDBLOCK) {
			close(fd);
			return err_sys(e, ERR_SYS, sys, "cannot lock '%s'", path);
		}
		if (stop && *stop) {
			close(fd);
			return err_set(e, ERR_INTR, "stopped while waiting for lock '%s'", path);
		}
		if (waited >= wait_ns) {
			close(fd);
			return err_set(e, ERR_BUSY, "'%s' is locked by another run", path);
		}
		uint64_t left = wait_ns - waited;

		clock_sleep_until(clock_now() + (left < POLL_NS ? left : POLL_NS));
	}
	l->fd = fd;
	return 0;
}

void lock_release(struct lock *l)
{
	/* Explicitly, for a forked worker may still hold a copy of the descriptor. */
	if (l->fd >= 0) {
		flock(l->fd, LOCK_UN);
		close(l->fd);
	}
	l->fd = -1;
}
