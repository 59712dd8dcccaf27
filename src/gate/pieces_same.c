/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which pieces are one attempt in several files, and which files only say that they are. */
#include "gate/pieces.h"
#include "json/json.h"

/* The first session of a that b holds too; its place in b. False = none. */
static bool shared(const struct piece *a, const struct piece *b, uint32_t *in_a, uint32_t *in_b)
{
	for (uint32_t i = 0; i < a->n; i++)
		for (uint32_t k = 0; k < b->n; k++)
			if (str_eq(a->r->sessions.v[a->first + i].id,
				   b->r->sessions.v[b->first + k].id)) {
				*in_a = i;
				*in_b = k;
				return true;
			}
	return false;
}

/* What a session of a piece measured, as the journal has it, with the jobs of the result. */
static void write_runs(const struct piece *p, uint32_t session, struct str *out)
{
	for (size_t i = 0; i < p->r->runs.n; i++) {
		struct run run = p->r->runs.v[i];
		struct result plain = {.jobs = p->r->jobs, .njobs = p->r->njobs};
		struct jw w;

		if (run.session != p->first + session)
			continue;
		run.job = p->map ? p->map[run.job] : run.job;
		run.session = 0;
		jw_init(&w);
		result_journal_run(&plain, &run, &w);
		str_add(out, jw_finish(&w));
		jw_release(&w);
	}
}

static bool same_session(const struct piece *a, const struct piece *b, uint32_t session)
{
	const struct session *x = &a->r->sessions.v[a->first + session],
			     *y = &b->r->sessions.v[b->first + session];
	struct str s, t;
	bool same;

	str_init(&s);
	str_init(&t);
	write_runs(a, session, &s);
	write_runs(b, session, &t);
	same = str_eq(x->id, y->id) && x->started == y->started && x->seed == y->seed &&
	       str_eq(s.s, t.s);
	str_release(&s);
	str_release(&t);
	return same;
}

/* An attempt is one whole that grows at its end: what two files hold of it must be the same from
 * its first session on. A session is made once, so a second one of its id is a forgery or a slip.
 */
static int check_same(const struct piece *a, const struct piece *b, struct err *e)
{
	uint32_t n = a->n < b->n ? a->n : b->n, at, k;

	if (!shared(a, b, &at, &k))
		return 0;
	for (uint32_t i = 0; i < n; i++)
		if (!same_session(a, b, i)) {
			err_set(e, ERR_REFUSED,
				"'%s' and '%s' both hold session '%s', and not the same of it: "
				"other runs, or other sessions before it",
				a->name, b->name, a->r->sessions.v[a->first + at].id);
			return err_hint(e, "one of the two files was changed or mixed up; name the "
					   "one that blkgate wrote");
		}
	return 0;
}

/* The longer one stands for both; in the place of the result's own piece when that is one of them.
 */
static void merge(struct piece *kept, const struct piece *x)
{
	bool own = kept->own || x->own;

	if (x->n > kept->n)
		*kept = *x;
	kept->own = own;
}

int pieces_once(struct pieces *p, struct err *e)
{
	size_t kept = 0;

	for (size_t i = 0; i < p->n; i++) {
		struct piece *same = NULL;
		uint32_t a, b;

		for (size_t k = 0; k < kept; k++) {
			if (check_same(&p->v[k], &p->v[i], e))
				return e->code;
			if (!same && shared(&p->v[k], &p->v[i], &a, &b))
				same = &p->v[k];
		}
		if (same)
			merge(same, &p->v[i]);
		else if (p->v[i].n || p->v[i].own)
			p->v[kept++] = p->v[i];
	}
	p->n = kept;
	return 0;
}
