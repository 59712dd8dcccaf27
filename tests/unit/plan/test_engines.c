/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A machine that refuses io_uring (a container's seccomp filter), made in a child of the test. */
#include "plan_test.h"

#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#define AUTO HEAD "  - {name: a, rw: read, direct: false, ioengine: auto}\n"
#define NAMED                                                                                      \
	HEAD "  - {name: a, rw: read, direct: false, ioengine: io_uring, gate: {iops: 5%}}\n"      \
	     "  - {name: b, rw: read, direct: false, ioengine: io_uring, optional: true}\n"        \
	     "  - {name: c, rw: read, direct: false, ioengine: io_uring, when: target.type == "    \
	     "block}\n"                                                                            \
	     "  - {name: d, rw: read, direct: false, ioengine: psync}\n"

static int refuse_io_uring(void)
{
	struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, __NR_io_uring_setup, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | 1 /* EPERM */),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog prog = {.len = sizeof(code) / sizeof(code[0]), .filter = code};

	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0)
		return -1;
	return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &prog);
}

enum { CHILD_OK = 0, CHILD_NO_FILTER = 77 };

static int in_auto(struct fix *f)
{
	const struct job *j;

	if (fix_plan(f, AUTO) != 0)
		return 10;
	j = &f->plan.jobs[0];
	if (strcmp(j->ioengine, "io_uring") == 0 || strcmp(j->ioengine_asked, "auto") != 0)
		return 11;
	/* law 2: replaced, and said so with the reason */
	for (size_t i = 0; i < f->plan.notices.n; i++)
		if (strstr(f->plan.notices.v[i], "ioengine auto: ") &&
		    strstr(f->plan.notices.v[i], "io_uring cannot be used here"))
			return CHILD_OK;
	return 12;
}

static int in_named(struct fix *f)
{
	const struct job *j;

	if (fix_plan(f, NAMED) != 0)
		return 20;
	j = f->plan.jobs;
	if (f->plan.njobs != 4 || f->plan.nchecks != 1)
		return 21;
	if (j[0].state != JOB_ERROR || !strstr(j[0].why, "io_uring cannot be used here"))
		return 22;
	if (j[1].state != JOB_SKIPPED || !strstr(j[1].why, "io_uring cannot be used here"))
		return 23;
	if (j[2].state != JOB_SKIPPED || !strstr(j[2].why, "when: "))
		return 24;
	return j[3].state == JOB_READY ? CHILD_OK : 25;
}

static void in_child(struct fix *f, int (*body)(struct fix *f))
{
	int status;
	pid_t pid = fork();

	assert_true(pid >= 0);
	if (pid == 0)
		_exit(refuse_io_uring() < 0 ? CHILD_NO_FILTER : body(f));
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFEXITED(status));
	if (WEXITSTATUS(status) == CHILD_NO_FILTER) {
		print_message("no seccomp filter can be set here\n");
		skip();
	}
	assert_int_equal(WEXITSTATUS(status), CHILD_OK);
}

static void auto_falls_back_aloud(void **state)
{
	in_child(*state, in_auto);
}

static void a_named_engine_is_never_replaced(void **state)
{
	in_child(*state, in_named);
}

static void lint_probes_nothing(void **state)
{
	struct fix *f = *state;

	f->o = (struct plan_options){.lint_only = true};
	fix_ok(f, NAMED);
	for (size_t i = 0; i < f->plan.njobs; i++)
		assert_int_equal(f->plan.jobs[i].state, JOB_READY);
}

/* A ring ends at 32768 entries: a suite that asks for more by name is wrong, also for lint. */
static void depth_of_a_ring(void **state)
{
	struct fix *f = *state;
	const struct diag *g;

	f->o.lint_only = true;
	g = fix_refused(
		f,
		HEAD "  - {name: a, rw: read, direct: false, ioengine: io_uring, iodepth: 32769}\n",
		"iodepth 32769 is beyond the 32768 that ioengine io_uring has");
	assert_int_equal(g->line, 5);
	assert_part(g->hint, "numjobs");
	fix_ok(f,
	       HEAD "  - {name: a, rw: read, direct: false, ioengine: io_uring, iodepth: 32768}\n"
		    "  - {name: b, rw: read, direct: true, ioengine: libaio, iodepth: 65536}\n"
		    "  - {name: c, rw: read, direct: false, ioengine: auto, iodepth: 65536}\n");
	f->o.lint_only = false;
	fix_ok(f, HEAD
	       "  - {name: c, rw: read, direct: false, ioengine: auto, bs: 512, iodepth: 65536}\n");
	if (strcmp(f->plan.jobs[0].ioengine, "io_uring") != 0) {
		print_message("io_uring cannot be used here\n");
		skip();
	}
	assert_int_equal(f->plan.jobs[0].state, JOB_ERROR);
	assert_part(f->plan.jobs[0].why,
		    "iodepth 65536 is beyond the 32768 that ioengine io_uring has (auto)");
	assert_part(f->plan.jobs[0].why, "(suite.yaml:5)");
}

/* A word on an engine that does not know it can have no effect: an error that names who knows it.
 */
static void words_of_engines(void **state)
{
	static const struct {
		const char *line, *part, *hint;
	} c[] = {
		{"ioengine: psync, hipri: true", "ioengine psync has no hipri",
		 "have it: pvsync2 io_uring"},
		{"ioengine: io_uring, nowait: true", "ioengine io_uring has no nowait",
		 "have it: pvsync2"},
		{"ioengine: libaio, fixedbufs: true", "ioengine libaio has no fixedbufs",
		 "io_uring"},
		{"ioengine: mmap, direct: false, registerfiles: 1", "has no registerfiles",
		 "io_uring"},
		{"ioengine: sim, sqthread_poll: true", "ioengine sim has no sqthread_poll",
		 "io_uring"},
		{"ioengine: mmap", "ioengine mmap goes through the page cache", "direct: false"},
		{"ioengine: mmap, direct: true", "cannot be direct", "direct: false"},
		{"ioengine: pvsync2, hipri: true, direct: false", "hipri needs direct I/O",
		 "direct: true"},
		{"ioengine: io_uring, hipri: true, fsync: 1", "hipri excludes fsync", ""},
		{"ioengine: io_uring, hipri: true, end_fsync: true", "hipri excludes fsync", ""},
	};
	struct fix *f = *state;
	char text[512];

	f->o.lint_only = true;
	for (size_t i = 0; i < sizeof(c) / sizeof(c[0]); i++) {
		snprintf(text, sizeof(text), HEAD_BARE "  - {name: a, rw: write, size: 1MiB, %s}\n",
			 c[i].line);
		const struct diag *g = fix_refused(f, text, c[i].part);
		assert_int_equal(g->line, 4);
		assert_part(g->hint, c[i].hint);
	}
	fix_ok(f, HEAD_BARE
	       "  - {name: a, rw: read, ioengine: pvsync2, hipri: true, nowait: true}\n"
	       "  - {name: b, rw: read, ioengine: io_uring, hipri: true, fixedbufs: true, "
	       "registerfiles: true, sqthread_poll: true}\n"
	       "  - {name: c, rw: read, ioengine: mmap, direct: auto}\n"
	       "  - {name: d, rw: read, ioengine: auto, fixedbufs: true}\n"
	       "  - {name: e, rw: read, ioengine: posixaio, iodepth: 8}\n");
	assert_false(f->plan.jobs[2].direct);
	assert_part(fix_rule(f, "depth-on-sync-engine")->text,
		    "ioengine posixaio does the I/Os of a descriptor one after another");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(auto_falls_back_aloud), TEST(a_named_engine_is_never_replaced),
		TEST(lint_probes_nothing),   TEST(depth_of_a_ring),
		TEST(words_of_engines),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
