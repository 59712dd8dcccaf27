/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "session/session.h"

#include "base/rng.h"

#include <stdlib.h>

static bool takes_turn(const struct job *j, const bool *chosen, size_t i, uint32_t run)
{
	return chosen[i] && !j[i].total && run < j[i].runs;
}

/* What runs at the same time as the entry, behind it. */
static void add_beside(const struct job *jobs, const uint32_t *ring, const bool *chosen,
		       struct order_entry e, struct session_order *out)
{
	out->v[out->n++] = e;
	for (uint32_t k = ring[e.job]; k != e.job; k = ring[k])
		if (takes_turn(jobs, chosen, k, e.run))
			out->v[out->n++] = (struct order_entry){.job = k, .run = e.run};
}

void session_order_make(const struct job *jobs, size_t njobs, const bool *chosen, uint64_t seed,
			struct session_order *out)
{
	struct order_entry *turn = xcalloc(njobs + 1, sizeof(*turn));
	uint32_t rounds = 0, *ring = jobs_ring(jobs, njobs);
	size_t total = 0;
	struct rng rng;

	for (size_t i = 0; i < njobs; i++) {
		if (!chosen[i] || jobs[i].total)
			continue;
		total += jobs[i].runs;
		if (jobs[i].runs > rounds)
			rounds = jobs[i].runs;
	}
	*out = (struct session_order){.v = xcalloc(total ? total : 1, sizeof(*out->v))};
	rng_seed(&rng, seed);
	/* Rounds, not one big shuffle: a slow change of the machine then meets every job alike.
	 * What runs at the same time has one turn. */
	for (uint32_t run = 0; run < rounds; run++) {
		size_t n = 0;

		for (size_t i = 0; i < njobs; i++)
			if (takes_turn(jobs, chosen, i, run) &&
			    (ring[i] == i || jobs[i].group == i + 1))
				turn[n++] = (struct order_entry){.job = (uint32_t)i, .run = run};
		rng_shuffle(&rng, turn, n, sizeof(*turn));
		for (size_t i = 0; i < n; i++)
			add_beside(jobs, ring, chosen, turn[i], out);
	}
	free(turn);
	free(ring);
}

void session_order_release(struct session_order *o)
{
	free(o->v);
	*o = (struct session_order){0};
}
