/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * gate/steadiness: was a run prepared as its job says, and was its target steady then? Computed
 * from the rounds that the result holds, never taken from a word in it. Includes: model, measure.
 */
#ifndef BLKGATE_GATE_STEADINESS_H
#define BLKGATE_GATE_STEADINESS_H

#include "model/result.h"

/* NULL = what the job's precondition asks for was done before that run; else the sentence, in a:
 * then the run is no measurement of the job. */
const char *run_unprepared(const struct result *r, const struct run *run, struct arena *a);
/* NULL = the job asks for no steady state, or it was reached; else the sentence with the rounds. */
const char *run_unsteady(const struct result *r, const struct run *run, struct arena *a);

#endif
