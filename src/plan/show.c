/* SPDX-License-Identifier: GPL-2.0-or-later */
/* plan/show: the plan as text for people, in 80 columns where the names allow it. */
#include "plan/planner.h"

#include <math.h>

enum { WIDTH = 80, WORD_COL = 29, VALUE_COL = 12 };

static void pad_to(struct str *out, size_t line_start, size_t column)
{
	size_t width = utf8_width(out->s + line_start);

	do
		str_addc(out, ' ');
	while (++width < column);
}

/* Text broken at blanks; the lines after the first are indented by `indent`. */
static void fold(struct str *out, size_t line_start, size_t indent, const char *text)
{
	while (*text) {
		size_t n = strcspn(text, " ");

		if (utf8_width(out->s + line_start) + 1 + n > WIDTH &&
		    utf8_width(out->s + line_start) > indent) {
			str_addc(out, '\n');
			line_start = out->len;
			for (size_t i = 0; i < indent; i++)
				str_addc(out, ' ');
		} else if (out->len > line_start && out->s[out->len - 1] != ' ') {
			str_addc(out, ' ');
		}
		str_add_clean(out, text, n);
		text += n;
		while (*text == ' ')
			text++;
	}
	str_addc(out, '\n');
}

void plan_origin(const struct plan *p, const struct origin *o, struct str *out)
{
	static const char *const prefix[] = {
	    [ORIGIN_DEFAULTS] = "defaults ", [ORIGIN_WORKLOAD] = "", [ORIGIN_MATRIX] = "matrix "};

	switch (o->kind) {
	case ORIGIN_DEFAULT:
		str_add(out, "default");
		return;
	case ORIGIN_COMMAND:
		str_add(out, "command line");
		return;
	case ORIGIN_TARGET:
		str_add(out, "target");
		return;
	case ORIGIN_DEFAULTS:
	case ORIGIN_WORKLOAD:
	case ORIGIN_MATRIX:
		str_addf(out, "%s%s:%u:%u", prefix[o->kind], p->suite->file, o->line, o->column);
		if (o->param)
			str_addf(out, " (%s)", o->param);
		return;
	}
}

static void show_word(const struct plan *p, size_t job, const struct word *w, struct str *out)
{
	const struct job *j = &p->jobs[job];
	const struct origin *og = &p->origins[job].of[word_index(w)];
	size_t start = out->len, before;
	bool differs;
	struct str origin;

	str_addf(out, "  %s", w->name);
	pad_to(out, start, WORD_COL);
	before = out->len;
	w->show(w, j, out);
	/* a default that depends on other words may come out as fio's all the same */
	differs = w->fio_differs && og->kind == ORIGIN_DEFAULT &&
		  strcmp(out->s + before, w->fio_differs) != 0;
	if (out->len == before)
		str_add(out, "-");
	pad_to(out, start, WORD_COL + VALUE_COL);
	str_init(&origin);
	plan_origin(p, og, &origin);
	if (differs)
		str_addf(&origin, ", differs from fio (fio: %s)", w->fio_differs);
	fold(out, start, WORD_COL + VALUE_COL, origin.s);
	str_release(&origin);
}

static void show_limit(const struct check *c, struct str *out)
{
	const struct metric *m = metric_find(c->metric);

	str_add(out, c->text);
	if (c->role == ROLE_WATCH && c->kind == CHECK_GATE)
		str_add(out, ", watch");
	if (c->percent_of && m && !isnan(c->reference)) {
		str_add(out, " = ");
		unit_format(out, m->unit, c->limit * c->reference);
	} else if (c->percent_of && c->reference_why) {
		str_addf(out, ", undecidable: %s", c->reference_why);
	}
	if (c->known.ticket)
		str_addf(out, ", known %s", c->known.ticket);
	if (c->skipped)
		str_addf(out, ", skipped: %s", c->skipped);
}

static void show_check(const struct check *c, struct str *out)
{
	size_t start = out->len;
	struct str limit;

	str_addf(out, "  %s", c->name);
	if (utf8_width(out->s + start) >= WORD_COL) {
		str_addc(out, '\n');
		start = out->len;
	}
	pad_to(out, start, WORD_COL);
	str_init(&limit);
	show_limit(c, &limit);
	fold(out, start, WORD_COL, limit.s);
	str_release(&limit);
}

static void show_job(const struct plan *p, size_t job, size_t *check, struct str *out)
{
	const struct job *j = &p->jobs[job];
	size_t start = out->len;

	str_addf(out, "%s on %s\n", j->name, p->targets[j->target].role);
	if (j->state != JOB_READY) {
		start = out->len;
		str_addf(out, "  %s: ", j->state == JOB_SKIPPED ? "skipped" : "error");
		fold(out, start, 4, j->why ? j->why : "");
	}
	for (unsigned i = 0; i < word_count; i++)
		show_word(p, job, &word_table[i], out);
	for (; *check < p->nchecks && p->checks[*check].job == job; (*check)++)
		show_check(&p->checks[*check], out);
	str_addc(out, '\n');
}

static void show_line(struct str *out, const char *label, const char *text)
{
	size_t start = out->len;

	str_addf(out, "%s", label);
	fold(out, start, 4, text);
}

static void show_head(const struct plan *p, struct str *out)
{
	struct str line;

	str_init(&line);
	str_addf(&line, "%s (%s), %zu job%s, %zu check%s, profile %s, seed %llu", p->suite->name,
		 p->suite->file, p->njobs, p->njobs == 1 ? "" : "s", p->nchecks,
		 p->nchecks == 1 ? "" : "s", p->profile, (unsigned long long)p->seed);
	show_line(out, "suite ", line.s);
	for (size_t i = 0; i < p->ntargets; i++) {
		const struct target *t = &p->targets[i];

		str_clear(&line);
		str_addf(&line, "%s = %s (%s%s%s", t->role, t->id, target_kind_name(t->kind),
			 t->fstype ? ", " : "", t->fstype ? t->fstype : "");
		if (t->kind != TARGET_NONE) {
			str_add(&line, ", ");
			unit_format(&line, UNIT_BYTES, (double)t->size);
			str_add(&line, t->kind == TARGET_DIR ? " free" : "");
		}
		str_addc(&line, ')');
		show_line(out, "target ", line.s);
	}
	for (size_t i = 0; i < p->notices.n; i++)
		show_line(out, "note ", p->notices.v[i]);
	if (p->setup_error)
		show_line(out, "error ", p->setup_error);
	str_addc(out, '\n');
	str_release(&line);
}

static void show_totals(const struct plan *p, struct str *out)
{
	uint64_t time = plan_session_time(p), written;
	size_t state[3] = {0};
	bool bounded;
	struct str line;

	written = plan_session_written(p, &bounded);
	for (size_t i = 0; i < p->njobs; i++)
		state[p->jobs[i].state]++;
	str_init(&line);
	str_addf(&line, "%zu ready, %zu skipped, %zu in error", state[JOB_READY],
		 state[JOB_SKIPPED], state[JOB_ERROR]);
	show_line(out, "jobs     ", line.s);
	str_clear(&line);
	unit_format_duration(&line, time);
	str_addf(&line, " a session; %u..%u sessions: ", p->sessions_min, p->sessions_max);
	unit_format_duration(&line, time * p->sessions_min);
	if (p->sessions_max != p->sessions_min) {
		str_add(&line, " to ");
		unit_format_duration(&line, (uint64_t)fmin((double)time * p->sessions_max, 9e18));
	}
	if (p->budget_time) {
		str_add(&line, ", budget ");
		unit_format_duration(&line, p->budget_time);
		if (time * p->sessions_min > p->budget_time)
			str_add(&line, " (not enough)");
	}
	show_line(out, "time     ", line.s);
	str_clear(&line);
	unit_format(&line, UNIT_BYTES, (double)written);
	str_add(&line,
		bounded ? " a session at most" : " a session at 2 GB/s: free-running writes");
	if (p->budget_written) {
		str_add(&line, ", budget ");
		unit_format(&line, UNIT_BYTES, (double)p->budget_written);
	}
	show_line(out, "written  ", line.s);
	str_release(&line);
}

void plan_show(const struct plan *p, struct str *out)
{
	size_t check = 0;

	show_head(p, out);
	for (size_t i = 0; i < p->njobs; i++)
		show_job(p, i, &check, out);
	show_totals(p, out);
}
