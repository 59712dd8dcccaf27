/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What must be read beside the figures of a workload: the share that no device saw, and the notes
 * that its runs left. Decides nothing: a rule of when a note is due stands where it is made.
 */
#include "report/view.h"

#include "base/units.h"

#include <string.h>

/* Below one per cent, and below what the borders of the window blur, it is no news. */
#define SHARE_MIN 0.01
#define STEP_MAX 0.5
#define NOTES_MAX 6

struct sums {
	uint64_t application, device;
	size_t runs, blurred, missing; /* missing: not even n/a, but nobody knows */
	const struct outcome *odd;     /* the first of those */
	bool more;                     /* it lacks a value since the device saw more */
};

static struct sums add_up(const struct view *w, uint32_t job, const struct metric *m)
{
	struct sums s = {0};

	for (size_t i = w->first[job]; i < w->first[job + 1]; i++) {
		const struct outcome *o = &w->run[i]->out;
		const struct outcome_device *d =
			m->dir == DIR_READ ? &o->device_read : &o->device_written;
		struct value v;

		metric_value(m, &w->r->jobs[job], o, &v);
		if (v.state == VALUE_NA || o->status != OUTCOME_OK)
			continue;
		s.runs++;
		s.application += o->dir[m->dir].bytes;
		s.device += d->bytes;
		s.blurred += v.state == VALUE_OK && (v.v < SHARE_MIN || v.step > STEP_MAX);
		s.missing += v.state != VALUE_OK;
		if (v.state == VALUE_OK || s.odd)
			continue;
		s.odd = o;
		s.more = d->state == DEVICE_KNOWN;
	}
	return s;
}

static void add_bytes(struct str *out, const struct sums *s)
{
	str_add(out, "application ");
	unit_format(out, UNIT_BYTES, (double)s->application);
	str_add(out, ", device ");
	unit_format(out, UNIT_BYTES, (double)s->device);
}

static void unknown(const struct sums *s, const struct metric *m, struct str *out)
{
	const struct outcome_device *d =
		m->dir == DIR_READ ? &s->odd->device_read : &s->odd->device_written;

	str_addf(out, "unknown of the %ss (%s)", io_dir_name((enum io_dir)m->dir),
		 d->why[0] ? d->why : "not recorded");
}

/* "97 % of the writes (application 26.3 GB, device 800 MB)"; "" = nothing to say. */
static void absorbed(const struct view *w, uint32_t job, unsigned dir, bool verbose,
		     struct str *out)
{
	static const char *const names[] = {
		[DIR_READ] = "read.absorbed", [DIR_WRITE] = "write.absorbed"};
	const struct metric *m = metric_find(names[dir]);
	struct sums s;

	if (!m || !metric_job_does(&w->r->jobs[job], dir))
		return;
	s = add_up(w, job, m);
	if (!s.runs || (s.missing && !s.more)) {
		if (s.runs && verbose)
			unknown(&s, m, out);
		return;
	}
	if (s.missing && s.device > s.application) {
		str_addf(out, "unknown of the %ss: the device saw more (",
			 io_dir_name((enum io_dir)dir));
		add_bytes(out, &s);
		str_addc(out, ')');
	} else if (!s.missing && s.blurred < s.runs && s.application > s.device) {
		unit_format(out, UNIT_RATIO,
			    (double)(s.application - s.device) / (double)s.application);
		str_addf(out, " of the %ss (", io_dir_name((enum io_dir)dir));
		add_bytes(out, &s);
		str_addc(out, ')');
	}
}

/* Notes of several runs that differ in their figures only are one. */
static bool alike(const char *a, const char *b, size_t nb)
{
	const char *end = b + nb;

	for (;;) {
		while (*a && (c_isdigit(*a) || *a == '.'))
			a++;
		while (b < end && (c_isdigit(*b) || *b == '.'))
			b++;
		if (!*a || b == end || *a != *b)
			return !*a && b == end;
		a++;
		b++;
	}
}

/* The engine's way of doing things is none of a reader's worries. */
static bool wanted(const char *text, size_t n, bool verbose)
{
	static const char detail[] = "engine: ";

	return n && (verbose || n < sizeof(detail) || memcmp(text, detail, sizeof(detail) - 1));
}

struct notes {
	char *v[NOTES_MAX];
	size_t n;
};

static void collect(struct notes *l, const char *notes, bool verbose)
{
	for (const char *at = notes; *at;) {
		const char *end = strstr(at, "; ");
		size_t n = end ? (size_t)(end - at) : strlen(at), i = 0;

		while (i < l->n && !alike(l->v[i], at, n))
			i++;
		if (i == l->n && l->n < NOTES_MAX && wanted(at, n, verbose))
			l->v[l->n++] = xasprintf("%.*s", (int)n, at);
		at += n + (end ? 2 : 0);
	}
}

void view_beside(const struct view *w, uint32_t job, bool verbose, view_line_fn *line, void *arg)
{
	struct notes notes = {0};
	struct str s;

	str_init(&s);
	for (unsigned d = DIR_READ; d <= DIR_WRITE; d++) {
		str_clear(&s);
		absorbed(w, job, d, verbose, &s);
		if (s.len)
			line(arg, "absorbed", s.s);
	}
	for (size_t i = w->first[job]; i < w->first[job + 1]; i++)
		collect(&notes, w->run[i]->out.notes, verbose);
	for (size_t i = 0; i < notes.n; i++) {
		line(arg, "note", notes.v[i]);
		free(notes.v[i]);
	}
	str_release(&s);
}
