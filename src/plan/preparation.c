/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * plan/preparation: what a precondition means. One device has one state: workloads that ask for
 * different ones of the same blocks would undo each other's, and neither be measured as it says.
 */
#include "model/precondition.h"
#include "plan/planner.h"

static const struct origin *origin(const struct planner *pl, uint32_t job)
{
	return &pl->p->origins[job].of[pl->at[PW_PRECONDITION]];
}

/* Once for each place and kind. */
#define REPORT(pl, job, ...)                                                                       \
	planner_report(pl, origin(pl, job)->line, origin(pl, job)->column, __VA_ARGS__)

static void hint(struct diag *d, const char *text)
{
	if (d)
		diag_hint(d, "%s", text);
}

static void check_rounds(struct planner *pl, uint32_t job)
{
	const struct job *j = &pl->p->jobs[job];
	const char *name = j->prepare->metric;
	const struct metric *m[DIR_COUNT];
	int n = metric_resolve(name, j, m);

	if (n > 1)
		hint(REPORT(pl, job,
			    "steady_state of workload '%s': '%s' stands for several metrics",
			    j->name, name),
		     "name one: total.iops, write.bw");
	else if (n < 0)
		REPORT(pl, job, "steady_state of workload '%s': it does nothing that '%s' is of",
		       j->name, name);
	else if (n == 0)
		hint(REPORT(pl, job, "steady_state of workload '%s': there is no metric '%s'",
			    j->name, name),
		     "total.iops, write.bw, write.lat.mean ... (suites/README.md)");
	if (j->group)
		hint(REPORT(pl, job,
			    "steady_state of workload '%s', which runs at the same time as others: "
			    "its "
			    "rounds would not be what is measured",
			    j->name),
		     "fill alone is possible there");
}

static void check_words(struct planner *pl, uint32_t job)
{
	const struct job *j = &pl->p->jobs[job];
	const struct engine *g = engine_find(j->ioengine);

	if (j->prepare->metric)
		check_rounds(pl, job);
	if (plan_fills(j) && g && !(g->caps & ENGINE_OP_WRITE))
		REPORT(pl, job, "precondition of workload '%s': ioengine %s cannot write", j->name,
		       g->name);
	if (plan_fills(j) && job_nrfiles(j) > 1 && job_file_size(j) % j->prepare->bs)
		hint(REPORT(pl, job,
			    "precondition of workload '%s': each of its files has %s, which is no "
			    "multiple of the fill's bs",
			    j->name, plan_size(pl->a, job_file_size(j))),
		     "name a bs that divides it");
	if (j->prepare->trim && !plan_fills(j) && job_reads(j))
		hint(REPORT(pl, job,
			    "precondition of workload '%s': it would read what was trimmed, which "
			    "is "
			    "answered without touching the medium",
			    j->name),
		     "fill it behind the trim: {trim: true, fill: random}");
}

static bool same_fill(const struct job *a, const struct job *b)
{
	const struct precondition *x = a->prepare, *y = b->prepare;

	return x->trim == y->trim && x->fill == y->fill && x->loops == y->loops && x->bs == y->bs &&
	       a->buffer_compress_percentage == b->buffer_compress_percentage &&
	       a->dedupe_percentage == b->dedupe_percentage;
}

static bool same_region(const struct job *a, const struct job *b)
{
	return a->offset == b->offset && job_file_size(a) == job_file_size(b) &&
	       job_files(a) == job_files(b);
}

/* Before a target is known nobody knows where a share of it begins. */
static bool unplaced(const struct job *j)
{
	return (j->size_percent && !j->size) || (j->offset_percent && !j->offset);
}

/* In the files that both use; a size that is not known yet is that of the target. */
static bool overlap(const struct job *a, const struct job *b)
{
	uint64_t a_end = a->size ? a->offset + job_file_size(a) : UINT64_MAX;
	uint64_t b_end = b->size ? b->offset + job_file_size(b) : UINT64_MAX;

	return a->target == b->target && !unplaced(a) && !unplaced(b) && a->offset < b_end &&
	       b->offset < a_end;
}

static void conflict(struct planner *pl, uint32_t job, const struct job *other)
{
	const struct job *j = &pl->p->jobs[job];

	if (!overlap(j, other) ||
	    (same_fill(j, other) && (!j->prepare->trim || same_region(j, other))))
		return;
	hint(REPORT(pl, job,
		    "precondition of workload '%s' is another one than that of '%s' on the same "
		    "blocks: "
		    "one undoes what the other did",
		    j->name, other->name),
	     "give them the same, keep them apart by offset and size, or in two suites");
}

/* The jobs that differ in what they ask for are few, however many jobs there are. */
struct kinds {
	uint32_t *v;
	size_t n, cap;
};

static void find_kinds(struct planner *pl, struct kinds *k)
{
	struct plan *p = pl->p;

	for (uint32_t i = 0; i < p->njobs; i++) {
		struct job *j = &p->jobs[i];
		bool known = false;

		j->fill_of = i;
		if (!j->prepare || !precondition_writes(j->prepare) || j->state == JOB_SKIPPED)
			continue;
		for (size_t n = 0; n < k->n && !known; n++) {
			const struct job *o = &p->jobs[k->v[n]];

			known = o->target == j->target && same_fill(o, j) && same_region(o, j);
			if (known)
				j->fill_of = k->v[n];
		}
		if (known)
			continue;
		for (size_t n = 0; n < k->n; n++)
			conflict(pl, i, &p->jobs[k->v[n]]);
		*VEC_PUSH(k) = i;
	}
}

/* What stays trimmed is read by nobody. */
static void trimmed_is_read(struct planner *pl, const struct kinds *k)
{
	const struct plan *p = pl->p;

	for (size_t n = 0; n < k->n; n++) {
		const struct job *t = &p->jobs[k->v[n]];

		for (uint32_t i = 0; i < p->njobs && !plan_fills(t); i++) {
			const struct job *j = &p->jobs[i];

			if (j == t || !metric_job_does(j, DIR_READ) || plan_job_diskless(j) ||
			    plan_fills(j) || j->state == JOB_SKIPPED || !overlap(t, j))
				continue;
			hint(REPORT(pl, k->v[n],
				    "precondition of workload '%s' trims what workload '%s' reads, "
				    "and "
				    "nothing writes it in between",
				    t->name, j->name),
			     "fill it behind the trim: {trim: true, fill: random}");
		}
	}
}

void preparation_check(struct planner *pl)
{
	struct plan *p = pl->p;
	struct kinds kinds = {0};

	for (uint32_t i = 0; i < p->njobs; i++) {
		struct job *j = &p->jobs[i];
		struct precondition *c;

		if (j->total || !j->precondition || !*j->precondition)
			continue;
		c = arena_alloc(pl->a, sizeof(*c));
		if (precondition_read(j->precondition, pl->a, c) < 0)
			continue; /* the word's reader wrote the text, and reported what it could
				     not */
		j->prepare = c;
		check_words(pl, i);
	}
	find_kinds(pl, &kinds);
	trimmed_is_read(pl, &kinds);
	VEC_RELEASE(&kinds);
}

static const char *trim_refused(struct plan *p, const struct host *h, const struct job *j)
{
	const struct target *t = &p->targets[j->target];
	struct job trim;

	if (plan_job_diskless(j))
		return arena_printf(&p->arena,
				    "precondition: ioengine %s has no device, and so nothing to "
				    "trim",
				    j->ioengine);
	if (t->kind == TARGET_DIR)
		return arena_printf(&p->arena,
				    "precondition: there is nothing to trim in folder '%s', whose "
				    "files are made anew for each session",
				    t->role);
	return plan_trim_job(p, j, 0, &trim) ? job_trimmable(p, h, &trim) : NULL;
}

static const char *fill_refused(struct plan *p, const struct job *j)
{
	const struct target *t = &p->targets[j->target];
	uint32_t unit = t->dio_offset > t->logical_block ? t->dio_offset : t->logical_block;

	if (!j->direct || !unit || j->prepare->bs % unit == 0)
		return NULL;
	return arena_printf(&p->arena, "precondition: bs %s is no multiple of the %s of '%s'",
			    plan_size(&p->arena, j->prepare->bs), plan_size(&p->arena, unit),
			    t->role);
}

void preparation_permit(struct plan *p, const struct host *h)
{
	struct err e = ERR_INIT;

	for (size_t i = 0; i < p->njobs; i++) {
		struct job *j = &p->jobs[i];
		const char *why = NULL;

		if (j->state != JOB_READY || j->total)
			continue;
		if (j->drop_caches && !e.code)
			host_drop_caches(h, true, &e);
		if (j->drop_caches && e.code)
			why = arena_printf(&p->arena, "%s; %s", e.text, e.hint);
		if (!why && j->prepare && j->prepare->trim)
			why = trim_refused(p, h, j);
		if (!why && plan_fills(j) && !plan_job_diskless(j))
			why = fill_refused(p, j);
		if (why)
			job_stop(j, JOB_ERROR, why);
	}
}
