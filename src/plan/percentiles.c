/* SPDX-License-Identifier: GPL-2.0-or-later */
/* plan/percentiles: percentile_list against the table of metrics, which has the percentiles. */
#include "plan/planner.h"

#include <math.h>
#include <stdlib.h>

/* The table's percentiles next to p, as a number between 0 and 100. True when it is one of them. */
static bool neighbours(double p, const char **below, const char **above)
{
	double low = 0, high = 100;

	*below = *above = NULL;
	for (unsigned i = 0; i < metric_count; i++) {
		const struct metric *m = &metric_table[i];
		const char *text = m->name + strlen("read.clat.p");
		double q;

		if (m->source != SOURCE_CLAT || m->dir != DIR_READ || m->stat != STAT_PERCENTILE)
			continue;
		q = m->quantile * 100;
		if (fabs(q - p) < 1e-9)
			return true;
		if (q < p && q > low) {
			low = q;
			*below = text;
		}
		if (q > p && q < high) {
			high = q;
			*above = text;
		}
	}
	return false;
}

void percentiles_check(struct planner *pl, const struct job *j, const struct job_origins *og)
{
	const struct origin *at = &og->of[pl->at[PW_PERCENTILES]];
	const char *list = j->percentile_list, *below, *above;

	if (!list || !*list || (pl->percentiles && strcmp(pl->percentiles, list) == 0))
		return;
	for (const char *s = list, *end; s; s = *end ? end + 1 : NULL) {
		struct diag *d;
		double p = 0;

		end = strchrnul(s, ':');
		p = strtod(s, NULL); /* canonical: written by the reader of the word */
		if (neighbours(p, &below, &above))
			continue;
		d = planner_report(pl, at->line, at->column,
				   "percentile_list: p%.*s is none of the percentiles kept",
				   (int)(end - s), s);
		if (d && below && above)
			diag_hint(d, "the nearest are p%s and p%s", below, above);
		else if (d)
			diag_hint(d, "the nearest is p%s", below ? below : above);
	}
	pl->percentiles = list;
}
