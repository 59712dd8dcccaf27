/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Laying out a file or device with real data. */
#include "run/child.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define BLOCK (1u << 20)

struct layout {
	int fd;
	uint64_t offset, bytes, seed;
	bool keep_cached;
	const char *name;
};

static void layout_fail(struct live *l, const struct layout *y, uint64_t at, uint64_t len, int sys)
{
	char buf[32];

	live_fail(l, OUTCOME_IO_ERROR, sys, at, len,
		  "layout of '%s' failed after %llu of %llu bytes: %s", y->name,
		  (unsigned long long)at, (unsigned long long)y->bytes,
		  err_text(sys, buf, sizeof(buf)));
}

/* Unless the pages are wanted: O_DIRECT keeps the page cache out of it where the file system takes
 * it. The data that lands is the same either way, so this one may fall back without a word. */
static int direct_of(int fd)
{
	char path[40];

	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	return open(path, O_WRONLY | O_DIRECT | O_CLOEXEC);
}

/* One block; short writes are continued. 0 or a positive errno. */
static int write_block(int fd, const uint8_t *data, uint64_t len, uint64_t at)
{
	uint64_t done = 0;

	while (done < len) {
		ssize_t n = pwrite(fd, data + done, len - done, (off_t)(at + done));

		if (n > 0)
			done += (uint64_t)n;
		else if (n == 0)
			return ENOSPC;
		else if (errno != EINTR)
			return errno;
	}
	return 0;
}

/* False when it failed or was stopped. */
static bool write_all(struct live *l, const struct layout *y, int direct, uint8_t *block)
{
	struct live_thread *t = &l->thread[0];

	for (uint64_t at = 0; at < y->bytes;) {
		uint64_t len = y->bytes - at < BLOCK ? y->bytes - at : BLOCK;
		struct rng r;

		if (atomic_load(&l->stop)) {
			atomic_store(&l->early, 1);
			return false;
		}
		rng_seed(&r,
			 rng_mix(y->seed + at)); /* no two blocks alike: nothing to deduplicate */
		buffer_fill(block, len, &r);
		/* A tail need not have the alignment that O_DIRECT wants. */
		int sys = EINVAL;

		if (direct >= 0 && len == BLOCK)
			sys = write_block(direct, block, len, y->offset + at);
		if (sys == EINVAL)
			sys = write_block(y->fd, block, len, y->offset + at);
		if (sys) {
			layout_fail(l, y, at, len, sys);
			return false;
		}
		at += len;
		t->written = at;
		atomic_fetch_add_explicit(&t->ios, 1, memory_order_relaxed);
		atomic_store_explicit(&t->bytes, at, memory_order_relaxed);
	}
	return true;
}

static void lay_out(struct live *l, const struct layout *y)
{
	struct err e = ERR_INIT;
	void *block = mmap(NULL, BLOCK, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (block == MAP_FAILED) {
		layout_fail(l, y, 0, 0, errno);
		return;
	}
	int direct = y->keep_cached ? -1 : direct_of(y->fd);

	if (!write_all(l, y, direct, block))
		return;
	if (!y->keep_cached && run_invalidate(y->fd, y->name, &e))
		live_fail(l, OUTCOME_IO_ERROR, e.sys, 0, 0, "layout: %s", e.text);
	else if (y->keep_cached && fdatasync(y->fd))
		layout_fail(l, y, y->bytes, 0, errno);
}

static void layout_body(struct child *c)
{
	atomic_store(&c->live->begun, clock_now());
	atomic_store(&c->live->phase, PHASE_RAMP);
	lay_out(c->live, c->arg);
	atomic_store(&c->live->thread[0].ended, 1);
}

int run_layout(int fd, uint64_t bytes, uint64_t seed, bool keep_cached, const char *name,
	       const struct run_options *opt, uint64_t *written, bool *lost, struct err *e)
{
	return run_refill(fd, 0, bytes, seed, keep_cached, name, opt, written, lost, e);
}

int run_refill(int fd, uint64_t offset, uint64_t bytes, uint64_t seed, bool keep_cached,
	       const char *name, const struct run_options *opt, uint64_t *written, bool *lost,
	       struct err *e)
{
	struct layout y = {fd, offset, bytes, seed, keep_cached, name};
	struct child c = {
		.body = layout_body,
		.arg = &y,
		.what = "layout",
		.target = name,
		.planned = 60 * NS_PER_SEC + bytes * 1000, /* 1 MB/s */
	};
	struct outcome o;
	int rc = 0;

	*written = 0;
	if (lost)
		*lost = false;
	rc = fd_clear_of_streams(fd, name, e);
	if (rc)
		return rc;
	c.live = live_new(1, 0);
	if (!c.live)
		return err_sys(e, ERR_MEASURE, ENOMEM, "layout of '%s'", name);
	supervise(&c, 1, opt);
	outcome_init(&o);
	child_verdict(&c, &o);
	*written = c.live->thread[0].written;
	if (lost)
		*lost = o.abandoned;
	if (o.status == OUTCOME_INTERRUPTED)
		rc = err_set(e, ERR_INTR, "layout of '%s' was interrupted", name);
	else if (o.status != OUTCOME_OK)
		rc = err_set(e, ERR_MEASURE, "%s", o.text);
	else if (*written != bytes)
		rc = err_set(e, ERR_MEASURE, "layout of '%s' ended after %llu of %llu bytes", name,
			     (unsigned long long)*written, (unsigned long long)bytes);
	if (rc)
		e->sys = o.sys;
	if (o.sys == EFBIG)
		err_hint(e, "RLIMIT_FSIZE (ulimit -f) or the file system allows no file of that "
			    "length: raise it, or lower 'size'");
	else if (o.sys == ENOSPC || o.sys == EDQUOT)
		err_hint(e, "free %llu bytes there, or lower 'size'", (unsigned long long)bytes);
	outcome_release(&o);
	live_free(c.live);
	return rc;
}
