/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The last fence: whatever the pattern says, no I/O leaves the region of the job. */
#include "helper.h"
#include "run/live.h"

/* Runs a thread whose pattern was made for `wide` under the job `j`. */
static void run_thread(const struct job *j, const struct job *wide, struct live *l)
{
	struct run_request r = {.job = j, .target_name = "T"};
	struct task k = {.job = j,
			 .req = &r,
			 .live = l,
			 .t = &l->thread[0],
			 .engine = engine_find("sim"),
			 .depth = j->iodepth,
			 .batch = 1,
			 .complete_min = 1,
			 .complete_max = 1,
			 .is_virtual = true};
	struct err e = ERR_INIT;

	assert_int_equal(task_alloc(&k, &e), 0);
	struct engine_config c = {.depth = k.depth,
				  .buffers = k.buffers,
				  .buffer_len = k.buffer_len,
				  .script = j->sim};

	assert_int_equal(engine_open(&k.eng, k.engine, &c, &e), 0);
	task_patterns(&k);
	for (unsigned i = 0; i < k.npatterns; i++)
		pattern_init(&k.pattern[i], wide, 0, 1);
	task_run(&k);
	assert_int_equal(k.eng.inflight, 0);
	assert_int_equal(k.stuck, false);
	engine_close(&k.eng);
	task_close_files(&k);
	task_free(&k);
}

static void leaving_the_region_aborts(void **state)
{
	static const struct {
		uint64_t offset, size; /* of what the pattern believes */
	} rows[] = {
		{8192, 8192 + 4096}, /* one block too many */
		{4096, 8192},        /* begins before it */
		{8192 + 512, 8192},  /* the last one straddles the end */
		{1ULL << 62, 8192},  {0, 4096},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct job j = deep(sim_job("lat=1ms"), 4), wide;
		struct live *l = live_new(1, 10);

		j.offset = 8192;
		j.size = 8192;
		wide = j;
		wide.offset = rows[i].offset;
		wide.size = rows[i].size;
		run_thread(&j, &wide, l);
		assert_int_equal(l->error_ready, 1);
		assert_int_equal(l->status, OUTCOME_IO_ERROR);
		assert_non_null(strstr(l->text, "leaves the region"));
		assert_true(l->error_offset < j.offset || l->error_offset + 4096 > 16384);
		live_free(l);
	}
}

static void inside_it_runs(void **state)
{
	struct job j = deep(sim_job("lat=1ms"), 4);
	struct live *l = live_new(1, 10);

	(void)state;
	run_thread(&j, &j, l);
	assert_int_equal(l->error_taken, 0);
	assert_int_equal(l->thread[0].dir[DIR_READ].ios, 4000);
	live_free(l);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(leaving_the_region_aborts),
		cmocka_unit_test(inside_it_runs),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
