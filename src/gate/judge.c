/* SPDX-License-Identifier: GPL-2.0-or-later */
/* gate_judge: job by job the measurement, then its checks; then what is missing; then the status.
 */
#include "gate/environment.h"
#include "gate/expiry.h"
#include "gate/pooling.h"

/* A later session failed. A loss that the sessions before it showed stands: what is added behind a
 * decision does not undo it. Nothing else is judged then. */
static bool lost_before(struct judge *g, const struct check *c, const struct verdict *measure,
			struct verdict *v)
{
	struct verdict before = *v;

	if (c->skipped || c->job >= g->r->njobs || g->whole[c->job] == 0)
		return false;
	if (c->kind == CHECK_GATE)
		verdict_gate(g, c, &before);
	else
		verdict_missed_before(g, c, &before);
	if (before.kind != VERDICT_REGRESSION && before.kind != VERDICT_MISSED)
		return false;
	*v = before;
	v->text = arena_printf(&g->r->arena,
			       "%s; a later measurement failed, which changes nothing (%s)",
			       v->text, measure->text);
	return true;
}

/* measure: what the measurement of its job came to. */
static void judge_check(struct judge *g, uint32_t check, size_t measure)
{
	struct result *r = g->r;
	const struct check *c = &r->checks[check];
	struct verdict *v = verdict_new(r, c->job, check);
	const struct verdict *m = &r->verdicts.v[measure];

	/* skipped on its own target, it may be measured on the others */
	if (m->kind != VERDICT_PASS &&
	    !(c->spread && !c->skipped && r->jobs[c->job].state == JOB_SKIPPED)) {
		if (!lost_before(g, c, m, v))
			verdict_say(r, v, VERDICT_SKIPPED, NULL, "not judged");
	} else if (c->skipped) {
		verdict_say(r, v, VERDICT_SKIPPED, NULL, "%s", c->skipped);
	} else if (c->kind == CHECK_GATE) {
		verdict_gate(g, c, v);
	} else {
		verdict_expect(g, c, v);
	}
	verdict_clouded(g, c->job, v);
	verdict_finish(r, c, v);
}

static size_t judge_measure(struct judge *g, uint32_t job, bool checked)
{
	struct verdict *v = verdict_new(g->r, job, VERDICT_MEASURE);

	verdict_measure(g, job, v);
	verdict_finish(g->r, NULL, v);
	v->measured_only = v->kind == VERDICT_PASS && !checked;
	return g->r->verdicts.n - 1;
}

/* Checks of each job in their order, whatever the order of the array: *first has njobs + 1 entries.
 */
static uint32_t *group_checks(const struct result *r, size_t **first)
{
	uint32_t *v = xcalloc(r->nchecks + 1, sizeof(*v));
	size_t *at = xcalloc(r->njobs + 2, sizeof(*at));

	*first = xcalloc(r->njobs + 2, sizeof(**first));
	for (size_t i = 0; i < r->nchecks; i++)
		if (r->checks[i].job < r->njobs)
			(*first)[r->checks[i].job + 1]++;
	for (size_t j = 0; j < r->njobs; j++)
		at[j + 1] = (*first)[j + 1] += (*first)[j];
	for (uint32_t i = 0; i < r->nchecks; i++)
		if (r->checks[i].job < r->njobs)
			v[at[r->checks[i].job]++] = i;
	free(at);
	return v;
}

/* A check of no job cannot be judged, and must not vanish either. */
static void judge_stray(struct result *r)
{
	for (uint32_t i = 0; i < r->nchecks; i++) {
		struct verdict *v;

		if (r->checks[i].job < r->njobs)
			continue;
		v = verdict_new(r, UINT32_MAX, i);
		verdict_say(r, v, VERDICT_ERROR, "missing",
			    "%s belongs to no workload of this result", r->checks[i].name);
		verdict_finish(r, NULL, v);
	}
}

static void note_age(struct judge *g)
{
	struct str s;

	g->r->baseline_age = NULL;
	if (!g->b)
		return;
	str_init(&s);
	if (expiry_note(&g->expiry, g->b, g->r, &s))
		g->r->baseline_age = arena_strdup(&g->r->arena, s.s);
	str_release(&s);
}

static enum exit_status overall(const struct result *r)
{
	enum exit_status s = STATUS_PASS;
	size_t measured = 0;

	for (size_t i = 0; i < r->verdicts.n; i++) {
		const struct verdict *v = &r->verdicts.v[i];

		s = status_worse(s, v->status);
		measured += v->job < r->njobs && v->check == VERDICT_MEASURE &&
			    v->kind != VERDICT_SKIPPED;
	}
	if (measured == 0) /* all skipped: nothing was measured */
		s = status_worse(s, STATUS_ERROR);
	if (r->setup_error)
		s = status_worse(s,
				 r->setup_status != STATUS_PASS ? r->setup_status : STATUS_ERROR);
	/* What came after the last record is not known: neither the state of the target nor of the
	 * host. */
	if (r->unfinished)
		s = status_worse(s, STATUS_ERROR);
	/* a run failed in it, which is an error already, or a record of it is not there */
	for (size_t i = 0; i < r->sessions.n; i++)
		if (!r->sessions.v[i].complete)
			s = status_worse(s, STATUS_ERROR);
	return r->interrupted ? STATUS_INTERRUPTED : s;
}

static bool all_stored(const struct result *r, const struct baseline *b)
{
	size_t n = 0;

	for (size_t i = 0; b && i < b->n; i++)
		n += !b->sessions[i].retired_jobs && judge_own_session(r, b->sessions[i].id);
	return n > 0 && n >= r->sessions.n;
}

void gate_judge(struct result *r, const struct baseline *b, const struct gate_options *o)
{
	struct judge g;
	size_t *first;
	uint32_t *checks;

	if (r->interleave.kind != INTERLEAVE_NONE)
		b = NULL;
	r->verdicts.n = 0;
	r->baseline_digest = b && *b->digest ? arena_strdup(&r->arena, b->digest) : NULL;
	judge_open(&g, r, b, o);
	checks = group_checks(r, &first);
	for (uint32_t job = 0; job < r->njobs; job++) {
		size_t measure = judge_measure(&g, job, first[job + 1] > first[job]);

		for (size_t i = first[job]; i < first[job + 1]; i++)
			judge_check(&g, checks[i], measure);
	}
	judge_stray(r);
	environment_judge(&g);
	verdict_missing(&g);
	note_age(&g);
	free(checks);
	free(first);
	judge_close(&g);
	r->stored = all_stored(r, b);
	r->status = overall(r);
	r->may_continue = pooling_usable(r, "", &(struct err){0}) == 0;
}

bool gate_wants_session(const struct result *r, uint32_t job)
{
	bool canary = job < r->njobs && r->jobs[job].canary && r->jobs[job].state == JOB_READY;

	for (size_t i = 0; i < r->verdicts.n; i++) {
		const struct verdict *v = &r->verdicts.v[i];

		if (v->wants_session && (v->job == job || canary))
			return true;
	}
	return false;
}

static void count_check(const struct verdict *v, struct gate_counts *c)
{
	uint32_t *of[] = {
		[VERDICT_NONE] = &c->error,
		[VERDICT_PASS] = &c->pass,
		[VERDICT_IMPROVEMENT] = &c->improvement,
		[VERDICT_REGRESSION] = &c->regression,
		[VERDICT_KNOWN] = &c->known,
		[VERDICT_MISSED] = &c->missed,
		[VERDICT_INCONCLUSIVE] = &c->inconclusive,
		[VERDICT_NO_BASELINE] = &c->no_baseline,
		[VERDICT_INCOMPARABLE] = &c->no_baseline,
		[VERDICT_ERROR] = &c->error,
		[VERDICT_SKIPPED] = &c->skipped,
	};

	if (v->watch && v->kind != VERDICT_ERROR && v->kind != VERDICT_SKIPPED)
		c->watch++;
	else
		(*of[v->kind])++;
}

void gate_count(const struct result *r, struct gate_counts *c)
{
	*c = (struct gate_counts){0};
	for (size_t i = 0; i < r->verdicts.n; i++) {
		const struct verdict *v = &r->verdicts.v[i];

		if (v->check == VERDICT_MEASURE && v->kind == VERDICT_PASS)
			c->measured++;
		else
			count_check(v, c);
	}
}
