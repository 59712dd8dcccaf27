/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The journal is a result, whole or torn. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include "base/fileio.h"
#include "measure/metric.h"
#include "sample.h"
#include <unistd.h>

struct lines {
	struct str s;
	struct result r;
};

static void add_line(struct lines *l, struct jw *w)
{
	str_add(&l->s, jw_finish(w));
	assert_true(l->s.len && l->s.s[l->s.len - 1] == '\n');
	jw_release(w);
	jw_init(w);
}

/* The sample as it would have grown; end: with the end record. */
static void grow(struct lines *l, bool end)
{
	struct jw w;
	const struct result *r = &l->r;

	str_init(&l->s);
	sample_result(&l->r);
	l->r.values_writer = measure_write_values;
	jw_init(&w);
	result_journal_head(r, &w);
	add_line(l, &w);
	for (size_t i = 0; i < r->runs.n; i++) {
		const struct run *run = &r->runs.v[i];

		if (i == 0 || i == 2) {
			struct session s = r->sessions.v[i / 2];

			s.complete = false;
			result_journal_session(&s, &w);
			add_line(l, &w);
		}
		result_journal_start(run->job, run->session, run->run, &w);
		add_line(l, &w);
		result_journal_run(r, run, &w);
		add_line(l, &w);
	}
	if (end) {
		l->r.jobs[1].state = JOB_ERROR;
		l->r.jobs[1].why = "its target was lost";
		*VEC_PUSH(&l->r.notices) = "a later notice";
		result_journal_end(r, &w);
		add_line(l, &w);
	}
	jw_release(&w);
}

static void done(struct lines *l)
{
	str_release(&l->s);
	result_release(&l->r);
}

static struct result parsed(const char *text, size_t n)
{
	struct result r;
	struct err e = ERR_INIT;

	if (result_parse(text, n, "journal", &r, &e))
		fail_msg("%s", e.text);
	return r;
}

static void test_whole(void **state)
{
	struct lines l;
	struct result b;
	char *want, *got;

	(void)state;
	grow(&l, true);
	b = parsed(l.s.s, l.s.len);
	assert_null(b.partial);
	l.r.values_writer = NULL;
	want = sample_text(&l.r, false);
	got = sample_text(&b, false);
	assert_string_equal(got, want);
	assert_int_equal(b.notices.n, 2);
	assert_string_equal(b.jobs[1].why, "its target was lost");
	free(want);
	free(got);
	result_release(&b);
	done(&l);
}

static void test_one_line_each(void **state)
{
	struct lines l;
	size_t n = 0;

	(void)state;
	grow(&l, true);
	for (size_t i = 0; i < l.s.len; i++)
		n += l.s.s[i] == '\n';
	assert_int_equal(n, 1 + 2 + 5 + 5 + 1);
	done(&l);
}

static void test_no_end(void **state)
{
	struct lines l;
	struct result b;

	(void)state;
	grow(&l, false);
	b = parsed(l.s.s, l.s.len);
	assert_string_equal(b.partial, "journal without end");
	assert_int_equal(b.runs.n, 5);
	assert_false(b.sessions.v[0].complete);
	assert_true(b.ended >= b.started);
	for (size_t i = 0; i < b.runs.n; i++)
		assert_int_not_equal(b.runs.v[i].out.status, OUTCOME_LOST);
	result_release(&b);
	done(&l);
}

static void test_partial_head(void **state)
{
	struct lines l = {0};
	struct result b;
	struct jw w;

	(void)state;
	str_init(&l.s);
	sample_result(&l.r);
	l.r.partial = "--only seq*";
	jw_init(&w);
	result_journal_head(&l.r, &w);
	add_line(&l, &w);
	jw_release(&w);
	b = parsed(l.s.s, l.s.len);
	assert_string_equal(b.partial, "--only seq*; journal without end");
	assert_int_equal(b.sessions.n, 0);
	result_release(&b);
	done(&l);
}

/* Cut at every byte of the last start and run: never an error, the run is lost until it is whole.
 */
static void test_torn(void **state)
{
	struct lines l;
	const char *start;
	size_t from, n;

	(void)state;
	grow(&l, false);
	start = strstr(l.s.s, "{\"start\": [1");
	assert_non_null(start);
	from = (size_t)(start - l.s.s);
	n = strlen("{\"start\": [1, 0, 0]}\n");
	assert_true(start[n - 1] == '\n');
	for (size_t cut = from; cut <= l.s.len; cut++) {
		struct result b = parsed(l.s.s, cut);
		bool started = cut >= from + n - 1; /* the newline may be missing */
		bool finished = cut >= l.s.len - 1;

		assert_int_equal(b.runs.n, started ? 5 : 4);
		assert_string_equal(b.partial, "journal without end");
		if (started && !finished) {
			const struct run *lost = &b.runs.v[4];

			assert_int_equal(lost->out.status, OUTCOME_LOST);
			assert_int_equal(lost->job, 1);
			assert_string_equal(lost->out.text,
					    "lost: the host or blkgate stopped during this run");
		} else if (finished) {
			assert_int_equal(b.runs.v[4].out.status, OUTCOME_IO_ERROR);
		}
		result_release(&b);
	}
	done(&l);
}

/* A file system may leave zeros where the last record should be. */
static void test_torn_zeros(void **state)
{
	static const char zeros[100];
	struct lines l;
	struct result b;

	(void)state;
	grow(&l, false);
	str_addn(&l.s, zeros, sizeof(zeros));
	b = parsed(l.s.s, l.s.len);
	assert_int_equal(b.runs.n, 5);
	assert_non_null(b.partial);
	result_release(&b);
	done(&l);
}

static void assert_refused(const char *text, size_t n, const char *want)
{
	struct err e = ERR_INIT;
	struct result r;

	if (result_parse(text, n, "journal", &r, &e) != ERR_DATA)
		fail_msg("accepted, wanted: %s", want);
	if (!strstr(e.text, want))
		fail_msg("wanted '%s': %s", want, e.text);
	assert_int_equal(r.njobs, 0);
	result_release(&r);
}

/* Damage anywhere but in the last line is damage. */
static void test_middle(void **state)
{
	struct lines l;
	char *line;

	(void)state;
	grow(&l, true);
	line = strstr(l.s.s, "{\"run\"");
	*line = 'x';
	assert_refused(l.s.s, l.s.len, "journal:4");
	*line = '{';
	line = strstr(l.s.s, "{\"start\"");
	memcpy(line, "\n\n\n\n{\"st", 8);
	assert_refused(l.s.s, l.s.len, "damaged line");
	done(&l);
}

static void test_torn_head(void **state)
{
	struct lines l;
	size_t head;

	(void)state;
	grow(&l, false);
	head = (size_t)(strchr(l.s.s, '\n') - l.s.s);
	for (size_t i = 20; i < head; i += 97)
		assert_refused(l.s.s, i, "journal");
	done(&l);
}

static void append(struct lines *l, const char *line)
{
	str_add(&l->s, line);
	str_addc(&l->s, '\n');
}

static void test_bad_records(void **state)
{
	static const struct {
		const char *line, *want;
	} cases[] = {
		{"{\"start\": [3, 0, 0]}", "no such job or session"},
		{"{\"start\": [0, 2, 0]}", "no such job or session"},
		{"{\"start\": [0, 0]}", "start"},
		{"{\"start\": [0, 0, -1]}", "start[2]"},
		{"{\"start\": {}}", "start"},
		{"{\"run\": {\"job\": 0}}", "run.session"},
		{"{\"session\": {\"id\": \"x\"}}", "session.started"},
		{"{\"end\": {}}", "end.interrupted"},
		{"[]", "object"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct lines l;

		grow(&l, false);
		append(&l, cases[i].line);
		assert_refused(l.s.s, l.s.len, cases[i].want);
		done(&l);
	}
}

/* The same run twice would be evidence counted twice, also when once it was lost. */
static void test_twice(void **state)
{
	struct lines l;
	char *run, *end;

	(void)state;
	grow(&l, false);
	run = strstr(l.s.s, "{\"run\"");
	end = strchr(run, '\n');
	run = xstrndup(run, (size_t)(end - run));
	append(&l, run);
	assert_refused(l.s.s, l.s.len, "stands twice");
	free(run);
	done(&l);
	grow(&l, false);
	append(&l, "{\"start\": [0, 0, 0]}");
	assert_refused(l.s.s, l.s.len, "stands twice");
	done(&l);
	grow(&l, true);
	append(&l, "{\"start\": [0, 0, 7]}");
	assert_refused(l.s.s, l.s.len, "after the end");
	done(&l);
}

/* A session written again when it is complete; runs of several jobs in flight at once. */
static void test_session_again(void **state)
{
	struct lines l;
	struct result b;
	struct jw w;

	(void)state;
	grow(&l, false);
	jw_init(&w);
	result_journal_session(&l.r.sessions.v[0], &w);
	add_line(&l, &w);
	jw_release(&w);
	append(&l, "");
	append(&l, "{\"unknown\": {\"record\": 1}}");
	append(&l, "{\"start\": [0, 1, 8]}");
	append(&l, "{\"start\": [1, 1, 8]}");
	b = parsed(l.s.s, l.s.len);
	assert_int_equal(b.sessions.n, 2);
	assert_true(b.sessions.v[0].complete);
	assert_int_equal(b.runs.n, 7);
	assert_int_equal(b.runs.v[5].out.status, OUTCOME_LOST);
	assert_int_equal(b.runs.v[6].out.status, OUTCOME_LOST);
	assert_true(b.runs.v[6].started == l.r.sessions.v[1].started);
	result_release(&b);
	done(&l);
}

static void test_through_file(void **state)
{
	char path[] = "/tmp/blkgate-journal-XXXXXX";
	int fd = mkstemp(path);
	struct err e = ERR_INIT;
	struct journal j;
	struct result b;
	struct lines l;

	(void)state;
	assert_true(fd >= 0);
	close(fd);
	grow(&l, true);
	assert_int_equal(journal_open(&j, path, &e), 0);
	for (char *s = l.s.s, *nl; (nl = strchr(s, '\n')); s = nl + 1)
		assert_int_equal(journal_add(&j, s, (size_t)(nl - s), &e), 0);
	journal_close(&j);
	assert_int_equal(result_load(path, &b, &e), 0);
	assert_int_equal(b.runs.n, 5);
	assert_null(b.partial);
	result_release(&b);
	unlink(path);
	done(&l);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_whole),         cmocka_unit_test(test_one_line_each),
		cmocka_unit_test(test_no_end),        cmocka_unit_test(test_partial_head),
		cmocka_unit_test(test_torn),          cmocka_unit_test(test_torn_zeros),
		cmocka_unit_test(test_middle),        cmocka_unit_test(test_torn_head),
		cmocka_unit_test(test_bad_records),   cmocka_unit_test(test_twice),
		cmocka_unit_test(test_session_again), cmocka_unit_test(test_through_file),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
