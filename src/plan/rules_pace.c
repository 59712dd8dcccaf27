/* SPDX-License-Identifier: GPL-2.0-or-later */
/* plan/rules_pace: words of pace that work against each other. */
#include "plan/lint.h"

/* Blocks a second that thinktime lets one job begin, if no I/O took any time. */
static double most_a_second(const struct job *j)
{
	uint32_t blocks = j->thinktime_blocks ? j->thinktime_blocks : 1;

	return blocks * (double)NS_PER_SEC / (double)j->thinktime;
}

bool lint_rate_with_thinktime(const struct lint_view *v, struct str *text, struct str *hint)
{
	const struct job *j = v->j;

	if (!j->thinktime)
		return false;
	if (j->rate > 0) {
		str_add(text, "with rate latency counts from the intended start, which thinktime "
			      "does not move: the wait of ");
		unit_format_duration(text, j->thinktime);
		str_add(text, " stands in the latency, as if the device had been slow");
		str_add(hint, "keep one of the two");
		return true;
	}
	if (!(j->rate_iops > most_a_second(j)))
		return false;
	str_add(text, "rate_iops ");
	units_add_double(text, j->rate_iops);
	str_add(text, " is never reached: thinktime ");
	unit_format_duration(text, j->thinktime);
	str_addf(text, " lets at most %.4g I/Os a second begin", most_a_second(j));
	str_add(hint, "keep one of the two");
	return true;
}

bool lint_thinktime_not_below_runtime(const struct lint_view *v, struct str *text,
				      struct str *hint __attribute__((unused)))
{
	const struct job *j = v->j;

	if (!j->thinktime || !j->runtime || j->thinktime < j->runtime)
		return false;
	str_add(text, "thinktime ");
	unit_format_duration(text, j->thinktime);
	str_add(text, " is not below runtime ");
	unit_format_duration(text, j->runtime);
	str_addf(text, ": each job does %u I/O%s in the window at most",
		 j->thinktime_blocks ? j->thinktime_blocks : 1, j->thinktime_blocks > 1 ? "s" : "");
	return true;
}
