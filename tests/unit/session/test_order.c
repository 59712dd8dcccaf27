/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "session/session.h"

#include <stdlib.h>
#include <string.h>

static void every_run_once_in_rounds(void **state)
{
	(void)state;
	struct job jobs[3] = {{.runs = 5}, {.runs = 2}, {.runs = 5}};
	bool chosen[3] = {true, true, true};
	struct session_order o;
	unsigned seen[3][5] = {{0}};

	session_order_make(jobs, 3, chosen, 42, &o);
	assert_int_equal(o.n, 12);
	for (size_t i = 0; i < o.n; i++) {
		assert_true(o.v[i].job < 3 && o.v[i].run < jobs[o.v[i].job].runs);
		seen[o.v[i].job][o.v[i].run]++;
		if (i) /* rounds: the run number never goes back */
			assert_true(o.v[i].run >= o.v[i - 1].run);
	}
	for (unsigned j = 0; j < 3; j++)
		for (unsigned r = 0; r < jobs[j].runs; r++)
			assert_int_equal(seen[j][r], 1);
	session_order_release(&o);
}

static void only_the_chosen(void **state)
{
	(void)state;
	struct job jobs[3] = {{.runs = 5}, {.runs = 5}, {.runs = 5}};
	bool chosen[3] = {false, true, false};
	struct session_order o;

	session_order_make(jobs, 3, chosen, 1, &o);
	assert_int_equal(o.n, 5);
	for (size_t i = 0; i < o.n; i++)
		assert_int_equal(o.v[i].job, 1);
	session_order_release(&o);
	chosen[1] = false;
	session_order_make(jobs, 3, chosen, 1, &o);
	assert_int_equal(o.n, 0);
	session_order_release(&o);
}

static void the_seed_decides(void **state)
{
	(void)state;
	enum { N = 40 };
	struct job jobs[N];
	bool chosen[N];
	struct session_order a, b, c;

	for (int i = 0; i < N; i++) {
		jobs[i] = (struct job){.runs = 1};
		chosen[i] = true;
	}
	session_order_make(jobs, N, chosen, 7, &a);
	session_order_make(jobs, N, chosen, 7, &b);
	session_order_make(jobs, N, chosen, 8, &c);
	assert_memory_equal(a.v, b.v, N * sizeof(*a.v));
	assert_memory_not_equal(a.v, c.v, N * sizeof(*a.v));
	session_order_release(&a);
	session_order_release(&b);
	session_order_release(&c);
}

/* What runs at the same time has one turn; a total has none. */
static void groups_stay_together(void **state)
{
	(void)state;
	struct job jobs[6] = {{.runs = 3},
			      {.runs = 3, .group = 2},
			      {.runs = 3},
			      {.runs = 3, .group = 2},
			      {.runs = 3, .group = 2, .total = true},
			      {.runs = 3}};
	bool chosen[6] = {true, true, true, true, true, true};
	struct session_order o;
	unsigned moved = 0;

	for (uint64_t seed = 0; seed < 20; seed++) {
		session_order_make(jobs, 6, chosen, seed, &o);
		assert_int_equal(o.n, 15);
		for (size_t i = 0; i < o.n; i++) {
			assert_int_not_equal(o.v[i].job, 4);
			if (o.v[i].job != 1)
				continue;
			assert_true(i + 1 < o.n);
			assert_int_equal(o.v[i + 1].job, 3);
			assert_int_equal(o.v[i + 1].run, o.v[i].run);
			moved += i % 5 != 1;
		}
		session_order_release(&o);
	}
	assert_true(moved > 0);
	chosen[1] = chosen[3] = chosen[4] = false;
	session_order_make(jobs, 6, chosen, 1, &o);
	assert_int_equal(o.n, 9);
	session_order_release(&o);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_run_once_in_rounds),
		cmocka_unit_test(only_the_chosen),
		cmocka_unit_test(the_seed_decides),
		cmocka_unit_test(groups_stay_together),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
