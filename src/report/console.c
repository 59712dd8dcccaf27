/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "report/view.h"

#include "base/units.h"

#include <math.h>
#include <stdio.h>

/* One result while it is printed. */
struct console {
	const struct result *r;
	const struct console_options *o;
	struct view view;
	struct str *out;
};

static const char *colour(const struct console *c, const struct verdict *v)
{
	if (!c->o->colour)
		return "";
	if (v->kind == VERDICT_PASS || v->kind == VERDICT_IMPROVEMENT)
		return "\033[32m";
	if (v->shape == JUNIT_FAILURE || v->shape == JUNIT_ERROR)
		return "\033[31m";
	return "\033[33m";
}

static void add_heading(struct console *c)
{
	const struct result *r = c->r;

	str_addf(c->out, "%s on ", r->suite);
	for (size_t i = 0; i < r->ntargets; i++) {
		const struct target *t = &r->targets[i];

		str_addf(c->out, "%s%s = ", i ? ", " : "", t->role);
		str_add_clean(c->out, t->path ? t->path : t->id, SIZE_MAX);
	}
	str_addf(c->out, "  profile %s, %zu session%s, %zu run%s", r->profile, r->sessions.n,
		 r->sessions.n == 1 ? "" : "s", r->runs.n, r->runs.n == 1 ? "" : "s");
	if (r->inject) {
		str_add(c->out, ", injected: ");
		str_add_clean(c->out, r->inject, SIZE_MAX);
	}
	if (r->partial) {
		str_add(c->out, ", partial: ");
		str_add_clean(c->out, r->partial, SIZE_MAX);
	}
	str_addc(c->out, '\n');
}

static void add_figure(struct console *c, struct str *s, uint32_t job, const char *metric,
		       const char *before)
{
	const struct metric *m = metric_find(metric);
	double v = m ? view_median(&c->view, job, m) : NAN;

	if (isnan(v))
		return;
	str_add(s, before);
	unit_format(s, m->unit, v);
}

/* The measure line of a workload: what it did, in the figures people quote. */
static void add_measure(struct console *c, const struct verdict *v)
{
	const struct job *j = &c->r->jobs[v->job];
	struct str s;

	str_init(&s);
	if (c->r->ntargets > 1)
		str_addf(&s, "%s ", c->r->targets[j->target].role);
	str_addf(&s, "%s", j->name);
	if (v->kind != VERDICT_PASS)
		str_addf(&s, "  %s: %s", verdict_name(v->kind), v->text);
	for (int d = 0; d < 2 && v->kind == VERDICT_PASS; d++) {
		const char *dir = d ? "write" : "read";
		char name[32];

		if (d ? !job_writes(j) : !job_reads(j))
			continue;
		str_addf(&s, "  %s", dir);
		snprintf(name, sizeof(name), "%s.iops", dir);
		add_figure(c, &s, v->job, name, " ");
		snprintf(name, sizeof(name), "%s.bw", dir);
		add_figure(c, &s, v->job, name, ", ");
		snprintf(name, sizeof(name), "%s.clat.p99", dir);
		add_figure(c, &s, v->job, name, ", p99 ");
	}
	str_addc(&s, '\n');
	str_add_clean(c->out, s.s, s.len);
	str_release(&s);
}

static void add_check(struct console *c, const struct verdict *v)
{
	const struct metric *m = view_metric(c->r, v);
	struct str s;

	str_init(&s);
	str_addf(&s, "%-24s ", view_check_name(c->r, v));
	if (!isnan(v->change)) {
		view_add_estimate(&s, c->r, v);
	} else if (!isnan(v->value) && m) {
		unit_format(&s, m->unit, v->value);
		if (!isnan(v->limit)) {
			str_addf(&s, " %s ", check_op_name(c->r->checks[v->check].op));
			unit_format(&s, m->unit, v->limit);
		}
	}
	if (v->provisional)
		str_addf(&s, "  provisional (%u of 5)",
			 v->base_blocks < v->base_sessions ? v->base_blocks : v->base_sessions);
	if (v->watch)
		str_add(&s, "  watch");
	str_addf(c->out, "  %s%-12s%s ", colour(c, v), verdict_name(v->kind),
		 c->o->colour ? "\033[0m" : "");
	str_add_clean(c->out, s.s, s.len);
	str_addc(c->out, '\n');
	str_release(&s);
}

/* A row for each check is what the reader wants of ten workloads; of thousands only those that
 * fail. */
static bool show_row(const struct console *c, const struct verdict *v, size_t total)
{
	if (c->o->verbose || view_is_bad(v))
		return true;
	if (total > 200)
		return false;
	return v->kind != VERDICT_SKIPPED || v->check == VERDICT_MEASURE || total <= 40;
}

static void add_notices(struct console *c)
{
	for (size_t i = 0; c->o->verbose && i < c->r->notices.n; i++) {
		str_add(c->out, "note: ");
		str_add_clean(c->out, c->r->notices.v[i], SIZE_MAX);
		str_addc(c->out, '\n');
	}
}

/* A gain that is not accepted can be lost again without a red gate. */
static void add_improvement(struct console *c)
{
	unsigned n = 0;

	for (size_t i = 0; i < c->r->verdicts.n; i++)
		n += c->r->verdicts.v[i].kind == VERDICT_IMPROVEMENT;
	if (n && c->o->result_path && !c->r->inject && !c->r->partial)
		str_addf(c->out,
			 "better than the baseline; to keep it: blkgate baseline accept %s\n",
			 c->o->result_path);
}

/* Twenty blocks are more than a person reads; the documents have all of them. */
#define BLOCKS_MAX 20

void report_console(const struct result *r, const struct console_options *o, struct str *out)
{
	struct console c = {.r = r, .o = o, .out = out};
	unsigned blocks = 0, more = 0;

	view_init(&c.view, r);
	add_heading(&c);
	add_notices(&c);
	for (size_t i = 0; i < r->verdicts.n; i++) {
		const struct verdict *v = &r->verdicts.v[i];

		if (v->job == UINT32_MAX || !show_row(&c, v, r->verdicts.n))
			continue;
		if (v->check == VERDICT_MEASURE)
			add_measure(&c, v);
		else
			add_check(&c, v);
	}
	for (size_t i = 0; i < r->verdicts.n; i++) {
		const struct verdict *v = &r->verdicts.v[i];

		if (!view_is_bad(v))
			continue;
		if (blocks >= BLOCKS_MAX) {
			more++;
			continue;
		}
		if (blocks++ == 0)
			str_addc(out, '\n');
		report_block(r, v, o, out);
	}
	add_improvement(&c);
	if (more)
		str_addf(out, "... and %u more; the documents have all\n", more);
	if (blocks)
		str_addc(out, '\n');
	view_release(&c.view);
}

struct tally {
	unsigned n[VERDICT_SKIPPED + 1];
	unsigned provisional, checks, measured, watched;
};

static void tally(const struct result *r, struct tally *t)
{
	for (size_t i = 0; i < r->verdicts.n; i++) {
		const struct verdict *v = &r->verdicts.v[i];

		if (v->check != VERDICT_MEASURE && v->job != UINT32_MAX)
			t->checks++;
		/* A measurement that worked is no verdict on performance; only its failure counts.
		 */
		if (v->check == VERDICT_MEASURE && v->kind == VERDICT_PASS) {
			t->measured++;
			continue;
		}
		/* Told in its row; in the counts it would look like a reason for the status. */
		if (v->watch && v->kind != VERDICT_ERROR && v->kind != VERDICT_SKIPPED) {
			t->watched++;
			continue;
		}
		t->n[v->kind]++;
		t->provisional += v->provisional && v->kind != VERDICT_SKIPPED;
	}
}

static void add_count(struct str *s, unsigned n, const char *one, const char *many)
{
	if (n)
		str_addf(s, "%s%u %s", s->len ? ", " : "", n, n == 1 ? one : many);
}

static void add_where(struct str *out, const struct result *const *r, size_t n)
{
	int64_t first = 0, last = 0;

	for (size_t i = 0; i < n; i++) {
		str_addf(out, "%s%s", i ? ", " : "", r[i]->suite);
		if (!first || r[i]->started < first)
			first = r[i]->started;
		if (r[i]->ended > last)
			last = r[i]->ended;
	}
	for (size_t i = 0; n == 1 && i < r[0]->ntargets; i++)
		str_addf(out, "%s%s", i ? ", " : " on ", r[0]->targets[i].role);
	if (last > first) {
		str_add(out, ", ");
		unit_format_duration(out, (uint64_t)(last - first) * 1000000000u);
	}
}

void report_last_line(const struct result *const *r, size_t n, enum exit_status status,
		      const struct console_options *o, struct str *out)
{
	struct tally t = {0};
	struct str s;
	bool only_measured = false;

	for (size_t i = 0; i < n; i++)
		tally(r[i], &t);
	only_measured = status == STATUS_PASS && t.measured && !t.checks;
	str_init(&s);
	add_count(&s, t.n[VERDICT_REGRESSION], "regression", "regressions");
	add_count(&s, t.n[VERDICT_MISSED], "missed", "missed");
	add_count(&s, t.n[VERDICT_KNOWN], "known", "known");
	add_count(&s, t.n[VERDICT_ERROR] + t.n[VERDICT_NONE], "error", "errors");
	add_count(&s, t.n[VERDICT_NO_BASELINE], "without baseline", "without baseline");
	add_count(&s, t.n[VERDICT_INCOMPARABLE], "incomparable", "incomparable");
	add_count(&s, t.n[VERDICT_INCONCLUSIVE], "undecided", "undecided");
	add_count(&s, t.n[VERDICT_IMPROVEMENT], "improvement", "improvements");
	add_count(&s, t.n[VERDICT_PASS], "pass", "pass");
	add_count(&s, t.watched, "watched", "watched");
	add_count(&s, t.n[VERDICT_SKIPPED], "skipped", "skipped");
	add_count(&s, t.provisional, "provisional", "provisional");
	if (only_measured)
		str_addf(&s, "%s%u workload%s measured only, nothing judged", s.len ? ", " : "",
			 t.measured, t.measured == 1 ? "" : "s");
	str_add(out, "blkgate: ");
	if (o && o->colour)
		str_add(out, status == STATUS_PASS           ? "\033[1;32m"
			     : status == STATUS_INCONCLUSIVE ? "\033[1;33m"
							     : "\033[1;31m");
	str_add(out, view_headline(status));
	if (o && o->colour)
		str_add(out, "\033[0m");
	if (s.len)
		str_addf(out, "  %s", s.s);
	if (n) {
		str_add(out, "  (");
		add_where(out, r, n);
		str_addc(out, ')');
	}
	str_addf(out, "  status %d: %s\n", (int)status, status_meaning(status));
	str_release(&s);
}
