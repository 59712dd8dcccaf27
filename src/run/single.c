/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One I/O at a time: the loop of a synchronous engine while nothing but I/O happens (no pace, no
 * sync words, nothing injected). It does what task_push() and task_collect() do for a batch,
 * without the lists.
 */
#include "run/live.h"

static inline void taken(struct task *k, const struct io *io)
{
	k->left--;
	if (io->phase == PHASE_MEASURE)
		k->t->dir[io->dir].issued++;
}

/* The engine did not do it at once: the general loop goes on from here. */
__attribute__((noinline, cold)) static void leave(struct task *k, struct io *io, int n)
{
	if (k->eng.inflight) {
		taken(k, io);
	} else {
		io->submitted = FRESH;
		k->pend[k->npend++] = io;
		k->left--;
	}
	if (n < 0)
		task_broken(k);
}

void task_single(struct task *k)
{
	while (k->now < k->edge && k->left && !live_failed(k->live) && !live_stopped(k->live)) {
		struct io *io = k->free[k->nfree - 1];

		if (!task_prepare(k, io))
			return;
		k->nfree--;
		/* The stamp of the completion before: nothing waited since. */
		io->issued = io->submitted = k->now;
		int n = engine_once(&k->eng, io);

		if (__builtin_expect(n != 1, 0)) {
			leave(k, io, n);
			return;
		}
		k->now = clock_now();
		taken(k, io);
		if (__builtin_expect(!task_complete(k, io), 0))
			return;
	}
}
