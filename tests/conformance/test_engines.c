/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One list of cases, run against every engine of the table. An engine that this machine does not
 * offer is skipped with the sentence of its probe.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "bench.h"

#include <errno.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/time.h>

enum { ANY, DISK, KERNEL_QUEUE, CANCELS_PIPE, MAPPED, POLLS, TRIMS_DISK };

#define SUBJECTS_MAX 24

/* An engine of the table, with words of a job or without. */
static struct variant {
	const struct engine *engine;
	const char *word; /* "" = plain */
	struct engine_config words;
	bool absent;
} subjects[SUBJECTS_MAX];

static const struct engine *subject(void **state)
{
	const struct variant *v = *state;

	if (v->absent)
		skip();
	bench_words = v->words;
	return v->engine;
}

/* A mapping ends with the file: what another engine makes grow is made so before. */
static void grow_for(const struct engine *g, struct bench *b, uint64_t size)
{
	if (g->caps & ENGINE_MAPPED)
		assert_int_equal(ftruncate(b->fds[0], (off_t)size), 0);
}

static void fill(char *p, unsigned seed)
{
	for (unsigned i = 0; i < BLOCK; i++)
		p[i] = (char)(seed * 31 + i * 7 + (i >> 8));
}

static const uint64_t offsets[] = {0, 3 * BLOCK, BLOCK, 40 * BLOCK, 1ull << 33};
#define NOFFSETS (sizeof(offsets) / sizeof(offsets[0]))

static void write_reaches_the_file(void **state)
{
	const struct engine *g = subject(state);
	struct bench b;
	_Alignas(BLOCK) char back[BLOCK];

	bench_open(&b, g);
	grow_for(g, &b, (1ull << 33) + BLOCK);
	for (unsigned i = 0; i < NOFFSETS; i++) {
		fill(b.buf + i * BLOCK, i);
		assert_int_equal(bench_one(&b, bench_io(&b, i, IO_WRITE, BLOCK, offsets[i])),
				 BLOCK);
	}
	for (unsigned i = 0; i < NOFFSETS; i++) {
		assert_int_equal(pread(b.fds[0], back, BLOCK, (off_t)offsets[i]), BLOCK);
		assert_memory_equal(back, b.buf + i * BLOCK, BLOCK);
	}
	bench_close(&b);
}

static void read_sees_the_file(void **state)
{
	struct bench b;
	_Alignas(BLOCK) char data[BLOCK];

	bench_open(&b, subject(state));
	for (unsigned i = 0; i < NOFFSETS; i++) {
		fill(data, i + 100);
		assert_int_equal(pwrite(b.fds[0], data, BLOCK, (off_t)offsets[i]), BLOCK);
	}
	for (unsigned i = 0; i < NOFFSETS; i++) {
		assert_int_equal(bench_one(&b, bench_io(&b, i, IO_READ, BLOCK, offsets[i])), BLOCK);
		fill(data, i + 100);
		assert_memory_equal(data, b.buf + i * BLOCK, BLOCK);
	}
	bench_close(&b);
}

static void end_of_file_is_short_then_zero(void **state)
{
	struct bench b;

	bench_open(&b, subject(state));
	assert_int_equal(ftruncate(b.fds[0], BLOCK + 1000), 0);
	assert_int_equal(bench_one(&b, bench_io(&b, 0, IO_READ, BLOCK, BLOCK)), 1000);
	assert_int_equal(bench_one(&b, bench_io(&b, 0, IO_READ, BLOCK, BLOCK + 1000)), 0);
	assert_int_equal(bench_one(&b, bench_io(&b, 0, IO_READ, BLOCK, 10 * BLOCK)), 0);
	bench_close(&b);
}

static void wrong_descriptor_is_a_result(void **state)
{
	const struct engine *g = subject(state);
	struct bench b;
	int gone = scratch(O_RDWR);

	bench_open_fd(&b, g, gone);
	/* A registered file lives on without its descriptor: that one is still to be seen dead. */
	if (bench_words.registerfiles) {
		bench_close(&b);
		gone = scratch(O_WRONLY);
		bench_open_fd(&b, g, gone);
		assert_int_equal(bench_one(&b, bench_io(&b, 0, IO_READ, BLOCK, 0)), -EBADF);
		bench_close(&b);
		return;
	}
	close(gone);
	assert_int_equal(bench_one(&b, bench_io(&b, 0, IO_READ, BLOCK, 0)), -EBADF);
	assert_int_equal(bench_one(&b, bench_io(&b, 1, IO_WRITE, BLOCK, 0)), -EBADF);
	assert_int_equal(bench_one(&b, bench_io(&b, 2, IO_FSYNC, 0, 0)), -EBADF);
	b.fds[0] = -1;
	bench_close(&b);

	bench_open_fd(&b, g, scratch(O_RDONLY));
	assert_int_equal(bench_one(&b, bench_io(&b, 0, IO_WRITE, BLOCK, 0)), -EBADF);
	assert_int_equal(bench_one(&b, bench_io(&b, 0, IO_READ, BLOCK, 0)), 0);
	bench_close(&b);

	bench_open_fd(&b, g, scratch(O_WRONLY));
	assert_int_equal(bench_one(&b, bench_io(&b, 0, IO_READ, BLOCK, 0)), -EBADF);
	/* A shared mapping cannot be written without being read. */
	assert_int_equal(bench_one(&b, bench_io(&b, 0, IO_WRITE, BLOCK, 0)),
			 g->caps & ENGINE_MAPPED ? -EACCES : (int64_t)BLOCK);
	bench_close(&b);
}

/* An error that shows only while the I/O runs: the buffer cannot be written to. */
static void late_error_is_a_result(void **state)
{
	const struct engine *g = subject(state);
	struct bench b;
	void *wall = mmap(NULL, BLOCK, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	assert_ptr_not_equal(wall, MAP_FAILED);
	bench_open(&b, g);
	grow_for(g, &b, BLOCK);
	assert_int_equal(bench_one(&b, bench_io(&b, 0, IO_WRITE, BLOCK, 0)), BLOCK);
	struct io *io = bench_io(&b, 1, IO_READ, BLOCK, 0);
	io->buf = wall;
	assert_int_equal(bench_one(&b, io), -EFAULT);
	assert_int_equal(bench_one(&b, bench_io(&b, 2, IO_READ, BLOCK, 0)), BLOCK);
	bench_close(&b);
	munmap(wall, BLOCK);
}

/* One bad I/O in the middle of a batch spoils neither its neighbours nor the engine. */
static void bad_io_in_a_batch_is_alone(void **state)
{
	const struct engine *g = subject(state);
	struct bench b;
	struct io *ios[4];
	unsigned sent = 0;

	bench_open(&b, g);
	grow_for(g, &b, 4 * BLOCK);
	for (unsigned i = 0; i < 4; i++)
		ios[i] = bench_io(&b, i, IO_WRITE, BLOCK, i * BLOCK);
	ios[1]->offset = UINT64_MAX - BLOCK + 1; /* negative to the kernel: EINVAL */
	while (sent < 4) {
		int took = engine_submit(&b.run, ios + sent, 4 - sent);
		assert_true(took >= 0);
		sent += (unsigned)took;
		if (sent < 4 && b.run.inflight > 0)
			bench_reap(&b, b.run.inflight);
	}
	bench_reap(&b, b.run.inflight);
	for (unsigned i = 0; i < 4; i++)
		assert_int_equal(b.io[i].res, i == 1 ? -EINVAL : (int64_t)BLOCK);
	bench_close(&b);
}

/* Memory is mapped from the page cache: asked for direct I/O, it says that there is none. */
static void refuses_direct(const struct engine *g, int fd)
{
	struct engine_config c = {.fds = &fd, .nfds = 1, .depth = 1, .direct = true};
	struct err e = ERR_INIT;
	struct engine_run r;

	assert_int_equal(engine_open(&r, g, &c, &e), ERR_MEASURE);
	assert_non_null(strstr(e.text, "cannot be direct"));
	close(fd);
}

static void direct_io_with_aligned_buffers(void **state)
{
	const struct engine *g = subject(state);
	int fd = scratch(O_RDWR | O_DIRECT);
	struct bench b;
	char want[BLOCK];

	if (g->caps & ENGINE_MAPPED) {
		refuses_direct(g, fd);
		return;
	}
	if (fd < 0) {
		assert_int_equal(errno, EINVAL);
		printf("skip: %s with O_DIRECT: the file system of the current directory refuses "
		       "it\n",
		       g->name);
		skip();
	}
	bench_open_fd(&b, g, fd);
	for (unsigned i = 0; i < 4; i++) {
		fill(b.buf + i * BLOCK, i + 50);
		assert_int_equal(bench_one(&b, bench_io(&b, i, IO_WRITE, BLOCK, i * BLOCK)), BLOCK);
	}
	for (unsigned i = 0; i < 4; i++) {
		memset(b.buf + i * BLOCK, 0, BLOCK);
		fill(want, i + 50);
		assert_int_equal(bench_one(&b, bench_io(&b, i, IO_READ, BLOCK, i * BLOCK)), BLOCK);
		assert_memory_equal(want, b.buf + i * BLOCK, BLOCK);
	}
	bench_close(&b);
}

static void sync_operations(void **state)
{
	const struct engine *g = subject(state);
	struct bench b;

	bench_open(&b, g);
	grow_for(g, &b, BLOCK);
	assert_int_equal(bench_one(&b, bench_io(&b, 0, IO_WRITE, BLOCK, 0)), BLOCK);
	assert_int_equal(bench_one(&b, bench_io(&b, 1, IO_FSYNC, 0, 0)), 0);
	assert_int_equal(bench_one(&b, bench_io(&b, 2, IO_FDATASYNC, 0, 0)), 0);
	bench_close(&b);
}

/* Brings n reads of a DEPTH blocks long file in flight, as many as the engine holds. */
/* An io goes to the descriptor it names, whatever the others do, and each can be synced. */
static void several_descriptors(void **state)
{
	enum { FILES = 3, EACH = 4 };
	const struct engine *g = subject(state);
	int fds[FILES], res;
	struct engine_config c = bench_words;
	_Alignas(BLOCK) char back[BLOCK], want[BLOCK];
	struct err e = ERR_INIT;
	struct bench b = {.fds = {-1, -1}};

	b.buf = aligned_alloc(BLOCK, (size_t)DEPTH * BLOCK);
	assert_non_null(b.buf);
	for (unsigned i = 0; i < FILES; i++) {
		fds[i] = scratch(O_RDWR);
		assert_int_equal(ftruncate(fds[i], EACH * BLOCK), 0);
	}
	c.fds = fds;
	c.nfds = FILES;
	c.depth = DEPTH;
	c.buffers = b.buf;
	c.buffer_len = BLOCK;
	assert_int_equal(engine_open(&b.run, g, &c, &e), 0);
	for (unsigned i = 0; i < FILES * EACH; i++) {
		struct io *io = bench_io(&b, i, IO_WRITE, BLOCK, i / FILES * BLOCK);

		io->fd = i % FILES;
		fill(io->buf, i);
		assert_int_equal(bench_one(&b, io), BLOCK);
	}
	for (unsigned i = 0; i < FILES; i++) {
		struct io *io = bench_io(&b, i, i % 2 ? IO_FSYNC : IO_FDATASYNC, 0, 0);

		io->fd = i;
		assert_int_equal(bench_one(&b, io), 0);
	}
	for (unsigned i = 0; i < FILES * EACH; i++) {
		struct io *io = bench_io(&b, i, IO_READ, BLOCK, i / FILES * BLOCK);

		fill(want, i);
		assert_int_equal(pread(fds[i % FILES], back, BLOCK, i / FILES * BLOCK), BLOCK);
		assert_memory_equal(back, want, BLOCK);
		memset(io->buf, 0, BLOCK);
		io->fd = i % FILES;
		assert_int_equal(bench_one(&b, io), BLOCK);
		assert_memory_equal(io->buf, want, BLOCK);
	}
	/* one too far never reaches the engine */
	struct io *io = bench_io(&b, 0, IO_READ, BLOCK, 0);

	io->fd = FILES;
	res = engine_submit(&b.run, &io, 1);
	assert_int_equal(res, ERR_MEASURE);
	assert_non_null(strstr(b.run.broken.text, "was given descriptor 3 of 3"));
	engine_close(&b.run);
	for (unsigned i = 0; i < FILES; i++)
		close(fds[i]);
	free(b.buf);
}

static unsigned submit_many(struct bench *b, unsigned n)
{
	struct io *ios[DEPTH];

	if (b->fds[0] >= 0)
		assert_int_equal(ftruncate(b->fds[0], DEPTH * BLOCK), 0);
	for (unsigned i = 0; i < n; i++)
		ios[i] = bench_io(b, i, IO_READ, BLOCK, i * BLOCK);
	int took = engine_submit(&b->run, ios, n);
	assert_true(took > 0);
	return (unsigned)took;
}

/* All or nothing: res is the length. Whoever lacks the operation is never asked for it. */
static void trim_is_its_length(void **state)
{
	const struct engine *g = subject(state);
	struct bench b;
	struct io *io;

	bench_open(&b, g);
	grow_for(g, &b, 4 * BLOCK);
	io = bench_io(&b, 0, IO_TRIM, 2 * BLOCK, 0);
	if (g->caps & ENGINE_OP_TRIM) {
		assert_int_equal(bench_one(&b, io), 2 * BLOCK);
	} else {
		assert_int_equal(engine_submit(&b.run, &io, 1), ERR_MEASURE);
		assert_non_null(strstr(b.run.broken.text, "which it does not do"));
		b.run.broken = ERR_INIT;
	}
	bench_close(&b);
}

/* What was trimmed reads as zeros and frees its blocks; its neighbours and the size stay. */
static void trim_punches_a_hole(void **state)
{
	const struct engine *g = subject(state);
	struct stat before, after;
	struct bench b;
	_Alignas(BLOCK) char back[BLOCK], want[BLOCK], zeros[BLOCK] = {0};

	bench_open(&b, g);
	for (unsigned i = 0; i < 8; i++) {
		fill(b.buf + i * BLOCK, i + 1);
		assert_int_equal(bench_one(&b, bench_io(&b, i, IO_WRITE, BLOCK, i * BLOCK)), BLOCK);
	}
	assert_int_equal(bench_one(&b, bench_io(&b, 8, IO_FSYNC, 0, 0)), 0);
	assert_int_equal(fstat(b.fds[0], &before), 0);
	int64_t res = bench_one(&b, bench_io(&b, 9, IO_TRIM, 4 * BLOCK, 2 * BLOCK));
	if (res == -EOPNOTSUPP) {
		printf("skip: %s: the file system of the current directory punches no holes\n",
		       g->name);
		bench_close(&b);
		skip();
	}
	assert_int_equal(res, 4 * BLOCK);
	for (unsigned i = 0; i < 8; i++) {
		fill(want, i + 1);
		assert_int_equal(pread(b.fds[0], back, BLOCK, i * BLOCK), BLOCK);
		assert_memory_equal(back, i >= 2 && i < 6 ? zeros : want, BLOCK);
	}
	assert_int_equal(fstat(b.fds[0], &after), 0);
	assert_int_equal(after.st_size, before.st_size);
	assert_true(after.st_blocks < before.st_blocks);
	/* behind the end nothing is, and it stays so */
	assert_int_equal(bench_one(&b, bench_io(&b, 10, IO_TRIM, BLOCK, 64 * BLOCK)), BLOCK);
	assert_int_equal(fstat(b.fds[0], &after), 0);
	assert_int_equal(after.st_size, before.st_size);
	/* as wrong as for the others */
	assert_int_equal(bench_one(&b, bench_io(&b, 11, IO_TRIM, BLOCK, UINT64_MAX - BLOCK + 1)),
			 -EINVAL);
	bench_close(&b);
	bench_open_fd(&b, g, scratch(O_RDONLY));
	assert_int_equal(bench_one(&b, bench_io(&b, 0, IO_TRIM, BLOCK, 0)), -EBADF);
	bench_close(&b);
}

static void depth_is_reached(void **state)
{
	const struct engine *g = subject(state);
	unsigned want = g->caps & ENGINE_SYNC ? 1 : DEPTH;
	struct bench b;

	bench_open(&b, g);
	for (unsigned round = 0; round < 3; round++) {
		assert_int_equal(submit_many(&b, DEPTH), want);
		assert_int_equal(b.run.inflight, want);
		bench_reap(&b, want);
		for (unsigned i = 0; i < want; i++)
			assert_int_equal(b.io[i].res, BLOCK);
	}
	bench_close(&b);
}

static void full_is_zero_and_no_error(void **state)
{
	const struct engine *g = subject(state);
	struct bench b;

	if (!(g->caps & ENGINE_SYNC)) {
		/* Their limit is the depth, which the wrapper holds. */
		bench_open(&b, g);
		assert_int_equal(submit_many(&b, DEPTH), DEPTH);
		struct io extra = {.op = IO_READ, .index = 0, .len = 0}, *p = &extra;
		assert_int_equal(engine_submit(&b.run, &p, 1), ERR_MEASURE);
		assert_non_null(strstr(b.run.broken.text, "broke its contract"));
		b.run.broken = ERR_INIT;
		bench_reap(&b, DEPTH);
		bench_close(&b);
		return;
	}
	bench_open(&b, g);
	assert_int_equal(submit_many(&b, 2), 1);
	struct io *second = &b.io[1];
	assert_int_equal(engine_submit(&b.run, &second, 1), 0);
	assert_int_equal(b.run.full, 1);
	bench_reap(&b, 1);
	assert_int_equal(engine_submit(&b.run, &second, 1), 1);
	bench_reap(&b, 1);
	bench_close(&b);
}

static void reap_honours_min_and_max(void **state)
{
	const struct engine *g = subject(state);
	unsigned n = g->caps & ENGINE_SYNC ? 1 : 8, min = n > 3 ? 3 : 1, left = n;
	struct bench b;
	struct io *done[DEPTH];
	bool seen[DEPTH] = {false};

	bench_open(&b, g);
	assert_int_equal(submit_many(&b, n), n);
	while (left > 0) {
		unsigned want = left < min ? left : min;
		int got = engine_reap(&b.run, done, want, want, later(&b));
		assert_int_equal(got, want);
		for (int i = 0; i < got; i++) {
			assert_false(seen[done[i]->index]);
			seen[done[i]->index] = true;
		}
		left -= want;
		assert_int_equal(b.run.inflight, left);
	}
	bench_close(&b);
}

static void past_deadline_returns_at_once(void **state)
{
	const struct engine *g = subject(state);
	struct bench b;
	struct io *done[DEPTH];

	bench_open(&b, g);
	unsigned n = submit_many(&b, 4);
	uint64_t before = engine_now(&b.run);
	int got = engine_reap(&b.run, done, n, n, 1);
	assert_true(got >= 0);
	got += engine_reap(&b.run, done, n - (unsigned)got, n, 0);
	assert_true(got >= 0 && got <= (int)n);
	if (g->caps & ENGINE_VIRTUAL)
		assert_int_equal(engine_now(&b.run), before);
	bench_reap(&b, b.run.inflight);
	bench_close(&b);
}

static void nothing_in_flight_waits_for_nothing(void **state)
{
	struct bench b;
	struct io *done[1];

	bench_open(&b, subject(state));
	assert_int_equal(engine_reap(&b.run, done, 1, 1, UINT64_MAX), 0);
	bench_close(&b);
}

/* Whether or not the engine can end it early, a cancelled I/O comes back once. */
static void cancelled_io_comes_back_once(void **state)
{
	struct bench b;
	struct io *done[DEPTH];

	bench_open(&b, subject(state));
	unsigned n = submit_many(&b, 6);
	for (unsigned i = 0; i < n; i++) {
		engine_cancel(&b.run, &b.io[i]);
		engine_cancel(&b.run, &b.io[i]);
	}
	bench_reap(&b, n);
	for (unsigned i = 0; i < n; i++)
		assert_true(b.io[i].res == BLOCK || b.io[i].res == -ECANCELED ||
			    b.io[i].res == -EINTR);
	assert_int_equal(b.run.engine->reap(b.run.ctx, done, 0, DEPTH, 0), 0);
	engine_cancel(&b.run, &b.io[0]); /* no longer in flight: ignored */
	assert_int_equal(bench_one(&b, bench_io(&b, 0, IO_READ, BLOCK, 0)), BLOCK);
	bench_close(&b);
}

static void open_and_close_many_times(void **state)
{
	const struct engine *g = subject(state);

	for (unsigned i = 0; i < 20; i++) {
		struct bench b;
		bench_open(&b, g);
		bench_reap(&b, submit_many(&b, DEPTH));
		bench_close(&b);
	}
}

/* Steady state with mixed batch sizes: every io comes back exactly as often as it was sent. */
static void stream(const struct engine *g)
{
	struct bench b;
	struct io *idle[DEPTH], *done[DEPTH];
	unsigned nidle = DEPTH, sent = 0, back = 0;

	bench_open(&b, g);
	if (b.fds[0] >= 0)
		assert_int_equal(ftruncate(b.fds[0], DEPTH * BLOCK), 0);
	for (unsigned i = 0; i < DEPTH; i++)
		idle[i] = bench_io(&b, i, IO_READ, BLOCK, i * BLOCK);
	while (back < 2000) {
		unsigned want = nidle < 1 + sent % 7 ? nidle : 1 + sent % 7;
		int took = engine_submit(&b.run, idle + nidle - want, want);
		assert_true(took >= 0);
		/* Taken are the first ones: close the gap they leave. */
		memmove(idle + nidle - want, idle + nidle - want + took,
			(want - (unsigned)took) * sizeof(idle[0]));
		nidle -= (unsigned)took;
		sent += (unsigned)took;
		int got = engine_reap(&b.run, done, 1 + back % 3, DEPTH, later(&b));
		assert_true(got >= 0);
		for (int i = 0; i < got; i++)
			idle[nidle++] = done[i];
		back += (unsigned)got;
	}
	bench_reap(&b, b.run.inflight);
	assert_int_equal(b.run.submitted, sent);
	bench_close(&b);
}

static void every_io_comes_back(void **state)
{
	stream(subject(state));
}

/* The hook itself, with nothing in flight, has no other end than the deadline. */
static void wait_ends_at_the_deadline(void **state)
{
	struct bench b;
	struct io *done[1];

	bench_open(&b, subject(state));
	uint64_t until = clock_now() + 5 * NS_PER_MS;
	assert_int_equal(b.run.engine->reap(b.run.ctx, done, 1, 1, until), 0);
	assert_true(clock_now() >= until);
	bench_close(&b);
}

static void on_alarm(int sig)
{
	(void)sig;
}

/* A signal ends the wait without error, so that the runner can look at its stop flag. The timer
 * repeats: one that fired before the wait began cannot be missed. */
static void signal_ends_the_wait(void **state)
{
	struct bench b;
	struct io *done[1];
	struct sigaction sa = {.sa_handler = on_alarm}, old;
	struct itimerval every = {.it_interval.tv_usec = 2000, .it_value.tv_usec = 2000}, off = {0};

	bench_open(&b, subject(state));
	sigaction(SIGALRM, &sa, &old);
	setitimer(ITIMER_REAL, &every, NULL);
	uint64_t until = clock_now() + LONG_WAIT;
	int got = b.run.engine->reap(b.run.ctx, done, 1, 1, until);
	setitimer(ITIMER_REAL, &off, NULL);
	sigaction(SIGALRM, &old, NULL);
	assert_int_equal(got, 0);
	assert_true(clock_now() < until);
	bench_reap(&b, submit_many(&b, 4));
	bench_close(&b);
}

/* An interrupted call is neither an error nor sent twice. */
static void signals_lose_nothing(void **state)
{
	const struct engine *g = subject(state);
	struct sigaction sa = {.sa_handler = on_alarm}, old;
	struct itimerval every = {.it_interval.tv_usec = 200, .it_value.tv_usec = 200}, off = {0};

	sigaction(SIGALRM, &sa, &old);
	setitimer(ITIMER_REAL, &every, NULL);
	stream(g);
	setitimer(ITIMER_REAL, &off, NULL);
	sigaction(SIGALRM, &old, NULL);
}

/* A pipe is a device that answers when the test wants it. */
static void slow_io_waits_and_cancels(void **state)
{
	const struct engine *g = subject(state);
	struct bench b;
	struct io *done[2], *ios[2];
	int p[2];

	assert_int_equal(pipe(p), 0);
	bench_open_fd(&b, g, p[0]);
	for (unsigned i = 0; i < 2; i++)
		ios[i] = bench_io(&b, i, IO_READ, 4, 0);
	assert_int_equal(engine_submit(&b.run, ios, 1), 1);
	uint64_t until = clock_now() + 5 * NS_PER_MS;
	assert_int_equal(engine_reap(&b.run, done, 1, 2, until), 0);
	assert_true(clock_now() >= until);
	assert_int_equal(engine_reap(&b.run, done, 1, 2, 0), 0);
	assert_int_equal(write(p[1], "abcd", 4), 4);
	assert_int_equal(engine_reap(&b.run, done, 1, 2, later(&b)), 1);
	assert_int_equal(done[0]->res, 4);
	assert_memory_equal(done[0]->buf, "abcd", 4);

	assert_int_equal(engine_submit(&b.run, ios, 2), 2);
	engine_cancel(&b.run, &b.io[0]);
	assert_int_equal(engine_reap(&b.run, done, 1, 2, later(&b)), 1);
	assert_ptr_equal(done[0], &b.io[0]);
	assert_true(done[0]->res == -ECANCELED || done[0]->res == -EINTR);
	engine_cancel(&b.run, &b.io[1]);
	bench_reap(&b, 1);
	assert_true(b.io[1].res < 0);
	bench_close(&b);
	close(p[1]);
}

/* A page that is gone when it is touched ends the I/O, not the process: the file was cut. */
static void lost_page_is_a_result(void **state)
{
	const struct engine *g = subject(state);
	struct bench b;

	bench_open(&b, g);
	grow_for(g, &b, 4 * BLOCK);
	assert_int_equal(bench_one(&b, bench_io(&b, 0, IO_WRITE, BLOCK, 3 * BLOCK)), BLOCK);
	assert_int_equal(ftruncate(b.fds[0], BLOCK), 0);
	assert_int_equal(bench_one(&b, bench_io(&b, 0, IO_READ, BLOCK, 3 * BLOCK)), -EIO);
	assert_int_equal(bench_one(&b, bench_io(&b, 1, IO_WRITE, BLOCK, 3 * BLOCK)), -EIO);
	assert_int_equal(bench_one(&b, bench_io(&b, 2, IO_READ, BLOCK, 0)), BLOCK);
	/* behind its end it has nothing to grow with */
	assert_int_equal(bench_one(&b, bench_io(&b, 3, IO_WRITE, BLOCK, 8 * BLOCK)), -EFBIG);
	bench_close(&b);
}

/* Polling is never left out: without a device that polls, each I/O says so. (Of pvsync2 the kernel
 * drops the flag without a word, which is why a plan asks the device.) */
static void polling_is_refused_or_real(void **state)
{
	const struct engine *g = subject(state);
	void *buf = aligned_alloc(BLOCK, BLOCK);
	int fd = scratch(O_RDWR | O_DIRECT);
	struct err e = ERR_INIT;
	struct engine_config c = {.fds = &fd, .nfds = 1, .direct = true, .hipri = true};

	if (fd < 0) {
		printf("skip: the file system of the current directory refuses O_DIRECT\n");
		free(buf);
		skip();
	}
	memset(buf, 1, BLOCK);
	assert_int_equal(pwrite(fd, buf, BLOCK, 0), BLOCK);
	if (engine_trial(g, &c, BLOCK, 0, &e)) {
		assert_int_equal(e.code, ERR_MEASURE);
		assert_non_null(strstr(e.text, "a read failed"));
		assert_int_equal(e.sys, EOPNOTSUPP);
	}
	e = ERR_INIT;
	c.hipri = false;
	assert_int_equal(engine_trial(g, &c, BLOCK, 0, &e), 0);
	close(fd);
	free(buf);
}

static const struct {
	const char *name;
	void (*fn)(void **state);
	int needs;
} cases[] = {
	{"write_reaches_the_file", write_reaches_the_file, DISK},
	{"read_sees_the_file", read_sees_the_file, DISK},
	{"end_of_file_is_short_then_zero", end_of_file_is_short_then_zero, DISK},
	{"wrong_descriptor_is_a_result", wrong_descriptor_is_a_result, DISK},
	{"late_error_is_a_result", late_error_is_a_result, DISK},
	{"bad_io_in_a_batch_is_alone", bad_io_in_a_batch_is_alone, DISK},
	{"direct_io_with_aligned_buffers", direct_io_with_aligned_buffers, DISK},
	{"sync_operations", sync_operations, ANY},
	{"trim_is_its_length", trim_is_its_length, ANY},
	{"trim_punches_a_hole", trim_punches_a_hole, TRIMS_DISK},
	{"several_descriptors", several_descriptors, DISK},
	{"depth_is_reached", depth_is_reached, ANY},
	{"full_is_zero_and_no_error", full_is_zero_and_no_error, ANY},
	{"reap_honours_min_and_max", reap_honours_min_and_max, ANY},
	{"past_deadline_returns_at_once", past_deadline_returns_at_once, ANY},
	{"nothing_in_flight_waits_for_nothing", nothing_in_flight_waits_for_nothing, ANY},
	{"cancelled_io_comes_back_once", cancelled_io_comes_back_once, ANY},
	{"open_and_close_many_times", open_and_close_many_times, ANY},
	{"every_io_comes_back", every_io_comes_back, ANY},
	{"wait_ends_at_the_deadline", wait_ends_at_the_deadline, KERNEL_QUEUE},
	{"signals_lose_nothing", signals_lose_nothing, ANY},
	{"signal_ends_the_wait", signal_ends_the_wait, KERNEL_QUEUE},
	{"slow_io_waits_and_cancels", slow_io_waits_and_cancels, CANCELS_PIPE},
	{"lost_page_is_a_result", lost_page_is_a_result, MAPPED},
	{"polling_is_refused_or_real", polling_is_refused_or_real, POLLS},
};
#define NCASES (sizeof(cases) / sizeof(cases[0]))

static bool applies(const struct engine *g, int needs)
{
	bool disk = !(g->caps & ENGINE_DISKLESS);
	bool queue = disk && !(g->caps & ENGINE_SYNC);

	return needs == ANY || (needs == DISK && disk) || (needs == KERNEL_QUEUE && queue) ||
	       (needs == CANCELS_PIPE && queue && g->cancel) ||
	       (needs == MAPPED && (g->caps & ENGINE_MAPPED)) ||
	       (needs == TRIMS_DISK && disk && (g->caps & ENGINE_OP_TRIM)) ||
	       (needs == POLLS && queue && (g->caps & ENGINE_HIPRI));
}

/* Not every file system has I/O that does not wait, not every user may lock memory. Any other
 * refusal is left to the cases, which fail of it. */
static bool word_is_absent(const struct variant *v)
{
	struct err e = ERR_INIT;
	bool absent = false;

	bench_words = v->words;
	int fd = scratch(O_RDWR);
	struct engine_config c = v->words;

	c.fds = &fd;
	c.nfds = 1;
	char *data = aligned_alloc(BLOCK, BLOCK);

	assert_non_null(data);
	memset(data, 1, BLOCK);
	assert_int_equal(pwrite(fd, data, BLOCK, 0), BLOCK);
	if (engine_trial(v->engine, &c, BLOCK, 0, &e) && (e.sys == EOPNOTSUPP || e.sys == ENOMEM)) {
		absent = true;
		printf("skip: %s%s: %s\n", v->engine->name, v->word, e.text);
	}
	free(data);
	close(fd);
	return absent;
}

/* The engine plain, with each word it has (a polled ring needs a device), and with all of them. */
static unsigned add_subjects(const struct engine *g, unsigned n)
{
	static const struct variant rows[] = {
		{NULL, "", {0}, false},
		{NULL, "_nowait", {.nowait = true}, false},
		{NULL, "_fixedbufs", {.fixedbufs = true}, false},
		{NULL, "_registerfiles", {.registerfiles = true}, false},
		{NULL, "_sqthread_poll", {.sqthread_poll = true}, false},
		{NULL,
		 "_all",
		 {.fixedbufs = true, .registerfiles = true, .sqthread_poll = true},
		 false},
	};
	struct err e = ERR_INIT;
	bool absent = engine_probe(g, &e) != 0;

	if (absent)
		printf("skip: %s\n", e.text);
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		if (engine_wants(&rows[i].words) & ~g->caps)
			continue;
		assert_true(n < SUBJECTS_MAX);
		subjects[n] = rows[i];
		subjects[n].engine = g;
		subjects[n].absent = absent || (rows[i].word[0] && word_is_absent(&subjects[n]));
		n++;
	}
	return n;
}

int main(void)
{
	static struct CMUnitTest tests[SUBJECTS_MAX * NCASES];
	static char names[SUBJECTS_MAX * NCASES][96];
	unsigned nsubjects = 0;
	size_t n = 0;

	for (unsigned g = 0; g < engine_count; g++) {
		/* It does nothing on the files that this list makes: test_passthrough.c. */
		if (!(engine_table[g]->caps & ENGINE_PASSTHROUGH))
			nsubjects = add_subjects(engine_table[g], nsubjects);
	}
	for (unsigned k = 0; k < nsubjects; k++) {
		struct variant *v = &subjects[k];

		for (unsigned i = 0; i < NCASES; i++) {
			if (!applies(v->engine, cases[i].needs))
				continue;
			snprintf(names[n], sizeof(names[n]), "%s%s_%s", v->engine->name, v->word,
				 cases[i].name);
			tests[n] = (struct CMUnitTest){
				.name = names[n], .test_func = cases[i].fn, .initial_state = v};
			n++;
		}
	}
	return _cmocka_run_group_tests("engines", tests, n, NULL, NULL);
}
