/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Taking out of a baseline: a session by dropping its file, a demand by a record that retires it.
 */
#include "base/clock.h"
#include "base/fileio.h"
#include "base/rng.h"
#include "gate/baseline_file.h"
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

int baseline_drop(const struct baseline *b, const char *session, struct err *e)
{
	for (size_t i = 0; i < b->n; i++) {
		if (strcmp(b->sessions[i].id, session) != 0)
			continue;
		if (!b->sessions[i].path)
			return err_set(e, ERR_USAGE, "session '%s' is no file of a baseline",
				       session);
		if (unlink(b->sessions[i].path) != 0)
			return err_sys(e, ERR_OUTPUT, errno, "cannot remove '%s'",
				       b->sessions[i].path);
		return 0;
	}
	err_set(e, ERR_USAGE, "no session '%s' in the baseline of suite '%s', profile '%s'",
		session, b->suite, b->profile);
	return err_hint(e, "`blkgate baseline show` lists them");
}

/* "TARGET WORKLOAD" or "TARGET WORKLOAD gate METRIC" of a session, of whatever epoch. */
static bool demanded(const struct base_session *s, const char *what)
{
	for (size_t i = 0; i < s->jobs.n; i++) {
		const struct base_job *j = &s->jobs.v[i];
		char *job = xasprintf("%s %s", j->target, j->name);
		size_t n = strlen(job);
		bool found = strcmp(job, what) == 0;

		if (!found && strncmp(job, what, n) == 0 && str_starts(what + n, " gate "))
			for (size_t k = 0; k < j->gates.n && !found; k++)
				found = strcmp(what + n + strlen(" gate "), j->gates.v[k]) == 0;
		free(job);
		if (found)
			return true;
	}
	return false;
}

static void add_stamp(struct str *s, int64_t utc)
{
	struct str t;

	str_init(&t);
	clock_format_utc(&t, utc);
	for (size_t i = 0; i < t.len; i++)
		if (t.s[i] != '-' && t.s[i] != ':')
			str_addc(s, t.s[i]);
	str_release(&t);
}

static int write_record(const struct baseline *b, const char *what, const char *who,
			const char *reason, struct err *e)
{
	int64_t now = clock_utc();
	struct str path, stamp;
	const char *doc;
	struct jw w;
	int rc;

	str_init(&path);
	str_init(&stamp);
	str_addf(&path, "%s/%s/%s/RETIRE-", b->dir, b->suite, b->profile);
	add_stamp(&path, now);
	str_addf(&path, "-%06llx.json", (unsigned long long)(rng_entropy() & 0xffffff));
	clock_format_utc(&stamp, now);
	jw_init(&w);
	jw_object(&w, NULL);
	jw_str(&w, "accepted", stamp.s);
	jw_u64(&w, "blkgate_baseline", BASELINE_VERSION);
	jw_str(&w, "profile", b->profile);
	jw_str(&w, "reason", reason);
	jw_array(&w, "retired");
	jw_str(&w, NULL, what);
	jw_end_array(&w);
	jw_array(&w, "sessions");
	for (size_t i = 0; i < b->n; i++)
		if (!b->sessions[i].retired_jobs)
			jw_str(&w, NULL, b->sessions[i].id);
	jw_end_array(&w);
	jw_str(&w, "suite", b->suite);
	jw_str(&w, "who", who);
	jw_end_object(&w);
	doc = jw_finish(&w);
	rc = file_write(path.s, doc, strlen(doc), e);
	jw_release(&w);
	str_release(&stamp);
	str_release(&path);
	return rc;
}

int baseline_retire(const struct baseline *b, const char *what, const char *who, const char *reason,
		    bool dry_run, struct err *e)
{
	if (!b->dir)
		return err_set(e, ERR_USAGE, "'%s' cannot be retired: there is no baseline folder",
			       what);
	for (size_t i = 0; i < b->n; i++)
		if (!b->sessions[i].retired_jobs && demanded(&b->sessions[i], what))
			return dry_run ? 0 : write_record(b, what, who, reason, e);
	err_set(e, ERR_USAGE, "the baseline of suite '%s', profile '%s' does not demand '%s'",
		b->suite, b->profile, what);
	return err_hint(
		e, "write 'TARGET WORKLOAD' or 'TARGET WORKLOAD gate METRIC' as `blkgate baseline "
		   "show` does");
}
