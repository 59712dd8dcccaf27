/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "session/session.h"

#include "base/rng.h"

#include <stdlib.h>

void session_order_make(const struct job *jobs, size_t njobs, const bool *chosen, uint64_t seed,
			struct session_order *out)
{
	struct rng rng;
	uint32_t rounds = 0;
	size_t total = 0;

	for (size_t i = 0; i < njobs; i++) {
		if (!chosen[i])
			continue;
		total += jobs[i].runs;
		if (jobs[i].runs > rounds)
			rounds = jobs[i].runs;
	}
	*out = (struct session_order){.v = xcalloc(total ? total : 1, sizeof(*out->v))};
	rng_seed(&rng, seed);
	/* Rounds, not one big shuffle: a slow change of the machine then meets every job alike. */
	for (uint32_t run = 0; run < rounds; run++) {
		size_t first = out->n;

		for (size_t i = 0; i < njobs; i++)
			if (chosen[i] && run < jobs[i].runs)
				out->v[out->n++] =
					(struct order_entry){.job = (uint32_t)i, .run = run};
		rng_shuffle(&rng, out->v + first, out->n - first, sizeof(*out->v));
	}
}

void session_order_release(struct session_order *o)
{
	free(o->v);
	*o = (struct session_order){0};
}
