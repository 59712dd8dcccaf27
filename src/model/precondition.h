/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * model/precondition: what is done to the region of a job before it is measured, and the settings
 * of the kernel that hold meanwhile. Both are words of the job's identity, held as canonical text;
 * here is their other form. Includes: base. Ownership: strings in the arena given. Thread safe.
 */
#ifndef BLKGATE_MODEL_PRECONDITION_H
#define BLKGATE_MODEL_PRECONDITION_H

#include "base/arena.h"
#include "base/str.h"

enum fill_kind {
	FILL_NONE,
	FILL_SEQUENTIAL,
	FILL_RANDOM
}; /* every block of the region once a loop, in order or in a random one */

/* Steady state as SNIA's Performance Test Specification has it: of the last five rounds. */
enum { STEADY_WINDOW = 5, STEADY_ROUNDS_MAX = 25, STEADY_ROUNDS_LIMIT = 1000 };

struct precondition {
	bool trim; /* the region is discarded first */
	enum fill_kind fill;
	uint32_t loops, bs; /* of the fill; bytes */
	const char *metric; /* of the rounds; NULL = no steady state is asked for */
	uint32_t rounds_min, rounds_max;
	uint64_t round;      /* ns */
	double range, slope; /* limits, ratios of the average */
};

/* "trim=1,fill=random,loops=2,bs=131072,metric=total.iops,rounds=5..25,round=60000000000,range=0.2,
 * slope=0.1": what is not asked for is left out. */
void precondition_add(const struct precondition *p, struct str *out);
/* NULL and "" = nothing is done. 0, or -1 when the text is none of the above. */
int precondition_read(const char *text, struct arena *a, struct precondition *out);
/* Does it change what is on the target before the first round? */
static inline bool precondition_writes(const struct precondition *p)
{
	return p->trim || p->fill != FILL_NONE;
}

/* One setting: "scheduler", "sysctl:vm.dirty_ratio", and the text that the kernel is given. */
struct tunable {
	const char *name, *value;
};
enum { TUNABLES_MAX = 32 };
struct tunable_list {
	size_t n;
	struct tunable v[TUNABLES_MAX];
};
/* "scheduler=none,sysctl:kernel.printk=4%204": sorted by name; comma, `%` and what is no printable
 * ASCII as %XX. */
void tunables_add(const struct tunable_list *l, struct str *out);
/* As precondition_read(). */
int tunables_read(const char *text, struct arena *a, struct tunable_list *out);

#endif
