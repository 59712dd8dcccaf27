/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * plan/conditions: requires, admit and when against the facts. An unknown fact never counts as met:
 * there is no path from missing evidence to PASS. What a condition cannot mean (spread, a share of
 * a reference) the suite has refused. What only a run can show (the kernel log meanwhile, other
 * I/O) is asked here whether it can be shown at all.
 */
#include "plan/planner.h"

#include <stdio.h>

enum truth { COND_UNMET, COND_MET, COND_UNKNOWN, COND_WRONG };

/* Facts of the target come before those of the host; a label may be named without its prefix. */
static const struct fact *fact_of(const struct facts *target, const struct facts *host,
				  const char *key)
{
	const struct fact *f = facts_find2(target, host, key);
	char label[160];

	if (f || (size_t)snprintf(label, sizeof(label), "label.%s", key) >= sizeof(label))
		return f;
	return facts_find2(target, host, label);
}

static bool ordered(enum check_op op)
{
	return op != OP_EQ && op != OP_NE;
}

/* *why: the actual value, or why it is unknown, in a. e is set when the comparison means nothing.
 */
static enum truth condition(const struct expr *x, const struct fact *f, struct arena *a,
			    const char **why, struct err *e)
{
	int rc;

	if (!f || !f->value) {
		*why = arena_printf(a, "%s cannot be read here%s%s", x->subject,
				    f && f->why ? ": " : "", f && f->why ? f->why : "");
		return COND_UNKNOWN;
	}
	*why = f->value;
	/* what the hardware does not have is neither above nor below anything */
	if (ordered(x->op) && str_eq(f->value, "none"))
		return COND_UNMET;
	rc = expr_compare_fact(f->key, f->value, x->op, x->value, e);
	if (rc < 0) {
		*why = arena_strdup(a, e->text);
		return COND_WRONG;
	}
	return rc ? COND_MET : COND_UNMET;
}

static enum truth condition_planned(struct planner *pl, const struct expr *x, const struct fact *f,
				    const char **why)
{
	struct err e = ERR_INIT;
	enum truth v = condition(x, f, pl->a, why, &e);

	if (v == COND_WRONG)
		planner_report_err(pl, x->line, x->column, &e);
	return v;
}

static void unmet(struct str *out, const char *where, const struct expr *x, const struct target *t,
		  const char *verb, const char *was, enum truth v, const char *why)
{
	if (v == COND_UNMET)
		str_addf(out, "%s: %s %s on '%s': it %s '%s'", where, x->text, verb, t->role, was,
			 why);
	else
		str_addf(out, "%s: %s %s on '%s': %s", where, x->text, verb, t->role, why);
}

static void unmet_planned(struct planner *pl, const char *where, const struct expr *x,
			  const struct target *t, enum truth v, const char *why)
{
	str_clear(&pl->tmp);
	unmet(&pl->tmp, where, x, t, "is not met", "is", v, why);
	planner_setup_error(pl, v == COND_WRONG ? ERR_SUITE : ERR_TARGET,
			    arena_strdup(pl->a, pl->tmp.s));
}

static void condition_suite(struct planner *pl, const struct expr *x, const char *where)
{
	for (size_t i = 0; i < pl->p->ntargets; i++) {
		const struct target *t = &pl->p->targets[i];
		const struct fact *f = fact_of(&t->facts, &pl->p->host, x->subject);
		const char *why;
		enum truth v;

		/* Its jobs are errors by themselves; only the host can still be asked. */
		if (pl->missing[i] && !facts_find(&pl->p->host, x->subject))
			continue;
		v = condition_planned(pl, x, f, &why);
		if (v != COND_MET)
			unmet_planned(pl, where, x, t, v, why);
	}
}

/* The fact by whose absence it is known now that a run will not show the other. NULL = none. */
static const char *shown_by(const char *subject, struct arena *a)
{
	if (str_eq(subject, "throttled"))
		return "health.thermal_1_time";
	if (str_ends(subject, ".new"))
		return arena_strndup(a, subject, strlen(subject) - strlen(".new"));
	return str_eq(subject, "kernel_log") ? subject : NULL;
}

/* What a run shows is not known before one. What cannot be shown is: nothing is measured for it. */
static void admit_shown(struct planner *pl, const struct expr *x, const struct facts *log)
{
	const char *key = shown_by(x->subject, pl->a);

	for (size_t i = 0; key && i < pl->p->ntargets; i++) {
		const struct target *t = &pl->p->targets[i];
		const struct fact *f = str_eq(key, "kernel_log")
					       ? facts_find(log, key)
					       : fact_of(&t->facts, &pl->p->host, key);

		if (pl->missing[i] || (f && f->value && !str_eq(f->value, "none")))
			continue;
		unmet_planned(pl, "admit", x, t, COND_UNKNOWN,
			      f && f->why ? f->why
					  : arena_printf(pl->a, "there is no %s here", key));
	}
}

/* A condition that may be waited for has to be readable, no more: each run waits for it. */
static void admit_waits(struct planner *pl, const struct expr *x)
{
	for (size_t i = 0; i < pl->p->ntargets; i++) {
		const struct target *t = &pl->p->targets[i];
		const struct fact *f = fact_of(&t->facts, &pl->p->host, x->subject);
		const char *why;
		enum truth v;

		if (pl->missing[i])
			continue;
		v = condition_planned(pl, x, f, &why);
		if (v == COND_UNKNOWN || v == COND_WRONG || str_eq(why, "none"))
			unmet_planned(pl, "admit", x, t, v, why);
	}
}

/* Are the facts of that name read again in each run? */
static bool read_again(const struct plan *p, const struct target *t, const struct expr *x)
{
	const struct fact *f = fact_of(&t->facts, &p->host, x->subject);

	return !f || facts_find(&p->host, f->key) ||
	       !(str_starts(f->key, "fs.") || str_starts(f->key, "target."));
}

/* Law 2: a state that is watched less closely than the suite reads is announced. */
static void admit_announce(struct planner *pl, const struct expr *x)
{
	for (size_t i = 0; i < pl->p->ntargets; i++)
		if (!pl->missing[i] && !read_again(pl->p, &pl->p->targets[i], x))
			notices_add(&pl->p->notices, "admit: %s is checked before the run only",
				    x->subject);
}

void conditions_suite(struct planner *pl)
{
	const struct suite *s = pl->s;
	struct facts log;

	if (pl->o->lint_only)
		return;
	facts_init(&log);
	for (size_t i = 0; i < s->require.n; i++)
		condition_suite(pl, &s->require.v[i], "requires");
	for (size_t i = 0; i < s->admit.n; i++) {
		const struct expr *x = &s->admit.v[i];

		if (str_eq(x->subject, "kernel_log") && log.n == 0)
			host_kernel_log(pl->o->host, &log, pl->a);
		if (expr_of_a_run(x->subject))
			admit_shown(pl, x, &log);
		else if (x->wait)
			admit_waits(pl, x);
		else
			condition_suite(pl, x, "admit");
		admit_announce(pl, x);
	}
	facts_release(&log);
}

void conditions_when(struct planner *pl, const struct workload *w, struct job *j)
{
	const struct target *t = &pl->p->targets[j->target];
	const char *why;
	enum truth v;

	if (!w->has_when || pl->o->lint_only || j->state != JOB_READY)
		return;
	v = condition_planned(pl, &w->when, fact_of(&t->facts, &pl->p->host, w->when.subject),
			      &why);
	if (v == COND_UNMET)
		job_stop(j, JOB_SKIPPED,
			 arena_printf(pl->a, "when: %s is not met (%s)", w->when.text, why));
	else if (v != COND_MET)
		job_stop(j, JOB_ERROR,
			 arena_printf(pl->a, "when: %s cannot be decided: %s", w->when.text, why));
}

bool plan_admit_asks(const struct plan *p, const char *family)
{
	for (size_t i = 0; i < p->suite->admit.n; i++)
		if (str_starts(p->suite->admit.v[i].subject, family))
			return true;
	return false;
}

/* The first set that holds the key, and the one behind it when that holds it too: the least and the
 * greatest of what was seen. */
static enum truth condition_seen(const struct plan *p, const struct target *t, const struct expr *x,
				 const struct facts *const *seen, size_t n, struct arena *a,
				 const char **why)
{
	enum truth v = COND_MET;
	bool found = false;

	for (size_t i = 0; i < n && v == COND_MET && (!found || i < 2); i++) {
		const struct fact *f = facts_find(seen[i], x->subject);
		struct err e = ERR_INIT;

		if (!f)
			continue;
		found = true;
		v = condition(x, f, a, why, &e);
	}
	if (!found) {
		struct err e = ERR_INIT;
		const struct fact *f = fact_of(&t->facts, &p->host, x->subject);
		bool said = f && (str_starts(f->key, "label.") || !read_again(p, t, x));

		v = condition(x, said ? f : NULL, a, why, &e);
	}
	return v;
}

/* What becomes of the device is no matter of a job that does not touch it. */
static bool of_device(const char *subject)
{
	static const char *const family[] = {"device.", "link",        "upstream.", "health.",
					     "pcie.",   "temperature", "throttled", "other_io"};

	for (size_t i = 0; i < sizeof(family) / sizeof(*family); i++)
		if (str_starts(subject, family[i]))
			return true;
	return false;
}

int plan_admitted(const struct plan *p, const struct job *j, const struct facts *const *seen,
		  size_t n, const struct expr **which, struct str *why)
{
	const struct suite *s = p->suite;
	const struct target *t = &p->targets[j->target];
	struct arena a;
	bool holds = true;

	arena_init(&a);
	for (size_t i = 0; i < s->admit.n && holds; i++) {
		const struct expr *x = &s->admit.v[i];
		const char *text = "";
		enum truth v = plan_job_diskless(j) && of_device(x->subject)
				       ? COND_MET
				       : condition_seen(p, t, x, seen, n, &a, &text);

		/* a throttled run is undecided and no error (DESIGN 3.4): the gate says so */
		holds = v == COND_MET || (v == COND_UNMET && str_eq(x->subject, "throttled"));
		if (!holds)
			unmet(why, "admit", x, t, "did not hold during the run", "was", v, text);
		if (!holds && which)
			*which = x;
	}
	arena_release(&a);
	return holds;
}

int plan_condition(const struct plan *p, uint32_t target, const struct expr *x,
		   const struct fact *f, struct str *why)
{
	const struct target *t = &p->targets[target];
	struct err e = ERR_INIT;
	const char *text = "";
	struct arena a;
	enum truth v;

	arena_init(&a);
	v = condition(x, f, &a, &text, &e);
	if (v != COND_MET)
		unmet(why, "admit", x, t, "is not met", "is", v, text);
	arena_release(&a);
	return v == COND_MET;
}
