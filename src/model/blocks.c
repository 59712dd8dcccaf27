/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * model/blocks: the words of a job that are lists: which block sizes, how random offsets are
 * distributed, which processors. Their text is the identity; here it becomes numbers.
 */
#include "model/job.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static bool whole(const char **s, uint64_t max, uint32_t *out)
{
	uint64_t v = 0;

	if (!c_isdigit(**s))
		return false;
	for (; c_isdigit(**s); (*s)++) {
		v = v * 10 + (uint64_t)(**s - '0');
		if (v > max)
			return false;
	}
	*out = (uint32_t)v;
	return true;
}

static bool skip(const char **s, char c)
{
	return **s == c && (*s)++;
}

static bool range_read(const char *s, struct bs_mix *m)
{
	m->n = 0;
	return whole(&s, UINT32_MAX, &m->smallest) && skip(&s, '-') &&
	       whole(&s, UINT32_MAX, &m->largest) && !*s && m->smallest &&
	       m->largest >= m->smallest && m->largest % m->smallest == 0;
}

static bool split_read(const char *s, struct bs_mix *m)
{
	uint32_t sum = 0;

	m->n = 0;
	do {
		uint32_t bs, percent;

		if (m->n == BS_MIX_MAX || !whole(&s, UINT32_MAX, &bs) || !skip(&s, '/') ||
		    !whole(&s, 100, &percent) || !bs || (m->n && bs <= m->bs[m->n - 1]) ||
		    bs % (m->n ? m->bs[0] : bs))
			return false;
		m->bs[m->n] = bs;
		m->percent[m->n++] = percent;
		sum += percent;
	} while (skip(&s, ':'));
	m->smallest = m->bs[0];
	m->largest = m->bs[m->n - 1];
	return !*s && sum == 100;
}

bool job_bs_mixed(const struct job *j)
{
	return (j->bssplit && *j->bssplit) || (j->bsrange && *j->bsrange);
}

int job_bs_mix(const struct job *j, struct bs_mix *out)
{
	*out = (struct bs_mix){.smallest = j->bs, .largest = j->bs};
	if (j->bssplit && *j->bssplit)
		return split_read(j->bssplit, out) ? 0 : -1;
	if (j->bsrange && *j->bsrange)
		return range_read(j->bsrange, out) ? 0 : -1;
	return 0;
}

uint32_t job_bs_max(const struct job *j)
{
	struct bs_mix m;

	return job_bs_mix(j, &m) ? j->bs : m.largest;
}

int cpu_list_read(const char *s, struct cpu_list *out)
{
	*out = (struct cpu_list){0};
	do {
		uint32_t from, to;

		if (!whole(&s, CPUS_MAX - 1, &from))
			return -1;
		to = from;
		if (skip(&s, '-') && (!whole(&s, CPUS_MAX - 1, &to) || to < from))
			return -1;
		for (; from <= to; from++) {
			uint64_t bit = 1ULL << from % 64;

			out->n += !(out->bit[from / 64] & bit);
			out->bit[from / 64] |= bit;
		}
	} while (skip(&s, ','));
	return *s ? -1 : 0;
}

void cpu_list_add(const struct cpu_list *c, struct str *out)
{
	const char *between = "";

	for (unsigned i = 0; i < CPUS_MAX; i++) {
		unsigned from = i;

		while (i < CPUS_MAX && c->bit[i / 64] >> i % 64 & 1)
			i++;
		if (i == from)
			continue;
		str_addf(out, i - from > 1 ? "%s%u-%u" : "%s%u", between, from, i - 1);
		between = ",";
	}
}

static bool number(const char **s, double *out)
{
	char *end;

	if (!c_isdigit(**s))
		return false;
	*out = strtod(*s, &end);
	*s = end;
	return isfinite(*out);
}

static bool zones_read(const char *s, struct random_dist *d)
{
	uint32_t share = 0, size = 0;

	do {
		struct random_zone *z = &d->zone[d->nzones];

		if (d->nzones == RANDOM_ZONES_MAX || !whole(&s, 100, &z->share) || !skip(&s, '/') ||
		    !whole(&s, 100, &z->size) || (z->share && !z->size))
			return false;
		d->nzones++;
		share += z->share;
		size += z->size;
	} while (skip(&s, ':'));
	return !*s && share == 100 && size == 100;
}

int job_random_dist(const struct job *j, struct random_dist *out)
{
	const char *s = j->random_distribution;
	bool ok;

	*out = (struct random_dist){.kind = DIST_RANDOM};
	if (!s || !*s)
		return 0;
	if (str_starts(s, "zoned:")) {
		out->kind = DIST_ZONED;
		return zones_read(s + 6, out) ? 0 : -1;
	}
	out->kind = str_starts(s, "zipf:")     ? DIST_ZIPF
		    : str_starts(s, "pareto:") ? DIST_PARETO
		    : str_starts(s, "normal:") ? DIST_NORMAL
					       : DIST_RANDOM;
	s = strchr(s, ':');
	if (out->kind == DIST_RANDOM || !s)
		return -1;
	s++;
	if (!number(&s, &out->theta) || *s)
		return -1;
	/* zipf has a pole at 1 in the approximation used, pareto is a share */
	ok = out->kind == DIST_ZIPF
		     ? out->theta > 0 && out->theta <= 10 && fabs(out->theta - 1) > 1e-6
	     : out->kind == DIST_PARETO ? out->theta > 0 && out->theta < 1
					: out->theta > 0 && out->theta <= 100;
	return ok ? 0 : -1;
}
