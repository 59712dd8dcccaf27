/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "base/arena.h"
#include "base/hash.h"
#include "base/str.h"
#include "base/vec.h"

#include <stdlib.h>
#include <string.h>

static void a_string_is_always_terminated(void **state)
{
	struct str s;

	(void)state;
	str_init(&s);
	assert_string_equal(s.s, "");
	str_clear(&s);
	str_add(&s, "");
	str_addn(&s, NULL, 0);
	assert_string_equal(s.s, "");
	for (int i = 0; i < 1000; i++)
		str_addc(&s, 'x');
	assert_int_equal(strlen(s.s), 1000);
	assert_int_equal(s.len, 1000);
	str_clear(&s);
	assert_string_equal(s.s, "");
	str_release(&s);
	assert_string_equal(s.s, "");
	char *p = str_detach(&s);

	assert_string_equal(p, "");
	free(p);
}

static void formats_text_longer_than_its_room(void **state)
{
	char longer[500];
	struct str s;

	(void)state;
	memset(longer, 'y', sizeof(longer) - 1);
	longer[sizeof(longer) - 1] = '\0';
	str_init(&s);
	str_addf(&s, "%d-", 42);
	str_addf(&s, "%s", longer);
	assert_int_equal(s.len, 3 + 499);
	assert_int_equal(strncmp(s.s, "42-yyy", 6), 0);
	str_addn(&s, "a\0b", 3);
	assert_int_equal(s.len, 505);
	assert_int_equal(s.s[503], '\0');
	char *p = str_detach(&s);

	assert_int_equal(s.len, 0);
	free(p);
	p = xasprintf("%s/%d", "a", 7);
	assert_string_equal(p, "a/7");
	free(p);
}

static void compares(void **state)
{
	(void)state;
	assert_true(str_starts("read.bw", "read."));
	assert_false(str_starts("re", "read"));
	assert_true(str_ends("a.json", ".json"));
	assert_false(str_ends("json", "a.json"));
	assert_true(str_eq(NULL, NULL));
	assert_false(str_eq(NULL, ""));
	assert_true(str_eq("a", "a"));
}

static void an_arena_gives_zeroed_aligned_memory(void **state)
{
	struct arena a;

	(void)state;
	arena_init(&a);
	for (size_t n = 0; n < 3000; n += 7) {
		unsigned char *p = arena_alloc(&a, n);

		assert_int_equal((uintptr_t)p % _Alignof(max_align_t), 0);
		for (size_t i = 0; i < n; i++)
			assert_int_equal(p[i], 0);
		memset(p, 0xff, n);
	}
	unsigned char *big = arena_alloc(&a, 100000);

	assert_int_equal(big[99999], 0);
	char *small = arena_strdup(&a, "after the big one");

	assert_string_equal(small, "after the big one");
	assert_null(arena_strdup(&a, NULL));
	assert_string_equal(arena_strndup(&a, "abcdef", 3), "abc");
	assert_string_equal(arena_strndup(&a, "ab", 10), "ab");
	assert_string_equal(arena_printf(&a, "%s=%d", "iodepth", 32), "iodepth=32");
	arena_release(&a);
	assert_null(a.head);
}

static void a_vector_grows_with_zeroed_elements(void **state)
{
	struct point {
		int x, y;
	};
	VEC(struct point) v = {0};

	(void)state;
	for (int i = 0; i < 100; i++) {
		VEC_PUSH(&v)->x = i;
		assert_int_equal(v.v[v.n - 1].y, 0);
	}
	assert_int_equal(v.v[63].x, 63);
	VEC_RELEASE(&v);
	assert_int_equal(v.n, 0);
}

/* The published test values of FNV-1a 64. */
static void hash_is_fnv1a(void **state)
{
	(void)state;
	assert_true(hash_str("") == 0xcbf29ce484222325u);
	assert_true(hash_str("a") == 0xaf63dc4c8601ec8cu);
	assert_true(hash_str("foobar") == 0x85944171f73967e8u);
	assert_true(hash_bytes("foobar", 6) == hash_str("foobar"));
}

/* The one reader of digits: what strtoull takes besides is refused. */
static void whole_numbers_are_digits_below_two_to_the_64(void **state)
{
	static const char *const not [] = {
		"", " 1", "+1", "-1", "x", "18446744073709551616", "99999999999999999999999999"};
	static const char *const part[] = {"1 ", "1.5", "0x10", "7k"};
	uint64_t v = 7;
	const char *s = "18446744073709551615:rest";

	(void)state;
	assert_true(str_take_u64(&s, &v));
	assert_true(v == UINT64_MAX);
	assert_string_equal(s, ":rest");
	assert_true(str_to_u64("007", &v));
	assert_int_equal(v, 7);
	for (size_t i = 0; i < sizeof(not ) / sizeof(not [0]); i++) {
		s = not [i];
		assert_false(str_take_u64(&s, &v));
		assert_ptr_equal(s, not [i]);
		assert_false(str_to_u64(not [i], &v));
	}
	for (size_t i = 0; i < sizeof(part) / sizeof(part[0]); i++)
		assert_false(str_to_u64(part[i], &v));
	assert_int_equal(v, 7);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_string_is_always_terminated),
		cmocka_unit_test(formats_text_longer_than_its_room),
		cmocka_unit_test(compares),
		cmocka_unit_test(an_arena_gives_zeroed_aligned_memory),
		cmocka_unit_test(a_vector_grows_with_zeroed_elements),
		cmocka_unit_test(hash_is_fnv1a),
		cmocka_unit_test(whole_numbers_are_digits_below_two_to_the_64),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
