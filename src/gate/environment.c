/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "gate/environment.h"
#include "gate/dist.h"
#include "gate/stored.h"
#include <math.h>

#define MANY 0.30 /* of the gated workloads */
#define CANARY_METRIC "total.iops"
#define CANARY_TOLERANCE 0.05 /* where the canary has no gate of its own */

static bool leans_red(const struct verdict *v)
{
	return v->kind == VERDICT_REGRESSION || v->kind == VERDICT_KNOWN ||
	       (v->kind == VERDICT_INCONCLUSIVE && v->leaning < 0);
}

static bool is_primary_gate(const struct result *r, const struct verdict *v)
{
	return v->job < r->njobs && v->check < r->nchecks &&
	       r->checks[v->check].kind == CHECK_GATE && r->checks[v->check].role == ROLE_PRIMARY;
}

/* Gated workloads but the canaries, and those of them that lean red. */
static void count_jobs(const struct result *r, size_t *gated, size_t *red)
{
	bool *has = xcalloc(r->njobs + 1, sizeof(*has)),
	     *leans = xcalloc(r->njobs + 1, sizeof(*has));

	*gated = *red = 0;
	for (size_t i = 0; i < r->verdicts.n; i++) {
		const struct verdict *v = &r->verdicts.v[i];

		if (!is_primary_gate(r, v) || r->jobs[v->job].canary)
			continue;
		has[v->job] |= !isnan(v->change);
		leans[v->job] |= leans_red(v);
	}
	for (size_t j = 0; j < r->njobs; j++) {
		*gated += has[j];
		*red += leans[j];
	}
	free(leans);
	free(has);
}

/* The session in which the sequence of a verdict was decided; UINT32_MAX = it was not. */
static uint32_t decided_in(const struct judge *g, const struct verdict *v)
{
	struct job_session s = {.session = UINT32_MAX};
	size_t pos = 0;

	for (uint32_t i = 0; i < v->decided_at && judge_next(g, v->job, &pos, &s);)
		i++;
	return v->decided_at ? s.session : UINT32_MAX;
}

/* A canary's own rate gate says how much of a move is one. */
static double own_tolerance(const struct result *r, uint32_t job)
{
	double least = NAN;

	for (size_t i = 0; i < r->nchecks; i++) {
		const struct check *c = &r->checks[i];
		const struct metric *m = metric_find(c->metric);

		if (c->job == job && c->kind == CHECK_GATE && !c->absolute && c->tolerance > 0 &&
		    m && (m->source == SOURCE_IOS || m->source == SOURCE_BYTES))
			least = fmin(least, c->tolerance);
	}
	return least;
}

/*
 * Else the middle one of the relative tolerances of what leans red: what did not move by as much is
 * no reason of theirs. One gate that is tight lowers the bar for itself at most.
 */
static double middle_tolerance(const struct result *r)
{
	double *x = xcalloc(r->verdicts.n + 1, sizeof(*x)), middle;
	size_t n = 0;

	for (size_t i = 0; i < r->verdicts.n; i++) {
		const struct verdict *v = &r->verdicts.v[i];
		const struct check *c;

		if (!is_primary_gate(r, v) || !leans_red(v) || r->jobs[v->job].canary)
			continue;
		c = &r->checks[v->check];
		if (!c->absolute && c->tolerance > 0)
			x[n++] = c->tolerance;
	}
	middle = n ? estimate_median(x, n) : CANARY_TOLERANCE;
	free(x);
	return middle;
}

/* Sessions of the canary up to that session of the result. */
static size_t sessions_until(const struct judge *g, uint32_t job, uint32_t until)
{
	struct job_session s;
	size_t pos = 0, n = 0;

	while (judge_next(g, job, &pos, &s) && s.session <= until)
		n++;
	return n;
}

/*
 * The loss of a canary's rate against its baseline up to that session; NAN when none is shown: the
 * interval that a report would print (one-sided the level of a pass, PROCEDURE 5.5) holds zero, or
 * the estimate is within the tolerance. Judged by the same code as a gate, whether the suite gates
 * it or not.
 */
static double canary_loss(struct judge *g, uint32_t job, double tolerance, uint32_t until)
{
	struct check c = {.name = "canary",
			  .job = job,
			  .kind = CHECK_GATE,
			  .metric = CANARY_METRIC,
			  .tolerance = tolerance};
	size_t most = sessions_until(g, job, until);
	struct verdict ignored = {0};
	struct stored_output out;
	struct stored_input in;
	double loss = NAN, low;
	struct evidence e;

	evidence_init(&e, g, &c);
	if (e.metric && scale_make(e.metric, tolerance, false, &e.scale) && most > 0 &&
	    evidence_fresh(&e, g, &ignored) && evidence_base(&e, g, &ignored) && e.k > 0 &&
	    evidence_last(&e, g, most, &in, &out, &ignored)) {
		low = out.est -
		      dist_t_upper(stored_pass_level(in.looks[in.nfresh - 1]), out.df) * out.se;
		if (low > 0 && out.est > in.delta)
			loss = scale_loss(&e.scale, out.est);
	}
	evidence_release(&e);
	return loss;
}

/* A verdict that was reached before the canary moved stands. */
static void void_gates(struct judge *g, uint32_t canary, double tolerance)
{
	struct result *r = g->r;
	uint32_t asked = UINT32_MAX; /* most verdicts fall in one and the same session */
	bool moved = true;

	for (size_t i = 0; i < r->verdicts.n; i++) {
		struct verdict *v = &r->verdicts.v[i];
		uint32_t at;

		if (v->job >= r->njobs || v->check >= r->nchecks ||
		    r->checks[v->check].kind != CHECK_GATE || v->kind == VERDICT_SKIPPED ||
		    v->kind == VERDICT_ERROR)
			continue;
		at = decided_in(g, v);
		if (at != asked)
			moved = !isnan(canary_loss(g, canary, tolerance, at));
		asked = at;
		if (!moved)
			continue;
		v->wants_session = false;
		verdict_say(r, v, VERDICT_ERROR, "environment", "%s; was: %s", r->environment,
			    v->text);
		verdict_finish(r, &r->checks[v->check], v);
	}
}

/* Up to the last session that a verdict which leans red rests on. */
static uint32_t last_session(const struct judge *g)
{
	const struct result *r = g->r;
	uint32_t last = 0;

	for (size_t i = 0; i < r->verdicts.n; i++) {
		const struct verdict *v = &r->verdicts.v[i];
		uint32_t at;

		if (!is_primary_gate(r, v) || r->jobs[v->job].canary || !leans_red(v))
			continue;
		at = decided_in(g, v);
		if (at > last)
			last = at;
	}
	return last;
}

void environment_judge(struct judge *g)
{
	struct result *r = g->r;
	double middle;
	size_t gated, red;
	uint32_t until;

	r->environment = NULL;
	if (r->interleave.kind != INTERLEAVE_NONE)
		return; /* both arms met the same environment */
	count_jobs(r, &gated, &red);
	if (red == 0 || (double)red <= MANY * (double)gated)
		return;
	middle = middle_tolerance(r);
	until = last_session(g);
	for (uint32_t j = 0; j < r->njobs; j++) {
		double own = own_tolerance(r, j), loss;

		if (!r->jobs[j].canary)
			continue;
		loss = canary_loss(g, j, isnan(own) ? middle : own, until);
		if (isnan(loss))
			continue;
		r->environment = arena_printf(&r->arena,
					      "environment suspected: %zu of %zu gated workloads "
					      "lean red, and the canary '%s' "
					      "is %.1f %% slower than in its baseline",
					      red, gated, r->jobs[j].name, 100 * loss);
		if (r->jobs[j].untouched) {
			r->environment = arena_printf(
				&r->arena, "%s; the suite declares it untouched by the change",
				r->environment);
			void_gates(g, j, isnan(own) ? middle : own);
		}
		return;
	}
}
