/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The verdict of one gate between two arms that took turns (PROCEDURE 6b). */
#include "gate/comparable.h"
#include "gate/interleaved.h"
#include "gate/stored.h"
#include <math.h>

/* One value a run, on the scale. */
struct values {
	double v[ARM_COUNT][INTERLEAVE_PAIRS_MAX];
	double step[INTERLEAVE_PAIRS_MAX]; /* the larger one of the pair */
	uint32_t n;                        /* pairs from the first on that have all */
	uint32_t short_job;                /* one that has too few samples */
};

static const char *arm_name(const struct judge *g, unsigned arm)
{
	return g->r->interleave.name[arm];
}

/* False with an error verdict. */
static bool take(struct judge *g, struct evidence *e, const struct run *run, unsigned arm,
		 struct values *x, struct verdict *v)
{
	const struct job *j = &g->r->jobs[run->job];
	double *out = &x->v[arm][run->pair];
	struct value val;

	metric_value(e->metric, j, &run->out, &val);
	if (val.state == VALUE_INSUFFICIENT) {
		e->short_runs++;
		x->short_job = run->job;
		return true;
	}
	if (val.state != VALUE_OK || !isfinite(val.v)) {
		verdict_say(g->r, v, VERDICT_ERROR, "missing", "%s %s in pair %u of '%s'%s",
			    e->check->metric,
			    val.state == VALUE_NA ? "does not exist for this workload"
						  : "has no value",
			    run->pair + 1, arm_name(g, arm),
			    metric_absent_why(e->metric, j, &run->out, &g->r->arena));
		return false;
	}
	evidence_step(e, val.step, val.v, &x->step[run->pair]);
	*out = scale_orient(&e->scale, val.v);
	if (isfinite(*out))
		return true;
	verdict_say(g->r, v, VERDICT_ERROR, "zero-baseline",
		    "%s is 0 in pair %u of '%s': a tolerance in per cent has no meaning there, "
		    "give an absolute one",
		    e->check->metric, run->pair + 1, arm_name(g, arm));
	return false;
}

/* Up to the first pair whose measurement failed; false with an error verdict: one lacks the metric,
 * and those before it stand. */
static bool collect(struct judge *g, struct evidence *e, const struct arms *a, struct values *x,
		    struct verdict *v)
{
	uint32_t whole = g->whole[e->check->job];

	for (uint32_t k = 0; k < a->pairs && k < whole; k++) {
		for (unsigned arm = 0; arm < ARM_COUNT; arm++)
			if (!take(g, e, a->run[arm][k], arm, x, v))
				return false;
		x->n += e->short_runs == 0;
	}
	return true;
}

static void find_differences(struct judge *g, const struct arms *a)
{
	const struct result *r = g->r;
	struct str forbid, differ;

	if (g->arms_differ)
		return;
	str_init(&forbid);
	str_init(&differ);
	comparable_targets(&r->compare, &r->targets[r->jobs[a->job[ARM_REFERENCE]].target].facts,
			   &r->targets[r->jobs[a->job[ARM_CANDIDATE]].target].facts, &forbid,
			   &differ);
	g->arms_forbid = arena_strdup(&g->r->arena, forbid.s);
	g->arms_differ = arena_strdup(&g->r->arena, differ.s);
	str_release(&forbid);
	str_release(&differ);
}

/* Two targets are compared in the same words and the same format of blocks, or not at all. */
static bool comparable(struct judge *g, const struct arms *a, struct verdict *v)
{
	struct str why;

	if (a->job[ARM_REFERENCE] == a->job[ARM_CANDIDATE])
		return true;
	find_differences(g, a);
	str_init(&why);
	job_canonical_diff(judge_canonical(g, a->job[ARM_REFERENCE]),
			   judge_canonical(g, a->job[ARM_CANDIDATE]), &why);
	if (why.len > 0)
		str_add(&why, "; say in the suite what both targets are to do");
	else if (*g->arms_forbid)
		str_addf(&why,
			 "%s; make them alike, or declare in the suite that this is compared "
			 "(compare: under_test)",
			 g->arms_forbid);
	if (why.len > 0)
		verdict_say(g->r, v, VERDICT_INCOMPARABLE, NULL,
			    "'%s' cannot be compared with '%s': %s", arm_name(g, ARM_CANDIDATE),
			    arm_name(g, ARM_REFERENCE), why.s);
	str_release(&why);
	return v->kind != VERDICT_INCOMPARABLE;
}

/* A device or an existing file is used as it is: its layout is one and the same in every run. */
static bool one_layout(const struct judge *g, const struct arms *a)
{
	for (unsigned arm = 0; arm < ARM_COUNT; arm++)
		if (g->r->targets[g->r->jobs[a->job[arm]].target].kind != TARGET_DIR)
			return true;
	return false;
}

static void fill_numbers(const struct evidence *e, const struct interleaved_input *in,
			 const struct interleaved_output *out, struct verdict *v)
{
	double a = scale_change(&e->scale, out->floor), b = scale_change(&e->scale, out->upper);
	double sorted[INTERLEAVE_PAIRS_MAX], base;

	memcpy(sorted, in->reference, out->pairs * sizeof(*sorted));
	base = estimate_median(sorted, out->pairs);
	v->change = scale_change(&e->scale, out->est);
	v->low = fmin(a, b);
	v->high = fmax(a, b);
	v->excluded = scale_loss(&e->scale, out->upper + in->q);
	v->base_value = scale_value(&e->scale, base);
	v->value = scale_value(&e->scale, base + out->est);
	v->pairs = out->pairs;
	v->certain = out->certain;
}

static enum verdict_kind kind_of(const struct judge *g, const struct evidence *e,
				 const struct interleaved_input *in,
				 const struct interleaved_output *out, const struct verdict *v)
{
	switch (out->state) {
	case SEQUENCE_REGRESSION:
		return gate_known_covers(g, e, out->est, v) ? VERDICT_KNOWN : VERDICT_REGRESSION;
	case SEQUENCE_IMPROVEMENT:
		return VERDICT_IMPROVEMENT;
	case SEQUENCE_PASS: /* named as in stored.c */
		return out->upper < -in->delta ? VERDICT_IMPROVEMENT : VERDICT_PASS;
	case SEQUENCE_CONTINUE:
	case SEQUENCE_GIVE_UP:
		break;
	}
	return VERDICT_INCONCLUSIVE;
}

static void add_state(struct str *s, const struct judge *g, const struct evidence *e,
		      const struct interleaved_output *out, const struct verdict *v)
{
	switch (v->kind) {
	case VERDICT_REGRESSION:
	case VERDICT_KNOWN:
		str_addf(s, ": worse beyond the tolerance, shown by %u pairs", out->pairs);
		gate_add_known(s, g, e, v->kind == VERDICT_KNOWN);
		break;
	case VERDICT_IMPROVEMENT:
		str_addf(s, ": better beyond the tolerance, shown by %u pairs", out->pairs);
		break;
	case VERDICT_INCONCLUSIVE:
		if (out->futile)
			str_addf(s, ": too noisy for %u pairs", g->r->interleave.pairs);
		str_addf(s, "%s undecided after %u of at most %u pairs, leaning %s, a loss of ",
			 out->futile ? "," : ":", out->pairs, g->r->interleave.pairs,
			 v->leaning < 0 ? "fail" : "pass");
		gate_add_loss(s, e, v->excluded);
		str_add(s, " cannot be excluded");
		gate_add_steps(s, e);
		break;
	default:
		str_addf(s, ": a loss above ");
		gate_add_loss(s, e, v->excluded);
		str_addf(s, " is excluded, by %u pairs", out->pairs);
		break;
	}
}

static void say(struct judge *g, const struct evidence *e, const struct interleaved_output *out,
		struct verdict *v)
{
	struct str s;

	str_init(&s);
	gate_add_head(&s, e, v);
	add_state(&s, g, e, out, v);
	str_add(&s, "; ");
	interleave_title(&g->r->interleave, &s);
	if (v->one_layout)
		str_add(&s, "; one layout: what is measured on was not prepared afresh for each "
			    "run, so how often a pass is wrong is not claimed");
	if (g->arms_differ && *g->arms_differ)
		str_addf(&s, "; %s", g->arms_differ);
	verdict_say(g->r, v, v->kind, NULL, "%s", s.s);
	str_release(&s);
}

/* Look by look up to the first that decides: the step is that of the pairs it knows. */
static void walk(const struct judge *g, struct evidence *e, const struct values *x,
		 struct interleaved_input *in, struct interleaved_output *out)
{
	*in = (struct interleaved_input){
		.reference = x->v[ARM_REFERENCE],
		.candidate = x->v[ARM_CANDIDATE],
		.budget = g->r->interleave.pairs,
		.delta = e->scale.delta,
		.red_total = g->red_total,
	};
	e->step = 0;
	interleaved_judge(in, out);
	while (out->state == SEQUENCE_CONTINUE && in->npairs < x->n) {
		uint32_t upto = out->next && out->next < x->n ? out->next : x->n;

		while (in->npairs < upto)
			e->step = fmax(e->step, x->step[in->npairs++]);
		in->q = e->step;
		interleaved_judge(in, out);
	}
}

static void too_few(struct judge *g, const struct evidence *e, const struct values *x,
		    struct verdict *v)
{
	struct str s;

	/* A further pair of the same length would have too few samples again. */
	str_init(&s);
	judge_samples(g, x->short_job, e->metric, &s);
	verdict_say(g->r, v, VERDICT_INCONCLUSIVE, NULL, "%s", s.s);
	str_release(&s);
	v->wants_session = false;
}

static void decide(struct judge *g, struct evidence *e, const struct arms *a,
		   const struct values *x, struct verdict *v)
{
	uint32_t first = judge_first_look(g->r);
	struct interleaved_output out;
	struct interleaved_input in;

	if (x->n >= first && gate_cliff_between(g, e, a->run[ARM_REFERENCE], first, v))
		return;
	walk(g, e, x, &in, &out);
	if (isnan(out.est) && e->short_runs == 0) {
		verdict_say(g->r, v, VERDICT_ERROR, "missing",
			    "%s: the values of %u pairs cannot be judged", e->check->metric, x->n);
		return;
	}
	v->kind = VERDICT_INCONCLUSIVE;
	if (!isnan(out.est)) {
		fill_numbers(e, &in, &out, v);
		v->one_layout = one_layout(g, a);
		v->kind = kind_of(g, e, &in, &out, v);
	}
	/* What is decided stands; what was open stays so without an end. */
	if (v->kind == VERDICT_INCONCLUSIVE && e->short_runs > 0) {
		too_few(g, e, x, v);
		return;
	}
	if (v->kind == VERDICT_INCONCLUSIVE) {
		v->leaning = out.leaning_fail ? -1 : 1;
		v->wants_session = out.state == SEQUENCE_CONTINUE;
	}
	say(g, e, &out, v);
}

void pairs_judge(struct judge *g, struct evidence *e, struct verdict *v)
{
	struct verdict failed = *v;
	struct values x = {0};
	struct arms a;
	bool good;

	if (!judge_arms(g, e->check->job, &a)) {
		verdict_say(g->r, v, VERDICT_ERROR, "missing",
			    "the result holds nothing to compare it with");
		return;
	}
	good = collect(g, e, &a, &x, &failed);
	if (!good && x.n == 0) {
		*v = failed;
		return;
	}
	if (!gate_judged_elsewhere(g, e, v) && comparable(g, &a, v))
		decide(g, e, &a, &x, v);
	/* A pair that lacks the metric is no pass; a loss that was shown before it stands. */
	if (!good && v->kind != VERDICT_REGRESSION)
		*v = failed;
}
