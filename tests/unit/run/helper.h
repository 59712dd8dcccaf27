/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the tests of the run room share: a job to start from, and one run of it. */
#ifndef TEST_RUN_HELPER_H
#define TEST_RUN_HELPER_H

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "base/clock.h"
#include "run/run.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static inline struct job sim_job(const char *script)
{
	return (struct job){
		.name = "t",
		.rw = RW_READ,
		.ioengine = "sim",
		.sim = script,
		.bs = 4096,
		.iodepth = 1,
		.iodepth_batch_submit = 1,
		.iodepth_batch_complete_min = 1,
		.iodepth_batch_complete_max = 1,
		.numjobs = 1,
		.size = 64 << 20,
		.runtime = NS_PER_SEC,
		.time_based = true,
		.loops = 1,
		.rwmixread = 50,
	};
}

static inline struct job deep(struct job j, uint32_t depth)
{
	j.iodepth = depth;
	j.iodepth_batch_complete_max = depth;
	return j;
}

static inline struct job sized(struct job j, enum job_rw rw, uint64_t size, uint64_t loops)
{
	j.rw = rw;
	j.size = size;
	j.loops = loops;
	j.runtime = 0;
	j.time_based = false;
	return j;
}

static inline void run_with(const struct run_request *r, const struct run_options *opt,
			    struct outcome *o)
{
	struct err e = ERR_INIT;

	assert_int_equal(run_jobs(r, 1, opt, o, &e), 0);
}

/* Runs a diskless job that must go well. */
static inline void run_ok(const struct job *j, struct inject inject, struct outcome *o)
{
	struct run_request r = {
		.job = j, .target_name = "T", .seed = 1, .run_seed = 2, .inject = inject};

	run_with(&r, NULL, o);
	if (o->status != OUTCOME_OK)
		fail_msg("%s: %s", outcome_status_name(o->status), o->text);
	assert_string_equal(o->text, "");
	/* No process has more CPU time than its threads (and main) had time. */
	assert_true(o->cpu_usr <= o->wall * (j->numjobs + 1));
	assert_true(o->cpu_sys <= o->wall * (j->numjobs + 1));
}

/* Runs one that must end otherwise. */
static inline void run_not(const struct job *j, enum outcome_status status, const char *part,
			   const struct run_options *opt, struct outcome *o)
{
	struct run_request r = {.job = j, .target_name = "T", .seed = 1, .run_seed = 2};

	run_with(&r, opt, o);
	if (o->status != status || !strstr(o->text, part))
		fail_msg("%s: '%s', wanted %s with '%s'", outcome_status_name(o->status), o->text,
			 outcome_status_name(status), part);
}

static inline double iops(const struct outcome *o)
{
	uint64_t n = 0;

	for (int d = 0; d < DIR_COUNT; d++)
		n += o->dir[d].ios;
	return (double)n * 1e9 / (double)o->window;
}

#endif
