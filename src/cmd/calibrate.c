/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/clock.h"
#include "base/fileio.h"
#include "cmd/load.h"
#include "cmd/results.h"
#include "gate/calibration.h"
#include "gate/family.h"
#include "suite/patch.h"
#include "suite/yaml.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define UNDECIDED 0.05
#define STEP 0.005 /* a proposed tolerance is rounded up to it */

static const struct option_def *const defs[] = {
	&opt_from, &opt_baselines, &opt_profile, &opt_set, &opt_undecided, &opt_write, NULL,
};

/* What the suite needs to hold: per gate entry the largest tolerance of its jobs. */
struct proposal {
	const struct gate_entry *entry;
	double tolerance;
};

struct calibrating {
	const struct loaded *s;
	const struct baseline *b;
	struct forecaster *f;
	struct calibration_ask ask; /* what is alike for all gates */
	VEC(struct forecast) forecasts;
	VEC(const char *) names; /* of the gates behind them */
	VEC(struct proposal) proposals;
	const uint32_t *twin; /* family_twins() */
	struct arena arena;
	struct str out;
	size_t unknown; /* gates without sessions enough */
};

/* A metric of the suite stands for each direction: "iops" for read.iops. */
static bool entry_of(const struct gate_entry *g, const struct check *c)
{
	size_t n = strlen(g->metric), full = strlen(c->metric);

	if (g->line != c->line || n > full || strcmp(c->metric + full - n, g->metric) != 0)
		return false;
	return n == full || c->metric[full - n - 1] == '.';
}

static void propose(struct calibrating *k, const struct check *c, double needed)
{
	const struct workload *w = &k->s->suite.workloads.v[k->s->plan.workload[c->job]];
	double rounded = ceil(needed / STEP - 1e-9) * STEP;

	if (c->absolute || !isfinite(needed) || rounded <= c->tolerance)
		return;
	if (calibration_gates_nothing(rounded, metric_find(c->metric))) {
		str_addf(&k->out, "  not written: a tolerance of %.0f %% would gate nothing\n",
			 rounded * 100);
		return;
	}
	for (size_t i = 0; i < w->gate.n; i++) {
		struct proposal *p = NULL;

		if (!entry_of(&w->gate.v[i], c))
			continue;
		for (size_t n = 0; n < k->proposals.n && !p; n++)
			if (k->proposals.v[n].entry == &w->gate.v[i])
				p = &k->proposals.v[n];
		if (!p) {
			p = VEC_PUSH(&k->proposals);
			*p = (struct proposal){.entry = &w->gate.v[i]};
		}
		p->tolerance = fmax(p->tolerance, rounded);
	}
}

static void one_gate(struct calibrating *k, const struct check *c, const char *target)
{
	const char *job = k->s->plan.jobs[c->job].name;
	struct calibration_ask ask = k->ask;
	struct calibration got;

	ask.target = target;
	ask.job = job;
	ask.metric = c->metric;
	ask.tolerance = c->tolerance;
	ask.absolute = c->absolute;
	calibration_beside(&ask, k->s->plan.jobs, k->s->plan.njobs, &k->s->plan.jobs[c->job]);
	if (!calibrate_gate(k->f, k->b, &ask, &got)) {
		str_addf(&k->out, "%s %s gate %s: no comparable session", target, job, c->metric);
		if (ask.canary)
			str_addf(&k->out, " that holds canary '%s'", ask.canary);
		str_addc(&k->out, '\n');
		k->unknown++;
		return;
	}
	calibration_text(&ask, &got, &k->out);
	if (c->role == ROLE_WATCH ||
	    k->twin[c - k->s->plan.checks] != (uint32_t)(c - k->s->plan.checks))
		return;
	if (got.known && got.forecast_known) {
		*VEC_PUSH(&k->forecasts) = got.forecast;
		*VEC_PUSH(&k->names) =
			arena_printf(&k->arena, "%s %s gate %s", target, job, c->metric);
	} else {
		k->unknown++;
	}
	if (got.known && got.state != GATEABLE)
		propose(k, c, got.needed);
}

/* Roles under which the baseline holds that workload, each once. */
static size_t roles_of(const struct baseline *b, const char *job, const char **roles, size_t room)
{
	size_t n = 0, jobs;

	for (size_t i = 0; i < b->n; i++) {
		const struct base_job *const *v = baseline_jobs_named(&b->sessions[i], job, &jobs);

		for (size_t j = 0; j < jobs; j++) {
			bool seen = false;

			for (size_t r = 0; r < n; r++)
				seen |= str_eq(roles[r], v[j]->target);
			if (!seen && n < room)
				roles[n++] = v[j]->target;
		}
	}
	return n;
}

static void all_gates(struct calibrating *k)
{
	const struct plan *p = &k->s->plan;

	for (size_t i = 0; i < p->nchecks; i++) {
		const struct check *c = &p->checks[i];
		const char *roles[64];
		size_t n;

		if (c->kind != CHECK_GATE)
			continue;
		n = roles_of(k->b, p->jobs[c->job].name, roles, 64);
		for (size_t r = 0; r < n; r++)
			one_gate(k, c, roles[r]);
		if (n > 0)
			continue;
		str_addf(&k->out, "%s gate %s: no session holds this workload\n",
			 p->jobs[c->job].name, c->metric);
		k->unknown++;
	}
}

static void whole_suite(struct calibrating *k)
{
	size_t worst;
	struct forecast all;

	if (k->forecasts.n) {
		all = forecast_suite(k->forecasts.v, k->forecasts.n, &worst);
		str_add(&k->out, "suite on unchanged code: ");
		forecast_add_shares(&all, k->forecasts.n, &k->out);
		str_addf(&k->out, ", after %.1f sessions (%zu gate%s, taken as independent)\n",
			 all.cost, k->forecasts.n, k->forecasts.n == 1 ? "" : "s");
		if (k->forecasts.v[worst].undecided > 0.01)
			str_addf(&k->out, "  most of the undecided: %s (%.1f %%)\n",
				 k->names.v[worst], 100 * k->forecasts.v[worst].undecided);
	}
	if (k->unknown)
		str_addf(&k->out, "%zu gate%s without sessions enough: not in these figures\n",
			 k->unknown, k->unknown == 1 ? "" : "s");
}

static void tolerance_text(double tolerance, char *text, size_t size)
{
	snprintf(text, size, "%.4g%%", tolerance * 100);
}

/* The proposals as edits of the suite's text: shown, or written. */
static int write_patch(struct calibrating *k, bool write, struct err *e)
{
	struct patch_edit *v = xcalloc(k->proposals.n + 1, sizeof(*v));
	struct str text, is;
	size_t n = 0;
	int rc;

	str_init(&text);
	str_init(&is);
	rc = file_read(k->s->path, YAML_BYTES_MAX, &text, e);
	for (size_t i = 0; i < k->proposals.n; i++) {
		const struct proposal *p = &k->proposals.v[i];
		char value[32];

		tolerance_text(p->tolerance, value, sizeof(value));
		if (!p->entry->at_line) {
			str_addf(&k->out,
				 "line %u: the tolerance of %s comes from a parameter; set it to "
				 "%s by hand\n",
				 p->entry->line, p->entry->metric, value);
			continue;
		}
		v[n++] = (struct patch_edit){p->entry->at_line, p->entry->at_column,
					     p->entry->tolerance_text,
					     arena_strdup(&k->arena, value)};
	}
	if (rc == 0)
		rc = patch_text(text.s, text.len, v, n, &is, e);
	if (rc == 0 && n > 0 && write)
		rc = file_write(k->s->path, is.s, is.len, e);
	if (rc == 0 && n > 0)
		patch_diff(k->s->path, text.s, is.s, &k->out);
	str_release(&is);
	str_release(&text);
	free(v);
	return rc;
}

static int calibrate(struct loaded *s, const struct baseline *b, const struct options *o)
{
	struct calibrating k = {.s = s, .b = b, .f = forecast_open()};
	struct err e = ERR_INIT;
	const struct family family = {s->plan.jobs, s->plan.njobs, s->plan.checks, s->plan.nchecks,
				      0};
	uint32_t *twin = xcalloc(s->plan.nchecks + 1, sizeof(*twin));
	int rc;

	str_init(&k.out);
	arena_init(&k.arena);
	family_twins(&family, twin);
	k.ask = (struct calibration_ask){
		.max = s->plan.sessions_max,
		.gates = family_size(&family, twin),
		.undecided = o->undecided > 0 ? o->undecided : UNDECIDED,
		.red_total = family_level(&family, twin),
		.assumed_sd = s->suite.assumed_session_sd,
	};
	k.twin = twin;
	all_gates(&k);
	whole_suite(&k);
	rc = write_patch(&k, o->write, &e);
	fwrite(k.out.s, 1, k.out.len, stdout);
	if (rc < 0)
		say_err(&e);
	str_release(&k.out);
	arena_release(&k.arena);
	VEC_RELEASE(&k.forecasts);
	VEC_RELEASE(&k.names);
	VEC_RELEASE(&k.proposals);
	forecast_close(k.f);
	free(twin);
	return rc < 0 ? (int)status_of(&e) : STATUS_PASS;
}

int cmd_calibrate(int argc, char **argv)
{
	struct options o;
	struct baseline b = {0};
	struct err e = ERR_INIT;
	struct load l;
	int rc = command_start(
		&o, "calibrate SUITE [--from RESULT]... [OPTION]...",
		"How noisy each gate is in its accepted sessions, which tolerance that "
		"allows, what\nthe gate would find, and the cheapest cure where it holds "
		"nothing.",
		defs,
		"  blkgate calibrate suites/smoke.yaml\n"
		"  blkgate calibrate suites/smoke.yaml --from night/*.json",
		argc, argv);

	if (rc >= 0)
		return rc;
	/* --from night/?.json: the shell makes arguments of all but the first */
	for (size_t i = 1; o.against.n && i < o.args.n; i++)
		*VEC_PUSH(&o.against) = o.args.v[i];
	if (o.against.n && o.args.n)
		o.args.n = 1;
	if (o.args.n > 1) {
		say("blkgate: calibrate takes one suite, %zu were named (results go behind --from)",
		    o.args.n);
		options_release(&o);
		return STATUS_USAGE;
	}
	if (load_open(&l, &o, false, true, DIAG_ERROR) < 0) {
		options_release(&o);
		return STATUS_USAGE;
	}
	rc = (int)l.status;
	if (rc == STATUS_PASS) {
		if (results_baseline(&o, l.v[0].suite.name, &b, &e) < 0) {
			say_err(&e);
			rc = (int)status_of(&e);
		} else {
			b.expiry = (struct expiry){clock_utc(), l.v[0].suite.baseline_max_age};
			rc = calibrate(&l.v[0], &b, &o);
		}
		baseline_release(&b);
	}
	load_release(&l);
	options_release(&o);
	return rc;
}
