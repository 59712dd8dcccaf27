/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The identity of a job as text, its differences, and the fio line. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include "sample.h"
#include <sys/wait.h>
#include <unistd.h>
#include <fcntl.h>

static const char expected[] =
	"bs=4096 direct=1 end_fsync=0 fdatasync=0 files=shared fsync=0 invalidate=1 iodepth=32 "
	"iodepth_batch_complete_max=16 iodepth_batch_complete_min=1 iodepth_batch_submit=16 "
	"ioengine=io_uring loops=1 norandommap=0 numjobs=1 offset=0 ramp_time=2000000000 "
	"randrepeat=1 rate_iops=0 runtime=10000000000 rw=randread rwmixread=50 size=68719476736 "
	"sync=none time_based=1";

static char *canonical(const struct job *j)
{
	struct str s;

	str_init(&s);
	job_canonical(j, &s);
	return str_detach(&s);
}

static void test_canonical(void **state)
{
	struct job j = sample_job();
	char *text = canonical(&j), *other;

	(void)state;
	assert_string_equal(text, expected);
	/* what is not identity does not move it */
	j.name = "other";
	j.runs = 9;
	j.seed = 1;
	j.ioengine_asked = "io_uring";
	j.direct_auto = j.canary = true;
	j.target = 7;
	j.file_line = 99;
	other = canonical(&j);
	assert_string_equal(other, text);
	free(other);
	j.hipri = j.nowait = j.fixedbufs = j.registerfiles = j.sqthread_poll = true;
	other = canonical(&j);
	assert_non_null(strstr(other, " fdatasync=0 files=shared fixedbufs=1 fsync=0 hipri=1 inv"));
	assert_non_null(strstr(other, " norandommap=0 nowait=1 numjobs=1 "));
	assert_non_null(strstr(other, " registerfiles=1 runtime="));
	assert_non_null(strstr(other, " sqthread_poll=1 sync=none "));
	free(other);
	j.verify = "crc32c";
	other = canonical(&j);
	assert_non_null(strstr(other, " time_based=1 verify=crc32c"));
	free(other);
	j.rate_iops = 0.1;
	j.sim = "lat=1us 5%\n\xff";
	other = canonical(&j);
	assert_non_null(strstr(other, " rate_iops=0.1 "));
	assert_non_null(strstr(other, " sim=lat=1us%205%25%0A%FF size="));
	free(other);
	free(text);
}

/* Every identity word moves the text, and comes back from it. */
static void test_back(void **state)
{
	struct job j = sample_job(), back;
	struct err e = ERR_INIT;
	struct arena a;
	char *text, *again;

	(void)state;
	j.rw = RW_RANDRW;
	j.ioengine = "sim";
	j.sim = "lat=5us %41 \x01\xc3\xa4";
	j.bs = 512;
	j.numjobs = 4;
	j.size = UINT64_MAX;
	j.offset = 1;
	j.time_based = j.direct = j.invalidate = j.randrepeat = false;
	j.norandommap = j.end_fsync = true;
	j.loops = 3;
	j.sync = SYNC_DSYNC;
	j.fsync = 7;
	j.fdatasync = 8;
	j.rate_iops = 1e-7;
	j.rwmixread = 0;
	j.files = FILES_PER_JOB;
	j.bssplit = "512/60:4096/40";
	j.random_distribution = "zipf:1.2";
	j.rate = 5e7;
	j.thinktime = 1000;
	j.thinktime_blocks = 3;
	j.startdelay = 5;
	j.cpus_allowed = "0-3,5";
	j.cpus_allowed_policy = "split";
	j.numa_cpu_nodes = "0-1";
	j.numa_mem_policy = "bind:1";
	j.nrfiles = 4;
	j.refill_buffers = true;
	j.dedupe_percentage = 30;
	j.buffer_compress_percentage = 40;
	j.verify = "crc32c";
	j.hipri = j.nowait = j.fixedbufs = j.registerfiles = j.sqthread_poll = true;
	text = canonical(&j);
	assert_non_null(
		strstr(text, "bs=512 bssplit=512/60:4096/40 buffer_compress_percentage=40 "));
	arena_init(&a);
	assert_int_equal(job_from_canonical(text, &a, &back, &e), 0);
	again = canonical(&back);
	assert_string_equal(again, text);
	assert_string_equal(back.sim, j.sim);
	assert_string_equal(back.ioengine_asked, "sim");
	assert_true(back.size == UINT64_MAX && back.rate_iops == 1e-7 && !back.time_based);
	assert_int_equal(back.sync, SYNC_DSYNC);
	assert_string_equal(back.bssplit, j.bssplit);
	assert_string_equal(back.bsrange, "");
	assert_string_equal(back.random_distribution, "zipf:1.2");
	assert_true(back.startdelay == 5);
	assert_string_equal(back.cpus_allowed, "0-3,5");
	assert_string_equal(back.cpus_allowed_policy, "split");
	assert_string_equal(back.numa_cpu_nodes, "0-1");
	assert_string_equal(back.numa_mem_policy, "bind:1");
	assert_int_equal(back.nrfiles, 4);
	assert_non_null(strstr(text, " nrfiles=4 numa_cpu_nodes=0-1 numa_mem_policy=bind:1 "));
	assert_string_equal(back.verify, "crc32c");
	assert_true(back.refill_buffers && back.dedupe_percentage == 30);
	assert_true(back.rate == 5e7 && back.thinktime == 1000 && back.thinktime_blocks == 3);
	assert_true(back.hipri && back.nowait && back.fixedbufs && back.registerfiles);
	assert_true(back.sqthread_poll);
	assert_null(back.name);
	assert_int_equal(back.state, JOB_READY);
	free(again);
	free(text);
	arena_release(&a);
}

static char *replaced(const char *what, const char *with)
{
	const char *at = strstr(expected, what);
	struct str s;

	assert_non_null(at);
	str_init(&s);
	str_addn(&s, expected, (size_t)(at - expected));
	str_add(&s, with);
	str_add(&s, at + strlen(what));
	return str_detach(&s);
}

static void test_refused_texts(void **state)
{
	static const char *const cases[][2] = {
		{"bs=4096 ", ""},
		{"bs=4096", "bs=04096"},
		{"bs=4096", "bs=4096k"},
		{"bs=4096", "bs=4294967296"},
		{"bs=4096", "bs=-1"},
		{"bs=4096", "bs="},
		{"bs=4096", "bs"},
		{"bs=4096", " bs=4096"},
		{"bs=4096", "bs=4096 bs=4096"},
		{"bs=4096 direct=1", "direct=1 bs=4096"},
		{"direct=1", "bssplit= direct=1"},
		{"rate_iops=0", "rate=0 rate_iops=0"},
		{"direct=1", "direct=2"},
		{"direct=1", "direct=true"},
		{"files=shared", "files=own"},
		{"ioengine=io_uring", "ioengine=io%5Furing"},
		{"ioengine=io_uring", "ioengine=io%zz"},
		{"offset=0", "offset=18446744073709551616"},
		{"numjobs=1", "nrfiles=1 numjobs=1"},
		{"numjobs=1", "nrfiles=0 numjobs=1"},
		{"numjobs=1", "numa_cpu_nodes= numjobs=1"},
		{"rate_iops=0", "rate_iops=nan"},
		{"rate_iops=0", "rate_iops=inf"},
		{"rate_iops=0", "rate_iops=-1"},
		{"rate_iops=0", "rate_iops=0x1p3"},
		{"rate_iops=0", "rate_iops=1.50"},
		{"rw=randread", "rw=trimwrite"},
		{"rwmixread=50", "rwmixread=101"},
		{"sync=none", "sync=0"},
		{"time_based=1", "time_based=1 word=1"},
		{"time_based=1", "time_based=1 "},
		{"size=", "sim= size="},
	};
	struct arena a;

	(void)state;
	arena_init(&a);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		char *text = replaced(cases[i][0], cases[i][1]);
		struct err e = ERR_INIT;
		struct job j;

		if (job_from_canonical(text, &a, &j, &e) != ERR_DATA || !e.text[0])
			fail_msg("accepted: %s", text);
		free(text);
	}
	arena_release(&a);
}

static void assert_diff(const char *was, const char *is, const char *want)
{
	struct str s;

	str_init(&s);
	job_canonical_diff(was, is, &s);
	assert_string_equal(s.s, want);
	str_release(&s);
}

static void test_diff(void **state)
{
	(void)state;
	assert_diff("a=1 b=2", "a=1 b=2", "");
	assert_diff("bs=4096 iodepth=1", "bs=8192 iodepth=32", "bs 4096 -> 8192; iodepth 1 -> 32");
	assert_diff("bs=1", "bs=1 sim=x", "sim (none) -> x");
	assert_diff("bs=1 sim=x", "bs=1", "sim x -> (none)");
	assert_diff("", "bs=1", "bs (none) -> 1");
	assert_diff("iodepth=1", "iodepth_x=1", "iodepth 1 -> (none); iodepth_x (none) -> 1");
	assert_diff(NULL, NULL, "");
	assert_diff(NULL, "a=1", "a (none) -> 1");
	/* unequal is never "" */
	assert_diff("a=1 b=2", "b=2 a=1", "order, number or spacing of the words");
	assert_diff("a=1", "a=1 ", "order, number or spacing of the words");
}

static char *fio_line(const struct job *j, const char *path)
{
	struct str s;

	str_init(&s);
	str_add(&s, "before ");
	job_fio(j, path, &s);
	assert_memory_equal(s.s, "before fio ", 11);
	memmove(s.s, s.s + 7, s.len - 6);
	return str_detach(&s);
}

static void test_fio_words(void **state)
{
	struct job j = sample_job();
	char *line = fio_line(&j, NULL);

	(void)state;
	assert_non_null(strstr(line, "--filename=TARGET "));
	assert_null(strstr(line, "nrfiles"));
	assert_non_null(strstr(line, " --rw=randread --bs=4096 --ioengine=io_uring --iodepth=32 "));
	assert_non_null(strstr(line, " --runtime=10 --time_based --ramp_time=2 "));
	assert_non_null(strstr(line, " --randseed=9223372036854775807 "));
	assert_null(strstr(line, "rwmixread"));
	assert_null(strstr(line, "sync"));
	assert_null(strstr(line, "rate"));
	free(line);
	j.ioengine = "sim";
	j.rw = RW_RW;
	j.runtime = 1500000000;
	j.ramp_time = 1;
	j.time_based = false;
	j.loops = 3;
	j.rate_iops = 0.2;
	j.fsync = 4;
	j.sync = SYNC_DSYNC;
	/* fio's psync trims devices only */
	struct job t = j;

	t.rw = RW_RANDTRIM;
	t.ioengine = "psync";
	line = fio_line(&t, "/dev/sda");
	assert_non_null(strstr(line, " --rw=randtrim "));
	assert_non_null(strstr(line, " --ioengine=psync "));
	free(line);
	line = fio_line(&t, "/mnt/file");
	assert_non_null(strstr(line, " --ioengine=falloc "));
	free(line);
	t.ioengine = "sim";
	line = fio_line(&t, "/mnt/file");
	assert_non_null(strstr(line, " --ioengine=null "));
	free(line);
	line = fio_line(&j, "/dev/disk/by-path/pci-0000:01:00.0 it's");
	assert_non_null(strstr(line, " --ioengine=null "));
	assert_non_null(strstr(line, " --rwmixread=50 "));
	assert_non_null(strstr(line, " --runtime=1500ms --loops=3 --ramp_time=1us "));
	assert_non_null(strstr(line, " --rate_iops=1"));
	assert_non_null(strstr(line, " --sync=dsync --fsync=4 "));
	assert_non_null(strstr(line, "pci-0000\\:01\\:00.0"));
	assert_null(strstr(line, "randseed"));
	free(line);
}

static bool have_fio(void)
{
	return access("/usr/bin/fio", X_OK) == 0 || access("/usr/local/bin/fio", X_OK) == 0;
}

/* Splits the quoted line as a shell does; only the words that job_fio can write. */
static size_t split(char *line, char **argv, size_t max)
{
	size_t n = 0;
	char *to = line, *s = line;

	while (*s && n + 1 < max) {
		bool quoted = false;

		argv[n++] = to;
		for (; *s && (quoted || *s != ' '); s++) {
			if (*s == '\'')
				quoted = !quoted;
			else if (!quoted && *s == '\\')
				*to++ = *++s;
			else
				*to++ = *s;
		}
		if (*s)
			s++;
		*to++ = '\0';
	}
	argv[n] = NULL;
	return n;
}

static int fio_accepts(char *line)
{
	char *argv[64];
	size_t n = split(line, argv, 62);
	int status = -1;
	pid_t pid;

	argv[n++] = (char *)(uintptr_t) "--parse-only";
	argv[n] = NULL;
	pid = fork();
	if (pid == 0) {
		int null = open("/dev/null", O_WRONLY);

		dup2(null, 1);
		dup2(null, 2);
		execvp("fio", argv);
		_exit(127);
	}
	assert_true(pid > 0);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

/* Several files have numbers in their names; fio ignores nrfiles beside a name. */
static void test_fio_files(void **state)
{
	struct job j = sample_job();
	char *line;

	(void)state;
	j.nrfiles = 3;
	j.cpus_allowed = "0-1";
	j.cpus_allowed_policy = "split";
	j.numa_mem_policy = "interleave:0-1";
	line = fio_line(&j, "/x");
	assert_non_null(strstr(line, "'--filename_format=/x.$filenum' --nrfiles=3 "));
	assert_non_null(strstr(line, " --cpus_allowed=0-1 --cpus_allowed_policy=split "
				     "--numa_mem_policy=interleave:0-1"));
	free(line);
	j.files = FILES_PER_JOB;
	j.numjobs = 2;
	line = fio_line(&j, "/x");
	assert_non_null(strstr(line, "'--filename_format=/x.$jobnum.$filenum' --nrfiles=3 "));
	free(line);
}

static void test_file_size(void **state)
{
	static const struct {
		uint64_t size, nrfiles, each;
	} rows[] = {{10000, 0, 10000}, {10000, 1, 10000}, {10000, 2, 4096},
		    {8191, 2, 0},      {65536, 4, 16384}, {UINT64_MAX, 2, UINT64_MAX / 2 - 4095}};
	struct job j = sample_job();

	(void)state;
	j.bs = 4096;
	j.numjobs = 3;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		j.size = rows[i].size;
		j.nrfiles = (uint32_t)rows[i].nrfiles;
		assert_true(job_file_size(&j) == rows[i].each);
		j.files = FILES_SHARED;
		assert_int_equal(job_files(&j), job_nrfiles(&j));
		j.files = FILES_PER_JOB;
		assert_int_equal(job_files(&j), 3 * job_nrfiles(&j));
	}
}

static void test_fio_accepts(void **state)
{
	static const char *const engines[] = {"psync", "pvsync2", "libaio", "null", "sim"};
	struct job ring = sample_job();
	char numa[] = "fio --name=x --rw=read --size=4k --numa_cpu_nodes=0 "
		      "--numa_mem_policy=bind:0";

	(void)state;
	if (!have_fio()) {
		print_message("skip: fio is not installed, its parser cannot be asked\n");
		skip();
	}
	/* without libnuma, or on a kernel without nodes, fio takes neither */
	bool fio_has_numa = fio_accepts(numa) == 0;

	/* fio can be built without it: the words of a ring are asked where it is there */
	ring.hipri = ring.fixedbufs = ring.registerfiles = ring.sqthread_poll = true;
	char *words = fio_line(&ring, "/tmp/x");

	assert_non_null(strstr(words, " --hipri --fixedbufs --registerfiles --sqthread_poll "));
	assert_int_equal(fio_accepts(words), 0);
	free(words);
	for (unsigned rw = 0; rw <= RW_RANDRW; rw++) {
		for (unsigned i = 0; i < 5; i++) {
			struct job j = sample_job();
			char *line;
			int rc;

			j.rw = (enum job_rw)rw;
			j.ioengine = engines[i];
			j.sync = (enum job_sync)(rw % 3);
			j.hipri = j.nowait = i == 1;
			j.files = i % 2 ? FILES_PER_JOB : FILES_SHARED;
			j.numjobs = i + 1;
			j.fsync = i;
			j.fdatasync = rw;
			j.end_fsync = j.norandommap = i > 2;
			j.rate_iops = i * 100.5;
			j.runtime += i * 1000007;
			j.time_based = i != 3;
			j.bssplit = i == 1 ? "4096/60:65536/40" : "";
			j.bsrange = i == 2 ? "4096-65536" : "";
			j.random_distribution = i == 3   ? "zipf:1.2"
						: i == 4 ? "zoned:60/10:40/90"
							 : "";
			j.thinktime = i * 1500;
			j.thinktime_blocks = i;
			j.refill_buffers = i > 2;
			j.startdelay = i * 1000;
			j.cpus_allowed = i == 1 ? "0" : "";
			j.cpus_allowed_policy = i == 1 ? "split" : "";
			j.numa_cpu_nodes = i == 2 && fio_has_numa ? "0" : "";
			j.numa_mem_policy = i == 2 && fio_has_numa ? "bind:0" : "";
			j.nrfiles = i;
			j.buffer_compress_percentage = i * 20;
			j.dedupe_percentage = i > 2 ? i * 10 : 0;
			j.verify = i == 0 ? "crc32c" : "";
			j.rate = i == 2 ? 5e6 : 0;
			j.rate_iops = i == 2 ? 0 : j.rate_iops;
			line = fio_line(&j, "/tmp/it's a:name $x");
			rc = fio_accepts(line);
			if (rc)
				fail_msg("fio: status %d, rw %u, engine %s", rc, rw, engines[i]);
			free(line);
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_canonical),     cmocka_unit_test(test_back),
		cmocka_unit_test(test_refused_texts), cmocka_unit_test(test_diff),
		cmocka_unit_test(test_fio_words),     cmocka_unit_test(test_fio_accepts),
		cmocka_unit_test(test_fio_files),     cmocka_unit_test(test_file_size),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
