/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cmd/cmd.h"

#include "base/units.h"
#include "host/host.h"
#include "session/session.h"

#include <stdio.h>

static const struct option_def *const defs[] = {NULL};

/* Names of hardware and mount points are foreign text: control characters stay off the terminal. */
static void put_fact(const char *key, const char *value, const char *why)
{
	struct str s;

	str_init(&s);
	str_addf(&s, "  %-24s ", key);
	str_add_clean(&s, value ? value : "unknown: ", SIZE_MAX);
	if (!value)
		str_add_clean(&s, why ? why : "no reason given", SIZE_MAX);
	puts(s.s);
	str_release(&s);
}

static void put_use(const struct host *h, const struct target *t)
{
	struct notices users;
	struct err e = ERR_INIT;

	if (t->kind != TARGET_BLOCK)
		return;
	notices_init(&users);
	if (host_in_use(h, t, &users, &e) < 0)
		put_fact("in use by", NULL, e.text);
	for (size_t i = 0; i < users.n; i++)
		put_fact("in use by", users.v[i], NULL);
	if (!e.code && !users.n)
		put_fact("in use by", "nothing", NULL);
	notices_release(&users);
}

/* Of the machine, and worth knowing whatever is asked about. */
static void put_left(void)
{
	struct notices left;

	notices_init(&left);
	session_settings_left(SESSION_SETTINGS, false, &left);
	for (size_t i = 0; i < left.n; i++)
		put_fact("left switched", left.v[i], NULL);
	notices_release(&left);
}

static enum exit_status probe(const struct host *h, const char *id)
{
	struct arena a;
	struct target t;
	struct err e = ERR_INIT;
	struct str size;

	arena_init(&a);
	if (host_target(h, NULL, id, &a, &t, &e) < 0) {
		say_err(&e);
		arena_release(&a);
		return status_of(&e);
	}
	str_init(&size);
	unit_format(&size, UNIT_BYTES, (double)t.size);
	put_fact(id, t.path, NULL);
	if (t.passthrough)
		put_fact("passthrough", t.passthrough, NULL);
	put_fact("kind", target_kind_name(t.kind), NULL);
	put_fact(t.kind == TARGET_DIR ? "free" : "size", size.s, NULL);
	for (size_t i = 0; i < t.facts.n; i++)
		put_fact(t.facts.v[i].key, t.facts.v[i].value, t.facts.v[i].why);
	put_use(h, &t);
	if (t.kind == TARGET_BLOCK && host_identity(h, id, &t, &e) == 1)
		put_fact("--allow-write", id, NULL);
	else if (t.kind == TARGET_BLOCK)
		put_fact("--allow-write", e.hint[0] ? e.hint : e.text, NULL);
	str_release(&size);
	facts_release(&t.facts);
	arena_release(&a);
	return STATUS_PASS;
}

int cmd_probe(int argc, char **argv)
{
	const struct host host = {.root = "/"};
	struct options o;
	enum exit_status status = STATUS_PASS;
	int rc = command_start(
		&o, "probe ID...",
		"Says who a device, file or folder is: its facts, its link, and what uses it.\n"
		"Opens nothing for writing.",
		defs, "  blkgate probe /dev/nvme0n1 /var/tmp", argc, argv);

	if (rc >= 0)
		return rc;
	if (!o.args.n) {
		say("blkgate: nothing was named to probe");
		status = STATUS_USAGE;
	}
	for (size_t i = 0; i < o.args.n; i++)
		status = status_worse(status, probe(&host, o.args.v[i]));
	put_left();
	options_release(&o);
	return (int)status;
}
