/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * run/pace (private): the closed-loop pacer of rate_iops. The schedule is absolute: I/O number n is
 * due at base + n / rate. A thread that fell behind catches up, as fio's does, so that a stall shows
 * in latency and stall.longest and not as a lower rate.
 */
#ifndef BLKGATE_RUN_PACE_H
#define BLKGATE_RUN_PACE_H

#include <stdbool.h>
#include <stdint.h>

struct pace {
	double period; /* ns; 0 = unpaced */
	uint64_t base; /* ns: when number 0 is due */
	uint64_t n;    /* the next one */
	uint64_t due;  /* ns: when it is due; 0 when unpaced */
};

/* rate in I/Os per second, 0 = unpaced. slow: share P by which --inject stretches the gaps. */
void pace_init(struct pace *p, double rate, double slow);
/* Number 0 is due at `base`. */
void pace_start(struct pace *p, uint64_t base);
/* The next I/O was taken: moves on to the one after it. */
void pace_take(struct pace *p);

#endif
