/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tolerances that the sessions of the baseline drown: the one rule of lint that asks a baseline. */
#include "cmd/load.h"
#include "gate/calibration.h"
#include "gate/family.h"

#include <math.h>
#include <stdlib.h>

#define UNDECIDED 0.05

static void add_amount(struct str *out, const struct calibration *c, double v)
{
	if (c->absolute)
		unit_format(out, c->metric->unit, v);
	else
		str_addf(out, "%.2g %%", v * 100);
}

static void told(const struct loaded *s, const struct check *c, const struct calibration_ask *ask,
		 const struct calibration *got, struct diags *d)
{
	struct str text, cure;
	struct diag *g;

	str_init(&text);
	str_init(&cure);
	str_addf(&text, "%s %s %s: a tolerance of ", ask->target, ask->job, c->name);
	add_amount(&text, got, c->tolerance);
	str_addf(&text,
		 " cannot be seen here: the %zu sessions of the baseline differ so much that "
		 "it takes ",
		 got->sessions);
	add_amount(&text, got, got->needed);
	calibration_cure(got, &cure);
	g = plan_check_finding(&s->plan, d, c, RULE_TOLERANCE_BELOW_SIGHT, "%s", text.s);
	if (g && cure.len)
		diag_hint(g, "%s", cure.s);
	str_release(&text);
	str_release(&cure);
}

static void one_gate(const struct loaded *s, const struct baseline *b, struct forecaster *f,
		     const struct check *c, struct calibration_ask ask, struct diags *d)
{
	const struct plan *p = &s->plan;
	const struct job *j = &p->jobs[c->job];
	struct calibration got;

	ask.target = p->targets[j->target].role;
	ask.job = j->name;
	ask.metric = c->metric;
	ask.tolerance = c->tolerance;
	ask.absolute = c->absolute;
	calibration_beside(&ask, p->jobs, p->njobs, j);
	if (calibrate_gate(f, b, &ask, &got) && got.known && got.state != GATEABLE &&
	    isfinite(got.needed) && got.needed > c->tolerance)
		told(s, c, &ask, &got, d);
}

void sight_findings(const struct loaded *s, const struct baseline *b, struct diags *d)
{
	const struct plan *p = &s->plan;
	const struct family family = {p->jobs, p->njobs, p->checks, p->nchecks, 0};
	uint32_t *twin;
	struct calibration_ask ask;
	struct forecaster *f;

	/* two arms in turn do not ask the baseline's sessions how far they lie apart */
	if (p->interleave.kind != INTERLEAVE_NONE)
		return;
	twin = xcalloc(p->nchecks + 1, sizeof(*twin));
	f = forecast_open();
	family_twins(&family, twin);
	ask = (struct calibration_ask){.max = p->sessions_max,
				       .gates = family_size(&family, twin),
				       .undecided = UNDECIDED,
				       .red_total = family_level(&family, twin),
				       .assumed_sd = s->suite.assumed_session_sd};
	for (uint32_t i = 0; i < p->nchecks; i++) {
		const struct check *c = &p->checks[i];

		if (c->kind == CHECK_GATE && c->role == ROLE_PRIMARY && !c->skipped &&
		    twin[i] == i && p->jobs[c->job].state == JOB_READY)
			one_gate(s, b, f, c, ask, d);
	}
	forecast_close(f);
	free(twin);
}
