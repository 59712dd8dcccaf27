/* SPDX-License-Identifier: GPL-2.0-or-later */
/* model/value: the words for the state of a value. */
#include "model/value.h"
#include "model/names.h"

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
