/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The texts of precondition and tunables: one form, read back as it was written, nothing else. */
#include "model/precondition.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static struct arena arena;

static void same(const struct precondition *p, const char *text)
{
	struct precondition again;
	struct str s;

	str_init(&s);
	precondition_add(p, &s);
	assert_string_equal(s.s, text);
	assert_int_equal(precondition_read(s.s, &arena, &again), 0);
	assert_int_equal(again.trim, p->trim);
	assert_int_equal(again.fill, p->fill);
	assert_int_equal(again.rounds_max, p->rounds_max);
	assert_true(again.range == p->range && again.slope == p->slope);
	str_release(&s);
}

static void forms(void **state)
{
	struct precondition p = {.trim = true};

	(void)state;
	same(&p, "trim=1");
	p.fill = FILL_RANDOM;
	p.loops = 2;
	p.bs = 4096;
	same(&p, "trim=1,fill=random,loops=2,bs=4096");
	p = (struct precondition){.metric = "write.iops",
				  .rounds_min = 5,
				  .rounds_max = 25,
				  .round = 1000000000,
				  .range = 0.2,
				  .slope = 0.1};
	same(&p, "metric=write.iops,rounds=5..25,round=1000000000,range=0.2,slope=0.1");
	assert_int_equal(precondition_read(NULL, &arena, &p), 0);
	assert_false(p.trim || p.metric);
	assert_int_equal(precondition_read("", &arena, &p), 0);
}

static void no_other_form(void **state)
{
	static const char *const bad[] = {
		"trim=0",
		"trim",
		"fill=random",
		"fill=random,bs=4096,loops=1",
		"fill=all,loops=1,bs=4096",
		"fill=random,loops=0,bs=4096",
		"fill=random,loops=01,bs=4096",
		"metric=x,rounds=4..25,round=1,range=0.2,slope=0.1",
		"metric=x,rounds=6..5,round=1,range=0.2,slope=0.1",
		"metric=x,rounds=5..25,round=0,range=0.2,slope=0.1",
		"metric=x,rounds=5..25,round=1,range=nan,slope=0.1",
		"metric=x,rounds=5..25,round=1,range=0.20,slope=0.1",
		"metric=,rounds=5..25,round=1,range=0.2,slope=0.1",
		"trim=1,more=1",
		"trim=1,",
		" trim=1",
	};
	struct precondition p;

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++)
		if (precondition_read(bad[i], &arena, &p) == 0)
			fail_msg("'%s' was read", bad[i]);
}

static void settings(void **state)
{
	static const char *const bad[] = {"a",     "a=1,a=2", "b=1,a=1", "=1",
					  "a=x y", "a=%2c",   "a=1,"};
	struct tunable_list l = {2, {{"scheduler", "none"}, {"sysctl:kernel.printk", "4 4,1%"}}};
	struct str s;

	(void)state;
	str_init(&s);
	tunables_add(&l, &s);
	assert_string_equal(s.s, "scheduler=none,sysctl:kernel.printk=4%204%2C1%25");
	assert_int_equal(tunables_read(s.s, &arena, &l), 0);
	assert_int_equal(l.n, 2);
	assert_string_equal(l.v[1].value, "4 4,1%");
	str_release(&s);
	assert_int_equal(tunables_read("", &arena, &l), 0);
	assert_int_equal(l.n, 0);
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++)
		if (tunables_read(bad[i], &arena, &l) == 0)
			fail_msg("'%s' was read", bad[i]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(forms),
		cmocka_unit_test(no_other_form),
		cmocka_unit_test(settings),
	};

	arena_init(&arena);
	int failed = cmocka_run_group_tests(tests, NULL, NULL);

	arena_release(&arena);
	return failed;
}
