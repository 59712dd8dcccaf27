/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * model/read_plan: targets, jobs and checks of a document. They refer to each other by index and
 * are told apart by name: both are checked here, so that no later room has to.
 */
#include "model/result_io.h"
#include <math.h>

#define RUNS_LIMIT 1000000u

static int read_target(const struct reader *rd, const struct json *o, struct target *t)
{
	const char *id;

	if (json_need_object(o, rd->e) || doc_text(rd, o, "role", &t->role) ||
	    json_get_str(o, "id", &id, rd->e) || doc_opt_text(rd, o, "path", &t->path) ||
	    doc_opt_text(rd, o, "passthrough", &t->passthrough) ||
	    DOC_WORD(rd, o, "kind", target_kind_find, &t->kind) ||
	    json_get_u64(o, "size", &t->size, rd->e) ||
	    doc_u32(rd, o, "logical_block", UINT32_MAX, &t->logical_block) ||
	    doc_u32(rd, o, "dio_mem", UINT32_MAX, &t->dio_mem) ||
	    doc_u32(rd, o, "dio_offset", UINT32_MAX, &t->dio_offset) ||
	    json_get_bool(o, "dio_known", &t->dio_known, rd->e) ||
	    doc_u32(rd, o, "dev_major", UINT32_MAX, &t->dev_major) ||
	    doc_u32(rd, o, "dev_minor", UINT32_MAX, &t->dev_minor) ||
	    json_get_u64(o, "diskseq", &t->diskseq, rd->e) ||
	    json_get_bool(o, "write_allowed", &t->write_allowed, rd->e) ||
	    doc_opt_text(rd, o, "fstype", &t->fstype) || doc_facts(rd, o, "facts", &t->facts))
		return rd->e->code;
	t->id = arena_strdup(&rd->r->arena, id);
	return 0;
}

static int read_job_text(const struct reader *rd, const struct json *o, struct job *j)
{
	const char *text;

	if (json_get_str(o, "text", &text, rd->e))
		return rd->e->code;
	if (job_from_canonical(text, &rd->r->arena, j, rd->e)) {
		struct err cause = *rd->e;

		return doc_bad(rd, o, "text", "%s", cause.text);
	}
	return 0;
}

/* A job that ran had an engine and something to do. */
static bool job_possible(const struct job *j)
{
	return j->bs && j->iodepth && j->iodepth_batch_submit && j->iodepth_batch_complete_min &&
	       j->iodepth_batch_complete_max >= j->iodepth_batch_complete_min && j->numjobs &&
	       j->loops && *j->ioengine;
}

/* Which jobs run at the same time: any number will do that they share. */
static int read_group(const struct reader *rd, const struct json *o, struct job *j)
{
	struct json group = json_member(o, "group");

	if (json_present(&group)) {
		if (doc_u32(rd, o, "group", (uint32_t)rd->r->njobs, &j->group))
			return rd->e->code;
		if (!j->group)
			return doc_bad(rd, o, "group", "is 0");
	}
	return json_opt_bool(o, "total", false, &j->total, rd->e);
}

static int read_job(const struct reader *rd, const struct json *o, struct job *j)
{
	const struct result *r = rd->r;

	/* the text first: it fills the whole struct */
	if (json_need_object(o, rd->e) || read_job_text(rd, o, j) ||
	    doc_text(rd, o, "name", &j->name) ||
	    doc_opt_text(rd, o, "description", &j->description) ||
	    doc_u32(rd, o, "target", UINT32_MAX, &j->target) ||
	    DOC_WORD(rd, o, "state", job_state_find, &j->state) ||
	    doc_opt_text(rd, o, "why", &j->why) ||
	    doc_opt_text(rd, o, "ioengine_asked", &j->ioengine_asked) ||
	    json_opt_bool(o, "direct_auto", false, &j->direct_auto, rd->e) ||
	    doc_opt_text(rd, o, "percentile_list", &j->percentile_list) ||
	    doc_u32(rd, o, "runs", RUNS_LIMIT, &j->runs) || doc_seed(rd, o, "seed", &j->seed) ||
	    json_opt_bool(o, "canary", false, &j->canary, rd->e) ||
	    json_opt_bool(o, "untouched", false, &j->untouched, rd->e) ||
	    doc_opt_text(rd, o, "adjust_by", &j->adjust_by) || read_group(rd, o, j) ||
	    doc_u32(rd, o, "line", UINT32_MAX, &j->file_line))
		return rd->e->code;
	if (j->target >= r->ntargets)
		return doc_bad(rd, o, "target", "%u, but there are %zu targets", j->target,
			       r->ntargets);
	if (!j->ioengine_asked)
		j->ioengine_asked = j->ioengine;
	if (j->state == JOB_READY && !job_possible(j))
		return doc_bad(rd, o, "text", "a word is 0 or empty in a job that could run");
	if (j->state != JOB_READY && !j->why)
		j->why = "no reason given";
	return 0;
}

static int read_known(const struct reader *rd, const struct json *o, struct check_known *k)
{
	struct json known = json_member(o, "known");

	if (!json_present(&known))
		return 0;
	if (json_need_object(&known, rd->e) || doc_text(rd, &known, "ticket", &k->ticket) ||
	    json_get_double(&known, "no_worse_than", &k->no_worse_than, rd->e) ||
	    json_get_i64(&known, "until", &k->until, rd->e))
		return rd->e->code;
	if (k->no_worse_than < 0)
		return doc_bad(rd, &known, "no_worse_than", "is negative");
	return 0;
}

static int read_expectation(const struct reader *rd, const struct json *o, struct check *c)
{
	if (DOC_WORD(rd, o, "op", check_op_find, &c->op) ||
	    json_get_double(o, "limit", &c->limit, rd->e) ||
	    doc_opt_text(rd, o, "percent_of", &c->percent_of) ||
	    json_opt_double(o, "reference", NAN, &c->reference, rd->e) ||
	    doc_opt_text(rd, o, "reference_why", &c->reference_why) ||
	    json_opt_bool(o, "every_run", false, &c->every_run, rd->e) ||
	    json_opt_bool(o, "spread", false, &c->spread, rd->e))
		return rd->e->code;
	return 0;
}

static int read_gate(const struct reader *rd, const struct json *o, struct check *c)
{
	if (json_get_double(o, "tolerance", &c->tolerance, rd->e) ||
	    json_opt_bool(o, "absolute", false, &c->absolute, rd->e))
		return rd->e->code;
	/* without a tolerance there is nothing to be worse than */
	if (!(c->tolerance > 0))
		return doc_bad(rd, o, "tolerance", "is not above 0");
	return 0;
}

static int read_check(const struct reader *rd, const struct json *o, struct check *c)
{
	const struct result *r = rd->r;

	c->reference = NAN;
	if (json_need_object(o, rd->e) || doc_u32(rd, o, "job", UINT32_MAX, &c->job) ||
	    doc_text(rd, o, "name", &c->name) ||
	    DOC_WORD(rd, o, "kind", check_kind_find, &c->kind) ||
	    doc_text(rd, o, "metric", &c->metric) || doc_opt_text(rd, o, "text", &c->text) ||
	    doc_opt_text(rd, o, "skipped", &c->skipped) ||
	    doc_u32(rd, o, "line", UINT32_MAX, &c->line) ||
	    (c->kind == CHECK_EXPECT ? read_expectation(rd, o, c) : read_gate(rd, o, c)) ||
	    DOC_WORD(rd, o, "role", check_role_find, &c->role) || read_known(rd, o, &c->known))
		return rd->e->code;
	if (!c->text)
		c->text = c->name;
	if (c->job >= r->njobs)
		return doc_bad(rd, o, "job", "%u, but there are %zu jobs", c->job, r->njobs);
	if (c > r->checks && c[-1].job > c->job)
		return doc_bad(rd, o, "job", "checks are not grouped by job in ascending order");
	return 0;
}

/* A name inside a group (role of all, job of a target, check of a job). */
struct name {
	uint32_t group;
	const char *text;
};

static int name_order(const void *a, const void *b)
{
	const struct name *x = a, *y = b;

	if (x->group != y->group)
		return x->group < y->group ? -1 : 1;
	return strcmp(x->text, y->text);
}

/* Names identify test cases: equal ones would hide each other. */
static int check_names(const struct reader *rd, const struct json *list, struct name *v, size_t n)
{
	if (n)
		qsort(v, n, sizeof(*v), name_order);
	for (size_t i = 1; i < n; i++) {
		if (name_order(&v[i - 1], &v[i]) == 0)
			return doc_bad(rd, list, NULL, "'%.80s' stands twice", v[i].text);
	}
	return 0;
}

static int check_all_names(const struct reader *rd, const struct json *targets,
			   const struct json *jobs, const struct json *checks)
{
	const struct result *r = rd->r;
	size_t max = r->ntargets + r->njobs + r->nchecks;
	struct name *v = xcalloc(max + 1, sizeof(*v));
	int rc;

	for (size_t i = 0; i < r->ntargets; i++)
		v[i] = (struct name){0, r->targets[i].role};
	rc = check_names(rd, targets, v, r->ntargets);
	for (size_t i = 0; rc == 0 && i < r->njobs; i++)
		v[i] = (struct name){r->jobs[i].target, r->jobs[i].name};
	if (rc == 0)
		rc = check_names(rd, jobs, v, r->njobs);
	for (size_t i = 0; rc == 0 && i < r->nchecks; i++)
		v[i] = (struct name){r->checks[i].job, r->checks[i].name};
	if (rc == 0)
		rc = check_names(rd, checks, v, r->nchecks);
	free(v);
	return rc;
}

int doc_read_plan(const struct reader *rd, const struct json *root)
{
	struct result *r = rd->r;
	struct json targets, jobs, checks, item;
	int rc;

	if (doc_array(rd, root, "targets", &targets) || doc_array(rd, root, "jobs", &jobs) ||
	    doc_array(rd, root, "checks", &checks))
		return rd->e->code;
	r->ntargets = json_length(&targets);
	r->targets = xcalloc(r->ntargets + 1, sizeof(*r->targets));
	r->njobs = json_length(&jobs);
	r->jobs = xcalloc(r->njobs + 1, sizeof(*r->jobs));
	r->nchecks = json_length(&checks);
	r->checks = xcalloc(r->nchecks + 1, sizeof(*r->checks));
	rc = 0;
	for (size_t i = 0; rc == 0 && i < r->ntargets; i++) {
		item = json_element(&targets, i);
		rc = read_target(rd, &item, &r->targets[i]);
	}
	for (size_t i = 0; rc == 0 && i < r->njobs; i++) {
		item = json_element(&jobs, i);
		rc = read_job(rd, &item, &r->jobs[i]);
	}
	for (size_t i = 0; rc == 0 && i < r->nchecks; i++) {
		item = json_element(&checks, i);
		rc = read_check(rd, &item, &r->checks[i]);
	}
	if (rc == 0)
		rc = check_all_names(rd, &targets, &jobs, &checks);
	return rc ? rc : doc_check_groups(rd, &jobs);
}
