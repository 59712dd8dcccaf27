/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A gate judged at equal level of a canary (`adjust_by`, PROCEDURE 5.6): only where the suite
 * declares it, for where the change hits the canary as well a loss becomes a pass. Its value is
 * that of the gate's metric where the canary has it, else its total.iops; on logs.
 */
#include "gate/stored.h"
#include <math.h>

static uint32_t canary_of(const struct evidence *e, const struct judge *g)
{
	const struct job *j = &g->r->jobs[e->check->job];

	for (uint32_t i = 0; j->adjust_by && i < g->r->njobs; i++)
		if (g->r->jobs[i].target == j->target && str_eq(g->r->jobs[i].name, j->adjust_by))
			return i;
	return UINT32_MAX;
}

const struct metric *adjust_metric(const struct metric *m, const struct job *canary)
{
	return metric_applies(m, canary, false) ? m : metric_find("total.iops");
}

static double middle(double *x, size_t n)
{
	for (size_t i = 0; i < n; i++)
		x[i] = log(x[i]);
	return estimate_median(x, n);
}

static const struct base_value *base_of(const struct evidence *e, const struct judge *g,
					const struct epoch_index *x, size_t session,
					uint32_t canary)
{
	const struct base_job *j = x->job[session * g->r->njobs + canary];

	return judge_base_value(j, adjust_metric(e->metric, &g->r->jobs[canary])->name);
}

const char *adjust_lacks(const struct evidence *e, struct judge *g, const struct epoch_index *x,
			 size_t session)
{
	const char *name = g->r->jobs[e->check->job].adjust_by;
	const struct base_value *v;
	uint32_t canary = canary_of(e, g);

	if (!name)
		return NULL;
	if (canary == UINT32_MAX)
		return arena_printf(&g->r->arena, "canary '%s' is not in the result", name);
	v = base_of(e, g, x, session, canary);
	if (!v || v->n != g->r->jobs[canary].runs)
		return arena_printf(&g->r->arena, "canary '%s' has no value in it", name);
	if (!str_eq(x->job[session * g->r->njobs + canary]->canonical, judge_canonical(g, canary)))
		return arena_printf(&g->r->arena, "canary '%s' was another job", name);
	return NULL;
}

/* The canary's runs in that session; NAN = it has no whole set of values. */
static double fresh_of(const struct evidence *e, const struct judge *g, uint32_t canary,
		       uint32_t session)
{
	const struct job *j = &g->r->jobs[canary];
	double *x = xcalloc(j->runs + 1, sizeof(*x)), at = NAN;
	struct job_session s;
	size_t pos = 0;

	while (judge_next(g, canary, &pos, &s)) {
		size_t n = 0;

		for (size_t i = 0; s.session == session && i < s.n && s.n == j->runs; i++) {
			struct value val;

			metric_value(adjust_metric(e->metric, j), j, &s.v[i]->out, &val);
			if (s.v[i]->out.status == OUTCOME_OK && val.state == VALUE_OK && val.v > 0)
				x[n++] = val.v;
		}
		if (n && n == j->runs)
			at = middle(x, n);
	}
	free(x);
	return at;
}

static bool fill_fresh(struct evidence *e, struct judge *g, uint32_t canary, struct verdict *v)
{
	struct job_session s;
	size_t pos = 0;

	for (size_t i = 0; i < e->look && judge_next(g, e->check->job, &pos, &s); i++) {
		e->fresh_canary[i] = fresh_of(e, g, canary, s.session);
		if (isfinite(e->fresh_canary[i]))
			continue;
		verdict_say(g->r, v, VERDICT_ERROR, "canary",
			    "%s is to be judged at equal level of canary '%s', which has no %s in "
			    "session %u",
			    e->check->metric, g->r->jobs[canary].name,
			    adjust_metric(e->metric, &g->r->jobs[canary])->name, s.session + 1);
		return false;
	}
	return true;
}

/* Zero in the baseline has no logarithm; such a value is a missing one. */
static bool fill_base(struct evidence *e, struct judge *g, uint32_t canary, struct verdict *v)
{
	for (size_t i = 0; i < e->nbase; i++) {
		const struct base_value *b = base_of(e, g, &g->base, e->base_session[i], canary);
		double *x = xcalloc(b->n + 1, sizeof(*x));

		memcpy(x, b->v, b->n * sizeof(*x));
		e->base_canary[i] = middle(x, b->n);
		free(x);
		if (isfinite(e->base_canary[i]))
			continue;
		verdict_say(g->r, v, VERDICT_ERROR, "canary",
			    "canary '%s' is 0 in baseline session %s", g->r->jobs[canary].name,
			    g->base.session[e->base_session[i]]->id);
		return false;
	}
	return true;
}

bool adjust_input(struct evidence *e, struct judge *g, struct stored_input *in, struct verdict *v)
{
	const char *name = g->r->jobs[e->check->job].adjust_by;
	uint32_t canary = canary_of(e, g);

	if (!name)
		return true;
	if (canary == UINT32_MAX) {
		verdict_say(g->r, v, VERDICT_ERROR, "canary", "canary '%s' is not in the result",
			    name);
		return false;
	}
	if (!e->base_canary) {
		e->base_canary = xcalloc(e->nbase + 1, sizeof(*e->base_canary));
		e->fresh_canary = xcalloc(e->k + 1, sizeof(*e->fresh_canary));
	}
	if (!fill_fresh(e, g, canary, v) || !fill_base(e, g, canary, v))
		return false;
	if (in->provisional) /* too few sessions for a slope; the text says so */
		return true;
	if (!e->raw.decided_at)
		stored_look(in, &e->raw);
	in->base_canary = e->base_canary;
	in->fresh_canary = e->fresh_canary;
	return true;
}

static const char *state_word(enum sequence_state s)
{
	switch (s) {
	case SEQUENCE_PASS:
		return "pass";
	case SEQUENCE_REGRESSION:
		return "regression";
	case SEQUENCE_IMPROVEMENT:
		return "improvement";
	case SEQUENCE_CONTINUE:
	case SEQUENCE_GIVE_UP:
		break;
	}
	return "undecided";
}

void adjust_sentence(const struct evidence *e, const struct judge *g,
		     const struct stored_output *out, struct str *s)
{
	const char *name = g->r->jobs[e->check->job].adjust_by;

	if (!name)
		return;
	if (e->raw.df > 0) {
		double change = scale_change(&e->scale, e->raw.est);

		str_addf(s,
			 "; at equal level of canary '%s', which moved by %+.1f %% (slope %.2f); "
			 "raw: %s, ",
			 name, expm1(out->canary) * 100, e->scale.sign * out->slope,
			 state_word(e->raw.state));
		if (e->scale.absolute)
			unit_format(s, e->metric->unit, change);
		else
			str_addf(s, "%+.1f %%", change * 100);
	} else {
		str_addf(s, "; not adjusted by canary '%s' while provisional", name);
	}
}
