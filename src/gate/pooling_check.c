/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which earlier result is evidence for the same thing, and the sentence when one is not. */
#include "gate/pooling_map.h"
#include "gate/comparable.h"

static int refuse(const char *name, struct err *e, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
static int refuse(const char *name, struct err *e, const char *fmt, ...)
{
	struct str s;
	va_list ap;

	str_init(&s);
	va_start(ap, fmt);
	str_vaddf(&s, fmt, ap);
	va_end(ap);
	err_set(e, ERR_REFUSED, "'%s' is no evidence for this result: %s", name, s.s);
	str_release(&s);
	return e->code;
}

/* A selection takes whole workloads and checks; any other partial result stopped somewhere. */
static bool by_selection(const char *partial)
{
	return str_starts(partial, "selected by --");
}

static int check_runs(const struct result *r, const char *name, struct err *e)
{
	for (size_t i = 0; i < r->sessions.n; i++)
		if (!r->sessions.v[i].complete)
			return refuse(name, e, "its session '%s' is not complete",
				      r->sessions.v[i].id);
	for (size_t i = 0; i < r->verdicts.n; i++) {
		const struct verdict *v = &r->verdicts.v[i];
		bool measure = v->check == VERDICT_MEASURE && v->job < r->njobs;

		if (v->kind == VERDICT_ERROR && (measure || str_eq(v->type, "missing")) &&
		    v->job < r->njobs)
			return refuse(name, e, "the measurement of '%s' failed: %s",
				      r->jobs[v->job].name, v->text);
	}
	return 0;
}

int pooling_usable(const struct result *r, const char *name, struct err *e)
{
	if (r->interleave.kind != INTERLEAVE_NONE)
		return refuse(name, e, "it compared two arms with each other (%s)",
			      r->interleave.kind == INTERLEAVE_VERSUS ? "--versus" : "--ab");
	if (r->inject)
		return refuse(name, e, "it is injected (--inject '%s')", r->inject);
	if (r->interrupted)
		return refuse(name, e, "it was interrupted");
	if (r->setup_error)
		return refuse(name, e, "its suite could not run: %s", r->setup_error);
	if (r->unfinished)
		return refuse(name, e, "it is unfinished: its journal has no end");
	if (r->partial && !by_selection(r->partial))
		return refuse(name, e, "it is partial: %s", r->partial);
	if (r->sessions.n == 0)
		return refuse(name, e, "it holds no session");
	return check_runs(r, name, e);
}

static int check_change(const struct result *r, const struct pool_source *s, struct err *e)
{
	const char *now = r->change, *then = s->r->change;

	if (!now && !then)
		return 0;
	if (now && then && str_eq(now, then))
		return 0;
	if (now && then)
		return refuse(s->name, e, "it is of change '%s', this one of '%s'", then, now);
	refuse(s->name, e, "%s names the change '%s', %s names none", then ? "it" : "this one",
	       then ? then : now, then ? "this one" : "it");
	return err_hint(e, "give every run of one change the same --change ID");
}

static int check_whole(const struct result *r, const struct pool_source *s, struct err *e)
{
	if (!str_eq(s->r->suite, r->suite))
		return refuse(s->name, e, "it is of suite '%s', this one of '%s'", s->r->suite,
			      r->suite);
	if (!str_eq(s->r->profile, r->profile))
		return refuse(s->name, e, "it is of profile '%s', this one of '%s'", s->r->profile,
			      r->profile);
	if (s->r->measurement_version != r->measurement_version)
		return refuse(s->name, e, "measurement version %u -> %u", s->r->measurement_version,
			      r->measurement_version);
	return check_change(r, s, e);
}

/* The facts of each attempt of the source, for it may hold several. */
static int check_facts(const struct result *r, const struct pool_source *s, uint32_t then,
		       uint32_t now, struct err *e)
{
	bool all = !r->change;
	struct str why;
	int rc = 0;

	str_init(&why);
	for (uint32_t i = 0; rc == 0 && i < s->r->sessions.n; i++) {
		const struct fact_side a = {result_session_target(s->r, i, then),
					    result_session_host(s->r, i)};
		const struct fact_side b = {&r->targets[now].facts, &r->host};

		if (i && s->r->sessions.v[i].from == s->r->sessions.v[i - 1].from)
			continue;
		if (!comparable_other(&r->compare, a, b, all, &why))
			continue;
		rc = refuse(s->name, e, "target '%s': %s", r->targets[now].role, why.s);
		err_hint(e,
			 all ? "sessions of one change need --change ID on each run; without "
			       "it nothing may differ"
			     : "what is under test must be the same, and so must labels; a fact "
			       "that is not belongs under `compare: {note: [...]}` of the suite");
	}
	str_release(&why);
	return rc;
}

static int check_job(const struct result *r, const struct pool_source *s, uint32_t then,
		     uint32_t now, struct err *e)
{
	const struct job *a = &s->r->jobs[then], *b = &r->jobs[now];
	struct str was, is, diff;
	int rc = 0;

	if (a->runs != b->runs)
		return refuse(s->name, e, "'%s': runs of a session %u -> %u", a->name, a->runs,
			      b->runs);
	if (!str_eq(a->adjust_by, b->adjust_by))
		return refuse(s->name, e, "'%s': adjust_by %s -> %s", a->name,
			      a->adjust_by ? a->adjust_by : "none",
			      b->adjust_by ? b->adjust_by : "none");
	str_init(&was);
	str_init(&is);
	str_init(&diff);
	job_canonical(a, &was);
	job_canonical(b, &is);
	if (!str_eq(was.s, is.s)) {
		job_canonical_diff(was.s, is.s, &diff);
		rc = refuse(s->name, e, "'%s' is another job: %s", a->name,
			    diff.len ? diff.s : "its text differs");
	}
	str_release(&was);
	str_release(&is);
	str_release(&diff);
	return rc;
}

static bool same_demand(const struct check *a, const struct check *b)
{
	if (a->kind != b->kind || a->role != b->role || !str_eq(a->metric, b->metric))
		return false;
	if (a->kind == CHECK_GATE)
		return !(a->tolerance < b->tolerance) && !(a->tolerance > b->tolerance) &&
		       a->absolute == b->absolute;
	return a->op == b->op && !(a->limit < b->limit) && !(a->limit > b->limit) &&
	       a->every_run == b->every_run && a->spread == b->spread &&
	       str_eq(a->percent_of, b->percent_of);
}

/* A tolerance widened, or a gate dropped, between two sessions of one sequence would be a retry
 * until green. */
static int check_demand(const struct result *r, const struct pool_source *s,
			const struct check *then, uint32_t now, struct err *e)
{
	const struct check *c = pooling_find_check(r, now, then->name);

	if (!c)
		return refuse(s->name, e, "'%s' of '%s' is not in this suite any more", then->name,
			      r->jobs[now].name);
	if (same_demand(then, c))
		return 0;
	return refuse(s->name, e, "'%s' of '%s' demanded another thing then: %s -> %s", c->name,
		      r->jobs[now].name, then->text, c->text);
}

static int check_jobs(const struct result *r, const struct pool_source *s, const struct pool_map *m,
		      struct err *e)
{
	bool *seen = xcalloc(r->ntargets + 1, sizeof(*seen));
	int rc = 0;

	for (uint32_t i = 0; rc == 0 && i < s->r->njobs; i++) {
		uint32_t now = m->job[i], t;

		if (!m->ran[i])
			continue;
		if (now == UINT32_MAX) {
			rc = refuse(s->name, e, "it measured '%s' on '%s', which this suite lacks",
				    s->r->jobs[i].name, s->r->targets[s->r->jobs[i].target].role);
			break;
		}
		t = r->jobs[now].target;
		rc = check_job(r, s, i, now, e);
		if (rc == 0 && !seen[t])
			rc = check_facts(r, s, s->r->jobs[i].target, t, e);
		seen[t] = true;
	}
	free(seen);
	return rc;
}

int pooling_check(const struct result *r, const struct pool_source *s, const struct pool_map *m,
		  struct err *e)
{
	if (pooling_usable(s->r, s->name, e) || check_whole(r, s, e) || check_jobs(r, s, m, e))
		return e->code;
	for (size_t i = 0; i < s->r->nchecks; i++) {
		const struct check *c = &s->r->checks[i];

		if (c->job >= s->r->njobs || c->skipped || !m->ran[c->job])
			continue;
		if (check_demand(r, s, c, m->job[c->job], e))
			return e->code;
	}
	return 0;
}
