/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cmd/selftest.h"

#include <math.h>
#include <stdlib.h>

#define DOUBT 0.05

static const struct verdict *verdict_of(const struct result *r, uint32_t check)
{
	for (size_t i = 0; i < r->verdicts.n; i++)
		if (r->verdicts.v[i].check == check && r->verdicts.v[i].job < r->njobs)
			return &r->verdicts.v[i];
	return NULL;
}

void tally_unchanged(struct tally *v, const struct result *r)
{
	for (uint32_t i = 0; i < r->nchecks; i++) {
		const struct check *c = &r->checks[i];
		const struct verdict *x = verdict_of(r, i);

		if (c->kind != CHECK_GATE || c->role != ROLE_PRIMARY || !x ||
		    x->kind == VERDICT_SKIPPED)
			continue;
		v[i].same++;
		if (x->kind == VERDICT_REGRESSION)
			v[i].false_red++;
		else if (x->kind != VERDICT_PASS && x->kind != VERDICT_IMPROVEMENT)
			v[i].undecided++;
	}
}

void tally_slowed(struct tally *v, const struct trials *t, uint32_t trial, const struct result *r)
{
	for (size_t i = 0; i < t->gates.n; i++) {
		const struct trial_gate *g = &t->gates.v[i];
		struct tally *y = &v[g->check];
		const struct verdict *x = g->trial == trial ? verdict_of(r, g->check) : NULL;
		struct str why;

		if (!x)
			continue;
		str_init(&why);
		y->slowed++;
		switch (trial_end(g, x, &why)) {
		case TRIAL_FOUND:
			y->found++;
			break;
		case TRIAL_UNDECIDED:
			y->open++;
			break;
		case TRIAL_MISSED:
			y->missed++;
			y->change = x->change;
			break;
		case TRIAL_UNTESTED:
			y->untested++;
			free(y->why);
			y->why = xstrdup(why.s);
			break;
		}
		str_release(&why);
	}
}

/* n of n: the lower 95 % limit of the true share is 0.05^(1/n); 0 of n: the upper one is what is
 * left. */
static double all_of(unsigned n)
{
	return pow(DOUBT, 1.0 / n);
}

static void add_unchanged(const struct tally *y, struct str *out)
{
	unsigned green = y->same - y->false_red - y->undecided;

	str_addf(out, "unchanged green in %u of %u", green, y->same);
	if (y->false_red)
		str_addf(out, ", RED ON UNCHANGED CODE in %u", y->false_red);
	if (y->undecided)
		str_addf(out, ", undecided on unchanged code in %u; see blkgate calibrate",
			 y->undecided);
}

static void add_slowed(const struct trial_gate *g, const struct tally *y, struct str *out)
{
	if (g->why) {
		str_addf(out, "; not tested: %s", g->why);
		return;
	}
	str_add(out, "; ");
	trial_add_inject(out, &g->in);
	str_addf(out, ", twice its tolerance: red in %u of %u", y->found, y->slowed);
	if (y->open)
		str_addf(out, ", undecided in %u", y->open);
	if (y->missed) {
		str_addf(out, ", GREEN in %u although I/O was slowed", y->missed);
		if (!g->absolute && isfinite(y->change))
			str_addf(out, " (%+.1f %%)", 100 * y->change);
	}
	if (y->untested)
		str_addf(out, "; not tested in %u: %s", y->untested, y->why);
}

static void add_claim(const char *of, unsigned same, unsigned red_same, unsigned slowed,
		      unsigned found, struct str *out)
{
	const char *sep = "";

	str_addf(out, "%s", of);
	if (slowed && found == slowed) {
		str_addf(out, "red in %.0f %% or more of such losses", 100 * all_of(slowed));
		sep = ", ";
	}
	if (same && red_same == 0)
		str_addf(out, "%sred in %.0f %% or less of unchanged code", sep,
			 100 * (1 - all_of(same)));
	else if (!*sep)
		str_add(out, "nothing");
	str_add(out, " (95 %)\n");
}

void tally_text(const struct tally *v, const struct trials *t, const struct plan *p,
		struct str *out)
{
	struct tally all = {0};

	for (size_t i = 0; i < t->gates.n; i++) {
		const struct trial_gate *g = &t->gates.v[i];
		const struct check *c = &p->checks[g->check];
		const struct tally *y = &v[g->check];

		str_addf(out, "%s %s %s: ", p->targets[p->jobs[c->job].target].role,
			 p->jobs[c->job].name, c->name);
		add_unchanged(y, out);
		add_slowed(g, y, out);
		str_addc(out, '\n');
		add_claim("  so many trials show: ", y->same, y->false_red, y->slowed, y->found,
			  out);
		all.same += y->same;
		all.false_red += y->false_red;
		all.undecided += y->undecided;
		all.slowed += y->slowed;
		all.found += y->found;
		all.missed += y->missed;
		all.untested += g->why || y->untested;
	}
	str_addf(out, "unchanged: %u of %u red, %u undecided\n", all.false_red, all.same,
		 all.undecided);
	str_addf(out,
		 "slowed by twice the tolerance of each gate: %u of %u red, %u not; %u gate%s not "
		 "tested\n",
		 all.found, all.slowed, all.missed, all.untested, all.untested == 1 ? "" : "s");
	add_claim("all together, taken as independent (gates of a session are not quite): ",
		  all.same, all.false_red, all.slowed, all.found, out);
}

enum exit_status tally_status(const struct tally *v, const struct trials *t, unsigned *gates)
{
	bool fails = false, open = false;

	*gates = (unsigned)t->gates.n;
	for (size_t i = 0; i < t->gates.n; i++) {
		const struct tally *y = &v[t->gates.v[i].check];

		fails |= y->false_red || y->missed;
		/* What was not shown red is not shown. */
		open |= y->undecided || y->found == 0 || y->untested || y->found < y->slowed;
	}
	if (*gates == 0)
		return STATUS_ERROR;
	if (fails)
		return STATUS_REGRESSION;
	return open ? STATUS_INCONCLUSIVE : STATUS_PASS;
}
