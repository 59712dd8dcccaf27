/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/clock.h"
#include "cmd/load.h"
#include "gate/outlook.h"

#include <stdio.h>
#include <math.h>
#include <stdlib.h>

static const struct option_def *const defs[] = {
	&opt_target,   &opt_set,    &opt_only,      &opt_check,  &opt_runs,
	&opt_sessions, &opt_budget, &opt_seed,      &opt_label,  &opt_allow_write,
	&opt_profile,  &opt_policy, &opt_baselines, &opt_versus, &opt_ab,
	&opt_pairs,    &opt_root,   &opt_targets,   NULL,
};

static void show(struct loaded *s, const struct baseline *b, struct str *text)
{
	struct plan *p = &s->plan;
	double *seen = xcalloc(p->njobs + 1, sizeof(*seen));

	for (size_t i = 0; i < p->njobs; i++)
		seen[i] = job_writes(&p->jobs[i])
				  ? baseline_median(b, p->targets[p->jobs[i].target].role,
						    &p->jobs[i], "write.bw")
				  : NAN;
	p->seen_write = seen;
	plan_show(p, text);
	p->seen_write = NULL;
	free(seen);
}

/* The plan, and what the stored sessions say: what they wrote, and the verdict to come, of two arms
 * too: how noisy a run is. */
static void add_plan(struct loaded *s, const struct options *o, struct str *text)
{
	struct baseline b = {0};
	struct err e = ERR_INIT;
	struct diags d;

	if (baseline_load(o->baselines, s->suite.name, s->plan.profile, &b, &e) < 0) {
		plan_show(&s->plan, text);
		str_add(text, "forecast: not known: ");
		str_add_clean(text, e.text, strlen(e.text));
		str_addc(text, '\n');
	} else {
		b.expiry = (struct expiry){clock_utc(), s->suite.baseline_max_age};
		show(s, &b, text);
		forecast_text(s, &b, false, text);
		diags_init(&d);
		sight_findings(s, &b, &d);
		say_diags(&d, DIAG_WARN);
		diags_release(&d);
	}
	baseline_release(&b);
}

int cmd_plan(int argc, char **argv)
{
	struct options o;
	struct load l;
	enum exit_status status;
	int rc = command_start(
		&o, "plan SUITE... --target [ROLE=]ID [OPTION]...",
		"Prints every value the run would use and where it comes from, the time it takes\n"
		"and the bytes it writes. Does no I/O.",
		defs, "  blkgate plan suites/smoke.yaml --target /var/tmp", argc, argv);

	if (rc >= 0)
		return rc;
	if (load_open(&l, &o, true, false, DIAG_WARN) < 0) {
		load_release(&l);
		options_release(&o);
		return STATUS_USAGE;
	}
	status = l.status;
	for (size_t i = 0; i < l.n; i++) {
		struct str text;

		if (l.v[i].err.code)
			continue;
		str_init(&text);
		add_plan(&l.v[i], &o, &text);
		fwrite(text.s, 1, text.len, stdout);
		str_release(&text);
		if (l.v[i].plan.setup_error) {
			say("blkgate: %s: %s", l.v[i].path, l.v[i].plan.setup_error);
			status = status_worse(status, l.v[i].plan.setup_code == ERR_SUITE
							      ? STATUS_USAGE
							      : STATUS_ERROR);
		}
		for (size_t k = 0; k < l.v[i].plan.njobs; k++)
			if (l.v[i].plan.jobs[k].state == JOB_ERROR)
				status = status_worse(status, STATUS_ERROR);
	}
	load_release(&l);
	options_release(&o);
	return (int)status;
}
