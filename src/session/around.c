/* SPDX-License-Identifier: GPL-2.0-or-later */
/* session/around: the commands of a suite before and behind what it measures. */
#include "session/party.h"

#include "session/command.h"

#include <stdlib.h>
#include <string.h>

static char *folder_of(const char *journal)
{
	const char *slash = journal ? strrchr(journal, '/') : NULL;

	return slash ? xstrndup(journal, (size_t)(slash - journal)) : NULL;
}

static const struct workload *workload_of(const struct conductor *c, uint32_t job)
{
	return &c->p->suite->workloads.v[c->p->workload[job]];
}

static int run(const struct conductor *c, const suite_commands *list, const char *what,
	       uint32_t target, const char *workload, const volatile int *stop, struct err *e)
{
	const struct target *t = target < c->p->ntargets ? &c->p->targets[target] : NULL;
	char *out = folder_of(c->o->journal);
	const struct command_env env = {
		.target = t ? t->path ? t->path : t->id : NULL,
		.role = t ? t->role : NULL,
		.workload = workload,
		.out = out,
	};
	int rc = commands_run(list, what, &env, stop, e);

	free(out);
	return rc;
}

int runs_setup(const struct conductor *c, const struct party *y, struct err *e)
{
	for (size_t i = 0; i < y->n; i++) {
		const struct job *j = &c->p->jobs[y->entry[i].job];

		if (run(c, &workload_of(c, y->entry[i].job)->setup, "setup", j->target, j->name,
			c->o->stop, e) < 0)
			return e->code;
	}
	return 0;
}

/* In reverse order, and not stopped by the signal that ended the run. */
void runs_teardown(struct conductor *c, struct party *y)
{
	for (size_t i = y->n; i-- > 0;) {
		uint32_t job = y->entry[i].job;
		const struct job *j = &c->p->jobs[job];
		struct err e = ERR_INIT;

		if (run(c, &workload_of(c, job)->teardown, "teardown", j->target, j->name, NULL,
			&e) == 0)
			continue;
		c->failed[job] = true;
		tell(c, EVENT_NOTICE, NULL, NULL, arena_strdup(&c->r->arena, e.text));
		if (y->out[i].status == OUTCOME_OK)
			outcome_spoil(&y->out[i], "%s", e.text);
	}
}

/* Of several targets none is meant more than another. */
static uint32_t only_target(const struct conductor *c)
{
	return c->p->ntargets == 1 ? 0 : UINT32_MAX;
}

int suite_setup(struct conductor *c, struct err *e)
{
	struct err se = ERR_INIT;

	if (run(c, &c->p->suite->setup, "setup", only_target(c), NULL, c->o->stop, &se) == 0)
		return 0;
	if (se.code == ERR_INTR) {
		*e = se;
		return se.code;
	}
	fail_chosen(c, OUTCOME_SETUP, se.text);
	tell(c, EVENT_NOTICE, NULL, NULL, arena_strdup(&c->r->arena, se.text));
	return 0;
}

int suite_teardown(struct conductor *c, int rc, struct err *e)
{
	struct err te = ERR_INIT;
	const char *text;

	if (run(c, &c->p->suite->teardown, "teardown", only_target(c), NULL, NULL, &te) == 0)
		return rc;
	text = arena_strdup(&c->r->arena, te.text);
	*VEC_PUSH(&c->r->notices) = text;
	tell(c, EVENT_NOTICE, NULL, NULL, text);
	if (rc == 0)
		*e = te;
	return rc ? rc : te.code;
}
