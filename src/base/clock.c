/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/clock.h"

#define DAY_SECONDS 86400

void clock_sleep_until(uint64_t ns)
{
	struct timespec t = {.tv_sec = (time_t)(ns / NS_PER_SEC),
			     .tv_nsec = (long)(ns % NS_PER_SEC)};

	/* An absolute time: nothing is added when the caller was preempted before the call. */
	clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &t, NULL);
}

int64_t clock_utc(void)
{
	return (int64_t)time(NULL);
}

void clock_format_utc(struct str *s, int64_t utc)
{
	time_t t = (time_t)utc;
	struct tm tm;

	if (!gmtime_r(&t, &tm)) { /* a year that does not fit: nothing sensible was stored */
		str_add(s, "1970-01-01T00:00:00");
		return;
	}
	str_addf(s, "%04d-%02d-%02dT%02d:%02d:%02d", tm.tm_year + 1900, tm.tm_mon + 1, tm.tm_mday,
		 tm.tm_hour, tm.tm_min, tm.tm_sec);
}

/* Exactly n digits at *p, then the byte `after` unless it is 0. */
static bool take(const char **p, unsigned n, char after, int *out)
{
	int v = 0;

	for (unsigned i = 0; i < n; i++) {
		if (!c_isdigit((*p)[i]))
			return false;
		v = v * 10 + ((*p)[i] - '0');
	}
	*p += n;
	if (after && *(*p)++ != after)
		return false;
	*out = v;
	return true;
}

static int days_in(int year, int month)
{
	static const int days[12] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
	bool leap = (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;

	return days[month - 1] + (month == 2 && leap);
}

/* Days since 1970-01-01 in the Gregorian calendar, counting years from March. */
static int64_t days_from_civil(int year, int month, int day)
{
	int64_t y = month <= 2 ? year - 1 : year;
	int64_t era = (y >= 0 ? y : y - 399) / 400, of_era = y - era * 400;
	int64_t of_year = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1;

	return era * 146097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year - 719468;
}

int clock_parse_utc(const char *s, int64_t *utc)
{
	int year, month, day, hour = 0, minute = 0, second = 0;

	if (!take(&s, 4, '-', &year) || !take(&s, 2, '-', &month) || !take(&s, 2, 0, &day))
		return -1;
	if (month < 1 || month > 12 || day < 1 || day > days_in(year, month))
		return -1;
	if (*s) {
		if (*s++ != 'T' || !take(&s, 2, ':', &hour) || !take(&s, 2, ':', &minute) ||
		    !take(&s, 2, 0, &second))
			return -1;
		if (hour > 23 || minute > 59 || second > 59)
			return -1;
		if (*s == 'Z')
			s++;
		if (*s)
			return -1;
	}
	*utc = days_from_civil(year, month, day) * DAY_SECONDS + hour * 3600 + minute * 60 + second;
	return 0;
}
