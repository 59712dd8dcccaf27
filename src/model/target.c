/* SPDX-License-Identifier: GPL-2.0-or-later */
/* model/target: the words for the kind of a target. */
#include "model/target.h"
#include "model/names.h"

#include "base/str.h"

static const char *const kind_names[] = {
	[TARGET_NONE] = "none",
	[TARGET_BLOCK] = "block",
	[TARGET_FILE] = "file",
	[TARGET_DIR] = "dir",
};

NAMES_DEFINE(target_kind, enum target_kind, kind_names)

bool target_is_total(const struct target *t)
{
	return t->kind == TARGET_NONE && str_eq(t->role, TARGET_ROLE_TOTAL);
}
