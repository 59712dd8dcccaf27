/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * session/admission: whether a measurement counts. Before a run it waits for the state that the
 * suite asks for; while the run is made it looks, from the supervisor's progress, at link, health,
 * kernel log and other I/O of the targets; behind it the suite's `admit` conditions are asked of
 * what was seen. All of that stands with the run. Private to session.
 *
 * Time: of the clock given, so that a test needs none. Threads: one. The looks are made by the
 * supervisor and never by a worker.
 */
#ifndef BLKGATE_SESSION_ADMISSION_H
#define BLKGATE_SESSION_ADMISSION_H

#include "host/watch.h"
#include "model/result.h"
#include "plan/plan.h"
#include "run/run.h"
#include "session/session.h"

struct admission; /* of one session_run() */

/* One run in a group that is made at the same time. */
struct admission_run {
	const struct job *job;
	struct outcome *out;
};

/* Begins to read the kernel log; the targets of the ready jobs are looked up. What cannot be
 * watched is told in notices of r. */
struct admission *admission_open(const struct plan *p, const struct host *h,
				 const struct session_clock *clock, struct result *r);
void admission_close(struct admission *a); /* NULL is fine */
/* Descriptors that a worker must close: calls add with each. */
void admission_descriptors(const struct admission *a, void (*add)(void *arg, int fd), void *arg);

/*
 * Waits until the conditions with `wait` hold on the targets of these runs. told() is called once
 * when there is something to wait for. 0; ERR_MEASURE with the sentence when the time is over;
 * ERR_INTR.
 */
int admission_wait(struct admission *a, const struct admission_run *run, size_t n,
		   const volatile int *stop, void (*told)(void *arg, const char *text), void *arg,
		   struct err *e);
void admission_begin(struct admission *a, const struct admission_run *run, size_t n);
/* A tick of the supervisor. */
void admission_tick(struct admission *a, const struct run_progress *p);
/* The last looks; marks a run that was measured well, and not in the state in which it counts,
 * OUTCOME_ADMISSION with the evidence, and notes what moved though nobody asked. */
void admission_end(struct admission *a);
/* What was seen of that target during these runs; NULL = nothing. In the result's arena. */
struct watched *admission_seen(const struct admission *a, uint32_t target);

#endif
