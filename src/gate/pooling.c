/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Pooling: what is taken from each source besides its sessions, and what the result then says. */
#include "gate/pooling.h"
#include "gate/pieces.h"
#include "gate/pooling_map.h"

/* The same name on the target of the same role. Mostly at the same place: looked for from there. */
static uint32_t find_job(const struct result *r, const struct result *of, uint32_t job,
			 uint32_t from)
{
	const struct job *j = &of->jobs[job];

	for (size_t i = 0; i < r->njobs; i++) {
		uint32_t at = (uint32_t)((from + i) % r->njobs);
		const struct job *k = &r->jobs[at];

		if (str_eq(k->name, j->name) &&
		    str_eq(r->targets[k->target].role, of->targets[j->target].role))
			return at;
	}
	return UINT32_MAX;
}

static struct pool_map map_jobs(const struct result *r, const struct result *source)
{
	struct pool_map m = {.job = xcalloc(source->njobs + 1, sizeof(*m.job)),
			     .ran = xcalloc(source->njobs + 1, sizeof(*m.ran))};
	uint32_t from = 0;

	for (uint32_t i = 0; i < source->njobs; i++) {
		m.job[i] = find_job(r, source, i, from);
		if (m.job[i] != UINT32_MAX)
			from = m.job[i] + 1;
	}
	for (size_t i = 0; i < source->runs.n; i++)
		m.ran[source->runs.v[i].job] = true;
	return m;
}

struct check *pooling_find_check(const struct result *r, uint32_t job, const char *name)
{
	size_t low = 0, high = r->nchecks;

	while (low < high) { /* grouped by job, ascending */
		size_t mid = low + (high - low) / 2;

		if (r->checks[mid].job < job)
			low = mid + 1;
		else
			high = mid;
	}
	for (; low < r->nchecks && r->checks[low].job == job; low++)
		if (str_eq(r->checks[low].name, name))
			return &r->checks[low];
	return NULL;
}

static uint32_t most_sessions(const struct result *r)
{
	return r->sessions_suite > r->sessions_max ? r->sessions_suite : r->sessions_max;
}

/* Array of its own: that of a plan serves other results too. */
static void *own_copy(struct arena *a, const void *v, size_t n, size_t size)
{
	void *copy = arena_alloc(a, (n + 1) * size);

	if (n)
		memcpy(copy, v, n * size);
	return copy;
}

/* A job that was not selected now and was measured before stands in the result; and so does a check
 * of it that was judged before. */
static void carry(struct result *r, const struct pool_source *s, const uint32_t *map)
{
	for (uint32_t i = 0; i < s->r->njobs; i++) {
		struct job *j = map[i] == UINT32_MAX ? NULL : &r->jobs[map[i]];

		if (!j || j->state != JOB_SKIPPED || s->r->jobs[i].state == JOB_SKIPPED)
			continue;
		j->state = JOB_READY;
		j->why = NULL;
	}
	for (size_t i = 0; i < s->r->nchecks; i++) {
		const struct check *c = &s->r->checks[i];
		struct check *now = c->skipped || map[c->job] == UINT32_MAX
					    ? NULL
					    : pooling_find_check(r, map[c->job], c->name);

		if (now)
			now->skipped = NULL;
	}
}

/* Nothing that was left out is missing any more: then the result is whole. */
static void settle_partial(struct result *r)
{
	static const char left_out[] = "not selected by --";

	if (!r->partial || !str_starts(r->partial, "selected by --"))
		return;
	for (size_t i = 0; i < r->njobs; i++)
		if (r->jobs[i].state == JOB_SKIPPED && r->jobs[i].why &&
		    (str_starts(r->jobs[i].why, left_out) ||
		     str_starts(r->jobs[i].why, "--check ")))
			return;
	for (size_t i = 0; i < r->nchecks; i++)
		if (r->checks[i].skipped && str_starts(r->checks[i].skipped, left_out))
			return;
	r->partial = NULL;
}

static void note(struct result *r, const char *text)
{
	for (size_t i = 0; i < r->notices.n; i++)
		if (str_eq(r->notices.v[i], text))
			return;
	*VEC_PUSH(&r->notices) = text;
}

/* What was announced then is part of what was measured. */
static void keep_notices(struct result *r, const struct pool_source *s)
{
	static const char before[] = "an earlier attempt: ";

	for (size_t i = 0; i < s->r->notices.n; i++) {
		const char *text = s->r->notices.v[i];
		bool again = str_starts(text, before);
		bool known = false;

		for (size_t k = 0; k < r->notices.n; k++)
			known |= str_eq(r->notices.v[k], text);
		if (!known)
			note(r, arena_printf(&r->arena, "%s%s", again ? "" : before, text));
	}
}

static void note_looks(struct result *r)
{
	uint32_t first = r->attempts.v[0].looks;

	if (first != r->sessions_max)
		note(r, arena_printf(&r->arena,
				     "the first attempt was planned for %u session%s, the sequence "
				     "for %u: each look keeps the level that it was made at",
				     first, first == 1 ? "" : "s", r->sessions_max));
}

static void put_together(struct result *r, const struct pool_source *source, size_t n,
			 const struct pool_map *map)
{
	struct pieces p = {0};

	for (size_t i = 0; i < n; i++)
		pieces_add(&p, source[i].r, map[i].job, false);
	pieces_add(&p, r, NULL, true);
	pieces_arrange(&p);
	if (p.n > 1) {
		r->sessions_max = most_sessions(r);
		for (size_t i = 0; i < n; i++)
			if (most_sessions(source[i].r) > r->sessions_max)
				r->sessions_max = most_sessions(source[i].r);
		pieces_into(&p, r);
		if (!r->owns_plan) {
			r->jobs = own_copy(&r->arena, r->jobs, r->njobs, sizeof(*r->jobs));
			r->checks = own_copy(&r->arena, r->checks, r->nchecks, sizeof(*r->checks));
		}
		for (size_t i = 0; i < n; i++) {
			carry(r, &source[i], map[i].job);
			keep_notices(r, &source[i]);
		}
		settle_partial(r);
		note_looks(r);
	}
	VEC_RELEASE(&p);
}

int pooling_add(struct result *r, const char *name, const struct pool_source *source, size_t n,
		struct err *e)
{
	struct pool_map *map = xcalloc(n + 1, sizeof(*map));
	int rc = 0;

	if (r->inject)
		rc = err_set(e, ERR_REFUSED, "an injected run adds no evidence to '%s'",
			     n ? source[0].name : "a result");
	if (rc == 0 && r->sessions.n) /* measured already: it must be as sound as the others */
		rc = pooling_usable(r, name, e);
	for (size_t i = 0; i < n && rc == 0; i++) {
		map[i] = map_jobs(r, source[i].r);
		rc = pooling_check(r, &source[i], &map[i], e);
	}
	if (rc == 0)
		rc = pooling_check_level(r, name, source, map, n, e);
	if (rc == 0)
		put_together(r, source, n, map);
	for (size_t i = 0; i < n; i++) {
		free(map[i].job);
		free(map[i].ran);
	}
	free(map);
	return rc;
}
