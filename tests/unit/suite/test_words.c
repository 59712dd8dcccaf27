/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <string.h>

#include "base/fileio.h"
#include "suite/words.h"

static int read_one(const char *word, const char *text, struct arena *a, struct job *j,
		    struct err *e)
{
	const struct word *w = word_find(word);

	assert_non_null(w);
	return w->read(w, text, a, j, e);
}

/* What a text becomes: as plan shows it, and as it stands in a name. */
static void test_values(void **state)
{
	static const struct {
		const char *word, *text, *shown, *name;
	} c[] = {
		{"rw", "randread", "randread", "randread"},
		{"rw", "readwrite", "rw", "rw"},
		{"bs", "4k", "4096", "4KiB"},
		{"bs", "4K", "4096", "4KiB"},
		{"bs", "4KiB", "4096", "4KiB"},
		{"bs", "4kB", "4000", "4000"},
		{"bs", "4096", "4096", "4KiB"},
		{"bs", "4 KiB", "4096", "4KiB"},
		{"bs", "64k", "65536", "64KiB"},
		{"bs", "1M", "1048576", "1MiB"},
		{"bs", "512", "512", "512"},
		{"bs", "1536", "1536", "1536"},
		{"bs", "2560KiB", "2621440", "2560KiB"},
		{"bs", "1GiB", "1073741824", "1GiB"},
		{"size", "1T", "1099511627776", "1TiB"},
		{"offset", "0", "0", "0"},
		{"iodepth", "32", "32", "32"},
		{"runtime", "10s", "10 s", "10s"},
		{"runtime", "1.5s", "1500 ms", "1500ms"},
		{"runtime", "1h", "3600 s", "3600s"},
		{"ramp_time", "250 us", "250 us", "250us"},
		{"ramp_time", "0", "0 s", "0s"},
		{"time_based", "no", "false", "false"},
		{"direct", "true", "true", "true"},
		{"direct", "0", "false", "false"},
		{"direct", "auto", "true (auto)", "auto"},
		{"sync", "dsync", "dsync", "dsync"},
		{"sync", "1", "sync", "sync"},
		{"sync", "false", "none", "none"},
		{"rate_iops", "5000 IOPS", "5000", "5000"},
		{"rate_iops", "5k", "5000", "5000"},
		{"rate_iops", "0.5", "0.5", "0_5"},
		{"files", "per_job", "per_job", "per_job"},
		{"bssplit", "64k/40:4k/60", "4096/60:65536/40", "4096_60:65536_40"},
		{"bssplit", "4kB/100", "4000/100", "4000_100"},
		{"bsrange", "4k-64k", "4096-65536", "4096-65536"},
		{"random_distribution", "random", "random", "random"},
		{"random_distribution", "zipf:1.20", "zipf:1.2", "zipf:1_2"},
		{"random_distribution", "pareto:0.2", "pareto:0.2", "pareto:0_2"},
		{"random_distribution", "normal:10", "normal:10", "normal:10"},
		{"random_distribution", "zoned:60/10:40/90", "zoned:60/10:40/90",
		 "zoned:60_10:40_90"},
		{"rate", "50 MB/s", "50000000 B/s", "50000000_B_s"},
		{"thinktime", "1ms", "1 ms", "1ms"},
		{"thinktime_blocks", "8", "8", "8"},
		{"refill_buffers", "yes", "true", "true"},
		{"size", "50%", "50%", "50pc"},
		{"startdelay", "2s", "2 s", "2s"},
		{"cpus_allowed", "5,0-1,2,3,3", "0-3,5", "0-3_5"},
		{"cpus_allowed", "4095", "4095", "4095"},
		{"cpus_allowed_policy", "split", "split", "split"},
		{"cpus_allowed_policy", "shared", "shared", "shared"},
		{"numa_cpu_nodes", "3,0-1", "0-1,3", "0-1_3"},
		{"numa_cpu_nodes", "device", "device", "device"},
		{"numa_mem_policy", "bind:1,0", "bind:0-1", "bind:0-1"},
		{"numa_mem_policy", "prefer:1", "prefer:1", "prefer:1"},
		{"numa_mem_policy", "interleave:0,2", "interleave:0,2", "interleave:0_2"},
		{"numa_mem_policy", "local", "local", "local"},
		{"numa_mem_policy", "default", "default", "default"},
		{"nrfiles", "1", "1", "1"},
		{"nrfiles", "1000", "1000", "1000"},
		{"offset", "25%", "25%", "25pc"},
		{"offset", "0%", "0", "0"},
		{"buffer_compress_percentage", "40", "40", "40"},
		{"dedupe_percentage", "100", "100", "100"},
		{"ioengine", "auto", "auto", "auto"},
		{"seed", "18446744073709551615", "18446744073709551615", "18446744073709551615"},
		{"sim", "lat 10us; err 5", "lat 10us; err 5", "lat_10us__err_5"},
		{"rwmixread", "0", "0", "0"},
		{"hipri", "true", "true", "true"},
		{"nowait", "1", "true", "true"},
		{"fixedbufs", "yes", "true", "true"},
		{"registerfiles", "true", "true", "true"},
		{"sqthread_poll", "false", "false", "false"},
		{"percentile_list", "99.90:50", "50:99.9", "50:99_9"},
		{"verify", "crc32c", "crc32c", "crc32c"},
		{"runs", "7", "7", "7"},
	};
	struct arena a;

	(void)state;
	arena_init(&a);
	for (size_t i = 0; i < sizeof(c) / sizeof(*c); i++) {
		const struct word *w = word_find(c[i].word);
		struct err e = ERR_INIT;
		struct job j = {0};
		struct str s;

		if (read_one(c[i].word, c[i].text, &a, &j, &e))
			fail_msg("%s: '%s' is refused: %s", c[i].word, c[i].text, e.text);
		str_init(&s);
		w->show(w, &j, &s);
		assert_string_equal(s.s, c[i].shown);
		str_clear(&s);
		word_name_value(w, &j, &s);
		assert_string_equal(s.s, c[i].name);
		str_release(&s);
	}
	arena_release(&a);
}

/* suffix-1 and yaml-number-1: one meaning a spelling, plain decimals only. */
static void test_refused(void **state)
{
	static const struct {
		const char *word, *text, *find;
	} c[] = {
		{"bs", "4ki", "4KiB"},
		{"bs", "4kb", "4kB"},
		{"bs", "0", "out of range"},
		{"bs", "2GiB", "out of range"},
		{"bs", "", "bs"},
		{"bs", "-1", "bs"},
		{"bs", "4k,8k", "bs"},
		{"bs", "99999999999999999999", "bs"},
		{"iodepth", "010", "10"},
		{"iodepth", "0", "1 to 65536"},
		{"iodepth", "65537", "1 to 65536"},
		{"iodepth", "0x10", "16"},
		{"iodepth", "1e3", "1000"},
		{"numjobs", "1_000", "1000"},
		{"numjobs", "1025", "1 to 1024"},
		{"seed", "08", "8"},
		{"seed", "18446744073709551616", "seed"},
		{"size", "0", "out of range"},
		{"bssplit", "4k", "share"},
		{"bssplit", "4k/", "share"},
		{"bssplit", "4k/60", "not to 100"},
		{"bssplit", "4k/60:4k/40", "twice"},
		{"bssplit", "4k/60:6k/40", "no multiple"},
		{"bssplit", "4k/0:8k/100", "whole number"},
		{"bssplit", "4k/50:8k/50,", "directions"},
		{"bssplit", "4k/100:", "share"},
		{"bssplit", ":", "share"},
		{"bssplit", "/100", "lacks a size"},
		{"bssplit", "4k/1000000000", "share"},
		{"bssplit", "2GiB/100", "out of range"},
		{"bsrange", "4k", "no range"},
		{"bsrange", "64k-4k", "below"},
		{"bsrange", "4k-6k", "no multiple"},
		{"bsrange", "4k-", "lacks a size"},
		{"bsrange", "0-4k", "out of range"},
		{"random_distribution", "zipf", "figures"},
		{"random_distribution", "zipf:1", "out of range"},
		{"random_distribution", "zipf:-2", "out of range"},
		{"random_distribution", "zipf:nan", "random_distribution"},
		{"random_distribution", "pareto:1", "out of range"},
		{"random_distribution", "normal:0", "out of range"},
		{"random_distribution", "zoned:60/10", "out of range"},
		{"random_distribution", "zoned:60/0:40/100", "out of range"},
		{"random_distribution", "zoned_abs:60/1g", "no distribution"},
		{"random_distribution", "gauss:1", "no distribution"},
		{"rate", "50", "unit"},
		{"rate", "0 MB/s", "out of range"},
		{"rate", "1 MB/s,2 MB/s", "directions"},
		{"thinktime", "5", "unit"},
		{"thinktime_blocks", "0", "out of range"},
		{"buffer_compress_percentage", "100", "out of range"},
		{"dedupe_percentage", "101", "out of range"},
		{"size", "0%", "out of range"},
		{"size", "101%", "out of range"},
		{"size", "1.5%", "size"},
		{"bs", "50%", "only 'size' and 'offset' take a share"},
		{"offset", "100%", "0% to 99%"},
		{"offset", "-1%", "offset"},
		{"offset", "1.5%", "offset"},
		{"nrfiles", "0", "out of range"},
		{"nrfiles", "1048577", "1 to 1048576"},
		{"cpus_allowed_policy", "spilt", "shared split"},
		{"numa_cpu_nodes", "", "no list"},
		{"numa_cpu_nodes", "1024", "no list"},
		{"numa_cpu_nodes", "0,", "no list"},
		{"numa_cpu_nodes", "all", "no list"},
		{"numa_mem_policy", "", "no memory policy"},
		{"numa_mem_policy", "bind", "no memory policy"},
		{"numa_mem_policy", "bind:", "no memory policy"},
		{"numa_mem_policy", "bind:1024", "no memory policy"},
		{"numa_mem_policy", "prefer:0-1", "no memory policy"},
		{"numa_mem_policy", "local:0", "no memory policy"},
		{"numa_mem_policy", "default:0", "no memory policy"},
		{"numa_mem_policy", "bin:0", "no memory policy"},
		{"numa_mem_policy", "binding:0", "no memory policy"},
		{"cpus_allowed", "0-", "no list"},
		{"cpus_allowed", "3-1", "no list"},
		{"cpus_allowed", "1,,2", "no list"},
		{"cpus_allowed", "4096", "no list"},
		{"cpus_allowed", "0-99999999999999999999", "no list"},
		{"startdelay", "5", "unit"},
		{"runtime", "0", "above 0"},
		{"runtime", "60", "unit"},
		{"runtime", "-5s", "runtime"},
		{"loops", "0", "out of range"},
		{"rw", "raed", "did you mean 'read'?"},
		{"rw", "trims", "did you mean 'trim'?"},
		{"rw", "trimwrite", "one with `rw: trim` and one with `rw: write`"},
		{"rw", "randtrimwrite", "one with `rw: randtrim` and one with `rw: randwrite`"},
		{"rw", "randread:8", "':'"},
		{"rw", "READ", "none of"},
		{"direct", "maybe", "auto"},
		{"sync", "syn", "did you mean 'sync'?"},
		{"rate_iops", "0", "out of range"},
		{"rate_iops", "5,6", "one number"},
		{"rate_iops", "5 MB/s", "rate_iops"},
		{"files", "perjob", "did you mean 'per_job'?"},
		{"rwmixread", "101", "0 to 100"},
		{"ioengine", "uring", "io_uring"},
		{"ioengine", "sync", "psync"},
		{"ioengine", "a b", "no engine name"},
		{"ioengine", "", "no engine name"},
		{"runs", "0", "1 to 1000"},
		{"sim", "", "empty"},
		{"norandommap", "2", "norandommap"},
		{"fsync", "4294967296", "out of range"},
		{"verify", "md5", "here it is crc32c"},
		{"verify", "crc32c-intel", "by the processor where it can"},
		{"verify", "pattern", "with offset and generation"},
		{"verify", "none", "left out"},
		{"verify", "crc33", "no checksum known here"},
		{"verify", "", "no checksum known here"},
	};
	struct arena a;

	(void)state;
	arena_init(&a);
	for (size_t i = 0; i < sizeof(c) / sizeof(*c); i++) {
		struct err e = ERR_INIT;
		struct job j = {0};

		if (read_one(c[i].word, c[i].text, &a, &j, &e) != ERR_SUITE ||
		    e.code != ERR_SUITE ||
		    (!strstr(e.text, c[i].find) && !strstr(e.hint, c[i].find)))
			fail_msg("%s: '%s': '%s' '%s', expected '%s'", c[i].word, c[i].text, e.text,
				 e.hint, c[i].find);
	}
	arena_release(&a);
}

static bool conditional(const char *name)
{
	return strcmp(name, "time_based") == 0 || strcmp(name, "end_fsync") == 0 ||
	       strcmp(name, "iodepth_batch_complete_max") == 0 ||
	       strcmp(name, "thinktime_blocks") == 0 || strcmp(name, "refill_buffers") == 0;
}

/* The text of a default and the value that words_default sets are one. */
static void test_defaults(void **state)
{
	struct arena a;
	struct job j = {0};

	(void)state;
	arena_init(&a);
	words_default(&j, &a);
	assert_int_equal(j.size, 0);
	assert_int_equal(j.runtime, 0);
	assert_true(j.rate_iops < 1e-9);
	assert_int_equal(j.iodepth_batch_complete_max, 0);
	assert_false(j.time_based);
	assert_false(j.end_fsync);
	for (unsigned i = 0; i < word_count; i++) {
		const struct word *w = &word_table[i];
		struct err e = ERR_INIT;
		struct job k = {0};
		struct str have, want;

		assert_true(w->what[0] != '\0');
		assert_ptr_equal(word_find(w->name), w);
		assert_int_equal(word_index(w), i);
		if (!w->dflt[0] || conditional(w->name))
			continue;
		str_init(&have);
		str_init(&want);
		assert_int_equal(w->read(w, w->dflt, &a, &k, &e), 0);
		w->show(w, &k, &want);
		w->show(w, &j, &have);
		assert_string_equal(have.s, want.s);
		str_release(&have);
		str_release(&want);
	}
	arena_release(&a);
}

static void test_find(void **state)
{
	(void)state;
	assert_null(word_find(""));
	assert_null(word_find("iodepth_"));
	assert_null(word_find("sessions"));
	assert_string_equal(word_nearest("iodpeth"), "iodepth");
	assert_null(word_nearest("zzzzzzzz"));
}

/* "the word is 'bs'" names one that there is. */
static void names_a_word(const char *option, const char *sentence)
{
	static const char lead[] = "the word is '";
	const char *at = sentence ? strstr(sentence, lead) : NULL;
	char name[64];

	if (!at)
		return;
	at += strlen(lead);
	snprintf(name, sizeof(name), "%.*s", (int)strcspn(at, "'"), at);
	if (!word_find(name))
		fail_msg("'%s': '%s' is no word", option, name);
}

/* Every option of fio is a word or has a sentence; the list is that of `fio --cmdhelp=all`. */
static void test_fio(void **state)
{
	struct str text;
	struct err e = ERR_INIT;
	char *save = NULL;
	size_t n = 0;

	(void)state;
	str_init(&text);
	assert_int_equal(file_read("tests/fixtures/suites/fio-options.txt", 0, &text, &e), 0);
	for (char *l = strtok_r(text.s, "\n", &save); l; l = strtok_r(NULL, "\n", &save)) {
		const char *sentence = word_fio_sentence(l);

		if (l[0] == '#')
			continue;
		n++;
		names_a_word(l, sentence);
		/* name and description are keys of a workload, not words of I/O */
		if (word_find(l) && sentence)
			fail_msg("'%s' is a word and has a sentence", l);
		if (!word_find(l) && (!sentence || strlen(sentence) < 15))
			fail_msg("'%s' is neither a word nor has it a sentence", l);
	}
	assert_true(n > 200);
	names_a_word("poll", word_fio_sentence("poll"));
	/* what is there is not put off to a later version */
	assert_non_null(strstr(word_fio_sentence("poll"), "'hipri'"));
	assert_non_null(strstr(word_fio_sentence("cmd_type"), "io_uring_cmd"));
	assert_non_null(strstr(word_fio_sentence("pi_act"), "io_uring_cmd"));
	assert_non_null(strstr(word_fio_sentence("lat_percentiles"), "percentile_list"));
	assert_null(word_fio_sentence(""));
	assert_null(word_fio_sentence("zzz"));
	assert_null(word_fio_sentence("iodepth"));
	str_release(&text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_values),   cmocka_unit_test(test_refused),
		cmocka_unit_test(test_defaults), cmocka_unit_test(test_find),
		cmocka_unit_test(test_fio),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
