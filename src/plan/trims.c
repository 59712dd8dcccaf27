/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * plan/trims: what a trim needs of its target, and what it must not meet there. A block that was
 * trimmed holds nothing: a read of it is answered without touching the medium, a second trim of it
 * has nothing to do, and both look like a very fast drive.
 */
#include "plan/planner.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

static const char *not_supported(struct plan *p, const struct job *j, const char *why)
{
	return arena_printf(&p->arena, "rw: %s: nothing can be trimmed on '%s': %s (%s:%u)",
			    job_rw_name(j->rw), p->targets[j->target].role, why, p->suite->file,
			    job_line(p, j, PW_RW));
}

/* The queue says it without an I/O: 0 bytes is "no discard". */
static const char *device_discards(struct plan *p, const struct job *j)
{
	const struct fact *f = facts_find(&p->targets[j->target].facts, "device.discard_max_bytes");

	if (f && f->value && strcmp(f->value, "0") != 0)
		return NULL;
	if (f && f->value)
		return not_supported(
			p, j,
			"the device does not support discard (device.discard_max_bytes is 0)");
	return not_supported(p, j,
			     arena_printf(&p->arena,
					  "whether the device supports discard is unknown%s%s",
					  f && f->why ? ": " : "", f && f->why ? f->why : ""));
}

/* Behind the end of a file there is nothing to lose, and a file system that punches no holes says
 * so all the same. 0 or -errno. */
int plan_punches(int fd)
{
	const off_t block = 65536;
	off_t end = lseek(fd, 0, SEEK_END);

	if (end < 0)
		return -errno;
	end += block - end % block;
	return fallocate(fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, end, block) < 0 ? -errno
											 : 0;
}

static const char *folder_punches(struct plan *p, const struct job *j)
{
	int fd = plan_scratch_file(p->targets[j->target].path), rc = fd < 0 ? fd : plan_punches(fd);

	if (fd >= 0)
		close(fd);
	return rc == 0 ? NULL
		       : not_supported(p, j,
				       arena_printf(&p->arena,
						    "a hole cannot be punched into a "
						    "file there: %s",
						    strerror(-rc)));
}

const char *job_trimmable(struct plan *p, const struct host *h, const struct job *j)
{
	const struct target *t = &p->targets[j->target];

	if (!job_trims(j))
		return NULL;
	if (t->kind == TARGET_BLOCK)
		return device_discards(p, j);
	/* A recorded machine has no file system. A file that is there already is asked by the
	 * session, which may open it for writing. */
	return t->kind == TARGET_DIR && strcmp(h->root, "/") == 0 ? folder_punches(p, j) : NULL;
}

uint64_t plan_refill_bytes(const struct plan *p, const struct job *j)
{
	const struct target *t = &p->targets[j->target];

	if (!job_trims(j) || j->total || plan_job_diskless(j) || t->kind == TARGET_BLOCK)
		return 0;
	return job_file_size(j) * (t->kind == TARGET_DIR ? job_files(j) : 1);
}

/* First byte behind the region in a file. Before a target is known it is all of a device when no
 * size was written, and of a share of it only the beginning is sure. */
static uint64_t region_end(const struct job *j)
{
	uint64_t size = j->size           ? job_file_size(j)
			: j->size_percent ? j->bs
					  : UINT64_MAX - j->offset;

	return j->offset + size;
}

/* Before a target is known: does the region begin and end at a share of it? */
static bool in_shares(const struct job *j)
{
	return !j->offset && !j->size;
}

static uint32_t share_end(const struct job *j)
{
	return j->size_percent ? j->offset_percent + j->size_percent : 100;
}

/* Only what overlaps on any target: where a share of one begins in bytes, nobody knows yet. */
static bool shares_overlap(const struct job *a, const struct job *b)
{
	if (in_shares(a) && in_shares(b))
		return a->offset_percent < share_end(b) && b->offset_percent < share_end(a);
	return (!a->offset_percent && !b->offset_percent && a->offset < region_end(b) &&
		b->offset < region_end(a)) ||
	       (in_shares(a) && !a->offset_percent && share_end(a) == 100) ||
	       (in_shares(b) && !b->offset_percent && share_end(b) == 100);
}

/* Of one target: all files of a folder begin with the one that is shared. */
bool jobs_overlap(const struct plan *p, const struct job *a, const struct job *b)
{
	if (a->target != b->target)
		return false;
	if (p->targets[a->target].kind == TARGET_NONE)
		return shares_overlap(a, b);
	return a->offset < region_end(b) && b->offset < region_end(a);
}

/* Never part of a run on this target. What only was not selected is: a device stays trimmed until
 * somebody selects the reader. */
static bool left_out(const struct planner *pl, size_t i)
{
	const struct plan *p = pl->p;
	const struct job *j = &p->jobs[i];

	if (plan_job_diskless(j))
		return true;
	if (pl->o->lint_only)
		return pl->s->workloads.v[p->workload[i]].has_when;
	return j->state == JOB_SKIPPED && j->why != pl->not_selected &&
	       j->why != pl->no_check_selected;
}

/* Where the two meet: in bytes, or in shares of a target that is not known yet. */
static const char *common(struct planner *pl, const struct job *t, const struct job *j)
{
	uint64_t from = t->offset > j->offset ? t->offset : j->offset;
	uint64_t end = region_end(t) < region_end(j) ? region_end(t) : region_end(j);
	bool shares = pl->p->targets[t->target].kind == TARGET_NONE;

	if (shares && (t->offset_percent || j->offset_percent || (in_shares(t) && in_shares(j))))
		return arena_printf(pl->a, "shares of the target");
	return arena_printf(pl->a, "from %s to %s", plan_size(pl->a, from),
			    end == UINT64_MAX ? "the end" : plan_size(pl->a, end));
}

static void report(struct planner *pl, size_t trims, size_t other)
{
	const struct plan *p = pl->p;
	const struct job *t = &p->jobs[trims], *j = &p->jobs[other];
	const struct workload *w = &pl->s->workloads.v[p->workload[other]];
	const struct origin *og = &p->origins[other].of[pl->at[PW_RW]];
	struct place at = {og->line ? og->line : w->line, og->line ? og->column : w->column};
	bool reads = metric_job_does(j, DIR_READ);
	struct diag *d = plan_finding(
		p, pl->d, w, reads ? RULE_READ_OF_TRIMMED : RULE_WRITE_OF_TRIMMED, &at,
		"workload '%s' %s what workload '%s' trims (%s): a trimmed block %s", j->name,
		reads ? "reads" : "writes", t->name, common(pl, t, j),
		reads ? "is answered without touching the medium, and looks fast"
		      : "has to be allocated again, and what it writes depends on which of the "
			"two ran before");

	if (d)
		diag_hint(d, "set the two apart by offset and size, or in two suites");
}

/* Once a pair of workloads and each of the two findings: a matrix meets it in each instance. */
static void check_trim(struct planner *pl, size_t trims, bool *told)
{
	const struct plan *p = pl->p;

	for (size_t i = 0; i < p->njobs; i++) {
		const struct job *j = &p->jobs[i];

		size_t of = 2 * (size_t)p->workload[i] + metric_job_does(j, DIR_READ);

		if (told[of] || job_trims(j) || left_out(pl, i) ||
		    !jobs_overlap(p, &p->jobs[trims], j))
			continue;
		told[of] = true;
		report(pl, trims, i);
	}
}

void trims_against_reads(struct planner *pl)
{
	const struct plan *p = pl->p;
	bool *told = NULL;

	for (size_t i = 0; i < p->njobs; i++) {
		if (!job_trims(&p->jobs[i]) || left_out(pl, i))
			continue;
		if (!told || (i && p->workload[i] != p->workload[i - 1])) {
			free(told);
			told = xcalloc(2 * pl->s->workloads.n, sizeof(*told));
		}
		check_trim(pl, i, told);
	}
	free(told);
}
