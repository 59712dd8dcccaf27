/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the person on call reads about a gate, in one sentence (DESIGN 3.6). */
#include "base/clock.h"
#include "gate/stored.h"
#include <math.h>

#define CREEP_SESSIONS 5u

static void add_change(struct str *s, const struct evidence *e, double change)
{
	if (e->scale.absolute)
		unit_format_signed(s, e->metric->unit, change);
	else
		units_add_signed(s, change * 100, 1);
}

void gate_add_loss(struct str *s, const struct evidence *e, double loss)
{
	if (e->scale.absolute)
		unit_format(s, e->metric->unit, loss);
	else
		str_addf(s, "%.1f %%", loss * 100);
}

void gate_add_head(struct str *s, const struct evidence *e, const struct verdict *v)
{
	const char *per_cent = e->scale.absolute ? "" : " %";

	str_addf(s, "%s ", e->title ? e->title : e->check->metric);
	add_change(s, e, v->change);
	str_addf(s, "%s [", per_cent);
	add_change(s, e, v->low);
	str_add(s, ", ");
	add_change(s, e, v->high);
	str_add(s, "], tolerance ");
	if (e->scale.absolute)
		unit_format(s, e->metric->unit, v->tolerance);
	else
		str_addf(s, "%.4g %%", v->tolerance * 100);
}

void gate_add_known(struct str *s, const struct judge *g, const struct evidence *e, bool covered)
{
	const struct check_known *k = &e->check->known;
	struct str day;

	if (!(k->no_worse_than > 0))
		return;
	str_init(&day);
	clock_format_utc(&day, k->until);
	if (covered)
		str_addf(s, ", known to be up to %.4g %% worse", k->no_worse_than * 100);
	else if (k->until != 0 && g->now > k->until)
		str_addf(s, ", known only until %.10s, a date that has passed", day.s);
	else
		str_addf(s, ", worse than the known %.4g %%", k->no_worse_than * 100);
	if (k->ticket && *k->ticket)
		str_addf(s, " (%s)", k->ticket);
	str_release(&day);
}

bool gate_too_coarse(const struct evidence *e, double upper)
{
	return scale_least(&e->scale, e->metric, e->step) > e->scale.delta && upper + e->step > 0;
}

void gate_add_steps(struct str *s, const struct evidence *e)
{
	double least = scale_least(&e->scale, e->metric, e->step);

	if (!gate_too_coarse(e, INFINITY))
		return;
	str_add(s, ", too coarse: the values come in steps of ");
	gate_add_loss(s, e, e->step);
	str_addf(s, ", and a pass takes a tolerance of %s of them, ",
		 least > e->step ? "five" : "one");
	gate_add_loss(s, e, scale_loss(&e->scale, least));
}

static void add_blocks(struct str *s, const struct verdict *v)
{
	if (v->look_sessions > 1)
		str_addf(s, ", %u %s", v->look_blocks,
			 v->look_blocks == 1 ? "boot" : "boots or days");
}

/* "3 new sessions, 1 boot": what of all sessions the numbers are made of. */
static void add_sessions(struct str *s, const struct verdict *v)
{
	str_addf(s, "%u new session%s", v->look_sessions, v->look_sessions == 1 ? "" : "s");
	add_blocks(s, v);
}

static void add_state(struct str *s, const struct judge *g, const struct evidence *e,
		      const struct stored_output *out, const struct verdict *v)
{
	switch (v->kind) {
	case VERDICT_REGRESSION:
	case VERDICT_KNOWN:
		str_add(s, ": worse beyond the tolerance, shown by ");
		add_sessions(s, v);
		gate_add_known(s, g, e, v->kind == VERDICT_KNOWN);
		break;
	case VERDICT_IMPROVEMENT:
		str_add(s, ": better beyond the tolerance, shown by ");
		add_sessions(s, v);
		/* one session more would move the level it is pooled into by its share only */
		str_add(s, "; ");
		judge_add_accept(g, " --new-epoch --reason TEXT", s);
		str_add(s, " makes it the level to keep");
		break;
	case VERDICT_INCONCLUSIVE:
		str_addf(s, ": undecided after %zu of at most %u new session%s", e->k, g->max,
			 g->max == 1 ? "" : "s");
		add_blocks(s, v);
		str_addf(s, ", leaning %s, a loss of ", v->leaning < 0 ? "fail" : "pass");
		gate_add_loss(s, e, v->excluded);
		str_add(s,
			out->state == SEQUENCE_PASS ? " would be excluded" : " cannot be excluded");
		gate_add_steps(s, e);
		break;
	default:
		str_add(s, ": a loss above ");
		gate_add_loss(s, e, v->excluded);
		str_add(s, " is excluded by ");
		add_sessions(s, v);
		break;
	}
}

/* Sessions of one boot show what the code does and what the boot brought, and cannot tell. */
static void add_one_boot(struct str *s, const struct verdict *v)
{
	if (v->one_boot)
		str_addf(s,
			 "; one boot: what it brought is in every new session, and the baseline is "
			 "of %u boots or days, so how often this is wrong is not claimed; a "
			 "session a boot (--sessions 1, then --with) tells them apart",
			 v->base_blocks);
}

/* A session in which the verdict leans fail would move the level it is judged by, and one of a
 * block that is there makes nothing less provisional: neither is a reason to accept it. */
static void add_provisional(struct str *s, const struct judge *g, const struct evidence *e,
			    const struct verdict *v)
{
	double sd = g->r->assumed_session_sd > 0 ? g->r->assumed_session_sd : 0.015;

	if (!v->provisional)
		return;
	str_addf(s,
		 "; provisional: %u of %u boots or days (%u session%s), assumes a session sd of "
		 "%.3g %%",
		 verdict_thin(v), BASELINE_BLOCKS, v->base_sessions,
		 v->base_sessions == 1 ? "" : "s", sd * 100);
	if (v->kind != VERDICT_INCONCLUSIVE || v->leaning < 0 || !judge_may_accept(g))
		return;
	if (e->adds_block) {
		str_add(s, ", ");
		judge_add_accept(g, "", s);
		str_add(s, " adds this one");
	} else {
		str_add(s, ", this one is of a boot and day that count already");
	}
}

/*
 * Creep: each accepted session moves the level and widens the noise a little, each new epoch a lot,
 * and ten of them can lose what none of them did. The oldest sessions of the first epoch are the
 * fixed point. This is said, and changes no verdict.
 */
static void add_creep(struct str *s, struct judge *g, const struct evidence *e, struct verdict *v)
{
	const char *text = judge_canonical(g, e->check->job);
	double *x, *work, loss;
	size_t n = 0;

	if (g->first.n == 0 || (g->b->epoch == 1 && e->nbase <= CREEP_SESSIONS))
		return;
	x = xcalloc(CREEP_SESSIONS, sizeof(*x));
	work = xcalloc(e->runs + 1, sizeof(*work));
	for (size_t i = 0; i < g->first.n && n < CREEP_SESSIONS; i++) {
		const struct base_job *j = g->first.job[i * g->r->njobs + e->check->job];
		const struct base_value *bv = j ? evidence_base_value(e, g, j) : NULL;

		if (bv && bv->n == e->runs && str_eq(j->canonical, text))
			x[n++] = estimate_session(&e->scale, bv->v, e->runs, work);
	}
	loss = n ? scale_orient(&e->scale, v->value) - estimate_median(x, n) : 0;
	if (isfinite(loss) && loss > e->scale.delta) {
		struct str said;

		str_init(&said);
		gate_add_loss(&said, e, scale_loss(&e->scale, loss));
		str_add(&said, " worse than the first sessions of the baseline");
		v->creep = arena_strdup(&g->r->arena, said.s);
		str_addf(s, "; %s", said.s);
		str_release(&said);
	}
	free(x);
	free(work);
}

/* What came after the decision, or after the last look, is no part of it. */
static void add_after(struct str *s, const struct judge *g, const struct evidence *e,
		      const struct stored_output *out)
{
	size_t after = out->decided_at ? e->n - (size_t)out->decided_at : 0;

	if (after > 0)
		str_addf(s, "; decided after session %d, %zu further one%s beside it:",
			 out->decided_at, after, after == 1 ? "" : "s");
	for (size_t i = e->n - after; i < e->n; i++) {
		str_add(s, i > e->n - after ? ", " : " ");
		if (isnan(e->fresh_x[i]))
			str_add(s, "no value");
		else
			unit_format(s, e->metric->unit, scale_value(&e->scale, e->fresh_x[i]));
	}
	if (e->beyond > 0)
		str_addf(s, "; %zu session%s beyond the %u of the sequence %s not judged",
			 e->beyond, e->beyond == 1 ? "" : "s", g->max,
			 e->beyond == 1 ? "is" : "are");
}

/* They change no verdict, and must not go unseen; as a red one takes two that agree, unless there
 * is one only. */
static void add_worse_after(struct str *s, const struct evidence *e,
			    const struct stored_output *out, struct verdict *v)
{
	double sum = 0, loss;
	size_t worse = 0, n;

	if (!out->decided_at || (v->kind != VERDICT_PASS && v->kind != VERDICT_IMPROVEMENT))
		return;
	n = e->n - (size_t)out->decided_at;
	for (size_t i = (size_t)out->decided_at; i < e->n; i++) {
		loss = e->fresh_x[i] - out->base_mean;
		if (loss > e->scale.delta) {
			sum += loss;
			worse++;
		}
	}
	if (worse == 0 || (worse == 1 && n > 1))
		return;
	v->worse_after = true;
	str_addf(s, "; WARNING: %zu of %zu behind the decision %s worse by ", worse, n,
		 worse == 1 ? "is" : "are");
	gate_add_loss(s, e, scale_loss(&e->scale, sum / (double)worse));
	str_add(s, ", beyond the tolerance: judge that as a change of its own");
}

void gate_sentence(struct judge *g, const struct evidence *e, const struct stored_output *out,
		   struct verdict *v, struct str *s)
{
	size_t changed;

	v->adjusted_by = e->raw.df > 0 ? g->r->jobs[e->check->job].adjust_by : NULL;
	gate_add_head(s, e, v);
	add_state(s, g, e, out, v);
	add_one_boot(s, v);
	adjust_sentence(e, g, out, s);
	add_after(s, g, e, out);
	add_worse_after(s, e, out, v);
	add_provisional(s, g, e, v);
	add_creep(s, g, e, v);
	if (e->left_out > 0)
		str_addf(s, "; %zu incomparable session%s of the baseline left out", e->left_out,
			 e->left_out == 1 ? "" : "s");
	if (e->expired > 0)
		str_addf(s, "; %zu expired session%s of the baseline left out", e->expired,
			 e->expired == 1 ? "" : "s");
	str_add(s, "; ");
	changed = s->len;
	judge_changes(g, e->base_session[e->nbase - 1], e->check->job, s);
	v->changed = arena_strdup(&g->r->arena, s->s + changed);
}
