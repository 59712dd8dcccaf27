/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The share of slow I/Os in the place of a metric: of a run, and of a stored job. */
#include "gate/stored.h"
#include "gate/tail.h"
#include "gate/tails.h"

static bool share_of(const struct tail *t, uint32_t limit, double *share, double *step)
{
	return tails_share(tail_ios(t, limit), tail_slices(t, limit), t->ios.n, share, step);
}

void tail_view_value(const struct tail_view *t, const struct metric *m, const struct outcome *o,
		     struct value *out)
{
	struct arena a;
	struct tail tail;
	bool enough;

	*out = (struct value){.state = VALUE_ABSENT};
	if (o->status != OUTCOME_OK || o->nslots == 0 || latency_bins(m, o)->n == 0)
		return;
	arena_init(&a);
	tail_of(m, o, &a, &tail);
	enough = share_of(&tail, t->limit, &out->v, &out->step);
	out->n = tail.ios.n;
	/* in one burst, and no more than before, is no loss */
	out->state = enough || out->v <= t->reference ? VALUE_OK : VALUE_INSUFFICIENT;
	arena_release(&a);
}

const struct base_value *tail_view_base(const struct tail_view *t, const struct metric *m,
					const struct base_job *j, struct arena *a)
{
	const struct base_latency *l = latency_find(j, m);
	struct base_value *out;

	if (!l)
		return NULL;
	out = arena_alloc(a, sizeof(*out));
	*out = (struct base_value){.metric = m->name, .unit = UNIT_RATIO, .n = l->runs};
	out->v = arena_alloc(a, l->runs * sizeof(*out->v));
	out->step = arena_alloc(a, l->runs * sizeof(*out->step));
	for (uint32_t k = 0; k < l->runs; k++)
		if (!l->tail[k].kept || !share_of(&l->tail[k], t->limit, &out->v[k], &out->step[k]))
			return NULL;
	return out;
}
