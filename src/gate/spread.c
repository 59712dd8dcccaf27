/* SPDX-License-Identifier: GPL-2.0-or-later */
/* spread(METRIC): how far the targets lie apart in one workload, (max - min) / median of the
 * medians over their runs. A target without a value is an error: without it the rest may look
 * alike. */
#include "gate/estimate.h"
#include "gate/judge.h"

#include <math.h>
#include <stdlib.h>

/* The workload of the check on each target. */
struct subject {
	const struct check *check;
	const struct metric *metric;
	size_t n; /* targets */
	uint32_t *job;
	double *median, *sorted;
};

/* By target; UINT32_MAX = there is none. They stand side by side in every plan: elsewhere is looked
 * only where they do not. */
static void find_jobs(const struct judge *g, struct subject *s)
{
	const struct result *r = g->r;
	const char *name = r->jobs[s->check->job].name;
	size_t around = r->ntargets, from, found = 0;

	for (unsigned pass = 0; pass < 2 && found < s->n; pass++) {
		from = pass || s->check->job < around ? 0 : s->check->job - around;
		found = 0;
		for (size_t t = 0; t < s->n; t++)
			s->job[t] = UINT32_MAX;
		for (size_t i = from; i < r->njobs; i++) {
			uint32_t t = r->jobs[i].target;

			if (!pass && i > s->check->job + around)
				break;
			if (r->jobs[i].total || t >= s->n || !str_eq(r->jobs[i].name, name))
				continue;
			found += s->job[t] == UINT32_MAX;
			s->job[t] = (uint32_t)i;
		}
	}
}

static bool all_skipped(const struct judge *g, const struct subject *s)
{
	for (size_t t = 0; t < s->n; t++)
		if (s->job[t] == UINT32_MAX || g->r->jobs[s->job[t]].state != JOB_SKIPPED)
			return false;
	return true;
}

static const char *role(const struct judge *g, size_t target)
{
	return g->r->targets[target].role;
}

/* Also fills in what of each is whole; false with the first one that fails in out. */
static bool all_measured(struct judge *g, const struct subject *s, struct verdict *out)
{
	const struct verdict fresh = *out;
	bool all = true;

	for (size_t t = 0; t < s->n; t++) {
		struct verdict v = fresh;

		if (s->job[t] != UINT32_MAX)
			verdict_measure(g, s->job[t], &v);
		if (v.kind == VERDICT_PASS || !all)
			continue;
		all = false;
		verdict_say(g->r, out, VERDICT_ERROR, "not-measured",
			    s->job[t] == UINT32_MAX
				    ? "no spread without '%s', where the workload does not stand%s"
				    : "no spread without '%s', which was not measured: %s",
			    role(g, t), s->job[t] == UINT32_MAX ? "" : v.text);
	}
	return all;
}

/* The median of the first runs[t] runs on each target. */
static bool medians(struct judge *g, struct subject *s, const size_t *runs, struct verdict *out)
{
	for (size_t t = 0; t < s->n; t++) {
		double *v = xcalloc(runs[t] + 1, sizeof(*v));
		size_t n;
		bool there =
			expect_collect(g, s->job[t], s->metric, ARM_COUNT, runs[t], v, &n, out);

		if (there)
			s->median[t] = s->sorted[t] = estimate_median(v, n);
		free(v);
		if (there)
			continue;
		verdict_say(g->r, out, out->kind, out->type, "on '%s' %s", role(g, t), out->text);
		return false;
	}
	return true;
}

static void judge_medians(struct judge *g, struct subject *s, struct verdict *out)
{
	size_t low = 0, high = 0;
	double median;
	bool met;
	struct str text;

	for (size_t t = 1; t < s->n; t++) {
		low = s->median[t] < s->median[low] ? t : low;
		high = s->median[t] > s->median[high] ? t : high;
	}
	median = estimate_median(s->sorted, s->n);
	out->value = (s->median[high] - s->median[low]) / median;
	if (!isfinite(out->value) || !(median > 0)) {
		verdict_say(g->r, out, VERDICT_ERROR, "reference",
			    "no spread of %s: the median of the targets is 0", s->metric->name);
		return;
	}
	met = expect_holds(s->check->op, out->value, out->limit);
	str_init(&text);
	str_addf(&text, "%s ", out->judged);
	unit_format(&text, UNIT_RATIO, out->value);
	str_addf(&text, "%s %s ", met ? ", as expected" : ", expected",
		 check_op_name(s->check->op));
	unit_format(&text, UNIT_RATIO, out->limit);
	str_addf(&text, "; of %zu targets '%s' is lowest with ", s->n, role(g, low));
	unit_format(&text, s->metric->unit, s->median[low]);
	str_addf(&text, " and '%s' highest with ", role(g, high));
	unit_format(&text, s->metric->unit, s->median[high]);
	str_add(&text, ", their median is ");
	unit_format(&text, s->metric->unit, median);
	verdict_say(g->r, out, met ? VERDICT_PASS : VERDICT_MISSED, met ? NULL : "expectation",
		    "%s", text.s);
	str_release(&text);
}

/* What an earlier attempt missed, all of whose sessions were measured well on every target, stays
 * missed whatever came behind. */
static bool missed_before(struct judge *g, struct subject *s, struct verdict *out)
{
	size_t *made = xcalloc(s->n, sizeof(*made));
	bool missed = false;

	for (uint32_t a = 1; !missed && a < g->r->attempts.n; a++) {
		struct verdict v = *out;
		bool whole = true;

		for (size_t t = 0; whole && t < s->n; t++) {
			made[t] = 0;
			if (s->job[t] == UINT32_MAX)
				whole = false;
			else
				made[t] = expect_runs_up_to(g, s->job[t], a);
			whole = whole && made[t] > 0 && made[t] <= expect_runs_whole(g, s->job[t]);
		}
		if (!whole || !medians(g, s, made, &v))
			continue;
		judge_medians(g, s, &v);
		missed = v.kind == VERDICT_MISSED;
		if (!missed)
			continue;
		*out = v;
		verdict_say(g->r, out, VERDICT_MISSED, "expectation",
			    "%s; that was attempt %u, what came since then changes nothing",
			    out->text, a);
	}
	free(made);
	return missed;
}

/* Its own job is looked at behind every check. */
static void look_at_heat(struct judge *g, const struct subject *s, struct verdict *out)
{
	const char *before = out->type;

	for (size_t t = 0; t < s->n && out->type == before; t++)
		if (s->job[t] != s->check->job)
			verdict_clouded(g, s->job[t], out);
}

static void judge_subject(struct judge *g, struct subject *s, struct verdict *out)
{
	struct verdict failed = *out;
	size_t *runs;

	if (all_skipped(g, s)) {
		verdict_say(g->r, out, VERDICT_SKIPPED, NULL, "not judged");
		return;
	}
	if (s->n < 2) {
		verdict_say(g->r, out, VERDICT_ERROR, "reference",
			    "one target has no spread: it takes two at least");
		return;
	}
	if (!all_measured(g, s, &failed)) {
		if (!missed_before(g, s, out))
			*out = failed;
		return;
	}
	runs = xcalloc(s->n, sizeof(*runs));
	for (size_t t = 0; t < s->n; t++)
		runs[t] = judge_runs(g, s->job[t]);
	if (!missed_before(g, s, out) && medians(g, s, runs, out))
		judge_medians(g, s, out);
	free(runs);
	look_at_heat(g, s, out);
}

static void subject_open(struct judge *g, const struct check *c, const struct metric *m,
			 struct subject *s, struct verdict *out)
{
	size_t room = g->r->ntargets + 1;

	*s = (struct subject){.check = c, .metric = m};
	/* the total stands behind the targets, and is none */
	while (s->n < g->r->ntargets && !target_is_total(&g->r->targets[s->n]))
		s->n++;
	s->job = xcalloc(room, sizeof(*s->job));
	s->median = xcalloc(room, sizeof(*s->median));
	s->sorted = xcalloc(room, sizeof(*s->sorted));
	out->limit = c->limit;
	out->judged = arena_printf(&g->r->arena, "spread(%s)", m->name);
	out->judged_unit = UNIT_RATIO;
	find_jobs(g, s);
}

static void subject_close(struct subject *s)
{
	free(s->job);
	free(s->median);
	free(s->sorted);
}

void verdict_spread(struct judge *g, const struct check *c, const struct metric *m,
		    struct verdict *out)
{
	struct subject s;

	subject_open(g, c, m, &s, out);
	judge_subject(g, &s, out);
	subject_close(&s);
}

void verdict_spread_missed_before(struct judge *g, const struct check *c, const struct metric *m,
				  struct verdict *out)
{
	struct verdict v = *out;
	struct subject s;
	bool all_there = true;

	if (!m)
		return;
	subject_open(g, c, m, &s, &v);
	for (size_t t = 0; t < s.n; t++)
		all_there &= s.job[t] != UINT32_MAX;
	if (all_there && s.n > 1) {
		all_measured(g, &s, &(struct verdict){0});
		if (missed_before(g, &s, &v))
			*out = v;
	}
	subject_close(&s);
}
