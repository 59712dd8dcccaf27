/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * gate/environment: the brake on a whole suite (DESIGN 3.4): when many workloads lean red and the
 * canary moved with them, the place is suspected and not the change. Private to the room.
 */
#ifndef BLKGATE_GATE_ENVIRONMENT_H
#define BLKGATE_GATE_ENVIRONMENT_H

#include "gate/judge.h"

/* After all verdicts: sets r->environment, or leaves it NULL. The verdicts stand; only a canary
 * that the suite declares untouched by the change makes those of the gates `error: environment`. */
void environment_judge(struct judge *g);

#endif
