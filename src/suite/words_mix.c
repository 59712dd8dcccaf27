/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Words whose value is a list in fio's syntax: mixed block sizes and distributions of offsets. */
#include "suite/words_read.h"

#include <string.h>

#include "base/arena.h"
#include "base/units.h"

enum { PART_MAX = 48 };
#define MAX_BS (1ULL << 30)

static int one_size(const struct word *w, const char *text, const char *from, size_t n,
		    uint32_t *out, struct err *e)
{
	char part[PART_MAX];
	uint64_t v;

	if (!n || n >= sizeof(part))
		return err_set(e, ERR_SUITE, "%s: '%s' lacks a size", w->name, text);
	memcpy(part, from, n);
	part[n] = '\0';
	if (units_size(part, &v, e)) {
		e->code = ERR_SUITE;
		return err_prefix(e, "%s", w->name);
	}
	if (!v || v > MAX_BS)
		return err_set(e, ERR_SUITE, "%s: '%s' is out of range: 1 to %llu", w->name, part,
			       MAX_BS);
	*out = (uint32_t)v;
	return 0;
}

static int one_mix_only(const struct word *w, const char *text, struct err *e)
{
	err_set(e, ERR_SUITE, "%s: '%s': one mix holds for all directions here", w->name, text);
	return err_hint(e, "two workloads, or a 'matrix' over rw");
}

/* Ascending, so that the same mix in another order is the same identity. */
static int insert(const struct word *w, struct bs_mix *m, uint32_t bs, uint32_t percent,
		  struct err *e)
{
	uint32_t i = m->n;

	if (m->n == BS_MIX_MAX)
		return err_set(e, ERR_SUITE, "%s: more than %d sizes", w->name, BS_MIX_MAX);
	for (; i && m->bs[i - 1] >= bs; i--) {
		if (m->bs[i - 1] == bs)
			return err_set(e, ERR_SUITE, "%s: %u stands there twice", w->name, bs);
		m->bs[i] = m->bs[i - 1];
		m->percent[i] = m->percent[i - 1];
	}
	m->bs[i] = bs;
	m->percent[i] = percent;
	m->n++;
	return 0;
}

static int split_parts(const struct word *w, const char *text, struct bs_mix *m, struct err *e)
{
	uint32_t sum = 0;

	for (const char *s = text, *end; s; s = *end ? end + 1 : NULL) {
		const char *slash = strchr(s, '/');
		char share[8] = "";
		uint64_t percent;
		uint32_t bs = 0;
		int rc;

		end = strchrnul(s, ':');
		if (!slash || slash > end || (size_t)(end - slash) > sizeof(share) ||
		    slash + 1 == end) {
			err_set(e, ERR_SUITE, "%s: '%s' lacks the share of a size", w->name, text);
			return err_hint(e, "write SIZE/PER CENT: 4k/60:64k/40");
		}
		rc = one_size(w, text, s, (size_t)(slash - s), &bs, e);
		if (rc)
			return rc;
		memcpy(share, slash + 1, (size_t)(end - slash - 1));
		if (units_count(share, &percent, e) || percent < 1 || percent > 100)
			return err_set(e, ERR_SUITE,
				       "%s: share '%s' is no whole number of 1 to 100", w->name,
				       share);
		rc = insert(w, m, bs, (uint32_t)percent, e);
		if (rc)
			return rc;
		sum += (uint32_t)percent;
	}
	return sum == 100 ? 0
			  : err_set(e, ERR_SUITE, "%s: the shares of '%s' come to %u, not to 100",
				    w->name, text, sum);
}

/* Offsets are multiples of the smallest block: another one would leave them misaligned. */
static int not_multiple(const struct word *w, uint32_t bs, uint32_t smallest, struct err *e)
{
	return err_set(e, ERR_SUITE, "%s: %u is no multiple of the smallest size %u", w->name, bs,
		       smallest);
}

WORD_READER(word_read_bssplit)
{
	struct bs_mix m = {0};
	struct str out;
	int rc;

	if (strchr(text, ','))
		return one_mix_only(w, text, e);
	rc = split_parts(w, text, &m, e);
	for (uint32_t i = 1; !rc && i < m.n; i++)
		if (m.bs[i] % m.bs[0])
			rc = not_multiple(w, m.bs[i], m.bs[0], e);
	if (rc)
		return rc;
	str_init(&out);
	for (uint32_t i = 0; i < m.n; i++)
		str_addf(&out, "%s%u/%u", i ? ":" : "", m.bs[i], m.percent[i]);
	j->bssplit = arena_strdup(a, out.s);
	str_release(&out);
	return 0;
}

WORD_READER(word_read_bsrange)
{
	const char *dash = strchr(text, '-');
	uint32_t low = 0, high = 0;
	int rc;

	if (strchr(text, ','))
		return one_mix_only(w, text, e);
	if (!dash) {
		err_set(e, ERR_SUITE, "%s: '%s' is no range", w->name, text);
		return err_hint(e, "write SMALLEST-LARGEST: 4k-64k");
	}
	rc = one_size(w, text, text, (size_t)(dash - text), &low, e);
	if (!rc)
		rc = one_size(w, text, dash + 1, strlen(dash + 1), &high, e);
	if (rc)
		return rc;
	if (high < low)
		return err_set(e, ERR_SUITE, "%s: '%s' ends below its begin", w->name, text);
	if (high % low)
		return not_multiple(w, high, low, e);
	j->bsrange = arena_printf(a, "%u-%u", low, high);
	return 0;
}

/* Numbers in one spelling: zipf:1.20 and zipf:1.2 are one identity. */
static int distribution(const struct word *w, const char *text, struct arena *a, struct job *j,
			struct err *e)
{
	const char *colon = strchr(text, ':');
	struct job try = {0};
	struct random_dist d;
	struct str out;
	double v;

	if (!colon || !colon[1])
		return err_set(e, ERR_SUITE, "%s: '%s' lacks its figures", w->name, text);
	str_init(&out);
	str_addn(&out, text, (size_t)(colon + 1 - text));
	if (str_starts(text, "zoned:")) {
		str_add(&out, colon + 1);
	} else if (units_number(colon + 1, &v, e)) {
		str_release(&out);
		e->code = ERR_SUITE;
		return err_prefix(e, "%s", w->name);
	} else {
		units_add_double(&out, v);
	}
	try.random_distribution = arena_strdup(a, out.s);
	str_release(&out);
	if (job_random_dist(&try, &d) == 0) {
		j->random_distribution = try.random_distribution;
		return 0;
	}
	err_set(e, ERR_SUITE, "%s: '%s' is out of range", w->name, text);
	return err_hint(
		e, "zipf: above 0, at most 10, not 1; pareto: between 0 and 1; normal: above 0, "
		   "at most 100; zoned: SHARE/SIZE:... in whole per cent, each sum 100");
}

WORD_READER(word_read_distribution)
{
	static const char *const known[] = {"zipf", "pareto", "normal", "zoned"};
	size_t n = strcspn(text, ":");

	if (strcmp(text, "random") == 0) {
		j->random_distribution = arena_strdup(a, "");
		return 0;
	}
	for (unsigned i = 0; i < sizeof(known) / sizeof(*known); i++)
		if (strlen(known[i]) == n && memcmp(text, known[i], n) == 0)
			return distribution(w, text, a, j, e);
	err_set(e, ERR_SUITE, "%s: '%s' is no distribution known here", w->name, text);
	return err_hint(e, "random, zipf:THETA, pareto:H, normal:DEV or zoned:SHARE/SIZE:...");
}

WORD_SHOWER(word_show_text)
{
	const char *text = *(const char *const *)(const void *)((const char *)j + w->offset);

	str_add(out, text ? text : "");
}

WORD_SHOWER(word_show_distribution)
{
	(void)w;
	str_add(out, j->random_distribution && *j->random_distribution ? j->random_distribution
								       : "random");
}
