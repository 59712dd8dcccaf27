/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * suite/rules: the one list of rules. A rule is a finding that has a name and a number, so that
 * `waive:` can give a reason for it; the suite's reader finds the first ones itself, the plan the
 * others. A name stands here and nowhere else: what can be found can be waived, unless it is an
 * error. Includes: base.
 */
#ifndef BLKGATE_SUITE_RULES_H
#define BLKGATE_SUITE_RULES_H

#include "base/diags.h"

enum rule {
	/* suite: what was written */
	RULE_COMMENT_CUT,
	RULE_UNKNOWN_FACT,
	RULE_UNUSED_PARAMETER,
	RULE_CANNOT_TURN_RED,
	/* plan: while expanding */
	RULE_EXCLUDE_MATCHES_NOTHING,
	RULE_KNOWN_WITHIN_TOLERANCE,
	RULE_KNOWN_EXPIRED,
	RULE_UNUSED_WAIVER,
	/* plan: lint of the resolved jobs */
	RULE_DEPTH_ON_SYNC_ENGINE,
	RULE_LIBAIO_BUFFERED,
	RULE_MIX_WITHOUT_MIX,
	RULE_FSYNC_WITHOUT_WRITE,
	RULE_BATCH_ABOVE_DEPTH,
	RULE_RAMP_NOT_BELOW_RUNTIME,
	RULE_BS_NOT_MULTIPLE_OF_512_DIRECT,
	RULE_SIZE_BELOW_BS,
	RULE_SIZE_NOT_MULTIPLE_OF_BS,
	RULE_DISTRIBUTION_WITHOUT_RANDOM,
	RULE_THINKTIME_BLOCKS_WITHOUT_THINKTIME,
	RULE_CONTENTS_WITHOUT_WRITE,
	RULE_SHORT_RUNTIME,
	RULE_SIM_WITHOUT_SIM,
	RULE_NO_CHECKS,
	RULE_RATE_BELOW_ONE_PER_WINDOW,
	RULE_PERCENTILE_NEEDS_SAMPLES,
	RULE_PRECONDITION,
	RULE_READ_OF_TRIMMED,
	RULE_WRITE_OF_TRIMMED,
	RULE_TRIM_AGAIN,
	RULE_TRIM_GRANULARITY,
	RULE_SPLIT_ABOVE_PROCESSORS,
	RULE_VERIFY_NOT_POSSIBLE,
	RULE_RATE_WITH_THINKTIME,
	RULE_THINKTIME_NOT_BELOW_RUNTIME,
	RULE_BUFFERED_DEPTH,
	RULE_BUFFERED_WRITE_WITHOUT_SYNC,
	RULE_PAGE_CACHE,
	RULE_DEVICE_CACHE,
	RULE_COMPRESSIBLE_DATA,
	RULE_READ_OF_UNWRITTEN,
	RULE_LIMIT_WRONG_WAY,
	RULE_CONCURRENT_ON_DEVICE,
	RULE_BUDGET_MISSING,
	RULE_BUDGET_BELOW_SESSIONS,
	RULE_LABEL_REPEATS,
	RULE_TOLERANCE_BELOW_SIGHT,
	RULE_COUNT
};
_Static_assert(RULE_COUNT <= 64, "sets of rules are 64-bit masks");

struct rule_word {
	/* Never given to another rule, nor the one of a rule that is gone: suites and trackers hold
	 * it. */
	uint16_t number;
	const char *name;
	enum diag_level level; /* DIAG_ERROR: cannot be waived */
	bool needs_target;     /* may need one to be found: a waiver for it is never unused */
	const char *what;      /* it finds, for a list */
};

extern const struct rule_word rule_table[RULE_COUNT];
enum { RULE_NUMBER_SIZE = 16 };
const char *rule_number(enum rule r, char out[RULE_NUMBER_SIZE]); /* "BG009" in out */
/* By word or by number. 0 or -1 */
int rule_find(const char *name, enum rule *out);
const char *rule_nearest(const char *name); /* for a message, or NULL */

#endif
