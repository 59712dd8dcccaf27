/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the tests of this room share: a suite from a string, a scratch folder, a plan of both. */
#ifndef BLKGATE_TESTS_PLAN_TEST_H
#define BLKGATE_TESTS_PLAN_TEST_H

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "base/vec.h"
#include "plan/plan.h"

#include <stdio.h>
#include <unistd.h>

/* `sim` needs no device and no clock; a size spares every workload the word. */
#define HEAD "blkgate: 1\nname: t\ndefaults: {ioengine: sim, size: 1MiB}\nworkloads:\n"
#define HEAD_BARE "blkgate: 1\nname: t\nworkloads:\n"

struct fix {
	char dir[64];
	struct host host;
	struct target_arg arg[4];
	struct suite suite;
	struct plan plan;
	struct diags diags;
	struct err err;
	struct plan_options o;
	bool loaded, made;
};

static inline void fix_init(struct fix *f)
{
	*f = (struct fix){.host = {.root = "/"}};
	strcpy(f->dir, "/tmp/blkgate-plan-XXXXXX");
	assert_non_null(mkdtemp(f->dir));
	f->arg[0] = (struct target_arg){NULL, f->dir};
	f->o.host = &f->host;
	f->o.targets = f->arg;
	f->o.ntargets = 1;
	diags_init(&f->diags);
}

static inline void fix_clear(struct fix *f)
{
	if (f->made)
		plan_release(&f->plan);
	if (f->loaded)
		suite_release(&f->suite);
	f->made = f->loaded = false;
	diags_release(&f->diags);
	diags_init(&f->diags);
	f->err = ERR_INIT;
}

static inline void fix_release(struct fix *f)
{
	fix_clear(f);
	diags_release(&f->diags);
	rmdir(f->dir);
}

static inline void fix_print(const struct fix *f)
{
	for (size_t i = 0; i < f->diags.n; i++)
		print_message("%u:%u %s: %s | %s\n", f->diags.v[i].line, f->diags.v[i].column,
			      f->diags.v[i].rule, f->diags.v[i].text, f->diags.v[i].hint);
	print_message("err %d: %s | %s\n", f->err.code, f->err.text, f->err.hint);
}

/* Plans the text. What the suite itself refuses never comes to the plan. */
static inline int fix_plan_set(struct fix *f, const char *text, const struct setting *set,
			       size_t nset)
{
	int rc;

	fix_clear(f);
	f->loaded = true;
	rc = suite_parse(text, strlen(text), "suite.yaml", set, nset, &f->suite, &f->diags,
			 &f->err);
	if (rc < 0)
		return rc;
	f->made = true;
	return plan_make(&f->suite, &f->o, &f->plan, &f->diags, &f->err);
}

static inline int fix_plan(struct fix *f, const char *text)
{
	return fix_plan_set(f, text, NULL, 0);
}

static inline void fix_ok(struct fix *f, const char *text)
{
	int rc = fix_plan(f, text);

	if (rc < 0)
		fix_print(f);
	assert_int_equal(rc, 0);
}

static inline const struct diag *fix_find(const struct fix *f, const char *part)
{
	for (size_t i = 0; i < f->diags.n; i++)
		if (strstr(f->diags.v[i].text, part))
			return &f->diags.v[i];
	return NULL;
}

/* Must fail as a suite error with that sentence among the findings; returns it. */
static inline const struct diag *fix_refused(struct fix *f, const char *text, const char *part)
{
	int rc = fix_plan(f, text);
	const struct diag *g = fix_find(f, part);

	if (rc != ERR_SUITE || !g)
		fix_print(f);
	assert_int_equal(rc, ERR_SUITE);
	assert_non_null(g);
	assert_int_equal(g->level, DIAG_ERROR);
	return g;
}

/* As above, by suite or plan, whichever sees it first. */
static inline void fix_refused_somewhere(struct fix *f, const char *text)
{
	assert_int_equal(fix_plan(f, text), ERR_SUITE);
	assert_true(f->diags.errors > 0);
}

static inline const struct diag *fix_rule(const struct fix *f, const char *rule)
{
	for (size_t i = 0; i < f->diags.n; i++)
		if (strcmp(f->diags.v[i].rule, rule) == 0)
			return &f->diags.v[i];
	return NULL;
}

static inline size_t fix_count(const struct fix *f, const char *rule)
{
	size_t n = 0;

	for (size_t i = 0; i < f->diags.n; i++)
		n += strcmp(f->diags.v[i].rule, rule) == 0;
	return n;
}

static inline const struct origin *fix_origin(const struct fix *f, size_t job, const char *word)
{
	return &f->plan.origins[job].of[word_index(word_find(word))];
}

static inline void assert_part(const char *text, const char *part)
{
	if (!text || !strstr(text, part))
		print_message("'%s' is not in '%s'\n", part, text ? text : "(null)");
	assert_non_null(text);
	assert_non_null(strstr(text, part));
}

static inline int fix_setup(void **state)
{
	struct fix *f = xcalloc(1, sizeof(*f));

	fix_init(f);
	*state = f;
	return 0;
}

static inline int fix_teardown(void **state)
{
	fix_release(*state);
	free(*state);
	return 0;
}

#define TEST(fn) cmocka_unit_test_setup_teardown(fn, fix_setup, fix_teardown)

#endif
