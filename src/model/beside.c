/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * model/beside: what ran at the same time, as a word of the identity. The texts of the companions
 * stand in it whole, so that a change of one is shown as what it is and not as another digest.
 */
#include "base/arena.h"
#include "base/vec.h"
#include "model/job.h"

#include <stdlib.h>
#include <string.h>

uint32_t *jobs_ring(const struct job *jobs, size_t n)
{
	uint32_t *next = xcalloc(n + 1, sizeof(*next)), *last = xcalloc(n + 1, sizeof(*last));

	for (uint32_t i = 0; i < n; i++) {
		uint32_t g = jobs[i].group;

		next[i] = i;
		if (!g || g > n)
			continue;
		if (last[g]) { /* behind the newest one, before the first */
			next[i] = next[last[g] - 1];
			next[last[g] - 1] = i;
		}
		last[g] = i + 1;
	}
	free(last);
	return next;
}

struct member {
	uint32_t job, target;
	char *text; /* canonical, without what runs beside it */
};

struct members {
	struct member *v;
	size_t n, cap;
};

static int by_text(const void *a, const void *b)
{
	const struct member *x = a, *y = b;
	int rc = strcmp(x->text, y->text);

	return rc ? rc : (x->job > y->job) - (x->job < y->job);
}

static void collect(const struct job *jobs, const uint32_t *ring, uint32_t first, struct members *m)
{
	uint32_t i = first;

	m->n = 0;
	do {
		struct job alone = jobs[i];
		struct str text;

		alone.beside = NULL;
		str_init(&text);
		job_canonical(&alone, &text);
		if (!jobs[i].total)
			*VEC_PUSH(m) = (struct member){i, jobs[i].target, xstrdup(text.s)};
		str_release(&text);
		i = ring[i];
	} while (i != first);
	if (m->n > 1)
		qsort(m->v, m->n, sizeof(*m->v), by_text);
}

static void add_lines(const struct job *jobs, uint32_t job, const struct members *m,
		      struct str *out)
{
	bool total = jobs[job].total;
	size_t end;

	for (size_t i = 0; i < m->n; i = end) {
		uint32_t same = 0, other = 0;

		for (end = i; end < m->n && strcmp(m->v[end].text, m->v[i].text) == 0; end++) {
			if (m->v[end].job == job)
				continue;
			if (m->v[end].target == jobs[job].target)
				same++;
			else
				other++;
		}
		if (other)
			str_addf(out, "%s%u %s %s", out->len ? "\n" : "", other,
				 total ? "part" : "other", m->v[i].text);
		if (same)
			str_addf(out, "%s%u same %s", out->len ? "\n" : "", same, m->v[i].text);
	}
}

static void group_beside(struct job *jobs, const uint32_t *ring, uint32_t first, struct arena *a)
{
	struct members m = {0};
	uint32_t i = first;

	collect(jobs, ring, first, &m);
	do {
		struct str text;

		str_init(&text);
		add_lines(jobs, i, &m, &text);
		jobs[i].beside = arena_strdup(a, text.s);
		str_release(&text);
		i = ring[i];
	} while (i != first);
	for (size_t k = 0; k < m.n; k++)
		free(m.v[k].text);
	VEC_RELEASE(&m);
}

void jobs_beside(struct job *jobs, size_t n, struct arena *a)
{
	uint32_t *ring = jobs_ring(jobs, n);
	bool *done = xcalloc(n + 1, sizeof(*done));

	for (uint32_t i = 0; i < n; i++) {
		uint32_t k = i;

		if (ring[i] == i || done[i])
			continue;
		group_beside(jobs, ring, i, a);
		do {
			done[k] = true;
			k = ring[k];
		} while (k != i);
	}
	free(done);
	free(ring);
}

/* One line of a value. */
struct line {
	uint64_t count;
	const char *relation; /* not terminated */
	size_t nrelation;
	char *text; /* terminated */
};

struct lines {
	struct line *v;
	size_t n, cap;
};

static void read_lines(const char *value, struct lines *l)
{
	while (*value) {
		const char *end = strchrnul(value, '\n'), *s = value;
		struct line x = {.count = 1, .relation = ""};

		if (str_take_u64(&s, &x.count) && *s == ' ')
			s++;
		x.relation = s;
		while (s < end && *s != ' ')
			s++;
		x.nrelation = (size_t)(s - x.relation);
		s += s < end;
		x.text = xasprintf("%.*s", (int)(end - s), s);
		*VEC_PUSH(l) = x;
		value = *end ? end + 1 : end;
	}
}

static void free_lines(struct lines *l)
{
	for (size_t i = 0; i < l->n; i++)
		free(l->v[i].text);
	VEC_RELEASE(l);
}

uint32_t job_parts(const struct job *j)
{
	struct lines l = {0};
	uint64_t n = 0;

	if (!j->total)
		return 1;
	read_lines(j->beside ? j->beside : "", &l);
	for (size_t i = 0; i < l.n; i++)
		n += l.v[i].count;
	free_lines(&l);
	return n > 1 && n <= UINT32_MAX ? (uint32_t)n : 1;
}

static bool same_kind(const struct line *a, const struct line *b)
{
	return a->count == b->count && a->nrelation == b->nrelation &&
	       memcmp(a->relation, b->relation, a->nrelation) == 0;
}

/* Takes out what stands on both sides. */
static void drop_common(struct lines *a, struct lines *b)
{
	for (size_t i = 0; i < a->n;) {
		size_t k = 0;

		while (k < b->n &&
		       (!same_kind(&a->v[i], &b->v[k]) || strcmp(a->v[i].text, b->v[k].text) != 0))
			k++;
		if (k == b->n) {
			i++;
			continue;
		}
		free(a->v[i].text);
		free(b->v[k].text);
		a->v[i] = a->v[--a->n];
		b->v[k] = b->v[--b->n];
	}
}

static void add_word_of(const char *text, const char *word, struct str *out)
{
	size_t n = strlen(word);

	for (const char *s = text; s && *s; s = strchr(s, ' ') ? strchr(s, ' ') + 1 : NULL)
		if (strncmp(s, word, n) == 0 && s[n] == '=') {
			str_addf(out, " %.*s", (int)strcspn(s, " "), s);
			return;
		}
}

static void add_side(const struct lines *l, struct str *out)
{
	static const char *const words[] = {"rw", "bs", "iodepth", "numjobs"};

	if (l->n == 0)
		str_add(out, "nothing");
	for (size_t i = 0; i < l->n; i++) {
		const struct line *x = &l->v[i];

		str_addf(out, "%s%llu on %.*s target%s:", i ? ", " : "",
			 (unsigned long long)x->count, (int)x->nrelation, x->relation,
			 x->count == 1 ? "" : "s");
		for (size_t k = 0; k < sizeof(words) / sizeof(*words); k++)
			add_word_of(x->text, words[k], out);
	}
}

void beside_diff(const char *was, const char *is, struct str *out)
{
	struct lines a = {0}, b = {0};

	read_lines(was, &a);
	read_lines(is, &b);
	drop_common(&a, &b);
	if (a.n == 1 && b.n == 1 && same_kind(&a.v[0], &b.v[0])) {
		str_add(out, "beside it (");
		job_canonical_diff(a.v[0].text, b.v[0].text, out);
		str_addc(out, ')');
	} else if (a.n || b.n) {
		str_add(out, "beside it (");
		add_side(&a, out);
		str_add(out, " -> ");
		add_side(&b, out);
		str_addc(out, ')');
	}
	free_lines(&a);
	free_lines(&b);
}
