/* SPDX-License-Identifier: GPL-2.0-or-later */
/* plan/targets: the targets of the command line with their roles and facts, and the labels. */
#include "plan/planner.h"

#include <math.h>
#include <sys/stat.h>

static bool role_valid(const char *role)
{
	if (!*role)
		return false;
	for (; *role; role++)
		if (!c_isalnum(*role) && *role != '_' && *role != '-')
			return false;
	return true;
}

static int roles_check(const struct plan_options *o, struct err *e)
{
	if (o->ntargets == 0) {
		err_set(e, ERR_USAGE, "no target was given");
		return err_hint(e, "--target /dev/disk/by-id/... or --target FOLDER");
	}
	for (size_t i = 0; i < o->ntargets; i++) {
		const char *role = o->targets[i].role;

		if (!role && o->ntargets > 1) {
			err_set(e, ERR_USAGE,
				"target '%s' has no role name, and there are %zu targets",
				o->targets[i].id, o->ntargets);
			return err_hint(e, "--target old=%s", o->targets[i].id);
		}
		if (role && str_eq(role, TARGET_ROLE_TOTAL)) {
			err_set(e, ERR_USAGE,
				"role name 'all' is that of the total of 'targets: all'");
			return err_hint(e, "--target slot1=%s", o->targets[i].id);
		}
		if (role && !role_valid(role)) {
			err_set(e, ERR_USAGE, "role name '%s' is not made of [A-Za-z0-9_-]", role);
			return err_hint(e, "--target old=%s", o->targets[i].id);
		}
		for (size_t k = 0; role && k < i; k++)
			if (str_eq(role, o->targets[k].role))
				return err_set(e, ERR_USAGE,
					       "role name '%s' is given to two targets, "
					       "'%s' and '%s'",
					       role, o->targets[k].id, o->targets[i].id);
	}
	return 0;
}

/* Bytes a second of a fact that holds a number; NaN when unknown. */
static double fact_bandwidth(const struct target *t, const char *key)
{
	const char *v = facts_value(&t->facts, key);
	struct err ignored = ERR_INIT;
	double x;

	return v && units_number(v, &x, &ignored) == 0 && x > 0 ? x : NAN;
}

static void target_one(struct planner *pl, size_t i)
{
	const struct target_arg *arg = &pl->o->targets[i];
	const char *role = arg->role ? arg->role : "dut";
	struct target *t = &pl->p->targets[i];
	struct err e = ERR_INIT;

	if (host_target(pl->o->host, role, arg->id, pl->a, t, &e) < 0) {
		facts_release(&t->facts);
		*t = (struct target){.role = arena_strdup(pl->a, role),
				     .id = arena_strdup(pl->a, arg->id)};
		pl->missing[i] =
			arena_printf(pl->a, "%s%s%s", e.text, e.hint[0] ? "; " : "", e.hint);
		return;
	}
	host_health(pl->o->host, t, &t->facts, pl->a);
	direct_learn(pl->o->host, t, facts_value(&pl->p->host, "kernel.release"), pl->a,
		     &pl->missing[i]);
	pl->link[i] = fact_bandwidth(t, "link.bandwidth");
	pl->upstream[i] = fact_bandwidth(t, "upstream.bandwidth");
}

/* By what the kernel calls it: links, bind mounts and spellings are of no account. */
static bool same_target(const struct host *h, const struct target *a, const struct target *b)
{
	struct stat x, y;

	if (a->kind == TARGET_NONE || a->kind != b->kind)
		return false;
	if (str_eq(a->path, b->path))
		return true;
	if (a->kind == TARGET_BLOCK)
		return a->dev_major == b->dev_major && a->dev_minor == b->dev_minor;
	/* the paths of a recorded machine are below its root and were resolved there */
	return strcmp(h->root, "/") == 0 && stat(a->path, &x) == 0 && stat(b->path, &y) == 0 &&
	       x.st_dev == y.st_dev && x.st_ino == y.st_ino;
}

/* Nothing is wrong with it, but their sum is no sum of devices. */
static void targets_on_one_device(struct planner *pl)
{
	struct plan *p = pl->p;

	for (size_t i = 1; i < p->ntargets; i++)
		for (size_t k = 0; k < i; k++) {
			const struct target *a = &p->targets[k], *b = &p->targets[i];

			if (a->kind == TARGET_NONE || b->kind == TARGET_NONE ||
			    a->dev_major != b->dev_major || a->dev_minor != b->dev_minor)
				continue;
			notices_add(
				&p->notices,
				"targets '%s' and '%s' are on one device (%u:%u) and share what it "
				"does",
				a->role, b->role, a->dev_major, a->dev_minor);
		}
}

/* One thing under two names would be compared with itself, or written by one while the other reads.
 */
static int targets_distinct(const struct planner *pl, struct err *e)
{
	const struct plan *p = pl->p;

	for (size_t i = 1; i < p->ntargets; i++)
		for (size_t k = 0; k < i; k++) {
			const struct target *a = &p->targets[k], *b = &p->targets[i];

			if (!same_target(pl->o->host, a, b))
				continue;
			err_set(e, ERR_USAGE,
				"roles '%s' and '%s' are one target: '%s' and '%s' both lead to "
				"'%s'",
				a->role, b->role, a->id, b->id, b->path);
			return err_hint(e, "give each role a target of its own");
		}
	return 0;
}

int targets_resolve(struct planner *pl, struct err *e)
{
	struct plan *p = pl->p;
	size_t n = pl->o->lint_only ? 1 : pl->o->ntargets;
	int rc = pl->o->lint_only ? 0 : roles_check(pl->o, e);

	if (rc < 0)
		return rc;
	p->targets = xcalloc(n + 1, sizeof(*p->targets)); /* one more for the total over all */
	p->ntargets = pl->ntargets = n;
	pl->missing = xcalloc(n, sizeof(*pl->missing));
	pl->link = xcalloc(n + 1, sizeof(*pl->link));
	pl->upstream = xcalloc(n + 1, sizeof(*pl->upstream));
	pl->upstream[n] = NAN;
	p->targets[n] = (struct target){.role = TARGET_ROLE_TOTAL, .id = "all targets"};
	for (size_t i = 0; i < n; i++) {
		pl->link[i] = pl->upstream[i] = NAN;
		if (pl->o->lint_only)
			p->targets[i] = (struct target){.role = "dut", .id = ""};
		else
			target_one(pl, i);
		pl->link[n] += pl->link[i]; /* unknown when one is */
	}
	targets_on_one_device(pl);
	return targets_distinct(pl, e);
}

static struct target *role_find(struct plan *p, const char *role, size_t len)
{
	for (size_t i = 0; i < p->ntargets; i++)
		if (strlen(p->targets[i].role) == len && memcmp(p->targets[i].role, role, len) == 0)
			return &p->targets[i];
	return NULL;
}

static int label_one(struct planner *pl, const struct setting *l, struct err *e)
{
	struct plan *p = pl->p;
	const char *dot = strchr(l->key, '.');
	struct target *t;

	if (!dot) {
		host_label(&p->host, pl->a, l->key, l->value);
		return 0;
	}
	t = role_find(p, l->key, (size_t)(dot - l->key));
	if (!t || !dot[1]) {
		err_set(e, ERR_USAGE, "label '%s' names no target: no role '%.*s' was given",
			l->key, (int)(dot - l->key), l->key);
		return err_hint(e,
				"--label KEY=VALUE for the host, --label %s.KEY=VALUE for a target",
				p->targets[0].role);
	}
	host_label(&t->facts, pl->a, dot + 1, l->value);
	return 0;
}

/* Known for every target, by itself or for the host. */
static bool label_known(const struct plan *p, const char *key)
{
	for (size_t i = 0; i < p->ntargets; i++) {
		const struct fact *f = facts_find2(&p->targets[i].facts, &p->host, key);

		if (!f || !f->value || !*f->value)
			return false;
	}
	return true;
}

int labels_apply(struct planner *pl, struct err *e)
{
	const struct suite *s = pl->s;

	if (pl->o->lint_only)
		return 0;
	/* What the suite says stands first, so that the command line replaces it. */
	for (size_t i = 0; i < s->labels.n; i++)
		if (s->labels.v[i].value)
			host_label(&pl->p->host, pl->a, s->labels.v[i].name, s->labels.v[i].value);
	for (size_t i = 0; i < pl->o->nlabels; i++) {
		int rc = label_one(pl, &pl->o->labels[i], e);

		if (rc < 0)
			return rc;
	}
	for (size_t i = 0; i < s->labels.n; i++) {
		const struct label_rule *l = &s->labels.v[i];

		if (!l->required || label_known(pl->p, arena_printf(pl->a, "label.%s", l->name)))
			continue;
		planner_setup_error(
			pl, ERR_SUITE,
			arena_printf(pl->a,
				     "label '%s' is required (%s:%u) and was not given; "
				     "add --label %s=X",
				     l->name, s->file, l->line, l->name));
	}
	return 0;
}
