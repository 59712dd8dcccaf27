/* SPDX-License-Identifier: GPL-2.0-or-later */
/* --history DIR: keeps what each gate came to, and says what the row of results shows. */
#include "cmd/cmd.h"
#include "gate/history.h"

static int one_result(const struct documents *d, const struct result *r, struct err *e)
{
	struct history h;
	struct str text;
	bool stored;
	int rc;

	/* its figures are not against the level of the others */
	if (r->interleave.kind != INTERLEAVE_NONE) {
		say("history: '%s' compared two arms with each other, and is no point of the row",
		    r->suite);
		return 0;
	}
	rc = history_load(d->o->history, r->suite, r->profile, &h, e);
	str_init(&text);
	if (rc == 0 && history_notes(&h, r, &text) > 0 && !d->o->quiet)
		say("history:\n%.*s", (int)text.len - 1, text.s);
	if (rc == 0)
		rc = history_store(d->o->history, r, &stored, e);
	if (rc == 0 && !stored)
		say("history: this result is not kept in '%s': it is %s", d->o->history,
		    r->inject ? "injected" : "no whole measurement");
	str_release(&text);
	history_release(&h);
	return rc;
}

enum exit_status past_results(const struct documents *d)
{
	enum exit_status status = STATUS_PASS;

	for (size_t i = 0; d->o->history && i < d->n; i++) {
		struct err e = ERR_INIT;

		if (one_result(d, d->results[i], &e) == 0)
			continue;
		say_err(&e);
		status = STATUS_ERROR;
	}
	return status;
}
