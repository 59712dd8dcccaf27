/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "session/trial.h"
#include "engines/engine.h"
#include "measure/metric.h"

#include <math.h>
#include <stdlib.h>

/* More is not slowed down but stopped. */
#define SLOW_MAX 0.95
/* On the scale of the verdict, in parts of what was meant: outside, something else was tested. */
#define LESS 0.5
#define MORE 1.5

static bool is_rate(const struct metric *m)
{
	return m->source == SOURCE_IOS || m->source == SOURCE_BYTES || m->source == SOURCE_SLOTS;
}

static bool is_latency(const struct metric *m)
{
	return (m->source == SOURCE_CLAT || m->source == SOURCE_LAT || m->source == SOURCE_SYNC) &&
	       m->stat != STAT_STDDEV;
}

/* I/Os that a thread has in flight. */
static unsigned depth_of(const struct job *j)
{
	const struct engine *g = engine_find(j->ioengine);

	return g && (g->caps & ENGINE_SYNC) ? 1 : j->iodepth;
}

static void slow_down(struct trial_gate *g, const struct job *j, double share)
{
	if (!(share < SLOW_MAX)) {
		g->why = "twice its tolerance is all there is";
		return;
	}
	g->in.slow = share;
	/* Threads that share a device hide each other's pauses; a thinktime is not stretched. */
	g->sure = j->numjobs == 1 && j->thinktime == 0;
}

static void rate(struct trial_gate *g, const struct job *j, const struct check *c, double level)
{
	double share = c->absolute ? 2 * c->tolerance / level : 1 - pow(1 - c->tolerance, 2);

	g->aim = c->absolute ? -2 * c->tolerance : -share;
	slow_down(g, j, share);
}

static void delay(struct trial_gate *g, double ns, bool sure)
{
	if (ns < 1) {
		g->why = "twice its tolerance is no time";
		return;
	}
	g->in.delay = (uint64_t)llround(ns);
	g->sure = sure;
}

/* Alone in flight, each I/O is later by what it is held for, and so is every quantile. Deeper, a
 * thread is held as a whole: by Little's law the mean grows with what the rate loses, the quantiles
 * by nobody knows what. */
static void latency(struct trial_gate *g, const struct job *j, const struct check *c,
		    const struct metric *m, double level)
{
	double more = c->absolute ? 2 * c->tolerance : (pow(1 + c->tolerance, 2) - 1) * level;
	bool paced = j->rate > 0 || j->rate_iops > 0 || j->thinktime > 0;

	g->aim = c->absolute ? more : more / level;
	if (j->numjobs == 1 && (depth_of(j) == 1 || m->source == SOURCE_SYNC))
		delay(g, more, !(j->rate > 0));
	else if (m->stat == STAT_MEAN && m->source != SOURCE_SYNC && !paced)
		slow_down(g, j, more / (level + more));
	else
		g->why = "several I/Os are in flight: no injection moves it by a known amount";
}

/* A thread that is held for so long sees no completion for so long. */
static void stall(struct trial_gate *g, const struct job *j, const struct check *c, double level)
{
	bool alone = j->numjobs == 1 && depth_of(j) == 1;
	double more = c->absolute ? 2 * c->tolerance : (pow(1 + c->tolerance, 2) - 1) * level;

	g->aim = c->absolute ? more : more / level;
	if (alone || level < more / 4)
		delay(g, more, alone);
	else
		g->why =
			"several I/Os are in flight, and it is long already: no injection moves it "
			"by a known amount";
}

static void choose(struct trial_gate *g, const struct plan *p, double level)
{
	const struct check *c = &p->checks[g->check];
	const struct job *j = &p->jobs[c->job];
	const struct metric *m = metric_find(c->metric);
	bool relative_rate = m && is_rate(m) && !c->absolute;

	g->absolute = c->absolute;
	if (!m || !(c->tolerance > 0))
		g->why = "it is no gate that can turn red";
	else if (c->known.no_worse_than > 0)
		g->why = "a `known` entry lets a loss through";
	else if (!relative_rate && !(level > 0))
		g->why = "its level is not known, or 0";
	else if (is_rate(m))
		rate(g, j, c, level);
	else if (is_latency(m) && !j->total)
		latency(g, j, c, m, level);
	else if (m->source == SOURCE_STALL && !j->total)
		stall(g, j, c, level);
	else
		g->why = "no injection moves it by a known amount";
}

/* What has to run together, by its first job. */
static uint32_t unit_of(const struct plan *p, uint32_t job)
{
	for (uint32_t i = 0; i < job && p->jobs[job].group; i++)
		if (p->jobs[i].group == p->jobs[job].group)
			return i;
	return job;
}

static bool same_inject(const struct inject *a, const struct inject *b)
{
	return fabs(a->slow - b->slow) < 1e-9 && a->delay == b->delay;
}

/* Of what runs together one workload is slowed at a time: the others would gain by it. */
static void place(struct trials *t, const struct plan *p, struct trial_gate *g, uint32_t *next)
{
	uint32_t job = p->checks[g->check].job;

	for (size_t i = 0; i < t->gates.n; i++) {
		const struct trial_gate *o = &t->gates.v[i];

		if (o == g || o->trial == TRIAL_NONE || p->checks[o->check].job != job ||
		    !same_inject(&o->in, &g->in))
			continue;
		g->trial = o->trial;
		return;
	}
	g->trial = next[unit_of(p, job)]++;
	if (g->trial >= t->n)
		t->n = g->trial + 1;
}

/* Canaries come behind all others: one that moves with them would excuse them. */
static void place_all(struct trials *t, const struct plan *p, bool canaries)
{
	uint32_t *next = xcalloc(p->njobs + 1, sizeof(*next)), first = t->n;

	for (size_t i = 0; i < p->njobs; i++)
		next[i] = first;
	for (size_t i = 0; i < t->gates.n; i++) {
		struct trial_gate *g = &t->gates.v[i];

		if (!g->why && p->jobs[p->checks[g->check].job].canary == canaries)
			place(t, p, g, next);
	}
	free(next);
}

void trials_plan(const struct plan *p, const struct trial_known *known, struct trials *t)
{
	*t = (struct trials){0};
	for (uint32_t i = 0; i < p->nchecks; i++) {
		const struct check *c = &p->checks[i];
		struct trial_gate *g;

		if (c->kind != CHECK_GATE || c->role != ROLE_PRIMARY || c->skipped ||
		    !known[i].judged || c->job >= p->njobs || p->jobs[c->job].state != JOB_READY)
			continue;
		g = VEC_PUSH(&t->gates);
		*g = (struct trial_gate){.check = i, .trial = TRIAL_NONE};
		choose(g, p, known[i].level);
	}
	place_all(t, p, false);
	place_all(t, p, true);
}

void trials_release(struct trials *t)
{
	VEC_RELEASE(&t->gates);
	*t = (struct trials){0};
}

void trials_inject(const struct trials *t, const struct plan *p, uint32_t trial, struct inject *in,
		   bool *needed)
{
	for (size_t i = 0; i < p->njobs; i++) {
		in[i] = INJECT_NONE;
		needed[i] = p->jobs[i].canary;
	}
	for (size_t i = 0; i < t->gates.n; i++) {
		const struct trial_gate *g = &t->gates.v[i];
		uint32_t job = p->checks[g->check].job, group = p->jobs[job].group;

		if (g->trial != trial)
			continue;
		needed[job] = true;
		in[job] = g->in;
		for (size_t k = 0; group && k < p->njobs; k++) {
			if (p->jobs[k].group != group)
				continue;
			needed[k] = true;
			if (p->jobs[job].total) /* a sum falls by the share that all its parts do */
				in[k] = g->in;
		}
	}
}

/* The change over what was meant, on the scale of the verdict. */
static double moved(const struct trial_gate *g, double change)
{
	return g->absolute ? change / g->aim : log1p(change) / log1p(g->aim);
}

static void add_amount(struct str *out, const struct trial_gate *g, double change)
{
	if (g->absolute)
		str_addf(out, "%+.3g", change / g->aim);
	else
		str_addf(out, "%+.1f %%", 100 * change);
}

enum trial_end trial_end(const struct trial_gate *g, const struct verdict *v, struct str *why)
{
	bool red = v->kind == VERDICT_REGRESSION;
	double part = moved(g, v->change);

	if (v->judged) {
		str_addf(why, "it is judged by %s, which the injection need not move so",
			 v->judged);
		return TRIAL_UNTESTED;
	}
	if (v->kind == VERDICT_ERROR || isnan(part)) {
		str_addf(why, "slowed, it could not be judged: %s", v->text);
		return TRIAL_UNTESTED;
	}
	if (red && (g->sure || part <= MORE))
		return TRIAL_FOUND;
	if (!red && (g->sure || part >= LESS))
		return v->kind == VERDICT_INCONCLUSIVE ? TRIAL_UNDECIDED : TRIAL_MISSED;
	str_add(why, "the injection moved it by ");
	add_amount(why, g, v->change);
	str_add(why, g->absolute ? " times what was meant" : ", not by ");
	if (!g->absolute)
		add_amount(why, g, g->aim);
	return TRIAL_UNTESTED;
}

void trial_add_inject(struct str *out, const struct inject *in)
{
	if (in->slow > 0)
		str_addf(out, "slow=%.4g%%", 100 * in->slow);
	else {
		str_add(out, "delay=");
		unit_format(out, UNIT_TIME, (double)in->delay);
	}
}
