/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * gate/family: which gates of a result are judged, and what share of the family's false alarms each
 * gets. Pure.
 */
#ifndef BLKGATE_GATE_FAMILY_H
#define BLKGATE_GATE_FAMILY_H

#include "model/result.h"

/* Jobs and checks of a result or of a plan. */
struct family {
	const struct job *jobs;
	size_t njobs;
	const struct check *checks;
	size_t nchecks;
	double false_alarm; /* of the whole family; 0 = 5 % */
};
struct family family_of(const struct result *r);

/*
 * For each check the one that is judged for it: itself, or another gate of the same job that states
 * the same fact. With one block size IOPS and bandwidth are one figure. The rate with the tightest
 * tolerance stands for the others, but not for gates with a `known` entry, an absolute tolerance or
 * the role watch. twin has nchecks elements.
 */
void family_twins(const struct family *f, uint32_t *twin);
/*
 * The rate gate that a gate of a mean latency is one fact with while the queue is full (Little's
 * law: rate x latency = depth), by what the job says: nothing but the depth limits the I/O (no
 * rate, thinktime or sync, one direction), and the rate is as tight. That check itself = none.
 * Whether the queue was full only the runs tell (judge_queue_full): sizes and levels below count
 * such a gate as judged.
 */
uint32_t family_rate_of(const struct family *f, uint32_t check);
/* Red level of each primary gate: min(0.1 %, family / m) over the m that are judged. */
double family_level(const struct family *f, const uint32_t *twin);
/* Primary gates that are judged and take part (their job is not skipped). */
size_t family_size(const struct family *f, const uint32_t *twin);

#endif
