/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Gates of tails (PROCEDURE 9): a percentile on a cliff between two modes is judged by the share of
 * slow I/Os, and a tail by shares and quantiles as one gate. */
#include "gate/stored.h"
#include "gate/tail.h"
#include "gate/tails.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

/* One figure of a tail gate. */
struct part {
	struct evidence e;
	struct tail_view view;
	struct verdict stop; /* why the sessions behind e.k cannot be judged; NONE = all can */
};

struct parts {
	struct part v[TAIL_PARTS];
	size_t n;
	struct str looked; /* "p99, p99.9, the share above 640 us" */
};

static void parts_release(struct parts *p)
{
	for (size_t i = 0; i < p->n; i++)
		evidence_release(&p->v[i].e);
	str_release(&p->looked);
}

static const char *share_name(struct judge *g, uint32_t limit)
{
	const char *text;
	struct str s;

	str_init(&s);
	str_add(&s, "share of I/Os slower than ");
	unit_format(&s, UNIT_TIME, (double)hist_low(limit));
	text = arena_strdup(&g->r->arena, s.s);
	str_release(&s);
	return text;
}

/* The new runs lack what the baseline has: too few samples, or bursts. */
static void part_short(struct judge *g, struct part *part)
{
	const struct evidence *e = &part->e;
	struct str s;

	str_init(&s);
	if (e->view) {
		str_addf(&s,
			 "the %s is of fewer than %u bursts in %zu run%s, and larger than before",
			 share_name(g, e->view->limit), TAIL_BURSTS, e->short_runs,
			 e->short_runs == 1 ? "" : "s");
	} else {
		judge_samples(g, e->check->job, e->metric, &s);
	}
	verdict_say(g->r, &part->stop, VERDICT_INCONCLUSIVE, NULL, "%s: %s", e->check->metric, s.s);
	str_release(&s);
}

/* Both sides of one figure, as far as the gate itself has values. False, and it is no part: the
 * baseline lacks it. */
static bool part_open(struct parts *p, struct judge *g, const struct evidence *like,
		      const struct metric *m, const struct tail_view *view)
{
	struct part *part = &p->v[p->n];
	struct verdict none = {0};
	double tolerance = like->check->tolerance;

	*part = (struct part){0};
	evidence_init(&part->e, g, like->check);
	part->e.metric = m;
	if (view) {
		part->view = *view;
		part->e.view = &part->view;
		if (like->check->absolute || tolerance < TAIL_SHARE_TOLERANCE)
			tolerance = TAIL_SHARE_TOLERANCE;
	}
	if (!scale_make(m, tolerance, !view && like->check->absolute, &part->e.scale) ||
	    !evidence_base(&part->e, g, &none) || part->e.nbase < like->nbase) {
		evidence_release(&part->e);
		return false;
	}
	p->n++;
	if (evidence_fresh(&part->e, g, &part->stop) && part->e.short_runs > 0)
		part_short(g, part);
	if (part->e.k > like->k)
		part->e.k = like->k;
	return true;
}

static void part_title(struct judge *g, struct part *part, const char *judged)
{
	part->e.title = arena_printf(&g->r->arena, "%s (%s)", part->e.check->metric, judged);
}

/* The share beyond that limit; false: the baseline does not tell it, in bursts enough. */
static bool add_share(struct parts *p, struct judge *g, const struct evidence *like, double ns)
{
	struct tail_view view = {.limit = tail_limit(ns)};
	const char *name = share_name(g, view.limit);
	const struct base_value *bv;
	size_t n = 0;
	double *x = xcalloc(like->nbase * like->runs + 1, sizeof(*x));

	for (size_t i = 0; i < p->n; i++)
		if (p->v[i].e.view && p->v[i].view.limit == view.limit)
			ns = NAN; /* looked at already */
	for (size_t i = 0; i < like->nbase && !isnan(ns) && view.limit < HIST_BUCKETS; i++) {
		size_t at = like->base_session[i] * g->r->njobs + like->check->job;

		bv = tail_view_base(&view, like->metric, g->base.job[at], &g->r->arena);
		for (size_t k = 0; bv && k < bv->n && k < like->runs; k++)
			x[n++] = bv->v[k];
	}
	view.reference = n ? estimate_median(x, n) : 0;
	free(x);
	if (n == 0 || !part_open(p, g, like, like->metric, &view))
		return false;
	part_title(g, &p->v[p->n - 1], name);
	str_addf(&p->looked, "%sthe %s", p->looked.len ? ", " : "", name);
	return true;
}

static bool open_state(enum sequence_state s)
{
	return s == SEQUENCE_CONTINUE || s == SEQUENCE_GIVE_UP;
}

/* The stop that keeps the gate from a verdict: an error first. NULL = none. */
static const struct verdict *stopped(const struct parts *p, const struct stored_output *out)
{
	const struct verdict *stop = NULL;

	for (size_t i = 0; i < p->n; i++) {
		const struct verdict *s = &p->v[i].stop;

		/* too few of something is nothing once the figure is decided */
		if (s->kind == VERDICT_ERROR ||
		    (s->kind == VERDICT_INCONCLUSIVE && !stop && open_state(out[i].state)))
			stop = s;
	}
	return stop;
}

/* The verdict by the figure that the gate stands or falls with. */
static void conclude_part(struct judge *g, struct part *part, const struct stored_input *in,
			  const struct stored_output *out, bool more, struct verdict *v)
{
	v->tolerance = part->e.view ? expm1(part->e.scale.delta) : part->e.check->tolerance;
	v->judged_unit = part->e.view ? UNIT_RATIO : part->e.metric->unit;
	v->judged = part->e.view ? share_name(g, part->view.limit) : part->e.metric->name;
	gate_conclude(g, &part->e, in, out, v);
	if (v->kind == VERDICT_INCONCLUSIVE)
		v->wants_session = more;
}

/* Each figure goes its own way from look to look; the gate is red with the first that is, and
 * passes with the last. */
static void conclude(struct judge *g, struct parts *p, struct verdict *v)
{
	struct stored_output out[TAIL_PARTS] = {0};
	struct stored_input in[TAIL_PARTS];
	const struct verdict *stop;
	size_t worst = p->n, at[TAIL_PARTS], n = 0;
	bool more = false;

	for (size_t i = 0; i < p->n; i++) {
		struct part *part = &p->v[i];

		part->e.share = (double)p->n;
		if (part->e.k == 0)
			continue;
		if (!evidence_judge(&part->e, g, &in[n], &out[n], v))
			return;
		at[n++] = i;
	}
	if (n)
		worst = tails_worst(in, out, n);
	for (size_t i = 0; i < n; i++)
		more |= out[i].state == SEQUENCE_CONTINUE;
	if (worst < n && out[worst].state == SEQUENCE_REGRESSION) {
		conclude_part(g, &p->v[at[worst]], &in[worst], &out[worst], more, v);
		return;
	}
	for (size_t i = n; i-- > 0;) /* by figure; one that was never judged is open */
		out[at[i]] = out[i];
	for (size_t i = 0; i < p->n; i++)
		if (p->v[i].e.k == 0)
			out[i] = (struct stored_output){.state = SEQUENCE_CONTINUE};
	stop = stopped(p, out);
	if (stop)
		verdict_say(g->r, v, stop->kind, stop->type, "%s", stop->text);
	else
		conclude_part(g, &p->v[at[worst]], &in[worst], &out[at[worst]], more, v);
}

static const char *modes(struct judge *g, const struct gap *gap)
{
	const char *text;
	struct str s;

	str_init(&s);
	unit_format(&s, UNIT_TIME, gap->low);
	str_add(&s, " and ");
	unit_format(&s, UNIT_TIME, gap->high);
	text = arena_strdup(&g->r->arena, s.s);
	str_release(&s);
	return text;
}

static void judge_cliff(struct judge *g, const struct evidence *e, const struct gap *gap,
			struct verdict *v)
{
	struct parts p = {0};

	str_init(&p.looked);
	if (!add_share(&p, g, e, sqrt(gap->low * gap->high)))
		verdict_say(
			g->r, v, VERDICT_INCONCLUSIVE, NULL,
			"%s lies on a cliff between two modes, %s, where it says nothing; the "
			"share of slow I/Os cannot be judged: the baseline does not hold it, or "
			"its runs have fewer than %u bursts of them",
			e->check->metric, modes(g, gap), TAIL_BURSTS);
	else
		conclude(g, &p, v);
	if (v->judged)
		v->text = arena_printf(&g->r->arena,
				       "%s; the percentile lies on a cliff between two modes, %s",
				       v->text, modes(g, gap));
	parts_release(&p);
}

/* An absolute tolerance is so many per cent of the percentile that it is a tolerance of. */
static bool on_cliff(const struct evidence *e, const struct metric *m, const double *grid,
		     struct gap *gap)
{
	double tolerance = e->check->tolerance;

	if (e->check->absolute)
		tolerance /= grid_at(grid, 1 - m->quantile);
	return tolerance > 0 && tails_gap(grid, m->quantile, tolerance, gap);
}

/* A share of I/Os has no nanoseconds: no figure of the baseline turns so much time into so many
 * I/Os. */
static void refuse_absolute(struct judge *g, const struct evidence *e, const struct gap *gap,
			    struct verdict *v)
{
	verdict_say(g->r, v, VERDICT_INCONCLUSIVE, NULL,
		    "%s lies on a cliff between two modes, %s, where it says nothing, and no "
		    "absolute tolerance can be turned into one of the share of slow I/Os; give the "
		    "gate a tolerance in per cent (the share is judged then), or gate another "
		    "percentile",
		    e->check->metric, modes(g, gap));
}

static const struct metric *percentile_of(const struct metric *tail, const char *name)
{
	char full[64];
	int n = (int)(strrchr(tail->name, '.') - tail->name);

	snprintf(full, sizeof(full), "%.*s.%s", n, tail->name, name);
	return metric_find(full);
}

static void judge_tail(struct judge *g, const struct evidence *e, const double *grid,
		       struct verdict *v)
{
	static const char *const names[] = {"p99", "p99.9", "p99.99"};
	struct parts p = {0};
	unsigned shares = 0;
	struct gap gap;

	str_init(&p.looked);
	for (size_t i = 0; i < 2; i++)
		shares += add_share(&p, g, e, grid_at(grid, i ? 1e-3 : 1e-2) + 1);
	for (size_t i = 0; i < 3; i++) {
		const struct metric *m = percentile_of(e->metric, names[i]);

		/* a percentile between two modes says nothing; the share between them does */
		if (on_cliff(e, m, grid, &gap)) {
			shares += add_share(&p, g, e, sqrt(gap.low * gap.high));
			continue;
		}
		if (!part_open(&p, g, e, m, NULL))
			continue;
		part_title(g, &p.v[p.n - 1], names[i]);
		str_addf(&p.looked, "%s%s", p.looked.len ? ", " : "", names[i]);
	}
	if (p.n == 0)
		verdict_say(g->r, v, VERDICT_INCONCLUSIVE, NULL,
			    "%s: the baseline holds neither a share of slow I/Os in %u bursts nor "
			    "a percentile that is not on a cliff between two modes",
			    e->check->metric, TAIL_BURSTS);
	else
		conclude(g, &p, v);
	if (v->judged)
		v->text = arena_printf(&g->r->arena, "%s; looked at %s", v->text, p.looked.s);
	if (shares == 0 && (v->kind == VERDICT_PASS || v->kind == VERDICT_IMPROVEMENT))
		verdict_say(g->r, v, VERDICT_INCONCLUSIVE, NULL,
			    "%s: the baseline does not tell the share of slow I/Os (it was "
			    "accepted without this gate, or they come in fewer than %u bursts a "
			    "run), and quantiles alone can miss a tail that got worse; %s",
			    e->check->metric, TAIL_BURSTS, v->text);
	parts_release(&p);
}

bool gate_tails(struct judge *g, struct evidence *e, struct verdict *v)
{
	const struct metric *m = e->metric;
	double grid[QUANTILE_POINTS];
	struct gap gap;

	if (m->stat != STAT_TAIL && !(m->stat == STAT_PERCENTILE && m->quantile >= 0.99))
		return false;
	if (!gate_reference(g, e, grid)) {
		if (m->stat != STAT_TAIL)
			return false;
		verdict_say(g->r, v, VERDICT_INCONCLUSIVE, NULL,
			    "%s: the baseline holds no quantiles of this latency", m->name);
		return true;
	}
	if (m->stat == STAT_TAIL)
		judge_tail(g, e, grid, v);
	else if (!on_cliff(e, m, grid, &gap))
		return false;
	else if (e->check->absolute)
		refuse_absolute(g, e, &gap, v);
	else
		judge_cliff(g, e, &gap, v);
	return true;
}

bool gate_cliff_between(struct judge *g, const struct evidence *e, const struct run *const *run,
			size_t n, struct verdict *v)
{
	const struct metric *m = e->metric;
	double grid[QUANTILE_POINTS], *all, *x;
	struct gap gap;

	/* the mean of the slowest is what the stored rule never judges: a few I/Os are most of it
	 */
	if (m->stat == STAT_TAIL) {
		verdict_say(g->r, v, VERDICT_INCONCLUSIVE, NULL,
			    "%s is judged by the share of slow I/Os and by quantiles, and against "
			    "a stored baseline only; between two arms gate clat.p99 and clat.p99.9",
			    m->name);
		return true;
	}
	if (m->stat != STAT_PERCENTILE || m->quantile < 0.99)
		return false;
	all = xcalloc(n * QUANTILE_POINTS + 1, sizeof(*all));
	x = xcalloc(n + 1, sizeof(*x));
	for (size_t k = 0; k < n; k++)
		grid_of(latency_bins(m, &run[k]->out), &all[k * QUANTILE_POINTS]);
	for (unsigned i = 0; i < QUANTILE_POINTS; i++) {
		size_t known = 0;

		for (size_t k = 0; k < n; k++)
			if (!isnan(all[k * QUANTILE_POINTS + i]))
				x[known++] = all[k * QUANTILE_POINTS + i];
		grid[i] = known == n ? estimate_median(x, n) : NAN;
	}
	free(x);
	free(all);
	if (!on_cliff(e, m, grid, &gap))
		return false;
	verdict_say(g->r, v, VERDICT_INCONCLUSIVE, NULL,
		    "%s lies on a cliff between two modes, %s, where it says nothing, and the "
		    "share of slow I/Os is judged against a stored baseline only; gate another "
		    "percentile",
		    e->check->metric, modes(g, &gap));
	return true;
}
