/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cmd/progress.h"

#include "base/clock.h"
#include "base/units.h"
#include "measure/metric.h"

#include <math.h>
#include <stdio.h>
#include <unistd.h>

#define JUNIT_EVERY (5 * NS_PER_SEC)

void progress_init(struct progress *p, const struct options *o, struct documents *documents)
{
	*p = (struct progress){
		.live = isatty(STDERR_FILENO) && !o->quiet,
		.quiet = o->quiet,
		.verbose = o->verbose,
		.width = terminal_width(STDERR_FILENO),
		.last_junit = clock_now(),
		.documents = documents,
	};
}

static void put_line(struct progress *p, struct str *s)
{
	/* Cut by bytes at a character's start: names of the suite are ASCII, targets may not be. */
	if (s->len >= p->width) {
		size_t n = p->width - 1;

		while (n && ((unsigned char)s->s[n] & 0xc0) == 0x80)
			n--;
		s->len = n;
	}
	fprintf(stderr, "\r%.*s\033[K", (int)s->len, s->s);
	fflush(stderr);
	p->line_open = true;
}

void progress_end(struct progress *p)
{
	if (p->line_open)
		fputs("\r\033[K", stderr);
	p->line_open = false;
}

/* What runs at the same time: the figures of the line are of all of it. */
static void add_company(struct str *s, const struct result *r, uint32_t job)
{
	const struct job *j = &r->jobs[job];

	for (size_t i = 0; j->group && i < r->njobs; i++) {
		const struct job *k = &r->jobs[i];

		if (i == job || k->group != j->group || k->total)
			continue;
		str_add(s, " + ");
		if (k->target != j->target)
			str_addf(s, "%s ", r->targets[k->target].role);
		str_add(s, k->name);
	}
}

static void head(struct str *s, const struct session_event *ev)
{
	const struct result *r = ev->result;

	str_addf(s, "[%u/%u] ", ev->done + 1, ev->total);
	if (ev->pair)
		str_addf(s, "pair %u: ", ev->pair);
	else if (ev->session)
		str_addf(s, "session %u: ", ev->session + 1);
	if (ev->job == UINT32_MAX)
		return;
	if (r->ntargets > 1)
		str_addf(s, "%s ", r->targets[r->jobs[ev->job].target].role);
	str_addf(s, "%s", r->jobs[ev->job].name);
	if (ev->value)
		str_addf(s, " (%s)", ev->value);
	if (ev->kind == EVENT_RUN || ev->kind == EVENT_PROGRESS)
		add_company(s, r, ev->job);
}

static void live(struct progress *p, const struct session_event *ev)
{
	const struct run_progress *g = ev->progress;
	struct str s;

	str_init(&s);
	head(&s, ev);
	if (g) {
		uint64_t ios = g->ios - p->last_ios, ns = g->elapsed - p->last_elapsed;

		if (g->ios < p->last_ios || g->elapsed <= p->last_elapsed)
			ios = ns = 0;
		p->last_ios = g->ios;
		p->last_elapsed = g->elapsed;
		str_addf(&s, "  %s", g->phase ? g->phase : "");
		if (ns) {
			str_add(&s, "  ");
			unit_format(&s, UNIT_IOPS, (double)ios * 1e9 / (double)ns);
		}
	}
	str_add(&s, "  ETA ");
	unit_format_duration(&s, ev->eta);
	put_line(p, &s);
	str_release(&s);
}

/* The figure a reader looks for first: the total rate of the run. */
static void run_done(struct progress *p, const struct session_event *ev)
{
	const struct outcome *o = &ev->finished->out;
	const struct metric *m = metric_find("total.iops");
	struct value v = {0};
	struct str s;

	if (p->live && o->status == OUTCOME_OK)
		return;
	progress_end(p);
	str_init(&s);
	head(&s, ev);
	if (!ev->pair)
		str_addf(&s, " run %u", ev->run + 1);
	str_add(&s, "  ");
	if (m)
		metric_value(m, &ev->result->jobs[ev->job], o, &v);
	if (o->status != OUTCOME_OK)
		str_addf(&s, "%s: %s", outcome_status_name(o->status), o->text);
	else
		unit_format(&s, UNIT_IOPS, v.state == VALUE_OK ? v.v : NAN);
	if (o->notes[0] && p->verbose)
		str_addf(&s, "  (%s)", o->notes);
	say("%s", s.s);
	str_release(&s);
}

static void prepare_step(const struct session_event *ev)
{
	const struct result *r = ev->result;
	const struct job *j = &r->jobs[ev->job];

	if (r->ntargets > 1)
		say("%s %s: %s", r->targets[j->target].role, j->name, ev->text);
	else
		say("%s: %s", j->name, ev->text);
}

void progress_event(void *arg, const struct session_event *ev)
{
	struct progress *p = arg;
	struct err ignored = ERR_INIT;

	if (ev->kind == EVENT_RUN_DONE && p->documents &&
	    clock_now() - p->last_junit > JUNIT_EVERY) {
		/* A failure here shows again, and is told, when the documents are written at the
		 * end. */
		documents_junit(p->documents, &ignored);
		p->last_junit = clock_now();
	}
	if (p->quiet)
		return;
	switch (ev->kind) {
	case EVENT_SESSION:
		if (ev->pair) {
			progress_end(p);
			if (ev->pair > 1 || p->verbose)
				say("from pair %u: %u runs%s", ev->pair, ev->total,
				    ev->pair > 1 ? ", for what is not decided yet" : "");
		} else if (ev->session || p->verbose) {
			progress_end(p);
			say("session %u: %u runs%s", ev->session + 1, ev->total,
			    ev->session ? ", for what is not decided yet" : "");
		}
		break;
	case EVENT_LAYOUT:
		if (p->verbose)
			say("writing the files of this %s in '%s'", ev->pair ? "run" : "session",
			    ev->text);
		break;
	case EVENT_PREPARE:
		progress_end(p);
		p->last_ios = p->last_elapsed = 0;
		prepare_step(ev);
		break;
	case EVENT_RUN:
		p->last_ios = p->last_elapsed = 0;
		if (p->live)
			live(p, ev);
		break;
	case EVENT_PROGRESS:
		if (p->live && ev->job != UINT32_MAX)
			live(p, ev);
		break;
	case EVENT_RUN_DONE:
		run_done(p, ev);
		break;
	case EVENT_NOTICE:
		progress_end(p);
		say("blkgate: %s", ev->text);
		break;
	case EVENT_JUDGED:
		progress_end(p);
		break;
	}
}
