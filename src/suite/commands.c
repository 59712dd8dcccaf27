/* SPDX-License-Identifier: GPL-2.0-or-later */
/* setup and teardown: lists of commands, each an argument list. Nothing goes through a shell. */
#include <string.h>

#include "base/clock.h"
#include "suite/reader.h"

enum { COMMANDS_MAX = 100, ARGUMENTS_MAX = 1000 };
static const uint64_t TIMEOUT = 60 * NS_PER_SEC;

static bool read_argv(struct reader *r, const struct ynode *key, const struct ynode *list,
		      struct suite_command *out)
{
	const char **argv;

	if (list->kind != Y_SEQ || list->n == 0 || list->n > ARGUMENTS_MAX) {
		rd_hint(rd_error(r, list, "'%s': a command is a list of arguments", key->text),
			"%s: [[sync], [blkdiscard, -f, /dev/...]]", key->text);
		return false;
	}
	argv = arena_alloc(&r->s->arena, (list->n + 1) * sizeof(*argv));
	for (size_t i = 0; i < list->n; i++) {
		if (!rd_is(r, key, list->item[i], Y_SCALAR) || list->item[i]->bad)
			return false;
		argv[i] = list->item[i]->text;
	}
	if (!*argv[0]) {
		rd_error(r, list, "'%s': a command without a name", key->text);
		return false;
	}
	out->argv = argv;
	return true;
}

/* {command: [...], timeout: 10min} */
static bool read_long(struct reader *r, const struct ynode *key, const struct ynode *map,
		      struct suite_command *out)
{
	static const char *const keys[] = {"command", "timeout"};
	struct ynode *at = NULL;
	const struct ynode *value;
	struct err e = ERR_INIT;
	const char *text;

	RD_KEYS(r, map, key->text, keys);
	value = yaml_get(map, "timeout", &at);
	text = value ? rd_text(r, at, value) : NULL;
	if (value && !text)
		return false;
	if (text && (units_time(text, &out->timeout, &e) || !out->timeout)) {
		if (!e.code)
			err_set(&e, ERR_SUITE, "'%s' is no time limit", text);
		err_prefix(&e, "timeout");
		rd_err(r, value, &e);
		return false;
	}
	value = yaml_get(map, "command", &at);
	if (!value) {
		rd_error(r, map, "'%s': an entry without 'command'", key->text);
		return false;
	}
	return read_argv(r, at, value, out);
}

void read_commands(struct reader *r, const struct ynode *key, const struct ynode *node,
		   suite_commands *to)
{
	if (!rd_is(r, key, node, Y_SEQ))
		return;
	if (node->n == 0 || node->n > COMMANDS_MAX)
		rd_error(r, node, "'%s' has %zu commands: 1 to %d", key->text, node->n,
			 COMMANDS_MAX);
	for (size_t i = 0; i < node->n && i < COMMANDS_MAX; i++) {
		const struct ynode *item = node->item[i];
		struct suite_command c = {.timeout = TIMEOUT, .line = item->line};

		if (item->kind == Y_MAP ? read_long(r, key, item, &c) : read_argv(r, key, item, &c))
			*VEC_PUSH(to) = c;
	}
}

void suite_command_show(const struct suite_command *c, struct str *out)
{
	for (size_t i = 0; c->argv[i]; i++) {
		if (i)
			str_addc(out, ' ');
		str_add_shell(out, c->argv[i]);
	}
}
