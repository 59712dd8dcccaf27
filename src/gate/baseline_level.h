/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * gate/baseline_level: level and noise of one gate over the sessions of the current epoch, for
 * people
 * (`baseline show`, `baseline diff`). Private to the room.
 */
#ifndef BLKGATE_GATE_BASELINE_LEVEL_H
#define BLKGATE_GATE_BASELINE_LEVEL_H

#include "gate/baseline_file.h"
#include "gate/blocks.h"
#include "gate/estimate.h"

/* One gate over the sessions of an epoch that hold it with the newest job text and measurement
 * version. The facts that must match are the suite's to say, and not known here. Texts are
 * borrowed. */
struct level {
	const char *target, *job, *metric;
	const char *canonical;
	uint32_t runs;
	unsigned measurement_version;
	double *x;      /* session medians, base unit */
	double *canary; /* medians of the logs of a canary, one beside each; or NULL */
	struct boot_time *t;
	const struct base_job **of; /* the job in each session */
	size_t n;
	size_t expired;  /* sessions that hold the gate and are too old to count */
	size_t left_out; /* sessions that hold the gate and cannot be compared with the newest */
	struct pool runs_log, runs_plain;
	double step_log, step_plain; /* largest step of a value: as a ratio, in the base unit */
};

/* without: leaves out the sessions of that result (what a result is compared with is not itself),
 * which also says what is too old; NULL = none, and b->expiry says it. */
void level_open(struct level *l, const struct baseline *b, const struct result *without,
		const char *target, const char *job, const char *metric);
/* The same with a canary beside each session, on the same target: a session without a whole set of
 * its values above zero, or with another job text of it than the newest, is left out and counted,
 * as the rule leaves it out (gate/adjust.c). */
void level_open_beside(struct level *l, const struct baseline *b, const char *target,
		       const char *job, const char *metric, const char *canary,
		       const char *canary_metric);
struct tail_view;
/* The same sessions with the share of slow I/Os in the place of the metric; texts and values live
 * in a. False, and nothing to close: one of them does not tell it. */
bool level_view(struct level *out, const struct level *l, const struct tail_view *view,
		const struct metric *m, struct arena *a);
/* Sessions (blocks: their blocks) of the other epochs that a session of the level could stand
 * beside, about the level of their own epoch: the rule pools their spread. Added to *p. None of a
 * view. */
void level_older(const struct level *l, const struct baseline *b, const struct scale *s,
		 bool blocks, struct pool *p);
void level_close(struct level *l);
uint32_t level_blocks(const struct level *l);
double level_median(const struct level *l); /* NaN when empty */

/* Fills s->by_name. */
void baseline_index_jobs(struct base_session *s, struct arena *a);
/* By by_name; NULL = the session does not hold it. */
const struct base_job *baseline_find_job(const struct base_session *s, const char *target,
					 const char *name);
/* Is session i one of the current epoch, and no retirement? */
bool baseline_current(const struct baseline *b, size_t i);
/* And young enough for b->expiry? */
bool baseline_counts(const struct baseline *b, size_t i);

#endif
