/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The sim engine: its script, its virtual clock, and that a seed repeats a run to the nanosecond.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "engines/engine.h"
#include "engines/sim.h"

#include <errno.h>
#include <math.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#define US NS_PER_US
#define START NS_PER_SEC
#define DEPTH 64u

static struct io io[DEPTH];

static void begin(struct engine_run *r, const char *script, unsigned depth, uint64_t seed)
{
	struct engine_config c = {.depth = depth, .seed = seed, .script = script};
	struct err e = ERR_INIT;

	if (engine_open(r, engine_find("sim"), &c, &e))
		fail_msg("%s: %s", script, e.text);
	assert_int_equal(engine_now(r), START);
}

static void issue(struct engine_run *r, unsigned index, enum io_op op, uint32_t len)
{
	struct io *p = &io[index];

	io[index] = (struct io){.op = op, .index = index, .len = len};
	assert_int_equal(engine_submit(r, &p, 1), 1);
}

/* One 4 KiB read; its result, and its latency through *ns. */
static int64_t one(struct engine_run *r, uint64_t *ns)
{
	struct io *done[1];
	uint64_t before = engine_now(r);

	issue(r, 0, IO_READ, 4096);
	assert_int_equal(engine_reap(r, done, 1, 1, UINT64_MAX), 1);
	*ns = engine_now(r) - before;
	return done[0]->res;
}

static void scripts_accepted(void **state)
{
	static const char *const good[] = {
		"",
		"lat=100us",
		" lat=1.5ms , jitter=10% ,sd=1.5%",
		"every=100:lat=5ms,every=7:lat=1ms",
		"error=EIO@3,error=ENOSPC@4,short=512@5,hang@6,crash@7",
		"width=8,slow=3@500ms,sync=0ns",
		"lat=1min,slow=0.5@0ns",
	};
	struct sim_script s;
	struct err e = ERR_INIT;

	(void)state;
	for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++) {
		if (sim_check(good[i], &e))
			fail_msg("%s", e.text);
	}
	assert_int_equal(sim_check(NULL, &e), 0);
	assert_int_equal(sim_parse("sync=2us,lat=1.5ms,slow=3@500ms,jitter=25%", &s, &e), 0);
	assert_int_equal(s.sync, 2000);
	assert_int_equal(s.lat, 1500000);
	assert_int_equal(s.slow_at, 500000000);
	assert_true(s.slow == 3 && s.jitter == 0.25);
	assert_int_equal(sim_parse("lat=7us", &s, &e), 0);
	assert_int_equal(s.sync, 7000);
	assert_int_equal(s.width, 0);
}

static const struct {
	const char *script, *word;
} refused[] = {
	{"lat=100", "\"lat=100\""},
	{"lat=", "\"lat=\""},
	{"lat=-1us", "lat=-1us"},
	{"lat=1e3us", "lat=1e3us"},
	{"lat=010us", "lat=010us"},
	{"lat=1.us", "lat=1.us"},
	{"lat=.5us", "lat=.5us"},
	{"lat=0us", "at least 1ns"},
	{"every=2:lat=0s", "at least 1ns"},
	{"lat=2000min", "longer than an hour"},
	{"lat=99999999999999999999s", "lat=9999"},
	{"latency=1us", "\"latency=1us\""},
	{"lat=1us,lat=2us", "twice"},
	{"lat=1us,,sd=1%", "empty"},
	{"lat=1us,", "empty"},
	{",", "empty"},
	{"jitter=5", "jitter=5"},
	{"jitter=101%", "more than 100%"},
	{"sd=%", "sd=%"},
	{"every=0:lat=1ms", "every=0"},
	{"every=5", "every=N:lat=TIME"},
	{"every=x:lat=1ms", "every=x"},
	{"every=5/0:lat=1ms", "burst from 1 to N"},
	{"every=5/6:lat=1ms", "burst from 1 to N"},
	{"every=5/x:lat=1ms", "burst from 1 to N"},
	{"error=EIO", "error=EIO"},
	{"error=EFOO@3", "\"error=EFOO@3\" names no errno"},
	{"error=EIO@0", "error=EIO@0"},
	{"error=5@1", "error=5@1"},
	{"short=x@1", "short=x@1"},
	{"short=99999999999@1", "short="},
	{"hang@", "hang@"},
	{"hang", "\"hang\""},
	{"hang@1.5", "hang@1.5"},
	{"crash@-1", "crash@-1"},
	{"width=0", "width=0"},
	{"width=70000", "width=70000"},
	{"slow=3", "slow=FACTOR@TIME"},
	{"slow=0@1s", "slow=0@1s"},
	{"slow=3@1", "slow=3@1"},
	{"slow=x@1s", "slow=x@1s"},
	{"lat=1us;sd=1%", "lat=1us;sd=1%"},
	{"error=EIO@99999999999999999999999999", "error=EIO@"},
	{"lat=111111111111111111111111111111111111111111111111111111111111111111111111111111"
	 "1111111111111111111111111111us",
	 "too long"},
};

static void scripts_refused(void **state)
{
	struct err e;

	(void)state;
	for (size_t i = 0; i < sizeof(refused) / sizeof(refused[0]); i++) {
		struct engine_run r;
		struct engine_config c = {.depth = 1, .script = refused[i].script};

		e = ERR_INIT;
		if (sim_check(refused[i].script, &e) != ERR_SUITE)
			fail_msg("\"%s\" was taken", refused[i].script);
		if (!strstr(e.text, refused[i].word))
			fail_msg("\"%s\" lacks \"%s\"", e.text, refused[i].word);
		assert_non_null(strstr(e.hint, "lat=TIME"));
		assert_int_equal(engine_open(&r, engine_find("sim"), &c, &e), ERR_SUITE);
	}
}

static void too_many_entries(void **state)
{
	char script[1024] = "";
	struct err e = ERR_INIT;

	(void)state;
	for (int i = 0; i <= SIM_EVENT_MAX; i++)
		strcat(script, i ? ",hang@5" : "hang@5");
	assert_int_equal(sim_check(script, &e), ERR_SUITE);
	assert_int_equal(sim_check(script + strlen("hang@5,"), &e), 0);
	script[0] = '\0';
	for (int i = 0; i <= SIM_EACH_MAX; i++)
		strcat(script, i ? ",every=2:lat=1s" : "every=2:lat=1s");
	assert_int_equal(sim_check(script, &e), ERR_SUITE);
}

static void latency_is_exact(void **state)
{
	struct engine_run r;
	uint64_t ns;

	(void)state;
	begin(&r, "", 1, 1);
	for (int i = 0; i < 10; i++) {
		assert_int_equal(one(&r, &ns), 4096);
		assert_int_equal(ns, 100 * US);
	}
	engine_close(&r);
	begin(&r, "lat=40s", 1, 1);
	one(&r, &ns);
	assert_int_equal(ns, 40 * NS_PER_SEC);
	engine_close(&r);
}

static void each_nth_is_slow(void **state)
{
	struct engine_run r;
	uint64_t ns;

	(void)state;
	begin(&r, "lat=10us,every=4:lat=1ms,every=8:lat=3ms", 1, 1);
	for (int i = 1; i <= 24; i++) {
		one(&r, &ns);
		assert_int_equal(ns, i % 8 == 0 ? 3000 * US : i % 4 == 0 ? 1000 * US : 10 * US);
	}
	engine_close(&r);
}

static void slower_after_a_time(void **state)
{
	struct engine_run r;
	uint64_t ns;

	(void)state;
	begin(&r, "lat=100us,slow=3@1ms", 1, 1);
	for (int i = 0; i < 20; i++) {
		one(&r, &ns);
		assert_int_equal(ns, i < 10 ? 100 * US : 300 * US);
	}
	engine_close(&r);
}

static void errors_and_shorts(void **state)
{
	struct engine_run r;
	uint64_t ns;

	(void)state;
	begin(&r, "error=EIO@2,error=ENOSPC@3,short=512@4,short=9999@5,short=0@6", 1, 1);
	assert_int_equal(one(&r, &ns), 4096);
	assert_int_equal(one(&r, &ns), -EIO);
	assert_int_equal(ns, 100 * US);
	assert_int_equal(one(&r, &ns), -ENOSPC);
	assert_int_equal(one(&r, &ns), 512);
	assert_int_equal(one(&r, &ns), 4096);
	assert_int_equal(one(&r, &ns), 0);
	assert_int_equal(one(&r, &ns), 4096);
	engine_close(&r);
}

static void sync_has_its_own_latency(void **state)
{
	struct engine_run r;
	struct io *done[1];

	(void)state;
	begin(&r, "lat=100us,sync=2ms,error=EIO@1", 1, 1);
	issue(&r, 0, IO_FSYNC, 0); /* counts as no I/O: the error stays for the read */
	assert_int_equal(engine_reap(&r, done, 1, 1, UINT64_MAX), 1);
	assert_int_equal(done[0]->res, 0);
	assert_int_equal(engine_now(&r), START + 2000 * US);
	uint64_t ns;
	assert_int_equal(one(&r, &ns), -EIO);
	engine_close(&r);
}

/* Depth 8: without a limit all end together, with 2 servers two by two. */
static void width_limits_parallelism(void **state)
{
	struct engine_run r;
	struct io *done[DEPTH];

	(void)state;
	begin(&r, "lat=100us", 8, 1);
	for (unsigned i = 0; i < 8; i++)
		issue(&r, i, IO_WRITE, 4096);
	assert_int_equal(engine_reap(&r, done, 1, 8, UINT64_MAX), 8);
	assert_int_equal(engine_now(&r), START + 100 * US);
	for (unsigned i = 0; i < 8; i++)
		assert_int_equal(done[i]->index, i);
	engine_close(&r);

	begin(&r, "lat=100us,width=2", 8, 1);
	for (unsigned i = 0; i < 8; i++)
		issue(&r, i, IO_WRITE, 4096);
	for (unsigned round = 1; round <= 4; round++) {
		assert_int_equal(engine_reap(&r, done, 1, 8, UINT64_MAX), 2);
		assert_int_equal(engine_now(&r), START + round * 100 * US);
	}
	engine_close(&r);
}

static void deadlines_move_the_clock(void **state)
{
	struct engine_run r;
	struct io *done[DEPTH];

	(void)state;
	begin(&r, "lat=100us,width=1", 4, 1);
	for (unsigned i = 0; i < 4; i++)
		issue(&r, i, IO_READ, 4096);
	assert_int_equal(engine_reap(&r, done, 0, 4, UINT64_MAX), 0);
	assert_int_equal(engine_reap(&r, done, 4, 4, 0), 0);
	assert_int_equal(engine_reap(&r, done, 4, 4, START - 1), 0);
	assert_int_equal(engine_now(&r), START);
	assert_int_equal(engine_reap(&r, done, 4, 4, START + 250 * US), 2);
	assert_int_equal(engine_now(&r), START + 250 * US);
	engine_sleep_until(&r, START + 400 * US);
	assert_int_equal(engine_now(&r), START + 400 * US);
	engine_sleep_until(&r, START);
	assert_int_equal(engine_now(&r), START + 400 * US);
	assert_int_equal(engine_reap(&r, done, 0, 1, 0), 1);
	assert_int_equal(engine_reap(&r, done, 0, 4, 0), 1);
	engine_close(&r);
}

static void cancel_ends_early(void **state)
{
	struct engine_run r;
	struct io *done[DEPTH];

	(void)state;
	begin(&r, "lat=1s,width=1", 5, 1);
	for (unsigned i = 0; i < 5; i++)
		issue(&r, i, IO_READ, 4096);
	engine_cancel(&r, &io[3]);
	engine_cancel(&r, &io[3]);
	assert_int_equal(engine_reap(&r, done, 1, 5, UINT64_MAX), 1);
	assert_ptr_equal(done[0], &io[3]);
	assert_int_equal(done[0]->res, -ECANCELED);
	assert_int_equal(engine_now(&r), START);
	assert_int_equal(engine_reap(&r, done, 4, 5, UINT64_MAX), 4);
	for (unsigned i = 0; i < 4; i++)
		assert_int_equal(done[i]->res, 4096);
	engine_close(&r);
}

#define N 4000

static uint64_t trace(const char *script, uint64_t seed, uint64_t *lat)
{
	struct engine_run r;

	begin(&r, script, 1, seed);
	for (unsigned i = 0; i < N; i++)
		one(&r, &lat[i]);
	uint64_t end = engine_now(&r);
	engine_close(&r);
	return end;
}

static void jitter_is_bounded_and_repeatable(void **state)
{
	static uint64_t a[N], b[N];
	double sum = 0;

	(void)state;
	trace("lat=1ms,jitter=20%", 5, a);
	trace("lat=1ms,jitter=20%", 5, b);
	assert_memory_equal(a, b, sizeof(a));
	for (unsigned i = 0; i < N; i++) {
		assert_in_range(a[i], 800 * US, 1200 * US);
		sum += (double)a[i];
	}
	/* Standard error of the mean: 1 ms x 0.2 / sqrt(3 N) = 1.8 us. */
	assert_true(fabs(sum / N - 1e6) < 8e3);
	trace("lat=1ms,jitter=20%", 6, b);
	assert_memory_not_equal(a, b, sizeof(a));
	trace("lat=1ns,jitter=100%", 6, b);
	for (unsigned i = 0; i < N; i++)
		assert_in_range(b[i], 1, 2);
}

static void run_noise_is_one_factor_a_run(void **state)
{
	struct engine_run r;
	double sum = 0, squares = 0;
	uint64_t first, ns;

	(void)state;
	for (uint64_t seed = 0; seed < N; seed++) {
		begin(&r, "lat=10ms,sd=5%", 1, seed);
		one(&r, &first);
		one(&r, &ns);
		engine_close(&r);
		assert_int_equal(first, ns);
		double z = log((double)first / 1e7) / 0.05;
		sum += z;
		squares += z * z;
	}
	assert_true(fabs(sum / N) < 0.07);
	assert_true(fabs(sqrt(squares / N) - 1) < 0.05);
}

/* A hang of one I/O lets the others finish; then reap really waits, until a signal. */
static void hang_waits_in_real_time(void **state)
{
	int p[2], status;

	(void)state;
	assert_int_equal(pipe(p), 0);
	pid_t pid = fork();
	assert_true(pid >= 0);
	if (pid == 0) {
		struct engine_run r;
		struct io *done[DEPTH];

		begin(&r, "hang@2", 4, 1);
		for (unsigned i = 0; i < 4; i++)
			issue(&r, i, IO_READ, 4096);
		int got = engine_reap(&r, done, 4, 4, UINT64_MAX);
		engine_cancel(&r, &io[1]);
		bool ok = got == 3 && r.inflight == 1 && engine_reap(&r, done, 1, 4, 0) == 0;
		if (write(p[1], ok ? "y" : "n", 1) != 1)
			_exit(2);
		engine_reap(&r, done, 1, 4, START + 1);
		_exit(write(p[1], "!", 1) == 1 ? 0 : 2);
	}
	close(p[1]);
	char c = 0;
	assert_int_equal(read(p[0], &c, 1), 1);
	assert_int_equal(c, 'y');
	/* Only a hang that ended by itself could make this flaky, and that is the fault it looks
	 * for. */
	struct pollfd f = {.fd = p[0], .events = POLLIN};
	assert_int_equal(poll(&f, 1, 20), 0);
	kill(pid, SIGKILL);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
	close(p[0]);
}

static void crash_aborts(void **state)
{
	int status;

	(void)state;
	pid_t pid = fork();
	assert_true(pid >= 0);
	if (pid == 0) {
		struct engine_run r;
		struct rlimit none = {0, 0};
		uint64_t ns;

		setrlimit(RLIMIT_CORE, &none);
		begin(&r, "crash@2", 1, 1);
		one(&r, &ns);
		/* cmocka catches SIGABRT where it catches exceptions. */
		signal(SIGABRT, SIG_DFL);
		one(&r, &ns);
		_exit(0);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(scripts_accepted),
		cmocka_unit_test(scripts_refused),
		cmocka_unit_test(too_many_entries),
		cmocka_unit_test(latency_is_exact),
		cmocka_unit_test(each_nth_is_slow),
		cmocka_unit_test(slower_after_a_time),
		cmocka_unit_test(errors_and_shorts),
		cmocka_unit_test(sync_has_its_own_latency),
		cmocka_unit_test(width_limits_parallelism),
		cmocka_unit_test(deadlines_move_the_clock),
		cmocka_unit_test(cancel_ends_early),
		cmocka_unit_test(jitter_is_bounded_and_repeatable),
		cmocka_unit_test(run_noise_is_one_factor_a_run),
		cmocka_unit_test(hang_waits_in_real_time),
		cmocka_unit_test(crash_aborts),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
