/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "gate/outlook_gates.h"
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
	for (size_t i = b->n, n; i-- > 0;) {
		const struct base_job *const *v = baseline_jobs_named(&b->sessions[i], j->name, &n);

		if (n)
			return v[0]->target;
	}
	return "";
}

double outlook_share(size_t gates)
{
	return fmin(pow(1 - UNDECIDED, 1 / fmax((double)gates, 1)), .9999);
}

bool outlook_is_worst(const struct outlook *out, const struct forecast *f)
{
	return f->undecided > fmax(out->worst_share, WORTH_NAMING);
}

void outlook_note_worst(struct outlook *out, const struct forecast *f, const char *target,
			const char *job, const char *metric, const char *cure)
{
	struct str name;

	str_init(&name);
	baseline_add_gate(&name, target, job, metric);
	out->worst_share = f->undecided;
	snprintf(out->worst, sizeof(out->worst), "%s", name.s);
	snprintf(out->cure, sizeof(out->cure), "%s", cure);
	str_release(&name);
}

static void note_waiting(struct outlook *out, const struct calibration_ask *ask,
			 const struct calibration *c)
{
	struct str s;

	if (c->passes_from <= c->blocks)
		return;
	out->waiting++;
	if (c->passes_from <= out->waits_for)
		return;
	out->waits_for = c->passes_from;
	str_init(&s);
	baseline_add_gate(&s, ask->target, ask->job, ask->metric);
	str_addc(&s, ' ');
	calibration_add_waits(ask, c, &s);
	snprintf(out->waiter, sizeof(out->waiter), "%s", s.s);
	str_release(&s);
}

static void note_unjudged(struct outlook *out, const struct calibration_ask *ask,
			  const struct calibration *c)
{
	struct str s;

	if (!c->unjudged || out->unjudged++)
		return;
	str_init(&s);
	baseline_add_gate(&s, ask->target, ask->job, ask->metric);
	str_addf(&s, " will be undecided: %s", c->unjudged);
	snprintf(out->undecidable, sizeof(out->undecidable), "%s", s.s);
	str_release(&s);
}

static bool one_gate(const struct outlook_ask *a, const struct baseline *b, struct forecaster *f,
		     const struct check *c, double red_total, struct outlook *out,
		     struct calibration *got)
{
	const struct job *j = &a->jobs[c->job];
	struct calibration_ask ask = {.target = role_of(a, b, j),
				      .job = j->name,
				      .metric = c->metric,
				      .tolerance = c->tolerance,
				      .absolute = c->absolute,
				      .max = a->max,
				      .looks = a->looks,
				      .gates = out->gates,
				      .undecided = UNDECIDED,
				      .red_total = red_total,
				      .assumed_sd = a->assumed_sd};

	calibration_beside(&ask, a->jobs, a->njobs, j);
	if (!calibrate_gate(f, b, &ask, got))
		return false;
	note_waiting(out, &ask, got);
	note_unjudged(out, &ask, got);
	if (!got->forecast_known)
		return false;
	if (outlook_is_worst(out, &got->forecast)) {
		struct str cure;

		str_init(&cure);
		calibration_cure(got, &cure);
		outlook_note_worst(out, &got->forecast, ask.target, ask.job, ask.metric, cure.s);
		str_release(&cure);
	}
	return true;
}

static void outlook_sessions(const struct outlook_ask *a, const struct baseline *b,
			     const struct outlook_gates *v, struct forecaster *f,
			     struct outlook *out)
{
	for (size_t i = 0; i < v->n; i++) {
		struct calibration got;

		if (!one_gate(a, b, f, &a->checks[v->check[i]], v->red_total, out, &got))
			continue;
		v->raw[out->played] = got.adjusted ? got.raw : got.forecast;
		v->forecast[out->played++] = got.forecast;
		out->adjusted |= got.adjusted;
	}
}

void outlook(const struct outlook_ask *a, const struct baseline *b, struct outlook *out)
{
	struct forecaster *f = forecast_open();
	const struct family family = {a->jobs, a->njobs, a->checks, a->nchecks, 0};
	uint32_t *twin = xcalloc(a->nchecks + 1, sizeof(*twin));
	struct outlook_gates v = {.check = xcalloc(a->nchecks + 1, sizeof(*v.check)),
				  .forecast = xcalloc(a->nchecks + 1, sizeof(*v.forecast)),
				  .raw = xcalloc(a->nchecks + 1, sizeof(*v.raw))};
	size_t worst;

	*out = (struct outlook){0};
	family_twins(&family, twin);
	out->gates = family_size(&family, twin);
	v.red_total = family_level(&family, twin);
	for (uint32_t i = 0; i < a->nchecks; i++)
		if (takes_part(a, &a->checks[i]) && twin[i] == i)
			v.check[v.n++] = i;
	if (a->interleave && a->interleave->kind != INTERLEAVE_NONE)
		outlook_pairs(a, b, &v, f, out);
	else
		outlook_sessions(a, b, &v, f, out);
	out->all = forecast_suite(v.forecast, out->played, &worst);
	if (out->adjusted)
		out->raw = forecast_suite(v.raw, out->played, &worst);
	free(v.check);
	free(v.forecast);
	free(v.raw);
	free(twin);
	forecast_close(f);
}

static void add_forecast(const struct outlook *o, struct str *out)
{
	str_add(out, "forecast on unchanged code: ");
	forecast_add_shares(&o->all, o->played, out);
	str_addf(out, ", after %.1f ", o->all.cost);
	if (o->pairs)
		str_addf(out, "pairs of at most %u", o->pairs);
	else
		str_add(out, "sessions");
	if (o->played < o->gates)
		str_addf(out, " (%zu of %zu gates; of the others too few sessions are known)",
			 o->played, o->gates);
	str_addc(out, '\n');
	if (o->adjusted) {
		str_add(out, "  raw, without adjust_by: ");
		forecast_add_shares(&o->raw, o->played, out);
		str_addc(out, '\n');
	}
	if (*o->worst)
		str_addf(out, "  most of the undecided: %s (%.1f %%); %s\n", o->worst,
			 100 * o->worst_share, o->cure);
}

void outlook_text(const struct outlook *o, struct str *out)
{
	if (o->gates == 0)
		return;
	if (o->played > 0)
		add_forecast(o, out);
	else if (!o->pairs)
		str_addf(
			out,
			"forecast: not known, %u comparable sessions of a gate are needed for it\n",
			CALIBRATION_SESSIONS);
	if (o->waiting > 1)
		str_addf(out, "  %zu of %zu gates cannot turn green yet; of them %s\n", o->waiting,
			 o->gates, o->waiter);
	else if (o->waiting)
		str_addf(out, "  %s\n", o->waiter);
	if (o->unjudged > 1)
		str_addf(out, "  %zu gates will be undecided, of them: %s\n", o->unjudged,
			 o->undecidable);
	else if (o->unjudged)
		str_addf(out, "  %s\n", o->undecidable);
	outlook_pairs_text(o, out);
}
