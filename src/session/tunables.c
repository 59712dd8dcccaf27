/* SPDX-License-Identifier: GPL-2.0-or-later */
/* session/tunables: which setting has which value in which run. */
#include "session/conductor.h"

#include "host/host.h"

#include <stdio.h>
#include <stdlib.h>

/* What a run of that job wants of a setting; NULL = nothing. */
static const char *wanted(const struct conductor *c, uint32_t job, const char *path)
{
	const struct interleave *x = &c->p->interleave;

	if (x->kind == INTERLEAVE_SETTING && str_eq(x->path, path))
		return x->name[c->arm];
	for (size_t i = 0; i < c->p->nsettings; i++)
		if (c->p->settings[i].job == job && str_eq(c->p->settings[i].path, path))
			return c->p->settings[i].value;
	return NULL;
}

static const char *wanted_of(const struct conductor *c, const struct order_entry *entry, size_t n,
			     const char *path)
{
	const char *value = NULL;

	for (size_t i = 0; !value && i < n; i++)
		value = wanted(c, entry[i].job, path);
	return value;
}

/* Those that nobody wants first: one of a pair of them may take the value of the other. */
int put_settings(struct conductor *c, const struct order_entry *entry, size_t n, struct err *e)
{
	for (unsigned want = 0; want < 2; want++)
		for (size_t i = 0; i < c->settings.n; i++) {
			const char *path = c->settings.v[i].path;
			const char *value = wanted_of(c, entry, n, path);

			if (want == (value != NULL) &&
			    settings_put(&c->settings, path, value, e) < 0)
				return e->code;
		}
	return check_settings(c, entry, n, e);
}

int check_settings(const struct conductor *c, const struct order_entry *entry, size_t n,
		   struct err *e)
{
	for (size_t i = 0; i < c->settings.n; i++) {
		const char *path = c->settings.v[i].path;
		const char *value = wanted_of(c, entry, n, path);

		if (value && host_tunable_holds(path, value, e) < 0)
			return e->code;
	}
	return 0;
}

static int take(struct conductor *c, const char *path, struct err *e)
{
	const char *folder = c->o->settings ? c->o->settings : SESSION_SETTINGS;
	size_t before = c->settings.n;

	if (settings_take(&c->settings, folder, path, c->o->wait_lock, c->o->stop, e) < 0)
		return e->code;
	if (c->settings.n > before)
		*VEC_PUSH(&c->r->notices) =
			arena_printf(&c->r->arena, "'%s' was '%s' before, and is put back", path,
				     c->settings.v[before].old);
	return 0;
}

static const char *sentence(struct conductor *c, const struct err *e)
{
	const char *text =
		arena_printf(&c->r->arena, "%s%s%s", e->text, e->hint[0] ? "; " : "", e->hint);

	tell(c, EVENT_NOTICE, NULL, NULL, text);
	return text;
}

/* Both values are tried, so that one the kernel refuses ends the session before its first run; the
 * reference last: it is where the session begins. */
static void take_compared(struct conductor *c)
{
	const struct interleave *x = &c->p->interleave;
	struct err e = ERR_INIT;

	if (x->kind != INTERLEAVE_SETTING)
		return;
	if (!x->path) { /* the target could not be used, so that no file was looked for */
		fail_chosen(c, OUTCOME_SETUP, "the setting of --ab was not looked for");
		return;
	}
	take(c, x->path, &e);
	for (int i = ARM_COUNT - 1; i >= 0 && !e.code; i--)
		settings_put(&c->settings, x->path, x->name[i], &e);
	if (e.code)
		fail_chosen(c, OUTCOME_SETUP, sentence(c, &e));
}

static int by_path(const void *a, const void *b)
{
	const struct plan_setting *const *x = a, *const *y = b;
	int order = strcmp((*x)->path, (*y)->path);

	return order ? order : ((*x)->job > (*y)->job) - ((*x)->job < (*y)->job);
}

/* In one order everywhere, so that two sessions never wait for each other. */
void take_settings(struct conductor *c)
{
	const struct plan *p = c->p;
	const struct plan_setting **s = xcalloc(p->nsettings + 1, sizeof(*s));

	take_compared(c);
	for (size_t i = 0; i < p->nsettings; i++)
		s[i] = &p->settings[i];
	qsort(s, p->nsettings, sizeof(*s), by_path);
	for (size_t i = 0; i < p->nsettings; i++) {
		struct order_entry entry = {.job = s[i]->job};
		struct err e = ERR_INIT;

		if (!c->chosen[s[i]->job] || c->failed[s[i]->job])
			continue;
		if (take(c, s[i]->path, &e) == 0)
			settings_put(&c->settings, s[i]->path, s[i]->value, &e);
		if (e.code)
			fail_entry(c, entry, OUTCOME_SETUP, sentence(c, &e));
	}
	free(s);
}

int release_settings(struct conductor *c, int rc, struct err *e)
{
	struct notices failed;

	notices_init(&failed);
	settings_release(&c->settings, &failed);
	for (size_t i = 0; i < failed.n; i++) {
		const char *text = arena_strdup(&c->r->arena, failed.v[i]);

		*VEC_PUSH(&c->r->notices) = text;
		tell(c, EVENT_NOTICE, NULL, NULL, text);
		if (rc == 0)
			rc = err_set(e, ERR_TARGET, "%s", text);
	}
	notices_release(&failed);
	return rc;
}
