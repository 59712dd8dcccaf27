/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What runs at the same time: rings, the word of the identity, and the total of several targets. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include "sample.h"
#include "base/clock.h"

static void rings_go_round(void **state)
{
	struct job j[7] = {{.group = 0}, {.group = 2},  {.group = 3}, {.group = 2},
			   {.group = 2}, {.group = 99}, {.group = 3}};
	static const uint32_t want[7] = {0, 3, 6, 4, 1, 5, 2};
	uint32_t *ring = jobs_ring(j, 7);

	(void)state;
	for (unsigned i = 0; i < 7; i++)
		assert_int_equal(ring[i], want[i]);
	free(ring);
	free(jobs_ring(NULL, 0));
}

static char *text_of(const struct job *j)
{
	struct str s;

	str_init(&s);
	job_canonical(j, &s);
	return str_detach(&s);
}

static char *diff_of(const struct job *a, const struct job *b)
{
	char *x = text_of(a), *y = text_of(b);
	struct str s;

	str_init(&s);
	job_canonical_diff(x, y, &s);
	free(x);
	free(y);
	return str_detach(&s);
}

/* Alone the text is what it always was; in company it holds the others whole and comes back. */
static void company_is_identity(void **state)
{
	struct job j[3] = {sample_job(), sample_job(), sample_job()}, back;
	struct err e = ERR_INIT;
	struct arena a;
	char *alone, *text, *again;

	(void)state;
	arena_init(&a);
	alone = text_of(&j[0]);
	jobs_beside(j, 3, &a);
	text = text_of(&j[0]);
	assert_string_equal(text, alone);
	free(text);
	j[0].group = j[1].group = j[2].group = 1;
	j[1].rw = RW_WRITE;
	j[2].target = 1;
	jobs_beside(j, 3, &a);
	assert_true(str_starts(j[0].beside, "1 other bs=4096 "));
	assert_non_null(strstr(j[0].beside, " rw=randread "));
	assert_non_null(strstr(j[0].beside, "\n1 same bs=4096 "));
	assert_null(strstr(j[0].beside, "beside="));
	text = text_of(&j[0]);
	assert_true(str_starts(text, "beside=1%20other%20bs=4096%20"));
	assert_int_equal(job_from_canonical(text, &a, &back, &e), 0);
	assert_string_equal(back.beside, j[0].beside);
	again = text_of(&back);
	assert_string_equal(again, text);
	free(again);
	free(text);
	free(alone);
	arena_release(&a);
}

/* Many alike are one line, and a total names its parts. */
static void alike_are_counted(void **state)
{
	struct job j[5];
	struct arena a;

	(void)state;
	arena_init(&a);
	for (uint32_t i = 0; i < 5; i++) {
		j[i] = sample_job();
		j[i].group = 1;
		j[i].target = i;
	}
	j[4].total = true;
	jobs_beside(j, 5, &a);
	assert_true(str_starts(j[0].beside, "3 other bs="));
	assert_null(strchr(j[0].beside, '\n'));
	assert_true(str_starts(j[4].beside, "4 part bs="));
	assert_int_equal(job_parts(&j[4]), 4);
	assert_int_equal(job_parts(&j[0]), 1);
	assert_string_equal(j[0].beside, j[3].beside);
	arena_release(&a);
}

static void a_change_of_the_company_is_readable(void **state)
{
	struct job was[2] = {sample_job(), sample_job()}, is[2];
	struct arena a;
	char *diff;

	(void)state;
	arena_init(&a);
	was[0].group = was[1].group = 1;
	memcpy(is, was, sizeof(is));
	is[1].iodepth = 64;
	jobs_beside(was, 2, &a);
	jobs_beside(is, 2, &a);
	diff = diff_of(&was[0], &is[0]);
	assert_string_equal(diff, "beside it (iodepth 32 -> 64)");
	free(diff);
	is[0].group = is[1].group = 0;
	is[0].beside = "";
	diff = diff_of(&was[0], &is[0]);
	assert_string_equal(diff, "beside it (1 on same target: rw=randread bs=4096 iodepth=32 "
				  "numjobs=1 -> nothing)");
	free(diff);
	diff = diff_of(&was[0], &was[0]);
	assert_string_equal(diff, "");
	free(diff);
	arena_release(&a);
}

static void fill(struct outcome *o, uint64_t first, unsigned n, uint64_t window)
{
	struct hist *h = xcalloc(1, sizeof(*h));

	outcome_init(o);
	hist_reset(h);
	for (unsigned i = 0; i < n; i++)
		hist_add(h, first + i * 1000);
	o->status = OUTCOME_OK;
	o->window = window;
	o->has_slat = true;
	o->stall_longest = first;
	o->cpu_usr = 5;
	o->cpu_sys = 7;
	o->written = 4096;
	o->dir[DIR_READ].ios = o->dir[DIR_READ].issued = n;
	o->dir[DIR_READ].bytes = n * 4096ULL;
	bins_from_hist(&o->dir[DIR_READ].lat, h);
	o->nslots = 3;
	o->slots = xcalloc(3, sizeof(*o->slots));
	o->slots[1].ios[DIR_READ] = n;
	o->slots[1].lat[DIR_READ] = n;
	o->slots[2].sync = first;
	free(h);
}

static void the_total_is_the_sum(void **state)
{
	struct outcome a, b, both, sum;
	const struct outcome *part[2] = {&a, &b};
	const char *what[2] = {"one", "two"};
	struct str x, y;

	(void)state;
	fill(&a, 1000, 300, NS_PER_SEC);
	fill(&b, 1000, 500, NS_PER_SEC);
	fill(&both, 1000, 300, NS_PER_SEC);
	bins_merge(&both.dir[DIR_READ].lat, &b.dir[DIR_READ].lat);
	outcome_total(&sum, part, what, 2);
	assert_int_equal(sum.status, OUTCOME_OK);
	assert_int_equal(sum.dir[DIR_READ].ios, 800);
	assert_int_equal(sum.dir[DIR_READ].bytes, 800 * 4096);
	assert_int_equal(sum.dir[DIR_READ].lat.n, 800);
	assert_int_equal(sum.dir[DIR_READ].lat.min, 1000);
	assert_int_equal(sum.dir[DIR_READ].lat.max, b.dir[DIR_READ].lat.max);
	assert_int_equal(sum.dir[DIR_READ].lat.sum,
			 a.dir[DIR_READ].lat.sum + b.dir[DIR_READ].lat.sum);
	str_init(&x);
	str_init(&y);
	bins_encode(&sum.dir[DIR_READ].lat, &x);
	bins_encode(&both.dir[DIR_READ].lat, &y);
	assert_string_equal(x.s, y.s);
	str_release(&x);
	str_release(&y);
	assert_int_equal(sum.window, NS_PER_SEC);
	assert_int_equal(sum.stall_longest, 1000);
	assert_int_equal(sum.cpu_usr, 10);
	assert_int_equal(sum.cpu_sys, 14);
	assert_int_equal(sum.written, 0); /* the parts wrote it */
	assert_int_equal(sum.nslots, 3);
	assert_int_equal(sum.slots[1].ios[DIR_READ], 800);
	/* the longest of any, not of all together */
	assert_int_equal(sum.slots[1].lat[DIR_READ], 500);
	assert_int_equal(sum.slots[2].sync, 1000);
	outcome_release(&sum);
	outcome_release(&both);
	outcome_release(&b);
	outcome_release(&a);
}

static void no_total_of_what_does_not_belong_together(void **state)
{
	struct outcome a, b, sum;
	const struct outcome *part[2] = {&a, &b};
	const char *what[2] = {"one", "two"};

	(void)state;
	fill(&a, 1000, 300, NS_PER_SEC);
	fill(&b, 1000, 300, NS_PER_SEC * 98 / 100);
	outcome_total(&sum, part, what, 2);
	assert_int_equal(sum.status, OUTCOME_COMPANION);
	assert_non_null(strstr(sum.text, "0.980 s on two, 1.000 s on one"));
	assert_int_equal(sum.dir[DIR_READ].ios, 0);
	outcome_release(&sum);
	outcome_spoil(&b, "it ran beside %s", "a fire");
	assert_int_equal(b.status, OUTCOME_COMPANION);
	assert_int_equal(b.written, 4096);
	assert_int_equal(b.dir[DIR_READ].ios + b.dir[DIR_READ].lat.n + b.nslots, 0);
	outcome_total(&sum, part, what, 2);
	assert_int_equal(sum.status, OUTCOME_COMPANION);
	assert_string_equal(sum.text, "no total without two: it ran beside a fire");
	outcome_release(&sum);
	a.status = OUTCOME_HUNG;
	snprintf(a.text, sizeof(a.text), "it hung");
	part[0] = &b; /* the cause comes behind its echo */
	part[1] = &a;
	outcome_total(&sum, part, what, 2);
	assert_string_equal(sum.text, "no total without two: it hung");
	outcome_release(&sum);
	outcome_release(&b);
	outcome_release(&a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(rings_go_round),
		cmocka_unit_test(company_is_identity),
		cmocka_unit_test(alike_are_counted),
		cmocka_unit_test(a_change_of_the_company_is_readable),
		cmocka_unit_test(the_total_is_the_sum),
		cmocka_unit_test(no_total_of_what_does_not_belong_together),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
