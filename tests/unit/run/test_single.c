/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The loop of a synchronous engine against the general one: whatever the engine answers, the same
 * I/Os are done, counted and blamed. A word that is never due (fsync after 2^30 writes) sends a job
 * through the general loop.
 */
#include "helper.h"
#include "run/live.h"

enum { BLOCK = 4096, N = 50 };
enum answer { WHOLE, SHORT, AGAIN, LATE, FAIL, TOO_MUCH, FULL, BROKEN };

/* Answers `what` to the submission number `at`, and WHOLE to every other one. */
struct fake {
	enum answer what;
	unsigned at, n;
	bool waits;
	struct io *done;
	uint64_t bytes, seen; /* of what it did */
};
static struct fake fake;

static int fake_probe(struct err *e)
{
	(void)e;
	return 0;
}

static int fake_open(void **ctx, const struct engine_config *c, struct err *e)
{
	(void)c;
	(void)e;
	*ctx = &fake;
	return 0;
}

static int fake_submit(void *ctx, struct io **ios, unsigned n)
{
	struct fake *f = ctx;
	struct io *io = ios[0];
	enum answer a = f->n++ == f->at ? f->what : WHOLE;

	assert_int_equal(n, 1);
	if (a == FULL)
		return 0;
	if (a == BROKEN)
		return -ENODEV;
	io->res = io->len;
	if (a == SHORT)
		io->res = 512;
	if (a == AGAIN)
		io->res = -EAGAIN;
	if (a == FAIL)
		io->res = -EIO;
	if (a == TOO_MUCH)
		io->res = io->len + 1;
	f->waits = a == LATE;
	f->done = io;
	f->bytes += io->res > 0 ? (uint64_t)io->res : 0;
	f->seen += io->offset;
	return 1;
}

static int fake_reap(void *ctx, struct io **done, unsigned min, unsigned max, uint64_t until)
{
	struct fake *f = ctx;

	(void)min;
	(void)max;
	(void)until;
	if (f->waits) {
		f->waits = false;
		return 0;
	}
	done[0] = f->done;
	return 1;
}

static void fake_close(void *ctx)
{
	(void)ctx;
}

static const struct engine engine = {
	.api = ENGINE_API,
	.name = "fake",
	.what = "answers as told",
	.caps = ENGINE_OP_READ | ENGINE_OP_WRITE | ENGINE_OP_FSYNC | ENGINE_SYNC | ENGINE_DISKLESS,
	.probe = fake_probe,
	.open = fake_open,
	.submit = fake_submit,
	.reap = fake_reap,
	.close = fake_close,
};

/* N blocks, with an answer to one of the submissions. Fills o; l->text is what went wrong. */
static struct live *run_one(enum job_rw rw, bool single, enum answer what, unsigned at,
			    struct outcome *o)
{
	struct job j = sized(sim_job(""), rw, N * BLOCK, 1);
	struct run_request r = {.job = &j, .target_name = "T", .seed = 3};
	struct live *l = live_new(1, 100);
	struct task k = {.job = &j,
			 .req = &r,
			 .live = l,
			 .t = &l->thread[0],
			 .engine = &engine,
			 .depth = 1,
			 .batch = 1,
			 .complete_min = 1,
			 .complete_max = 1,
			 .t0 = clock_now(),
			 .is_sync = true};
	struct err e = ERR_INIT;

	j.fsync = single ? 0 : 1u << 30;
	fake = (struct fake){.what = what, .at = at};
	assert_int_equal(task_alloc(&k, &e), 0);
	struct engine_config c = {
		.depth = 1, .buffers = k.buffers, .buffer_len = k.buffer_len, .script = ""};

	assert_int_equal(engine_open(&k.eng, k.engine, &c, &e), 0);
	task_patterns(&k);
	l->sync_engine = true;
	task_run(&k);
	assert_int_equal(k.single, single);
	if (!live_failed(l)) {
		assert_int_equal(k.eng.inflight, 0);
		assert_int_equal(k.nfree, 1);
		assert_int_equal(k.npend, 0);
	}
	engine_close(&k.eng);
	free(k.pattern);
	task_free(&k);
	outcome_init(o);
	live_gather(l, o);
	return l;
}

static uint64_t in_slots(const struct outcome *o, int d)
{
	uint64_t n = 0;

	for (uint64_t i = 0; i < o->nslots; i++)
		n += o->slots[i].ios[d];
	return n;
}

static void what_is_done_is_counted_alike(void **state)
{
	static const enum answer answers[] = {WHOLE, SHORT, AGAIN, LATE};
	static const unsigned ats[] = {0, 1, N / 2, N - 1};

	(void)state;
	for (size_t i = 0; i < sizeof(answers) / sizeof(answers[0]) * 4 * 2 * 2; i++) {
		enum answer a = answers[i / 16];
		bool single = i & 1, writes = i & 2;
		int d = writes ? DIR_WRITE : DIR_READ;
		struct outcome o;
		struct live *l =
			run_one(writes ? RW_RANDWRITE : RW_RANDREAD, single, a, ats[i / 4 % 4], &o);

		assert_string_equal(l->text, "");
		assert_int_equal(fake.bytes, (uint64_t)N * BLOCK);
		assert_int_equal(o.dir[d].ios, N);
		assert_int_equal(o.dir[d].bytes, N * BLOCK);
		assert_int_equal(o.dir[d].issued, N);
		assert_int_equal(o.dir[d].shorts, a == SHORT);
		assert_int_equal(o.dir[d].lat.n, N);
		assert_int_equal(o.dir[!d].ios, 0);
		assert_int_equal(o.written, writes ? N * BLOCK : 0);
		assert_int_equal(in_slots(&o, d), N);
		assert_int_equal(atomic_load(&l->thread[0].ios), N);
		assert_int_equal(atomic_load(&l->thread[0].bytes), N * BLOCK);
		/* The rest of a short one is a submission of its own, which is no I/O. */
		assert_int_equal(fake.n, N + (a == SHORT || a == AGAIN));
		outcome_release(&o);
		live_free(l);
	}
}

/* Each block once, whichever loop: the sum of their offsets says so. */
static void the_offsets_are_the_same(void **state)
{
	(void)state;
	for (int single = 0; single < 2; single++) {
		struct outcome o;
		struct live *l = run_one(RW_RANDREAD, single, WHOLE, 0, &o);

		assert_int_equal(fake.seen, (uint64_t)BLOCK * N * (N - 1) / 2);
		outcome_release(&o);
		live_free(l);
	}
}

static void what_goes_wrong_ends_alike(void **state)
{
	static const struct {
		enum answer what;
		const char *text;
	} rows[] = {
		{FAIL, "read of 4096 bytes"},
		{TOO_MUCH, "returned 4097 of 4096 bytes"},
		{FULL, "is full with nothing in flight"},
		{BROKEN, "submit failed"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]) * 2; i++) {
		struct outcome o;
		struct live *l = run_one(RW_RANDREAD, i & 1, rows[i / 2].what, N / 2, &o);

		if (!strstr(l->text, rows[i / 2].text))
			fail_msg("'%s', wanted '%s'", l->text, rows[i / 2].text);
		assert_int_equal(l->status, OUTCOME_IO_ERROR);
		assert_int_equal(o.dir[DIR_READ].ios, N / 2);
		outcome_release(&o);
		live_free(l);
	}
}

/* A stop is seen between two I/Os. */
static void a_stop_is_seen(void **state)
{
	(void)state;
	for (int single = 0; single < 2; single++) {
		struct job j = sized(sim_job(""), RW_READ, N * BLOCK, 1);
		struct run_request r = {.job = &j, .target_name = "T"};
		struct live *l = live_new(1, 1);
		struct task k = {.job = &j,
				 .req = &r,
				 .live = l,
				 .t = &l->thread[0],
				 .engine = &engine,
				 .depth = 1,
				 .batch = 1,
				 .complete_min = 1,
				 .complete_max = 1,
				 .is_sync = true};
		struct engine_config c = {.depth = 1, .script = ""};
		struct err e = ERR_INIT;

		j.fsync = single ? 0 : 1u << 30;
		fake = (struct fake){0};
		assert_int_equal(task_alloc(&k, &e), 0);
		assert_int_equal(engine_open(&k.eng, k.engine, &c, &e), 0);
		task_patterns(&k);
		atomic_store(&l->stop, 1);
		task_run(&k);
		assert_int_equal(k.end, END_STOP);
		assert_int_equal(l->early, 1);
		assert_true(fake.n <= 1);
		engine_close(&k.eng);
		free(k.pattern);
		task_free(&k);
		live_free(l);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_is_done_is_counted_alike),
		cmocka_unit_test(the_offsets_are_the_same),
		cmocka_unit_test(what_goes_wrong_ends_alike),
		cmocka_unit_test(a_stop_is_seen),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
