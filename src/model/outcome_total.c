/* SPDX-License-Identifier: GPL-2.0-or-later */
/* model/outcome_total: what jobs that ran at the same time on several targets came to together. */
#include "model/outcome.h"

#include "base/vec.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define WINDOW_SHARE 100 /* windows may differ by this part of the longest */

void outcome_spoil(struct outcome *o, const char *fmt, ...)
{
	uint64_t written = o->written, wall = o->wall;
	bool abandoned = o->abandoned;
	va_list ap;

	outcome_release(o);
	outcome_init(o);
	o->status = OUTCOME_COMPANION;
	o->written = written;
	o->wall = wall;
	o->abandoned = abandoned;
	va_start(ap, fmt);
	vsnprintf(o->text, sizeof(o->text), fmt, ap);
	va_end(ap);
}

static uint64_t larger(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

/* A part that is not OK, the cause before what only ran beside it; n = none. */
static size_t first_bad(const struct outcome *const *part, size_t n)
{
	size_t bad = n;

	for (size_t i = 0; i < n; i++)
		if (part[i]->status != OUTCOME_OK &&
		    (bad == n || part[bad]->status == OUTCOME_COMPANION))
			bad = i;
	return bad;
}

/* False with the sentence when the parts do not make a total. */
static bool parts_fit(struct outcome *o, const struct outcome *const *part, const char *const *what,
		      size_t n)
{
	size_t low = 0, high = 0, bad = first_bad(part, n);

	if (bad < n) {
		outcome_spoil(o, "no total without %s: %.400s", what[bad],
			      *part[bad]->text ? part[bad]->text
					       : outcome_status_name(part[bad]->status));
		return false;
	}
	for (size_t i = 0; i < n; i++) {
		if (part[i]->window < part[low]->window)
			low = i;
		if (part[i]->window > part[high]->window)
			high = i;
	}
	if (part[high]->window - part[low]->window <= part[high]->window / WINDOW_SHARE)
		return true;
	outcome_spoil(
		o,
		"the windows differ: %.3f s on %s, %.3f s on %s: their sum would be of no one "
		"time",
		(double)part[low]->window / 1e9, what[low], (double)part[high]->window / 1e9,
		what[high]);
	return false;
}

static void add_dir(struct outcome_dir *to, const struct outcome_dir *from)
{
	to->ios += from->ios;
	to->bytes += from->bytes;
	to->issued += from->issued;
	to->shorts += from->shorts;
	bins_merge(&to->slat, &from->slat);
	bins_merge(&to->clat, &from->clat);
	bins_merge(&to->lat, &from->lat);
}

static void add_longest(struct outcome_slot *to, const struct outcome *p)
{
	for (uint64_t s = 0; s < p->nslots; s++) {
		const struct outcome_slot *from = &p->slots[s];

		for (unsigned d = 0; d < DIR_COUNT; d++) {
			to[s].slat[d] = larger(to[s].slat[d], from->slat[d]);
			to[s].clat[d] = larger(to[s].clat[d], from->clat[d]);
			to[s].lat[d] = larger(to[s].lat[d], from->lat[d]);
		}
		to[s].sync = larger(to[s].sync, from->sync);
	}
}

static void add_slots(struct outcome *o, const struct outcome *p)
{
	if (p->nslots > o->nslots) {
		o->slots = xreallocarray(o->slots, p->nslots, sizeof(*o->slots));
		memset(o->slots + o->nslots, 0, (p->nslots - o->nslots) * sizeof(*o->slots));
		o->nslots = p->nslots;
	}
	for (uint64_t s = 0; s < p->nslots; s++)
		for (unsigned d = 0; d < DIR_COUNT; d++) {
			uint32_t *ios = &o->slots[s].ios[d];

			if (__builtin_add_overflow(*ios, p->slots[s].ios[d], ios))
				*ios = UINT32_MAX;
			o->slots[s].bytes[d] += p->slots[s].bytes[d];
		}
	add_longest(o->slots, p);
}

/* One that is not known leaves the sum unknown; what has no device adds nothing. */
static void add_device(struct outcome_device *to, const struct outcome_device *from)
{
	if (to->state == DEVICE_UNKNOWN || from->state == DEVICE_NONE)
		return;
	if (from->state == DEVICE_KNOWN && to->state == DEVICE_KNOWN)
		to->bytes += from->bytes;
	else
		*to = *from;
}

static void add_part(struct outcome *o, const struct outcome *p)
{
	o->window = larger(o->window, p->window);
	o->ramp = larger(o->ramp, p->ramp);
	o->has_slat &= p->has_slat;
	o->stall_longest = larger(o->stall_longest, p->stall_longest);
	o->cpu_usr += p->cpu_usr;
	o->cpu_sys += p->cpu_sys;
	add_device(&o->device_read, &p->device_read);
	add_device(&o->device_written, &p->device_written);
	for (unsigned d = 0; d < DIR_COUNT; d++)
		add_dir(&o->dir[d], &p->dir[d]);
	bins_merge(&o->sync_lat, &p->sync_lat);
	add_slots(o, p);
	outcome_note(o, "%s", p->notes);
}

void outcome_total(struct outcome *o, const struct outcome *const *part, const char *const *what,
		   size_t n)
{
	outcome_init(o);
	if (!parts_fit(o, part, what, n))
		return;
	o->status = OUTCOME_OK;
	o->has_slat = true;
	o->device_read.state = o->device_written.state = DEVICE_NONE;
	for (size_t i = 0; i < n; i++)
		add_part(o, part[i]);
}
