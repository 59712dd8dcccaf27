/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "gate/baseline_file.h"
#include "gate/stored.h"
#include <math.h>

void evidence_init(struct evidence *e, const struct judge *g, const struct check *c)
{
	size_t runs = g->r->jobs[c->job].runs;

	*e = (struct evidence){
		.check = c, .metric = metric_find(c->metric), .runs = (uint32_t)runs};
	e->fresh = xcalloc(g->max * runs + 1, sizeof(*e->fresh));
	e->fresh_step = xcalloc(g->max, sizeof(*e->fresh_step));
	e->base = xcalloc(g->base.n + 1, sizeof(*e->base));
	e->base_session = xcalloc(g->base.n + 1, sizeof(*e->base_session));
	e->base_x = xcalloc(g->base.n + 1, sizeof(*e->base_x));
	e->base_block = xcalloc(g->base.n + 1, sizeof(*e->base_block));
	e->fresh_x = xcalloc(g->max, sizeof(*e->fresh_x));
	e->fresh_block = xcalloc(g->max, sizeof(*e->fresh_block));
	e->looks = xcalloc(g->max, sizeof(*e->looks));
}

void evidence_release(struct evidence *e)
{
	free(e->fresh);
	free(e->fresh_step);
	free(e->base);
	free(e->base_session);
	free(e->base_x);
	free(e->base_block);
	free(e->fresh_x);
	free(e->fresh_block);
	free(e->looks);
	free(e->base_canary);
	free(e->fresh_canary);
}

void evidence_step(const struct evidence *e, double step, double value, double *most)
{
	double q = e->scale.absolute ? value_resolution(value, step) : step;

	if (q > *most)
		*most = q;
}

static bool fresh_run(struct evidence *e, struct judge *g, const struct run *run, double *out,
		      struct verdict *v)
{
	struct value val;

	*out = NAN;
	if (e->view)
		tail_view_value(e->view, e->metric, &run->out, &val);
	else
		metric_value(e->metric, &g->r->jobs[e->check->job], &run->out, &val);
	if (val.state == VALUE_INSUFFICIENT) {
		e->short_runs++;
		return true;
	}
	if (val.state == VALUE_OK && isfinite(val.v)) {
		*out = val.v;
		evidence_step(e, val.step, val.v, &e->fresh_step[e->n]);
		return true;
	}
	verdict_say(
		g->r, v, VERDICT_ERROR, "missing", "%s %s in run %u of session %u%s",
		e->check->metric,
		val.state == VALUE_NA ? "does not exist for this workload" : "has no value",
		run->run + 1, run->session + 1,
		metric_absent_why(e->metric, &g->r->jobs[e->check->job], &run->out, &g->r->arena));
	return false;
}

/* The look after a session keeps the level it was planned for: what was told then stands. */
static void plan_look(struct evidence *e, const struct judge *g, uint32_t session)
{
	const struct session *s = &g->r->sessions.v[session];
	uint32_t looks = s->from ? g->r->attempts.v[s->from - 1].looks : result_looks(g->r);

	if (!s->from && looks < g->max)
		looks = g->max;
	if (looks > VERDICT_MAX_SESSIONS)
		looks = VERDICT_MAX_SESSIONS;
	if (e->n && looks < e->looks[e->n - 1])
		looks = e->looks[e->n - 1];
	e->looks[e->n] = looks;
}

/* The session's value; NaN where a run has none. */
static double fresh_session(const struct evidence *e, const double *v)
{
	double *work = xcalloc(e->runs + 1, sizeof(*work)), x = NAN;
	uint32_t have = 0;

	while (have < e->runs && !isnan(v[have]))
		have++;
	if (have == e->runs)
		x = estimate_session(&e->scale, v, e->runs, work);
	free(work);
	return x;
}

bool evidence_fresh(struct evidence *e, struct judge *g, struct verdict *v)
{
	uint32_t whole = g->whole[e->check->job];
	struct job_session s;
	size_t pos = 0;
	bool good = true;

	/* Sessions after the last look change nothing (PROCEDURE 6a). */
	while (e->n < g->max && e->n < whole && judge_next(g, e->check->job, &pos, &s)) {
		double *row = &e->fresh[e->n * e->runs];

		plan_look(e, g, s.session);
		for (size_t i = 0; good && i < s.n; i++)
			good = fresh_run(e, g, s.v[i], &row[i], v);
		e->fresh_x[e->n] = good ? fresh_session(e, row) : NAN;
		e->k += good && e->short_runs == 0;
		e->n++;
		if (!good)
			return false;
	}
	while (e->n + e->beyond < whole && judge_next(g, e->check->job, &pos, &s))
		e->beyond++;
	return true;
}

const struct base_value *evidence_base_value(const struct evidence *e, struct judge *g,
					     const struct base_job *j)
{
	return e->view ? tail_view_base(e->view, e->metric, j, &g->r->arena)
		       : judge_base_value(j, e->metric->name);
}

enum comparison evidence_compare(struct evidence *e, struct judge *g, const struct epoch_index *x,
				 size_t session, const struct base_value *bv, struct str *why)
{
	const struct base_job *j = x->job[session * g->r->njobs + e->check->job];
	const struct base_session *s = x->session[session];
	const char *now = judge_canonical(g, e->check->job), *differ;
	size_t n = bv ? bv->n : 0, said = why->len;

	if (!str_eq(j->canonical, now)) {
		job_canonical_diff(j->canonical ? j->canonical : "", now, why);
		if (why->len == said)
			str_add(why, "job text differs");
		return DIFFERS;
	}
	if (s->measurement_version != g->r->measurement_version) {
		str_addf(why, "measurement version %u -> %u", s->measurement_version,
			 g->r->measurement_version);
		return DIFFERS;
	}
	if (j->runs != e->runs) {
		str_addf(why, "runs of a session %u -> %u", j->runs, e->runs);
		return DIFFERS;
	}
	if (n != j->runs) {
		str_addf(why, "%zu of %u runs have a value in the baseline session", n, j->runs);
		return LACKS_VALUES;
	}
	differ = judge_differ(g, x, session, e->check->job);
	if (!*differ)
		differ = adjust_lacks(e, g, x, session);
	if (!differ || !*differ)
		return COMPARABLE;
	str_add(why, differ);
	return DIFFERS;
}

bool evidence_base(struct evidence *e, struct judge *g, struct verdict *v)
{
	struct str why, last;
	uint32_t job = e->check->job;
	const char *newest = NULL;
	enum comparison last_is = COMPARABLE;

	str_init(&why);
	str_init(&last);
	for (size_t i = 0; i < g->base.n; i++) {
		const struct base_job *j = g->base.job[i * g->r->njobs + job];
		const struct base_value *bv = evidence_base_value(e, g, j);
		enum comparison is;

		/* A gate that the session had is one of its baseline, also when it holds no value.
		 */
		if (!j || (!bv && !baseline_gated(j, e->check->metric)))
			continue;
		if (judge_expired(g, g->base.session[i])) {
			e->expired++;
			continue;
		}
		str_clear(&why);
		is = evidence_compare(e, g, &g->base, i, bv, &why);
		if (is == COMPARABLE) {
			e->base_session[e->nbase] = i;
			e->base[e->nbase++] = bv;
			continue;
		}
		e->left_out++;
		newest = g->base.session[i]->id;
		last_is = is;
		str_clear(&last);
		str_add(&last, why.s);
	}
	if (e->nbase == 0 && e->left_out > 0)
		verdict_incomparable(g, newest, last.s, last_is == LACKS_VALUES, v);
	else if (e->nbase == 0)
		verdict_no_baseline(g, e, v);
	str_release(&why);
	str_release(&last);
	return e->nbase > 0;
}
