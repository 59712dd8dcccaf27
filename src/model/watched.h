/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * model/watched: what was seen of the machine and of the device while one run was made, as
 * integers: a number looked at several times (the link under load, the temperature), a counter
 * before and after (media errors, throttling). Filled by session through host, stored with the run,
 * so that whoever judges later sees the same. What nobody looked at is WATCHED_NONE: no evidence.
 *
 * Includes: base, model/facts.h. Ownership: texts in the arena of whoever filled it. Units: degrees
 * Celsius; MT/s of PCIe and Mbit/s of SATA; seconds and minutes as NVMe counts them; bytes.
 */
#ifndef BLKGATE_MODEL_WATCHED_H
#define BLKGATE_MODEL_WATCHED_H

#include "base/arena.h"
#include "base/str.h"
#include "model/facts.h"

enum watched_key {
	WATCHED_TEMPERATURE,
	WATCHED_LINK_SPEED, /* while I/O was in flight */
	WATCHED_LINK_WIDTH,
	WATCHED_CRITICAL_WARNING, /* bits of the SMART log */
	WATCHED_MEDIA_ERRORS,
	WATCHED_ERROR_LOG,
	WATCHED_THERMAL_1_TRANSITIONS,
	WATCHED_THERMAL_2_TRANSITIONS,
	WATCHED_THERMAL_1_TIME, /* s */
	WATCHED_THERMAL_2_TIME,
	WATCHED_WARNING_TEMP_TIME, /* min */
	WATCHED_CRITICAL_TEMP_TIME,
	WATCHED_IO_ERRORS, /* of the SCSI layer */
	WATCHED_PCIE_CORRECTABLE,
	WATCHED_PCIE_NONFATAL,
	WATCHED_PCIE_FATAL,
	WATCHED_CPU_THROTTLE,
	WATCHED_KERNEL_LOG,   /* lines that concern the device or are trouble */
	WATCHED_DEVICE_BYTES, /* that the physical disk moved between two looks under load */
	WATCHED_OTHER_BYTES,  /* those of them that were not the run's */
	WATCHED_COUNT
};

struct watched_item {
	const char *key; /* of the fact, and in documents */
	bool counter;    /* what counts is how far it came, else where it stood */
};
extern const struct watched_item watched_items[WATCHED_COUNT];

enum watched_state { WATCHED_NONE, WATCHED_KNOWN, WATCHED_UNKNOWN };

struct watched_series {
	enum watched_state state;
	uint64_t n; /* looks */
	int64_t first, min, max, last;
	const char *why; /* when unknown */
};

struct watched {
	struct watched_series of[WATCHED_COUNT];
	const char *line; /* the first of the kernel log that counts, NULL = none */
	uint64_t cost;    /* ns of the longest look at the health of the device */
};

/* A look. An unknown one makes the series unknown for good: what was missed once is not known. */
void watched_see(struct watched *w, enum watched_key key, int64_t value);
void watched_miss(struct watched *w, struct arena *a, enum watched_key key, const char *why);
/* How far a counter came; 0 also when it is not known. A counter that fell counts as moved. */
int64_t watched_growth(const struct watched *w, enum watched_key key);
/* Did the device slow itself down for its temperature, by its own counters? Appends which moved. */
bool watched_throttled(const struct watched *w, struct str *how);
/* Can that be told? false: not one of the counters is known. */
bool watched_throttling_known(const struct watched *w);
/* Of what the disk moved, the share of others, 0..1; NaN = not known. */
double watched_other_io(const struct watched *w);
/* Is that link what the device can do, by the maxima in its facts? 1 yes, 0 no, -1 not known. */
int watched_link_full(const struct facts *target, int64_t speed, int64_t width);
struct watched *watched_copy(const struct watched *w, struct arena *a); /* NULL stays NULL */

/* "12 40 40 46 46" (looks, first, least, most, last), counters "3 0 2" (looks, first, last); 0 or
 * -1. */
void watched_format(const struct watched_series *s, bool counter, struct str *out);
int watched_parse(const char *text, bool counter, struct watched_series *s);

/*
 * The facts of the run that its watching gives, twice: `low` with the least and `high` with the
 * greatest value seen, for a condition on a number has to hold of both. Counters stand there as
 * they ended, and as KEY.new with how far they came. The link's own maxima come from the facts of
 * the target; a link at which nobody looked is not among them.
 */
void watched_facts(const struct watched *w, const struct facts *target, struct facts *low,
		   struct facts *high, struct arena *a);

/* What several runs of a target together say of the place: what it was not ("link 8 GT/s x4 under
 * load, 46 C, no throttling, kernel log clean, no other I/O"), what was seen that could be it
 * ("throttled (...)"), and what is not known, with the reason. What nobody can look at there (the
 * link of a virtual disk) is in none of them. */
struct watched_words {
	struct str excluded, seen, unknown;
};
void watched_words_init(struct watched_words *x);
void watched_words_release(struct watched_words *x);
void watched_summary(const struct watched *const *w, size_t n, const struct facts *target,
		     struct watched_words *out);

#endif
