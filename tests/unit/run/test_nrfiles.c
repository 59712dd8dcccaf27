/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Several files of a job: they take turns, each has a pattern of its own, and all are synced. */
#include "helper.h"
#include "run/live.h"

#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>

#define BS 4096u
enum { FILES = 3, BLOCKS = 10 };

static int temporary(uint64_t size)
{
	const char *dir = getenv("TMPDIR");
	char path[256];

	snprintf(path, sizeof(path), "%s/blkgate-run-XXXXXX", dir && *dir ? dir : "/tmp");
	int fd = mkostemp(path, O_CLOEXEC);

	assert_true(fd >= 0);
	unlink(path);
	assert_int_equal(ftruncate(fd, (off_t)size), 0);
	return fd;
}

static bool holds_data(int fd, uint64_t block)
{
	uint64_t words[BS / 8];
	unsigned zero = 0;

	assert_int_equal(pread(fd, words, BS, (off_t)(block * BS)), BS);
	for (unsigned i = 0; i < BS / 8; i++)
		zero += words[i] == 0;
	return zero == 0;
}

static struct job files_job(const char *engine, enum job_rw rw)
{
	struct job j = sized(deep(sim_job(""), 8), rw, (uint64_t)FILES * BLOCKS * BS, 1);

	j.ioengine = engine;
	j.nrfiles = FILES;
	return j;
}

static bool usable(const char *name)
{
	const struct engine *g = engine_find(name);
	struct err e = ERR_INIT;

#ifdef __SANITIZE_THREAD__
	if (strcmp(name, "posixaio") == 0) {
		print_message("skip: the threads of posixaio are glibc's, and unknown to TSan\n");
		return false;
	}
#endif
	if (engine_probe(g, &e) == 0)
		return true;
	print_message("skip: %s\n", e.text);
	return false;
}

/* Each block of the region of each file once, and no byte beside it. */
static void each_file_is_written(void **state)
{
	static const char *const engines[] = {"psync",  "pvsync2",  "mmap",
					      "libaio", "io_uring", "posixaio"};
	static const enum job_rw modes[] = {RW_WRITE, RW_RANDWRITE};

	(void)state;
	for (size_t i = 0; i < 2 * sizeof(engines) / sizeof(engines[0]); i++) {
		struct job j = files_job(engines[i / 2], modes[i % 2]);
		int fds[2 * FILES];
		struct run_request r = {
			.job = &j, .fds = fds, .nfds = 2 * FILES, .target_name = "T", .seed = i};
		struct outcome o;

		if (!usable(engines[i / 2]))
			continue;
		for (unsigned f = 0; f < 2 * FILES; f++)
			fds[f] = temporary((BLOCKS + 4) * BS);
		j.offset = 2 * BS;
		j.numjobs = 2;
		j.files = FILES_PER_JOB;
		j.end_fsync = j.invalidate = true;
		run_with(&r, NULL, &o);
		if (o.status != OUTCOME_OK)
			fail_msg("%s: %s", engines[i / 2], o.text);
		assert_int_equal(o.dir[DIR_WRITE].ios, 2 * FILES * BLOCKS);
		assert_int_equal(o.written, 2 * FILES * BLOCKS * BS);
		assert_int_equal(o.sync_lat.n, 2 * FILES); /* each call counts */
		for (unsigned f = 0; f < 2 * FILES; f++) {
			for (uint64_t b = 0; b < BLOCKS + 4; b++)
				assert_int_equal(holds_data(fds[f], b), b >= 2 && b < BLOCKS + 2);
			close(fds[f]);
		}
		outcome_release(&o);
	}
}

/* All jobs have the same files: so many descriptors and no more. */
static void shared_by_all_jobs(void **state)
{
	struct job j = files_job("psync", RW_READ);
	int fds[FILES];
	struct run_request r = {.job = &j, .fds = fds, .nfds = FILES, .target_name = "T"};
	struct outcome o;

	(void)state;
	for (unsigned f = 0; f < FILES; f++)
		fds[f] = temporary(BLOCKS * BS);
	j.numjobs = 4;
	run_with(&r, NULL, &o);
	assert_int_equal(o.status, OUTCOME_OK);
	assert_int_equal(o.dir[DIR_READ].ios, 4 * FILES * BLOCKS);
	outcome_release(&o);
	/* what is short is named: the last block of the second file is not there */
	assert_int_equal(ftruncate(fds[1], (BLOCKS - 1) * BS), 0);
	run_with(&r, NULL, &o);
	assert_int_equal(o.status, OUTCOME_IO_ERROR);
	assert_non_null(strstr(o.text, "of file 2 of 3 in 'T' failed: end of the target"));
	assert_int_equal(o.error_offset, (BLOCKS - 1) * BS);
	outcome_release(&o);
	r.nfds = FILES - 1;
	run_with(&r, NULL, &o);
	assert_int_equal(o.status, OUTCOME_SETUP);
	assert_non_null(strstr(o.text, "has no descriptor (2 given)"));
	outcome_release(&o);
	for (unsigned f = 0; f < FILES; f++)
		close(fds[f]);
}

/* The first failed sync is the error of the run, also when the other files could be synced. */
static void every_file_is_synced(void **state)
{
	struct job j = files_job("psync", RW_WRITE);
	int fds[FILES] = {temporary(0), open("/dev/null", O_RDWR | O_CLOEXEC), temporary(0)};
	struct run_request r = {.job = &j, .fds = fds, .nfds = FILES, .target_name = "T"};
	struct outcome o;

	(void)state;
	assert_true(fds[1] >= 0);
	j.end_fsync = true;
	run_with(&r, NULL, &o);
	assert_int_equal(o.status, OUTCOME_IO_ERROR);
	assert_int_equal(o.sys, EINVAL);
	assert_non_null(strstr(o.text, "fsync of file 2 of 3 in 'T' failed"));
	outcome_release(&o);
	/* without a sync /dev/null takes what it gets */
	j.end_fsync = false;
	run_with(&r, NULL, &o);
	assert_int_equal(o.status, OUTCOME_OK);
	outcome_release(&o);
	for (unsigned f = 0; f < FILES; f++)
		close(fds[f]);
}

/* Calls of sync words, on the virtual clock: each as long as the device says, each counted. */
static void syncs_are_counted_each(void **state)
{
	struct job j = sized(sim_job("lat=1ms,sync=7ms"), RW_WRITE, 12 * BS, 2);
	struct outcome o;

	(void)state;
	j.nrfiles = 4;
	j.fsync = 6;
	j.end_fsync = true;
	run_ok(&j, INJECT_NONE, &o);
	assert_int_equal(o.dir[DIR_WRITE].ios, 24);
	assert_int_equal(o.sync_lat.n, 4 * (24 / 6 + 1));
	assert_int_equal(o.sync_lat.min, 7 * NS_PER_MS);
	assert_int_equal(o.sync_lat.max, 7 * NS_PER_MS);
	assert_int_equal(o.window, 24 * NS_PER_MS + 20 * 7 * NS_PER_MS);
	outcome_release(&o);
}

static void descriptors_run_out(void **state)
{
	struct job j = files_job("psync", RW_READ);
	int fd = temporary(BLOCKS * BS), fds[200];
	struct run_request r = {.job = &j, .fds = fds, .nfds = 200, .target_name = "T"};
	struct rlimit old, low;
	struct outcome o;

	(void)state;
	for (unsigned i = 0; i < 200; i++)
		fds[i] = fd;
	j.nrfiles = 200;
	j.size = 200 * BS;
	assert_int_equal(getrlimit(RLIMIT_NOFILE, &old), 0);
	low = old;
	low.rlim_cur = 100;
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &low), 0);
	run_with(&r, NULL, &o);
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &old), 0);
	assert_int_equal(o.status, OUTCOME_SETUP);
	assert_int_equal(o.sys, EMFILE);
	assert_non_null(strstr(o.text, "RLIMIT_NOFILE"));
	outcome_release(&o);
	close(fd);
}

static void make_task(struct task *k, const struct job *j, const struct run_request *r)
{
	*k = (struct task){.job = j, .req = r, .index = 1};
	task_patterns(k);
	assert_int_equal(k->npatterns, job_nrfiles(j));
	assert_int_equal(k->region, job_file_size(j));
}

/* The order of fio's roundrobin: file 0, 1, 2, 0 ..., each with a position of its own. */
static void files_take_turns(void **state)
{
	struct job j = files_job("sim", RW_READ);
	struct run_request r = {.job = &j, .seed = 3};
	struct task k;

	(void)state;
	j.offset = 5 * BS;
	make_task(&k, &j, &r);
	for (unsigned i = 0; i < 2 * FILES * BLOCKS; i++) {
		struct io io = {0};
		enum io_dir dir;
		uint64_t pass;

		pattern_next(task_next_file(&k, &io), &dir, &io.offset, &pass);
		assert_int_equal(io.fd, i % FILES);
		assert_int_equal(io.offset, (5 + i / FILES % BLOCKS) * BS);
		assert_int_equal(pass, i / (FILES * BLOCKS));
	}
	task_close_files(&k);
}

/* A random pass visits each block of each file once, in another order in each of them. */
static void random_map_of_each_file(void **state)
{
	struct job j = files_job("sim", RW_RANDREAD);
	struct run_request r = {.job = &j, .seed = 3};
	unsigned seen[FILES][BLOCKS] = {0}, order[FILES][BLOCKS], same = 0;
	struct task k;

	(void)state;
	make_task(&k, &j, &r);
	for (unsigned i = 0; i < FILES * BLOCKS; i++) {
		struct io io = {0};
		enum io_dir dir;
		uint64_t pass;

		pattern_next(task_next_file(&k, &io), &dir, &io.offset, &pass);
		assert_true(io.offset < BLOCKS * BS);
		seen[io.fd][io.offset / BS]++;
		order[io.fd][i / FILES] = (unsigned)(io.offset / BS);
	}
	for (unsigned f = 0; f < FILES; f++)
		for (unsigned b = 0; b < BLOCKS; b++)
			assert_int_equal(seen[f][b], 1);
	for (unsigned b = 0; b < BLOCKS; b++)
		same += order[0][b] == order[1][b];
	assert_true(same < BLOCKS);
	task_close_files(&k);
}

/* Blocks of several sizes end the files at different times: one that is through is passed over, so
 * that the others are done in full. */
static void a_file_that_is_through_is_passed_over(void **state)
{
	struct job j = sized(sim_job(""), RW_READ, FILES * 64 * BS, 2);
	struct run_request r = {.job = &j, .seed = 9};
	uint64_t bytes[FILES] = {0}, left;
	struct task k;

	(void)state;
	j.bssplit = "4096/70:32768/30";
	j.nrfiles = FILES;
	make_task(&k, &j, &r);
	k.passes = j.loops;
	left = FILES * 64 * j.loops;
	while (left) {
		struct io io = {0};
		enum io_dir dir;
		uint64_t pass;
		struct pattern *p = task_next_file(&k, &io);

		pattern_next(p, &dir, &io.offset, &pass);
		assert_true(pass < j.loops);
		assert_true(io.offset + p->len <= 64 * BS);
		bytes[io.fd] += p->len;
		assert_true(p->units <= left);
		left -= p->units;
	}
	for (unsigned f = 0; f < FILES; f++)
		assert_int_equal(bytes[f], 2 * 64 * BS);
	task_close_files(&k);
}

/* The same in the loop: what a run bound by size did is all of it, whatever the ramp did before. */
static void all_of_the_size(void **state)
{
	struct job j = sized(deep(sim_job("lat=1ms"), 4), RW_WRITE, FILES * 64 * BS, 3);
	struct outcome o;

	(void)state;
	j.nrfiles = FILES;
	j.ramp_time = 30 * NS_PER_MS;
	run_ok(&j, INJECT_NONE, &o);
	assert_int_equal(o.dir[DIR_WRITE].ios, 3 * FILES * 64);
	outcome_release(&o);
	j.bssplit = "4096/70:32768/30";
	run_ok(&j, INJECT_NONE, &o);
	assert_int_equal(o.dir[DIR_WRITE].bytes, 3 * FILES * 64 * BS);
	outcome_release(&o);
	/* a share that is no whole number of blocks is rounded down in each file */
	j.bssplit = "";
	j.size = FILES * 10 * BS + BS;
	run_ok(&j, INJECT_NONE, &o);
	assert_int_equal(o.dir[DIR_WRITE].ios, 3 * FILES * 10);
	outcome_release(&o);
	j.size = FILES * BS - 1;
	run_not(&j, OUTCOME_SETUP, "a region of 0 bytes holds no block of 4096", NULL, &o);
	outcome_release(&o);
}

/* Without the cost of making one: all but the seed is that of the first. */
static void like_another_pattern(void **state)
{
	static const char *const dists[] = {"", "zipf:1.2", "pareto:0.3", "normal:10"};

	(void)state;
	for (unsigned i = 0; i < 8; i++) {
		struct job j = files_job("sim", i < 4 ? RW_RANDRW : RW_RANDREAD);
		struct pattern first, made, like;

		j.size = 3 * 500 * BS;
		j.random_distribution = dists[i % 4];
		j.bssplit = i > 5 ? "4096/60:8192/40" : "";
		j.norandommap = i > 5;
		pattern_init(&first, &j, 2, 7);
		for (unsigned n = 0; n < 33; n++) {
			enum io_dir dir;
			uint64_t offset, pass;

			pattern_next(&first, &dir, &offset, &pass);
		}
		pattern_init(&made, &j, 2, 8);
		pattern_init_like(&like, &first, 2, 8);
		for (unsigned n = 0; n < 1500; n++) {
			enum io_dir dir[2];
			uint64_t offset[2], pass[2];

			pattern_next(&made, &dir[0], &offset[0], &pass[0]);
			pattern_next(&like, &dir[1], &offset[1], &pass[1]);
			assert_int_equal(dir[0], dir[1]);
			assert_int_equal(offset[0], offset[1]);
			assert_int_equal(pass[0], pass[1]);
			assert_int_equal(made.len, like.len);
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_file_is_written),
		cmocka_unit_test(shared_by_all_jobs),
		cmocka_unit_test(every_file_is_synced),
		cmocka_unit_test(syncs_are_counted_each),
		cmocka_unit_test(descriptors_run_out),
		cmocka_unit_test(files_take_turns),
		cmocka_unit_test(random_map_of_each_file),
		cmocka_unit_test(a_file_that_is_through_is_passed_over),
		cmocka_unit_test(all_of_the_size),
		cmocka_unit_test(like_another_pattern),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
