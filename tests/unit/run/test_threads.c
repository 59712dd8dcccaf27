/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Threads that die alone, workers without their main thread, workers that are stopped: a join, an
 * exit and a full window are no evidence that anything was measured.
 */
#include "helper.h"

#include "run/child.h"

#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#if defined(__SANITIZE_THREAD__)
#define TSAN 1
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define TSAN 1
#endif
#endif

/* pthread_join() of TSan waits for a word of the thread itself, for ever. */
static void skip_under_tsan(void)
{
#ifdef TSAN
	print_message("skip: TSan has a thread of its own and cannot join one that was killed\n");
	skip();
#endif
}

/* Kills the thread that makes this call, with this first argument unless it is negative. */
static bool deadly(uint32_t call, int arg)
{
	struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, call, 0, 3),
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args[0])),
		BPF_JUMP(arg < 0 ? BPF_JMP | BPF_JGE | BPF_K : BPF_JMP | BPF_JEQ | BPF_K,
			 arg < 0 ? 0 : (uint32_t)arg, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_THREAD),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog prog = {.len = sizeof(code) / sizeof(code[0]), .filter = code};

	return !prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) &&
	       !prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &prog);
}

static int scratch_file(void)
{
	char name[] = "threads-XXXXXX";
	int fd = mkostemp(name, O_CLOEXEC);

	assert_true(fd >= 0);
	unlink(name);
	assert_int_equal(ftruncate(fd, 1 << 20), 0);
	return fd;
}

struct case_of_death {
	const char *engine;
	uint32_t call;
	bool first_fd; /* only on the lowest descriptor of the worker: one thread of several */
	uint32_t numjobs;
	bool bounded; /* by size instead of by time */
	const char *phase;
};

struct ending {
	bool filtered;
	enum outcome_status status;
	uint64_t wall;
	char text[512];
};

static void run_under_filter(const struct case_of_death *d, struct ending *end)
{
	struct job j = sim_job("");
	struct outcome o;
	int fd = scratch_file();
	struct run_request r = {
		.job = &j, .fds = &fd, .nfds = 1, .target_name = "T", .seed = 1, .run_seed = 2};
	/* What the first thread of the worker that opens the target again will get. */
	int next = dup(fd);

	close(next);
	j.ioengine = d->engine;
	j.numjobs = d->numjobs;
	j.runtime = 60 * NS_PER_SEC;
	if (d->bounded)
		j = sized(j, RW_READ, 64 * 4096, 1);
	j.size = j.size < 1 << 20 ? j.size : 1 << 20;
	end->filtered = deadly(d->call, d->first_fd ? next : -1);
	if (!end->filtered)
		return;
	run_with(&r, NULL, &o);
	end->status = o.status;
	end->wall = o.wall;
	snprintf(end->text, sizeof(end->text), "%s", o.text);
}

static void a_killed_thread_is_no_finished_one(void **state)
{
	static const struct case_of_death rows[] = {
		{"psync", __NR_pread64, true, 3, false, "measure"},
		{"psync", __NR_pread64, true, 3, true, "measure"},
		{"psync", __NR_pread64, false, 1, false, "measure"},
		{"io_uring", __NR_io_uring_enter, false, 2, false, "measure"},
		{"libaio", __NR_io_submit, false, 1, false, "measure"},
		{"libaio", __NR_io_setup, false, 2, false, "set-up"},
	};

	(void)state;
	skip_under_tsan();
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct ending *end = xcalloc(1, sizeof(*end));
		struct err e = ERR_INIT;
		int p[2], status;

		if (engine_probe(engine_find(rows[i].engine), &e)) {
			print_message("skip in part: %s\n", e.text);
			free(end);
			continue;
		}
		assert_int_equal(pipe(p), 0);
		pid_t pid = fork();

		if (pid == 0) {
			run_under_filter(&rows[i], end);
			_exit(write(p[1], end, sizeof(*end)) != (ssize_t)sizeof(*end));
		}
		close(p[1]);
		assert_int_equal(read(p[0], end, sizeof(*end)), sizeof(*end));
		close(p[0]);
		assert_int_equal(waitpid(pid, &status, 0), pid);
		assert_int_equal(status, 0);
		if (!end->filtered) {
			free(end);
			print_message("skip: seccomp filters are not available\n");
			skip();
		}
		char part[64];

		snprintf(part, sizeof(part),
			 " of %u of 't' on 'T' ended without a word in phase %s", rows[i].numjobs,
			 rows[i].phase);
		if (end->status != OUTCOME_CRASHED || !str_starts(end->text, "thread ") ||
		    !strstr(end->text, part) || !strstr(end->text, "seccomp"))
			fail_msg("row %zu: %s: '%s'", i, outcome_status_name(end->status),
				 end->text);
		/* The others do not work to the end beside it. */
		assert_true(end->wall < 50 * NS_PER_SEC);
		free(end);
	}
}

static bool wait_for_zombie(pid_t pid)
{
	uint64_t end = clock_now() + 20 * NS_PER_SEC;

	while (child_state(pid) != 'Z' && clock_now() < end)
		sched_yield();
	return child_state(pid) == 'Z';
}

static void *stay(void *arg)
{
	(void)arg;
	for (;;)
		pause();
	return NULL;
}

static void *leave_behind_main(void *arg)
{
	(void)arg;
	wait_for_zombie(getpid());
	return NULL;
}

/* A worker whose main thread dies while this thread lives. */
static void without_main(struct child *c)
{
	void *(*const *fn)(void *) = c->arg;
	pthread_t t;

	atomic_store(&c->live->begun, clock_now());
	if (pthread_create(&t, NULL, *fn, NULL))
		_exit(3);
	syscall(SYS_exit, 0);
}

static void a_word_too_early(struct child *c)
{
	atomic_store(&c->live->thread[0].ended, 1); /* and nothing of thread 1 */
}

static void an_error_without_its_name(struct child *c)
{
	atomic_store(&c->live->thread[0].ended, 1);
	atomic_store(&c->live->thread[1].ended, 1);
	atomic_store(&c->live->error_taken, 1);
}

static void watch_one(void (*body)(struct child *c), const void *arg, struct outcome *o)
{
	struct run_options opt = {.grace = 200 * NS_PER_MS};
	struct child c = {
		.body = body, .arg = arg, .what = "t", .target = "T", .live = live_new(2, 1)};

	assert_non_null(c.live);
	supervise(&c, 1, &opt);
	outcome_init(o);
	child_verdict(&c, o);
	live_free(c.live);
}

static void a_worker_without_its_main_thread(void **state)
{
	void *(*leaves)(void *) = leave_behind_main, *(*stays)(void *) = stay;
	struct outcome o;

	(void)state;
	skip_under_tsan();
	watch_one(without_main, &leaves, &o);
	assert_int_equal(o.status, OUTCOME_CRASHED);
	assert_string_equal(o.text, "worker of 't' on 'T' ended without a result (exit status 0)");
	outcome_release(&o);
	watch_one(without_main, &stays, &o);
	assert_int_equal(o.status, OUTCOME_HUNG);
	assert_non_null(strstr(o.text, "its main thread was dead; killed"));
	outcome_release(&o);
}

static void a_last_word_of_main_alone(void **state)
{
	struct outcome o;

	(void)state;
	watch_one(a_word_too_early, NULL, &o);
	assert_int_equal(o.status, OUTCOME_CRASHED);
	assert_true(str_starts(o.text, "thread 2 of 2 of 't' on 'T' ended without a word in phase "
				       "set-up"));
	outcome_release(&o);
	watch_one(an_error_without_its_name, NULL, &o);
	assert_int_equal(o.status, OUTCOME_CRASHED);
	assert_non_null(strstr(o.text, "before it could name it"));
	outcome_release(&o);
}

/* One of two threads wrote and read nothing back; one that wrote nothing has nothing to verify. */
static void a_thread_that_verified_nothing(void **state)
{
	struct job j = sim_job("");
	struct run_request r = {.job = &j};
	struct child c = {.arg = &r, .what = "t", .target = "T", .live = live_new(2, 1)};

	(void)state;
	assert_non_null(c.live);
	c.live->verifies = true;
	atomic_store(&c.live->final, 1);
	for (int i = 0; i < 2; i++) {
		atomic_store(&c.live->thread[i].ended, 1);
		c.live->thread[i].window = NS_PER_SEC;
		c.live->thread[i].dir[DIR_WRITE].ios = 7;
		c.live->thread[i].written = 7 * 4096;
	}
	c.live->thread[0].verified = 3 * 4096;
	for (int i = 0; i < 3; i++) {
		struct outcome o;

		outcome_init(&o);
		child_outcome(&c, &o);
		assert_int_equal(o.status, i ? OUTCOME_OK : OUTCOME_SETUP);
		assert_string_equal(o.text, i ? ""
					      : "thread 2 of 2 of 't' on 'T' verified nothing of "
						"what it wrote");
		assert_int_equal(o.verified, i == 0 ? 0 : (i == 1 ? 3 : 10) * 4096);
		outcome_release(&o);
		c.live->thread[1].written = i ? 7 * 4096 : 0;
		c.live->thread[1].verified = i ? 7 * 4096 : 0;
	}
	live_free(c.live);
}

/* Both threads came to their end; one of them measured for no time at all. */
static void a_window_without_length_is_no_result(void **state)
{
	struct job j = sim_job("");
	struct run_request r = {.job = &j};
	struct child c = {.arg = &r, .what = "t", .target = "T", .live = live_new(2, 1)};
	struct outcome o;

	(void)state;
	assert_non_null(c.live);
	atomic_store(&c.live->final, 1);
	for (int i = 0; i < 2; i++) {
		atomic_store(&c.live->thread[i].ended, 1);
		c.live->thread[i].dir[DIR_READ].ios = 7;
	}
	c.live->thread[0].window = NS_PER_SEC;
	outcome_init(&o);
	child_outcome(&c, &o);
	assert_int_equal(o.status, OUTCOME_SETUP);
	assert_string_equal(o.text, "thread 2 of 2 of 't' on 'T' measured nothing: its window has "
				    "no length");
	assert_int_equal(o.dir[DIR_READ].ios, 0);
	outcome_release(&o);
	c.live->thread[1].window = NS_PER_SEC;
	outcome_init(&o);
	child_outcome(&c, &o);
	assert_int_equal(o.status, OUTCOME_OK);
	assert_int_equal(o.dir[DIR_READ].ios, 14);
	outcome_release(&o);
	live_free(c.live);
}

/* The main thread is a zombie, another one keeps the process: both are told. */
static void states_of_all_threads(void **state)
{
	char text[96];
	pid_t pid = fork();

	(void)state;
	if (pid == 0) {
		pthread_t t;

		if (pthread_create(&t, NULL, stay, NULL))
			_exit(3);
		syscall(SYS_exit, 0);
	}
	bool seen = wait_for_zombie(pid);

	child_states(pid, text, sizeof(text));
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	assert_true(seen);
	assert_true(strstr(text, "1 thread in state ") || strstr(text, "threads in state "));
	assert_non_null(strstr(text, "1 in state Z"));
	child_states(pid, text, sizeof(text));
	assert_string_equal(text, "threads unknown");
}

struct halt {
	unsigned ticks;
	pid_t pid;
};

static pid_t only_child(void)
{
	char path[64];
	long pid = 0;

	snprintf(path, sizeof(path), "/proc/self/task/%d/children", (int)getpid());
	FILE *f = fopen(path, "re");

	if (f) {
		if (fscanf(f, "%ld", &pid) != 1)
			pid = 0;
		fclose(f);
	}
	return (pid_t)pid;
}

/* Stops the worker in its window and lets it go on some ticks later. */
static void halt(void *arg, const struct run_progress *p)
{
	struct halt *h = arg;

	if (!h->ticks && str_eq(p->phase, "measure")) {
		h->pid = only_child();
		h->ticks = 1;
		if (h->pid > 0)
			kill(h->pid, SIGSTOP);
	} else if (h->ticks && h->ticks++ == 5 && h->pid > 0) {
		kill(h->pid, SIGCONT);
	}
}

static void a_stopped_worker_is_noted(void **state)
{
	struct job j = sim_job("");
	struct halt h = {0};
	struct run_options opt = {.progress = halt, .arg = &h};
	struct run_request r = {.job = &j, .target_name = "T", .seed = 1, .run_seed = 2};
	struct outcome o;

	(void)state;
	j.ioengine = "null";
	j.rate_iops = 100;
	j.runtime = 1500 * NS_PER_MS;
	run_with(&r, &opt, &o);
	if (h.pid <= 0) {
		outcome_release(&o);
		print_message("skip: the worker was not found in its window\n");
		skip();
	}
	assert_int_equal(o.status, OUTCOME_OK);
	assert_non_null(strstr(o.notes, "the worker was stopped by a signal for about "));
	/* Its own clock says so too: a freezer or a taken CPU send no signal. */
	assert_non_null(strstr(o.notes, "the worker was not scheduled for "));
	outcome_release(&o);
}

static void a_short_delay_is_no_note(void **state)
{
	struct live *l = live_new(2, 1);
	struct outcome o;

	(void)state;
	assert_non_null(l);
	outcome_init(&o);
	l->thread[1].late = 100 * NS_PER_MS - 1;
	live_gather(l, &o);
	assert_null(strstr(o.notes, "scheduled"));
	l->thread[1].late = 3 * NS_PER_SEC;
	outcome_release(&o);
	outcome_init(&o);
	live_gather(l, &o);
	assert_non_null(strstr(o.notes, "the worker was not scheduled for 3000 ms"));
	outcome_release(&o);
	live_free(l);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_killed_thread_is_no_finished_one),
		cmocka_unit_test(a_worker_without_its_main_thread),
		cmocka_unit_test(a_last_word_of_main_alone),
		cmocka_unit_test(a_window_without_length_is_no_result),
		cmocka_unit_test(a_thread_that_verified_nothing),
		cmocka_unit_test(states_of_all_threads),
		cmocka_unit_test(a_stopped_worker_is_noted),
		cmocka_unit_test(a_short_delay_is_no_note),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
