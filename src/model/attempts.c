/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * model/attempts: the invocations whose sessions one result holds (`run --with`, `judge A B`). The
 * document is whole by itself: it has their sessions, runs and facts, so the files that they came
 * from are not needed to reach the verdict again.
 */
#include "model/result_io.h"

#define ATTEMPTS_LIMIT 10000u

static const struct attempt *attempt_of(const struct result *r, uint32_t session)
{
	uint32_t from = r->sessions.v[session].from;

	return from && from < r->attempts.n ? &r->attempts.v[from - 1] : NULL;
}

const struct facts *result_session_host(const struct result *r, uint32_t session)
{
	const struct attempt *a = attempt_of(r, session);

	return a ? &a->host : &r->host;
}

const struct facts *result_session_target(const struct result *r, uint32_t session, uint32_t target)
{
	const struct attempt *a = attempt_of(r, session);

	return a && a->targets ? &a->targets[target] : &r->targets[target].facts;
}

uint32_t result_looks(const struct result *r)
{
	return r->sessions_suite > r->sessions_max ? r->sessions_suite : r->sessions_max;
}

const char *result_session_boot(const struct result *r, uint32_t session)
{
	const struct session *s = &r->sessions.v[session];

	return s->from ? s->boot : facts_value(&r->host, "boot.id");
}

void attempts_release(struct result *r)
{
	for (size_t i = 0; i < r->attempts.n; i++) {
		struct attempt *a = &r->attempts.v[i];

		VEC_RELEASE(&a->not_run);
		for (size_t t = 0; a->targets && t < r->ntargets; t++)
			facts_release(&a->targets[t]);
		free(a->targets);
		facts_release(&a->host);
	}
	VEC_RELEASE(&r->attempts);
}

bool attempt_ran(const struct attempt *a, uint32_t job)
{
	for (size_t i = 0; i < a->not_run.n; i++)
		if (a->not_run.v[i] == job)
			return false;
	return true;
}

static void write_earlier(const struct result *r, const struct attempt *a, struct jw *w)
{
	jw_u64(w, "status", (uint64_t)a->status);
	jw_str(w, "verdict", a->verdict);
	result_write_facts(w, "host", &a->host);
	jw_array(w, "targets");
	for (size_t t = 0; t < r->ntargets; t++) {
		jw_object(w, NULL);
		result_write_facts(w, "facts", &a->targets[t]);
		jw_end_object(w);
	}
	jw_end_array(w);
}

void doc_write_attempts(const struct result *r, struct jw *w)
{
	if (!r->attempts.n)
		return;
	jw_array(w, "attempts");
	for (size_t i = 0; i < r->attempts.n; i++) {
		const struct attempt *a = &r->attempts.v[i];

		jw_object(w, NULL);
		jw_i64(w, "started", a->started);
		jw_i64(w, "ended", a->ended);
		jw_u64(w, "sessions_min", a->sessions_min);
		jw_u64(w, "looks", a->looks);
		jw_array_flat(w, "not_run");
		for (size_t k = 0; k < a->not_run.n; k++)
			jw_u64(w, NULL, a->not_run.v[k]);
		jw_end_array(w);
		if (a->verdict)
			write_earlier(r, a, w);
		else if (a->status != STATUS_PASS)
			jw_u64(w, "status", (uint64_t)a->status);
		jw_end_object(w);
	}
	jw_end_array(w);
}

static int read_not_run(const struct reader *rd, const struct json *o, struct attempt *a)
{
	struct json list;
	int rc = doc_array(rd, o, "not_run", &list);

	for (size_t i = 0; rc == 0 && i < json_length(&list); i++) {
		struct json x = json_element(&list, i);
		uint64_t job;

		rc = json_as_u64(&x, &job, rd->e);
		if (rc == 0 && job >= rd->r->njobs)
			rc = doc_bad(rd, o, "not_run", "there is no such job");
		if (rc == 0)
			*VEC_PUSH(&a->not_run) = (uint32_t)job;
	}
	return rc;
}

static int read_earlier(const struct reader *rd, const struct json *o, struct attempt *a)
{
	struct result *r = rd->r;
	struct json list;
	uint32_t status;

	if (doc_u32(rd, o, "status", 255, &status) || doc_text(rd, o, "verdict", &a->verdict) ||
	    doc_facts(rd, o, "host", &a->host) || doc_array(rd, o, "targets", &list))
		return rd->e->code;
	a->status = (enum exit_status)status;
	if (json_length(&list) != r->ntargets)
		return doc_bad(rd, o, "targets", "%zu where the result has %zu", json_length(&list),
			       r->ntargets);
	a->targets = xcalloc(r->ntargets + 1, sizeof(*a->targets));
	for (size_t t = 0; t < r->ntargets; t++) {
		struct json x = json_element(&list, t);

		if (json_need_object(&x, rd->e) || doc_facts(rd, &x, "facts", &a->targets[t]))
			return rd->e->code;
	}
	return 0;
}

static int read_attempt(const struct reader *rd, const struct json *o, bool last)
{
	struct attempt *a = VEC_PUSH(&rd->r->attempts);
	uint32_t status = STATUS_PASS;

	facts_init(&a->host);
	if (json_need_object(o, rd->e) || json_get_i64(o, "started", &a->started, rd->e) ||
	    json_get_i64(o, "ended", &a->ended, rd->e) ||
	    doc_u32(rd, o, "sessions_min", 1000, &a->sessions_min) ||
	    doc_u32(rd, o, "looks", 1000, &a->looks) || read_not_run(rd, o, a))
		return rd->e->code;
	if (a->looks < 1)
		return doc_bad(rd, o, "looks", "is 0");
	if (!last)
		return read_earlier(rd, o, a);
	if (doc_opt_u32(rd, o, "status", 255, &status))
		return rd->e->code;
	a->status = (enum exit_status)status;
	return 0;
}

int doc_read_attempts(const struct reader *rd, const struct json *root)
{
	struct json list = json_member(root, "attempts");
	size_t n;
	int rc = 0;

	if (!json_present(&list))
		return 0;
	if (json_need_array(&list, rd->e))
		return rd->e->code;
	n = json_length(&list);
	if (n < 2 || n > ATTEMPTS_LIMIT)
		return doc_bad(rd, root, "attempts", "%zu of them are not possible", n);
	for (size_t i = 0; rc == 0 && i < n; i++) {
		struct json x = json_element(&list, i);

		rc = read_attempt(rd, &x, i + 1 == n);
	}
	return rc;
}

int doc_check_attempts(const struct reader *rd)
{
	const struct result *r = rd->r;
	size_t last = r->attempts.n, at = 0;

	for (size_t a = 0; a < last; a++) {
		size_t first = at;

		while (at < r->sessions.n && r->sessions.v[at].from == a + 1)
			at++;
		if (at - first > r->attempts.v[a].looks || (at == first && a + 1 < last))
			return err_set(
				rd->e, ERR_DATA,
				"'%.200s': %zu sessions of attempt %zu where %u are the most",
				rd->name, at - first, a + 1, r->attempts.v[a].looks);
	}
	if (last && at < r->sessions.n)
		return err_set(rd->e, ERR_DATA,
			       "'%.200s': session '%s' is not in the order of the attempts",
			       rd->name, r->sessions.v[at].id);
	return 0;
}
