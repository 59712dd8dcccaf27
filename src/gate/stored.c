/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The verdict of one gate against the stored baseline. */
#include "gate/stored.h"
#include "gate/dist.h"
#include <math.h>

static void fill_numbers(const struct judge *g, const struct evidence *e,
			 const struct stored_input *in, const struct stored_output *out,
			 struct verdict *v)
{
	/* One interval for every verdict, at the level of a pass; a red one holds at a far stricter
	 * level. Its ends are the limits of the rule: what excludes a loss has the step in it. */
	uint32_t look = out->decided_at ? (uint32_t)out->decided_at : (uint32_t)in->nfresh;
	double half = dist_t_upper(stored_pass_level(in->looks[look - 1]), out->df) * out->se +
		      sequence_step(out->state, out->upper, in->delta, in->q);
	double a = scale_change(&e->scale, out->est - half),
	       b = scale_change(&e->scale, out->est + half);

	v->change = scale_change(&e->scale, out->est);
	v->low = fmin(a, b);
	v->high = fmax(a, b);
	v->excluded = scale_loss(&e->scale, out->upper + in->q);
	/* The means that the estimate is made of, so that they and the change say the same. */
	v->base_value = scale_value(&e->scale, out->base_mean);
	v->value = scale_value(&e->scale, out->base_mean + out->est);
	v->base_sessions = (uint32_t)e->nbase;
	v->base_blocks = in->base_blocks;
	v->base_first = g->base.session[e->base_session[0]]->started;
	v->base_last = g->base.session[e->base_session[e->nbase - 1]]->started;
	v->nsessions = (uint32_t)e->n;
	v->decided_at = (uint32_t)out->decided_at;
	v->look_sessions = look;
	v->look_blocks = in->fresh_blocks;
	for (size_t i = 0; i < e->n && i < VERDICT_MAX_SESSIONS; i++)
		v->session_values[i] = scale_value(&e->scale, e->fresh_x[i]);
	v->provisional = in->provisional;
	v->certain = out->certain;
}

/* A `known` entry covers a regression up to its floor and to the end of its day. */
bool gate_known_covers(const struct judge *g, const struct evidence *e, double est,
		       const struct verdict *v)
{
	const struct check_known *k = &e->check->known;
	double loss = scale_loss(&e->scale, est);

	if (!(k->no_worse_than > 0) || (k->until != 0 && g->now > k->until))
		return false;
	if (e->scale.absolute) /* the floor is a ratio */
		loss = v->base_value != 0 ? loss / fabs(v->base_value) : INFINITY;
	return loss <= k->no_worse_than;
}

static enum verdict_kind kind_of(const struct judge *g, const struct evidence *e,
				 const struct stored_input *in, const struct stored_output *out,
				 const struct verdict *v)
{
	switch (out->state) {
	case SEQUENCE_REGRESSION:
		return gate_known_covers(g, e, out->est, v) ? VERDICT_KNOWN : VERDICT_REGRESSION;
	case SEQUENCE_IMPROVEMENT:
		return VERDICT_IMPROVEMENT;
	case SEQUENCE_PASS:
		if (gate_too_coarse(e, out->upper))
			break;
		/* A pass falls before the second session that IMPROVEMENT waits for. It keeps its
		 * status; when even its limit lies beyond the tolerance on the good side, it is
		 * named so. */
		return out->upper < -in->delta ? VERDICT_IMPROVEMENT : VERDICT_PASS;
	case SEQUENCE_CONTINUE:
	case SEQUENCE_GIVE_UP:
		break;
	}
	return VERDICT_INCONCLUSIVE;
}

void gate_conclude(struct judge *g, const struct evidence *e, const struct stored_input *in,
		   const struct stored_output *out, struct verdict *v)
{
	enum verdict_kind kind;
	struct str s;

	if (isnan(out->upper)) {
		verdict_say(g->r, v, VERDICT_ERROR, "missing", "%s: the values cannot be judged",
			    e->check->metric);
		return;
	}
	fill_numbers(g, e, in, out, v);
	gate_shift(g, e, v);
	kind = kind_of(g, e, in, out, v);
	if (kind == VERDICT_INCONCLUSIVE) {
		v->leaning = out->leaning_fail ? -1 : 1;
		v->wants_session = out->state == SEQUENCE_CONTINUE;
	}
	v->kind = kind;
	/* one session is what the baseline has of each boot; several of one boot agree in what it
	 * brings */
	v->one_boot = kind != VERDICT_INCONCLUSIVE && v->look_sessions > 1 && v->look_blocks == 1 &&
		      v->base_blocks > 1;
	str_init(&s);
	gate_sentence(g, e, out, v, &s);
	verdict_say(g->r, v, kind, NULL, "%s", s.s);
	str_release(&s);
}

/* Is there an accepted session of this job at all, whatever it lacks? */
static bool accepted_before(const struct judge *g, uint32_t job)
{
	for (size_t i = 0; i < g->base.n; i++)
		if (g->base.job[i * g->r->njobs + job])
			return true;
	return false;
}

/* Its values are there, as those of every gate must be; the judgement is another gate's. */
bool gate_judged_elsewhere(const struct judge *g, const struct evidence *e, struct verdict *v)
{
	uint32_t check = (uint32_t)(e->check - g->r->checks);

	if (g->twin[check] == check)
		return false;
	verdict_say(g->r, v, VERDICT_SKIPPED, NULL, "one fact with '%s', judged there (%s)",
		    g->r->checks[g->twin[check]].name,
		    e->metric->stat == STAT_MEAN ? "the queue was full in every run"
						 : "one block size");
	return true;
}

/* A further session of the same length would have too few samples again. */
static void too_few(struct judge *g, const struct evidence *e, struct verdict *v)
{
	struct str s;

	str_init(&s);
	judge_samples(g, e->check->job, e->metric, &s);
	verdict_say(g->r, v, VERDICT_INCONCLUSIVE, NULL, "%s", s.s);
	str_release(&s);
	v->wants_session = false;
}

/* On the sessions before the first that cannot be judged. */
static void judge_whole(struct judge *g, struct evidence *e, struct verdict *v)
{
	struct stored_output out;
	struct stored_input in;

	if (e->k == 0)
		too_few(g, e, v);
	else if (!gate_tails(g, e, v) && evidence_judge(e, g, &in, &out, v))
		gate_conclude(g, e, &in, &out, v);
	/* What is decided stands; what was open stays so without an end. */
	if (e->short_runs > 0 && v->kind == VERDICT_INCONCLUSIVE)
		too_few(g, e, v);
}

static void judge_evidence(struct judge *g, struct evidence *e, struct verdict *v)
{
	struct verdict failed = *v;
	bool good = evidence_fresh(e, g, &failed);

	if (!good && e->k == 0) {
		*v = failed;
		return;
	}
	if (!gate_judged_elsewhere(g, e, v)) {
		if (evidence_base(e, g, v))
			judge_whole(g, e, v);
		else if (e->short_runs > 0 && accepted_before(g, e->check->job))
			/* Too few samples then are too few in the baseline: accepting more of them
			 * helps nothing. */
			too_few(g, e, v);
	}
	/* A session that lacks the metric is no pass; a loss that was shown before it stands. */
	if (!good && v->kind != VERDICT_REGRESSION)
		*v = failed;
}

void verdict_gate(struct judge *g, const struct check *c, struct verdict *v)
{
	struct evidence e;

	v->tolerance = c->tolerance;
	evidence_init(&e, g, c);
	if (!e.metric)
		verdict_say(g->r, v, VERDICT_ERROR, "missing", "%s is no metric of this version",
			    c->metric);
	else if (!scale_make(e.metric, c->tolerance, c->absolute, &e.scale))
		verdict_say(g->r, v, VERDICT_ERROR, "tolerance", "this gate cannot fail: %s %s",
			    c->metric,
			    e.metric->better == BETTER_NONE
				    ? "has no better direction"
				    : "can lose no more than its tolerance");
	else if (g->r->interleave.kind != INTERLEAVE_NONE)
		pairs_judge(g, &e, v);
	else
		judge_evidence(g, &e, v);
	evidence_release(&e);
}
