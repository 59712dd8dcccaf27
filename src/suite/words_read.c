/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "suite/words_read.h"

#include <inttypes.h>
#include <string.h>

#include "base/arena.h"
#include "base/clock.h"
#include "base/units.h"

static void *field(const struct word *w, struct job *j)
{
	return (char *)j + w->offset;
}

static const void *cfield(const struct word *w, const struct job *j)
{
	return (const char *)j + w->offset;
}

/* Readers of base speak of usage; here it is the suite that is wrong. */
static int as_suite(const struct word *w, struct err *e)
{
	e->code = ERR_SUITE;
	return err_prefix(e, "%s", w->name);
}

static int out_of_range(const struct word *w, const char *text, struct err *e)
{
	if (w->max >= INT64_MAX)
		return err_set(e, ERR_SUITE, "%s: '%s' is out of range: at least %" PRIu64, w->name,
			       text, w->min);
	return err_set(e, ERR_SUITE, "%s: '%s' is out of range: %" PRIu64 " to %" PRIu64, w->name,
		       text, w->min, w->max);
}

static int read_count(const struct word *w, const char *text, uint64_t *v, struct err *e)
{
	if (units_count(text, v, e))
		return as_suite(w, e);
	if (*v < w->min || *v > w->max)
		return out_of_range(w, text, e);
	return 0;
}

WORD_READER(word_read_u32)
{
	uint64_t v;
	int rc = read_count(w, text, &v, e);

	(void)a;
	if (!rc)
		*(uint32_t *)field(w, j) = (uint32_t)v;
	return rc;
}

WORD_READER(word_read_u64)
{
	uint64_t v;
	int rc = read_count(w, text, &v, e);

	(void)a;
	if (!rc)
		*(uint64_t *)field(w, j) = v;
	return rc;
}

static int read_size(const struct word *w, const char *text, uint64_t *v, struct err *e)
{
	if (str_ends(text, "%")) {
		err_set(e, ERR_SUITE,
			"%s: '%s': only 'size' and 'offset' take a share of the target", w->name,
			text);
		return err_hint(e, "write bytes: 64GiB");
	}
	if (units_size(text, v, e))
		return as_suite(w, e);
	if (*v < w->min || *v > w->max)
		return out_of_range(w, text, e);
	return 0;
}

WORD_READER(word_read_size32)
{
	uint64_t v;
	int rc = read_size(w, text, &v, e);

	(void)a;
	if (!rc)
		*(uint32_t *)field(w, j) = (uint32_t)v;
	return rc;
}

static WORD_READER(read_size64)
{
	uint64_t v;
	int rc = read_size(w, text, &v, e);

	(void)a;
	if (!rc)
		*(uint64_t *)field(w, j) = v;
	return rc;
}

static uint32_t *percent_of(const struct word *w, struct job *j)
{
	return w->offset == offsetof(struct job, size) ? &j->size_percent : &j->offset_percent;
}

uint32_t word_percent(const struct word *w, const struct job *j)
{
	if (w->read != word_read_region)
		return 0;
	return w->offset == offsetof(struct job, size) ? j->size_percent : j->offset_percent;
}

/* What a share comes to is known when the target is. A size of nothing is none, and so is an offset
 * that leaves nothing. */
WORD_READER(word_read_region)
{
	unsigned low = w->min ? 1 : 0, high = low + 99;
	uint64_t v;
	int rc;

	if (!str_ends(text, "%")) {
		rc = read_size64(w, text, a, j, e);
		if (!rc)
			*percent_of(w, j) = 0;
		return rc;
	}
	char *number = arena_strndup(a, text, strlen(text) - 1);

	if (units_count(number, &v, e)) {
		as_suite(w, e);
		return err_hint(e, "whole per cent: 50%%");
	}
	if (v < low || v > high)
		return err_set(e, ERR_SUITE, "%s: '%s' is out of range: %u%% to %u%%", w->name,
			       text, low, high);
	*(uint64_t *)field(w, j) = 0;
	*percent_of(w, j) = (uint32_t)v;
	return 0;
}

WORD_READER(word_read_time)
{
	uint64_t v;

	(void)a;
	if (units_time(text, &v, e))
		return as_suite(w, e);
	if (v < w->min || v > w->max)
		return err_set(e, ERR_SUITE, "%s: '%s' must be %s", w->name, text,
			       v < w->min ? "above 0" : "below 292 years");
	*(uint64_t *)field(w, j) = v;
	return 0;
}

WORD_READER(word_read_bool)
{
	bool v;

	(void)a;
	if (units_bool(text, &v, e))
		return as_suite(w, e);
	*(bool *)field(w, j) = v;
	return 0;
}

/* "expects one of ..." with the nearest. */
static int no_such(const struct word *w, const char *text, const char *const *list, size_t n,
		   struct err *e)
{
	const char *near = str_nearest(text, list, n);
	struct str all;

	str_init(&all);
	for (size_t i = 0; i < n; i++)
		str_addf(&all, "%s%s", i ? " " : "", list[i]);
	err_set(e, ERR_SUITE, "%s: '%s' is none of %s", w->name, text, all.s);
	str_release(&all);
	return near ? err_hint(e, "did you mean '%s'?", near) : e->code;
}

WORD_READER(word_read_rw)
{
	static const char *const list[] = {"read", "write",  "randread", "randwrite",
					   "rw",   "randrw", "trim",     "randtrim"};

	(void)a;
	if (job_rw_find(text, &j->rw) == 0)
		return 0;
	if (strcmp(text, "readwrite") == 0) {
		j->rw = RW_RW;
		return 0;
	}
	if (str_eq(text, "trimwrite") || str_eq(text, "randtrimwrite")) {
		err_set(e, ERR_SUITE, "rw: '%s': a trim and the write behind it are two workloads",
			text);
		return err_hint(e, "one with `rw: %s` and one with `rw: %s`",
				text[0] == 'r' ? "randtrim" : "trim",
				text[0] == 'r' ? "randwrite" : "write");
	}
	if (strchr(text, ':')) {
		err_set(e, ERR_SUITE, "rw: '%s': an offset modifier behind ':' is not known here",
			text);
		return err_hint(
			e, "write one of read write randread randwrite rw randrw trim randtrim");
	}
	return no_such(w, text, list, sizeof(list) / sizeof(*list), e);
}

WORD_READER(word_read_ioengine)
{
	const char *s = text;

	while (c_isalnum(*s) || *s == '_')
		s++;
	if (s == text || *s)
		return err_set(e, ERR_SUITE, "%s: '%s' is no engine name", w->name, text);
	if (strcmp(text, "uring") == 0) {
		err_set(e, ERR_SUITE, "%s: '%s' is no engine name", w->name, text);
		return err_hint(e, "did you mean 'io_uring'?");
	}
	if (strcmp(text, "sync") == 0 || strcmp(text, "aio") == 0) {
		err_set(e, ERR_SUITE, "%s: '%s' is no engine here", w->name, text);
		return err_hint(e, "did you mean '%s'?", text[0] == 's' ? "psync" : "libaio");
	}
	j->ioengine = j->ioengine_asked = arena_strdup(a, text);
	return 0;
}

WORD_READER(word_read_direct)
{
	(void)a;
	if (strcmp(text, "auto") == 0) {
		j->direct_auto = true;
		j->direct = true;
		return 0;
	}
	if (units_bool(text, &j->direct, e)) {
		as_suite(w, e);
		return err_hint(e, "write true, false or auto");
	}
	j->direct_auto = false;
	return 0;
}

WORD_READER(word_read_sync)
{
	static const char *const list[] = {"none", "sync", "dsync"};
	struct err ignored = ERR_INIT;
	bool v;

	(void)a;
	for (unsigned i = 0; i < sizeof(list) / sizeof(*list); i++) {
		if (strcmp(text, list[i]) != 0)
			continue;
		j->sync = (enum job_sync)i;
		return 0;
	}
	if (units_bool(text, &v, &ignored) == 0) {
		j->sync = v ? SYNC_SYNC : SYNC_NONE;
		return 0;
	}
	return no_such(w, text, list, sizeof(list) / sizeof(*list), e);
}

WORD_READER(word_read_rate_iops)
{
	(void)a;
	if (strchr(text, ',')) {
		err_set(e, ERR_SUITE, "%s: '%s': one limit holds for all directions here", w->name,
			text);
		return err_hint(e, "write one number");
	}
	if (units_iops(text, &j->rate_iops, e))
		return as_suite(w, e);
	if (!(j->rate_iops > 0 && j->rate_iops <= 1e9))
		return err_set(e, ERR_SUITE, "%s: '%s' is out of range: above 0, at most 1000M",
			       w->name, text);
	return 0;
}

WORD_READER(word_read_rate)
{
	double v;

	(void)a;
	if (strchr(text, ',')) {
		err_set(e, ERR_SUITE, "%s: '%s': one rate holds for all directions here", w->name,
			text);
		return err_hint(e, "write one: 50 MB/s");
	}
	if (unit_parse(UNIT_BW, text, &v, e))
		return as_suite(w, e);
	if (!(v >= 1 && v <= 1e12))
		return err_set(e, ERR_SUITE, "%s: '%s' is out of range: 1 B/s to 1000 GB/s",
			       w->name, text);
	j->rate = v;
	return 0;
}

WORD_READER(word_read_files)
{
	static const char *const list[] = {"shared", "per_job"};

	(void)a;
	for (unsigned i = 0; i < sizeof(list) / sizeof(*list); i++) {
		if (strcmp(text, list[i]) != 0)
			continue;
		j->files = (enum job_files)i;
		return 0;
	}
	return no_such(w, text, list, sizeof(list) / sizeof(*list), e);
}

WORD_READER(word_read_sim)
{
	if (!*text)
		return err_set(e, ERR_SUITE, "%s: the script is empty", w->name);
	j->sim = arena_strdup(a, text);
	return 0;
}

WORD_SHOWER(word_show_u32)
{
	str_addf(out, "%" PRIu32, *(const uint32_t *)cfield(w, j));
}

WORD_SHOWER(word_show_u64)
{
	str_addf(out, "%" PRIu64, *(const uint64_t *)cfield(w, j));
}

WORD_SHOWER(word_show_region)
{
	uint64_t bytes = *(const uint64_t *)cfield(w, j);
	uint32_t percent = word_percent(w, j);

	if (bytes || !percent)
		word_show_u64(w, j, out);
	if (percent)
		str_addf(out, bytes ? " (%u%%)" : "%u%%", percent);
}

void word_add_time(struct str *out, uint64_t ns, const char *sep)
{
	static const struct {
		uint64_t ns;
		const char *name;
	} units[] = {{NS_PER_SEC, "s"}, {NS_PER_MS, "ms"}, {NS_PER_US, "us"}, {1, "ns"}};
	unsigned i = 0;

	while (ns % units[i].ns)
		i++;
	str_addf(out, "%" PRIu64 "%s%s", ns / units[i].ns, sep, units[i].name);
}

WORD_SHOWER(word_show_time)
{
	word_add_time(out, *(const uint64_t *)cfield(w, j), " ");
}

WORD_SHOWER(word_show_bool)
{
	str_add(out, *(const bool *)cfield(w, j) ? "true" : "false");
}

WORD_SHOWER(word_show_rw)
{
	(void)w;
	str_add(out, job_rw_name(j->rw));
}

WORD_SHOWER(word_show_ioengine)
{
	(void)w;
	str_add(out, j->ioengine ? j->ioengine : "");
	if (j->ioengine && j->ioengine_asked && strcmp(j->ioengine, j->ioengine_asked) != 0)
		str_addf(out, " (%s)", j->ioengine_asked);
}

WORD_SHOWER(word_show_direct)
{
	(void)w;
	str_addf(out, "%s%s", j->direct ? "true" : "false", j->direct_auto ? " (auto)" : "");
}

WORD_SHOWER(word_show_sync)
{
	(void)w;
	str_add(out, job_sync_name(j->sync));
}

WORD_SHOWER(word_show_rate_iops)
{
	(void)w;
	units_add_double(out, j->rate_iops);
}

WORD_SHOWER(word_show_rate)
{
	(void)w;
	if (j->rate > 0) {
		units_add_double(out, j->rate);
		str_add(out, " B/s");
	}
}

WORD_SHOWER(word_show_files)
{
	(void)w;
	str_add(out, j->files == FILES_PER_JOB ? "per_job" : "shared");
}

WORD_SHOWER(word_show_sim)
{
	(void)w;
	str_add(out, j->sim ? j->sim : "");
}
