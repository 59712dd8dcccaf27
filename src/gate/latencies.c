/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The latencies of an accepted session beside its metrics: from runs, to a file and back. */
#include "gate/baseline_file.h"
#include "gate/tail.h"
#include <math.h>
#include <string.h>

/* Sorted, as the keys of the file are. */
static const char *const latency_names[] = {
	"read.clat", "read.lat",  "read.slat",  "sync.lat",  "trim.clat",
	"trim.lat",  "trim.slat", "write.clat", "write.lat", "write.slat",
};
#define LATENCIES (sizeof(latency_names) / sizeof(latency_names[0]))

static bool of_latency(const char *metric, const char *name)
{
	size_t n = strlen(name);

	return strncmp(metric, name, n) == 0 && metric[n] == '.';
}

static const struct metric *any_metric(const char *name)
{
	for (unsigned i = 0; i < metric_count; i++)
		if (of_latency(metric_table[i].name, name))
			return &metric_table[i];
	return NULL;
}

static bool gated(const struct base_job *j, const char *name)
{
	for (size_t i = 0; i < j->gates.n; i++) {
		const struct metric *m = metric_find(j->gates.v[i]);

		if (m && m->quantile > 0 && of_latency(m->name, name))
			return true;
	}
	return false;
}

static void add_latency(const struct metric *m, const char *name, const struct run *const *run,
			size_t n, struct arena *a, struct base_job *j)
{
	struct base_latency l = {.name = name, .runs = (uint32_t)n};
	size_t used = 0;

	for (size_t k = 0; k < n; k++)
		used += latency_bins(m, &run[k]->out)->n > 0;
	if (used == 0)
		return;
	l.grid = arena_alloc(a, n * QUANTILE_POINTS * sizeof(*l.grid));
	l.tail = arena_alloc(a, n * sizeof(*l.tail));
	for (size_t k = 0; k < n; k++) {
		grid_of(latency_bins(m, &run[k]->out), &l.grid[k * QUANTILE_POINTS]);
		tail_of(m, &run[k]->out, a, &l.tail[k]);
	}
	*(struct base_latency *)VEC_PUSH(&j->latencies) = l;
}

void latencies_add(const struct run *const *run, size_t n, struct arena *a, struct base_job *j)
{
	for (size_t i = 0; i < LATENCIES; i++)
		add_latency(any_metric(latency_names[i]), latency_names[i], run, n, a, j);
}

const struct base_latency *latency_find(const struct base_job *j, const struct metric *m)
{
	for (size_t i = 0; j && i < j->latencies.n; i++)
		if (of_latency(m->name, j->latencies.v[i].name))
			return &j->latencies.v[i];
	return NULL;
}

static void write_grids(struct jw *w, const struct base_latency *l)
{
	jw_array(w, l->name);
	for (uint32_t k = 0; k < l->runs; k++) {
		const double *grid = &l->grid[k * QUANTILE_POINTS];

		if (isnan(grid[0])) {
			jw_null(w, NULL);
			continue;
		}
		jw_array_flat(w, NULL);
		for (unsigned i = 0; i < QUANTILE_POINTS; i++) {
			if (isnan(grid[i])) /* beyond the histogram: not known */
				jw_null(w, NULL);
			else
				jw_u64(w, NULL, (uint64_t)llround(grid[i]));
		}
		jw_end_array(w);
	}
	jw_end_array(w);
}

static void write_counts(struct jw *w, const char *key, const struct bins *b)
{
	struct str text;

	str_init(&text);
	bins_encode(b, &text);
	jw_object_flat(w, key);
	jw_str(w, "bins", text.s);
	jw_u64(w, "n", b->n);
	jw_u64(w, "over", b->over);
	jw_end_object(w);
	str_release(&text);
}

static void write_tails(struct jw *w, const struct base_latency *l)
{
	jw_array(w, l->name);
	for (uint32_t k = 0; k < l->runs; k++) {
		jw_object_flat(w, NULL);
		write_counts(w, "ios", &l->tail[k].ios);
		write_counts(w, "slices", &l->tail[k].slices);
		jw_end_object(w);
	}
	jw_end_array(w);
}

void latencies_write_grids(struct jw *w, const struct base_job *j)
{
	jw_object(w, "quantiles");
	for (size_t i = 0; i < j->latencies.n; i++) {
		const char *name = j->latencies.v[i].name;

		if (str_ends(name, ".clat") || str_eq(name, "sync.lat") || gated(j, name))
			write_grids(w, &j->latencies.v[i]);
	}
	jw_end_object(w);
}

static bool tail_written(const struct base_job *j, const struct base_latency *l)
{
	return l->tail[0].kept && gated(j, l->name);
}

void latencies_write_tails(struct jw *w, const struct base_job *j)
{
	bool any = false;

	for (size_t i = 0; i < j->latencies.n; i++)
		any |= tail_written(j, &j->latencies.v[i]);
	if (!any)
		return;
	jw_object(w, "tails");
	for (size_t i = 0; i < j->latencies.n; i++)
		if (tail_written(j, &j->latencies.v[i]))
			write_tails(w, &j->latencies.v[i]);
	jw_end_object(w);
}

static int read_grid(const struct json *o, double *grid, struct err *e)
{
	struct json x;
	int rc = 0;

	for (unsigned i = 0; i < QUANTILE_POINTS; i++)
		grid[i] = NAN;
	if (!json_present(o))
		return 0;
	if (json_need_array(o, e))
		return e->code;
	if (json_length(o) != QUANTILE_POINTS)
		return err_set(e, ERR_DATA, "quantiles: %zu of %u points", json_length(o),
			       QUANTILE_POINTS);
	for (unsigned i = 0; rc == 0 && i < QUANTILE_POINTS; i++) {
		x = json_element(o, i);
		if (json_present(&x))
			rc = json_as_double(&x, &grid[i], e);
		if (rc == 0 && grid[i] < 0)
			rc = err_set(e, ERR_DATA, "quantiles: a latency below zero");
	}
	return rc;
}

static int read_counts(const struct json *o, const char *key, struct arena *a, struct bins *out,
		       struct err *e)
{
	struct json x = json_member(o, key);
	struct bins b = {0};
	const char *text;

	if (json_need_object(&x, e) || json_get_str(&x, "bins", &text, e) ||
	    json_get_u64(&x, "n", &b.n, e) || json_get_u64(&x, "over", &b.over, e) ||
	    bins_decode(text, &b, e))
		return e->code;
	*out = b;
	out->b = arena_alloc(a, (b.nb + 1) * sizeof(*out->b));
	if (b.nb)
		memcpy(out->b, b.b, b.nb * sizeof(*out->b));
	bins_release(&b);
	return 0;
}

/* The list of a latency, one entry a run. */
static int list_of(const struct json *o, uint32_t runs, struct err *e)
{
	if (json_need_array(o, e))
		return e->code;
	if (json_length(o) != runs)
		return err_set(e, ERR_DATA, "%s: %zu entries of %u runs", o->key, json_length(o),
			       runs);
	return 0;
}

static struct base_latency *latency_at(struct base_job *j, struct arena *a, const char *name)
{
	struct base_latency *l;
	size_t i = 0;

	while (i < j->latencies.n && !str_eq(j->latencies.v[i].name, name))
		i++;
	if (i < j->latencies.n)
		return &j->latencies.v[i];
	l = VEC_PUSH(&j->latencies);
	*l = (struct base_latency){.name = name, .runs = j->runs};
	l->grid = arena_alloc(a, (size_t)j->runs * QUANTILE_POINTS * sizeof(*l->grid));
	l->tail = arena_alloc(a, (size_t)j->runs * sizeof(*l->tail));
	for (uint32_t k = 0; k < j->runs; k++)
		l->tail[k] = (struct tail){0};
	for (size_t k = 0; k < (size_t)j->runs * QUANTILE_POINTS; k++)
		l->grid[k] = NAN;
	return l;
}

static int read_list(const struct json *list, bool grids, struct base_latency *l, struct arena *a,
		     struct err *e)
{
	int rc = list_of(list, l->runs, e);

	for (uint32_t k = 0; rc == 0 && k < l->runs; k++) {
		struct json x = json_element(list, k);

		if (grids) {
			rc = read_grid(&x, &l->grid[k * QUANTILE_POINTS], e);
			continue;
		}
		rc = json_need_object(&x, e);
		if (rc == 0)
			rc = read_counts(&x, "ios", a, &l->tail[k].ios, e);
		if (rc == 0)
			rc = read_counts(&x, "slices", a, &l->tail[k].slices, e);
		l->tail[k].kept = rc == 0;
	}
	return rc;
}

int latencies_read(const struct json *job, struct arena *a, struct base_job *j, struct err *e)
{
	static const char *const keys[] = {"quantiles", "tails"};
	int rc = 0;

	for (unsigned which = 0; which < 2; which++) {
		struct json o = json_member(job, keys[which]), list;

		if (!json_present(&o))
			continue;
		rc = json_need_object(&o, e);
		for (size_t i = 0; rc == 0 && i < LATENCIES; i++) {
			list = json_member(&o, latency_names[i]);
			if (json_present(&list))
				rc = read_list(&list, which == 0,
					       latency_at(j, a, latency_names[i]), a, e);
		}
		if (rc)
			return err_prefix(e, "%s", keys[which]);
	}
	return 0;
}
