/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A result with one of everything, for the tests of this room. */
#ifndef TEST_MODEL_SAMPLE_H
#define TEST_MODEL_SAMPLE_H

#include "json/json.h"
#include "model/result.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static inline struct job sample_job(void)
{
	return (struct job){
		.name = "rand-4k:rw=randread:iodepth=32",
		.rw = RW_RANDREAD,
		.ioengine = "io_uring",
		.ioengine_asked = "auto",
		.bs = 4096,
		.iodepth = 32,
		.iodepth_batch_submit = 16,
		.iodepth_batch_complete_min = 1,
		.iodepth_batch_complete_max = 16,
		.numjobs = 1,
		.size = 64ULL << 30,
		.runtime = 10000000000ULL,
		.ramp_time = 2000000000ULL,
		.time_based = true,
		.loops = 1,
		.direct = true,
		.rwmixread = 50,
		.randrepeat = true,
		.invalidate = true,
		.sim = "",
		.runs = 5,
		.seed = UINT64_MAX,
		.file_line = 12,
	};
}

static inline void sample_bins(struct bins *b, uint64_t from, unsigned n)
{
	struct hist *h = calloc(1, sizeof(*h));

	hist_reset(h);
	for (unsigned i = 0; i < n; i++)
		hist_add(h, from + (uint64_t)i * i * 37);
	bins_from_hist(b, h);
	free(h);
}

static inline void sample_outcome(struct outcome *o, unsigned salt)
{
	outcome_init(o);
	o->status = OUTCOME_OK;
	o->window = 1250000000ULL + salt;
	o->ramp = 1000;
	o->wall = 1300000000ULL;
	o->has_slat = true;
	o->dir[DIR_READ].ios = 1200 + salt;
	o->dir[DIR_READ].bytes = 4096ULL * (1200 + salt);
	o->dir[DIR_READ].issued = 1210 + salt;
	o->dir[DIR_READ].shorts = 1;
	sample_bins(&o->dir[DIR_READ].slat, 900 + salt, 1210);
	sample_bins(&o->dir[DIR_READ].clat, 70000 + salt, 1210);
	sample_bins(&o->dir[DIR_READ].lat, 71000 + salt, 1210);
	o->stall_longest = 3000000;
	o->cpu_usr = 100000000;
	o->cpu_sys = 250000000;
	o->device_read = (struct outcome_device){.state = DEVICE_KNOWN, .bytes = 1234567890};
	snprintf(o->device_written.why, sizeof(o->device_written.why),
		 "btrfs has no single device");
	o->nslots = 13;
	o->slots = calloc(o->nslots, sizeof(*o->slots));
	for (unsigned i = 0; i < o->nslots; i++) { /* 1200 in all */
		uint32_t ios = i ? 86 + i : 90 + salt;

		o->slots[i].ios[DIR_READ] = ios;
		o->slots[i].bytes[DIR_READ] = 4096ULL * ios;
		o->slots[i].lat[DIR_READ] = 71000 + salt + i;
		o->slots[i].clat[DIR_READ] = 70000 + salt + i;
		o->slots[i].slat[DIR_READ] = 900 + salt + i;
	}
}

static inline void sample_failed(struct outcome *o)
{
	outcome_init(o);
	o->status = OUTCOME_IO_ERROR;
	o->sys = 5;
	snprintf(o->text, sizeof(o->text), "write of 4096 bytes at 8192: Input/output error");
	o->error_offset = 8192;
	o->error_len = 4096;
	o->abandoned = true;
	o->written = 123456;
	o->verified = 4096;
	snprintf(o->notes, sizeof(o->notes), "ioengine auto: psync, since io_uring is refused");
}

static inline void sample_plan(struct result *r)
{
	struct arena *a = &r->arena;
	struct check *c;

	r->owns_plan = true;
	r->ntargets = 2;
	r->targets = calloc(2, sizeof(*r->targets));
	r->targets[0] = (struct target){.role = "dut",
					.id = "nvme-eui.1",
					.path = "/dev/nvme0n1",
					.kind = TARGET_BLOCK,
					.size = 1ULL << 40,
					.logical_block = 512,
					.dio_mem = 4,
					.dio_offset = 512,
					.dio_known = true,
					.dev_major = 259,
					.diskseq = 9};
	r->targets[1] = (struct target){.role = "scratch",
					.id = "/srv/t",
					.path = "/srv/t",
					.kind = TARGET_DIR,
					.write_allowed = true,
					.fstype = "ext4"};
	facts_set(&r->targets[0].facts, a, "device.model", "Sample 990", NULL);
	facts_set(&r->targets[0].facts, a, "device.firmware", NULL, "Permission denied");
	r->njobs = 3;
	r->jobs = calloc(3, sizeof(*r->jobs));
	r->jobs[0] = sample_job();
	r->jobs[0].percentile_list = "50:99.5";
	r->jobs[1] = sample_job();
	r->jobs[1].name = "seq-write";
	r->jobs[1].description = "buffered";
	r->jobs[1].target = 1;
	r->jobs[1].rw = RW_WRITE;
	r->jobs[1].ioengine = r->jobs[1].ioengine_asked = "psync";
	r->jobs[1].direct = false;
	r->jobs[1].end_fsync = true;
	r->jobs[1].rate_iops = 1234.5;
	r->jobs[1].canary = r->jobs[1].direct_auto = true;
	r->jobs[2] = sample_job();
	r->jobs[2].name = "fake";
	r->jobs[2].state = JOB_SKIPPED;
	r->jobs[2].why = "not selected by --only";
	r->jobs[2].rw = RW_RANDRW;
	r->jobs[2].ioengine = r->jobs[2].ioengine_asked = "sim";
	r->jobs[2].sim = "lat=100us error=5%";
	r->nchecks = 4;
	c = r->checks = calloc(4, sizeof(*r->checks));
	c[0] = (struct check){
		.name = "gate read.iops",
		.kind = CHECK_GATE,
		.metric = "read.iops",
		.text = "read.iops: 5%",
		.line = 20,
		.tolerance = 0.05,
		.reference = NAN,
		.known = {.ticket = "STOR-1421", .no_worse_than = 0.09, .until = 1801440000}};
	c[1] = (struct check){.name = "gate stall.longest",
			      .kind = CHECK_GATE,
			      .metric = "stall.longest",
			      .text = "stall.longest: +50ms",
			      .tolerance = 5e7,
			      .absolute = true,
			      .role = ROLE_WATCH,
			      .reference = NAN};
	c[2] = (struct check){.name = "expect read.bw min of link",
			      .kind = CHECK_EXPECT,
			      .metric = "read.bw",
			      .text = "read.bw >= 80% of link",
			      .limit = 0.8,
			      .percent_of = "link",
			      .reference = NAN,
			      .reference_why = "link cannot be read"};
	c[3] = (struct check){.name = "expect write.clat.p99 max",
			      .job = 1,
			      .kind = CHECK_EXPECT,
			      .op = OP_LE,
			      .metric = "write.clat.p99",
			      .text = "write.clat.p99 <= 2ms",
			      .limit = 2e6,
			      .every_run = true,
			      .reference = NAN};
}

static inline void sample_result(struct result *r)
{
	struct session *s;
	struct run *run;

	result_init(r);
	sample_plan(r);
	r->suite = "adapter-card";
	r->suite_file = "suites/adapter-card.yaml";
	r->description = "tab\there, \"quotes\", \xc3\xa4";
	r->profile = "default";
	r->change = "I1234";
	r->started = 1764338602;
	r->ended = 1764342082;
	r->seed = 0xfedcba9876543210ULL;
	facts_set(&r->host, &r->arena, "kernel.release", "6.12.8", NULL);
	facts_set(&r->host, &r->arena, "boot.id", NULL, "no /proc");
	*VEC_PUSH(&r->compare.under_test) = "kernel.release";
	*VEC_PUSH(&r->compare.must_match) = "device.model";
	*VEC_PUSH(&r->notices) = "seq-write: direct auto is false: no DIOALIGN";
	for (unsigned i = 0; i < 2; i++) {
		s = VEC_PUSH(&r->sessions);
		snprintf(s->id, sizeof(s->id), "20261128T140322-a1b2c%u", i);
		s->started = r->started + 10 * i;
		s->ended = s->started + 9;
		s->seed = 0x8000000000000000ULL + i;
		s->complete = i == 0;
	}
	for (unsigned i = 0; i < 4; i++) {
		run = VEC_PUSH(&r->runs);
		run->session = i / 2;
		run->run = 1 - i % 2;
		run->order = i % 2;
		run->started = r->started + i;
		sample_outcome(&run->out, i);
	}
	run = VEC_PUSH(&r->runs);
	run->job = 1;
	run->order = 2;
	sample_failed(&run->out);
}

/* The document as a string; free it. */
static inline char *sample_text(const struct result *r, bool with_verdicts)
{
	struct jw w;
	char *text;

	jw_init(&w);
	result_write(r, with_verdicts, &w);
	text = xstrdup(jw_finish(&w));
	jw_release(&w);
	return text;
}

#endif
