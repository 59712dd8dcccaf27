/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Too few samples for a metric: how many it needs, how many there were, and what would give them.
 */
#include "gate/judge.h"
#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#define SLICES 30.0 /* they are enough in a run of any length */

struct shortfall {
	uint64_t seen, window; /* of the run with the fewest samples */
	size_t runs;           /* that have too few */
	uint64_t slices, need; /* of the run whose I/Os come from the fewest, where that lacks */
	uint64_t slices_window;
};

static void few_slices(const struct metric *m, const struct outcome *o, struct shortfall *s)
{
	uint64_t seen, need;

	if (!metric_slices(m, o, &seen, &need) || seen >= need || (s->need && seen >= s->slices))
		return;
	s->slices = seen;
	s->need = need;
	s->slices_window = o->window;
}

static struct shortfall find(const struct judge *g, uint32_t job, const struct metric *m)
{
	const struct run *const *run = &g->run[g->run_first[job]];
	struct shortfall s = {.seen = UINT64_MAX};

	for (size_t i = 0; i < judge_runs(g, job); i++) {
		struct value val;

		metric_value(m, &g->r->jobs[job], &run[i]->out, &val);
		if (val.state != VALUE_INSUFFICIENT)
			continue;
		s.runs++;
		few_slices(m, &run[i]->out, &s);
		if (val.n >= s.seen)
			continue;
		s.seen = val.n;
		s.window = run[i]->out.window;
	}
	return s;
}

/* 1234567 as "1 234 567". */
static void add_grouped(struct str *out, uint64_t v)
{
	char digits[24];
	int n = snprintf(digits, sizeof(digits), "%" PRIu64, v);

	for (int i = 0; i < n; i++) {
		if (i > 0 && (n - i) % 3 == 0)
			str_addc(out, ' ');
		str_addc(out, digits[i]);
	}
}

/* Two digits, upwards: a promise that is kept. */
static double round_up(double v)
{
	double step = pow(10, floor(log10(v)) - 1);

	return ceil(v / step - 1e-9) * step;
}

static void add_cure(const struct job *j, double times, uint64_t window, struct str *out)
{
	times *= 1.05; /* the rate is not the same every time */
	if (j->time_based) {
		str_add(out, ": a runtime of about ");
		unit_format_duration(out, (uint64_t)(round_up((double)window / 1e9 * times) * 1e9));
	} else {
		str_addf(out, ": about %.4g times the loops or the size", round_up(times));
	}
}

static void add_slices(const struct shortfall *s, struct str *out)
{
	str_add(out, "needs the I/Os above it from ");
	add_grouped(out, s->need);
	str_addf(out, " different slice%s of 100 ms a run, they come from ",
		 s->need == 1 ? "" : "s");
	add_grouped(out, s->slices);
}

void judge_samples(const struct judge *g, uint32_t job, const struct metric *m, struct str *out)
{
	struct shortfall s = find(g, job, m);
	bool percentile = m->quantile > 0, latency = m->stat != STAT_NONE;
	double need = percentile ? round(m->need / (1 - m->quantile)) : m->need;

	str_addf(out, "%s ", m->name);
	if (m->source == SOURCE_SLOTS) {
		str_add(out, "needs a window of a whole second");
	} else if (m->source == SOURCE_DIPS || m->source == SOURCE_DRIFT) {
		str_add(out, "needs a window of a whole second, and four I/Os in most slices of "
			     "100 ms");
	} else if ((double)s.seen < need) {
		str_add(out, "needs ");
		add_grouped(out, (uint64_t)need);
		str_add(out, " samples a run");
		if (percentile)
			str_addf(out, " (%u above the percentile)", m->need);
		str_add(out, ", ");
		add_grouped(out, s.seen);
		str_add(out, s.seen == 1 ? " was seen" : " were seen");
	} else if (s.need) {
		add_slices(&s, out);
	} else {
		str_add(out, "lies among samples beyond the range of the histogram");
	}
	if (s.runs < judge_runs(g, job))
		str_addf(out, " in %zu of %zu runs", s.runs, judge_runs(g, job));
	if (!latency)
		return;
	if (s.seen > 0 && s.window > 0 && (double)s.seen < need)
		add_cure(&g->r->jobs[job], need / (double)s.seen, s.window, out);
	else if (s.slices > 0 && (double)s.seen >= need)
		add_cure(&g->r->jobs[job], SLICES / (double)s.slices, s.slices_window, out);
}
