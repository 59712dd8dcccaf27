/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cmd/probe.h"

#include "session/session.h"

#include <stdio.h>
#include <stdlib.h>

static const struct option_def *const defs[] = {&opt_json, &opt_root, NULL};

static void look_at_block(const struct host *h, struct probed *x, struct arena *a)
{
	struct err e = ERR_INIT;

	host_in_use(h, &x->t, &x->users.v, &x->users.err);
	host_identities(h, &x->t, &x->identities.v, &x->identities.err);
	if (host_identity(h, x->id, &x->t, &e) != 1)
		x->refused = arena_printf(a, "%s%s%s", e.text, e.hint[0] ? "; " : "", e.hint);
	host_signature(h, &x->t, a, &x->signature, &x->signature_err);
}

static void look_at(struct probe *p, const char *id)
{
	struct probed *x = &p->v[p->n++];

	x->id = id;
	notices_init(&x->users.v);
	notices_init(&x->identities.v);
	if (host_target(&p->host, NULL, id, &p->arena, &x->t, &x->err) < 0) {
		p->status = status_worse(p->status, status_of(&x->err));
		return;
	}
	host_health(&p->host, &x->t, &x->t.facts, &p->arena);
	if (x->t.kind == TARGET_BLOCK)
		look_at_block(&p->host, x, &p->arena);
}

static void gather(struct probe *p, const struct options *o)
{
	arena_init(&p->arena);
	facts_init(&p->machine);
	notices_init(&p->left);
	p->v = xcalloc(o->args.n, sizeof(*p->v));
	for (size_t i = 0; i < o->args.n; i++)
		look_at(p, o->args.v[i]);
	host_facts(&p->host, &p->machine, &p->arena);
	host_kernel_log(&p->host, &p->machine, &p->arena);
	if (str_eq(p->host.root, "/"))
		session_settings_left(SESSION_SETTINGS, false, &p->left);
}

static void release(struct probe *p)
{
	for (size_t i = 0; i < p->n; i++) {
		if (!p->v[i].err.code)
			facts_release(&p->v[i].t.facts);
		notices_release(&p->v[i].users.v);
		notices_release(&p->v[i].identities.v);
	}
	free(p->v);
	notices_release(&p->left);
	facts_release(&p->machine);
	arena_release(&p->arena);
}

static void show(struct probe *p, const struct options *o)
{
	struct err e = ERR_INIT;

	for (size_t i = 0; i < p->n; i++)
		if (p->v[i].err.code)
			say_err(&p->v[i].err);
	/* a document on stdout stands there alone */
	if (!o->json || !str_eq(o->json, "-"))
		probe_text(p);
	if (o->json && probe_json(p, o->json, &e) < 0) {
		say_err(&e);
		p->status = status_worse(p->status, status_of(&e));
	}
}

int cmd_probe(int argc, char **argv)
{
	struct probe p = {.host = {.root = "/"}, .status = STATUS_PASS};
	struct options o;
	struct err e = ERR_INIT;
	int rc = command_start(
		&o, "probe ID... [OPTION]...",
		"Says who a device, file or folder is: its facts, the links on its way to the "
		"CPU,\n"
		"what uses it, by which names it may be written, and the machine it is in.\n"
		"Opens nothing for writing.",
		defs,
		"  blkgate probe /dev/nvme0n1 /var/tmp\n"
		"  blkgate probe --json probe.json serial:S4EWNX0R123456/nsid:1",
		argc, argv);

	if (rc >= 0)
		return rc;
	if (o.root)
		p.host.root = o.root;
	if (!o.args.n) {
		err_set(&e, ERR_USAGE, "nothing was named to probe");
		err_hint(&e, "`lsblk` lists the devices of this machine");
	} else if (o.root) {
		host_check_root(&p.host, &e);
	}
	if (e.code) {
		say_err(&e);
		options_release(&o);
		return (int)status_of(&e);
	}
	gather(&p, &o);
	show(&p, &o);
	rc = (int)p.status;
	release(&p);
	options_release(&o);
	return rc;
}
