/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "gate/expiry.h"
#include "base/clock.h"
#include "gate/baseline_level.h"
#include "gate/judge.h"
#include <inttypes.h>

struct expiry expiry_of(const struct result *r)
{
	return (struct expiry){.at = r->attempts.n ? r->attempts.v[0].started : r->started,
			       .max_age = r->baseline_max_age};
}

bool expiry_over(const struct expiry *x, const struct baseline *b, const struct base_session *s)
{
	return b->dir && x->max_age > 0 && s->started < x->at && x->at - s->started > x->max_age;
}

const struct base_session *expiry_newest(const struct baseline *b, const struct result *without)
{
	for (size_t i = b->n; i-- > 0;) /* oldest first */
		if (baseline_current(b, i) &&
		    !(without && judge_own_session(without, b->sessions[i].id)))
			return &b->sessions[i];
	return NULL;
}

int64_t expiry_days(int64_t seconds)
{
	return seconds > 0 ? seconds / EXPIRY_DAY : 0;
}

void expiry_add_age(struct str *out, int64_t max_age)
{
	if (max_age % EXPIRY_DAY == 0)
		str_addf(out, "%" PRId64 "d", max_age / EXPIRY_DAY);
	else if (max_age % 3600 == 0)
		str_addf(out, "%" PRId64 "h", max_age / 3600);
	else
		str_addf(out, "%" PRId64 "s", max_age);
}

/* A clock that was set back, or an old result that is judged by a newer baseline. */
static size_t after(const struct expiry *x, const struct baseline *b, const struct result *without)
{
	size_t n = 0;

	for (size_t i = 0; i < b->n; i++)
		n += baseline_current(b, i) && b->sessions[i].started - x->at > EXPIRY_DAY &&
		     !(without && judge_own_session(without, b->sessions[i].id));
	return n;
}

bool expiry_note(const struct expiry *x, const struct baseline *b, const struct result *without,
		 struct str *out)
{
	const struct base_session *s = b->dir ? expiry_newest(b, without) : NULL;
	size_t future = s ? after(x, b, without) : 0;
	struct str day;

	if (!s || expiry_over(x, b, s) || (!future && x->at - s->started <= EXPIRY_YEAR))
		return false;
	str_init(&day);
	clock_format_utc(&day, s->started);
	if (future)
		str_addf(out,
			 "%zu session%s of the baseline %s newer than this measurement, the newest "
			 "by %" PRId64 " days (%.10s): a clock was set back, or an old measurement "
			 "is judged; how old the baseline is, is not known",
			 future, future == 1 ? "" : "s", future == 1 ? "is" : "are",
			 expiry_days(s->started - x->at), day.s);
	else
		str_addf(out,
			 "the newest session of the baseline is %" PRId64 " days old (%.10s)%s",
			 expiry_days(x->at - s->started), day.s,
			 x->max_age ? ""
				    : "; `baseline: {max_age: 180d}` in the suite lets sessions of "
				      "that age count no more");
	str_release(&day);
	return true;
}
