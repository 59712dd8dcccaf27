/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "base/units.h"

#include <math.h>
#include <string.h>

static void sizes_have_one_meaning_each(void **state)
{
	static const struct {
		const char *text;
		uint64_t want;
	} t[] = {
		{"0", 0},
		{"4096", 4096},
		{"4k", 4096},
		{"4K", 4096},
		{"4KiB", 4096},
		{"4kib", 4096},
		{"4 KiB", 4096},
		{"4kB", 4000},
		{"1M", 1048576},
		{"1MB", 1000000},
		{"1.5GiB", 1610612736},
		{"0.5k", 512},
		{"64G", 68719476736},
		{"50 GB", 50000000000},
		{"1T", 1099511627776},
		{"1TB", 1000000000000},
		{"2P", 2251799813685248},
		{"512B", 512},
		{" 7 ", 7},
		{"1.500kB", 1500},
		{"9223372036854775807", INT64_MAX},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(t) / sizeof(t[0]); i++) {
		struct err e = ERR_INIT;
		uint64_t got = 1;

		if (units_size(t[i].text, &got, &e) != 0)
			fail_msg("'%s': %s", t[i].text, e.text);
		assert_true(got == t[i].want);
		assert_int_equal(e.code, 0); /* success leaves the struct untouched */
	}
}

static void times_need_a_unit(void **state)
{
	static const struct {
		const char *text;
		uint64_t want;
	} t[] = {
		{"0", 0},
		{"10s", 10000000000},
		{"1.5s", 1500000000},
		{"250 ms", 250000000},
		{"97.4us", 97400},
		{"1ns", 1},
		{"10min", 600000000000},
		{"10m", 600000000000},
		{"6h", 21600000000000},
		{"1d", 86400000000000},
		{"+50ms", 50000000},
		{"0.000000001s", 1},
		{"0.10s", 100000000},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(t) / sizeof(t[0]); i++) {
		struct err e = ERR_INIT;
		uint64_t got = 1;

		if (units_time(t[i].text, &got, &e) != 0)
			fail_msg("'%s': %s", t[i].text, e.text);
		assert_true(got == t[i].want);
	}
}

static void rates_and_shares(void **state)
{
	struct err e = ERR_INIT;
	double v;
	uint64_t n;

	(void)state;
	assert_int_equal(unit_parse(UNIT_BW, "3230 MB/s", &v, &e), 0);
	assert_true(v == 3230e6);
	assert_int_equal(unit_parse(UNIT_BW, "3.23GB/s", &v, &e), 0);
	assert_true(v == 3230e6);
	assert_int_equal(unit_parse(UNIT_BW, "1KiB/s", &v, &e), 0);
	assert_true(v == 1024);
	assert_int_equal(units_iops("340k IOPS", &v, &e), 0);
	assert_true(v == 340000);
	assert_int_equal(units_iops("340k", &v, &e), 0);
	assert_true(v == 340000);
	assert_int_equal(units_iops("5003.2", &v, &e), 0);
	assert_true(v == 5003.2);
	assert_int_equal(units_iops("1.2MIOPS", &v, &e), 0);
	assert_true(v == 1200000);
	assert_int_equal(units_percent("5%", &v, &e), 0);
	assert_true(v == 0.05);
	assert_int_equal(units_percent("0.1 %", &v, &e), 0);
	assert_true(v == 0.001);
	assert_int_equal(units_percent("120%", &v, &e), 0);
	assert_true(v == 1.2);
	assert_int_equal(units_number("-0.25", &v, &e), 0);
	assert_true(v == -0.25);
	assert_int_equal(units_number("+3", &v, &e), 0);
	assert_true(v == 3);
	assert_int_equal(units_count("18446744073709551615", &n, &e), 0);
	assert_true(n == UINT64_MAX);
	assert_int_equal(unit_parse(UNIT_CELSIUS, "-5C", &v, &e), 0);
	assert_true(v == -5);
	assert_int_equal(unit_parse(UNIT_TIME, "2ms", &v, &e), 0);
	assert_true(v == 2e6);
	assert_int_equal(unit_parse(UNIT_BYTES, "4KiB", &v, &e), 0);
	assert_true(v == 4096);
	assert_int_equal(unit_parse(UNIT_RATIO, "20%", &v, &e), 0);
	assert_true(v == 0.2);
	assert_int_equal(unit_parse(UNIT_COUNT, "7", &v, &e), 0);
	assert_true(v == 7);
	assert_int_equal(unit_parse(UNIT_NONE, "7.5", &v, &e), 0);
	assert_true(v == 7.5);
	assert_int_equal(unit_parse(UNIT_IOPS, "1k", &v, &e), 0);
	assert_true(v == 1000);
	assert_int_equal(unit_parse(UNIT_BW, "1kB/s", &v, &e), 0);
	assert_true(v == 1000);
	assert_int_equal(unit_parse(UNIT_RATIO, "0.2", &v, &e), ERR_USAGE);
}

static void booleans(void **state)
{
	static const struct {
		const char *text;
		int want; /* -1 = refused */
	} t[] = {{"true", 1}, {"Yes", 1}, {"ON", 1}, {"1", 1},  {"false", 0}, {"no", 0},
		 {"Off", 0},  {"0", 0},   {"", -1},  {"2", -1}, {"y", -1},    {"truee", -1}};

	(void)state;
	for (size_t i = 0; i < sizeof(t) / sizeof(t[0]); i++) {
		struct err e = ERR_INIT;
		bool b = false;
		int ret = units_bool(t[i].text, &b, &e);

		assert_int_equal(ret, t[i].want < 0 ? ERR_USAGE : 0);
		if (ret == 0)
			assert_int_equal(b, t[i].want);
	}
}

enum parser { COUNT, NUMBER, SIZE, TIME, BW, IOPS, PERCENT, CELSIUS };

static int parse(enum parser p, const char *s, struct err *e)
{
	uint64_t n;
	double v;

	switch (p) {
	case COUNT:
		return units_count(s, &n, e);
	case NUMBER:
		return units_number(s, &v, e);
	case SIZE:
		return units_size(s, &n, e);
	case TIME:
		return units_time(s, &n, e);
	case BW:
		return unit_parse(UNIT_BW, s, &v, e);
	case IOPS:
		return units_iops(s, &v, e);
	case PERCENT:
		return units_percent(s, &v, e);
	default:
		return unit_parse(UNIT_CELSIUS, s, &v, e);
	}
}

static void refusals_name_the_intended_spelling(void **state)
{
	static const struct {
		enum parser parser;
		const char *text, *cause, *hint;
	} t[] = {
		{COUNT, "010", "leading zero", "write 10"},
		{COUNT, "00", "leading zero", "write 0"},
		{COUNT, "1e3", "exponent", "write 1000"},
		{COUNT, "1.5E3", "exponent", "write 1500"},
		{NUMBER, "25e-2", "exponent", "write 0.25"},
		{NUMBER, "-1e-3", "exponent", "write -0.001"},
		{NUMBER, "1e400", "exponent", "plain decimal digits"},
		{COUNT, "0x1000", "hexadecimal", "write 4096"},
		{COUNT, "0xfffffffffffffffff", "hexadecimal", "plain decimal digits"},
		{COUNT, "1_000", "grouped", "write 1000"},
		{COUNT, "1,000,000", "grouped", "write 1000000"},
		{NUMBER, "1,5", "decimal comma", "write 1.5"},
		{NUMBER, ".5", "before the point", "write 0.5"},
		{NUMBER, "5.", "after the point", "write 5"},
		{COUNT, "1.5", "whole number", "32"},
		{COUNT, "-1", "cannot be negative", "32"},
		{COUNT, "+1", "expected a whole number", "32"},
		{COUNT, "", "missing", "32"},
		{COUNT, "   ", "missing", "32"},
		{COUNT, "ten", "expected a whole number", "32"},
		{COUNT, "nan", "expected a whole number", "32"},
		{NUMBER, "inf", "expected a number", "0.5"},
		{COUNT, "32k", "unit 'k'", "no unit"},
		{COUNT, "18446744073709551616", "too large", "32"},
		{NUMBER, "0.00000000000000000000001", "more digits", "0.5"},
		{SIZE, "010k", "leading zero", "write 10k"},
		{SIZE, "0x1000", "hexadecimal", "write 4096"},
		{SIZE, "1_000 MB", "grouped", "write 1000 MB"},
		{SIZE, "4ki", "unit 'ki'", "4KiB = 4096 bytes, or 4kB = 4000 bytes"},
		{SIZE, "4Ki", "unit 'Ki'", "4KiB = 4096 bytes, or 4kB = 4000 bytes"},
		{SIZE, "4KB", "unit 'KB'", "4KiB = 4096 bytes, or 4kB = 4000 bytes"},
		{SIZE, "1Mi", "unit 'Mi'", "1MiB = 1048576 bytes, or 1MB = 1000000 bytes"},
		{SIZE, "1g", "unit 'g'", "write 1G = 1073741824 bytes"},
		{SIZE, "4 kilo", "unit 'kilo'", "accepted: k M G T"},
		{SIZE, "1.5B", "whole bytes", "4KiB"},
		{SIZE, "0.0001k", "whole bytes", "4KiB"},
		{SIZE, "9223372036854775808", "that large", "4KiB"},
		{SIZE, "9000P", "that large", "4KiB"},
		{SIZE, "-4k", "cannot be negative", "4KiB"},
		{SIZE, "4k 4k", "unit 'k 4k'", "accepted"},
		{TIME, "10", "needs a unit", "write 10s, or 10ms"},
		{TIME, "10sec", "unit 'sec'", "write 10s"},
		{TIME, "10 minutes", "unit 'minutes'", "write 10min"},
		{TIME, "5\xc2\xb5s", "unit '\xc2\xb5s'", "write 5us"},
		{TIME, "1h30m", "unit 'h30m'", "accepted: ns us ms s"},
		{TIME, "0.5ns", "whole nanoseconds", "10s"},
		{TIME, "300000d", "that large", "10s"},
		{TIME, "-1s", "cannot be negative", "10s"},
		{BW, "500", "needs a unit", "500MB/s = 500000000 B/s, or 500MiB/s = 524288000 B/s"},
		{BW, "500MB", "unit 'MB'", "write 500MB/s"},
		{BW, "100Mbit/s", "unit 'Mbit/s'", "bits are not accepted"},
		{IOPS, "340K", "unit 'K'", "write 340k = 340000 IOPS"},
		{IOPS, "340 iops", "unit 'iops'", "write 340IOPS"},
		{PERCENT, "5", "needs a unit", "write 5%"},
		{PERCENT, "0.05", "needs a unit", "write 0.05%"},
		{PERCENT, "5 percent", "unit 'percent'", "write 5%"},
		{PERCENT, "-5%", "cannot be negative", "5%"},
		{CELSIUS, "70", "needs a unit", "write 70C"},
		{SIZE, "4\x1b[31m", "'4\\x1b[31m'", "accepted"},
		{SIZE, "\xff", "'\\xff'", "4KiB"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(t) / sizeof(t[0]); i++) {
		struct err e = ERR_INIT;

		if (parse(t[i].parser, t[i].text, &e) != ERR_USAGE)
			fail_msg("accepted '%s'", t[i].text);
		if (!strstr(e.text, t[i].cause))
			fail_msg("'%s': text is: %s", t[i].text, e.text);
		if (!strstr(e.hint, t[i].hint))
			fail_msg("'%s': hint is: %s", t[i].text, e.hint);
	}
}

/* What a hint tells people to write must itself be accepted. */
static void examples_are_accepted(void **state)
{
	static const struct {
		enum parser parser;
		const char *text;
	} t[] = {{COUNT, "x"}, {NUMBER, "x"}, {SIZE, "x"},    {TIME, "x"},
		 {BW, "x"},    {IOPS, "x"},   {PERCENT, "x"}, {CELSIUS, "x"}};

	(void)state;
	for (size_t i = 0; i < sizeof(t) / sizeof(t[0]); i++) {
		struct err e = ERR_INIT, e2 = ERR_INIT;
		char example[64];

		assert_int_equal(parse(t[i].parser, t[i].text, &e), ERR_USAGE);
		const char *from = strchr(e.hint, '\'') + 1, *to = strrchr(e.hint, '\'');

		assert_true(to > from && (size_t)(to - from) < sizeof(example));
		memcpy(example, from, (size_t)(to - from));
		example[to - from] = '\0';
		assert_int_equal(parse(t[i].parser, example, &e2), 0);
	}
}

static void a_long_text_is_quoted_in_part(void **state)
{
	struct err e = ERR_INIT;
	char longer[5000];
	uint64_t n;

	(void)state;
	memset(longer, 'z', sizeof(longer) - 1);
	longer[sizeof(longer) - 1] = '\0';
	assert_int_equal(units_size(longer, &n, &e), ERR_USAGE);
	assert_true(strlen(e.text) < 200);
	memset(longer, '9', sizeof(longer) - 1);
	assert_int_equal(units_size(longer, &n, &e), ERR_USAGE);
	longer[1] = '.';
	assert_int_equal(units_size(longer, &n, &e), ERR_USAGE);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(sizes_have_one_meaning_each),
		cmocka_unit_test(times_need_a_unit),
		cmocka_unit_test(rates_and_shares),
		cmocka_unit_test(booleans),
		cmocka_unit_test(refusals_name_the_intended_spelling),
		cmocka_unit_test(examples_are_accepted),
		cmocka_unit_test(a_long_text_is_quoted_in_part),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
