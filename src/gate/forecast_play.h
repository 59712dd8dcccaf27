/* SPDX-License-Identifier: GPL-2.0-or-later */
/* gate/forecast_play: one question of a forecast, and how the shipped rules answer it. Private. */
#ifndef BLKGATE_GATE_FORECAST_PLAY_H
#define BLKGATE_GATE_FORECAST_PLAY_H

#include "gate/forecast.h"

#define FORECAST_SESSIONS_MAX 30u /* of a baseline: more change nothing that can be seen */
/* Spreads are played in steps of this share of the tolerance, so that gates share what was played.
 */
#define FORECAST_STEP 0.02
#define FORECAST_NORMALS 4096u
/* The spread that is assumed decides alone whether a gate can pass: in finer steps. */
#define FORECAST_PRIOR_STEP 0.005
#define FORECAST_TRIALS 2000u

/* Everything in units of the tolerance. */
struct played {
	uint32_t sessions, blocks, max, looks;
	uint32_t pairs;
	bool adjusted;
	int sd, within, effect, q; /* steps */
	bool one_boot;
	int prior; /* finer steps: sd of a session value as it is assumed, its runs' part in it */
	int older_sd, older_df;
	double red_total;
	struct forecast out;
};

/* Fills p->out. normal: FORECAST_NORMALS quantiles of the normal law. */
void forecast_play(const double *normal, struct played *p);

#endif
