/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "gate/steadiness.h"

#include "measure/metric.h"
#include "measure/steady.h"
#include "model/precondition.h"

/* False when nothing is asked for. A text that cannot be read asks for what nobody can have done.
 */
static bool asked(const struct result *r, const struct run *run, struct arena *a,
		  struct precondition *out, bool *broken)
{
	const struct job *j = &r->jobs[run->job];

	*out = (struct precondition){0};
	*broken = false;
	if (j->total || !j->precondition || !*j->precondition)
		return false;
	*broken = precondition_read(j->precondition, a, out) < 0;
	return true;
}

const char *run_unprepared(const struct result *r, const struct run *run, struct arena *a)
{
	const struct preparation *p;
	struct precondition x;
	bool broken;

	if (!asked(r, run, a, &x, &broken))
		return NULL;
	if (broken)
		return "its precondition is no text of this version";
	p = result_preparation(r, run);
	if (!p)
		return "nothing tells that its precondition was done";
	if (precondition_writes(&x) && !p->whole)
		return "its precondition was not done to the end";
	return x.metric && !p->rounds.n ? "it made no round for its steady state" : NULL;
}

static void add_rounds(const struct result *r, const struct run *run, const struct precondition *x,
		       const struct preparation *p, struct str *out)
{
	size_t from = p->rounds.n > STEADY_WINDOW ? p->rounds.n - STEADY_WINDOW : 0;
	const struct metric *m[DIR_COUNT];
	int n = metric_resolve(x->metric, &r->jobs[run->job], m);

	for (size_t i = from; i < p->rounds.n; i++) {
		str_add(out, i > from ? ", " : "");
		unit_format(out, n == 1 ? m[0]->unit : UNIT_NONE, p->rounds.v[i]);
	}
}

const char *run_unsteady(const struct result *r, const struct run *run, struct arena *a)
{
	const struct preparation *p;
	struct precondition x;
	struct steady s = {0};
	const char *text;
	struct str out;
	bool broken;

	if (!asked(r, run, a, &x, &broken) || broken || !x.metric)
		return NULL; /* what is broken is no measurement at all */
	p = result_preparation(r, run);
	if (p && p->rounds.n >= STEADY_WINDOW)
		steady_window(p->rounds.v + p->rounds.n - STEADY_WINDOW, STEADY_WINDOW, x.range,
			      x.slope, &s);
	if (s.reached && p->rounds.n >= x.rounds_min)
		return NULL;
	str_init(&out);
	str_addf(&out, "steady state not reached in %zu rounds (session %u", p ? p->rounds.n : 0,
		 run->session + 1);
	if (p && p->run != PREPARATION_OF_SESSION)
		str_addf(&out, ", run %u", run->run + 1);
	str_addf(&out, "): %s of the last was ", x.metric);
	if (p && p->rounds.n)
		add_rounds(r, run, &x, p, &out);
	else
		str_add(&out, "not measured");
	if (p && p->rounds.n >= STEADY_WINDOW)
		str_addf(&out,
			 "; range %.1f %% of at most %.4g %%, slope %+.1f %% of at most %.4g %%",
			 s.range * 100, x.range * 100, s.slope * 100, x.slope * 100);
	text = arena_strdup(a, out.s);
	str_release(&out);
	return text;
}
