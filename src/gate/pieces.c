/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "gate/pieces.h"
#include "gate/gate.h"

void pieces_add(struct pieces *p, const struct result *r, const char *name, const uint32_t *map,
		bool own)
{
	uint32_t first = 0;

	for (uint32_t a = 1; a <= r->attempts.n; a++) {
		uint32_t n = 0;

		while (first + n < r->sessions.n && r->sessions.v[first + n].from == a)
			n++;
		*VEC_PUSH(p) = (struct piece){.r = r,
					      .name = name,
					      .map = map,
					      .a = &r->attempts.v[a - 1],
					      .first = first,
					      .n = n,
					      .own = own && a == r->attempts.n};
		first += n;
	}
	if (r->attempts.n == 0)
		*VEC_PUSH(p) = (struct piece){
			.r = r, .name = name, .map = map, .n = (uint32_t)r->sessions.n, .own = own};
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

void pieces_arrange(struct pieces *p)
{
	for (size_t i = 0; i < p->n; i++) {
		struct piece *x = &p->v[i];

		x->started = x->n ? x->r->sessions.v[x->first].started : x->r->started;
	}
	if (p->n)
		qsort(p->v, p->n, sizeof(*p->v), by_time);
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
	to->looks = p->a ? p->a->looks : first ? result_looks(p->r) : r->sessions_max;
	keep_selection(p, r, to);
	facts_init(&to->host);
	if (p->own) { /* measured already (judge): what it came to alone is not forgotten */
		to->status = p->a ? p->a->status : p->n ? p->r->status : STATUS_PASS;
		return;
	}
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

static void add_preparations(const struct piece *p, uint32_t base, struct result *r,
			     struct result *out)
{
	for (size_t i = 0; i < p->r->preparations.n; i++) {
		const struct preparation *from = &p->r->preparations.v[i];
		uint32_t job = p->map ? p->map[from->job] : from->job;
		struct preparation *to;

		if (from->session < p->first || from->session >= p->first + p->n ||
		    job == UINT32_MAX)
			continue;
		to = VEC_PUSH(&out->preparations);
		*to = *from;
		to->job = job;
		to->session = base + from->session - p->first;
		to->note = arena_strdup(&r->arena, from->note);
		to->mark = arena_strdup(&r->arena, from->mark);
		to->rounds = (typeof(to->rounds)){0};
		for (size_t k = 0; k < from->rounds.n; k++)
			*VEC_PUSH(&to->rounds) = from->rounds.v[k];
	}
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
		run->watched = watched_copy(from->watched, &r->arena);
	}
	add_preparations(p, base, r, out);
}

/* One attempt is the result's own invocation, and no row. */
static void single(struct result *r)
{
	attempts_release(r);
	for (size_t i = 0; i < r->sessions.n; i++) {
		r->sessions.v[i].from = 0;
		r->sessions.v[i].boot = NULL;
	}
}

void pieces_into(const struct pieces *p, struct result *r)
{
	struct result out = {0};

	for (size_t i = 0; i < p->n; i++) {
		add_attempt(&p->v[i], i == 0, r, &out);
		add_sessions(&p->v[i], r, &out);
	}
	for (size_t i = 0; i < r->runs.n; i++)
		outcome_release(&r->runs.v[i].out);
	for (size_t i = 0; i < r->preparations.n; i++)
		VEC_RELEASE(&r->preparations.v[i].rounds);
	VEC_RELEASE(&r->preparations);
	VEC_RELEASE(&r->runs);
	VEC_RELEASE(&r->sessions);
	attempts_release(r);
	r->runs = (typeof(r->runs)){out.runs.v, out.runs.n, out.runs.cap};
	r->sessions = (typeof(r->sessions)){out.sessions.v, out.sessions.n, out.sessions.cap};
	r->preparations = (typeof(r->preparations)){out.preparations.v, out.preparations.n,
						    out.preparations.cap};
	r->attempts = (typeof(r->attempts)){out.attempts.v, out.attempts.n, out.attempts.cap};
	if (p->n == 1)
		single(r);
}
