/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "base/clock.h"
#include "base/fileio.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static int make_folder(void **state)
{
	const char *tmp = getenv("TMPDIR");
	char *dir = xasprintf("%s/blkgate-lock-XXXXXX", tmp ? tmp : "/tmp");

	*state = dir;
	return mkdtemp(dir) && chdir(dir) == 0 ? 0 : -1;
}

static int drop_folder(void **state)
{
	unlink("lock");
	unlink("link");
	int ret = chdir("/") || rmdir(*state);

	free(*state);
	return ret;
}

static void a_second_taker_is_refused_at_once(void **state)
{
	struct err e = ERR_INIT;
	struct lock a, b;

	(void)state;
	assert_int_equal(lock_take(&a, "lock", true, 0, NULL, &e), 0);
	assert_int_equal(lock_take(&b, "lock", true, 0, NULL, &e), ERR_BUSY);
	assert_int_equal(b.fd, -1);
	assert_non_null(strstr(e.text, "'lock'"));
	lock_release(&a);
	lock_release(&a);
	assert_int_equal(lock_take(&b, "lock", false, 0, NULL, &e), 0);
	lock_release(&b);
}

static void a_wait_has_an_end(void **state)
{
	struct err e = ERR_INIT;
	volatile int stop = 1;
	struct lock a, b;

	(void)state;
	assert_int_equal(lock_take(&a, "lock", true, 0, NULL, &e), 0);
	uint64_t start = clock_now();

	assert_int_equal(lock_take(&b, "lock", true, 2 * NS_PER_MS, NULL, &e), ERR_BUSY);
	assert_true(clock_now() - start >= 2 * NS_PER_MS);
	assert_int_equal(lock_take(&b, "lock", true, UINT64_MAX, &stop, &e), ERR_INTR);
	lock_release(&a);
	/* A lock that is free is taken even when a stop is pending: the caller looks at it next. */
	assert_int_equal(lock_take(&b, "lock", true, UINT64_MAX, &stop, &e), 0);
	lock_release(&b);
}

static void folders_lock_and_missing_files_are_errors(void **state)
{
	struct err e = ERR_INIT;
	struct lock a, b;

	(void)state;
	assert_int_equal(lock_take(&a, ".", false, 0, NULL, &e), 0);
	assert_int_equal(lock_take(&b, ".", false, 0, NULL, &e), ERR_BUSY);
	lock_release(&a);
	assert_int_equal(lock_take(&a, "lock", false, 0, NULL, &e), ERR_SYS);
	assert_int_equal(e.sys, ENOENT);
	/* A name laid as a link is not followed when the lock may be created. */
	assert_int_equal(symlink("lock", "link"), 0);
	assert_int_equal(lock_take(&a, "link", true, 0, NULL, &e), ERR_SYS);
	assert_int_equal(access("lock", F_OK), -1);
}

static void a_child_drops_its_copy_and_the_parent_keeps_the_lock(void **state)
{
	struct err e = ERR_INIT;
	struct lock a, b;
	int status;

	(void)state;
	assert_int_equal(lock_take(&a, "lock", true, 0, NULL, &e), 0);
	pid_t pid = fork();

	if (pid == 0) {
		_exit(close(a.fd) == 0 ? 0 : 1);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
	assert_int_equal(lock_take(&b, "lock", true, 0, NULL, &e), ERR_BUSY);
	lock_release(&a);
}

#define IN_FOLDER(test) cmocka_unit_test_setup_teardown(test, make_folder, drop_folder)

int main(void)
{
	const struct CMUnitTest tests[] = {
		IN_FOLDER(a_second_taker_is_refused_at_once),
		IN_FOLDER(a_wait_has_an_end),
		IN_FOLDER(folders_lock_and_missing_files_are_errors),
		IN_FOLDER(a_child_drops_its_copy_and_the_parent_keeps_the_lock),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
