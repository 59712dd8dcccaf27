/* SPDX-License-Identifier: GPL-2.0-or-later */
/* verify: what stands in a block, how often it was written, and what a target that lies is told. */
#include "helper.h"
#include "run/live.h"

#include <fcntl.h>
#include <unistd.h>

enum { BS = 4096, BLOCKS = 64 };

/* The sum bit by bit, to hold the library against. */
static uint32_t crc32c_slow(const uint8_t *p, size_t n)
{
	uint32_t crc = ~0U;

	while (n--) {
		crc ^= *p++;
		for (int i = 0; i < 8; i++)
			crc = crc >> 1 ^ (crc & 1 ? 0x82f63b78U : 0);
	}
	return ~crc;
}

static void contents_of(struct contents *c, uint32_t bs, uint32_t compress)
{
	struct job j = sim_job("");

	j.bs = bs;
	j.buffer_compress_percentage = compress;
	contents_init(c, &j, 1);
}

static void sum_is_crc32c(void **state)
{
	static const uint32_t sizes[] = {64, 65, 100, 511, 512, 513, 4096, 5000, 131072};

	(void)state;
	assert_int_equal(crc32c_slow((const uint8_t *)"123456789", 9), 0xe3069283);
	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		const struct verify_mark m = {7, 8192, 3};
		uint8_t *b = malloc(sizes[i]);
		struct contents c;
		uint32_t sum;

		contents_of(&c, sizes[i], 0);
		verify_block_fill(&c, b, sizes[i], &m);
		memcpy(&sum, b, 4);
		assert_int_equal(sum, crc32c_slow(b + 4, sizes[i] - 4));
		assert_true(verify_block_ok(b, sizes[i], &m));
		free(b);
	}
}

/* Each bit counts, and so does each part of the mark; no two blocks share their data. */
static void every_bit_counts(void **state)
{
	const struct verify_mark m = {7, 8192, 3},
				 other[] = {{8, 8192, 3}, {7, 4096, 3}, {7, 8192, 2}};
	uint8_t b[512], o[512];
	struct contents c;

	(void)state;
	contents_of(&c, 512, 50);
	verify_block_fill(&c, b, 512, &m);
	for (int i = 0; i < 512 * 8; i++) {
		b[i / 8] ^= (uint8_t)(1 << i % 8);
		assert_false(verify_block_ok(b, 512, &m));
		b[i / 8] ^= (uint8_t)(1 << i % 8);
	}
	assert_true(verify_block_ok(b, 512, &m));
	for (int i = 256; i < 512; i++)
		assert_int_equal(b[i], 0); /* as compressible as asked */
	for (int i = 0; i < 3; i++) {
		assert_false(verify_block_ok(b, 512, &other[i]));
		verify_block_fill(&c, o, 512, &other[i]);
		assert_memory_not_equal(b + 64, o + 64, 192);
	}
}

static void explained(void **state)
{
	const struct verify_mark m = {7, 8192, 3};
	static const struct {
		struct verify_mark found;
		const char *part;
	} rows[] = {
		{{8, 8192, 3},
		 "another run or job wrote (for offset 8192, its write 3 there): this"},
		{{8, 4096, 3}, "another run or job wrote (for offset 4096, its write 3 there)"},
		{{7, 4096, 5}, "the block of offset 4096, its write 5: a write or a read went"},
		{{7, 8192, 1}, "write 1 of this block, older by 2: the last one was lost"},
		{{7, 8192, 4}, "write 4 of this block, which is newer"},
	};
	uint8_t b[1024], old[1024];
	struct contents c;
	char text[256];

	(void)state;
	contents_of(&c, 1024, 0);
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		verify_block_fill(&c, b, 1024, &rows[i].found);
		verify_block_explain(&c, b, 1024, &m, text, sizeof(text));
		assert_non_null(strstr(text, rows[i].part));
	}
	memset(b, 0, sizeof(b));
	verify_block_explain(&c, b, 1024, &m, text, sizeof(text));
	assert_non_null(strstr(text, "zeros"));
	verify_block_fill(&c, b, 1024, &m);
	b[700] ^= 4;
	b[703] ^= 4;
	verify_block_explain(&c, b, 1024, &m, text, sizeof(text));
	assert_non_null(strstr(text, "damaged data"));
	assert_non_null(strstr(text, "2 bytes are wrong, from byte 700 "));
	assert_non_null(strstr(text, "to byte 703"));
	/* the first half of the write before */
	verify_block_fill(&c, b, 1024, &m);
	verify_block_fill(&c, old, 1024, &(struct verify_mark){7, 8192, 2});
	memcpy(b, old, 512);
	verify_block_explain(&c, b, 1024, &m, text, sizeof(text));
	assert_non_null(strstr(text, "a torn block, with the header of write 2 at offset 8192"));
	assert_non_null(strstr(text, "to byte 511 "));
	memset(b, 0x5a, sizeof(b));
	verify_block_explain(&c, b, 1024, &m, text, sizeof(text));
	assert_non_null(strstr(text, "no header"));
}

/* The position of each block, in passes and patterns of many sizes. */
static void position_is_the_inverse(void **state)
{
	static const uint64_t sizes[] = {1, 2, 3, 5, 16, 17, 64, 255, 1000, 1025, 4097, 65521};

	(void)state;
	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		struct job j =
			sized(sim_job(""), i % 4 ? RW_RANDWRITE : RW_WRITE, sizes[i] * 4096, 1);
		struct pattern p, later;

		j.offset = 12288;
		j.verify = "crc32c"; /* else offsets are computed ahead of the position */
		pattern_init(&p, &j, 0, i);
		pattern_init(&later, &j, 0, i);
		later.pass = 77;
		for (uint64_t n = 0; n < 3 * sizes[i]; n++) {
			uint64_t offset, pass, position = p.pos;
			enum io_dir dir;

			pattern_next(&p, &dir, &offset, &pass);
			offset = (offset - j.offset) / j.bs;
			assert_int_equal(pattern_position(&later, pass, offset), position);
		}
		for (uint64_t x = 0; p.map && x < sizes[i]; x++)
			assert_int_equal(pattern_position(&p, p.pass, pattern_permute(&p, x)), x);
	}
}

static void rewound(void **state)
{
	struct job j = sized(sim_job(""), RW_RANDWRITE, 10 * 4096, 1);
	uint64_t offsets[25], pass;
	struct pattern p;
	enum io_dir dir;

	(void)state;
	j.verify = "crc32c";
	pattern_init(&p, &j, 0, 5);
	for (int i = 0; i < 25; i++)
		pattern_next(&p, &dir, &offsets[i], &pass);
	pattern_rewind(&p, 0);
	for (int back = 1; back <= 25; back++) {
		uint64_t offset;

		pattern_rewind(&p, (uint64_t)back);
		for (int i = 25 - back; i < 25; i++) {
			pattern_next(&p, &dir, &offset, &pass);
			assert_int_equal(offset, offsets[i]);
			assert_int_equal(pass, i / 10);
		}
	}
}

/* Against a count of the writes of each block, at every point of several passes; also behind a ramp
 * that ended anywhere. */
static void generations(void **state)
{
	(void)state;
	for (int row = 0; row < 40; row++) {
		struct job j = sized(sim_job(""), row % 2 ? RW_WRITE : RW_RANDWRITE, 13 * 4096, 1);
		struct run_request q = {.job = &j, .target_name = "T", .run_seed = 3};
		uint64_t written[13] = {0}, offset, pass;
		struct pattern pattern;
		struct task k = {.job = &j, .req = &q, .pattern = &pattern};
		enum io_dir dir;

		j.verify = "crc32c"; /* nothing is computed ahead */
		pattern_init(k.pattern, &j, 0, 9);
		for (int i = 0; i < row; i++) {
			pattern_next(k.pattern, &dir, &offset, &pass);
			written[offset / 4096] = pass + 1;
		}
		verify_restart(&k);
		assert_int_equal(k.verify.base, (row + 12) / 13);
		pattern_init(k.pattern, &j, 0, 9);
		for (int i = 0; i < 30; i++) {
			for (unsigned b = 0; b < 13; b++)
				assert_int_equal(verify_generation(&k.verify, k.pattern, b),
						 written[b]);
			pattern_next(k.pattern, &dir, &offset, &pass);
			written[offset / 4096] = k.verify.base + pass + 1;
		}
	}
}

static int scratch(uint64_t size)
{
	char path[] = "/var/tmp/blkgate-verify-XXXXXX";
	int fd = mkstemp(path);

	assert_true(fd >= 0);
	unlink(path);
	assert_int_equal(ftruncate(fd, (off_t)size), 0);
	return fd;
}

static struct job file_job(const char *engine, enum job_rw rw, uint64_t loops)
{
	struct job j = sized(sim_job(""), rw, (uint64_t)BLOCKS * BS, loops);

	j.ioengine = engine;
	j.verify = "crc32c";
	j.direct_auto = true; /* the scratch folder may be of memory */
	return j;
}

static void block_at(int fd, uint64_t at, uint8_t *b, bool write)
{
	ssize_t n = write ? pwrite(fd, b, BS, (off_t)at) : pread(fd, b, BS, (off_t)at);

	assert_int_equal(n, BS);
}

/* What a target does wrong between a write and its reading; 5 and 9 are blocks. */
static void harm(struct task *k, const char *what)
{
	uint8_t a[BS], b[BS];
	struct verify_mark m = {k->verify.id, (uint64_t)5 * BS, 1};

	block_at(k->fds[0], (uint64_t)5 * BS, a, false);
	block_at(k->fds[0], (uint64_t)9 * BS, b, false);
	if (str_eq(what, "flip")) {
		a[777] ^= 1;
	} else if (str_eq(what, "zeros")) {
		memset(a, 0, BS);
	} else if (str_eq(what, "stale")) {
		verify_block_fill(&k->contents, a, BS, &m);
	} else if (str_eq(what, "run")) {
		m.id++;
		verify_block_fill(&k->contents, a, BS, &m);
	} else if (str_eq(what, "swap")) {
		block_at(k->fds[0], (uint64_t)9 * BS, a, true);
		memcpy(a, b, BS);
	} else if (str_eq(what, "copy")) {
		memcpy(a, b, BS);
	} else if (str_eq(what, "cut")) {
		assert_int_equal(ftruncate(k->fds[0], (off_t)20 * BS + 100), 0);
	}
	block_at(k->fds[0], (uint64_t)5 * BS, a, true);
}

/* One thread from its set-up to the end of its verification, with harm done in between. */
static void run_harmed(const struct job *j, const struct engine *g, const char *what,
		       struct live *l)
{
	struct run_request q = {.job = j, .target_name = "T", .seed = 4, .run_seed = 5};
	int fd = scratch(j->size);
	struct task k = {.job = j,
			 .req = &q,
			 .live = l,
			 .t = &l->thread[0],
			 .engine = g,
			 .fds = &fd,
			 .nfds = 1,
			 .depth = j->iodepth,
			 .batch = 1,
			 .complete_min = 1,
			 .complete_max = j->iodepth};
	struct err e = ERR_INIT;

	k.is_sync = k.engine->caps & ENGINE_SYNC;
	task_patterns(&k);
	assert_int_equal(task_alloc(&k, &e), 0);
	assert_int_equal(task_engine(&k, k.depth, k.buffers, k.buffer_len, &e), 0);
	k.t0 = clock_now();
	task_run(&k);
	assert_false(live_failed(l));
	harm(&k, what);
	verify_run(&k);
	assert_false(k.stuck);
	engine_close(&k.eng);
	task_free(&k);
	free(k.pattern);
	close(fd);
}

static void a_target_that_lies(void **state)
{
	static const struct {
		const char *harm, *part, *count;
		uint64_t at;
	} rows[] = {
		{"flip", "damaged data", "; 1 of 64 blocks are wrong", 5},
		{"zeros", "zeros", "; 1 of 64 blocks are wrong", 5},
		{"stale", "write 1 of this block, older by 1: the last one was lost", "; 1 of 64",
		 5},
		{"run", "another run or job wrote", "; 1 of 64", 5},
		{"swap", "the block of offset 36864, its write 2", "; 2 of 64", 5},
		{"copy", "the block of offset 36864, its write 2", "; 1 of 64", 5},
		{"cut", "end of the target", "", 20},
	};

	(void)state;
	for (size_t i = 0; i < 2 * sizeof(rows) / sizeof(rows[0]); i++) {
		size_t r = i / 2;
		struct job j = file_job("psync", i % 2 ? RW_RANDWRITE : RW_WRITE, 2);
		struct live *l = live_new(1, 10);

		run_harmed(&j, engine_find("psync"), rows[r].harm, l);
		if (!l->error_ready || l->status != OUTCOME_IO_ERROR ||
		    !strstr(l->text, rows[r].part) || !strstr(l->text, rows[r].count))
			fail_msg("%s: '%s'", rows[r].harm, l->text);
		assert_in_range(l->error_offset, rows[r].at * BS, rows[r].at * BS + BS - 1);
		assert_int_equal(l->thread[0].verified, 0);
		live_free(l);
	}
}

static void a_target_that_does_not(void **state)
{
	struct job j = file_job("psync", RW_RANDWRITE, 2);
	struct live *l = live_new(1, 10);

	(void)state;
	run_harmed(&j, engine_find("psync"), "", l);
	if (l->error_ready)
		fail_msg("%s", l->text);
	assert_int_equal(l->thread[0].verified, BLOCKS * BS);
	live_free(l);
}

/* A drive takes what was written in one piece, and need not take more. */
static int submit_small(void *ctx, struct io **ios, unsigned n)
{
	assert_true(ios[0]->len <= BS);
	return engine_find("psync")->submit(ctx, ios, n);
}

static void nothing_splits_a_command(void **state)
{
	struct job j = file_job("psync", RW_RANDWRITE, 2);
	struct engine node = *engine_find("psync");
	struct live *l = live_new(1, 10);

	(void)state;
	node.caps |= ENGINE_PASSTHROUGH;
	node.submit = submit_small;
	run_harmed(&j, &node, "", l);
	if (l->error_ready)
		fail_msg("%s", l->text);
	assert_int_equal(l->thread[0].verified, BLOCKS * BS);
	live_free(l);
}

/* Real runs of every engine that reaches a file; time and size as borders, ramps, several files. */
static void runs(void **state)
{
	static const char *const engines[] = {"psync",  "pvsync2",  "mmap",
					      "libaio", "posixaio", "io_uring"};
	(void)state;
	for (size_t i = 0; i < 3 * sizeof(engines) / sizeof(engines[0]); i++) {
		const struct engine *g = engine_find(engines[i / 3]);
		struct job j = deep(file_job(g->name, i % 2 ? RW_WRITE : RW_RANDWRITE, 3), 8);
		struct err e = ERR_INIT;
		struct outcome o;
		int fds[2];

		if (engine_probe(g, &e)) {
			print_message("skipped: %s\n", e.text);
			continue;
		}
#ifdef __SANITIZE_THREAD__
		if (str_eq(g->name, "posixaio")) {
			print_message(
				"skip: the threads of posixaio are glibc's, and unknown to TSan\n");
			continue;
		}
		if (str_eq(g->name, "io_uring") && i % 3 == 2) {
			print_message("skip: liburing unmaps a ring unseen by TSan, and another "
				      "thread's may be mapped there\n");
			continue;
		}
#endif
		if (i % 3 == 1)
			j.ramp_time = 2 * NS_PER_MS;
		if (i % 3 == 2) {
			j.time_based = true;
			j.runtime = 20 * NS_PER_MS;
			j.bs = 6144; /* a tail is left; no multiple of a page */
			j.numjobs = 2;
			j.files = FILES_PER_JOB;
		}
		j.iodepth_batch_submit = 4;
		for (int f = 0; f < 2; f++)
			fds[f] = scratch(j.size);
		struct run_request q = {.job = &j,
					.fds = fds,
					.nfds = j.numjobs,
					.target_name = "T",
					.seed = 1,
					.run_seed = 2 + i};

		run_with(&q, NULL, &o);
		if (o.status != OUTCOME_OK)
			fail_msg("%s: %s", g->name, o.text);
		if (i % 3 != 2)
			assert_int_equal(o.verified, (uint64_t)BLOCKS * BS);
		/* a thread that had no turn in its window wrote nothing */
		assert_true(o.verified <= (uint64_t)BLOCKS * BS * j.numjobs);
		assert_true(o.verified || !o.written);
		assert_int_equal(o.verified % j.bs, 0);
		outcome_release(&o);
		close(fds[0]);
		close(fds[1]);
	}
}

/* A pass waits for the one before it: with 4 blocks no more than 4 are in flight at depth 16, and a
 * fixed latency then gives exactly so many. Also: what was prepared and not submitted at a border
 * is no write. */
static void passes_do_not_overlap(void **state)
{
	(void)state;
	for (int on = 0; on < 2; on++) {
		struct job j = deep(sim_job("lat=1ms"), 16);
		struct live *l = live_new(1, 100);
		struct run_request q = {.job = &j, .target_name = "T"};
		struct task k = {.job = &j,
				 .req = &q,
				 .live = l,
				 .t = &l->thread[0],
				 .engine = engine_find("sim"),
				 .depth = 16,
				 .batch = 16,
				 .complete_min = 1,
				 .complete_max = 16,
				 .is_virtual = true};
		struct err e = ERR_INIT;

		j.rw = RW_RANDWRITE;
		j.size = (uint64_t)4 * BS;
		j.verify = on ? "crc32c" : "";
		task_patterns(&k);
		assert_int_equal(task_alloc(&k, &e), 0);
		assert_int_equal(task_engine(&k, 16, k.buffers, k.buffer_len, &e), 0);
		task_run(&k);
		assert_false(live_failed(l));
		assert_int_equal(l->thread[0].dir[DIR_WRITE].ios, on ? 4000 : 16000);
		if (on)
			assert_int_equal(k.pattern->pass * 4 + k.pattern->pos,
					 l->thread[0].written / BS);
		engine_close(&k.eng);
		task_free(&k);
		free(k.pattern);
		live_free(l);
	}
}

/* What cannot be verified is refused also where no plan stood before. */
static void refused(void **state)
{
	struct job ok = file_job("psync", RW_RANDWRITE, 1), j;
	struct outcome o;

	(void)state;
	assert_null(job_verify_obstacle(&ok));
	j = ok;
	j.rw = RW_RANDRW;
	run_not(&j, OUTCOME_SETUP, "verify cannot be had with this rw", NULL, &o);
	j = ok;
	j.norandommap = true;
	run_not(&j, OUTCOME_SETUP, "with this norandommap", NULL, &o);
	j = ok;
	j.numjobs = 2;
	run_not(&j, OUTCOME_SETUP, "with this numjobs", NULL, &o);
	j = ok;
	j.ioengine = "null";
	run_not(&j, OUTCOME_SETUP, "with this ioengine", NULL, &o);
	j = ok;
	j.bs = 32;
	run_not(&j, OUTCOME_SETUP, "with this bs", NULL, &o);
}

/* An injected error is told as what it is, and nothing counts as verified. */
static void injected(void **state)
{
	struct job j = file_job("psync", RW_WRITE, 1);
	int fd = scratch(j.size);
	struct run_request q = {
		.job = &j, .fds = &fd, .nfds = 1, .target_name = "T", .inject = {.error = 1}};
	struct outcome o;

	(void)state;
	run_with(&q, NULL, &o);
	assert_int_equal(o.status, OUTCOME_IO_ERROR);
	assert_non_null(strstr(o.text, "write of 4096 bytes"));
	assert_int_equal(o.verified, 0);
	outcome_release(&o);
	close(fd);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(sum_is_crc32c),
		cmocka_unit_test(every_bit_counts),
		cmocka_unit_test(explained),
		cmocka_unit_test(position_is_the_inverse),
		cmocka_unit_test(rewound),
		cmocka_unit_test(generations),
		cmocka_unit_test(a_target_that_lies),
		cmocka_unit_test(a_target_that_does_not),
		cmocka_unit_test(nothing_splits_a_command),
		cmocka_unit_test(runs),
		cmocka_unit_test(passes_do_not_overlap),
		cmocka_unit_test(refused),
		cmocka_unit_test(injected),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
