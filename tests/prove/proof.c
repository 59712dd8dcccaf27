/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "proof.h"
#include <math.h>
#include <stdio.h>

void check_rate(struct proof *p, bool at_most, double got, double bound, unsigned n,
		const char *what)
{
	double slack;
	bool holds;

	if (isnan(bound))
		return;
	slack = 3 * sqrt(bound * (1 - bound) / n);
	holds = at_most ? got <= bound + slack : got >= bound - slack;
	p->checked++;
	if (holds)
		return;
	p->broken++;
	printf("BROKEN %s: %.4f %%, bound %s %.4f %% in %u trials\n", what, 100 * got,
	       at_most ? "at most" : "at least", 100 * bound, n);
}

void check_cost(struct proof *p, double got, double bound, const char *what)
{
	if (isnan(bound))
		return;
	p->checked++;
	if (got <= bound * 1.005)
		return;
	p->broken++;
	printf("BROKEN %s: %.3f, bound %.3f\n", what, got, bound);
}

void check_true(struct proof *p, bool holds, const char *what)
{
	p->checked++;
	if (holds)
		return;
	p->broken++;
	printf("BROKEN %s\n", what);
}

struct rates prove_one(const struct proof *p, struct cell c, enum noise noise, double effect,
		       uint64_t seed)
{
	struct rates r;

	c.noise = noise;
	c.effect = effect;
	c.seed = seed;
	c.trials = p->trials;
	simulate(&c, &r);
	return r;
}
