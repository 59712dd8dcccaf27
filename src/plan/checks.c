/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * plan/checks: the checks of a job, and the gates among them. Names hold no numbers, so that a
 * changed limit is the same test. A check that could never fail is an error of the suite.
 */
#include "plan/planner.h"

#include "base/hash.h"

#include <math.h>

/* "read.p99", "p99", "sync.mean": a statistic without its latency. The name with clat in it (of
 * syncs lat), NULL = it is no such name. */
static const char *with_latency(struct planner *pl, const char *name)
{
	static const char *const of[] = {"read.", "write.", "trim.", "sync."};
	const char *full;
	size_t n = 0;

	for (size_t i = 0; i < sizeof(of) / sizeof(of[0]); i++)
		if (str_starts(name, of[i]))
			n = strlen(of[i]);
	full = arena_printf(pl->a, "%.*s%s.%s", (int)n, name,
			    str_starts(name, "sync.") ? "lat" : "clat", name + n);
	return metric_find(n ? full : arena_printf(pl->a, "read.%s", full)) ? full : NULL;
}

static void unknown_metric(struct planner *pl, const char *name, uint32_t line, uint32_t column)
{
	const char *nearest = metric_nearest(name), *full = with_latency(pl, name);
	struct diag *g = planner_report(pl, line, column, "metric '%s' is unknown", name);

	if (g && full)
		diag_hint(g,
			  "did you mean '%s'? clat is from submission to completion, lat with "
			  "the submission",
			  full);
	else if (g && nearest)
		diag_hint(g, "did you mean '%s'?", nearest);
	else if (g)
		diag_hint(g, "e.g. read.iops, write.bw, read.clat.p99, sync.lat.p99, cpu.per_io");
}

/* metric_resolve() walks the table; 10 000 workloads ask for the same few names. */
static int resolve_cached(struct planner *pl, const char *name, const struct job *j,
			  const struct metric **m)
{
	/* all that metric_resolve() looks at: a key with less would answer for another job */
	unsigned dirs = (metric_job_does(j, DIR_READ) ? 1u : 0) |
			(metric_job_does(j, DIR_WRITE) ? 2u : 0) |
			(j->fsync || j->fdatasync || j->end_fsync ? 4u : 0) |
			(metric_job_does(j, DIR_TRIM) ? 8u : 0) | (j->rate > 0 ? 16u : 0);
	size_t at = (hash_str(name) + dirs) % (sizeof(pl->metrics) / sizeof(pl->metrics[0]));
	struct metric_slot *slot = &pl->metrics[at];

	if (!slot->name || slot->dirs != dirs || strcmp(slot->name, name) != 0) {
		slot->name = name;
		slot->dirs = dirs;
		slot->n = metric_resolve(name, j, slot->m);
	}
	for (int i = 0; i < slot->n; i++)
		m[i] = slot->m[i];
	return slot->n;
}

/* Known, but this job has nothing of it. */
static void no_direction(struct planner *pl, const char *name, uint32_t line, uint32_t column,
			 const struct job *j)
{
	const struct metric *m = metric_find(name);
	const char *rest = strchr(name, '.');
	struct diag *d;

	if (m && m->source == SOURCE_SYNC) {
		d = planner_report(pl, line, column, "workload '%s' has no %s: it never syncs",
				   j->name, name);
		if (d)
			diag_hint(d, "`fsync: 1`, or `end_fsync: true` on a writing workload");
		return;
	}
	if (m && m->source == SOURCE_DEPTH) {
		planner_report(pl, line, column,
			       "workload '%s' has no %s: under rate latency counts from the "
			       "intended start, and tells no depth",
			       j->name, name);
		return;
	}
	d = planner_report(pl, line, column, "workload '%s' is %s%s and has no %s", j->name,
			   job_rw_name(j->rw),
			   !job_reads(j) || !job_writes(j) ? ""
			   : j->rwmixread >= 100           ? " with rwmixread 100"
			   : j->rwmixread == 0             ? " with rwmixread 0"
							   : "",
			   name);
	if (d && rest)
		diag_hint(d, "'%s' stands for the directions that each instance does", rest + 1);
}

int checks_metrics(struct planner *pl, const char *name, uint32_t line, uint32_t column,
		   const struct job *j, const struct metric **m)
{
	const struct engine *g = engine_find(j->ioengine);
	bool sync = g && (g->caps & ENGINE_SYNC), is_auto = strcmp(j->ioengine_asked, "auto") == 0;
	int n = resolve_cached(pl, name, j, m);

	/* What a target makes of `direct: auto`, and so of end_fsync, is no fault of the suite:
	 * there the judgement says that the value does not exist. */
	if (n < 0 && j->direct_auto && metric_job_does(j, DIR_WRITE)) {
		m[0] = metric_find(name);
		if (m[0] && m[0]->source == SOURCE_SYNC)
			return 1;
	}
	if (n == 0)
		unknown_metric(pl, name, line, column);
	if (n < 0)
		no_direction(pl, name, line, column, j);
	/* nor is it the suite's fault which engine `auto` finds */
	for (int i = 0; i < n; i++) {
		if (m[i]->source != SOURCE_SLAT || is_auto || metric_applies(m[i], j, sync))
			continue;
		planner_report(pl, line, column,
			       "workload '%s' has no %s: ioengine %s is synchronous", j->name,
			       m[i]->name, j->ioengine);
		return 0;
	}
	if (n > 0 && m[0]->source == SOURCE_ABSORBED && g && (g->caps & ENGINE_DISKLESS)) {
		planner_report(pl, line, column,
			       "workload '%s' has no %s: ioengine %s has no device", j->name,
			       m[0]->name, j->ioengine);
		return 0;
	}
	return n < 0 ? 0 : n;
}

bool checks_name_free(struct planner *pl, const struct check *c)
{
	for (size_t i = pl->checks.n; i-- > 0 && pl->checks.v[i].job == c->job;)
		if (pl->checks.v[i].name == c->name || strcmp(pl->checks.v[i].name, c->name) == 0)
			return false;
	return true;
}

void checks_add(struct planner *pl, const struct check *c)
{
	struct check *n = VEC_PUSH(&pl->checks);

	*n = *c;
	if (!pl->o->check)
		return;
	if (str_glob(pl->o->check, c->name))
		pl->checks_selected++;
	else
		n->skipped = pl->check_not_selected;
}

static bool gate_tolerance(struct planner *pl, const struct gate_entry *g, const struct metric *m,
			   struct check *c)
{
	struct err e = ERR_INIT;
	const char *text = g->tolerance_text ? g->tolerance_text : "";
	struct diag *d;

	c->tolerance = g->tolerance;
	c->absolute = g->absolute;
	while (*text == '+' || c_isspace(*text))
		text++;
	/* a share of what is about 0 means nothing: "5%" of a drift are 5 points */
	if (m->better == BETTER_ZERO && m->unit == UNIT_RATIO && g->unit == UNIT_RATIO)
		c->absolute = true;
	/* only the metric knows the unit of an absolute tolerance */
	else if (g->absolute && ((g->unit == UNIT_COUNT && m->unit != UNIT_COUNT) ||
				 unit_parse(m->unit, text, &c->tolerance, &e) < 0)) {
		d = planner_report(pl, g->line, g->column,
				   "tolerance '%s' does not fit %s, which is in %s",
				   g->tolerance_text, m->name, unit_name(m->unit));
		if (d)
			diag_hint(
				d, "%s%s`%s: 5%%`", e.hint[0] ? e.hint : e.text,
				e.hint[0] || e.text[0] ? "; or a share: " : "a share: ", g->metric);
		return false;
	}
	if (m->stat == STAT_TAIL && c->absolute) {
		d = planner_report(pl, g->line, g->column,
				   "tolerance '%s': %s looks at quantiles and shares, it takes a "
				   "share",
				   g->tolerance_text, m->name);
		if (d)
			diag_hint(d, "`%s: 20%%`", g->metric);
		return false;
	}
	if (!(c->tolerance > 0)) {
		planner_report(pl, g->line, g->column, "tolerance '%s' of %s is not above zero",
			       g->tolerance_text, m->name);
		return false;
	}
	if (g->role == ROLE_WATCH)
		return true;
	if (!g->absolute && m->better == BETTER_HIGHER && c->tolerance >= 1) {
		d = planner_report(pl, g->line, g->column,
				   "gate %s: %s cannot fail: nothing loses more than 100 %%",
				   m->name, g->tolerance_text);
		if (d)
			diag_hint(d, "a tolerance below 100 %%, or `role: watch`");
		return false;
	}
	if (m->better == BETTER_NONE) {
		d = planner_report(pl, g->line, g->column,
				   "gate %s cannot fail: neither more nor less of it is better",
				   m->name);
		if (d)
			diag_hint(d, "`%s: {tolerance: %s, role: watch}` shows it", g->metric,
				  g->tolerance_text);
		return false;
	}
	return true;
}

static const char *gate_name(struct planner *pl, const struct metric *m)
{
	const char **slot = &pl->gate_names[metric_index(m)];

	if (!*slot)
		*slot = arena_printf(pl->a, "gate %s", m->name);
	return *slot;
}

static void gate_make(struct planner *pl, const struct gate_entry *g, const char *text,
		      uint32_t job)
{
	const struct metric *m[DIR_COUNT];
	int n = checks_metrics(pl, g->metric, g->line, g->column, &pl->p->jobs[job], m);

	for (int i = 0; i < n; i++) {
		struct check c = {.job = job,
				  .kind = CHECK_GATE,
				  .name = gate_name(pl, m[i]),
				  .metric = m[i]->name,
				  .text = text,
				  .line = g->line,
				  .reference = NAN,
				  .role = g->role};

		if (!gate_tolerance(pl, g, m[i], &c))
			continue;
		if (checks_name_free(pl, &c))
			checks_add(pl, &c);
		else
			planner_report(pl, g->line, g->column, "two gates on %s in workload '%s'",
				       m[i]->name, pl->p->jobs[job].name);
	}
}

void checks_begin(struct planner *pl, const struct workload *w)
{
	pl->texts.n = 0;
	for (size_t i = 0; i < w->gate.n; i++) {
		const struct gate_entry *g = &w->gate.v[i];

		*VEC_PUSH(&pl->texts) = arena_printf(pl->a, "%s: %s", g->metric, g->tolerance_text);
	}
}

/* Medians over fewer runs than the baseline's are not exchangeable with them. */
static void enough_runs(struct planner *pl, const struct workload *w, const struct job *j)
{
	const struct origin *at = &pl->p->origins[j - pl->p->jobs].of[pl->at[PW_RUNS]];
	struct diag *d;

	if (w->gate.n == 0 || j->runs >= PLAN_MIN_RUNS || interleaved(pl->p))
		return;
	if (pl->o->runs)
		d = planner_report(pl, 0, 0, "--runs %u is too few for the gates of suite '%s'",
				   j->runs, pl->s->name);
	else
		d = planner_report(pl, at->line ? at->line : w->line,
				   at->line ? at->column : w->column,
				   "workload '%s' has gates and only %u run%s a session%s%s%s",
				   w->name, j->runs, j->runs == 1 ? "" : "s", at->param ? " (" : "",
				   at->param ? at->param : "", at->param ? ")" : "");
	if (d)
		diag_hint(d,
			  "a gate needs %u runs a session; fewer are for workloads without gates",
			  PLAN_MIN_RUNS);
}

/* What is of all targets is asked once: of the total, or without one beside the first target. */
static bool belongs_to(const struct workload *w, const struct expr *x, const struct job *j)
{
	if (x->spread)
		return w->all_targets ? j->total : j->target == 0;
	return x->all_targets == j->total;
}

void checks_make(struct planner *pl, const struct workload *w, uint32_t job)
{
	size_t selected = pl->checks_selected;
	struct job *j = &pl->p->jobs[job];

	enough_runs(pl, w, j);
	for (size_t i = 0; i < w->gate.n; i++)
		gate_make(pl, &w->gate.v[i], pl->texts.v[i], job);
	for (size_t i = 0; i < w->expect.n; i++)
		if (belongs_to(w, &w->expect.v[i], j))
			expect_make(pl, &w->expect.v[i], job);
	if (!pl->o->check)
		return;
	if (pl->checks_selected == selected)
		job_stop(j, JOB_SKIPPED, pl->no_check_selected);
}
