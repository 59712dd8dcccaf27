/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * plan/polling: will `hipri` be polling? Neither half of the answer is enough. A polled ring can
 * always be set up, and where the queue does not poll (queue/io_poll is 0) some kernels complete
 * its I/O by interrupt without a word (Linux 6.1) and others fail it (6.18); RWF_HIPRI is dropped
 * in silence by all. Where the queue says it polls, the file system or driver may still refuse. So
 * the queue is asked, and one read is done. Synchronous I/O is never polled for since Linux 5.19
 * ("block: ignore RWF_HIPRI hint for sync dio"; seen on 6.1 as one interrupt an I/O on a queue that
 * polls), and distributions brought that to older kernels: no version tells where it still is.
 */
#include "plan/planner.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

static const char *refused(struct plan *p, const struct job *j, const char *why)
{
	return arena_printf(&p->arena, "hipri: polling is not supported here ('%s'): %s (%s:%u)",
			    p->targets[j->target].role, why, p->suite->file, j->file_line);
}

/* One read of the smallest block where the region of the job begins. */
static const char *try_read(struct plan *p, const struct target *t, const struct job *j)
{
	int fd = open(target_node(t), O_RDONLY | O_CLOEXEC | (t->passthrough ? 0 : O_DIRECT));
	struct err e = ERR_INIT;

	if (fd < 0)
		return refused(p, j,
			       arena_printf(&p->arena, "cannot open it for a trial read: %s",
					    strerror(errno)));
	struct engine_config c = {.fds = &fd, .nfds = 1, .direct = true, .hipri = true};
	int rc = engine_trial(engine_find(j->ioengine), &c, j->bs, j->offset, &e);

	close(fd);
	return rc ? refused(p, j, e.text) : NULL;
}

const char *job_polls(struct plan *p, const struct host *h, struct job *j)
{
	const struct target *t = &p->targets[j->target];
	const char *v = facts_value(&t->facts, "device.io_poll");

	if (!j->hipri)
		return NULL;
	if (!j->direct)
		return refused(p, j, "direct I/O is not, and nobody polls for the page cache");
	if (!v || strcmp(v, "1") != 0)
		return refused(p, j,
			       arena_printf(&p->arena, "device.io_poll is %s", v ? v : "unknown"));
	if (engine_find(j->ioengine)->caps & ENGINE_SYNC)
		return refused(p, j,
			       "the kernel ignores the hint of synchronous I/O (since 5.19) and "
			       "waits for the interrupt; ioengine: io_uring");
	/* A recorded machine cannot be read, and the files of a folder are not made yet: there the
	 * first I/O of the run tells. */
	if (strcmp(h->root, "/") != 0 || t->kind == TARGET_DIR)
		return NULL;
	return try_read(p, t, j);
}
