/* SPDX-License-Identifier: GPL-2.0-or-later */
/* gate/calibration_tails: the figures by which a tail, or a percentile on a cliff, is judged in the
 * place of its metric (tail_gate.c), as levels of the baseline. Private to the room. */
#ifndef BLKGATE_GATE_CALIBRATION_TAILS_H
#define BLKGATE_GATE_CALIBRATION_TAILS_H

#include "gate/baseline_level.h"
#include "gate/calibration.h"
#include "gate/tails.h"

struct tail_part {
	struct level level;
	struct scale scale;
	double tolerance;
	bool absolute;
	bool share; /* no two arms are judged by one */
	char name[80];
};

struct tail_parts {
	struct tail_part v[TAIL_PARTS];
	size_t n;        /* 0 = the rule decides nothing */
	const char *why; /* then */
};

/* False: the gate is judged by its metric. l: the level of that. Texts live in a. */
bool calibration_tails(const struct baseline *b, const struct calibration_ask *ask,
		       const struct metric *m, const struct level *l, struct arena *a,
		       struct tail_parts *out);
void calibration_tails_release(struct tail_parts *p);

#endif
