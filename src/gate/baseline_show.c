/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A baseline for people: its sessions, and the level and spread of each gate. */
#include "base/clock.h"
#include "gate/baseline_file.h"
#include "gate/blocks.h"
#include "gate/comparable.h"
#include "gate/estimate.h"
#include "gate/judge.h"
#include <math.h>

static void add_date(struct str *out, int64_t utc)
{
	struct str s;

	str_init(&s);
	clock_format_utc(&s, utc);
	str_addn(out, s.s, s.len < 10 ? s.len : 10);
	str_release(&s);
}

/* One gate over the sessions of an epoch that hold it with the newest job text. */
struct level {
	const char *target, *job, *metric;
	const char *canonical;
	uint32_t runs;
	double *x; /* session medians, base unit */
	struct boot_time *t;
	size_t n;
	struct pool runs_log, runs_plain;
};

static const struct base_job *find_job(const struct base_session *s, const char *target,
				       const char *name)
{
	for (size_t i = 0; i < s->jobs.n; i++)
		if (str_eq(s->jobs.v[i].target, target) && str_eq(s->jobs.v[i].name, name))
			return &s->jobs.v[i];
	return NULL;
}

static bool current(const struct baseline *b, size_t i)
{
	return !b->sessions[i].retired_jobs && b->sessions[i].epoch == b->epoch;
}

static void level_add(struct level *l, const struct base_session *s, const struct base_value *v)
{
	const struct scale plain = {.absolute = true, .sign = 1},
			   logs = {.absolute = false, .sign = 1};
	double *work = xcalloc(v->n + 1, sizeof(*work));

	l->t[l->n] = (struct boot_time){s->boot_id, s->started};
	l->x[l->n++] = estimate_session(&plain, v->v, v->n, work);
	pool_add_runs(&l->runs_plain, &plain, v->v, v->n);
	pool_add_runs(&l->runs_log, &logs, v->v, v->n);
	free(work);
}

static void level_open(struct level *l, const struct baseline *b, const char *target,
		       const char *job, const char *metric)
{
	*l = (struct level){.target = target, .job = job, .metric = metric};
	l->x = xcalloc(b->n + 1, sizeof(*l->x));
	l->t = xcalloc(b->n + 1, sizeof(*l->t));
	for (size_t i = b->n; i-- > 0 && !l->canonical;) {
		const struct base_job *j =
			current(b, i) ? find_job(&b->sessions[i], target, job) : NULL;

		if (judge_base_value(j, metric)) {
			l->canonical = j->canonical;
			l->runs = j->runs;
		}
	}
	for (size_t i = 0; i < b->n; i++) {
		const struct base_job *j =
			current(b, i) ? find_job(&b->sessions[i], target, job) : NULL;
		const struct base_value *v = judge_base_value(j, metric);

		if (v && v->n == l->runs && str_eq(j->canonical, l->canonical))
			level_add(l, &b->sessions[i], v);
	}
}

static void level_close(struct level *l)
{
	free(l->x);
	free(l->t);
}

static uint32_t level_blocks(const struct level *l)
{
	uint32_t *block = xcalloc(l->n + 1, sizeof(*block)), n = blocks_assign(l->t, l->n, block);

	free(block);
	return n;
}

static double level_median(const struct level *l)
{
	double *x = xcalloc(l->n + 1, sizeof(*x)), m;

	memcpy(x, l->x, l->n * sizeof(*x));
	m = estimate_median(x, l->n);
	free(x);
	return m;
}

/* Spread in per cent (logs) where all values have one, else in the unit of the metric. */
static void add_spread(struct str *out, const struct metric *m, const struct level *l)
{
	struct pool logs = {0}, plain = {0};
	double *x = xcalloc(l->n + 1, sizeof(*x));

	for (size_t i = 0; i < l->n; i++)
		x[i] = log(l->x[i]);
	pool_add(&logs, x, l->n);
	pool_add(&plain, l->x, l->n);
	free(x);
	str_add(out, "session sd ");
	if (l->n < 2)
		str_add(out, "n/a");
	else if (isfinite(logs.ss))
		str_addf(out, "%.2f %%", pool_sd(&logs) * 100);
	else
		unit_format(out, m->unit, pool_sd(&plain));
	str_add(out, ", run sd ");
	if (!(l->runs_log.df > 0))
		str_add(out, "n/a");
	else if (isfinite(l->runs_log.ss))
		str_addf(out, "%.2f %%", pool_sd(&l->runs_log) * 100);
	else
		unit_format(out, m->unit, pool_sd(&l->runs_plain));
}

static void show_gate(const struct baseline *b, const struct base_job *j, const char *metric,
		      struct str *out)
{
	const struct metric *m = metric_find(metric);
	struct level l;
	uint32_t blocks, least;

	level_open(&l, b, j->target, j->name, metric);
	blocks = level_blocks(&l);
	least = blocks < l.n ? blocks : (uint32_t)l.n;
	str_addf(out, "  %s %s gate %s: ", j->target, j->name, metric);
	if (!m || l.n == 0) {
		str_add(out, "no values\n");
	} else {
		str_addf(out, "%zu session%s, %u block%s, median ", l.n, l.n == 1 ? "" : "s",
			 blocks, blocks == 1 ? "" : "s");
		unit_format(out, m->unit, level_median(&l));
		str_add(out, ", ");
		add_spread(out, m, &l);
		if (least < 5)
			str_addf(out, ", provisional (%u of 5)", least);
		str_addc(out, '\n');
	}
	level_close(&l);
}

/* Gates of the current epoch, each once: those of a session that no newer one holds. */
static void show_gates(const struct baseline *b, struct str *out)
{
	for (size_t i = b->n; i-- > 0;) {
		for (size_t k = 0; current(b, i) && k < b->sessions[i].jobs.n; k++) {
			const struct base_job *j = &b->sessions[i].jobs.v[k];

			for (size_t n = 0; n < j->gates.n; n++) {
				bool newer = false;

				for (size_t s = i + 1; s < b->n && !newer; s++) {
					const struct base_job *o =
						current(b, s) ? find_job(&b->sessions[s], j->target,
									 j->name)
							      : NULL;

					for (size_t q = 0; o && q < o->gates.n; q++)
						newer = newer ||
							str_eq(o->gates.v[q], j->gates.v[n]);
				}
				if (!newer)
					show_gate(b, j, j->gates.v[n], out);
			}
		}
	}
}

static void show_session(const struct base_session *s, struct str *out)
{
	str_addf(out, "  %s  ", s->id);
	if (s->retired_jobs) {
		str_add(out, "retired:");
		for (size_t i = 0; i < s->retired.n; i++)
			str_addf(out, "%s %s", i ? "," : "", s->retired.v[i]);
	} else {
		str_addf(out, "epoch %u, %zu workload%s, boot %.8s, accepted ", s->epoch, s->jobs.n,
			 s->jobs.n == 1 ? "" : "s", s->boot_id ? s->boot_id : "unknown");
		add_date(out, s->accepted);
	}
	if (s->who)
		str_addf(out, " by %s", s->who);
	if (s->reason)
		str_addf(out, ": %s", s->reason);
	str_addc(out, '\n');
}

void baseline_show(const struct baseline *b, struct str *out)
{
	const struct base_session **v = xcalloc(b->n + 1, sizeof(*v));
	uint32_t blocks;
	size_t n = 0;

	for (size_t i = 0; i < b->n; i++)
		if (current(b, i))
			v[n++] = &b->sessions[i];
	blocks = baseline_blocks(v, n);
	str_addf(out, "baseline %s, profile %s: ", b->suite, b->profile);
	if (n == 0) {
		str_add(out, "empty; `blkgate baseline accept RESULT` makes the first session\n");
	} else {
		str_addf(out, "epoch %u, %zu session%s in %u block%s, ", b->epoch, n,
			 n == 1 ? "" : "s", blocks, blocks == 1 ? "" : "s");
		add_date(out, v[0]->started);
		str_add(out, "..");
		add_date(out, v[n - 1]->started);
		str_addc(out, '\n');
	}
	free(v);
	if (n > 0) {
		str_add(out, "gates:\n");
		show_gates(b, out);
	}
	if (b->n > 0)
		str_add(out, "files:\n");
	for (size_t i = 0; i < b->n; i++)
		show_session(&b->sessions[i], out);
}

static double median_now(const struct result *r, uint32_t job, const struct metric *m)
{
	double *v = xcalloc(r->runs.n + 1, sizeof(*v)), median;
	size_t n = 0;

	for (size_t i = 0; i < r->runs.n; i++) {
		struct value val;

		if (r->runs.v[i].job != job)
			continue;
		metric_value(m, &r->jobs[job], &r->runs.v[i].out, &val);
		if (val.state == VALUE_OK)
			v[n++] = val.v;
	}
	median = estimate_median(v, n);
	free(v);
	return median;
}

static void diff_gate(const struct baseline *b, const struct result *r, const struct check *c,
		      const char *role, struct str *out)
{
	const struct job *j = &r->jobs[c->job];
	const struct metric *m = metric_find(c->metric);
	double then, now;
	struct level l;

	str_addf(out, "  %s %s gate %s: ", role, j->name, c->metric);
	if (!m) {
		str_add(out, "unknown metric\n");
		return;
	}
	level_open(&l, b, role, j->name, c->metric);
	then = level_median(&l);
	now = median_now(r, c->job, m);
	unit_format(out, m->unit, then);
	str_add(out, " -> ");
	unit_format(out, m->unit, now);
	if (then > 0 && isfinite(now))
		str_addf(out, " (%+.1f %%)", (now / then - 1) * 100);
	if (l.canonical) {
		struct str text, diff;

		str_init(&text);
		str_init(&diff);
		job_canonical(j, &text);
		job_canonical_diff(l.canonical, text.s, &diff);
		if (diff.len > 0)
			str_addf(out, "; incomparable: %s", diff.s);
		str_release(&diff);
		str_release(&text);
	}
	str_addc(out, '\n');
	level_close(&l);
}

/* Facts of each target against the newest session of the current epoch that holds it. */
static void diff_facts(const struct baseline *b, const struct result *r, const struct target *t,
		       struct str *out)
{
	for (size_t i = b->n; i-- > 0;) {
		for (size_t k = 0; current(b, i) && k < b->sessions[i].jobs.n; k++) {
			struct fact_side then = {b->sessions[i].jobs.v[k].facts,
						 &b->sessions[i].host};
			struct fact_side now = {&t->facts, &r->host};
			struct str s;

			if (!str_eq(b->sessions[i].jobs.v[k].target, t->role))
				continue;
			str_init(&s);
			if (comparable_differences(&r->compare, then, now, &s) > 0)
				str_addf(out, "  %s must match: %s\n", t->role, s.s);
			str_clear(&s);
			comparable_changes(&r->compare, then, now, &s);
			str_addf(out, "  %s: %s\n", t->role, s.s);
			str_release(&s);
			return;
		}
	}
}

void baseline_diff(const struct baseline *b, const struct result *r, struct str *out)
{
	str_addf(out, "baseline %s, profile %s, epoch %u, against this result\n", b->suite,
		 b->profile, b->epoch);
	for (size_t i = 0; i < r->nchecks; i++) {
		const struct check *c = &r->checks[i];

		if (c->kind != CHECK_GATE || c->job >= r->njobs)
			continue;
		diff_gate(b, r, c,
			  r->jobs[c->job].target < r->ntargets
				  ? r->targets[r->jobs[c->job].target].role
				  : "",
			  out);
	}
	for (size_t i = 0; i < r->ntargets; i++)
		diff_facts(b, r, &r->targets[i], out);
}
