/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * model/write_run: one run, one line. Histograms and series are one string each: number arrays of
 * the same data are a third larger and take five times as long to read, in ten times the memory.
 */
#include "model/result_io.h"
#include <stdlib.h>

static void write_bins(struct jw *w, const char *key, const struct bins *b)
{
	struct str text;

	if (b->n == 0)
		return;
	str_init(&text);
	bins_encode(b, &text);
	jw_object_flat(w, key);
	jw_u64(w, "n", b->n);
	jw_u64(w, "sum", b->sum);
	jw_u64(w, "min", b->min);
	jw_u64(w, "max", b->max);
	jw_u64(w, "over", b->over);
	jw_str(w, "bins", text.s);
	jw_end_object(w);
	str_release(&text);
}

/* A direction that saw nothing is left out. */
static void write_dir(struct jw *w, const char *key, const struct outcome_dir *d)
{
	if (!d->ios && !d->bytes && !d->issued && !d->shorts && !d->slat.n && !d->clat.n &&
	    !d->lat.n)
		return;
	jw_object_flat(w, key);
	jw_u64(w, "ios", d->ios);
	jw_u64(w, "bytes", d->bytes);
	jw_u64(w, "issued", d->issued);
	jw_u64(w, "shorts", d->shorts);
	write_bins(w, "slat", &d->slat);
	write_bins(w, "clat", &d->clat);
	write_bins(w, "lat", &d->lat);
	jw_end_object(w);
}

static void add_number(struct str *s, uint64_t n)
{
	char digits[20];
	size_t i = sizeof(digits);

	do {
		digits[--i] = (char)('0' + n % 10);
		n /= 10;
	} while (n);
	str_addn(s, digits + i, sizeof(digits) - i);
}

static bool slots_used(const struct outcome *o, unsigned dir)
{
	for (uint64_t i = 0; i < o->nslots; i++) {
		if (o->slots[i].ios[dir] || o->slots[i].bytes[dir] || o->slots[i].lat[dir])
			return true;
	}
	return false;
}

static bool slots_synced(const struct outcome *o)
{
	for (uint64_t i = 0; i < o->nslots; i++)
		if (o->slots[i].sync)
			return true;
	return false;
}

static void add_slot(struct str *text, const struct outcome_slot *s, unsigned d, bool has_slat)
{
	add_number(text, s->ios[d]);
	str_addc(text, ':');
	add_number(text, s->bytes[d]);
	str_addc(text, ':');
	add_number(text, s->lat[d]);
	if (!has_slat)
		return;
	str_addc(text, ':');
	add_number(text, s->clat[d]);
	str_addc(text, ':');
	add_number(text, s->slat[d]);
}

/* "ios:bytes:lat ..." a direction, of an engine that has slat "ios:bytes:lat:clat:slat ...", the
 * latencies being the longest; and "sync ..." where there was any. A series of zeros only is left
 * out, but for the first when there is no other: the number of slots is evidence (of a stall) and
 * must survive. */
static void write_slots(struct jw *w, const struct outcome *o)
{
	bool any = false;
	struct str text;

	if (o->nslots == 0)
		return;
	str_init(&text);
	jw_object_flat(w, "slots");
	for (unsigned d = 0; d < DIR_COUNT; d++) {
		if (!slots_used(o, d) && (any || d + 1 < DIR_COUNT))
			continue;
		any = true;
		str_clear(&text);
		for (uint64_t i = 0; i < o->nslots; i++) {
			if (i)
				str_addc(&text, ' ');
			add_slot(&text, &o->slots[i], d, o->has_slat);
		}
		jw_str(w, io_dir_name((enum io_dir)d), text.s);
	}
	str_clear(&text);
	for (uint64_t i = 0; i < o->nslots && slots_synced(o); i++) {
		if (i)
			str_addc(&text, ' ');
		add_number(&text, o->slots[i].sync);
	}
	if (text.len)
		jw_str(w, "sync", text.s);
	jw_end_object(w);
	str_release(&text);
}

static void write_failure(struct jw *w, const struct outcome *o)
{
	if (o->status == OUTCOME_OK)
		return;
	jw_str(w, "text", o->text);
	jw_u64(w, "errno", (uint64_t)(o->sys > 0 ? o->sys : 0));
	jw_u64(w, "error_offset", o->error_offset);
	jw_u64(w, "error_len", o->error_len);
	if (o->abandoned)
		jw_bool(w, "abandoned", true);
}

/* What nobody recorded is left out. */
static void write_device(struct jw *w, const char *key, const struct outcome_device *d)
{
	if (d->state == DEVICE_UNKNOWN && !d->why[0])
		return;
	jw_object_flat(w, key);
	if (d->state == DEVICE_KNOWN)
		jw_u64(w, "bytes", d->bytes);
	else if (d->state == DEVICE_NONE)
		jw_bool(w, "none", true);
	else
		jw_str(w, "unknown", d->why);
	jw_end_object(w);
}

static void write_outcome(struct jw *w, const struct outcome *o)
{
	jw_str(w, "status", outcome_status_name(o->status));
	write_failure(w, o);
	if (o->notes[0])
		jw_str(w, "notes", o->notes);
	jw_u64(w, "window", o->window);
	jw_u64(w, "ramp", o->ramp);
	jw_u64(w, "wall", o->wall);
	jw_bool(w, "has_slat", o->has_slat);
	jw_u64(w, "stall_longest", o->stall_longest);
	jw_u64(w, "cpu_usr", o->cpu_usr);
	jw_u64(w, "cpu_sys", o->cpu_sys);
	jw_u64(w, "written", o->written);
	write_device(w, "device_read", &o->device_read);
	write_device(w, "device_written", &o->device_written);
	if (o->verified)
		jw_u64(w, "verified", o->verified);
	for (unsigned d = 0; d < DIR_COUNT; d++)
		write_dir(w, io_dir_name((enum io_dir)d), &o->dir[d]);
	write_bins(w, "sync_lat", &o->sync_lat);
	write_slots(w, o);
}

void doc_write_run(const struct result *r, const struct run *run, const char *key, struct jw *w)
{
	jw_object_flat(w, key);
	jw_u64(w, "job", run->job);
	jw_u64(w, "session", run->session);
	jw_u64(w, "run", run->run);
	jw_u64(w, "order", run->order);
	jw_i64(w, "started", run->started);
	if (r->interleave.kind != INTERLEAVE_NONE) {
		jw_u64(w, "pair", run->pair);
		jw_u64(w, "arm", (uint64_t)run->arm);
	}
	if (r->values_writer && run->out.status == OUTCOME_OK && run->job < r->njobs) {
		jw_object_flat(w, "values");
		r->values_writer(r->values_arg, r, run, w);
		jw_end_object(w);
	}
	write_outcome(w, &run->out);
	doc_write_watched(w, run->watched);
	jw_end_object(w);
}

void result_write_value(struct jw *w, const char *name, enum unit unit, const struct value *v)
{
	if (v->state == VALUE_NA)
		return;
	jw_object_flat(w, name);
	if (v->state == VALUE_OK)
		jw_double(w, "value", v->v);
	else
		jw_null(w, "value");
	jw_str(w, "unit", unit_name(unit));
	if (v->state != VALUE_OK) {
		jw_str(w, "state", value_state_name(v->state));
		jw_u64(w, "n", v->n);
	}
	jw_end_object(w);
}
