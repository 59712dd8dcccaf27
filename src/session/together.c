/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * session/together: what runs that are made at the same time do to each other: one that failed
 * spoils the others, their offsets differ, the count of a shared device tells nothing.
 */
#include "session/party.h"

#include "base/rng.h"

#include <stdio.h>
#include <stdlib.h>

/* Alike in every run. Of several on one target each has its own: in step with each other one would
 * find in the caches of the device what the other has just touched. */
uint64_t offsets_seed(const struct conductor *c, const struct party *y, size_t i)
{
	const struct job *j = &c->p->jobs[y->entry[i].job];
	uint64_t before = 0;

	for (size_t k = 0; k < i; k++)
		before += c->p->jobs[y->entry[k].job].target == j->target;
	return rng_mix(before ? j->seed ^ rng_mix(before) : j->seed);
}

/* One that failed, the first cause before those that were only stopped; n = none. */
static size_t first_failed(const struct party *y)
{
	size_t found = y->n;

	for (size_t i = 0; i < y->n; i++) {
		enum outcome_status s = y->out[i].status;

		if (s != OUTCOME_OK &&
		    (found == y->n ||
		     (s != OUTCOME_INTERRUPTED && y->out[found].status == OUTCOME_INTERRUPTED)))
			found = i;
	}
	return found;
}

void spoil_others(struct conductor *c, struct party *y)
{
	size_t bad = first_failed(y);

	for (size_t i = 0; i < y->n && bad < y->n; i++) {
		c->failed[y->entry[i].job] = true;
		if (y->out[i].status == OUTCOME_OK)
			outcome_spoil(&y->out[i],
				      "it ran at the same time as %s, which failed: %.400s",
				      job_label(c, y->entry[bad].job), y->out[bad].text);
	}
}

static bool one_device(const struct conductor *c, const struct party *y, size_t a, size_t b)
{
	const struct target *x = &c->p->targets[c->p->jobs[y->entry[a].job].target];
	const struct target *z = &c->p->targets[c->p->jobs[y->entry[b].job].target];

	return x->dev_major == z->dev_major && x->dev_minor == z->dev_minor;
}

/* What of it the count of the target's device holds besides. NULL = nothing: of a device a trim has
 * a count of its own, of a file it is writes of the file system. */
static const char *written_by(const struct conductor *c, const struct job *j)
{
	if (!job_writes(j) || plan_job_diskless(j))
		return NULL;
	if (!job_trims(j))
		return "another workload wrote to the device at the same time";
	return c->p->targets[j->target].kind == TARGET_BLOCK
		       ? NULL
		       : "another workload trimmed on the device at the same time";
}

void unmix_device(const struct conductor *c, struct party *y)
{
	for (size_t i = 0; i < y->n; i++)
		for (size_t k = 0; k < y->n; k++) {
			const char *why = written_by(c, &c->p->jobs[y->entry[k].job]);
			struct outcome_device *d = &y->out[i].device_written;

			if (k == i || d->state != DEVICE_KNOWN || !why || !one_device(c, y, i, k))
				continue;
			*d = (struct outcome_device){.state = DEVICE_UNKNOWN};
			snprintf(d->why, sizeof(d->why), "%s", why);
		}
}

uint32_t total_of(const struct conductor *c, uint32_t job)
{
	for (uint32_t k = c->ring[job]; k != job; k = c->ring[k])
		if (c->p->jobs[k].total && c->chosen[k])
			return k;
	return UINT32_MAX;
}

void make_total(struct conductor *c, const struct party *y, struct outcome *sum)
{
	const struct outcome **part = xcalloc(y->n, sizeof(*part));
	const char **what = xcalloc(y->n, sizeof(*what));
	for (size_t i = 0; i < y->n; i++) {
		part[i] = &y->out[i];
		what[i] = job_label(c, y->entry[i].job);
	}
	outcome_total(sum, part, what, y->n);
	free(part);
	free(what);
}

size_t order_together(const struct conductor *c, const struct session_order *o, size_t at)
{
	const struct order_entry *first = &o->v[at];
	uint32_t group = c->p->jobs[first->job].group;
	size_t n = 1;

	while (group && at + n < o->n && c->p->jobs[o->v[at + n].job].group == group &&
	       o->v[at + n].run == first->run)
		n++;
	return n;
}
