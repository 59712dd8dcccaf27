/* SPDX-License-Identifier: GPL-2.0-or-later */
/* gate/compare_maker: what the files that make a comparison share. Private to them. */
#ifndef BLKGATE_GATE_COMPARE_MAKER_H
#define BLKGATE_GATE_COMPARE_MAKER_H

#include "gate/compare.h"

/* A target of a result, on the side it belongs to. */
struct compare_carrier {
	uint32_t side, result, target;
};

/* One workload that is looked at: on a role, or (--by) wherever the label says. */
struct compare_subject {
	const char *workload, *role; /* role NULL = any */
};

struct compare_maker {
	const struct compare_ask *a;
	struct compare *c;
	VEC(struct compare_carrier) carriers;
	struct base_session **session; /* of each result */
	VEC(struct compare_subject) subjects;
	const struct job **on; /* of the subject in hand: its job on each carrier, NULL = none */
};

/* Role of the carrier's target. */
const char *compare_role(const struct compare_maker *m, const struct compare_carrier *k);
/* One metric of the subject in hand: a cell for each side, and what each differs in from the first.
 * first: the job that the others must be alike; gate NULL = none. */
void compare_add_row(struct compare_maker *m, const struct compare_subject *s,
		     const struct metric *metric, const struct job *first,
		     const struct check *gate);

#endif
