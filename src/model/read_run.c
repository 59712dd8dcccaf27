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

/* As many slots as the text has words; the first series says how many there are. */
static int make_slots(const struct reader *rd, const struct json *o, const char *key,
		      const char *text, struct outcome *out)
{
	uint64_t n = 1;

	for (const char *s = text; *s; s++)
		n += *s == ' ';
	if (out->nslots && out->nslots != n)
		return doc_bad(rd, o, key, "%llu slots where another series has %llu",
			       (unsigned long long)n, (unsigned long long)out->nslots);
	if (!out->slots) {
		out->slots = xcalloc(n, sizeof(*out->slots));
		out->nslots = n;
	}
	return 0;
}

/* "a:b:c": count numbers. */
static bool take_numbers(const char **text, uint64_t *v, unsigned count)
{
	for (unsigned i = 0; i < count; i++) {
		if (i && *(*text)++ != ':')
			return false;
		if (!str_take_u64(text, &v[i]))
			return false;
	}
	return true;
}

static int read_series(const struct reader *rd, const struct json *o, const char *text,
		       unsigned dir, struct outcome *out)
{
	const char *key = io_dir_name((enum io_dir)dir);
	int rc = make_slots(rd, o, key, text, out);

	for (uint64_t i = 0; rc == 0 && i < out->nslots; i++) {
		struct outcome_slot *s = &out->slots[i];
		uint64_t v[5] = {0};

		if (i && *text++ != ' ')
			break;
		if (!take_numbers(&text, v, out->has_slat ? 5 : 3) || v[0] > UINT32_MAX)
			return doc_bad(rd, o, key, "slot %llu is not '%s'", (unsigned long long)i,
				       out->has_slat ? "ios:bytes:lat:clat:slat" : "ios:bytes:lat");
		s->ios[dir] = (uint32_t)v[0];
		s->bytes[dir] = v[1];
		s->lat[dir] = v[2];
		s->clat[dir] = out->has_slat ? v[3] : v[2];
		s->slat[dir] = v[4];
	}
	return rc == 0 && *text ? doc_bad(rd, o, key, "trailing text in the series") : rc;
}

static int read_sync_series(const struct reader *rd, const struct json *o, const char *text,
			    struct outcome *out)
{
	int rc = make_slots(rd, o, "sync", text, out);

	for (uint64_t i = 0; rc == 0 && i < out->nslots; i++)
		if ((i && *text++ != ' ') || !str_take_u64(&text, &out->slots[i].sync))
			return doc_bad(rd, o, "sync", "slot %llu is no number",
				       (unsigned long long)i);
	return rc == 0 && *text ? doc_bad(rd, o, "sync", "trailing text in the series") : rc;
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
	if (rc == 0)
		rc = json_opt_str(&x, "sync", NULL, &text, rd->e);
	return rc == 0 && text ? read_sync_series(rd, &x, text, out) : rc;
}

#define SLOTS_SHARE 100 /* the counters may be ahead of the series by this part */

/* A series that holds more than the counters, or much less although it covers the window, was not
 * written by a run. A slot that is full no longer counts. */
static int check_slots(const struct reader *rd, const struct json *o, const struct outcome *out)
{
	bool whole = out->nslots * SLOT_NS >= out->window;

	for (unsigned d = 0; d < DIR_COUNT && out->slots; d++) {
		uint64_t all = out->dir[d].ios, bytes = out->dir[d].bytes, ios = 0, moved = 0;
		bool full = false;

		for (uint64_t i = 0; i < out->nslots; i++) {
			full |= out->slots[i].ios[d] == UINT32_MAX;
			ios += out->slots[i].ios[d];
			moved += out->slots[i].bytes[d];
		}
		if (ios <= all && moved <= bytes &&
		    (full || !whole ||
		     (all - ios <= all / SLOTS_SHARE && bytes - moved <= bytes / SLOTS_SHARE)))
			continue;
		return doc_bad(rd, o, "slots",
			       "hold %llu %ss of %llu bytes together, the counters %llu of %llu",
			       (unsigned long long)ios, io_dir_name((enum io_dir)d),
			       (unsigned long long)moved, (unsigned long long)all,
			       (unsigned long long)bytes);
	}
	return 0;
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
	if (rc == 0)
		rc = read_slots(rd, o, out);
	return rc || out->status != OUTCOME_OK ? rc : check_slots(rd, o, out);
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
	return doc_read_turn(rd, o, run) ?: doc_read_watched(rd, o, run) ?: read_outcome(rd, o, &run->out);
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

	if (doc_check_attempts(rd))
		return rd->e->code;
	if (!r->attempts.n && r->sessions.n > r->sessions_max)
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
	doc_make_totals(rd->r);
	return check_sessions(rd);
}
