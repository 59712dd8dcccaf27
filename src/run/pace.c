/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The pacer of rate_iops: an absolute schedule, so that rounding and oversleeping do not add up. */
#include "run/pace.h"

/* Beyond this the due time is "never" (292 years): it keeps the sum below 2^64. */
#define NEVER 9.2e18

void pace_init(struct pace *p, double rate, double slow)
{
	*p = (struct pace){0};
	if (rate > 0)
		p->period = 1e9 / (rate * (1 - slow));
}

void pace_start(struct pace *p, uint64_t base)
{
	p->base = base;
	p->n = 0;
	p->due = p->period > 0 ? base : 0;
}

void pace_take(struct pace *p)
{
	if (!(p->period > 0))
		return;
	p->n++;
	double at = (double)p->n * p->period;

	p->due = at < NEVER ? p->base + (uint64_t)at : UINT64_MAX;
}
