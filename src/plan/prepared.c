/* SPDX-License-Identifier: GPL-2.0-or-later */
/* plan/prepared: the work before a job is measured, as jobs of their own. */
#include "model/precondition.h"
#include "plan/planner.h"

enum { FILL_DEPTH = 32, FILL_IN_FLIGHT = 16 << 20, TRIM_BS = 128 << 20 };

bool plan_fills(const struct job *j)
{
	return j->prepare && j->prepare->fill != FILL_NONE;
}

bool plan_job_changes(const struct job *j)
{
	return job_writes(j) || (j->prepare && precondition_writes(j->prepare));
}

/* What is measured has words that would only slow down what is not, or change which blocks it
 * reaches. */
static void plain(const struct job *j, struct job *out)
{
	*out = *j;
	out->bssplit = out->bsrange = out->random_distribution = out->verify = "";
	out->runtime = out->ramp_time = out->startdelay = out->thinktime = 0;
	out->thinktime_blocks = out->fsync = out->fdatasync = 0;
	out->rate = out->rate_iops = 0;
	out->time_based = out->norandommap = out->hipri = out->nowait = false;
	out->fixedbufs = out->registerfiles = out->sqthread_poll = false;
	out->sync = SYNC_NONE;
	out->rwmixread = 0;
	out->loops = 1;
	if (out->files == FILES_SHARED)
		out->numjobs = 1;
}

/* False when that part is empty. Behind the last whole block is what a device that is no multiple
 * of bs has more, down to the unit in which it can be written. */
static bool cut(const struct plan *p, struct job *out, uint32_t bs, unsigned part)
{
	const struct target *t = &p->targets[out->target];
	uint32_t unit = t->dio_offset > t->logical_block ? t->dio_offset : t->logical_block;
	uint64_t size = out->size, tail;

	if (!unit)
		unit = 512;
	out->bs = bs;
	if (job_nrfiles(out) > 1) /* whole blocks only, by check_words() */
		return part == 0;
	tail = size % bs;
	if (part == 0) {
		out->size = size - tail;
		return out->size != 0;
	}
	tail -= tail % unit;
	out->offset += size - size % bs;
	out->size = tail;
	out->bs = (uint32_t)tail;
	out->rw = job_trims(out) ? RW_TRIM : RW_WRITE;
	return tail != 0;
}

bool plan_trim_job(const struct plan *p, const struct job *j, unsigned part, struct job *out)
{
	const struct engine *g = engine_find(j->ioengine);

	plain(j, out);
	out->rw = RW_TRIM;
	out->iodepth = out->iodepth_batch_submit = 1;
	out->iodepth_batch_complete_min = out->iodepth_batch_complete_max = 1;
	out->end_fsync = false;
	/* not what is measured: any engine that can */
	if (!g || !(g->caps & ENGINE_OP_TRIM))
		out->ioengine = "psync";
	return cut(p, out, TRIM_BS, part);
}

bool plan_fill_job(const struct plan *p, const struct job *j, unsigned part, struct job *out)
{
	const struct engine *g = engine_find(j->ioengine);
	const struct precondition *c = j->prepare;
	uint32_t depth = FILL_IN_FLIGHT / c->bs;

	plain(j, out);
	depth = depth > FILL_DEPTH ? FILL_DEPTH : depth ? depth : 1;
	if (!g || (g->caps & ENGINE_SYNC))
		depth = 1;
	if (depth > engine_depth_max(j->ioengine))
		depth = engine_depth_max(j->ioengine);
	out->rw = c->fill == FILL_RANDOM ? RW_RANDWRITE : RW_WRITE;
	out->loops = c->loops;
	out->iodepth = out->iodepth_batch_complete_max = depth;
	out->iodepth_batch_submit = out->iodepth_batch_complete_min = 1;
	out->refill_buffers = true; /* one set of buffers again and again would be nothing new */
	out->end_fsync = g && (g->caps & ENGINE_OP_FSYNC) && !(g->caps & ENGINE_DISKLESS);
	return cut(p, out, c->bs, part);
}

void plan_round_job(const struct job *j, struct job *out)
{
	*out = *j;
	out->runtime = j->prepare->round;
	out->time_based = true;
	out->ramp_time = out->startdelay = 0;
	out->loops = 1;
	out->verify = "";
}

uint64_t plan_fill_bytes(const struct plan *p, const struct job *j)
{
	uint64_t bytes = 0;
	struct job fill;

	for (unsigned part = 0; plan_fills(j) && part < 2; part++)
		if (plan_fill_job(p, j, part, &fill))
			bytes += fill.size * fill.loops * fill.numjobs;
	return bytes;
}

uint64_t plan_fills_bytes(const struct plan *p)
{
	bool *seen = xcalloc(p->njobs + 1, sizeof(*seen));
	double sum = 0;

	for (size_t i = 0; i < p->njobs; i++) {
		const struct job *j = &p->jobs[i];
		double bytes;

		if (j->state != JOB_READY || j->total || !plan_fills(j) || plan_job_diskless(j))
			continue;
		bytes = (double)plan_fill_bytes(p, j);
		if (interleaved(p)) /* each run has its own */
			sum += bytes * j->runs;
		else if (j->fill_of >= p->njobs || !seen[j->fill_of])
			sum += bytes;
		if (j->fill_of < p->njobs)
			seen[j->fill_of] = true;
	}
	free(seen);
	return sum > 9e18 ? (uint64_t)9e18 : (uint64_t)sum;
}
