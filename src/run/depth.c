/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Was the load that was asked for reached: the depth, the rate? */
#include "run/live.h"

#define REACHED 0.8
#define RATE_REACHED 0.95

/* A closed loop that does not keep up asks less of the target than its suite says. Of an open one
 * (rate) the bytes that were not issued are told (phases.c). */
static void rate_note(const struct job *j, struct outcome *o)
{
	double asked = j->rate_iops * j->numjobs, seconds = (double)o->window / 1e9, ios = 0;

	if (j->rate_iops <= 0 || j->thinktime || o->window == 0)
		return;
	for (unsigned d = 0; d < DIR_COUNT; d++)
		ios += (double)o->dir[d].ios;
	/* each job may have one at either border */
	if (ios + 2.0 * j->numjobs < RATE_REACHED * asked * seconds)
		outcome_note(o, "rate_iops reached %.0f of %.0f", ios / seconds, asked);
}

void depth_note(const struct job *j, struct outcome *o)
{
	double reached = outcome_depth(o, j->numjobs, j->iodepth);
	uint64_t ios = 0;

	rate_note(j, o);
	for (unsigned d = 0; d < DIR_COUNT; d++)
		ios += o->dir[d].clat.n;
	/* A pacer leaves places free on purpose; behind an intended start latency is no time in
	 * flight. */
	if (!ios || j->iodepth <= 1 || j->rate > 0 || j->rate_iops > 0 || j->thinktime ||
	    reached >= REACHED * j->iodepth)
		return;
	outcome_note(o, "depth reached %.*f of %u",
		     reached < 1    ? 2
		     : reached < 10 ? 1
				    : 0,
		     reached, j->iodepth);
}
