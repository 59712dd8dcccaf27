/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * base/units: reading and writing numbers with units. One table of accepted spellings with one
 * meaning each (DESIGN 3.2 "Units"). Plain decimals only: leading zero (010), hex, exponent and
 * underscore are errors that suggest the intended spelling. White space is allowed between number
 * and unit ("4 KiB"). Locale-free. All return 0 or ERR_USAGE with text and hint (no place: the
 * caller adds it).
 */
#ifndef BLKGATE_BASE_UNITS_H
#define BLKGATE_BASE_UNITS_H

#include "base/err.h"
#include "base/str.h"

/* Non-negative whole number without unit. */
int units_count(const char *s, uint64_t *out, struct err *e);
/* Decimal number (digits, one point), optional sign. No unit. All others refuse a minus sign; time,
 * bandwidth, IOPS and percent take a plus, since an absolute tolerance may be written +50ms. */
int units_number(const char *s, double *out, struct err *e);
/* Bytes. Bare number = bytes; k K M G T P and KiB MiB GiB TiB (and kib, ki is refused with the two
 * meanings named) are 1024-based; kB MB GB TB 1000-based. Fractions when they come to whole bytes
 * (1.5GiB). At most 2^63-1. */
int units_size(const char *s, uint64_t *out, struct err *e);
/* Nanoseconds; the unit is required: ns us ms s m min h d (fraction allowed: 1.5s). "0" needs none.
 */
int units_time(const char *s, uint64_t *out, struct err *e);
/* Operations per second: number, optional k/M (1000-based), optional "IOPS". */
int units_iops(const char *s, double *out, struct err *e);
/* "5%" -> 0.05. The sign is required. */
int units_percent(const char *s, double *out, struct err *e);
/* Booleans: true false yes no on off 1 0 (any case). */
int units_bool(const char *s, bool *out, struct err *e);

/* What kind of quantity a metric or limit is; values are held in the base unit. */
enum unit {
	UNIT_NONE,    /* plain number */
	UNIT_COUNT,   /* count */
	UNIT_IOPS,    /* 1/s */
	UNIT_BW,      /* bytes/s */
	UNIT_TIME,    /* nanoseconds */
	UNIT_BYTES,   /* bytes */
	UNIT_RATIO,   /* share, 1.0 = 100 % */
	UNIT_CELSIUS, /* degrees */
};

/* Name of the base unit as files show it: "", "count", "IOPS", "B/s", "ns", "B", "ratio", "C". */
const char *unit_name(enum unit u);
/* Reads a number of that unit with the functions above (percent is not accepted here but for RATIO,
 * where it is required). BW: B/s kB/s MB/s GB/s KiB/s MiB/s GiB/s, the unit is required. CELSIUS:
 * "70C". */
int unit_parse(enum unit u, const char *s, double *out, struct err *e);
/* For people: "412 k IOPS", "3.23 GB/s", "97.4 us", "64 MiB", "5.0 %", 3 significant digits. NaN
 * gives "n/a". Never locale dependent. */
void unit_format(struct str *s, enum unit u, double value);
/* A difference, always with its sign: "-3.16 ms"; what shows as zero is "+0 ns". */
void unit_format_signed(struct str *s, enum unit u, double value);
/* The same of a plain number: "-7.3"; what rounds to zero is "+0.0". */
void units_add_signed(struct str *s, double v, int decimals);
/* Exact size: "4 KiB" when it divides, else "2300 B". */
void unit_format_size(struct str *s, uint64_t bytes);
/* Duration for people: "58 min", "12.3 s", "250 ms". */
void unit_format_duration(struct str *s, uint64_t ns);
/* Shortest decimal text that reads back as the same double ("%.17g" at most; whole numbers below
 * 2^53 without exponent); finite only. */
void units_add_double(struct str *s, double v);

#endif
