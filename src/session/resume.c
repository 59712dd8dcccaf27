/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * session/resume: a preparation that an interrupted run did not get to the end of goes on where it
 * was, from the journal in the folder of results. Only where it is sure that the target is still
 * the same and that nobody wrote to it since the last step: what cannot be told begins anew, and
 * that is said.
 */
#include "session/conductor.h"

#include <sys/stat.h>

void resume_open(struct conductor *c)
{
	struct err ignored =
		ERR_INIT; /* a journal that is damaged is kept aside, and told, later */
	struct stat st;

	if (!c->o->journal || interleaving(c) || lstat(c->o->journal, &st) < 0 ||
	    !S_ISREG(st.st_mode) || st.st_size == 0)
		return;
	if (result_load(c->o->journal, &c->earlier, &ignored) < 0)
		return;
	c->has_earlier = true;
	if (!(c->earlier.unfinished || c->earlier.interrupted) || !c->earlier.preparations.n ||
	    !str_eq(c->earlier.suite, c->p->suite->name))
		resume_close(c);
}

void resume_close(struct conductor *c)
{
	if (c->has_earlier)
		result_release(&c->earlier);
	c->has_earlier = false;
}

static bool same_job(const struct conductor *c, uint32_t job, uint32_t earlier)
{
	const struct job *j = &c->p->jobs[job], *o = &c->earlier.jobs[earlier];
	struct str a, b;
	bool same;

	if (!str_eq(j->name, o->name) ||
	    !str_eq(c->p->targets[j->target].role, c->earlier.targets[o->target].role))
		return false;
	str_init(&a);
	str_init(&b);
	job_canonical(j, &a);
	job_canonical(o, &b);
	same = str_eq(a.s, b.s);
	str_release(&a);
	str_release(&b);
	return same;
}

/* That of the last session. */
static const struct preparation *find(const struct conductor *c, uint32_t job)
{
	const struct preparation *found = NULL;

	for (size_t i = 0; i < c->earlier.preparations.n; i++) {
		const struct preparation *p = &c->earlier.preparations.v[i];

		if (p->run == PREPARATION_OF_SESSION && same_job(c, job, p->job) &&
		    (!found || p->session > found->session))
			found = p;
	}
	return found;
}

/* The last step on the target left it as it is now: then so did all before it, in that session. */
static bool untouched(const struct conductor *c, const struct preparation *e, const char *now)
{
	uint32_t target = c->earlier.jobs[e->job].target;

	for (size_t i = 0; i < c->earlier.preparations.n; i++) {
		const struct preparation *p = &c->earlier.preparations.v[i];

		if (p->session == e->session && c->earlier.jobs[p->job].target == target &&
		    p->mark && str_eq(p->mark, now))
			return true;
	}
	return false;
}

bool resume_preparation(struct conductor *c, struct preparation *p)
{
	uint32_t target = c->p->jobs[p->job].target;
	const char *now, *why = NULL, *text;
	const struct preparation *e;

	if (!c->has_earlier || p->run != PREPARATION_OF_SESSION || p->session != c->first)
		return false;
	e = find(c, p->job);
	if (!e)
		return false;
	/* asked anew for each: one before it that began anew has written to their target */
	now = hold_mark(&c->holds[target], c->p, target, &c->r->arena);
	if (!e->whole)
		why = "it was stopped while it filled the region";
	else if (!now)
		why = "whether anybody wrote to its target since cannot be told";
	else if (!untouched(c, e, now))
		why = "its target was written to since the last step, or is another one";
	if (why) {
		text = arena_printf(
			&c->r->arena,
			"the preparation of '%s' by the run that was interrupted is not "
			"used: %s",
			c->p->jobs[p->job].name, why);
	} else {
		p->whole = true;
		p->trimmed = e->trimmed;
		p->filled = e->filled;
		for (size_t i = 0; i < e->rounds.n; i++)
			*VEC_PUSH(&p->rounds) = e->rounds.v[i];
		p->resumed = (uint32_t)e->rounds.n;
		p->note = "trim and fill by the run that was interrupted";
		text = arena_printf(&c->r->arena,
				    "the preparation of '%s' goes on from the run that was "
				    "interrupted: %zu rounds",
				    c->p->jobs[p->job].name, e->rounds.n);
	}
	*VEC_PUSH(&c->r->notices) = text;
	tell(c, EVENT_NOTICE, NULL, NULL, text);
	return why == NULL;
}
