/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * model/interleave: two arms that take turns in one session and are compared with each other and
 * with no stored baseline: two targets, or two values of one setting. Includes: model/job.h
 * model/target.h. Ownership: strings in the owner's arena.
 */
#ifndef BLKGATE_MODEL_INTERLEAVE_H
#define BLKGATE_MODEL_INTERLEAVE_H

#include "model/job.h"
#include "model/target.h"

#define INTERLEAVE_PAIRS_MIN 10u
#define INTERLEAVE_PAIRS_MAX 28u
#define INTERLEAVE_PAIRS 20u

/* none: the result is compared with accepted sessions. */
enum interleave_kind { INTERLEAVE_NONE, INTERLEAVE_VERSUS, INTERLEAVE_SETTING };

enum arm { ARM_REFERENCE, ARM_CANDIDATE, ARM_COUNT };

struct interleave {
	enum interleave_kind kind;
	const char *name[ARM_COUNT]; /* roles of the targets, or values of the setting */
	const char *setting; /* as it was written: "scheduler", "sysctl:vm.swappiness"; or NULL */
	const char *path;    /* file of the kernel behind it; or NULL */
	uint32_t pairs;      /* at most */
	uint64_t seed;       /* draws the arm that comes first */
};

/* The job of that name on the other target; UINT32_MAX = none. */
uint32_t interleave_partner(const struct job *jobs, size_t n, uint32_t job);
/* Of two targets: the arm that one is. */
enum arm interleave_arm(const struct interleave *i, const struct target *t);
/* How the comparison is called: "new against old", "scheduler none against mq-deadline". */
void interleave_title(const struct interleave *i, struct str *out);

#endif
