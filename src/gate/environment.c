/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "gate/environment.h"
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

/* The tightest relative tolerance of the suite's primary gates: what moved by less than half of it
 * moved no gate. */
static double tightest(const struct result *r)
{
	double least = CANARY_TOLERANCE;

	for (size_t i = 0; i < r->nchecks; i++) {
		const struct check *c = &r->checks[i];

		if (c->kind == CHECK_GATE && c->role == ROLE_PRIMARY && !c->absolute &&
		    c->tolerance > 0 && c->tolerance < least)
			least = c->tolerance;
	}
	return least;
}

/* The loss of a canary's rate against its baseline; NAN when nothing is known of it. Judged by the
 * same code as a gate, whether the suite gates it or not. */
static double canary_loss(struct judge *g, uint32_t job, double tolerance)
{
	struct check c = {.name = "canary",
			  .job = job,
			  .kind = CHECK_GATE,
			  .metric = CANARY_METRIC,
			  .tolerance = tolerance};
	struct verdict ignored = {0};
	struct stored_output out = {.est = NAN};
	struct stored_input in;
	struct evidence e;

	evidence_init(&e, g, &c);
	if (e.metric && scale_make(e.metric, tolerance, false, &e.scale) &&
	    judge_runs(g, job) > 0 && evidence_fresh(&e, g, &ignored) &&
	    evidence_base(&e, g, &ignored) && e.short_runs == 0 &&
	    evidence_input(&e, g, &in, &ignored))
		stored_judge(&in, &out);
	evidence_release(&e);
	return out.est > log1p(tolerance) / 2 ? scale_loss(&e.scale, out.est) : NAN;
}

static void void_gates(struct result *r)
{
	for (size_t i = 0; i < r->verdicts.n; i++) {
		struct verdict *v = &r->verdicts.v[i];

		if (v->job >= r->njobs || v->check >= r->nchecks ||
		    r->checks[v->check].kind != CHECK_GATE || v->kind == VERDICT_SKIPPED ||
		    v->kind == VERDICT_ERROR)
			continue;
		v->wants_session = false;
		verdict_say(r, v, VERDICT_ERROR, "environment", "%s; was: %s", r->environment,
			    v->text);
		verdict_finish(r, &r->checks[v->check], v);
	}
}

void environment_judge(struct judge *g)
{
	struct result *r = g->r;
	size_t gated, red;
	double tolerance = tightest(r);

	r->environment = NULL;
	if (r->interleave.kind != INTERLEAVE_NONE)
		return; /* both arms met the same environment */
	count_jobs(r, &gated, &red);
	if (red == 0 || (double)red <= MANY * (double)gated)
		return;
	for (uint32_t j = 0; j < r->njobs; j++) {
		double loss;

		if (!r->jobs[j].canary)
			continue;
		loss = canary_loss(g, j, tolerance);
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
			void_gates(r);
		}
		return;
	}
}
