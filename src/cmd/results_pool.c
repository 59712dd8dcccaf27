/* SPDX-License-Identifier: GPL-2.0-or-later */
/* `judge A B`: results of one suite and profile are sessions of one sequence. A verdict on each
 * alone would be "judge until green". */
#include "cmd/results.h"
#include "gate/pooling.h"

#include <stdlib.h>

static bool one_group(const struct result *a, const struct result *b)
{
	return str_eq(a->suite, b->suite) && str_eq(a->profile, b->profile);
}

static int64_t newest_session(const struct result *r)
{
	return r->sessions.n ? r->sessions.v[r->sessions.n - 1].started : r->started;
}

/* The newest of the group of result i; the one with more sessions of two that end alike. */
static size_t newest(const struct loaded_results *l, size_t i)
{
	size_t best = i;

	for (size_t k = 0; k < l->n; k++) {
		const struct result *x = l->list[k], *y = l->list[best];
		int64_t tx = newest_session(x), ty = newest_session(y);

		if (one_group(l->list[i], x) &&
		    (tx > ty || (tx == ty && x->sessions.n > y->sessions.n)))
			best = k;
	}
	return best;
}

/* Pools the group into its newest member; the others leave the list. */
static int pool_group(struct loaded_results *l, size_t i, struct err *e)
{
	struct pool_source *source = xcalloc(l->n, sizeof(*source));
	struct result *into;
	const char *name;
	size_t best = newest(l, i), n = 0, kept = 0;
	int rc;

	into = &l->v[l->list[best] - l->v];
	name = l->paths[best];
	for (size_t k = 0; k < l->n; k++)
		if (k != best && one_group(l->list[i], l->list[k]))
			source[n++] = (struct pool_source){l->list[k], l->paths[k]};
	rc = n ? pooling_add(into, name, source, n, e) : 0;
	if (rc == 0 && n) {
		gate_judge(into, &l->baselines[into - l->v],
			   &(struct gate_options){.now = into->ended,
						  .sessions_max = into->sessions_max});
		for (size_t k = 0; k < l->n; k++) {
			if (l->list[k] != into && one_group(into, l->list[k]))
				continue;
			l->list[kept] = l->list[k];
			l->paths[kept++] = l->paths[k];
		}
		l->n = kept;
	}
	free(source);
	return rc;
}

int results_pool(struct loaded_results *l, struct err *e)
{
	for (size_t i = 0; i < l->n; i++)
		if (pool_group(l, i, e))
			return e->code;
	l->status = STATUS_PASS;
	for (size_t i = 0; i < l->nbroken; i++)
		l->status = status_worse(l->status, l->broken[i].status);
	for (size_t i = 0; i < l->n; i++)
		l->status = status_worse(l->status, l->list[i]->status);
	return 0;
}
