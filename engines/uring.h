/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * engines/uring: private to uring_setup.c (how a ring comes to be), io_uring.c and io_uring_cmd.c
 * (how it is used; what both do with it stands here).
 */
#ifndef BLKGATE_ENGINES_URING_H
#define BLKGATE_ENGINES_URING_H

#include "engines/engine.h"

#include <errno.h>
#include <liburing.h>

struct uring {
	struct io_uring ring;
	int broken; /* negative errno of a submission whose entries could not be taken back */
	unsigned asked; /* set-up flags that the engine cannot do without */
	bool hipri, fixedbufs, registerfiles, sqthread_poll; /* in force */
	uint8_t op_read, op_write, sqe_flags;                /* what every entry of that kind has */
	uint16_t buf_mask; /* all = the buffer of an io is registered */
	char about[128];
	int fds[]; /* as they stand in an entry: descriptors, or indices of registered ones */
};

/* The ring with everything that the config asks for, or ERR_MEASURE: nothing is left out. */
int uring_setup(struct uring *u, const struct engine_config *c, struct err *e);
int uring_probe(struct err *e);
int uring_probe_cmd(struct err *e); /* with IORING_OP_URING_CMD and the ring that it needs */
static inline bool uring_try_again(int rc)
{
	return rc == -EAGAIN || rc == -EBUSY || rc == -EINTR || rc == -ETIME;
}
/* Hands every prepared entry to the kernel. One that it does not take now (short of memory,
 * completions overflown) stays in the ring and goes with the next call; it cannot be taken back. */
static inline void uring_flush(struct uring *u)
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
/* One wait for n completions until then at most. What there is then, its caller fetches; false: it
 * need not wait again. ETIME may come long before the time (seen with an I/O that failed at once):
 * only the clock ends the wait. */
static inline bool uring_wait(struct uring *u, unsigned n, uint64_t until)
{
	uint64_t now = clock_now();
	struct io_uring_cqe *cqe;

	if (now >= until)
		return false;
	struct __kernel_timespec ts = {
		.tv_sec = (long long)((until - now) / NS_PER_SEC),
		.tv_nsec = (long long)((until - now) % NS_PER_SEC),
	};
	int rc = io_uring_submit_and_wait_timeout(&u->ring, &cqe, n, &ts, NULL);

	if (rc < 0 && !uring_try_again(rc))
		u->broken = rc;
	return rc != -EINTR;
}

#endif
