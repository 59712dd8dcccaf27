/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * plan/tunables: the files behind the `tunables` of jobs. Whether the kernel takes a value is found
 * out when the session tries it, before the first run.
 */
#include "model/precondition.h"
#include "plan/planner.h"

#include <string.h>

static void add(struct planner *pl, uint32_t job, const struct tunable *u)
{
	struct plan *p = pl->p;
	struct job *j = &p->jobs[job];
	const struct origin *at = &p->origins[job].of[pl->at[PW_TUNABLES]];
	struct err e = ERR_INIT;
	const char *path = NULL;

	if (host_tunable_name(u->name, &e) < 0) {
		planner_report_err(pl, at->line, at->column, &e);
		return;
	}
	if (pl->o->lint_only || j->state != JOB_READY)
		return;
	if (host_tunable(pl->o->host, u->name, &p->targets[j->target], pl->a, &path, &e) < 0) {
		job_stop(j, JOB_ERROR,
			 arena_printf(pl->a, "%s%s%s (%s:%u)", e.text, e.hint[0] ? "; " : "",
				      e.hint, p->suite->file, at->line));
		return;
	}
	if (p->interleave.kind == INTERLEAVE_SETTING && str_eq(p->interleave.path, path))
		planner_setup_error(pl, ERR_SUITE,
				    arena_printf(pl->a,
						 "workload '%s' sets '%s', which --ab compares",
						 j->name, u->name));
	p->settings = xreallocarray(p->settings, p->nsettings + 1, sizeof(*p->settings));
	p->settings[p->nsettings++] = (struct plan_setting){job, u->name, path, u->value};
}

/* Of what runs at the same time one setting has one value. */
static void one_value(struct plan *p, const struct plan_setting *s)
{
	struct job *j = &p->jobs[s->job];

	for (size_t i = 0; j->group && i < p->nsettings; i++) {
		const struct plan_setting *o = &p->settings[i];
		struct job *k = &p->jobs[o->job];

		if (k->group != j->group || !str_eq(o->path, s->path) || str_eq(o->value, s->value))
			continue;
		job_stop(j, JOB_ERROR,
			 arena_printf(&p->arena,
				      "it sets '%s' to '%s', and '%s', which runs at the same "
				      "time, to '%s'",
				      s->name, s->value, k->name, o->value));
	}
}

/* A company that leaves a setting alone runs under it all the same, and would not be told apart
 * from one that ran without: its text has to say it. */
static void whole_group(struct plan *p, const struct plan_setting *s)
{
	const struct job *j = &p->jobs[s->job];

	for (size_t i = 0; j->group && i < p->njobs; i++) {
		struct job *k = &p->jobs[i];
		bool found = k->group != j->group || k->total || k == j;

		for (size_t n = 0; !found && n < p->nsettings; n++)
			found = p->settings[n].job == i && str_eq(p->settings[n].path, s->path);
		if (!found)
			job_stop(k, JOB_ERROR,
				 arena_printf(&p->arena,
					      "it runs at the same time as '%s', which sets '%s': "
					      "both have to",
					      j->name, s->name));
	}
}

void tunables_find(struct planner *pl)
{
	struct plan *p = pl->p;

	for (uint32_t i = 0; i < p->njobs; i++) {
		struct tunable_list l;

		if (p->jobs[i].total || tunables_read(p->jobs[i].tunables, pl->a, &l) < 0)
			continue;
		for (size_t k = 0; k < l.n; k++)
			add(pl, i, &l.v[k]);
	}
	for (size_t i = 0; i < p->nsettings; i++)
		one_value(p, &p->settings[i]);
	for (size_t i = 0; i < p->nsettings; i++)
		whole_group(p, &p->settings[i]);
}

/* Does every run on its target have that value of it? */
static bool common(const struct plan *p, const struct plan_setting *s)
{
	uint32_t target = p->jobs[s->job].target;
	size_t jobs = 0, same = 0;

	for (size_t i = 0; i < p->njobs; i++)
		jobs += p->jobs[i].target == target && p->jobs[i].state == JOB_READY &&
			!p->jobs[i].total;
	for (size_t i = 0; i < p->nsettings; i++) {
		const struct job *j = &p->jobs[p->settings[i].job];

		same += j->target == target && j->state == JOB_READY &&
			str_eq(p->settings[i].path, s->path) &&
			str_eq(p->settings[i].value, s->value);
	}
	return same == jobs;
}

/* The facts are those that hold while it is measured, and not those before. Where all runs have one
 * value, the setting of the first job has it. */
void tunables_settle(struct plan *p)
{
	uint32_t seen = UINT32_MAX;

	for (size_t i = 0; i < p->nsettings; i++) {
		const struct plan_setting *s = &p->settings[i];
		struct target *t = &p->targets[p->jobs[s->job].target];
		const char *key;

		if (p->jobs[s->job].state != JOB_READY)
			continue;
		if (seen == UINT32_MAX || p->jobs[seen].target < p->jobs[s->job].target)
			seen = s->job;
		if (s->job != seen)
			continue;
		key = arena_printf(&p->arena, "device.%s", s->name);
		if (facts_find(&t->facts, key) && common(p, s))
			facts_set(&t->facts, &p->arena, key, s->value, NULL);
	}
}
