/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "report/view.h"

#include "base/units.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

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
	struct str s;

	str_init(&s);
	str_addf(&s, "%s on ", r->suite);
	for (size_t i = 0; i < r->ntargets; i++) {
		const struct target *t = &r->targets[i];

		if (target_is_total(t))
			continue;
		str_addf(&s, "%s%s = %s", i ? ", " : "", t->role, t->path ? target_node(t) : t->id);
	}
	if (r->interleave.kind != INTERLEAVE_NONE) {
		str_add(&s, "  in turns: ");
		interleave_title(&r->interleave, &s);
		str_addf(&s, ", %zu run%s", r->runs.n, r->runs.n == 1 ? "" : "s");
	} else {
		str_addf(&s, "  profile %s, %zu session%s, %zu runs", r->profile, r->sessions.n,
			 r->sessions.n == 1 ? "" : "s", r->runs.n);
	}
	if (r->inject)
		str_addf(&s, ", injected: %s", r->inject);
	if (r->partial)
		str_addf(&s, ", partial: %s", r->partial);
	str_addc(&s, '\n');
	if (r->judged_gates) {
		str_add(&s, "levels: ");
		view_add_levels(&s, r);
		str_addc(&s, '\n');
	}
	str_add_clean(c->out, s.s, s.len);
	str_release(&s);
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

/* Those that the workload lists, else the one that people quote. */
static void add_percentiles(struct console *c, struct str *s, uint32_t job, const char *dir)
{
	const char *list = c->r->jobs[job].percentile_list;

	for (const char *p = list && *list ? list : "99", *end; p; p = *end ? end + 1 : NULL) {
		char name[48], before[32];

		end = strchrnul(p, ':');
		snprintf(name, sizeof(name), "%s.clat.p%.*s", dir, (int)(end - p), p);
		snprintf(before, sizeof(before), ", p%.*s ", (int)(end - p), p);
		add_figure(c, s, job, name, before);
	}
}

static void add_beside(void *arg, const char *name, const char *text)
{
	struct console *c = arg;
	struct str s;

	str_init(&s);
	str_addf(&s, "  %-12s %s\n", name, text);
	str_add_clean(c->out, s.s, s.len);
	str_release(&s);
}

static void add_figures(struct console *c, struct str *s, uint32_t job)
{
	const struct job *j = &c->r->jobs[job];

	for (int d = 0; d < DIR_COUNT; d++) {
		const char *dir = io_dir_name((enum io_dir)d);
		char name[32];

		if (d == DIR_READ ? !job_reads(j)
				  : !job_writes(j) || (d == DIR_TRIM) != job_trims(j))
			continue;
		str_addf(s, "  %s", dir);
		snprintf(name, sizeof(name), "%s.iops", dir);
		add_figure(c, s, job, name, " ");
		snprintf(name, sizeof(name), "%s.bw", dir);
		add_figure(c, s, job, name, ", ");
		add_percentiles(c, s, job, dir);
	}
}

/* One value of the setting, then the other: figures over both would be of neither. */
static void add_arms(struct console *c, struct str *s, uint32_t job)
{
	const struct interleave *i = &c->r->interleave;

	for (unsigned arm = 0; arm < ARM_COUNT; arm++) {
		c->view.arm = arm;
		str_addf(s, "\n  %-12s", i->name[arm]);
		add_figures(c, s, job);
	}
	c->view.arm = ARM_COUNT;
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
	if (v->kind == VERDICT_SKIPPED)
		str_addf(&s, "  skipped: %s", v->text);
	else if (v->kind != VERDICT_PASS) /* why stands in its block */
		str_addf(&s, "  %s", verdict_name(v->kind));
	if (v->kind == VERDICT_PASS && c->r->interleave.kind == INTERLEAVE_SETTING)
		add_arms(c, &s, v->job);
	else if (v->kind == VERDICT_PASS)
		add_figures(c, &s, v->job);
	if (v->kind == VERDICT_PASS && view_verified(&c->view, v->job)) {
		str_add(&s, ", verified ");
		unit_format(&s, UNIT_BYTES, (double)view_verified(&c->view, v->job));
	}
	if (v->kind == VERDICT_PASS)
		view_add_company(&s, c->r, v->job);
	str_addc(&s, '\n');
	str_add_clean(c->out, s.s, s.len);
	str_release(&s);
	if (v->kind == VERDICT_PASS)
		view_beside(&c->view, v->job, c->o->verbose, add_beside, c);
}

#define CHECK_INDENT 15 /* of the text behind the verdict's word */

static void add_marks(const struct console *c, const struct verdict *v, struct str *s)
{
	unsigned n = v->base_blocks < v->base_sessions ? v->base_blocks : v->base_sessions;
	struct str marks;

	str_init(&marks);
	if (v->provisional)
		str_addf(&marks, "  provisional (%u of 5)", n);
	if (v->worse_after)
		str_add(&marks, "  WORSE BEHIND ITS DECISION");
	if (v->adjusted_by)
		str_add(&marks, "  adjusted");
	if (v->one_layout)
		str_add(&marks, "  one layout");
	if (v->one_boot)
		str_add(&marks, "  one boot");
	if (v->watch)
		str_add(&marks, "  watch");
	if (marks.len && CHECK_INDENT + utf8_width(s->s) + marks.len > c->o->width)
		str_addf(s, "\n%*s", CHECK_INDENT - 2, "");
	str_add(s, marks.s);
	str_release(&marks);
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
		enum unit unit = v->judged ? v->judged_unit : m->unit;

		unit_format(&s, unit, v->value);
		if (!isnan(v->limit)) {
			str_addf(&s, " %s ", check_op_name(c->r->checks[v->check].op));
			unit_format(&s, unit, v->limit);
		}
	}
	add_marks(c, v, &s);
	while (s.len && s.s[s.len - 1] == ' ')
		s.s[--s.len] = '\0';
	str_addf(c->out, "  %s%-12s%s ", colour(c, v), verdict_name(v->kind),
		 c->o->colour ? "\033[0m" : "");
	str_add_clean(c->out, s.s, s.len);
	str_addc(c->out, '\n');
	str_release(&s);
	if (v->creep && !view_is_bad(v)) /* a bad one says it in its block */
		str_addf(c->out, "  %-12s %s\n", "creep", v->creep);
}

/* A row for each check is what the reader wants of ten workloads; of thousands only those that
 * fail. */
static bool show_row(const struct console *c, const struct verdict *v, size_t total)
{
	if (c->o->verbose || view_is_bad(v) || v->creep)
		return true;
	/* the gates of the reference stand in the documents, as cases that are judged elsewhere */
	if (c->r->interleave.kind != INTERLEAVE_NONE && v->kind == VERDICT_SKIPPED &&
	    v->check != VERDICT_MEASURE)
		return false;
	if (total > 200)
		return false;
	return v->kind != VERDICT_SKIPPED || v->check == VERDICT_MEASURE || total <= 40;
}

static void add_attempts(struct console *c)
{
	struct str s;

	str_init(&s);
	for (size_t i = 0; i < c->r->attempts.n; i++) {
		str_clear(&s);
		view_attempt(c->r, i, &s);
		str_addc(&s, '\n');
		str_add_clean(c->out, s.s, s.len);
	}
	str_release(&s);
}

static void add_bold(struct console *c, const char *text)
{
	str_add(c->out, c->o->colour ? "\033[1m" : "");
	str_add_clean(c->out, text, SIZE_MAX);
	str_add(c->out, c->o->colour ? "\033[0m\n" : "\n");
}

static void add_age(struct console *c)
{
	if (!c->r->baseline_age)
		return;
	str_add_clean(c->out, c->r->baseline_age, SIZE_MAX);
	str_addc(c->out, '\n');
}

static void add_warnings(struct console *c)
{
	struct str s;

	str_init(&s);
	if (c->r->environment)
		add_bold(c, c->r->environment);
	if (view_red_attempts(c->r, &s))
		add_bold(c, s.s);
	str_clear(&s);
	if (!c->r->interrupted && !c->r->partial && view_incomplete(c->r, &s))
		add_bold(c, s.s);
	str_clear(&s);
	if (view_other_baseline(c->r, &s))
		add_bold(c, s.s);
	str_release(&s);
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
	if (n && c->o->result_path && view_may_accept(c->r))
		str_addf(c->out,
			 "better than the baseline; to keep it: blkgate baseline accept %s%s "
			 "--new-epoch --reason TEXT\n",
			 c->o->result_path, c->o->accept_options ? c->o->accept_options : "");
}

/* Twenty blocks are more than a person reads; the documents have all of them. */
#define BLOCKS_MAX 20
#define ALSO_MAX 8

/* One cause is told once: a missing baseline, or one reason for which workloads could not be
 * measured. */
static bool same_story(const struct verdict *a, const struct verdict *b)
{
	if (a->kind != b->kind || !view_is_bad(b))
		return false;
	if (a->kind == VERDICT_NO_BASELINE) {
		const char *x = strchr(a->text, ':'), *y = strchr(b->text, ':');

		/* "no baseline for METRIC ...: what to do": one cause where the remedy is one. */
		return str_eq(x, y);
	}
	/* the environment is suspected for all gates at once; the rows have their figures */
	if (a->kind == VERDICT_ERROR && str_eq(a->type, "environment"))
		return str_eq(b->type, "environment");
	return a->kind == VERDICT_ERROR && a->check == VERDICT_MEASURE &&
	       b->check == VERDICT_MEASURE && str_eq(a->text, b->text);
}

static bool told_before(const struct result *r, size_t i)
{
	for (size_t k = 0; k < i; k++)
		if (same_story(&r->verdicts.v[k], &r->verdicts.v[i]))
			return true;
	return false;
}

static void add_also(struct console *c, size_t i)
{
	const struct verdict *v = &c->r->verdicts.v[i];
	unsigned n = 0;
	struct str s;

	str_init(&s);
	for (size_t k = i + 1; k < c->r->verdicts.n; k++) {
		const struct verdict *o = &c->r->verdicts.v[k];

		if (same_story(v, o) && n++ < ALSO_MAX)
			str_addf(&s, "%s%s%s%s %s", s.len ? ", " : "",
				 c->r->ntargets > 1 ? view_target(c->r, o) : "",
				 c->r->ntargets > 1 ? " " : "", view_workload(c->r, o),
				 view_check_name(c->r, o));
	}
	if (n > ALSO_MAX)
		str_addf(&s, " and %u more", n - ALSO_MAX);
	if (s.len)
		view_add_line(c->out, "also:", s.s, c->o->width);
	str_release(&s);
}

static void add_blocks(struct console *c)
{
	struct console_options brief = *c->o;
	unsigned blocks = 0, more = 0;

	brief.brief = true;

	for (size_t i = 0; i < c->r->verdicts.n; i++) {
		const struct verdict *v = &c->r->verdicts.v[i];

		if (!view_is_bad(v))
			continue;
		if (blocks >= BLOCKS_MAX) {
			more++;
			continue;
		}
		if (told_before(c->r, i))
			continue;
		if (blocks++ == 0)
			str_addc(c->out, '\n');
		view_block(&c->view, v, &brief, c->out);
		add_also(c, i);
	}
	add_improvement(c);
	if (more)
		str_addf(c->out, "... and %u more; the documents have all\n", more);
	if (blocks)
		str_addc(c->out, '\n');
}

void report_console(const struct result *r, const struct console_options *o, struct str *out)
{
	struct console c = {.r = r, .o = o, .out = out};

	view_init(&c.view, r);
	add_heading(&c);
	add_attempts(&c);
	add_warnings(&c);
	add_age(&c);
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
	if (!o->rows)
		add_blocks(&c);
	view_release(&c.view);
}
