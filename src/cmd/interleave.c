/* SPDX-License-Identifier: GPL-2.0-or-later */
/* --versus, --ab and --pairs: what they ask the plan for, and whether its gates could turn red. */
#include "cmd/load.h"

#include "gate/family.h"
#include "gate/interleaved.h"
#include "measure/metric.h"

#include <stdlib.h>
#include <string.h>

/* Without the blanks around it, in place. */
static char *trimmed(char *s)
{
	size_t n;

	while (c_isspace(*s))
		s++;
	for (n = strlen(s); n && c_isspace(s[n - 1]); n--)
		s[n - 1] = '\0';
	return s;
}

/* As text, or as the number that both stand for. */
static bool same_value(const char *a, const char *b)
{
	char *enda, *endb;
	long long x = strtoll(a, &enda, 10), y = strtoll(b, &endb, 10);

	return str_eq(a, b) || (enda != a && endb != b && !*enda && !*endb && x == y);
}

/* SETTING=A,B; argv is writable, so it is split in place. */
static int read_setting(const char *text, struct interleave *i, struct err *e)
{
	char *eq = strchr(text, '='), *comma = eq ? strchr(eq, ',') : NULL, *a = NULL, *b = NULL;

	if (comma && !strchr(comma + 1, ',')) {
		*comma = '\0';
		a = trimmed(eq + 1);
		b = trimmed(comma + 1);
	}
	if (!a || !*a || !*b) {
		if (a)
			*comma = ',';
		err_set(e, ERR_USAGE, "--ab '%s' is not SETTING=A,B", text);
		return err_hint(e, "--ab scheduler=none,mq-deadline; A is the reference");
	}
	*eq = '\0';
	i->setting = text;
	i->name[ARM_REFERENCE] = a;
	i->name[ARM_CANDIDATE] = b;
	/* no verdict on it could be anything but a pass */
	if (same_value(a, b)) {
		err_set(e, ERR_USAGE, "--ab: both arms are '%s': nothing is different between them",
			a);
		return err_hint(e, "name two values of '%s'", text);
	}
	return host_tunable_name(i->setting, e);
}

int interleave_options(const struct options *o, struct load *l, bool lint, struct err *e)
{
	struct interleave *i = &l->interleave;
	struct interleaved_look first;

	if (o->versus && o->ab)
		return err_set(e, ERR_USAGE, "--versus and --ab are two comparisons");
	if (!o->versus && !o->ab && o->pairs && !lint) {
		err_set(e, ERR_USAGE, "--pairs counts pairs of runs of two arms, and there is one");
		return err_hint(e, "add --versus ROLE or --ab SETTING=A,B");
	}
	if ((o->versus || o->ab) && (o->runs || o->sessions_max)) {
		err_set(e, ERR_USAGE,
			"%s has no meaning with %s: an interleaved comparison is one "
			"session of pairs",
			o->runs ? "--runs" : "--sessions", o->versus ? "--versus" : "--ab");
		return err_hint(e, "--pairs N");
	}
	if ((o->versus || o->ab) && o->with.n) {
		err_set(e, ERR_USAGE,
			"--with adds sessions to those of a stored baseline, and an "
			"interleaved comparison has none");
		return err_hint(e, "leave out --with, or %s", o->versus ? "--versus" : "--ab");
	}
	i->kind = o->versus ? INTERLEAVE_VERSUS : o->ab ? INTERLEAVE_SETTING : INTERLEAVE_NONE;
	i->pairs = interleaved_budget(o->pairs ? o->pairs : INTERLEAVE_PAIRS);
	interleaved_look(i->pairs, 0.001, 0, &first);
	l->first_look = first.pairs;
	if (o->versus)
		i->name[ARM_REFERENCE] = o->versus;
	return o->ab ? read_setting(o->ab, i, e) : 0;
}

/* A gate whose shares are those of a stored baseline: NULL = none takes part. */
static const struct check *tail_gate(const struct plan *p)
{
	for (size_t i = 0; i < p->nchecks; i++) {
		const struct check *c = &p->checks[i];
		const struct metric *m = metric_find(c->metric);

		if (c->kind == CHECK_GATE && c->role != ROLE_WATCH && !c->skipped && m &&
		    m->stat == STAT_TAIL && p->jobs[c->job].state == JOB_READY)
			return c;
	}
	return NULL;
}

/* A gate that cannot fail is an error of the suite. */
int interleave_check(const struct options *o, struct plan *p, struct err *e)
{
	const struct family f = {p->jobs, p->njobs, p->checks, p->nchecks, 0};
	uint32_t *twin = xcalloc(p->nchecks + 1, sizeof(*twin));
	const struct check *tail;
	size_t gates;
	double level;

	family_twins(&f, twin);
	gates = family_size(&f, twin);
	level = family_level(&f, twin);
	free(twin);
	if (o->pairs && o->pairs != p->interleave.pairs)
		notices_add(&p->notices,
			    "--pairs %u: there are looks for 10, 15, 20 and 28 pairs, so that %u "
			    "are made at most",
			    o->pairs, p->interleave.pairs);
	tail = p->interleave.kind != INTERLEAVE_NONE ? tail_gate(p) : NULL;
	if (tail) {
		err_set(e, ERR_SUITE,
			"%s of '%s' decides nothing between two arms: it is judged by the share of "
			"slow I/Os and by quantiles, against a stored baseline",
			tail->name, p->jobs[tail->job].name);
		return err_hint(e,
				"gate clat.p99 and clat.p99.9 instead, or make it `role: watch`, "
				"or choose the gates with --check");
	}
	if (!gates || interleaved_can_fail(p->interleave.pairs, level))
		return 0;
	err_set(e, ERR_SUITE,
		"no gate can turn red within %u pairs: %zu gates share the false alarms of the "
		"suite, which leaves each a level that so few runs do not reach",
		p->interleave.pairs, gates);
	return err_hint(e, "--pairs 20, or fewer gates (role: watch)");
}
