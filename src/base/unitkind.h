/* SPDX-License-Identifier: GPL-2.0-or-later */
/* base/unitkind: what each parser of base/units accepts. Part of units. */
#ifndef BLKGATE_BASE_UNITKIND_H
#define BLKGATE_BASE_UNITKIND_H

#include <stdbool.h>
#include <stdint.h>

struct unit_spelling {
	const char *text; /* NULL ends a table */
	uint64_t factor;  /* to the base unit */
};

/* What people write and what they may mean; compared without case after the spellings failed. */
struct unit_alias {
	const char *text; /* NULL ends a table */
	const char *to[2];
};

struct unit_kind {
	const char *what; /* "a size" */
	const char *example;
	const char *base;     /* unit of values shown in hints, NULL = none shown */
	const char *whole;    /* what to say of a fraction; NULL where fractions are fine */
	const char *accepted; /* the spellings, for people */
	const struct unit_spelling *spellings;
	const struct unit_alias *aliases;
	bool plus; /* a leading '+' is accepted: it occurs as an absolute tolerance (+50ms) */
	bool minus;
};

extern const struct unit_kind unit_kind_count, unit_kind_number, unit_kind_size, unit_kind_time,
	unit_kind_bandwidth, unit_kind_iops, unit_kind_percent, unit_kind_celsius;

#endif
