/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * gate/pooling: evidence is added, never replaced. The sessions of earlier results and of this one
 * become one sequence, in which k counts all sessions and K stays the maximum: a decision stands
 * whatever comes behind it (no retry until green). What is not evidence for the same thing, or no
 * whole measurement, is refused with the difference and never left out in silence.
 *
 * Includes: measure model json base. Pure, like all of this room.
 */
#ifndef BLKGATE_GATE_POOLING_H
#define BLKGATE_GATE_POOLING_H

#include "model/result.h"

struct pool_source {
	const struct result *r; /* judged */
	const char *name;       /* the file, for sentences */
};

/* May a further run start from that judged result? Every run that it chose was made and is good.
 * ERR_REFUSED: injected, interrupted, unfinished, partial (but by a selection), failed runs. */
int pooling_usable(const struct result *r, const char *name, struct err *e);
/*
 * Puts the sessions of the sources before those of r, attempt by attempt in order of time (r's own
 * attempt last); a session that several hold counts once. Jobs that r skipped and a source measured
 * stand in r from then on, judged on what is there. ERR_REFUSED: a source is not usable, or another
 * suite, profile, change, measurement version, job text, number of runs, check, or fact that must
 * match or is under test; or with the gates of r the red level would be another than the one that
 * a source was judged at. Without a change id on either side every fact that an unchanged machine
 * keeps must be equal. r is then as it was. Judge r anew afterwards.
 */
int pooling_add(struct result *r, const char *name, const struct pool_source *source, size_t n,
		struct err *e);

#endif
