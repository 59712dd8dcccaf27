/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A session of a result as a session of a baseline; results as a baseline without files. */
#include "base/hash.h"
#include "gate/baseline_file.h"
#include "gate/baseline_level.h"
#include "gate/judge.h"
#include "gate/tail.h"
#include <inttypes.h>
#include <math.h>
#include <stdio.h>

static int by_job(const void *a, const void *b)
{
	const struct run *x = *(const struct run *const *)a, *y = *(const struct run *const *)b;

	if (x->job != y->job)
		return x->job < y->job ? -1 : 1;
	return (x->run > y->run) - (x->run < y->run);
}

static bool runs_whole(const struct job *j, const struct run *const *v, size_t n)
{
	if (j->state != JOB_READY || n != j->runs)
		return false;
	for (size_t i = 0; i < n; i++)
		if (v[i]->run != i || v[i]->out.status != OUTCOME_OK ||
		    judge_run_empty(j, &v[i]->out))
			return false;
	return true;
}

/* Beside a job that failed or was not made the others of its group measured another mixture. v: all
 * runs of the session. */
static bool company_whole(const struct result *r, uint32_t job, const struct run *const *v,
			  size_t n)
{
	uint32_t group = r->jobs[job].group;
	size_t demanded = 0, made = 0;

	for (size_t k = 0; group && k < r->njobs; k++)
		if (r->jobs[k].group == group && !r->jobs[k].total)
			demanded += r->jobs[k].runs;
	for (size_t i = 0; group && i < n; i++) {
		const struct job *j = &r->jobs[v[i]->job];

		if (j->group != group || j->total)
			continue;
		if (v[i]->out.status != OUTCOME_OK || judge_run_empty(j, &v[i]->out))
			return false;
		made++;
	}
	return made == demanded;
}

size_t baseline_session_runs(const struct result *r, uint32_t session, const struct run ***out)
{
	const struct run **v = xcalloc(r->runs.n + 1, sizeof(*v));
	size_t n = 0;

	for (size_t i = 0; i < r->runs.n; i++)
		if (r->runs.v[i].session == session && r->runs.v[i].job < r->njobs)
			v[n++] = &r->runs.v[i];
	qsort(v, n, sizeof(*v), by_job);
	*out = v;
	return n;
}

size_t baseline_session_job(const struct result *r, const struct run *const *v, size_t n,
			    size_t *first)
{
	while (*first < n) {
		size_t end = *first;

		while (end < n && v[end]->job == v[*first]->job)
			end++;
		if (runs_whole(&r->jobs[v[*first]->job], &v[*first], end - *first) &&
		    company_whole(r, v[*first]->job, v, n))
			return end - *first;
		*first = end;
	}
	return 0;
}

static void copy_facts(struct facts *to, struct arena *a, const struct facts *from)
{
	facts_init(to);
	for (size_t i = 0; i < from->n; i++)
		facts_set(to, a, from->v[i].key, from->v[i].value, from->v[i].why);
}

/* Every metric that has a value, gated or not: a gate added later finds its baseline. */
static void add_values(const struct job *j, const struct run *const *v, size_t n, struct arena *a,
		       struct base_job *out)
{
	for (unsigned m = 0; m < metric_count; m++) {
		struct base_value bv = {.metric = metric_table[m].name,
					.unit = metric_table[m].unit};

		for (size_t i = 0; i < n; i++) {
			struct value val;

			metric_value(&metric_table[m], j, &v[i]->out, &val);
			if (val.state != VALUE_OK || !isfinite(val.v))
				continue;
			if (!bv.v) {
				bv.v = arena_alloc(a, n * sizeof(*bv.v));
				bv.step = arena_alloc(a, n * sizeof(*bv.step));
			}
			bv.v[bv.n] = val.v;
			bv.step[bv.n++] = isfinite(val.step) ? val.step : 0;
		}
		if (bv.n > 0)
			*(struct base_value *)VEC_PUSH(&out->values) = bv;
	}
}

static void add_job(const struct result *r, uint32_t job, const struct run *const *v, size_t n,
		    struct arena *a, struct base_session *out)
{
	const struct job *j = &r->jobs[job];
	struct base_job *b = VEC_PUSH(&out->jobs);
	struct str text;

	str_init(&text);
	job_canonical(j, &text);
	b->name = arena_strdup(a, j->name);
	b->target = arena_strdup(a, j->target < r->ntargets ? r->targets[j->target].role : "");
	b->canonical = arena_strdup(a, text.s);
	b->runs = j->runs;
	b->facts = j->target < r->ntargets ? &out->target_facts.v[j->target] : NULL;
	add_values(j, v, n, a, b);
	str_release(&text);
}

static bool has_gate(const struct base_job *j, const char *metric)
{
	for (size_t i = 0; i < j->gates.n; i++)
		if (str_eq(j->gates.v[i], metric))
			return true;
	return false;
}

/* Gates of the jobs that are in the session, each once; job_at gives the place + 1 of a job of the
 * result. */
static void add_gates(const struct result *r, const uint32_t *job_at, struct arena *a,
		      struct base_session *out)
{
	for (size_t i = 0; i < r->nchecks; i++) {
		const struct check *c = &r->checks[i];
		struct base_job *j;

		if (c->kind != CHECK_GATE || c->job >= r->njobs || !job_at[c->job])
			continue;
		j = &out->jobs.v[job_at[c->job] - 1];
		if (!has_gate(j, c->metric))
			*VEC_PUSH(&j->gates) = arena_strdup(a, c->metric);
	}
}

void baseline_session_from(const struct result *r, uint32_t session, struct arena *a,
			   struct base_session *out)
{
	const struct session *s = &r->sessions.v[session];
	const struct run **v;
	uint32_t *job_at = xcalloc(r->njobs + 1, sizeof(*job_at));
	size_t n = baseline_session_runs(r, session, &v), first = 0, count;

	*out = (struct base_session){0};
	out->id = arena_strdup(a, s->id);
	out->started = out->accepted = s->started;
	out->boot_id = arena_strdup(a, result_session_boot(r, session));
	out->epoch = 1;
	out->measurement_version = r->measurement_version;
	out->seed = s->seed;
	copy_facts(&out->host, a, result_session_host(r, session));
	/* all at once: base_job.facts points into the array */
	for (size_t i = 0; i < r->ntargets; i++)
		facts_init(VEC_PUSH(&out->target_facts));
	for (uint32_t i = 0; i < r->ntargets; i++)
		copy_facts(&out->target_facts.v[i], a, result_session_target(r, session, i));
	for (; (count = baseline_session_job(r, v, n, &first)) > 0; first += count) {
		add_job(r, v[first]->job, &v[first], count, a, out);
		job_at[v[first]->job] = (uint32_t)out->jobs.n;
	}
	add_gates(r, job_at, a, out);
	for (first = 0; (count = baseline_session_job(r, v, n, &first)) > 0; first += count)
		latencies_add(&v[first], count, a, &out->jobs.v[job_at[v[first]->job] - 1]);
	free(job_at);
	free(v);
}

void baseline_session_release(struct base_session *s)
{
	for (size_t i = 0; i < s->jobs.n; i++) {
		VEC_RELEASE(&s->jobs.v[i].values);
		VEC_RELEASE(&s->jobs.v[i].gates);
		VEC_RELEASE(&s->jobs.v[i].latencies);
	}
	for (size_t i = 0; i < s->target_facts.n; i++)
		facts_release(&s->target_facts.v[i]);
	facts_release(&s->host);
	VEC_RELEASE(&s->jobs);
	VEC_RELEASE(&s->target_facts);
	VEC_RELEASE(&s->retired);
	VEC_RELEASE(&s->retired_of);
}

static int by_start(const void *a, const void *b)
{
	const struct base_session *x = a, *y = b;

	if (x->started != y->started)
		return x->started < y->started ? -1 : 1;
	return strcmp(x->id, y->id);
}

static int by_id(const void *a, const void *b)
{
	return strcmp((*(const struct base_session *const *)a)->id,
		      (*(const struct base_session *const *)b)->id);
}

int baseline_arrange(struct baseline *b, struct err *e)
{
	const struct base_session **v = xcalloc(b->n + 1, sizeof(*v));
	int rc = 0;

	if (b->n > 1)
		qsort(b->sessions, b->n, sizeof(*b->sessions), by_start);
	for (size_t i = 0; i < b->n; i++) {
		v[i] = &b->sessions[i];
		baseline_index_jobs(&b->sessions[i], &b->arena);
		if (!v[i]->retired_jobs && v[i]->epoch > b->epoch)
			b->epoch = v[i]->epoch;
	}
	if (b->n > 1)
		qsort(v, b->n, sizeof(*v), by_id);
	for (size_t i = 1; i < b->n && rc == 0; i++) {
		if (strcmp(v[i - 1]->id, v[i]->id) != 0)
			continue;
		rc = err_set(e, ERR_DATA, "session '%s' is in the baseline twice: '%s' and '%s'",
			     v[i]->id, v[i - 1]->path ? v[i - 1]->path : "a result",
			     v[i]->path ? v[i]->path : "a result");
		err_hint(e,
			 "remove one of them: counted twice it would make the noise look smaller");
	}
	free(v);
	return rc;
}

int baseline_source_check(const struct result *r, struct err *e)
{
	if (r->inject)
		return err_set(e, ERR_REFUSED, "the result is injected (--inject '%s')", r->inject);
	if (r->interleave.kind != INTERLEAVE_NONE)
		return err_set(
			e, ERR_REFUSED,
			"the result is of an interleaved comparison (%s): its arms are "
			"compared with each other, and its runs are no session of a baseline",
			r->interleave.kind == INTERLEAVE_VERSUS ? "--versus" : "--ab");
	if (r->interrupted)
		return err_set(e, ERR_REFUSED, "the result was interrupted");
	if (r->setup_error)
		return err_set(e, ERR_REFUSED, "the suite could not run: %s", r->setup_error);
	if (r->partial)
		return err_set(e, ERR_REFUSED, "the result is partial: %s", r->partial);
	if (r->unfinished)
		return err_set(e, ERR_REFUSED, "the result is partial: its journal has no end");
	return 0;
}

/* The sessions of one result behind those that are there; their ids, each with a line end. */
static int add_result(struct baseline *b, const struct result *r, struct str *ids, struct err *e)
{
	if (baseline_source_check(r, e))
		return err_prefix(e, "session '%s' cannot be compared with",
				  r->sessions.n ? r->sessions.v[0].id : "none");
	for (uint32_t s = 0; s < r->sessions.n; s++) {
		struct base_session *to;

		b->sessions = xreallocarray(b->sessions, b->n + 1, sizeof(*b->sessions));
		to = &b->sessions[b->n];
		baseline_session_from(r, s, &b->arena, to);
		if (to->jobs.n == 0) {
			baseline_session_release(to);
			continue;
		}
		str_addf(ids, "%s\n", to->id);
		b->n++;
	}
	return 0;
}

int baseline_from_results(const struct result *const *r, size_t n, struct baseline *b,
			  struct err *e)
{
	struct str ids;
	int rc = 0;

	*b = (struct baseline){0};
	arena_init(&b->arena);
	b->suite = arena_strdup(&b->arena, n ? r[0]->suite : "");
	b->profile = arena_strdup(&b->arena, n ? r[0]->profile : "");
	str_init(&ids);
	for (size_t i = 0; i < n && rc == 0; i++)
		rc = add_result(b, r[i], &ids, e);
	snprintf(b->digest, sizeof(b->digest), "%016" PRIx64, hash_bytes(ids.s, ids.len));
	str_release(&ids);
	if (rc == 0)
		rc = baseline_arrange(b, e);
	if (rc == 0 && b->n == 0)
		rc = err_set(e, ERR_NOBASE, "the results to compare with hold no complete session");
	if (rc)
		baseline_release(b);
	return rc;
}
