/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The last line: the verdict of the whole invocation, its counts and what the status means. */
#include "report/view.h"

#include "base/units.h"

struct tally {
	unsigned n[VERDICT_SKIPPED + 1];
	unsigned provisional, checks, measured, watched, red_attempts, worse_after;
	/* what a policy made of verdicts: let pass, or fail */
	unsigned undecided_passed, baseline_passed, undecided_failed, thin;
};

static void tally_policy(const struct verdict *v, struct tally *t)
{
	bool passed = v->status == STATUS_PASS && !v->watch;

	t->undecided_passed += v->kind == VERDICT_INCONCLUSIVE && passed;
	t->baseline_passed += v->kind == VERDICT_NO_BASELINE && passed;
	t->undecided_failed += v->kind == VERDICT_INCONCLUSIVE && v->status == STATUS_REGRESSION;
	t->thin += v->status == STATUS_NO_BASELINE && str_eq(v->type, "provisional");
}

static void tally(const struct result *r, struct tally *t)
{
	struct str ignored;

	str_init(&ignored);
	t->red_attempts += view_red_attempts(r, &ignored);
	str_release(&ignored);
	for (size_t i = 0; i < r->verdicts.n; i++) {
		const struct verdict *v = &r->verdicts.v[i];

		t->worse_after += v->worse_after;
		if (v->check != VERDICT_MEASURE && v->job != UINT32_MAX)
			t->checks++;
		/* A measurement that worked is no verdict on performance; only its failure counts.
		 */
		if (v->check == VERDICT_MEASURE && v->kind == VERDICT_PASS) {
			t->measured++;
			continue;
		}
		/* Told in its row; in the counts it would look like a reason for the status. */
		if (v->watch && v->kind != VERDICT_ERROR && v->kind != VERDICT_SKIPPED) {
			t->watched++;
			continue;
		}
		tally_policy(v, t);
		t->n[v->kind]++;
		t->provisional += v->provisional && v->kind != VERDICT_SKIPPED;
	}
}

static void add_count(struct str *s, unsigned n, const char *one, const char *many)
{
	if (n)
		str_addf(s, "%s%u %s", s->len ? ", " : "", n, n == 1 ? one : many);
}

static void add_where(struct str *out, const struct result *const *r, size_t n)
{
	int64_t first = 0, last = 0;

	for (size_t i = 0; i < n; i++) {
		str_addf(out, "%s%s", i ? ", " : "", r[i]->suite);
		if (!first || r[i]->started < first)
			first = r[i]->started;
		if (r[i]->ended > last)
			last = r[i]->ended;
	}
	for (size_t i = 0; n == 1 && i < r[0]->ntargets; i++)
		if (!target_is_total(&r[0]->targets[i]))
			str_addf(out, "%s%s", i ? ", " : " on ", r[0]->targets[i].role);
	for (size_t i = 0; i < n; i++)
		if (r[i]->inject) {
			str_addf(out, ", injected: %s", r[i]->inject);
			break;
		}
	if (last > first) {
		str_add(out, ", ");
		unit_format_duration(out, (uint64_t)(last - first) * 1000000000u);
	}
}

/* What the status means; where a policy made it, that it did. */
static void add_meaning(struct str *out, enum exit_status status, bool judged,
			const struct tally *t)
{
	if (status == STATUS_PASS && t->undecided_passed + t->baseline_passed) {
		str_add(out, judged ? "no loss was shown" : "nothing was judged");
		if (t->undecided_passed)
			str_addf(out, "; %u undecided let pass by policy inconclusive=warn",
				 t->undecided_passed);
		if (t->baseline_passed)
			str_addf(out, "; %u without baseline let pass by policy no_baseline=warn",
				 t->baseline_passed);
	} else if (status == STATUS_REGRESSION && t->undecided_failed &&
		   !t->n[VERDICT_REGRESSION] && !t->n[VERDICT_MISSED]) {
		str_addf(out,
			 "no regression was shown; %u undecided failed by policy "
			 "inconclusive=fail",
			 t->undecided_failed);
	} else if (status == STATUS_NO_BASELINE && t->thin && !t->n[VERDICT_NO_BASELINE] &&
		   !t->n[VERDICT_INCOMPARABLE]) {
		str_addf(out, "the baseline of %u is too thin for policy provisional=fail",
			 t->thin);
	} else if (status == STATUS_PASS && !judged) {
		str_add(out, "nothing was judged");
	} else {
		str_add(out, status_meaning(status));
	}
}

void report_last_line(const struct result *const *r, size_t n, enum exit_status status,
		      const struct console_options *o, struct str *out)
{
	struct tally t = {0};
	struct str s;
	bool only_measured;
	unsigned judged;

	for (size_t i = 0; i < n; i++)
		tally(r[i], &t);
	only_measured = t.measured && !t.checks;
	judged = t.n[VERDICT_PASS] + t.n[VERDICT_IMPROVEMENT] + t.n[VERDICT_KNOWN];
	str_init(&s);
	add_count(&s, t.n[VERDICT_REGRESSION], "regression", "regressions");
	add_count(&s, t.n[VERDICT_MISSED], "missed", "missed");
	add_count(&s, t.n[VERDICT_KNOWN], "known", "known");
	add_count(&s, t.n[VERDICT_ERROR] + t.n[VERDICT_NONE], "error", "errors");
	add_count(&s, t.n[VERDICT_NO_BASELINE], "without baseline", "without baseline");
	add_count(&s, t.n[VERDICT_INCOMPARABLE], "incomparable", "incomparable");
	add_count(&s, t.n[VERDICT_INCONCLUSIVE], "undecided", "undecided");
	add_count(&s, t.n[VERDICT_IMPROVEMENT], "improvement", "improvements");
	add_count(&s, t.n[VERDICT_PASS], "pass", "pass");
	add_count(&s, t.watched, "watched", "watched");
	add_count(&s, t.n[VERDICT_SKIPPED], "skipped", "skipped");
	add_count(&s, t.provisional, "provisional", "provisional");
	add_count(&s, t.worse_after, "worse behind its decision", "worse behind their decision");
	add_count(&s, t.red_attempts, "attempt red by itself", "attempts red by themselves");
	if (only_measured)
		str_addf(&s, "%s%u workload%s measured only, nothing judged", s.len ? ", " : "",
			 t.measured, t.measured == 1 ? "" : "s");
	str_add(out, "blkgate: ");
	if (o && o->colour)
		str_add(out, status == STATUS_PASS           ? "\033[1;32m"
			     : status == STATUS_INCONCLUSIVE ? "\033[1;33m"
							     : "\033[1;31m");
	/* A status of 0 that a policy or an empty suite gave is no evidence: never GREEN. */
	str_add(out, status == STATUS_PASS && !judged ? "NOT JUDGED" : view_headline(status));
	if (o && o->colour)
		str_add(out, "\033[0m");
	if (s.len)
		str_addf(out, "  %s", s.s);
	if (n) {
		str_add(out, "  (");
		str_clear(&s);
		add_where(&s, r, n);
		str_add_clean(out, s.s, s.len);
		str_addc(out, ')');
	}
	str_addf(out, "  status %d: ", (int)status);
	add_meaning(out, status, judged > 0, &t);
	str_addc(out, '\n');
	str_release(&s);
}
