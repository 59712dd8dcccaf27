/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * model/value: one metric of one run. measure derives it from the outcome's integers, gate judges
 * it. The index is the position in measure's metric table.
 */
#ifndef BLKGATE_MODEL_VALUE_H
#define BLKGATE_MODEL_VALUE_H

#include "base/units.h"

enum value_state {
	VALUE_ABSENT, /* the run failed or has no such metric */
	VALUE_OK,
	VALUE_NA,           /* does not exist here (slat of a synchronous engine) */
	VALUE_INSUFFICIENT, /* too few samples for the percentile */
};

struct value {
	enum value_state state;
	double v;    /* base unit; valid when OK */
	double step; /* relative quantisation step q of the value (bucket width over value), 0 =
			none; of a value of 0 the width itself, base unit */
	uint64_t n;  /* samples behind it */
};

/* The quantisation step of a value in its base unit. */
double value_resolution(double v, double step);

const char *value_state_name(enum value_state s); /* "absent" "ok" "n/a" "insufficient" */

#endif
