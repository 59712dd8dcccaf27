/* SPDX-License-Identifier: GPL-2.0-or-later */
/* model/watched_io: what was watched, in a document: one short text a series. */
#include "model/result_io.h"

void doc_write_watched(struct jw *w, const struct watched *x)
{
	struct str text;
	bool unknown = false;

	if (!x)
		return;
	str_init(&text);
	jw_object_flat(w, "watched");
	for (size_t k = 0; k < WATCHED_COUNT; k++) {
		const struct watched_series *s = &x->of[k];

		unknown |= s->state == WATCHED_UNKNOWN;
		if (s->state != WATCHED_KNOWN)
			continue;
		str_clear(&text);
		watched_format(s, watched_items[k].counter, &text);
		jw_str(w, watched_items[k].key, text.s);
	}
	if (x->line)
		jw_str(w, "kernel_log.first", x->line);
	if (x->cost)
		jw_u64(w, "cost", x->cost);
	if (unknown) {
		jw_object_flat(w, "unknown");
		for (size_t k = 0; k < WATCHED_COUNT; k++)
			if (x->of[k].state == WATCHED_UNKNOWN)
				jw_str(w, watched_items[k].key, x->of[k].why);
		jw_end_object(w);
	}
	jw_end_object(w);
	str_release(&text);
}

static int read_series(const struct reader *rd, const struct json *o, const struct json *unknown,
		       enum watched_key key, struct watched_series *s)
{
	const char *name = watched_items[key].key, *text, *why;

	if (json_opt_str(o, name, NULL, &text, rd->e) ||
	    (json_present(unknown) && json_opt_str(unknown, name, NULL, &why, rd->e)))
		return rd->e->code;
	if (!json_present(unknown))
		why = NULL;
	if (text && why)
		return doc_bad(rd, o, name, "is known and unknown");
	if (text && watched_parse(text, watched_items[key].counter, s))
		return doc_bad(rd, o, name, "is not '%s'",
			       watched_items[key].counter ? "looks first last"
							  : "looks first least most last");
	if (why)
		*s = (struct watched_series){.state = WATCHED_UNKNOWN,
					     .why = arena_strdup(&rd->r->arena, why)};
	return 0;
}

/* Bytes of others are of those that the device moved. */
static int check_other(const struct reader *rd, const struct json *o, const struct watched *w)
{
	const struct watched_series *all = &w->of[WATCHED_DEVICE_BYTES];
	const struct watched_series *other = &w->of[WATCHED_OTHER_BYTES];

	if (all->state != WATCHED_KNOWN || other->state != WATCHED_KNOWN ||
	    (other->last >= 0 && other->last <= all->last))
		return 0;
	return doc_bad(rd, o, watched_items[WATCHED_OTHER_BYTES].key,
		       "is not between 0 and what the device moved");
}

int doc_read_watched(const struct reader *rd, const struct json *o, struct run *run)
{
	struct json x = json_member(o, "watched"), unknown, cost;
	struct watched *w;
	int rc;

	if (!json_present(&x))
		return 0;
	if (json_need_object(&x, rd->e))
		return rd->e->code;
	unknown = json_member(&x, "unknown");
	if (json_present(&unknown) && json_need_object(&unknown, rd->e))
		return rd->e->code;
	run->watched = w = arena_alloc(&rd->r->arena, sizeof(*w));
	rc = doc_opt_text(rd, &x, "kernel_log.first", &w->line);
	for (enum watched_key k = 0; rc == 0 && k < WATCHED_COUNT; k++)
		rc = read_series(rd, &x, &unknown, k, &w->of[k]);
	cost = json_member(&x, "cost");
	if (rc == 0 && json_present(&cost))
		rc = json_get_u64(&x, "cost", &w->cost, rd->e);
	return rc ? rc : check_other(rd, &x, w);
}
