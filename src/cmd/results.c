/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cmd/results.h"

#include <stdlib.h>

/* What stands in for a baseline is of the suite and the profile, as a stored one is. */
static int check_against(const struct result *r, const char *path, const char *suite,
			 const char *profile, struct err *e)
{
	if (!str_eq(r->suite, suite))
		err_set(e, ERR_USAGE, "'%s' is of suite '%s', not of '%s'", path, r->suite, suite);
	else if (profile && !str_eq(r->profile, profile))
		err_set(e, ERR_USAGE,
			"'%s' is of profile '%s', not of '%s': profiles are of different machines",
			path, r->profile, profile);
	return e->code;
}

/* profile NULL: any. */
static int load_against(struct options *o, const char *suite, const char *profile,
			struct baseline *b, struct err *e)
{
	struct result *r = xcalloc(o->against.n, sizeof(*r));
	const struct result **list = xcalloc(o->against.n, sizeof(*list));
	size_t n = 0;
	int rc = 0;

	for (; n < o->against.n && rc == 0; n++) {
		rc = result_load(o->against.v[n], &r[n], e);
		list[n] = &r[n];
		if (rc == 0)
			rc = check_against(&r[n], o->against.v[n], suite, profile, e);
	}
	if (rc == 0)
		rc = baseline_from_results(list, n, b, e);
	for (size_t i = 0; i < n; i++)
		result_release(&r[i]);
	free(list);
	free(r);
	return rc;
}

int results_baseline(struct options *o, const char *suite, struct baseline *b, struct err *e)
{
	const char *profile = o->profile ? o->profile : "default";
	int rc;

	*b = (struct baseline){0};
	if (!o->against.n)
		rc = baseline_load(o->baselines, suite, profile, b, e);
	else
		rc = load_against(o, suite, NULL, b, e);
	if (rc == 0 && b->n == 0) {
		err_set(e, ERR_NOBASE, "no session of suite '%s', profile '%s' is stored in '%s'",
			suite, profile, o->baselines);
		err_hint(e, "blkgate run SUITE --target ID, then blkgate baseline accept "
			    "blkgate-out/result.json; or --from RESULT");
		return e->code;
	}
	return rc;
}

static int open_one(struct loaded_results *l, struct options *o, const char *path, struct err *e)
{
	struct result *r = &l->v[l->nv];
	struct baseline *b = &l->baselines[l->nv];
	int rc;

	if (result_load(path, r, e) < 0) {
		result_release(r);
		return e->code;
	}
	r->values_writer = measure_write_values;
	l->paths[l->n] = path;
	l->list[l->n++] = r;
	l->nv++;
	if (o->profile)
		r->profile = o->profile;
	for (size_t i = 0; i < o->policy.n; i++)
		if (policy_set(&r->policy, o->policy.v[i].key, o->policy.v[i].value, e) < 0)
			return err_prefix(e, "option --policy");
	*b = (struct baseline){0};
	if (r->interleave.kind != INTERLEAVE_NONE)
		rc = o->against.n ? err_set(e, ERR_USAGE,
					    "'%s' is of an interleaved comparison, whose arms are "
					    "compared with each other: --against has no meaning",
					    path)
				  : 0;
	else if (o->against.n)
		rc = load_against(o, r->suite, r->profile, b, e);
	else
		rc = baseline_load(o->baselines, r->suite, r->profile, b, e);
	if (rc < 0)
		return rc;
	gate_judge(r, b, &(struct gate_options){.now = r->ended, .sessions_max = r->sessions_max});
	l->status = status_worse(l->status, r->status);
	return 0;
}

void results_open(struct loaded_results *l, struct options *o)
{
	size_t n = o->args.n ? o->args.n : 1;

	*l = (struct loaded_results){.status = STATUS_PASS};
	l->v = xcalloc(n, sizeof(*l->v));
	l->list = xcalloc(n, sizeof(*l->list));
	l->paths = xcalloc(n, sizeof(*l->paths));
	l->baselines = xcalloc(n, sizeof(*l->baselines));
	l->broken = xcalloc(n, sizeof(*l->broken));
	l->broken_text = xcalloc(n, sizeof(*l->broken_text));
	for (size_t i = 0; i < o->args.n; i++) {
		struct err e = ERR_INIT;
		size_t before = l->n;

		if (open_one(l, o, o->args.v[i], &e) == 0)
			continue;
		say_err(&e);
		l->broken_text[l->nbroken] = err_sentence(&e);
		l->broken[l->nbroken] = (struct report_suite_error){
			.suite = o->args.v[i],
			.text = l->broken_text[l->nbroken],
			.status = status_of(&e),
		};
		l->nbroken++;
		l->status = status_worse(l->status, status_of(&e));
		/* A result that could not be judged must not look like one in the reports. */
		if (l->n > before) {
			l->n--;
			result_release(&l->v[--l->nv]);
			baseline_release(&l->baselines[l->nv]);
		}
	}
}

void results_release(struct loaded_results *l)
{
	for (size_t i = 0; i < l->nv; i++) {
		result_release(&l->v[i]);
		baseline_release(&l->baselines[i]);
	}
	free(l->v);
	free(l->list);
	free(l->paths);
	for (size_t i = 0; i < l->nbroken; i++)
		free(l->broken_text[i]);
	free(l->broken_text);
	free(l->broken);
	free(l->baselines);
}
