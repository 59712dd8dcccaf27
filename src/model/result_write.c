/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * model/result_write: the document. Integers and texts as they are in memory; what is derived
 * (values, verdicts, the fio line) stands beside them for readers and is never read back.
 */
#include "model/result_io.h"
#include <stdio.h>

/* Absent stays absent: an empty text is not the same. */
static void write_text(struct jw *w, const char *key, const char *text)
{
	if (text)
		jw_str(w, key, text);
}

void doc_write_seed(struct jw *w, const char *key, uint64_t seed)
{
	char text[24];

	snprintf(text, sizeof(text), "%llu", (unsigned long long)seed);
	jw_str(w, key, text);
}

void doc_write_texts(struct jw *w, const char *key, const char *const *v, size_t n)
{
	jw_array(w, key);
	for (size_t i = 0; i < n; i++)
		jw_str(w, NULL, v[i]);
	jw_end_array(w);
}

void result_write_facts(struct jw *w, const char *key, const struct facts *f)
{
	jw_object(w, key);
	for (size_t i = 0; f && i < f->n; i++) {
		if (f->v[i].value) {
			jw_str(w, f->v[i].key, f->v[i].value);
			continue;
		}
		jw_object_flat(w, f->v[i].key);
		jw_str(w, "unknown", f->v[i].why);
		jw_end_object(w);
	}
	jw_end_object(w);
}

static void write_target(struct jw *w, const struct target *t)
{
	jw_object(w, NULL);
	jw_str(w, "role", t->role);
	jw_str(w, "id", t->id);
	write_text(w, "path", t->path);
	if (t->passthrough)
		jw_str(w, "passthrough", t->passthrough);
	jw_str(w, "kind", target_kind_name(t->kind));
	jw_u64(w, "size", t->size);
	jw_u64(w, "logical_block", t->logical_block);
	jw_u64(w, "dio_mem", t->dio_mem);
	jw_u64(w, "dio_offset", t->dio_offset);
	jw_bool(w, "dio_known", t->dio_known);
	jw_u64(w, "dev_major", t->dev_major);
	jw_u64(w, "dev_minor", t->dev_minor);
	jw_u64(w, "diskseq", t->diskseq);
	jw_bool(w, "write_allowed", t->write_allowed);
	write_text(w, "fstype", t->fstype);
	result_write_facts(w, "facts", &t->facts);
	jw_end_object(w);
}

static void write_fio(const struct result *r, const struct job *j, struct jw *w)
{
	struct str line;

	str_init(&line);
	result_fio(r, (uint32_t)(j - r->jobs), "/blkgate.fio", &line);
	jw_str(w, "fio", line.s);
	str_release(&line);
}

static void write_job(const struct result *r, const struct job *j, struct jw *w)
{
	struct str text;

	jw_object(w, NULL);
	jw_str(w, "name", j->name);
	write_text(w, "description", j->description);
	jw_u64(w, "target", j->target);
	jw_str(w, "state", job_state_name(j->state));
	write_text(w, "why", j->why);
	str_init(&text);
	job_canonical(j, &text);
	jw_str(w, "text", text.s);
	str_release(&text);
	jw_str(w, "ioengine_asked", j->ioengine_asked ? j->ioengine_asked : j->ioengine);
	write_flag(w, "direct_auto", j->direct_auto);
	if (j->percentile_list && *j->percentile_list)
		jw_str(w, "percentile_list", j->percentile_list);
	jw_u64(w, "runs", j->runs);
	doc_write_seed(w, "seed", j->seed);
	write_flag(w, "canary", j->canary);
	write_flag(w, "untouched", j->untouched);
	write_text(w, "adjust_by", j->adjust_by);
	if (j->group)
		jw_u64(w, "group", j->group);
	write_flag(w, "total", j->total);
	jw_u64(w, "line", j->file_line);
	write_fio(r, j, w);
	jw_end_object(w);
}

static void write_known(struct jw *w, const struct check_known *k)
{
	if (!k->ticket)
		return;
	jw_object_flat(w, "known");
	jw_str(w, "ticket", k->ticket);
	jw_double(w, "no_worse_than", k->no_worse_than);
	jw_i64(w, "until", k->until);
	jw_end_object(w);
}

static void write_check(struct jw *w, const struct check *c)
{
	jw_object(w, NULL);
	jw_u64(w, "job", c->job);
	jw_str(w, "name", c->name);
	jw_str(w, "kind", check_kind_name(c->kind));
	jw_str(w, "metric", c->metric);
	write_text(w, "text", c->text);
	jw_u64(w, "line", c->line);
	write_text(w, "skipped", c->skipped);
	if (c->kind == CHECK_EXPECT) {
		jw_str(w, "op", check_op_name(c->op));
		jw_double(w, "limit", c->limit);
		write_text(w, "percent_of", c->percent_of);
		if (c->percent_of)
			jw_double(w, "reference", c->reference);
		write_text(w, "reference_why", c->reference_why);
		write_flag(w, "every_run", c->every_run);
		write_flag(w, "spread", c->spread);
	} else {
		jw_double(w, "tolerance", c->tolerance);
		write_flag(w, "absolute", c->absolute);
	}
	jw_str(w, "role", check_role_name(c->role));
	write_known(w, &c->known);
	jw_end_object(w);
}

void doc_write_session(const struct session *s, const char *key, struct jw *w)
{
	jw_object_flat(w, key);
	jw_str(w, "id", s->id);
	jw_i64(w, "started", s->started);
	jw_i64(w, "ended", s->ended);
	doc_write_seed(w, "seed", s->seed);
	jw_bool(w, "complete", s->complete);
	if (s->from)
		jw_u64(w, "from", s->from);
	write_text(w, "boot", s->boot);
	jw_end_object(w);
}

void doc_write_sessions(const struct result *r, struct jw *w)
{
	jw_array(w, "sessions");
	for (size_t i = 0; i < r->sessions.n; i++)
		doc_write_session(&r->sessions.v[i], NULL, w);
	jw_end_array(w);
}

void doc_write_closing(const struct result *r, struct jw *w)
{
	write_text(w, "partial", r->partial);
	jw_bool(w, "interrupted", r->interrupted);
	write_flag(w, "unfinished", r->unfinished);
	jw_i64(w, "ended", r->ended);
	if (r->setup_error) {
		jw_str(w, "setup_error", r->setup_error);
		jw_u64(w, "setup_status", (uint64_t)r->setup_status);
	}
}

static void write_rules(const struct result *r, struct jw *w)
{
	jw_object(w, "policy");
	jw_str(w, "inconclusive", policy_word(&r->policy, "inconclusive"));
	jw_str(w, "no_baseline", policy_word(&r->policy, "no_baseline"));
	jw_str(w, "provisional", policy_word(&r->policy, "provisional"));
	jw_end_object(w);
	jw_object(w, "compare");
	doc_write_texts(w, "under_test", r->compare.under_test.v, r->compare.under_test.n);
	doc_write_texts(w, "must_match", r->compare.must_match.v, r->compare.must_match.n);
	doc_write_texts(w, "note", r->compare.note.v, r->compare.note.n);
	jw_end_object(w);
	jw_u64(w, "sessions_min", r->sessions_min);
	jw_u64(w, "sessions_max", r->sessions_max);
	if (r->sessions_suite && r->sessions_suite != r->sessions_max)
		jw_u64(w, "sessions_suite", r->sessions_suite);
	jw_double(w, "assumed_session_sd", r->assumed_session_sd);
	jw_double(w, "false_alarm", r->false_alarm);
	if (r->baseline_max_age)
		jw_i64(w, "baseline_max_age", r->baseline_max_age);
}

void doc_write_head(const struct result *r, struct jw *w)
{
	jw_str(w, "tool_version", r->tool_version);
	jw_u64(w, "measurement_version", r->measurement_version);
	jw_str(w, "suite", r->suite);
	write_text(w, "suite_file", r->suite_file);
	write_text(w, "description", r->description);
	jw_str(w, "profile", r->profile);
	write_text(w, "change", r->change);
	write_text(w, "inject", r->inject);
	write_flag(w, "injected", r->inject != NULL);
	jw_i64(w, "started", r->started);
	doc_write_closing(r, w);
	doc_write_seed(w, "seed", r->seed);
	doc_write_interleave(&r->interleave, w);
	write_rules(r, w);
	result_write_facts(w, "host", &r->host);
	jw_array(w, "targets");
	for (size_t i = 0; i < r->ntargets; i++)
		write_target(w, &r->targets[i]);
	jw_end_array(w);
	jw_array(w, "jobs");
	for (size_t i = 0; i < r->njobs; i++)
		write_job(r, &r->jobs[i], w);
	jw_end_array(w);
	jw_array(w, "checks");
	for (size_t i = 0; i < r->nchecks; i++)
		write_check(w, &r->checks[i]);
	jw_end_array(w);
	doc_write_texts(w, "notices", r->notices.v, r->notices.n);
	doc_write_attempts(r, w);
}

void result_write(const struct result *r, bool with_verdicts, struct jw *w)
{
	jw_object(w, NULL);
	jw_u64(w, "blkgate_result", RESULT_VERSION);
	doc_write_head(r, w);
	doc_write_sessions(r, w);
	if (with_verdicts)
		doc_write_verdicts(r, w);
	doc_write_preparations(r, w);
	jw_array(w, "runs");
	for (size_t i = 0; i < r->runs.n; i++)
		doc_write_run(r, &r->runs.v[i], NULL, w);
	jw_end_array(w);
	jw_end_object(w);
}
