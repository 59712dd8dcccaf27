/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Who may enter a baseline (DESIGN 3.5). A session enters because it was measured well, not because
 * it looked good: selecting by verdict would shrink the variance that every later verdict rests on.
 * Only an epoch that already stands on five blocks defends its level.
 */
#include "base/clock.h"
#include "base/fileio.h"
#include "gate/baseline_file.h"
#include "gate/baseline_level.h"
#include "gate/expiry.h"
#include "gate/judge.h"
#include "gate/steadiness.h"
#include <unistd.h>

/* Of the sessions that count for this result. */
static uint32_t epoch_blocks(const struct baseline *b, const struct result *r)
{
	const struct expiry x = expiry_of(r);
	const struct base_session **v = xcalloc(b->n + 1, sizeof(*v));
	uint32_t blocks;
	size_t n = 0;

	for (size_t i = 0; i < b->n; i++)
		if (baseline_current(b, i) && !expiry_over(&x, b, &b->sessions[i]))
			v[n++] = &b->sessions[i];
	blocks = baseline_blocks(v, n);
	free(v);
	return blocks;
}

/* A new epoch has no level yet, and one of a few blocks is not sure of its own. */
static bool defends_level(const struct result *r, const struct baseline *b,
			  const struct accept_options *o)
{
	return !o->new_epoch && epoch_blocks(b, r) >= BASELINE_BLOCKS;
}

static const struct base_session *stored_session(const struct baseline *b, const char *id)
{
	for (size_t i = 0; i < b->n; i++)
		if (str_eq(b->sessions[i].id, id))
			return &b->sessions[i];
	return NULL;
}

static const char *job_name(const struct result *r, const struct verdict *v)
{
	return v->job < r->njobs ? r->jobs[v->job].name : "the result";
}

static int check_whole(const struct result *r, struct err *e)
{
	if (baseline_source_check(r, e))
		return e->code;
	if (r->verdicts.n == 0 || r->sessions.n == 0)
		return err_set(e, ERR_REFUSED, "the result holds no judged session");
	return 0;
}

/* The level of a drive that was too hot is not the drive's. */
static int check_throttled(const struct result *r, struct err *e)
{
	struct str how;
	int rc = 0;

	str_init(&how);
	for (size_t i = 0; i < r->runs.n && rc == 0; i++)
		if (judge_throttled_run(&r->runs.v[i], &how))
			rc = err_set(e, ERR_REFUSED, "the measurement of '%s' does not count: %s",
				     r->jobs[r->runs.v[i].job].name, how.s);
	str_release(&how);
	return rc;
}

/* Of a sick machine: it would move the level that the next one is judged by. */
static int check_environment(const struct result *r, struct err *e)
{
	for (size_t i = 0; i < r->verdicts.n; i++)
		if (r->verdicts.v[i].kind == VERDICT_ERROR &&
		    str_eq(r->verdicts.v[i].type, "environment")) {
			err_set(e, ERR_REFUSED, "%s", r->environment);
			return err_hint(e, "measure again when the machine is well");
		}
	return 0;
}

/* Errors of the measurement, whatever stands in the baseline; what the baseline demands and is not
 * there; then runs that were not made. */
static int check_measured(const struct result *r, struct err *e)
{
	for (size_t i = 0; i < r->verdicts.n; i++) {
		const struct verdict *v = &r->verdicts.v[i];
		bool value_missing = v->check != VERDICT_MEASURE && str_eq(v->type, "missing");

		if (v->kind != VERDICT_ERROR)
			continue;
		if (v->job >=
		    r->njobs) /* a session that lacks them would hide that they are gone */
			return err_set(e, ERR_REFUSED, "the result is not whole: %s", v->text);
		if (v->check == VERDICT_MEASURE || value_missing)
			return err_set(e, ERR_REFUSED, "the measurement of '%s' failed: %s",
				       job_name(r, v), v->text);
	}
	if (check_environment(r, e) || check_throttled(r, e))
		return e->code;
	for (size_t i = 0; i < r->sessions.n; i++)
		if (!r->sessions.v[i].complete)
			return err_set(e, ERR_REFUSED, "session '%s' is not complete",
				       r->sessions.v[i].id);
	return 0;
}

/* A target on its way to its level would put the way into the baseline. */
static int check_steady(const struct result *r, struct err *e)
{
	struct arena a;
	int rc = 0;

	arena_init(&a);
	for (size_t i = 0; i < r->runs.n && rc == 0; i++) {
		const char *why = run_unsteady(r, &r->runs.v[i], &a);

		if (why)
			rc = err_set(e, ERR_REFUSED, "'%s': %s", r->jobs[r->runs.v[i].job].name,
				     why);
	}
	arena_release(&a);
	return rc;
}

static bool level_kept(const struct verdict *v)
{
	switch (v->kind) {
	case VERDICT_PASS:
	case VERDICT_IMPROVEMENT:
	case VERDICT_INCONCLUSIVE:
	case VERDICT_SKIPPED:
	case VERDICT_NO_BASELINE: /* a new gate has no level to defend yet */
		return true;
	default:
		return false;
	}
}

static int check_level(const struct result *r, struct err *e)
{
	for (size_t i = 0; i < r->verdicts.n; i++) {
		const struct verdict *v = &r->verdicts.v[i];
		const struct check *c = v->check < r->nchecks ? &r->checks[v->check] : NULL;

		if (!c || c->kind != CHECK_GATE || c->role == ROLE_WATCH || level_kept(v))
			continue;
		err_set(e, ERR_REFUSED, "%s of '%s' is %s: %s", c->name, job_name(r, v),
			verdict_name(v->kind), v->text);
		return err_hint(e, "when the new level is wanted: --new-epoch --reason TEXT");
	}
	return 0;
}

static int check_names(const struct result *r, const struct baseline *b, struct err *e)
{
	if (baseline_name_check(r->suite, "suite", e) ||
	    baseline_name_check(r->profile, "profile", e))
		return e->code;
	if (!str_eq(r->suite, b->suite) || !str_eq(r->profile, b->profile))
		return err_set(
			e, ERR_REFUSED,
			"the result is of suite '%s', profile '%s', the baseline of '%s', '%s'",
			r->suite, r->profile, b->suite, b->profile);
	if (!str_eq(r->baseline_digest ? r->baseline_digest : "", b->digest))
		return err_set(e, ERR_REFUSED,
			       "the result was judged against another state of the baseline");
	return 0;
}

/* Sound names, each once, and at least one that is not stored. */
static int check_sessions(const struct result *r, const struct baseline *b, struct err *e)
{
	const struct base_session *s = NULL;
	size_t old = 0;

	for (size_t i = 0; i < r->sessions.n; i++) {
		const char *id = r->sessions.v[i].id;

		if (baseline_name_check(id, "session", e))
			return e->code;
		for (size_t k = 0; k < i; k++)
			if (str_eq(r->sessions.v[k].id, id))
				return err_set(e, ERR_REFUSED,
					       "session '%s' is in the result twice", id);
		s = stored_session(b, id);
		old += s != NULL;
	}
	if (old == 0 || old < r->sessions.n)
		return 0;
	if (old > 1)
		return err_set(e, ERR_REFUSED,
			       "all its %zu sessions are stored already, the last one is '%s'", old,
			       s->path ? s->path : s->id);
	return err_set(e, ERR_REFUSED, "session '%s' is stored already: '%s'", s->id,
		       s->path ? s->path : "a result");
}

static int check_rules(const struct result *r, const struct baseline *b,
		       const struct accept_options *o, struct err *e)
{
	if (check_whole(r, e) || check_measured(r, e) || check_steady(r, e) ||
	    check_names(r, b, e) || check_sessions(r, b, e))
		return e->code;
	if (o->new_epoch && !(o->reason && *o->reason)) {
		err_set(e, ERR_REFUSED, "a new epoch needs a reason");
		return err_hint(
			e, "--reason TEXT, for example the ticket that explains the new level");
	}
	if (!defends_level(r, b, o))
		return 0;
	return check_level(r, e);
}

static void say_stored(struct str *text, const struct base_session *s, bool dry_run,
		       const char *path)
{
	str_addf(text, "%s session %s into epoch %u, %zu workload%s: ",
		 dry_run ? "would accept" : "accepted", s->id, s->epoch, s->jobs.n,
		 s->jobs.n == 1 ? "" : "s");
	baseline_add_text(text, path, SIZE_MAX);
	str_addc(text, '\n');
}

/* One session: its document, then its place. */
static int store(const struct result *r, uint32_t session, uint32_t epoch,
		 const struct accept_options *o, struct str *text, struct err *e)
{
	char *folder = xasprintf("%s/%s/%s", o->dir, r->suite, r->profile), *path;
	struct base_session s;
	struct arena a;
	struct jw w;
	int rc = 0;

	arena_init(&a);
	baseline_session_from(r, session, &a, &s);
	s.epoch = epoch;
	s.accepted = clock_utc();
	s.who = o->who;
	s.reason = o->reason;
	path = xasprintf("%s/%s.json", folder, s.id);
	jw_init(&w);
	if (s.jobs.n == 0)
		rc = err_set(e, ERR_REFUSED, "session '%s' holds no measured workload", s.id);
	else if (access(path, F_OK) == 0)
		rc = err_set(e, ERR_REFUSED, "session '%s' is stored already: '%s'", s.id, path);
	if (rc == 0 && !o->dry_run) {
		const char *doc;

		baseline_session_write(&s, r, session, &w);
		doc = jw_finish(&w);
		rc = file_mkdirs(folder, e);
		if (rc == 0)
			rc = file_write(path, doc, strlen(doc), e);
	}
	if (rc == 0) {
		say_stored(text, &s, o->dry_run, path);
		baseline_warn_values(&s, text);
	}
	jw_release(&w);
	baseline_session_release(&s);
	arena_release(&a);
	free(path);
	free(folder);
	return rc;
}

int baseline_accept(const struct result *r, const struct baseline *b,
		    const struct accept_options *o, size_t *stored, struct str *text, struct err *e)
{
	uint32_t epoch = b->epoch + (o->new_epoch || b->epoch == 0 ? 1 : 0);

	*stored = 0;
	if (check_rules(r, b, o, e)) {
		if (e->code == ERR_USAGE) /* a name that is no file name: refused like the rest */
			e->code = ERR_REFUSED;
		return e->code;
	}
	for (uint32_t s = 0; s < r->sessions.n; s++) {
		const struct base_session *old = stored_session(b, r->sessions.v[s].id);
		int rc;

		if (old) {
			str_addf(text, "skipped session %s: it is stored already, in epoch %u\n",
				 old->id, old->epoch);
			continue;
		}
		rc = store(r, s, epoch, o, text, e);
		if (rc)
			return rc;
		*stored += !o->dry_run;
	}
	if (r->environment) {
		str_add(text, "warning: ");
		baseline_add_text(text, r->environment, SIZE_MAX);
		str_addc(text, '\n');
	}
	if (!o->new_epoch)
		baseline_warn_level(r, text);
	return 0;
}
