/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * model/canonical: the identity of a job as text. One sorted table of words is read in both
 * directions, so that what is written can be read and nothing else can.
 */
#include "model/job.h"
#include "base/arena.h"
#include "base/units.h"
#include "base/vec.h"
#include "model/names.h"
#include <math.h>

enum word_type { W_U32, W_U64, W_BOOL, W_DOUBLE, W_TEXT, W_RW, W_SYNC, W_FILES };

struct word {
	const char *name;
	enum word_type type;
	size_t at;         /* offset in struct job */
	uint64_t min, max; /* of the numbers */
	bool later;        /* came after the first texts: written only where it is not 0 or "" */
};

#define WORD(field, type, min, max)                                                                \
	{                                                                                          \
#field, type, offsetof(struct job, field), min, max                                \
	}
/* Absent is 0 or "": texts of before the word existed stay what they were. */
#define LATER(field, type, max)                                                                    \
	{                                                                                          \
#field, type, offsetof(struct job, field), 0, max, true                            \
	}
static const struct word words[] = {
	LATER(beside, W_TEXT, 0),
	WORD(bs, W_U32, 0, UINT32_MAX),
	LATER(bsrange, W_TEXT, 0),
	LATER(bssplit, W_TEXT, 0),
	LATER(buffer_compress_percentage, W_U32, 100),
	LATER(cpus_allowed, W_TEXT, 0),
	LATER(cpus_allowed_policy, W_TEXT, 0),
	LATER(dedupe_percentage, W_U32, 100),
	WORD(direct, W_BOOL, 0, 1),
	LATER(drop_caches, W_BOOL, 1),
	WORD(end_fsync, W_BOOL, 0, 1),
	WORD(fdatasync, W_U32, 0, UINT32_MAX),
	WORD(files, W_FILES, 0, 0),
	LATER(fixedbufs, W_BOOL, 1),
	WORD(fsync, W_U32, 0, UINT32_MAX),
	LATER(hipri, W_BOOL, 1),
	WORD(invalidate, W_BOOL, 0, 1),
	WORD(iodepth, W_U32, 0, UINT32_MAX),
	WORD(iodepth_batch_complete_max, W_U32, 0, UINT32_MAX),
	WORD(iodepth_batch_complete_min, W_U32, 0, UINT32_MAX),
	WORD(iodepth_batch_submit, W_U32, 0, UINT32_MAX),
	WORD(ioengine, W_TEXT, 0, 0),
	WORD(loops, W_U64, 0, UINT64_MAX),
	WORD(norandommap, W_BOOL, 0, 1),
	LATER(nowait, W_BOOL, 1),
	/* written only where there are several: one is what there was before */
	{"nrfiles", W_U32, offsetof(struct job, nrfiles), 1, UINT32_MAX, true},
	LATER(numa_cpu_nodes, W_TEXT, 0),
	LATER(numa_mem_policy, W_TEXT, 0),
	WORD(numjobs, W_U32, 0, UINT32_MAX),
	WORD(offset, W_U64, 0, UINT64_MAX),
	LATER(precondition, W_TEXT, 0),
	WORD(ramp_time, W_U64, 0, UINT64_MAX),
	LATER(random_distribution, W_TEXT, 0),
	WORD(randrepeat, W_BOOL, 0, 1),
	LATER(rate, W_DOUBLE, 0),
	WORD(rate_iops, W_DOUBLE, 0, 0),
	LATER(registerfiles, W_BOOL, 1),
	LATER(refill_buffers, W_BOOL, 1),
	WORD(runtime, W_U64, 0, UINT64_MAX),
	WORD(rw, W_RW, 0, 0),
	WORD(rwmixread, W_U32, 0, 100),
	LATER(sim, W_TEXT, 0),
	WORD(size, W_U64, 0, UINT64_MAX),
	LATER(sqthread_poll, W_BOOL, 1),
	LATER(startdelay, W_U64, UINT64_MAX),
	WORD(sync, W_SYNC, 0, 0),
	LATER(thinktime, W_U64, UINT64_MAX),
	LATER(thinktime_blocks, W_U32, UINT32_MAX),
	WORD(time_based, W_BOOL, 0, 1),
	LATER(tunables, W_TEXT, 0),
	LATER(verify, W_TEXT, 0),
};
#undef WORD
#undef LATER

/* Reading and writing go through memcpy: the table knows offsets, not types. */
#define FIELD(type, j, w)                                                                          \
	({                                                                                         \
		type field_;                                                                       \
		memcpy(&field_, (const char *)(j) + (w)->at, sizeof(field_));                      \
		field_;                                                                            \
	})
#define FIELD_SET(type, j, w, value)                                                               \
	do {                                                                                       \
		type field_ = (value);                                                             \
		memcpy((char *)(j) + (w)->at, &field_, sizeof(field_));                            \
	} while (0)

static void add_escaped(struct str *out, const char *s)
{
	for (; *s; s++) {
		unsigned char c = (unsigned char)*s;

		if (c <= ' ' || c >= 0x7f || c == '%')
			str_addf(out, "%%%02X", c);
		else
			str_addc(out, *s);
	}
}

static void add_value(struct str *out, const struct job *j, const struct word *w)
{
	switch (w->type) {
	case W_U32:
		str_addf(out, "%u", FIELD(uint32_t, j, w));
		break;
	case W_U64:
		str_addf(out, "%llu", (unsigned long long)FIELD(uint64_t, j, w));
		break;
	case W_BOOL:
		str_addc(out, FIELD(bool, j, w) ? '1' : '0');
		break;
	case W_DOUBLE:
		units_add_double(out, FIELD(double, j, w));
		break;
	case W_TEXT:
		add_escaped(out, FIELD(const char *, j, w) ?: "");
		break;
	case W_RW:
		str_add(out, job_rw_name(FIELD(enum job_rw, j, w)));
		break;
	case W_SYNC:
		str_add(out, job_sync_name(FIELD(enum job_sync, j, w)));
		break;
	case W_FILES:
		str_add(out, job_files_name(FIELD(enum job_files, j, w)));
		break;
	}
}

static bool is_absent(const struct job *j, const struct word *w)
{
	const char *text;

	switch (w->type) {
	case W_U32:
		return FIELD(uint32_t, j, w) <= w->min;
	case W_U64:
		return FIELD(uint64_t, j, w) == 0;
	case W_BOOL:
		return !FIELD(bool, j, w);
	case W_DOUBLE:
		return !(FIELD(double, j, w) > 0);
	case W_TEXT:
		text = FIELD(const char *, j, w);
		return !text || !*text;
	case W_RW:
	case W_SYNC:
	case W_FILES:
		break;
	}
	return false;
}

void job_canonical(const struct job *j, struct str *out)
{
	const char *between = "";

	for (size_t i = 0; i < NAMES_COUNT(words); i++) {
		const struct word *w = &words[i];

		if (w->later && is_absent(j, w))
			continue;
		str_addf(out, "%s%s=", between, w->name);
		add_value(out, j, w);
		between = " ";
	}
}

/* The next "word=value" of a text; the value may be empty or missing (ve == word end). */
struct pair {
	const char *word, *value;
	size_t nword, nvalue;
};

static bool next_pair(const char **text, struct pair *p)
{
	const char *s = *text, *end, *eq;

	while (*s == ' ')
		s++;
	if (!*s)
		return false;
	end = strchrnul(s, ' ');
	eq = memchr(s, '=', (size_t)(end - s));
	p->word = s;
	p->nword = (size_t)((eq ? eq : end) - s);
	p->value = eq ? eq + 1 : end;
	p->nvalue = (size_t)(end - p->value);
	*text = end;
	return true;
}

static bool find_pair(const char *text, const struct pair *like, struct pair *out)
{
	while (next_pair(&text, out)) {
		if (out->nword == like->nword && memcmp(out->word, like->word, like->nword) == 0)
			return true;
	}
	return false;
}

static const char *unescape(const char *s, struct arena *a);

/* Its value is a list of whole texts: what changed inside is what a reader can act on. */
static bool add_beside(struct str *out, const struct pair *word, const struct pair *was,
		       const struct pair *is)
{
	const char *a, *b;
	struct arena arena;

	if (word->nword != strlen("beside") || memcmp(word->word, "beside", word->nword) != 0)
		return false;
	arena_init(&arena);
	a = was ? unescape(arena_strndup(&arena, was->value, was->nvalue), &arena) : "";
	b = is ? unescape(arena_strndup(&arena, is->value, is->nvalue), &arena) : "";
	beside_diff(a, b, out);
	arena_release(&arena);
	return true;
}

static void add_change(struct str *out, const struct pair *word, const struct pair *was,
		       const struct pair *is)
{
	if (out->len)
		str_add(out, "; ");
	if (add_beside(out, word, was, is))
		return;
	str_addn(out, word->word, word->nword);
	str_addc(out, ' ');
	if (was)
		str_addn(out, was->value, was->nvalue);
	else
		str_add(out, "(none)");
	str_add(out, " -> ");
	if (is)
		str_addn(out, is->value, is->nvalue);
	else
		str_add(out, "(none)");
}

void job_canonical_diff(const char *old_text, const char *new_text, struct str *out)
{
	struct pair a, b;
	struct str diff;

	if (str_eq(old_text, new_text))
		return;
	str_init(&diff);
	for (const char *t = old_text ? old_text : ""; next_pair(&t, &a);) {
		if (!find_pair(new_text ? new_text : "", &a, &b))
			add_change(&diff, &a, &a, NULL);
		else if (a.nvalue != b.nvalue || memcmp(a.value, b.value, a.nvalue) != 0)
			add_change(&diff, &a, &a, &b);
	}
	for (const char *t = new_text ? new_text : ""; next_pair(&t, &b);) {
		if (!find_pair(old_text ? old_text : "", &b, &a))
			add_change(&diff, &b, NULL, &b);
	}
	/* unequal texts are another identity even when no word differs: never "" */
	if (!diff.len)
		str_add(&diff, "order, number or spacing of the words");
	str_addn(out, diff.s, diff.len);
	str_release(&diff);
}

static int hex_digit(char c)
{
	if (c_isdigit(c))
		return c - '0';
	return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

static const char *unescape(const char *s, struct arena *a)
{
	char *out = arena_alloc(a, strlen(s) + 1), *to = out;

	while (*s) {
		int hi = *s == '%' ? hex_digit(s[1]) : -1;
		int lo = hi >= 0 ? hex_digit(s[2]) : -1;

		if (lo >= 0 && (hi || lo)) {
			*to++ = (char)(hi * 16 + lo);
			s += 3;
		} else {
			*to++ = *s++; /* a stray % does not survive the comparison below */
		}
	}
	return out;
}

static int read_double(const char *s, double *out)
{
	char *end;

	if (!c_isdigit(*s))
		return -1;
	*out = strtod(s, &end);
	return *end || !isfinite(*out) ? -1 : 0;
}

/* 0, or -1 when the value is not of the word's kind or range. */
static int set_value(struct job *j, const struct word *w, const char *s, struct arena *a)
{
	enum job_sync sync;
	enum job_files files;
	enum job_rw rw;
	uint64_t n = 0;
	double d;
	int rc = 0;

	if ((w->type == W_U32 || w->type == W_U64 || w->type == W_BOOL) &&
	    (!str_to_u64(s, &n) || n < w->min || n > w->max))
		return -1;
	switch (w->type) {
	case W_U32:
		FIELD_SET(uint32_t, j, w, (uint32_t)n);
		break;
	case W_U64:
		FIELD_SET(uint64_t, j, w, n);
		break;
	case W_BOOL:
		FIELD_SET(bool, j, w, n == 1);
		break;
	case W_DOUBLE:
		rc = read_double(s, &d);
		if (rc == 0)
			FIELD_SET(double, j, w, d);
		break;
	case W_TEXT:
		FIELD_SET(const char *, j, w, unescape(s, a));
		break;
	case W_RW:
		rc = job_rw_find(s, &rw);
		if (rc == 0)
			FIELD_SET(enum job_rw, j, w, rw);
		break;
	case W_SYNC:
		rc = job_sync_find(s, &sync);
		if (rc == 0)
			FIELD_SET(enum job_sync, j, w, sync);
		break;
	case W_FILES:
		rc = job_files_find(s, &files);
		if (rc == 0)
			FIELD_SET(enum job_files, j, w, files);
		break;
	}
	return rc;
}

static int read_words(const char *text, struct arena *a, struct job *j, struct err *e)
{
	for (size_t i = 0; i < NAMES_COUNT(words); i++) {
		const struct word *w = &words[i];
		const struct pair like = {.word = w->name, .nword = strlen(w->name)};
		struct pair p;
		char *value;

		if (!find_pair(text, &like, &p)) {
			if (w->later)
				continue;
			return err_set(e, ERR_DATA, "job text: word '%s' is missing", w->name);
		}
		value = arena_strndup(a, p.value, p.nvalue);
		if (set_value(j, w, value, a))
			return err_set(e, ERR_DATA, "job text: '%s=%.80s' is not valid", w->name,
				       value);
	}
	return 0;
}

int job_from_canonical(const char *text, struct arena *a, struct job *j, struct err *e)
{
	struct str again, diff;
	int rc;

	*j = (struct job){.sim = "",
			  .beside = "",
			  .stonewall = true,
			  .bssplit = "",
			  .bsrange = "",
			  .random_distribution = "",
			  .verify = "",
			  .cpus_allowed = "",
			  .cpus_allowed_policy = "",
			  .numa_cpu_nodes = "",
			  .numa_mem_policy = "",
			  .precondition = "",
			  .tunables = "",
			  .nrfiles = 1};
	rc = read_words(text, a, j, e);
	if (rc)
		return rc;
	j->ioengine_asked = j->ioengine;
	/* what was read must be the whole text: an unknown, repeated or misplaced word, or another
	 * spelling of a number, would make two texts of one identity */
	str_init(&again);
	job_canonical(j, &again);
	if (!str_eq(again.s, text)) {
		str_init(&diff);
		job_canonical_diff(text, again.s, &diff);
		rc = err_set(e, ERR_DATA, "job text is not in canonical form: %.300s", diff.s);
		str_release(&diff);
	}
	str_release(&again);
	return rc;
}
