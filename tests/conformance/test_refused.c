/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Engines that the machine refuses: the probe says so in a sentence and never takes the caller
 * down. Everything that cannot be undone (filters, limits, user id) happens in a child.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "bench.h"

#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>

/* What the child found; it hands this to the test over a pipe. */
struct finding {
	int unusable; /* the child could not set the scene; err.text says why */
	int rc;
	struct err err;
};

static void in_child(void (*fn)(struct finding *f, const void *arg), const void *arg,
		     struct finding *out)
{
	int p[2], status;

	assert_int_equal(pipe(p), 0);
	fflush(NULL);
	pid_t pid = fork();
	assert_true(pid >= 0);
	if (pid == 0) {
		struct finding f = {0};
		fn(&f, arg);
		ssize_t n = write(p[1], &f, sizeof(f));
		_exit(n == (ssize_t)sizeof(f) ? 0 : 1);
	}
	close(p[1]);
	ssize_t n = read(p[0], out, sizeof(*out));
	close(p[0]);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
	assert_int_equal(n, sizeof(*out));
}

struct denial {
	const struct engine *(*engine)(void);
	uint32_t call, action;
};

static const struct engine *io_uring_engine(void)
{
	return engine_find("io_uring");
}

static const struct engine *libaio_engine(void)
{
	return engine_find("libaio");
}

static void probe_under_filter(struct finding *f, const void *arg)
{
	const struct denial *d = arg;
	struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, d->call, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, d->action),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog prog = {.len = sizeof(code) / sizeof(code[0]), .filter = code};

	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) ||
	    prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &prog)) {
		f->unusable = 1;
		err_sys(&f->err, ERR_SYS, errno, "seccomp filters are not available");
		return;
	}
	f->rc = engine_probe(d->engine(), &f->err);
	/* The others are not touched by it. */
	struct err e = ERR_INIT;
	if (engine_probe(engine_find("psync"), &e))
		f->rc = -100;
}

static void expect_refusal(const struct finding *f, const char *const *words)
{
	if (f->unusable) {
		printf("skip: %s\n", f->err.text);
		skip();
	}
	assert_int_equal(f->rc, ERR_MEASURE);
	for (; *words; words++) {
		if (!strstr(f->err.text, *words) && !strstr(f->err.hint, *words))
			fail_msg("\"%s\" / \"%s\" lacks \"%s\"", f->err.text, f->err.hint, *words);
	}
}

static void filter_denies_io_uring(void **state)
{
	struct denial d = {io_uring_engine, __NR_io_uring_setup, SECCOMP_RET_ERRNO | EPERM};
	struct finding f;

	(void)state;
	in_child(probe_under_filter, &d, &f);
	expect_refusal(&f, (const char *const[]){"io_uring", "seccomp", "not permitted", NULL});
}

static void filter_kills_io_uring(void **state)
{
	struct denial d = {io_uring_engine, __NR_io_uring_setup, SECCOMP_RET_KILL_PROCESS};
	struct finding f;

	(void)state;
	in_child(probe_under_filter, &d, &f);
	expect_refusal(&f, (const char *const[]){"io_uring", "SIGSYS", "seccomp", NULL});
}

static void filter_hides_io_uring(void **state)
{
	struct denial d = {io_uring_engine, __NR_io_uring_setup, SECCOMP_RET_ERRNO | ENOSYS};
	struct finding f;

	(void)state;
	in_child(probe_under_filter, &d, &f);
	expect_refusal(&f, (const char *const[]){"not implemented", "no io_uring", NULL});
}

static void filter_kills_libaio(void **state)
{
	struct denial d = {libaio_engine, __NR_io_setup, SECCOMP_RET_KILL_PROCESS};
	struct finding f;

	(void)state;
	in_child(probe_under_filter, &d, &f);
	expect_refusal(&f, (const char *const[]){"libaio", "SIGSYS", NULL});
}

/* The ring can be set up and not be used: the first I/O would be refused, or kill its thread. */
static void filters_of_single_calls(void **state)
{
	static const struct {
		struct denial d;
		const char *words[4];
	} rows[] = {
		{{io_uring_engine, __NR_io_uring_enter, SECCOMP_RET_ERRNO | EPERM},
		 {"io_uring_enter", "not permitted", "seccomp"}},
		{{io_uring_engine, __NR_io_uring_enter, SECCOMP_RET_ERRNO | ENOSYS},
		 {"io_uring_enter", "not implemented", "seccomp"}},
		{{io_uring_engine, __NR_io_uring_enter, SECCOMP_RET_KILL_THREAD},
		 {"io_uring", "SIGSYS", "seccomp"}},
		{{io_uring_engine, __NR_io_uring_enter, SECCOMP_RET_KILL_PROCESS},
		 {"io_uring", "SIGSYS", "seccomp"}},
		{{io_uring_engine, __NR_io_uring_register, SECCOMP_RET_ERRNO | EPERM},
		 {"io_uring_register", "not permitted", "seccomp"}},
		{{libaio_engine, __NR_io_submit, SECCOMP_RET_ERRNO | EPERM},
		 {"io_submit", "not permitted", "seccomp"}},
		{{libaio_engine, __NR_io_submit, SECCOMP_RET_ERRNO | 0}, /* "0 taken" for ever */
		 {"libaio", "did not come back"}},
		{{libaio_engine, __NR_io_getevents, SECCOMP_RET_ERRNO | ENOSYS},
		 {"io_getevents", "not implemented", "seccomp"}},
		{{libaio_engine, __NR_io_getevents, SECCOMP_RET_KILL_THREAD}, {"libaio", "SIGSYS"}},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct err e = ERR_INIT;
		struct finding f;

#ifdef __SANITIZE_THREAD__
		/* Its own thread would live on, and the limit of the probe would speak. */
		if (rows[i].d.action == SECCOMP_RET_KILL_THREAD) {
			printf("skip in part: TSan has a thread of its own and cannot join one "
			       "that "
			       "was killed\n");
			continue;
		}
#endif
		if (engine_probe(rows[i].d.engine(), &e)) {
			printf("skip in part: %s\n", e.text);
			continue;
		}
		in_child(probe_under_filter, &rows[i].d, &f);
		expect_refusal(&f, rows[i].words);
	}
}

/* As when other processes use up all of fs.aio-max-nr. */
static void libaio_contexts_used_up(void **state)
{
	struct denial d = {libaio_engine, __NR_io_setup, SECCOMP_RET_ERRNO | EAGAIN};
	struct finding f;

	(void)state;
	in_child(probe_under_filter, &d, &f);
	expect_refusal(&f, (const char *const[]){"fs.aio-max-nr is ", " in use", "sysctl", NULL});
}

static int open_at_depth(const struct engine *g, unsigned depth, struct err *e)
{
	struct engine_run r;
	int fd = STDIN_FILENO;
	struct engine_config c = {.fds = &fd, .nfds = 1, .depth = depth, .buffer_len = BLOCK};
	int rc = engine_open(&r, g, &c, e);

	if (rc == 0)
		engine_close(&r);
	return rc;
}

static void open_with_little_memlock(struct finding *f, const void *arg)
{
	struct rlimit lim = {.rlim_cur = 64 * 1024, .rlim_max = 64 * 1024};

	(void)arg;
	/* Root is never charged for a ring. */
	if (geteuid() == 0 && setresuid(65534, 65534, 65534)) {
		f->unusable = 1;
		err_sys(&f->err, ERR_SYS, errno, "cannot drop the user id");
		return;
	}
	if (setrlimit(RLIMIT_MEMLOCK, &lim)) {
		f->unusable = 1;
		err_sys(&f->err, ERR_SYS, errno, "cannot set RLIMIT_MEMLOCK");
		return;
	}
	f->rc = open_at_depth(io_uring_engine(), 4096, &f->err);
	if (f->rc == 0) {
		f->unusable = 1;
		err_set(&f->err, ERR_SYS, "this kernel does not charge a ring to RLIMIT_MEMLOCK");
	}
}

static void little_memlock_is_named(void **state)
{
	struct err e = ERR_INIT;
	struct finding f;

	(void)state;
	if (engine_probe(io_uring_engine(), &e)) {
		printf("skip: %s\n", e.text);
		skip();
	}
	in_child(open_with_little_memlock, NULL, &f);
	expect_refusal(&f, (const char *const[]){"4096 entries", "RLIMIT_MEMLOCK is 64 KiB",
						 "ulimit -l", NULL});
}

static void too_deep_for_a_ring(void **state)
{
	struct err e = ERR_INIT;

	(void)state;
	assert_int_equal(open_at_depth(io_uring_engine(), 32769, &e), ERR_MEASURE);
	assert_non_null(strstr(e.text, "depth 32769 is beyond 32768"));
}

/* Registered buffers stay in memory: who may not lock so much is told, and gets no other ones. */
static void register_with_little_memlock(struct finding *f, const void *arg)
{
	struct rlimit lim = {.rlim_cur = 64 * 1024, .rlim_max = 64 * 1024};
	static _Alignas(BLOCK) char area[64][BLOCK];
	int fd = STDIN_FILENO;
	struct engine_config c = {.fds = &fd,
				  .nfds = 1,
				  .depth = 64,
				  .buffers = area,
				  .buffer_len = BLOCK,
				  .fixedbufs = true};
	struct engine_run r;

	(void)arg;
	/* Root is never charged. */
	if ((geteuid() == 0 && setresuid(65534, 65534, 65534)) || setrlimit(RLIMIT_MEMLOCK, &lim)) {
		f->unusable = 1;
		err_sys(&f->err, ERR_SYS, errno, "cannot drop the user id or set RLIMIT_MEMLOCK");
		return;
	}
	f->rc = engine_open(&r, io_uring_engine(), &c, &f->err);
}

static void little_memlock_for_buffers(void **state)
{
	struct err e = ERR_INIT;
	struct finding f;

	(void)state;
	if (engine_probe(io_uring_engine(), &e)) {
		printf("skip: %s\n", e.text);
		skip();
	}
	in_child(register_with_little_memlock, NULL, &f);
	expect_refusal(&f, (const char *const[]){"fixedbufs: 64 buffers of 4096 bytes",
						 "RLIMIT_MEMLOCK is 64 KiB", "ulimit -l", NULL});
}

static void registered_file_that_is_none(void **state)
{
	int fd = 1 << 20;
	struct engine_config c = {.fds = &fd, .nfds = 1, .depth = 1, .registerfiles = true};
	struct err e = ERR_INIT;
	struct engine_run r;

	(void)state;
	if (engine_probe(io_uring_engine(), &e)) {
		printf("skip: %s\n", e.text);
		skip();
	}
	assert_int_equal(engine_open(&r, io_uring_engine(), &c, &e), ERR_MEASURE);
	assert_int_equal(e.sys, EBADF);
	assert_non_null(strstr(e.text, "registerfiles: 1 descriptors"));
}

static void too_deep_for_libaio(void **state)
{
	struct err e = ERR_INIT;

	(void)state;
	assert_int_equal(open_at_depth(libaio_engine(), 2000000000, &e), ERR_MEASURE);
	assert_non_null(strstr(e.text, "io_setup for depth 2000000000"));
	e = ERR_INIT;
	assert_int_equal(open_at_depth(libaio_engine(), 4000000000, &e), ERR_MEASURE);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(filter_denies_io_uring),
		cmocka_unit_test(filter_kills_io_uring),
		cmocka_unit_test(filter_hides_io_uring),
		cmocka_unit_test(filter_kills_libaio),
		cmocka_unit_test(libaio_contexts_used_up),
		cmocka_unit_test(little_memlock_is_named),
		cmocka_unit_test(filters_of_single_calls),
		cmocka_unit_test(little_memlock_for_buffers),
		cmocka_unit_test(registered_file_that_is_none),
		cmocka_unit_test(too_deep_for_a_ring),
		cmocka_unit_test(too_deep_for_libaio),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
