/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/hist.h"
#include "base/vec.h"

#include <float.h>
#include <math.h>

void hist_reset(struct hist *h)
{
	memset(h, 0, sizeof(*h));
}

void hist_merge(struct hist *into, const struct hist *from)
{
	if (from->n == 0)
		return;
	if (into->n == 0 || from->min < into->min)
		into->min = from->min;
	if (into->n == 0 || from->max > into->max)
		into->max = from->max;
	into->n += from->n;
	into->sum += from->sum;
	into->over += from->over;
	for (unsigned i = 0; i < HIST_BUCKETS; i++)
		into->bucket[i] += from->bucket[i];
}

uint64_t hist_low(unsigned index)
{
	unsigned group = index >> HIST_BITS;

	if (group == 0)
		return index;
	return (uint64_t)(HIST_SUB + (index & (HIST_SUB - 1))) << (group - 1);
}

uint64_t hist_width(unsigned index)
{
	unsigned group = index >> HIST_BITS;

	return group == 0 ? 1 : UINT64_C(1) << (group - 1);
}

/* Samples are whole ns: a bucket holds low .. low + width - 1. */
static double middle(uint32_t index)
{
	return (double)hist_low(index) + (double)(hist_width(index) - 1) / 2;
}

void bins_init(struct bins *b)
{
	memset(b, 0, sizeof(*b));
}

void bins_release(struct bins *b)
{
	free(b->b);
	bins_init(b);
}

void bins_from_hist(struct bins *b, const struct hist *h)
{
	size_t used = 0;

	bins_release(b);
	for (unsigned i = 0; i < HIST_BUCKETS; i++)
		used += h->bucket[i] != 0;
	b->n = h->n;
	b->sum = h->sum;
	b->min = h->n ? h->min : 0;
	b->max = h->n ? h->max : 0;
	b->over = h->over;
	if (!used)
		return;
	b->b = xreallocarray(NULL, used, sizeof(*b->b));
	for (unsigned i = 0; i < HIST_BUCKETS; i++) {
		if (h->bucket[i])
			b->b[b->nb++] = (struct bin){.index = i, .count = h->bucket[i]};
	}
}

void bins_copy(struct bins *to, const struct bins *from)
{
	struct bin *b = NULL;

	if (to == from)
		return;
	if (from->nb) {
		b = xreallocarray(NULL, from->nb, sizeof(*b));
		memcpy(b, from->b, from->nb * sizeof(*b));
	}
	free(to->b);
	*to = *from;
	to->b = b;
}

void bins_merge(struct bins *into, const struct bins *from)
{
	size_t n = 0, i = 0, k = 0;
	struct bin *b;

	if (!from->n)
		return;
	b = xreallocarray(NULL, into->nb + from->nb + 1, sizeof(*b));
	while (i < into->nb || k < from->nb) {
		bool mine = k == from->nb || (i < into->nb && into->b[i].index <= from->b[k].index);

		b[n] = mine ? into->b[i++] : from->b[k++];
		if (mine && k < from->nb && from->b[k].index == b[n].index)
			b[n].count += from->b[k++].count;
		n++;
	}
	free(into->b);
	into->b = b;
	into->nb = n;
	into->min = into->n && into->min < from->min ? into->min : from->min;
	into->max = into->max > from->max ? into->max : from->max;
	into->n += from->n;
	into->sum += from->sum;
	into->over += from->over;
}

/*
 * Nearest rank, 1..n. q is a decimal that no double holds exactly (0.07 x 100 > 7), so a product
 * that is a whole number but for rounding counts as that whole number.
 */
static uint64_t nearest_rank(const struct bins *b, double q)
{
	double r = q * (double)b->n;
	double k = ceil(r - r * 4 * DBL_EPSILON);

	if (!(k >= 1))
		return 1;
	return k >= (double)b->n ? b->n : (uint64_t)k;
}

/* The bin that holds a rank; NULL among the overflow. */
static const struct bin *find_rank(const struct bins *b, uint64_t rank)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < b->nb; i++) {
		if (rank <= sum + b->b[i].count)
			return &b->b[i];
		sum += b->b[i].count;
	}
	return NULL;
}

double bins_percentile(const struct bins *b, double q)
{
	const struct bin *bin = b->n ? find_rank(b, nearest_rank(b, q)) : NULL;

	if (!bin)
		return NAN;
	double v = middle(bin->index);

	if (v < (double)b->min)
		v = (double)b->min;
	if (v > (double)b->max)
		v = (double)b->max;
	return v;
}

double bins_step(const struct bins *b, double q)
{
	const struct bin *bin = b->n ? find_rank(b, nearest_rank(b, q)) : NULL;

	return bin ? (double)hist_width(bin->index) : 0;
}

uint64_t bins_floor(const struct bins *b, double q)
{
	const struct bin *bin = b->n ? find_rank(b, nearest_rank(b, q)) : NULL;

	return bin ? hist_low(bin->index) : 0;
}

uint64_t bins_above(const struct bins *b, double q)
{
	return b->n ? b->n - nearest_rank(b, q) : 0;
}

double bins_mean_above(const struct bins *b, double q)
{
	uint64_t above = bins_above(b, q), left = above;
	double sum = 0;

	if (above == 0 || b->over)
		return NAN;
	for (size_t i = b->nb; i > 0 && left > 0; i--) {
		uint64_t n = b->b[i - 1].count < left ? b->b[i - 1].count : left;

		sum += middle(b->b[i - 1].index) * ((double)n / (double)above);
		left -= n;
	}
	return sum;
}

double bins_mean(const struct bins *b)
{
	return b->n ? (double)b->sum / (double)b->n : NAN;
}

double bins_stddev(const struct bins *b)
{
	double mean = 0, sq = 0;

	if (b->n < 2 || b->over)
		return NAN;
	for (size_t i = 0; i < b->nb; i++)
		mean += middle(b->b[i].index) * ((double)b->b[i].count / (double)b->n);
	for (size_t i = 0; i < b->nb; i++) {
		double d = middle(b->b[i].index) - mean;

		sq += d * d * (double)b->b[i].count;
	}
	return sqrt(sq / (double)(b->n - 1));
}

void bins_encode(const struct bins *b, struct str *out)
{
	uint32_t last = 0;

	for (size_t i = 0; i < b->nb; i++) {
		str_addf(out, "%s%u:%llu", i ? " " : "", b->b[i].index - last,
			 (unsigned long long)b->b[i].count);
		last = b->b[i].index;
	}
}

static const char *decode_bins(const char *text, struct bin **v, size_t *n, uint64_t *total)
{
	size_t cap = 0;
	uint64_t index = 0;

	for (const char *p = text; *p;) {
		uint64_t delta, count;

		if (*n && *p++ != ' ')
			return "one space expected between two buckets";
		if (!str_take_u64(&p, &delta) || *p++ != ':' || !str_take_u64(&p, &count))
			return "'delta:count' expected";
		if ((*n && delta == 0) || delta >= HIST_BUCKETS - index)
			return "bucket out of order or out of range";
		if (count == 0 || __builtin_add_overflow(*total, count, total))
			return "count out of range";
		index += delta;
		*v = vec_grow(*v, *n, &cap, sizeof(**v));
		(*v)[(*n)++] = (struct bin){.index = (uint32_t)index, .count = count};
	}
	return NULL;
}

int bins_decode(const char *text, struct bins *b, struct err *e)
{
	struct bin *v = NULL;
	size_t n = 0;
	uint64_t total = b->over;
	const char *why = decode_bins(text, &v, &n, &total);

	free(b->b);
	b->b = NULL;
	b->nb = 0;
	if (!why && total != b->n)
		why = "the counts do not add up to the number of samples";
	if (why) {
		free(v);
		return err_set(e, ERR_DATA, "histogram '%.40s%s' is damaged: %s", text,
			       strlen(text) > 40 ? "..." : "", why);
	}
	b->b = v;
	b->nb = n;
	return 0;
}
