/* SPDX-License-Identifier: GPL-2.0-or-later */
/* plan/fits: can these jobs work on this target? Kind, size, alignment, room and a write switch. */
#include "plan/planner.h"

const char *target_read_only(struct plan *p, const struct target *t)
{
	const char *v = facts_value(&t->facts, "device.read_only");
	const char *name = facts_value(&t->facts, "device.name");

	if (!v || strcmp(v, "1") != 0)
		return NULL;
	if (t->kind == TARGET_BLOCK)
		return arena_printf(
			&p->arena,
			"'%s' is read-only, and nothing can be written to it; unless it "
			"is write protected: blockdev --setrw %s",
			t->id, t->path);
	return arena_printf(
		&p->arena,
		"'%s' is on device '%s', which is read-only: nothing can be written there", t->id,
		name ? name : "unknown");
}

/* Jobs of the target that do I/O and are ready; fn decides about each. */
static void each_job(struct plan *p, uint32_t target,
		     const char *(*fn)(struct plan *, struct job *))
{
	for (size_t i = 0; i < p->njobs; i++) {
		struct job *j = &p->jobs[i];
		const char *why;

		if (j->target != target || j->state != JOB_READY || plan_job_diskless(j))
			continue;
		why = fn(p, j);
		if (why)
			job_stop(j, JOB_ERROR, why);
	}
}

uint32_t job_line(const struct plan *p, const struct job *j, enum plan_word w)
{
	uint32_t line = p->origins[j - p->jobs].of[plan_word_at(w)].line;

	return line ? line : j->file_line;
}

static const char *job_fits(struct plan *p, struct job *j)
{
	const struct target *t = &p->targets[j->target];
	uint64_t end = j->offset + j->size;

	if (j->files == FILES_PER_JOB && t->kind != TARGET_DIR)
		return arena_printf(&p->arena,
				    "files: per_job needs a folder, and '%s' is a %s (%s:%u)",
				    t->role, t->kind == TARGET_BLOCK ? "block device" : "file",
				    p->suite->file, j->file_line);
	if (job_nrfiles(j) > 1 && t->kind != TARGET_DIR)
		return arena_printf(&p->arena,
				    "nrfiles: %u needs a folder, and '%s' is a %s; name a folder "
				    "with --target, or leave nrfiles out (%s:%u)",
				    j->nrfiles, t->role,
				    t->kind == TARGET_BLOCK ? "block device" : "file",
				    p->suite->file, job_line(p, j, PW_NRFILES));
	if (t->kind == TARGET_DIR)
		return NULL;
	if (t->size && j->size && end >= j->offset && end <= t->size)
		return NULL;
	return arena_printf(&p->arena, "offset %s and size %s reach beyond '%s' of %s (%s:%u)",
			    plan_size(&p->arena, j->offset), plan_size(&p->arena, j->size), t->role,
			    plan_size(&p->arena, t->size), p->suite->file, j->file_line);
}

/* What offset and length must be a multiple of: as statx says, else the logical block. */
static const char *job_aligned(struct plan *p, struct job *j)
{
	const struct target *t = &p->targets[j->target];
	uint32_t unit = t->logical_block;
	const char *why, *what = "logical block";

	/* A trim goes around the page cache by nature, and only a device asks for alignment. */
	if (job_trims(j) ? t->kind != TARGET_BLOCK : !j->direct)
		return NULL;
	why = job_trims(j) ? NULL : direct_refuses(t);
	if (why)
		return arena_printf(
			&p->arena,
			"O_DIRECT is not honoured on %s ('%s'): %s; write `direct: auto`, or "
			"`direct: false` (%s:%u)",
			t->fstype ? t->fstype : "this file system", t->role, why, p->suite->file,
			job_line(p, j, PW_DIRECT));
	if (t->dio_offset > unit || (t->kind != TARGET_BLOCK && t->dio_offset)) {
		unit = t->dio_offset;
		what = "direct I/O unit";
	}
	if (!unit)
		return NULL;
	if (j->bs % unit)
		return arena_printf(&p->arena, "bs %s is no multiple of the %s %s of '%s' (%s:%u)",
				    plan_size(&p->arena, j->bs), what, plan_size(&p->arena, unit),
				    t->role, p->suite->file, job_line(p, j, PW_BS));
	if (j->offset % unit)
		return arena_printf(
			&p->arena, "offset %s is no multiple of the %s %s of '%s' (%s:%u)",
			plan_size(&p->arena, j->offset), what, plan_size(&p->arena, unit), t->role,
			p->suite->file, job_line(p, j, PW_OFFSET));
	return NULL;
}

/* Rounded: the margin is no exact number either. */
static const char *about(struct plan *p, double bytes)
{
	const char *text;
	struct str s;

	str_init(&s);
	unit_format(&s, UNIT_BYTES, bytes);
	text = arena_strdup(&p->arena, s.s);
	str_release(&s);
	return text;
}

static const char *job_folder_room(struct plan *p, struct job *j)
{
	const struct target *t = &p->targets[j->target];
	double need = (double)job_files(j) * ((double)j->offset + (double)job_file_size(j)) * 1.05;

	if (need <= (double)t->size)
		return NULL;
	return arena_printf(&p->arena,
			    "its files need %s with 5 %% of margin, and '%s' has %s free (%s:%u)",
			    about(p, need), t->role, about(p, (double)t->size), p->suite->file,
			    job_line(p, j, PW_SIZE));
}

/* Its files are made first, also those that are only read. */
static const char *job_folder_writable(struct plan *p, struct job *j)
{
	return target_read_only(p, &p->targets[j->target]);
}

/* Each job fits alone, but a session makes the files of all at once: so many of such a size. */
void folder_room(struct plan *p, uint32_t target)
{
	const struct target *t = &p->targets[target];
	struct target_needs n;
	const char *why;

	each_job(p, target, job_folder_writable);
	each_job(p, target, job_folder_room);
	n = plan_target_needs(p, target);
	if ((double)n.total * 1.05 <= (double)t->size)
		return;
	bool alike = n.total == n.files * n.bytes;

	why = arena_printf(&p->arena,
			   "%u files %s%s%s with 5 %% of margin do not fit the %s free on '%s'; "
			   "use files: shared, fewer jobs, a smaller nrfiles or a smaller size",
			   n.files, alike ? "of " : "(",
			   about(p, (double)(alike ? n.bytes : n.total)), alike ? "" : " together)",
			   about(p, (double)t->size), t->role);
	for (size_t i = 0; i < p->njobs; i++)
		if (p->jobs[i].target == target && job_files(&p->jobs[i]) > 1 &&
		    !plan_job_diskless(&p->jobs[i]))
			job_stop(&p->jobs[i], JOB_ERROR, why);
}

void target_fits(struct plan *p, uint32_t target)
{
	each_job(p, target, job_fits);
	each_job(p, target, job_aligned);
}
