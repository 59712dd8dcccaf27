/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Asks an engine in a child whether it is usable: a seccomp filter may answer a system call by
 * killing the process, and a broken driver may never answer.
 */
#include "engines/engine.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#define PROBE_LIMIT (5 * NS_PER_SEC)
#define KILL_LIMIT (1 * NS_PER_SEC)

struct answer {
	int rc;
	struct err err;
};

/*
 * A probe that cannot be killed outlives the program. It must hold nothing of it: not the pipe of a
 * CI job (which waits for its end), no lock, no target.
 */
static void leave_the_rest(int *pipe_end)
{
	int null = open("/dev/null", O_RDWR), fd = fcntl(*pipe_end, F_DUPFD, STDERR_FILENO + 1);

	if (null < 0 || fd < 0)
		_exit(1);
	for (int std = STDIN_FILENO; std <= STDERR_FILENO; std++)
		dup2(null, std);
	if (fd > STDERR_FILENO + 1)
		close_range(STDERR_FILENO + 1, (unsigned)fd - 1, 0);
	close_range((unsigned)fd + 1, UINT_MAX, 0);
	*pipe_end = fd;
}

_Noreturn static void probe_child(const struct engine *g, int fd)
{
	struct answer a = {0};

	leave_the_rest(&fd);
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	prctl(PR_SET_DUMPABLE, 0); /* a kill by the filter is an answer, not worth a core file */
	a.rc = g->probe(&a.err);
	/* One write below PIPE_BUF: whole or not at all. */
	_Static_assert(sizeof(struct answer) <= 4096, "answer fits PIPE_BUF");
	ssize_t n = write(fd, &a, sizeof(a));
	_exit(n == (ssize_t)sizeof(a) ? 0 : 1);
}

/* True when the pipe became readable or closed before the limit. */
static bool wait_readable(int fd, uint64_t limit)
{
	uint64_t end = clock_now() + limit;

	for (;;) {
		uint64_t now = clock_now();
		if (now >= end)
			return false;
		struct pollfd p = {.fd = fd, .events = POLLIN};
		int r = poll(&p, 1, (int)((end - now) / NS_PER_MS) + 1);
		if (r > 0)
			return true;
		if (r < 0 && errno != EINTR)
			return false;
	}
}

/* Takes the child's status without ever blocking on one that cannot die. */
static int collect(pid_t pid, int fd, bool kill_first)
{
	int status = 0;
	pid_t r;

	if (kill_first) {
		kill(pid, SIGKILL);
		if (!wait_readable(fd, KILL_LIMIT)) {
			waitpid(pid, &status, WNOHANG);
			return status;
		}
	}
	do {
		r = waitpid(pid, &status, 0);
	} while (r < 0 && errno == EINTR);
	return r == pid ? status : 0;
}

static int no_answer(const struct engine *g, int status, struct err *e)
{
	if (WIFSIGNALED(status) && WTERMSIG(status) == SIGSYS) {
		err_set(e, ERR_MEASURE,
			"engine \"%s\": its probe was ended by SIGSYS: a seccomp filter kills the "
			"process for its system calls",
			g->name);
		return err_hint(e, "run outside the container or sandbox, allow the calls in its "
				   "seccomp profile, or choose another ioengine");
	}
	if (WIFSIGNALED(status))
		return err_set(e, ERR_MEASURE,
			       "engine \"%s\": its probe was ended by signal %d (%s)", g->name,
			       WTERMSIG(status), strsignal(WTERMSIG(status)));
	return err_set(e, ERR_MEASURE, "engine \"%s\": its probe ended without an answer", g->name);
}

int engine_probe_within(const struct engine *g, uint64_t limit_ns, struct err *e)
{
	int p[2];

	if (engine_check(g, e))
		return ERR_MEASURE;
	if (pipe2(p, O_CLOEXEC) < 0)
		return err_sys(e, ERR_MEASURE, errno, "engine \"%s\": pipe for its probe", g->name);
	pid_t pid = fork();
	if (pid < 0) {
		int sys = errno;
		close(p[0]);
		close(p[1]);
		return err_sys(e, ERR_MEASURE, sys, "engine \"%s\": fork for its probe", g->name);
	}
	if (pid == 0) {
		close(p[0]);
		probe_child(g, p[1]);
	}
	close(p[1]);
	struct answer a;
	bool late = !wait_readable(p[0], limit_ns);
	ssize_t n = -1;
	while (!late && (n = read(p[0], &a, sizeof(a))) < 0 && errno == EINTR)
		;
	int status = collect(pid, p[0], late);
	close(p[0]);
	if (late)
		return err_set(e, ERR_MEASURE,
			       "engine \"%s\": no answer to its probe within %llu ms", g->name,
			       (unsigned long long)(limit_ns / NS_PER_MS));
	if (n != (ssize_t)sizeof(a))
		return no_answer(g, status, e);
	if (a.rc == 0)
		return 0;
	*e = a.err;
	return a.rc;
}

int engine_probe(const struct engine *g, struct err *e)
{
	return engine_probe_within(g, PROBE_LIMIT, e);
}
