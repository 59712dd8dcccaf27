/* SPDX-License-Identifier: GPL-2.0-or-later */
/* No retry until green: a red attempt of the same change that this run would leave out is found in
 * --out and in --history before anything is measured. */
#include "cmd/invocation.h"

#include "gate/history.h"

#include <stdlib.h>
#include <unistd.h>

/* Does the run go on from a result that holds that session? */
static bool included(const struct conducted *c, const char *session)
{
	for (size_t i = 0; i < c->options.nwith; i++) {
		const struct result *r = c->options.with[i].r;

		for (size_t s = 0; s < r->sessions.n; s++)
			if (str_eq(r->sessions.v[s].id, session))
				return true;
	}
	return false;
}

static bool all_included(const struct conducted *c, const struct result *r)
{
	for (size_t i = 0; i < r->sessions.n; i++)
		if (!included(c, r->sessions.v[i].id))
			return false;
	return true;
}

static int refuse(const char *path, const char *change, const char *with, struct err *e)
{
	err_set(e, ERR_REFUSED,
		"'%s' is a red attempt of change '%s', and this run would leave it out: evidence "
		"is added, never replaced",
		path, change);
	return err_hint(e,
			"--with %s goes on from it; what was mended is another change: --change ID",
			with);
}

/* The result that stands where this run will put its own. */
static int check_out(const struct conducted *c, struct err *e)
{
	struct gate_options g;
	struct err ignored = ERR_INIT;
	struct result r;

	/* a damaged one, or one of another thing, is set aside as ever */
	if (access(c->path, F_OK) < 0 || result_load(c->path, &r, &ignored) < 0)
		return 0;
	g = (struct gate_options){.now = r.ended, .sessions_max = r.sessions_max};
	if (!r.inject && r.interleave.kind == INTERLEAVE_NONE &&
	    str_eq(r.change, c->options.change) && str_eq(r.suite, c->suite->suite.name) &&
	    str_eq(r.profile, c->suite->plan.profile) && !all_included(c, &r)) {
		gate_judge(&r, &c->baseline, &g);
		if (r.status == STATUS_REGRESSION && r.may_continue)
			refuse(c->path, c->options.change, c->path, e);
	}
	result_release(&r);
	return e->code;
}

static int check_history(const struct conducted *c, const char *dir, struct err *e)
{
	struct history h;

	if (history_load(dir, c->suite->suite.name, c->suite->plan.profile, &h, e) == 0)
		for (size_t i = 0; i < h.entries.n && !e->code; i++) {
			const struct history_entry *x = &h.entries.v[i];
			char *path, *with;

			if (x->status != STATUS_REGRESSION ||
			    !str_eq(x->change, c->options.change) || included(c, x->session))
				continue;
			path = xasprintf("%s/%s/%s/%s.json", dir, c->suite->suite.name,
					 c->suite->plan.profile, x->session);
			with = xasprintf("RESULT, the file that holds session '%s',", x->session);
			refuse(path, c->options.change, with, e);
			free(path);
			free(with);
		}
	history_release(&h);
	return e->code;
}

int retry_check(const struct options *o, const struct conducted *c, struct err *e)
{
	if (!c->options.change || o->inject || c->suite->plan.interleave.kind != INTERLEAVE_NONE)
		return 0;
	if (check_out(c, e) == 0 && o->history)
		check_history(c, o->history, e);
	return e->code;
}
