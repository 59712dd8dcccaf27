/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "base/rng.h"
#include "base/units.h"

#include <float.h>
#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void three_digits_for_people(void **state)
{
	static const struct {
		enum unit u;
		double v;
		const char *want;
	} t[] = {
		{UNIT_IOPS, 412000, "412 k IOPS"},
		{UNIT_IOPS, 5003.2, "5.00 k IOPS"},
		{UNIT_IOPS, 97.44, "97.4 IOPS"},
		{UNIT_IOPS, 0, "0.00 IOPS"},
		{UNIT_IOPS, 999.6, "1.00 k IOPS"},
		{UNIT_IOPS, 999.4, "999 IOPS"},
		{UNIT_IOPS, 9.996, "10.0 IOPS"},
		{UNIT_IOPS, 1234567, "1.23 M IOPS"},
		{UNIT_BW, 3.23e9, "3.23 GB/s"},
		{UNIT_BW, 500, "500 B/s"},
		{UNIT_TIME, 97400, "97.4 us"},
		{UNIT_TIME, 2000000, "2 ms"},
		{UNIT_TIME, 123, "123 ns"},
		{UNIT_TIME, 999960, "1.00 ms"},
		{UNIT_TIME, 1.5e9, "1.50 s"},
		{UNIT_BYTES, 67108864, "64 MiB"},
		{UNIT_BYTES, 1.5 * 1073741824, "1.50 GiB"},
		{UNIT_BYTES, 100, "100 B"},
		{UNIT_RATIO, 0.05, "5.0 %"},
		{UNIT_RATIO, -0.073, "-7.3 %"},
		{UNIT_RATIO, 0, "0.0 %"},
		{UNIT_RATIO, 0.974, "97.4 %"},
		{UNIT_RATIO, 1, "100 %"},
		{UNIT_RATIO, 1.25, "125 %"},
		{UNIT_RATIO, 0.0005, "0.05 %"},
		{UNIT_RATIO, 0.0025, "0.25 %"},
		{UNIT_RATIO, 0.001, "0.1 %"},
		{UNIT_CELSIUS, 46, "46 C"},
		{UNIT_CELSIUS, 46.55, "46.5 C"},
		{UNIT_COUNT, 1234567, "1234567"},
		{UNIT_NONE, 0.01234, "0.0123"},
		{UNIT_NONE, 12.345, "12.3"},
		{UNIT_NONE, NAN, "n/a"},
		{UNIT_IOPS, INFINITY, "n/a"},
		{UNIT_NONE, 1e300, "1.00e+300"},
		{UNIT_RATIO, 1e300, "1.00e+302 %"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(t) / sizeof(t[0]); i++) {
		struct str s;

		str_init(&s);
		unit_format(&s, t[i].u, t[i].v);
		assert_string_equal(s.s, t[i].want);
		str_release(&s);
	}
}

static void sizes_are_exact(void **state)
{
	static const struct {
		uint64_t v;
		const char *want;
	} t[] = {{0, "0 B"},
		 {2300, "2300 B"},
		 {4096, "4 KiB"},
		 {68719476736, "64 GiB"},
		 {1572864, "1536 KiB"},
		 {UINT64_C(1) << 63, "8 EiB"},
		 {UINT64_MAX, "18446744073709551615 B"}};

	(void)state;
	for (size_t i = 0; i < sizeof(t) / sizeof(t[0]); i++) {
		struct str s;

		str_init(&s);
		unit_format_size(&s, t[i].v);
		assert_string_equal(s.s, t[i].want);
		str_release(&s);
	}
}

static void durations(void **state)
{
	static const struct {
		uint64_t v;
		const char *want;
	} t[] = {
		{0, "0 s"},
		{250000000, "250 ms"},
		{12300000000, "12.3 s"},
		{10000000000, "10 s"},
		{90000000000, "90 s"},
		{150000000000, "2.5 min"},
		{3480000000000, "58 min"},
		{9000000000000, "2.5 h"},
		{259200000000000, "3 d"},
		{1, "1 ns"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(t) / sizeof(t[0]); i++) {
		struct str s;

		str_init(&s);
		unit_format_duration(&s, t[i].v);
		assert_string_equal(s.s, t[i].want);
		str_release(&s);
	}
}

static void a_double_reads_back_equal(double v)
{
	struct str s;

	str_init(&s);
	units_add_double(&s, v);
	double back = strtod(s.s, NULL);

	if (memcmp(&back, &v, sizeof(v)) != 0)
		fail_msg("%.17g became '%s'", v, s.s);
	assert_true(s.len <= 24);
	str_release(&s);
}

static void doubles_are_shortest_and_exact(void **state)
{
	static const struct {
		double v;
		const char *want;
	} t[] = {{0, "0"},
		 {-0.0, "-0.0"},
		 {0.1, "0.1"},
		 {5003.2, "5003.2"},
		 {1e15, "1000000000000000"},
		 {-42, "-42"},
		 {1e100, "1e+100"},
		 {0.30000000000000004, "0.30000000000000004"},
		 {1.0 / 3, "0.3333333333333333"},
		 {5e-324, "5e-324"}};
	struct rng r;

	(void)state;
	for (size_t i = 0; i < sizeof(t) / sizeof(t[0]); i++) {
		struct str s;

		str_init(&s);
		units_add_double(&s, t[i].v);
		assert_string_equal(s.s, t[i].want);
		str_release(&s);
		a_double_reads_back_equal(t[i].v);
	}
	a_double_reads_back_equal(DBL_MAX);
	a_double_reads_back_equal(DBL_MIN);
	a_double_reads_back_equal(0x1p53);
	rng_seed(&r, 11);
	for (int i = 0; i < 20000; i++) {
		uint64_t bits = rng_next(&r);
		double v;

		memcpy(&v, &bits, sizeof(v));
		if (isfinite(v))
			a_double_reads_back_equal(v);
	}
}

/* bugs-given locale-1: a German locale wrote time="0,160". */
static void no_locale_moves_the_point(void **state)
{
	static const char *const names[] = {"de_DE.UTF-8", "de_DE.utf8", "de_DE", "fr_FR.UTF-8",
					    "ps_AF.UTF-8"};
	bool found = false;

	(void)state;
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		struct err e = ERR_INIT;
		char probe[16];
		struct str s;
		double v;

		if (!setlocale(LC_ALL, names[i]))
			continue;
		snprintf(probe, sizeof(probe), "%.1f", 0.5);
		found = found || strcmp(probe, "0.5") != 0;
		str_init(&s);
		units_add_double(&s, 0.16);
		unit_format(&s, UNIT_BW, 3.23e9);
		assert_string_equal(s.s, "0.163.23 GB/s");
		str_release(&s);
		assert_int_equal(units_number("1.5", &v, &e), 0);
		assert_true(v == 1.5);
	}
	setlocale(LC_ALL, "C");
	if (!found) {
		print_message("skipped: no locale with another decimal point is installed\n");
		skip();
	}
}

static void signed_text(const char *want, enum unit u, double v)
{
	struct str s;

	str_init(&s);
	if (u == UNIT_NONE)
		units_add_signed(&s, v, 1);
	else
		unit_format_signed(&s, u, v);
	assert_string_equal(s.s, want);
	str_release(&s);
}

/* What shows as zero has no direction. */
static void differences_have_a_sign(void **state)
{
	(void)state;
	signed_text("+0.0", UNIT_NONE, -0.0);
	signed_text("+0.0", UNIT_NONE, -0.04);
	signed_text("-0.1", UNIT_NONE, -0.06);
	signed_text("-10.0", UNIT_NONE, -10);
	signed_text("+7.3", UNIT_NONE, 7.3);
	signed_text("+0 ns", UNIT_TIME, -0.0);
	signed_text("-3.16 ms", UNIT_TIME, -3.16e6);
	signed_text("+100 ms", UNIT_TIME, 1e8);
	signed_text("-0.5 %", UNIT_RATIO, -0.005);
	signed_text("+0.0 %", UNIT_RATIO, -0.0);
}

static void each_unit_has_a_name_of_its_own(void **state)
{
	(void)state;
	for (int i = UNIT_NONE; i <= UNIT_CELSIUS; i++) {
		for (int k = UNIT_NONE; k < i; k++)
			assert_string_not_equal(unit_name((enum unit)i), unit_name((enum unit)k));
	}
	assert_string_equal(unit_name((enum unit)(UNIT_CELSIUS + 1)), "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(three_digits_for_people),
		cmocka_unit_test(sizes_are_exact),
		cmocka_unit_test(durations),
		cmocka_unit_test(doubles_are_shortest_and_exact),
		cmocka_unit_test(no_locale_moves_the_point),
		cmocka_unit_test(differences_have_a_sign),
		cmocka_unit_test(each_unit_has_a_name_of_its_own),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
