/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Words that exclude or replace each other: block sizes, distributions, rates. */
#include "plan_test.h"

#include <unistd.h>

#define RAND "rw: randread, norandommap: true, runtime: 1s"

static void sizes_replace_bs(void **state)
{
	struct fix *f = *state;
	struct str s;

	fix_ok(f, HEAD "  - {name: a, " RAND ", bssplit: \"64k/40:8k/60\"}\n"
		       "  - {name: b, rw: read, runtime: 1s, bsrange: 4k-16k}\n"
		       "  - {name: c, rw: read, runtime: 1s}\n");
	assert_int_equal(f->plan.jobs[0].bs, 8192);
	assert_string_equal(f->plan.jobs[0].bssplit, "8192/60:65536/40");
	assert_int_equal(fix_origin(f, 0, "bs")->kind, ORIGIN_WORKLOAD);
	assert_int_equal(f->plan.jobs[1].bs, 4096);
	assert_string_equal(f->plan.jobs[1].bsrange, "4096-16384");
	assert_int_equal(f->plan.jobs[2].bs, 4096);
	assert_string_equal(f->plan.jobs[2].bssplit, "");
	str_init(&s);
	plan_show(&f->plan, &s);
	assert_part(s.s, "8192/60:65536/40");
	str_clear(&s);
	job_fio(&f->plan.jobs[0], NULL, &s);
	assert_part(s.s, "--bssplit=8192/60:65536/40");
	assert_null(strstr(s.s, "--bs="));
	str_clear(&s);
	/* a job without them has the text it had before they existed */
	job_canonical(&f->plan.jobs[2], &s);
	assert_null(strstr(s.s, "bssplit"));
	assert_null(strstr(s.s, "thinktime"));
	assert_null(strstr(s.s, "rate="));
	str_release(&s);
}

/* The nearest of them holds; two at one place contradict each other. */
static void nearest_size(void **state)
{
	struct fix *f = *state;

	fix_ok(f, "blkgate: 1\nname: t\n"
		  "defaults: {ioengine: sim, size: 1MiB, bssplit: \"4k/50:8k/50\", runtime: 1s}\n"
		  "workloads:\n"
		  "  - {name: a, rw: read}\n"
		  "  - {name: b, rw: read, bs: 16k}\n"
		  "  - {name: c, rw: read, bsrange: 16k-32k}\n"
		  "  - {name: d, rw: read, bsrange: 16k-32k, matrix: {bs: [64k]}}\n");
	assert_string_equal(f->plan.jobs[0].bssplit, "4096/50:8192/50");
	assert_false(job_bs_mixed(&f->plan.jobs[1]));
	assert_int_equal(f->plan.jobs[1].bs, 16384);
	assert_string_equal(f->plan.jobs[2].bssplit, "");
	assert_string_equal(f->plan.jobs[2].bsrange, "16384-32768");
	assert_int_equal(f->plan.jobs[2].bs, 16384);
	assert_false(job_bs_mixed(&f->plan.jobs[3]));
	assert_int_equal(f->plan.jobs[3].bs, 65536);
	fix_refused(f, HEAD "  - {name: a, rw: read, bs: 4k, bsrange: 4k-8k}\n", "two of bs");
	fix_refused(f, HEAD "  - {name: a, rw: read, bssplit: 4k/100, bsrange: 4k-8k}\n",
		    "two of bs");
}

static void mixed_needs_norandommap(void **state)
{
	struct fix *f = *state;
	const struct diag *g = fix_refused(f, HEAD "  - {name: a, rw: randread, bsrange: 4k-8k}\n",
					   "cannot cover the region once");

	assert_part(g->hint, "norandommap: true");
	fix_ok(f, HEAD "  - {name: a, rw: randread, bsrange: 4k-8k, norandommap: true}\n");
	fix_ok(f, HEAD
	       "  - {name: a, rw: randread, bsrange: 4k-8k, random_distribution: \"zipf:2\"}\n");
	fix_ok(f, HEAD "  - {name: a, rw: read, bsrange: 4k-8k}\n");
}

static void one_rate(void **state)
{
	struct fix *f = *state;

	fix_ok(f, "blkgate: 1\nname: t\n"
		  "defaults: {ioengine: sim, size: 1MiB, rate_iops: 500, runtime: 1s}\n"
		  "workloads:\n"
		  "  - {name: a, rw: read, rate: 50 MB/s}\n"
		  "  - {name: b, rw: read, thinktime: 1ms}\n");
	assert_true(f->plan.jobs[0].rate > 49e6 && !(f->plan.jobs[0].rate_iops > 0));
	assert_int_equal(fix_origin(f, 0, "rate_iops")->kind, ORIGIN_DEFAULT);
	assert_int_equal(f->plan.jobs[0].thinktime_blocks, 0);
	assert_true(f->plan.jobs[1].rate_iops > 499);
	assert_int_equal(f->plan.jobs[1].thinktime_blocks, 1);
	fix_refused(f, HEAD "  - {name: a, rw: read, rate: 50 MB/s, rate_iops: 5}\n",
		    "both rate and");
}

/* What a session writes is bounded by the pace. */
static void written_is_bounded(void **state)
{
	static const struct {
		const char *words;
		double each;
	} v[] = {
		{"rate: 1 MB/s", 2e6},
		{"thinktime: 1s", 2 * 4096},
		{"thinktime: 1s, thinktime_blocks: 10", 2 * 40960},
		{"rate_iops: 10, bsrange: 4k-8k", 2 * 10 * 8192},
	};
	struct fix *f = *state;

	for (size_t i = 0; i < sizeof(v) / sizeof(v[0]); i++) {
		char text[512];
		bool bounded = false;

		f->o.lint_only = false;
		snprintf(
			text, sizeof(text),
			"blkgate: 1\nname: t\ndefaults: {ioengine: psync, size: 1MiB}\nworkloads:\n"
			"  - {name: a, rw: write, direct: auto, runtime: 2s, %s}\n",
			v[i].words);
		fix_plan(f, text);
		if (!f->plan.njobs)
			fix_print(f);
		assert_int_equal(f->plan.njobs, 1);
		f->plan.jobs[0].state = JOB_READY;
		assert_true((double)plan_session_written(&f->plan, &bounded, NULL) <
			    v[i].each * f->plan.jobs[0].runs + 2e6);
		assert_true(bounded);
	}
}

static void duplicates_refill(void **state)
{
	struct fix *f = *state;

	fix_ok(f, HEAD "  - {name: a, rw: write, dedupe_percentage: 5}\n"
		       "  - {name: b, rw: write, buffer_compress_percentage: 5}\n");
	assert_true(f->plan.jobs[0].refill_buffers);
	assert_false(f->plan.jobs[1].refill_buffers);
	fix_refused(f,
		    HEAD "  - {name: a, rw: write, dedupe_percentage: 5, refill_buffers: false}\n",
		    "needs refill_buffers");
}

static void verify_refills(void **state)
{
	struct fix *f = *state;

	f->o.lint_only = true;
	fix_ok(f, "blkgate: 1\nname: t\ndefaults: {ioengine: psync, size: 1MiB, verify: crc32c}\n"
		  "workloads:\n  - {name: a, rw: write}\n  - {name: b, rw: read}\n");
	assert_string_equal(f->plan.jobs[0].verify, "crc32c");
	assert_true(f->plan.jobs[0].refill_buffers);
	/* asked of all, it asks nothing of a workload that writes nothing */
	assert_string_equal(f->plan.jobs[1].verify, "");
	assert_false(f->plan.jobs[1].refill_buffers);
	fix_refused(f,
		    HEAD "  - {name: a, rw: write, ioengine: psync, verify: crc32c, "
			 "refill_buffers: false}\n",
		    "has verify, which needs refill_buffers");
	/* a mix writes what could not be verified: asked of all is asked of it too */
	fix_refused(f,
		    "blkgate: 1\nname: t\ndefaults: {ioengine: psync, size: 1MiB, verify: crc32c}\n"
		    "workloads:\n  - {name: a, rw: rw}\n",
		    "verify is of workloads that only write");
	f->o.lint_only = false;
}

/* Of the whole file, in whole blocks; a folder has no size of its own. */
static void share_of_the_target(void **state)
{
	struct fix *f = *state;
	char path[96];
	FILE *file;

	f->o.lint_only = false;
	fix_refused(f,
		    "blkgate: 1\nname: t\nworkloads:\n  - {name: a, rw: read, ioengine: psync, "
		    "runtime: 1s, size: 50%}\n",
		    "a folder has no size of its own");
	snprintf(path, sizeof(path), "%s/file", f->dir);
	file = fopen(path, "w");
	assert_non_null(file);
	for (int i = 0; i < 100 * 1000; i++)
		fputc('x', file);
	fclose(file);
	f->arg[0] = (struct target_arg){NULL, path};
	fix_plan(f, "blkgate: 1\nname: t\ndefaults: {ioengine: psync, direct: auto, runtime: 1s, "
		    "size: 90%}\n"
		    "workloads:\n"
		    "  - {name: a, rw: read, size: 50%}\n"
		    "  - {name: b, rw: read, bs: 1000, size: 100%}\n"
		    "  - {name: c, rw: read, size: 1%}\n"
		    "  - {name: d, rw: read, matrix: {size: [8k]}}\n"
		    "  - {name: e, rw: read, bsrange: 4k-8k, matrix: {size: [40%]}}\n");
	if (f->plan.njobs != 5)
		fix_print(f);
	assert_int_equal(f->plan.njobs, 5);
	assert_int_equal(f->plan.jobs[0].size, 12 * 4096);
	assert_int_equal(f->plan.jobs[1].size, 100000);
	assert_int_equal(f->plan.jobs[2].state, JOB_ERROR);
	assert_part(f->plan.jobs[2].why, "holds no block");
	assert_int_equal(f->plan.jobs[3].size, 8192);
	assert_int_equal(f->plan.jobs[4].size, 9 * 4096);
	assert_part(f->plan.jobs[4].name, "40pc");
	unlink(path);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(sizes_replace_bs),        TEST(nearest_size),
		TEST(mixed_needs_norandommap), TEST(one_rate),
		TEST(written_is_bounded),      TEST(duplicates_refill),
		TEST(share_of_the_target),     TEST(verify_refills),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
