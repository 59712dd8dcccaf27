/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The invocations behind one sequence: none of them is left out of a report. */
#include "report/view.h"

#include "base/clock.h"

void view_attempt(const struct result *r, size_t i, struct str *out)
{
	const struct attempt *a = &r->attempts.v[i];
	struct str day;
	const char *first = NULL, *last = NULL;
	unsigned n = 0;

	str_init(&day);
	clock_format_utc(&day, a->started);
	str_addf(out, "attempt %zu, %.10s %.5s: ", i + 1, day.s, day.s + 11);
	for (size_t s = 0; s < r->sessions.n; s++) {
		if (r->sessions.v[s].from != i + 1)
			continue;
		last = r->sessions.v[s].id;
		first = n++ ? first : last;
	}
	if (n == 0)
		str_add(out, "no session yet");
	else if (n == 1)
		str_add(out, first);
	else
		str_addf(out, "%u sessions, %s to %s", n, first, last);
	if (a->verdict)
		str_addf(out, "; %s (status %d)", a->verdict, (int)a->status);
	else
		str_add(out, "; this one");
	str_release(&day);
}

unsigned view_red_attempts(const struct result *r, struct str *out)
{
	unsigned n = 0;

	for (size_t i = 0; r->status != STATUS_REGRESSION && i < r->attempts.n; i++)
		if (r->attempts.v[i].status == STATUS_REGRESSION)
			str_addf(out, "%s%zu", n++ ? ", " : "WARNING: red by itself: attempt ",
				 i + 1);
	if (n)
		str_add(out, "; the sequence is not: sessions with an earlier clock decided it, or "
			     "the baseline is another one now. Check the clocks, and judge the "
			     "files one by one");
	return n;
}

bool view_incomplete(const struct result *r, struct str *out)
{
	for (size_t i = 0; i < r->sessions.n; i++)
		if (!r->sessions.v[i].complete) {
			str_addf(out,
				 "session '%s' is not complete: a run failed in it, or a record "
				 "of its end is not there",
				 r->sessions.v[i].id);
			return true;
		}
	return false;
}

bool view_other_baseline(const struct result *r, struct str *out)
{
	if (r->then_status < 0 || str_eq(r->then_digest, r->baseline_digest))
		return false;
	str_addf(out,
		 "judged again, and the baseline is another one than when this result was written: "
		 "status then %d, now %d",
		 r->then_status, (int)r->status);
	return true;
}
