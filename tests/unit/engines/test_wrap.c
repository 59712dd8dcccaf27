/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The table's rules, the probe in a child and the wrappers, against engines that break the
 * contract. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "engines/engine.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

/* An engine that does what the test tells it. */
struct puppet {
	int submit_rc; /* INT_MAX: takes all */
	int reap_rc;   /* INT_MAX: hands `back` back */
	struct io *back[4];
	unsigned closed;
};
static struct puppet puppet;

static int p_probe(struct err *e)
{
	(void)e;
	return 0;
}

static int p_open(void **ctx, const struct engine_config *c, struct err *e)
{
	(void)c, (void)e;
	*ctx = &puppet;
	return 0;
}

static int p_submit(void *ctx, struct io **ios, unsigned n)
{
	(void)ios;
	struct puppet *p = ctx;
	return p->submit_rc == INT32_MAX ? (int)n : p->submit_rc;
}

static int p_reap(void *ctx, struct io **done, unsigned min, unsigned max, uint64_t until)
{
	struct puppet *p = ctx;

	(void)min, (void)until;
	if (p->reap_rc != INT32_MAX)
		return p->reap_rc;
	unsigned n = 0;
	while (n < max && n < 4 && p->back[n]) {
		done[n] = p->back[n];
		n++;
	}
	return (int)n;
}

static void p_close(void *ctx)
{
	((struct puppet *)ctx)->closed++;
}

static uint64_t p_now(void *ctx)
{
	(void)ctx;
	return 1;
}

static void p_sleep(void *ctx, uint64_t ns)
{
	(void)ctx, (void)ns;
}

static const struct engine good = {
	.api = ENGINE_API,
	.name = "puppet",
	.what = "for tests",
	.caps = ENGINE_OP_READ | ENGINE_OP_WRITE,
	.probe = p_probe,
	.open = p_open,
	.submit = p_submit,
	.reap = p_reap,
	.close = p_close,
};

static struct engine_run run;
static struct io io[4];
static struct io *ios[4];

static int setup(void **state)
{
	static int fd = 0;
	struct engine_config c = {.fds = &fd, .nfds = 1, .depth = 3};
	struct err e = ERR_INIT;

	(void)state;
	puppet = (struct puppet){.submit_rc = INT32_MAX, .reap_rc = INT32_MAX};
	for (unsigned i = 0; i < 4; i++) {
		io[i] = (struct io){.op = IO_READ, .index = i, .len = 512, .res = 512};
		ios[i] = &io[i];
	}
	return engine_open(&run, &good, &c, &e);
}

static int teardown(void **state)
{
	(void)state;
	engine_close(&run);
	return 0;
}

static void breached(int rc, const char *word)
{
	assert_int_equal(rc, ERR_MEASURE);
	assert_int_equal(run.broken.code, ERR_MEASURE);
	assert_non_null(strstr(run.broken.text, "puppet"));
	if (!strstr(run.broken.text, word))
		fail_msg("\"%s\" lacks \"%s\"", run.broken.text, word);
}

static void shipped_table_is_sound(void **state)
{
	struct err e = ERR_INIT;

	(void)state;
	assert_int_equal(engine_check_table(&e), 0);
	for (unsigned i = 0; i < engine_count; i++)
		assert_ptr_equal(engine_find(engine_table[i]->name), engine_table[i]);
	static const char *const names[] = {"psync",  "pvsync2",  "mmap", "posixaio",
					    "libaio", "io_uring", "null", "sim"};
	for (unsigned i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		assert_non_null(engine_find(names[i]));
	assert_null(engine_find("io_urin"));
	assert_null(engine_find("io_uring2"));
	assert_null(engine_find(""));
	assert_null(engine_find(NULL));
}

static void bad_entries_are_refused(void **state)
{
	struct engine bad[14];
	struct err e;
	unsigned n = 0;
	struct engine_run r;
	struct engine_config c = {.depth = 1};

	(void)state;
	for (unsigned i = 0; i < 14; i++)
		bad[i] = good;
	bad[n++].api = ENGINE_API + 1;
	bad[n++].name = NULL;
	bad[n++].name = "";
	bad[n++].what = NULL;
	bad[n++].probe = NULL;
	bad[n++].open = NULL;
	bad[n++].submit = NULL;
	bad[n++].reap = NULL;
	bad[n++].close = NULL;
	bad[n++].now = p_now;
	bad[n++].caps |= ENGINE_VIRTUAL;
	bad[n].now = p_now;
	bad[n++].sleep_until = p_sleep;
	bad[n++].caps |= 1u << 30;
	bad[n++].caps = ENGINE_OP_FSYNC;
	assert_int_equal(n, 14);
	for (unsigned i = 0; i < n; i++) {
		e = ERR_INIT;
		assert_int_equal(engine_check(&bad[i], &e), ERR_MEASURE);
		assert_true(e.text[0] != '\0');
		assert_int_equal(engine_probe(&bad[i], &e), ERR_MEASURE);
		assert_int_equal(engine_open(&r, &bad[i], &c, &e), ERR_MEASURE);
	}
	assert_int_equal(engine_check(NULL, &e), ERR_MEASURE);
	assert_int_equal(engine_check(&good, &e), 0);
}

static void open_refuses(void **state)
{
	struct engine_run r;
	struct err e = ERR_INIT;
	int fd = 0;

	(void)state;
	assert_int_equal(engine_open(&r, &good, &(struct engine_config){.fds = &fd, .nfds = 1}, &e),
			 ERR_MEASURE);
	assert_non_null(strstr(e.text, "depth"));
	assert_int_equal(engine_open(&r, &good, &(struct engine_config){.depth = 1}, &e),
			 ERR_MEASURE);
	assert_non_null(strstr(e.text, "target"));
	engine_close(&r);
}

/* Law: what was asked for and cannot be had is refused by name, whichever engine it is. */
static void words_that_an_engine_lacks(void **state)
{
	static const struct {
		uint32_t cap;
		struct engine_config c;
	} words[] = {
		{ENGINE_HIPRI, {.hipri = true}},
		{ENGINE_NOWAIT, {.nowait = true}},
		{ENGINE_FIXEDBUFS, {.fixedbufs = true}},
		{ENGINE_REGISTERFILES, {.registerfiles = true}},
		{ENGINE_SQPOLL, {.sqthread_poll = true}},
	};
	struct engine has = good, mapped = good, shallow = good;
	struct engine_run r;
	int fd = 0;

	(void)state;
	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		struct engine_config c = words[i].c;
		struct err e = ERR_INIT;

		c.fds = &fd;
		c.nfds = c.depth = 1;
		assert_int_equal(engine_wants(&c), words[i].cap);
		assert_int_equal(engine_open(&r, &good, &c, &e), ERR_MEASURE);
		assert_non_null(strstr(e.text, engine_word(words[i].cap)));
		has.caps = good.caps | words[i].cap;
		assert_int_equal(engine_open(&r, &has, &c, &e), 0);
		engine_close(&r);
	}
	assert_null(engine_word(ENGINE_SYNC));
	struct engine_config c = {.fds = &fd, .nfds = 1, .depth = 4, .direct = true};
	struct err e = ERR_INIT;

	mapped.caps |= ENGINE_MAPPED;
	assert_int_equal(engine_open(&r, &mapped, &c, &e), ERR_MEASURE);
	assert_non_null(strstr(e.text, "cannot be direct"));
	shallow.depth_max = 3;
	assert_int_equal(engine_open(&r, &shallow, &c, &e), ERR_MEASURE);
	assert_non_null(strstr(e.text, "depth 4 is beyond 3"));
}

static void counts_and_flags(void **state)
{
	struct io *done[4];

	(void)state;
	assert_int_equal(engine_submit(&run, ios, 0), 0);
	puppet.submit_rc = 2;
	assert_int_equal(engine_submit(&run, ios, 3), 2);
	puppet.submit_rc = 0;
	assert_int_equal(engine_submit(&run, ios + 2, 1), 0);
	assert_int_equal(run.full, 1);
	puppet.submit_rc = 1;
	assert_int_equal(engine_submit(&run, ios + 2, 1), 1);
	assert_int_equal(run.inflight, 3);
	puppet.back[0] = &io[1];
	assert_int_equal(engine_reap(&run, done, 1, 4, 0), 1);
	assert_ptr_equal(done[0], &io[1]);
	puppet.back[0] = &io[2];
	puppet.back[1] = &io[0];
	assert_int_equal(engine_reap(&run, done, 4, 4, 0), 2);
	assert_int_equal(run.inflight, 0);
	assert_int_equal(run.submitted, 3);
	assert_int_equal(run.reaped, 3);
	assert_int_equal(engine_reap(&run, done, 1, 4, UINT64_MAX), 0);
	assert_int_equal(run.broken.code, 0);
	engine_close(&run);
	assert_int_equal(puppet.closed, 1);
}

static void caller_is_held_to_the_contract(void **state)
{
	static const struct {
		const char *word;
		struct io io;
	} cases[] = {
		{"io 7 at depth 3", {.op = IO_READ, .index = 7}},
		{"operation 3", {.op = IO_FSYNC}},
		{"operation 2", {.op = IO_TRIM}},
		{"descriptor 1 of 1", {.op = IO_READ, .fd = 1}},
	};

	for (unsigned i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct io bad = cases[i].io;
		struct io *two[] = {&io[1], &bad};

		breached(engine_submit(&run, two, 2), cases[i].word);
		assert_int_equal(run.inflight, 0);
		assert_int_equal(run.out[1], 0);
		teardown(state);
		setup(state);
	}
	struct io *twice[] = {&io[1], &io[1]};
	breached(engine_submit(&run, twice, 2), "io 1 twice");
	/* What is broken takes nothing more, and the first sentence stays. */
	assert_int_equal(engine_submit(&run, ios, 1), ERR_MEASURE);
	assert_non_null(strstr(run.broken.text, "twice"));
	teardown(state);
	setup(state);
	assert_int_equal(engine_submit(&run, ios, 1), 1);
	breached(engine_submit(&run, ios, 1), "io 0 twice");
	teardown(state);
	setup(state);
	breached(engine_submit(&run, ios, 4), "was given 4 more");
	teardown(state);
	setup(state);
	engine_close(&run);
	breached(engine_submit(&run, ios, 1), "after close");
	assert_int_equal(engine_reap(&run, ios, 1, 1, 0), ERR_MEASURE);
}

static void engine_is_held_to_the_contract(void **state)
{
	struct io *done[4];

	puppet.submit_rc = 3;
	breached(engine_submit(&run, ios, 2), "took 3 of 2");
	assert_int_equal(run.inflight, 2); /* who knows what it did with them */
	teardown(state);
	setup(state);
	puppet.submit_rc = 0;
	breached(engine_submit(&run, ios, 2), "full with nothing in flight");
	teardown(state);
	setup(state);
	puppet.submit_rc = -EFAULT;
	breached(engine_submit(&run, ios, 2), "Bad address");
	assert_int_equal(run.broken.sys, EFAULT);
	assert_int_equal(run.inflight, 0);

	static const struct {
		int rc;
		unsigned back;
		int64_t res;
		const char *word;
	} cases[] = {
		{-EIO, 0, 512, "reap failed"},
		{3, 0, 512, "returned 3 of at most 2"},
		{INT32_MAX, 2, 512, "not in flight"},
		{INT32_MAX, 1, 513, "513 of 512 bytes"},
	};
	for (unsigned i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		teardown(state);
		setup(state);
		assert_int_equal(engine_submit(&run, ios, 2), 2);
		puppet.reap_rc = cases[i].rc;
		puppet.back[0] = &io[cases[i].back];
		io[cases[i].back].res = cases[i].res;
		breached(engine_reap(&run, done, 1, 4, 0), cases[i].word);
		assert_int_equal(run.inflight, 2);
	}
	teardown(state);
	setup(state);
	assert_int_equal(engine_submit(&run, ios, 2), 2);
	puppet.back[0] = puppet.back[1] = &io[0];
	breached(engine_reap(&run, done, 1, 4, 0), "not in flight");
}

/* What the runner does not get back stays in flight: its buffer must not be used again or unmapped.
 */
static void breach_in_a_batch_keeps_all_in_flight(void **state)
{
	struct io *done[4];
	struct io stranger = {.op = IO_READ, .index = 3, .len = 512, .res = 512};
	struct io *const bad[] = {&io[0], &io[2], &stranger, NULL};

	for (unsigned i = 0; i < 4; i++) {
		assert_int_equal(engine_submit(&run, ios, 3), 3);
		puppet.back[0] = &io[0];
		puppet.back[1] = &io[1];
		puppet.back[2] = bad[i] ? bad[i] : &io[2];
		io[2].res = i == 1 ? 513 : 512;
		puppet.reap_rc = bad[i] ? INT32_MAX : 4;
		breached(engine_reap(&run, done, 1, 4, 0), "returned ");
		assert_int_equal(run.inflight, 3);
		assert_int_equal(run.reaped, 0);
		for (unsigned k = 0; k < 3; k++)
			assert_int_equal(run.out[k], 1);
		/* They can still come back. */
		puppet.reap_rc = INT32_MAX;
		puppet.back[2] = &io[2];
		io[2].res = 512;
		assert_int_equal(engine_reap(&run, done, 1, 4, 0), 3);
		assert_int_equal(run.inflight, 0);
		teardown(state);
		setup(state);
	}
}

/* The probe of a puppet that looks at what it was given: the pipe of its answer and nothing else.
 */
static int p_probe_looks(struct err *e)
{
	struct stat st, null;
	unsigned more = 0;

	if (stat("/dev/null", &null))
		return err_set(e, ERR_MEASURE, "no /dev/null");
	for (int fd = 0; fd <= 2; fd++) {
		if (fstat(fd, &st) || st.st_rdev != null.st_rdev)
			return err_set(e, ERR_MEASURE, "descriptor %d is kept", fd);
	}
	for (int fd = 3; fd < 256; fd++)
		more += fcntl(fd, F_GETFD) >= 0;
	return more == 1 ? 0 : err_set(e, ERR_MEASURE, "%u descriptors are kept", more);
}

static void a_probe_holds_nothing_of_the_program(void **state)
{
	struct engine looks = good;
	struct err e = ERR_INIT;
	int fd = open("/", O_RDONLY);

	(void)state;
	looks.probe = p_probe_looks;
	if (engine_probe(&looks, &e))
		fail_msg("%s", e.text);
	close(fd);
}

static const char *p_about(void *ctx)
{
	return ctx == &puppet ? "as told" : "?";
}

static void an_engine_may_say_what_it_chose(void **state)
{
	struct engine talks = good;
	struct engine_run r;
	struct err e = ERR_INIT;
	int fd = 0;

	(void)state;
	assert_string_equal(engine_about(&run), "");
	talks.about = p_about;
	assert_int_equal(engine_open(&r, &talks,
				     &(struct engine_config){.fds = &fd, .nfds = 1, .depth = 1},
				     &e),
			 0);
	assert_string_equal(engine_about(&r), "as told");
	engine_close(&r);
	assert_string_equal(engine_about(&r), "");
}

/* Nothing is torn down under I/O that the kernel may still be doing. */
static void close_leaves_busy_context(void **state)
{
	(void)state;
	assert_int_equal(engine_submit(&run, ios, 1), 1);
	engine_close(&run);
	assert_int_equal(puppet.closed, 0);
	engine_close(&run);
	assert_int_equal(puppet.closed, 0);
}

static void real_clock_without_hook(void **state)
{
	(void)state;
	uint64_t a = engine_now(&run);
	engine_sleep_until(&run, a + 1000);
	assert_true(engine_now(&run) >= a + 1000);
	engine_sleep_until(&run, 0);
}

static int says_no(struct err *e)
{
	err_set(e, ERR_MEASURE, "engine \"puppet\": not on this machine");
	return err_hint(e, "buy another one");
}

static int dies(struct err *e)
{
	(void)e;
	kill(getpid(), SIGKILL);
	return 0;
}

static int leaves(struct err *e)
{
	(void)e;
	_exit(0);
}

static int never_answers(struct err *e)
{
	(void)e;
	pause();
	return 0;
}

static int child_pid_differs(struct err *e)
{
	return err_set(e, ERR_MEASURE, "%ld", (long)getpid());
}

static void probe_answers(void **state)
{
	struct engine g = good;
	struct err e = ERR_INIT;

	(void)state;
	assert_int_equal(engine_probe(&g, &e), 0);
	assert_int_equal(e.code, 0);
	g.probe = says_no;
	assert_int_equal(engine_probe(&g, &e), ERR_MEASURE);
	assert_string_equal(e.text, "engine \"puppet\": not on this machine");
	assert_string_equal(e.hint, "buy another one");
	g.probe = dies;
	assert_int_equal(engine_probe(&g, &e), ERR_MEASURE);
	assert_non_null(strstr(e.text, "signal 9"));
	g.probe = leaves;
	assert_int_equal(engine_probe(&g, &e), ERR_MEASURE);
	assert_non_null(strstr(e.text, "without an answer"));
	g.probe = never_answers;
	assert_int_equal(engine_probe_within(&g, 20 * NS_PER_MS, &e), ERR_MEASURE);
	assert_non_null(strstr(e.text, "within 20 ms"));
	assert_int_equal(waitpid(-1, NULL, WNOHANG), -1); /* no child is left */
	g.probe = child_pid_differs;
	assert_int_equal(engine_probe(&g, &e), ERR_MEASURE);
	assert_int_not_equal(strtol(e.text, NULL, 10), getpid());
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(shipped_table_is_sound),
		cmocka_unit_test(bad_entries_are_refused),
		cmocka_unit_test(open_refuses),
		cmocka_unit_test(words_that_an_engine_lacks),
		cmocka_unit_test_setup_teardown(counts_and_flags, setup, teardown),
		cmocka_unit_test_setup_teardown(caller_is_held_to_the_contract, setup, teardown),
		cmocka_unit_test_setup_teardown(engine_is_held_to_the_contract, setup, teardown),
		cmocka_unit_test_setup_teardown(close_leaves_busy_context, setup, teardown),
		cmocka_unit_test_setup_teardown(breach_in_a_batch_keeps_all_in_flight, setup,
						teardown),
		cmocka_unit_test_setup_teardown(a_probe_holds_nothing_of_the_program, setup,
						teardown),
		cmocka_unit_test_setup_teardown(an_engine_may_say_what_it_chose, setup, teardown),
		cmocka_unit_test_setup_teardown(real_clock_without_hook, setup, teardown),
		cmocka_unit_test(probe_answers),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
