/* SPDX-License-Identifier: GPL-2.0-or-later */
/* model/value: the words for the state of a value, and its step. */
#include "model/value.h"
#include "model/names.h"
#include <math.h>

static const char *const state_names[] = {
	[VALUE_ABSENT] = "absent",
	[VALUE_OK] = "ok",
	[VALUE_NA] = "n/a",
	[VALUE_INSUFFICIENT] = "insufficient",
};

const char *value_state_name(enum value_state s)
{
	return names_at(state_names, NAMES_COUNT(state_names), (size_t)s);
}

double value_resolution(double v, double step)
{
	return v < 0 || v > 0 ? step * fabs(v) : step;
}
