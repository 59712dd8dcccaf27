/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * session/party: runs that are made at the same time, and what stands in their place when they
 * could not be made. Shared by execute.c, together.c and failed.c alone; the texts given are
 * copied.
 */
#ifndef BLKGATE_SESSION_PARTY_H
#define BLKGATE_SESSION_PARTY_H

#include "session/conductor.h"

/* What a worker on that target must not keep: if it cannot be killed it would hold the other
 * targets and the locks until the machine goes down. */
struct closing {
	int *v;
	size_t n, cap;
};

struct party {
	const struct order_entry *entry;
	size_t n;
	uint32_t order;
	struct run_request *req;
	struct outcome *out;
	struct closing *others; /* a run: descriptors of the targets of the others */
	bool *used;             /* ntargets */
	bool watched;           /* its targets were looked at while the runs were made */
};

/* failed.c */
enum arm arm_of_run(const struct conductor *c, uint32_t job);
const char *job_label(const struct conductor *c, uint32_t job); /* "'NAME' on 'ROLE'" */
/* Does a run of it, still to come, use that target? */
bool job_uses(const struct conductor *c, size_t job, uint32_t target);
/* One run that was not made; the others of its group, which cannot be made without it; both. */
void fail_one(struct conductor *c, struct order_entry entry, enum outcome_status status, int sys,
	      const char *text);
void fail_company(struct conductor *c, uint32_t job, const char *text);
void fail_with_group(struct conductor *c, struct order_entry entry, enum outcome_status status,
		     int sys, const char *text);
/* Whatever was still to be run on that target. */
void fail_target(struct conductor *c, uint32_t target, const struct err *e);

/* execute.c: how a worker is watched, and what it must not keep; release close_fds afterwards. */
struct run_options party_options(struct conductor *c, const bool *used, struct closing *close_fds);
/* precondition.c: of the jobs of a party, before an interleaved run. ERR_REFUSED: the budget. */
int prepare_runs(struct conductor *c, const struct party *y, struct err *e);
/* around.c: setup and teardown of those workloads. A setup that fails leaves the sentence; a
 * teardown that fails spoils the run, and is done whatever went wrong. ERR_MEASURE, ERR_INTR. */
int runs_setup(const struct conductor *c, const struct party *y, struct err *e);
void runs_teardown(struct conductor *c, struct party *y);

/* together.c */
uint64_t offsets_seed(const struct conductor *c, const struct party *y, size_t i);
/* Beside one that failed the others did not do what was asked for, however well they went. */
void spoil_others(struct conductor *c, struct party *y);
/* The count of a device does not tell whose writes they were. */
void unmix_device(const struct conductor *c, struct party *y);
/* The job that is the total of the group whose first run that is; UINT32_MAX = it has none. */
uint32_t total_of(const struct conductor *c, uint32_t job);
void make_total(struct conductor *c, const struct party *y, struct outcome *sum);

#endif
