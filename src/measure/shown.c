/* SPDX-License-Identifier: GPL-2.0-or-later */
/* measure/shown: which of the table's metrics stand in a document. */
#include "measure/metric.h"
#include <string.h>

bool metric_listed(const struct metric *m, const struct job *j)
{
	const char *p = strstr(m->name, ".p"), *list = j->percentile_list;
	size_t n;

	if (m->stat != STAT_PERCENTILE || !list || !*list)
		return false;
	p += 2;
	n = strlen(p);
	for (const char *at = list, *end; at; at = *end ? end + 1 : NULL) {
		end = strchrnul(at, ':');
		if ((size_t)(end - at) == n && memcmp(at, p, n) == 0)
			return true;
	}
	return false;
}

/* The first check of the job; they are grouped by job, ascending. */
static size_t first_check(const struct result *r, uint32_t job)
{
	size_t low = 0, high = r->nchecks;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (r->checks[middle].job < job)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* One of the figures that stand in documents without being asked for, or asked for: by the job's
 * percentile_list, or by a check of the job. */
static bool shown(const struct metric *m, const struct result *r, uint32_t job)
{
	if (!m->named || metric_listed(m, &r->jobs[job]))
		return true;
	for (size_t i = first_check(r, job); i < r->nchecks && r->checks[i].job == job; i++)
		if (str_eq(r->checks[i].metric, m->name))
			return true;
	return false;
}

void measure_write_values(void *arg, const struct result *r, const struct run *run, struct jw *w)
{
	(void)arg;
	for (unsigned i = 0; i < metric_count; i++) {
		const struct metric *m = &metric_table[i];
		struct value v;

		if (!shown(m, r, run->job))
			continue;
		metric_value(m, &r->jobs[run->job], &run->out, &v);
		result_write_value(w, m->name, m->unit, &v);
	}
}
