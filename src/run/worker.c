/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The worker process of one job: set-up, threads that begin together, the last word. */
#include "run/child.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct worker {
	const struct run_request *req;
	const struct engine *engine;
	struct live *live;
	/* All threads set up, then go. No barrier: it would wait for a thread that was killed. */
	pthread_mutex_t lock;
	pthread_cond_t begin;
	bool go;
	uint64_t t0;
	pthread_t *thread;
	bool *joined;
	struct task *task;
	struct device device;
};

static void setup_failed(struct worker *w, const struct err *e)
{
	live_fail(w->live, OUTCOME_SETUP, e->sys, 0, 0, "%s%s%s", e->text, e->hint[0] ? "; " : "",
		  e->hint);
}

int task_engine(struct task *k, unsigned depth, void *buffers, size_t buffer_len, struct err *e)
{
	struct engine_config c = {
		.fds = k->fds,
		.nfds = k->nfds,
		.depth = depth,
		.buffers = buffers,
		.buffer_len = buffer_len,
		.direct = k->job->direct,
		.hipri = k->job->hipri,
		.nowait = k->job->nowait,
		/* Memory that may be registered is short: only that of the measured I/O is. */
		.fixedbufs = k->job->fixedbufs && buffers == k->buffers,
		.registerfiles = k->job->registerfiles,
		.sqthread_poll = k->job->sqthread_poll,
		.seed = rng_mix(k->req->run_seed + k->index),
		.script = k->job->sim ? k->job->sim : "",
	};

	return engine_open(&k->eng, k->engine, &c, e);
}

static unsigned clip(uint32_t v, unsigned low, unsigned high)
{
	return v < low ? low : v > high ? high : v;
}

static int task_open(struct task *k, struct err *e)
{
	const struct job *j = k->job;
	int rc = task_place(k, e);

	if (rc)
		return rc;
	k->is_sync = k->engine->caps & ENGINE_SYNC;
	k->is_virtual = k->engine->caps & ENGINE_VIRTUAL;
	k->depth = k->is_sync ? 1 : clip(j->iodepth, 1, UINT32_MAX);
	k->batch = clip(j->iodepth_batch_submit, 1, k->depth);
	k->complete_min = clip(j->iodepth_batch_complete_min, 1, k->depth);
	k->complete_max = clip(j->iodepth_batch_complete_max, k->complete_min, k->depth);
	task_patterns(k);
	k->log = latlog_part(k->req->log, k->index);
	/* Touches the recorders that will be used, so that none faults in the window. */
	for (int d = 0; d < DIR_COUNT; d++) {
		if (d == DIR_READ ? job_reads(j)
				  : job_writes(j) && (d == DIR_TRIM) == job_trims(j)) {
			hist_reset(&k->t->dir[d].slat);
			hist_reset(&k->t->dir[d].clat);
			hist_reset(&k->t->dir[d].lat);
		}
	}
	rc = task_alloc(k, e);
	if (!rc)
		rc = task_placed(k, e);
	if (!rc && !(k->engine->caps & ENGINE_DISKLESS))
		rc = task_reopen(k, e);
	if (!rc)
		rc = task_engine(k, k->depth, k->buffers, k->buffer_len, e);
	if (!rc)
		snprintf(k->t->note, sizeof(k->t->note), "%s", engine_about(&k->eng));
	return rc;
}

static void task_close(struct task *k)
{
	/* What is still in flight may write into the buffers: they stay until exit. */
	if (k->stuck)
		return;
	if (k->eng.ctx)
		engine_close(&k->eng);
	task_close_files(k);
	task_free(k);
}

struct thread_arg {
	struct worker *w;
	struct task *k;
};

static void await_begin(struct worker *w)
{
	pthread_mutex_lock(&w->lock);
	while (!w->go)
		pthread_cond_wait(&w->begin, &w->lock);
	pthread_mutex_unlock(&w->lock);
}

static void begin(struct worker *w)
{
	pthread_mutex_lock(&w->lock);
	w->go = true;
	pthread_cond_broadcast(&w->begin);
	pthread_mutex_unlock(&w->lock);
}

static void *thread_main(void *p)
{
	struct thread_arg *a = p;
	struct live_thread *t = a->k->t;
	struct err e = ERR_INIT;

	if (task_open(a->k, &e))
		setup_failed(a->w, &e);
	atomic_store(&t->phase, PHASE_READY);
	await_begin(a->w);
	a->k->t0 = a->w->t0;
	if (!live_failed(a->w->live))
		task_run(a->k);
	t->retried = engine_retried(&a->k->eng);
	verify_run(a->k);
	task_close(a->k);
	atomic_store(&t->ended, 1);
	return NULL;
}

/* What can be refused before a thread exists. */
static int check_job(const struct job *j, const struct engine *g, struct err *e)
{
	uint32_t need = 0;
	struct random_dist dist;
	struct bs_mix mix;

	if (!g)
		return err_set(e, ERR_MEASURE, "unknown ioengine '%s'", j->ioengine);
	if (job_reads(j))
		need |= ENGINE_OP_READ;
	if (job_trims(j)) {
		need |= ENGINE_OP_TRIM;
	} else if (job_writes(j)) {
		need |= ENGINE_OP_WRITE;
		need |= j->fsync || j->end_fsync ? (uint32_t)ENGINE_OP_FSYNC : 0;
		need |= j->fdatasync ? (uint32_t)ENGINE_OP_FDATASYNC : 0;
	}
	if (job_verifies(j)) {
		if (job_verify_obstacle(j) || (g->caps & ENGINE_DISKLESS))
			return err_set(e, ERR_MEASURE, "'%s': verify cannot be had with this %s",
				       j->name, job_verify_obstacle(j) ?: "ioengine");
		need |= ENGINE_OP_READ;
	}
	if ((g->caps & need) != need)
		return err_set(e, ERR_MEASURE, "ioengine '%s' cannot do what '%s' asks for (%s)",
			       g->name, j->name,
			       (need & ~g->caps) & (ENGINE_OP_FSYNC | ENGINE_OP_FDATASYNC)
				       ? "fsync, fdatasync"
			       : need & ~g->caps & ENGINE_OP_READ ? "read"
			       : job_trims(j)                     ? "trim"
								  : "write");
	if (job_bs_mix(j, &mix) || mix.smallest != j->bs)
		return err_set(e, ERR_MEASURE, "'%s': its block sizes are not valid", j->name);
	if (job_random_dist(j, &dist))
		return err_set(e, ERR_MEASURE, "'%s': random_distribution '%s' is not valid",
			       j->name, j->random_distribution);
	if (!j->bs || job_file_size(j) < mix.largest)
		return err_set(e, ERR_MEASURE, "'%s': a region of %llu bytes holds no block of %u",
			       j->name, (unsigned long long)job_file_size(j), mix.largest);
	if (j->offset + j->size < j->offset || j->offset + j->size > INT64_MAX)
		return err_set(e, ERR_MEASURE, "'%s': offset plus size is beyond any device",
			       j->name);
	if (j->rate > 0 && j->rate_iops > 0)
		return err_set(e, ERR_MEASURE, "'%s' has both rate and rate_iops", j->name);
	if (j->buffer_compress_percentage > 99 || j->dedupe_percentage > 100)
		return err_set(e, ERR_MEASURE,
			       "'%s': its shares of zeros or duplicates are not valid", j->name);
	if (j->time_based && !j->runtime)
		return err_set(e, ERR_MEASURE, "'%s' is time_based without a runtime", j->name);
	if (!j->numjobs || (!j->time_based && !j->loops))
		return err_set(e, ERR_MEASURE, "'%s' has numjobs or loops 0", j->name);
	return 0;
}

static int check_dropped(struct worker *w, const struct cache_look *c, struct err *e)
{
	const struct job *j = w->req->job;

	if (!cache_kept(c, j->direct_auto, w->live->note, sizeof(w->live->note)))
		return 0;
	err_set(e, ERR_MEASURE,
		"'%s' reads '%s' through the page cache, and %llu of %llu pages looked at "
		"could not be dropped from it",
		j->name, w->req->target_name, (unsigned long long)c->left,
		(unsigned long long)c->seen);
	return err_hint(e, "direct: true, a target that is not kept in memory (tmpfs, locked or "
			   "mapped pages), or invalidate: false to read from memory on purpose");
}

static int drop_caches(struct worker *w, struct err *e)
{
	const struct run_request *req = w->req;
	const struct job *j = req->job;
	struct cache_look c = {0};

	for (unsigned i = 0; i < req->nfds; i++) {
		int rc = run_invalidate(req->fds[i], req->target_name, e);

		if (rc)
			return rc;
		if (!j->direct && job_reads(j))
			cache_look(req->fds[i], j->offset, job_file_size(j), &c);
	}
	return check_dropped(w, &c, e);
}

/* Jobs of one call begin together: each waits here for the others. */
static uint64_t wait_gate(struct child *c)
{
	struct live *l = c->live;
	uint64_t at;

	atomic_store(&l->phase, PHASE_READY);
	if (!c->gated)
		return clock_now();
	while (!(at = atomic_load(&l->go_at)) && !atomic_load(&l->stop))
		clock_sleep_until(clock_now() + 200 * NS_PER_US);
	return at ? at : clock_now();
}

/*
 * Is thread i at its end? Waits a while for it, if asked (timedjoin goes by the wall clock: when
 * that is set, the next look is late, nothing else). A thread that was killed makes the run fail.
 */
static bool thread_over(struct worker *w, unsigned i, bool wait)
{
	struct timespec ts;
	char text[256];

	if (w->joined[i])
		return true;
	if (wait) {
		clock_gettime(CLOCK_REALTIME, &ts);
		ts.tv_nsec += 100 * 1000 * 1000;
		ts.tv_sec += ts.tv_nsec / 1000000000;
		ts.tv_nsec %= 1000000000;
	}
	if (wait ? pthread_timedjoin_np(w->thread[i], NULL, &ts)
		 : pthread_tryjoin_np(w->thread[i], NULL))
		return false;
	w->joined[i] = true;
	if (!atomic_load(&w->live->thread[i].ended)) {
		live_lost_thread(w->live, i, w->req->job->name, w->req->target_name, text,
				 sizeof(text));
		live_fail(w->live, OUTCOME_CRASHED, 0, 0, 0, "%s", text);
	}
	return true;
}

static void await_ready(struct worker *w, unsigned n)
{
	for (unsigned ready = 0; ready < n;) {
		if (atomic_load(&w->live->thread[ready].phase) >= PHASE_READY ||
		    thread_over(w, ready, false))
			ready++;
		else
			clock_sleep_until(clock_now() + 200 * NS_PER_US);
	}
}

/* Looks at all of them now and then: the others need not work to the end beside a dead one. */
static void join_all(struct worker *w, unsigned n)
{
	unsigned left = n;

	while (left) {
		unsigned first = n;

		left = 0;
		for (unsigned i = 0; i < n; i++) {
			if (thread_over(w, i, false))
				continue;
			first = left++ ? first : i;
		}
		if (left)
			thread_over(w, first, true);
	}
}

static void run_threads(struct child *c, struct worker *w)
{
	unsigned n = w->req->job->numjobs;
	struct thread_arg *arg = xcalloc(n, sizeof(*arg));
	char buf[32];

	w->thread = xcalloc(n, sizeof(*w->thread));
	w->joined = xcalloc(n, sizeof(*w->joined));
	for (unsigned i = 0; i < n; i++) {
		w->task[i] = (struct task){.job = w->req->job,
					   .req = w->req,
					   .live = w->live,
					   .t = &w->live->thread[i],
					   .engine = w->engine,
					   .index = i,
					   .device = &w->device};
		arg[i] = (struct thread_arg){w, &w->task[i]};
		int rc = pthread_create(&w->thread[i], NULL, thread_main, &arg[i]);

		if (rc) {
			live_fail(
				w->live, OUTCOME_SETUP, rc, 0, 0,
				"cannot start thread %u of %u of '%s': %s; lower numjobs, or raise "
				"what limits processes or memory (ulimit -u, ulimit -v, pids.max)",
				i + 1, n, w->req->job->name, err_text(rc, buf, sizeof(buf)));
			/* Here and now: those that were started use what stands on this stack. */
			atomic_store(&w->live->final, 1);
			_exit(0);
		}
	}
	await_ready(w, n);
	device_open(&w->device, w->req->job, w->engine, w->req->nfds ? w->req->fds[0] : -1,
		    &w->live->device);
	if (!live_failed(w->live))
		w->t0 = wait_gate(c);
	if (device_marks_early(w->req->job))
		device_mark(&w->device, &w->live->device, 0);
	atomic_store(&w->live->begun, w->t0);
	atomic_store(&w->live->phase, PHASE_RAMP);
	begin(w);
	join_all(w, n);
	free(w->thread);
	free(w->joined);
	free(arg);
}

void worker_body(struct child *c)
{
	struct worker w = {.req = c->arg, .live = c->live, .device = {-1, -1}};
	const struct job *j = w.req->job;
	struct err e = ERR_INIT;

	w.engine = engine_find(j->ioengine);
	if (check_job(j, w.engine, &e)) {
		setup_failed(&w, &e);
		return;
	}
	w.live->sync_engine = w.engine->caps & ENGINE_SYNC;
	w.live->open_loop = j->rate > 0;
	if (j->invalidate && !(w.engine->caps & ENGINE_DISKLESS) && drop_caches(&w, &e)) {
		setup_failed(&w, &e);
		return;
	}
	pthread_mutex_init(&w.lock, NULL);
	pthread_cond_init(&w.begin, NULL);
	w.task = xcalloc(j->numjobs, sizeof(*w.task));
	run_threads(c, &w);
	device_close(&w.device);
	atomic_store(&w.live->phase, PHASE_END);
}
