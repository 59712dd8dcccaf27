/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The pacer: an absolute schedule, so that rounding and oversleeping do not add up. */
#include "run/pace.h"

/* Beyond this the due time is "never" (292 years): it keeps the sum below 2^64. */
#define NEVER 9.2e18

void pace_init(struct pace *p, double rate, double slow)
{
	*p = (struct pace){0};
	if (rate > 0)
		p->period = 1e9 / (rate * (1 - slow));
	p->on = rate > 0;
}

void pace_init_think(struct pace *p, uint64_t think, uint32_t blocks)
{
	p->think = think;
	p->blocks = blocks ? blocks : 1;
	p->on |= think > 0;
}

void pace_start(struct pace *p, uint64_t base)
{
	p->base = base;
	p->n = 0;
	p->due = p->period > 0 ? base : 0;
	p->left = p->blocks;
	p->thinking = false;
}

void pace_take(struct pace *p, uint64_t amount)
{
	if (!p->on)
		return;
	if (p->period > 0) {
		p->n += amount;
		double at = (double)p->n * p->period;

		p->due = at < NEVER ? p->base + (uint64_t)at : UINT64_MAX;
	}
	if (p->think && !--p->left) {
		p->then = p->due;
		p->due = UINT64_MAX;
		p->thinking = true;
	}
}

void pace_thought(struct pace *p, uint64_t now)
{
	uint64_t until = p->think < UINT64_MAX - now ? now + p->think : UINT64_MAX;

	p->due = until > p->then ? until : p->then;
	p->left = p->blocks;
	p->thinking = false;
}
