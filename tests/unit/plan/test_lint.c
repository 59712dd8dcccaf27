/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "plan_test.h"

#include "engines/engine.h"

#define P "verify: crc32c, ioengine: psync, "

/* Each rule on a workload that breaks it and on its neighbour that does not. */
static void rules(void **state)
{
	struct fix *f = *state;
	static const struct {
		const char *rule;
		enum diag_level level;
		const char *bad, *good;
	} v[] = {
		/* bugs-given depth-1 */
		{"depth-on-sync-engine", DIAG_WARN, "rw: read, ioengine: psync, iodepth: 32",
		 "rw: read, ioengine: psync, numjobs: 32"},
		{"libaio-buffered", DIAG_WARN,
		 "rw: read, ioengine: libaio, iodepth: 32, direct: false",
		 "rw: read, ioengine: libaio, iodepth: 32, direct: true"},
		{"libaio-buffered", DIAG_WARN,
		 "rw: write, ioengine: libaio, iodepth: 2, direct: false",
		 "rw: write, ioengine: libaio, iodepth: 1, direct: false"},
		{"libaio-buffered", DIAG_WARN,
		 "rw: write, ioengine: libaio, iodepth: 2, direct: false",
		 "rw: write, ioengine: io_uring, iodepth: 2, direct: false"},
		{"fsync-without-write", DIAG_WARN, "rw: rw, rwmixread: 100, fsync: 1",
		 "rw: rw, rwmixread: 99, fsync: 1"},
		{"mix-without-mix", DIAG_WARN, "rw: randwrite, rwmixread: 70",
		 "rw: randrw, rwmixread: 70"},
		{"fsync-without-write", DIAG_WARN, "rw: read, fsync: 1", "rw: write, fsync: 1"},
		{"fsync-without-write", DIAG_WARN, "rw: read, sync: dsync", "rw: rw, sync: dsync"},
		{"batch-above-depth", DIAG_WARN, "rw: read, iodepth: 4, iodepth_batch_submit: 8",
		 "rw: read, iodepth: 8, iodepth_batch_submit: 8"},
		{"ramp-not-below-runtime", DIAG_ERROR, "rw: read, runtime: 2s, ramp_time: 2s",
		 "rw: read, runtime: 2s, ramp_time: 1s"},
		{"bs-not-multiple-of-512-direct", DIAG_ERROR,
		 "rw: read, ioengine: psync, bs: 1000, size: 1000",
		 "rw: read, ioengine: psync, bs: 1000, size: 1000, direct: false"},
		{"size-below-bs", DIAG_ERROR, "rw: read, size: 4k, bs: 8k",
		 "rw: read, size: 8k, bs: 8k"},
		{"size-not-multiple-of-bs", DIAG_WARN, "rw: read, size: 10000, bs: 4k",
		 "rw: read, size: 12k, bs: 4k"},
		{"short-runtime", DIAG_WARN, "rw: read, ioengine: psync, runtime: 500ms",
		 "rw: read, ioengine: psync, runtime: 1s"},
		{"no-checks", DIAG_NOTE, "rw: read}\n  - {name: z, rw: read, gate: {iops: 5%}",
		 "rw: read, gate: {iops: 5%}"},
		{"rate-below-one-per-window", DIAG_ERROR, "rw: read, rate_iops: 1, runtime: 900ms",
		 "rw: read, rate_iops: 1, runtime: 2s"},
		{"percentile-needs-samples", DIAG_WARN,
		 "rw: read, rate_iops: 999, runtime: 10s, gate: {read.clat.p99: 20%}",
		 "rw: read, rate_iops: 1000, runtime: 10s, gate: {read.clat.p99: 20%}"},
		{"percentile-needs-samples", DIAG_WARN,
		 "rw: randrw, rwmixread: 90, rate_iops: 1000, runtime: 20s, expect: "
		 "[write.clat.p99 <= 2ms]",
		 "rw: randrw, rwmixread: 90, rate_iops: 1000, runtime: 20s, expect: [read.clat.p99 "
		 "<= 2ms]"},
		{"distribution-without-random", DIAG_WARN,
		 "rw: read, random_distribution: \"zipf:1.2\"",
		 "rw: randread, random_distribution: \"zipf:1.2\""},
		{"size-below-bs", DIAG_ERROR, "rw: read, size: 8k, bsrange: 4k-16k",
		 "rw: read, size: 16k, bsrange: 4k-16k"},
		{"rate-below-one-per-window", DIAG_ERROR, "rw: read, rate: 4 kB/s, runtime: 1s",
		 "rw: read, rate: 8 kB/s, runtime: 1s"},
		{"rate-below-one-per-window", DIAG_ERROR,
		 "rw: read, rate: 8 kB/s, runtime: 1s, bssplit: \"4k/50:16k/50\"",
		 "rw: read, rate: 17 kB/s, runtime: 1s, bssplit: \"4k/50:16k/50\""},
		{"percentile-needs-samples", DIAG_WARN,
		 "rw: read, rate: 4000 kB/s, runtime: 10s, gate: {read.clat.p99: 20%}",
		 "rw: read, rate: 4200 kB/s, runtime: 10s, gate: {read.clat.p99: 20%}"},
		{"thinktime-blocks-without-thinktime", DIAG_WARN, "rw: read, thinktime_blocks: 2",
		 "rw: read, thinktime_blocks: 2, thinktime: 1ms"},
		{"thinktime-not-below-runtime", DIAG_WARN, "rw: read, runtime: 2s, thinktime: 2s",
		 "rw: read, runtime: 2s, thinktime: 1999ms"},
		{"rate-with-thinktime", DIAG_WARN, "rw: read, rate: 1 MB/s, thinktime: 1us",
		 "rw: read, rate: 1 MB/s"},
		{"rate-with-thinktime", DIAG_WARN,
		 "rw: read, rate_iops: 401, thinktime: 10ms, thinktime_blocks: 4",
		 "rw: read, rate_iops: 400, thinktime: 10ms, thinktime_blocks: 4"},
		{"contents-without-write", DIAG_WARN, "rw: read, dedupe_percentage: 5",
		 "rw: write, dedupe_percentage: 5"},
		{"contents-without-write", DIAG_WARN, "rw: randread, refill_buffers: true",
		 "rw: randrw, refill_buffers: true"},
		{"verify-not-possible", DIAG_ERROR, "rw: write, verify: crc32c",
		 "rw: write, verify: crc32c, ioengine: psync"},
		{"verify-not-possible", DIAG_ERROR, P "rw: read", P "rw: write"},
		{"verify-not-possible", DIAG_ERROR, P "rw: randrw", P "rw: randwrite"},
		{"verify-not-possible", DIAG_ERROR, P "rw: randwrite, norandommap: true",
		 P "rw: write, norandommap: true"},
		{"verify-not-possible", DIAG_ERROR,
		 P "rw: randwrite, random_distribution: \"zipf:1.2\"",
		 P "rw: randwrite, random_distribution: random"},
		{"verify-not-possible", DIAG_ERROR, P "rw: write, bssplit: \"4k/50:8k/50\"",
		 P "rw: write, bs: 8k"},
		{"verify-not-possible", DIAG_ERROR, P "rw: write, bsrange: 4k-8k",
		 P "rw: write, bs: 8k"},
		{"verify-not-possible", DIAG_ERROR, P "rw: write, dedupe_percentage: 10",
		 P "rw: write, buffer_compress_percentage: 10"},
		{"verify-not-possible", DIAG_ERROR, P "rw: write, numjobs: 2",
		 P "rw: write, numjobs: 2, files: per_job"},
		{"verify-not-possible", DIAG_ERROR, P "rw: write, files: per_job, nrfiles: 2",
		 P "rw: write, files: per_job, nrfiles: 1"},
		{"verify-not-possible", DIAG_ERROR, P "rw: write, direct: false, bs: 32",
		 P "rw: write, direct: false, bs: 64"},
		{"sim-without-sim", DIAG_WARN, "rw: read, ioengine: psync, sim: lat=100us",
		 "rw: read, ioengine: sim, sim: lat=100us"},
	};

	for (size_t i = 0; i < sizeof(v) / sizeof(v[0]); i++) {
		const struct diag *g;
		char text[512];
		int rc;

		f->o.lint_only = i % 2;
		snprintf(text, sizeof(text), HEAD "  - {name: a, %s}\n", v[i].bad);
		rc = fix_plan(f, text);
		g = fix_rule(f, v[i].rule);
		if (!g)
			print_message("%s: %s\n", v[i].rule, v[i].bad);
		assert_non_null(g);
		assert_int_equal(g->level, v[i].level);
		assert_int_equal(g->line, 5);
		assert_int_equal(rc, v[i].level == DIAG_ERROR ? ERR_SUITE : 0);
		snprintf(text, sizeof(text), HEAD "  - {name: a, %s}\n", v[i].good);
		fix_plan(f, text);
		if (fix_rule(f, v[i].rule))
			print_message("%s: %s\n", v[i].rule, v[i].good);
		assert_null(fix_rule(f, v[i].rule));
	}
}

/* A suite that judges nothing says so once, and a reason makes it a note. */
static void nothing_judged(void **state)
{
	struct fix *f = *state;
	const char *const told = "no workload has a gate or an expect";

	fix_ok(f, HEAD "  - {name: a, rw: read}\n  - {name: b, rw: read}\n");
	assert_int_equal(f->diags.warnings, 1);
	assert_part(fix_rule(f, "no-checks")->text, told);
	fix_ok(f, HEAD "  - {name: a, rw: read, canary: true}\n");
	assert_int_equal(f->diags.warnings, 1);
	fix_ok(f,
	       HEAD "  - {name: a, rw: read}\n  - {name: b, rw: read, expect: [read.iops >= 1]}\n");
	assert_int_equal(f->diags.warnings, 0);
	assert_int_equal(fix_rule(f, "no-checks")->level, DIAG_NOTE);
	assert_int_equal(fix_count(f, "no-checks"), 1);
	fix_ok(f, "waive: {no-checks: figures only}\n" HEAD
		  "  - {name: a, rw: read}\n  - {name: b, rw: read}\n");
	assert_int_equal(f->diags.warnings, 0);
	assert_part(fix_rule(f, "no-checks")->text, "(waived: figures only)");
	/* one reason excuses its own workload */
	fix_ok(f, HEAD "  - {name: a, rw: read, waive: {no-checks: x}}\n  - {name: b, rw: read}\n");
	assert_int_equal(f->diags.warnings, 1);
}

/* Of a rule about several words the one concerned is named, and its place. */
static void place_of_the_word(void **state)
{
	struct fix *f = *state;
	static const struct {
		const char *keys, *text;
	} v[] = {
		{"rw: randread, fdatasync: 1", "fdatasync has no effect: rw is randread"},
		{"rw: randread, end_fsync: true", "end_fsync has no effect"},
		{"rw: randread, sync: dsync", "sync has no effect"},
		{"rw: randread, fsync: 1, sync: dsync", "fsync, sync have no effect"},
		{"rw: read, iodepth: 4, iodepth_batch_submit: 8", "iodepth_batch_submit 8 is more"},
	};

	for (size_t i = 0; i < sizeof(v) / sizeof(v[0]); i++) {
		char text[512];
		const struct diag *g;
		const char *word = i == 3 ? "fsync: 1" : strrchr(v[i].keys, ',') + 2, *line;

		snprintf(text, sizeof(text), HEAD "  - {name: a, %s, gate: {iops: 5%%}}\n",
			 v[i].keys);
		fix_ok(f, text);
		g = fix_find(f, v[i].text);
		assert_non_null(g);
		line = strstr(text, "  - {name");
		assert_int_equal(g->column, strstr(line, word) - line + 1 + strcspn(word, ":") + 2);
	}
	/* a value that a parameter gave */
	fix_ok(f,
	       "parameters: {d: 4}\n" HEAD
	       "  - {name: a, rw: read, ioengine: psync, iodepth: \"${d}\", gate: {iops: 5%}}\n");
	assert_part(fix_rule(f, "depth-on-sync-engine")->text, "(d=4 of suite.yaml:1:14)");
}

static void once_a_workload(void **state)
{
	struct fix *f = *state;

	fix_ok(f, HEAD "  - {name: a, rw: read, ioengine: psync, iodepth: 8, matrix: {bs: [4k, 8k, "
		       "16k]}}\n");
	assert_int_equal(fix_count(f, "depth-on-sync-engine"), 1);
	/* what stands in defaults for others is no mistake of a reader */
	fix_ok(f, "blkgate: 1\nname: t\ndefaults: {ioengine: sim, size: 1MiB, fsync: 1, rwmixread: "
		  "70}\n"
		  "workloads:\n  - {name: a, rw: read}\n  - {name: b, rw: write}\n");
	assert_null(fix_rule(f, "fsync-without-write"));
	assert_null(fix_rule(f, "mix-without-mix"));
}

static void waiving(void **state)
{
	struct fix *f = *state;
	const struct diag *g;

	fix_ok(f, HEAD "  - name: a\n    rw: read\n    ioengine: psync\n    iodepth: 8\n"
		       "    gate: {iops: 5%}\n    waive: {depth-on-sync-engine: kept equal to the "
		       "other suite}\n");
	g = fix_rule(f, "depth-on-sync-engine");
	assert_non_null(g);
	assert_int_equal(g->level, DIAG_NOTE); /* never silent */
	assert_part(g->text, "waived: kept equal");
	assert_int_equal(f->diags.warnings, 0);

	fix_ok(f, HEAD
	       "  - {name: a, rw: read, gate: {iops: 5%}, waive: {depth-on-sync-engine: why}}\n");
	assert_non_null(fix_rule(f, "unused-waiver"));
	/* without a block device it cannot fire: no ground to call the waiver unused */
	fix_ok(f, HEAD
	       "  - {name: a, rw: randwrite, waive: {precondition: the card is under test}}\n");
	assert_null(fix_rule(f, "unused-waiver"));

	fix_refused(f, HEAD "  - {name: a, rw: read, size: 1k, waive: {size-below-bs: why}}\n",
		    "cannot be waived");
	g = fix_refused(
		f,
		HEAD
		"  - {name: a, rw: read, gate: {iops: 5%}, waive: {depth-on-sync-engin: why}}\n",
		"no rule 'depth-on-sync-engin'");
	assert_part(g->hint, "depth-on-sync-engine");
}

/* What reader and expansion find can be waived like what lint finds, and is missed in the same way.
 */
static void one_list_of_rules(void **state)
{
	struct fix *f = *state;
	static const struct {
		const char *rule, *top, *workload, *clean_top, *clean;
	} v[] = {
		{"unused-parameter", "parameters: {x: 1}\n", "rw: read", "", "rw: read"},
		{"unknown-fact", "requires: [a.b == c]\n", "rw: read",
		 "requires: [target.type == dir]\n", "rw: read"},
		{"exclude-matches-nothing", "",
		 "rw: read, matrix: {bs: [4k, 8k], iodepth: [1, 2]}, "
		 "exclude: [{bs: 8k}, {bs: 8k, iodepth: 1}]",
		 "", "rw: read, matrix: {bs: [4k, 8k], iodepth: [1, 2]}, exclude: [{bs: 8k}]"},
		{"depth-on-sync-engine", "", "rw: read, ioengine: psync, iodepth: 2", "",
		 "rw: read, ioengine: psync"},
	};

	f->o.lint_only = true;
	for (size_t i = 0; i < sizeof(v) / sizeof(v[0]); i++) {
		const struct diag *g;
		char text[1024], waive[128];

		snprintf(waive, sizeof(waive), "waive: {%s: it is so}\n", v[i].rule);
		for (int waived = 0; waived < 2; waived++) {
			snprintf(text, sizeof(text),
				 "blkgate: 1\nname: t\n%s%sdefaults: {ioengine: sim, size: 1MiB}\n"
				 "workloads:\n  - {name: a, gate: {iops: 5%%}, %s}\n",
				 v[i].top, waived ? waive : "", v[i].workload);
			fix_ok(f, text);
			g = fix_rule(f, v[i].rule);
			assert_non_null(g);
			assert_int_equal(g->level, waived ? DIAG_NOTE : DIAG_WARN);
			assert_int_equal(f->diags.warnings, !waived);
			assert_int_equal(strstr(g->text, "(waived: it is so)") != NULL, waived);
		}
		snprintf(text, sizeof(text),
			 "blkgate: 1\nname: t\n%s%sdefaults: {ioengine: sim, size: 1MiB}\n"
			 "workloads:\n  - {name: a, gate: {iops: 5%%}, %s}\n",
			 v[i].clean_top, waive, v[i].clean);
		fix_ok(f, text);
		assert_null(fix_rule(f, v[i].rule));
		assert_non_null(fix_rule(f, "unused-waiver"));
		assert_int_equal(f->diags.warnings, 1);
	}
	/* also the waiver that finds nothing; but not itself */
	fix_ok(f, HEAD "  - {name: a, rw: read, gate: {iops: 5%}, waive: {short-runtime: x, "
		       "unused-waiver: shared text}}\n");
	assert_int_equal(f->diags.warnings, 0);
	assert_int_equal(fix_count(f, "unused-waiver"), 1);
	fix_ok(f, HEAD
	       "  - {name: a, rw: read, gate: {iops: 5%}, waive: {unused-waiver: shared text}}\n");
	assert_int_equal(f->diags.warnings, 1);
}

/* The rule is about what was written; what `auto` found is announced. */
static void libaio_by_auto(void **state)
{
	struct fix *f = *state;
	struct err e = ERR_INIT;
	size_t said = 0;

	if (engine_probe(engine_find("libaio"), &e) < 0) {
		print_message("libaio cannot be used here: %s\n", e.text);
		skip();
	}
	fix_ok(f, HEAD "  - {name: a, rw: read, ioengine: libaio, iodepth: 8, direct: auto}\n"
		       "  - {name: b, rw: read, ioengine: libaio, iodepth: 16, direct: auto}\n");
	assert_null(fix_rule(f, "libaio-buffered"));
	for (size_t i = 0; i < f->plan.notices.n; i++)
		said += strstr(f->plan.notices.v[i], "iodepth has no effect on 'dut'") != NULL;
	assert_int_equal(said, !f->plan.jobs[0].direct);
}

static void hand_made_block_device(void **state)
{
	struct fix *f = *state;

	fix_ok(f, HEAD "  - {name: a, rw: randwrite, ioengine: psync, gate: {iops: 5%}}\n");
	assert_null(fix_rule(f, "precondition"));
	f->plan.targets[0].kind = TARGET_BLOCK;
	facts_set(&f->plan.targets[0].facts, &f->plan.arena, "device.rotational", "1", NULL);
	plan_lint(&f->plan, &f->diags);
	assert_null(fix_rule(f, "precondition"));
	facts_set(&f->plan.targets[0].facts, &f->plan.arena, "device.rotational", "0", NULL);
	plan_lint(&f->plan, &f->diags);
	assert_non_null(fix_rule(f, "precondition"));
}

static void fact(struct fix *f, size_t target, const char *key, const char *value)
{
	facts_set(&f->plan.targets[target].facts, &f->plan.arena, key, value, NULL);
}

static const struct diag *lint_again(struct fix *f, const char *rule)
{
	diags_release(&f->diags);
	diags_init(&f->diags);
	plan_lint(&f->plan, &f->diags);
	return fix_rule(f, rule);
}

/* A note that becomes a warning where the facts say that the target compresses. */
static void who_compresses(void **state)
{
	struct fix *f = *state;
	static const struct {
		const char *type, *options, *device;
		bool yes;
	} v[] = {
		{"ext4", "rw", "sda", false},
		{"btrfs", "rw,ssd", "sda", false},
		{"btrfs", "rw,compress=zstd:3,ssd", "sda", true},
		{"btrfs", "rw,compress-force=zstd", "sda", true},
		{"btrfs", "rw,compress=no", "sda", false},
		{"f2fs", "rw,compress_algorithm=lz4", "sda", true},
		{"ext4", "rw", "zram0", true},
		{"zfs", "rw", "sda", true},
	};

	fix_ok(f, HEAD "  - {name: a, rw: write, ioengine: psync, gate: {iops: 5%}}\n");
	for (size_t i = 0; i < sizeof(v) / sizeof(v[0]); i++) {
		const struct diag *g;

		fact(f, 0, "fs.type", v[i].type);
		fact(f, 0, "fs.options", v[i].options);
		fact(f, 0, "device.name", v[i].device);
		g = lint_again(f, "compressible-data");
		assert_non_null(g);
		assert_int_equal(g->level, v[i].yes ? DIAG_WARN : DIAG_NOTE);
	}
	fix_ok(f, HEAD "  - {name: a, rw: write, ioengine: psync, buffer_compress_percentage: 40, "
		       "gate: {iops: 5%}}\n");
	fact(f, 0, "fs.type", "zfs"); /* on purpose, there too */
	assert_int_equal(lint_again(f, "compressible-data")->level, DIAG_NOTE);
}

static void memory_of_the_machine(void **state)
{
	struct fix *f = *state;
	static const struct {
		const char *size, *memory;
		bool found;
	} v[] = {
		{"1GiB", NULL, true},       {"1025MiB", NULL, false},   {"12GiB", "16 GiB", true},
		{"13GiB", "16 GiB", false}, {"1GiB", "0.5 GiB", false},
	};
	char text[512];

	for (size_t i = 0; i < sizeof(v) / sizeof(v[0]); i++) {
		snprintf(text, sizeof(text),
			 HEAD "  - {name: a, rw: read, ioengine: psync, direct: false, runtime: "
			      "10s, size: %s}\n",
			 v[i].size);
		fix_ok(f, text);
		facts_set(&f->plan.host, &f->plan.arena, "memory.total", v[i].memory, "unknown");
		assert_int_equal(lint_again(f, "page-cache") != NULL, v[i].found);
	}
	/* each job has its own gigabyte */
	fix_ok(f,
	       HEAD "  - {name: a, rw: read, ioengine: psync, direct: false, runtime: 10s, size: "
		    "1GiB, numjobs: 2, files: per_job}\n");
	facts_set(&f->plan.host, &f->plan.arena, "memory.total", NULL, "unknown");
	assert_null(lint_again(f, "page-cache"));
}

/* A mixture is meant; who writes what the other works on, and two targets of one drive, are not. */
static void at_the_same_time(void **state)
{
	struct fix *f = *state;
	static const char pair[] =
		HEAD "  - {name: a, rw: read, ioengine: psync, runtime: 2s}\n"
		     "  - {name: b, rw: %s, ioengine: psync, runtime: 2s, stonewall: false, "
		     "offset: %s}\n";
	char text[512];

	snprintf(text, sizeof(text), pair, "write", "0");
	fix_ok(f, text);
	assert_int_equal(fix_rule(f, "concurrent-on-device")->level, DIAG_WARN);
	snprintf(text, sizeof(text), pair, "write", "1MiB");
	fix_ok(f, text);
	assert_int_equal(fix_rule(f, "concurrent-on-device")->level, DIAG_NOTE);
	snprintf(text, sizeof(text), pair, "read", "0");
	fix_ok(f, text);
	assert_int_equal(fix_rule(f, "concurrent-on-device")->level, DIAG_NOTE);

	f->arg[0] = (struct target_arg){"a", f->dir};
	f->arg[1] = (struct target_arg){"b", "/"};
	f->o.ntargets = 2;
	fix_ok(f, HEAD "  - {name: a, rw: read, ioengine: psync, runtime: 2s, targets: all}\n");
	fact(f, 0, "device.name", "sda");
	fact(f, 1, "device.name", "sdb");
	fact(f, 0, "device.serial", "S1");
	fact(f, 1, "device.serial", "S2");
	assert_null(lint_again(f, "concurrent-on-device"));
	fact(f, 1, "device.name", "sda"); /* two partitions */
	assert_int_equal(lint_again(f, "concurrent-on-device")->level, DIAG_WARN);
	fact(f, 1, "device.name", "sdb"); /* two namespaces */
	fact(f, 1, "device.serial", "S1");
	fact(f, 0, "device.model", "M");
	fact(f, 1, "device.model", "M");
	assert_part(lint_again(f, "concurrent-on-device")->text, "'a' and 'b' are of one drive");
}

static void label_under_test(void **state)
{
	struct fix *f = *state;
	const char *const text =
		"labels: {adapter: required}\ncompare: {under_test: "
		"[label.adapter]}\n" HEAD "  - {name: a, rw: read, gate: {iops: 5%}}\n";
	struct setting label[] = {{"a.adapter", "x"}, {"b.adapter", "x"}};

	f->arg[0] = (struct target_arg){"a", f->dir};
	f->arg[1] = (struct target_arg){"b", "/"};
	f->o.ntargets = 2;
	f->o.labels = label;
	f->o.nlabels = 2;
	fix_ok(f, text);
	assert_part(fix_rule(f, "label-repeats")->text, "label.adapter is under test and is 'x'");
	label[1].value = "y";
	fix_ok(f, text);
	assert_null(fix_rule(f, "label-repeats"));
}

/* What is sure to be too much, and no guess. */
static void budgets(void **state)
{
	struct fix *f = *state;

	fix_ok(f, "budget: {written: 60 MB}\n" HEAD
		  "  - {name: a, rw: write, ioengine: psync, size: 1MiB, runs: 5, gate: {iops: "
		  "5%}}\n");
	assert_null(fix_rule(f, "budget-below-sessions")); /* a file and five runs, five times */
	fix_ok(f, "budget: {written: 20 MB}\n" HEAD
		  "  - {name: a, rw: write, ioengine: psync, size: 1MiB, runs: 5, gate: {iops: "
		  "5%}}\n");
	assert_part(fix_rule(f, "budget-below-sessions")->text, "holds 3 of 5 sessions");
	fix_ok(f, "budget: {written: 20 MB}\n" HEAD
		  "  - {name: a, rw: write, ioengine: psync, size: 1MiB, runs: 5, gate: {iops: "
		  "{tolerance: 5%, role: watch}}}\n");
	assert_null(fix_rule(f, "budget-below-sessions")); /* watches ask for no further session */
	fix_ok(f, HEAD "  - {name: a, rw: read, ioengine: psync, runtime: 10min, gate: {iops: "
		       "5%}}\n");
	assert_part(fix_rule(f, "budget-missing")->text, "when it has to be over");
	fix_ok(f, "budget: {time: 6h}\n" HEAD
		  "  - {name: a, rw: read, ioengine: psync, runtime: 10min, gate: {iops: 5%}}\n");
	assert_null(fix_rule(f, "budget-missing"));
}

static void script_of_sim(void **state)
{
	struct fix *f = *state;

	fix_ok(f, HEAD "  - {name: a, rw: read, sim: \"lat=100us,jitter=10%\"}\n");
	assert_string_equal(f->plan.jobs[0].sim, "lat=100us,jitter=10%");
	fix_refused_somewhere(f, HEAD "  - {name: a, rw: read, sim: \"latency=100us\"}\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(rules),
		TEST(nothing_judged),
		TEST(place_of_the_word),
		TEST(once_a_workload),
		TEST(waiving),
		TEST(one_list_of_rules),
		TEST(libaio_by_auto),
		TEST(hand_made_block_device),
		TEST(script_of_sim),
		TEST(who_compresses),
		TEST(memory_of_the_machine),
		TEST(at_the_same_time),
		TEST(label_under_test),
		TEST(budgets),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
