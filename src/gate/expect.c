/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Expectations: the median over all runs of all sessions (or every run) against an absolute limit.
 */
#include "gate/dist.h"
#include "gate/estimate.h"
#include "gate/judge.h"
#include <math.h>

static bool holds(enum check_op op, double value, double limit)
{
	switch (op) {
	case OP_GE:
		return value >= limit;
	case OP_LE:
		return value <= limit;
	case OP_GT:
		return value > limit;
	case OP_LT:
		return value < limit;
	case OP_EQ:
		return value == limit;
	case OP_NE:
		return value != limit;
	}
	return false;
}

/* Values of the metric in the first `runs` runs; false with the verdict filled when one is not
 * there. */
static bool collect(struct judge *g, const struct check *c, const struct metric *m, unsigned arm,
		    size_t runs, double *v, size_t *n, struct verdict *out)
{
	const struct run *const *run = &g->run[g->run_first[c->job]];
	size_t short_of = 0;
	struct str s;

	*n = 0;
	for (size_t i = 0; i < runs; i++) {
		struct value val;

		if (arm < ARM_COUNT && run[i]->arm != arm)
			continue;

		metric_value(m, &g->r->jobs[c->job], &run[i]->out, &val);
		short_of += val.state == VALUE_INSUFFICIENT;
		if (val.state == VALUE_INSUFFICIENT || (val.state == VALUE_OK && isfinite(val.v))) {
			v[(*n)++] = val.v;
			continue;
		}
		verdict_say(g->r, out, VERDICT_ERROR, "missing", "%s %s in run %u of session %u%s",
			    c->metric,
			    val.state == VALUE_NA ? "does not exist for this workload"
						  : "has no value",
			    run[i]->run + 1, run[i]->session + 1,
			    metric_absent_why(m, &g->r->jobs[c->job], &run[i]->out, &g->r->arena));
		return false;
	}
	if (short_of == 0)
		return true;
	str_init(&s);
	judge_samples(g, c->job, m, &s);
	verdict_say(g->r, out, VERDICT_INCONCLUSIVE, NULL, "%s", s.s);
	str_release(&s);
	return false;
}

static void range_text(struct str *s, enum unit unit, double low, double high)
{
	unit_format(s, unit, low);
	str_add(s, " .. ");
	unit_format(s, unit, high);
}

/* The run that an expectation of every run stands or falls with, and what it is called. v is
 * sorted. */
static double worst_run(const struct check *c, const double *v, size_t n, double limit,
			const char **name)
{
	size_t at = 0;

	if (c->op == OP_GE || c->op == OP_GT) {
		*name = "lowest";
		return v[0];
	}
	if (c->op == OP_LE || c->op == OP_LT) {
		*name = "highest";
		return v[n - 1];
	}
	*name = c->op == OP_EQ ? "farthest" : "nearest";
	for (size_t i = 1; i < n; i++) {
		double was = fabs(v[at] - limit), is = fabs(v[i] - limit);

		if (c->op == OP_EQ ? is > was : is < was)
			at = i;
	}
	return v[at];
}

/* v is sorted. */
static void judge_values(struct judge *g, const struct check *c, const struct metric *m,
			 const double *v, size_t n, struct verdict *out)
{
	size_t rank = c->every_run ? 1 : dist_median_rank(n);
	const char *which = NULL;
	bool met;
	struct str s;

	if (c->every_run)
		out->value = worst_run(c, v, n, out->limit, &which);
	met = holds(c->op, out->value, out->limit);
	out->marginal =
		holds(c->op, v[rank - 1], out->limit) != holds(c->op, v[n - rank], out->limit);
	str_init(&s);
	str_addf(&s, "%s ", c->metric);
	if (which)
		str_addf(&s, "%s run ", which);
	unit_format(&s, m->unit, out->value);
	str_addf(&s, "%s %s ", met ? ", as expected" : ", expected", check_op_name(c->op));
	unit_format(&s, m->unit, out->limit);
	if (c->percent_of)
		str_addf(&s, " (%.4g %% of %s)", c->limit * 100, c->percent_of);
	str_addf(&s, "; %s of %zu run%s, ", c->every_run ? "every one" : "median", n,
		 n == 1 ? "" : "s");
	range_text(&s, m->unit, v[0], v[n - 1]);
	if (out->marginal && !c->every_run)
		str_add(&s, "; marginal: the interval straddles the limit");
	verdict_say(g->r, out, met ? VERDICT_PASS : VERDICT_MISSED, met ? NULL : "expectation",
		    "%s", s.s);
	str_release(&s);
}

/* Runs of the job that the attempts up to that one made. */
static size_t runs_up_to(const struct judge *g, uint32_t job, uint32_t attempt)
{
	const struct run *const *run = &g->run[g->run_first[job]];
	size_t n = 0;

	while (n < judge_runs(g, job) && g->r->sessions.v[run[n]->session].from <= attempt)
		n++;
	return n;
}

/* The n runs in order of time; true when an attempt before the last one missed it. */
static bool missed_before(struct judge *g, const struct check *c, const struct metric *m,
			  const double *v, size_t n, struct verdict *out)
{
	double *w = xcalloc(n + 1, sizeof(*w));
	bool missed = false;

	for (uint32_t a = 1; !missed && a < g->r->attempts.n; a++) {
		size_t made = runs_up_to(g, c->job, a);

		if (made == 0 || made > n || (a > 1 && made == runs_up_to(g, c->job, a - 1)))
			continue;
		memcpy(w, v, made * sizeof(*w));
		out->value = estimate_median(w, made);
		judge_values(g, c, m, w, made, out);
		missed = out->kind == VERDICT_MISSED;
		if (missed && made < judge_runs(g, c->job))
			verdict_say(g->r, out, VERDICT_MISSED, "expectation",
				    "%s; that was attempt %u, the %zu runs since then change "
				    "nothing",
				    out->text, a, judge_runs(g, c->job) - made);
	}
	free(w);
	return missed;
}

/* What an earlier attempt missed stays missed, whatever came behind. */
static void judge_attempts(struct judge *g, const struct check *c, const struct metric *m,
			   double *v, size_t n, struct verdict *out)
{
	if (missed_before(g, c, m, v, n, out))
		return;
	out->value = estimate_median(v, n);
	judge_values(g, c, m, v, n, out);
}

static double limit_of(const struct check *c)
{
	return c->percent_of ? c->limit * c->reference : c->limit;
}

void verdict_missed_before(struct judge *g, const struct check *c, struct verdict *v)
{
	const struct metric *m = metric_find(c->metric);
	double *x = xcalloc(judge_runs(g, c->job) + 1, sizeof(*x));
	struct verdict out = *v;
	struct job_session s;
	size_t pos = 0, n;

	out.limit = limit_of(c);
	for (uint32_t i = 0; i < g->whole[c->job]; i++)
		judge_next(g, c->job, &pos, &s);
	/* up to the end of the last attempt that is whole */
	for (uint32_t a = (uint32_t)g->r->attempts.n; pos > 0 && a-- > 1;) {
		size_t made = runs_up_to(g, c->job, a);

		if (made > pos)
			continue;
		if (made > 0 && m && isfinite(out.limit) &&
		    collect(g, c, m, ARM_COUNT, made, x, &n, &out) &&
		    missed_before(g, c, m, x, n, &out))
			*v = out;
		break;
	}
	free(x);
}

/* arm ARM_COUNT: all runs of the job. */
static void judge_runs_of(struct judge *g, const struct check *c, const struct metric *m,
			  unsigned arm, struct verdict *out)
{
	double *v = xcalloc(judge_runs(g, c->job) + 1, sizeof(*v));
	size_t n;

	if (collect(g, c, m, arm, judge_runs(g, c->job), v, &n, out)) {
		if (arm == ARM_COUNT) {
			judge_attempts(g, c, m, v, n, out);
		} else {
			out->value = estimate_median(v, n);
			judge_values(g, c, m, v, n, out);
		}
	}
	free(v);
}

static unsigned worse_rank(enum verdict_kind k)
{
	return k == VERDICT_PASS ? 0 : k == VERDICT_INCONCLUSIVE ? 1 : k == VERDICT_MISSED ? 2 : 3;
}

/* Each value of the setting has to meet it: the median over both would be of neither. */
static void judge_values_of_both(struct judge *g, const struct check *c, const struct metric *m,
				 struct verdict *out)
{
	struct verdict of[ARM_COUNT] = {*out, *out};
	unsigned worse = ARM_CANDIDATE;

	for (unsigned arm = 0; arm < ARM_COUNT; arm++)
		judge_runs_of(g, c, m, arm, &of[arm]);
	if (worse_rank(of[ARM_REFERENCE].kind) > worse_rank(of[ARM_CANDIDATE].kind))
		worse = ARM_REFERENCE;
	*out = of[worse];
	verdict_say(g->r, out, out->kind, out->type, "%s %s: %s", g->r->interleave.setting,
		    g->r->interleave.name[worse], out->text);
}

void verdict_expect(struct judge *g, const struct check *c, struct verdict *out)
{
	const struct metric *m = metric_find(c->metric);

	if (!m) {
		verdict_say(g->r, out, VERDICT_ERROR, "missing", "%s is no metric of this version",
			    c->metric);
		return;
	}
	out->limit = limit_of(c);
	if (!isfinite(out->limit)) {
		verdict_say(g->r, out, VERDICT_ERROR, "reference", "%s is not known%s%s",
			    c->percent_of ? c->percent_of : "the limit",
			    c->reference_why ? ": " : "", c->reference_why ? c->reference_why : "");
		return;
	}
	if (judge_runs(g, c->job) == 0)
		verdict_say(g->r, out, VERDICT_ERROR, "not-measured", "not measured");
	else if (g->r->interleave.kind == INTERLEAVE_SETTING)
		judge_values_of_both(g, c, m, out);
	else
		judge_runs_of(g, c, m, ARM_COUNT, out);
}
