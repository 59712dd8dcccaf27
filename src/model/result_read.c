/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * model/result_read: the document back. Strict on types, versions, indexes and words; unknown
 * members are ignored. `values`, `fio` and verdicts are not read: they follow from the integers.
 */
#include "base/fileio.h"
#include "model/result_io.h"

int doc_check_version(const struct reader *rd, const struct json *root, const char *member)
{
	uint64_t version;
	struct json x = json_member(root, member);

	if (!json_present(&x)) {
		doc_bad(rd, root, NULL, "is no blkgate result: '%s' is missing", member);
		return err_hint(rd->e,
				"results of other programs come in through 'blkgate import'");
	}
	if (json_get_u64(root, member, &version, rd->e))
		return rd->e->code;
	if (version != RESULT_VERSION) {
		doc_bad(rd, root, member, "version %llu; this blkgate reads version %d",
			(unsigned long long)version, RESULT_VERSION);
		return err_hint(rd->e, "read it with the blkgate that wrote it");
	}
	return 0;
}

/* Suite, profile and session become names of folders and files below `baselines`. */
static bool safe_name(const char *s)
{
	if (*s == '.' || strlen(s) > 200)
		return false;
	for (; *s; s++) {
		if (*s == '/' || (unsigned char)*s < ' ' || *s == 0x7f)
			return false;
	}
	return true;
}

static int read_name(const struct reader *rd, const struct json *o, const char *key,
		     const char **out)
{
	int rc = doc_text(rd, o, key, out);

	if (rc == 0 && !safe_name(*out))
		rc = doc_bad(rd, o, key, "'%.60s' cannot be a name", *out);
	return rc;
}

int doc_read_session(const struct reader *rd, const struct json *o, struct session *s)
{
	const char *id;

	*s = (struct session){0};
	if (json_need_object(o, rd->e) || read_name(rd, o, "id", &id) ||
	    json_get_i64(o, "started", &s->started, rd->e) ||
	    json_get_i64(o, "ended", &s->ended, rd->e) || doc_seed(rd, o, "seed", &s->seed) ||
	    json_get_bool(o, "complete", &s->complete, rd->e) ||
	    doc_opt_u32(rd, o, "from", (uint32_t)rd->r->attempts.n, &s->from) ||
	    doc_opt_text(rd, o, "boot", &s->boot))
		return rd->e->code;
	if (strlen(id) >= sizeof(s->id))
		return doc_bad(rd, o, "id", "is longer than %zu bytes", sizeof(s->id) - 1);
	memcpy(s->id, id, strlen(id) + 1);
	return 0;
}

static int read_policy(const struct reader *rd, const struct json *root)
{
	static const char *const keys[] = {"inconclusive", "no_baseline", "provisional"};
	struct json o;
	const char *word;
	int rc = doc_object(rd, root, "policy", &o);

	for (size_t i = 0; rc == 0 && i < sizeof(keys) / sizeof(keys[0]); i++) {
		struct err cause = ERR_INIT;

		rc = json_get_str(&o, keys[i], &word, rd->e);
		if (rc == 0 && policy_set(&rd->r->policy, keys[i], word, &cause))
			rc = doc_bad(rd, &o, keys[i], "%s", cause.text);
	}
	return rc;
}

static int read_keys(const struct reader *rd, const struct json *o, const char *key,
		     struct text_vec *out)
{
	*out = (struct text_vec){0};
	return doc_texts(rd, o, key, out);
}

/* compare_rules and notices are vectors of an anonymous type: hand the triple over. */
#define TAKE(to, from) ((to)->v = (from)->v, (to)->n = (from)->n, (to)->cap = (from)->cap)

static int read_compare(const struct reader *rd, const struct json *root)
{
	struct compare_rules *c = &rd->r->compare;
	struct text_vec t;
	struct json o;
	int rc = doc_object(rd, root, "compare", &o);

	if (rc == 0) {
		rc = read_keys(rd, &o, "under_test", &t);
		TAKE(&c->under_test, &t);
	}
	if (rc == 0) {
		rc = read_keys(rd, &o, "must_match", &t);
		TAKE(&c->must_match, &t);
	}
	if (rc == 0) {
		rc = read_keys(rd, &o, "note", &t);
		TAKE(&c->note, &t);
	}
	return rc;
}

static int read_notices(const struct reader *rd, const struct json *o)
{
	struct text_vec t;
	int rc = read_keys(rd, o, "notices", &t);

	/* the end record of a journal holds them all, those of the head included */
	VEC_RELEASE(&rd->r->notices);
	TAKE(&rd->r->notices, &t);
	return rc;
}

static bool known_status(uint32_t s)
{
	return s <= STATUS_NO_BASELINE || s == STATUS_INTERRUPTED;
}

int doc_read_closing(const struct reader *rd, const struct json *o)
{
	struct result *r = rd->r;
	uint32_t status;

	if (doc_opt_text(rd, o, "partial", &r->partial) ||
	    json_get_bool(o, "interrupted", &r->interrupted, rd->e) ||
	    json_opt_bool(o, "unfinished", false, &r->unfinished, rd->e) ||
	    json_get_i64(o, "ended", &r->ended, rd->e) ||
	    doc_opt_text(rd, o, "setup_error", &r->setup_error))
		return rd->e->code;
	if (r->setup_error) {
		if (doc_u32(rd, o, "setup_status", UINT32_MAX, &status))
			return rd->e->code;
		if (!known_status(status) || status == STATUS_PASS)
			return doc_bad(rd, o, "setup_status", "%u is no status of an error",
				       status);
		r->setup_status = (enum exit_status)status;
	}
	return read_notices(rd, o);
}

static int read_numbers(const struct reader *rd, const struct json *root)
{
	struct result *r = rd->r;
	uint32_t max_age = 0;

	if (doc_u32(rd, root, "sessions_min", 1000, &r->sessions_min) ||
	    doc_u32(rd, root, "sessions_max", 1000, &r->sessions_max) ||
	    doc_opt_u32(rd, root, "sessions_suite", 1000, &r->sessions_suite) ||
	    json_get_double(root, "assumed_session_sd", &r->assumed_session_sd, rd->e) ||
	    json_get_double(root, "false_alarm", &r->false_alarm, rd->e) ||
	    doc_opt_u32(rd, root, "baseline_max_age", UINT32_MAX, &max_age))
		return rd->e->code;
	if (r->sessions_min < 1 || r->sessions_max < r->sessions_min)
		return doc_bad(rd, root, "sessions_max", "%u sessions at most, %u at least",
			       r->sessions_max, r->sessions_min);
	if (!(r->assumed_session_sd > 0))
		return doc_bad(rd, root, "assumed_session_sd", "is not above 0");
	if (!(r->false_alarm > 0 && r->false_alarm < 1))
		return doc_bad(rd, root, "false_alarm", "is not between 0 and 1");
	r->baseline_max_age = max_age;
	return 0;
}

int doc_read_head(const struct reader *rd, const struct json *root)
{
	struct result *r = rd->r;
	uint32_t measurement;

	if (doc_text(rd, root, "tool_version", &r->tool_version) ||
	    doc_u32(rd, root, "measurement_version", UINT32_MAX, &measurement) ||
	    read_name(rd, root, "suite", &r->suite) ||
	    doc_opt_text(rd, root, "suite_file", &r->suite_file) ||
	    doc_opt_text(rd, root, "description", &r->description) ||
	    read_name(rd, root, "profile", &r->profile) ||
	    doc_opt_text(rd, root, "change", &r->change) ||
	    doc_opt_text(rd, root, "inject", &r->inject) ||
	    json_get_i64(root, "started", &r->started, rd->e) || doc_read_closing(rd, root) ||
	    doc_seed(rd, root, "seed", &r->seed) || read_policy(rd, root) ||
	    read_compare(rd, root) || read_numbers(rd, root) ||
	    doc_facts(rd, root, "host", &r->host))
		return rd->e->code;
	r->measurement_version = measurement;
	if (doc_read_plan(rd, root) || doc_read_interleave(rd, root))
		return rd->e->code;
	return doc_read_attempts(rd, root);
}

static int read_runs(const struct reader *rd, const struct json *root)
{
	struct json list, item;
	int rc = doc_array(rd, root, "sessions", &list);

	for (size_t i = 0; rc == 0 && i < json_length(&list); i++) {
		item = json_element(&list, i);
		rc = doc_read_session(rd, &item, VEC_PUSH(&rd->r->sessions));
	}
	if (rc == 0)
		rc = doc_read_preparations(rd, root);
	if (rc == 0)
		rc = doc_array(rd, root, "runs", &list);
	for (size_t i = 0; rc == 0 && i < json_length(&list); i++) {
		item = json_element(&list, i);
		rc = doc_read_run(rd, &item);
	}
	return rc ? rc : doc_check_runs(rd);
}

/* No part of a verdict: what a reader is told when it is another one now. A document without, or
 * with another thing under that name, says nothing. */
static void read_then(const struct reader *rd, const struct json *root)
{
	struct json digest = json_member(root, "baseline_digest"),
		    status = json_member(root, "status");
	struct err ignored = ERR_INIT;
	const char *text;
	uint64_t number;

	if (json_present(&digest) && json_as_str(&digest, &text, &ignored) == 0)
		rd->r->then_digest = arena_strdup(&rd->r->arena, text);
	if (json_present(&status) && json_as_u64(&status, &number, &ignored) == 0 && number < 256)
		rd->r->then_status = (int)number;
}

static int document_parse(const struct reader *rd, const char *text, size_t n)
{
	struct json_doc *doc;
	struct json root;
	int rc = json_parse(text, n, rd->name, &doc, rd->e);

	if (rc)
		return rc;
	root = json_root(doc);
	rc = json_need_object(&root, rd->e);
	if (rc == 0)
		read_then(rd, &root);
	if (rc == 0)
		rc = doc_check_version(rd, &root, "blkgate_result");
	if (rc == 0)
		rc = doc_read_head(rd, &root);
	if (rc == 0)
		rc = read_runs(rd, &root);
	json_doc_free(doc);
	return rc;
}

int result_parse(const char *text, size_t n, const char *name, struct result *r, struct err *e)
{
	struct reader rd = {.r = r, .name = name, .e = e};
	int rc;

	result_init(r);
	r->owns_plan = true;
	rc = doc_is_journal(text, n) ? doc_parse_journal(&rd, text, n)
				     : document_parse(&rd, text, n);
	if (rc)
		result_release(r);
	return rc;
}

int result_load(const char *path, struct result *r, struct err *e)
{
	struct str text;
	int rc;

	result_init(r);
	str_init(&text);
	rc = file_read(path, 0, &text, e);
	if (rc == 0)
		rc = result_parse(text.s, text.len, path, r, e);
	str_release(&text);
	return rc;
}
