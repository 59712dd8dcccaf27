/* SPDX-License-Identifier: GPL-2.0-or-later */
/* model/read_run: one run of a document back into integers. */
#include "model/result_io.h"

#define RUN_LIMIT 1000000u

/* Into a fixed field; cut at a character when it is too long. */
static void copy_text(char *to, size_t size, const char *from)
{
	size_t n = strlen(from);

	if (n >= size) {
		n = size - 1;
		while (n > 0 && ((unsigned char)from[n] & 0xc0) == 0x80)
			n--;
	}
	memcpy(to, from, n);
	to[n] = '\0';
}

/* min, max and sum must be possible for n samples: percentiles are held between the first two. */
static bool bins_possible(const struct bins *b)
{
	unsigned __int128 n = b->n;

	if (b->n == 0)
		return b->sum == 0 && b->min == 0 && b->max == 0 && b->over == 0;
	return b->over <= b->n && b->min <= b->max && n * b->min <= b->sum &&
	       n * b->max >= b->sum && (b->over == 0 || b->max >> HIST_MAX_EXP);
}

static int read_bins(const struct reader *rd, const struct json *o, const char *key, struct bins *b)
{
	struct json x = json_member(o, key);
	const char *text;

	if (!json_present(&x))
		return 0;
	if (json_need_object(&x, rd->e) || json_get_u64(&x, "n", &b->n, rd->e) ||
	    json_get_u64(&x, "sum", &b->sum, rd->e) || json_get_u64(&x, "min", &b->min, rd->e) ||
	    json_get_u64(&x, "max", &b->max, rd->e) || json_get_u64(&x, "over", &b->over, rd->e) ||
	    json_get_str(&x, "bins", &text, rd->e))
		return rd->e->code;
	if (!bins_possible(b))
		return doc_bad(rd, &x, NULL, "n, sum, min, max and over contradict each other");
	if (bins_decode(text, b, rd->e)) {
		struct err cause = *rd->e;

		return doc_bad(rd, &x, "bins", "%s", cause.text);
	}
	return 0;
}

static int read_dir(const struct reader *rd, const struct json *o, const char *key,
		    struct outcome_dir *d)
{
	struct json x = json_member(o, key);

	if (!json_present(&x))
		return 0;
	if (json_need_object(&x, rd->e) || json_get_u64(&x, "ios", &d->ios, rd->e) ||
	    json_get_u64(&x, "bytes", &d->bytes, rd->e) ||
	    json_get_u64(&x, "issued", &d->issued, rd->e) ||
	    json_get_u64(&x, "shorts", &d->shorts, rd->e) || read_bins(rd, &x, "slat", &d->slat) ||
	    read_bins(rd, &x, "clat", &d->clat) || read_bins(rd, &x, "lat", &d->lat))
		return rd->e->code;
	return 0;
}

static int read_series(const struct reader *rd, const struct json *o, const char *text,
		       unsigned dir, struct outcome *out)
{
	const char *key = io_dir_name((enum io_dir)dir);
	uint64_t n = 1, ios, bytes;

	for (const char *s = text; *s; s++)
		n += *s == ' ';
	if (out->nslots && out->nslots != n)
		return doc_bad(rd, o, key, "%llu slots where another direction has %llu",
			       (unsigned long long)n, (unsigned long long)out->nslots);
	if (!out->slots) {
		out->slots = xcalloc(n, sizeof(*out->slots));
		out->nslots = n;
	}
	for (uint64_t i = 0; i < n; i++) {
		if (i && *text++ != ' ')
			break;
		if (!str_take_u64(&text, &ios) || ios > UINT32_MAX || *text++ != ':' ||
		    !str_take_u64(&text, &bytes))
			return doc_bad(rd, o, key, "slot %llu is not 'ios:bytes'",
				       (unsigned long long)i);
		out->slots[i].ios[dir] = (uint32_t)ios;
		out->slots[i].bytes[dir] = bytes;
	}
	return *text ? doc_bad(rd, o, key, "trailing text in the series") : 0;
}

static int read_slots(const struct reader *rd, const struct json *o, struct outcome *out)
{
	struct json x = json_member(o, "slots");
	const char *text;
	int rc = 0;

	if (!json_present(&x))
		return 0;
	rc = json_need_object(&x, rd->e);
	for (unsigned d = 0; rc == 0 && d < DIR_COUNT; d++) {
		rc = json_opt_str(&x, io_dir_name((enum io_dir)d), NULL, &text, rd->e);
		if (rc == 0 && text)
			rc = read_series(rd, &x, text, d, out);
	}
	return rc;
}

static int read_failure(const struct reader *rd, const struct json *o, struct outcome *out)
{
	const char *text;
	uint32_t sys;

	if (json_get_str(o, "text", &text, rd->e) || doc_u32(rd, o, "errno", 4095, &sys) ||
	    json_get_u64(o, "error_offset", &out->error_offset, rd->e) ||
	    json_get_u64(o, "error_len", &out->error_len, rd->e) ||
	    json_opt_bool(o, "abandoned", false, &out->abandoned, rd->e))
		return rd->e->code;
	out->sys = (int)sys;
	copy_text(out->text, sizeof(out->text), text);
	return 0;
}

static int read_device(const struct reader *rd, const struct json *o, const char *key,
		       struct outcome_device *d)
{
	struct json x = json_member(o, key), bytes;
	const char *why;
	bool none;

	if (!json_present(&x))
		return 0;
	if (json_need_object(&x, rd->e) || json_opt_str(&x, "unknown", "", &why, rd->e) ||
	    json_opt_bool(&x, "none", false, &none, rd->e))
		return rd->e->code;
	bytes = json_member(&x, "bytes");
	if (json_present(&bytes) + none + (*why != '\0') != 1)
		return doc_bad(rd, &x, NULL, "holds not one of bytes, none and unknown");
	copy_text(d->why, sizeof(d->why), why);
	if (*why)
		return 0;
	d->state = none ? DEVICE_NONE : DEVICE_KNOWN;
	return none ? 0 : json_get_u64(&x, "bytes", &d->bytes, rd->e);
}

static int read_counters(const struct reader *rd, const struct json *o, struct outcome *out)
{
	const char *notes;

	if (json_opt_str(o, "notes", "", &notes, rd->e) ||
	    json_get_u64(o, "window", &out->window, rd->e) ||
	    json_get_u64(o, "ramp", &out->ramp, rd->e) ||
	    json_get_u64(o, "wall", &out->wall, rd->e) ||
	    json_get_bool(o, "has_slat", &out->has_slat, rd->e) ||
	    json_get_u64(o, "stall_longest", &out->stall_longest, rd->e) ||
	    json_get_u64(o, "cpu_usr", &out->cpu_usr, rd->e) ||
	    json_get_u64(o, "cpu_sys", &out->cpu_sys, rd->e) ||
	    json_get_u64(o, "written", &out->written, rd->e) ||
	    read_device(rd, o, "device_read", &out->device_read) ||
	    read_device(rd, o, "device_written", &out->device_written))
		return rd->e->code;
	struct json verified = json_member(o, "verified");

	if (json_present(&verified) && json_get_u64(o, "verified", &out->verified, rd->e))
		return rd->e->code;
	copy_text(out->notes, sizeof(out->notes), notes);
	return 0;
}

static int read_outcome(const struct reader *rd, const struct json *o, struct outcome *out)
{
	int rc = DOC_WORD(rd, o, "status", outcome_status_find, &out->status);

	if (rc == 0 && out->status != OUTCOME_OK)
		rc = read_failure(rd, o, out);
	if (rc == 0)
		rc = read_counters(rd, o, out);
	for (unsigned d = 0; rc == 0 && d < DIR_COUNT; d++)
		rc = read_dir(rd, o, io_dir_name((enum io_dir)d), &out->dir[d]);
	if (rc == 0)
		rc = read_bins(rd, o, "sync_lat", &out->sync_lat);
	return rc ? rc : read_slots(rd, o, out);
}

int doc_read_run(const struct reader *rd, const struct json *o)
{
	struct result *r = rd->r;
	struct run *run = VEC_PUSH(&r->runs);

	outcome_init(&run->out);
	if (json_need_object(o, rd->e) || doc_u32(rd, o, "job", UINT32_MAX, &run->job) ||
	    doc_u32(rd, o, "session", UINT32_MAX, &run->session) ||
	    doc_u32(rd, o, "run", RUN_LIMIT, &run->run) ||
	    doc_u32(rd, o, "order", UINT32_MAX, &run->order) ||
	    json_get_i64(o, "started", &run->started, rd->e))
		return rd->e->code;
	if (run->job >= r->njobs)
		return doc_bad(rd, o, "job", "%u, but there are %zu jobs", run->job, r->njobs);
	if (run->session >= r->sessions.n)
		return doc_bad(rd, o, "session", "%u, but there are %zu sessions", run->session,
			       r->sessions.n);
	return doc_read_turn(rd, o, run) ?: read_outcome(rd, o, &run->out);
}

static int run_order(const void *a, const void *b)
{
	const struct run *x = *(const struct run *const *)a, *y = *(const struct run *const *)b;

	if (x->job != y->job)
		return x->job < y->job ? -1 : 1;
	if (x->session != y->session)
		return x->session < y->session ? -1 : 1;
	return (x->run > y->run) - (x->run < y->run);
}

/* No more sessions than the looks that the verdict was planned for, each once. */
static int check_sessions(const struct reader *rd)
{
	const struct result *r = rd->r;

	if (r->sessions.n > r->sessions_max)
		return err_set(rd->e, ERR_DATA, "'%.200s': %zu sessions where %u are the most",
			       rd->name, r->sessions.n, r->sessions_max);
	for (size_t i = 0; i < r->sessions.n; i++)
		for (size_t k = 0; k < i; k++)
			if (strcmp(r->sessions.v[i].id, r->sessions.v[k].id) == 0)
				return err_set(rd->e, ERR_DATA,
					       "'%.200s': session '%s' stands twice", rd->name,
					       r->sessions.v[i].id);
	return 0;
}

int doc_check_runs(const struct reader *rd)
{
	const struct result *r = rd->r;
	const struct run **v = xcalloc(r->runs.n + 1, sizeof(*v));
	const struct run *twice = NULL;

	for (size_t i = 0; i < r->runs.n; i++)
		v[i] = &r->runs.v[i];
	qsort(v, r->runs.n, sizeof(*v), run_order);
	for (size_t i = 1; i < r->runs.n && !twice; i++) {
		if (run_order(&v[i - 1], &v[i]) == 0)
			twice = v[i];
	}
	free(v);
	if (twice)
		return err_set(rd->e, ERR_DATA,
			       "'%.200s': run %u of job %u in session %u stands twice", rd->name,
			       twice->run, twice->job, twice->session);
	return check_sessions(rd);
}
