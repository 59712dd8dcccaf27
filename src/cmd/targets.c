/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The targets of a command line: named by themselves, or by their role in the host file. */
#include "cmd/load.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ROLE=ID, or ID alone for the single target. A path may hold '=': a role is a plain word. */
static struct target_arg target_arg(const char *text)
{
	const char *eq = strchr(text, '=');

	if (!eq || eq == text)
		return (struct target_arg){.id = text};
	for (const char *c = text; c < eq; c++)
		if (!c_isalnum(*c) && *c != '_' && *c != '-')
			return (struct target_arg){.id = text};
	*(char *)eq = '\0';
	return (struct target_arg){.role = text, .id = eq + 1};
}

/* Before those of the command line, which replace them. */
static void add_labels(struct load *l, struct options *o, const struct host_entry *x,
		       const char *role)
{
	for (size_t i = 0; i < x->labels.n; i++) {
		struct setting s = x->labels.v[i];

		s.key = arena_printf(&l->host_file.arena, "%s.%s", role, s.key);
		(void)VEC_PUSH(&o->labels);
		memmove(&o->labels.v[1], &o->labels.v[0], (o->labels.n - 1) * sizeof(s));
		o->labels.v[0] = s;
	}
}

static void take_entry(struct load *l, struct options *o, const struct host_entry *x,
		       struct target_arg *t)
{
	if (!t->role)
		t->role = x->role;
	t->id = x->id;
	if (x->allow_write)
		*VEC_PUSH(&o->allow_write) = x->id;
	add_labels(l, o, x, t->role);
	notices_add(&l->by_host_file, "target '%s' is '%s' after '%s'%s", t->role, x->id,
		    l->host_file.path, x->allow_write ? ", which permits writing to it" : "");
}

/* Of a recorded machine only a file that was named. */
static int open_host_file(struct load *l, const struct options *o, struct err *e)
{
	if (l->host_file.path || (o->root && !o->targets_file))
		return 0;
	host_file_release(&l->host_file);
	return host_file_read(&l->host_file, o->targets_file, e);
}

/* A word: a role of the host file, or a file here. */
static int look_up(struct load *l, struct options *o, struct target_arg *t, struct err *e)
{
	bool here = !o->root && access(t->id, F_OK) == 0;
	const struct host_entry *x;

	if (!host_file_word(t->id))
		return 0;
	if (open_host_file(l, o, e) < 0) {
		/* nobody asked for the file */
		if (here && !o->targets_file)
			*e = ERR_INIT;
		return e->code;
	}
	x = host_file_find(&l->host_file, t->id);
	if (x && here) {
		err_set(e, ERR_USAGE, "target '%s' is a role of '%s' and a file here", t->id,
			l->host_file.path);
		return err_hint(e, "./%s is the file, and `%s` the target", t->id, x->id);
	}
	if (x)
		take_entry(l, o, x, t);
	return 0;
}

/* Nothing was named: what the machine has one of needs no name. */
static int only_entry(struct load *l, struct options *o, struct err *e)
{
	struct target_arg t = {0};
	struct str roles;

	if (open_host_file(l, o, e) < 0)
		return e->code;
	if (l->host_file.n == 1) {
		take_entry(l, o, &l->host_file.v[0], &t);
		*VEC_PUSH(&l->targets) = t;
		return 0;
	}
	err_set(e, ERR_USAGE, "no target was named");
	if (!l->host_file.n)
		return err_hint(e, "--target FOLDER works without root: --target /var/tmp");
	str_init(&roles);
	for (size_t i = 0; i < l->host_file.n; i++)
		str_addf(&roles, "%s--target %s", i ? ", " : "", l->host_file.v[i].role);
	err_hint(e, "'%s' knows several: %s", l->host_file.path, roles.s);
	str_release(&roles);
	return e->code;
}

int load_targets(struct load *l, struct options *o, bool need, struct err *e)
{
	if (o->targets_file && open_host_file(l, o, e) < 0)
		return e->code;
	for (size_t i = 0; i < o->targets.n; i++) {
		struct target_arg t = target_arg(o->targets.v[i]);

		if (look_up(l, o, &t, e) < 0)
			return e->code;
		if (!t.role && o->targets.n > 1) {
			err_set(e, ERR_USAGE, "target '%s' needs a role, for there are several",
				t.id);
			return err_hint(e, "--target old=%s --target new=...", t.id);
		}
		if (!t.role)
			t.role = "dut";
		for (size_t k = 0; k < l->targets.n; k++)
			if (str_eq(l->targets.v[k].role, t.role))
				return err_set(e, ERR_USAGE, "two targets have the role '%s'",
					       t.role);
		*VEC_PUSH(&l->targets) = t;
	}
	return need && !l->targets.n ? only_entry(l, o, e) : 0;
}
