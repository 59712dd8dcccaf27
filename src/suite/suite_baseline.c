/* SPDX-License-Identifier: GPL-2.0-or-later */
/* `baseline`: how long the accepted sessions of a suite count. */
#include "base/clock.h"
#include "suite/reader.h"

#define DAY_NS (86400 * NS_PER_SEC)
/* What a document can hold, and longer than any machine stands. */
#define MAX_NS (100 * 365 * DAY_NS)

static void read_max_age(struct reader *r, const struct ynode *key, const struct ynode *node)
{
	const char *text = rd_text(r, key, node);
	struct err e = ERR_INIT;
	uint64_t ns;

	if (!text)
		return;
	if (units_time(text, &ns, &e)) {
		err_prefix(&e, "max_age");
		rd_err(r, node, &e);
	} else if (ns < DAY_NS || ns > MAX_NS || ns % NS_PER_SEC) {
		rd_hint(rd_error(r, node,
				 "max_age: '%s' is out of range: one day to 100 years, in whole "
				 "seconds",
				 text),
			"leave the key out for sessions that count for ever");
	} else {
		r->s->baseline_max_age = (int64_t)(ns / NS_PER_SEC);
	}
}

void read_baseline(struct reader *r, const struct ynode *key, const struct ynode *node)
{
	static const char *const keys[] = {"max_age"};

	if (!rd_is(r, key, node, Y_MAP))
		return;
	RD_KEYS(r, node, "baseline", keys);
	for (size_t i = 0; i < node->n; i++)
		if (str_eq(node->key[i]->text, "max_age"))
			read_max_age(r, node->key[i], node->item[i]);
}
