/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "gate/baseline_file.h"
#include "gate/blocks.h"
#include "gate/stored.h"
#include <math.h>

void evidence_init(struct evidence *e, const struct judge *g, const struct check *c)
{
	size_t runs = g->r->jobs[c->job].runs;

	*e = (struct evidence){
		.check = c, .metric = metric_find(c->metric), .runs = (uint32_t)runs};
	e->fresh = xcalloc(g->max * runs + 1, sizeof(*e->fresh));
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

void evidence_step(struct evidence *e, double step, double value)
{
	double q = e->scale.absolute ? step * fabs(value) : step;

	if (q > e->step)
		e->step = q;
}

static bool fresh_run(struct evidence *e, struct judge *g, const struct run *run, double *out,
		      struct verdict *v)
{
	struct value val;

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
		evidence_step(e, val.step, val.v);
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
	uint32_t looks = s->from ? g->r->attempts.v[s->from - 1].looks : g->max;

	if (looks > g->max)
		looks = g->max;
	if (e->k && looks < e->looks[e->k - 1])
		looks = e->looks[e->k - 1];
	e->looks[e->k] = looks;
}

bool evidence_fresh(struct evidence *e, struct judge *g, struct verdict *v)
{
	struct job_session s;
	size_t pos = 0;

	/* Sessions after the last look change nothing (PROCEDURE 6a). */
	for (; e->k < g->max && judge_next(g, e->check->job, &pos, &s); e->k++) {
		plan_look(e, g, s.session);
		for (size_t i = 0; i < s.n; i++)
			if (!fresh_run(e, g, s.v[i], &e->fresh[e->k * e->runs + i], v))
				return false;
	}
	while (judge_next(g, e->check->job, &pos, &s))
		e->beyond++;
	return true;
}

static const struct base_value *base_value_of(const struct evidence *e, struct judge *g,
					      const struct base_job *j)
{
	return e->view ? tail_view_base(e->view, e->metric, j, &g->r->arena)
		       : judge_base_value(j, e->metric->name);
}

/* Why a baseline session cannot be compared; "" when it can. True when it lacks nothing but values.
 */
static bool incomparable(struct evidence *e, struct judge *g, const struct epoch_index *x,
			 size_t session, const struct base_value *bv, struct str *why)
{
	const struct base_job *j = x->job[session * g->r->njobs + e->check->job];
	const struct base_session *s = x->session[session];
	const char *now = judge_canonical(g, e->check->job), *differ;
	size_t n = bv ? bv->n : 0;

	if (!str_eq(j->canonical, now)) {
		job_canonical_diff(j->canonical ? j->canonical : "", now, why);
		if (why->len == 0)
			str_add(why, "job text differs");
	} else if (s->measurement_version != g->r->measurement_version) {
		str_addf(why, "measurement version %u -> %u", s->measurement_version,
			 g->r->measurement_version);
	} else if (j->runs != e->runs) {
		str_addf(why, "runs of a session %u -> %u", j->runs, e->runs);
	} else if (n != j->runs) {
		str_addf(why, "%zu of %u runs have a value in the baseline session", n, j->runs);
		return true;
	} else {
		differ = judge_differ(g, x, session, e->check->job);
		str_add(why, differ);
		differ = why->len ? NULL : adjust_lacks(e, g, x, session);
		str_add(why, differ ? differ : "");
	}
	return false;
}

bool evidence_base(struct evidence *e, struct judge *g, struct verdict *v)
{
	struct str why, last;
	uint32_t job = e->check->job;
	const char *newest = NULL;
	bool no_values = false;

	str_init(&why);
	str_init(&last);
	for (size_t i = 0; i < g->base.n; i++) {
		const struct base_job *j = g->base.job[i * g->r->njobs + job];
		const struct base_value *bv = base_value_of(e, g, j);
		bool lacks;

		/* A gate that the session had is one of its baseline, also when it holds no value.
		 */
		if (!j || (!bv && !baseline_gated(j, e->check->metric)))
			continue;
		if (judge_expired(g, g->base.session[i])) {
			e->expired++;
			continue;
		}
		str_clear(&why);
		lacks = incomparable(e, g, &g->base, i, bv, &why);
		if (why.len == 0) {
			e->base_session[e->nbase] = i;
			e->base[e->nbase++] = bv;
			continue;
		}
		e->left_out++;
		newest = g->base.session[i]->id;
		no_values = lacks;
		str_clear(&last);
		str_add(&last, why.s);
	}
	if (e->nbase == 0 && e->left_out > 0)
		verdict_incomparable(g, newest, last.s, no_values, v);
	else if (e->nbase == 0)
		verdict_no_baseline(g, e, v);
	str_release(&why);
	str_release(&last);
	return e->nbase > 0;
}

/* Only the relative scale has values without a place on it. */
static bool has_logs(const struct evidence *e, const double *x, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (!isfinite(scale_orient(&e->scale, x[i])))
			return false;
	return true;
}

static bool session_values(struct evidence *e, struct judge *g, struct pool *within,
			   struct verdict *v)
{
	double *work = xcalloc(e->runs + 1, sizeof(*work));
	const char *zero = NULL;

	for (size_t i = 0; i < e->nbase; i++) {
		if (!has_logs(e, e->base[i]->v, e->runs))
			zero = "the baseline";
		e->base_x[i] = estimate_session(&e->scale, e->base[i]->v, e->runs, work);
		pool_add_runs(within, &e->scale, e->base[i]->v, e->runs);
		for (size_t k = 0; k < e->runs; k++)
			evidence_step(e, e->base[i]->step[k], e->base[i]->v[k]);
	}
	for (size_t i = 0; i < e->k; i++) {
		if (!has_logs(e, &e->fresh[i * e->runs], e->runs) && !zero)
			zero = "this measurement";
		e->fresh_x[i] = estimate_session(&e->scale, &e->fresh[i * e->runs], e->runs, work);
		pool_add_runs(within, &e->scale, &e->fresh[i * e->runs], e->runs);
	}
	free(work);
	if (zero)
		verdict_say(g->r, v, VERDICT_ERROR, "zero-baseline",
			    "%s is 0 in %s: a tolerance in per cent has no meaning there, give an "
			    "absolute one",
			    e->check->metric, zero);
	return zero == NULL;
}

static void find_blocks(struct evidence *e, struct judge *g, struct stored_input *in)
{
	struct boot_time *t = xcalloc(e->nbase + e->k + 1, sizeof(*t)), *fresh = t + e->nbase;
	uint32_t *all = xcalloc(e->nbase + e->k + 1, sizeof(*all));
	struct job_session s;
	size_t pos = 0;

	for (size_t i = 0; i < e->nbase; i++) {
		const struct base_session *b = g->base.session[e->base_session[i]];

		t[i] = (struct boot_time){b->boot_id, b->started};
	}
	for (size_t i = 0; i < e->k && judge_next(g, e->check->job, &pos, &s); i++)
		fresh[i] = (struct boot_time){result_session_boot(g->r, s.session),
					      g->r->sessions.v[s.session].started};
	in->base_blocks = blocks_assign(t, e->nbase, e->base_block);
	in->fresh_blocks = blocks_assign(fresh, e->k, e->fresh_block);
	e->adds_block = blocks_assign(t, e->nbase + e->k, all) > in->base_blocks;
	in->base_block = e->base_block;
	in->fresh_block = e->fresh_block;
	free(all);
	free(t);
}

/* DESIGN 3.4: on the plain scale the assumed sd is 1.5 % of the baseline median, or delta / 10. */
static double assumed_sd(const struct evidence *e, const struct judge *g)
{
	double sd = g->r->assumed_session_sd > 0 ? g->r->assumed_session_sd : 0.015, *x, median;

	if (!e->scale.absolute)
		return sd;
	x = xcalloc(e->nbase + 1, sizeof(*x));
	memcpy(x, e->base_x, e->nbase * sizeof(*x));
	median = fabs(estimate_median(x, e->nbase));
	free(x);
	return fmax(sd * median, e->scale.delta / 10);
}

/* Sessions of one older epoch, from *at on, that could be compared with this result: their spread
 * about their own level. The level itself is another one by declaration. */
static void add_epoch(struct evidence *e, struct judge *g, size_t *at, struct pool *sessions,
		      struct pool *blocks)
{
	const struct epoch_index *x = &g->older;
	uint32_t epoch = x->session[*at]->epoch, *block = xcalloc(x->n, sizeof(*block));
	struct boot_time *t = xcalloc(x->n, sizeof(*t));
	double *value = xcalloc(x->n, sizeof(*value)), *work = xcalloc(e->runs + 1, sizeof(*work));
	struct str why;
	size_t n = 0;

	str_init(&why);
	for (; *at < x->n && x->session[*at]->epoch == epoch; (*at)++) {
		const struct base_job *j = x->job[*at * g->r->njobs + e->check->job];
		const struct base_value *bv = base_value_of(e, g, j);

		str_clear(&why);
		if (!j || !bv || judge_expired(g, x->session[*at]) ||
		    incomparable(e, g, x, *at, bv, &why) || why.len > 0 ||
		    !has_logs(e, bv->v, e->runs))
			continue;
		t[n] = (struct boot_time){x->session[*at]->boot_id, x->session[*at]->started};
		value[n++] = estimate_session(&e->scale, bv->v, e->runs, work);
	}
	pool_add(sessions, value, n);
	pool_add(blocks, value, pool_block_means(value, block, n, blocks_assign(t, n, block)));
	str_release(&why);
	free(work);
	free(value);
	free(t);
	free(block);
}

bool evidence_input(struct evidence *e, struct judge *g, struct stored_input *in, struct verdict *v)
{
	struct pool within = {0}, sessions = {0}, blocks = {0};

	if (!session_values(e, g, &within, v))
		return false;
	*in = (struct stored_input){
		.base = e->base_x,
		.nbase = e->nbase,
		.fresh = e->fresh_x,
		.nfresh = e->k,
		.max = g->max,
		.looks = e->looks,
		.delta = e->scale.delta,
		.q = e->step,
		.red_total = g->red_total,
		.assumed_sd = assumed_sd(e, g),
		.within_sd = pool_sd(&within),
		.runs = e->runs,
	};
	find_blocks(e, g, in);
	in->provisional = in->nbase < BASELINE_BLOCKS || in->base_blocks < BASELINE_BLOCKS;
	for (size_t at = 0; at < g->older.n;)
		add_epoch(e, g, &at, &sessions, &blocks);
	in->older_ss = in->provisional ? blocks.ss : sessions.ss;
	in->older_df = in->provisional ? blocks.df : sessions.df;
	return adjust_input(e, g, in, v);
}
