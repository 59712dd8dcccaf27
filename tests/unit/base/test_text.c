/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "base/str.h"

#include <string.h>

static void utf8_is_checked_strictly(void **state)
{
	static const struct {
		const char *text;
		int bad; /* -1 = valid */
	} t[] = {
		{"", -1},
		{"plain", -1},
		{"\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80", -1},
		{"\xef\xbf\xbf", -1}, /* U+FFFF is UTF-8; the sanitiser takes it out */
		{"a\x80", 1},
		{"\xc0\xaf", 0},         /* overlong '/' */
		{"\xe0\x80\xaf", 0},     /* overlong */
		{"ab\xed\xa0\x80", 2},   /* surrogate */
		{"\xf4\x90\x80\x80", 0}, /* above U+10FFFF */
		{"\xf8\x88\x80\x80\x80", 0},
		{"abc\xe2\x82", 3}, /* cut */
		{"\xff", 0},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(t) / sizeof(t[0]); i++) {
		size_t bad = 99;

		assert_int_equal(utf8_valid(t[i].text, strlen(t[i].text), &bad), t[i].bad < 0);
		if (t[i].bad >= 0)
			assert_int_equal(bad, t[i].bad);
	}
}

/* bugs-given junit-chars-1: ESC, NUL and backspace in a message made a report unreadable. */
static void the_sanitiser_leaves_only_what_xml_and_terminals_take(void **state)
{
	static const struct {
		const char *in;
		size_t n;
		const char *out;
	} t[] = {
		{"tab\tlf\ncr\r", SIZE_MAX, "tab\tlf\ncr\r"},
		{"\x1b[31mred\x1b[0m", SIZE_MAX, "\\x1b[31mred\\x1b[0m"},
		{"a\0b", 3, "a\\x00b"},
		{"\x08\x7f", SIZE_MAX, "\\x08\\x7f"},
		{"\xc2\x85", SIZE_MAX, "\\xc2\\x85"},          /* C1: NEL */
		{"\xef\xbf\xbe", SIZE_MAX, "\\xef\\xbf\\xbe"}, /* U+FFFE */
		{"a\xe2\x80\xae"
		 "b",
		 SIZE_MAX,
		 "a\\xe2\\x80\\xae"
		 "b"},                                         /* U+202E */
		{"\xe2\x81\xa9", SIZE_MAX, "\\xe2\\x81\\xa9"}, /* U+2069 */
		{"\xe2\x80\xa8", SIZE_MAX, "\\xe2\\x80\\xa8"}, /* U+2028 */
		{"\xe2\x80\x94", SIZE_MAX, "\xe2\x80\x94"},
		{"\xc3", SIZE_MAX, "\\xc3"},
		{"\xc3(", SIZE_MAX, "\\xc3("},
		{"na\xc3\xafve \xf0\x9f\x98\x80", SIZE_MAX, "na\xc3\xafve \xf0\x9f\x98\x80"},
		{"cut here", 3, "cut"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(t) / sizeof(t[0]); i++) {
		struct str s;

		str_init(&s);
		str_add_clean(&s, t[i].in, t[i].n);
		assert_string_equal(s.s, t[i].out);
		str_release(&s);
	}
}

static void every_byte_pair_comes_out_valid(void **state)
{
	(void)state;
	for (unsigned v = 0; v < 65536; v++) {
		char in[2] = {(char)(v >> 8), (char)v};
		struct str s;

		str_init(&s);
		str_add_clean(&s, in, 2);
		assert_true(utf8_valid(s.s, s.len, NULL));
		assert_int_equal(strlen(s.s), s.len);
		str_release(&s);
	}
}

static void width_counts_characters(void **state)
{
	(void)state;
	assert_int_equal(utf8_width(""), 0);
	assert_int_equal(utf8_width("abc"), 3);
	assert_int_equal(utf8_width("\xc2\xb5s"), 2);
	assert_int_equal(utf8_width("\xff\xff"), 2);
}

static void distance_and_nearest(void **state)
{
	static const char *const words[] = {"iodepth", "ioengine", "runtime", "ramp_time", "bs"};
	char longer[200];

	(void)state;
	assert_int_equal(str_distance("", ""), 0);
	assert_int_equal(str_distance("", "abc"), 3);
	assert_int_equal(str_distance("kitten", "sitting"), 3);
	assert_int_equal(str_distance("rutnime", "runtime"), 1); /* a swap is one step */
	memset(longer, 'a', sizeof(longer) - 1);
	longer[sizeof(longer) - 1] = '\0';
	assert_int_equal(str_distance(longer, "a"), 99);
	assert_int_equal(str_distance(longer, longer), 0);
	assert_string_equal(str_nearest("iodeth", words, 5), "iodepth");
	assert_string_equal(str_nearest("ioengin", words, 5), "ioengine");
	assert_string_equal(str_nearest("ramptime", words, 5), "ramp_time");
	assert_string_equal(str_nearest("bss", words, 5), "bs");
	assert_null(str_nearest("zone", words, 5));
	assert_null(str_nearest("x", words, 5));
	assert_null(str_nearest("", words, 5));
	assert_null(str_nearest(longer, words, 5));
}

static void globs(void **state)
{
	static const struct {
		const char *pattern, *text;
		bool match;
	} t[] = {
		{"", "", true},
		{"", "a", false},
		{"*", "", true},
		{"*", "rand-4k:rw=randread", true},
		{"rand-*", "rand-4k", true},
		{"rand-*", "seq", false},
		{"*rw=randread*", "rand-4k:rw=randread:iodepth=32", true},
		{"*a*b*c", "xxaxxbxxbxxc", true},
		{"*a*b*c", "xxaxxbxxd", false},
		{"a?c", "abc", true},
		{"a?c", "ac", false},
		{"iodepth=[13]*", "iodepth=32", true},
		{"[a-c]x", "bx", true},
		{"[!a-c]x", "bx", false},
		{"[^a-c]x", "dx", true},
		{"[]]x", "]x", true},
		{"[a", "[a", true}, /* never closed: a plain character */
		{"a[", "a[", true},
		{"\\*", "*", true},
		{"\\*", "a", false},
		{"a*", "b", false},
		{"a**b", "ab", true},
		{"[a-]", "-", true},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(t) / sizeof(t[0]); i++) {
		if (str_glob(t[i].pattern, t[i].text) != t[i].match)
			fail_msg("glob '%s' on '%s'", t[i].pattern, t[i].text);
	}
	/* A pattern that is exponential for a recursive matcher. */
	assert_false(str_glob("a*a*a*a*a*a*a*a*a*a*b", "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"));
}

static void shell_quoting(void **state)
{
	static const char *const t[][2] = {
		{"suites/kernel-gate.yaml", "suites/kernel-gate.yaml"},
		{"", "''"},
		{"rand-4k:rw=randread", "'rand-4k:rw=randread'"},
		{"--name=x", "--name=x"},
		{"it's", "'it'\\''s'"},
		{"$(rm -rf /)", "'$(rm -rf /)'"},
		{"~root", "'~root'"},
		{"a\nb", "'a\nb'"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(t) / sizeof(t[0]); i++) {
		struct str s;

		str_init(&s);
		str_add_shell(&s, t[i][0]);
		assert_string_equal(s.s, t[i][1]);
		str_release(&s);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(utf8_is_checked_strictly),
		cmocka_unit_test(the_sanitiser_leaves_only_what_xml_and_terminals_take),
		cmocka_unit_test(every_byte_pair_comes_out_valid),
		cmocka_unit_test(width_counts_characters),
		cmocka_unit_test(distance_and_nearest),
		cmocka_unit_test(globs),
		cmocka_unit_test(shell_quoting),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
