/* SPDX-License-Identifier: GPL-2.0-or-later */
/* gate/outlook_gates: what the two forecasts of a suite share. Private to the room. */
#ifndef BLKGATE_GATE_OUTLOOK_GATES_H
#define BLKGATE_GATE_OUTLOOK_GATES_H

#include "gate/outlook.h"

/* The primary gates that take part, and room for the forecast of each that is played. */
struct outlook_gates {
	uint32_t *check; /* index into the checks */
	size_t n;
	double red_total; /* of each */
	struct forecast *forecast, *raw;
};

/* The share that each of m gates must pass with, so that all of them do in 95 of 100 suites. */
double outlook_share(size_t gates);
bool outlook_is_worst(const struct outlook *out, const struct forecast *f);
void outlook_note_worst(struct outlook *out, const struct forecast *f, const char *target,
			const char *job, const char *metric, const char *cure);
/* outlook_pairs.c: fills played, v->forecast and what is noted beside. */
void outlook_pairs(const struct outlook_ask *a, const struct baseline *b,
		   const struct outlook_gates *v, struct forecaster *f, struct outlook *out);
void outlook_pairs_text(const struct outlook *o, struct str *out);

#endif
