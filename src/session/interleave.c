/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * session/interleave: two arms in turns. A pair is one run of each arm, one behind the other, ABBA
 * with a first arm that is drawn; workloads that are not decided yet take turns within each pair,
 * in an order drawn anew. After the pairs of each look all is judged.
 */
#include "session/conductor.h"

#include "base/clock.h"
#include "base/rng.h"
#include "gate/interleaved.h"

#include <stdio.h>
#include <stdlib.h>

/* One workload, or what runs at the same time as it, in both arms. */
struct duo {
	struct order_entry *of[ARM_COUNT];
	size_t n;
};

static bool alive(const struct conductor *c, uint32_t job)
{
	return c->p->jobs[job].state == JOB_READY && c->partner[job] != UINT32_MAX &&
	       !c->failed[job] && !c->failed[c->partner[job]];
}

static bool wanted(const struct conductor *c, uint32_t job)
{
	return gate_wants_session(c->r, job) || gate_wants_session(c->r, c->partner[job]);
}

/* Which jobs have a further pair; false when none needs one. Before the first look all have. */
static bool choose(struct conductor *c, bool all)
{
	bool any = false;

	for (uint32_t i = 0; i < c->p->njobs; i++) {
		c->chosen[i] = alive(c, i) && (all || wanted(c, i));
		any |= c->chosen[i];
	}
	for (uint32_t i = 0; any && i < c->p->njobs; i++)
		for (uint32_t k = c->ring[i]; c->chosen[i] && k != i; k = c->ring[k])
			if (alive(c, k))
				c->chosen[k] = c->chosen[c->partner[k]] = true;
	return any;
}

/* Of both arms the reference stands for the pair, of a group its first job. */
static bool leads(const struct conductor *c, uint32_t i)
{
	const struct job *j = &c->p->jobs[i];

	if (!c->chosen[i] || !alive(c, i) || j->total || (j->group && j->group != i + 1))
		return false;
	for (uint32_t k = c->ring[i]; k != i; k = c->ring[k])
		if (!alive(c, k))
			return false;
	return c->partner[i] == i ||
	       interleave_arm(&c->p->interleave, &c->p->targets[j->target]) == ARM_REFERENCE;
}

static void duo_open(const struct conductor *c, uint32_t lead, struct duo *u)
{
	size_t room = 1;

	for (uint32_t k = c->ring[lead]; k != lead; k = c->ring[k])
		room++;
	*u = (struct duo){{xcalloc(room, sizeof(struct order_entry)),
			   xcalloc(room, sizeof(struct order_entry))},
			  0};
	for (uint32_t k = lead, i = 0; i < room; i++, k = c->ring[k]) {
		if (c->p->jobs[k].total)
			continue;
		u->of[ARM_REFERENCE][u->n].job = k;
		u->of[ARM_CANDIDATE][u->n++].job = c->partner[k];
	}
}

static void duo_close(struct duo *u)
{
	free(u->of[ARM_REFERENCE]);
	free(u->of[ARM_CANDIDATE]);
}

static void duo_number(const struct conductor *c, struct duo *u, enum arm arm, unsigned position)
{
	bool one_job = c->p->interleave.kind == INTERLEAVE_SETTING;

	for (size_t i = 0; i < u->n; i++)
		u->of[arm][i].run = one_job ? 2 * c->pair + position : c->pair;
}

/* True when the budget does not hold the pair. What lacks before the first look is an error; later
 * ones would only have decided more. */
static bool duo_refused(struct conductor *c, const struct duo *u, bool needed)
{
	const char *why = budget_refuses_pair(c, u->of[ARM_REFERENCE], u->of[ARM_CANDIDATE], u->n);

	if (!why)
		return false;
	if (needed) {
		for (unsigned arm = 0; arm < ARM_COUNT; arm++) {
			c->arm = (enum arm)arm;
			if (!c->failed[u->of[arm]->job])
				fail_entry(c, u->of[arm][0], OUTCOME_NONE, why);
		}
		if (!c->r->partial)
			c->r->partial = why;
	} else {
		*VEC_PUSH(&c->r->notices) =
			arena_printf(&c->r->arena, "'%s' has no further pair after %u: %s",
				     c->p->jobs[u->of[ARM_REFERENCE]->job].name, c->pair, why);
		tell(c, EVENT_NOTICE, NULL, NULL, c->r->notices.v[c->r->notices.n - 1]);
	}
	for (unsigned arm = 0; arm < ARM_COUNT; arm++)
		for (size_t i = 0; i < u->n; i++)
			c->chosen[u->of[arm][i].job] = false;
	return true;
}

static int run_duo(struct conductor *c, uint32_t lead, bool needed, uint32_t *order, struct err *e)
{
	uint64_t seed = rng_mix(c->p->interleave.seed ^ rng_mix(lead + 1));
	uint64_t planned = plan_run_time(&c->p->jobs[lead]);
	struct duo u;
	int rc = 0;

	duo_open(c, lead, &u);
	for (unsigned position = 0; position < ARM_COUNT; position++)
		duo_number(c, &u, interleaved_arm(seed, 2 * c->pair + position), position);
	for (unsigned position = 0; position < ARM_COUNT && rc == 0; position++) {
		if (position == 0 && duo_refused(c, &u, needed))
			break;
		c->arm = (enum arm)interleaved_arm(seed, 2 * c->pair + position);
		if (!alive(c, lead))
			break; /* beside an arm that failed the other is compared with nothing */
		if (c->o->stop && *c->o->stop)
			rc = err_set(e, ERR_INTR, "stopped by a signal");
		else
			rc = execute(c, u.of[c->arm], u.n, (*order)++, e);
		c->done += (uint32_t)u.n;
		c->remaining -= planned < c->remaining ? planned : c->remaining;
	}
	duo_close(&u);
	return rc;
}

static size_t find_leads(const struct conductor *c, uint32_t *lead)
{
	size_t n = 0;

	for (uint32_t i = 0; i < c->p->njobs; i++)
		if (leads(c, i))
			lead[n++] = i;
	return n;
}

static int run_pair(struct conductor *c, bool needed, uint32_t *order, struct err *e)
{
	uint32_t *lead = xcalloc(c->p->njobs + 1, sizeof(*lead));
	size_t n = find_leads(c, lead);
	struct rng rng;
	int rc = 0;

	rng_seed(&rng, rng_mix(c->r->sessions.v[c->session].seed + c->pair));
	rng_shuffle(&rng, lead, n, sizeof(*lead));
	for (size_t i = 0; i < n && rc == 0; i++)
		rc = run_duo(c, lead[i], needed, order, e);
	free(lead);
	return rc;
}

/* The runs up to the next look. */
static void begin_stage(struct conductor *c, uint32_t pairs)
{
	uint32_t *lead = xcalloc(c->p->njobs + 1, sizeof(*lead));
	size_t n = find_leads(c, lead);

	c->done = c->total = 0;
	c->remaining = 0;
	for (size_t i = 0; i < n; i++) {
		uint32_t together = 1;

		for (uint32_t k = c->ring[lead[i]]; k != lead[i]; k = c->ring[k])
			together += !c->p->jobs[k].total;
		c->total += together * ARM_COUNT * pairs;
		c->remaining += ARM_COUNT * pairs * plan_run_time(&c->p->jobs[lead[i]]);
	}
	free(lead);
	c->now = (struct order_entry){.job = UINT32_MAX};
	tell(c, EVENT_SESSION, NULL, NULL, NULL);
}

static int run_looks(struct conductor *c, struct err *e)
{
	struct interleaved_look look;
	uint32_t pair = 0, order = 0;
	int rc = 0;

	/* at which pairs there is a look depends on the budget only */
	for (unsigned i = 0; rc == 0 && choose(c, i == 0) &&
			     interleaved_look(c->p->interleave.pairs, 0.001, i, &look);
	     i++) {
		c->pair = pair;
		begin_stage(c, look.pairs - pair);
		for (; rc == 0 && pair < look.pairs; pair++) {
			c->pair = pair;
			rc = run_pair(c, i == 0, &order, e);
		}
		judge_now(c);
		tell(c, EVENT_JUDGED, NULL, NULL, NULL);
	}
	return rc;
}

static void find_partners(struct conductor *c)
{
	c->partner = xcalloc(c->p->njobs + 1, sizeof(*c->partner));
	for (uint32_t i = 0; i < c->p->njobs; i++)
		c->partner[i] = c->p->interleave.kind == INTERLEAVE_SETTING
					? i
					: interleave_partner(c->p->jobs, c->p->njobs, i);
}

static bool all_made(const struct conductor *c)
{
	for (uint32_t i = 0; i < c->p->njobs; i++)
		if (c->p->jobs[i].state == JOB_READY && !alive(c, i))
			return false;
	return true;
}

int run_interleaved(struct conductor *c, struct err *e)
{
	int rc;

	find_partners(c);
	new_session(c);
	rc = record_session(c, e);
	if (rc == 0) {
		record_early(c);
		rc = run_looks(c, e);
	}
	c->r->sessions.v[0].ended = clock_utc();
	c->r->sessions.v[0].complete = rc == 0 && all_made(c) && !c->r->partial;
	return rc ? rc : record_session(c, e);
}
