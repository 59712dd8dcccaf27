/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What ran at the same time, in a document that somebody edited: groups, totals, series. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include "sample.h"

/* One workload on two targets, and its total. */
static void group_result(struct result *r)
{
	sample_result(r);
	r->targets = realloc(r->targets, 3 * sizeof(*r->targets));
	r->targets[2] = (struct target){.role = "all", .id = "all targets", .kind = TARGET_DIR};
	r->ntargets = 3;
	r->nchecks = 1;
	for (uint32_t i = 0; i < 3; i++) {
		r->jobs[i] = sample_job();
		r->jobs[i].target = i;
		r->jobs[i].group = 1;
	}
	r->jobs[2].total = true;
	jobs_beside(r->jobs, 3, &r->arena);
	for (size_t i = 0; i < r->runs.n; i++)
		outcome_release(&r->runs.v[i].out);
	r->runs.n = 0;
	for (uint32_t i = 0; i < 3; i++) {
		struct run *run = VEC_PUSH(&r->runs);

		run->job = i;
		run->order = i;
		sample_outcome(&run->out, i);
	}
}

static int back(const struct result *r, struct result *b, struct err *e)
{
	char *text = sample_text(r, false);
	int rc;

	*e = (struct err)ERR_INIT;
	rc = result_parse(text, strlen(text), "r.json", b, e);
	free(text);
	return rc;
}

static void a_total_is_made_of_its_parts(void **state)
{
	struct result r, b;
	struct err e;

	(void)state;
	group_result(&r);
	r.runs.v[2].out.dir[DIR_READ].bytes = r.runs.v[2].out.dir[DIR_READ].ios = 1000000;
	free(r.runs.v[2].out.slots);
	r.runs.v[2].out.slots = NULL;
	r.runs.v[2].out.nslots = 0;
	assert_int_equal(back(&r, &b, &e), 0);
	assert_int_equal(b.runs.v[2].out.status, OUTCOME_OK);
	assert_int_equal(b.runs.v[2].out.dir[DIR_READ].ios, 2401);
	assert_int_equal(b.runs.v[2].out.dir[DIR_READ].bytes, 2401 * 4096);
	assert_int_equal(b.runs.v[2].out.dir[DIR_READ].clat.n, 2 * 1210);
	assert_int_equal(b.runs.v[2].out.nslots, 13);
	result_release(&b);
	result_release(&r);
}

static void no_total_without_a_part(void **state)
{
	struct result r, b;
	struct err e;

	(void)state;
	group_result(&r);
	r.runs.v[0].run = 1; /* of another turn */
	assert_int_equal(back(&r, &b, &e), 0);
	assert_int_equal(b.runs.v[2].out.status, OUTCOME_COMPANION);
	assert_non_null(strstr(b.runs.v[2].out.text, "'rand-4k:rw=randread:iodepth=32' on 'dut'"));
	assert_int_equal(b.runs.v[2].out.dir[DIR_READ].ios, 0);
	result_release(&b);
	result_release(&r);
}

static void refused(const struct result *r, const char *part)
{
	struct result b;
	struct err e;

	assert_int_equal(back(r, &b, &e), ERR_DATA);
	if (!strstr(e.text, part))
		fail_msg("'%s' lacks '%s'", e.text, part);
}

/* A job that lost its group would be judged without those that ran beside it. */
static void groups_agree_with_the_texts(void **state)
{
	struct result r;

	(void)state;
	group_result(&r);
	r.jobs[0].group = 0;
	refused(&r, "what ran at the same time");
	r.jobs[0].group = 1;
	r.jobs[1].group = 2;
	refused(&r, "what ran at the same time");
	r.jobs[1].group = 1;
	r.jobs[2].total = false;
	refused(&r, "what ran at the same time");
	r.jobs[2].total = true;
	r.jobs[1].total = true;
	refused(&r, "two totals");
	r.jobs[1].total = false;
	r.jobs[2].group = 3;
	refused(&r, "a total of nothing");
	r.jobs[2].group = 1;
	r.jobs[1].iodepth = 1;
	refused(&r, "'rand-4k:rw=randread:iodepth=32' on 'dut'");
	result_release(&r);
}

static void series_agree_with_the_counters(void **state)
{
	struct result r, b;
	struct outcome *o;
	struct err e;

	(void)state;
	group_result(&r);
	o = &r.runs.v[0].out;
	o->dir[DIR_READ].ios = 1199;
	refused(&r, "slots: hold 1200 reads");
	o->dir[DIR_READ].ios = 2400;
	refused(&r, "slots: hold 1200 reads");
	o->dir[DIR_READ].ios = 1201;
	o->dir[DIR_READ].bytes *= 2;
	refused(&r, "slots: hold 1200 reads");
	/* a series ends where the room for it did */
	o->window = 3 * o->window;
	assert_int_equal(back(&r, &b, &e), 0);
	result_release(&b);
	o->slots[12].ios[DIR_WRITE] = 1;
	refused(&r, "slots: hold 1 writes");
	result_release(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_total_is_made_of_its_parts),
		cmocka_unit_test(no_total_without_a_part),
		cmocka_unit_test(groups_agree_with_the_texts),
		cmocka_unit_test(series_agree_with_the_counters),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
