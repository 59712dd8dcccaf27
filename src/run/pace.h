/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * run/pace (private): when the next I/O may be issued. The schedule of rate_iops and rate is
 * absolute: what stands behind n I/Os (or bytes) is due at base + n / rate. A thread that fell
 * behind catches up, as fio's does, so that a stall shows in latency and stall.longest and not as a
 * lower rate. Behind every thinktime_blocks I/Os the thread waits until nothing is in flight, then
 * for thinktime.
 */
#ifndef BLKGATE_RUN_PACE_H
#define BLKGATE_RUN_PACE_H

#include <stdbool.h>
#include <stdint.h>

struct pace {
	double period; /* ns an I/O or a byte; 0 = unpaced */
	uint64_t base; /* ns: when number 0 is due */
	uint64_t n;    /* I/Os or bytes taken */
	uint64_t
		due; /* ns: when the next I/O is due; 0 when unpaced, UINT64_MAX before a thought */
	uint64_t think;        /* ns */
	uint32_t blocks, left; /* of thinktime_blocks; until the next thought */
	uint64_t then;         /* what due was when the thought came */
	bool on, thinking;
};

/* rate per second, 0 = unpaced. slow: share P by which --inject stretches the gaps. */
void pace_init(struct pace *p, double rate, double slow);
void pace_init_think(struct pace *p, uint64_t think, uint32_t blocks);
/* Number 0 is due at `base`. */
void pace_start(struct pace *p, uint64_t base);
/* The next I/O was taken, which is so much of the rate: moves on to the one after it. */
void pace_take(struct pace *p, uint64_t amount);
/* thinking, and nothing is in flight any more: from now on it is a matter of time. */
void pace_thought(struct pace *p, uint64_t now);

#endif
