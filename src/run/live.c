/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The shared counters of a job: making them, the first error, and what they add up to. */
#include "run/live.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>

/* A wait that ends this long after its limit tells of the machine and not of the target. */
#define LATE_NS (100 * NS_PER_MS)

const char *phase_name(unsigned phase)
{
	static const char *const names[] = {"set-up", "set-up", "ramp", "measure",
					    "drain",  "verify", "end"};

	return phase < sizeof(names) / sizeof(names[0]) ? names[phase] : "?";
}

struct live *live_new(unsigned nthreads, uint64_t nslots)
{
	size_t head = sizeof(struct live) + nthreads * sizeof(struct live_thread);
	size_t slots = nslots * sizeof(struct outcome_slot);
	size_t length = head + nthreads * slots;
	/* Pages come on first use; without NORESERVE a day of slots would count against overcommit.
	 */
	void *p = mmap(NULL, length, PROT_READ | PROT_WRITE,
		       MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	if (p == MAP_FAILED)
		return NULL;
	struct live *l = p;

	l->length = length;
	l->nthreads = nthreads;
	l->nslots = nslots;
	for (unsigned i = 0; i < nthreads; i++)
		l->thread[i].slots = (void *)((char *)p + head + i * slots);
	return l;
}

void live_free(struct live *l)
{
	if (l)
		munmap(l, l->length);
}

void live_fail(struct live *l, enum outcome_status status, int sys, uint64_t offset, uint64_t len,
	       const char *fmt, ...)
{
	va_list ap;

	if (atomic_exchange(&l->error_taken, 1))
		return;
	l->status = status;
	l->sys = sys;
	l->error_offset = offset;
	l->error_len = len;
	va_start(ap, fmt);
	vsnprintf(l->text, sizeof(l->text), fmt, ap);
	va_end(ap);
	atomic_store(&l->error_ready, 1);
}

unsigned live_unfinished(const struct live *l)
{
	unsigned i = 0;

	while (i < l->nthreads && atomic_load(&l->thread[i].ended))
		i++;
	return i;
}

void live_lost_thread(const struct live *l, unsigned i, const char *what, const char *target,
		      char *text, size_t size)
{
	unsigned phase = atomic_load(&l->thread[i].phase);

	snprintf(text, size, "thread %u of %u of '%s' on '%s' ended without a word in phase %s%s",
		 i + 1, l->nthreads, what, target, phase_name(phase),
		 prctl(PR_GET_SECCOMP) == 2
			 ? " (a seccomp filter is active, which may kill threads)"
			 : "");
}

static uint64_t larger(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

static void gather_threads(const struct live *l, struct outcome *o)
{
	uint64_t unslotted = 0, retried = 0, late = 0, unissued = 0;

	for (unsigned i = 0; i < l->nthreads; i++) {
		const struct live_thread *t = &l->thread[i];

		o->window = larger(o->window, t->window);
		o->ramp = larger(o->ramp, t->ramp);
		o->stall_longest = larger(o->stall_longest, t->stall);
		late = larger(late, t->late);
		o->written += t->written;
		unslotted += t->unslotted;
		retried += t->retried;
		o->verified += t->verified;
		unissued += t->unissued;
		for (int d = 0; d < DIR_COUNT; d++) {
			o->dir[d].ios += t->dir[d].ios;
			o->dir[d].bytes += t->dir[d].bytes;
			o->dir[d].issued += t->dir[d].issued;
			o->dir[d].shorts += t->dir[d].shorts;
		}
	}
	if (l->open_loop)
		outcome_note(o, "latency from the intended start");
	if (unissued)
		outcome_note(
			o,
			"%llu bytes that were due in the window were never issued: the rate was "
			"not reached, and their latency is missing",
			(unsigned long long)unissued);
	if (late >= LATE_NS)
		outcome_note(
			o,
			"the worker was not scheduled for %llu ms (stopped, frozen, or its CPU "
			"was taken)",
			(unsigned long long)(late / NS_PER_MS));
	if (unslotted)
		outcome_note(o, "%llu completions lie beyond the last 100 ms slot kept",
			     (unsigned long long)unslotted);
	if (retried)
		outcome_note(o,
			     "nowait: %llu I/Os would have blocked and were done again without it",
			     (unsigned long long)retried);
}

static const struct hist *pick(const struct live_thread *t, int d, int which)
{
	return which == 0 ? &t->dir[d].slat : which == 1 ? &t->dir[d].clat : &t->dir[d].lat;
}

static void gather_hists(const struct live *l, struct outcome *o)
{
	struct hist *sum = xmalloc(sizeof(*sum));

	for (int d = 0; d < DIR_COUNT; d++) {
		struct bins *out[] = {&o->dir[d].slat, &o->dir[d].clat, &o->dir[d].lat};

		for (int w = l->sync_engine ? 2 : 0; w < 3; w++) {
			hist_reset(sum);
			for (unsigned i = 0; i < l->nthreads; i++)
				hist_merge(sum, pick(&l->thread[i], d, w));
			bins_from_hist(out[w], sum);
		}
		if (l->sync_engine)
			bins_copy(&o->dir[d].clat, &o->dir[d].lat);
	}
	hist_reset(sum);
	for (unsigned i = 0; i < l->nthreads; i++)
		hist_merge(sum, &l->thread[i].sync);
	bins_from_hist(&o->sync_lat, sum);
	free(sum);
}

static void gather_slot(struct outcome_slot *to, const struct outcome_slot *from)
{
	for (int d = 0; d < DIR_COUNT; d++) {
		to->ios[d] += from->ios[d];
		to->bytes[d] += from->bytes[d];
		to->slat[d] = larger(to->slat[d], from->slat[d]);
		to->clat[d] = larger(to->clat[d], from->clat[d]);
		to->lat[d] = larger(to->lat[d], from->lat[d]);
	}
	to->sync = larger(to->sync, from->sync);
}

static void gather_slots(const struct live *l, struct outcome *o)
{
	uint64_t n = (o->window + SLOT_NS - 1) / SLOT_NS;

	if (n > l->nslots)
		n = l->nslots;
	o->nslots = n;
	o->slots = n ? xcalloc(n, sizeof(*o->slots)) : NULL;
	for (unsigned i = 0; i < l->nthreads; i++)
		for (uint64_t s = 0; s < n; s++)
			gather_slot(&o->slots[s], &l->thread[i].slots[s]);
	for (uint64_t s = 0; l->sync_engine && s < n; s++)
		memcpy(o->slots[s].clat, o->slots[s].lat, sizeof(o->slots[s].clat));
}

/* A run that was stopped may lack a mark, or have it taken by a thread that never saw the window.
 */
static uint64_t between(const uint64_t cpu[2])
{
	return cpu[1] > cpu[0] ? cpu[1] - cpu[0] : 0;
}

void live_gather(const struct live *l, struct outcome *o)
{
	uint64_t ios = 0;

	outcome_note(o, "%s", l->note);
	for (unsigned i = 0; i < l->nthreads; i++)
		if (l->thread[i].note[0])
			outcome_note(o, "engine: %s", l->thread[i].note);
	for (unsigned i = 0; i < l->nthreads; i++)
		outcome_note(o, "%s", l->thread[i].place);
	for (unsigned i = 0; i < l->nthreads; i++)
		outcome_note(o, "%s", l->thread[i].verify_note);
	gather_threads(l, o);
	gather_hists(l, o);
	gather_slots(l, o);
	o->has_slat = !l->sync_engine;
	device_gather(&l->device, o);
	o->cpu_usr = between(l->cpu_usr);
	o->cpu_sys = between(l->cpu_sys);
	for (int d = 0; d < DIR_COUNT; d++)
		ios += o->dir[d].ios;
	if (!ios)
		outcome_note(o, "no I/O completed inside the window");
}
