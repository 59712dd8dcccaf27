/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Any bytes as a baseline file. What must hold: refusal is ERR_DATA with a sentence; a file that is
 * taken can be judged against and shown, and the number of verdicts does not depend on it.
 */
#include "gate/baseline_file.h"
#include "gate/gate.h"
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool ok)
{
	if (!ok)
		abort();
}

/* A result of one job, one gate and one session to compare with. */
static void sample(struct result *r, struct job *j, struct check *c, struct target *t)
{
	struct session *s;

	result_init(r);
	*t = (struct target){.role = "dut", .id = "x", .path = "/dev/x"};
	*j = (struct job){.name = "a",
			  .rw = RW_RANDREAD,
			  .ioengine = "psync",
			  .ioengine_asked = "psync",
			  .bs = 4096,
			  .iodepth = 1,
			  .iodepth_batch_submit = 1,
			  .iodepth_batch_complete_min = 1,
			  .iodepth_batch_complete_max = 1,
			  .numjobs = 1,
			  .size = 65536,
			  .loops = 1,
			  .sim = "",
			  .runs = 1};
	*c = (struct check){.name = "gate read.iops", .metric = "read.iops", .tolerance = .05};
	r->suite = "s";
	r->profile = "p";
	r->targets = t;
	r->jobs = j;
	r->checks = c;
	r->ntargets = r->njobs = r->nchecks = 1;
	s = VEC_PUSH(&r->sessions);
	s->complete = true;
	struct run *run = VEC_PUSH(&r->runs);

	outcome_init(&run->out);
	run->out.status = OUTCOME_OK;
	run->out.window = 1000000000;
	run->out.dir[DIR_READ].ios = 1000;
}

static void use(struct baseline *b)
{
	struct result r;
	struct target t;
	struct check c;
	struct str out;
	struct job j;

	sample(&r, &j, &c, &t);
	gate_judge(&r, b, &(struct gate_options){0});
	require(r.verdicts.n >= 2);
	for (size_t i = 0; i < r.verdicts.n; i++)
		require(r.verdicts.v[i].kind != VERDICT_NONE && *r.verdicts.v[i].text);
	str_init(&out);
	baseline_show(b, &out);
	baseline_diff(b, &r, &out);
	str_release(&out);
	r.targets = NULL;
	result_release(&r);
	facts_release(&t.facts);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct base_session *s = calloc(1, sizeof(*s));
	struct baseline b = {.suite = "s", .profile = "p", .sessions = s};
	struct json_doc *doc;
	struct err e = ERR_INIT;

	arena_init(&b.arena);
	if (json_parse((const char *)data, size, "b.json", &doc, &e) == 0) {
		struct json root = json_root(doc);
		int rc = baseline_session_read(&root, "s", "p", &b.arena, s, &e);

		b.n = 1;
		require(rc == 0 || (rc == ERR_DATA && e.text[0]));
		if (rc == 0) {
			if (s->retired_jobs)
				s->id = "RETIRE";
			require(baseline_arrange(&b, &e) == 0);
			use(&b);
		}
		json_doc_free(doc);
	} else {
		require(e.code == ERR_DATA && e.text[0]);
	}
	baseline_release(&b);
	return 0;
}
