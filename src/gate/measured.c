/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The verdict on the measurement of a job: is there anything that may be judged? */
#include "gate/judge.h"
#include "gate/steadiness.h"
#include "measure/metric.h"

static const char *failure_type(enum outcome_status s)
{
	return s == OUTCOME_NONE ? "not-measured" : outcome_status_name(s);
}

static const char *missing_type(const struct result *r)
{
	return r->interrupted ? "interrupted" : "not-measured";
}

/* Why something is not there: ": reason", or "" when the result does not say. */
static const char *missing_why(struct result *r)
{
	const char *why = r->partial ? r->partial : r->interrupted ? "interrupted" : NULL;

	return why ? arena_printf(&r->arena, ": %s", why) : "";
}

/* Bytes on which what was written in the window stands at least: no block is written twice before
 * each of the region was written once. */
static uint64_t written_blocks(const struct job *j, const struct outcome *o)
{
	uint64_t region = job_file_size(j) - job_file_size(j) % j->bs, all;

	if (__builtin_mul_overflow(region, job_files(j), &all) || all > o->dir[DIR_WRITE].bytes)
		return o->dir[DIR_WRITE].bytes;
	return all;
}

const char *judge_run_empty(const struct job *j, const struct outcome *o)
{
	uint64_t ios = 0;

	for (unsigned d = 0; d < DIR_COUNT; d++)
		if (metric_job_does(j, d))
			ios += o->dir[d].ios;
	if (ios == 0)
		return "no I/O completed in the window";
	if (o->window == 0)
		return "the window has no length";
	/* The window of such a job ends with its time and never before. */
	if (j->time_based && o->window < j->runtime - j->runtime / 10)
		return "the window is shorter than the runtime";
	if (!job_verifies(j))
		return NULL;
	if (o->verified == 0)
		return "nothing of what it wrote was verified";
	return o->verified < written_blocks(j, o) ? "not all of what it wrote was verified" : NULL;
}

/* What the run came to that is no measurement: its JUnit type, and the sentence; NULL when it is
 * one. */
static const char *run_failure(const struct job *j, const struct outcome *o, const char **text)
{
	if (o->status != OUTCOME_OK) {
		*text = *o->text ? o->text : outcome_status_name(o->status);
		return failure_type(o->status);
	}
	*text = judge_run_empty(j, o);
	return *text ? "not-measured" : NULL;
}

/* A job of a group was measured when the others were, in the same run: beside one that failed it
 * measured another mixture than it says. NULL, or the sentence. A total is derived and no company.
 */
static const char *company_failed(struct judge *g, uint32_t job, const struct run *run)
{
	const struct result *r = g->r;

	for (uint32_t k = g->ring[job]; k != job; k = g->ring[k]) {
		const struct run *other = r->jobs[k].total ? NULL : judge_run(g, k, run);
		const char *text = "it was not measured";

		if (r->jobs[k].total || (other && !run_failure(&r->jobs[k], &other->out, &text)))
			continue;
		return arena_printf(&g->r->arena, "'%s' on '%s' ran at the same time: %s",
				    r->jobs[k].name, r->targets[r->jobs[k].target].role, text);
	}
	return NULL;
}

/* What keeps a run that went well from being one of its job: the state of the target, or the
 * company.
 */
static const char *run_spoiled(struct judge *g, uint32_t job, const struct run *run,
			       const char **text)
{
	*text = run_unprepared(g->r, run, &g->r->arena);
	if (*text)
		return "not-measured";
	*text = company_failed(g, job, run);
	return *text ? outcome_status_name(OUTCOME_COMPANION) : NULL;
}

/* One session of the job holds the demanded runs, each once and each good. */
static bool session_whole(struct judge *g, uint32_t job, const struct job_session *s,
			  struct verdict *v)
{
	struct result *r = g->r;
	const struct job *j = &r->jobs[job];
	unsigned session = s->session + 1;

	if (s->session >= r->sessions.n) {
		verdict_say(r, v, VERDICT_ERROR, "not-measured",
			    "runs of session %u, which the result does not list", session);
		return false;
	}
	for (size_t i = 0; i < s->n; i++) {
		const char *text, *type = run_failure(j, &s->v[i]->out, &text);

		if (!type)
			type = run_spoiled(g, job, s->v[i], &text);
		if (!type)
			continue;
		verdict_say(r, v, VERDICT_ERROR, type, "run %u of %u in session %u: %s",
			    s->v[i]->run + 1, j->runs, session, text);
		return false;
	}
	for (size_t i = 0; i < s->n; i++) {
		if (s->v[i]->run == i && s->n == j->runs)
			continue;
		verdict_say(r, v, VERDICT_ERROR, missing_type(r),
			    "%zu of %u runs measured in session %u%s", s->n, j->runs, session,
			    missing_why(r));
		return false;
	}
	return true;
}

/* Sessions from `first` on, before `end`, that hold the job without a gap. */
static uint32_t sessions_from(struct judge *g, uint32_t job, uint32_t first, uint32_t end)
{
	struct job_session s;
	uint32_t n = 0;
	size_t pos = 0;

	while (judge_next(g, job, &pos, &s))
		n += s.session < end && s.session == first + n;
	return n;
}

/* Each of the first `least` sessions of an invocation, which are those from `first` to `end`, holds
 * every job that it selected; a later one only what was not decided by then. */
static bool invocation_whole(struct judge *g, uint32_t job, uint32_t first, uint32_t end,
			     uint32_t least, struct verdict *v)
{
	struct result *r = g->r;
	uint32_t have = sessions_from(g, job, first, end);

	if (have >= (least > 1 ? least : 1))
		return true;
	if (v->nsessions == 0)
		verdict_say(r, v, VERDICT_ERROR, missing_type(r), "not measured%s", missing_why(r));
	else
		verdict_say(r, v, VERDICT_ERROR, missing_type(r),
			    "not measured in session %u of at least %u%s", first + have + 1,
			    first + (least > 1 ? least : 1), missing_why(r));
	return false;
}

static bool sessions_whole(struct judge *g, uint32_t job, struct verdict *v)
{
	struct result *r = g->r;
	struct job_session s;
	uint32_t first = 0;
	size_t pos = 0;

	while (judge_next(g, job, &pos, &s)) {
		if (!session_whole(g, job, &s, v))
			return false;
		g->whole[job] = ++v->nsessions;
	}
	if (!r->attempts.n)
		return invocation_whole(g, job, 0, UINT32_MAX, r->sessions_min, v);
	for (uint32_t a = 0; a < r->attempts.n; a++) {
		const struct attempt *t = &r->attempts.v[a];
		uint32_t end = first;

		while (end < r->sessions.n && r->sessions.v[end].from == a + 1)
			end++;
		if (attempt_ran(t, job) &&
		    !invocation_whole(g, job, first, end, t->sessions_min, v))
			return false;
		first = end;
	}
	if (v->nsessions == 0)
		verdict_say(r, v, VERDICT_ERROR, missing_type(r), "not measured%s", missing_why(r));
	return v->nsessions > 0;
}

/* A run of that job that is no measurement, as the type of the verdict; NULL = all are good. */
static const char *bad_run(struct judge *g, uint32_t job, const struct run **bad, const char **text)
{
	const struct run *const *run = &g->run[g->run_first[job]];

	for (size_t i = 0; i < judge_runs(g, job); i++) {
		const char *type = run_failure(&g->r->jobs[job], &run[i]->out, text);

		*bad = run[i];
		if (!type)
			type = run_spoiled(g, job, run[i], text);
		if (type)
			return type;
	}
	return NULL;
}

/* Pairs from the first on in which every run is good. */
static uint32_t good_pairs(struct judge *g, const struct arms *a)
{
	const char *text;

	for (uint32_t k = 0; k < a->pairs; k++)
		for (unsigned arm = 0; arm < ARM_COUNT; arm++) {
			const struct run *run = a->run[arm][k];

			if (run_failure(&g->r->jobs[run->job], &run->out, &text) ||
			    company_failed(g, run->job, run))
				return k;
		}
	return a->pairs;
}

/* Beside an arm that failed the other is compared with nothing. */
static bool arms_good(struct judge *g, uint32_t job, const struct arms *a, struct verdict *v)
{
	const struct run *bad;
	const char *text, *type = bad_run(g, job, &bad, &text);

	for (unsigned arm = 0; !type && arm < ARM_COUNT; arm++)
		if (a->job[arm] != job && bad_run(g, a->job[arm], &bad, &text))
			type = outcome_status_name(OUTCOME_COMPANION);
	if (type)
		verdict_say(g->r, v, VERDICT_ERROR, type, "pair %u, '%s': %s", bad->pair + 1,
			    g->r->interleave.name[bad->arm], text);
	return !type;
}

/* As many pairs as the first look takes, each whole; later ones only for what was undecided. */
static bool pairs_whole(struct judge *g, uint32_t job, struct verdict *v)
{
	struct result *r = g->r;
	uint32_t least = judge_first_look(r);
	struct arms a;

	if (!judge_arms(g, job, &a)) {
		verdict_say(r, v, VERDICT_ERROR, missing_type(r),
			    "the other target does not hold it: nothing to compare it with");
		return false;
	}
	g->whole[job] = a.twice ? 0 : good_pairs(g, &a);
	if (!arms_good(g, job, &a, v))
		return false;
	v->pairs = a.pairs;
	if (!a.rest && a.pairs >= least && a.pairs <= r->interleave.pairs)
		return true;
	verdict_say(r, v, VERDICT_ERROR, missing_type(r), "%u whole pair%s of at least %u%s%s",
		    a.pairs, a.pairs == 1 ? "" : "s", least,
		    a.rest ? ", and runs that belong to none" : "", missing_why(r));
	return false;
}

void verdict_measure(struct judge *g, uint32_t job, struct verdict *v)
{
	struct result *r = g->r;
	const struct job *j = &r->jobs[job];

	if (j->state == JOB_SKIPPED && judge_runs(g, job) > 0) {
		verdict_say(r, v, VERDICT_ERROR, "setup", "it was skipped, and yet it has runs: %s",
			    j->why && *j->why ? j->why : "not selected");
		return;
	}
	if (j->state == JOB_SKIPPED) {
		verdict_say(r, v, VERDICT_SKIPPED, NULL, "%s",
			    j->why && *j->why ? j->why : "not selected");
		return;
	}
	if (r->setup_error) {
		verdict_say(r, v, VERDICT_ERROR, "setup", "%s",
			    *r->setup_error ? r->setup_error : "the suite could not be set up");
		return;
	}
	if (j->state == JOB_ERROR) {
		verdict_say(r, v, VERDICT_ERROR, "setup", "%s",
			    j->why && *j->why ? j->why : "cannot run here");
		return;
	}
	if (r->interleave.kind != INTERLEAVE_NONE) {
		if (pairs_whole(g, job, v))
			verdict_say(r, v, VERDICT_PASS, NULL, "%u pairs of runs", v->pairs);
		return;
	}
	if (!sessions_whole(g, job, v))
		return;
	verdict_say(r, v, VERDICT_PASS, NULL, "%zu run%s in %u session%s", judge_runs(g, job),
		    judge_runs(g, job) == 1 ? "" : "s", v->nsessions, v->nsessions == 1 ? "" : "s");
}
