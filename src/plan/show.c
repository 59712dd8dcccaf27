/* SPDX-License-Identifier: GPL-2.0-or-later */
/* plan/show: the plan as text for people, in 80 columns where the names allow it. */
#include "plan/planner.h"

#include <math.h>

enum { WIDTH = 80, SIZE_DIGITS = 9999 };

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
void plan_add_word_size(struct str *out, uint64_t bytes)
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

void plan_pad_to(struct str *out, size_t line_start, size_t column)
{
	size_t width = utf8_width(out->s + line_start);

	do
		str_addc(out, ' ');
	while (++width < column);
}

/* Text broken at blanks; the lines after the first are indented by `indent`. */
void plan_fold(struct str *out, size_t line_start, size_t indent, const char *text)
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

static void show_line(struct str *out, const char *label, const char *text)
{
	size_t start = out->len;

	str_addf(out, "%s", label);
	plan_fold(out, start, 4, text);
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
		str_add(out, p->setup_error ? " (not enough)" : " (may not be enough)");
}

static void format_bytes(struct str *out, uint64_t bytes)
{
	unit_format(out, UNIT_BYTES, (double)bytes);
}

static void show_totals(const struct plan *p, struct str *out)
{
	uint64_t time = plan_session_time(p), written;
	size_t state[3] = {0};
	bool bounded, seen;
	struct str line;

	written = plan_session_written(p, &bounded, &seen);
	for (size_t i = 0; i < p->njobs; i++)
		state[p->jobs[i].state]++;
	str_init(&line);
	if (p->setup_error)
		str_addf(&line, "none runs, for the error above; without it ");
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
	str_addf(&line, " a %s%s", round_name(p),
		 seen      ? ", by what accepted sessions wrote"
		 : bounded ? " at most"
			   : "");
	if (!bounded) {
		str_add(&line, seen ? ", the others at " : " at ");
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
	show_head(p, out);
	plan_show_jobs(p, out);
	show_totals(p, out);
}
