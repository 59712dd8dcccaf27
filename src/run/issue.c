/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * run/issue: what one thread issues next: from the pattern through the fence into the engine. The
 * first stamp of an I/O is taken here.
 */
#include "run/live.h"

#include <errno.h>

/* Apart from the check, which is in line on the I/O path. */
__attribute__((cold, noinline)) static bool leaves_region(struct task *k, const struct io *io)
{
	char where[400];

	live_fail(k->live, OUTCOME_IO_ERROR, ERANGE, io->offset, io->len,
		  "I/O of %u bytes at offset %llu of %s leaves the region of the job (%llu bytes "
		  "at "
		  "%llu); it was not submitted",
		  io->len, (unsigned long long)io->offset, task_where(k, io, where, sizeof(where)),
		  (unsigned long long)k->region, (unsigned long long)k->job->offset);
	k->end = END_FAILED;
	return false;
}

/* No I/O may leave the region, whatever the pattern says: the last fence before the device. */
static inline bool fenced(struct task *k, const struct io *io)
{
	const struct job *j = k->job;

	if (__builtin_expect(io->offset >= j->offset && io->len <= k->region &&
				     io->offset - j->offset <= k->region - io->len,
			     1))
		return true;
	return leaves_region(k, io);
}

__attribute__((noinline)) static void count_write(struct task *k)
{
	const struct job *j = k->job;

	k->writes++;
	if (j->fdatasync && k->writes % j->fdatasync == 0)
		k->sync_due = IO_FDATASYNC;
	if (j->fsync && k->writes % j->fsync == 0)
		k->sync_due = IO_FSYNC; /* does what fdatasync does and more */
}

/* Before the stamp of the issue; a synchronous engine takes that of the last completion for it. */
__attribute__((noinline, cold)) static void refill(struct task *k, struct io *io, uint64_t pass)
{
	if (k->verify.on)
		verify_fill(k, io, pass);
	else
		contents_fill(&k->contents, io->buf, io->len);
	if (k->is_sync)
		k->now = engine_now(&k->eng);
}

/* The pattern that gave it, NULL = refused. */
static inline const struct pattern *prepare(struct task *k, struct io *io)
{
	_Static_assert((int)DIR_READ == IO_READ && (int)DIR_WRITE == IO_WRITE &&
			       (int)DIR_TRIM == IO_TRIM,
		       "a direction is an operation");
	struct pattern *p = k->pattern;
	enum io_dir dir;
	uint64_t pass;

	if (__builtin_expect(k->npatterns > 1, 0))
		p = task_next_file(k, io);
	pattern_next(p, &dir, &io->offset, &pass);
	io->op = (enum io_op)dir;
	io->dir = (uint8_t)dir;
	io->buf = k->buffers + io->index * k->buffer_len;
	if (__builtin_expect(p->odd, 0) && p->units > k->left) {
		p->units = (uint32_t)k->left;
		p->len = p->units * k->job->bs;
	}
	io->len = p->len;
	io->done = 0;
	io->submitted = FRESH;
	io->phase = (uint8_t)k->phase;
	io->issued =
		k->pace.due; /* of an open loop; others are stamped when they are handed over */
	if (!fenced(k, io))
		return NULL;
	if (__builtin_expect(k->refill, 0) && io->op == IO_WRITE)
		refill(k, io, pass);
	return p;
}

bool task_prepare(struct task *k, struct io *io)
{
	return prepare(k, io) != NULL;
}

/* Blocks of one size and nothing that comes between them: how many is known beforehand. */
static void top_up_steady(struct task *k)
{
	unsigned n = k->batch - k->npend, i = 0;

	n = n < k->nfree ? n : k->nfree;
	n = n < k->left ? n : (unsigned)k->left;
	while (i < n) {
		struct io *io = k->free[k->nfree - 1 - i];

		if (!prepare(k, io))
			break;
		k->pend[k->npend + i++] = io;
	}
	k->nfree -= i;
	k->npend += i;
	k->left -= i;
}

/* Fills the pending list with what may be issued now. */
static void top_up(struct task *k)
{
	if (__builtin_expect(k->steady, 1)) {
		top_up_steady(k);
		return;
	}
	while (k->npend < k->batch && k->nfree && k->left && k->sync_due == IO_READ &&
	       k->pace.due <= k->now) {
		struct io *io = k->free[k->nfree - 1];
		const struct pattern *p = prepare(k, io);

		if (!p)
			return;
		k->nfree--;
		k->pend[k->npend++] = io;
		k->left -= p->units;
		pace_take(&k->pace, k->open ? io->len : 1);
		if (io->op == IO_WRITE)
			count_write(k);
	}
}

static void taken(struct task *k, unsigned n)
{
	/* slat is what the call took, also of an open loop: the wait before it is the target's and
	 * counts as clat. A synchronous engine has none. */
	uint64_t took = k->is_sync ? 0 : task_clock(k) - k->pushed_at;
	uint64_t issued[DIR_COUNT] = {0};

	k->taken_at = k->is_sync ? 0 : k->pushed_at + took;
	for (unsigned i = 0; i < n; i++) {
		struct io *io = k->pend[i];

		if (__builtin_expect(io->submitted != FRESH, 0))
			continue; /* the rest of a short transfer: its stamps are those of the first
				   */
		io->submitted = io->issued + took;
		issued[io->dir]++;
	}
	if (k->phase == PHASE_MEASURE) {
		for (int d = 0; d < DIR_COUNT; d++)
			k->t->dir[d].issued += issued[d];
	}
	k->q.issued += n;
	k->npend -= n;
	for (unsigned i = 0; i < k->npend; i++)
		k->pend[i] = k->pend[i + n];
}

void task_push(struct task *k)
{
	/* A synchronous engine reuses the stamp of the completion before: nothing waited since. */
	uint64_t now = k->is_sync ? k->now : task_clock(k);

	k->pushed_at = now;
	for (unsigned i = 0; __builtin_expect(!k->open, 1) && i < k->npend; i++) {
		if (k->pend[i]->submitted == FRESH)
			k->pend[i]->issued = now;
	}
	int n = engine_submit(&k->eng, k->pend, k->npend);

	if (n > 0)
		taken(k, (unsigned)n);
	else if (n < 0)
		task_broken(k);
}

void task_issue(struct task *k)
{
	do {
		top_up(k);
		if (!k->npend || k->end != END_NOT)
			return;
		unsigned before = k->npend;

		task_push(k);
		if (k->npend == before)
			return; /* the engine is full */
		/* A submission may block: at a great depth beyond the border of a phase, which
		 * alone decides to which of them an I/O belongs. */
	} while (k->nfree && k->pushed_at < k->edge);
}
