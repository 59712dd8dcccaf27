/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A disk that is exchanged under a session, between two runs and in the middle of one: a loop
 * device that gets another file (root). */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "session/session.h"

#include <fcntl.h>
#include <linux/loop.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <unistd.h>

struct world {
	char node[32];
	int loop, other;
	enum session_event_kind when;
	unsigned seen;
	struct suite suite;
	struct plan plan;
	struct diags diags;
	struct host host;
	struct session_options options;
	struct result result;
};

static int scratch(void)
{
	char name[] = "/tmp/blkgate-again.XXXXXX";
	int fd = mkstemp(name);

	if (fd >= 0) {
		unlink(name);
		if (ftruncate(fd, 1 << 20) < 0) {
			close(fd);
			fd = -1;
		}
	}
	return fd;
}

/* A read-only loop device over a file without a name: only such a one takes another file. */
static bool loop_open(struct world *w)
{
	int control = open("/dev/loop-control", O_RDWR | O_CLOEXEC), file = scratch(), n;
	struct loop_config config = {.info = {.lo_flags = LO_FLAGS_READ_ONLY | LO_FLAGS_AUTOCLEAR}};

	w->loop = -1;
	w->other = scratch();
	n = control >= 0 ? ioctl(control, LOOP_CTL_GET_FREE) : -1;
	snprintf(w->node, sizeof(w->node), "/dev/loop%d", n);
	if (n >= 0 && file >= 0 && w->other >= 0)
		w->loop = open(w->node, O_RDONLY | O_CLOEXEC);
	config.fd = (uint32_t)file;
	if (w->loop >= 0 && ioctl(w->loop, LOOP_CONFIGURE, &config) < 0) {
		close(w->loop);
		w->loop = -1;
	}
	close(file);
	close(control);
	return w->loop >= 0;
}

static void exchange(void *arg, const struct session_event *event)
{
	struct world *w = arg;

	if (event->kind == w->when && w->seen++ == 1)
		assert_int_equal(ioctl(w->loop, LOOP_CHANGE_FD, w->other), 0);
}

static void conduct(struct world *w)
{
	static const char text[] = "blkgate: 1\nname: t\nworkloads:\n"
				   "  - {name: a, rw: read, direct: false, size: 1MiB, runs: 4, "
				   "expect: [read.iops >= 1]}\n";
	struct target_arg target = {.role = "dut", .id = w->node};
	struct plan_options po = {.host = &w->host,
				  .targets = &target,
				  .ntargets = 1,
				  .seed = 5,
				  .profile = "default"};
	struct err e = ERR_INIT;

	w->host.root = "/";
	diags_init(&w->diags);
	if (suite_parse(text, strlen(text), "t.yaml", NULL, 0, &w->suite, &w->diags, &e) < 0 ||
	    plan_make(&w->suite, &po, &w->plan, &w->diags, &e) < 0)
		fail_msg("%s", e.text);
	assert_int_not_equal(w->plan.targets[0].diskseq, 0);
	w->options.event = exchange;
	w->options.arg = w;
	assert_int_equal(session_run(&w->plan, &w->options, &w->result, &e), 0);
}

static void world_close(struct world *w)
{
	result_release(&w->result);
	plan_release(&w->plan);
	suite_release(&w->suite);
	diags_release(&w->diags);
	close(w->other);
	close(w->loop);
}

static unsigned count(const struct result *r, enum outcome_status status)
{
	unsigned n = 0;

	for (size_t i = 0; i < r->runs.n; i++)
		n += r->runs.v[i].out.status == status;
	return n;
}

static void trial(enum session_event_kind when, unsigned good, enum outcome_status bad,
		  const char *why)
{
	struct world w = {.when = when};
	const struct run *last;

	if (!loop_open(&w)) {
		print_message("skip: an exchanged disk needs root and a loop device\n");
		skip();
	}
	conduct(&w);
	assert_true(w.result.runs.n > 0);
	last = &w.result.runs.v[w.result.runs.n - 1];
	assert_int_equal(count(&w.result, OUTCOME_OK), good);
	assert_int_equal(last->out.status, bad);
	if (!strstr(last->out.text, why))
		fail_msg("'%s' lacks '%s'", last->out.text, why);
	assert_int_equal(w.result.status, STATUS_ERROR);
	world_close(&w);
}

static void between_two_runs(void **state)
{
	(void)state;
	trial(EVENT_RUN_DONE, 2, OUTCOME_SETUP, "is no longer the device at '/dev/loop");
}

/* After EVENT_RUN the checks before the run are over. */
static void in_the_middle_of_one(void **state)
{
	(void)state;
	trial(EVENT_RUN, 1, OUTCOME_COMPANION, "was exchanged while it was open");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(between_two_runs),
		cmocka_unit_test(in_the_middle_of_one),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
