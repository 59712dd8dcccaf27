/* SPDX-License-Identifier: GPL-2.0-or-later */
/* One opened engine with its buffers and a scratch file in the current directory. */
#ifndef BLKGATE_TESTS_CONFORMANCE_BENCH_H
#define BLKGATE_TESTS_CONFORMANCE_BENCH_H

#include "engines/engine.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define BLOCK 4096u
#define DEPTH 16u
#define LONG_WAIT (60 * NS_PER_SEC)

struct bench {
	struct engine_run run;
	int fds[2];
	char *buf;
	struct io io[DEPTH];
};

static inline struct io *bench_io(struct bench *b, unsigned i, enum io_op op, uint32_t len,
				  uint64_t offset)
{
	b->io[i] = (struct io){
		.op = op, .index = i, .buf = b->buf + i * BLOCK, .len = len, .offset = offset};
	return &b->io[i];
}

/* What of engine_config the list is run with: fixedbufs and so on. */
static struct engine_config bench_words;

/* A file without a name, or with the flags asked one that is unlinked at once. -1 = refused. */
static inline int scratch(int flags)
{
	char name[] = "conformance-XXXXXX";
	int made = mkstemp(name);

	assert_true(made >= 0);
	/* Most file systems have no buffered writes that do not wait. */
	int fd = bench_words.nowait ? open(name, flags | O_DIRECT | O_CLOEXEC) : -1;
	if (fd < 0)
		fd = open(name, flags | O_CLOEXEC);
	unlink(name);
	close(made);
	return fd;
}

static inline void bench_open_fd(struct bench *b, const struct engine *g, int fd)
{
	struct err e = ERR_INIT;

	memset(b, 0, sizeof(*b));
	b->fds[0] = fd;
	b->fds[1] = -1;
	b->buf = aligned_alloc(BLOCK, (size_t)DEPTH * BLOCK);
	assert_non_null(b->buf);
	memset(b->buf, 0, (size_t)DEPTH * BLOCK);
	struct engine_config c = bench_words;

	c.fds = g->caps & ENGINE_DISKLESS ? NULL : b->fds;
	c.nfds = g->caps & ENGINE_DISKLESS ? 0 : 1;
	c.depth = DEPTH;
	c.buffers = b->buf;
	c.buffer_len = BLOCK;
	c.seed = 7;
	if (engine_open(&b->run, g, &c, &e))
		fail_msg("%s: %s", g->name, e.text);
}

static inline void bench_open(struct bench *b, const struct engine *g)
{
	bench_open_fd(b, g, g->caps & ENGINE_DISKLESS ? -1 : scratch(O_RDWR));
}

static inline void bench_close(struct bench *b)
{
	assert_int_equal(b->run.inflight, 0);
	assert_int_equal(b->run.broken.code, 0);
	assert_int_equal(b->run.submitted, b->run.reaped);
	engine_close(&b->run);
	if (b->fds[0] >= 0)
		close(b->fds[0]);
	free(b->buf);
}

static inline uint64_t later(const struct bench *b)
{
	return engine_now(&b->run) + LONG_WAIT;
}

/* Reaps until n came back; a signal or an early return asks again. */
static inline void bench_reap(struct bench *b, unsigned n)
{
	uint64_t until = later(b);
	struct io *done[DEPTH];

	while (n > 0) {
		int got = engine_reap(&b->run, done, n, n, until);
		if (got < 0)
			fail_msg("reap: %s", b->run.broken.text);
		assert_true(got > 0 || engine_now(&b->run) < until);
		n -= (unsigned)got;
	}
}

/* One I/O from start to end; its result. */
static inline int64_t bench_one(struct bench *b, struct io *io)
{
	io->res = INT64_MIN;
	if (engine_submit(&b->run, &io, 1) != 1)
		fail_msg("submit: %s", b->run.broken.text);
	bench_reap(b, 1);
	return io->res;
}

#endif
