/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * plan/permit: may these jobs touch this target? Refusals are sentences on
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

static const char *allow_hint(struct plan *p, const struct plan_options *o, const struct target *t)
{
	const char *hint = "--allow-write with a name that is its alone (`blkgate probe` shows them)";
	struct err ignored = ERR_INIT;
	struct notices names;

	notices_init(&names);
	if (host_identities(o->host, t, &names, &ignored) == 0 && names.n)
		hint = arena_printf(&p->arena, "--allow-write %s", names.v[0]);
	notices_release(&names);
	return hint;
}

/* NULL when an --allow-write names this device by identity. */
static const char *block_allowed(struct plan *p, const struct plan_options *o, struct target *t)
{
	struct err e = ERR_INIT;

	for (size_t i = 0; i < o->nallow; i++)
		if (host_identity(o->host, o->allow_write[i], t, &e) == 1) {
			t->permit = arena_strdup(&p->arena, o->allow_write[i]);
			return NULL;
		}
	if (o->nallow)
		return arena_printf(
			&p->arena,
			"writing to '%s' is not permitted: --allow-write '%s': %s; use %s", t->id,
			o->allow_write[o->nallow - 1],
			e.text[0] ? e.text : "it does not name this device", allow_hint(p, o, t));
	return arena_printf(&p->arena, "writing to '%s' is not permitted; it takes %s", t->id,
			    allow_hint(p, o, t));
}

/* "in use: ...", also when it cannot be found out; NULL = free. */
static const char *target_used(struct plan *p, const struct plan_options *o, const struct target *t)
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

static const char *block_writing(struct plan *p, const struct plan_options *o, struct target *t,
				 const char *used)
{
	const char *why, *type = NULL;
	struct err e = ERR_INIT;

	if (used)
		return arena_printf(&p->arena, "writing to '%s' is refused, it is %s", t->id, used);
	why = target_read_only(p, t);
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

static const char *file_writing(struct plan *p, const struct plan_options *o, struct target *t,
				const char *used)
{
	struct err e = ERR_INIT;
	const char *why;

	if (used)
		return arena_printf(&p->arena, "writing to '%s' is refused, it is %s", t->id, used);
	why = target_read_only(p, t);
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

static void permit_use(struct plan *p, const struct plan_options *o, uint32_t target)
{
	struct target *t = &p->targets[target];
	const char *used = target_used(p, o, t);

	if (any_ready(p, target, true))
		stop_writers(p, target,
			     t->kind == TARGET_BLOCK ? block_writing(p, o, t, used)
						     : file_writing(p, o, t, used));
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
		target_fits(p, i);
		permit_trims(p, o->host, i);
		permit_trials(p, o->host, i);
		own_folders(p, o, i);
		if (t->kind == TARGET_FILE)
			file_reading(p, o, i);
		if (t->kind == TARGET_BLOCK || t->kind == TARGET_FILE)
			permit_use(p, o, i);
		if (t->kind == TARGET_DIR) {
			t->write_allowed = true;
			folder_room(p, i);
		}
	}
}
