/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * plan/expects: expectations of a workload to checks of a job: the limit, or the share of a
 * datasheet figure or of a bandwidth of the target.
 */
#include "plan/planner.h"

#include <math.h>
#include <stdlib.h>

static const struct datasheet *datasheet_find(const struct suite *s, const char *name)
{
	for (size_t i = 0; i < s->datasheet.n; i++)
		if (strcmp(s->datasheet.v[i].name, name) == 0)
			return &s->datasheet.v[i];
	return NULL;
}

static bool reference_datasheet(struct planner *pl, const struct expr *x, const struct metric *m,
				const char *name, struct check *c)
{
	const struct datasheet *ds = datasheet_find(pl->s, name);
	const char *nearest;
	struct diag *d;

	if (ds && ds->unit == m->unit) {
		c->reference = ds->value;
		return true;
	}
	if (ds) {
		planner_report(pl, x->line, x->column, "'%s': %s is in %s, and datasheet.%s in %s",
			       x->text, m->name, unit_name(m->unit), name, unit_name(ds->unit));
		return false;
	}
	d = planner_report(pl, x->line, x->column, "'%s': the suite's datasheet has no '%s'",
			   x->text, name);
	if (d) {
		const char **names = xcalloc(pl->s->datasheet.n + 1, sizeof(*names));

		for (size_t i = 0; i < pl->s->datasheet.n; i++)
			names[i] = pl->s->datasheet.v[i].name;
		nearest = str_nearest(name, names, pl->s->datasheet.n);
		free(names);
		diag_hint(d,
			  nearest ? "did you mean 'datasheet.%s'?"
				  : "add `datasheet: {%s: 3230 MB/s}`",
			  nearest ? nearest : name);
	}
	return false;
}

/* link, upstream: known from the target, or the check says that they are not. */
static bool reference_link(struct planner *pl, const struct expr *x, const struct metric *m,
			   struct check *c)
{
	uint32_t target = pl->p->jobs[c->job].target;
	const struct target *t = &pl->p->targets[target];
	const struct fact *f;
	struct diag *d;

	if (m->unit != UNIT_BW) {
		d = planner_report(pl, x->line, x->column,
				   "'%s': %s is in %s, and %s is a bandwidth", x->text, m->name,
				   unit_name(m->unit), x->percent_of);
		if (d)
			diag_hint(d, "`read.bw >= 80%% of %s`", x->percent_of);
		return false;
	}
	c->reference = (*x->percent_of == 'l' ? pl->link : pl->upstream)[target];
	if (!isnan(c->reference))
		return true;
	f = facts_find(&t->facts, *x->percent_of == 'l' ? "link.bandwidth" : "upstream.bandwidth");
	c->reference_why = arena_printf(pl->a, "the bandwidth of %s is not known on '%s': %s",
					x->percent_of, t->role,
					pl->p->jobs[c->job].total ? "one of them does not tell"
					: !f                      ? "nothing tells"
					: f->why                  ? f->why
								  : "the target has no link");
	return true;
}

/* One drive's figure, or that of a link which the targets may share, is none of their sum. */
static bool reference_of_total(struct planner *pl, const struct expr *x)
{
	struct diag *d;

	if (!x->all_targets || str_eq(x->percent_of, "link"))
		return true;
	d = planner_report(pl, x->line, x->column, "'%s': %s is no figure of all targets together",
			   x->text, x->percent_of);
	if (d)
		diag_hint(d, "write the figure itself, or a share of 'link', which is their sum");
	return false;
}

/* Only what may be better on either side of 0 can be below it. */
static int limit_parse(const struct metric *m, const char *text, double *out, struct err *e)
{
	bool below = m->better == BETTER_ZERO && *text == '-';
	int rc = unit_parse(m->unit, text + below, out, e);

	if (rc == 0 && below)
		*out = -*out;
	return rc;
}

static bool expect_limit(struct planner *pl, const struct expr *x, const struct metric *m,
			 struct check *c)
{
	struct err e = ERR_INIT;
	struct diag *d;

	c->reference = NAN;
	if (x->percent_of) {
		c->limit = x->ratio;
		c->percent_of = x->percent_of;
		if (!reference_of_total(pl, x))
			return false;
		if (str_starts(x->percent_of, "datasheet.")) {
			if (!reference_datasheet(pl, x, m, x->percent_of + strlen("datasheet."), c))
				return false;
		} else if (!reference_link(pl, x, m, c)) {
			return false;
		}
	} else if (limit_parse(m, x->value, &c->limit, &e) < 0) {
		d = planner_report(pl, x->line, x->column, "'%s': '%s' does not fit %s: %s",
				   x->text, x->value, m->name, e.text);
		if (d && e.hint[0])
			diag_hint(d, "%s", e.hint);
		return false;
	}
	if (m->better != BETTER_ZERO && (x->op == OP_GE || x->op == OP_GT) && c->limit <= 0 &&
	    !(x->op == OP_GT && c->limit == 0)) {
		planner_report(pl, x->line, x->column,
			       "'%s' cannot fail: no measured value is below zero", x->text);
		return false;
	}
	return true;
}

static bool spread_limit(struct planner *pl, const struct expr *x, const struct metric *m,
			 struct check *c)
{
	struct err e = ERR_INIT;
	struct diag *d;

	c->spread = true;
	c->reference = NAN;
	if (m->better == BETTER_ZERO) {
		planner_report(pl, x->line, x->column,
			       "'%s': %s lies around 0, and a share of that means nothing", x->text,
			       m->name);
		return false;
	}
	if (unit_parse(UNIT_RATIO, x->value, &c->limit, &e) == 0 && c->limit > 0)
		return true;
	d = planner_report(pl, x->line, x->column,
			   "'%s': a spread is a share of the median, above 0", x->text);
	if (d)
		diag_hint(d, "`spread(%s) <= 20%%`", x->subject);
	return false;
}

static const char *expect_name(struct planner *pl, const struct expr *x, const struct metric *m)
{
	if (x->spread)
		return arena_printf(pl->a, "expect spread(%s) max", m->name);

	unsigned max = x->op == OP_LE || x->op == OP_LT;
	const char **slot = &pl->expect_names[metric_index(m) * 4 + max * 2 + x->every_run];
	const char *every = x->every_run ? " every run" : "", *way = max ? "max" : "min";

	if (x->percent_of)
		return arena_printf(pl->a, "expect %s %s of %s%s", m->name, way, x->percent_of,
				    every);
	if (!*slot)
		*slot = arena_printf(pl->a, "expect %s %s%s", m->name, way, every);
	return *slot;
}

static bool spread_valid(struct planner *pl, const struct expr *x)
{
	struct diag *d;

	if (x->every_run || x->all_targets)
		d = planner_report(pl, x->line, x->column,
				   "'%s': a spread is of the medians, over all targets", x->text);
	else if (x->percent_of)
		d = planner_report(pl, x->line, x->column,
				   "'%s': a spread is a share of the median of the targets",
				   x->text);
	else if (x->op != OP_LE && x->op != OP_LT)
		d = planner_report(pl, x->line, x->column,
				   "'%s': a spread is missed when it is large", x->text);
	else
		return true;
	if (d)
		diag_hint(d, "`spread(%s) <= 20%%`", x->subject);
	return false;
}

/* One target has none, and a check that cannot fail would be green. */
static bool spread_has_targets(struct planner *pl, const struct expr *x)
{
	struct diag *d;

	if (pl->o->lint_only || pl->ntargets > 1)
		return true;
	d = planner_report(pl, x->line, x->column, "'%s': one target has no spread", x->text);
	if (d)
		diag_hint(d, "`--target a=... --target b=...`: it takes two at least");
	return false;
}

static bool expect_valid(struct planner *pl, const struct expr *x)
{
	struct diag *d = NULL;

	if (x->spread)
		return spread_valid(pl, x);
	if (x->op == OP_EQ || x->op == OP_NE)
		d = planner_report(pl, x->line, x->column,
				   "'%s': a measured value is never exactly equal", x->text);
	else
		return true;
	if (d)
		diag_hint(d, "use >= or <=");
	return false;
}

void expect_make(struct planner *pl, const struct expr *x, uint32_t job)
{
	const struct metric *m[DIR_COUNT];
	int n;

	if (!expect_valid(pl, x) || (x->spread && !spread_has_targets(pl, x)))
		return;
	n = checks_metrics(pl, x->subject, x->line, x->column, &pl->p->jobs[job], m);
	for (int i = 0; i < n; i++) {
		struct check c = {.job = job,
				  .kind = CHECK_EXPECT,
				  .metric = m[i]->name,
				  .text = x->text,
				  .line = x->line,
				  .op = x->op,
				  .every_run = x->every_run};

		if (!(x->spread ? spread_limit : expect_limit)(pl, x, m[i], &c))
			continue;
		c.name = expect_name(pl, x, m[i]);
		if (checks_name_free(pl, &c))
			checks_add(pl, &c);
		else
			planner_report(pl, x->line, x->column,
				       "'%s': two %s of %s%s%s in workload '%s'", x->text,
				       x->op == OP_LE || x->op == OP_LT ? "ceilings" : "floors",
				       m[i]->name, x->percent_of ? " of " : "",
				       x->percent_of ? x->percent_of : "", pl->p->jobs[job].name);
	}
}
