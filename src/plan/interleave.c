/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * plan/interleave: two arms that take turns (--versus, --ab). Which target is which arm, whose
 * gates are judged, and that no arm runs without the other.
 */
#include "plan/planner.h"

static int versus_targets(struct planner *pl, struct err *e)
{
	struct plan *p = pl->p;
	const char *reference = p->interleave.name[ARM_REFERENCE];

	if (p->ntargets != 2) {
		err_set(e, ERR_USAGE, "--versus compares two targets, %zu %s given", p->ntargets,
			p->ntargets == 1 ? "was" : "were");
		return err_hint(e, "--target old=A --target new=B --versus old");
	}
	for (size_t t = 0; t < 2; t++)
		if (str_eq(p->targets[t].role, reference)) {
			p->interleave.name[ARM_CANDIDATE] = p->targets[1 - t].role;
			return 0;
		}
	err_set(e, ERR_USAGE, "--versus '%s' is the role of no target", reference);
	return err_hint(e, "--versus %s, or --versus %s", p->targets[0].role, p->targets[1].role);
}

int interleave_targets(struct planner *pl, struct err *e)
{
	struct plan *p = pl->p;

	if (pl->o->lint_only || p->interleave.kind == INTERLEAVE_NONE)
		return 0;
	if (p->interleave.kind == INTERLEAVE_VERSUS)
		return versus_targets(pl, e);
	if (p->ntargets == 1)
		return 0;
	err_set(e, ERR_USAGE, "--ab compares two values of a setting on one target, %zu were given",
		p->ntargets);
	return err_hint(e, "two targets are compared with --versus ROLE");
}

/* The file of the kernel, and that it is there. Whether it takes the values is found out when it is
 * set, before the first run. */
static void find_setting(struct planner *pl)
{
	struct plan *p = pl->p;
	struct err e = ERR_INIT;

	if (p->interleave.kind != INTERLEAVE_SETTING || pl->missing[0])
		return;
	if (host_tunable(pl->o->host, p->interleave.setting, &p->targets[0], pl->a,
			 &p->interleave.path, &e) < 0)
		planner_setup_error(
			pl, e.code == ERR_USAGE ? ERR_SUITE : e.code,
			arena_printf(pl->a, "%s%s%s", e.text, e.hint[0] ? "; " : "", e.hint));
}

void interleave_jobs(struct planner *pl)
{
	struct plan *p = pl->p;
	unsigned runs = pl->at[PW_RUNS];

	if (pl->o->lint_only || p->interleave.kind == INTERLEAVE_NONE)
		return;
	find_setting(pl);
	for (size_t i = 0; i < p->njobs; i++) {
		const struct workload *w = &pl->s->workloads.v[p->workload[i]];

		if (w->all_targets)
			planner_report(pl, w->line, w->column,
				       "workload '%s' has 'targets: all', which measures them at "
				       "the same time: %s measures in turns",
				       w->name,
				       p->interleave.kind == INTERLEAVE_VERSUS ? "--versus"
									       : "--ab");
		/* of a pair */
		p->jobs[i].runs = p->interleave.kind == INTERLEAVE_SETTING ? 2 : 1;
		p->origins[i].of[runs] = (struct origin){.kind = ORIGIN_COMMAND};
	}
	for (size_t i = 0; p->interleave.kind == INTERLEAVE_VERSUS && i < p->nchecks; i++) {
		struct check *c = &p->checks[i];
		const struct target *t = &p->targets[p->jobs[c->job].target];

		if (c->kind == CHECK_GATE && interleave_arm(&p->interleave, t) == ARM_REFERENCE)
			c->skipped = "reference of --versus";
	}
}

/* Other words on the other target: told now and not when all is measured. Without a gate nothing is
 * compared. */
static void same_words(struct plan *p, uint32_t candidate)
{
	uint32_t k = interleave_partner(p->jobs, p->njobs, candidate);
	struct str a, b, differ;

	if (k == UINT32_MAX)
		return;
	str_init(&a);
	str_init(&b);
	str_init(&differ);
	job_canonical(&p->jobs[k], &a);
	job_canonical(&p->jobs[candidate], &b);
	job_canonical_diff(a.s, b.s, &differ);
	if (differ.len)
		job_stop(&p->jobs[candidate], JOB_ERROR,
			 arena_printf(&p->arena,
				      "it cannot be compared with '%s': %s; say in the suite what "
				      "both targets are to do",
				      p->interleave.name[ARM_REFERENCE], differ.s));
	str_release(&a);
	str_release(&b);
	str_release(&differ);
}

void interleave_settle(struct plan *p)
{
	uint32_t last = UINT32_MAX;

	if (p->interleave.kind != INTERLEAVE_VERSUS)
		return;
	for (size_t i = 0; i < p->nchecks; i++) {
		const struct check *c = &p->checks[i];

		if (c->kind == CHECK_GATE && !c->skipped && c->job != last)
			same_words(p, last = c->job);
	}
	for (uint32_t i = 0; i < p->njobs; i++) {
		uint32_t k = interleave_partner(p->jobs, p->njobs, i);
		const struct job *other = k == UINT32_MAX ? NULL : &p->jobs[k];

		if (other && other->state != JOB_READY)
			job_stop(&p->jobs[i], other->state,
				 arena_printf(&p->arena, "it runs in turns with '%s', where: %s",
					      p->targets[other->target].role,
					      other->why ? other->why : "it cannot run"));
	}
}

struct plan plan_part(const struct plan *p, const uint32_t *job, size_t n, struct job *room)
{
	struct plan part = *p;

	for (size_t i = 0; i < n; i++)
		room[i] = p->jobs[job[i]];
	part.jobs = room;
	part.njobs = n;
	return part;
}
