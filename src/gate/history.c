/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The folder of past results. */
#include "gate/history.h"
#include "base/fileio.h"
#include "gate/baseline_file.h"
#include <math.h>
#include <string.h>

#define FILE_LIMIT (64u << 20)

static bool is_gate(const struct result *r, const struct verdict *v)
{
	return v->job < r->njobs && v->check < r->nchecks &&
	       r->checks[v->check].kind == CHECK_GATE && r->jobs[v->job].target < r->ntargets;
}

/* The estimate as a loss of the metric, in the unit of its tolerance. */
static double loss_of(const struct result *r, const struct verdict *v)
{
	const struct metric *m = metric_find(r->checks[v->check].metric);

	if (!m || m->better == BETTER_NONE || isnan(v->change))
		return NAN;
	return m->better == BETTER_HIGHER ? -v->change : v->change;
}

static void write_gate(const struct result *r, const struct verdict *v, struct jw *w)
{
	const struct check *c = &r->checks[v->check];
	double loss = loss_of(r, v);

	jw_object_flat(w, NULL);
	jw_str(w, "target", r->targets[r->jobs[v->job].target].role);
	jw_str(w, "workload", r->jobs[v->job].name);
	jw_str(w, "metric", c->metric);
	jw_str(w, "verdict", verdict_name(v->kind));
	jw_double(w, "loss", loss);
	jw_double(w, "tolerance", c->tolerance);
	jw_end_object(w);
}

static void write_entry(const struct result *r, struct jw *w)
{
	jw_object(w, NULL);
	jw_u64(w, "blkgate_history", HISTORY_VERSION);
	jw_str(w, "suite", r->suite);
	jw_str(w, "profile", r->profile);
	jw_str(w, "session", r->sessions.v[0].id);
	jw_i64(w, "started", r->sessions.v[0].started);
	jw_str(w, "change", r->change);
	jw_u64(w, "status", (uint64_t)r->status);
	jw_array(w, "gates");
	for (size_t i = 0; i < r->verdicts.n; i++)
		if (is_gate(r, &r->verdicts.v[i]))
			write_gate(r, &r->verdicts.v[i], w);
	jw_end_array(w);
	jw_end_object(w);
}

int history_store(const char *dir, const struct result *r, bool *stored, struct err *e)
{
	char *folder, *path;
	struct jw w;
	int rc;

	if (stored)
		*stored = false;
	if (r->inject || r->partial || r->interrupted || r->unfinished || r->sessions.n == 0)
		return 0;
	rc = baseline_name_check(r->suite, "suite", e);
	if (rc == 0)
		rc = baseline_name_check(r->profile, "profile", e);
	if (rc == 0)
		rc = baseline_name_check(r->sessions.v[0].id, "session", e);
	if (rc)
		return rc;
	folder = xasprintf("%s/%s/%s", dir, r->suite, r->profile);
	path = xasprintf("%s/%s.json", folder, r->sessions.v[0].id);
	jw_init(&w);
	write_entry(r, &w);
	rc = file_mkdirs(folder, e);
	if (rc == 0) {
		const char *text = jw_finish(&w);

		rc = file_write(path, text, strlen(text), e);
	}
	if (stored)
		*stored = rc == 0;
	jw_release(&w);
	free(path);
	free(folder);
	return rc;
}

static int read_gate(const struct json *j, struct history *h, struct history_gate *g, struct err *e)
{
	const char **text[] = {&g->target, &g->workload, &g->metric, &g->verdict};
	static const char *const keys[] = {"target", "workload", "metric", "verdict"};
	double tolerance;
	int rc = 0;

	for (size_t i = 0; i < 4 && rc == 0; i++) {
		rc = json_get_str(j, keys[i], text[i], e);
		if (rc == 0)
			*text[i] = arena_strdup(&h->arena, *text[i]);
	}
	if (rc == 0)
		rc = json_opt_double(j, "loss", NAN, &g->loss, e);
	if (rc == 0)
		rc = json_opt_double(j, "tolerance", NAN, &tolerance, e);
	if (rc == 0)
		g->beyond = g->loss > tolerance ? 1 : g->loss < -tolerance ? -1 : 0;
	return rc;
}

static int read_entry(const struct json *root, struct history *h, struct err *e)
{
	struct history_entry *x = VEC_PUSH(&h->entries);
	struct json gates;
	uint64_t version, status = 0;
	int rc = json_get_u64(root, "blkgate_history", &version, e);

	*x = (struct history_entry){0};
	if (rc == 0 && version != HISTORY_VERSION)
		rc = err_set(e, ERR_DATA, "history version %llu is not known",
			     (unsigned long long)version);
	if (rc == 0)
		rc = json_get_str(root, "session", &x->session, e);
	if (rc == 0)
		rc = json_get_i64(root, "started", &x->started, e);
	if (rc == 0)
		rc = json_opt_str(root, "change", NULL, &x->change, e);
	gates = json_member(root, "status");
	if (rc == 0 && json_present(&gates))
		rc = json_get_u64(root, "status", &status, e);
	if (rc)
		return rc;
	x->status = (uint32_t)status;
	x->session = arena_strdup(&h->arena, x->session);
	x->change = x->change ? arena_strdup(&h->arena, x->change) : NULL;
	gates = json_member(root, "gates");
	rc = json_need_array(&gates, e);
	for (size_t i = 0; rc == 0 && i < json_length(&gates); i++) {
		struct json g = json_element(&gates, i);

		rc = read_gate(&g, h, VEC_PUSH(&x->gates), e);
	}
	return rc;
}

static int read_file(struct history *h, const char *path, struct err *e)
{
	struct json_doc *doc = NULL;
	struct str text;
	int rc;

	str_init(&text);
	rc = file_read_regular(path, FILE_LIMIT, &text, e);
	if (rc == 0)
		rc = json_parse(text.s, text.len, path, &doc, e);
	if (rc == 0) {
		struct json root = json_root(doc);

		rc = read_entry(&root, h, e);
	}
	json_doc_free(doc);
	str_release(&text);
	if (rc) {
		e->code = ERR_DATA;
		err_prefix(e, "history file '%s'", path);
		err_hint(e, "remove the file: it is no evidence of any verdict");
	}
	return rc;
}

int history_load(const char *dir, const char *suite, const char *profile, struct history *h,
		 struct err *e)
{
	char *folder, **names;
	size_t n;
	int rc;

	*h = (struct history){0};
	arena_init(&h->arena);
	rc = baseline_name_check(suite, "suite", e);
	if (rc == 0)
		rc = baseline_name_check(profile, "profile", e);
	if (rc)
		return rc;
	folder = xasprintf("%s/%s/%s", dir, suite, profile);
	rc = file_list(folder, ".json", &names, &n, e);
	/* Names begin with the time of the session: sorted they are the order of the results. */
	for (size_t i = n > HISTORY_KEPT ? n - HISTORY_KEPT : 0; rc == 0 && i < n; i++) {
		char *path = xasprintf("%s/%s", folder, names[i]);

		rc = read_file(h, path, e);
		free(path);
	}
	file_list_free(names, n);
	free(folder);
	return rc;
}

void history_release(struct history *h)
{
	for (size_t i = 0; i < h->entries.n; i++)
		VEC_RELEASE(&h->entries.v[i].gates);
	VEC_RELEASE(&h->entries);
	arena_release(&h->arena);
}
