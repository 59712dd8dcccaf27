/* SPDX-License-Identifier: GPL-2.0-or-later */
/* absorbed and depth.reached: exact numbers, and why there is none. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include "base/str.h"
#include "measure/metric.h"
#include <math.h>
#include <stdio.h>

#define KNOWN(n)                                                                                   \
	{                                                                                          \
		.state = DEVICE_KNOWN, .bytes = n                                                  \
	}

static const struct job writer = {
	.rw = RW_WRITE, .ioengine = "psync", .bs = 4096, .iodepth = 1, .numjobs = 1};

static struct value value_of(const char *name, const struct job *j, const struct outcome *o)
{
	struct value v;

	metric_value(metric_find(name), j, o, &v);
	return v;
}

static void absorbed_is_a_share(void **state)
{
	static const struct {
		uint64_t bytes;
		struct outcome_device device;
		enum value_state state;
		double want;
		const char *why;
	} rows[] = {
		{4096000, KNOWN(0), VALUE_OK, 1, ""},
		{4096000, KNOWN(1024000), VALUE_OK, 0.75, ""},
		{4096000, KNOWN(4096000), VALUE_OK, 0, ""},
		/* a tenth more, and the two I/Os at the borders */
		{4096000, KNOWN(4505600 + 8192), VALUE_OK, 0, ""},
		{4096000, KNOWN(4505600 + 8193), VALUE_ABSENT, 0,
		 ": the device saw more, 4.30 MiB where the application moved 3.91 MiB"},
		{4096000,
		 {.why = "btrfs has no single device"},
		 VALUE_ABSENT,
		 0,
		 ": btrfs has no single device"},
		{4096000, {.why = ""}, VALUE_ABSENT, 0, ": it was not recorded"},
		{4096000, {.state = DEVICE_NONE}, VALUE_NA, 0, ""},
		{0, KNOWN(0), VALUE_ABSENT, 0, ""},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		const struct metric *m = metric_find("write.absorbed");
		struct outcome o;
		struct arena a;
		struct value v;

		outcome_init(&o);
		arena_init(&a);
		o.status = OUTCOME_OK;
		o.window = 1000000000;
		o.dir[DIR_WRITE].bytes = rows[i].bytes;
		o.dir[DIR_WRITE].ios = rows[i].bytes / 4096;
		o.device_written = rows[i].device;
		v = value_of("write.absorbed", &writer, &o);
		if (v.state != rows[i].state || v.v != rows[i].want)
			fail_msg("row %zu: %s %.17g", i, value_state_name(v.state), v.v);
		if (v.state == VALUE_OK && v.v > 0.5)
			assert_true(fabs(v.step * v.v - 8192. / 4096000) < 1e-12);
		assert_string_equal(metric_absent_why(m, &writer, &o, &a), rows[i].why);
		assert_int_equal(value_of("read.absorbed", &writer, &o).state, VALUE_NA);
		arena_release(&a);
		outcome_release(&o);
	}
}

/* What is in flight at the borders is on its way to every target of a total. */
static void borders_of_a_total(void **state)
{
	struct job j = writer;
	struct outcome o;
	struct value v;

	(void)state;
	outcome_init(&o);
	o.status = OUTCOME_OK;
	o.window = 1000000000;
	o.dir[DIR_WRITE].bytes = 4096000;
	o.dir[DIR_WRITE].ios = 1000;
	o.device_written = (struct outcome_device)KNOWN(4505600 + 3 * 8192);
	assert_int_equal(value_of("write.absorbed", &j, &o).state, VALUE_ABSENT);
	j.total = true;
	j.beside = "3 part rw=write";
	v = value_of("write.absorbed", &j, &o);
	assert_true(v.state == VALUE_OK && v.v == 0);
	o.device_written.bytes++;
	assert_int_equal(value_of("write.absorbed", &j, &o).state, VALUE_ABSENT);
	outcome_release(&o);
}

static void depth_is_littles(void **state)
{
	struct job j = writer;
	struct outcome o;
	struct value v;

	(void)state;
	outcome_init(&o);
	o.status = OUTCOME_OK;
	o.window = 2000000000;
	o.has_slat = true;
	o.dir[DIR_WRITE].ios = 1000;
	o.dir[DIR_WRITE].clat.n = 1000;
	o.dir[DIR_WRITE].clat.sum = 12000000000;
	j.iodepth = 32;
	j.numjobs = 2;
	v = value_of("depth.reached", &j, &o);
	assert_true(v.state == VALUE_OK && v.v == 3 && v.n == 1000);
	/* of the jobs on all targets together: still what one of them had */
	j.total = true;
	j.beside = "2 part rw=write\n1 part rw=write bs=512";
	v = value_of("depth.reached", &j, &o);
	assert_true(v.state == VALUE_OK && v.v == 1);
	j.total = false;
	o.has_slat = false; /* a synchronous engine has one in flight at most */
	assert_true(value_of("depth.reached", &j, &o).v == 1);
	j.rate = 1e6;
	assert_int_equal(value_of("depth.reached", &j, &o).state, VALUE_NA);
	j.rate = 0;
	o.dir[DIR_WRITE].ios = 0;
	assert_int_equal(value_of("depth.reached", &j, &o).state, VALUE_ABSENT);
	outcome_release(&o);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(absorbed_is_a_share),
		cmocka_unit_test(borders_of_a_total),
		cmocka_unit_test(depth_is_littles),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
