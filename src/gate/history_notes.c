/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a row of results says about a gate that a single one cannot. */
#include "gate/history.h"
#include "base/clock.h"
#include "gate/baseline_file.h"
#include "gate/dist.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define STREAK 3u              /* results in a row */
#define HEALTH_LEVEL (1. / 32) /* of the sign test: six on one side and none on the other */

/* The past of one gate, newest first; the result in hand is [0]. */
struct row {
	VEC(struct history_gate) v;
	VEC(int64_t) started;
};

static int by_gate(const void *a, const void *b)
{
	const struct history_gate *x = *(const struct history_gate *const *)a,
				  *y = *(const struct history_gate *const *)b;
	int order = strcmp(x->workload, y->workload);

	order = order ? order : strcmp(x->metric, y->metric);
	return order ? order : strcmp(x->target, y->target);
}

/* The gates of each entry in the order of by_gate, for thousands of gates are looked up in each. */
struct lookup {
	const struct history *h;
	const struct history_gate ***of;
};

static struct lookup lookup_open(const struct history *h)
{
	struct lookup l = {h, xcalloc(h->entries.n + 1, sizeof(*l.of))};

	for (size_t i = 0; i < h->entries.n; i++) {
		const struct history_entry *x = &h->entries.v[i];

		l.of[i] = xcalloc(x->gates.n + 1, sizeof(*l.of[i]));
		for (size_t k = 0; k < x->gates.n; k++)
			l.of[i][k] = &x->gates.v[k];
		qsort(l.of[i], x->gates.n, sizeof(*l.of[i]), by_gate);
	}
	return l;
}

static void lookup_close(struct lookup *l)
{
	for (size_t i = 0; i < l->h->entries.n; i++)
		free(l->of[i]);
	free(l->of);
}

static const struct history_gate *find(const struct lookup *l, size_t entry,
				       const struct history_gate *g)
{
	const struct history_gate *const *found =
		bsearch(&g, l->of[entry], l->h->entries.v[entry].gates.n, sizeof(g), by_gate);

	return found ? *found : NULL;
}

static struct history_gate gate_now(const struct result *r, const struct verdict *v)
{
	const struct check *c = &r->checks[v->check];
	const struct metric *m = metric_find(c->metric);
	struct history_gate g = {.target = r->targets[r->jobs[v->job].target].role,
				 .workload = r->jobs[v->job].name,
				 .metric = c->metric,
				 .verdict = verdict_name(v->kind),
				 .loss = NAN};

	if (m && m->better != BETTER_NONE)
		g.loss = m->better == BETTER_HIGHER ? -v->change : v->change;
	g.beyond = g.loss > c->tolerance ? 1 : g.loss < -c->tolerance ? -1 : 0;
	return g;
}

static void gather(const struct lookup *l, const struct result *r, const struct verdict *v,
		   struct row *row)
{
	const struct history *h = l->h;
	struct history_gate now = gate_now(r, v);

	*row = (struct row){0};
	*VEC_PUSH(&row->v) = now;
	*VEC_PUSH(&row->started) = r->sessions.n ? r->sessions.v[0].started : r->started;
	for (size_t i = h->entries.n; i-- > 0;) {
		const struct history_entry *x = &h->entries.v[i];
		const struct history_gate *g;

		if (r->sessions.n && str_eq(x->session, r->sessions.v[0].id))
			continue; /* this result itself, judged again */
		g = find(l, i, &now);
		if (!g)
			continue;
		*VEC_PUSH(&row->v) = *g;
		*VEC_PUSH(&row->started) = x->started;
	}
}

static size_t streak(const struct row *row, bool (*is)(const struct history_gate *g))
{
	size_t n = 0;

	while (n < row->v.n && is(&row->v.v[n]))
		n++;
	return n;
}

static bool is_red(const struct history_gate *g)
{
	return str_eq(g->verdict, verdict_name(VERDICT_REGRESSION)) ||
	       str_eq(g->verdict, verdict_name(VERDICT_KNOWN));
}
static bool is_gain(const struct history_gate *g)
{
	return g->beyond < 0;
}
static bool is_undecided(const struct history_gate *g)
{
	return str_eq(g->verdict, verdict_name(VERDICT_INCONCLUSIVE));
}

static void say(struct str *out, const struct row *row, size_t n, const char *what,
		const char *then)
{
	const struct history_gate *g = &row->v.v[0];
	struct str date;

	str_init(&date);
	clock_format_utc(&date, row->started.v[n - 1]);
	baseline_add_gate(out, g->target, g->workload, g->metric);
	str_addf(out, ": %s in %zu results, since %.10s%s\n", what, n, date.s, then);
	str_release(&date);
}

static size_t health(struct str *out, const struct row *row)
{
	const struct history_gate *g = &row->v.v[0];
	size_t worse = 0, better = 0, fewer;

	for (size_t i = 0; i < row->v.n; i++) {
		worse += row->v.v[i].beyond > 0;
		better += row->v.v[i].beyond < 0;
	}
	fewer = worse > better ? better : worse;
	if (dist_sign_test(fewer, worse + better) > HEALTH_LEVEL * (1 + 1e-9))
		return 0;
	baseline_add_gate(out, g->target, g->workload, g->metric);
	str_addf(out,
		 ": gate health: of %zu results %zu lay beyond the tolerance on the worse side and "
		 "%zu "
		 "on the better one; on unchanged code both are alike, so the baseline and now "
		 "differ "
		 "by more than the change\n",
		 row->v.n, worse, better);
	return 1;
}

static size_t note(struct str *out, const struct row *row)
{
	size_t n = streak(row, is_red), lines = 0;

	if (n >= STREAK) {
		say(out, row, n, "red", "");
		return 1; /* what is known to be worse needs no other word */
	}
	n = streak(row, is_gain);
	if (n >= STREAK) {
		say(out, row, n, "better by more than the tolerance",
		    "; the gain is unguarded: accept with --new-epoch --reason TEXT");
		return 1;
	}
	n = streak(row, is_undecided);
	if (n >= STREAK) {
		say(out, row, n, "undecided", "; `blkgate calibrate SUITE` names the cure");
		lines++;
	}
	return lines + health(out, row);
}

size_t history_notes(const struct history *h, const struct result *r, struct str *out)
{
	struct lookup l = lookup_open(h);
	size_t lines = 0;

	for (size_t i = 0; i < r->verdicts.n; i++) {
		const struct verdict *v = &r->verdicts.v[i];
		struct row row;

		if (v->job >= r->njobs || v->check >= r->nchecks ||
		    r->checks[v->check].kind != CHECK_GATE || r->jobs[v->job].target >= r->ntargets)
			continue;
		gather(&l, r, v, &row);
		lines += note(out, &row);
		VEC_RELEASE(&row.v);
		VEC_RELEASE(&row.started);
	}
	lookup_close(&l);
	return lines;
}
