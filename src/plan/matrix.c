/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * plan/matrix: workloads to instances to jobs, in the order workload, instance (last axis fastest),
 * target. Also names: each is unique in the suite, and adding an axis value renames nothing.
 */
#include "plan/planner.h"

#include "base/hash.h"

/* Product of the axes; capped just above the guard, so that it cannot overflow. */
static size_t matrix_size(const struct workload *w)
{
	size_t n = 1;

	for (size_t i = 0; i < w->matrix.n && n <= PLAN_MAX_INSTANCES; i++) {
		size_t k = w->matrix.v[i].n;

		if (k == 0)
			return 0;
		n = k > PLAN_MAX_INSTANCES ? PLAN_MAX_INSTANCES + 1 : n * k;
	}
	return n > PLAN_MAX_INSTANCES ? PLAN_MAX_INSTANCES + 1 : n;
}

/* Whether the job's value of each word equals the one written; values are compared as shown. */
static bool exclude_hits(struct planner *pl, const struct exclude *x, const struct job *j)
{
	struct str a, b;
	bool hit = x->words.n > 0;

	str_init(&a);
	str_init(&b);
	for (size_t i = 0; i < x->words.n && hit; i++) {
		const struct word_value *wv = &x->words.v[i];
		struct err e = ERR_INIT;
		struct job probe = *j;

		if (wv->word->read(wv->word, wv->node->text, pl->a, &probe, &e) < 0) {
			planner_report_err(pl, wv->node->line, wv->node->column, &e);
			hit = false;
			break;
		}
		str_clear(&a);
		str_clear(&b);
		wv->word->show(wv->word, &probe, &a);
		wv->word->show(wv->word, j, &b);
		hit = strcmp(a.s, b.s) == 0;
	}
	str_release(&a);
	str_release(&b);
	return hit;
}

/* "rand-{rw}-qd{iodepth}". */
static void name_pattern(struct planner *pl, const struct workload *w, const struct job *j,
			 struct str *out)
{
	const char *p = w->name_pattern;

	while (*p) {
		const char *end = *p == '{' ? strchr(p, '}') : NULL;
		char name[64] = "";
		const struct word *word;
		struct diag *g;

		if (!end) {
			str_addc(out, *p++);
			continue;
		}
		if ((size_t)(end - p - 1) < sizeof(name))
			memcpy(name, p + 1, (size_t)(end - p - 1));
		word = word_find(name);
		if (word) {
			word_name_value(word, j, out);
		} else {
			g = planner_report(pl, w->line, w->column,
					   "name '%s' has {%.*s}, which is no workload word",
					   w->name_pattern, (int)(end - p - 1), p + 1);
			if (g)
				diag_hint(g, "e.g. `name: rand-{rw}-qd{iodepth}`");
		}
		p = end + 1;
	}
}

static const char *instance_name(struct planner *pl, const struct workload *w, const struct job *j)
{
	const char *name;
	struct str s;

	if (!w->name_pattern && w->matrix.n == 0)
		return w->name;
	str_init(&s);
	if (w->name_pattern) {
		name_pattern(pl, w, j, &s);
	} else {
		str_add(&s, w->name);
		for (size_t i = 0; i < w->matrix.n; i++) {
			str_addf(&s, ":%s=", w->matrix.v[i].word->name);
			word_name_value(w->matrix.v[i].word, j, &s);
		}
	}
	name = arena_strdup(pl->a, s.s);
	str_release(&s);
	return name;
}

/* JUnit knows a test by its name: two of one name overwrite each other and a failure vanishes. */
static void name_take(struct planner *pl, const struct workload *w, const char *name, uint32_t job)
{
	size_t i;

	for (i = hash_str(name) & pl->names_mask; pl->names[i].name; i = (i + 1) & pl->names_mask) {
		const struct workload *old;
		struct diag *g;

		if (strcmp(pl->names[i].name, name) != 0)
			continue;
		old = &pl->s->workloads.v[pl->p->workload[pl->names[i].job]];
		g = planner_report(pl, w->line, w->column,
				   "two workloads are called '%s': one at line %u, one at line %u",
				   name, old->line, w->line);
		if (g && old == w)
			diag_hint(g, "%s",
				  w->name_pattern
					  ? "put every axis of the matrix into the name pattern"
					  : "an axis holds the same value twice");
		return;
	}
	pl->names[i] = (struct name_slot){name, job};
}

static void instance_select(struct planner *pl, const struct workload *w, struct job *j)
{
	const char *only = pl->o->only;

	if (!only || str_glob(only, j->name) || str_glob(only, w->name)) {
		pl->selected++;
		return;
	}
	pl->unselected[j - pl->p->jobs] = true; /* unless what runs beside it is: groups.c */
}

/* The total over the targets: the words of the parts, no I/O, checks of its own. */
static void total_add(struct planner *pl, const struct workload *w, size_t first)
{
	struct plan *p = pl->p;
	size_t at = p->njobs++;

	p->jobs[at] = p->jobs[first];
	p->jobs[at].state = JOB_READY;
	p->jobs[at].why = NULL;
	p->jobs[at].target = (uint32_t)pl->ntargets;
	p->jobs[at].total = true;
	p->origins[at] = p->origins[first];
	p->workload[at] = p->workload[first];
	pl->unselected[at] = pl->unselected[first];
	checks_make(pl, w, (uint32_t)at);
}

/* The instance with that number into the next jobs, one a target. False when it is excluded. */
static bool instance_add(struct planner *pl, uint32_t wi, const struct job *base,
			 const struct job_origins *og, size_t number, bool *excluded)
{
	const struct workload *w = &pl->s->workloads.v[wi];
	struct plan *p = pl->p;
	size_t first = p->njobs;
	struct job *j = &p->jobs[first];
	struct job_origins *o = &p->origins[first];

	*j = *base;
	*o = *og;
	for (size_t i = w->matrix.n; i-- > 0;) {
		const struct axis *x = &w->matrix.v[i];

		resolve_word(pl, j, o, x->word, x->value[number % x->n], ORIGIN_MATRIX);
		number /= x->n;
	}
	for (size_t i = 0; i < w->exclude.n; i++)
		if (exclude_hits(pl, &w->exclude.v[i], j)) {
			excluded[i] = true;
			return false;
		}
	j->name = instance_name(pl, w, j);
	for (size_t t = 0; t < pl->ntargets; t++)
		p->workload[first + t] = wi;
	name_take(pl, w, j->name, (uint32_t)first);
	instance_select(pl, w, j);
	resolve_instance(pl, w, j, o);
	for (size_t t = 1; t < pl->ntargets; t++) {
		j[t] = *j;
		o[t] = *o;
	}
	p->njobs += pl->ntargets;
	for (size_t t = 0; t < pl->ntargets; t++) {
		j[t].target = (uint32_t)t;
		resolve_on_target(pl, w, &j[t], &o[t]);
		pl->unselected[first + t] = pl->unselected[first];
		checks_make(pl, w, (uint32_t)(first + t));
	}
	if (w->all_targets)
		total_add(pl, w, first);
	return true;
}

static void exclude_report(struct planner *pl, uint32_t wi, const bool *excluded, size_t left)
{
	const struct workload *w = &pl->s->workloads.v[wi];
	struct diag *g;

	for (size_t i = 0; i < w->exclude.n; i++) {
		if (excluded[i])
			continue;
		pl->p->fired[wi] |= 1ULL << RULE_EXCLUDE_MATCHES_NOTHING;
		g = plan_finding(pl->p, pl->d, w, RULE_EXCLUDE_MATCHES_NOTHING,
				 &(struct place){w->exclude.v[i].line, 0},
				 "exclude of workload '%s' matches no instance", w->name);
		if (g)
			diag_hint(g, "the values of one entry must all match one instance");
	}
	if (left == 0)
		planner_report(pl, w->line, w->column, "exclude leaves nothing of workload '%s'",
			       w->name);
}

static void workload_expand(struct planner *pl, uint32_t wi)
{
	const struct workload *w = &pl->s->workloads.v[wi];
	size_t n = matrix_size(w), left = 0;
	struct job base = pl->base;
	struct job_origins og = pl->base_origins;
	bool *excluded = w->exclude.n ? xcalloc(w->exclude.n, sizeof(*excluded)) : NULL;

	for (size_t i = 0; i < w->words.n; i++)
		resolve_word(pl, &base, &og, w->words.v[i].word, w->words.v[i].node,
			     ORIGIN_WORKLOAD);
	checks_begin(pl, w);
	for (size_t i = 0; i < n; i++)
		if (instance_add(pl, wi, &base, &og, i, excluded))
			left++;
	exclude_report(pl, wi, excluded, left);
	free(excluded);
}

/* Room for all instances at once: pointers into jobs stay valid. */
static int matrix_reserve(struct planner *pl, struct err *e)
{
	struct plan *p = pl->p;
	size_t total = 0, slots = 16;

	for (size_t i = 0; i < pl->s->workloads.n; i++) {
		const struct workload *w = &pl->s->workloads.v[i];
		size_t n = matrix_size(w);

		total += n;
		if (n == 0)
			planner_report(pl, w->line, w->column, "an axis of workload '%s' is empty",
				       w->name);
		if (total <= PLAN_MAX_INSTANCES)
			continue;
		err_set(e, ERR_SUITE, "workload '%s' brings the suite above %u instances", w->name,
			PLAN_MAX_INSTANCES);
		err_hint(e, "split the matrix");
		err_at(e, pl->s->file, w->line, w->column);
		diags_add_err(pl->d, e);
		return ERR_SUITE;
	}
	while (slots < total * 2)
		slots *= 2;
	pl->names = xcalloc(slots, sizeof(*pl->names));
	pl->names_mask = slots - 1;
	total = total ? total * (pl->ntargets + 1) : 1; /* a total each, at most */
	p->jobs = xcalloc(total, sizeof(*p->jobs));
	p->origins = xcalloc(total, sizeof(*p->origins));
	p->workload = xcalloc(total, sizeof(*p->workload));
	pl->unselected = xcalloc(total, sizeof(*pl->unselected));
	return 0;
}

int matrix_expand(struct planner *pl, struct err *e)
{
	int rc = matrix_reserve(pl, e);

	if (rc < 0)
		return rc;
	for (size_t i = 0; i < pl->s->workloads.n; i++)
		workload_expand(pl, (uint32_t)i);
	adjust_check(pl);
	groups_make(pl);
	return 0;
}
