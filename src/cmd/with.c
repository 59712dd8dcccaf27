/* SPDX-License-Identifier: GPL-2.0-or-later */
/* --with RESULT: the evidence that a run adds to. */
#include "cmd/invocation.h"

#include <stdlib.h>

static int load_one(const struct options *o, size_t i, bool only, struct conducted *c,
		    struct err *e)
{
	struct evidence_files *f = c->with;
	struct result *r = &f->v[f->n];
	struct gate_options g;

	if (result_load(o->with.v[i], r, e) < 0) {
		result_release(r);
		return e->code;
	}
	if (!only && !str_eq(r->suite, c->suite->suite.name)) {
		result_release(r);
		return 0;
	}
	g = (struct gate_options){.now = r->ended, .sessions_max = r->sessions_max};
	gate_judge(r, &c->baseline, &g);
	f->source[f->n++] = (struct pool_source){r, o->with.v[i]};
	return 0;
}

int with_open(const struct options *o, bool only, struct conducted *c, struct err *e)
{
	struct evidence_files *f;
	int rc = 0;

	if (!o->with.n)
		return 0;
	f = c->with = xcalloc(1, sizeof(*f));
	f->v = xcalloc(o->with.n, sizeof(*f->v));
	f->source = xcalloc(o->with.n, sizeof(*f->source));
	for (size_t i = 0; i < o->with.n && rc == 0; i++)
		rc = load_one(o, i, only, c, e);
	for (size_t i = 0; i < f->n && !c->options.change; i++)
		c->options.change = f->v[i].change;
	c->options.with = f->source;
	c->options.nwith = f->n;
	return rc;
}

/* Before this run has measured: judged as if it had nothing to add. */
static bool undecided(struct conducted *c)
{
	struct result *r = &c->result;
	const struct gate_options g = {.now = r->ended, .sessions_max = r->sessions_max};
	struct attempt *own = &r->attempts.v[r->attempts.n - 1];
	size_t left_out = own->not_run.n;
	bool any = false;

	for (uint32_t i = 0; i < r->njobs; i++)
		*VEC_PUSH(&own->not_run) = i;
	gate_judge(r, &c->baseline, &g);
	for (size_t i = 0; i < r->verdicts.n; i++) {
		const struct verdict *v = &r->verdicts.v[i];

		any |= v->wants_session ||
		       (v->check == VERDICT_MEASURE && v->kind == VERDICT_ERROR);
	}
	own->not_run.n = left_out;
	gate_judge(r, &c->baseline, &g);
	return any;
}

const char *with_idle(struct conducted *c)
{
	if (!c->result.attempts.n || undecided(c))
		return NULL;
	return c->result.sessions.n >= c->result.sessions_max
		       ? "the sequence has all its sessions: what this run measures is shown "
			 "beside "
			 "it and changes no verdict"
		       : "nothing of the sequence is undecided: what this run measures is shown "
			 "beside the decisions and changes none";
}

int with_check(const struct options *o, const struct load *l, struct err *e)
{
	for (size_t i = 0; i < o->with.n && l->n > 1; i++) {
		struct result r;
		bool taken = false;

		if (result_load(o->with.v[i], &r, e) == 0)
			for (size_t k = 0; k < l->n; k++)
				taken |= l->v[k].has_suite && str_eq(l->v[k].suite.name, r.suite);
		if (!e->code && !taken)
			err_set(e, ERR_REFUSED, "'%s' is of suite '%s', which is not run here",
				o->with.v[i], r.suite);
		result_release(&r);
		if (e->code)
			return e->code;
	}
	return 0;
}

void with_release(struct evidence_files *f)
{
	if (!f)
		return;
	for (size_t i = 0; i < f->n; i++)
		result_release(&f->v[i]);
	free(f->v);
	free(f->source);
	free(f);
}
