/* SPDX-License-Identifier: GPL-2.0-or-later */
/* By how much each part of a latency moved: new over old at fixed exceedances. */
#include "gate/stored.h"
#include "gate/tail.h"
#include <math.h>

bool gate_reference(const struct judge *g, const struct evidence *e, double *grid)
{
	double *v = xcalloc(e->nbase * e->runs + 1, sizeof(*v));
	bool any = false;

	for (unsigned i = 0; i < QUANTILE_POINTS; i++) {
		size_t n = 0;

		for (size_t s = 0; s < e->nbase; s++) {
			size_t at = e->base_session[s] * g->r->njobs + e->check->job;
			const struct base_latency *l = latency_find(g->base.job[at], e->metric);

			for (uint32_t k = 0; l && k < l->runs && k < e->runs; k++)
				if (!isnan(l->grid[k * QUANTILE_POINTS + i]))
					v[n++] = l->grid[k * QUANTILE_POINTS + i];
		}
		grid[i] = n == e->nbase * e->runs ? estimate_median(v, n) : NAN;
		any |= !isnan(grid[i]);
	}
	free(v);
	return any;
}

static void fresh_grid(const struct judge *g, const struct evidence *e, double *grid)
{
	const struct run *const *run = &g->run[g->run_first[e->check->job]];
	size_t n = e->look * e->runs, known;
	double *all = xcalloc(n * QUANTILE_POINTS + 1, sizeof(*all));
	double *v = xcalloc(n + 1, sizeof(*v));

	/* the sessions of the look stand first */
	for (size_t r = 0; r < n; r++)
		grid_of(latency_bins(e->metric, &run[r]->out), &all[r * QUANTILE_POINTS]);
	for (unsigned i = 0; i < QUANTILE_POINTS; i++) {
		known = 0;
		for (size_t r = 0; r < n; r++)
			if (!isnan(all[r * QUANTILE_POINTS + i]))
				v[known++] = all[r * QUANTILE_POINTS + i];
		grid[i] = known == n ? estimate_median(v, n) : NAN;
	}
	free(v);
	free(all);
}

/* New over old at the exceedances of verdict_shifts; NaN = not known. */
static void shift_of(const double *base, const double *fresh, double *out)
{
	for (unsigned i = 0; i < VERDICT_SHIFTS; i++) {
		double old = grid_at(base, verdict_shifts[i].exceedance),
		       new = grid_at(fresh, verdict_shifts[i].exceedance);

		out[i] = old > 0 && new > 0 ? new / old : NAN;
	}
}

void gate_shift(const struct judge *g, const struct evidence *e, struct verdict *v)
{
	const struct run *const *run = &g->run[g->run_first[e->check->job]];
	double base[QUANTILE_POINTS], fresh[QUANTILE_POINTS];

	if (e->look == 0 || judge_runs(g, e->check->job) < e->look * e->runs ||
	    !latency_bins(e->metric, &run[0]->out) || !gate_reference(g, e, base))
		return;
	fresh_grid(g, e, fresh);
	shift_of(base, fresh, v->shift);
}
