/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cmd/load.h"

#include "base/rng.h"
#include "gate/outlook.h"

#include <stdlib.h>
#include <string.h>

static void plan_one(struct load *l, struct loaded *s, struct options *o, bool lint)
{
	const struct own_folder own[] = {{"baselines", o->baselines},
					 {"the output", o->out},
					 {"the latency logs", o->latency_log}};
	struct plan_options po = {
		.host = &l->host,
		.own = own,
		.nown = sizeof(own) / sizeof(own[0]),
		.targets = l->targets.v,
		.ntargets = l->targets.n,
		.labels = o->labels.v,
		.nlabels = o->labels.n,
		.allow_write = o->allow_write.v,
		.nallow = o->allow_write.n,
		.only = o->only,
		.check = o->check,
		.runs = o->runs,
		.sessions_min = o->sessions_min,
		.sessions_max = o->sessions_max,
		.continues = o->with.n > 0,
		.seed = l->seed,
		.budget_time = o->budget_time,
		.budget_written = o->budget_written,
		.profile = o->profile ? o->profile : "default",
		.interleave = l->interleave,
		.first_look = l->first_look,
		.lint_only = lint,
	};

	if (suite_load(s->path, o->set.v, o->set.n, &s->suite, &s->diags, &s->err) < 0) {
		s->has_suite = true; /* releasable */
		return;
	}
	s->has_suite = s->has_plan = true;
	if (plan_make(&s->suite, &po, &s->plan, &s->diags, &s->err) < 0)
		return;
	for (size_t i = 0; i < l->by_host_file.n; i++)
		notices_add(&s->plan.notices, "%s", l->by_host_file.v[i]);
	if ((po.interleave.kind != INTERLEAVE_NONE || (lint && o->pairs)) &&
	    interleave_check(o, &s->plan, &s->err) < 0)
		return;
	for (size_t i = 0; i < o->policy.n; i++)
		if (policy_set(&s->plan.policy, o->policy.v[i].key, o->policy.v[i].value, &s->err) <
		    0)
			return;
}

/* Neither of the two runs: their documents and baselines could not be told apart. */
static void refuse_equal_names(struct load *l)
{
	for (size_t i = 0; i < l->n; i++)
		for (size_t k = 0; k < l->n; k++)
			if (k != i && l->v[i].has_plan && l->v[k].has_plan && !l->v[i].err.code &&
			    str_eq(l->v[i].suite.name, l->v[k].suite.name))
				err_set(&l->v[i].err, ERR_SUITE,
					"'%s' and '%s' are both suites of the name '%s'",
					l->v[k].path, l->v[i].path, l->v[i].suite.name);
}

int load_open(struct load *l, struct options *o, bool need_targets, bool lint,
	      enum diag_level least)
{
	struct err e = ERR_INIT;

	*l = (struct load){.host = {.root = o->root ? o->root : "/"}};
	notices_init(&l->by_host_file);
	arena_init(&l->host_file.arena);
	l->seed = o->has_seed ? o->seed : rng_entropy() >> 11;
	if (!o->args.n) {
		err_set(&e, ERR_USAGE, "no suite was named");
		err_hint(&e, "suites/smoke.yaml runs anywhere");
	} else if (!o->root || host_check_root(&l->host, &e) == 0) {
		load_targets(l, o, need_targets, &e);
		if (!e.code)
			interleave_options(o, l, lint, &e);
	}
	if (e.code) {
		say_err(&e);
		return e.code;
	}
	l->n = o->args.n;
	l->v = xcalloc(l->n, sizeof(*l->v));
	for (size_t i = 0; i < l->n; i++) {
		l->v[i].path = o->args.v[i];
		diags_init(&l->v[i].diags);
		plan_one(l, &l->v[i], o, lint);
	}
	refuse_equal_names(l);
	for (size_t i = 0; i < l->n; i++) {
		struct loaded *s = &l->v[i];

		diags_sort(&s->diags);
		say_diags(&s->diags, least);
		if (!s->err.code)
			continue;
		if (!s->diags.errors)
			say_err(&s->err);
		l->status = status_worse(l->status, status_of(&s->err));
	}
	return 0;
}

void load_release(struct load *l)
{
	for (size_t i = 0; i < l->n; i++) {
		if (l->v[i].has_plan)
			plan_release(&l->v[i].plan);
		if (l->v[i].has_suite)
			suite_release(&l->v[i].suite);
		diags_release(&l->v[i].diags);
	}
	free(l->v);
	VEC_RELEASE(&l->targets);
	notices_release(&l->by_host_file);
	host_file_release(&l->host_file);
}

void forecast_text(const struct loaded *s, const struct baseline *b, bool any_role, struct str *out)
{
	const struct outlook_ask ask = {.jobs = s->plan.jobs,
					.njobs = s->plan.njobs,
					.checks = s->plan.checks,
					.nchecks = s->plan.nchecks,
					.targets = s->plan.targets,
					.ntargets = s->plan.ntargets,
					.any_role = any_role,
					.interleave = &s->plan.interleave,
					.max = s->plan.sessions_max,
					.looks = s->suite.sessions_max,
					.assumed_sd = s->suite.assumed_session_sd};
	struct outlook o;

	outlook(&ask, b, &o);
	outlook_text(&o, out);
}
