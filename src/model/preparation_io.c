/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Preparations as members of the document and records of the journal. */
#include "model/result_io.h"

void doc_write_preparation(const struct preparation *p, const char *key, struct jw *w)
{
	jw_object_flat(w, key);
	jw_u64(w, "job", p->job);
	jw_u64(w, "session", p->session);
	if (p->run != PREPARATION_OF_SESSION)
		jw_u64(w, "run", p->run);
	jw_u64(w, "trimmed", p->trimmed);
	jw_u64(w, "filled", p->filled);
	jw_u64(w, "ns", p->ns);
	jw_bool(w, "whole", p->whole);
	if (p->note)
		jw_str(w, "note", p->note);
	if (p->mark)
		jw_str(w, "mark", p->mark);
	if (p->resumed)
		jw_u64(w, "resumed", p->resumed);
	jw_array(w, "rounds");
	for (size_t i = 0; i < p->rounds.n; i++)
		jw_double(w, NULL, p->rounds.v[i]);
	jw_end_array(w);
	jw_end_object(w);
}

void doc_write_preparations(const struct result *r, struct jw *w)
{
	if (!r->preparations.n)
		return;
	jw_array(w, "preparations");
	for (size_t i = 0; i < r->preparations.n; i++)
		doc_write_preparation(&r->preparations.v[i], NULL, w);
	jw_end_array(w);
}

static int read_rounds(const struct reader *rd, const struct json *o, struct preparation *p)
{
	struct json list, item;
	int rc = doc_array(rd, o, "rounds", &list);

	for (size_t i = 0; rc == 0 && i < json_length(&list); i++) {
		item = json_element(&list, i);
		rc = json_as_double(&item, VEC_PUSH(&p->rounds), rd->e);
	}
	if (rc == 0 && p->resumed > p->rounds.n)
		rc = doc_bad(rd, o, "resumed", "%u of %zu rounds", p->resumed, p->rounds.n);
	return rc;
}

int doc_read_preparation(const struct reader *rd, const struct json *o)
{
	struct result *r = rd->r;
	uint32_t job, session, run = PREPARATION_OF_SESSION;
	struct preparation *p;

	if (json_need_object(o, rd->e) || doc_u32(rd, o, "job", UINT32_MAX, &job) ||
	    doc_u32(rd, o, "session", UINT32_MAX, &session) ||
	    doc_opt_u32(rd, o, "run", UINT32_MAX - 1, &run))
		return rd->e->code;
	if (job >= r->njobs || session >= r->sessions.n)
		return doc_bad(rd, o, NULL, "there is no such job or session");
	p = result_add_preparation(r, job, session, run);
	if (json_get_u64(o, "trimmed", &p->trimmed, rd->e) ||
	    json_get_u64(o, "filled", &p->filled, rd->e) || json_get_u64(o, "ns", &p->ns, rd->e) ||
	    json_get_bool(o, "whole", &p->whole, rd->e) || doc_opt_text(rd, o, "note", &p->note) ||
	    doc_opt_text(rd, o, "mark", &p->mark) ||
	    doc_opt_u32(rd, o, "resumed", UINT32_MAX, &p->resumed))
		return rd->e->code;
	return read_rounds(rd, o, p);
}

int doc_read_preparations(const struct reader *rd, const struct json *root)
{
	struct json list = json_member(root, "preparations"), item;
	int rc = 0;

	if (!json_present(&list))
		return 0;
	rc = json_need_array(&list, rd->e);
	for (size_t i = 0; rc == 0 && i < json_length(&list); i++) {
		size_t before = rd->r->preparations.n;

		item = json_element(&list, i);
		rc = doc_read_preparation(rd, &item);
		if (rc == 0 && rd->r->preparations.n == before)
			rc = doc_bad(rd, &item, NULL, "it stands there twice");
	}
	return rc;
}
