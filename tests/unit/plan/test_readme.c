/* SPDX-License-Identifier: GPL-2.0-or-later */
/* suites/README.md: its tables name every metric and fact as the program knows them, and no other;
 * each of its examples is a part of a suite that lint finds clean. */
#include "plan_test.h"

#include "base/fileio.h"
#include "measure/metric.h"
#include "suite/reader.h"

#define README "suites/README.md"

typedef void name_fn(const char *name, char *const *cell, size_t ncell, bool *seen);

/* "{read,write}.{iops,bw}" to its names. */
static void expand(const char *text, char *const *cell, size_t ncell, name_fn *fn, bool *seen)
{
	const char *open = strchr(text, '{'), *close = open ? strchr(open, '}') : NULL, *at;
	char name[256];

	if (!close) {
		fn(text, cell, ncell, seen);
		return;
	}
	for (at = open + 1; at <= close; at++) {
		size_t n = strcspn(at, ",}");

		snprintf(name, sizeof(name), "%.*s%.*s%s", (int)(open - text), text, (int)n, at,
			 close + 1);
		expand(name, cell, ncell, fn, seen);
		at += n;
	}
}

static size_t split(char *line, char **cell, size_t max)
{
	size_t n = 0;

	for (char *save = NULL, *c = strtok_r(line, "|", &save); c && n < max;
	     c = strtok_r(NULL, "|", &save)) {
		c += strspn(c, " ");
		for (size_t len = strlen(c); len && c[len - 1] == ' ';)
			c[--len] = '\0';
		cell[n++] = c;
	}
	return n;
}

/* Every name in backquotes in the first column of the tables under a heading. */
static void each_name(const char *heading, name_fn *fn, bool *seen)
{
	struct err e = ERR_INIT;
	struct str text;
	char *at, *save = NULL;

	str_init(&text);
	assert_int_equal(file_read(README, 0, &text, &e), 0);
	at = strstr(text.s, heading);
	assert_non_null(at);
	strtok_r(at, "\n", &save);
	for (char *l = strtok_r(NULL, "\n", &save); l && !str_starts(l, "## ");
	     l = strtok_r(NULL, "\n", &save)) {
		char *cell[8], *part = NULL;
		size_t n;

		if (!str_starts(l, "| `"))
			continue;
		n = split(l, cell, 8);
		for (char *q = strtok_r(cell[0], "`", &part); q; q = strtok_r(NULL, "`", &part))
			if (*q != ',' && *q != ' ')
				expand(q, cell, n, fn, seen);
	}
	str_release(&text);
}

static void metric_row(const char *name, char *const *cell, size_t ncell, bool *seen)
{
	static const char *const better[] = {"higher", "lower", "zero", "none"};
	const struct metric *m = metric_find(name);
	char need[16];

	if (!m || ncell < 4)
		fail_msg(README ": '%s' is no metric", name);
	snprintf(need, sizeof(need), "%u", m->need);
	if (seen[metric_index(m)] || !str_eq(cell[1], unit_name(m->unit)) ||
	    !str_eq(cell[2], better[m->better]) || !str_eq(cell[3], need))
		fail_msg(README ": '%s' is in %s, %s is better, needs %s; or it stands twice", name,
			 unit_name(m->unit), better[m->better], need);
	seen[metric_index(m)] = true;
}

static void metrics(void **state)
{
	bool *seen = xcalloc(metric_count, sizeof(*seen));

	(void)state;
	each_name("## Metrics\n", metric_row, seen);
	for (unsigned i = 0; i < metric_count; i++)
		if (!seen[i])
			fail_msg(README " lacks metric '%s'", metric_table[i].name);
	free(seen);
}

static void fact_row(const char *name, char *const *cell, size_t ncell, bool *seen)
{
	size_t i = 0;

	(void)cell;
	(void)ncell;
	if (str_eq(name, "label.NAME"))
		return;
	while (i < fact_word_count && !str_eq(fact_words[i], name))
		i++;
	if (i == fact_word_count || seen[i])
		fail_msg(README ": '%s' is no fact, or stands twice", name);
	seen[i] = true;
}

static void facts(void **state)
{
	bool *seen = xcalloc(fact_word_count, sizeof(*seen));

	(void)state;
	each_name("## Facts\n", fact_row, seen);
	for (size_t i = 0; i < fact_word_count; i++)
		if (!seen[i])
			fail_msg(README " lacks fact '%s'", fact_words[i]);
	free(seen);
}

/* A paragraph each, in the order of the numbers. */
static void rules(void **state)
{
	static const char *const level[] = {"note", "warn", "error"};
	struct err e = ERR_INIT;
	struct str text, head;
	const char *at;

	(void)state;
	str_init(&text);
	str_init(&head);
	assert_int_equal(file_read(README, 0, &text, &e), 0);
	at = strstr(text.s, "## Rules\n");
	assert_non_null(at);
	for (unsigned i = 0; i < RULE_COUNT; i++) {
		char number[RULE_NUMBER_SIZE];
		const char *end;

		str_clear(&head);
		str_addf(&head, "\n**%s `%s`** (%s%s). ", rule_number((enum rule)i, number),
			 rule_table[i].name, level[rule_table[i].level],
			 rule_table[i].needs_target ? ", told where a target is known" : "");
		at = strstr(at, head.s);
		if (!at)
			fail_msg(README " lacks, at its place: %s", head.s);
		at += head.len;
		end = strchr(at, '\n');
		assert_true(end && end - at > 60);
	}
	assert_true(at < strstr(text.s, "## Metrics\n"));
	str_release(&text);
	str_release(&head);
}

/* Completed to a suite: what an example leaves out is not its matter. */
static void try_example(struct fix *f, const char *body, size_t n)
{
	struct str text;
	bool whole;

	str_init(&text);
	str_add(&text, "blkgate: 1\nname: t\n");
	str_addn(&text, body, n);
	whole = strstr(text.s, "workloads:") != NULL;
	if (!strstr(text.s, "defaults:"))
		str_add(&text, "defaults: {size: 1GiB}\n");
	if (!whole)
		str_add(&text, "workloads:\n  - {name: a, rw: read, gate: {bw: 5%}}\n");
	fix_ok(f, text.s);
	if (f->diags.warnings)
		fix_print(f);
	assert_int_equal(f->diags.warnings, 0);
	str_release(&text);
}

static void examples(void **state)
{
	static const char begin[] = "\n```yaml\n";
	struct fix *f = *state;
	struct err e = ERR_INIT;
	struct str text;
	size_t n = 0;

	f->o.lint_only = true;
	f->o.ntargets = 0;
	str_init(&text);
	assert_int_equal(file_read(README, 0, &text, &e), 0);
	for (const char *at = strstr(text.s, begin); at; at = strstr(at, begin)) {
		const char *end;

		at += strlen(begin);
		end = strstr(at, "\n```\n");
		assert_non_null(end);
		try_example(f, at, (size_t)(end + 1 - at));
		n++;
	}
	assert_true(n >= 12);
	str_release(&text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(metrics),
		cmocka_unit_test(facts),
		cmocka_unit_test(rules),
		TEST(examples),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
