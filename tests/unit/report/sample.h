/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A result built in memory: two workloads on one target, one check each, verdicts set by the test.
 */
#ifndef TESTS_REPORT_SAMPLE_H
#define TESTS_REPORT_SAMPLE_H

#include "report/report.h"

#include <math.h>
#include <string.h>

struct sample {
	struct result r;
	struct target target;
	struct job jobs[2];
	struct check checks[2];
};

static inline void sample_run(struct sample *s, uint32_t job, uint64_t ios)
{
	struct run *run = VEC_PUSH(&s->r.runs);

	*run = (struct run){.job = job};
	outcome_init(&run->out);
	run->out.status = OUTCOME_OK;
	run->out.window = 1000000000;
	run->out.wall = 1234567890;
	run->out.dir[DIR_READ] =
		(struct outcome_dir){.ios = ios, .bytes = ios * 4096, .issued = ios};
}

static inline struct verdict *sample_verdict(struct sample *s, uint32_t job, uint32_t check,
					     enum verdict_kind kind, enum junit_shape shape,
					     enum exit_status status)
{
	struct verdict *v = VEC_PUSH(&s->r.verdicts);

	*v = (struct verdict){
		.job = job, .check = check, .kind = kind, .shape = shape, .status = status};
	v->type = verdict_name(kind);
	v->text = "a sentence";
	v->change = v->low = v->high = v->value = v->base_value = v->limit = v->excluded = NAN;
	v->tolerance = NAN;
	s->r.status = status_worse(s->r.status, status);
	return v;
}

static inline void sample_init(struct sample *s)
{
	memset(s, 0, sizeof(*s));
	result_init(&s->r);
	s->target = (struct target){.role = "dut", .id = "/x", .path = "/x", .kind = TARGET_FILE};
	for (int i = 0; i < 2; i++) {
		s->jobs[i] = (struct job){.name = i ? "b" : "a",
					  .rw = RW_RANDREAD,
					  .ioengine = "psync",
					  .bs = 4096,
					  .iodepth = 1,
					  .iodepth_batch_submit = 1,
					  .iodepth_batch_complete_min = 1,
					  .iodepth_batch_complete_max = 1,
					  .numjobs = 1,
					  .size = 1 << 20,
					  .loops = 1,
					  .sim = "",
					  .runs = 5};
		s->checks[i] = (struct check){.name = "gate read.iops",
					      .job = (uint32_t)i,
					      .kind = CHECK_GATE,
					      .metric = "read.iops",
					      .text = "read.iops: 5%",
					      .tolerance = 0.05,
					      .reference = NAN};
	}
	s->r.suite = "sample";
	s->r.profile = "default";
	s->r.tool_version = "test";
	s->r.targets = &s->target;
	s->r.ntargets = 1;
	s->r.jobs = s->jobs;
	s->r.njobs = 2;
	s->r.checks = s->checks;
	s->r.nchecks = 2;
	s->r.started = 1796072674;
	s->r.ended = 1796072774;
}

static inline void sample_release(struct sample *s)
{
	result_release(&s->r);
}

#endif
