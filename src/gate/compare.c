/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A comparison: who stands on which side, and which workloads and metrics are looked at. */
#include "gate/compare_maker.h"
#include "gate/baseline_file.h"
#include "gate/blocks.h"
#include "gate/comparable.h"
#include <math.h>
#include <stdio.h>

static uint32_t side_of(struct compare_maker *m, const char *name)
{
	struct compare *c = m->c;

	for (uint32_t i = 0; i < c->sides.n; i++)
		if (str_eq(c->sides.v[i].name, name))
			return i;
	VEC_PUSH(&c->sides)->name = arena_strdup(&c->arena, name);
	return (uint32_t)c->sides.n - 1;
}

static int add_result(struct compare_maker *m, uint32_t i, struct err *e)
{
	const struct result *r = m->a->r[i];
	char *number = m->a->by ? NULL : xasprintf("%u", i);
	int rc = 0;

	for (uint32_t t = 0; t < r->ntargets && rc == 0; t++) {
		const struct fact *f =
			m->a->by ? facts_find2(&r->targets[t].facts, &r->host, m->a->by) : NULL;
		uint32_t side;

		if (m->a->by && target_is_total(&r->targets[t]))
			continue;
		if (m->a->by && (!f || !f->value)) {
			rc = err_set(e, ERR_REFUSED, "'%s': '%s' of target '%s' is not known",
				     m->a->names[i], m->a->by, r->targets[t].role);
			break;
		}
		side = side_of(m, f ? f->value : number);
		*VEC_PUSH(&m->carriers) = (struct compare_carrier){side, i, t};
	}
	free(number);
	return rc;
}

static void read_sessions(struct compare_maker *m)
{
	m->session = xcalloc(m->a->n + 1, sizeof(struct base_session *));
	for (size_t i = 0; i < m->a->n; i++) {
		const struct result *r = m->a->r[i];

		m->session[i] = xcalloc(r->sessions.n + 1, sizeof(*m->session[i]));
		for (uint32_t s = 0; s < r->sessions.n; s++)
			baseline_session_from(r, s, &m->c->arena, &m->session[i][s]);
	}
}

/* Half of its runs are of another thing than the other half. */
static int refuse_interleaved(const struct result *r, const char *name, struct err *e)
{
	if (r->interleave.kind == INTERLEAVE_NONE)
		return 0;
	err_set(e, ERR_REFUSED,
		"'%s' is interleaved (%s): its two arms are compared with each other already", name,
		r->interleave.kind == INTERLEAVE_VERSUS ? "--versus" : "--ab");
	return err_hint(e, "blkgate report %s", name);
}

static int check_results(const struct compare_maker *m, struct err *e)
{
	const struct compare_ask *a = m->a;

	for (size_t i = 0; i < a->n; i++)
		if (refuse_interleaved(a->r[i], a->names[i], e))
			return e->code;
	for (size_t i = 1; i < a->n; i++) {
		if (!str_eq(a->r[i]->suite, a->r[0]->suite))
			return err_set(e, ERR_REFUSED, "'%s' is of suite '%s', '%s' of '%s'",
				       a->names[0], a->r[0]->suite, a->names[i], a->r[i]->suite);
		if (a->r[i]->measurement_version != a->r[0]->measurement_version)
			return err_set(e, ERR_REFUSED,
				       "'%s' is of measurement version %u, '%s' of %u", a->names[0],
				       a->r[0]->measurement_version, a->names[i],
				       a->r[i]->measurement_version);
		for (size_t k = 0; k < i; k++)
			for (size_t s = 0; s < a->r[k]->sessions.n; s++)
				for (size_t t = 0; t < a->r[i]->sessions.n; t++)
					if (str_eq(a->r[k]->sessions.v[s].id,
						   a->r[i]->sessions.v[t].id))
						return err_set(
							e, ERR_REFUSED,
							"session '%s' is in '%s' and in '%s'",
							a->r[i]->sessions.v[t].id, a->names[k],
							a->names[i]);
	}
	return 0;
}

static void add_subjects(struct compare_maker *m)
{
	for (size_t k = 0; k < m->carriers.n; k++) {
		const struct compare_carrier *x = &m->carriers.v[k];
		const struct result *r = m->a->r[x->result];

		for (size_t j = 0; j < r->njobs; j++) {
			const char *role = m->a->by ? NULL : compare_role(m, x);
			bool known = false;

			if (r->jobs[j].target != x->target)
				continue;
			for (size_t i = 0; i < m->subjects.n && !known; i++)
				known = str_eq(m->subjects.v[i].workload, r->jobs[j].name) &&
					(!role || str_eq(m->subjects.v[i].role, role));
			if (!known)
				*VEC_PUSH(&m->subjects) =
					(struct compare_subject){r->jobs[j].name, role};
		}
	}
}

/* The job of the subject on that carrier; NULL = it has none. */
static const struct job *job_on(const struct compare_maker *m, const struct compare_subject *s,
				const struct compare_carrier *x)
{
	const struct result *r = m->a->r[x->result];

	if (s->role && !str_eq(compare_role(m, x), s->role))
		return NULL;
	for (size_t j = 0; j < r->njobs; j++)
		if (r->jobs[j].target == x->target && str_eq(r->jobs[j].name, s->workload))
			return &r->jobs[j];
	return NULL;
}

/* The gate or expectation of that metric in any of the results. */
static const struct check *check_on(const struct compare_maker *m, const struct metric *metric,
				    bool gate)
{
	for (size_t k = 0; k < m->carriers.n; k++) {
		const struct result *r = m->a->r[m->carriers.v[k].result];
		const struct job *j = m->on[k];

		for (size_t i = 0; j && i < r->nchecks; i++)
			if (r->checks[i].job == (uint32_t)(j - r->jobs) &&
			    (r->checks[i].kind == CHECK_GATE) == gate &&
			    str_eq(r->checks[i].metric, metric->name))
				return &r->checks[i];
	}
	return NULL;
}

/* Has the workload a check of any metric, on any side? */
static bool demands(const struct compare_maker *m)
{
	for (size_t k = 0; k < m->carriers.n; k++) {
		const struct result *r = m->a->r[m->carriers.v[k].result];

		for (size_t i = 0; m->on[k] && i < r->nchecks; i++)
			if (r->checks[i].job == (uint32_t)(m->on[k] - r->jobs))
				return true;
	}
	return false;
}

/* What people quote of a workload that demands nothing. */
static bool quoted(const struct metric *metric, const struct job *j)
{
	if (metric->dir >= DIR_COUNT || !metric_job_does(j, metric->dir))
		return false;
	return metric->source == SOURCE_IOS || metric->source == SOURCE_BYTES ||
	       (metric->source == SOURCE_CLAT && metric->stat == STAT_PERCENTILE &&
		fabs(metric->quantile - 0.99) < 1e-9);
}

static void add_subject(struct compare_maker *m, const struct compare_subject *s)
{
	const struct job *first = NULL;
	bool demanded;

	for (size_t k = 0; k < m->carriers.n; k++) {
		const struct job *j = m->on[k] = job_on(m, s, &m->carriers.v[k]);

		if (j && (!first || (first->state != JOB_READY && j->state == JOB_READY)))
			first = j;
	}
	demanded = demands(m);
	for (unsigned i = 0; first && i < metric_count; i++) {
		const struct metric *metric = &metric_table[i];
		const struct check *gate = demanded ? check_on(m, metric, true) : NULL;

		if (demanded ? gate || check_on(m, metric, false) : quoted(metric, first))
			compare_add_row(m, s, metric, first, gate);
	}
}

/* The file, and what a reader must know before its figures. */
static void add_file(struct str *s, const char *name, const struct result *r)
{
	str_add(s, name);
	if (r->change)
		str_addf(s, " (change %s)", r->change);
	if (r->inject)
		str_addf(s, " (injected: %s)", r->inject);
	if (r->unfinished)
		str_add(s, " (unfinished: its journal has no end)");
	else if (r->interrupted)
		str_add(s, " (interrupted)");
	else if (r->partial)
		str_addf(s, " (partial: %s)", r->partial);
}

/* "change X, 3 sessions in 2 boots, injected" and what else is not alike. */
static void describe(struct compare_maker *m, uint32_t side)
{
	struct boot_time *boot;
	size_t n = 0, at = 0;
	uint32_t *block;
	const struct compare_carrier *first = NULL, *base = NULL;
	struct str s;

	for (size_t i = 0; i < m->a->n; i++)
		n += m->a->r[i]->sessions.n;
	boot = xcalloc(n + 1, sizeof(*boot));
	block = xcalloc(n + 1, sizeof(*block));
	str_init(&s);
	for (size_t k = 0; k < m->carriers.n; k++) {
		const struct compare_carrier *x = &m->carriers.v[k];
		const struct result *r = m->a->r[x->result];
		bool again = k && m->carriers.v[k - 1].result == x->result &&
			     m->carriers.v[k - 1].side == side;

		if (!base && x->side == 0)
			base = x;
		if (x->side != side || again)
			continue;
		first = first ? first : x;
		str_add(&s, s.len ? ", " : "");
		add_file(&s, m->a->names[x->result], r);
		for (uint32_t i = 0; i < r->sessions.n && at < n; i++)
			boot[at++] = (struct boot_time){result_session_boot(r, i),
							r->sessions.v[i].started};
	}
	n = blocks_assign(boot, at, block);
	str_addf(&s, ": %zu session%s, %zu block%s", at, at == 1 ? "" : "s", n, n == 1 ? "" : "s");
	m->c->sides.v[side].one_block = at > 1 && n == 1;
	m->c->sides.v[side].what = arena_strdup(&m->c->arena, s.s);
	str_clear(&s);
	if (side > 0 && first && base) {
		const struct result *a = m->a->r[base->result], *b = m->a->r[first->result];
		const struct fact_side x = {&a->targets[base->target].facts, &a->host};
		const struct fact_side y = {&b->targets[first->target].facts, &b->host};

		comparable_other(&b->compare, x, y, true, &s);
	}
	m->c->sides.v[side].differ = s.len ? arena_strdup(&m->c->arena, s.s) : NULL;
	str_release(&s);
	free(block);
	free(boot);
}

static int make(struct compare_maker *m, struct err *e)
{
	struct compare *c = m->c;

	if (check_results(m, e))
		return e->code;
	for (uint32_t i = 0; i < m->a->n; i++)
		if (add_result(m, i, e))
			return e->code;
	if (c->sides.n < 2) {
		err_set(e, ERR_REFUSED, "there is one side only%s%s", m->a->by ? ": " : "",
			m->a->by && c->sides.n ? c->sides.v[0].name : "");
		return err_hint(e, "name two results, or the label that tells them apart: --by "
				   "label.KEY");
	}
	for (size_t i = 0; !m->a->by && i < c->sides.n; i++)
		c->sides.v[i].name = m->a->names[i];
	read_sessions(m);
	add_subjects(m);
	m->on = xcalloc(m->carriers.n + 1, sizeof(*m->on));
	for (uint32_t i = 0; i < c->sides.n; i++)
		describe(m, i);
	for (size_t i = 0; i < m->subjects.n; i++)
		add_subject(m, &m->subjects.v[i]);
	return 0;
}

int compare_make(const struct compare_ask *a, struct compare *out, struct err *e)
{
	struct compare_maker m = {.a = a, .c = out};
	int rc;

	*out = (struct compare){.by = a->by, .two_sided = a->two_sided};
	arena_init(&out->arena);
	out->suite = a->n ? a->r[0]->suite : "";
	rc = make(&m, e);
	for (size_t i = 0; m.session && i < a->n; i++) {
		for (size_t s = 0; s < a->r[i]->sessions.n; s++)
			baseline_session_release(&m.session[i][s]);
		free(m.session[i]);
	}
	free(m.session);
	free(m.on);
	VEC_RELEASE(&m.carriers);
	VEC_RELEASE(&m.subjects);
	if (rc)
		compare_release(out);
	return rc;
}

void compare_release(struct compare *c)
{
	VEC_RELEASE(&c->sides);
	VEC_RELEASE(&c->rows);
	arena_release(&c->arena);
	*c = (struct compare){0};
}
