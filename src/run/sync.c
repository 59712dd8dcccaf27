/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * fsync and fdatasync of a writing thread. The first failure is final: the kernel reports a lost
 * write once, and a second sync of the same file succeeds.
 */
#include "run/live.h"

#include <errno.h>

/* Waits for the one io in flight. False: the run is over without it. */
static bool wait_for(struct task *k)
{
	struct io *done;

	for (;;) {
		int n = engine_reap(&k->eng, &done, 1, 1, task_patience(k, UINT64_MAX));

		k->now = engine_now(&k->eng);
		if (n > 0)
			return true;
		if (n < 0) {
			task_broken(k);
			return false;
		}
	}
}

static bool submit(struct task *k, struct io *io)
{
	int n;

	do
		n = engine_submit(&k->eng, &io, 1);
	while (n == 0);
	if (n > 0)
		return true;
	task_broken(k);
	return false;
}

static void settle(struct task *k, const struct io *io, uint64_t issued, bool counts)
{
	if (io->res < 0) {
		task_fail(k, io, (int)-io->res);
		return;
	}
	if (k->req->inject.delay)
		task_hold(k, k->now + k->req->inject.delay);
	/* Deeper jobs have the time of a sync in their quantum. */
	if (k->stretch > 0 && !k->deep)
		task_hold(k, k->now + (uint64_t)((double)(k->now - issued) * k->stretch));
	k->delivered = k->now;
	if (counts && k->log)
		task_log(k, LATLOG_SYNC, issued, issued, 1);
	if (!counts)
		return;
	hist_add(&k->t->sync, k->now - issued);
	if (k->now <= k->ws || k->now > k->count_until)
		return;
	if (k->now > k->slot_end)
		task_next_slot(k);
	if (k->here && k->now - issued > k->here->sync)
		k->here->sync = k->now - issued;
}

static void sync_file(struct task *k, enum io_op op, unsigned file)
{
	struct io *io = k->free[k->nfree - 1]; /* nothing is in flight: all are free */
	bool counts = k->phase == PHASE_MEASURE || k->phase == PHASE_DRAIN;
	uint64_t issued = k->now = engine_now(&k->eng);

	do {
		io->op = op;
		io->fd = file;
		io->buf = NULL;
		io->len = 0;
		io->offset = 0;
		io->res = 0;
		if (!submit(k, io) || !wait_for(k))
			return;
	} while (io->res == -EINTR || io->res == -EAGAIN);
	settle(k, io, issued, counts);
}

/* Whatever the last write was to: what a job has written is to be safe, and it lies in all of its
 * files. Each call is a latency of its own. */
void task_sync(struct task *k, enum io_op op)
{
	for (unsigned i = 0; i < k->npatterns && k->end != END_FAILED; i++)
		sync_file(k, op, i);
}
