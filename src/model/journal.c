/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * model/journal: the result as it grows, one record a line. After a crash the journal is the
 * result: finished runs count, the run in flight is lost, the rest was not measured.
 */
#include "model/result_io.h"

#define LOST_TEXT "lost: the host or blkgate stopped during this run"
#define NO_END "journal without end"

void result_journal_head(const struct result *r, struct jw *w)
{
	jw_object_flat(w, NULL);
	jw_u64(w, "blkgate_journal", RESULT_VERSION);
	doc_write_head(r, w);
	jw_end_object(w);
}

void result_journal_session(const struct session *s, struct jw *w)
{
	jw_object_flat(w, NULL);
	doc_write_session(s, "session", w);
	jw_end_object(w);
}

void result_journal_start(uint32_t job, uint32_t session, uint32_t run, struct jw *w)
{
	jw_object_flat(w, NULL);
	jw_array(w, "start");
	jw_u64(w, NULL, job);
	jw_u64(w, NULL, session);
	jw_u64(w, NULL, run);
	jw_end_array(w);
	jw_end_object(w);
}

void result_journal_run(const struct result *r, const struct run *run, struct jw *w)
{
	jw_object_flat(w, NULL);
	doc_write_run(r, run, "run", w);
	jw_end_object(w);
}

void result_journal_prepared(const struct preparation *p, struct jw *w)
{
	jw_object_flat(w, NULL);
	doc_write_preparation(p, "prepared", w);
	jw_end_object(w);
}

void result_journal_end(const struct result *r, struct jw *w)
{
	jw_object_flat(w, NULL);
	jw_object(w, "end");
	doc_write_closing(r, w);
	doc_write_texts(w, "notices", r->notices.v, r->notices.n);
	doc_write_sessions(r, w);
	/* a job may have become impossible after the head was written (its target was lost) */
	jw_array(w, "not_ready");
	for (size_t i = 0; i < r->njobs; i++) {
		if (r->jobs[i].state == JOB_READY)
			continue;
		jw_object(w, NULL);
		jw_u64(w, "job", i);
		jw_str(w, "state", job_state_name(r->jobs[i].state));
		jw_str(w, "why", r->jobs[i].why ? r->jobs[i].why : "no reason given");
		jw_end_object(w);
	}
	jw_end_array(w);
	jw_end_object(w);
	jw_end_object(w);
}

/* The member names what the document is; a result never starts with it. */
bool doc_is_journal(const char *text, size_t n)
{
	static const char member[] = "\"blkgate_journal\"";
	size_t i = 0;

	while (i < n && c_isspace(text[i]))
		i++;
	if (i == n || text[i++] != '{')
		return false;
	while (i < n && (text[i] == ' ' || text[i] == '\t'))
		i++;
	return n - i >= sizeof(member) - 1 && memcmp(text + i, member, sizeof(member) - 1) == 0;
}

struct start {
	uint32_t job, session, run;
};

struct journal_reader {
	struct reader rd; /* name: "FILE:LINE" */
	const char *file;
	VEC(struct start) pending;
	bool head, end, torn;
};

static int read_start(struct journal_reader *jr, const struct json *list)
{
	const struct result *r = jr->rd.r;
	uint64_t n[3];

	if (json_need_array(list, jr->rd.e))
		return ERR_DATA;
	if (json_length(list) != 3)
		return doc_bad(&jr->rd, list, NULL, "is not [job, session, run]");
	for (size_t i = 0; i < 3; i++) {
		struct json x = json_element(list, i);

		if (json_as_u64(&x, &n[i], jr->rd.e))
			return ERR_DATA;
	}
	if (n[0] >= r->njobs || n[1] >= r->sessions.n || n[2] >= UINT32_MAX)
		return doc_bad(&jr->rd, list, NULL, "there is no such job or session");
	*VEC_PUSH(&jr->pending) = (struct start){(uint32_t)n[0], (uint32_t)n[1], (uint32_t)n[2]};
	return 0;
}

static int read_finished(struct journal_reader *jr, const struct json *o)
{
	const struct run *run;
	int rc = doc_read_run(&jr->rd, o);

	if (rc)
		return rc;
	run = &jr->rd.r->runs.v[jr->rd.r->runs.n - 1];
	for (size_t i = 0; i < jr->pending.n; i++) {
		const struct start *s = &jr->pending.v[i];

		if (s->job == run->job && s->session == run->session && s->run == run->run) {
			jr->pending.v[i] = jr->pending.v[--jr->pending.n];
			break;
		}
	}
	return 0;
}

static int read_one_session(struct journal_reader *jr, const struct json *o)
{
	struct result *r = jr->rd.r;
	struct session s;
	int rc = doc_read_session(&jr->rd, o, &s);

	if (rc)
		return rc;
	for (size_t i = 0; i < r->sessions.n; i++) {
		if (strcmp(r->sessions.v[i].id, s.id) == 0) {
			r->sessions.v[i] = s;
			return 0;
		}
	}
	*VEC_PUSH(&r->sessions) = s;
	return 0;
}

static int read_not_ready(struct journal_reader *jr, const struct json *o)
{
	const struct reader *rd = &jr->rd;
	struct result *r = rd->r;
	uint32_t job;

	if (json_need_object(o, rd->e) || doc_u32(rd, o, "job", UINT32_MAX, &job))
		return ERR_DATA;
	if (job >= r->njobs)
		return doc_bad(rd, o, "job", "%u, but there are %zu jobs", job, r->njobs);
	if (DOC_WORD(rd, o, "state", job_state_find, &r->jobs[job].state) ||
	    doc_text(rd, o, "why", &r->jobs[job].why))
		return ERR_DATA;
	return 0;
}

static int read_end(struct journal_reader *jr, const struct json *o)
{
	struct json list, item;
	int rc = json_need_object(o, jr->rd.e);

	if (rc == 0)
		rc = doc_read_closing(&jr->rd, o);
	if (rc == 0)
		rc = doc_array(&jr->rd, o, "sessions", &list);
	for (size_t i = 0; rc == 0 && i < json_length(&list); i++) {
		item = json_element(&list, i);
		rc = read_one_session(jr, &item);
	}
	if (rc == 0)
		rc = doc_array(&jr->rd, o, "not_ready", &list);
	for (size_t i = 0; rc == 0 && i < json_length(&list); i++) {
		item = json_element(&list, i);
		rc = read_not_ready(jr, &item);
	}
	jr->end = true;
	return rc;
}

static int read_prepared(struct journal_reader *jr, const struct json *o)
{
	return doc_read_preparation(&jr->rd, o);
}

static int read_record(struct journal_reader *jr, const struct json *root)
{
	static const struct {
		const char *key;
		int (*read)(struct journal_reader *jr, const struct json *o);
	} kinds[] = {
		{"session", read_one_session}, {"start", read_start}, {"run", read_finished},
		{"prepared", read_prepared},   {"end", read_end},
	};

	if (json_need_object(root, jr->rd.e))
		return ERR_DATA;
	if (!jr->head) {
		jr->head = true;
		if (doc_check_version(&jr->rd, root, "blkgate_journal"))
			return ERR_DATA;
		return doc_read_head(&jr->rd, root);
	}
	if (jr->end)
		return doc_bad(&jr->rd, root, NULL, "a record after the end");
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		struct json x = json_member(root, kinds[i].key);

		if (json_present(&x))
			return kinds[i].read(jr, &x);
	}
	return 0; /* a record of a kind we do not know, as an unknown member */
}

static int read_line(struct journal_reader *jr, const char *s, size_t n, size_t line, bool last)
{
	struct err cause = ERR_INIT;
	struct json_doc *doc;
	struct json root;
	int rc;

	jr->rd.name = arena_printf(&jr->rd.r->arena, "%s:%zu", jr->file, line);
	if (json_parse(s, n, jr->rd.name, &doc, &cause)) {
		if (last && jr->head) {
			jr->torn = true;
			return 0;
		}
		*jr->rd.e = cause;
		return err_prefix(jr->rd.e, "damaged line of the journal");
	}
	root = json_root(doc);
	rc = read_record(jr, &root);
	json_doc_free(doc);
	return rc;
}

static bool blank(const char *s, size_t n)
{
	while (n && c_isspace(*s))
		s++, n--;
	return n == 0;
}

/* What the missing records mean: runs in flight are lost, and without an end the rest is missing.
 */
static void settle(struct journal_reader *jr)
{
	struct result *r = jr->rd.r;

	for (size_t i = 0; i < jr->pending.n; i++) {
		const struct start *s = &jr->pending.v[i];
		struct run *run = VEC_PUSH(&r->runs);

		outcome_init(&run->out);
		run->job = s->job;
		run->session = s->session;
		run->run = s->run;
		run->order = (uint32_t)(r->runs.n - 1);
		run->started = r->sessions.v[s->session].started;
		doc_guess_turn(r, run);
		run->out.status = OUTCOME_LOST;
		memcpy(run->out.text, LOST_TEXT, sizeof(LOST_TEXT));
	}
	if (jr->end)
		return;
	r->unfinished = true;
	r->partial = r->partial ? arena_printf(&r->arena, "%s; " NO_END, r->partial) : NO_END;
	/* it lasted at least until the last stamp */
	for (size_t i = 0; i < r->sessions.n; i++)
		r->ended =
			r->sessions.v[i].started > r->ended ? r->sessions.v[i].started : r->ended;
	for (size_t i = 0; i < r->runs.n; i++)
		r->ended = r->runs.v[i].started > r->ended ? r->runs.v[i].started : r->ended;
}

int doc_parse_journal(const struct reader *rd, const char *text, size_t n)
{
	struct journal_reader jr = {.rd = *rd, .file = rd->name};
	size_t line = 0;
	int rc = 0;

	for (const char *s = text, *end = text + n; rc == 0 && s < end;) {
		const char *nl = memchr(s, '\n', (size_t)(end - s));
		size_t len = (size_t)((nl ? nl : end) - s);
		const char *next = nl ? nl + 1 : end;

		line++;
		if (!blank(s, len))
			rc = read_line(&jr, s, len, line, blank(next, (size_t)(end - next)));
		s = next;
	}
	jr.rd.name = jr.file;
	if (rc == 0)
		settle(&jr);
	VEC_RELEASE(&jr.pending);
	return rc ? rc : doc_check_runs(&jr.rd);
}
