/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Real engines on a temporary file: what is on the disk afterwards, and how real errors read. */
#include "helper.h"

#include "engines/engine.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

static const char *const engines[] = {"psync", "pvsync2", "libaio", "io_uring", "posixaio"};
#define NENGINES (sizeof(engines) / sizeof(engines[0]))

static int temporary(void)
{
	const char *dir = getenv("TMPDIR");
	char path[256];

	snprintf(path, sizeof(path), "%s/blkgate-run-XXXXXX", dir && *dir ? dir : "/tmp");
	int fd = mkostemp(path, O_CLOEXEC);

	assert_true(fd >= 0);
	unlink(path);
	return fd;
}

static bool usable(const char *name)
{
	const struct engine *g = engine_find(name);
	struct err e = ERR_INIT;

#ifdef __SANITIZE_THREAD__
	/* With two descriptors a thread of glibc's own starts another one, and TSan, which does not
	 * know the first, dies in the calloc() of that. */
	if (strcmp(name, "posixaio") == 0) {
		print_message("skip: the threads of posixaio are glibc's, and unknown to TSan\n");
		return false;
	}
#endif
	if (g && engine_probe(g, &e) == 0)
		return true;
	print_message("skip: %s\n", g ? e.text : name);
	return false;
}

static struct job file_job(const char *engine, enum job_rw rw, uint64_t size)
{
	struct job j = sized(deep(sim_job(""), 8), rw, size, 1);

	j.ioengine = engine;
	return j;
}

static void run_on(const struct job *j, int fd, struct outcome *o)
{
	struct run_request r = {.job = j, .fds = &fd, .nfds = 1, .target_name = "T", .seed = 4};

	run_with(&r, NULL, o);
}

static void ok_on(const struct job *j, int fd, struct outcome *o)
{
	run_on(j, fd, o);
	if (o->status != OUTCOME_OK)
		fail_msg("%s: %s", j->ioengine, o->text);
}

/* Blocks of 4096 bytes in [from, to) that hold data and not zeros. */
static unsigned filled(int fd, uint64_t from, uint64_t to)
{
	unsigned n = 0;

	for (; from < to; from += 4096) {
		uint64_t block[512];
		unsigned zero = 0;

		assert_int_equal(pread(fd, block, sizeof(block), (off_t)from), sizeof(block));
		for (unsigned i = 0; i < 512; i++)
			zero += block[i] == 0;
		n += zero == 0;
	}
	return n;
}

static void each_block_is_written(void **state)
{
	static const enum job_rw modes[] = {RW_WRITE, RW_RANDWRITE};

	(void)state;
	for (size_t i = 0; i < NENGINES; i++) {
		if (!usable(engines[i]))
			continue;
		for (size_t m = 0; m < 2; m++) {
			int fd = temporary();
			struct job j = file_job(engines[i], modes[m], 100 * 4096);
			struct outcome o;

			assert_int_equal(ftruncate(fd, 140 * 4096), 0);
			j.offset = 20 * 4096;
			j.numjobs = 2;
			j.end_fsync = true;
			j.fdatasync = 30;
			j.invalidate = true;
			ok_on(&j, fd, &o);
			assert_int_equal(o.dir[DIR_WRITE].ios, 200);
			assert_int_equal(o.written, 200 * 4096);
			assert_int_equal(o.sync_lat.n, 2 * (3 + 1));
			bool queued = !(engine_find(engines[i])->caps & ENGINE_SYNC);

			assert_int_equal(o.has_slat, queued);
			assert_int_equal(o.dir[DIR_WRITE].slat.n, queued ? 200 : 0);
			assert_int_equal(o.dir[DIR_WRITE].clat.n, 200);
			if (!queued) /* depth-1: it is seen */
				assert_true(outcome_depth(&o, j.numjobs, 32) <= 1);
			assert_true(o.dir[DIR_WRITE].lat.min > 0);
			/* of two threads alike, once */
			const char *how = strstr(o.notes, "engine: io_uring set up with");

			assert_int_equal(how != NULL, !strcmp(engines[i], "io_uring"));
			assert_null(how ? strstr(how + 1, "engine: ") : NULL);
			assert_int_equal(filled(fd, 0, 20 * 4096), 0);
			assert_int_equal(filled(fd, 20 * 4096, 120 * 4096), 100);
			assert_int_equal(filled(fd, 120 * 4096, 140 * 4096), 0);
			outcome_release(&o);
			close(fd);
		}
	}
}

static void one_file_a_thread(void **state)
{
	int fds[] = {temporary(), temporary()};
	struct job j = file_job("psync", RW_WRITE, 10 * 4096);
	struct run_request r = {.job = &j, .fds = fds, .nfds = 2, .target_name = "T"};
	struct outcome o;

	(void)state;
	j.numjobs = 2;
	j.files = FILES_PER_JOB;
	run_with(&r, NULL, &o);
	assert_int_equal(o.status, OUTCOME_OK);
	for (int i = 0; i < 2; i++) {
		assert_int_equal(filled(fds[i], 0, 10 * 4096), 10);
		close(fds[i]);
	}
	outcome_release(&o);
}

static void reads_to_the_end_only(void **state)
{
	(void)state;
	for (size_t i = 0; i < NENGINES; i++) {
		if (!usable(engines[i]))
			continue;
		int fd = temporary();
		struct job j = file_job(engines[i], RW_READ, 32 * 4096);
		struct outcome o;

		assert_int_equal(ftruncate(fd, 32 * 4096), 0);
		ok_on(&j, fd, &o);
		assert_int_equal(o.dir[DIR_READ].bytes, 32 * 4096);
		outcome_release(&o);
		/* The last block is short by half: its second part meets the end. */
		assert_int_equal(ftruncate(fd, 31 * 4096 + 2048), 0);
		run_on(&j, fd, &o);
		assert_int_equal(o.status, OUTCOME_IO_ERROR);
		assert_non_null(strstr(o.text, "end of the target"));
		assert_int_equal(o.error_offset, 31 * 4096 + 2048);
		outcome_release(&o);
		close(fd);
	}
}

static void opened_read_only_for_reading(void **state)
{
	char path[64];
	int fd = temporary();

	(void)state;
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	int ro = open(path, O_RDONLY | O_CLOEXEC);
	struct job j = file_job("psync", RW_READ, 4096);
	struct outcome o;

	assert_int_equal(ftruncate(fd, 4096), 0);
	ok_on(&j, ro, &o);
	outcome_release(&o);
	close(ro);
	close(fd);
	run_on(&j, 999, &o);
	assert_int_equal(o.status, OUTCOME_SETUP);
	assert_non_null(strstr(o.text, "cannot open 'T' again for reading"));
	outcome_release(&o);
}

/* space-1, direct-io */
static void full_device(void **state)
{
	int fd = open("/dev/full", O_RDWR | O_CLOEXEC);
	struct job j = file_job("psync", RW_WRITE, 10 * 4096);
	struct outcome o;

	(void)state;
	if (fd < 0) {
		print_message("skip: /dev/full cannot be opened\n");
		skip();
	}
	run_on(&j, fd, &o);
	assert_int_equal(o.status, OUTCOME_IO_ERROR);
	assert_int_equal(o.sys, ENOSPC);
	assert_string_equal(o.text, "write of 4096 bytes at offset 0 of 'T' failed: "
				    "No space left on device");
	outcome_release(&o);
	j.direct = true;
	run_on(&j, fd, &o);
	assert_int_equal(o.status, OUTCOME_SETUP);
	assert_non_null(strstr(o.text, "O_DIRECT refused by the file system of 'T'"));
	outcome_release(&o);
	close(fd);
}

/* The error of one thread ends the others: the second file is shorter than the region. */
static void one_thread_fails(void **state)
{
	int fds[] = {temporary(), temporary()};
	struct job j = file_job("psync", RW_READ, 10000 * 4096);
	struct run_request r = {.job = &j, .fds = fds, .nfds = 2, .target_name = "T"};
	struct outcome o;

	(void)state;
	assert_int_equal(ftruncate(fds[0], 10000 * 4096), 0);
	assert_int_equal(ftruncate(fds[1], 9999 * 4096), 0);
	j.numjobs = 2;
	j.files = FILES_PER_JOB;
	j.time_based = true;
	j.runtime = 30 * NS_PER_SEC;
	run_with(&r, NULL, &o);
	assert_int_equal(o.status, OUTCOME_IO_ERROR);
	assert_int_equal(o.error_offset, 9999 * 4096);
	assert_true(o.wall < j.runtime);
	close(fds[0]);
	close(fds[1]);
	outcome_release(&o);
}

static void limit_file_size(rlim_t bytes, struct rlimit *old)
{
	struct rlimit l;

	getrlimit(RLIMIT_FSIZE, old);
	l = *old;
	l.rlim_cur = bytes;
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &l), 0);
}

static void beyond_the_file_size_limit(void **state)
{
	struct job j = file_job("psync", RW_WRITE, 10 * 4096);
	int fd = temporary();
	struct rlimit old;
	struct outcome o;
	uint64_t written;
	struct err e = ERR_INIT;

	(void)state;
	limit_file_size(5 * 4096, &old);
	run_on(&j, fd, &o);
	int rc = run_layout(fd, 3 << 20, 1, false, "T", NULL, &written, NULL, &e);

	setrlimit(RLIMIT_FSIZE, &old);
	assert_int_equal(o.status, OUTCOME_IO_ERROR);
	assert_int_equal(o.sys, EFBIG);
	assert_int_equal(o.error_offset, 5 * 4096);
	outcome_release(&o);
	assert_int_equal(rc, ERR_MEASURE);
	assert_int_equal(e.sys, EFBIG);
	assert_non_null(strstr(e.hint, "RLIMIT_FSIZE"));
	close(fd);
}

static void layout_writes_data(void **state)
{
	const uint64_t size = (2 << 20) + 3 * 4096; /* with a tail */
	int a = temporary(), b = temporary();
	struct err e = ERR_INIT;
	uint64_t written = 0;
	uint8_t *x = malloc(size), *y = malloc(size);

	(void)state;
	assert_int_equal(run_layout(a, size, 7, false, "A", NULL, &written, NULL, &e), 0);
	assert_int_equal(written, size);
	assert_int_equal(run_layout(b, size, 7, false, "B", NULL, &written, NULL, &e), 0);
	assert_int_equal(lseek(a, 0, SEEK_END), size);
	assert_int_equal(filled(a, 0, size), size / 4096);
	assert_int_equal(pread(a, x, size, 0), size);
	assert_int_equal(pread(b, y, size, 0), size);
	assert_memory_equal(x, y, size);                    /* the seed decides */
	assert_memory_not_equal(x, x + (1 << 20), 1 << 20); /* no two blocks alike */
	assert_int_equal(run_layout(b, 0, 7, false, "B", NULL, &written, NULL, &e), 0);
	assert_int_equal(written, 0);
	free(x);
	free(y);
	close(a);
	close(b);
}

static void layout_failures(void **state)
{
	int fd = open("/dev/full", O_RDWR | O_CLOEXEC);
	volatile int stop = 1;
	struct run_options opt = {.stop = &stop};
	struct err e = ERR_INIT;
	uint64_t written = 1;

	(void)state;
	if (fd < 0) {
		print_message("skip: /dev/full cannot be opened\n");
		skip();
	}
	assert_int_equal(run_layout(fd, 1 << 20, 1, false, "full", NULL, &written, NULL, &e),
			 ERR_MEASURE);
	assert_int_equal(written, 0);
	assert_int_equal(e.sys, ENOSPC);
	assert_non_null(strstr(e.text, "layout of 'full' failed after 0 of 1048576 bytes: "
				       "No space left on device"));
	assert_non_null(strstr(e.hint, "free"));
	assert_int_equal(run_layout(fd, 1 << 20, 1, false, "full", &opt, &written, NULL, &e),
			 ERR_INTR);
	close(fd);
}

static void invalidate_answers(void **state)
{
	int fd = temporary();
	struct err e = ERR_INIT;

	(void)state;
	assert_int_equal(write(fd, "x", 1), 1);
	assert_int_equal(run_invalidate(fd, "T", &e), 0);
	close(fd);
	assert_int_equal(run_invalidate(fd, "T", &e), ERR_MEASURE);
	assert_non_null(strstr(e.text, "'T'"));
}

static void stop_and_continue(void *arg, const struct run_progress *p)
{
	char path[64];
	int pid = 0;

	snprintf(path, sizeof(path), "/proc/self/task/%d/children", (int)getpid());
	FILE *f = fopen(path, "re");

	if (f && fscanf(f, "%d", &pid) == 1 && kill(pid, SIGSTOP) == 0 && kill(pid, SIGCONT) == 0)
		++*(unsigned *)arg;
	if (f)
		fclose(f);
	assert_true(p->expected == 350 * NS_PER_MS);
}

/* interrupt-1: a debugger's stop and continue is no error, and nothing is submitted twice. */
static void stop_continue_is_no_error(void **state)
{
	(void)state;
	for (size_t i = 0; i < NENGINES; i++) {
		if (!usable(engines[i]))
			continue;
		int fd = temporary();
		unsigned hits = 0;
		struct job j = file_job(engines[i], RW_RANDREAD, 64 * 4096);
		struct run_request r = {.job = &j, .fds = &fd, .nfds = 1, .target_name = "T"};
		struct run_options opt = {.progress = stop_and_continue, .arg = &hits};
		struct outcome o;

		assert_int_equal(ftruncate(fd, 64 * 4096), 0);
		j.runtime = 350 * NS_PER_MS;
		j.time_based = true;
		j.rate_iops = 500;
		run_with(&r, &opt, &o);
		if (o.status != OUTCOME_OK)
			fail_msg("%s: %s", engines[i], o.text);
		assert_int_equal(o.dir[DIR_READ].issued, o.dir[DIR_READ].lat.n);
		assert_in_range(o.dir[DIR_READ].issued, 1, 175);
		assert_int_equal(o.window, 350 * NS_PER_MS);
		outcome_release(&o);
		close(fd);
	}
}

/* The kernel's answer to a page that is gone is a signal; to the runner it is an I/O with its
 * place. */
static void lost_page_of_a_mapping(void **state)
{
	int fd = temporary();
	struct job j = file_job("mmap", RW_WRITE, 32 * 4096);
	struct outcome o;

	(void)state;
	j.end_fsync = true;
	assert_int_equal(ftruncate(fd, 32 * 4096), 0);
	ok_on(&j, fd, &o);
	assert_int_equal(o.written, 32 * 4096);
	assert_int_equal(filled(fd, 0, 32 * 4096), 32);
	outcome_release(&o);
	/* A write cannot make the file longer. */
	assert_int_equal(ftruncate(fd, 31 * 4096), 0);
	run_on(&j, fd, &o);
	assert_int_equal(o.status, OUTCOME_IO_ERROR);
	assert_int_equal(o.sys, EFBIG);
	assert_int_equal(o.error_offset, 31 * 4096);
	outcome_release(&o);
	close(fd);
}

/* A whole file system that fills up behind a hole, or a cut file, is a SIGBUS: another process cuts
 * it while the job reads. */
static void file_cut_under_a_mapping(void **state)
{
	int fd = temporary();
	struct job j = file_job("mmap", RW_READ, 32 * 4096);
	struct outcome o;

	(void)state;
	j.time_based = true;
	j.runtime = 30 * NS_PER_SEC;
	assert_int_equal(ftruncate(fd, 32 * 4096), 0);
	pid_t pid = fork();

	assert_true(pid >= 0);
	if (pid == 0) {
		/* not before the mapping is there: reads behind the end would be short instead */
		clock_sleep_until(clock_now() + 300 * NS_PER_MS);
		_exit(ftruncate(fd, 16 * 4096) ? 1 : 0);
	}
	run_on(&j, fd, &o);
	waitpid(pid, NULL, 0);
	assert_int_equal(o.status, OUTCOME_IO_ERROR);
	assert_true(o.sys == EIO || o.sys == ENODATA);
	assert_true(o.error_offset >= 16 * 4096);
	outcome_release(&o);
	close(fd);
}

/* What had to wait is counted and noted: a page that is not in the cache. */
static void nowait_is_noted(void **state)
{
	int fd = temporary();
	struct job j = file_job("pvsync2", RW_READ, 64 * 4096);
	char block[4096];
	struct outcome o;

	(void)state;
	memset(block, 7, sizeof(block));
	for (unsigned i = 0; i < 64; i++)
		assert_int_equal(pwrite(fd, block, sizeof(block), i * 4096), sizeof(block));
	j.nowait = j.invalidate = true;
	run_on(&j, fd, &o);
	if (o.status == OUTCOME_OK) {
		assert_int_equal(o.dir[DIR_READ].bytes, 64 * 4096);
		/* tmpfs has nothing to wait for, and a fast device may have read ahead in time */
		if (!strstr(o.notes, "would have blocked"))
			print_message("skip in part: no read had to wait (%s)\n", o.notes);
	} else {
		assert_int_equal(o.sys, EOPNOTSUPP);
		assert_non_null(strstr(o.text, "nowait"));
	}
	outcome_release(&o);
	close(fd);
}

static void words_of_another_engine(void **state)
{
	int fd = temporary();
	struct job j = file_job("psync", RW_READ, 4096);
	struct outcome o;

	(void)state;
	assert_int_equal(ftruncate(fd, 4096), 0);
	j.fixedbufs = true;
	run_on(&j, fd, &o);
	assert_int_equal(o.status, OUTCOME_SETUP);
	assert_non_null(strstr(o.text, "\"psync\" has no fixedbufs"));
	outcome_release(&o);
	if (usable("io_uring")) {
		j.ioengine = "io_uring";
		j.registerfiles = true;
		ok_on(&j, fd, &o);
		assert_non_null(strstr(o.notes, "fixed buffers, registered files"));
		outcome_release(&o);
	}
	close(fd);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_block_is_written),
		cmocka_unit_test(one_file_a_thread),
		cmocka_unit_test(reads_to_the_end_only),
		cmocka_unit_test(opened_read_only_for_reading),
		cmocka_unit_test(full_device),
		cmocka_unit_test(one_thread_fails),
		cmocka_unit_test(beyond_the_file_size_limit),
		cmocka_unit_test(layout_writes_data),
		cmocka_unit_test(layout_failures),
		cmocka_unit_test(invalidate_answers),
		cmocka_unit_test(stop_continue_is_no_error),
		cmocka_unit_test(lost_page_of_a_mapping),
		cmocka_unit_test(file_cut_under_a_mapping),
		cmocka_unit_test(nowait_is_noted),
		cmocka_unit_test(words_of_another_engine),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
