/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the baseline demands and the result does not hold: a gate that was renamed, dropped or never
 * measured is an error until it is retired by name. A new epoch is another level and no retirement:
 * all epochs demand.
 */
#include "gate/judge.h"
#include <string.h>

static int by_text(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

struct names {
	char **v;
	size_t n, cap;
};

static void names_sort(struct names *l)
{
	size_t n = 0;

	if (l->n > 1)
		qsort(l->v, l->n, sizeof(*l->v), by_text);
	for (size_t i = 0; i < l->n; i++) {
		if (n > 0 && strcmp(l->v[n - 1], l->v[i]) == 0)
			free(l->v[i]);
		else
			l->v[n++] = l->v[i];
	}
	l->n = n;
}

static bool names_have(const struct names *l, const char *name)
{
	return l->n > 0 && bsearch(&name, l->v, l->n, sizeof(*l->v), by_text);
}

static void names_release(struct names *l)
{
	for (size_t i = 0; i < l->n; i++)
		free(l->v[i]);
	VEC_RELEASE(l);
}

/* "TARGET WORKLOAD" of every job and "TARGET WORKLOAD gate METRIC" of every gate of the result. */
static void held(const struct result *r, struct names *l)
{
	for (size_t i = 0; i < r->njobs; i++) {
		const struct job *j = &r->jobs[i];

		*VEC_PUSH(l) = xasprintf("%s %s",
					 j->target < r->ntargets ? r->targets[j->target].role : "",
					 j->name);
	}
	for (size_t i = 0; i < r->nchecks; i++) {
		const struct check *c = &r->checks[i];

		if (c->kind == CHECK_GATE && c->job < r->njobs) {
			char *gate = xasprintf("%s gate %s", l->v[c->job], c->metric);

			*VEC_PUSH(l) = gate;
		}
	}
	names_sort(l);
}

/* A retirement names the sessions that stood when it was written, whatever the clocks say; a gate
 * accepted again later is demanded again. */
static bool speaks_of(const struct base_session *record, const char *session)
{
	for (size_t i = 0; i < record->retired_of.n; i++)
		if (strcmp(record->retired_of.v[i], session) == 0)
			return true;
	return false;
}

static bool retired(const struct baseline *b, const char *what, const char *session)
{
	for (size_t i = 0; i < b->n; i++) {
		const struct base_session *s = &b->sessions[i];

		if (!s->retired_jobs || !speaks_of(s, session))
			continue;
		for (size_t k = 0; k < s->retired.n; k++)
			if (strcmp(s->retired.v[k], what) == 0)
				return true;
	}
	return false;
}

bool judge_retired(const struct baseline *b, const struct base_session *s, const struct base_job *j,
		   const char *metric)
{
	char *what = xasprintf("%s %s", j->target, j->name);
	bool yes = retired(b, what, s->id);

	if (!yes && metric) {
		char *gate = xasprintf("%s gate %s", what, metric);

		yes = retired(b, gate, s->id);
		free(gate);
	}
	free(what);
	return yes;
}

static void demand(const struct judge *g, const struct base_session *s, const struct base_job *j,
		   const struct names *have, struct names *lost)
{
	char *job = xasprintf("%s %s", j->target, j->name);
	bool job_held = names_have(have, job), job_retired = retired(g->b, job, s->id);

	for (size_t i = 0; i < j->gates.n && !job_retired; i++) {
		char *gate = xasprintf("%s gate %s", job, j->gates.v[i]);

		if (!names_have(have, gate) && !retired(g->b, gate, s->id))
			*VEC_PUSH(lost) = xstrdup(job_held ? gate : job);
		free(gate);
	}
	free(job);
}

/* "TARGET WORKLOAD[ gate METRIC]": names hold no spaces. */
static void name_parts(struct result *r, struct verdict *v, const char *what)
{
	const char *workload = strchr(what, ' ') + 1;
	const char *check = strchr(workload, ' ');
	size_t n = check ? (size_t)(check - workload) : strlen(workload);

	v->absent_target = arena_strndup(&r->arena, what, (size_t)(workload - 1 - what));
	v->absent_workload = arena_strndup(&r->arena, workload, n);
	v->absent_check = check ? arena_strdup(&r->arena, check + 1) : NULL;
}

void verdict_missing(struct judge *g)
{
	struct names have = {0}, lost = {0};

	if (!g->b || (g->r->setup_error && g->r->njobs == 0))
		return; /* a suite that was never planned says so once */
	held(g->r, &have);
	for (size_t i = 0; i < g->b->n; i++)
		for (size_t k = 0; k < g->b->sessions[i].jobs.n; k++)
			demand(g, &g->b->sessions[i], &g->b->sessions[i].jobs.v[k], &have, &lost);
	names_sort(&lost);
	for (size_t i = 0; i < lost.n; i++) {
		struct verdict *v = verdict_new(g->r, UINT32_MAX, VERDICT_MEASURE);

		verdict_say(g->r, v, VERDICT_ERROR, "missing",
			    "%s is in the baseline but not in this result: measure it again, or "
			    "`blkgate baseline retire '%s' --suite %s --reason WHY`",
			    lost.v[i], lost.v[i], g->r->suite);
		name_parts(g->r, v, lost.v[i]);
		verdict_finish(g->r, NULL, v);
	}
	names_release(&have);
	names_release(&lost);
}
