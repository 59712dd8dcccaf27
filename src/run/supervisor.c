/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The supervisor: forks the workers of a call, watches their pidfds, and bounds each of them. A
 * worker's own word is never waited for without a limit, because a process that waits for I/O may
 * be unkillable.
 */
#include "run/child.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#define TICK_NS (100 * NS_PER_MS)
#define DEFAULT_GRACE (10 * NS_PER_SEC)
#define DEFAULT_KILL_WAIT (2 * NS_PER_SEC)
/* Set-up (buffers, engine, dropping caches) may take this many graces. */
#define SETUP_GRACES 6
#define LAYOUT_RATE 1000000ULL    /* bytes a second that any target is expected to reach */
#define SYNC_NS (60 * NS_PER_SEC) /* what an end_fsync may take */
#define SLOTS_MAX (24ULL * 3600 * 10)
#define SLOTS_SPARE 600 /* a minute: the last completions come in the grace */

static uint64_t add_sat(uint64_t a, uint64_t b)
{
	return a + b < a ? UINT64_MAX : a + b;
}

static uint64_t scale_sat(double ns)
{
	return ns < 9e18 ? (uint64_t)ns : UINT64_MAX / 2;
}

/* Of ramp and window. */
static uint64_t window_deadline(const struct job *j)
{
	uint64_t planned = j->runtime;

	if (!planned) {
		double loops = (double)(j->loops ? j->loops : 1);
		double bytes = (double)j->size * loops;
		double slow = bytes * j->numjobs * 1e9 / LAYOUT_RATE;
		double paced = j->rate_iops > 0 && j->bs ? bytes / j->bs / j->rate_iops * 1e9 : 0;

		if (j->rate > 0)
			paced = bytes / j->rate * 1e9;
		if (j->thinktime && j->bs)
			paced += bytes / j->bs / (j->thinktime_blocks ?: 1) * (double)j->thinktime;
		planned = add_sat(scale_sat(slow > paced ? slow : paced), 60 * NS_PER_SEC);
	}
	planned = add_sat(planned, j->ramp_time);
	planned = add_sat(planned, j->startdelay);
	if (j->end_fsync && job_writes(j))
		planned = add_sat(planned, SYNC_NS);
	return planned;
}

/* Behind the window all is written back, and read once. */
static uint64_t verify_deadline(const struct job *j)
{
	double bytes = (double)j->size * j->numjobs;

	return job_verifies(j) ? add_sat(scale_sat(bytes * 1e9 / LAYOUT_RATE), SYNC_NS) : 0;
}

uint64_t run_deadline(const struct job *j)
{
	return add_sat(window_deadline(j), verify_deadline(j));
}

struct watch {
	struct child *c;
	size_t n;
	const struct run_options *opt;
	uint64_t grace, kill_wait;
	uint64_t next_progress;
	bool stopping;
};

static void give_up(struct watch *w, struct child *c, uint64_t now)
{
	c->headless = child_state(c->pid) == 'Z';
	kill(c->pid, SIGKILL);
	c->kill_by = add_sat(now, w->kill_wait);
}

/* Limit of what the child is doing now, monotonic ns. */
static uint64_t limit_of(const struct watch *w, const struct child *c)
{
	uint64_t begun = atomic_load(&c->live->begun);

	if (c->kill_by)
		return c->kill_by;
	if (c->stop_by)
		return c->stop_by;
	if (begun)
		return add_sat(add_sat(begun, c->planned), w->grace);
	if (atomic_load(&c->live->phase) == PHASE_READY)
		return UINT64_MAX; /* waits for the others, whose set-up is bounded */
	return add_sat(c->forked, SETUP_GRACES * w->grace);
}

static void end_child(struct child *c, uint64_t now, bool abandoned)
{
	c->gone = true;
	c->abandoned = abandoned;
	c->ended = now;
	if (c->pidfd >= 0)
		close(c->pidfd);
	c->pidfd = -1;
}

/* A stopped worker measures its own absence, whatever the engine. */
static void watch_stops(struct child *c, uint64_t now)
{
	siginfo_t si = {0};

	if (waitid(P_PID, (id_t)c->pid, &si, WSTOPPED | WCONTINUED | WNOHANG) || !si.si_pid)
		return;
	if (si.si_code == CLD_STOPPED) {
		if (!c->stopped_at)
			c->stopped_at = now;
	} else if (c->stopped_at) {
		c->stopped += now - c->stopped_at;
		c->stopped_at = 0;
	}
}

static void check_child(struct watch *w, struct child *c, bool exited, uint64_t now)
{
	if (exited) {
		pid_t got;

		do
			got = waitpid(c->pid, &c->wstatus, 0);
		while (got < 0 && errno == EINTR);
		if (got < 0)
			c->wstatus = CHILD_STATUS_UNKNOWN;
		if (c->stopped_at) /* gone on and at its end within one tick */
			c->stopped += now - c->stopped_at;
		end_child(c, now, false);
		return;
	}
	watch_stops(c, now);
	if (w->stopping && !c->stop_by && !c->kill_by) {
		atomic_store(&c->live->stop, 1);
		c->stop_by = add_sat(now, w->grace); /* it drains meanwhile */
	}
	if (now < limit_of(w, c))
		return;
	if (c->kill_by) {
		end_child(c, now, true);
	} else {
		c->interrupted = c->stop_by != 0;
		c->hung = !c->interrupted;
		give_up(w, c, now);
	}
}

/* Opens the gate when every worker that still lives is set up. */
static bool open_gate(struct watch *w, uint64_t now)
{
	for (size_t i = 0; i < w->n; i++) {
		if (!w->c[i].gone && atomic_load(&w->c[i].live->phase) < PHASE_READY)
			return false;
	}
	for (size_t i = 0; i < w->n; i++)
		atomic_store(&w->c[i].live->go_at, now + 2 * NS_PER_MS);
	return true;
}

static void progress(struct watch *w, uint64_t now)
{
	struct run_progress p = {.phase = "ramp"};

	if (!w->opt->progress || now < w->next_progress)
		return;
	w->next_progress = now + TICK_NS;
	p.at = clock_now();
	for (size_t i = 0; i < w->n; i++) {
		const struct live *l = w->c[i].live;
		uint64_t start = atomic_load(&l->window_at);
		unsigned phase = PHASE_SETUP;

		for (unsigned t = 0; t < l->nthreads; t++) {
			p.ios += atomic_load_explicit(&l->thread[t].ios, memory_order_relaxed);
			p.bytes += atomic_load_explicit(&l->thread[t].bytes, memory_order_relaxed);
			phase = atomic_load_explicit(&l->thread[t].phase, memory_order_relaxed);
		}
		if (!w->c[i].gone && phase >= PHASE_MEASURE)
			p.phase = phase == PHASE_MEASURE  ? "measure"
				  : phase == PHASE_VERIFY ? "verify"
							  : "drain";
		if (start && now > start && now - start > p.elapsed)
			p.elapsed = now - start;
		if (l->window_planned > p.expected)
			p.expected = l->window_planned;
	}
	w->opt->progress(w->opt->arg, &p);
}

static int wait_ms(const struct watch *w, uint64_t now, bool gate)
{
	uint64_t next = now + (gate ? NS_PER_MS : TICK_NS);

	for (size_t i = 0; i < w->n; i++) {
		uint64_t limit = w->c[i].gone ? UINT64_MAX : limit_of(w, &w->c[i]);

		if (limit < next)
			next = limit;
	}
	return next > now ? (int)((next - now + NS_PER_MS - 1) / NS_PER_MS) : 0;
}

static bool stop_asked(const struct run_options *opt)
{
	return opt->stop && *opt->stop;
}

static size_t start_all(struct watch *w)
{
	size_t alive = 0;

	for (size_t i = 0; i < w->n; i++) {
		struct child *c = &w->c[i];
		int rc = stop_asked(w->opt) ? -EINTR : child_start(c, w->opt);

		if (!rc) {
			alive++;
			continue;
		}
		c->gone = true;
		if (stop_asked(w->opt))
			c->interrupted = true;
		else
			c->error = -rc;
	}
	return alive;
}

/* One look at every child; returns how many still live. */
static size_t look(struct watch *w, const struct pollfd *p)
{
	uint64_t now = clock_now();
	size_t alive = 0;

	if (stop_asked(w->opt))
		w->stopping = true;
	for (size_t i = 0; i < w->n; i++) {
		if (!w->c[i].gone)
			check_child(w, &w->c[i], p[i].revents != 0, now);
		alive += !w->c[i].gone;
	}
	progress(w, now);
	return alive;
}

void supervise(struct child *c, size_t n, const struct run_options *opt)
{
	static const struct run_options none;
	struct watch w = {.c = c, .n = n, .opt = opt ? opt : &none};
	struct pollfd *p = xcalloc(n, sizeof(*p));
	bool gate = n > 1;

	w.grace = w.opt->grace ? w.opt->grace : DEFAULT_GRACE;
	w.kill_wait = w.opt->kill_wait ? w.opt->kill_wait : DEFAULT_KILL_WAIT;
	for (size_t i = 0; i < n; i++)
		c[i].gated = gate;
	size_t alive = start_all(&w);

	while (alive) {
		uint64_t now = clock_now();

		if (gate)
			gate = !open_gate(&w, now);
		for (size_t i = 0; i < n; i++)
			p[i] = (struct pollfd){.fd = c[i].gone ? -1 : c[i].pidfd, .events = POLLIN};
		/* A signal that sets the stop flag ends the wait. */
		if (poll(p, n, wait_ms(&w, now, gate)) < 0) {
			for (size_t i = 0; i < n; i++)
				p[i].revents = 0;
		}
		alive = look(&w, p);
	}
	free(p);
}

/* The window and 100 ms slots for it; a day of them at most. */
static uint64_t slots_for(const struct job *j)
{
	uint64_t n = window_deadline(j) / SLOT_NS + SLOTS_SPARE;

	return n < SLOTS_MAX ? n : SLOTS_MAX;
}

int fd_clear_of_streams(int fd, const char *target, struct err *e)
{
	if (fd < 0 || fd > STDERR_FILENO) /* a wrong one is refused by whoever opens it */
		return 0;
	err_set(e, ERR_MEASURE, "'%s' has descriptor %d, which is that of a standard stream",
		target, fd);
	return err_hint(e, "start the program with stdin, stdout and stderr open");
}

static int child_prepare(struct child *c, const struct run_request *r, struct err *e)
{
	*c = (struct child){
		.body = worker_body,
		.arg = r,
		.what = r->job->name,
		.target = r->target_name,
		.close_fds = r->close_in_child,
		.nclose = r->nclose,
		.planned = run_deadline(r->job),
		.live = live_new(r->job->numjobs, slots_for(r->job)),
		.pidfd = -1,
	};
	if (!c->live)
		return err_sys(e, ERR_MEASURE, ENOMEM, "shared memory for '%s' (%u threads)",
			       r->job->name, r->job->numjobs);
	c->live->window_planned = r->job->runtime;
	c->live->verifies = job_verifies(r->job);
	int rc = 0;

	for (unsigned i = 0; i < r->nfds && !rc; i++)
		rc = fd_clear_of_streams(r->fds[i], r->target_name, e);
	return rc;
}

/* A thread that came to its end and measured no time left nothing that could be judged. */
static void check_windows(const struct child *c, struct outcome *o)
{
	const struct live *l = c->live;

	for (unsigned i = 0; i < l->nthreads && o->status == OUTCOME_OK; i++) {
		if (l->thread[i].window)
			continue;
		o->status = OUTCOME_SETUP;
		snprintf(o->text, sizeof(o->text),
			 "thread %u of %u of '%s' on '%s' measured nothing: its window has no "
			 "length",
			 i + 1, l->nthreads, c->what, c->target);
	}
}

/* A thread that was to verify what it wrote and read nothing back left no evidence. */
static void check_verified(const struct child *c, struct outcome *o)
{
	const struct live *l = c->live;

	for (unsigned i = 0; i < l->nthreads && l->verifies && o->status == OUTCOME_OK; i++) {
		if (l->thread[i].verified || !l->thread[i].written)
			continue;
		o->status = OUTCOME_SETUP;
		snprintf(o->text, sizeof(o->text),
			 "thread %u of %u of '%s' on '%s' verified nothing of what it wrote", i + 1,
			 l->nthreads, c->what, c->target);
	}
}

void child_outcome(const struct child *c, struct outcome *o)
{
	child_verdict(c, o);
	check_windows(c, o);
	check_verified(c, o);
	if (c->stopped)
		outcome_note(o, "the worker was stopped by a signal for about %llu ms",
			     (unsigned long long)(c->stopped / NS_PER_MS));
	if ((o->status == OUTCOME_OK || o->status == OUTCOME_INTERRUPTED) &&
	    atomic_load(&c->live->final)) {
		live_gather(c->live, o);
		depth_note(((const struct run_request *)c->arg)->job, o);
		return;
	}
	/* A failed run has no numbers, but its writes wore the device. */
	for (unsigned i = 0; i < c->live->nthreads; i++)
		o->written += c->live->thread[i].written;
}

int run_jobs(const struct run_request *req, size_t n, const struct run_options *opt,
	     struct outcome *out, struct err *e)
{
	struct child *c = xcalloc(n ? n : 1, sizeof(*c));
	int rc = 0;

	for (size_t i = 0; i < n; i++)
		outcome_init(&out[i]);
	for (size_t i = 0; i < n && !rc; i++)
		rc = child_prepare(&c[i], &req[i], e);
	if (!rc)
		supervise(c, n, opt);
	size_t failed = 0;

	for (size_t i = 0; i < n; i++) {
		if (rc) {
			out[i].status = OUTCOME_SETUP;
			snprintf(out[i].text, sizeof(out[i].text), "%.*s", 511, e->text);
		} else {
			child_outcome(&c[i], &out[i]);
			failed += c[i].error != 0;
		}
		live_free(c[i].live);
	}
	if (!rc && n && failed == n)
		rc = err_set(e, ERR_MEASURE, "%s", out[0].text);
	free(c);
	return rc;
}
