/* SPDX-License-Identifier: GPL-2.0-or-later */
/* plan/rules_media: what a drive does with the blocks it is given, and what else it is doing. */
#include "plan/lint.h"

static bool diskless(const struct lint_view *v)
{
	return v->g && (v->g->caps & ENGINE_DISKLESS);
}

static const struct target *target_of(const struct lint_view *v)
{
	return &v->p->targets[v->j->target];
}

/* Does the suite itself write every block before the job is measured? */
static bool prepared(const struct lint_view *v)
{
	return plan_fills(v->j);
}

/* A disk that turns reads its medium whether it was written or not, and wears alike. */
static bool flash(const struct target *t)
{
	return !str_eq(facts_value(&t->facts, "device.rotational"), "1");
}

bool lint_precondition(const struct lint_view *v, struct str *text, struct str *hint)
{
	const struct job *j = v->j;
	bool writes = job_random(j) && metric_job_does(j, DIR_WRITE) && flash(target_of(v));

	if ((!writes && !job_trims(j)) || !v->nchecks || diskless(v) ||
	    (prepared(v) && !job_trims(j)) || target_of(v)->kind != TARGET_BLOCK)
		return false;
	if (job_trims(j)) {
		str_add(text, "trims on a device whose blocks are not written before each run: the "
			      "second run finds nothing left to trim");
		str_add(hint, "measure it on a file or folder, where each run is laid out anew, or "
			      "say why it may be: `waive: {precondition: WHY}`");
		return true;
	}
	str_add(text,
		"random writes on a device that was not preconditioned: a fresh drive is faster "
		"than the same drive a week later");
	str_add(hint, "`precondition: {fill: random}` writes it first; where something else does, "
		      "say so: `waive: {precondition: WHY}`");
	return true;
}

bool lint_read_of_unwritten(const struct lint_view *v, struct str *text, struct str *hint)
{
	const struct job *j = v->j;

	if (!metric_job_does(j, DIR_READ) || !v->nchecks || diskless(v) || prepared(v) ||
	    target_of(v)->kind != TARGET_BLOCK || !flash(target_of(v)))
		return false;
	str_add(text, "reads of a device of which nobody knows that it was written: blocks that "
		      "are new or trimmed are answered without touching the medium");
	str_add(hint, "`precondition: {fill: sequential}` writes it first; where something else "
		      "did, say so: `waive: {read-of-unwritten: WHY}`");
	return true;
}

/* The file system or device that stores less than it is given, as far as the facts tell; NULL. */
static const char *compresses(const struct target *t)
{
	const char *type = facts_value(&t->facts, "fs.type");
	const char *options = facts_value(&t->facts, "fs.options");
	const char *name = facts_value(&t->facts, "device.name");
	const char *is_on = options ? strstr(options, "compress") : NULL;

	if (str_eq(type, "zfs"))
		return "ZFS";
	if (is_on && (str_eq(type, "btrfs") || str_eq(type, "f2fs") || str_eq(type, "bcachefs")) &&
	    !str_starts(is_on, "compress=no"))
		return type;
	return name && str_starts(name, "zram") ? "zram" : NULL;
}

bool lint_compressible_data(const struct lint_view *v, struct str *text, struct str *hint)
{
	const struct job *j = v->j;
	const char *who;

	if (!metric_job_does(j, DIR_WRITE) || diskless(v) || job_verifies(j))
		return false;
	if (j->buffer_compress_percentage || j->dedupe_percentage) {
		*v->word = j->buffer_compress_percentage ? PW_COMPRESS : PW_DEDUPE;
		str_addf(text,
			 "%s %u: of a target that compresses or stores equal blocks once the "
			 "figures "
			 "are of less than is written",
			 j->buffer_compress_percentage ? "buffer_compress_percentage"
						       : "dedupe_percentage",
			 j->buffer_compress_percentage ? j->buffer_compress_percentage
						       : j->dedupe_percentage);
		return true;
	}
	if (j->refill_buffers)
		return false;
	who = compresses(target_of(v));
	*v->level = who ? DIAG_WARN : DIAG_NOTE;
	if (who)
		str_addf(text,
			 "the same few blocks are written again and again, and %s on '%s' "
			 "stores less than it is given",
			 who, target_of(v)->role);
	else
		str_add(text, "the same few blocks are written again and again: a target that "
			      "compresses or stores equal blocks once has less to do");
	str_add(hint, "refill_buffers: true");
	return true;
}

static bool same_fact(const struct target *a, const struct target *b, const char *key)
{
	const char *x = facts_value(&a->facts, key), *y = facts_value(&b->facts, key);

	return x && y && *x && strcmp(x, "none") != 0 && strcmp(x, y) == 0;
}

/* Partitions, folders or namespaces of one drive. */
static bool same_drive(const struct target *a, const struct target *b)
{
	return a == b || same_fact(a, b, "device.name") ||
	       (same_fact(a, b, "device.serial") && same_fact(a, b, "device.model"));
}

/* Of one group the nearest job before that shares its drive; NULL. */
static const struct job *beside(const struct lint_view *v)
{
	const struct plan *p = v->p;

	for (const struct job *k = v->j; k-- > p->jobs;)
		if (k->group == v->j->group && !k->total &&
		    same_drive(&p->targets[k->target], target_of(v)))
			return k;
	return NULL;
}

bool lint_concurrent_on_device(const struct lint_view *v, struct str *text, struct str *hint)
{
	const struct job *j = v->j, *k;

	if (!j->group || j->total || diskless(v))
		return false;
	k = beside(v);
	if (!k || plan_job_diskless(k))
		return false;
	if (k->target != j->target) {
		*v->level = DIAG_WARN;
		*v->word = PW_COUNT;
		str_addf(text,
			 "'%s' and '%s' are of one drive and are measured at the same time: each "
			 "has a part of it, and the total is not that of two",
			 v->p->targets[k->target].role, target_of(v)->role);
		str_add(hint,
			"one target a drive, or `targets: all` left out: then they take turns");
		return true;
	}
	if ((job_writes(j) || job_writes(k)) && jobs_overlap(v->p, j, k)) {
		*v->level = DIAG_WARN;
		str_addf(text,
			 "it runs at the same time as '%s', and one of them writes what the other "
			 "works on: locks and caches of the shared blocks are measured as well",
			 k->name);
		str_add(hint, "set the two apart by offset and size");
		return true;
	}
	str_addf(text,
		 "it runs at the same time as '%s' on one device: each measures the other, "
		 "too",
		 k->name);
	return true;
}
