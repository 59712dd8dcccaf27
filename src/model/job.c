/* SPDX-License-Identifier: GPL-2.0-or-later */
/* model/job: the words of a job and what follows from its mode. */
#include "model/job.h"
#include "model/names.h"

static const char *const rw_names[] = {
	[RW_READ] = "read",
	[RW_WRITE] = "write",
	[RW_RANDREAD] = "randread",
	[RW_RANDWRITE] = "randwrite",
	[RW_RW] = "rw",
	[RW_RANDRW] = "randrw",
	[RW_TRIM] = "trim",
	[RW_RANDTRIM] = "randtrim",
};
static const char *const sync_names[] = {
	[SYNC_NONE] = "none",
	[SYNC_SYNC] = "sync",
	[SYNC_DSYNC] = "dsync",
};
static const char *const files_names[] = {
	[FILES_SHARED] = "shared",
	[FILES_PER_JOB] = "per_job",
};
static const char *const state_names[] = {
	[JOB_READY] = "ready",
	[JOB_SKIPPED] = "skipped",
	[JOB_ERROR] = "error",
};

NAMES_DEFINE(job_rw, enum job_rw, rw_names)
NAMES_DEFINE(job_sync, enum job_sync, sync_names)
NAMES_DEFINE(job_files, enum job_files, files_names)
NAMES_DEFINE(job_state, enum job_state, state_names)

bool job_reads(const struct job *j)
{
	return j->rw != RW_WRITE && j->rw != RW_RANDWRITE && !job_trims(j);
}

/* From the mode alone: rw with rwmixread=100 still opens for writing and needs the permission. */
bool job_writes(const struct job *j)
{
	return j->rw != RW_READ && j->rw != RW_RANDREAD;
}

bool job_trims(const struct job *j)
{
	return j->rw == RW_TRIM || j->rw == RW_RANDTRIM;
}

bool job_verifies(const struct job *j)
{
	return j->verify && *j->verify;
}

const char *job_verify_obstacle(const struct job *j)
{
	if (j->rw != RW_WRITE && j->rw != RW_RANDWRITE)
		return "rw";
	if (j->bssplit && *j->bssplit)
		return "bssplit";
	if (j->bsrange && *j->bsrange)
		return "bsrange";
	if (job_random(j) && j->norandommap)
		return "norandommap";
	if (job_random(j) && j->random_distribution && *j->random_distribution)
		return "random_distribution";
	if (j->dedupe_percentage)
		return "dedupe_percentage";
	if (j->numjobs > 1 && j->files == FILES_SHARED)
		return "numjobs";
	if (job_nrfiles(j) > 1)
		return "nrfiles";
	if (j->group || (j->beside && *j->beside))
		return "stonewall";
	return j->bs < VERIFY_BS_MIN ? "bs" : NULL;
}

bool job_random(const struct job *j)
{
	return j->rw == RW_RANDREAD || j->rw == RW_RANDWRITE || j->rw == RW_RANDRW ||
	       j->rw == RW_RANDTRIM;
}

uint32_t job_nrfiles(const struct job *j)
{
	return j->nrfiles > 1 ? j->nrfiles : 1;
}

uint64_t job_files(const struct job *j)
{
	return (uint64_t)job_nrfiles(j) * (j->files == FILES_PER_JOB ? j->numjobs : 1);
}

uint64_t job_file_size(const struct job *j)
{
	uint64_t share = j->size / job_nrfiles(j);

	return job_nrfiles(j) == 1 || !j->bs ? share : share - share % j->bs;
}
