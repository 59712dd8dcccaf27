/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "gate/pooling.h"
#include "gate/gate.h"
#include "gate/pooling_map.h"

/* One attempt of one source, or of the result itself. */
struct piece {
	const struct result *r;
	const uint32_t *map;     /* job of the source -> job of the result; NULL = the same */
	const struct attempt *a; /* NULL = the source is one attempt */
	uint32_t first, n;       /* its sessions */
	int64_t started;
	bool own; /* of the result's own invocation */
};

struct pieces {
	struct piece *v;
	size_t n, cap;
};

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

static void add_pieces(struct pieces *p, const struct result *r, const uint32_t *map, bool own)
{
	uint32_t first = 0;

	for (uint32_t a = 1; a <= r->attempts.n; a++) {
		uint32_t n = 0;

		while (first + n < r->sessions.n && r->sessions.v[first + n].from == a)
			n++;
		*VEC_PUSH(p) = (struct piece){.r = r,
					      .map = map,
					      .a = &r->attempts.v[a - 1],
					      .first = first,
					      .n = n,
					      .own = own && a == r->attempts.n};
		first += n;
	}
	if (r->attempts.n == 0)
		*VEC_PUSH(p) = (struct piece){
			.r = r, .map = map, .n = (uint32_t)r->sessions.n, .own = own};
}

/* By time; the result's own attempt is behind all, also when its clock says otherwise. */
static int by_time(const void *a, const void *b)
{
	const struct piece *x = a, *y = b;

	if (x->own != y->own)
		return x->own - y->own;
	if (x->started != y->started)
		return x->started < y->started ? -1 : 1;
	return x->n && y->n ? strcmp(x->r->sessions.v[x->first].id, y->r->sessions.v[y->first].id)
			    : (x->n > y->n) - (x->n < y->n);
}

static bool same_piece(const struct piece *a, const struct piece *b)
{
	return a->n && b->n && str_eq(a->r->sessions.v[a->first].id, b->r->sessions.v[b->first].id);
}

static bool held(const struct pieces *p, size_t n, const struct piece *x)
{
	for (size_t i = 0; i < n; i++)
		if (same_piece(&p->v[i], x))
			return true;
	return false;
}

/* In order, each attempt once; the own piece stays, also when it is empty. An attempt is one whole:
 * two files that hold its first session hold the same. */
static void arrange(struct pieces *p)
{
	size_t kept = 0;

	for (size_t i = 0; i < p->n; i++) {
		struct piece *x = &p->v[i];

		x->started = x->n ? x->r->sessions.v[x->first].started : x->r->started;
	}
	qsort(p->v, p->n, sizeof(*p->v), by_time);
	for (size_t i = 0; i < p->n; i++) {
		const struct piece *x = &p->v[i], *own = &p->v[p->n - 1];

		if (x->own || (x->n && !same_piece(x, own) && !held(p, kept, x)))
			p->v[kept++] = *x;
	}
	p->n = kept;
}

static uint32_t most_sessions(const struct result *r)
{
	return r->sessions_suite > r->sessions_max ? r->sessions_suite : r->sessions_max;
}

static void add_then(const struct result *r, struct str *s)
{
	struct gate_counts c;

	gate_count(r, &c);
	const struct {
		uint32_t n;
		const char *what;
	} count[] = {
		{c.regression, "regression"},
		{c.missed, "missed"},
		{c.known, "known"},
		{c.error, "error"},
		{c.no_baseline, "without baseline"},
		{c.inconclusive, "undecided"},
		{c.improvement, "improvement"},
		{c.pass, "pass"},
		{c.watch, "watched"},
	};
	for (size_t i = 0; i < sizeof(count) / sizeof(*count); i++)
		if (count[i].n)
			str_addf(s, "%s%u %s", s->len ? ", " : "", count[i].n, count[i].what);
	if (!s->len)
		str_add(s, "nothing judged");
}

static void copy_facts(struct facts *to, struct arena *a, const struct facts *from)
{
	facts_init(to);
	for (size_t i = 0; i < from->n; i++)
		facts_set(to, a, from->v[i].key, from->v[i].value, from->v[i].why);
}

/* The facts that the piece saw, in the order of the targets of the result. */
static void keep_facts(const struct piece *p, struct result *r, struct attempt *to)
{
	copy_facts(&to->host, &r->arena, result_session_host(p->r, p->first));
	to->targets = xcalloc(r->ntargets + 1, sizeof(*to->targets));
	for (size_t t = 0; t < r->ntargets; t++) {
		facts_init(&to->targets[t]);
		for (uint32_t k = 0; k < p->r->ntargets; k++)
			if (str_eq(p->r->targets[k].role, r->targets[t].role))
				copy_facts(&to->targets[t], &r->arena,
					   result_session_target(p->r, p->first, k));
	}
}

static bool selected(const struct piece *p, uint32_t job)
{
	if (p->a && !attempt_ran(p->a, job))
		return false;
	return p->a ? true : p->r->jobs[job].state != JOB_SKIPPED;
}

static void keep_selection(const struct piece *p, const struct result *r, struct attempt *to)
{
	bool *ran = xcalloc(r->njobs + 1, sizeof(*ran));

	for (uint32_t i = 0; i < p->r->njobs; i++) {
		uint32_t now = p->map ? p->map[i] : i;

		if (now != UINT32_MAX)
			ran[now] = selected(p, i);
	}
	for (uint32_t i = 0; i < r->njobs; i++)
		if (!ran[i])
			*VEC_PUSH(&to->not_run) = i;
	free(ran);
}

static void add_attempt(const struct piece *p, bool first, struct result *r, struct result *out)
{
	struct attempt *to = VEC_PUSH(&out->attempts);
	struct str s;

	to->started = p->a ? p->a->started : p->r->started;
	to->ended = p->a ? p->a->ended : p->r->ended;
	to->sessions_min = p->a ? p->a->sessions_min : p->r->sessions_min;
	/* What it was told to plan for, it was told before it began. The first one stands alone. */
	to->looks = p->a ? p->a->looks : first ? p->r->sessions_max : r->sessions_max;
	keep_selection(p, r, to);
	facts_init(&to->host);
	if (p->own)
		return;
	keep_facts(p, r, to);
	to->status = p->r->status;
	str_init(&s);
	if (p->a && p->a->verdict) {
		to->status = p->a->status;
		str_add(&s, p->a->verdict);
	} else {
		add_then(p->r, &s);
	}
	to->verdict = arena_strdup(&r->arena, s.s);
	str_release(&s);
}

static void add_sessions(const struct piece *p, struct result *r, struct result *out)
{
	uint32_t base = (uint32_t)out->sessions.n;

	for (uint32_t i = 0; i < p->n; i++) {
		struct session *s = VEC_PUSH(&out->sessions);

		*s = p->r->sessions.v[p->first + i];
		s->from = (uint32_t)out->attempts.n;
		s->boot = arena_strdup(&r->arena, result_session_boot(p->r, p->first + i));
	}
	for (size_t i = 0; i < p->r->runs.n; i++) {
		const struct run *from = &p->r->runs.v[i];
		struct run *run;

		if (from->session < p->first || from->session >= p->first + p->n)
			continue;
		run = VEC_PUSH(&out->runs);
		*run = *from;
		run->job = p->map ? p->map[from->job] : from->job;
		run->session = base + from->session - p->first;
		outcome_copy(&run->out, &from->out);
	}
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

static void rebuild(struct result *r, const struct pieces *p)
{
	struct result out = {0};

	for (size_t i = 0; i < p->n; i++) {
		add_attempt(&p->v[i], i == 0, r, &out);
		add_sessions(&p->v[i], r, &out);
	}
	for (size_t i = 0; i < r->runs.n; i++)
		outcome_release(&r->runs.v[i].out);
	VEC_RELEASE(&r->runs);
	VEC_RELEASE(&r->sessions);
	attempts_release(r);
	r->runs = (typeof(r->runs)){out.runs.v, out.runs.n, out.runs.cap};
	r->sessions = (typeof(r->sessions)){out.sessions.v, out.sessions.n, out.sessions.cap};
	r->attempts = (typeof(r->attempts)){out.attempts.v, out.attempts.n, out.attempts.cap};
}

static void put_together(struct result *r, const struct pool_source *source, size_t n,
			 const struct pool_map *map)
{
	struct pieces p = {0};

	for (size_t i = 0; i < n; i++)
		add_pieces(&p, source[i].r, map[i].job, false);
	add_pieces(&p, r, NULL, true);
	arrange(&p);
	if (p.n > 1) {
		r->sessions_max = most_sessions(r);
		for (size_t i = 0; i < n; i++)
			if (most_sessions(source[i].r) > r->sessions_max)
				r->sessions_max = most_sessions(source[i].r);
		rebuild(r, &p);
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
		put_together(r, source, n, map);
	for (size_t i = 0; i < n; i++) {
		free(map[i].job);
		free(map[i].ran);
	}
	free(map);
	return rc;
}
