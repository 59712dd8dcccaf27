/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Who is where: runs of a job, jobs of a baseline session. Linear in runs and jobs, so that ten
 * thousand checks are judged in well under a second. */
#include "base/hash.h"
#include "gate/comparable.h"
#include "gate/expiry.h"
#include "gate/family.h"
#include "gate/judge.h"

static bool run_before(const struct run *a, const struct run *b)
{
	return a->session != b->session ? a->session < b->session : a->run < b->run;
}

static void index_runs(struct judge *g)
{
	const struct result *r = g->r;
	size_t *at;

	g->run = xcalloc(r->runs.n + 1, sizeof(*g->run));
	g->run_first = xcalloc(r->njobs + 2, sizeof(*g->run_first));
	for (size_t i = 0; i < r->runs.n; i++)
		if (r->runs.v[i].job < r->njobs)
			g->run_first[r->runs.v[i].job + 1]++;
	for (size_t j = 0; j < r->njobs; j++)
		g->run_first[j + 1] += g->run_first[j];
	at = xcalloc(r->njobs + 1, sizeof(*at));
	for (size_t i = 0; i < r->runs.n; i++) {
		const struct run *run = &r->runs.v[i];
		const struct run **v;
		size_t n;

		if (run->job >= r->njobs)
			continue;
		v = &g->run[g->run_first[run->job]];
		for (n = at[run->job]++; n > 0 && run_before(run, v[n - 1]); n--)
			v[n] = v[n - 1];
		v[n] = run;
	}
	free(at);
}

/* Open addressing over the jobs of the result by target role and name. */
struct job_table {
	const struct result *r;
	uint32_t *slot; /* job + 1; 0 = free */
	size_t mask;
};

static const char *role_of(const struct result *r, uint32_t job)
{
	uint32_t t = r->jobs[job].target;

	return t < r->ntargets ? r->targets[t].role : "";
}

static size_t job_hash(const char *target, const char *name)
{
	return (size_t)(hash_str(target ? target : "") * 31 + hash_str(name));
}

static uint32_t *job_slot(const struct job_table *t, const char *target, const char *name)
{
	size_t i = job_hash(target, name) & t->mask;

	for (;; i = (i + 1) & t->mask) {
		uint32_t *s = &t->slot[i];

		if (*s == 0 || (str_eq(t->r->jobs[*s - 1].name, name) &&
				str_eq(role_of(t->r, *s - 1), target)))
			return s;
	}
}

static void table_open(struct job_table *t, const struct result *r)
{
	size_t size = 16;

	while (size < r->njobs * 2)
		size *= 2;
	*t = (struct job_table){r, xcalloc(size, sizeof(*t->slot)), size - 1};
	for (uint32_t j = 0; j < r->njobs; j++)
		*job_slot(t, role_of(r, j), r->jobs[j].name) = j + 1;
}

bool judge_own_session(const struct result *r, const char *id)
{
	for (size_t i = 0; i < r->sessions.n; i++)
		if (str_eq(r->sessions.v[i].id, id))
			return true;
	return false;
}

bool judge_expired(const struct judge *g, const struct base_session *s)
{
	return expiry_over(&g->expiry, g->b, s);
}

/* epoch 0: all but the current one. */
static bool in_epoch(const struct judge *g, const struct base_session *s, uint32_t epoch)
{
	if (s->retired_jobs)
		return false;
	return epoch ? s->epoch == epoch : s->epoch != g->b->epoch;
}

static void index_epoch(struct judge *g, const struct job_table *t, uint32_t epoch,
			struct epoch_index *x)
{
	size_t njobs = g->r->njobs;

	x->session = xcalloc(g->b->n, sizeof(*x->session));
	for (size_t i = 0; i < g->b->n; i++) {
		const struct base_session *s = &g->b->sessions[i];

		if (!in_epoch(g, s, epoch))
			continue;
		if (!judge_own_session(g->r, s->id))
			x->session[x->n++] = s;
		else if (epoch == g->b->epoch)
			g->own = s->id;
	}
	x->job = xcalloc(x->n * njobs + 1, sizeof(*x->job));
	x->differ = xcalloc(x->n * g->r->ntargets + 1, sizeof(*x->differ));
	for (size_t i = 0; i < x->n; i++) {
		for (size_t k = 0; k < x->session[i]->jobs.n; k++) {
			const struct base_job *j = &x->session[i]->jobs.v[k];
			uint32_t found = *job_slot(t, j->target, j->name);

			if (found)
				x->job[i * njobs + found - 1] = j;
		}
	}
}

static void index_baseline(struct judge *g)
{
	struct job_table t;

	if (!g->b || g->b->n == 0)
		return;
	table_open(&t, g->r);
	index_epoch(g, &t, g->b->epoch, &g->base);
	index_epoch(g, &t, 1, &g->first);
	index_epoch(g, &t, 0, &g->older);
	free(t.slot);
}

static void find_full_queues(struct judge *g, const struct family *family)
{
	for (uint32_t i = 0; i < family->nchecks; i++) {
		uint32_t rate = family_rate_of(family, i);

		if (rate != i && judge_queue_full(g, family->checks[i].job,
						  metric_find(family->checks[i].metric)))
			g->twin[i] = g->twin[rate];
	}
}

void judge_open(struct judge *g, struct result *r, const struct baseline *b,
		const struct gate_options *o)
{
	const struct family family = family_of(r);

	*g = (struct judge){.r = r, .b = b, .now = o->now, .expiry = expiry_of(r)};
	g->max = o->sessions_max ? o->sessions_max : r->sessions_max;
	if (g->max == 0 || g->max > VERDICT_MAX_SESSIONS)
		g->max = VERDICT_MAX_SESSIONS;
	g->twin = xcalloc(r->nchecks + 1, sizeof(*g->twin));
	family_twins(&family, g->twin);
	g->red_total = family_level(&family, g->twin);
	r->judged_gates = (uint32_t)family_size(&family, g->twin);
	r->red_level = r->judged_gates ? g->red_total : 0;
	g->ring = jobs_ring(r->jobs, r->njobs);
	g->whole = xcalloc(r->njobs + 1, sizeof(*g->whole));
	index_runs(g);
	index_baseline(g);
	g->canonical = xcalloc(r->njobs + 1, sizeof(*g->canonical));
	find_full_queues(g, &family);
}

static void epoch_close(struct epoch_index *x)
{
	free(x->session);
	free(x->job);
	free(x->differ);
}

void judge_close(struct judge *g)
{
	free(g->ring);
	free(g->whole);
	free(g->run);
	free(g->run_first);
	epoch_close(&g->base);
	epoch_close(&g->first);
	epoch_close(&g->older);
	free(g->canonical);
	free(g->twin);
}

size_t judge_runs(const struct judge *g, uint32_t job)
{
	return g->run_first[job + 1] - g->run_first[job];
}

bool judge_next(const struct judge *g, uint32_t job, size_t *pos, struct job_session *out)
{
	const struct run *const *v = &g->run[g->run_first[job]];
	size_t n = judge_runs(g, job), end = *pos;

	if (*pos >= n)
		return false;
	while (end < n && v[end]->session == v[*pos]->session)
		end++;
	*out = (struct job_session){&v[*pos], end - *pos, v[*pos]->session};
	*pos = end;
	return true;
}

const struct run *judge_run(const struct judge *g, uint32_t job, const struct run *like)
{
	const struct run *const *v = &g->run[g->run_first[job]];

	for (size_t i = 0; i < judge_runs(g, job); i++)
		if (v[i]->session == like->session && v[i]->run == like->run)
			return v[i];
	return NULL;
}

const struct base_value *judge_base_value(const struct base_job *j, const char *metric)
{
	for (size_t i = 0; j && i < j->values.n; i++)
		if (str_eq(j->values.v[i].metric, metric))
			return &j->values.v[i];
	return NULL;
}

const char *judge_canonical(struct judge *g, uint32_t job)
{
	struct str s;

	if (g->canonical[job])
		return g->canonical[job];
	str_init(&s);
	job_canonical(&g->r->jobs[job], &s);
	g->canonical[job] = arena_strdup(&g->r->arena, s.s);
	str_release(&s);
	return g->canonical[job];
}

static struct fact_side side_now(const struct judge *g, uint32_t job)
{
	uint32_t t = g->r->jobs[job].target;

	return (struct fact_side){t < g->r->ntargets ? &g->r->targets[t].facts : NULL, &g->r->host};
}

static struct fact_side side_then(const struct judge *g, const struct epoch_index *x,
				  size_t session, uint32_t job)
{
	const struct base_job *j = x->job[session * g->r->njobs + job];

	return (struct fact_side){j ? j->facts : NULL, &x->session[session]->host};
}

const char *judge_differ(struct judge *g, const struct epoch_index *x, size_t session, uint32_t job)
{
	uint32_t t = g->r->jobs[job].target;
	const char **kept = t < g->r->ntargets ? &x->differ[session * g->r->ntargets + t] : NULL;
	const char *text;
	struct str s;

	if (kept && *kept)
		return *kept;
	str_init(&s);
	comparable_differences(&g->r->compare, side_then(g, x, session, job), side_now(g, job), &s);
	text = arena_strdup(&g->r->arena, s.s);
	str_release(&s);
	if (kept)
		*kept = text;
	return text;
}

void judge_changes(const struct judge *g, size_t session, uint32_t job, struct str *out)
{
	comparable_changes(&g->r->compare, side_then(g, &g->base, session, job), side_now(g, job),
			   out);
}
