/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Noise of simulated measurements (PROCEDURE, conventions). Values are log ratios, positive =
 * worse. */
#ifndef PROVE_NOISE_H
#define PROVE_NOISE_H

#include "base/rng.h"

enum noise {
	NOISE_NORMAL,
	NOISE_OUTLIERS, /* 5 % of the runs lose 5 to 30 % of throughput */
	NOISE_AR1,      /* rho 0.5 between successive runs */
	NOISE_DRIFT,    /* 3 % over the session */
	NOISE_BIMODAL,  /* each run picks one of two modes 4 % apart */
	NOISE_T3,       /* Student t, 3 df, scaled to the quartiles of the normal */
	NOISE_SESSION_T3,
	NOISE_SESSION_BIMODAL,
	NOISE_PERIOD2, /* every second run 4 % slower */
	NOISE_COUNT
};
extern const char *const noise_names[NOISE_COUNT];

/* Runs that follow one another in one session. */
struct stream {
	enum noise kind;
	double sd;     /* of one run */
	double length; /* runs over which the drift comes to 3 % */
	double last;   /* of AR(1) */
	unsigned n;
	struct rng *rng;
};
void stream_start(struct stream *s, enum noise kind, double sd, double length, struct rng *rng);
double stream_next(struct stream *s);
/* What one session brings to all its runs, sd ss. */
double session_effect(enum noise kind, double ss, struct rng *rng);
double noise_normal(struct rng *rng);

#endif
