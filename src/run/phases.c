/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The I/O loop of one thread: ramp, measure, drain. Time is the engine's, so that a virtual clock
 * drives everything here. An I/O belongs to the phase in which it was issued.
 */
#include "run/live.h"

#include <sys/resource.h>

/* How long a stopped or failed run may drain before the memory is left to the kernel. */
#define DRAIN_NS (10 * NS_PER_SEC)

/* Stopped by the supervisor, or an I/O of the job failed (in this thread or in another one). */
__attribute__((noinline, cold)) static bool ended_early_slow(struct task *k)
{
	if (live_failed(k->live)) {
		k->end = END_FAILED;
	} else if (atomic_load_explicit(&k->live->stop, memory_order_relaxed)) {
		k->end = END_STOP;
		atomic_store_explicit(&k->live->early, 1, memory_order_relaxed);
	}
	return k->end == END_STOP || k->end == END_FAILED;
}

static inline bool ended_early(struct task *k)
{
	if (__builtin_expect(!live_failed(k->live) && !live_stopped(k->live) &&
				     k->end != END_STOP && k->end != END_FAILED,
			     1))
		return false;
	return ended_early_slow(k);
}

__attribute__((cold)) void task_broken(struct task *k)
{
	live_fail(k->live, OUTCOME_IO_ERROR, k->eng.broken.sys, 0, 0, "%s on '%s'",
		  k->eng.broken.text, k->req->target_name);
	k->end = END_FAILED;
}

/*
 * A wait from k->now (or the submission behind it) to `until` is over. Only a thread that did not
 * get to run comes back much later; how long the target takes plays no part in it, for the wait has
 * a limit of its own. A synchronous engine has no such wait: there the supervisor alone sees a
 * stop.
 */
static void note_late(struct task *k, uint64_t from, uint64_t until)
{
	uint64_t limit = until > from ? until : from;

	if (__builtin_expect(k->now > limit, 0) && k->now - limit > k->t->late && !k->is_virtual &&
	    k->phase >= PHASE_MEASURE)
		k->t->late = k->now - limit;
}

static void task_collect(struct task *k, unsigned min, unsigned max, uint64_t until)
{
	uint64_t from = k->now > k->taken_at ? k->now : k->taken_at;
	int n = engine_reap(&k->eng, k->done, min, max, until);
	unsigned m;

	k->now = task_clock(k);
	if (!k->is_sync)
		note_late(k, from, until);
	if (n < 0) {
		task_broken(k);
		return;
	}
	m = task_settle(k, (unsigned)n);
	if (!m)
		return;
	if (__builtin_expect(k->injected, 0))
		task_inject(k, m);
	if (k->holding) {
		for (unsigned i = 0; i < m; i++)
			k->held[k->nheld++] = k->done[i];
		return;
	}
	task_deliver(k, k->done, m);
}

static void cancel_all(struct task *k)
{
	k->cancelled = true;
	for (unsigned i = 0; i < k->depth; i++) {
		if (k->eng.out[i])
			engine_cancel(&k->eng, &k->ios[i]);
	}
}

/* Gives back what no engine has taken (all: the rests of short transfers too). */
static void drop_pending(struct task *k, bool all)
{
	unsigned kept = 0;

	for (unsigned i = 0; i < k->npend; i++) {
		if (all || k->pend[i]->submitted == FRESH)
			k->free[k->nfree++] = k->pend[i];
		else
			k->pend[kept++] = k->pend[i];
	}
	/* Submitted in order: what was not is the tail of the pattern, and comes again. */
	if (__builtin_expect(k->verify.on, 0))
		pattern_rewind(k->pattern, k->npend - kept);
	k->npend = kept;
}

void task_quiesce(struct task *k)
{
	uint64_t limit = 0;

	while (k->npend || k->eng.inflight) {
		if (!limit && ended_early(k)) {
			drop_pending(k, true);
			cancel_all(k);
			/* Real time also for a virtual engine: this bounds a drain that went wrong.
			 */
			limit = clock_now() + DRAIN_NS;
		}
		if (k->npend)
			task_push(k);
		if (k->eng.inflight)
			task_collect(k, 1, k->depth, task_patience(k, UINT64_MAX));
		if ((limit && clock_now() > limit) || k->eng.broken.code) {
			k->stuck = k->eng.inflight > 0;
			return;
		}
	}
}

static void border_mark(struct task *k, int border)
{
	struct live *l = k->live;
	struct rusage u;

	/* RUSAGE_SELF: the kernel's io workers and SQPOLL threads of a ring count too. */
	getrusage(RUSAGE_SELF, &u);
	l->cpu_usr[border] =
		(uint64_t)u.ru_utime.tv_sec * NS_PER_SEC + (uint64_t)u.ru_utime.tv_usec * NS_PER_US;
	l->cpu_sys[border] =
		(uint64_t)u.ru_stime.tv_sec * NS_PER_SEC + (uint64_t)u.ru_stime.tv_usec * NS_PER_US;
	if (k->device && (border || !device_marks_early(k->job)))
		device_mark(k->device, &l->device, border);
}

static void set_phase(struct task *k, enum phase phase)
{
	k->phase = phase;
	atomic_store_explicit(&k->t->phase, phase, memory_order_relaxed);
}

static bool syncs_at_end(const struct task *k)
{
	return k->job->end_fsync && job_writes(k->job) && !job_trims(k->job);
}

/*
 * Does the window end for all threads at once, else with the last thread? Asked of the job and not
 * of the thread: with a runtime that only bounds a size, some threads end by time and others before
 * it, and none of them would then be the one that takes the mark.
 */
static bool ends_together(const struct task *k)
{
	return k->job->time_based && !syncs_at_end(k);
}

static void cpu_leave(struct task *k)
{
	unsigned before = atomic_fetch_add(&k->live->cpu_left, 1);

	if (ends_together(k) ? before == 0 : before + 1 == k->live->nthreads)
		border_mark(k, 1);
}

__attribute__((noinline, cold)) static void enter_window(struct task *k)
{
	drop_pending(k, false);
	if (!k->job->time_based) {
		/* What the ramp did is none of the size: the window does all of it. */
		if (k->verify.on)
			verify_restart(k);
		task_rewind(k);
		k->passes = k->job->loops;
		if (__builtin_mul_overflow(k->pattern[0].blocks, k->passes, &k->left) ||
		    __builtin_mul_overflow(k->left, k->npatterns, &k->left))
			k->left = UINT64_MAX;
		k->writes = 0;
	}
	pace_start(&k->pace, k->ws);
	k->edge = k->we;
	k->t->ramp = k->ws - k->t0;
	set_phase(k, PHASE_MEASURE);
	if (atomic_fetch_add(&k->live->cpu_begun, 1) == 0) {
		border_mark(k, 0);
		atomic_store(&k->live->window_at, clock_now());
	}
	k->now = engine_now(&k->eng); /* the work of this function is no I/O's latency */
	task_quantum_start(k, k->now);
}

/* Waits for a completion, for the pacer, or for the next border. */
static void wait_more(struct task *k)
{
	bool paced =
		k->pace.due > k->now && k->nfree && !k->npend && k->left && k->sync_due == IO_READ;
	uint64_t from = k->now;
	uint64_t until = task_patience(k, paced && k->pace.due < k->edge ? k->pace.due : k->edge);

	if (k->eng.inflight) {
		bool full = !k->nfree && !k->npend;

		task_collect(k, full ? k->complete_min : 1, k->complete_max, until);
	} else {
		if (paced)
			engine_sleep_until(&k->eng, until);
		k->now = engine_now(&k->eng);
		if (paced)
			note_late(k, from, until);
	}
	if (paced)
		k->q.idle += k->now - from;
}

static void work(struct task *k)
{
	while (k->end == END_NOT && !ended_early(k)) {
		if (k->now >= k->edge) {
			if (k->phase == PHASE_MEASURE) {
				k->end = END_TIME;
				return;
			}
			enter_window(k);
			continue;
		}
		if (k->single && k->nfree && k->left) {
			task_single(k);
			continue;
		}
		task_issue(k);
		if (k->stretch > 0 && k->deep && task_quantum_over(k)) {
			/* Behind task_issue(): the full depth is in flight, and withheld. */
			task_quantum_hold(k);
		} else if (k->is_sync && k->eng.inflight) {
			task_collect(k, 1, 1, 0); /* it is done: there is nothing to wait for */
		} else if (k->eng.inflight || k->npend) {
			wait_more(k);
		} else if (k->sync_due != IO_READ) {
			if (k->sync_due != SYNC_NOTHING)
				task_sync(k, k->sync_due);
			k->sync_due = IO_READ;
		} else if (!k->left) {
			k->end = END_SPENT;
		} else if (k->pace.thinking) {
			pace_thought(&k->pace, k->now);
		} else {
			wait_more(k);
		}
	}
}

/* End of the window of this thread, in the engine's time. */
static uint64_t window_end(const struct task *k)
{
	if (k->end == END_STOP || syncs_at_end(k))
		return k->now;
	return k->end == END_TIME ? k->we : k->last;
}

/*
 * Bytes that were due inside the window and never issued: the target is slower than the rate. Their
 * latency is in no histogram, so the run has to say so.
 */
static uint64_t overdue(const struct task *k)
{
	double due = (double)(k->we - k->ws) / k->pace.period, done = (double)k->pace.n;

	/* one I/O is always on its way */
	return due - done > 2.0 * job_bs_max(k->job) ? (uint64_t)(due - done) : 0;
}

static void finish(struct task *k)
{
	bool measured = k->phase == PHASE_MEASURE;
	bool common = ends_together(k);

	set_phase(k, PHASE_DRAIN);
	if (common)
		cpu_leave(k);
	drop_pending(k, false);
	task_quiesce(k);
	if (syncs_at_end(k) && (k->end == END_TIME || k->end == END_SPENT))
		task_sync(k, IO_FSYNC);
	if (!common)
		cpu_leave(k);
	if (!measured || k->end == END_FAILED)
		return;
	uint64_t end = window_end(k);

	if (k->open && k->end == END_TIME)
		k->t->unissued = overdue(k);
	k->t->window = end > k->ws ? end - k->ws : 0;
	if (end > k->last && end - k->last > k->t->stall)
		k->t->stall = end - k->last;
}

void task_run(struct task *k)
{
	const struct job *j = k->job;

	k->t0 += j->startdelay;
	while (!k->is_virtual && clock_now() < k->t0 && !ended_early(k))
		clock_sleep_until(task_patience(k, k->t0));
	k->now = engine_now(&k->eng);
	if (k->is_virtual)
		k->t0 = k->now;
	if (k->is_virtual && j->startdelay) {
		k->t0 += j->startdelay;
		engine_sleep_until(&k->eng, k->t0);
		k->now = engine_now(&k->eng);
	}
	k->ws = k->t0 + j->ramp_time;
	k->we = j->runtime ? k->ws + j->runtime : UINT64_MAX;
	k->edge = k->ws;
	k->count_until = syncs_at_end(k) ? UINT64_MAX : k->we;
	k->last = k->ws;
	k->slot_end = k->ws; /* the first completion inside the window is beyond it */
	k->slot = UINT64_MAX;
	k->delivered = k->now;
	k->left = UINT64_MAX;
	k->sync_due = IO_READ;
	k->open = j->rate > 0;
	pace_init(&k->pace, k->open ? j->rate : j->rate_iops, k->req->inject.slow);
	pace_init_think(&k->pace, j->thinktime, j->thinktime_blocks);
	pace_start(&k->pace, k->t0);
	k->steady = !k->pace.on && !k->pattern->odd && !j->fsync && !j->fdatasync && !k->verify.on;
	task_inject_init(k);
	k->single = k->steady && k->is_sync && !k->is_virtual && !k->injected;
	task_quantum_start(k, k->now);
	set_phase(k, PHASE_RAMP);
	work(k);
	finish(k);
	set_phase(k, PHASE_END);
}
