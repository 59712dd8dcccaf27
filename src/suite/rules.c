/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "suite/rules.h"

#include "base/str.h"

#include <string.h>

const struct rule_word rule_table[RULE_COUNT] = {
	[RULE_COMMENT_CUT] = {"comment-cut", DIAG_WARN},
	[RULE_UNKNOWN_FACT] = {"unknown-fact", DIAG_WARN},
	[RULE_UNUSED_PARAMETER] = {"unused-parameter", DIAG_WARN},
	[RULE_CANNOT_TURN_RED] = {"cannot-turn-red", DIAG_ERROR},
	[RULE_EXCLUDE_MATCHES_NOTHING] = {"exclude-matches-nothing", DIAG_WARN},
	[RULE_KNOWN_WITHIN_TOLERANCE] = {"known-within-tolerance", DIAG_WARN},
	[RULE_KNOWN_EXPIRED] = {"known-expired", DIAG_WARN},
	[RULE_UNUSED_WAIVER] = {"unused-waiver", DIAG_WARN},
	[RULE_DEPTH_ON_SYNC_ENGINE] = {"depth-on-sync-engine", DIAG_WARN},
	[RULE_LIBAIO_BUFFERED] = {"libaio-buffered", DIAG_WARN},
	[RULE_MIX_WITHOUT_MIX] = {"mix-without-mix", DIAG_WARN},
	[RULE_FSYNC_WITHOUT_WRITE] = {"fsync-without-write", DIAG_WARN},
	[RULE_BATCH_ABOVE_DEPTH] = {"batch-above-depth", DIAG_WARN},
	[RULE_RAMP_NOT_BELOW_RUNTIME] = {"ramp-not-below-runtime", DIAG_ERROR},
	[RULE_BS_NOT_MULTIPLE_OF_512_DIRECT] = {"bs-not-multiple-of-512-direct", DIAG_ERROR},
	[RULE_SIZE_BELOW_BS] = {"size-below-bs", DIAG_ERROR},
	[RULE_SIZE_NOT_MULTIPLE_OF_BS] = {"size-not-multiple-of-bs", DIAG_WARN},
	[RULE_DISTRIBUTION_WITHOUT_RANDOM] = {"distribution-without-random", DIAG_WARN},
	[RULE_THINKTIME_BLOCKS_WITHOUT_THINKTIME] = {"thinktime-blocks-without-thinktime",
						     DIAG_WARN},
	[RULE_CONTENTS_WITHOUT_WRITE] = {"contents-without-write", DIAG_WARN},
	[RULE_SHORT_RUNTIME] = {"short-runtime", DIAG_WARN},
	[RULE_SIM_WITHOUT_SIM] = {"sim-without-sim", DIAG_WARN},
	[RULE_NO_CHECKS] = {"no-checks", DIAG_NOTE},
	[RULE_RATE_BELOW_ONE_PER_WINDOW] = {"rate-below-one-per-window", DIAG_ERROR},
	[RULE_PERCENTILE_NEEDS_SAMPLES] = {"percentile-needs-samples", DIAG_WARN},
	[RULE_PRECONDITION] = {"precondition", DIAG_WARN, true},
	[RULE_READ_OF_TRIMMED] = {"read-of-trimmed", DIAG_ERROR},
	[RULE_WRITE_OF_TRIMMED] = {"write-of-trimmed", DIAG_WARN},
	[RULE_TRIM_AGAIN] = {"trim-again", DIAG_WARN},
	[RULE_TRIM_GRANULARITY] = {"trim-granularity", DIAG_WARN, true},
	[RULE_SPLIT_ABOVE_PROCESSORS] = {"split-above-processors", DIAG_WARN},
	[RULE_VERIFY_NOT_POSSIBLE] = {"verify-not-possible", DIAG_ERROR},
	[RULE_RATE_WITH_THINKTIME] = {"rate-with-thinktime", DIAG_WARN},
	[RULE_THINKTIME_NOT_BELOW_RUNTIME] = {"thinktime-not-below-runtime", DIAG_WARN},
};

int rule_find(const char *name, enum rule *out)
{
	for (unsigned i = 0; i < RULE_COUNT; i++)
		if (strcmp(rule_table[i].name, name) == 0) {
			*out = (enum rule)i;
			return 0;
		}
	return -1;
}

const char *rule_nearest(const char *name)
{
	const char *names[RULE_COUNT];

	for (unsigned i = 0; i < RULE_COUNT; i++)
		names[i] = rule_table[i].name;
	return str_nearest(name, names, RULE_COUNT);
}
