/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * tests/fixtures/suites/rules: for every rule a suite that breaks it and one that does not. Lines
 * `#! target block` and `#! fact KEY=VALUE` say what a rule has to know of the target.
 */
#include "plan_test.h"

#include "base/fileio.h"

#define DIR "tests/fixtures/suites/rules/"

/* Of the plan on a folder a block device with those facts is made. */
static void as_told(struct fix *f, char *text)
{
	struct target *t = f->plan.targets;
	char *save = NULL;

	for (char *l = strtok_r(text, "\n", &save); l; l = strtok_r(NULL, "\n", &save)) {
		char *eq = strchr(l, '=');

		if (strcmp(l, "#! target block") == 0) {
			t->kind = TARGET_BLOCK;
		} else if (str_starts(l, "#! fact ") && eq) {
			*eq = '\0';
			facts_set(&t->facts, &f->plan.arena, l + strlen("#! fact "),
				  arena_strdup(&f->plan.arena, eq + 1), NULL);
		}
	}
	diags_release(&f->diags);
	diags_init(&f->diags);
	plan_lint(&f->plan, &f->diags);
}

/* The finding of the rule in that fixture, NULL = none. */
static const struct diag *look(struct fix *f, enum rule r, const char *kind, int *rc)
{
	char number[RULE_NUMBER_SIZE], path[128];
	struct err e = ERR_INIT;
	struct str text;

	snprintf(path, sizeof(path), DIR "%s-%s.yaml", rule_number(r, number), kind);
	str_init(&text);
	if (file_read(path, 0, &text, &e))
		fail_msg("%s", e.text);
	f->o.lint_only = !strstr(text.s, "#! ");
	f->o.ntargets = !f->o.lint_only;
	*rc = fix_plan(f, text.s);
	if (strstr(text.s, "#! ") && *rc == 0)
		as_told(f, text.s);
	str_release(&text);
	return fix_rule(f, rule_table[r].name);
}

static void fixtures(void **state)
{
	struct fix *f = *state;
	const struct diag *g;
	int rc;

	for (unsigned i = 0; i < RULE_COUNT; i++) {
		/* needs a baseline: tests/cli/38-lint.sh */
		if (i == RULE_TOLERANCE_BELOW_SIGHT)
			continue;
		g = look(f, (enum rule)i, "bad", &rc);
		if (!g)
			fix_print(f);
		if (!g)
			fail_msg("%s is not found", rule_table[i].name);
		/* some are worse in some cases */
		assert_true(g->level >= rule_table[i].level);
		assert_int_equal(rc, rule_table[i].level == DIAG_ERROR ? ERR_SUITE : 0);
		g = look(f, (enum rule)i, "good", &rc);
		if (g || rc)
			fix_print(f);
		if (g)
			fail_msg("%s is found in the good one: %s", rule_table[i].name, g->text);
		assert_int_equal(rc, 0);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {TEST(fixtures)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
