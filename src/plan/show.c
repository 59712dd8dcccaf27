/* SPDX-License-Identifier: GPL-2.0-or-later */
/* plan/show: the plan as text for people, in 80 columns where the names allow it. */
#include "plan/planner.h"

#include <math.h>

enum { WIDTH = 80, WORD_COL = 28, VALUE_COL = 18, SIZE_DIGITS = 9999 };

static const char *const size_units[] = {"bytes", "KiB", "MiB", "GiB", "TiB", "PiB"};

/* The largest unit that divides; 0 = bytes. */
static unsigned size_unit(uint64_t *bytes)
{
	unsigned i = 0;

	for (; *bytes && *bytes % 1024 == 0 && i < 5; i++)
		*bytes /= 1024;
	return i;
}

void plan_add_size(struct str *out, uint64_t bytes)
{
	uint64_t v = bytes;
	unsigned i = size_unit(&v);

	if (bytes == 0) {
		str_add(out, "0");
		return;
	}
	if (v <= SIZE_DIGITS) {
		str_addf(out, "%llu %s", (unsigned long long)v,
			 v == 1 && !i ? "byte" : size_units[i]);
		return;
	}
	unit_format(out, UNIT_BYTES, (double)bytes);
	str_addf(out, " (%llu bytes)", (unsigned long long)bytes);
}

const char *plan_size(struct arena *a, uint64_t bytes)
{
	const char *text;
	struct str s;

	str_init(&s);
	plan_add_size(&s, bytes);
	text = arena_strdup(a, s.s);
	str_release(&s);
	return text;
}

/* For the list of words, where the bytes stand with their unit: "64 MiB (67108864)". */
static void add_word_size(struct str *out, uint64_t bytes)
{
	uint64_t v = bytes;
	unsigned i = size_unit(&v);

	if (v > SIZE_DIGITS)
		unit_format(out, UNIT_BYTES, (double)bytes);
	else if (i)
		str_addf(out, "%llu %s", (unsigned long long)v, size_units[i]);
	else {
		str_addf(out, "%llu", (unsigned long long)bytes);
		return;
	}
	str_addf(out, " (%llu)", (unsigned long long)bytes);
}

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
	static const char *const prefix[] = {[ORIGIN_DEFAULTS] = "defaults ",
					     [ORIGIN_WORKLOAD] = "",
					     [ORIGIN_MATRIX] = "matrix "};

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

static void add_value(const struct word *w, const struct job *j, struct str *out)
{
	size_t before = out->len;

	/* a share of the target says both the share and what it came to */
	if (w->bytes && !word_percent(w, j))
		add_word_size(out, word_bytes(w, j));
	else
		w->show(w, j, out);
	if (out->len == before)
		str_addc(out, '-');
}

/* A default that depends on other words may come out as fio's all the same. */
static bool differs_from_fio(const struct plan *p, const struct word *w, const struct job *j)
{
	struct str value;
	bool differs;

	if (!w->fio_differs)
		return false;
	if (strcmp(w->name, "iodepth_batch_complete_max") == 0)
		return j->iodepth_batch_complete_max != j->iodepth_batch_complete_min;
	if (strcmp(w->name, "stonewall") == 0)
		return p->suite->workloads.n > 1;
	if (strcmp(w->name, "files") == 0)
		return j->numjobs > 1 && p->targets[j->target].kind == TARGET_DIR;
	str_init(&value);
	w->show(w, j, &value);
	differs = strcmp(value.s, w->fio_differs) != 0;
	str_release(&value);
	return differs;
}

/* A default that has no meaning for the job: its value is that there is none. */
static bool empty_word(const struct word *w, const struct job *j)
{
	if (strcmp(w->name, "sim") == 0)
		return !j->sim || !*j->sim;
	return strcmp(w->name, "rwmixread") == 0 && j->rw != RW_RW && j->rw != RW_RANDRW;
}

static void show_word(const struct plan *p, size_t job, const struct word *w, struct str *out)
{
	const struct origin *og = &p->origins[job].of[word_index(w)];
	size_t start = out->len;
	struct str origin;

	str_addf(out, "  %s", w->name);
	pad_to(out, start, WORD_COL);
	add_value(w, &p->jobs[job], out);
	pad_to(out, start, WORD_COL + VALUE_COL);
	str_init(&origin);
	plan_origin(p, og, &origin);
	if (og->kind == ORIGIN_DEFAULT)
		str_addf(&origin, ", differs from fio (fio: %s)", w->fio_differs);
	fold(out, start, WORD_COL + VALUE_COL, origin.s);
	str_release(&origin);
}

/* What was written has a line of its own, and so has a default that a user of fio would not expect;
 * the other defaults are one paragraph. */
static void show_words(const struct plan *p, size_t job, struct str *out)
{
	const struct job *j = &p->jobs[job];
	size_t start;
	struct str rest;

	str_init(&rest);
	for (unsigned i = 0; i < word_count; i++) {
		const struct word *w = &word_table[i];

		if (p->origins[job].of[i].kind != ORIGIN_DEFAULT || differs_from_fio(p, w, j)) {
			show_word(p, job, w, out);
		} else if (!empty_word(w, j)) {
			str_addf(&rest, "%s%s ", rest.len ? ", " : "", w->name);
			add_value(w, j, &rest);
		}
	}
	start = out->len;
	str_add(out, "  defaults: ");
	fold(out, start, 4, rest.s);
	str_release(&rest);
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

/* What runs at the same time. */
static void show_company(const struct plan *p, size_t job, struct str *out)
{
	const struct job *j = &p->jobs[job];
	size_t start = out->len;
	struct str names;

	if (!j->group)
		return;
	str_init(&names);
	for (size_t i = j->group - 1; i < p->njobs; i++) {
		const struct job *k = &p->jobs[i];

		if (k->group != j->group || i == job || k->total)
			continue;
		str_addf(&names, "%s%s", names.len ? ", " : "", k->name);
		if (k->target != j->target)
			str_addf(&names, " on %s", p->targets[k->target].role);
	}
	str_add(out, j->total ? "  the total of " : "  together with ");
	fold(out, start, 4, names.len ? names.s : "itself alone");
	str_release(&names);
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
	show_company(p, job, out);
	if (!j->total)
		show_words(p, job, out);
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

		if (target_is_total(t))
			continue;
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
	if (interleaved(p)) {
		str_clear(&line);
		interleave_title(&p->interleave, &line);
		str_addf(&line, ", in turns, %u to %u pairs of runs", p->first_look,
			 p->interleave.pairs);
		if (p->interleave.path)
			str_addf(&line, "; %s is set before each run, and put back",
				 p->interleave.path);
		show_line(out, "compare ", line.s);
	}
	for (size_t i = 0; i < p->notices.n; i++)
		show_line(out, "note ", p->notices.v[i]);
	if (p->setup_error)
		show_line(out, "error ", p->setup_error);
	str_addc(out, '\n');
	str_release(&line);
}

/* " a session; 1..5 sessions: A to B", the same for time and bytes. */
static void add_range(const struct plan *p, uint64_t one, void (*format)(struct str *, uint64_t),
		      struct str *out)
{
	str_addf(out, "; %u..%u %ss: ", rounds_min(p), rounds_max(p), round_name(p));
	format(out, (uint64_t)fmin((double)one * rounds_min(p), 9e18));
	if (rounds_max(p) == rounds_min(p))
		return;
	str_add(out, " to ");
	format(out, (uint64_t)fmin((double)one * rounds_max(p), 9e18));
}

static void add_budget(const struct plan *p, uint64_t one, uint64_t budget,
		       void (*format)(struct str *, uint64_t), struct str *out)
{
	if (!budget)
		return;
	str_add(out, ", budget ");
	format(out, budget);
	if ((double)one * rounds_min(p) > (double)budget)
		str_add(out, " (may not be enough)");
}

static void format_bytes(struct str *out, uint64_t bytes)
{
	unit_format(out, UNIT_BYTES, (double)bytes);
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
	str_addf(&line, " a %s", round_name(p));
	add_range(p, time, unit_format_duration, &line);
	add_budget(p, time, p->budget_time, unit_format_duration, &line);
	show_line(out, "time     ", line.s);
	str_clear(&line);
	format_bytes(&line, written);
	str_addf(&line, " a %s%s", round_name(p), bounded ? " at most" : "");
	if (!bounded) {
		str_add(&line, " at ");
		format_bytes(&line, (uint64_t)PLAN_WRITE_RATE);
		str_add(&line, "/s (free-running writes)");
	}
	add_range(p, written, format_bytes, &line);
	add_budget(p, written, p->budget_written, format_bytes, &line);
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
