/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "suite/yaml.h"

struct doc {
	struct arena a;
	struct err e;
	struct ynode *root;
	int rc;
};

static void parse(struct doc *d, const char *text, size_t n)
{
	memset(d, 0, sizeof(*d));
	arena_init(&d->a);
	d->rc = yaml_parse(text, n == SIZE_MAX ? strlen(text) : n, "t.yaml", &d->a, &d->root,
			   &d->e);
	if (d->rc) {
		assert_int_equal(d->rc, ERR_SUITE);
		assert_null(d->root);
		assert_string_equal(d->e.file, "t.yaml");
		assert_true(d->e.text[0] != '\0');
	}
}

static void refused(const char *text, size_t n, unsigned line, unsigned column, const char *what)
{
	struct doc d;

	parse(&d, text, n);
	if (d.rc != ERR_SUITE || d.e.line != line || d.e.column != column ||
	    (!strstr(d.e.text, what) && !strstr(d.e.hint, what)))
		fail_msg("'%.60s': %u:%u '%s' '%s', expected %u:%u '%s'", text, d.e.line,
			 d.e.column, d.e.text, d.e.hint, line, column, what);
	arena_release(&d.a);
}

static void test_tree(void **state)
{
	static const char text[] =
		"a: 'b'\nlist:\n  - x\n  - {k: \"v\", m: [1, 2]}\nno: no\nempty:\n";
	struct ynode *key = NULL, *list;
	struct doc d;

	(void)state;
	parse(&d, text, SIZE_MAX);
	assert_int_equal(d.rc, 0);
	assert_int_equal(d.root->kind, Y_MAP);
	assert_int_equal(d.root->n, 4);
	assert_string_equal(yaml_get(d.root, "a", &key)->text, "b");
	assert_true(yaml_get(d.root, "a", NULL)->quoted);
	assert_int_equal(key->line, 1);
	list = yaml_get(d.root, "list", NULL);
	assert_int_equal(list->kind, Y_SEQ);
	assert_int_equal(list->n, 2);
	assert_false(list->flow);
	assert_int_equal(list->item[1]->kind, Y_MAP);
	assert_true(list->item[1]->flow);
	assert_true(yaml_get(list->item[1], "k", NULL)->flow);
	assert_int_equal(list->item[1]->line, 4);
	assert_int_equal(list->item[1]->column, 5);
	assert_int_equal(yaml_get(list->item[1], "m", NULL)->item[1]->column, 21);
	/* what looks like a boolean or a null elsewhere stays the text that was written */
	assert_string_equal(yaml_get(d.root, "no", NULL)->text, "no");
	assert_string_equal(yaml_get(d.root, "empty", NULL)->text, "");
	assert_null(yaml_get(d.root, "absent", NULL));
	assert_null(yaml_get(list, "a", NULL));
	arena_release(&d.a);
}

/* libyaml counts characters; editors and compilers count bytes. */
static void test_byte_columns(void **state)
{
	static const char text[] =
		"# \xC3\xA9\xC3\xA9\r\n\xE2\x82\xAC: \"\xF0\x9F\x98\x80\" # \xC3\xA9\n"
		"b: {\xC3\xA9: x, c: y}\n";
	struct ynode *key = NULL, *map;
	struct doc d;

	(void)state;
	parse(&d, text, SIZE_MAX);
	assert_int_equal(d.rc, 0);
	assert_int_equal(d.root->key[0]->line, 2);
	assert_int_equal(d.root->key[0]->column, 1);
	assert_int_equal(d.root->item[0]->column, 6);
	map = yaml_get(d.root, "b", &key);
	assert_int_equal(key->line, 3);
	assert_int_equal(map->key[0]->column, 5);
	assert_int_equal(map->item[0]->column, 9);
	assert_int_equal(map->key[1]->column, 12);
	arena_release(&d.a);
	refused("a: \"\xC3\xA9\" x\n", SIZE_MAX, 1, 9, "a key here");
}

static void test_encoding(void **state)
{
	struct doc d;

	(void)state;
	parse(&d,
	      "\xEF\xBB\xBF"
	      "a: b\n",
	      SIZE_MAX);
	assert_int_equal(d.rc, 0);
	assert_int_equal(d.root->column, 1);
	arena_release(&d.a);
	refused("a: b\nc: caf\xE9\n", SIZE_MAX, 2, 7, "UTF-8");
	refused("a: \xC3\xA9\xC0\xAF\n", SIZE_MAX, 1, 6, "UTF-8");
	refused("a: \xED\xA0\x80\n", SIZE_MAX, 1, 4, "UTF-8");
	refused("a: b\xC3", SIZE_MAX, 1, 5, "UTF-8");
	refused("\xFF\xFE"
		"a\0:\0",
		6, 1, 1, "UTF-16");
	refused("a\0:\0 \0b\0", 8, 1, 1, "UTF-16");
	refused("a: b\n\xEF\xBB\xBF"
		"c: d\n",
		SIZE_MAX, 2, 1, "U+FEFF");
	refused("a: \x1b[31m\n", SIZE_MAX, 1, 4, "U+001B");
	refused("a: \x7f\n", SIZE_MAX, 1, 4, "U+007F");
	refused("a: \xC2\x80\n", SIZE_MAX, 1, 4, "U+0080");
	refused("a: b\0c\n", 7, 1, 5, "U+0000");
	refused("a: \"\\0\"\n", SIZE_MAX, 1, 4, "NUL");
}

static void test_structure(void **state)
{
	(void)state;
	refused("", SIZE_MAX, 1, 1, "empty");
	refused("# only a comment\n", SIZE_MAX, 1, 1, "empty");
	refused("a: b\n---\nc: d\n", SIZE_MAX, 2, 1, "second document");
	refused("a: b\n...\nc: d\n", SIZE_MAX, 3, 1, "end of the document");
	refused("a: 1\nb: 2\na: 3\n", SIZE_MAX, 3, 1, "first on line 1, again on line 3");
	refused("{x: 1, \"x\": 2}\n", SIZE_MAX, 1, 8, "duplicate key 'x'");
	refused("a: &b {c: d}\ne: {<<: *b}\n", SIZE_MAX, 2, 5, "merge key");
	refused("a: !!int 3\n", SIZE_MAX, 1, 4, "!!int");
	refused("a: !x [3]\n", SIZE_MAX, 1, 4, "!x");
	refused("- ! 3\n", SIZE_MAX, 1, 3, "tag");
	refused("%TAG ! tag:x,2000:\n---\na: b\n", SIZE_MAX, 1, 1, "%TAG");
	refused("? {a: b}\n: c\n", SIZE_MAX, 1, 3, "a key must be a word");
	refused("a: *b\n", SIZE_MAX, 1, 4, "must be quoted");
	refused("a: &x 1\nb: &x 2\n", SIZE_MAX, 2, 4, "defined twice");
	refused("a: &x [*x]\n", SIZE_MAX, 1, 8, "itself");
}

static void test_hints(void **state)
{
	(void)state;
	refused("a: {b: ${c}}\n", SIZE_MAX, 1, 8, "quote it");
	refused("a: [x, ${c}]\n", SIZE_MAX, 1, 8, "quote it");
	refused("a: > 5\n", SIZE_MAX, 1, 4, "folded block");
	refused("- >= 5\n", SIZE_MAX, 1, 3, "starts with its subject");
	refused("a: %b\n", SIZE_MAX, 1, 4, "'%'");
	refused("a: @b\n", SIZE_MAX, 1, 4, "'@'");
	refused("a: `b`\n", SIZE_MAX, 1, 4, "'`'");
	refused("a: * b\n", SIZE_MAX, 1, 4, "alias");
	refused("a: & b\n", SIZE_MAX, 1, 4, "anchor");
	refused("a: != b\n", SIZE_MAX, 1, 4, "subject");
	refused("a: | b\n", SIZE_MAX, 1, 4, "literal block");
	refused("a:\n\tb: c\n", SIZE_MAX, 2, 1, "use spaces");
	refused("a:\n  b: c\n \td: e\n", SIZE_MAX, 3, 2, "use spaces");
	refused("a: b\nrw:read\nc: d\n", SIZE_MAX, 2, 1, "space is missing");
	refused("a:\n  - rw:read\n    b: c\n", SIZE_MAX, 2, 1, "space is missing");
	refused("a: b: c\n", SIZE_MAX, 1, 5, "second ': '");
	refused("a: \"b\n", SIZE_MAX, 1, 4, "never closed");
	refused("a: 'b' c\n", SIZE_MAX, 1, 8, "a key here");
	refused("a: \"\\q\"\n", SIZE_MAX, 1, 5, "single quotes");
	refused("a: [b\nc: d\n", SIZE_MAX, 2, 2, "close");
	refused("a:\n  - b\n  c: d\n", SIZE_MAX, 3, 3, "list");
}

static void test_cut(void **state)
{
	struct doc d;

	(void)state;
	parse(&d, "a: b #c\nd: e # f\ng: 'h' #i\nj: k#l\n", SIZE_MAX);
	assert_int_equal(d.rc, 0);
	assert_true(d.root->item[0]->cut);
	assert_false(d.root->item[1]->cut);
	assert_false(d.root->item[2]->cut);
	assert_false(d.root->item[3]->cut);
	assert_string_equal(d.root->item[3]->text, "k#l");
	arena_release(&d.a);
}

/* yaml-bomb-2: nine levels of nine aliases stand for 400 million nodes. */
static void test_bomb(void **state)
{
	struct str s;

	(void)state;
	str_init(&s);
	str_add(&s, "a0: &a0 [x, x, x, x, x, x, x, x, x]\n");
	for (int i = 1; i < 9; i++) {
		str_addf(&s, "a%d: &a%d [", i, i);
		for (int k = 0; k < 9; k++)
			str_addf(&s, "%s*a%d", k ? ", " : "", i - 1);
		str_add(&s, "]\n");
	}
	refused(s.s, s.len, 7, 20, "2000000 nodes");
	str_release(&s);
}

static void test_depth(void **state)
{
	struct doc d;
	struct str s;

	(void)state;
	str_init(&s);
	for (int i = 0; i < YAML_DEPTH_MAX; i++)
		str_addc(&s, '[');
	for (int i = 0; i < YAML_DEPTH_MAX; i++)
		str_addc(&s, ']');
	parse(&d, s.s, s.len);
	assert_int_equal(d.rc, 0);
	arena_release(&d.a);
	str_clear(&s);
	for (int i = 0; i < 200000; i++)
		str_addc(&s, '[');
	refused(s.s, s.len, 1, YAML_DEPTH_MAX + 1, "64 levels");
	/* depth through aliases counts as well, for readers recurse */
	str_clear(&s);
	str_add(&s, "a0: &a0 [x]\n");
	for (int i = 1; i < 100; i++)
		str_addf(&s, "a%d: &a%d [*a%d]\n", i, i, i - 1);
	parse(&d, s.s, s.len);
	assert_int_equal(d.rc, ERR_SUITE);
	assert_non_null(strstr(d.e.text, "64 levels"));
	arena_release(&d.a);
	str_release(&s);
}

/* 50 000 keys and 50 000 anchors: quadratic checks would take minutes here. */
static void test_many(void **state)
{
	struct doc d;
	struct str s;

	(void)state;
	str_init(&s);
	for (int i = 0; i < 50000; i++)
		str_addf(&s, "key%d: &anchor%d value\n", i, i);
	parse(&d, s.s, s.len);
	assert_int_equal(d.rc, 0);
	assert_int_equal(d.root->n, 50000);
	arena_release(&d.a);
	str_add(&s, "key77: again\n");
	refused(s.s, s.len, 50001, 1, "first on line 78");
	str_release(&s);
}

static void test_shared(void **state)
{
	struct doc d;

	(void)state;
	parse(&d, "a: &x {k: v}\nb: *x\n", SIZE_MAX);
	assert_int_equal(d.rc, 0);
	assert_ptr_equal(d.root->item[0], d.root->item[1]);
	arena_release(&d.a);
	parse(&d, "%YAML 1.1\n---\na: b\n...\n", SIZE_MAX);
	assert_int_equal(d.rc, 0);
	arena_release(&d.a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_tree),     cmocka_unit_test(test_byte_columns),
		cmocka_unit_test(test_encoding), cmocka_unit_test(test_structure),
		cmocka_unit_test(test_hints),    cmocka_unit_test(test_cut),
		cmocka_unit_test(test_bomb),     cmocka_unit_test(test_depth),
		cmocka_unit_test(test_many),     cmocka_unit_test(test_shared),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
