/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "gate/outlook.h"
#include "gate/baseline_file.h"
#include "gate/calibration.h"
#include "gate/family.h"
#include <math.h>
#include <stdio.h>

#define WORTH_NAMING 0.01
#define UNDECIDED 0.05

static bool takes_part(const struct outlook_ask *a, const struct check *c)
{
	return c->kind == CHECK_GATE && c->role == ROLE_PRIMARY && !c->skipped &&
	       c->job < a->njobs && a->jobs[c->job].state != JOB_SKIPPED;
}

/* The role under which the gate is looked up; with any_role the first one that holds the workload.
 */
static const char *role_of(const struct outlook_ask *a, const struct baseline *b,
			   const struct job *j)
{
	if (!a->any_role)
		return j->target < a->ntargets ? a->targets[j->target].role : "";
	for (size_t i = b->n; i-- > 0;)
		for (size_t k = 0; k < b->sessions[i].jobs.n; k++)
			if (str_eq(b->sessions[i].jobs.v[k].name, j->name))
				return b->sessions[i].jobs.v[k].target;
	return "";
}

static void note_worst(struct outlook *out, const struct calibration_ask *ask,
		       const struct calibration *c)
{
	struct str name, cure;

	if (c->forecast.undecided <= fmax(out->worst_share, WORTH_NAMING))
		return;
	str_init(&name);
	str_init(&cure);
	out->worst_share = c->forecast.undecided;
	baseline_add_gate(&name, ask->target, ask->job, ask->metric);
	calibration_cure(ask, c, &cure);
	snprintf(out->worst, sizeof(out->worst), "%s", name.s);
	snprintf(out->cure, sizeof(out->cure), "%s", cure.s);
	str_release(&name);
	str_release(&cure);
}

void outlook(const struct outlook_ask *a, const struct baseline *b, struct outlook *out)
{
	struct forecaster *f = forecast_open();
	struct forecast *v = xcalloc(a->nchecks + 1, sizeof(*v));
	const struct family family = {a->jobs, a->njobs, a->checks, a->nchecks, 0};
	uint32_t *twin = xcalloc(a->nchecks + 1, sizeof(*twin));
	size_t worst;

	*out = (struct outlook){0};
	family_twins(&family, twin);
	out->gates = family_size(&family, twin);
	for (size_t i = 0; i < a->nchecks; i++) {
		const struct check *c = &a->checks[i];
		struct calibration_ask ask = {.metric = c->metric,
					      .tolerance = c->tolerance,
					      .absolute = c->absolute,
					      .max = a->max,
					      .gates = out->gates,
					      .undecided = UNDECIDED,
					      .assumed_sd = a->assumed_sd};
		struct calibration got;

		if (!takes_part(a, c) || twin[i] != i)
			continue;
		ask.red_total = family_level(&family, twin);
		ask.job = a->jobs[c->job].name;
		ask.target = role_of(a, b, &a->jobs[c->job]);
		if (!calibrate_gate(f, b, &ask, &got) || !got.forecast_known)
			continue;
		v[out->played++] = got.forecast;
		note_worst(out, &ask, &got);
	}
	out->all = forecast_suite(v, out->played, &worst);
	free(v);
	free(twin);
	forecast_close(f);
}

void outlook_text(const struct outlook *o, struct str *out)
{
	if (o->gates == 0)
		return;
	if (o->played == 0) {
		str_addf(
			out,
			"forecast: not known, %u comparable sessions of a gate are needed for it\n",
			CALIBRATION_SESSIONS);
		return;
	}
	str_addf(out,
		 "forecast on unchanged code: pass %.1f %%, undecided %.1f %%, red %.2f %%, after "
		 "%.1f "
		 "sessions",
		 100 * o->all.pass, 100 * o->all.undecided, 100 * o->all.red, o->all.sessions);
	if (o->played < o->gates)
		str_addf(out, " (%zu of %zu gates; the others have too few sessions)", o->played,
			 o->gates);
	str_addc(out, '\n');
	if (*o->worst)
		str_addf(out, "  most of the undecided: %s (%.1f %%); %s\n", o->worst,
			 100 * o->worst_share, o->cure);
}
