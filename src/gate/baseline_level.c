/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "gate/baseline_level.h"
#include "gate/expiry.h"
#include "gate/judge.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

static int by_name(const void *a, const void *b)
{
	const struct base_job *x = *(const struct base_job *const *)a,
			      *y = *(const struct base_job *const *)b;
	int order = strcmp(x->name, y->name);

	return order ? order : (x > y) - (x < y);
}

void baseline_index_jobs(struct base_session *s, struct arena *a)
{
	s->by_name = arena_alloc(a, (s->jobs.n + 1) * sizeof(*s->by_name));
	for (size_t i = 0; i < s->jobs.n; i++)
		s->by_name[i] = &s->jobs.v[i];
	qsort(s->by_name, s->jobs.n, sizeof(*s->by_name), by_name);
}

const struct base_job *const *baseline_jobs_named(const struct base_session *s, const char *name,
						  size_t *n)
{
	size_t low = 0, high = s->by_name ? s->jobs.n : 0, end;

	while (low < high) {
		size_t mid = low + (high - low) / 2;

		if (strcmp(s->by_name[mid]->name, name) < 0)
			low = mid + 1;
		else
			high = mid;
	}
	for (end = low; s->by_name && end < s->jobs.n && str_eq(s->by_name[end]->name, name);)
		end++;
	*n = end - low;
	return *n ? &s->by_name[low] : NULL;
}

const struct base_job *baseline_find_job(const struct base_session *s, const char *target,
					 const char *name)
{
	size_t n;
	const struct base_job *const *v = baseline_jobs_named(s, name, &n);

	for (size_t i = 0; i < n; i++)
		if (str_eq(v[i]->target, target))
			return v[i];
	return NULL;
}

bool baseline_gated(const struct base_job *j, const char *metric)
{
	for (size_t i = 0; j && i < j->gates.n; i++)
		if (str_eq(j->gates.v[i], metric))
			return true;
	return false;
}

bool baseline_current(const struct baseline *b, size_t i)
{
	return !b->sessions[i].retired_jobs && b->sessions[i].epoch == b->epoch;
}

bool baseline_counts(const struct baseline *b, size_t i)
{
	return baseline_current(b, i) && !expiry_over(&b->expiry, b, &b->sessions[i]);
}

static void level_add(struct level *l, const struct base_session *s, const struct base_value *v)
{
	const struct scale plain = {.absolute = true, .sign = 1},
			   logs = {.absolute = false, .sign = 1};
	double *work = xcalloc(v->n + 1, sizeof(*work));

	l->t[l->n] = (struct boot_time){s->boot_id, s->started};
	l->x[l->n++] = estimate_session(&plain, v->v, v->n, work);
	pool_add_runs(&l->runs_plain, &plain, v->v, v->n);
	pool_add_runs(&l->runs_log, &logs, v->v, v->n);
	free(work);
}

/* The job in session i, when that session is of the epoch. */
static const struct base_job *job_in(const struct baseline *b, size_t i,
				     const struct result *without, const char *target,
				     const char *name)
{
	if (!baseline_current(b, i) || (without && judge_own_session(without, b->sessions[i].id)))
		return NULL;
	return baseline_find_job(&b->sessions[i], target, name);
}

/* A canary that is wanted beside a level; name NULL = none. */
struct beside {
	const char *name, *metric, *canonical;
};

static double canary_level(const struct beside *c, const struct base_session *s, const char *target)
{
	static const struct scale logs = {.absolute = false, .sign = 1};
	const struct base_job *j = baseline_find_job(s, target, c->name);
	const struct base_value *v = judge_base_value(j, c->metric);
	double *work, at;

	if (!v || v->n != j->runs || !str_eq(j->canonical, c->canonical))
		return NAN;
	work = xcalloc(v->n + 1, sizeof(*work));
	at = estimate_session(&logs, v->v, v->n, work);
	free(work);
	return at;
}

static void level_fill(struct level *l, const struct baseline *b, const struct result *without,
		       struct beside *c)
{
	const struct expiry x = without ? expiry_of(without) : b->expiry;

	l->x = xcalloc(b->n + 1, sizeof(*l->x));
	l->t = xcalloc(b->n + 1, sizeof(*l->t));
	l->canary = c->name ? xcalloc(b->n + 1, sizeof(*l->canary)) : NULL;
	for (size_t i = b->n; i-- > 0 && !l->canonical;) {
		const struct base_job *j = job_in(b, i, without, l->target, l->job);

		if (!expiry_over(&x, b, &b->sessions[i]) && judge_base_value(j, l->metric)) {
			l->canonical = j->canonical;
			l->runs = j->runs;
			l->measurement_version = b->sessions[i].measurement_version;
		}
	}
	for (size_t i = b->n; c->name && i-- > 0 && !c->canonical;) {
		const struct base_job *j = job_in(b, i, without, l->target, c->name);

		if (!expiry_over(&x, b, &b->sessions[i]) && judge_base_value(j, c->metric))
			c->canonical = j->canonical;
	}
	for (size_t i = 0; i < b->n; i++) {
		const struct base_job *j = job_in(b, i, without, l->target, l->job);
		const struct base_value *v = judge_base_value(j, l->metric);
		double canary = c->name ? canary_level(c, &b->sessions[i], l->target) : 0;

		if (expiry_over(&x, b, &b->sessions[i])) {
			l->expired += v || baseline_gated(j, l->metric);
		} else if (v && v->n == l->runs && str_eq(j->canonical, l->canonical) &&
			   b->sessions[i].measurement_version == l->measurement_version &&
			   isfinite(canary)) {
			if (l->canary)
				l->canary[l->n] = canary;
			level_add(l, &b->sessions[i], v);
		} else if (v || baseline_gated(j, l->metric)) {
			l->left_out++;
		}
	}
}

void level_open(struct level *l, const struct baseline *b, const struct result *without,
		const char *target, const char *job, const char *metric)
{
	*l = (struct level){.target = target, .job = job, .metric = metric};
	level_fill(l, b, without, &(struct beside){0});
}

void level_open_beside(struct level *l, const struct baseline *b, const char *target,
		       const char *job, const char *metric, const char *canary,
		       const char *canary_metric)
{
	*l = (struct level){.target = target, .job = job, .metric = metric};
	level_fill(l, b, NULL, &(struct beside){.name = canary, .metric = canary_metric});
}

void level_close(struct level *l)
{
	free(l->x);
	free(l->canary);
	free(l->t);
}

uint32_t level_blocks(const struct level *l)
{
	uint32_t *block = xcalloc(l->n + 1, sizeof(*block)), n = blocks_assign(l->t, l->n, block);

	free(block);
	return n;
}

double level_median(const struct level *l)
{
	double *x = xcalloc(l->n + 1, sizeof(*x)), m;

	memcpy(x, l->x, l->n * sizeof(*x));
	m = estimate_median(x, l->n);
	free(x);
	return m;
}
