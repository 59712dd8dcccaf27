/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a completion means: short transfers, errors, and the accounting of a whole I/O. */
#include "run/live.h"

#include <errno.h>
#include <linux/fs.h>
#include <string.h>
#include <sys/ioctl.h>

static const char *op_name(enum io_op op)
{
	switch (op) {
	case IO_READ:
		return "read";
	case IO_WRITE:
		return "write";
	case IO_TRIM:
		return "trim";
	case IO_FSYNC:
		return "fsync";
	case IO_FDATASYNC:
		return "fdatasync";
	}
	return "I/O";
}

/* What the words of the job have to do with it. */
static const char *likely(const struct job *j, int sys)
{
	if (job_trims(j))
		return sys == EOPNOTSUPP ? " (the device does not support discard, or the file "
					   "system cannot punch holes)"
		       : sys == EBUSY    ? " (data in the page cache waits to be written there: "
					   "invalidate: true)"
					 : "";
	if (sys == ENOMEM)
		return " (memory, or address space: RLIMIT_AS, which a mapping of the target needs "
		       "as well)";
	if (sys == EINVAL && j->direct)
		return " (direct: are offset and length multiples of the logical block size?)";
	if (sys == EOPNOTSUPP && j->hipri)
		return " (hipri: polling is not supported here)";
	if (sys == EOPNOTSUPP && j->nowait)
		return " (nowait: the file system or device has no such I/O; buffered writes "
		       "seldom "
		       "have)";
	return "";
}

/* A disk that is removed keeps its descriptors, with a size of nothing: reads of it find the end,
 * and writes no room. */
static bool gone(const struct task *k, const struct io *io)
{
	uint64_t size;

	return io->fd < k->nfds && ioctl(k->fds[io->fd], BLKGETSIZE64, &size) == 0 && size == 0;
}

#define GONE "the device is gone: its node has no size any more"

void task_fail(struct task *k, const struct io *io, int sys)
{
	char buf[32], where[400];
	const char *cause = err_text(sys, buf, sizeof(buf));
	const char *why = gone(k, io) ? GONE : engine_why(&k->eng, io);

	task_where(k, io, where, sizeof(where));
	if (io->op == IO_FSYNC || io->op == IO_FDATASYNC)
		live_fail(k->live, OUTCOME_IO_ERROR, sys, 0, 0,
			  "%s of %s failed: %s%s%s%s (earlier writes may be lost)", op_name(io->op),
			  where, cause, *why ? " (" : "", why, *why ? ")" : "");
	else
		live_fail(k->live, OUTCOME_IO_ERROR, sys, io->offset, io->len,
			  "%s of %u bytes at offset %llu of %s failed: %s%s%s%s", op_name(io->op),
			  io->len, (unsigned long long)io->offset, where, cause, *why ? " (" : "",
			  *why ? why : likely(k->job, sys), *why ? ")" : "");
	k->end = END_FAILED;
}

/* A transfer of nothing would be repeated for ever: on a read it is the end of the file. */
static void fail_empty(struct task *k, const struct io *io)
{
	bool read = io->op == IO_READ;
	char where[400];

	live_fail(k->live, OUTCOME_IO_ERROR, read ? ENODATA : EIO, io->offset, io->len,
		  "%s of %u bytes at offset %llu of %s failed: %s", op_name(io->op), io->len,
		  (unsigned long long)io->offset, task_where(k, io, where, sizeof(where)),
		  gone(k, io) ? GONE
		  : read      ? "end of the target"
			      : "nothing was written");
	k->end = END_FAILED;
}

/* The rest is submitted again: behind what is already pending, in the same io. */
static bool again(struct task *k, struct io *io)
{
	if (k->cancelled || k->end == END_FAILED)
		k->free[k->nfree++] = io;
	else
		k->pend[k->npend++] = io;
	return false;
}

static bool settle_odd(struct task *k, struct io *io)
{
	if (io->res == -EAGAIN || io->res == -EINTR)
		return again(k, io);
	if (io->res <= 0) {
		if (io->res == 0)
			fail_empty(k, io);
		else if (!(k->cancelled && io->res == -ECANCELED))
			task_fail(k, io, (int)-io->res);
		k->free[k->nfree++] = io;
		return false;
	}
	if (io->op == IO_TRIM) {
		/* it is all or nothing: what it means that it is neither, nobody knows */
		io->res = -EIO;
		task_fail(k, io, EIO);
		k->free[k->nfree++] = io;
		return false;
	}
	if (io->op == IO_WRITE)
		k->t->written += (uint64_t)io->res;
	if (io->phase == PHASE_MEASURE)
		k->t->dir[io->dir].shorts++;
	io->done += (uint32_t)io->res;
	io->buf = (uint8_t *)io->buf + io->res;
	io->offset += (uint64_t)io->res;
	io->len -= (uint32_t)io->res;
	return again(k, io);
}

/* True when the whole I/O is done. */
static inline bool settle(struct task *k, struct io *io)
{
	if (__builtin_expect(io->res != (int64_t)io->len, 0))
		return settle_odd(k, io);
	if (__builtin_expect(k->injected, 0) && task_unlucky(k)) {
		io->res = -EIO;
		return settle_odd(k, io);
	}
	if (io->op == IO_WRITE)
		k->t->written += io->len;
	return true;
}

unsigned task_settle(struct task *k, unsigned n)
{
	unsigned m = 0;

	for (unsigned i = 0; i < n; i++) {
		struct io *io = k->done[i];

		if (settle(k, io))
			k->done[m++] = io;
	}
	return m;
}

/* The slot of k->now; NULL beyond the last one that is kept. */
__attribute__((noinline, cold)) void task_next_slot(struct task *k)
{
	while (k->now > k->slot_end) {
		k->slot_end += SLOT_NS;
		k->slot++;
	}
	k->here = k->slot < k->live->nslots ? &k->t->slots[k->slot] : NULL;
}

/* n completions inside the window, at once. */
static inline void count(struct task *k, unsigned n)
{
	struct live_thread *t = k->t;

	if (__builtin_expect(k->now > k->slot_end, 0))
		task_next_slot(k);
	if (__builtin_expect(k->now - k->last > t->stall, 0))
		t->stall = k->now - k->last;
	k->last = k->now;
	if (__builtin_expect(!k->here, 0))
		t->unslotted += n;
}

/* I/Os that were submitted in one batch and end in one have the same latencies: counted in one go,
 * which costs 16 times less for a batch of 16. */
static inline bool same_stamps(const struct io *a, const struct io *b)
{
	return a->issued == b->issued && a->submitted == b->submitted && a->dir == b->dir &&
	       a->phase == b->phase;
}

static inline void longer(uint64_t *longest, uint64_t ns)
{
	if (__builtin_expect(ns > *longest, 0))
		*longest = ns;
}

/* slot NULL = outside the window, or beyond the last slot that is kept. */
static inline void record(struct task *k, const struct io *io, struct live_dir *d,
			  struct outcome_slot *slot, unsigned times)
{
	if (__builtin_expect(k->log != NULL, 0))
		task_log(k, io->dir, io->issued, io->submitted, times);
	hist_add_n(&d->lat, k->now - io->issued, times);
	if (__builtin_expect(slot != NULL, 1))
		longer(&slot->lat[io->dir], k->now - io->issued);
	if (k->is_sync)
		return;
	hist_add_n(&d->clat, k->now - io->submitted, times);
	hist_add_n(&d->slat, io->submitted - io->issued, times);
	if (__builtin_expect(slot != NULL, 1)) {
		longer(&slot->clat[io->dir], k->now - io->submitted);
		longer(&slot->slat[io->dir], io->submitted - io->issued);
	}
}

/* So many I/Os like this one, with so many bytes together. */
static void tally(struct task *k, const struct io *io, unsigned n, uint64_t bytes, bool inside)
{
	struct live_dir *d = &k->t->dir[io->dir];
	struct outcome_slot *slot = NULL;

	if (__builtin_expect(inside, 1)) {
		slot = k->here;
		d->ios += n;
		d->bytes += bytes;
		if (__builtin_expect(slot != NULL, 1)) {
			slot->ios[io->dir] += n;
			slot->bytes[io->dir] += bytes;
		}
	}
	if (__builtin_expect(io->phase == PHASE_MEASURE, 1))
		record(k, io, d, slot, n);
}

/* One writer: a plain load and a relaxed store, no locked instruction. */
static inline void progress(struct live_thread *t, unsigned n, uint64_t bytes)
{
	atomic_store_explicit(&t->ios, atomic_load_explicit(&t->ios, memory_order_relaxed) + n,
			      memory_order_relaxed);
	atomic_store_explicit(&t->bytes,
			      atomic_load_explicit(&t->bytes, memory_order_relaxed) + bytes,
			      memory_order_relaxed);
}

/*
 * k->now is the one stamp of the batch. The window is (ws, we]: an I/O that ends exactly at its end
 * was done in it, one that ends exactly at its start was not.
 */
void task_deliver(struct task *k, struct io **v, unsigned n)
{
	struct live_thread *t = k->t;
	const bool inside = k->now > k->ws && k->now <= k->count_until;
	struct io **free = k->free + k->nfree;
	uint64_t total = 0;

	if (inside)
		count(k, n);
	for (unsigned i = 0; i < n;) {
		const struct io *first = v[i];
		const unsigned begin = i;
		uint64_t bytes = 0;

		do {
			bytes += v[i]->done + v[i]->len;
			*free++ = v[i++];
		} while (i < n && same_stamps(first, v[i]));
		tally(k, first, i - begin, bytes, inside);
		total += bytes;
	}
	k->nfree += n;
	k->delivered = k->now;
	k->q.delivered += n;
	progress(t, n, total);
}

bool task_complete(struct task *k, struct io *io)
{
	struct live_thread *t = k->t;
	const bool inside = k->now > k->ws && k->now <= k->count_until;
	uint64_t bytes;

	if (__builtin_expect(!settle(k, io), 0))
		return false;
	bytes = io->done + io->len;
	if (inside)
		count(k, 1);
	tally(k, io, 1, bytes, inside);
	progress(t, 1, bytes);
	k->free[k->nfree++] = io;
	return true;
}
