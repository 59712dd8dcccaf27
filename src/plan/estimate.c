/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * plan/estimate: time and bytes of a session before anything is known of the device. The
 * assumptions are the constants below; what a session really takes replaces them as it goes.
 */
#include "model/precondition.h"
#include "plan/planner.h"

#include <math.h>

static const double LAYOUT_RATE = 500e6;              /* bytes/s while a file is written in full */
static const uint64_t LAYOUT_FILE_NS = 2 * NS_PER_MS; /* and for each further one besides */
static const double SIZE_BOUND_RATE = 200e6;          /* bytes/s of what ends at size; verify */
static const double WRITE_RATE_MAX = PLAN_WRITE_RATE; /* bytes/s: bound of a free-running write */
static const uint64_t HARNESS_NS = 20 * NS_PER_MS;    /* fork, open, threads, journal */
static const uint64_t END_FSYNC_NS = 500 * NS_PER_MS; /* flush of what is still in the cache */

/* Sums stay far from wrapping: a century is a number like another. */
static const double LIMIT = 9e18;

static uint64_t clamp(double v)
{
	return v < 0 ? 0 : v > LIMIT ? (uint64_t)LIMIT : (uint64_t)v;
}

/* Bytes of a job that ends at size. */
static double size_bytes(const struct job *j)
{
	return (double)j->size * (double)j->loops * j->numjobs;
}

/* I/Os a second times bytes, limited by the pacer; INFINITY when free running. */
static double paced_rate(const struct job *j)
{
	double bs = job_bs_max(j), rate = INFINITY;

	if (j->rate_iops > 0)
		rate = j->rate_iops * bs;
	if (j->rate > 0)
		rate = j->rate;
	if (j->thinktime)
		rate = fmin(rate, bs * (j->thinktime_blocks ?: 1) * (double)NS_PER_SEC /
					  (double)j->thinktime);
	return rate * j->numjobs;
}

static double run_seconds(const struct job *j)
{
	double at_size, runtime = (double)j->runtime / (double)NS_PER_SEC;

	if (j->runtime && j->time_based)
		return runtime;
	at_size = size_bytes(j) / fmin(SIZE_BOUND_RATE, paced_rate(j));
	return j->runtime ? fmin(runtime, at_size) : at_size;
}

uint64_t plan_run_time(const struct job *j)
{
	return HARNESS_NS + j->startdelay + j->ramp_time + (j->time_based ? j->runtime : 0);
}

static double run_written(const struct job *j, bool *bounded);

/* What was written is read back once, whatever the passes. */
static double verified_bytes(const struct job *j)
{
	bool bounded;

	return job_verifies(j) ? fmin((double)j->size * j->numjobs, run_written(j, &bounded)) : 0;
}

static double run_ns(const struct job *j)
{
	double ns = (double)plan_run_time(j);

	if (!j->time_based)
		ns += run_seconds(j) * (double)NS_PER_SEC;
	ns += verified_bytes(j) / SIZE_BOUND_RATE * (double)NS_PER_SEC;
	return j->end_fsync ? ns + (double)END_FSYNC_NS : ns;
}

static bool needs_target(const struct job *j, uint32_t target)
{
	return j->target == target && j->state == JOB_READY && !plan_job_diskless(j);
}

static unsigned clamp_files(uint64_t n)
{
	return n < UINT32_MAX ? (unsigned)n : UINT32_MAX;
}

uint64_t plan_file_bytes(const struct plan *p, uint32_t target, unsigned i, unsigned *until)
{
	uint64_t bytes = 0;

	*until = UINT32_MAX;
	for (size_t k = 0; k < p->njobs; k++) {
		const struct job *j = &p->jobs[k];
		unsigned files = clamp_files(job_files(j));

		if (!needs_target(j, target) || files <= i)
			continue;
		if (files < *until)
			*until = files;
		if (j->offset + job_file_size(j) > bytes)
			bytes = j->offset + job_file_size(j);
	}
	return bytes;
}

static uint64_t all_bytes(const struct plan *p, uint32_t target, unsigned files)
{
	double sum = 0;
	uint64_t bytes;

	for (unsigned i = 0, until; i < files; i = until) {
		bytes = plan_file_bytes(p, target, i, &until);
		sum += (double)bytes * (until - i);
	}
	return clamp(sum);
}

struct target_needs plan_target_needs(const struct plan *p, uint32_t target)
{
	struct target_needs n = {0};
	unsigned until;

	for (size_t i = 0; i < p->njobs; i++) {
		const struct job *j = &p->jobs[i];

		if (!needs_target(j, target))
			continue;
		n.writes |= plan_job_changes(j);
		n.cached |= !j->direct && !j->invalidate;
		if (clamp_files(job_files(j)) > n.files)
			n.files = clamp_files(job_files(j));
	}
	if (p->targets[target].kind != TARGET_DIR && n.files)
		n.files = 1;
	n.bytes = plan_file_bytes(p, target, 0, &until);
	n.total = all_bytes(p, target, n.files);
	return n;
}

/* What all runs of a session are given to trim. Interleaved, the files are fresh anyway. */
static double refill_bytes(const struct plan *p)
{
	double sum = 0;

	for (size_t i = 0; !interleaved(p) && i < p->njobs; i++)
		if (p->jobs[i].state == JOB_READY)
			sum += (double)p->jobs[i].runs * (double)plan_refill_bytes(p, &p->jobs[i]);
	return sum;
}

uint64_t plan_layout_bytes(const struct plan *p)
{
	double sum = 0;

	for (uint32_t t = 0; t < p->ntargets; t++)
		if (p->targets[t].kind == TARGET_DIR) /* a device or file is used as it is */
			sum += (double)plan_target_needs(p, t).total;
	return clamp(sum);
}

/* Files of its own for each run of a pair. */
static double pair_layout_bytes(const struct plan *p)
{
	uint32_t *ring = jobs_ring(p->jobs, p->njobs), *of = xcalloc(p->njobs + 1, sizeof(*of));
	struct job *room = xcalloc(p->njobs + 1, sizeof(*room));
	double sum = 0;

	for (uint32_t i = 0; i < p->njobs; i++) {
		struct plan part;
		size_t n = 1;

		if (p->jobs[i].state != JOB_READY || !group_leads(p, i))
			continue;
		of[0] = i;
		for (uint32_t k = ring[i]; k != i; k = ring[k])
			of[n++] = k;
		part = plan_part(p, of, n, room);
		sum += (double)p->jobs[i].runs * (double)plan_layout_bytes(&part);
	}
	free(room);
	free(of);
	free(ring);
	return sum;
}

static double layout_bytes(const struct plan *p)
{
	return interleaved(p) ? pair_layout_bytes(p) : (double)plan_layout_bytes(p);
}

/* Each file is written by a worker of its own, and synced: seen where there are many. What was
 * trimmed is written anew before each run. */
static double layout_ns(const struct plan *p)
{
	double bytes = layout_bytes(p) + refill_bytes(p) + (double)plan_fills_bytes(p);
	double ns = bytes / LAYOUT_RATE * (double)NS_PER_SEC;

	for (uint32_t t = 0; !interleaved(p) && t < p->ntargets; t++) {
		unsigned files = plan_target_needs(p, t).files;

		if (p->targets[t].kind == TARGET_DIR && files > 1)
			ns += (double)LAYOUT_FILE_NS * (files - 1);
	}
	return ns;
}

/* The fewest rounds that can be steady; before each run where those are interleaved. */
static double rounds_ns(const struct plan *p, const struct job *j)
{
	if (!j->prepare || !j->prepare->metric)
		return 0;
	return (double)j->prepare->rounds_min * (double)(j->prepare->round + HARNESS_NS) *
	       (interleaved(p) ? j->runs : 1);
}

/* What runs at the same time takes the time of the longest. */
static double group_ns(const struct plan *p, const uint32_t *ring, size_t job)
{
	double ns = 0;
	size_t i = job;

	do {
		ns = fmax(ns, run_ns(&p->jobs[i]));
		i = ring[i];
	} while (i != job);
	return ns;
}

uint64_t plan_session_time(const struct plan *p)
{
	double ns = layout_ns(p);
	uint32_t *ring = jobs_ring(p->jobs, p->njobs);

	for (size_t i = 0; i < p->njobs; i++)
		if (p->jobs[i].state == JOB_READY && group_leads(p, i))
			ns += p->jobs[i].runs * group_ns(p, ring, i) + rounds_ns(p, &p->jobs[i]);
	free(ring);
	return clamp(ns);
}

/* Its clock is its own: what it plans takes no time here. */
static bool virtual_clock(const struct job *j)
{
	const struct engine *g = engine_find(j->ioengine);

	return g && (g->caps & ENGINE_VIRTUAL);
}

static void add_sessions(struct str *s, const struct plan *p, const char *verb, const char *verbs)
{
	if (rounds_min(p) == 1)
		str_addf(s, "one %s %s", round_name(p), verb);
	else
		str_addf(s, "%u %ss %s", rounds_min(p), round_name(p), verbs);
}

/* The part of the plan that is sure is taken for 0.8 of itself, what rests on an assumed rate for a
 * tenth: refused is only what no device can do. */
static const char *time_refused(struct plan *p)
{
	double sure = 0, guess = layout_ns(p);
	struct str s;
	const char *text;

	for (size_t i = 0; i < p->njobs; i++) {
		const struct job *j = &p->jobs[i];

		if (j->state != JOB_READY || virtual_clock(j) || !group_leads(p, i))
			continue;
		sure += (double)j->runs * (double)plan_run_time(j) + rounds_ns(p, j);
		guess += j->runs * (run_ns(j) - (double)plan_run_time(j));
	}
	if ((sure * 0.8 + guess * 0.1) * rounds_min(p) <= (double)p->budget_time)
		return NULL;
	str_init(&s);
	add_sessions(&s, p, "takes", "take");
	str_add(&s, " about ");
	unit_format_duration(&s, clamp((sure + guess) * rounds_min(p)));
	str_add(&s, ", the budget is ");
	unit_format_duration(&s, p->budget_time);
	text = arena_strdup(&p->arena, s.s);
	str_release(&s);
	return text;
}

static const char *written_refused(struct plan *p)
{
	double fills = (double)plan_fills_bytes(p);
	double bytes = (layout_bytes(p) + refill_bytes(p) + fills) * rounds_min(p);
	struct str s;
	const char *text;

	if (bytes <= (double)p->budget_written)
		return NULL;
	str_init(&s);
	add_sessions(&s, p, "writes", "write");
	str_add(&s, " ");
	unit_format(&s, UNIT_BYTES, bytes);
	str_addf(&s, " to make the files%s alone, the budget is ",
		 fills > 0 ? " and fill the regions" : "");
	unit_format(&s, UNIT_BYTES, (double)p->budget_written);
	text = arena_strdup(&p->arena, s.s);
	str_release(&s);
	return text;
}

const char *plan_budget_refuses(struct plan *p)
{
	const char *why = p->budget_time ? time_refused(p) : NULL;

	return why || !p->budget_written ? why : written_refused(p);
}

static double write_share(const struct job *j)
{
	if (j->rw == RW_RW || j->rw == RW_RANDRW)
		return (100 - (j->rwmixread > 100 ? 100 : j->rwmixread)) / 100.0;
	return job_writes(j) && !job_trims(j) ? 1 : 0;
}

/* Upper bound of what one run writes. The ramp goes over the region again and again, so only time
 * and the pacer bound it. */
static double run_written(const struct job *j, bool *bounded)
{
	double ramp = (double)j->ramp_time / (double)NS_PER_SEC;
	double runtime = (double)j->runtime / (double)NS_PER_SEC;
	double rate = paced_rate(j), bytes;

	if (isinf(rate) && (ramp > 0 || j->time_based))
		*bounded = false;
	rate = fmin(rate, WRITE_RATE_MAX);
	bytes = runtime * rate;
	if (!j->time_based && (!j->runtime || size_bytes(j) < bytes))
		bytes = size_bytes(j);
	return (bytes + ramp * rate) * write_share(j);
}

/* What a run of the job will write when it writes as fast as accepted sessions did; the share of
 * the writes is in that rate. */
static double run_seen(const struct job *j, double rate)
{
	double seconds = (double)(j->ramp_time + j->runtime) / (double)NS_PER_SEC;
	double most = INFINITY;

	if (!j->time_based) /* the ramp is not bound by the size */
		most = size_bytes(j) * write_share(j) +
		       rate * (double)j->ramp_time / (double)NS_PER_SEC;
	return !j->time_based && !j->runtime ? most : fmin(rate * seconds, most);
}

/* All rounds that there may be. */
static double rounds_written(const struct plan *p, const struct job *j, bool *bounded)
{
	struct job round;

	if (!j->prepare || !j->prepare->metric)
		return 0;
	plan_round_job(j, &round);
	return j->prepare->rounds_max * run_written(&round, bounded) *
	       (interleaved(p) ? j->runs : 1);
}

uint64_t plan_session_written(const struct plan *p, bool *bounded, bool *seen)
{
	double sum = layout_bytes(p) + refill_bytes(p) + (double)plan_fills_bytes(p);

	bool any = false;

	*bounded = true;
	for (size_t i = 0; i < p->njobs; i++) {
		const struct job *j = &p->jobs[i];

		if (j->state == JOB_READY && job_writes(j) && !job_trims(j) &&
		    !plan_job_diskless(j)) {
			bool known = p->seen_write && isfinite(p->seen_write[i]);

			sum += j->runs *
			       (known ? run_seen(j, p->seen_write[i]) : run_written(j, bounded));
			sum += rounds_written(p, j, bounded);
			any |= known;
		}
	}
	if (seen)
		*seen = any;
	return clamp(sum);
}
