/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Was the depth that was asked for reached? */
#include "run/live.h"

#define REACHED 0.8

void depth_note(const struct job *j, struct outcome *o)
{
	double reached = outcome_depth(o, j->numjobs, j->iodepth);
	uint64_t ios = 0;

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
