/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * engines/sim.h: the script of the sim engine, so that plan can refuse a wrong one before the run.
 *
 * A script is words separated by commas, in any order, white space around a word ignored:
 * - lat=TIME: latency of an I/O (100us)
 * - jitter=P%: each I/O's latency is spread evenly over +-P% (0%)
 * - sd=P%: one log-normal factor a run, drawn from the run's seed: noise between runs (0%)
 * - every=N:lat=TIME: each Nth I/O takes TIME instead; may be given several times, the last match
 *   holds; every=N/K:lat=TIME: the K-1 behind it, too
 * - slow=FACTOR@TIME: from TIME after open on, latencies are FACTOR times as long
 * - width=N: N servers: further I/Os queue, and waiting counts as latency (no limit)
 * - sync=TIME: latency of fsync and fdatasync (as lat); they do not queue
 * - error=ERRNO@N: the Nth I/O fails with that errno, by name: error=EIO@3
 * - short=BYTES@N: the Nth I/O transfers at most BYTES
 * - hang@N: the Nth I/O never completes; once only such are left, reap really waits
 * - crash@N: the process aborts when the Nth I/O is submitted
 *
 * TIME has a unit: ns us ms s min. N counts the reads, writes and trims of one context from 1.
 * Numbers are plain decimals. The clock is virtual, starts at 1 s and moves only while something
 * waits.
 */
#ifndef BLKGATE_ENGINES_SIM_H
#define BLKGATE_ENGINES_SIM_H

#include "base/err.h"

#define SIM_EACH_MAX 8
#define SIM_EVENT_MAX 32

enum sim_what { SIM_ERROR, SIM_SHORT, SIM_HANG, SIM_CRASH };

struct sim_event {
	enum sim_what what;
	uint64_t at;   /* which I/O, from 1 */
	int64_t value; /* errno, or bytes */
};

struct sim_each {
	uint64_t every, burst, lat;
};

struct sim_script {
	uint64_t lat, sync; /* ns */
	double jitter, sd;  /* shares */
	double slow;        /* factor, 1 = none */
	uint64_t slow_at;   /* ns since open */
	unsigned width;     /* 0 = no limit */
	struct sim_each each[SIM_EACH_MAX];
	unsigned neach;
	struct sim_event event[SIM_EVENT_MAX];
	unsigned nevent;
};

/* Reads a script (NULL or "" = all defaults). 0, or ERR_SUITE naming the word. */
int sim_parse(const char *script, struct sim_script *s, struct err *e);
/* The same without the result. */
int sim_check(const char *script, struct err *e);

#endif
