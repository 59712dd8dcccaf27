/* SPDX-License-Identifier: GPL-2.0-or-later */
/* model/outcome: the words and the lifecycle of what one run left. */
#include "model/outcome.h"
#include "model/names.h"
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const status_names[] = {
	[OUTCOME_NONE] = "none",
	[OUTCOME_OK] = "ok",
	[OUTCOME_IO_ERROR] = "io_error",
	[OUTCOME_SETUP] = "setup",
	[OUTCOME_CRASHED] = "crashed",
	[OUTCOME_HUNG] = "hung",
	[OUTCOME_INTERRUPTED] = "interrupted",
	[OUTCOME_LOST] = "lost",
	[OUTCOME_COMPANION] = "companion",
	[OUTCOME_ADMISSION] = "admission",
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

/* Is text one of the notes, whole? */
static bool noted(const char *notes, const char *text)
{
	size_t n = strlen(text);

	for (const char *p = notes; *p;) {
		const char *end = strstr(p, "; ");
		size_t len = end ? (size_t)(end - p) : strlen(p);

		if (len == n && memcmp(p, text, n) == 0)
			return true;
		p += len + (end ? 2 : 0);
	}
	return false;
}

void outcome_note(struct outcome *o, const char *fmt, ...)
{
	char text[sizeof(o->notes)];
	size_t n = strlen(o->notes), size = sizeof(o->notes) - n;
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	if (!text[0] || noted(o->notes, text))
		return;
	/* One without room is seen to be missing. */
	if (snprintf(o->notes + n, size, "%s%s", n ? "; " : "", text) >= (int)size)
		memcpy(o->notes + sizeof(o->notes) - 4, "...", 4);
}

double outcome_depth(const struct outcome *o, uint64_t jobs, uint32_t asked)
{
	double limit = o->has_slat ? asked : 1, v;
	uint64_t sum = 0;

	for (unsigned d = 0; d < DIR_COUNT; d++)
		sum += o->dir[d].clat.sum;
	v = o->window && jobs ? (double)sum / (double)o->window / (double)jobs : 0;
	return v < limit ? v : limit;
}

static void copy_bins(struct bins *to, const struct bins *from)
{
	bins_init(to);
	bins_copy(to, from);
}

void outcome_copy(struct outcome *to, const struct outcome *from)
{
	*to = *from;
	for (unsigned d = 0; d < DIR_COUNT; d++) {
		copy_bins(&to->dir[d].slat, &from->dir[d].slat);
		copy_bins(&to->dir[d].clat, &from->dir[d].clat);
		copy_bins(&to->dir[d].lat, &from->dir[d].lat);
	}
	copy_bins(&to->sync_lat, &from->sync_lat);
	if (!from->slots)
		return;
	to->slots = xreallocarray(NULL, from->nslots + 1, sizeof(*to->slots));
	memcpy(to->slots, from->slots, from->nslots * sizeof(*to->slots));
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
