/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Commands of a suite: how they end, what is kept of their output, what they inherit. */
#include "session/command.h"

#include "base/clock.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

static int run(const char *script, uint64_t timeout, const volatile int *stop, struct err *e)
{
	const char *argv[] = {"sh", "-c", script, NULL};
	struct suite_command c = {.argv = argv, .timeout = timeout};
	const suite_commands list = {.v = &c, .n = 1, .cap = 1};
	const struct command_env env = {.target = "/dev/x y", .role = "dut", .out = "/out"};

	*e = ERR_INIT;
	return commands_run(&list, "setup", &env, stop, e);
}

static void says(const struct err *e, const char *text)
{
	if (!strstr(e->text, text))
		fail_msg("'%s' lacks '%s'", e->text, text);
}

static void statuses(void **state)
{
	struct err e;

	(void)state;
	assert_int_equal(run("exit 0", NS_PER_SEC * 60, NULL, &e), 0);
	assert_int_equal(run("exit 7", NS_PER_SEC * 60, NULL, &e), ERR_MEASURE);
	says(&e, "ended with status 7");
	assert_int_equal(run("kill -SEGV $$", NS_PER_SEC * 60, NULL, &e), ERR_MEASURE);
	says(&e, "was ended by signal 11");
}

static void environment(void **state)
{
	struct err e;

	(void)state;
	setenv("BLKGATE_WORKLOAD", "inherited", 1);
	assert_int_equal(
		run("test \"$BLKGATE_TARGET\" = '/dev/x y' && test \"$BLKGATE_ROLE\" = dut "
		    "&& test -z \"${BLKGATE_WORKLOAD+x}\" && test \"$BLKGATE_OUT\" = /out "
		    "&& test \"$LC_ALL\" = C && ! read line",
		    NS_PER_SEC * 60, NULL, &e),
		0);
	unsetenv("BLKGATE_WORKLOAD");
}

static void descriptors(void **state)
{
	int fd = dup(0); /* without close-on-exec, as a library may leave one */
	char script[80];
	struct err e;

	(void)state;
	assert_true(fd > 2);
	snprintf(script, sizeof(script), "test ! -e /proc/$$/fd/%d", fd);
	assert_int_equal(run(script, NS_PER_SEC * 60, NULL, &e), 0);
	close(fd);
}

static void time_is_over(void **state)
{
	struct err e;

	(void)state;
	assert_int_equal(run("echo begun; sleep 600", NS_PER_SEC / 5, NULL, &e), ERR_MEASURE);
	says(&e, "did not end within 200 ms: begun");
	/* one that does not listen to SIGTERM */
	assert_int_equal(run("trap '' TERM; sleep 600 & wait; sleep 600", NS_PER_SEC / 5, NULL, &e),
			 ERR_MEASURE);
	says(&e, "did not end within");
}

static void stopped(void **state)
{
	volatile int stop = 1;
	struct err e;

	(void)state;
	assert_int_equal(run("sleep 600", NS_PER_SEC * 600, &stop, &e), ERR_INTR);
	says(&e, "was stopped by a signal");
}

static void output(void **state)
{
	struct err e;

	(void)state;
	/* the end of it, on one line, fit for every document */
	assert_int_equal(run("seq 1 100000; printf 'caf\\303\\251 \\001\\n\\n'; exit 1",
			     NS_PER_SEC * 60, NULL, &e),
			 ERR_MEASURE);
	says(&e, "100000 | caf\303\251 \\x01");
	assert_null(strchr(e.text, '\n'));
	/* what goes on behind it and keeps the pipe is not waited for */
	assert_int_equal(run("sleep 30 & exit 0", NS_PER_SEC * 60, NULL, &e), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(statuses),    cmocka_unit_test(environment),
		cmocka_unit_test(descriptors), cmocka_unit_test(time_is_over),
		cmocka_unit_test(stopped),     cmocka_unit_test(output),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
