/* SPDX-License-Identifier: GPL-2.0-or-later */
/* model/outcome: the words and the lifecycle of what one run left. */
#include "model/outcome.h"
#include "model/names.h"
#include <stdlib.h>

static const char *const status_names[] = {
    [OUTCOME_NONE] = "none",
    [OUTCOME_OK] = "ok",
    [OUTCOME_IO_ERROR] = "io_error",
    [OUTCOME_SETUP] = "setup",
    [OUTCOME_CRASHED] = "crashed",
    [OUTCOME_HUNG] = "hung",
    [OUTCOME_INTERRUPTED] = "interrupted",
    [OUTCOME_LOST] = "lost",
};
static const char *const dir_names[] = {
    [DIR_READ] = "read",
    [DIR_WRITE] = "write",
    [DIR_TRIM] = "trim",
};

NAMES_DEFINE(outcome_status, enum outcome_status, status_names)

const char *io_dir_name(enum io_dir d)
{
	return names_at(dir_names, NAMES_COUNT(dir_names), (size_t)d);
}

void outcome_init(struct outcome *o)
{
	*o = (struct outcome){0};
	for (unsigned d = 0; d < DIR_COUNT; d++) {
		bins_init(&o->dir[d].slat);
		bins_init(&o->dir[d].clat);
		bins_init(&o->dir[d].lat);
	}
	bins_init(&o->sync_lat);
}

void outcome_release(struct outcome *o)
{
	for (unsigned d = 0; d < DIR_COUNT; d++) {
		bins_release(&o->dir[d].slat);
		bins_release(&o->dir[d].clat);
		bins_release(&o->dir[d].lat);
	}
	bins_release(&o->sync_lat);
	free(o->slots);
	o->slots = NULL;
	o->nslots = 0;
}
