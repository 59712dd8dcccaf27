/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A look: the input of the decision after k new sessions, made of the baseline and of these and of
 * nothing else, and the walk from look to look. What was decided then is decided now, whatever the
 * sessions behind it hold.
 */
#include "gate/baseline_file.h"
#include "gate/blocks.h"
#include "gate/stored.h"
#include <math.h>

/* Only the relative scale has values without a place on it. */
static bool has_logs(const struct evidence *e, const double *x, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (!isfinite(scale_orient(&e->scale, x[i])))
			return false;
	return true;
}

static bool zero(struct evidence *e, struct judge *g, const char *side, struct verdict *v)
{
	verdict_say(g->r, v, VERDICT_ERROR, "zero-baseline",
		    "%s is 0 in %s: a tolerance in per cent has no meaning there, give an "
		    "absolute one",
		    e->check->metric, side);
	return false;
}

/* Session values, the step and the spread inside the sessions, of the baseline and of k new ones.
 */
static bool session_values(struct evidence *e, struct judge *g, size_t k, struct pool *within,
			   struct verdict *v)
{
	double *work = xcalloc(e->runs + 1, sizeof(*work));
	bool logs = true;

	e->step = 0;
	for (size_t i = 0; i < e->nbase; i++) {
		logs &= has_logs(e, e->base[i]->v, e->runs);
		e->base_x[i] = estimate_session(&e->scale, e->base[i]->v, e->runs, work);
		pool_add_runs(within, &e->scale, e->base[i]->v, e->runs);
		for (size_t n = 0; n < e->runs; n++)
			evidence_step(e, e->base[i]->step[n], e->base[i]->v[n], &e->step);
	}
	free(work);
	if (!logs)
		return zero(e, g, "the baseline", v);
	for (size_t i = 0; i < k; i++) {
		if (!has_logs(e, &e->fresh[i * e->runs], e->runs))
			return zero(e, g, "this measurement", v);
		pool_add_runs(within, &e->scale, &e->fresh[i * e->runs], e->runs);
		e->step = fmax(e->step, e->fresh_step[i]);
	}
	return true;
}

static void boots_of(const struct evidence *e, const struct judge *g, struct boot_time *t)
{
	struct boot_time *fresh = t + e->nbase;
	struct job_session s;
	size_t pos = 0;

	for (size_t i = 0; i < e->nbase; i++) {
		const struct base_session *b = g->base.session[e->base_session[i]];

		t[i] = (struct boot_time){b->boot_id, b->started};
	}
	for (size_t i = 0; i < e->n && judge_next(g, e->check->job, &pos, &s); i++)
		fresh[i] = (struct boot_time){result_session_boot(g->r, s.session),
					      g->r->sessions.v[s.session].started};
}

static void find_blocks(struct evidence *e, struct judge *g, size_t k, struct stored_input *in)
{
	struct boot_time *t = xcalloc(e->nbase + e->n + 1, sizeof(*t));
	uint32_t *all = xcalloc(e->nbase + e->n + 1, sizeof(*all));

	boots_of(e, g, t);
	in->base_blocks = blocks_assign(t, e->nbase, e->base_block);
	in->fresh_blocks = blocks_assign(t + e->nbase, k, e->fresh_block);
	/* of all there are: it is said, and judges nothing */
	e->adds_block = blocks_assign(t, e->nbase + e->n, all) > in->base_blocks;
	in->base_block = e->base_block;
	in->fresh_block = e->fresh_block;
	free(all);
	free(t);
}

/* The level is that of the baseline. */
static double assumed_sd(const struct evidence *e, const struct judge *g)
{
	double *x = xcalloc(e->nbase + 1, sizeof(*x)), median;

	memcpy(x, e->base_x, e->nbase * sizeof(*x));
	median = estimate_median(x, e->nbase);
	free(x);
	return scale_assumed_sd(&e->scale, g->r->assumed_session_sd, median);
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
		const struct base_value *bv = evidence_base_value(e, g, j);

		str_clear(&why);
		if (!j || !bv || judge_expired(g, x->session[*at]) ||
		    evidence_compare(e, g, x, *at, bv, &why) != COMPARABLE ||
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

static bool look_input(struct evidence *e, struct judge *g, size_t k, struct stored_input *in,
		       struct verdict *v)
{
	struct pool within = {0}, sessions = {0}, blocks = {0};

	if (!session_values(e, g, k, &within, v))
		return false;
	*in = (struct stored_input){
		.base = e->base_x,
		.nbase = e->nbase,
		.fresh = e->fresh_x,
		.nfresh = k,
		.max = g->max,
		.looks = e->looks,
		.delta = e->scale.delta,
		.q = e->step,
		.red_total = g->red_total / (e->share > 0 ? e->share : 1),
		.assumed_sd = assumed_sd(e, g),
		.within_sd = pool_sd(&within),
		.runs = e->runs,
	};
	find_blocks(e, g, k, in);
	in->provisional = in->nbase < BASELINE_BLOCKS || in->base_blocks < BASELINE_BLOCKS;
	for (size_t at = 0; at < g->older.n;)
		add_epoch(e, g, &at, &sessions, &blocks);
	in->older_ss = in->provisional ? blocks.ss : sessions.ss;
	in->older_df = in->provisional ? blocks.df : sessions.df;
	return adjust_input(e, g, in, v);
}

bool evidence_judge(struct evidence *e, struct judge *g, struct stored_input *in,
		    struct stored_output *out, struct verdict *v)
{
	for (e->look = 1; e->look <= e->k; e->look++) {
		if (!look_input(e, g, e->look, in, v))
			return false;
		if (stored_look(in, out) || e->look == e->k)
			return true;
	}
	return false;
}

bool evidence_last(struct evidence *e, struct judge *g, size_t most, struct stored_input *in,
		   struct stored_output *out, struct verdict *v)
{
	e->look = e->k < most ? e->k : most;
	if (!look_input(e, g, e->look, in, v))
		return false;
	stored_look(in, out);
	return true;
}
