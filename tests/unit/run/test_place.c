/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cpus_allowed and startdelay. */
#include "helper.h"
#include "model/job.h"

#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

static void allowed_here(struct cpu_list *c)
{
	*c = (struct cpu_list){0};
	assert_true(syscall(SYS_sched_getaffinity, 0, sizeof(c->bit), c->bit) > 0);
}

static void list_text(void **state)
{
	static const char *const rows[][2] = {
		{"0", "0"},         {"0-3,5", "0-3,5"},         {"5,3-4,0", "0,3-5"},
		{"63-64", "63-64"}, {"4094,4095", "4094-4095"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct cpu_list c;
		struct str s;

		str_init(&s);
		assert_int_equal(cpu_list_read(rows[i][0], &c), 0);
		cpu_list_add(&c, &s);
		assert_string_equal(s.s, rows[i][1]);
		str_release(&s);
	}
}

static void threads_are_placed(void **state)
{
	struct job j = sim_job("lat=100us");
	struct cpu_list c;
	struct outcome o;
	struct str s;

	(void)state;
	allowed_here(&c);
	str_init(&s);
	cpu_list_add(&c, &s);
	j.cpus_allowed = s.s;
	j.numjobs = 2;
	run_ok(&j, INJECT_NONE, &o);
	outcome_release(&o);
	str_release(&s);
	/* the worker alone was moved */
	struct cpu_list after;

	allowed_here(&after);
	assert_memory_equal(&after, &c, sizeof(c));
}

/* A list that the kernel would narrow in silence is an error too. */
static void absent_processors(void **state)
{
	struct job j = sim_job("lat=100us");
	struct cpu_list c;
	struct outcome o;
	struct str s;

	(void)state;
	allowed_here(&c);
	if (c.bit[4095 / 64] >> 4095 % 64 & 1) {
		print_message("skip: this machine has 4096 processors\n");
		skip();
	}
	j.cpus_allowed = "4095";
	run_not(&j, OUTCOME_SETUP, "cannot run on the processors 4095", NULL, &o);
	outcome_release(&o);
	str_init(&s);
	cpu_list_add(&c, &s);
	str_add(&s, ",4095");
	j.cpus_allowed = s.s;
	run_not(&j, OUTCOME_SETUP, "only, of the processors", NULL, &o);
	outcome_release(&o);
	str_release(&s);
	j.cpus_allowed = "x";
	run_not(&j, OUTCOME_SETUP, "not valid", NULL, &o);
	outcome_release(&o);
}

/* The rest is part of neither ramp nor window, on both clocks. */
static void rest_before_the_ramp(void **state)
{
	struct job j = sim_job("lat=100us");
	struct outcome o;

	(void)state;
	j.startdelay = 3600 * NS_PER_SEC;
	j.ramp_time = 100 * NS_PER_MS;
	run_ok(&j, INJECT_NONE, &o);
	assert_int_equal(o.window, NS_PER_SEC);
	assert_int_equal(o.ramp, 100 * NS_PER_MS);
	assert_int_equal(o.dir[DIR_READ].ios, 10000);
	outcome_release(&o);
	j = sized(sim_job(""), RW_READ, 4096, 1);
	j.ioengine = "null";
	j.startdelay = 50 * NS_PER_MS;
	run_ok(&j, INJECT_NONE, &o);
	assert_int_equal(o.dir[DIR_READ].ios, 1);
	assert_true(o.wall >= 50 * NS_PER_MS);
	outcome_release(&o);
	assert_true(run_deadline(&j) > 50 * NS_PER_MS + 60 * NS_PER_SEC);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(list_text),
		cmocka_unit_test(threads_are_placed),
		cmocka_unit_test(absent_processors),
		cmocka_unit_test(rest_before_the_ramp),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
