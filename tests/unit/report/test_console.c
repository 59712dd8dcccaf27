/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include "report/view.h"
#include "sample.h"

static const struct console_options plain = {.width = 80};

static void block_of(const struct sample *s, const struct verdict *v,
		     const struct console_options *o, struct str *out)
{
	struct view w;

	view_init(&w, &s->r);
	view_block(&w, v, o, out);
	view_release(&w);
}

static struct verdict *a_regression(struct sample *s)
{
	struct verdict *v =
		sample_verdict(s, 0, 0, VERDICT_REGRESSION, JUNIT_FAILURE, STATUS_REGRESSION);

	v->change = -0.073;
	v->low = -0.092;
	v->high = -0.053;
	v->tolerance = 0.05;
	v->value = 412000;
	v->base_value = 444000;
	v->base_sessions = 10;
	v->base_blocks = 9;
	v->base_first = 1790899200; /* 2026-10-02 */
	v->base_last = 1795824000;  /* 2026-11-28 */
	v->nsessions = 2;
	v->session_values[0] = 409000;
	v->session_values[1] = 415000;
	v->text = "read.iops -7.3 %: worse beyond the tolerance";
	return v;
}

/* Beside a pass as well, and of ten thousand rows those that have something to say. */
static void creep_is_said(void **state)
{
	struct sample s;
	struct verdict *v;
	struct str out;

	(void)state;
	sample_init(&s);
	str_init(&out);
	v = sample_verdict(&s, 0, 0, VERDICT_PASS, JUNIT_CASE, STATUS_PASS);
	v->creep = "30.0 % worse than the first sessions of the baseline";
	for (unsigned i = 0; i < 300; i++)
		sample_verdict(&s, 0, 0, VERDICT_PASS, JUNIT_CASE, STATUS_PASS);
	report_console(&s.r, &plain, &out);
	assert_non_null(strstr(out.s, "\n  creep        30.0 % worse than the first sessions"));
	str_release(&out);
	sample_release(&s);
}

/* A session without a value has none in the row of values. */
static void a_session_without_value(void **state)
{
	struct sample s;
	struct verdict *v;
	struct str out;

	(void)state;
	sample_init(&s);
	str_init(&out);
	v = a_regression(&s);
	v->session_values[1] = NAN;
	block_of(&s, v, &plain, &out);
	assert_non_null(strstr(out.s, "now 409 k IOPS, no value"));
	str_release(&out);
	sample_release(&s);
}

/* How many boots are behind it, and the mark where one boot's effect would be taken for a change.
 */
static void one_boot_is_marked(void **state)
{
	struct sample s;
	struct verdict *v;
	struct str out;

	(void)state;
	sample_init(&s);
	str_init(&out);
	v = a_regression(&s);
	v->look_sessions = 2;
	v->look_blocks = 1;
	for (unsigned i = 0; i < 2; i++) {
		str_clear(&out);
		v->one_boot = i;
		report_console(&s.r, &plain, &out);
		assert_int_equal(strstr(out.s, "  one boot\n") != NULL, i);
		assert_non_null(strstr(out.s, "409 k IOPS, 415 k IOPS (1 block)\n"));
	}
	str_release(&out);
	sample_release(&s);
}

/* Accepted beside the others it would move their level a little; an epoch of its own keeps it. */
static void a_gain_is_kept_by_an_epoch(void **state)
{
	const struct console_options o = {.width = 80, .result_path = "out/result.json"};
	struct sample s;
	struct str out;

	(void)state;
	sample_init(&s);
	str_init(&out);
	sample_verdict(&s, 0, 0, VERDICT_IMPROVEMENT, JUNIT_CASE, STATUS_PASS);
	report_console(&s.r, &o, &out);
	assert_non_null(strstr(out.s, "to keep it: blkgate baseline accept out/result.json "
				      "--new-epoch --reason TEXT\n"));
	str_release(&out);
	sample_release(&s);
}

static void the_block_says_what_the_reader_needs(void **state)
{
	(void)state;
	struct sample s;
	struct str out;

	sample_init(&s);
	str_init(&out);
	block_of(
		&s, a_regression(&s),
		&(struct console_options){.width = 80, .command = "blkgate run x.yaml --target /x"},
		&out);
	assert_non_null(strstr(
		out.s, "a  gate read.iops  regression  -7.3 % [-9.2, -5.3], tolerance 5 %\n"));
	assert_non_null(strstr(out.s,
			       "value:     412 k IOPS, was 444 k IOPS (10 sessions, 9 blocks,\n"
			       "             2026-10-02..11-28); now 409 k IOPS, 415 k IOPS\n"));
	assert_non_null(strstr(out.s, "why:       worse beyond the tolerance\n"));
	assert_non_null(strstr(out.s, "again:     blkgate run x.yaml --target /x --only a\n"));
	assert_non_null(strstr(out.s, "in fio:    fio --name="));
	str_release(&out);
	sample_release(&s);
}

/* A drive at x4, watched in two runs; the first one warmer. */
static void watched_runs(struct sample *s, struct watched w[2])
{
	facts_set(&s->target.facts, &s->r.arena, "link.max_speed", "8 GT/s", NULL);
	facts_set(&s->target.facts, &s->r.arena, "link.max_width", "4", NULL);
	for (int i = 0; i < 2; i++) {
		sample_run(s, 0, 1000);
		w[i] = (struct watched){0};
		watched_see(&w[i], WATCHED_LINK_SPEED, 8000);
		watched_see(&w[i], WATCHED_LINK_WIDTH, 4);
		watched_see(&w[i], WATCHED_TEMPERATURE, i ? 44 : 46);
		watched_see(&w[i], WATCHED_THERMAL_1_TIME, 9);
		watched_see(&w[i], WATCHED_KERNEL_LOG, 0);
		s->r.runs.v[i].watched = &w[i];
	}
}

/* DESIGN 3.6: what changed, and what it was not, of what was really seen. */
static void what_changed_and_what_is_excluded(void **state)
{
	(void)state;
	struct watched w[2];
	struct verdict *v;
	struct sample s;
	struct str out;

	sample_init(&s);
	str_init(&out);
	watched_runs(&s, w);
	v = a_regression(&s);
	v->changed = "nothing under test changed";
	v->text = "read.iops -7.3 %: worse beyond the tolerance; nothing under test changed";
	block_of(&s, v, &plain, &out);
	assert_non_null(strstr(out.s, "  why:       worse beyond the tolerance\n"));
	assert_non_null(strstr(out.s, "  changed:   nothing under test changed\n"));
	assert_non_null(strstr(out.s, "  excluded:  link 8 GT/s x4 under load, 44..46 C, no "
				      "throttling, kernel log\n             clean\n"));
	assert_null(strstr(out.s, "seen:"));
	assert_null(strstr(out.s, "not known:"));
	assert_null(strstr(out.s, "other I/O"));
	/* a run that failed is no evidence, and one that nobody watched leaves it unknown */
	str_clear(&out);
	watched_see(&w[1], WATCHED_KERNEL_LOG, 1);
	w[1].line = "I/O error, dev \033[2J";
	watched_miss(&w[0], &s.r.arena, WATCHED_TEMPERATURE, "it takes root");
	block_of(&s, v, &plain, &out);
	assert_non_null(strstr(out.s, "  seen:      kernel log 1 line: I/O error, dev \\x1b[2J\n"));
	assert_non_null(strstr(out.s, "  not known: temperature (it takes root)\n"));
	str_clear(&out);
	s.r.runs.v[0].out.status = s.r.runs.v[1].out.status = OUTCOME_IO_ERROR;
	block_of(&s, v, &plain, &out);
	assert_null(strstr(out.s, "excluded:"));
	str_release(&out);
	facts_release(&s.target.facts);
	sample_release(&s);
}

static void the_last_line_counts_and_explains(void **state)
{
	(void)state;
	struct sample s;
	struct str out;
	const struct result *r;

	sample_init(&s);
	sample_run(&s, 0, 100);
	sample_verdict(&s, 0, VERDICT_MEASURE, VERDICT_PASS, JUNIT_CASE, STATUS_PASS);
	a_regression(&s);
	sample_verdict(&s, 1, VERDICT_MEASURE, VERDICT_PASS, JUNIT_CASE, STATUS_PASS);
	sample_verdict(&s, 1, 1, VERDICT_INCONCLUSIVE, JUNIT_SKIPPED, STATUS_INCONCLUSIVE);
	r = &s.r;
	str_init(&out);
	report_last_line(&r, 1, s.r.status, &plain, &out);
	assert_true(str_starts(out.s, "blkgate: RED  1 regression, 1 undecided  (sample on dut, "));
	assert_non_null(strstr(out.s, "  status 1: "));
	assert_int_equal(out.s[out.len - 1], '\n');
	assert_ptr_equal(strchr(out.s, '\n'), out.s + out.len - 1);
	str_release(&out);
	sample_release(&s);
}

static void measured_only_says_so(void **state)
{
	(void)state;
	struct sample s;
	struct str out;
	const struct result *r;

	sample_init(&s);
	sample_verdict(&s, 0, VERDICT_MEASURE, VERDICT_PASS, JUNIT_CASE, STATUS_PASS);
	r = &s.r;
	str_init(&out);
	report_last_line(&r, 1, s.r.status, &plain, &out);
	assert_non_null(strstr(out.s, "measured only, nothing judged"));
	assert_null(strstr(out.s, "GREEN"));
	str_release(&out);
	sample_release(&s);
}

static void a_failed_run_shows_no_number(void **state)
{
	(void)state;
	struct sample s;
	struct str out;

	sample_init(&s);
	sample_run(&s, 0, 0);
	s.r.runs.v[0].out.status = OUTCOME_IO_ERROR;
	sample_verdict(&s, 0, VERDICT_MEASURE, VERDICT_ERROR, JUNIT_ERROR, STATUS_ERROR)->text =
		"read of 4096 bytes failed: Input/output error";
	str_init(&out);
	report_console(&s.r, &plain, &out);
	assert_non_null(strstr(out.s, "Input/output error"));
	assert_null(strstr(out.s, "IOPS"));
	str_release(&out);
	sample_release(&s);
}

/* What no device saw and what the runs noted stands below the figures; figures in a note that
 * differ from run to run make no second note. */
static void what_stands_beside(void **state)
{
	static const struct {
		struct outcome_device device[2];
		const char *notes[2];
		bool verbose;
		const char *want[3], *none;
	} rows[] = {
		/* 26.3 million of 4 KiB beside 0.8 million, twice */
		{{{.state = DEVICE_KNOWN, .bytes = 3276800000ULL},
		  {.state = DEVICE_KNOWN, .bytes = 3276800000ULL}},
		 {"depth reached 3.1 of 32",
		  "depth reached 3.15 of 32; latency from the intended start"},
		 false,
		 {"  absorbed     97.0 % of the reads (application 201 GiB, device 6.10 GiB)\n",
		  "  note         depth reached 3.1 of 32\n",
		  "  note         latency from the intended start\n"},
		 "3.15"},
		{{{.state = DEVICE_KNOWN, .bytes = 107724800000ULL},
		  {.state = DEVICE_KNOWN, .bytes = 107724800000ULL}},
		 {"engine: io_uring set up with SQPOLL", "engine: io_uring set up with SQPOLL"},
		 false,
		 {NULL},
		 "absorbed"},
		{{{.why = "btrfs has no single device"}, {.why = "btrfs has no single device"}},
		 {"engine: io_uring set up with SQPOLL", ""},
		 true,
		 {"  absorbed     unknown of the reads (btrfs has no single device)\n",
		  "  note         engine: io_uring set up with SQPOLL\n"},
		 NULL},
		{{{.why = "btrfs has no single device"}, {.why = "btrfs has no single device"}},
		 {"engine: io_uring set up with SQPOLL", ""},
		 false,
		 {NULL},
		 "btrfs"},
		{{{.state = DEVICE_KNOWN, .bytes = 300000000000ULL},
		  {.state = DEVICE_KNOWN, .bytes = 107724800000ULL}},
		 {"", ""},
		 false,
		 {"  absorbed     unknown of the reads: the device saw more (application 201 GiB, "
		  "device 380 GiB)\n"},
		 NULL},
		{{{.state = DEVICE_NONE}, {.state = DEVICE_NONE}},
		 {"", ""},
		 true,
		 {NULL},
		 "absorbed"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct console_options o = {.width = 80, .verbose = rows[i].verbose};
		struct sample s;
		struct str out;

		sample_init(&s);
		s.jobs[0].numjobs = 1;
		for (int k = 0; k < 2; k++) {
			sample_run(&s, 0, 26300000);
			struct outcome *run = &s.r.runs.v[k].out;

			run->device_read = rows[i].device[k];
			snprintf(run->notes, sizeof(run->notes), "%s", rows[i].notes[k]);
		}
		sample_verdict(&s, 0, VERDICT_MEASURE, VERDICT_PASS, JUNIT_CASE, STATUS_PASS);
		a_regression(&s);
		str_init(&out);
		report_console(&s.r, &o, &out);
		for (int k = 0; k < 3 && rows[i].want[k]; k++)
			if (!strstr(out.s, rows[i].want[k]))
				fail_msg("row %zu: '%s' is not in\n%s", i, rows[i].want[k], out.s);
		if (rows[i].none)
			assert_null(strstr(out.s, rows[i].none));
		/* the row has said it: the block has it where there is no row, as in JUnit */
		assert_null(strstr(out.s, "\n  absorbed:"));
		str_clear(&out);
		block_of(&s, &s.r.verdicts.v[1], &o, &out);
		if (i == 0)
			assert_non_null(strstr(out.s, "\n  absorbed:  97.0 % of the reads"));
		str_release(&out);
		sample_release(&s);
	}
}

/* percentile_list says which ones are shown. */
static void listed_percentiles(void **state)
{
	struct hist *h = xcalloc(1, sizeof(*h));
	struct sample s;
	struct str out;

	(void)state;
	sample_init(&s);
	sample_run(&s, 0, 1000);
	hist_reset(h);
	hist_add_n(h, 100, 900);
	hist_add_n(h, 110, 100);
	bins_from_hist(&s.r.runs.v[0].out.dir[DIR_READ].clat, h);
	s.jobs[0].percentile_list = "50:75:99.9";
	s.r.runs.v[0].out.nslots = 10;
	s.r.runs.v[0].out.slots = xcalloc(10, sizeof(struct outcome_slot));
	s.r.runs.v[0].out.slots[9].clat[DIR_READ] = 110;
	sample_verdict(&s, 0, VERDICT_MEASURE, VERDICT_PASS, JUNIT_CASE, STATUS_PASS);
	str_init(&out);
	report_console(&s.r, &plain, &out);
	assert_non_null(strstr(out.s, ", p50 100 ns, p75 100 ns"));
	assert_null(strstr(out.s, "p99"));
	str_release(&out);
	sample_release(&s);
	free(h);
}

static void no_escape_without_colour(void **state)
{
	(void)state;
	struct sample s;
	struct str out;

	sample_init(&s);
	s.target.path = "/x\x1b]0;owned\x07";
	s.r.partial = "\x1b[2J";
	a_regression(&s)->text = "\x1b[31mred";
	str_init(&out);
	report_console(&s.r, &plain, &out);
	assert_null(strchr(out.s, 0x1b));
	assert_non_null(strstr(out.s, "\\x1b[31mred"));
	str_clear(&out);
	report_console(&s.r, &(struct console_options){.width = 80, .colour = true}, &out);
	assert_non_null(strstr(out.s, "\033[31m"));
	assert_null(strstr(out.s, "\033[2J"));
	str_release(&out);
	sample_release(&s);
}

/* Text lines keep to 80 columns; a command that is to be copied is never broken. */
static void eighty_columns(void **state)
{
	(void)state;
	struct sample s;
	struct str out;

	sample_init(&s);
	a_regression(&s)->text =
		"one two three four five six seven eight nine ten eleven twelve thirteen "
		"fourteen fifteen sixteen seventeen eighteen nineteen twenty twenty-one";
	str_init(&out);
	report_console(&s.r, &plain, &out);
	for (char *line = out.s, *end; (end = strchr(line, '\n')); line = end + 1)
		if (!strstr(line, "fio --name") || strstr(line, "fio --name") > end)
			assert_in_range(end - line, 0, 80);
	str_release(&out);
	sample_release(&s);
}

static void one_cause_is_told_once(void **state)
{
	(void)state;
	struct sample s;
	struct str out;
	const char *first;

	sample_init(&s);
	sample_verdict(&s, 0, 0, VERDICT_NO_BASELINE, JUNIT_ERROR, STATUS_NO_BASELINE)->text =
		"no baseline for a";
	sample_verdict(&s, 1, 1, VERDICT_NO_BASELINE, JUNIT_ERROR, STATUS_NO_BASELINE)->text =
		"no baseline for b";
	str_init(&out);
	report_console(&s.r, &plain, &out);
	first = strstr(out.s, "why:");
	assert_non_null(first);
	assert_null(strstr(first + 1, "why:"));
	assert_non_null(strstr(out.s, "also:      b gate read.iops\n"));
	str_release(&out);
	sample_release(&s);
}

static void a_policy_makes_no_green(void **state)
{
	(void)state;
	struct sample s;
	struct str out;
	const struct result *r;

	sample_init(&s);
	sample_verdict(&s, 0, 0, VERDICT_NO_BASELINE, JUNIT_SKIPPED, STATUS_PASS);
	r = &s.r;
	str_init(&out);
	report_last_line(&r, 1, STATUS_PASS, &plain, &out);
	assert_true(str_starts(out.s, "blkgate: NOT JUDGED  1 without baseline"));
	assert_non_null(strstr(out.s, "status 0: nothing was judged; 1 without baseline let pass"));
	str_clear(&out);
	s.r.inject = "delay=1ms";
	sample_verdict(&s, 1, 1, VERDICT_PASS, JUNIT_CASE, STATUS_PASS);
	report_last_line(&r, 1, STATUS_PASS, &plain, &out);
	assert_true(str_starts(out.s, "blkgate: GREEN  1 without baseline, 1 pass"));
	assert_non_null(strstr(out.s, "injected: delay=1ms"));
	str_release(&out);
	sample_release(&s);
}

static void only_decided_company_counts(void **state)
{
	(void)state;
	struct sample s;
	struct verdict *o;
	struct str out;
	static const enum verdict_kind kinds[] = {VERDICT_REGRESSION, VERDICT_PASS,
						  VERDICT_INCONCLUSIVE};
	static const char *const says[] = {"with it:   b read.iops -6.0 %",
					   "not:       b read.iops -6.0 %", NULL};

	for (int i = 0; i < 3; i++) {
		sample_init(&s);
		a_regression(&s);
		o = sample_verdict(&s, 1, 1, kinds[i], JUNIT_FAILURE, STATUS_REGRESSION);
		o->change = -0.06;
		str_init(&out);
		block_of(&s, &s.r.verdicts.v[0], &plain, &out);
		if (says[i])
			assert_non_null(strstr(out.s, says[i]));
		else
			assert_null(strstr(out.s, "-6.0"));
		str_release(&out);
		sample_release(&s);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(creep_is_said),
		cmocka_unit_test(a_session_without_value),
		cmocka_unit_test(one_boot_is_marked),
		cmocka_unit_test(a_gain_is_kept_by_an_epoch),
		cmocka_unit_test(the_block_says_what_the_reader_needs),
		cmocka_unit_test(what_changed_and_what_is_excluded),
		cmocka_unit_test(the_last_line_counts_and_explains),
		cmocka_unit_test(measured_only_says_so),
		cmocka_unit_test(a_failed_run_shows_no_number),
		cmocka_unit_test(what_stands_beside),
		cmocka_unit_test(listed_percentiles),
		cmocka_unit_test(no_escape_without_colour),
		cmocka_unit_test(eighty_columns),
		cmocka_unit_test(one_cause_is_told_once),
		cmocka_unit_test(a_policy_makes_no_green),
		cmocka_unit_test(only_decided_company_counts),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
