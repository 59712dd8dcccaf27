/* SPDX-License-Identifier: GPL-2.0-or-later */
/* plan/rules_cache: what is measured where a cache stands before the device. */
#include "plan/lint.h"

/* What fits into the memory of any machine that is measured today. */
#define SMALL (1ULL << 30)

static bool diskless(const struct lint_view *v)
{
	return v->g && (v->g->caps & ENGINE_DISKLESS);
}

/* Buffered because the suite says so. What `auto` found on a target is announced. */
static bool buffered(const struct lint_view *v)
{
	return !v->j->direct && !v->j->direct_auto && !diskless(v);
}

/* Does a run come to its blocks a second time? */
static bool comes_again(const struct job *j)
{
	return j->time_based || j->loops > 1 || (j->numjobs > 1 && j->files == FILES_SHARED);
}

/* Bytes that all jobs of the workload touch; 0 = not known. */
static uint64_t working_set(const struct job *j)
{
	return j->size * (j->files == FILES_PER_JOB ? j->numjobs : 1);
}

bool lint_buffered_depth(const struct lint_view *v, struct str *text, struct str *hint)
{
	const struct job *j = v->j;

	/* these have findings of their own */
	if (!buffered(v) || j->iodepth <= 1 || !v->g || plan_runs_at_depth_one(j) ||
	    (v->g->caps & (ENGINE_SYNC | ENGINE_SERIAL)))
		return false;
	str_addf(text,
		 "iodepth %u does not reach the device: without direct the page cache decides what "
		 "is read ahead and when it is written back",
		 j->iodepth);
	str_add(hint, "direct: true");
	return true;
}

bool lint_buffered_write_without_sync(const struct lint_view *v, struct str *text, struct str *hint)
{
	const struct job *j = v->j;

	if (!buffered(v) || !metric_job_does(j, DIR_WRITE) || j->end_fsync || j->fsync ||
	    j->fdatasync || j->sync != SYNC_NONE)
		return false;
	str_add(text, "writes without direct and without a sync end in memory: what the device "
		      "takes for them is not measured");
	str_add(hint, "end_fsync: true (the default of buffered writes), fdatasync: N, or direct: "
		      "true");
	return true;
}

/* A large part of the machine's memory, or what every machine has. */
static uint64_t cache_size(const struct plan *p)
{
	const char *total = facts_value(&p->host, "memory.total");
	struct err ignored = ERR_INIT;
	uint64_t bytes;

	return total && units_size(total, &bytes, &ignored) == 0 ? bytes / 4 * 3 : SMALL;
}

bool lint_page_cache(const struct lint_view *v, struct str *text, struct str *hint)
{
	const struct job *j = v->j;
	uint64_t set = working_set(j), cache;

	/* a canary tells about the machine on purpose */
	if (!buffered(v) || !metric_job_does(j, DIR_READ) || j->canary ||
	    (j->invalidate && !comes_again(j)))
		return false;
	cache = cache_size(v->p);
	if (!set || set > cache)
		return false;
	str_add(text, "reads without direct of ");
	plan_add_size(text, set);
	str_add(text, " which fit into memory: what is read a second time comes from there and "
		      "tells nothing about the device");
	str_add(hint, "direct: true, a size above ");
	plan_add_size(hint, cache);
	str_add(hint, ", or one pass (time_based: false, invalidate: true)");
	return true;
}

bool lint_device_cache(const struct lint_view *v, struct str *text, struct str *hint)
{
	const struct job *j = v->j;
	uint64_t set = working_set(j);

	if (!j->direct || diskless(v) || job_trims(j) || j->canary || !set || set > SMALL ||
	    !comes_again(j))
		return false;
	str_add(text, "a region of ");
	plan_add_size(text, set);
	str_add(text, metric_job_does(j, DIR_WRITE)
			      ? " may stay in the memory of the drive or in its fast (SLC) part: "
				"larger ones may be slower"
			      : " may be answered from the memory of the drive, and its map of "
				"blocks always is: larger ones may be slower");
	str_add(hint, "a size of several GiB where the medium is meant");
	return true;
}
