/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a completion means: short transfers, errors, and the accounting of a whole I/O. */
#include "run/live.h"

#include <errno.h>
#include <string.h>

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

void task_fail(struct task *k, const struct io *io, int sys)
{
	const char *name = k->req->target_name;
	char buf[32];
	const char *cause = err_text(sys, buf, sizeof(buf));

	if (io->op == IO_FSYNC || io->op == IO_FDATASYNC)
		live_fail(k->live, OUTCOME_IO_ERROR, sys, 0, 0,
			  "%s of '%s' failed: %s (earlier writes may be lost)", op_name(io->op),
			  name, cause);
	else
		live_fail(k->live, OUTCOME_IO_ERROR, sys, io->offset, io->len,
			  "%s of %u bytes at offset %llu of '%s' failed: %s%s", op_name(io->op),
			  io->len, (unsigned long long)io->offset, name, cause,
			  likely(k->job, sys));
	k->end = END_FAILED;
}

/* A transfer of nothing would be repeated for ever: on a read it is the end of the file. */
static void fail_empty(struct task *k, const struct io *io)
{
	bool read = io->op == IO_READ;

	live_fail(k->live, OUTCOME_IO_ERROR, read ? ENODATA : EIO, io->offset, io->len,
		  "%s of %u bytes at offset %llu of '%s' failed: %s", op_name(io->op), io->len,
		  (unsigned long long)io->offset, k->req->target_name,
		  read ? "end of the target" : "nothing was written");
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

bool task_settle(struct task *k, struct io *io)
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

static struct outcome_slot *slot_at(struct task *k, uint64_t now)
{
	while (now > k->slot_end) {
		k->slot_end += SLOT_NS;
		k->slot++;
	}
	return k->slot < k->live->nslots ? &k->t->slots[k->slot] : NULL;
}

static void count(struct task *k, struct io **v, unsigned n)
{
	struct live_thread *t = k->t;
	struct outcome_slot *slot = slot_at(k, k->now);

	if (k->now - k->last > t->stall)
		t->stall = k->now - k->last;
	k->last = k->now;
	for (unsigned i = 0; i < n; i++) {
		unsigned d = v[i]->dir, bytes = v[i]->done + v[i]->len;

		t->dir[d].ios++;
		t->dir[d].bytes += bytes;
		if (slot) {
			slot->ios[d]++;
			slot->bytes[d] += bytes;
		}
	}
	if (!slot)
		t->unslotted += n;
}

/* I/Os that were submitted in one batch and end in one have the same latencies: counted in one go,
 * which costs 16 times less for a batch of 16. */
static bool same_stamps(const struct io *a, const struct io *b)
{
	return a->issued == b->issued && a->submitted == b->submitted && a->dir == b->dir &&
	       a->phase == b->phase;
}

static void record(struct task *k, const struct io *io, unsigned times)
{
	struct live_dir *d = &k->t->dir[io->dir];

	if (__builtin_expect(k->log != NULL, 0))
		task_log(k, io->dir, io->issued, io->submitted, times);
	hist_add_n(&d->lat, k->now - io->issued, times);
	if (k->is_sync)
		return;
	hist_add_n(&d->clat, k->now - io->submitted, times);
	hist_add_n(&d->slat, io->submitted - io->issued, times);
}

/*
 * k->now is the one stamp of the batch. The window is (ws, we]: an I/O that ends exactly at its end
 * was done in it, one that ends exactly at its start was not.
 */
void task_deliver(struct task *k, struct io **v, unsigned n)
{
	struct live_thread *t = k->t;
	const uint64_t now = k->now;
	uint64_t bytes = 0;

	if (now > k->ws && now <= k->count_until)
		count(k, v, n);
	for (unsigned i = 0; i < n;) {
		unsigned alike = 1;

		while (i + alike < n && same_stamps(v[i], v[i + alike]))
			alike++;
		if (v[i]->phase == PHASE_MEASURE)
			record(k, v[i], alike);
		for (; alike; alike--, i++) {
			bytes += v[i]->done + v[i]->len;
			k->free[k->nfree++] = v[i];
		}
	}
	k->delivered = now;
	k->q.delivered += n;
	/* One writer: a plain load and a relaxed store, no locked instruction. */
	atomic_store_explicit(&t->ios, atomic_load_explicit(&t->ios, memory_order_relaxed) + n,
			      memory_order_relaxed);
	atomic_store_explicit(&t->bytes,
			      atomic_load_explicit(&t->bytes, memory_order_relaxed) + bytes,
			      memory_order_relaxed);
}
