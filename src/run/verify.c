/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a thread wrote under `verify`, and reading it back. The reasons are in the header. */
#include "run/child.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* Read in larger pieces than were written: it is the data that counts here, not the I/O. */
#define AREA (4u << 20)
#define DEPTH 16u
#define CHUNK_SYNC (1u << 20) /* of an engine that has one I/O in flight */
#define CHUNK (AREA / DEPTH)
/* What was not written is read with what was rather than around it, up to so much at a time. */
#define GAP (64u << 10)
/* Blocks that are looked through between two looks at the stop flag. */
#define SCAN (1u << 16)
/* How long a stopped or failed verification may wait for what is in flight. */
#define GIVE_UP_NS (10 * NS_PER_SEC)

void verify_init(struct task *k)
{
	k->verify.on = job_verifies(k->job);
	k->verify.id = rng_mix(k->req->run_seed + k->index + 0x76657269);
}

static uint64_t writes_of(const struct pattern *p)
{
	return p->pass * p->blocks + p->pos;
}

void verify_restart(struct task *k)
{
	struct verify *v = &k->verify;

	v->earlier = writes_of(k->pattern);
	v->base = (v->earlier + k->pattern->blocks - 1) / k->pattern->blocks;
	k->sync_due = SYNC_NOTHING;
}

void verify_fill(struct task *k, struct io *io, uint64_t pass)
{
	const struct verify_mark m = {k->verify.id, io->offset, k->verify.base + pass + 1};

	verify_block_fill(&k->contents, io->buf, io->len, &m);
	/* The last one of a pass: the next write of any block waits until all are done. */
	if (k->pattern->pos == 0)
		k->sync_due = SYNC_NOTHING;
}

/* Writes of a block among the first n of a pattern, whose passes each visit it once. */
static uint64_t writes_among(const struct pattern *p, uint64_t n, uint64_t block)
{
	uint64_t pass = n / p->blocks, rest = n % p->blocks;

	return pass + (rest && pattern_position(p, pass, block) < rest);
}

uint64_t verify_generation(const struct verify *v, const struct pattern *p, uint64_t block)
{
	uint64_t n = writes_among(p, writes_of(p), block);

	return n ? v->base + n : writes_among(p, v->earlier, block);
}

/* One reading back. */
struct readback {
	struct task *k;
	uint8_t *area;
	size_t area_len; /* mapped here; 0 = it is the job's */
	size_t stride;
	uint32_t blocks; /* of a chunk */
	uint64_t next;   /* block */
	unsigned depth, nfree, npend;
	struct io ios[DEPTH], *free[DEPTH], *pend[DEPTH];
	uint64_t right, wrong; /* blocks */
	uint64_t wrong_offset; /* of the first */
	char text[400];        /* about it, or about the read that failed */
	int sys;               /* of that read */
	bool over;             /* by that read */
	enum outcome_status status;
};

static bool others_done(const struct task *k)
{
	for (unsigned i = 0; i < k->live->nthreads; i++)
		if (atomic_load(&k->live->thread[i].phase) < PHASE_VERIFY)
			return false;
	return true;
}

static bool stopped(struct task *k)
{
	if (!atomic_load_explicit(&k->live->stop, memory_order_relaxed))
		return live_failed(k->live);
	k->end = END_STOP;
	atomic_store_explicit(&k->live->early, 1, memory_order_relaxed);
	return true;
}

/* To read what the page cache still holds would verify memory. */
static int check_dropped(struct task *k, struct err *e)
{
	const struct job *j = k->job;
	struct cache_look c = {0};
	char note[sizeof(k->t->verify_note) - sizeof("verify: ")];

	if (j->direct)
		return 0;
	cache_look(k->fds[0], j->offset, j->size, &c);
	if (cache_kept(&c, j->direct_auto, note, sizeof(note))) {
		err_set(e, ERR_MEASURE,
			"reading '%s' back would read memory: %llu of %llu pages looked at could "
			"not be dropped from the page cache",
			k->req->target_name, (unsigned long long)c.left,
			(unsigned long long)c.seen);
		return err_hint(e, "direct: true, or a target that is not kept in memory (tmpfs, "
				   "locked or mapped pages)");
	}
	if (*note)
		snprintf(k->t->verify_note, sizeof(k->t->verify_note), "verify: %s", note);
	return 0;
}

/* The area of the job where it is large enough, so that no second one has to fit into memory. */
static int take_area(struct readback *r, struct err *e)
{
	struct task *k = r->k;
	uint32_t bs = k->job->bs, chunk = k->is_sync ? CHUNK_SYNC : CHUNK;
	size_t page = (size_t)sysconf(_SC_PAGESIZE);

	/* Nothing splits a command that is larger than the drive takes: what was written fits. */
	if (k->engine->caps & ENGINE_PASSTHROUGH)
		chunk = bs;
	r->blocks = bs < chunk ? chunk / bs : 1;
	if (r->blocks > k->pattern->blocks)
		r->blocks = (uint32_t)k->pattern->blocks;
	r->stride = ((size_t)r->blocks * bs + page - 1) / page * page;
	r->depth = k->is_sync || r->stride >= AREA ? 1 : DEPTH;
	r->area = k->buffers;
	if (k->buffers_len >= r->stride) {
		if (r->depth > k->buffers_len / r->stride)
			r->depth = (unsigned)(k->buffers_len / r->stride);
		return 0;
	}
	void *area = mmap(NULL, r->depth * r->stride, PROT_READ | PROT_WRITE,
			  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (area == MAP_FAILED)
		return err_sys(e, ERR_MEASURE, errno, "cannot map %zu bytes to verify '%s'",
			       r->depth * r->stride, k->job->name);
	r->area = area;
	r->area_len = r->depth * r->stride;
	return 0;
}

static int begin(struct readback *r, struct err *e)
{
	struct task *k = r->k;

	r->status = OUTCOME_IO_ERROR; /* of a write back */
	int rc = k->job->direct ? 0 : run_invalidate(k->fds[0], k->req->target_name, e);

	r->status = rc ? r->status : OUTCOME_SETUP;
	if (!rc)
		rc = check_dropped(k, e);
	if (!rc)
		rc = take_area(r, e);
	if (!rc)
		rc = task_engine(k, r->depth, r->area, r->stride, e);
	for (unsigned i = 0; !rc && i < r->depth; i++) {
		r->ios[i].index = i;
		r->free[r->nfree++] = &r->ios[i];
	}
	return rc;
}

static void read_failed(struct readback *r, const struct io *io, int sys, const char *why)
{
	char buf[32];

	if (r->wrong || r->over) {
		r->over = true;
		return;
	}
	r->over = true;
	r->sys = sys;
	r->wrong_offset = io->offset;
	snprintf(r->text, sizeof(r->text),
		 "verify of '%s': read of %u bytes at offset %llu failed: %s",
		 r->k->req->target_name, io->len, (unsigned long long)io->offset,
		 why ? why : err_text(sys, buf, sizeof(buf)));
}

static void wrong_block(struct readback *r, const uint8_t *data, const struct verify_mark *m)
{
	struct task *k = r->k;
	uint32_t bs = k->job->bs;
	char found[256];

	if (r->wrong++)
		return;
	r->wrong_offset = m->offset;
	verify_block_explain(&k->contents, data, bs, m, found, sizeof(found));
	snprintf(r->text, sizeof(r->text),
		 "verify of '%s': the block of %u bytes at offset %llu should hold its write %llu; "
		 "found %s",
		 k->req->target_name, bs, (unsigned long long)m->offset,
		 (unsigned long long)m->generation, found);
}

/* A whole chunk is there. */
static void check_chunk(struct readback *r, const struct io *io)
{
	struct task *k = r->k;
	const uint8_t *data = r->area + io->index * r->stride;
	uint32_t bs = k->job->bs;
	uint64_t at = io->offset - io->done, block = (at - k->pattern->offset) / bs;

	for (uint32_t n = (io->done + io->len) / bs; n; n--, block++, at += bs, data += bs) {
		struct verify_mark m = {k->verify.id, at,
					verify_generation(&k->verify, k->pattern, block)};

		if (!m.generation)
			continue;
		if (verify_block_ok(data, bs, &m))
			r->right++;
		else
			wrong_block(r, data, &m);
	}
}

static void settle(struct readback *r, struct io *io)
{
	if (io->res == (int64_t)io->len) {
		check_chunk(r, io);
		atomic_fetch_add_explicit(&r->k->t->ios, 1, memory_order_relaxed);
		r->free[r->nfree++] = io;
		return;
	}
	if (io->res > 0) {
		io->done += (uint32_t)io->res;
		io->buf = (uint8_t *)io->buf + io->res;
		io->offset += (uint64_t)io->res;
		io->len -= (uint32_t)io->res;
	} else if (io->res == 0) {
		read_failed(r, io, ENODATA, "end of the target");
	} else if (io->res != -EAGAIN && io->res != -EINTR) {
		read_failed(r, io, (int)-io->res, NULL);
	}
	if (r->over)
		r->free[r->nfree++] = io;
	else
		r->pend[r->npend++] = io;
}

static bool was_written(const struct task *k, uint64_t block)
{
	return k->verify.base || k->pattern->pass ||
	       verify_generation(&k->verify, k->pattern, block);
}

/* Blocks from r->next on that one read takes: those written, and short gaps between them. */
static uint32_t stretch(const struct readback *r)
{
	uint64_t left = r->k->pattern->blocks - r->next;
	uint32_t most = left < r->blocks ? (uint32_t)left : r->blocks, n = 1;

	for (uint32_t i = 1; i < most && (uint64_t)(i - n) * r->k->job->bs < GAP; i++)
		if (was_written(r->k, r->next + i))
			n = i + 1;
	return n;
}

static void prepare(struct readback *r)
{
	const struct pattern *p = r->k->pattern;

	for (unsigned i = 0; i < SCAN && r->nfree && !r->over && r->next < p->blocks; i++) {
		struct io *io = r->free[r->nfree - 1];
		uint32_t n = 1;

		if (was_written(r->k, r->next)) {
			n = stretch(r);
			io->op = IO_READ;
			io->buf = r->area + io->index * r->stride;
			io->offset = p->offset + r->next * p->bs;
			io->len = n * p->bs;
			io->done = 0;
			r->nfree--;
			r->pend[r->npend++] = io;
		}
		r->next += n;
	}
}

/* One turn; false when nothing is left to do. */
static bool turn(struct readback *r)
{
	struct task *k = r->k;
	struct io *done[DEPTH];
	int n;

	prepare(r);
	if (r->npend) {
		n = engine_submit(&k->eng, r->pend, r->npend);
		r->npend -= n > 0 ? (unsigned)n : 0;
		for (unsigned i = 0; n > 0 && i < r->npend; i++)
			r->pend[i] = r->pend[i + (unsigned)n];
	}
	n = engine_reap(&k->eng, done, 1, r->depth, engine_now(&k->eng) + 100 * NS_PER_MS);
	for (int i = 0; i < n; i++)
		settle(r, done[i]);
	return (k->eng.inflight || r->npend || (r->next < k->pattern->blocks && !r->over)) &&
	       !k->eng.broken.code;
}

/* Ends what is in flight; what does not end keeps its memory until the process is gone. */
static void give_up(struct readback *r)
{
	struct task *k = r->k;
	uint64_t limit = clock_now() + GIVE_UP_NS;
	struct io *done[DEPTH];

	for (unsigned i = 0; i < r->depth; i++)
		if (k->eng.out[i])
			engine_cancel(&k->eng, &r->ios[i]);
	while (k->eng.inflight && clock_now() < limit &&
	       engine_reap(&k->eng, done, 1, r->depth, engine_now(&k->eng) + 100 * NS_PER_MS) >= 0)
		;
	k->stuck = k->eng.inflight > 0;
}

static void report(struct readback *r)
{
	struct task *k = r->k;
	unsigned long long wrong = r->wrong, all = r->wrong + r->right;

	if (k->eng.broken.code)
		live_fail(k->live, OUTCOME_IO_ERROR, k->eng.broken.sys, 0, 0, "verify of '%s': %s",
			  k->req->target_name, k->eng.broken.text);
	else if (r->wrong)
		live_fail(k->live, OUTCOME_IO_ERROR, EILSEQ, r->wrong_offset, k->job->bs,
			  "%s; %llu of %llu blocks are wrong%s", r->text, wrong, all,
			  r->over ? ", and a read failed" : "");
	else if (r->over)
		live_fail(k->live, OUTCOME_IO_ERROR, r->sys, r->wrong_offset, k->job->bs, "%s",
			  r->text);
}

void verify_run(struct task *k)
{
	struct readback r = {.k = k};
	struct err e = ERR_INIT;

	if (!k->verify.on || (k->end != END_TIME && k->end != END_SPENT))
		return;
	/* Mappings and registered buffers of the measured I/O go with its engine, of all threads.
	 */
	engine_close(&k->eng);
	atomic_store(&k->t->phase, PHASE_VERIFY);
	/* Its reads must not meet the measured I/O of another thread. */
	while (!others_done(k) && !stopped(k))
		clock_sleep_until(clock_now() + NS_PER_MS);
	if (stopped(k))
		return;
	if (begin(&r, &e)) {
		live_fail(k->live, r.status, e.sys, 0, 0, "verify: %s%s%s", e.text,
			  e.hint[0] ? "; " : "", e.hint);
	} else {
		while (!stopped(k) && turn(&r))
			;
		if (k->eng.inflight)
			give_up(&r);
		report(&r);
		if (!r.wrong && !r.over && k->end != END_STOP && !live_failed(k->live))
			k->t->verified = r.right * k->job->bs;
	}
	if (r.area_len && !k->stuck)
		munmap(r.area, r.area_len);
	if (k->end != END_STOP)
		atomic_store(&k->t->phase, PHASE_END);
}
