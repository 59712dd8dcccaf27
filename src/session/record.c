/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The journal: what the conductor knows reaches the disk before the next I/O starts, so that a
 * panic of the machine under test costs one run and not the evidence. */
#include "session/conductor.h"

#include "json/json.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

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
	int rc = lock_take(&c->journal_lock, c->o->journal, true, c->o->wait_lock, c->o->stop, &le);

	if (rc == ERR_INTR)
		*e = le;
	else if (rc == ERR_BUSY) {
		err_set(e, ERR_BUSY, "another blkgate run is writing '%s'", c->o->journal);
		err_hint(e, "give each run a folder of its own with --out, or wait with "
			    "--wait-lock 10min");
	} else if (rc < 0)
		*VEC_PUSH(&c->r->notices) =
			arena_printf(&c->r->arena,
				     "the journal is not protected from a second run: %s", le.text);
	return e->code;
}

/* Does the journal lack its last record? Then it is all that a panic or SIGKILL left of a run. */
static bool unfinished(const char *path)
{
	struct err e = ERR_INIT;
	struct stat st;
	struct str s;
	size_t at;
	bool yes;

	if (lstat(path, &st) < 0 || !S_ISREG(st.st_mode))
		return false; /* journal_open() refuses it */
	str_init(&s);
	if (file_read_regular(path, 0, &s, &e) < 0 || s.len == 0) {
		str_release(&s);
		return false;
	}
	at = s.len - 1;
	while (at > 0 && s.s[at - 1] != '\n')
		at--;
	yes = s.s[s.len - 1] != '\n' || !str_starts(s.s + at, "{\"end\"");
	str_release(&s);
	return yes;
}

/* Kept aside under the lock, which goes with the file; the new one is locked again. */
static int keep_unfinished(struct conductor *c, struct err *e)
{
	char *old;
	int rc;

	if (!unfinished(c->o->journal))
		return 0;
	if (file_set_aside(c->o->journal, &old, e) < 0)
		return e->code;
	*VEC_PUSH(&c->r->notices) = arena_printf(
		&c->r->arena, "the journal of an unfinished run was kept: blkgate judge %s",
		old ? old : c->o->journal);
	lock_release(&c->journal_lock);
	rc = claim_journal(c, e);
	free(old);
	return rc;
}

static int record_prepared(struct conductor *c, const struct preparation *p, struct err *e)
{
	struct jw w;

	if (!c->journalling)
		return 0;
	jw_init(&w);
	result_journal_prepared(p, &w);
	return add(c, &w, e);
}

int prepared(struct conductor *c, struct preparation *p, struct err *e)
{
	p->mark = hold_mark(&c->holds[c->p->jobs[p->job].target], c->p, c->p->jobs[p->job].target,
			    &c->r->arena);
	return record_prepared(c, p, e);
}

/* The sessions that this run goes on from: the journal must be a whole result as well. */
static int record_earlier(struct conductor *c, struct err *e)
{
	uint32_t own = c->session;
	int rc = 0;

	for (c->session = 0; rc == 0 && c->session < own; c->session++)
		rc = record_session(c, e);
	c->session = own;
	for (size_t i = 0; rc == 0 && i < c->r->preparations.n; i++)
		rc = record_prepared(c, &c->r->preparations.v[i], e);
	for (size_t i = 0; rc == 0 && i < c->r->runs.n; i++)
		rc = record_run(c, &c->r->runs.v[i], e);
	return rc;
}

int record_open(struct conductor *c, struct err *e)
{
	struct jw w;

	if (!c->o->journal)
		return 0;
	if (claim_journal(c, e) < 0)
		return e->code;
	resume_open(c);
	if (keep_unfinished(c, e) < 0)
		return e->code;
	if (journal_open(&c->journal, c->o->journal, e) < 0)
		return e->code;
	c->journalling = true;
	jw_init(&w);
	result_journal_head(c->r, &w);
	return add(c, &w, e) < 0 ? e->code : record_earlier(c, e);
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
		lock_release(&c->journal_lock);
		return;
	}
	jw_init(&w);
	result_journal_end(c->r, &w);
	/* A missing end record only marks the journal as unfinished; the result document is whole.
	 */
	add(c, &w, &ignored);
	journal_close(&c->journal);
	c->journalling = false;
	lock_release(&c->journal_lock);
}
