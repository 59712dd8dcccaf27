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

/* `offset: 50%` of a target that is not known (yet). */
static bool begins_somewhere(const struct plan *p, const struct job *j)
{
	return j->offset_percent && p->targets[j->target].kind == TARGET_NONE;
}

static bool is_all(const struct job *j)
{
	return !j->offset && !j->offset_percent && !j->size && !j->size_percent;
}

/* For sure, and of one target: all files of a folder begin with the one that is shared. */
static bool overlap(const struct plan *p, const struct job *a, const struct job *b)
{
	if (a->target != b->target)
		return false;
	if (begins_somewhere(p, a) || begins_somewhere(p, b))
		return is_all(a) || is_all(b);
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

/* " (from 1 GiB to the end)"; "" where that is not known. */
static const char *shared_part(struct planner *pl, const struct job *t, const struct job *r)
{
	uint64_t from = t->offset > r->offset ? t->offset : r->offset;
	uint64_t end = region_end(t) < region_end(r) ? region_end(t) : region_end(r);

	if (begins_somewhere(pl->p, t) || begins_somewhere(pl->p, r))
		return "";
	return arena_printf(pl->a, " (from %s to %s)", plan_size(pl->a, from),
			    end == UINT64_MAX ? "the end" : plan_size(pl->a, end));
}

static void report(struct planner *pl, size_t trims, size_t reads)
{
	const struct plan *p = pl->p;
	const struct job *t = &p->jobs[trims], *r = &p->jobs[reads];
	const struct workload *w = &pl->s->workloads.v[p->workload[reads]];
	const struct origin *og = &p->origins[reads].of[pl->at[PW_RW]];
	struct place at = {og->line ? og->line : w->line, og->line ? og->column : w->column};
	struct diag *d =
		plan_finding(p, pl->d, w, RULE_READ_OF_TRIMMED, &at,
			     "workload '%s' reads what workload '%s' trims%s: a trimmed block is "
			     "answered without touching the medium, and looks fast",
			     r->name, t->name, shared_part(pl, t, r));

	if (d)
		diag_hint(d, "set the two apart by offset and size, or in two suites");
}

/* Once a pair of workloads: a matrix meets it in each instance. */
static void check_trim(struct planner *pl, size_t trims, bool *told)
{
	const struct plan *p = pl->p;

	for (size_t i = 0; i < p->njobs; i++) {
		const struct job *j = &p->jobs[i];

		if (told[p->workload[i]] || !metric_job_does(j, DIR_READ) || left_out(pl, i) ||
		    !overlap(p, &p->jobs[trims], j))
			continue;
		told[p->workload[i]] = true;
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
			told = xcalloc(pl->s->workloads.n, sizeof(*told));
		}
		check_trim(pl, i, told);
	}
	free(told);
}
