/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Simulated tails: two modes of a latency, the slow one in bursts. */
#ifndef PROVE_TAIL_H
#define PROVE_TAIL_H

#include <stdint.h>

struct tail_rates {
	double red, pass;         /* of clat.tail: the share of slow I/Os and p99 as one gate */
	double p99_red, p99_pass; /* of p99 alone */
};
/* Share of slow I/Os in the baseline and now. */
void tail_simulate(double before, double now, unsigned trials, uint64_t seed,
		   struct tail_rates *out);

#endif
