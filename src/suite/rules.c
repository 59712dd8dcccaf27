/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "suite/rules.h"

#include "base/str.h"

#include <stdio.h>
#include <string.h>

const struct rule_word rule_table[RULE_COUNT] = {
	[RULE_COMMENT_CUT] = {1, "comment-cut", DIAG_WARN, false,
			      "a name that ends where ` #` begins a comment"},
	[RULE_UNKNOWN_FACT] = {2, "unknown-fact", DIAG_WARN, false,
			       "a fact that no version of blkgate reads"},
	[RULE_UNUSED_PARAMETER] = {3, "unused-parameter", DIAG_WARN, false,
				   "a parameter that nothing uses"},
	[RULE_CANNOT_TURN_RED] = {4, "cannot-turn-red", DIAG_ERROR, false,
				  "a gate where one session is the most: two tell a regression"},
	[RULE_EXCLUDE_MATCHES_NOTHING] = {5, "exclude-matches-nothing", DIAG_WARN, false,
					  "an exclude that no instance of the matrix meets"},
	[RULE_KNOWN_WITHIN_TOLERANCE] = {6, "known-within-tolerance", DIAG_WARN, false,
					 "a known loss that the gate allows anyway"},
	[RULE_KNOWN_EXPIRED] = {7, "known-expired", DIAG_WARN, false,
				"an entry of known whose last day is over"},
	[RULE_UNUSED_WAIVER] = {8, "unused-waiver", DIAG_WARN, false,
				"a waiver of what is not found"},
	[RULE_DEPTH_ON_SYNC_ENGINE] = {9, "depth-on-sync-engine", DIAG_WARN, false,
				       "iodepth on an engine that has one I/O in flight"},
	[RULE_LIBAIO_BUFFERED] = {10, "libaio-buffered", DIAG_WARN, false,
				  "iodepth with libaio and without direct"},
	[RULE_MIX_WITHOUT_MIX] = {11, "mix-without-mix", DIAG_WARN, false,
				  "rwmixread where rw is no mix"},
	[RULE_FSYNC_WITHOUT_WRITE] = {12, "fsync-without-write", DIAG_WARN, false,
				      "syncs of a workload that does not write"},
	[RULE_BATCH_ABOVE_DEPTH] = {13, "batch-above-depth", DIAG_WARN, false,
				    "a batch of more I/Os than may be in flight"},
	[RULE_RAMP_NOT_BELOW_RUNTIME] = {14, "ramp-not-below-runtime", DIAG_ERROR, false,
					 "a ramp as long as the measured window, or longer"},
	[RULE_BS_NOT_MULTIPLE_OF_512_DIRECT] = {15, "bs-not-multiple-of-512-direct", DIAG_ERROR,
						false, "a block that direct I/O cannot do"},
	[RULE_SIZE_BELOW_BS] = {16, "size-below-bs", DIAG_ERROR, false,
				"a region without room for one I/O"},
	[RULE_SIZE_NOT_MULTIPLE_OF_BS] = {17, "size-not-multiple-of-bs", DIAG_WARN, false,
					  "bytes that are never touched"},
	[RULE_DISTRIBUTION_WITHOUT_RANDOM] = {18, "distribution-without-random", DIAG_WARN, false,
					      "random_distribution where rw is sequential"},
	[RULE_THINKTIME_BLOCKS_WITHOUT_THINKTIME] = {19, "thinktime-blocks-without-thinktime",
						     DIAG_WARN, false,
						     "thinktime_blocks without thinktime"},
	[RULE_CONTENTS_WITHOUT_WRITE] = {20, "contents-without-write", DIAG_WARN, false,
					 "words of the written data where nothing is written"},
	[RULE_SHORT_RUNTIME] = {21, "short-runtime", DIAG_WARN, false, "a window below one second"},
	[RULE_SIM_WITHOUT_SIM] = {22, "sim-without-sim", DIAG_WARN, false,
				  "a script of sim for another engine"},
	[RULE_NO_CHECKS] = {23, "no-checks", DIAG_NOTE, false, "a workload that is only measured"},
	[RULE_RATE_BELOW_ONE_PER_WINDOW] = {24, "rate-below-one-per-window", DIAG_ERROR, false,
					    "a rate that completes nothing"},
	[RULE_PERCENTILE_NEEDS_SAMPLES] = {25, "percentile-needs-samples", DIAG_WARN, false,
					   "a percentile for which the rate gives too few I/Os"},
	[RULE_PRECONDITION] = {26, "precondition", DIAG_WARN, true,
			       "random writes or trims on a device that was not written before"},
	[RULE_READ_OF_TRIMMED] = {27, "read-of-trimmed", DIAG_ERROR, false,
				  "a read where another workload trims"},
	[RULE_WRITE_OF_TRIMMED] = {28, "write-of-trimmed", DIAG_WARN, false,
				   "a write where another workload trims"},
	[RULE_TRIM_AGAIN] = {29, "trim-again", DIAG_WARN, false,
			     "a run that trims the same blocks twice"},
	[RULE_TRIM_GRANULARITY] = {30, "trim-granularity", DIAG_WARN, true,
				   "a trim of less than the device or file system frees"},
	[RULE_SPLIT_ABOVE_PROCESSORS] =
		{31, "split-above-processors", DIAG_WARN, false,
		 "more jobs than cpus_allowed_policy: split has processors for"},
	[RULE_VERIFY_NOT_POSSIBLE] =
		{32, "verify-not-possible", DIAG_ERROR, false,
		 "verify beside a word that leaves open what a block must hold"},
	[RULE_RATE_WITH_THINKTIME] = {33, "rate-with-thinktime", DIAG_WARN, false,
				      "thinktime that works against a rate"},
	[RULE_THINKTIME_NOT_BELOW_RUNTIME] = {34, "thinktime-not-below-runtime", DIAG_WARN, false,
					      "a window that ends before the first wait does"},
	[RULE_BUFFERED_DEPTH] = {35, "buffered-depth", DIAG_WARN, false, "iodepth on buffered I/O"},
	[RULE_BUFFERED_WRITE_WITHOUT_SYNC] =
		{36, "buffered-write-without-sync", DIAG_WARN, false,
		 "buffered writes that nothing makes reach the device"},
	[RULE_PAGE_CACHE] = {37, "page-cache", DIAG_WARN, true,
			     "buffered reads of what fits into memory"},
	[RULE_DEVICE_CACHE] = {38, "device-cache", DIAG_NOTE, false,
			       "a region that may fit into the cache of the drive"},
	[RULE_COMPRESSIBLE_DATA] = {39, "compressible-data", DIAG_NOTE, false,
				    "written data that a target may compress or store once"},
	[RULE_READ_OF_UNWRITTEN] = {40, "read-of-unwritten", DIAG_WARN, true,
				    "reads of a device that nothing is known to have written"},
	[RULE_LIMIT_WRONG_WAY] =
		{41, "limit-wrong-way", DIAG_WARN, false,
		 "a floor on what should be low, a ceiling on what should be high"},
	[RULE_CONCURRENT_ON_DEVICE] = {42, "concurrent-on-device", DIAG_NOTE, false,
				       "workloads that run on one device at the same time"},
	[RULE_BUDGET_MISSING] = {43, "budget-missing", DIAG_NOTE, false,
				 "a suite that writes, or takes long, without a budget"},
	[RULE_BUDGET_BELOW_SESSIONS] =
		{44, "budget-below-sessions", DIAG_WARN, true,
		 "a budget that cannot hold the sessions that may be needed"},
	[RULE_LABEL_REPEATS] =
		{45, "label-repeats", DIAG_WARN, false,
		 "a label of what the machine tells, or one that is alike on all targets"},
	[RULE_TOLERANCE_BELOW_SIGHT] = {46, "tolerance-below-sight", DIAG_WARN, true,
					"a tolerance that the spread of the baseline drowns"},
};

const char *rule_number(enum rule r, char out[RULE_NUMBER_SIZE])
{
	snprintf(out, RULE_NUMBER_SIZE, "BG%03u", rule_table[r].number);
	return out;
}

int rule_find(const char *name, enum rule *out)
{
	char number[RULE_NUMBER_SIZE];

	for (unsigned i = 0; i < RULE_COUNT; i++)
		if (strcmp(rule_table[i].name, name) == 0 ||
		    strcmp(rule_number((enum rule)i, number), name) == 0) {
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
