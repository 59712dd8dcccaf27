/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "gate/baseline_level.h"
#include "gate/expiry.h"
#include "gate/judge.h"
#include "gate/stored.h"
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

static void level_add(struct level *l, const struct base_job *of, const struct boot_time *t,
		      const struct base_value *v)
{
	const struct scale plain = {.absolute = true, .sign = 1},
			   logs = {.absolute = false, .sign = 1};
	double *work = xcalloc(v->n + 1, sizeof(*work));

	l->t[l->n] = *t;
	l->of[l->n] = of;
	l->x[l->n++] = estimate_session(&plain, v->v, v->n, work);
	pool_add_runs(&l->runs_plain, &plain, v->v, v->n);
	pool_add_runs(&l->runs_log, &logs, v->v, v->n);
	for (size_t k = 0; k < v->n; k++) {
		if (fabs(v->v[k]) > 0) /* that of 0 is in its base unit, and it has no log */
			l->step_log = fmax(l->step_log, v->step[k]);
		l->step_plain = fmax(l->step_plain, value_resolution(v->v[k], v->step[k]));
	}
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
	l->of = xcalloc(b->n + 1, sizeof(*l->of));
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
			level_add(
				l, j,
				&(struct boot_time){b->sessions[i].boot_id, b->sessions[i].started},
				v);
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

bool level_view(struct level *out, const struct level *l, const struct tail_view *view,
		const struct metric *m, struct arena *a)
{
	*out = *l;
	out->metric = NULL;
	out->n = 0;
	out->runs_log = out->runs_plain = (struct pool){0};
	out->step_log = out->step_plain = 0;
	out->x = xcalloc(l->n + 1, sizeof(*out->x));
	out->t = xcalloc(l->n + 1, sizeof(*out->t));
	out->of = xcalloc(l->n + 1, sizeof(*out->of));
	out->canary = l->canary ? xcalloc(l->n + 1, sizeof(*out->canary)) : NULL;
	for (size_t i = 0; i < l->n; i++) {
		const struct base_value *v = tail_view_base(view, m, l->of[i], a);

		if (!v || v->n != l->runs) {
			level_close(out);
			return false;
		}
		if (l->canary)
			out->canary[i] = l->canary[i];
		level_add(out, l->of[i], &l->t[i], v);
	}
	return true;
}

/* The session's value on the scale; NaN: it has none that stands beside the level. */
static double beside_level(const struct level *l, const struct base_session *x,
			   const struct scale *s)
{
	const struct base_job *j = baseline_find_job(x, l->target, l->job);
	const struct base_value *v = judge_base_value(j, l->metric);
	double *work, at;

	if (!v || v->n != l->runs || x->retired_jobs || !str_eq(j->canonical, l->canonical) ||
	    x->measurement_version != l->measurement_version)
		return NAN;
	work = xcalloc(v->n + 1, sizeof(*work));
	at = estimate_session(s, v->v, v->n, work);
	free(work);
	return at;
}

void level_older(const struct level *l, const struct baseline *b, const struct scale *s,
		 bool blocks, struct pool *p)
{
	struct boot_time *t = xcalloc(b->n + 1, sizeof(*t));
	uint32_t *block = xcalloc(b->n + 1, sizeof(*block));
	double *x = xcalloc(b->n + 1, sizeof(*x));

	for (uint32_t epoch = 1; l->metric && epoch < b->epoch; epoch++) {
		size_t n = 0;

		for (size_t i = 0; i < b->n; i++) {
			const struct base_session *one = &b->sessions[i];
			double at = one->epoch == epoch ? beside_level(l, one, s) : NAN;

			if (!isfinite(at) || expiry_over(&b->expiry, b, one))
				continue;
			t[n] = (struct boot_time){one->boot_id, one->started};
			x[n++] = at;
		}
		if (blocks)
			n = pool_block_means(x, block, n, blocks_assign(t, n, block));
		pool_add(p, x, n);
	}
	free(x);
	free(block);
	free(t);
}

void level_close(struct level *l)
{
	free(l->x);
	free(l->canary);
	free(l->t);
	free(l->of);
}

uint32_t level_blocks(const struct level *l)
{
	uint32_t *block = xcalloc(l->n + 1, sizeof(*block)), n = blocks_assign(l->t, l->n, block);

	free(block);
	return n;
}

double baseline_median(const struct baseline *b, const char *role, const struct job *j,
		       const char *metric)
{
	double median = NAN;
	struct level l;
	struct str text;

	str_init(&text);
	job_canonical(j, &text);
	level_open(&l, b, NULL, role, j->name, metric);
	if (l.n > 0 && str_eq(l.canonical, text.s))
		median = level_median(&l);
	level_close(&l);
	str_release(&text);
	return median;
}

double level_median(const struct level *l)
{
	double *x = xcalloc(l->n + 1, sizeof(*x)), m;

	memcpy(x, l->x, l->n * sizeof(*x));
	m = estimate_median(x, l->n);
	free(x);
	return m;
}
