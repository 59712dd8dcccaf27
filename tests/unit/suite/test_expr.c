/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <math.h>
#include <string.h>

#include "base/clock.h"
#include "suite/expr.h"

static void test_good(void **state)
{
	static const struct {
		const char *text, *folded, *subject;
		enum check_op op;
		const char *value, *of;
		double ratio;
		uint64_t wait;
		bool every, spread;
	} c[] = {
		{"read.bw >= 5 MB/s", "read.bw >= 5 MB/s", "read.bw", OP_GE, "5 MB/s", NULL, 0, 0,
		 false, false},
		{"  read.bw  >=  5 \t MB/s ", "read.bw >= 5 MB/s", "read.bw", OP_GE, "5 MB/s", NULL,
		 0, 0, false, false},
		{"read.bw>=5MB/s", "read.bw>=5MB/s", "read.bw", OP_GE, "5MB/s", NULL, 0, 0, false,
		 false},
		{"read.bw >= 80% of link", "read.bw >= 80% of link", "read.bw", OP_GE, NULL, "link",
		 0.8, 0, false, false},
		{"read.bw > 12.5% of datasheet.seq_read", "read.bw > 12.5% of datasheet.seq_read",
		 "read.bw", OP_GT, NULL, "datasheet.seq_read", 0.125, 0, false, false},
		{"write.bw < 80% of upstream", "write.bw < 80% of upstream", "write.bw", OP_LT,
		 NULL, "upstream", 0.8, 0, false, false},
		{"every run: read.bw >= 5 MB/s", "every run: read.bw >= 5 MB/s", "read.bw", OP_GE,
		 "5 MB/s", NULL, 0, 0, true, false},
		{"every run : read.bw >= 1 B/s", "every run : read.bw >= 1 B/s", "read.bw", OP_GE,
		 "1 B/s", NULL, 0, 0, true, false},
		{"spread(read.bw) <= 20%", "spread(read.bw) <= 20%", "read.bw", OP_LE, "20%", NULL,
		 0, 0, false, true},
		{"spread( read.bw ) <= 20%", "spread( read.bw ) <= 20%", "read.bw", OP_LE, "20%",
		 NULL, 0, 0, false, true},
		{"target.type == block", "target.type == block", "target.type", OP_EQ, "block",
		 NULL, 0, 0, false, false},
		{"fs.type != tmpfs", "fs.type != tmpfs", "fs.type", OP_NE, "tmpfs", NULL, 0, 0,
		 false, false},
		{"temperature < 70C wait 10min", "temperature < 70C wait 10min", "temperature",
		 OP_LT, "70C", NULL, 0, 600 * NS_PER_SEC, false, false},
		{"temperature < 70 C wait 10 min", "temperature < 70 C wait 10 min", "temperature",
		 OP_LT, "70 C", NULL, 0, 600 * NS_PER_SEC, false, false},
		{"device.model == Some wait state", "device.model == Some wait state",
		 "device.model", OP_EQ, "Some wait state", NULL, 0, 0, false, false},
		{"kernel.cmdline == quiet root=/dev/sda1", "kernel.cmdline == quiet root=/dev/sda1",
		 "kernel.cmdline", OP_EQ, "quiet root=/dev/sda1", NULL, 0, 0, false, false},
		{"label.card-2 == A..B", "label.card-2 == A..B", "label.card-2", OP_EQ, "A..B",
		 NULL, 0, 0, false, false},
		{"read.clat.p99.9 <= 2ms", "read.clat.p99.9 <= 2ms", "read.clat.p99.9", OP_LE,
		 "2ms", NULL, 0, 0, false, false},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(c) / sizeof(*c); i++) {
		struct expr x = {.line = 7, .column = 9};
		struct err e = ERR_INIT;
		struct arena a;

		arena_init(&a);
		if (expr_parse(c[i].text, &a, &x, &e))
			fail_msg("'%s': %s", c[i].text, e.text);
		assert_string_equal(x.text, c[i].folded);
		assert_string_equal(x.subject, c[i].subject);
		assert_int_equal(x.op, c[i].op);
		assert_int_equal(x.value == NULL, c[i].value == NULL);
		if (x.value)
			assert_string_equal(x.value, c[i].value);
		assert_int_equal(x.percent_of == NULL, c[i].of == NULL);
		if (x.percent_of) {
			assert_string_equal(x.percent_of, c[i].of);
			assert_true(fabs(x.ratio - c[i].ratio) < 1e-12);
		}
		assert_int_equal(x.wait, c[i].wait);
		assert_int_equal(x.every_run, c[i].every);
		assert_int_equal(x.spread, c[i].spread);
		assert_int_equal(x.line, 7);
		assert_int_equal(x.column, 9);
		arena_release(&a);
	}
}

static void test_bad(void **state)
{
	static const struct {
		const char *text, *find; /* in text or hint */
	} c[] = {
		{"", "empty"},
		{"   ", "empty"},
		{">= 5", "subject"},
		{"read.bw", "no operator"},
		{"read.bw >=", "no value"},
		{"read.bw = 5", "write '=='"},
		{"read.bw => 5", "write '>='"},
		{"read.bw =< 5", "write '<='"},
		{"read.bw <> 5", "write '!='"},
		{"read.bw \xE2\x89\xA5 5", "write '>='"},
		{"5 MB/s <= read.bw", "'read.bw >= 5 MB/s'"},
		{"5<read.bw", "'read.bw > 5'"},
		{"read bw >= 5", "one word with dots"},
		{"read..bw >= 5", "subject"},
		{"read.bw. >= 5", "subject"},
		{".bw >= 5", "subject"},
		{"read.bw >= 5 <= 6", "second operator"},
		{"read.bw >= >= 6", "second operator"},
		{"stall.longest < = 1s", "write '<='"},
		{"read.bw >  = 1 MB/s", "write '>='"},
		{"target.type = = block", "write '=='"},
		{"target.type ! = block", "write '!='"},
		{"target.type < > block", "write '!='"},
		{"read.bw = > 1 MB/s", "write '>='"},
		{"target.type == \"block\"", "write block without quotes"},
		{"device.model != 'A B'", "write A B without quotes"},
		{"read.bw >= 80%of link", "with spaces"},
		{"read.bw >= 80% oflink", "with spaces"},
		{"read.bw >= 80% of", "with spaces"},
		{"read.bw >= 80 of link", "'%' is missing"},
		{"read.bw >= 80% of lnk", "did you mean 'link'?"},
		{"read.bw >= 80% of datasheet", "datasheet.NAME"},
		{"read.bw >= 80% of datasheet.", "datasheet.NAME"},
		{"read.bw >= 80% of datasheet.a.b", "datasheet.NAME"},
		{"read.bw >= 0% of link", "above 0%"},
		{"temperature < 70C wait", "needs a time"},
		{"temperature < 70C wait 10", "unit"},
		{"every run read.bw >= 5", "colon"},
		{"all targets read.bw >= 5", "colon"},
		{"all targets: all targets: read.bw >= 5", "stands between"},
		{"spread(read.bw <= 5%", "')' is missing"},
		{"spread() <= 5%", "subject"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(c) / sizeof(*c); i++) {
		struct expr x = {.line = 3};
		struct err e = ERR_INIT;
		struct arena a;

		arena_init(&a);
		if (expr_parse(c[i].text, &a, &x, &e) != ERR_SUITE || e.code != ERR_SUITE ||
		    (!strstr(e.text, c[i].find) && !strstr(e.hint, c[i].find)))
			fail_msg("'%s': '%s' '%s', expected '%s'", c[i].text, e.text, e.hint,
				 c[i].find);
		arena_release(&a);
	}
}

static void test_compare(void **state)
{
	static const struct {
		const char *fact;
		enum check_op op;
		const char *value;
		int want;
	} c[] = {
		{"block", OP_EQ, "block", 1},
		{"block", OP_EQ, "file", 0},
		{"block", OP_NE, "file", 1},
		{"block", OP_LT, "file", ERR_SUITE},
		{"45", OP_LT, "70C", 1},
		{"71", OP_LT, "70C", 0},
		{"70", OP_LE, "70 C", 1},
		{"9", OP_LT, "10", 1},
		{"3938000000", OP_GE, "3.9 GB/s", 1},
		{"1000204886016", OP_GT, "1 TB", 1},
		{"4096", OP_EQ, "4KiB", 1},
		{"4096", OP_NE, "4kB", 1},
		{"8.0", OP_EQ, "8.00", 1},
		{"8", OP_EQ, "8.0", 1},
		{"6.1", OP_EQ, "6.10", 0},
		{"6.12.8", OP_EQ, "6.12.8", 1},
		{"6.12.8", OP_EQ, "6.12", 0},
		{"6.12.8", OP_GE, "6.2", 1},
		{"6.12.8", OP_GE, "6.12.10", 0},
		{"6.12.8", OP_LT, "6.12.10", 1},
		{"6.9.1", OP_GE, "6.12", 0},
		{"6.12.0-rc3", OP_LT, "6.12.0", 1},
		{"6.12.0-rc3", OP_LT, "6.12.0-rc11", 1},
		{"6.1.0-18-amd64", OP_GE, "6.1", 1},
		{"6.1.0-18-amd64", OP_GT, "6.1", 0},
		{"3B2QGXA7", OP_GT, "2B2QGXA7", ERR_SUITE},
		{"4 KiB", OP_EQ, "4096 ns", 0},
		{"4 KiB", OP_LT, "5 s", ERR_SUITE},
		{"", OP_EQ, "", 1},
		{"", OP_LT, "5", ERR_SUITE},
		{"1.2.3.4.5.6.7.8.9", OP_LT, "2", ERR_SUITE},
		{"1.9999999999999999999.x", OP_LT, "2", ERR_SUITE},
		/* true of numbers and false of versions, or the reverse */
		{"1.10", OP_LT, "1.9", ERR_SUITE},
		{"1.9", OP_GE, "1.10", ERR_SUITE},
		{"1.10", OP_LE, "1.1", ERR_SUITE},
		{"1.10", OP_GE, "1.1", 1},
		{"1.10", OP_EQ, "1.9", 0},
		{"1.9", OP_LT, "2", 1},
		{"2.5", OP_LT, "2.7", 1},
		{"3.10 GB/s", OP_LT, "3.9 GB/s", 1}, /* a unit: no version */
	};

	(void)state;
	for (size_t i = 0; i < sizeof(c) / sizeof(*c); i++) {
		struct err e = ERR_INIT;
		int got = expr_compare(c[i].fact, c[i].op, c[i].value, &e);

		if (got != c[i].want)
			fail_msg("'%s' %s '%s' gives %d, expected %d", c[i].fact,
				 check_op_name(c[i].op), c[i].value, got, c[i].want);
		assert_int_equal(got < 0, e.code == ERR_SUITE);
	}
}

/* What the fact is decides, not what its text looks like. */
static void test_compare_fact(void **state)
{
	static const struct {
		const char *key, *fact;
		enum check_op op;
		const char *value;
		int want;
	} c[] = {
		{"device.firmware", "1.10", OP_LT, "1.9", 0},
		{"device.firmware", "1.10", OP_GT, "1.9", 1},
		{"device.firmware", "1.10", OP_EQ, "1.10", 1},
		{"device.firmware", "3B2QGXA7", OP_GT, "2B2QGXA7", ERR_SUITE},
		{"kernel.release", "6.9", OP_GE, "6.12", 0},
		{"kernel.release", "6.10", OP_LT, "6.9", 0},
		{"label.bios.version", "2.10", OP_GE, "2.9", 1},
		{"label.rack", "1.10", OP_LT, "1.9", ERR_SUITE},
		{"temperature", "45", OP_LT, "70C", 1},
		{"kernel.release", "6.12.8", OP_NE, "6.12.9", 1},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(c) / sizeof(*c); i++) {
		struct err e = ERR_INIT;
		int got = expr_compare_fact(c[i].key, c[i].fact, c[i].op, c[i].value, &e);

		if (got != c[i].want)
			fail_msg("%s '%s' %s '%s' gives %d, expected %d", c[i].key, c[i].fact,
				 check_op_name(c[i].op), c[i].value, got, c[i].want);
		assert_int_equal(got < 0, e.code == ERR_SUITE);
	}
}

static void test_prefixes(void **state)
{
	static const struct {
		const char *text;
		bool all, every;
	} c[] = {
		{"read.bw >= 5 MB/s", false, false},
		{"all targets: read.bw >= 5 MB/s", true, false},
		{"all targets : every run: read.bw >= 5 MB/s", true, true},
		{"every run: all targets: read.bw >= 5 MB/s", true, true},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(c) / sizeof(*c); i++) {
		struct err e = ERR_INIT;
		struct expr x = {0};
		struct arena a;

		arena_init(&a);
		assert_int_equal(expr_parse(c[i].text, &a, &x, &e), 0);
		assert_int_equal(x.all_targets, c[i].all);
		assert_int_equal(x.every_run, c[i].every);
		assert_string_equal(x.subject, "read.bw");
		arena_release(&a);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_prefixes),     cmocka_unit_test(test_good),
		cmocka_unit_test(test_bad),          cmocka_unit_test(test_compare),
		cmocka_unit_test(test_compare_fact),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
