/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Memory of a thread: one page-aligned area of incompressible data, and the I/O lists. */
#include "run/live.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

void buffer_fill(void *p, size_t n, struct rng *r)
{
	uint8_t *b = p;

	while (n >= sizeof(uint64_t)) {
		uint64_t v = rng_next(r);

		memcpy(b, &v, sizeof(v));
		b += sizeof(v);
		n -= sizeof(v);
	}
	if (n) {
		uint64_t v = rng_next(r);

		memcpy(b, &v, n);
	}
}

static int lists_alloc(struct task *k, struct err *e)
{
	/* each within one cache line, which calloc does not see to */
	k->ios = aligned_alloc(64, (k->depth * sizeof(*k->ios) + 63) / 64 * 64);
	if (!k->ios)
		return err_set(e, ERR_MEASURE, "no memory for %u I/Os of '%s'", k->depth,
			       k->job->name);
	memset(k->ios, 0, k->depth * sizeof(*k->ios));
	k->free = xcalloc(k->depth, sizeof(struct io *));
	k->pend = xcalloc(k->depth, sizeof(struct io *));
	k->done = xcalloc(k->depth, sizeof(struct io *));
	k->held = xcalloc(k->depth, sizeof(struct io *));
	for (unsigned i = 0; i < k->depth; i++) {
		k->ios[i].index = i;
		/* The list is a stack: io 0 is on top. */
		k->free[k->depth - 1 - i] = &k->ios[i];
	}
	k->nfree = k->depth;
	return 0;
}

int task_alloc(struct task *k, struct err *e)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	struct rng r;

	/* A trim carries no data: one page stands for its buffer. */
	k->buffer_len =
		job_trims(k->job) ? page : ((size_t)job_bs_max(k->job) + page - 1) / page * page;
	if (__builtin_mul_overflow(k->buffer_len, (size_t)k->depth, &k->buffers_len))
		return err_set(e, ERR_MEASURE, "buffers of '%s' do not fit into memory",
			       k->job->name);
	void *area = mmap(NULL, k->buffers_len, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
			  -1, 0);
	if (area == MAP_FAILED)
		return err_sys(e, ERR_MEASURE, errno, "cannot map %zu bytes of buffers for '%s'",
			       k->buffers_len, k->job->name);
	k->buffers = area;
	/* Of the run: what one run wrote must be no duplicate of what another did. */
	contents_init(&k->contents, k->job, rng_mix(k->req->run_seed + k->index + 0x66696c6c));
	verify_init(k);
	k->refill = k->job->refill_buffers || k->job->dedupe_percentage || k->verify.on;
	/* Also touches every page, so that none is faulted in on the I/O path. */
	rng_seed(&r, rng_mix(k->req->seed + k->index));
	if (k->job->buffer_compress_percentage)
		contents_fill(&k->contents, k->buffers, k->buffers_len);
	else
		buffer_fill(k->buffers, k->buffers_len, &r);
	return lists_alloc(k, e);
}

void task_free(struct task *k)
{
	if (k->buffers)
		munmap(k->buffers, k->buffers_len);
	free(k->ios);
	free(k->free);
	free(k->pend);
	free(k->done);
	free(k->held);
}
