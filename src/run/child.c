/* SPDX-License-Identifier: GPL-2.0-or-later */
/* One forked child: how it starts, and what its end means. */
#include "run/child.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static void default_signals(void)
{
	sigset_t none;

	/* The parent's handlers would set flags of a copy that nobody reads. */
	for (int s = 1; s < NSIG; s++)
		signal(s, SIG_DFL);
	/* Beyond RLIMIT_FSIZE the write shall fail (EFBIG) and name its offset. */
	signal(SIGXFSZ, SIG_IGN);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
}

/* 0 or a positive errno. */
static int settle_in(pid_t parent, const struct child *c, const struct run_options *opt)
{
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent)
		_exit(1); /* it died before the line above */
	setpgid(0, 0);    /* Ctrl-C reaches the supervisor only */
	default_signals();
	/*
	 * stdout belongs to the supervisor's documents: a library that prints must not reach it.
	 * Nor may an abandoned worker keep stderr: who reads that pipe (a CI job) waits until the
	 * last holder closed it. What a worker has to say travels through live.
	 */
	int null = open("/dev/null", O_RDWR | O_CLOEXEC);

	if (null < 0)
		return errno;
	for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
		dup2(null, fd);
	if (null > STDERR_FILENO)
		close(null);
	/* An abandoned worker would keep the locks of what it inherited. */
	for (unsigned i = 0; i < opt->nclose; i++)
		close(opt->close_in_child[i]);
	for (unsigned i = 0; i < c->nclose; i++)
		close(c->close_fds[i]);
	return 0;
}

int child_start(struct child *c, const struct run_options *opt)
{
	pid_t parent = getpid();

	c->pidfd = -1;
	c->forked = clock_now();
	c->pid = fork();
	if (c->pid < 0)
		return -errno;
	if (c->pid == 0) {
		int sys = settle_in(parent, c, opt);
		char buf[32];

		if (sys)
			live_fail(c->live, OUTCOME_SETUP, sys, 0, 0,
				  "worker of '%s': cannot open '/dev/null': %s", c->what,
				  err_text(sys, buf, sizeof(buf)));
		else
			c->body(c);
		atomic_store(&c->live->final, 1);
		_exit(0);
	}
	c->pidfd = (int)syscall(SYS_pidfd_open, c->pid, 0);
	if (c->pidfd >= 0)
		return 0;
	int sys = errno;

	kill(c->pid, SIGKILL);
	waitpid(c->pid, NULL, 0);
	return -sys;
}

static char state_at(const char *path)
{
	char line[512] = "", *p;
	int fd = open(path, O_RDONLY | O_CLOEXEC);

	if (fd < 0)
		return '?';
	if (read(fd, line, sizeof(line) - 1) < 0)
		line[0] = '\0';
	close(fd);
	p = strrchr(line, ')');
	return p && p[1] && p[2] ? p[2] : '?';
}

char child_state(pid_t pid)
{
	char path[40];

	snprintf(path, sizeof(path), "/proc/%d/stat", (int)pid);
	return state_at(path);
}

void child_states(pid_t pid, char *text, size_t size)
{
	unsigned count[128] = {0};
	const char *word = "thread ", *comma = "";
	char path[64];
	size_t n = 0;

	snprintf(path, sizeof(path), "/proc/%d/task", (int)pid);
	DIR *dir = opendir(path);

	for (const struct dirent *d; dir && (d = readdir(dir)) != NULL;) {
		if (d->d_name[0] == '.')
			continue;
		snprintf(path, sizeof(path), "/proc/%d/task/%.16s/stat", (int)pid, d->d_name);
		count[state_at(path) & 127]++;
	}
	if (dir)
		closedir(dir);
	snprintf(text, size, "threads unknown");
	for (int s = 0; s < 128; s++) {
		if (!count[s] || n >= size)
			continue;
		n += (size_t)snprintf(text + n, size - n, "%s%u %sin state %c", comma, count[s],
				      *word && count[s] > 1 ? "threads " : word, s);
		comma = ", ";
		word = "";
	}
}

static void say(struct outcome *o, enum outcome_status status, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
static void say(struct outcome *o, enum outcome_status status, const char *fmt, ...)
{
	va_list ap;

	o->status = status;
	va_start(ap, fmt);
	vsnprintf(o->text, sizeof(o->text), fmt, ap);
	va_end(ap);
}

static void add(struct outcome *o, const char *text)
{
	size_t n = strlen(o->text);

	snprintf(o->text + n, sizeof(o->text) - n, "%s", text);
}

static void say_error(const struct live *l, struct outcome *o)
{
	say(o, l->status, "%s", l->text);
	o->sys = l->sys;
	o->error_offset = l->error_offset;
	o->error_len = l->error_len;
}

static const char *phase_of(const struct live *l)
{
	unsigned phase = atomic_load(&l->phase);

	if (phase >= PHASE_RAMP && l->nthreads)
		phase = atomic_load(&l->thread[0].phase);
	return phase_name(phase);
}

static void say_hung(const struct child *c, struct outcome *o)
{
	const char *ending = c->abandoned ? "it cannot be killed and was abandoned" : "killed";

	say(o, OUTCOME_HUNG,
	    "worker of '%s' on '%s' hung in phase %s: %.1f s after its start, planned %.1f s; %s%s",
	    c->what, c->target, phase_of(c->live), (double)(c->ended - c->forked) / 1e9,
	    (double)c->planned / 1e9, c->headless ? "its main thread was dead; " : "", ending);
}

static void say_crash(const struct child *c, struct outcome *o)
{
	int s = c->wstatus;

	if (c->wstatus == CHILD_STATUS_UNKNOWN)
		say(o, OUTCOME_CRASHED, "worker of '%s' on '%s' ended without a result", c->what,
		    c->target);
	else if (WIFSIGNALED(s))
		say(o, OUTCOME_CRASHED,
		    "worker of '%s' on '%s' was killed by SIG%s (%s) in phase %s%s", c->what,
		    c->target, sigabbrev_np(WTERMSIG(s)) ? sigabbrev_np(WTERMSIG(s)) : "?",
		    sigdescr_np(WTERMSIG(s)) ? sigdescr_np(WTERMSIG(s)) : "unknown signal",
		    phase_of(c->live), WCOREDUMP(s) ? ", core dumped" : "");
	else
		say(o, OUTCOME_CRASHED, "worker of '%s' on '%s' ended %s a result (exit status %d)",
		    c->what, c->target, atomic_load(&c->live->final) ? "after" : "without",
		    WIFEXITED(s) ? WEXITSTATUS(s) : -1);
}

/* Also one that ends badly behind its last word: its counters are then not to be trusted. */
static bool died(const struct child *c)
{
	bool badly = c->wstatus != CHILD_STATUS_UNKNOWN && c->wstatus != 0;

	return !c->hung && !c->interrupted && (!atomic_load(&c->live->final) || badly);
}

void child_verdict(const struct child *c, struct outcome *o)
{
	struct live *l = c->live;
	char buf[32];

	o->wall = c->ended > c->forked ? c->ended - c->forked : 0;
	o->abandoned = c->abandoned;
	if (c->error) {
		say(o, OUTCOME_SETUP, "cannot start the worker of '%s' on '%s': %s", c->what,
		    c->target, err_text(c->error, buf, sizeof(buf)));
		o->sys = c->error;
	} else if (died(c) && !atomic_load(&l->error_ready)) {
		say_crash(c, o);
	} else if (atomic_load(&l->error_ready)) {
		/* What came first is the cause; a worker that then hung or died is its echo. */
		say_error(l, o);
		if (died(c))
			add(o, "; then the worker died");
		else if (!atomic_load(&l->final))
			add(o, "; then the worker had to be killed");
	} else if (c->interrupted || atomic_load(&l->early)) {
		say(o, OUTCOME_INTERRUPTED, "'%s' on '%s' was interrupted in phase %s", c->what,
		    c->target, phase_of(l));
	} else if (c->hung) {
		say_hung(c, o);
	} else if (atomic_load(&l->error_taken)) {
		say(o, OUTCOME_CRASHED,
		    "worker of '%s' on '%s' had an error and ended before it could name it",
		    c->what, c->target);
	} else if (live_unfinished(l) < l->nthreads) {
		o->status = OUTCOME_CRASHED;
		live_lost_thread(l, live_unfinished(l), c->what, c->target, o->text,
				 sizeof(o->text));
	} else {
		o->status = OUTCOME_OK;
	}
	if (c->abandoned) {
		char states[96], text[192];

		child_states(c->pid, states, sizeof(states));
		snprintf(text, sizeof(text), "; unkillable (process %d, %s): the target is lost",
			 (int)c->pid, states);
		add(o, text);
	}
}
