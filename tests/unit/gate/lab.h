/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Results made by hand, with runs of known rates, for the tests of this room. */
#ifndef TEST_GATE_LAB_H
#define TEST_GATE_LAB_H

#include "gate/gate.h"
#include "json/json.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define LAB_ROOM 16
#define LAB_WINDOW 64000000000ULL
#define LAB_DAY 86400
#define LAB_START 1790000000 /* 2026-09-21 */

static inline void lab_fact(struct result *r, const char *key, const char *value)
{
	facts_set(&r->host, &r->arena, key, value, value ? NULL : "Permission denied");
}

static inline void lab_target_fact(struct result *r, const char *key, const char *value)
{
	facts_set(&r->targets[0].facts, &r->arena, key, value, value ? NULL : "Permission denied");
}

static inline struct target lab_block(const char *role, const char *id, const char *path)
{
	return (struct target){.role = role,
			       .id = id,
			       .path = path,
			       .kind = TARGET_BLOCK,
			       .size = 1ULL << 40,
			       .logical_block = 512};
}

/* One block target "dut"; day tells host boot and start apart. */
static inline void lab_init(struct result *r, unsigned day)
{
	result_init(r);
	r->owns_plan = true;
	r->suite = "kernel-gate";
	r->suite_file = "kernel-gate.yaml";
	r->profile = "default";
	r->started = LAB_START + (int64_t)day * LAB_DAY;
	r->ended = r->started + 600;
	r->targets = xcalloc(1, sizeof(*r->targets));
	r->jobs = xcalloc(LAB_ROOM, sizeof(*r->jobs));
	r->checks = xcalloc(LAB_ROOM, sizeof(*r->checks));
	r->ntargets = 1;
	r->targets[0] = lab_block("dut", "nvme-eui.1", "/dev/nvme0n1");
	lab_target_fact(r, "device.model", "Sample 990");
	lab_target_fact(r, "device.capacity", "1099511627776");
	lab_target_fact(r, "link", "full");
	lab_fact(r, "boot.id", arena_printf(&r->arena, "boot-%u", day));
	lab_fact(r, "cpu.model", "Sample CPU");
	lab_fact(r, "host.name", "lab1");
	lab_fact(r, "kernel.release", "6.12.8");
}

static inline struct job *lab_job(struct result *r, const char *name)
{
	struct job *j = &r->jobs[r->njobs++];

	*j = (struct job){.name = arena_strdup(&r->arena, name),
			  .rw = RW_RANDREAD,
			  .ioengine = "io_uring",
			  .ioengine_asked = "io_uring",
			  .bs = 4096,
			  .iodepth = 32,
			  .iodepth_batch_submit = 1,
			  .iodepth_batch_complete_min = 1,
			  .iodepth_batch_complete_max = 32,
			  .numjobs = 1,
			  .size = 1ULL << 30,
			  .runtime = LAB_WINDOW,
			  .time_based = true,
			  .loops = 1,
			  .direct = true,
			  .rwmixread = 50,
			  .randrepeat = true,
			  .invalidate = true,
			  .sim = "",
			  .runs = 5};
	return j;
}

static inline struct check *lab_check(struct result *r, uint32_t job, enum check_kind kind,
				      const char *metric)
{
	struct check *c = &r->checks[r->nchecks++];

	*c = (struct check){.job = job,
			    .kind = kind,
			    .metric = arena_strdup(&r->arena, metric),
			    .reference = NAN};
	c->name = arena_printf(&r->arena, "%s %s", kind == CHECK_GATE ? "gate" : "expect", metric);
	c->text = c->name;
	return c;
}

static inline struct check *lab_gate(struct result *r, uint32_t job, const char *metric,
				     double tolerance)
{
	struct check *c = lab_check(r, job, CHECK_GATE, metric);

	c->tolerance = tolerance;
	return c;
}

/* A further session, ten minutes after the last one. */
static inline uint32_t lab_session(struct result *r)
{
	struct session *s = VEC_PUSH(&r->sessions);
	size_t n = r->sessions.n - 1;

	s->started = r->started + (int64_t)n * 600;
	s->ended = s->started + 500;
	s->seed = 7 + n;
	s->complete = true;
	snprintf(s->id, sizeof(s->id), "20260921T%010lld-%06zx", (long long)s->started, n);
	return (uint32_t)n;
}

static inline struct run *lab_run(struct result *r, uint32_t job, uint32_t session, uint32_t number)
{
	struct run *run = VEC_PUSH(&r->runs);

	run->job = job;
	run->session = session;
	run->run = number;
	run->started = r->started;
	outcome_init(&run->out);
	run->out.status = OUTCOME_OK;
	run->out.window = LAB_WINDOW;
	return run;
}

static inline void lab_rate(struct outcome *o, double iops)
{
	o->dir[DIR_READ].ios = (uint64_t)llround(iops * 64);
	o->dir[DIR_READ].bytes = o->dir[DIR_READ].ios * 4096;
	o->dir[DIR_READ].issued = o->dir[DIR_READ].ios;
}

/* Slices of the whole window that each saw latencies up to ns. */
static inline void lab_slices(struct outcome *o, uint64_t ns)
{
	free(o->slots);
	o->nslots = (o->window + SLOT_NS - 1) / SLOT_NS;
	o->slots = xcalloc(o->nslots, sizeof(*o->slots));
	for (uint64_t i = 0; i < o->nslots; i++) {
		for (unsigned d = 0; d < DIR_COUNT; d++)
			o->slots[i].slat[d] = o->slots[i].clat[d] = o->slots[i].lat[d] = ns;
		o->slots[i].sync = ns;
	}
}

/* Five runs around a level, 0.5 % apart: their median is the level. */
static inline void lab_runs(struct result *r, uint32_t job, uint32_t session, double level)
{
	static const double spread[5] = {0.01, -0.005, 0, 0.005, -0.01};

	for (uint32_t i = 0; i < r->jobs[job].runs; i++)
		lab_rate(&lab_run(r, job, session, i)->out, level * (1 + spread[i % 5]));
}

/* One job "rand-4k" with a gate on read.iops of 5 % and one session of that level. */
static inline void lab_simple(struct result *r, unsigned day, double level)
{
	lab_init(r, day);
	lab_job(r, "rand-4k");
	lab_gate(r, 0, "read.iops", 0.05);
	lab_runs(r, 0, lab_session(r), level);
}

/* A baseline of n simple sessions, each of another boot and day, 0.5 % apart. change may be NULL.
 */
static inline void lab_baseline(struct baseline *b, unsigned n, double level,
				void (*change)(struct result *r, unsigned i))
{
	struct result *r = xcalloc(n, sizeof(*r));
	const struct result **p = xcalloc(n, sizeof(*p));
	struct err e = ERR_INIT;

	for (unsigned i = 0; i < n; i++) {
		lab_simple(&r[i], i, level * (1 + (i % 2 ? 0.005 : -0.005)));
		if (change)
			change(&r[i], i);
		p[i] = &r[i];
	}
	if (baseline_from_results(p, n, b, &e) != 0)
		fail_msg("baseline: %s", e.text);
	for (unsigned i = 0; i < n; i++)
		result_release(&r[i]);
	free(p);
	free(r);
}

static inline void lab_judge(struct result *r, const struct baseline *b)
{
	gate_judge(r, b, &(struct gate_options){.now = r->ended});
	for (size_t i = 0; i < r->verdicts.n; i++) {
		assert_non_null(r->verdicts.v[i].text);
		assert_true(*r->verdicts.v[i].text != '\0');
		assert_non_null(r->verdicts.v[i].type);
		assert_true(r->verdicts.v[i].kind != VERDICT_NONE);
	}
}

static inline const struct verdict *lab_verdict(const struct result *r, uint32_t job,
						uint32_t check)
{
	for (size_t i = 0; i < r->verdicts.n; i++)
		if (r->verdicts.v[i].job == job && r->verdicts.v[i].check == check)
			return &r->verdicts.v[i];
	fail_msg("no verdict for job %u check %u", job, check);
	return NULL;
}

static inline void lab_expect(const struct verdict *v, enum verdict_kind kind,
			      enum exit_status status, enum junit_shape shape)
{
	if (v->kind != kind || v->status != status || v->shape != shape)
		fail_msg("got %s status %d shape %d, wanted %s %d %d: %s", verdict_name(v->kind),
			 (int)v->status, (int)v->shape, verdict_name(kind), (int)status, (int)shape,
			 v->text);
}

static inline void lab_contains(const char *text, const char *part)
{
	if (!strstr(text, part))
		fail_msg("'%s' does not contain '%s'", text, part);
}

/* The document of a result; to be freed. */
static inline char *lab_document(const struct result *r, bool verdicts)
{
	struct jw w;
	char *text;

	jw_init(&w);
	result_write(r, verdicts, &w);
	text = xstrdup(jw_finish(&w));
	jw_release(&w);
	return text;
}

/* The result as its document tells it; as result_parse. */
static inline int lab_again(const struct result *r, bool verdicts, struct result *again,
			    struct err *e)
{
	char *text = lab_document(r, verdicts);
	int rc;

	*e = ERR_INIT;
	rc = result_parse(text, strlen(text), "r.json", again, e);
	free(text);
	return rc;
}

/* A folder of its own for baselines; remove it with lab_rmdir. */
static inline char *lab_dir(void)
{
	const char *tmp = getenv("TMPDIR");
	char *dir = xasprintf("%s/blkgate-gate-XXXXXX", tmp && *tmp ? tmp : "/tmp");

	if (!mkdtemp(dir))
		fail_msg("no temporary folder");
	return dir;
}

#endif
