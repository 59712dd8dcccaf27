/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The written form of an accepted session: keys sorted, so that two files differ only where they
 * say different things. Doubles are written so that they read back equal: verdicts can be
 * reproduced bit for bit.
 */
#include "base/clock.h"
#include "gate/baseline_file.h"
#include "gate/tail.h"
#include <inttypes.h>
#include <stdio.h>

static void write_time(struct jw *w, const char *key, int64_t utc)
{
	struct str s;

	str_init(&s);
	clock_format_utc(&s, utc);
	jw_str(w, key, s.s);
	str_release(&s);
}

static int by_metric(const void *a, const void *b)
{
	return strcmp((*(const struct base_value *const *)a)->metric,
		      (*(const struct base_value *const *)b)->metric);
}

static void write_numbers(struct jw *w, const char *key, const double *v, size_t n)
{
	jw_array_flat(w, key);
	for (size_t i = 0; i < n; i++)
		jw_double(w, NULL, v[i]);
	jw_end_array(w);
}

/* What was compared, or named: the other percentiles would double the file. A gate on one that was
 * not stored says that it has no baseline. */
static bool stored(const struct base_value *v, const struct base_job *j, const struct job *job)
{
	const struct metric *m = metric_find(v->metric);

	return !m || !m->named || baseline_gated(j, v->metric) || metric_listed(m, job);
}

static void write_values(struct jw *w, const struct base_job *j, const struct job *job)
{
	const struct base_value **v = xcalloc(j->values.n + 1, sizeof(*v));

	for (size_t i = 0; i < j->values.n; i++)
		v[i] = &j->values.v[i];
	qsort(v, j->values.n, sizeof(*v), by_metric);
	jw_object(w, "values");
	for (size_t i = 0; i < j->values.n; i++) {
		if (!stored(v[i], j, job))
			continue;
		jw_object(w, v[i]->metric);
		write_numbers(w, "step", v[i]->step, v[i]->n);
		jw_str(w, "unit", unit_name(v[i]->unit));
		write_numbers(w, "v", v[i]->v, v[i]->n);
		jw_end_object(w);
	}
	jw_end_object(w);
	free(v);
}

static void write_job(struct jw *w, const struct base_job *j, const struct job *job)
{
	jw_object(w, NULL);
	jw_str(w, "canonical", j->canonical);
	jw_array_flat(w, "gates");
	for (size_t i = 0; i < j->gates.n; i++)
		jw_str(w, NULL, j->gates.v[i]);
	jw_end_array(w);
	jw_str(w, "name", j->name);
	latencies_write_grids(w, j);
	jw_u64(w, "runs", j->runs);
	latencies_write_tails(w, j);
	jw_str(w, "target", j->target);
	write_values(w, j, job);
	jw_end_object(w);
}

/* The jobs of the session are the whole ones of the result, in its order. */
static void write_jobs(struct jw *w, const struct base_session *s, const struct result *r,
		       uint32_t session)
{
	const struct run **v;
	size_t n = baseline_session_runs(r, session, &v), first = 0, count, used = 0;

	jw_array(w, "jobs");
	for (; (count = baseline_session_job(r, v, n, &first)) > 0 && used < s->jobs.n;
	     first += count)
		write_job(w, &s->jobs.v[used++], &r->jobs[v[first]->job]);
	jw_end_array(w);
	free(v);
}

/* Facts of the targets that its jobs used, each role once, sorted. */
static void write_targets(struct jw *w, const struct base_session *s)
{
	const char *last = NULL;

	jw_object(w, "targets");
	for (;;) {
		const struct base_job *next = NULL;

		for (size_t i = 0; i < s->jobs.n; i++) {
			const struct base_job *j = &s->jobs.v[i];

			if ((!last || strcmp(j->target, last) > 0) &&
			    (!next || strcmp(j->target, next->target) < 0))
				next = j;
		}
		if (!next)
			break;
		result_write_facts(w, next->target, next->facts);
		last = next->target;
	}
	jw_end_object(w);
}

void baseline_session_write(const struct base_session *s, const struct result *r, uint32_t session,
			    struct jw *w)
{
	char seed[24];

	jw_object(w, NULL);
	write_time(w, "accepted", s->accepted);
	jw_u64(w, "blkgate_baseline", BASELINE_VERSION);
	jw_str(w, "boot_id", s->boot_id);
	jw_u64(w, "epoch", s->epoch);
	result_write_facts(w, "host", &s->host);
	write_jobs(w, s, r, session);
	jw_u64(w, "measurement_version", s->measurement_version);
	jw_str(w, "profile", r->profile);
	jw_str(w, "reason", s->reason);
	snprintf(seed, sizeof(seed), "%" PRIu64, s->seed);
	jw_str(w, "seed", seed); /* a text: JSON numbers of many readers end at 2^53 */
	jw_str(w, "session", s->id);
	write_time(w, "started", s->started);
	jw_str(w, "suite", r->suite);
	write_targets(w, s);
	jw_str(w, "who", s->who);
	jw_end_object(w);
}
