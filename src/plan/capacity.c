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

/* What a thread keeps of each of its files: whose turn it is, and where. */
enum { FILE_BYTES = 1024 };

/* One buffer an I/O, in whole pages, each touched before the first I/O; 58 bits at most. */
static uint64_t job_buffers(const struct job *j, uint64_t page)
{
	uint64_t bytes = job_trims(j) ? page : job_bs_max(j); /* a trim carries no data */
	uint64_t files = job_nrfiles(j) > 1 ? job_nrfiles(j) : 0;

	return (bytes + page - 1) / page * page * job_depth(j) * j->numjobs +
	       files * FILE_BYTES * j->numjobs;
}

static const char *several_files(struct plan *p, const struct job *j)
{
	return job_nrfiles(j) > 1 ? arena_printf(&p->arena, ", nrfiles %u", j->nrfiles) : "";
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
				 "its buffers (bs %s, iodepth %u, numjobs %u%s)%s need %s, and of "
				 "the %s of memory available it may use 90 %%; lower bs, "
				 "iodepth or numjobs (%s:%u)",
				 plan_size(&p->arena, job_bs_max(j)), job_depth(j), j->numjobs,
				 several_files(p, j),
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

/* Besides files: streams, journal, locks, nodes of other targets, pidfds. */
enum { DESCRIPTORS_SPARE = 32 };

/* Those of a worker: every thread opens its files anew, and has perhaps a ring. */
static uint64_t worker_descriptors(const struct job *j)
{
	return plan_job_diskless(j) ? 0 : ((uint64_t)job_nrfiles(j) + 1) * j->numjobs;
}

static void too_many_files(struct plan *p, struct job *j, uint64_t need, uint64_t limit)
{
	job_stop(j, JOB_ERROR,
		 arena_printf(&p->arena,
			      "nrfiles %u and numjobs %u need %llu descriptors, and RLIMIT_NOFILE "
			      "is %llu; raise it (ulimit -n), or lower nrfiles or numjobs (%s:%u)",
			      job_nrfiles(j), j->numjobs, (unsigned long long)need,
			      (unsigned long long)limit, p->suite->file,
			      job_line(p, j, PW_NRFILES)));
}

/* Each for itself, then with the files that a session holds for all of them. */
static void stop_beyond(struct plan *p, uint64_t limit)
{
	uint64_t held = 0;

	for (size_t i = 0; i < p->njobs; i++) {
		struct job *j = &p->jobs[i];
		uint64_t own = p->targets[j->target].kind == TARGET_DIR ? job_files(j) : 1;
		uint64_t need = worker_descriptors(j) + own + DESCRIPTORS_SPARE;

		if (j->state == JOB_READY && !plan_job_diskless(j) && need > limit)
			too_many_files(p, j, need, limit);
	}
	for (uint32_t t = 0; t < p->ntargets; t++)
		held += plan_target_needs(p, t).files;
	for (size_t i = 0; i < p->njobs; i++) {
		struct job *j = &p->jobs[i];
		uint64_t need = worker_descriptors(j) + held + DESCRIPTORS_SPARE;

		if (j->state == JOB_READY && !plan_job_diskless(j) && need > limit)
			too_many_files(p, j, need, limit);
	}
}

static void descriptor_room(struct plan *p, const struct host *h)
{
	uint64_t most = 0, limit = 0;
	struct err e = ERR_INIT;

	for (size_t i = 0; i < p->njobs; i++)
		if (p->jobs[i].state == JOB_READY && worker_descriptors(&p->jobs[i]) > most)
			most = worker_descriptors(&p->jobs[i]);
	/* no process is given less than this, so that nobody need be asked */
	if (most <= DESCRIPTORS_SPARE)
		return;
	if (host_descriptors(h, &limit, &e) == 0)
		stop_beyond(p, limit);
	else
		notices_add(&p->notices, "not checked whether the descriptors suffice: %s", e.text);
}

void capacity_check(struct plan *p, const struct host *h)
{
	engine_room(p);
	memory_room(p, h);
	descriptor_room(p, h);
}
