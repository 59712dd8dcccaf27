/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tail.h"
#include "noise.h"
#include "gate/estimate.h"
#include "gate/tails.h"
#include <math.h>

#define RUNS 5
#define SESSIONS 10
#define LOOKS 5
#define IOS 1e5
#define BURST 3.0
#define SESSION_SD .015
#define TAIL_SD .05 /* run to run, of the p99 */

/* Slow I/Os of one run: a Poisson number of bursts of geometric length. */
static double slow_ios(double share, struct rng *rng)
{
	double n = 0, left = exp(-IOS * share / BURST), product = rng_double(rng);

	for (; product > left; product *= rng_double(rng))
		n += 1 + floor(log(1 - rng_double(rng)) / log(1 - 1 / BURST));
	return fmax(n, TAIL_BURSTS);
}

/* p99 lies among the fast ones, at what the slow ones leave of the hundredth: log-normal 0.3, whose
 * log quantile moves by 0.375 x 0.3 of the log of that. A thousand I/Os above: 3 %. */
static double log_p99(double slow, struct rng *rng)
{
	return -0.375 * 0.3 * (log(.01 - slow / IOS) + .03 * noise_normal(rng)) +
	       TAIL_SD * noise_normal(rng);
}

struct value2 {
	double share, p99;
};

static struct value2 session(double share, struct rng *rng)
{
	double s[RUNS], p[RUNS], level = SESSION_SD * noise_normal(rng);

	for (unsigned i = 0; i < RUNS; i++) {
		double slow = slow_ios(share * exp(level), rng);

		s[i] = log(slow / IOS);
		p[i] = level + log_p99(slow, rng);
	}
	return (struct value2){estimate_median(s, RUNS), estimate_median(p, RUNS)};
}

enum figures { FIGURE_SHARE, FIGURE_P99, FIGURES };

struct sides {
	double base[FIGURES][SESSIONS], fresh[FIGURES][LOOKS];
};

/* The first n figures from `first` on as one gate, with as many sessions as it asks for. */
static enum sequence_state judged(const struct sides *s, unsigned first, unsigned n)
{
	struct stored_output out[FIGURES];
	size_t worst = 0;

	for (unsigned k = 1; k <= LOOKS; k++) {
		struct stored_input in[FIGURES];
		bool more = false;

		for (unsigned i = 0; i < n; i++)
			in[i] = (struct stored_input){.base = s->base[first + i],
						      .nbase = SESSIONS,
						      .fresh = s->fresh[first + i],
						      .nfresh = k,
						      .max = LOOKS,
						      .delta = first + i == FIGURE_SHARE
								       ? log1p(TAIL_SHARE_TOLERANCE)
								       : log1p(.2),
						      .q = first + i == FIGURE_SHARE ? .01 : .004,
						      .red_total = .001,
						      .runs = RUNS};
		worst = tails_judge(in, out, n);
		for (unsigned i = 0; i < n; i++)
			more |= out[i].state == SEQUENCE_CONTINUE;
		if (out[worst].state == SEQUENCE_REGRESSION || !more)
			break;
	}
	return out[worst].state;
}

void tail_simulate(double before, double now, unsigned trials, uint64_t seed,
		   struct tail_rates *out)
{
	double n = trials;
	struct rng rng;

	rng_seed(&rng, seed);
	*out = (struct tail_rates){0};
	for (unsigned t = 0; t < trials; t++) {
		enum sequence_state all, p99;
		struct sides s;

		for (unsigned i = 0; i < SESSIONS + LOOKS; i++) {
			struct value2 v = session(i < SESSIONS ? before : now, &rng);
			double *share = i < SESSIONS ? &s.base[FIGURE_SHARE][i]
						     : &s.fresh[FIGURE_SHARE][i - SESSIONS],
			       *p = i < SESSIONS ? &s.base[FIGURE_P99][i]
						 : &s.fresh[FIGURE_P99][i - SESSIONS];

			*share = v.share;
			*p = v.p99;
		}
		all = judged(&s, FIGURE_SHARE, FIGURES);
		p99 = judged(&s, FIGURE_P99, 1);
		out->red += (all == SEQUENCE_REGRESSION) / n;
		out->pass += (all == SEQUENCE_PASS || all == SEQUENCE_IMPROVEMENT) / n;
		out->p99_red += (p99 == SEQUENCE_REGRESSION) / n;
		out->p99_pass += (p99 == SEQUENCE_PASS || p99 == SEQUENCE_IMPROVEMENT) / n;
	}
}
