/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The journal: what the conductor knows reaches the disk before the next I/O starts, so that a
 * panic of the machine under test costs one run and not the evidence. */
#include "session/conductor.h"

#include "json/json.h"

static int add(struct conductor *c, struct jw *w, struct err *e)
{
	const char *line = jw_finish(w);
	size_t n = w->out.len;
	int rc;

	while (n && line[n - 1] == '\n')
		n--;
	rc = journal_add(&c->journal, line, n, e);
	jw_release(w);
	if (rc < 0 && !c->r->partial)
		c->r->partial = "the journal could not be written";
	return rc;
}

/* Two runs that write to one folder would cut each other's journal. The journal itself carries the
 * lock: the folder may be the target as well, which has a lock of its own. Where a file cannot be
 * locked that is no reason not to measure. */
static int claim_journal(struct conductor *c, struct err *e)
{
	struct err le = ERR_INIT;
	int rc = lock_take(&c->out, c->o->journal, true, c->o->wait_lock, c->o->stop, &le);

	if (rc == ERR_INTR)
		*e = le;
	else if (rc == ERR_BUSY) {
		err_set(e, ERR_BUSY, "another blkgate run is writing '%s'", c->o->journal);
		err_hint(e, "give each run a folder of its own with --out, or wait with "
			    "--wait-lock 10min");
	}
	if (c->out.fd >= 0)
		c->child_close[c->nclose++] = c->out.fd;
	return e->code;
}

int record_open(struct conductor *c, struct err *e)
{
	struct jw w;

	if (!c->o->journal)
		return 0;
	if (claim_journal(c, e) < 0)
		return e->code;
	if (journal_open(&c->journal, c->o->journal, e) < 0)
		return e->code;
	c->journalling = true;
	c->child_close[c->nclose++] = c->journal.fd;
	jw_init(&w);
	result_journal_head(c->r, &w);
	return add(c, &w, e);
}

void record_failed(struct conductor *c, const struct run *run)
{
	struct err e = ERR_INIT;

	if (record_run(c, run, &e) < 0 && !c->unrecorded.code)
		c->unrecorded = e;
}

int record_session(struct conductor *c, struct err *e)
{
	struct jw w;

	if (!c->journalling)
		return 0;
	jw_init(&w);
	result_journal_session(&c->r->sessions.v[c->session], &w);
	return add(c, &w, e);
}

int record_start(struct conductor *c, struct err *e)
{
	struct jw w;

	if (!c->journalling)
		return 0;
	jw_init(&w);
	result_journal_start(c->now.job, c->session, c->now.run, &w);
	return add(c, &w, e);
}

int record_run(struct conductor *c, const struct run *run, struct err *e)
{
	struct jw w;

	if (!c->journalling)
		return 0;
	jw_init(&w);
	result_journal_run(c->r, run, &w);
	return add(c, &w, e);
}

void record_close(struct conductor *c)
{
	struct err ignored = ERR_INIT;
	struct jw w;

	if (!c->journalling) {
		lock_release(&c->out);
		return;
	}
	jw_init(&w);
	result_journal_end(c->r, &w);
	/* A missing end record only marks the journal as unfinished; the result document is whole.
	 */
	add(c, &w, &ignored);
	journal_close(&c->journal);
	c->journalling = false;
	lock_release(&c->out);
}
