/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The block that the person on call reads (DESIGN 3.6): terminal, failure text and Markdown alike.
 */
#include "report/view.h"

#include "base/clock.h"
#include "base/units.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define INDENT "             "

/* Appends text wrapped at spaces to the width; further lines are indented. */
static void add_wrapped(struct str *s, const char *text, unsigned width)
{
	size_t line = 0;

	for (size_t i = s->len; i > 0 && s->s[i - 1] != '\n'; i--)
		line++;
	for (bool first = true; *text; first = false) {
		const char *end = text;
		size_t word;

		while (*end && *end != ' ' && *end != '\n')
			end++;
		word = (size_t)(end - text);
		if (!first && line + 1 + word > width) {
			str_add(s, "\n" INDENT);
			line = sizeof(INDENT) - 1;
		} else if (!first) {
			str_addc(s, ' ');
			line++;
		}
		str_addn(s, text, word);
		line += word;
		while (*end == ' ' || *end == '\n')
			end++;
		text = end;
	}
	str_addc(s, '\n');
}

void view_add_line(struct str *s, const char *name, const char *text, unsigned width)
{
	str_addf(s, "  %-10s ", name);
	add_wrapped(s, text, width);
}

static void label(struct str *s, const char *name)
{
	str_addf(s, "  %-10s ", name);
}

static void add_dates(struct str *s, const struct verdict *v)
{
	struct str d;

	if (!v->base_first)
		return;
	str_init(&d);
	clock_format_utc(&d, v->base_first);
	str_addf(s, ", %.10s", d.s);
	str_clear(&d);
	clock_format_utc(&d, v->base_last);
	if (v->base_last - v->base_first >= 86400)
		str_addf(s, "..%.5s", d.s + 5);
	str_release(&d);
}

static void add_values(struct str *s, const struct view *w, const struct verdict *v,
		       const struct metric *m, unsigned width)
{
	enum unit unit = v->judged || !m ? v->judged_unit : m->unit;
	struct str t;

	if (isnan(v->value) || !m)
		return;
	str_init(&t);
	unit_format(&t, unit, v->value);
	if (!isnan(v->base_value) && v->pairs) {
		str_addf(&t, " of %s, ", w->r->interleave.name[ARM_CANDIDATE]);
		unit_format(&t, unit, v->base_value);
		str_addf(&t, " of %s (%u pairs)", w->r->interleave.name[ARM_REFERENCE], v->pairs);
	} else if (!isnan(v->base_value)) {
		str_add(&t, ", was ");
		unit_format(&t, unit, v->base_value);
		str_addf(&t, " (%u session%s, %u block%s", v->base_sessions,
			 v->base_sessions == 1 ? "" : "s", v->base_blocks,
			 v->base_blocks == 1 ? "" : "s");
		add_dates(&t, v);
		str_addc(&t, ')');
	}
	if (v->adjusted_by)
		str_addf(&t, ", at equal level of canary '%s', not as measured", v->adjusted_by);
	if (v->nsessions > 1) {
		str_add(&t, v->adjusted_by ? "; measured" : "; now");
		for (uint32_t i = 0; i < v->nsessions && i < VERDICT_MAX_SESSIONS; i++) {
			str_add(&t, i ? ", " : " ");
			if (isnan(v->session_values[i]))
				str_add(&t, "no value");
			else
				unit_format(&t, unit, v->session_values[i]);
		}
		if (v->look_blocks)
			str_addf(&t, " (%u block%s)", v->look_blocks,
				 v->look_blocks == 1 ? "" : "s");
	}
	label(s, "value:");
	add_wrapped(s, t.s, width);
	str_release(&t);
}

/* Which other gates moved with it, and which did not: three of each place a fault. */
static void add_company(struct str *s, const struct result *r, const struct verdict *v,
			unsigned width)
{
	struct str with, without;
	unsigned nwith = 0, nwithout = 0;

	str_init(&with);
	str_init(&without);
	for (size_t i = 0; i < r->verdicts.n && (nwith < 3 || nwithout < 3); i++) {
		const struct verdict *o = &r->verdicts.v[i];
		const struct check *c;
		struct str *to;
		bool moved;

		if (o == v || o->job == UINT32_MAX || o->check == VERDICT_MEASURE ||
		    isnan(o->change))
			continue;
		c = &r->checks[o->check];
		if (c->kind != CHECK_GATE || c->absolute)
			continue;
		if (o->kind != VERDICT_PASS && o->kind != VERDICT_REGRESSION &&
		    o->kind != VERDICT_KNOWN)
			continue; /* not decided: it says nothing */
		moved = o->kind != VERDICT_PASS;
		if (moved ? nwith++ >= 3 : nwithout++ >= 3)
			continue;
		to = moved ? &with : &without;
		str_addf(to, "%s%s %s ", to->len ? ", " : "", view_workload(r, o), c->metric);
		units_add_signed(to, o->change * 100, 1);
		str_add(to, " %");
	}
	if (with.len) {
		label(s, "with it:");
		add_wrapped(s, with.s, width);
	}
	if (without.len) {
		label(s, "not:");
		add_wrapped(s, without.s, width);
	}
	str_release(&with);
	str_release(&without);
}

/* Evidence is added: what is left of the sequence, two sessions at most at a time; behind a
 * decision they stand beside it. What is no whole measurement cannot be gone on from. */
static void add_with(struct str *s, const struct result *r, const struct verdict *v,
		     const struct console_options *o)
{
	uint32_t left = v->nsessions < r->sessions_max ? r->sessions_max - v->nsessions : 0;

	if (r->sessions_suite > r->sessions_max && v->nsessions < r->sessions_suite)
		left = r->sessions_suite - v->nsessions;
	if (!o->result_path || !r->may_continue || isnan(v->change) ||
	    (left == 0 && v->kind != VERDICT_REGRESSION))
		return;
	str_addf(s, " --sessions %u --with ", left == 1 ? 1 : 2);
	str_add_shell(s, o->result_path);
}

/* "p50 +1 %, p99 +31 %": where the latency moved. */
static void add_shift(struct str *s, const struct verdict *v, unsigned width)
{
	struct str t;

	str_init(&t);
	for (unsigned i = 0; i < VERDICT_SHIFTS; i++)
		if (isfinite(v->shift[i])) {
			str_addf(&t, "%s%s ", t.len ? ", " : "", verdict_shifts[i].name);
			units_add_signed(&t, (v->shift[i] - 1) * 100,
					 fabs(v->shift[i] - 1) < 0.0995 ? 1 : 0);
			str_add(&t, " %");
		}
	if (t.len) {
		label(s, "shift:");
		add_wrapped(s, t.s, width);
	}
	str_release(&t);
}

static void add_again(struct str *s, const struct result *r, const struct verdict *v,
		      const struct console_options *o)
{
	/* What could not even be tried will not go better a second time, and what is judged
	 * elsewhere, or not at all, is not the reader's worry. */
	if (!o->command || v->job == UINT32_MAX || r->jobs[v->job].state != JOB_READY ||
	    r->setup_error || v->kind == VERDICT_SKIPPED)
		return;
	label(s, "again:");
	str_addf(s, "%s --only ", o->command);
	str_add_shell(s, view_workload(r, v));
	add_with(s, r, v, o);
	str_addc(s, '\n');
}

static void add_fio(struct str *s, const struct result *r, const struct verdict *v)
{
	if (v->job == UINT32_MAX)
		return;
	label(s, "in fio:");
	result_fio(r, v->job, "/fio.tmp", s); /* fio wants the name of a file; ours had none */
	str_addc(s, '\n');
}

/* The sentence stands alone elsewhere; here the first line has said the numbers already, and what
 * changed has a line of its own. */
static void add_reason(struct str *s, const struct verdict *v, const struct metric *m,
		       unsigned width)
{
	const char *colon = m && str_starts(v->text, m->name) ? strchr(v->text, ':') : NULL;
	const char *text = colon && colon[1] == ' ' && !isnan(v->change) ? colon + 2 : v->text;
	size_t n = strlen(text), tail = v->changed ? strlen(v->changed) : 0;
	char *cut;

	if (tail && n > tail + 2 && str_ends(text, v->changed) &&
	    memcmp(text + n - tail - 2, "; ", 2) == 0)
		n -= tail + 2;
	cut = xstrndup(text, n);
	label(s, "why:");
	add_wrapped(s, cut, width);
	free(cut);
}

/* The place, by what was watched in the runs that count: what it was not, what it may have been. */
static void add_place(struct str *s, const struct view *w, uint32_t job, unsigned width)
{
	const struct result *r = w->r;
	size_t runs = w->first[job + 1] - w->first[job], n = 0;
	const struct watched **v = xcalloc(runs + 1, sizeof(*v));
	struct watched_words x;

	for (size_t i = 0; i < runs; i++) {
		const struct run *run = w->run[w->first[job] + i];

		if (run->watched && run->out.status == OUTCOME_OK)
			v[n++] = run->watched;
	}
	watched_words_init(&x);
	watched_summary(v, n, &r->targets[r->jobs[job].target].facts, &x);
	if (x.seen.len)
		view_add_line(s, "seen:", x.seen.s, width);
	if (x.excluded.len)
		view_add_line(s, "excluded:", x.excluded.s, width);
	if (x.unknown.len)
		view_add_line(s, "not known:", x.unknown.s, width);
	watched_words_release(&x);
	free(v);
}

struct beside {
	struct str *s;
	unsigned width;
};

static void add_beside(void *arg, const char *name, const char *text)
{
	struct beside *b = arg;
	char head[16];

	snprintf(head, sizeof(head), "%s:", name);
	view_add_line(b->s, head, text, b->width);
}

/* The row of the measurement shows it where that is good. */
static bool told_above(const struct view *w, const struct verdict *v,
		       const struct console_options *o)
{
	for (size_t i = 0; o && o->brief && i < w->r->verdicts.n; i++) {
		const struct verdict *m = &w->r->verdicts.v[i];

		if (m->job == v->job && m->check == VERDICT_MEASURE)
			return m->kind == VERDICT_PASS;
	}
	return false;
}

void view_block(const struct view *w, const struct verdict *v, const struct console_options *o,
		struct str *out)
{
	const struct result *r = w->r;
	const struct metric *m = view_metric(r, v);
	unsigned width = o && o->width ? o->width : 80;
	struct str s;

	str_init(&s);
	if (r->ntargets > 1)
		str_addf(&s, "%s ", view_target(r, v));
	str_addf(&s, "%s  %s  %s%s", view_workload(r, v), view_check_name(r, v),
		 verdict_name(v->kind), v->provisional ? " (provisional)" : "");
	if (!isnan(v->change)) {
		str_add(&s, "  ");
		view_add_estimate(&s, r, v);
	}
	str_addc(&s, '\n');
	add_values(&s, w, v, m, width);
	if (v->judged) {
		label(&s, "by:");
		add_wrapped(&s, v->judged, width);
	}
	add_reason(&s, v, m, width);
	add_shift(&s, v, width);
	if (r->inject && v->kind != VERDICT_SKIPPED) {
		label(&s, "injected:");
		str_addf(&s, "%s, by --inject: not the device's doing\n", r->inject);
	}
	if (v->job != UINT32_MAX && v->kind != VERDICT_NO_BASELINE && !told_above(w, v, o))
		view_beside(w, v->job, false, add_beside, &(struct beside){&s, width});
	if (v->kind == VERDICT_REGRESSION)
		add_company(&s, r, v, width);
	if (v->changed)
		view_add_line(&s, "changed:", v->changed, width);
	if (v->job != UINT32_MAX && v->kind != VERDICT_NO_BASELINE && v->kind != VERDICT_ERROR)
		add_place(&s, w, v->job, width);
	if (o && v->kind != VERDICT_NO_BASELINE && v->kind != VERDICT_KNOWN)
		add_again(&s, r, v, o);
	if (v->kind == VERDICT_REGRESSION || v->kind == VERDICT_MISSED)
		add_fio(&s, r, v);
	if (o && o->result_path && view_may_accept(r)) {
		const char *new_epoch =
			v->kind == VERDICT_REGRESSION ? " --new-epoch --reason TICKET" : "";

		if (v->kind == VERDICT_NO_BASELINE || v->kind == VERDICT_REGRESSION) {
			label(&s, "if wanted:");
			str_addf(&s, "blkgate baseline accept %s%s%s\n", o->result_path,
				 o->accept_options ? o->accept_options : "", new_epoch);
		}
	}
	str_add_clean(out, s.s, s.len > VIEW_TEXT_MAX ? VIEW_TEXT_MAX : s.len);
	if (s.len > VIEW_TEXT_MAX)
		str_addf(out, "\n... %zu more bytes\n", s.len - VIEW_TEXT_MAX);
	str_release(&s);
}
