/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "base/fileio.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <signal.h>
#include <unistd.h>

/* Each test has a folder of its own as working directory, emptied afterwards. */
static int enter_folder(void **state)
{
	const char *tmp = getenv("TMPDIR");
	char *dir = xasprintf("%s/blkgate-fileio-XXXXXX", tmp ? tmp : "/tmp");

	*state = dir;
	return mkdtemp(dir) && chdir(dir) == 0 ? 0 : -1;
}

static int leave_folder(void **state)
{
	char **names;
	size_t n;
	struct err e;

	chmod(".", 0700);
	if (file_list(".", NULL, &names, &n, &e) == 0) {
		for (size_t i = 0; i < n; i++)
			remove(names[i]);
		file_list_free(names, n);
	}
	int ret = chdir("/") || rmdir(*state);

	free(*state);
	return ret;
}

static void assert_holds(const char *path, const char *want)
{
	struct err e = ERR_INIT;
	struct str s;

	str_init(&s);
	if (file_read(path, 0, &s, &e) != 0)
		fail_msg("%s", e.text);
	assert_string_equal(s.s, want);
	str_release(&s);
}

static void assert_files(size_t want)
{
	char **names;
	size_t n;
	struct err e = ERR_INIT;

	assert_int_equal(file_list(".", NULL, &names, &n, &e), 0);
	assert_int_equal(n, want);
	file_list_free(names, n);
}

static int put(const char *path, const char *text, struct err *e)
{
	return file_write(path, text, strlen(text), e);
}

static void a_file_is_made_and_replaced(void **state)
{
	struct err e = ERR_INIT;
	struct stat st;
	mode_t old = umask(027);

	(void)state;
	assert_int_equal(put("r.json", "one", &e), 0);
	assert_holds("r.json", "one");
	assert_int_equal(stat("r.json", &st), 0);
	assert_int_equal(st.st_mode & 0777, 0640);
	assert_int_equal(chmod("r.json", 0604), 0);
	ino_t before = st.st_ino;

	assert_int_equal(put("r.json", "", &e), 0);
	assert_holds("r.json", "");
	assert_int_equal(stat("r.json", &st), 0);
	assert_int_equal(st.st_mode & 0777, 0604);
	assert_true(st.st_ino !=
		    before); /* replaced, not rewritten: a reader of the old sees it whole */
	assert_files(1);
	umask(old);
}

static void a_link_stays_and_its_file_is_replaced(void **state)
{
	struct err e = ERR_INIT;
	struct stat st;

	(void)state;
	assert_int_equal(mkdir("sub", 0777), 0);
	assert_int_equal(symlink("sub/real", "link"), 0);
	assert_int_equal(symlink("../link", "sub/again"), 0);
	assert_int_equal(put("link", "first", &e), 0); /* dangling: the file it names is made */
	assert_holds("sub/real", "first");
	assert_int_equal(put("sub/again", "second", &e), 0);
	assert_holds("sub/real", "second");
	assert_int_equal(lstat("link", &st), 0);
	assert_true(S_ISLNK(st.st_mode));
	assert_int_equal(lstat("sub/again", &st), 0);
	assert_true(S_ISLNK(st.st_mode));
	assert_int_equal(symlink("loop", "loop"), 0);
	assert_int_equal(put("loop", "x", &e), ERR_OUTPUT);
	assert_int_equal(e.sys, ELOOP);
	unlink("sub/real");
	unlink("sub/again");
}

static void a_full_device_is_an_error_and_stays_a_device(void **state)
{
	struct err e = ERR_INIT;
	struct stat st;

	(void)state;
	assert_int_equal(put("/dev/full", "text", &e), ERR_OUTPUT);
	assert_int_equal(e.sys, ENOSPC);
	assert_non_null(strstr(e.text, "'/dev/full'"));
	assert_int_equal(stat("/dev/full", &st), 0);
	assert_true(S_ISCHR(st.st_mode));
	assert_int_equal(put("/dev/null", "text", &e), 0);
}

static void a_fifo_is_written_in_place(void **state)
{
	struct err e = ERR_INIT;
	char buf[16] = "";
	struct stat st;

	(void)state;
	assert_int_equal(mkfifo("pipe", 0600), 0);
	int fd = open("pipe", O_RDONLY | O_NONBLOCK);

	assert_true(fd >= 0);
	assert_int_equal(put("pipe", "document", &e), 0);
	assert_int_equal(read(fd, buf, sizeof(buf) - 1), 8);
	assert_string_equal(buf, "document");
	close(fd);
	assert_int_equal(lstat("pipe", &st), 0);
	assert_true(S_ISFIFO(st.st_mode));
}

/* "--json /dev/stdout >> all.json": the shell's file must keep what it had. */
static void a_descriptor_path_appends_to_the_file_behind_it(void **state)
{
	struct err e = ERR_INIT;
	char path[64];
	int fd = open("all.json", O_RDWR | O_CREAT | O_APPEND, 0600);

	(void)state;
	assert_true(fd >= 0);
	assert_int_equal(write(fd, "before ", 7), 7);
	snprintf(path, sizeof(path), "/dev/fd/%d", fd);
	if (access(path, W_OK) != 0) {
		close(fd);
		print_message("skipped: /dev/fd is not usable here\n");
		skip();
	}
	assert_int_equal(put(path, "document", &e), 0);
	assert_holds("all.json", "before document");
	close(fd);
}

static void a_failed_write_leaves_the_old_file_and_no_other(void **state)
{
	struct rlimit old, small = {.rlim_cur = 100, .rlim_max = RLIM_INFINITY};
	char *big = xcalloc(1, 100000);
	struct err e = ERR_INIT;

	(void)state;
	assert_int_equal(put("r.json", "old", &e), 0);
	assert_int_equal(getrlimit(RLIMIT_FSIZE, &old), 0);
	small.rlim_max = old.rlim_max;
	signal(SIGXFSZ, SIG_IGN);
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
	int ret = file_write("r.json", big, 100000, &e);

	setrlimit(RLIMIT_FSIZE, &old);
	assert_int_equal(ret, ERR_OUTPUT);
	assert_int_equal(e.sys, EFBIG);
	assert_holds("r.json", "old");
	assert_files(1);
	free(big);
}

static void an_unwritable_folder_is_named(void **state)
{
	struct err e = ERR_INIT;

	(void)state;
	assert_int_equal(put("absent/r.json", "x", &e), ERR_OUTPUT);
	assert_int_equal(e.sys, ENOENT);
	assert_int_equal(put(".", "x", &e), ERR_OUTPUT);
	assert_int_equal(e.sys, EISDIR);
	assert_int_equal(put("", "x", &e), ERR_OUTPUT);
	if (geteuid() == 0) {
		print_message("skipped in part: root may write into any folder\n");
		return;
	}
	assert_int_equal(chmod(".", 0500), 0);
	assert_int_equal(put("r.json", "x", &e), ERR_OUTPUT);
	assert_int_equal(e.sys, EACCES);
	assert_int_equal(chmod(".", 0700), 0);
	assert_files(0);
}

static void reading_is_bounded(void **state)
{
	struct err e = ERR_INIT;
	struct str s;

	(void)state;
	str_init(&s);
	assert_int_equal(put("f", "12345", &e), 0);
	assert_int_equal(file_read("f", 5, &s, &e), 0);
	assert_int_equal(s.len, 5);
	assert_int_equal(file_read("f", 4, &s, &e), ERR_DATA);
	assert_int_equal(e.sys, EFBIG);
	assert_non_null(strstr(e.hint, "4 bytes"));
	assert_int_equal(s.len, 0);
	assert_int_equal(file_read("/dev/zero", 100000, &s, &e), ERR_DATA);
	assert_int_equal(file_read(".", 0, &s, &e), ERR_DATA);
	assert_int_equal(e.sys, EISDIR);
	assert_int_equal(file_read("absent", 0, &s, &e), ERR_DATA);
	assert_int_equal(e.sys, ENOENT);
	/* st_size is 0 there */
	assert_int_equal(file_read("/proc/self/status", 0, &s, &e), 0);
	assert_true(s.len > 0);
	str_release(&s);
}

static void folders_are_made_and_listed(void **state)
{
	char **names;
	size_t n;
	struct err e = ERR_INIT;

	(void)state;
	assert_int_equal(file_mkdirs("a/b//c/", &e), 0);
	assert_int_equal(file_mkdirs("a/b/c", &e), 0);
	assert_int_equal(file_mkdirs("/", &e), 0);
	assert_int_equal(file_mkdirs("", &e), ERR_OUTPUT);
	assert_int_equal(put("a/b/c/z.json", "", &e), 0);
	assert_int_equal(put("a/b/c/B.json", "", &e), 0);
	assert_int_equal(put("a/b/c/a.txt", "", &e), 0);
	assert_int_equal(file_mkdirs("a/b/c/a.txt", &e), ERR_OUTPUT);
	assert_int_equal(e.sys, ENOTDIR);
	assert_int_equal(file_mkdirs("a/b/c/a.txt/d", &e), ERR_OUTPUT);
	assert_int_equal(file_list("a/b/c", ".json", &names, &n, &e), 0);
	assert_int_equal(n, 2);
	assert_string_equal(names[0], "B.json");
	assert_string_equal(names[1], "z.json");
	file_list_free(names, n);
	assert_int_equal(file_list("a/none", NULL, &names, &n, &e), 0);
	assert_int_equal(n, 0);
	file_list_free(names, n);
	assert_int_equal(file_list("a/b/c/a.txt", NULL, &names, &n, &e), ERR_DATA);
	assert_int_equal(e.sys, ENOTDIR);
	unlink("a/b/c/z.json");
	unlink("a/b/c/B.json");
	unlink("a/b/c/a.txt");
	rmdir("a/b/c");
	rmdir("a/b");
}

static void a_journal_grows_by_whole_lines(void **state)
{
	struct rlimit old, small;
	struct err e = ERR_INIT;
	struct journal j;
	char longer[4096];

	(void)state;
	memset(longer, 'x', sizeof(longer));
	assert_int_equal(put("journal", "from an older run", &e), 0);
	assert_int_equal(journal_open(&j, "journal", &e), 0);
	assert_int_equal(journal_add(&j, "{\"a\": 1}", 8, &e), 0);
	assert_int_equal(journal_add(&j, "{\"b\": 2}", 8, &e), 0);
	assert_holds("journal", "{\"a\": 1}\n{\"b\": 2}\n");
	assert_int_equal(journal_add(&j, "two\nlines", 9, &e), ERR_OUTPUT);

	/* No room: the half that was written is taken back, and the next record fits again. */
	assert_int_equal(getrlimit(RLIMIT_FSIZE, &old), 0);
	small = old;
	small.rlim_cur = 100;
	signal(SIGXFSZ, SIG_IGN);
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
	int ret = journal_add(&j, longer, sizeof(longer), &e);

	setrlimit(RLIMIT_FSIZE, &old);
	assert_int_equal(ret, ERR_OUTPUT);
	assert_int_equal(e.sys, EFBIG);
	assert_int_equal(journal_add(&j, "{\"c\": 3}", 8, &e), 0);
	assert_holds("journal", "{\"a\": 1}\n{\"b\": 2}\n{\"c\": 3}\n");
	journal_close(&j);
	journal_close(&j);

	/* Only a file of its own: no device, no fifo, and not what a link leads to. */
	assert_int_equal(journal_open(&j, "/dev/full", &e), ERR_OUTPUT);
	assert_int_equal(mkfifo("pipe", 0600), 0);
	assert_int_equal(journal_open(&j, "pipe", &e), ERR_OUTPUT);
	assert_int_equal(symlink("journal", "link"), 0);
	assert_int_equal(journal_open(&j, "link", &e), ERR_OUTPUT);
	assert_holds("journal", "{\"a\": 1}\n{\"b\": 2}\n{\"c\": 3}\n");
	assert_int_equal(journal_open(&j, "absent/journal", &e), ERR_OUTPUT);
	assert_int_equal(j.fd, -1);
}

#define IN_FOLDER(test) cmocka_unit_test_setup_teardown(test, enter_folder, leave_folder)

int main(void)
{
	const struct CMUnitTest tests[] = {
		IN_FOLDER(a_file_is_made_and_replaced),
		IN_FOLDER(a_link_stays_and_its_file_is_replaced),
		IN_FOLDER(a_full_device_is_an_error_and_stays_a_device),
		IN_FOLDER(a_fifo_is_written_in_place),
		IN_FOLDER(a_descriptor_path_appends_to_the_file_behind_it),
		IN_FOLDER(a_failed_write_leaves_the_old_file_and_no_other),
		IN_FOLDER(an_unwritable_folder_is_named),
		IN_FOLDER(reading_is_bounded),
		IN_FOLDER(folders_are_made_and_listed),
		IN_FOLDER(a_journal_grows_by_whole_lines),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
