/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * model/read_groups: what ran at the same time, in a document. Group and total decide who must have
 * been measured with whom, so they have to agree with the company that stands in the identity; and
 * a total follows from its parts, like every other derived figure, and is made of them again.
 */
#include "base/arena.h"
#include "model/result_io.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *beside_of(const struct job *j)
{
	return j->beside ? j->beside : "";
}

static const char *role_of(const struct result *r, const struct job *j)
{
	return r->targets[j->target].role;
}

static int contradicts(const struct reader *rd, const struct json *jobs, const struct job *j,
		       const char *beside)
{
	struct str diff;
	int rc;

	str_init(&diff);
	beside_diff(beside_of(j), beside, &diff);
	rc = doc_bad(rd, jobs, NULL,
		     "'%.80s' on '%.80s': the groups say otherwise than its text what ran at the "
		     "same time: %.300s",
		     j->name, role_of(rd->r, j), diff.s);
	str_release(&diff);
	return rc;
}

/* Each instance has one total, and a total something to add up. */
static int check_totals(const struct reader *rd, const struct json *jobs, const uint32_t *ring)
{
	const struct result *r = rd->r;

	for (uint32_t i = 0; i < r->njobs; i++) {
		uint32_t parts = 0, totals = 1;

		if (!r->jobs[i].total)
			continue;
		for (uint32_t k = ring[i]; k != i; k = ring[k]) {
			totals += r->jobs[k].total;
			parts += !r->jobs[k].total;
		}
		if (totals > 1 || parts == 0)
			return doc_bad(rd, jobs, NULL, "'%.80s' on '%.80s': %s", r->jobs[i].name,
				       role_of(r, &r->jobs[i]),
				       parts ? "a group with two totals" : "a total of nothing");
	}
	return 0;
}

int doc_check_groups(const struct reader *rd, const struct json *jobs)
{
	const struct result *r = rd->r;
	struct job *again = xcalloc(r->njobs + 1, sizeof(*again));
	uint32_t *ring = jobs_ring(r->jobs, r->njobs);
	struct arena a;
	int rc = check_totals(rd, jobs, ring);

	arena_init(&a);
	for (uint32_t i = 0; i < r->njobs; i++) {
		again[i] = r->jobs[i];
		again[i].beside = NULL;
	}
	jobs_beside(again, r->njobs, &a);
	for (uint32_t i = 0; rc == 0 && i < r->njobs; i++)
		if (strcmp(beside_of(&again[i]), beside_of(&r->jobs[i])) != 0)
			rc = contradicts(rd, jobs, &r->jobs[i], beside_of(&again[i]));
	arena_release(&a);
	free(ring);
	free(again);
	return rc;
}

static int run_order(const void *a, const void *b)
{
	const struct run *x = *(struct run *const *)a, *y = *(struct run *const *)b;

	if (x->job != y->job)
		return x->job < y->job ? -1 : 1;
	if (x->session != y->session)
		return x->session < y->session ? -1 : 1;
	return (x->run > y->run) - (x->run < y->run);
}

/* Of a part that was not measured there is an outcome that says so. */
static const struct outcome *part_of(struct run *const *sorted, size_t n, const struct run *total,
				     uint32_t job, const struct outcome *missing)
{
	struct run want = {.job = job, .session = total->session, .run = total->run};
	const struct run *key = &want;
	struct run *const *found = bsearch(&key, sorted, n, sizeof(*sorted), run_order);

	return found ? &(*found)->out : missing;
}

static void total_again(struct result *r, const uint32_t *ring, struct run *const *sorted,
			struct run *run)
{
	const struct outcome **part = xcalloc(r->njobs, sizeof(*part));
	const char **what = xcalloc(r->njobs, sizeof(*what));
	struct outcome missing, sum;
	size_t n = 0;

	outcome_init(&missing);
	missing.status = OUTCOME_NONE;
	snprintf(missing.text, sizeof(missing.text), "it was not measured");
	for (uint32_t k = ring[run->job]; k != run->job; k = ring[k]) {
		part[n] = part_of(sorted, r->runs.n, run, k, &missing);
		what[n++] = arena_printf(&r->arena, "'%s' on '%s'", r->jobs[k].name,
					 role_of(r, &r->jobs[k]));
	}
	outcome_total(&sum, part, what, n);
	outcome_release(&run->out);
	run->out = sum;
	free(part);
	free(what);
}

void doc_make_totals(struct result *r)
{
	struct run **sorted = xcalloc(r->runs.n + 1, sizeof(*sorted));
	uint32_t *ring = jobs_ring(r->jobs, r->njobs);

	for (size_t i = 0; i < r->runs.n; i++)
		sorted[i] = &r->runs.v[i];
	qsort(sorted, r->runs.n, sizeof(*sorted), run_order);
	for (size_t i = 0; i < r->runs.n; i++)
		if (r->jobs[r->runs.v[i].job].total && r->runs.v[i].out.status == OUTCOME_OK)
			total_again(r, ring, sorted, &r->runs.v[i]);
	free(ring);
	free(sorted);
}
