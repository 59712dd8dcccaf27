/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "base/clock.h"

#include <string.h>

static void monotonic_time_never_goes_back(void **state)
{
	uint64_t last = clock_now();

	(void)state;
	for (int i = 0; i < 1000; i++) {
		uint64_t now = clock_now();

		assert_true(now >= last);
		last = now;
	}
	clock_sleep_until(0); /* the past: returns at once */
	clock_sleep_until(last);
	assert_true(clock_utc() > 1700000000);
}

static void utc_round_trip(void **state)
{
	static const struct {
		int64_t utc;
		const char *text;
	} t[] = {
		{0, "1970-01-01T00:00:00"},          {1795874602, "2026-11-28T14:03:22"},
		{951782400, "2000-02-29T00:00:00"},  {4107542399, "2100-02-28T23:59:59"},
		{4107542400, "2100-03-01T00:00:00"}, /* 2100 is no leap year */
		{-1, "1969-12-31T23:59:59"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(t) / sizeof(t[0]); i++) {
		struct str s;
		int64_t back;

		str_init(&s);
		clock_format_utc(&s, t[i].utc);
		assert_string_equal(s.s, t[i].text);
		assert_int_equal(clock_parse_utc(s.s, &back), 0);
		assert_true(back == t[i].utc);
		str_release(&s);
	}
}

static void dates_and_rejects(void **state)
{
	static const char *const bad[] = {
		"",
		"2026",
		"2026-1-1",
		"2026-13-01",
		"2026-00-01",
		"2026-02-29",
		"2026-04-31",
		"2026-01-00",
		"2026-01-01T",
		"2026-01-01T24:00:00",
		"2026-01-01T10:60:00",
		"2026-01-01 10:00:00",
		"2026-01-01T10:00",
		"2026-01-01T10:00:00+01:00",
		"2026-01-01T10:00:00Zx",
		"20x6-01-01",
	};
	int64_t t;

	(void)state;
	assert_int_equal(clock_parse_utc("2027-01-31", &t), 0);
	assert_true(t == 1801353600);
	assert_int_equal(clock_parse_utc("1970-01-02T00:00:01Z", &t), 0);
	assert_true(t == 86401);
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		if (clock_parse_utc(bad[i], &t) != -1)
			fail_msg("accepted '%s'", bad[i]);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(monotonic_time_never_goes_back),
		cmocka_unit_test(utc_round_trip),
		cmocka_unit_test(dates_and_rejects),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
