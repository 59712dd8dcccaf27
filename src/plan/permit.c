/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * plan/permit: may these jobs touch this target, and can they work there? Refusals are sentences on
 * the jobs concerned; the others go on. Writing is refused unless an --allow-write names this very
 * device or file; nothing lifts the refusal of a device that is in use.
 */
#include "plan/planner.h"

/* The last part of a sentence, joined from what host found. */
static void add_users(struct str *out, const struct notices *users)
{
	for (size_t i = 0; i < users->n; i++)
		str_addf(out, "%s%s", i ? "; " : "", users->v[i]);
}

/* The value of an identity that the hardware has. */
static const char *identity_fact(const struct target *t, const char *key)
{
	const char *v = facts_value(&t->facts, key);

	return v && *v && strcmp(v, "none") != 0 ? v : NULL;
}

static const char *allow_hint(struct plan *p, const struct target *t)
{
	const char *wwid = identity_fact(t, "device.wwid");
	const char *serial = identity_fact(t, "device.serial");

	if (wwid)
		return arena_printf(&p->arena, "--allow-write wwid:%s", wwid);
	if (serial)
		return arena_printf(&p->arena, "--allow-write serial:%s", serial);
	if (t->diskseq)
		return arena_printf(&p->arena, "--allow-write diskseq:%llu",
				    (unsigned long long)t->diskseq);
	return "--allow-write with its by-id link, wwid, serial or pci address (`blkgate probe` "
	       "shows them)";
}

/* NULL when an --allow-write names this device by identity. */
static const char *block_allowed(struct plan *p, const struct plan_options *o,
				 const struct target *t)
{
	struct err e = ERR_INIT;

	for (size_t i = 0; i < o->nallow; i++)
		if (host_identity(o->host, o->allow_write[i], t, &e) == 1)
			return NULL;
	if (o->nallow)
		return arena_printf(
			&p->arena,
			"writing to '%s' is not permitted: --allow-write '%s': %s; use %s", t->id,
			o->allow_write[o->nallow - 1],
			e.text[0] ? e.text : "it does not name this device", allow_hint(p, t));
	return arena_printf(&p->arena, "writing to '%s' is not permitted; it takes %s", t->id,
			    allow_hint(p, t));
}

/* "in use: ...", also when it cannot be found out; NULL = free. */
static const char *block_used(struct plan *p, const struct plan_options *o, const struct target *t)
{
	const char *used = NULL;
	struct err e = ERR_INIT;
	struct notices users;
	struct str s;

	notices_init(&users);
	str_init(&s);
	if (host_in_use(o->host, t, &users, &e) < 0)
		used = arena_printf(&p->arena,
				    "held to be in use, as what uses it cannot be found out: %s",
				    e.text);
	str_add(&s, "in use: ");
	add_users(&s, &users);
	if (users.n)
		used = arena_strdup(&p->arena, s.s);
	str_release(&s);
	notices_release(&users);
	return used;
}

/* NULL, or why the kernel would fail each write: some only when it is made, with EPERM. */
static const char *read_only(struct plan *p, const struct target *t)
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

static const char *block_writing(struct plan *p, const struct plan_options *o, struct target *t,
				 const char *used)
{
	const char *why, *type = NULL;
	struct err e = ERR_INIT;

	if (used)
		return arena_printf(&p->arena, "writing to '%s' is refused, it is %s", t->id, used);
	why = read_only(p, t);
	if (!why)
		why = block_allowed(p, o, t);
	if (why)
		return why;
	if (host_signature(o->host, t, &p->arena, &type, &e) < 0)
		return arena_printf(&p->arena,
				    "the signature of '%s' cannot be read, and writing to it is "
				    "refused: %s",
				    t->id, e.text);
	if (type)
		return arena_printf(&p->arena,
				    "'%s' holds data (%s signature), and writing to it is refused; "
				    "wipe it on purpose: wipefs -a %s",
				    t->id, type, t->path);
	t->write_allowed = true;
	return NULL;
}

static const char *file_writing(struct plan *p, const struct plan_options *o, struct target *t)
{
	struct err e = ERR_INIT;
	const char *why = read_only(p, t);

	if (why)
		return why;
	for (size_t i = 0; i < o->nallow; i++)
		if (host_identity(o->host, o->allow_write[i], t, &e) == 1) {
			t->write_allowed = true;
			return NULL;
		}
	return arena_printf(&p->arena,
			    "writing to the existing file '%s' is not permitted; it takes "
			    "--allow-write %s",
			    t->id, t->path);
}

/* Jobs of the target that do I/O; fn decides about each. */
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

uint32_t job_line(const struct plan *p, const struct job *j, enum plan_word w)
{
	uint32_t line = p->origins[j - p->jobs].of[plan_word_at(w)].line;

	return line ? line : j->file_line;
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
	return read_only(p, &p->targets[j->target]);
}

/* Each job fits alone, but a session makes the files of all at once: so many of such a size. */
static void folder_room(struct plan *p, uint32_t target)
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

static bool any_ready(const struct plan *p, uint32_t target, bool writing)
{
	for (size_t i = 0; i < p->njobs; i++) {
		const struct job *j = &p->jobs[i];

		if (j->target == target && j->state == JOB_READY && !plan_job_diskless(j) &&
		    (!writing || plan_job_changes(j)))
			return true;
	}
	return false;
}

static void stop_writers(struct plan *p, uint32_t target, const char *why)
{
	for (size_t i = 0; why && i < p->njobs; i++)
		if (p->jobs[i].target == target && plan_job_changes(&p->jobs[i]) &&
		    !plan_job_diskless(&p->jobs[i]))
			job_stop(&p->jobs[i], JOB_ERROR, why);
}

static void permit_trims(struct plan *p, const struct host *h, uint32_t target)
{
	for (size_t i = 0; i < p->njobs; i++) {
		struct job *j = &p->jobs[i];
		const char *why = NULL;

		if (j->target == target && j->state == JOB_READY && !plan_job_diskless(j))
			why = job_trimmable(p, h, j);
		if (why)
			job_stop(j, JOB_ERROR, why);
	}
}

/* What only the drive itself can tell. */
static void permit_trials(struct plan *p, const struct host *h, uint32_t target)
{
	for (size_t i = 0; i < p->njobs; i++) {
		struct job *j = &p->jobs[i];
		const char *why = NULL;

		if (j->target == target && j->state == JOB_READY && !plan_job_diskless(j))
			why = job_passthrough(p, h, j);
		if (!why && j->target == target && j->state == JOB_READY && !plan_job_diskless(j))
			why = job_polls(p, h, j);
		if (why)
			job_stop(j, JOB_ERROR, why);
	}
}

static void permit_block(struct plan *p, const struct plan_options *o, uint32_t target)
{
	struct target *t = &p->targets[target];
	const char *used = block_used(p, o, t);

	if (any_ready(p, target, true))
		stop_writers(p, target, block_writing(p, o, t, used));
	if (used && any_ready(p, target, false))
		notices_add(&p->notices, "target '%s' is %s; it is read all the same", t->role,
			    used);
}

/* Where nothing was ever written a read is answered by the file system. */
static void file_reading(struct plan *p, const struct plan_options *o, uint32_t target)
{
	const struct target *t = &p->targets[target];
	const struct job *asked = NULL;
	const char *why = NULL;

	if (strcmp(o->host->root, "/") != 0)
		return; /* a recorded machine has no files behind its paths */
	for (size_t i = 0; i < p->njobs; i++) {
		struct job *j = &p->jobs[i];

		if (j->target != target || j->state != JOB_READY || plan_job_diskless(j) ||
		    !metric_job_does(j, DIR_READ) || plan_fills(j))
			continue;
		if (!asked || asked->offset != j->offset || asked->size != j->size)
			why = region_has_holes(t->path, j->offset, j->size, &p->arena);
		asked = j;
		if (why)
			job_stop(j, JOB_ERROR,
				 arena_printf(&p->arena, "%s (%s:%u)", why, p->suite->file,
					      j->file_line));
	}
}

void plan_permit(struct plan *p, const struct plan_options *o)
{
	capacity_check(p, o->host);
	preparation_permit(p, o->host);
	for (uint32_t i = 0; i < p->ntargets; i++) {
		struct target *t = &p->targets[i];

		if (t->kind == TARGET_NONE || !any_ready(p, i, false))
			continue;
		each_job(p, i, job_fits);
		each_job(p, i, job_aligned);
		permit_trims(p, o->host, i);
		permit_trials(p, o->host, i);
		if (t->kind == TARGET_BLOCK)
			permit_block(p, o, i);
		if (t->kind == TARGET_FILE)
			file_reading(p, o, i);
		if (t->kind == TARGET_FILE && any_ready(p, i, true))
			stop_writers(p, i, file_writing(p, o, t));
		if (t->kind == TARGET_DIR) {
			t->write_allowed = true;
			folder_room(p, i);
		}
	}
}
