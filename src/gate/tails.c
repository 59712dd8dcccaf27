/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tails (PROCEDURE 9): a percentile on a cliff is judged by a share; clat.tail by several figures.
 */
#include "gate/tails.h"
#include "gate/stored.h"
#include "gate/tail.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

#define ONE_STEP 0.75 /* of the whole rise, to be a gap */

static double badness(const struct stored_input *in, const struct stored_output *out)
{
	if (out->state == SEQUENCE_REGRESSION)
		return 2e9 + out->est / in->delta;
	if (out->state == SEQUENCE_CONTINUE || out->state == SEQUENCE_GIVE_UP)
		return isnan(out->upper) ? 1.5e9 : 1e9 + out->est / in->delta;
	return out->upper / in->delta;
}

size_t tails_judge(struct stored_input *in, struct stored_output *out, size_t n)
{
	size_t worst = 0;

	for (size_t i = 0; i < n; i++) {
		in[i].red_total /= (double)n;
		stored_judge(&in[i], &out[i]);
		if (badness(&in[i], &out[i]) > badness(&in[worst], &out[worst]))
			worst = i;
	}
	if (badness(&in[worst], &out[worst]) >= 1e8)
		return worst;
	for (size_t i = 0; i < n; i++) /* all pass: the one that improved most is news */
		if (out[i].upper < -in[i].delta &&
		    (out[worst].upper >= -in[worst].delta ||
		     out[i].upper / in[i].delta < out[worst].upper / in[worst].delta))
			worst = i;
	return worst;
}

bool tails_gap(const double *grid, double q, double tolerance, struct gap *out)
{
	double from = 1.3 * (1 - q), to = 0.7 * (1 - q), least = 2 * log1p(tolerance), best = 0;
	double low = grid_at(grid, from), last = low, all = log(grid_at(grid, to) / low);

	if (!(all > least))
		return false;
	for (unsigned i = (unsigned)floor(-8 * log10(from)) + 1; i < QUANTILE_POINTS; i++) {
		bool end = -8 * log10(to) < i;
		double v = end ? grid_at(grid, to) : grid[i];

		if (v / last > exp(best)) {
			best = log(v / last);
			*out = (struct gap){grid[i - 1], grid[i]}; /* not between the modes */
		}
		last = v;
		if (end)
			break;
	}
	return best > ONE_STEP * all;
}

bool tails_share(uint64_t ios, uint64_t slices, uint64_t all, double *share, double *step)
{
	double n = fmax((double)ios, TAIL_BURSTS);

	*share = n / fmax((double)all, n);
	*step = 1 / n;
	return slices >= TAIL_BURSTS || ios <= TAIL_BURSTS;
}

static bool share_of(const struct tail *t, uint32_t limit, double *share, double *step)
{
	return tails_share(tail_ios(t, limit), tail_slices(t, limit), t->ios.n, share, step);
}

void tail_view_value(const struct tail_view *t, const struct metric *m, const struct outcome *o,
		     struct value *out)
{
	struct arena a;
	struct tail tail;
	bool enough;

	*out = (struct value){.state = VALUE_ABSENT};
	if (o->status != OUTCOME_OK || o->nslots == 0 || latency_bins(m, o)->n == 0)
		return;
	arena_init(&a);
	tail_of(m, o, &a, &tail);
	enough = share_of(&tail, t->limit, &out->v, &out->step);
	out->n = tail.ios.n;
	/* in one burst, and no more than before, is no loss */
	out->state = enough || out->v <= t->reference ? VALUE_OK : VALUE_INSUFFICIENT;
	arena_release(&a);
}

const struct base_value *tail_view_base(const struct tail_view *t, const struct metric *m,
					const struct base_job *j, struct arena *a)
{
	const struct base_latency *l = latency_find(j, m);
	struct base_value *out;

	if (!l)
		return NULL;
	out = arena_alloc(a, sizeof(*out));
	*out = (struct base_value){.metric = m->name, .unit = UNIT_RATIO, .n = l->runs};
	out->v = arena_alloc(a, l->runs * sizeof(*out->v));
	out->step = arena_alloc(a, l->runs * sizeof(*out->step));
	for (uint32_t k = 0; k < l->runs; k++)
		if (!l->tail[k].kept || !share_of(&l->tail[k], t->limit, &out->v[k], &out->step[k]))
			return NULL;
	return out;
}

/* One figure of a tail gate. */
struct part {
	struct evidence e;
	struct tail_view view;
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

/* Both sides of one figure. False, and it is no part: the baseline lacks it. v is an error, or
 * undecided, when the new runs lack what the baseline has. */
static bool part_open(struct parts *p, struct judge *g, const struct evidence *like,
		      const struct metric *m, const struct tail_view *view, struct verdict *v)
{
	struct part *part = &p->v[p->n];
	struct verdict none = *v;
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
	if (!evidence_fresh(&part->e, g, v) || part->e.short_runs == 0)
		return true;
	if (view) {
		verdict_say(g->r, v, VERDICT_INCONCLUSIVE, NULL,
			    "%s: the %s is of fewer than %u bursts in %zu run%s, and larger than "
			    "before",
			    like->check->metric, share_name(g, view->limit), TAIL_BURSTS,
			    part->e.short_runs, part->e.short_runs == 1 ? "" : "s");
	} else {
		struct str s;

		str_init(&s);
		str_addf(&s, "%s: ", like->check->metric);
		judge_samples(g, like->check->job, m, &s);
		verdict_say(g->r, v, VERDICT_INCONCLUSIVE, NULL, "%s", s.s);
		str_release(&s);
	}
	return true;
}

static void part_title(struct judge *g, struct part *part, const char *judged)
{
	part->e.title = arena_printf(&g->r->arena, "%s (%s)", part->e.check->metric, judged);
}

/* The share beyond that limit; false: the baseline does not tell it, in bursts enough. */
static bool add_share(struct parts *p, struct judge *g, const struct evidence *like, double ns,
		      struct verdict *v)
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
	if (n == 0 || !part_open(p, g, like, like->metric, &view, v))
		return false;
	part_title(g, &p->v[p->n - 1], name);
	str_addf(&p->looked, "%sthe %s", p->looked.len ? ", " : "", name);
	return true;
}

/* Judges the figures and says which of them it was. */
static void conclude(struct judge *g, struct parts *p, struct verdict *v)
{
	struct stored_input in[TAIL_PARTS];
	struct stored_output out[TAIL_PARTS];
	const struct part *part;
	bool more = false;
	size_t worst;

	for (size_t i = 0; i < p->n; i++)
		if (!evidence_input(&p->v[i].e, g, &in[i], v))
			return;
	worst = tails_judge(in, out, p->n);
	part = &p->v[worst];
	for (size_t i = 0; i < p->n; i++)
		more |= out[i].state == SEQUENCE_CONTINUE;
	v->tolerance = part->e.view ? expm1(part->e.scale.delta) : part->e.check->tolerance;
	v->judged_unit = part->e.view ? UNIT_RATIO : part->e.metric->unit;
	v->judged = part->e.view ? share_name(g, part->view.limit) : part->e.metric->name;
	gate_conclude(g, &part->e, &in[worst], &out[worst], v);
	if (v->kind == VERDICT_INCONCLUSIVE)
		v->wants_session = more;
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
	enum verdict_kind before = v->kind;

	str_init(&p.looked);
	if (!add_share(&p, g, e, sqrt(gap->low * gap->high), v))
		verdict_say(
			g->r, v, VERDICT_INCONCLUSIVE, NULL,
			"%s lies on a cliff between two modes, %s, where it says nothing; the "
			"share of slow I/Os cannot be judged: the baseline does not hold it, or "
			"its runs have fewer than %u bursts of them",
			e->check->metric, modes(g, gap), TAIL_BURSTS);
	else if (v->kind == before)
		conclude(g, &p, v);
	if (v->judged)
		v->text = arena_printf(&g->r->arena,
				       "%s; the percentile lies on a cliff between two modes, %s",
				       v->text, modes(g, gap));
	parts_release(&p);
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
	double tolerance = e->check->absolute ? TAIL_SHARE_TOLERANCE : e->check->tolerance;
	enum verdict_kind before = v->kind;
	struct parts p = {0};
	unsigned shares = 0;
	struct gap gap;

	str_init(&p.looked);
	for (size_t i = 0; i < 2 && v->kind == before; i++)
		shares += add_share(&p, g, e, grid_at(grid, i ? 1e-3 : 1e-2) + 1, v);
	for (size_t i = 0; i < 3 && v->kind == before; i++) {
		const struct metric *m = percentile_of(e->metric, names[i]);

		/* a percentile between two modes says nothing; the shares say it */
		if (tails_gap(grid, m->quantile, tolerance, &gap) ||
		    !part_open(&p, g, e, m, NULL, v))
			continue;
		part_title(g, &p.v[p.n - 1], names[i]);
		str_addf(&p.looked, "%s%s", p.looked.len ? ", " : "", names[i]);
	}
	if (v->kind == before && p.n == 0)
		verdict_say(g->r, v, VERDICT_INCONCLUSIVE, NULL,
			    "%s: the baseline holds neither a share of slow I/Os in %u bursts nor "
			    "a percentile that is not on a cliff between two modes",
			    e->check->metric, TAIL_BURSTS);
	else if (v->kind == before)
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
	else if (!e->check->absolute && tails_gap(grid, m->quantile, e->check->tolerance, &gap))
		judge_cliff(g, e, &gap, v);
	else
		return false;
	return true;
}
