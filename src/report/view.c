/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "report/view.h"

#include "base/units.h"

#include <math.h>
#include <stdlib.h>

const char *view_check_name(const struct result *r, const struct verdict *v)
{
	if (v->job == UINT32_MAX)
		return v->absent_check ? v->absent_check : "measure";
	return v->check == VERDICT_MEASURE ? "measure" : r->checks[v->check].name;
}

const char *view_workload(const struct result *r, const struct verdict *v)
{
	if (v->job == UINT32_MAX)
		return v->absent_workload ? v->absent_workload : "unknown";
	return r->jobs[v->job].name;
}

const char *view_target(const struct result *r, const struct verdict *v)
{
	if (v->job == UINT32_MAX)
		return v->absent_target ? v->absent_target : "unknown";
	return r->targets[r->jobs[v->job].target].role;
}

void view_add_company(struct str *s, const struct result *r, uint32_t job)
{
	const struct job *j = &r->jobs[job];
	unsigned n = 0;

	for (size_t i = 0; j->group && i < r->njobs; i++) {
		const struct job *k = &r->jobs[i];

		/* its own name on other targets stands above and below */
		if (i != job && k->group == j->group && !str_eq(k->name, j->name))
			str_addf(s, "%s%s", n++ ? ", " : "  beside ", k->name);
	}
}

const struct metric *view_metric(const struct result *r, const struct verdict *v)
{
	if (v->job == UINT32_MAX || v->check == VERDICT_MEASURE)
		return NULL;
	return metric_find(r->checks[v->check].metric);
}

static int by_value(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

void view_init(struct view *w, const struct result *r)
{
	size_t *at = xcalloc(r->njobs + 1, sizeof(*at));

	*w = (struct view){.r = r, .arm = ARM_COUNT};
	w->run = xcalloc(r->runs.n ? r->runs.n : 1, sizeof(*w->run));
	w->first = xcalloc(r->njobs + 1, sizeof(*w->first));
	for (size_t i = 0; i < r->runs.n; i++)
		w->first[r->runs.v[i].job + 1]++;
	for (size_t i = 0; i < r->njobs; i++)
		w->first[i + 1] += w->first[i];
	for (size_t i = 0; i < r->njobs; i++)
		at[i] = w->first[i];
	for (size_t i = 0; i < r->runs.n; i++)
		w->run[at[r->runs.v[i].job]++] = &r->runs.v[i];
	free(at);
}

void view_release(struct view *w)
{
	free(w->run);
	free(w->first);
	*w = (struct view){0};
}

double view_median(const struct view *w, uint32_t job, const struct metric *m)
{
	size_t runs = w->first[job + 1] - w->first[job], n = 0, other = 0;
	double *v = xcalloc(runs ? runs : 1, sizeof(*v)), median = NAN;

	for (size_t i = 0; i < runs; i++) {
		struct value value = {0};

		if (w->arm < ARM_COUNT && w->run[w->first[job] + i]->arm != w->arm) {
			other++;
			continue;
		}
		metric_value(m, &w->r->jobs[job], &w->run[w->first[job] + i]->out, &value);
		if (value.state == VALUE_OK)
			v[n++] = value.v;
	}
	qsort(v, n, sizeof(*v), by_value);
	if (n && n == runs - other)
		median = n % 2 ? v[n / 2] : (v[n / 2 - 1] + v[n / 2]) / 2;
	free(v);
	return median;
}

uint64_t view_verified(const struct view *w, uint32_t job)
{
	uint64_t sum = 0;

	for (size_t i = w->first[job]; i < w->first[job + 1]; i++)
		sum += w->run[i]->out.verified;
	return sum;
}

uint64_t view_wall(const struct view *w, uint32_t job)
{
	uint64_t ns = 0;

	for (size_t i = w->first[job]; i < w->first[job + 1]; i++)
		ns += w->run[i]->out.wall;
	return ns;
}

/* "-7.3 %" or "+1.2 ms": signed as the reader sees the metric. */
static void view_add_change(struct str *s, const struct metric *m, bool absolute, double change)
{
	if (isnan(change)) {
		str_add(s, "n/a");
	} else if (absolute) {
		unit_format_signed(s, m ? m->unit : UNIT_NONE, change);
	} else {
		units_add_signed(s, change * 100, 1);
		str_add(s, " %");
	}
}

static void add_limit(struct str *s, bool absolute, double v, const struct metric *m)
{
	if (!isfinite(v))
		str_add(s, v < 0 ? "below" : v > 0 ? "above" : "n/a");
	else if (absolute)
		view_add_change(s, m, true, v);
	else
		units_add_signed(s, v * 100, 1);
}

void view_add_estimate(struct str *s, const struct result *r, const struct verdict *v)
{
	const struct metric *m = view_metric(r, v);
	const struct check *c;

	if (!m || isnan(v->change))
		return;
	c = &r->checks[v->check];
	if (c->kind != CHECK_GATE)
		return;
	view_add_change(s, m, c->absolute, v->change);
	if (!isnan(v->low) && !isnan(v->high)) {
		str_add(s, " [");
		add_limit(s, c->absolute, v->low, m);
		str_add(s, ", ");
		add_limit(s, c->absolute, v->high, m);
		str_addc(s, ']');
	}
	str_add(s, ", tolerance ");
	if (c->absolute)
		unit_format(s, m->unit, c->tolerance);
	else /* a share that stands for a percentile has another */
		str_addf(s, "%.4g %%", (v->judged ? v->tolerance : c->tolerance) * 100);
}

void view_add_levels(struct str *s, const struct result *r)
{
	str_addf(s, "red at %.3g %% a gate, %u gate%s: at most %.3g %% of unchanged suites",
		 100 * r->red_level, r->judged_gates, r->judged_gates == 1 ? "" : "s",
		 100 * r->red_level * r->judged_gates);
}

bool view_is_bad(const struct verdict *v)
{
	switch (v->kind) {
	case VERDICT_NONE:
	case VERDICT_PASS:
	case VERDICT_IMPROVEMENT:
	case VERDICT_SKIPPED:
		return false;
	default:
		return !v->watch || v->kind == VERDICT_ERROR;
	}
}

const char *view_headline(enum exit_status s)
{
	switch (s) {
	case STATUS_PASS:
		return "GREEN";
	case STATUS_REGRESSION:
		return "RED";
	case STATUS_INCONCLUSIVE:
		return "UNDECIDED";
	case STATUS_NO_BASELINE:
		return "NO BASELINE";
	case STATUS_INTERRUPTED:
		return "INTERRUPTED";
	default:
		return "ERROR";
	}
}

bool view_may_accept(const struct result *r)
{
	if (r->stored || r->inject || r->partial || r->interrupted || r->unfinished ||
	    r->setup_error || r->interleave.kind != INTERLEAVE_NONE)
		return false;
	for (size_t i = 0; i < r->verdicts.n; i++)
		if (r->verdicts.v[i].kind == VERDICT_ERROR)
			return false;
	return true;
}
