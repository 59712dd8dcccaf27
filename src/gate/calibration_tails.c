/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "gate/calibration_tails.h"
#include "gate/stored.h"
#include "gate/tail.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

/* As gate_reference(): in each point the median over all runs, known in all of them. */
static bool reference_of(const struct level *l, const struct metric *m, double *grid)
{
	double *v = xcalloc(l->n * l->runs + 1, sizeof(*v));
	bool any = false;

	for (unsigned i = 0; i < QUANTILE_POINTS; i++) {
		size_t n = 0;

		for (size_t s = 0; s < l->n; s++) {
			const struct base_latency *lat = latency_find(l->of[s], m);

			for (uint32_t k = 0; lat && k < lat->runs && k < l->runs; k++)
				if (!isnan(lat->grid[k * QUANTILE_POINTS + i]))
					v[n++] = lat->grid[k * QUANTILE_POINTS + i];
		}
		grid[i] = n == l->n * l->runs ? estimate_median(v, n) : NAN;
		any |= !isnan(grid[i]);
	}
	free(v);
	return any;
}

static bool scale_part(struct tail_part *p, const struct metric *m, double tolerance, bool absolute)
{
	p->tolerance = tolerance;
	p->absolute = absolute;
	return scale_make(m, isfinite(tolerance) ? tolerance : .05, absolute, &p->scale);
}

/* The share of I/Os beyond that limit; every session must tell it. */
static void add_share(struct tail_parts *out, const struct calibration_ask *ask,
		      const struct metric *m, const struct level *l, double ns, struct arena *a)
{
	struct tail_part *p = &out->v[out->n];
	struct tail_view view = {.limit = tail_limit(ns)};
	double tolerance = TAIL_SHARE_TOLERANCE;
	struct str name;

	if (isnan(ns) || view.limit >= HIST_BUCKETS)
		return;
	str_init(&name);
	str_add(&name, "the share of I/Os slower than ");
	unit_format(&name, UNIT_TIME, (double)hist_low(view.limit));
	*p = (struct tail_part){.share = true};
	snprintf(p->name, sizeof(p->name), "%s", name.s);
	str_release(&name);
	for (size_t i = 0; i < out->n; i++)
		if (str_eq(out->v[i].name, p->name))
			return;
	if (!ask->absolute && ask->tolerance > tolerance)
		tolerance = ask->tolerance;
	if (scale_part(p, m, tolerance, false) && level_view(&p->level, l, &view, m, a))
		out->n++;
}

static void add_percentile(struct tail_parts *out, const struct baseline *b,
			   const struct calibration_ask *ask, const struct metric *m,
			   const struct level *l)
{
	struct tail_part *p = &out->v[out->n];

	*p = (struct tail_part){0};
	snprintf(p->name, sizeof(p->name), "%s", m->name);
	if (!scale_part(p, m, ask->tolerance, ask->absolute))
		return;
	level_open_beside(&p->level, b, ask->target, ask->job, m->name, ask->canary,
			  ask->canary_metric);
	if (p->level.n >= l->n)
		out->n++;
	else
		level_close(&p->level);
}

/* As on_cliff() of the rule. */
static bool on_cliff(const struct calibration_ask *ask, const struct metric *m, const double *grid,
		     struct gap *gap)
{
	double tolerance = isfinite(ask->tolerance) ? ask->tolerance : .05;

	if (ask->absolute)
		tolerance /= grid_at(grid, 1 - m->quantile);
	return tolerance > 0 && tails_gap(grid, m->quantile, tolerance, gap);
}

static void add_tail(struct tail_parts *out, const struct baseline *b,
		     const struct calibration_ask *ask, const struct metric *m,
		     const struct level *l, const double *grid, struct arena *a)
{
	static const char *const names[] = {"p99", "p99.9", "p99.99"};
	bool shares;

	for (unsigned i = 0; i < 2; i++)
		add_share(out, ask, m, l, grid_at(grid, i ? 1e-3 : 1e-2) + 1, a);
	shares = out->n > 0;
	for (unsigned i = 0; i < 3 && out->n < TAIL_PARTS; i++) {
		int n = (int)(strrchr(m->name, '.') - m->name);
		const struct metric *p =
			metric_find(arena_printf(a, "%.*s.%s", n, m->name, names[i]));
		struct gap gap;

		if (p && on_cliff(ask, p, grid, &gap)) {
			add_share(out, ask, m, l, sqrt(gap.low * gap.high), a);
			shares |= out->n && out->v[out->n - 1].share;
		} else if (p) {
			add_percentile(out, b, ask, p, l);
		}
	}
	if (shares)
		return;
	calibration_tails_release(out);
	out->why = "the baseline does not tell the share of slow I/Os, without which a tail never "
		   "passes";
}

bool calibration_tails(const struct baseline *b, const struct calibration_ask *ask,
		       const struct metric *m, const struct level *l, struct arena *a,
		       struct tail_parts *out)
{
	double grid[QUANTILE_POINTS];
	bool tail = m->stat == STAT_TAIL;
	struct gap gap;

	*out = (struct tail_parts){0};
	if (l->n == 0 || (!tail && !(m->stat == STAT_PERCENTILE && m->quantile >= 0.99)))
		return false;
	if (!reference_of(l, m, grid)) {
		out->why = "the baseline holds no quantiles of this latency";
		return tail;
	}
	if (tail) {
		add_tail(out, b, ask, m, l, grid, a);
		return true;
	}
	if (!on_cliff(ask, m, grid, &gap))
		return false;
	if (!ask->absolute)
		add_share(out, ask, m, l, sqrt(gap.low * gap.high), a);
	if (out->n == 0)
		out->why = ask->absolute
				   ? "the percentile lies on a cliff between two modes, where no "
				     "absolute tolerance can be judged"
				   : "the percentile lies on a cliff between two modes, and the "
				     "baseline does not tell the share of slow I/Os";
	return true;
}

void calibration_tails_release(struct tail_parts *p)
{
	for (size_t i = 0; i < p->n; i++)
		level_close(&p->v[i].level);
	p->n = 0;
}
