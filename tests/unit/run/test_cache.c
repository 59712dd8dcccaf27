/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Dropping the page cache, and that a drop which did not happen is seen. A memory file stands for a
 * file system whose pages stay. */
#include "helper.h"

#include "run/child.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/vfs.h>
#include <unistd.h>

#define PAGES 64u
#define TMPFS 0x01021994

static size_t page;

static int memory_file(uint64_t pages)
{
	int fd = memfd_create("blkgate-cache", MFD_CLOEXEC);
	uint8_t *data = calloc(1, page);

	assert_true(fd >= 0);
	memset(data, 7, page);
	for (uint64_t i = 0; i < pages; i++)
		assert_int_equal(pwrite(fd, data, page, (off_t)(i * page)), page);
	free(data);
	return fd;
}

static int setup(void **state)
{
	struct cache_look c = {0};
	int fd;

	(void)state;
	page = (size_t)sysconf(_SC_PAGESIZE);
	fd = memory_file(1);
	cache_look(fd, 0, page, &c);
	close(fd);
	if (c.sys) {
		print_message("skip: mincore does not tell what is in memory here (%s)\n",
			      strerror(c.sys));
		return -1;
	}
	return 0;
}

static void counts_pages(void **state)
{
	int fd = memory_file(PAGES);
	struct cache_look c = {0};

	(void)state;
	cache_look(fd, 0, PAGES * page, &c);
	assert_int_equal(c.sys, 0);
	assert_int_equal(c.seen, PAGES);
	assert_int_equal(c.left, PAGES);
	cache_look(fd, 2 * page + 512, 2 * page, &c); /* touches three, and adds */
	assert_int_equal(c.seen, PAGES + 3);
	assert_int_equal(c.left, PAGES + 3);
	/* Samples of what is large, its two ends among them. */
	const uint64_t large = 5ULL << 30;

	assert_int_equal(ftruncate(fd, (off_t)large), 0);
	assert_int_equal(pwrite(fd, "x", 1, (off_t)(large - 1)), 1);
	c = (struct cache_look){0};
	cache_look(fd, 0, large, &c);
	assert_int_equal(c.sys, 0);
	assert_int_equal(c.seen, (1ULL << 30) / page);
	assert_int_equal(c.left, PAGES + 1);
	close(fd);
}

static void no_answer_is_not_a_good_answer(void **state)
{
	struct cache_look c = {0};
	int p[2];

	(void)state;
	cache_look(-1, 0, 4096, &c);
	assert_int_equal(c.sys, EBADF);
	c = (struct cache_look){0};
	assert_int_equal(pipe2(p, O_CLOEXEC), 0);
	cache_look(p[0], 0, 4096, &c); /* has no page cache */
	assert_int_equal(c.sys, 0);
	assert_int_equal(c.left, 0);
	struct err e = ERR_INIT;

	/* and nothing to drop; the kernel's answer is not swallowed */
	assert_int_equal(run_invalidate(p[0], "P", &e), ERR_MEASURE);
	assert_non_null(strstr(e.text, "'P'"));
	close(p[0]);
	close(p[1]);
}

static void run_on(const struct job *j, int fd, struct outcome *o)
{
	struct run_request r = {.job = j, .fds = &fd, .nfds = 1, .target_name = "T", .seed = 4};

	run_with(&r, NULL, o);
}

static void cached_reads_are_no_measurement(void **state)
{
	static const struct {
		enum job_rw rw;
		bool invalidate, direct_auto, ok, noted;
	} rows[] = {
		{RW_READ, true, false, false, false}, {RW_RANDRW, true, false, false, false},
		{RW_READ, true, true, true, true},    /* the suite left the way open */
		{RW_READ, false, false, true, false}, /* asked for */
		{RW_WRITE, true, false, true, false},
	};
	int fd = memory_file(PAGES);

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct job j = sized(sim_job(""), rows[i].rw, PAGES * page, 1);
		struct outcome o;
		char note[64];

		j.ioengine = "psync";
		j.bs = (uint32_t)page;
		j.invalidate = rows[i].invalidate;
		j.direct_auto = rows[i].direct_auto;
		run_on(&j, fd, &o);
		assert_int_equal(o.status, rows[i].ok ? OUTCOME_OK : OUTCOME_SETUP);
		if (!rows[i].ok) {
			assert_non_null(strstr(o.text, "'T' through the page cache"));
			assert_non_null(strstr(o.text, "64 of 64 pages"));
			assert_non_null(strstr(o.text, "invalidate: false"));
		}
		snprintf(note, sizeof(note), "%u of %u pages looked at stayed in the page cache",
			 PAGES, PAGES);
		assert_string_equal(o.notes, rows[i].noted ? note : "");
		outcome_release(&o);
	}
	close(fd);
}

/* Where it works there is nothing to say. */
static void dropped_pages_are_gone(void **state)
{
	const char *dir = getenv("TMPDIR");
	struct cache_look c = {0};
	struct statfs fs;
	struct outcome o;
	char path[256];

	(void)state;
	snprintf(path, sizeof(path), "%s/blkgate-cache-XXXXXX", dir && *dir ? dir : "/tmp");
	int fd = mkostemp(path, O_CLOEXEC);

	assert_true(fd >= 0);
	unlink(path);
	if (fstatfs(fd, &fs) || fs.f_type == TMPFS) {
		close(fd);
		print_message("skip: the folder for temporary files is a tmpfs\n");
		skip();
	}
	uint64_t written;
	struct err e = ERR_INIT;
	bool lost = true;
	const uint64_t size = 4 << 20;
	struct job j = sized(sim_job(""), RW_READ, size, 1);

	assert_int_equal(run_layout(fd, size, 1, true, "T", NULL, &written, &lost, &e), 0);
	assert_false(lost);
	cache_look(fd, 0, size, &c);
	assert_true(c.left > 0); /* kept, as asked */
	j.ioengine = "psync";
	j.invalidate = true;
	run_on(&j, fd, &o);
	if (o.status != OUTCOME_OK)
		fail_msg("%s", o.text);
	assert_string_equal(o.notes, "");
	outcome_release(&o);
	/* Pages that somebody has mapped cannot be dropped. */
	void *p = mmap(NULL, size, PROT_READ, MAP_SHARED | MAP_POPULATE, fd, 0);

	assert_true(p != MAP_FAILED);
	run_on(&j, fd, &o);
	assert_int_equal(o.status, OUTCOME_SETUP);
	assert_non_null(strstr(o.text, "could not be dropped"));
	munmap(p, size);
	outcome_release(&o);
	close(fd);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(counts_pages),
		cmocka_unit_test(cached_reads_are_no_measurement),
		cmocka_unit_test(dropped_pages_are_gone),
	};
	const struct CMUnitTest always[] = {cmocka_unit_test(no_answer_is_not_a_good_answer)};
	int bad = cmocka_run_group_tests(always, NULL, NULL);

	return setup(NULL) ? bad : bad + cmocka_run_group_tests(tests, NULL, NULL);
}
