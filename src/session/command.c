/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "session/command.h"

#include "base/clock.h"
#include "base/units.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

enum { OUTPUT_KEPT = 4096, OUTPUT_SHOWN = 200, VARIABLES = 8 };
static const uint64_t TERM_WAIT = 2 * NS_PER_SEC; /* after SIGTERM, and after SIGKILL */
static const uint64_t TICK = 50 * NS_PER_MS;      /* how soon a signal to us is seen */

struct child_process {
	pid_t pid;
	int out; /* its stdout and stderr, not blocking */
	char text[OUTPUT_KEPT];
	size_t n;
	bool ended, reaped;
	int status;
};

/* What a program needs to find others and a place for its files; the language of messages is fixed,
 * so that two machines leave the same text. */
static void fill_environment(const struct command_env *env, char **out)
{
	static const char *const kept[] = {"PATH", "HOME", "TMPDIR"};
	const struct {
		const char *name, *value;
	} own[] = {
		{"BLKGATE_TARGET", env->target},
		{"BLKGATE_ROLE", env->role},
		{"BLKGATE_WORKLOAD", env->workload},
		{"BLKGATE_OUT", env->out},
	};
	size_t n = 0;

	for (size_t i = 0; i < sizeof(kept) / sizeof(*kept); i++)
		if (getenv(kept[i]))
			out[n++] = xasprintf("%s=%s", kept[i], getenv(kept[i]));
	for (size_t i = 0; i < sizeof(own) / sizeof(*own); i++)
		if (own[i].value)
			out[n++] = xasprintf("%s=%s", own[i].name, own[i].value);
	out[n++] = xstrdup("LC_ALL=C");
	out[n] = NULL;
}

static void child(const struct suite_command *c, char *const *environment, int out, int failed)
{
	int null = open("/dev/null", O_RDONLY), sys;
	sigset_t none;

	setpgid(0, 0);
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	for (int sig = 1; sig < NSIG; sig++)
		signal(sig, SIG_DFL);
	if (null >= 0 && dup2(null, 0) == 0 && dup2(out, 1) == 1 && dup2(out, 2) == 2) {
		/* locks and targets are closed on exec anyway; this is for what a library opened */
		close_range(3, ~0U, CLOSE_RANGE_CLOEXEC);
		execvpe(c->argv[0], (char *const *)(uintptr_t)c->argv, environment);
	}
	sys = errno;
	while (write(failed, &sys, sizeof(sys)) < 0 && errno == EINTR)
		;
	_exit(127);
}

/* 0, or the errno that kept it from being started. */
static int start(struct child_process *p, const struct suite_command *c,
		 const struct command_env *env)
{
	char *environment[VARIABLES + 1];
	int out[2], failed[2], sys = 0;

	if (pipe2(out, O_CLOEXEC) < 0)
		return errno;
	if (pipe2(failed, O_CLOEXEC) < 0) {
		sys = errno;
		close(out[0]);
		close(out[1]);
		return sys;
	}
	fill_environment(env, environment);
	p->pid = fork();
	if (p->pid == 0)
		child(c, environment, out[1], failed[1]);
	sys = p->pid < 0 ? errno : 0;
	close(out[1]);
	close(failed[1]);
	/* closed without a word by a successful exec */
	while (!sys && read(failed[0], &sys, sizeof(sys)) < 0 && errno == EINTR)
		;
	close(failed[0]);
	for (size_t i = 0; environment[i]; i++)
		free(environment[i]);
	if (sys) {
		if (p->pid > 0)
			waitpid(p->pid, NULL, 0);
		close(out[0]);
		return sys;
	}
	p->out = out[0];
	fcntl(p->out, F_SETFL, O_NONBLOCK);
	return 0;
}

/* The last OUTPUT_KEPT bytes stay. False at its end. */
static bool take_output(struct child_process *p)
{
	char buf[4096];
	ssize_t n;

	while ((n = read(p->out, buf, sizeof(buf))) > 0) {
		size_t room = OUTPUT_KEPT - p->n, len = (size_t)n;

		if (len > room) {
			memmove(p->text, p->text + (len - room), p->n - (len - room));
			p->n -= len - room;
		}
		memcpy(p->text + p->n, buf, len);
		p->n += len;
	}
	return n < 0 && (errno == EAGAIN || errno == EINTR);
}

static bool reap(struct child_process *p)
{
	if (!p->reaped && waitpid(p->pid, &p->status, WNOHANG) == p->pid)
		p->reaped = true;
	return p->reaped;
}

/* Until it ends, the time is over, or *stop. */
static void follow(struct child_process *p, uint64_t timeout, const volatile int *stop)
{
	uint64_t end = clock_now() + timeout;
	bool open = true;

	while (!reap(p) && clock_now() < end && !(stop && *stop)) {
		struct pollfd in = {.fd = open ? p->out : -1, .events = POLLIN};

		poll(&in, 1, (int)(TICK / NS_PER_MS));
		if (open)
			open = take_output(p);
	}
	take_output(p); /* what is left; a process that it left behind may keep the pipe open */
}

static void end_group(struct child_process *p)
{
	static const int sigs[] = {SIGTERM, SIGKILL};

	for (size_t i = 0; i < 2 && !p->reaped; i++) {
		kill(-p->pid, sigs[i]);
		follow(p, TERM_WAIT, NULL);
	}
	kill(-p->pid, SIGKILL); /* others of its group */
}

static void add_output(struct str *s, const struct child_process *p)
{
	size_t from = p->n > OUTPUT_SHOWN ? p->n - OUTPUT_SHOWN : 0, end = p->n;

	while (end > from && c_isspace(p->text[end - 1]))
		end--;
	while (from && from < end && (p->text[from] & 0xc0) == 0x80)
		from++;
	if (end == from)
		return;
	str_add(s, ": ");
	if (from)
		str_add(s, "... ");
	while (from < end) {
		const char *nl = memchr(p->text + from, '\n', end - from);
		size_t len = nl ? (size_t)(nl - p->text) - from : end - from;

		str_add_clean(s, p->text + from, len);
		str_add(s, nl ? " | " : "");
		from += len + (nl != NULL);
	}
}

static int tell(const struct child_process *p, const char *what, const struct suite_command *c,
		int sys, bool timed_out, bool stopped, struct err *e)
{
	struct str line, s;
	char buf[64];

	str_init(&line);
	str_init(&s);
	suite_command_show(c, &line);
	str_addf(&s, "%s command \"%.150s\" ", what, line.s);
	if (sys)
		str_addf(&s, "could not be started: %s", err_text(sys, buf, sizeof(buf)));
	else if (!p->reaped)
		str_add(&s, "could not be killed");
	else if (stopped)
		str_add(&s, "was stopped by a signal");
	else if (timed_out) {
		str_add(&s, "did not end within ");
		unit_format_duration(&s, c->timeout);
	} else if (WIFSIGNALED(p->status))
		str_addf(&s, "was ended by signal %d", WTERMSIG(p->status));
	else
		str_addf(&s, "ended with status %d", WEXITSTATUS(p->status));
	if (!sys)
		add_output(&s, p);
	if (stopped)
		err_set(e, ERR_INTR, "%s", s.s);
	else
		err_set(e, ERR_MEASURE, "%s", s.s);
	str_release(&line);
	str_release(&s);
	return e->code;
}

static int run_one(const struct suite_command *c, const char *what, const struct command_env *env,
		   const volatile int *stop, struct err *e)
{
	struct child_process p = {0};
	bool timed_out, stopped;
	int sys = start(&p, c, env);

	if (sys)
		return tell(&p, what, c, sys, false, false, e);
	follow(&p, c->timeout, stop);
	stopped = !p.reaped && stop && *stop;
	timed_out = !p.reaped && !stopped;
	if (!p.reaped)
		end_group(&p);
	close(p.out);
	if (timed_out || stopped || !p.reaped || !WIFEXITED(p.status) || WEXITSTATUS(p.status))
		return tell(&p, what, c, 0, timed_out, stopped, e);
	return 0;
}

int commands_run(const suite_commands *c, const char *what, const struct command_env *env,
		 const volatile int *stop, struct err *e)
{
	for (size_t i = 0; i < c->n; i++)
		if (run_one(&c->v[i], what, env, stop, e) < 0)
			return e->code;
	return 0;
}
