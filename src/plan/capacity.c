/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * plan/capacity: does the machine have what the jobs ask of it, whatever their target? A job that
 * needs more memory than there is would not fail: it would be killed, or have another process
 * killed.
 */
#include "plan/planner.h"

#include <unistd.h>

/* Of what is available: the rest is for the I/O lists, the journal and whoever else runs. */
static const double MEMORY_SHARE = 0.9;

/* I/Os of one thread in flight at most. */
static uint32_t job_depth(const struct job *j)
{
	const struct engine *g = engine_find(j->ioengine);

	return g && (g->caps & ENGINE_SYNC) ? 1 : j->iodepth;
}

/* One buffer an I/O, in whole pages, each touched before the first I/O; 58 bits at most. */
static uint64_t job_buffers(const struct job *j, uint64_t page)
{
	uint64_t bytes = job_trims(j) ? page : job_bs_max(j); /* a trim carries no data */

	return (bytes + page - 1) / page * page * job_depth(j) * j->numjobs;
}

/* With those of what runs at the same time. */
static uint64_t group_buffers(const struct plan *p, const uint32_t *ring, uint32_t job,
			      uint64_t page)
{
	uint64_t sum = 0;
	uint32_t i = job;

	do {
		if (!p->jobs[i].total)
			sum += job_buffers(&p->jobs[i], page);
		i = ring[i];
	} while (i != job);
	return sum;
}

/* Groups run one after another: each has all of it. */
static void memory_room(struct plan *p, const struct host *h)
{
	uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE), available = 0, need;
	struct err e = ERR_INIT;
	uint32_t *ring = jobs_ring(p->jobs, p->njobs);
	int rc = host_memory(h, &available, &e);
	bool ready = false;

	for (size_t i = 0; i < p->njobs; i++) {
		struct job *j = &p->jobs[i];

		if (j->state != JOB_READY)
			continue;
		ready = true;
		need = group_buffers(p, ring, (uint32_t)i, page);
		if (rc < 0 || (double)need <= (double)available * MEMORY_SHARE)
			continue;
		job_stop(j, JOB_ERROR,
			 arena_printf(
				 &p->arena,
				 "its buffers (bs %s, iodepth %u, numjobs %u)%s need %s, and of "
				 "the %s of memory available it may use 90 %%; lower bs, "
				 "iodepth or numjobs (%s:%u)",
				 plan_size(&p->arena, job_bs_max(j)), job_depth(j), j->numjobs,
				 ring[i] != i ? " and those of what runs beside it" : "",
				 plan_size(&p->arena, need), plan_size(&p->arena, available),
				 p->suite->file, job_line(p, j, PW_BS)));
	}
	free(ring);
	if (rc < 0 && ready)
		notices_add(&p->notices, "not checked whether the buffers fit into memory: %s",
			    e.text);
}

/* `auto` found an engine that does not go so deep; of a named one the suite was told. */
static void engine_room(struct plan *p)
{
	for (size_t i = 0; i < p->njobs; i++) {
		struct job *j = &p->jobs[i];

		if (j->state == JOB_READY && j->iodepth > engine_depth_max(j->ioengine))
			job_stop(j, JOB_ERROR,
				 arena_printf(&p->arena,
					      "iodepth %u is beyond the %u that ioengine %s has "
					      "(auto); spread the depth over numjobs (%s:%u)",
					      j->iodepth, engine_depth_max(j->ioengine),
					      j->ioengine, p->suite->file,
					      job_line(p, j, PW_IODEPTH)));
	}
}

void capacity_check(struct plan *p, const struct host *h)
{
	engine_room(p);
	memory_room(p, h);
}
