/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a calibration says to people, and what would help. */
#include "gate/baseline_file.h"
#include "gate/calibration.h"
#include <math.h>

/* Figures for people: no exponent, and no digit that tells nothing. */
static void add_amount(const struct calibration *c, double x, struct str *out)
{
	double v = x * 100;

	if (!isfinite(x))
		str_add(out, "unknown");
	else if (c->absolute)
		unit_format(out, c->metric->unit, x);
	else if (fabs(v) < .005)
		str_add(out, "0 %");
	else
		str_addf(out, "%.*f %%", fabs(v) < 1 ? 2 : fabs(v) < 1000 ? 1 : 0, v);
}

static void add_tolerance(const struct calibration *c, struct str *out)
{
	if (c->absolute)
		unit_format(out, c->metric->unit, c->tolerance);
	else
		str_addf(out, "%.4g %%", c->tolerance * 100);
}

bool calibration_gates_nothing(double tolerance, const struct metric *m)
{
	return !(tolerance <= (m->better == BETTER_HIGHER ? .5 : 1));
}

/* Two arms in turn would bear this tolerance. */
static bool arms_do(const struct calibration *c)
{
	return c->interleaved <= c->tolerance;
}

void calibration_add_waits(const struct calibration_ask *a, const struct calibration *c,
			   struct str *out)
{
	if (c->passes_from <= c->blocks)
		return;
	str_addf(out,
		 "cannot turn green before %u boots or days are in the baseline (now %u), whatever "
		 "its sessions show: until then a session sd of ",
		 c->passes_from, c->blocks);
	str_addf(out, "%.3g %% is assumed, with which a tolerance below ", a->assumed_sd * 100);
	add_amount(c, c->least, out);
	str_add(out, " never passes");
	if (c->known && c->state != GATEABLE) /* boots alone would not do */
		return;
	str_add(out, ". What helps: accept a session after a reboot or on another day, a wider "
		     "tolerance");
	if (arms_do(c) || isnan(c->interleaved))
		str_add(out, ", two arms in turn (--versus ROLE, --ab SETTING=A,B)");
}

void calibration_cure(const struct calibration *c, struct str *out)
{
	bool noisy = c->state != GATEABLE;

	str_add(out, "cure: ");
	if (!noisy && c->blocks < CALIBRATION_SESSIONS)
		str_addf(out, "accept sessions after a reboot or on another day (%u of %u)",
			 c->blocks, CALIBRATION_SESSIONS);
	else if (c->sessions < CALIBRATION_MORE && c->with_more <= c->delta)
		str_addf(out, "accept sessions until there are %u (now %zu)%s", CALIBRATION_MORE,
			 c->sessions,
			 c->blocks < CALIBRATION_SESSIONS ? ", of five boots or days at least"
							  : "");
	else if (arms_do(c))
		str_add(out, "interleave: --versus ROLE, or --ab SETTING=A,B");
	else if (!c->absolute && calibration_gates_nothing(c->needed, c->metric)) {
		str_add(out, "a longer runtime or ramp_time, or role: watch (the tolerance that it "
			     "needs, ");
		add_amount(c, c->needed, out);
		str_add(out, ", would gate nothing)");
	} else {
		str_add(out, "a tolerance of ");
		add_amount(c, c->needed, out);
		str_add(out, ", a longer runtime or ramp_time, or role: watch");
	}
}

static void add_forecast(const struct calibration *c, struct str *out)
{
	bool provisional = c->blocks < CALIBRATION_SESSIONS;

	if (provisional)
		str_addf(out,
			 "  now, provisional (%u of %u boots or days), unchanged code: ", c->blocks,
			 CALIBRATION_SESSIONS);
	else
		str_add(out, "; unchanged code: ");
	forecast_add_shares(&c->forecast, 1, out);
	if (c->adjusted && provisional) {
		str_add(out, ", not adjusted as long as that");
	} else if (c->adjusted) {
		str_add(out, " (raw: ");
		forecast_add_shares(&c->raw, 1, out);
		str_addc(out, ')');
	}
	str_add(out, isfinite(c->finds) ? "; a loss of " : "; no loss");
	if (isfinite(c->finds))
		add_amount(c, c->finds, out);
	str_addf(out, " is found in %.0f of 100\n", CALIBRATION_FOUND * 100);
}

/* What holds when there are boots enough, then what holds now. */
static void add_verdict(const struct calibration *c, struct str *out)
{
	bool provisional = c->blocks < CALIBRATION_SESSIONS;

	str_add(out, "  tolerance ");
	add_tolerance(c, out);
	str_add(out, c->state == GATEABLE         ? ": holds"
		     : c->state == GATEABLE_NOISY ? ": too tight for this noise"
						  : ": ungateable");
	if (c->delta < c->least_step) {
		str_add(out, ", the values come in steps of ");
		add_amount(c, c->absolute ? c->q : expm1(c->q), out);
		str_add(out, c->least_step > c->q ? ", and it takes five of them"
						  : ", and it takes one of them");
	}
	if (provisional)
		str_addf(out, " (from %u boots or days on)\n", CALIBRATION_SESSIONS);
	if (c->forecast_known)
		add_forecast(c, out);
	else if (!provisional)
		str_addc(out, '\n');
	if (c->state != GATEABLE || (c->forecast_known && c->forecast.pass < .95)) {
		str_add(out, "  ");
		calibration_cure(c, out);
		str_addc(out, '\n');
	}
}

static void add_waits(const struct calibration_ask *a, const struct calibration *c, struct str *out)
{
	if (c->passes_from <= c->blocks)
		return;
	str_add(out, "  ");
	calibration_add_waits(a, c, out);
	str_addc(out, '\n');
}

static void add_noise(const struct calibration_ask *a, const struct calibration *c, struct str *out)
{
	str_add(out, ", session sd ");
	add_amount(c, c->session_sd, out);
	str_add(out, "; sd of a session value, its runs' part included, ");
	add_amount(c, c->raw_sd, out);
	str_addc(out, '\n');
	if (c->adjusted) {
		str_addf(out, "  at equal level of canary '%s' (slope %.2f) that is ", a->canary,
			 c->slope);
		add_amount(c, c->median_sd, out);
		str_add(out, ", by which the gate is judged\n");
	}
	if (c->blocks < CALIBRATION_SESSIONS)
		str_addf(out,
			 "  the sessions come from %u boot%s or day%s: what differs between boots "
			 "is not in them\n",
			 c->blocks, c->blocks == 1 ? "" : "s", c->blocks == 1 ? "" : "s");
	if (c->apart > 0) {
		str_addf(out, "  two modes: %zu and %zu runs, ", c->lower_mode, c->upper_mode);
		add_amount(c, c->apart, out);
		str_add(out, " apart\n");
	}
	str_add(out, "  this noise allows a tolerance of ");
	add_amount(c, c->needed, out);
	str_addf(out, " (%.2f x the sd)", c->factor);
	if (c->adjusted) {
		str_add(out, ", raw ");
		add_amount(c, c->needed_raw, out);
	}
	if (isfinite(c->interleaved)) {
		str_addf(out, "; interleaved, %u pairs: ", CALIBRATION_PAIRS);
		add_amount(c, c->interleaved, out);
	}
	str_addc(out, '\n');
}

void calibration_text(const struct calibration_ask *a, const struct calibration *c, struct str *out)
{
	baseline_add_gate(out, a->target, a->job, a->metric);
	if (c->unjudged) {
		str_addf(out, ": %s\n", c->unjudged);
		return;
	}
	if (*c->judged)
		str_addf(out, " (judged by %s)", c->judged);
	str_addf(out, ": %zu session%s, %u block%s, run sd ", c->sessions,
		 c->sessions == 1 ? "" : "s", c->blocks, c->blocks == 1 ? "" : "s");
	add_amount(c, c->run_sd, out);
	if (c->expired)
		str_addf(out, ", %zu expired", c->expired);
	if (c->known)
		add_noise(a, c, out);
	else if (c->sessions >= CALIBRATION_SESSIONS)
		str_addf(out,
			 "\n  canary '%s' had one and the same value in all of them: it tells "
			 "nothing\n",
			 a->canary);
	else
		str_addf(out,
			 "\n  %u sessions are needed to know the spread between sessions, "
			 "better 10\n",
			 CALIBRATION_SESSIONS);
	if (c->known && isfinite(a->tolerance))
		add_verdict(c, out);
	add_waits(a, c, out);
}
