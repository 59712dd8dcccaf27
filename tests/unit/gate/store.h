/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A folder of baselines for one test. */
#ifndef TEST_GATE_STORE_H
#define TEST_GATE_STORE_H

#include "base/fileio.h"
#include "lab.h"

struct store {
	char *dir;
	struct baseline b;
};

static inline void store_open(struct store *s)
{
	s->dir = lab_dir();
}

static inline void store_load(struct store *s)
{
	struct err e = ERR_INIT;

	if (baseline_load(s->dir, "kernel-gate", "default", &s->b, &e) != 0)
		fail_msg("%s", e.text);
}

/* Judges against what is stored now, then accepts. */
static inline int store_accept(struct store *s, struct result *r, const struct accept_options *o,
			       size_t *stored, struct err *e)
{
	struct accept_options with = o ? *o : (struct accept_options){.who = "tester"};
	struct str text;
	int rc;

	with.dir = s->dir;
	store_load(s);
	lab_judge(r, &s->b);
	str_init(&text);
	rc = baseline_accept(r, &s->b, &with, stored, &text, e);
	assert_int_equal(*stored > 0 && !with.dry_run, rc == 0 && !with.dry_run);
	assert_true(rc != 0 || strstr(text.s, r->sessions.v[0].id));
	str_release(&text);
	baseline_release(&s->b);
	return rc;
}

static inline void store_fill(struct store *s, unsigned n, double level)
{
	for (unsigned i = 0; i < n; i++) {
		struct err e = ERR_INIT;
		struct result r;
		size_t stored;

		lab_simple(&r, i, level * (1 + (i % 2 ? 0.005 : -0.005)));
		if (store_accept(s, &r, NULL, &stored, &e) != 0)
			fail_msg("session %u: %s", i, e.text);
		result_release(&r);
	}
}

static inline void store_close(struct store *s)
{
	char *folder = xasprintf("%s/kernel-gate/default", s->dir),
	     *suite = xasprintf("%s/kernel-gate", s->dir);
	struct err e = ERR_INIT;
	char **names;
	size_t n;

	if (file_list(folder, NULL, &names, &n, &e) == 0) {
		for (size_t i = 0; i < n; i++) {
			char *path = xasprintf("%s/%s", folder, names[i]);

			unlink(path);
			free(path);
		}
		file_list_free(names, n);
	}
	rmdir(folder);
	rmdir(suite);
	assert_int_equal(rmdir(s->dir), 0);
	free(folder);
	free(suite);
	free(s->dir);
}

#endif
