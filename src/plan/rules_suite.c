/* SPDX-License-Identifier: GPL-2.0-or-later */
/* plan/rules_suite: what shows in the suite as a whole and in no job alone. */
#include "plan/lint.h"

#include "base/units.h"

#define LONG (3600ULL * NS_PER_SEC)

struct suite_lint {
	struct plan *p;
	struct diags *d;
	uint64_t fired;
};

static void told(struct suite_lint *l, enum rule rule, const struct place *at, const char *hint,
		 const char *text)
{
	struct diag *g = plan_finding(l->p, l->d, NULL, rule, at, "%s", text);

	l->fired |= 1ULL << rule;
	if (g && hint)
		diag_hint(g, "%s", hint);
}

/* What a session takes at least: what ends at size takes nobody knows how long. */
static double sure_time(const struct plan *p)
{
	double ns = 0;

	for (size_t i = 0; i < p->njobs; i++) {
		const struct engine *g = engine_find(p->jobs[i].ioengine);

		if (p->jobs[i].state == JOB_READY && group_leads(p, i) &&
		    !(g && (g->caps & ENGINE_VIRTUAL)))
			ns += (double)p->jobs[i].runs * (double)plan_run_time(&p->jobs[i]);
	}
	return ns;
}

static bool writes_data(const struct plan *p)
{
	for (size_t i = 0; i < p->njobs; i++)
		if (p->jobs[i].state == JOB_READY && metric_job_does(&p->jobs[i], DIR_WRITE) &&
		    !plan_job_diskless(&p->jobs[i]))
			return true;
	return false;
}

static void budget_missing(struct suite_lint *l, double time)
{
	const struct plan *p = l->p;
	struct str s;

	str_init(&s);
	if (!p->budget_written && writes_data(p))
		str_add(&s, "it writes, and no budget says how much of the drive's life that may "
			    "cost");
	if (!p->budget_time && time > (double)LONG) {
		str_add(&s, s.len ? "; it" : "it");
		str_add(&s, " may take ");
		unit_format_duration(&s, (uint64_t)time);
		str_add(&s, " and more, and no budget says when it has to be over");
	}
	if (s.len)
		told(l, RULE_BUDGET_MISSING, &(struct place){1, 1},
		     "`budget: {time: 45min, written: 50 GB}`", s.s);
	str_release(&s);
}

/* Can a gate ask for a session that the budget has no room for? */
static bool gated(const struct plan *p)
{
	for (size_t i = 0; i < p->nchecks; i++)
		if (p->checks[i].kind == CHECK_GATE && p->checks[i].role == ROLE_PRIMARY &&
		    !p->checks[i].skipped)
			return true;
	return false;
}

static void budget_below_sessions(struct suite_lint *l, double session)
{
	struct plan *p = l->p;
	uint32_t max = rounds_max(p);
	bool bounded;
	double written = (double)plan_session_written(p, &bounded, NULL);
	struct str s;

	if (!gated(p) || max < 2)
		return;
	str_init(&s);
	if (p->budget_time && session * max > (double)p->budget_time) {
		str_add(&s, "the budget of ");
		unit_format_duration(&s, p->budget_time);
		str_addf(&s, " holds %u of %u %ss", (unsigned)((double)p->budget_time / session),
			 max, round_name(p));
	} else if (p->budget_written && bounded && written * max > (double)p->budget_written) {
		str_add(&s, "the budget of ");
		unit_format(&s, UNIT_BYTES, (double)p->budget_written);
		str_addf(&s, " holds %u of %u %ss", (unsigned)((double)p->budget_written / written),
			 max, round_name(p));
	}
	if (s.len) {
		str_add(&s, ": a gate that is undecided then ends as an error");
		told(l, RULE_BUDGET_BELOW_SESSIONS, &(struct place){1, 1},
		     "a larger budget, shorter runs, or fewer sessions: `sessions: 1..3`", s.s);
	}
	str_release(&s);
}

/* A label that is under test has to tell the targets apart. */
static void label_repeats(struct suite_lint *l, const char *key, const struct place *at)
{
	const struct plan *p = l->p;
	const char *first = NULL;
	struct str s;

	for (size_t t = 0; t < p->ntargets; t++) {
		const char *value = facts_value(&p->targets[t].facts, key);

		if (target_is_total(&p->targets[t]))
			continue;
		if (!value || (first && strcmp(first, value) != 0))
			return;
		first = value;
	}
	str_init(&s);
	str_addf(&s, "%s is under test and is '%s' on all targets: it tells none apart", key,
		 first ? first : "");
	told(l, RULE_LABEL_REPEATS, at, "--label ROLE.KEY=VALUE gives each target its own", s.s);
	str_release(&s);
}

static void labels(struct suite_lint *l)
{
	const struct suite *s = l->p->suite;
	size_t targets = 0;

	for (size_t t = 0; t < l->p->ntargets; t++)
		targets += l->p->targets[t].kind != TARGET_NONE;
	for (size_t i = 0; targets > 1 && i < s->under_test.n; i++)
		if (str_starts(s->under_test.v[i], "label."))
			label_repeats(l, s->under_test.v[i], &(struct place){1, 1});
}

uint64_t lint_suite(struct plan *p, struct diags *d)
{
	struct suite_lint l = {.p = p, .d = d};
	double session = sure_time(p);

	budget_missing(&l, session * rounds_max(p));
	budget_below_sessions(&l, session);
	labels(&l);
	return l.fired;
}
