/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The schema and the documents beside it know every word and section that the program reads. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/fileio.h"
#include "suite/reader.h"

static void read_all(const char *path, struct str *text)
{
	struct err e = ERR_INIT;

	str_init(text);
	if (file_read(path, 0, text, &e))
		fail_msg("%s", e.text);
}

static void has_key(const struct str *text, const char *key)
{
	char quoted[80];

	snprintf(quoted, sizeof(quoted), "\"%s\": {", key);
	if (!strstr(text->s, quoted))
		fail_msg("suites/schema.json does not know '%s'", key);
}

static void test_schema(void **state)
{
	static const char *const keys[] = {"name",   "matrix",   "exclude", "expect",
					   "gate",   "waive",    "when",    "optional",
					   "canary", "sessions", "targets"};
	struct str text;

	(void)state;
	read_all("suites/schema.json", &text);
	/* what YAML makes of an expectation with a colon */
	assert_non_null(strstr(text.s, "\"every run\": {\"type\": \"string\"}"));
	assert_non_null(strstr(text.s, "\"all targets\": {\"type\": \"string\"}"));
	for (unsigned i = 0; i < word_count; i++)
		has_key(&text, word_table[i].name);
	for (size_t i = 0; i < nsections; i++)
		has_key(&text, sections[i].name);
	for (size_t i = 0; i < sizeof(keys) / sizeof(*keys); i++)
		has_key(&text, keys[i]);
	str_release(&text);
}

/* Every line of the units table is what the readers take: the spellings are tried one by one. */
static void try_spelling(const char *kind, const char *text)
{
	uint64_t whole;
	double v;
	struct err e = ERR_INIT;
	int rc = 0;

	if (strcmp(kind, "size") == 0)
		rc = units_size(text, &whole, &e);
	else if (strcmp(kind, "time") == 0)
		rc = units_time(text, &whole, &e);
	else if (strcmp(kind, "bandwidth") == 0)
		rc = unit_parse(UNIT_BW, text, &v, &e);
	else if (strcmp(kind, "rate") == 0)
		rc = units_iops(text, &v, &e);
	else if (strcmp(kind, "share") == 0)
		rc = units_percent(text, &v, &e);
	else if (strcmp(kind, "temperature") == 0)
		rc = unit_parse(UNIT_CELSIUS, text, &v, &e);
	if (rc)
		fail_msg("suites/README.md: %s '%s': %s", kind, text, e.text);
}

static void test_units_table(void **state)
{
	char *save = NULL, kind[32], word[64];
	struct str text;
	size_t n = 0;

	(void)state;
	read_all("suites/README.md", &text);
	for (char *l = strtok_r(text.s, "\n", &save); l; l = strtok_r(NULL, "\n", &save)) {
		char *note;

		if (sscanf(l, "| %31[a-z] |", kind) != 1 || strcmp(kind, "kind") == 0)
			continue;
		note = strrchr(l, '|'); /* the last column is prose */
		*note = '\0';
		note = strrchr(l, '|');
		assert_non_null(note);
		*note = '\0';
		for (char *at = strchr(l, '`'); at; at = strchr(at + 1, '`')) {
			assert_int_equal(sscanf(at, "`%63[^`]`", word), 1);
			at = strchr(at + 1, '`');
			try_spelling(kind, word);
			n++;
		}
	}
	assert_true(n > 25);
	str_release(&text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_schema),
		cmocka_unit_test(test_units_table),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
