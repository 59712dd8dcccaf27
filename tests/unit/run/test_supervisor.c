/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Workers that hang, crash, are stopped or cannot be killed; set-up that is refused. */
#include "helper.h"

#include "run/live.h"

#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

/* The first child of this process, 0 = none (or the kernel does not tell). */
static pid_t first_child(void)
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

static unsigned open_files(void)
{
	unsigned n = 0;

	for (int fd = 0; fd < 256; fd++)
		n += fcntl(fd, F_GETFD) >= 0;
	return n;
}

static const struct run_options quick = {.grace = 200 * NS_PER_MS, .kill_wait = 2 * NS_PER_SEC};

static void hang_is_bounded(void **state)
{
	struct job j = sim_job("hang@5");
	struct outcome o;
	uint64_t start = clock_now();
	unsigned files = open_files();

	(void)state;
	j.runtime = 50 * NS_PER_MS;
	run_not(&j, OUTCOME_HUNG, "hung in phase", &quick, &o);
	assert_true(clock_now() - start >= 200 * NS_PER_MS);
	assert_false(o.abandoned);
	assert_non_null(strstr(o.text, "'t' on 'T'"));
	assert_non_null(strstr(o.text, "killed"));
	assert_int_equal(o.nslots, 0); /* no numbers */
	assert_true(o.wall >= 200 * NS_PER_MS);
	assert_int_equal(open_files(), files);
	outcome_release(&o);
}

static void crash_names_the_signal(void **state)
{
	struct job j = sim_job("crash@10");
	struct outcome o;

	(void)state;
	run_not(&j, OUTCOME_CRASHED, "SIGABRT", &quick, &o);
	assert_non_null(strstr(o.text, "Aborted"));
	outcome_release(&o);
}

static void one_crash_leaves_the_others(void **state)
{
	struct job crash = sim_job("crash@10"), good = sim_job("lat=1ms"),
		   bad = sim_job("nonsense");
	struct run_request r[] = {
		{.job = &crash, .target_name = "A"},
		{.job = &good, .target_name = "B"},
		{.job = &bad, .target_name = "C"},
		{.job = &good, .target_name = "D"},
	};
	struct outcome o[4];
	struct err e = ERR_INIT;

	(void)state;
	assert_int_equal(run_jobs(r, 4, NULL, o, &e), 0);
	assert_int_equal(o[0].status, OUTCOME_CRASHED);
	assert_int_equal(o[1].status, OUTCOME_OK);
	assert_int_equal(o[2].status, OUTCOME_SETUP);
	assert_int_equal(o[3].status, OUTCOME_OK);
	assert_int_equal(o[1].dir[DIR_READ].ios, 1000);
	assert_int_equal(o[3].dir[DIR_READ].ios, 1000);
	for (int i = 0; i < 4; i++)
		outcome_release(&o[i]);
}

static void io_error(void **state)
{
	struct job j = sim_job("lat=1ms, error=EIO@3");
	struct outcome o;

	(void)state;
	j.rw = RW_WRITE;
	run_not(&j, OUTCOME_IO_ERROR,
		"write of 4096 bytes at offset 8192 of 'T' failed: Input/output error", NULL, &o);
	assert_int_equal(o.sys, EIO);
	assert_int_equal(o.error_offset, 8192);
	assert_int_equal(o.error_len, 4096);
	assert_int_equal(o.dir[DIR_WRITE].ios, 0); /* nothing to judge */
	assert_int_equal(o.written, 8192);
	outcome_release(&o);
	/* The first error ends the other threads too, whatever their depth. */
	j = deep(sim_job("lat=1ms, error=ENOSPC@100"), 16);
	j.numjobs = 3;
	j.runtime = 3600 * NS_PER_SEC;
	run_not(&j, OUTCOME_IO_ERROR, "No space left on device", NULL, &o);
	outcome_release(&o);
	/* direct-io-2: a refused first I/O says what to look at. */
	j = sim_job("lat=1ms, error=EINVAL@1");
	j.direct = true;
	run_not(&j, OUTCOME_IO_ERROR, "multiples of the logical block size", NULL, &o);
	outcome_release(&o);
	/* In the last I/Os, which end in drain. */
	j = sized(deep(sim_job("lat=1ms, error=EIO@32"), 32), RW_READ, 32 * 4096, 1);
	run_not(&j, OUTCOME_IO_ERROR, "read of 4096 bytes", NULL, &o);
	outcome_release(&o);
	/* Zero bytes are the end of the target, not success and not for ever again. */
	j = sim_job("lat=1ms, short=0@4");
	run_not(&j, OUTCOME_IO_ERROR, "end of the target", NULL, &o);
	assert_int_equal(o.error_offset, 3 * 4096);
	outcome_release(&o);
}

static void error_then_hang(void **state)
{
	struct job j = deep(sim_job("hang@1, error=EIO@2"), 4);
	struct outcome o;

	(void)state;
	j.runtime = 50 * NS_PER_MS;
	run_not(&j, OUTCOME_IO_ERROR, "; then the worker had to be killed", &quick, &o);
	assert_int_equal(o.sys, EIO);
	outcome_release(&o);
}

static volatile int stop;

static void set_stop(void *arg, const struct run_progress *p)
{
	(void)p;
	++*(unsigned *)arg;
	stop = 1;
}

static void stop_flag_interrupts(void **state)
{
	static const struct {
		const char *script;
		uint32_t depth;
		double rate;
	} rows[] = {{"lat=100us", 1, 0}, {"lat=100us", 32, 0}, {"hang@20", 8, 0}};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct job j = deep(sim_job(rows[i].script), rows[i].depth);
		unsigned calls = 0;
		struct run_options opt = quick;
		struct outcome o;

		j.runtime = 100000 * NS_PER_SEC;
		opt.stop = &stop;
		opt.progress = set_stop;
		opt.arg = &calls;
		stop = 0;
		run_not(&j, OUTCOME_INTERRUPTED, "was interrupted", &opt, &o);
		assert_true(calls >= 1);
		assert_false(o.abandoned);
		outcome_release(&o);
	}
	/* Set before the start: nothing is started. */
	struct job j = sim_job("crash@1");
	struct run_options opt = quick;
	struct outcome o;

	opt.stop = &stop;
	run_not(&j, OUTCOME_INTERRUPTED, "was interrupted", &opt, &o);
	outcome_release(&o);
}

/* A real clock that waits: the pacer of a run at one I/O a minute looks at the flag. */
static void stop_while_pacing(void **state)
{
	struct job j = sim_job("");
	unsigned calls = 0;
	struct run_options opt = quick;
	struct outcome o;

	(void)state;
	j.ioengine = "null";
	j.rate_iops = 1.0 / 60;
	j.runtime = 3600 * NS_PER_SEC;
	opt.grace = 0;
	opt.stop = &stop;
	opt.progress = set_stop;
	opt.arg = &calls;
	stop = 0;
	run_not(&j, OUTCOME_INTERRUPTED, "was interrupted in phase end", &opt, &o);
	assert_true(o.dir[DIR_READ].ios == 1);
	outcome_release(&o);
}

/* runtime-1 on a real clock. */
static void pacer_honours_the_runtime(void **state)
{
	struct job j = sim_job("");
	struct outcome o;

	(void)state;
	j.ioengine = "null";
	j.rate_iops = 0.01;
	j.runtime = 30 * NS_PER_MS;
	run_ok(&j, INJECT_NONE, &o);
	assert_int_equal(o.window, 30 * NS_PER_MS);
	assert_true(o.dir[DIR_READ].ios <= 1); /* none where the thread got to run too late */
	outcome_release(&o);
}

static void refused_set_up(void **state)
{
	static const struct {
		const char *part;
		const char *engine, *script;
		uint64_t size;
		uint64_t runtime;
		uint32_t bs;
	} rows[] = {
		{"unknown ioengine 'warp'", "warp", "", 1 << 20, NS_PER_SEC, 4096},
		{"holds no block", "sim", "", 4095, NS_PER_SEC, 4096},
		{"holds no block", "sim", "", 4096, NS_PER_SEC, 0},
		{"without a runtime", "sim", "", 1 << 20, 0, 4096},
		{"beyond any device", "sim", "", 1ULL << 63, NS_PER_SEC, 4096},
		{"lat", "sim", "lat=fast", 1 << 20, NS_PER_SEC, 4096},
		{"has no descriptor", "psync", "", 1 << 20, NS_PER_SEC, 4096},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct job j = sim_job(rows[i].script);
		struct outcome o;

		j.ioengine = rows[i].engine;
		j.size = rows[i].size;
		j.runtime = rows[i].runtime;
		j.bs = rows[i].bs;
		j.numjobs = 2;
		run_not(&j, OUTCOME_SETUP, rows[i].part, NULL, &o);
		outcome_release(&o);
	}
}

static void deadlines(void **state)
{
	struct job j = sim_job("");

	(void)state;
	j.ramp_time = 2 * NS_PER_SEC;
	assert_int_equal(run_deadline(&j), 3 * NS_PER_SEC);
	j = sized(j, RW_WRITE, 10 * 1000 * 1000, 3);
	j.numjobs = 2;
	assert_int_equal(run_deadline(&j), (2 + 60 + 60) * NS_PER_SEC);
	j.rate_iops = 1; /* the pacer needs longer */
	assert_true(run_deadline(&j) > 7000 * NS_PER_SEC);
	j.size = UINT64_MAX;
	j.loops = UINT64_MAX;
	assert_true(run_deadline(&j) > 1000000 * NS_PER_SEC); /* saturates */
	j = sim_job("");
	j.rw = RW_WRITE;
	j.end_fsync = true; /* may take its time */
	assert_true(run_deadline(&j) > 30 * NS_PER_SEC);
	j.end_fsync = false;
	j.verify = "crc32c"; /* is written back, and read at 1 MB/s */
	j.size = 5 * 1000 * 1000;
	j.numjobs = 2;
	assert_int_equal(run_deadline(&j), j.runtime + 70 * NS_PER_SEC);
}

struct pipe_check {
	int r, w;
	ssize_t got;
	bool done;
};

static void close_and_read(void *arg, const struct run_progress *p)
{
	struct pipe_check *c = arg;
	char byte;

	(void)p;
	if (c->done)
		return;
	c->done = true;
	close(c->w);
	c->got = read(c->r, &byte, 1);
}

/* An abandoned worker would keep a lock whose descriptor it inherited. */
static void locks_are_closed_in_the_child(void **state)
{
	struct job j = sim_job("hang@1");
	struct pipe_check c = {.got = -1};
	struct run_options opt = quick;
	struct outcome o;
	int p[2];

	(void)state;
	assert_int_equal(pipe2(p, O_NONBLOCK | O_CLOEXEC), 0);
	c.r = p[0];
	c.w = p[1];
	j.runtime = 300 * NS_PER_MS;
	opt.progress = close_and_read;
	opt.arg = &c;
	opt.close_in_child = &p[1];
	opt.nclose = 1;
	run_not(&j, OUTCOME_HUNG, "hung", &opt, &o);
	assert_true(c.done);
	assert_int_equal(c.got, 0); /* end of file: nobody else holds the other end */
	close(p[0]);
	outcome_release(&o);
}

/* The gate opens when all are set up: in the window of one the others have closed theirs too. */
static void close_and_read_in_the_window(void *arg, const struct run_progress *p)
{
	if (p->elapsed)
		close_and_read(arg, p);
}

/* Each of several that run at the same time closes the targets of the others. */
static void others_targets_are_closed_in_the_child(void **state)
{
	struct job j[2] = {sim_job("hang@1"), sim_job("hang@1")};
	struct pipe_check c = {.got = -1};
	struct run_options opt = quick;
	struct run_request req[2];
	struct outcome o[2];
	struct err e = ERR_INIT;
	int p[2];

	(void)state;
	assert_int_equal(pipe2(p, O_NONBLOCK | O_CLOEXEC), 0);
	c.r = p[0];
	c.w = p[1];
	opt.progress = close_and_read_in_the_window;
	opt.arg = &c;
	for (unsigned i = 0; i < 2; i++) {
		j[i].runtime = 300 * NS_PER_MS;
		req[i] = (struct run_request){
			.job = &j[i], .target_name = "dut", .close_in_child = &p[1], .nclose = 1};
	}
	assert_int_equal(run_jobs(req, 2, &opt, o, &e), 0);
	assert_true(c.done);
	assert_int_equal(c.got, 0);
	close(p[0]);
	for (unsigned i = 0; i < 2; i++) {
		assert_int_equal(o[i].status, OUTCOME_HUNG);
		outcome_release(&o[i]);
	}
}

static void restore_stderr_and_read(void *arg, const struct run_progress *p)
{
	struct pipe_check *c = arg;
	char byte;

	(void)p;
	if (c->done)
		return;
	c->done = true;
	dup2(c->w, STDERR_FILENO);
	c->got = read(c->r, &byte, 1);
}

/* A CI job reads stderr until its last holder is gone. */
static void stderr_is_not_kept_by_the_child(void **state)
{
	struct job j = sim_job("hang@1");
	struct pipe_check c = {.got = -1};
	struct run_options opt = quick;
	struct outcome o;
	int p[2];

	(void)state;
	fflush(stderr);
	assert_int_equal(pipe2(p, O_NONBLOCK | O_CLOEXEC), 0);
	c.r = p[0];
	c.w = fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 3);
	assert_true(c.w >= 0);
	dup2(p[1], STDERR_FILENO);
	close(p[1]);
	j.runtime = 300 * NS_PER_MS;
	opt.progress = restore_stderr_and_read;
	opt.arg = &c;
	run_not(&j, OUTCOME_HUNG, "hung", &opt, &o);
	assert_true(c.done);
	assert_int_equal(c.got, 0);
	close(p[0]);
	close(c.w);
	outcome_release(&o);
}

/* Whoever starts the program with a closed stdin may have the target on descriptor 0. */
static void a_target_on_a_standard_stream_is_refused(void **state)
{
	struct job j = sized(sim_job(""), RW_WRITE, 4096, 1);
	int fd = STDERR_FILENO;
	struct run_request r = {.job = &j, .fds = &fd, .nfds = 1, .target_name = "T"};
	struct err e = ERR_INIT;
	struct outcome o;
	uint64_t written;

	(void)state;
	j.ioengine = "psync";
	assert_int_equal(run_jobs(&r, 1, NULL, &o, &e), ERR_MEASURE);
	assert_int_equal(o.status, OUTCOME_SETUP);
	assert_non_null(strstr(o.text, "'T' has descriptor 2"));
	outcome_release(&o);
	assert_int_equal(run_layout(fd, 4096, 1, false, "T", NULL, &written, NULL, &e),
			 ERR_MEASURE);
	assert_non_null(strstr(e.text, "'T' has descriptor 2"));
}

/* Memory for some stacks and not for all: those that started go with the process. */
static void a_thread_that_cannot_start(void **state)
{
	const size_t stack = 64 << 20;
	struct job j = sim_job("lat=1ms");
	unsigned long long kib = 0;
	struct rlimit old, l;
	pthread_attr_t was, big;
	struct outcome o;
	char line[128];
	FILE *f = fopen("/proc/self/status", "re");

	(void)state;
	while (f && fgets(line, sizeof(line), f) && sscanf(line, "VmData: %llu", &kib) != 1)
		;
	if (f)
		fclose(f);
	if (!kib) {
		print_message("skip: no VmData in /proc/self/status\n");
		skip();
	}
	assert_int_equal(pthread_getattr_default_np(&was), 0);
	assert_int_equal(pthread_attr_init(&big), 0);
	assert_int_equal(pthread_attr_setstacksize(&big, stack), 0);
	assert_int_equal(pthread_setattr_default_np(&big), 0);
	getrlimit(RLIMIT_DATA, &old);
	l = old;
	l.rlim_cur = kib * 1024 + 5 * stack / 2;
	j.numjobs = 16;
	assert_int_equal(setrlimit(RLIMIT_DATA, &l), 0);
	struct run_request r = {.job = &j, .target_name = "T", .seed = 1, .run_seed = 2};

	run_with(&r, &quick, &o);
	setrlimit(RLIMIT_DATA, &old); /* before anything can fail: the other tests need memory */
	pthread_setattr_default_np(&was);
	if (o.status != OUTCOME_SETUP || !str_starts(o.text, "cannot start thread ") ||
	    !strstr(o.text, " of 16 of 't': ") || strstr(o.text, "died"))
		fail_msg("%s: '%s'", outcome_status_name(o.status), o.text);
	assert_int_equal(o.sys, EAGAIN);
	outcome_release(&o);
	pthread_attr_destroy(&was);
	pthread_attr_destroy(&big);
}

/* A stopped run may have its end marked before its begin; a time is never negative. */
static void cpu_time_never_wraps(void **state)
{
	struct live *l = live_new(1, 1);
	struct outcome o;

	(void)state;
	assert_non_null(l);
	outcome_init(&o);
	l->cpu_usr[0] = 5;
	l->cpu_usr[1] = 3;
	l->cpu_sys[0] = 3;
	l->cpu_sys[1] = 5;
	live_gather(l, &o);
	assert_int_equal(o.cpu_usr, 0);
	assert_int_equal(o.cpu_sys, 2);
	outcome_release(&o);
	live_free(l);
}

static void report_child(void *arg, const struct run_progress *p)
{
	pid_t pid = first_child();

	(void)p;
	if (write(*(int *)arg, &pid, sizeof(pid)) < 0)
		_exit(1);
}

/* A supervisor that is killed takes its workers along. */
static void workers_die_with_the_supervisor(void **state)
{
	pid_t worker = 0;
	int p[2];

	(void)state;
	if (!first_child() && access("/proc/self/task", R_OK)) {
		print_message("skip: /proc does not list children here\n");
		skip();
	}
	assert_int_equal(pipe2(p, O_CLOEXEC), 0);
	pid_t super = fork();

	if (super == 0) {
		struct job j = sim_job("hang@1");
		struct run_options opt = {.progress = report_child, .arg = &p[1]};
		struct run_request r = {.job = &j, .target_name = "T"};
		struct outcome o;
		struct err e;

		j.runtime = 60 * NS_PER_SEC;
		run_jobs(&r, 1, &opt, &o, &e);
		_exit(0);
	}
	assert_int_equal(read(p[0], &worker, sizeof(worker)), sizeof(worker));
	int fd = worker > 0 ? (int)syscall(SYS_pidfd_open, worker, 0) : -1;

	kill(super, SIGKILL);
	waitpid(super, NULL, 0);
	close(p[0]);
	close(p[1]);
	if (fd < 0) {
		print_message("skip: the kernel does not list children of a process\n");
		skip();
	}
	struct pollfd end = {.fd = fd, .events = POLLIN};

	assert_int_equal(poll(&end, 1, 5000), 1);
	close(fd);
}

/* A cgroup of its own: two test runs at once would thaw each other's worker. */
struct freezer {
	pid_t pid;
	char dir[64];
};

static bool put(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC);
	bool ok = fd >= 0 && write(fd, text, strlen(text)) == (ssize_t)strlen(text);

	if (fd >= 0)
		close(fd);
	return ok;
}

static bool put_in(const struct freezer *f, const char *file, const char *text)
{
	char path[96];

	snprintf(path, sizeof(path), "%s/%s", f->dir, file);
	return put(path, text);
}

static void freeze_child(void *arg, const struct run_progress *p)
{
	struct freezer *f = arg;
	char text[16];

	(void)p;
	if (f->pid)
		return;
	f->pid = first_child();
	snprintf(text, sizeof(text), "%d", (int)f->pid);
	if (!f->pid || !put_in(f, "cgroup.procs", text) || !put_in(f, "freezer.state", "FROZEN"))
		f->pid = -1;
}

static void unkillable_is_abandoned(void **state)
{
	struct job j = sim_job("hang@1");
	struct freezer f = {0};
	struct run_options opt = {.grace = 300 * NS_PER_MS,
				  .kill_wait = 100 * NS_PER_MS,
				  .progress = freeze_child,
				  .arg = &f};
	struct run_request r = {.job = &j, .target_name = "T"};
	struct outcome o;

	(void)state;
	snprintf(f.dir, sizeof(f.dir), "/sys/fs/cgroup/freezer/blkgate-test-%d", (int)getpid());
	if (geteuid() != 0 || mkdir(f.dir, 0755)) {
		print_message("skip: an unkillable worker needs root and the cgroup v1 freezer\n");
		skip();
	}
	j.runtime = NS_PER_SEC;
	run_with(&r, &opt, &o);
	put_in(&f, "freezer.state", "THAWED");
	if (f.pid > 0)
		waitpid(f.pid, NULL, 0);
	rmdir(f.dir);
	if (f.pid <= 0) {
		outcome_release(&o);
		print_message("skip: this kernel did not let the test freeze a process\n");
		skip();
	}
	assert_int_equal(o.status, OUTCOME_HUNG);
	assert_true(o.abandoned);
	assert_non_null(strstr(o.text, "cannot be killed"));
	assert_non_null(strstr(o.text, "the target is lost"));
	outcome_release(&o);
}

/* SIGCHLD ignored by whoever started us: the kernel then keeps no status. */
static void ignored_sigchld(void **state)
{
	struct job good = sim_job("lat=1ms"), crash = sim_job("crash@1");
	struct outcome o;

	(void)state;
	signal(SIGCHLD, SIG_IGN);
	run_ok(&good, INJECT_NONE, &o);
	outcome_release(&o);
	run_not(&crash, OUTCOME_CRASHED, "ended without a result", NULL, &o);
	outcome_release(&o);
	signal(SIGCHLD, SIG_DFL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(hang_is_bounded),
		cmocka_unit_test(crash_names_the_signal),
		cmocka_unit_test(one_crash_leaves_the_others),
		cmocka_unit_test(io_error),
		cmocka_unit_test(error_then_hang),
		cmocka_unit_test(stop_flag_interrupts),
		cmocka_unit_test(stop_while_pacing),
		cmocka_unit_test(pacer_honours_the_runtime),
		cmocka_unit_test(refused_set_up),
		cmocka_unit_test(deadlines),
		cmocka_unit_test(locks_are_closed_in_the_child),
		cmocka_unit_test(others_targets_are_closed_in_the_child),
		cmocka_unit_test(stderr_is_not_kept_by_the_child),
		cmocka_unit_test(a_target_on_a_standard_stream_is_refused),
		cmocka_unit_test(a_thread_that_cannot_start),
		cmocka_unit_test(cpu_time_never_wraps),
		cmocka_unit_test(workers_die_with_the_supervisor),
		cmocka_unit_test(unkillable_is_abandoned),
		cmocka_unit_test(ignored_sigchld),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
