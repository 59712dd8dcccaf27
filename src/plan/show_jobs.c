/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The workloads of a plan for people: what is alike in all of them once, then what is their own. */
#include "plan/planner.h"

#include <math.h>

enum { WORD_COL = 28, VALUE_COL = 18 };

static void add_value(const struct word *w, const struct job *j, struct str *out)
{
	size_t before = out->len;

	/* a share of the target says both the share and what it came to */
	if (w->bytes && !word_percent(w, j))
		plan_add_word_size(out, word_bytes(w, j));
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
	plan_pad_to(out, start, WORD_COL);
	add_value(w, &p->jobs[job], out);
	plan_pad_to(out, start, WORD_COL + VALUE_COL);
	str_init(&origin);
	plan_origin(p, og, &origin);
	if (og->kind == ORIGIN_DEFAULT)
		str_addf(&origin, ", differs from fio (fio: %s)", w->fio_differs);
	plan_fold(out, start, WORD_COL + VALUE_COL, origin.s);
	str_release(&origin);
}

/* Does it have a line of its own? What was written, and a default that a user of fio would not
 * expect; the other defaults are one paragraph. */
static bool own_line(const struct plan *p, size_t job, unsigned word)
{
	const struct word *w = &word_table[word];

	return p->origins[job].of[word].kind != ORIGIN_DEFAULT ||
	       differs_from_fio(p, w, &p->jobs[job]);
}

static bool shown(const struct plan *p, size_t job)
{
	return p->jobs[job].state != JOB_SKIPPED && !p->jobs[job].total;
}

static bool same_origin(const struct origin *a, const struct origin *b)
{
	return a->kind == b->kind && a->line == b->line && a->column == b->column &&
	       str_eq(a->param, b->param);
}

/* The same value, from the same place. */
static bool same_word(const struct plan *p, size_t a, size_t b, unsigned word)
{
	const struct word *w = &word_table[word];
	struct str x, y;
	bool same = same_origin(&p->origins[a].of[word], &p->origins[b].of[word]) &&
		    own_line(p, a, word) == own_line(p, b, word) &&
		    empty_word(w, &p->jobs[a]) == empty_word(w, &p->jobs[b]);

	if (!same)
		return false;
	str_init(&x);
	str_init(&y);
	add_value(w, &p->jobs[a], &x);
	add_value(w, &p->jobs[b], &y);
	same = strcmp(x.s, y.s) == 0;
	str_release(&x);
	str_release(&y);
	return same;
}

/* Words that are alike in all workloads that are shown stand once, before them. */
struct alike {
	bool of[WORD_COUNT_MAX];
	size_t first, jobs; /* one of them; how many there are */
};

static void find_alike(const struct plan *p, struct alike *a)
{
	*a = (struct alike){.first = SIZE_MAX};
	for (size_t i = 0; i < p->njobs; i++) {
		if (!shown(p, i))
			continue;
		if (a->jobs++ == 0)
			a->first = i;
	}
	for (unsigned w = 0; a->jobs > 1 && w < word_count; w++) {
		a->of[w] = true;
		for (size_t i = a->first + 1; i < p->njobs && a->of[w]; i++)
			a->of[w] = !shown(p, i) || same_word(p, a->first, i, w);
	}
}

static void show_words(const struct plan *p, size_t job, const struct alike *a, bool alike,
		       struct str *out)
{
	const struct job *j = &p->jobs[job];
	size_t start;
	struct str rest;

	str_init(&rest);
	for (unsigned i = 0; i < word_count; i++) {
		const struct word *w = &word_table[i];

		if (a->of[i] != alike)
			continue;
		if (own_line(p, job, i)) {
			show_word(p, job, w, out);
		} else if (!empty_word(w, j)) {
			str_addf(&rest, "%s%s ", rest.len ? ", " : "", w->name);
			add_value(w, j, &rest);
		}
	}
	start = out->len;
	if (rest.len) {
		str_add(out, "  defaults: ");
		plan_fold(out, start, 4, rest.s);
	}
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
	plan_pad_to(out, start, WORD_COL);
	str_init(&limit);
	show_limit(c, &limit);
	plan_fold(out, start, WORD_COL, limit.s);
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
	plan_fold(out, start, 4, names.len ? names.s : "itself alone");
	str_release(&names);
}

static void show_job(const struct plan *p, size_t job, const struct alike *a, size_t check,
		     struct str *out)
{
	const struct job *j = &p->jobs[job];
	size_t start;

	str_addf(out, "%s on %s\n", j->name, p->targets[j->target].role);
	if (j->state == JOB_ERROR) {
		start = out->len;
		str_add(out, "  error: ");
		plan_fold(out, start, 4, j->why ? j->why : "");
	}
	show_company(p, job, out);
	if (!j->total)
		show_words(p, job, a, false, out);
	for (; check < p->nchecks && p->checks[check].job == job; check++)
		show_check(&p->checks[check], out);
	str_addc(out, '\n');
}

/* What is left out is named, with the reason once for all that share it. */
static void show_skipped(const struct plan *p, size_t first, struct str *out)
{
	const char *why = p->jobs[first].why ? p->jobs[first].why : "";
	size_t start = out->len;
	struct str names;

	for (size_t i = 0; i < first; i++)
		if (p->jobs[i].state == JOB_SKIPPED &&
		    str_eq(p->jobs[i].why ? p->jobs[i].why : "", why))
			return;
	str_init(&names);
	for (size_t i = first; i < p->njobs; i++)
		if (p->jobs[i].state == JOB_SKIPPED &&
		    str_eq(p->jobs[i].why ? p->jobs[i].why : "", why))
			str_addf(&names, "%s%s on %s", names.len ? ", " : "", p->jobs[i].name,
				 p->targets[p->jobs[i].target].role);
	str_add(out, "skipped: ");
	plan_fold(out, start, 4, why);
	start = out->len;
	str_add(out, "  ");
	plan_fold(out, start, 4, names.s);
	str_addc(out, '\n');
	str_release(&names);
}

void plan_show_jobs(const struct plan *p, struct str *out)
{
	struct alike a;
	size_t check = 0;

	find_alike(p, &a);
	if (a.jobs > 1) {
		str_addf(out, "alike in all %zu workloads\n", a.jobs);
		show_words(p, a.first, &a, true, out);
		str_addc(out, '\n');
	}
	for (size_t i = 0; i < p->njobs; i++) {
		if (p->jobs[i].state != JOB_SKIPPED)
			show_job(p, i, &a, check, out);
		while (check < p->nchecks && p->checks[check].job == i)
			check++;
	}
	for (size_t i = 0; i < p->njobs; i++)
		if (p->jobs[i].state == JOB_SKIPPED)
			show_skipped(p, i, out);
}
