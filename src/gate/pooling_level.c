/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One sequence, one red level: that of a gate is its share of the family's false alarms, so that
 * gates which join later would make looks stricter that were made already, and undo what these
 * decided.
 */
#include "gate/family.h"
#include "gate/pooling_map.h"

struct level {
	double red; /* of each gate */
	size_t gates;
};

static struct level level_of(const struct family *f)
{
	uint32_t *twin = xcalloc(f->nchecks + 1, sizeof(*twin));
	struct level l;

	family_twins(f, twin);
	l = (struct level){family_level(f, twin), family_size(f, twin)};
	free(twin);
	return l;
}

/* What a source measured and judged takes part in the sequence, whatever is selected now. */
static void join(const struct result *r, const struct pool_source *s, const struct pool_map *m,
		 struct job *jobs, struct check *checks)
{
	for (uint32_t i = 0; i < s->r->njobs; i++)
		if (m->job[i] != UINT32_MAX && s->r->jobs[i].state != JOB_SKIPPED &&
		    jobs[m->job[i]].state == JOB_SKIPPED)
			jobs[m->job[i]].state = JOB_READY;
	for (size_t i = 0; i < s->r->nchecks; i++) {
		const struct check *c = &s->r->checks[i], *now = NULL;

		if (!c->skipped && c->job < s->r->njobs && m->job[c->job] != UINT32_MAX)
			now = pooling_find_check(r, m->job[c->job], c->name);
		if (now)
			checks[now - r->checks].skipped = NULL;
	}
}

static int hold(const struct level *then, const char *name, const struct level *all, struct err *e)
{
	if (then->gates == 0 || (!(then->red < all->red) && !(then->red > all->red)))
		return 0;
	err_set(e, ERR_REFUSED,
		"'%s' is no evidence for this result: its %zu gate%s turned red at a level of "
		"%.3g %% each, the %zu of the sequence would at %.3g %%, which undoes decisions",
		name, then->gates, then->gates == 1 ? "" : "s", 100 * then->red, all->gates,
		100 * all->red);
	return err_hint(e,
			"a sequence keeps the gates that it began with: start one without --with "
			"for the others");
}

int pooling_check_level(const struct result *r, const char *name, const struct pool_source *s,
			const struct pool_map *m, size_t n, struct err *e)
{
	struct job *jobs = xcalloc(r->njobs + 1, sizeof(*jobs));
	struct check *checks = xcalloc(r->nchecks + 1, sizeof(*checks));
	struct family f = family_of(r);
	struct level then, all;
	int rc = 0;

	if (r->njobs)
		memcpy(jobs, r->jobs, r->njobs * sizeof(*jobs));
	if (r->nchecks)
		memcpy(checks, r->checks, r->nchecks * sizeof(*checks));
	for (size_t i = 0; i < n; i++)
		join(r, &s[i], &m[i], jobs, checks);
	f.jobs = jobs;
	f.checks = checks;
	all = level_of(&f);
	for (size_t i = 0; rc == 0 && i < n; i++) {
		f = family_of(s[i].r);
		then = level_of(&f);
		rc = hold(&then, s[i].name, &all, e);
	}
	if (rc == 0 && r->sessions.n > 0) { /* looks of its own were made already */
		f = family_of(r);
		then = level_of(&f);
		rc = hold(&then, name, &all, e);
	}
	free(checks);
	free(jobs);
	return rc;
}
