/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The half of base/units that writes. printf's point follows the locale, so none is asked of it. */
#include "base/units.h"
#include "base/clock.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct prefix {
	const char *text;
	double factor;
};

static const char *const unit_names[] = {
	[UNIT_NONE] = "",   [UNIT_COUNT] = "count", [UNIT_IOPS] = "IOPS",   [UNIT_BW] = "B/s",
	[UNIT_TIME] = "ns", [UNIT_BYTES] = "B",     [UNIT_RATIO] = "ratio", [UNIT_CELSIUS] = "C",
};
#define UNIT_NAMES (sizeof(unit_names) / sizeof(unit_names[0]))

const char *unit_name(enum unit u)
{
	return (size_t)u < UNIT_NAMES ? unit_names[u] : "";
}

/* snprintf with one double, the point made a point whatever the locale says. */
static void add_printf(struct str *s, const char *fmt, int precision, double v)
{
	char buf[64];

	snprintf(buf, sizeof(buf), fmt, precision, v);
	for (const char *p = buf; *p; p++) {
		if (c_isalnum(*p) || *p == '-' || *p == '+') {
			str_addc(s, *p);
			continue;
		}
		str_addc(s, '.'); /* the locale's point may be several bytes */
		while (p[1] && !c_isalnum(p[1]))
			p++;
	}
}

static unsigned decimals3(double v)
{
	return v >= 99.95 ? 0 : v >= 9.995 ? 1 : 2;
}

/* v >= 0 to three significant digits; small numbers keep at most six decimals. */
static void add3(struct str *s, double v)
{
	unsigned d = decimals3(v);

	for (double low = 0.9995; v > 0 && v < low && d < 6; low /= 10)
		d++;
	if (v < 1e15)
		add_printf(s, "%.*f", (int)d, v);
	else
		add_printf(s, "%.*e", 2, v);
}

static bool whole(double v)
{
	return v == floor(v) && v < 1e15;
}

static void add_scaled(struct str *s, double v, const struct prefix *p, size_t n, bool keep_whole)
{
	size_t i = 0;

	/* The next prefix begins where three digits would round up to it. */
	while (i + 1 < n && v >= p[i + 1].factor * 0.9995)
		i++;
	v /= p[i].factor;
	if (keep_whole && whole(v))
		add_printf(s, "%.*f", 0, v);
	else
		add3(s, v);
	str_addf(s, " %s", p[i].text);
}

#define ADD_SCALED(s, v, table, keep_whole)                                                        \
	add_scaled(s, v, table, sizeof(table) / sizeof((table)[0]), keep_whole)

static void add_percent(struct str *s, double percent)
{
	if (percent >= 99.95) {
		add3(s, percent);
	} else if (percent == 0 || percent >= 0.95) {
		add_printf(s, "%.*f", 1, percent);
	} else {
		int d = 1;

		/* Two digits of a small share, without a second that is zero. */
		for (double v = percent * 10; v < 0.95 && d < 6; v *= 10)
			d++;
		double two = round(percent * pow(10, d + 1));
		add_printf(s, "%.*f", d + (fmod(two, 10) != 0), percent);
	}
	str_add(s, " %");
}

void unit_format(struct str *s, enum unit u, double value)
{
	static const struct prefix iops[] = {
		{"IOPS", 1}, {"k IOPS", 1e3}, {"M IOPS", 1e6}, {"G IOPS", 1e9}};
	static const struct prefix bw[] = {{"B/s", 1},    {"kB/s", 1e3},  {"MB/s", 1e6},
					   {"GB/s", 1e9}, {"TB/s", 1e12}, {"PB/s", 1e15}};
	static const struct prefix ns[] = {{"ns", 1}, {"us", 1e3}, {"ms", 1e6}, {"s", 1e9}};
	static const struct prefix bytes[] = {{"B", 1},        {"KiB", 0x1p10}, {"MiB", 0x1p20},
					      {"GiB", 0x1p30}, {"TiB", 0x1p40}, {"PiB", 0x1p50}};

	if (!isfinite(value)) {
		str_add(s, "n/a");
		return;
	}
	if (value < 0) {
		str_addc(s, '-');
		value = -value;
	}
	switch (u) {
	case UNIT_IOPS:
		ADD_SCALED(s, value, iops, false);
		break;
	case UNIT_BW:
		ADD_SCALED(s, value, bw, false);
		break;
	case UNIT_TIME:
		ADD_SCALED(s, value, ns, true);
		break;
	case UNIT_BYTES:
		ADD_SCALED(s, value, bytes, true);
		break;
	case UNIT_RATIO:
		add_percent(s, value * 100);
		break;
	case UNIT_CELSIUS:
		add_printf(s, "%.*f", whole(value) ? 0 : 1, value);
		str_add(s, " C");
		break;
	default:
		if (whole(value))
			add_printf(s, "%.*f", 0, value);
		else
			add3(s, value);
	}
}

void unit_format_size(struct str *s, uint64_t bytes)
{
	static const char *const names[] = {"B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
	unsigned i = 0;

	for (; bytes && bytes % 1024 == 0; bytes /= 1024)
		i++;
	str_addf(s, "%llu %s", (unsigned long long)bytes, names[i]);
}

void unit_format_duration(struct str *s, uint64_t ns)
{
	static const struct prefix long_units[] = {
		{"s", 1}, {"min", 60}, {"h", 3600}, {"d", 86400}};
	/* A unit is used from twice its length, so that a digit is not lost: 90 s, 110 min, 36 h.
	 */
	double seconds = (double)ns / 1e9;
	unsigned i = 0;

	if (ns > 0 && ns < NS_PER_SEC) {
		unit_format(s, UNIT_TIME, (double)ns);
		return;
	}
	while (i + 1 < 4 && seconds >= 2 * long_units[i + 1].factor)
		i++;
	double v = seconds / long_units[i].factor;

	if (i == 0 && !whole(v))
		add3(s, v);
	else
		add_printf(s, "%.*f", whole(v) || v >= 20 ? 0 : 1, v);
	str_addf(s, " %s", long_units[i].text);
}

void unit_format_signed(struct str *s, enum unit u, double value)
{
	size_t at = s->len;

	str_addc(s, value < 0 ? '-' : '+');
	unit_format(s, u, fabs(value));
	if (strspn(s->s + at + 1, "0.") == strcspn(s->s + at + 1, " "))
		s->s[at] = '+';
}

void units_add_signed(struct str *s, double v, int decimals)
{
	size_t at = s->len;

	add_printf(s, "%+.*f", decimals, v);
	if (strspn(s->s + at + 1, "0.") == s->len - at - 1)
		s->s[at] = '+';
}

void units_add_double(struct str *s, double v)
{
	int precision = 15;

	/* Whole numbers without exponent while they are exact; minus zero is not one of them. */
	if (v == floor(v) && fabs(v) < 0x1p53 && !(v == 0 && signbit(v))) {
		add_printf(s, "%.*f", 0, v);
		return;
	}
	if (v == 0) {
		str_add(s, "-0.0");
		return;
	}
	/* Any text of up to 15 digits survives the double, so %.15g finds it when there is one.
	 * Subnormals hold fewer. */
	if (fabs(v) < DBL_MIN)
		precision = 1;
	for (; precision < 17; precision++) {
		char buf[64];

		snprintf(buf, sizeof(buf), "%.*g", precision, v);
		if (strtod(buf, NULL) == v)
			break;
	}
	add_printf(s, "%.*g", precision, v);
}
