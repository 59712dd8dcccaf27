/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A row of a comparison: the values of one metric on each side, and their differences. */
#include "gate/baseline_file.h"
#include "gate/compare_maker.h"
#include "gate/estimate.h"
#include <math.h>

const char *compare_role(const struct compare_maker *m, const struct compare_carrier *k)
{
	return m->a->r[k->result]->targets[k->target].role;
}

static const struct base_value *value_in(const struct base_session *b, const char *role,
					 const struct job *j, const struct metric *m)
{
	for (size_t i = 0; i < b->jobs.n; i++)
		for (size_t k = 0; k < b->jobs.v[i].values.n; k++)
			if (str_eq(b->jobs.v[i].name, j->name) &&
			    str_eq(b->jobs.v[i].target, role) &&
			    str_eq(b->jobs.v[i].values.v[k].metric, m->name))
				return &b->jobs.v[i].values.v[k];
	return NULL;
}

/* Why the job was not measured, or NULL. */
static const char *not_measured(const struct result *r, const struct job *j)
{
	for (size_t i = 0; i < r->verdicts.n; i++) {
		const struct verdict *v = &r->verdicts.v[i];

		if (v->check == VERDICT_MEASURE && v->job < r->njobs && &r->jobs[v->job] == j)
			return v->kind == VERDICT_PASS ? NULL : v->text;
	}
	return "not judged";
}

/* Another job, or another number of runs, than the first side's: no ratio of the two says a thing.
 */
static const char *another_job(struct compare_maker *m, const struct job *first,
			       const struct job *j)
{
	struct str was, is, diff;
	const char *why = NULL;

	if (first->runs != j->runs)
		return arena_printf(&m->c->arena, "runs of a session %u -> %u", first->runs,
				    j->runs);
	str_init(&was);
	str_init(&is);
	str_init(&diff);
	job_canonical(first, &was);
	job_canonical(j, &is);
	if (!str_eq(was.s, is.s)) {
		job_canonical_diff(was.s, is.s, &diff);
		why = arena_printf(&m->c->arena, "another job: %s", diff.s);
	}
	str_release(&was);
	str_release(&is);
	str_release(&diff);
	return why;
}

static double on_scale(const struct compare_row *row, double v)
{
	return row->absolute ? v : log(v);
}

static void add_session(struct compare_maker *m, struct compare_row *row, struct compare_cell *cell,
			const struct base_value *v)
{
	double *x = arena_alloc(&m->c->arena, (v->n + 1) * sizeof(*x)),
	       *grown = arena_alloc(&m->c->arena, (cell->nsession + 1) * sizeof(*grown));

	for (size_t i = 0; i < v->n; i++) {
		x[i] = on_scale(row, v->v[i]);
		row->q = fmax(row->q,
			      row->absolute ? value_resolution(v->v[i], v->step[i]) : v->step[i]);
	}
	if (!cell->run) {
		cell->run = arena_alloc(&m->c->arena, (v->n + 1) * sizeof(*x));
		memcpy(cell->run, x, v->n * sizeof(*x));
		cell->nrun = v->n;
	}
	if (cell->nsession)
		memcpy(grown, cell->session, cell->nsession * sizeof(*grown));
	cell->session = grown;
	cell->session[cell->nsession++] = estimate_median(x, v->n);
}

static void fill_cell(struct compare_maker *m, size_t side, const struct job *first,
		      struct compare_row *row)
{
	struct compare_cell *cell = &row->cell[side];
	double sum = 0;

	cell->value = NAN;
	for (size_t k = 0; k < m->carriers.n && !cell->missing; k++) {
		const struct compare_carrier *x = &m->carriers.v[k];
		const struct job *j = x->side == side ? m->on[k] : NULL;
		const struct result *r = m->a->r[x->result];

		if (!j)
			continue;
		cell->absent = j->state == JOB_SKIPPED;
		cell->missing = not_measured(r, j);
		if (!cell->missing)
			cell->missing = another_job(m, first, j);
		for (size_t i = 0; i < r->sessions.n && !cell->missing; i++) {
			const struct base_value *v = value_in(&m->session[x->result][i],
							      compare_role(m, x), j, row->metric);

			if (v && v->n == j->runs)
				add_session(m, row, cell, v);
			else if (v || i == 0)
				cell->missing = "too few samples, or no value, in a run";
		}
	}
	if (!cell->missing && cell->nsession == 0) {
		cell->missing = "not in it";
		cell->absent = true;
	}
	if (cell->missing)
		return;
	for (size_t i = 0; i < cell->nsession; i++)
		sum += cell->session[i];
	cell->value = sum / (double)cell->nsession;
	if (!row->absolute)
		cell->value = exp(cell->value);
}

bool compare_by_sessions(const struct compare_row *row, size_t side)
{
	return row->cell[0].nsession + row->cell[side].nsession >= 3;
}

bool compare_carries(const struct compare_row *row, size_t side)
{
	return row->cell[0].nsession >= 2 && row->cell[side].nsession >= 2;
}

static void fill_differences(struct compare_maker *m, struct compare_row *row)
{
	for (size_t i = 1; i < m->c->sides.n; i++) {
		const struct compare_cell *a = &row->cell[0], *b = &row->cell[i];
		struct difference *d = &row->against[i];

		*d = (struct difference){NAN, NAN, NAN, NAN, NAN};
		if (a->missing || b->missing) {
			/* what one side never chose is no failure of the comparison */
			m->c->failed += !a->absent && !b->absent;
			continue;
		}
		if (compare_by_sessions(row, i))
			difference_of(a->session, a->nsession, b->session, b->nsession, row->q, d);
		else
			difference_of_medians(a->run, a->nrun, b->run, b->nrun, row->q, d);
		m->c->compared += isfinite(d->est);
		m->c->failed += !isfinite(d->est);
	}
}

void compare_add_row(struct compare_maker *m, const struct compare_subject *s,
		     const struct metric *metric, const struct job *first, const struct check *gate)
{
	struct compare *c = m->c;
	struct compare_row *row = VEC_PUSH(&c->rows);

	row->workload = s->workload;
	row->target = s->role;
	row->metric = metric;
	row->absolute = gate && gate->absolute;
	row->tolerance = gate ? gate->tolerance : 0;
	row->assumed_sd = m->a->r[0]->assumed_session_sd;
	row->cell = arena_alloc(&c->arena, c->sides.n * sizeof(*row->cell));
	row->against = arena_alloc(&c->arena, c->sides.n * sizeof(*row->against));
	for (size_t i = 0; i < c->sides.n; i++)
		fill_cell(m, i, first, row);
	fill_differences(m, row);
}
