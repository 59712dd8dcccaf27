/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "plan_test.h"

#include <math.h>

static const struct check *check_of(const struct fix *f, size_t job, const char *name)
{
	for (size_t i = 0; i < f->plan.nchecks; i++)
		if (f->plan.checks[i].job == job && strcmp(f->plan.checks[i].name, name) == 0)
			return &f->plan.checks[i];
	return NULL;
}

static void gates(void **state)
{
	struct fix *f = *state;
	const struct check *c;

	fix_ok(f, HEAD "  - name: a\n    rw: randrw\n"
		       "    gate: {iops: 5%, read.clat.p99: {tolerance: +50ms, role: watch}}\n"
		       "  - {name: b, rw: read, gate: {iops: 3%}}\n");
	assert_int_equal(f->plan.nchecks, 4);
	c = check_of(f, 0, "gate read.iops");
	assert_non_null(c);
	assert_int_equal(c->kind, CHECK_GATE);
	assert_string_equal(c->metric, "read.iops");
	assert_string_equal(c->text, "iops: 5%");
	assert_true(c->tolerance == 0.05 && !c->absolute);
	assert_int_equal(c->role, ROLE_PRIMARY);
	assert_null(c->skipped);
	assert_null(c->known.ticket);
	assert_non_null(check_of(f, 0, "gate write.iops"));
	c = check_of(f, 0, "gate read.clat.p99");
	assert_true(c->absolute && c->tolerance == 50e6);
	assert_int_equal(c->role, ROLE_WATCH);
	assert_non_null(check_of(f, 1, "gate read.iops"));
	assert_null(check_of(f, 1, "gate write.iops"));
}

static void expectations(void **state)
{
	struct fix *f = *state;
	const struct check *c;

	fix_ok(f, "blkgate: 1\nname: t\ndatasheet: {seq_read: 3230 MB/s}\n"
		  "defaults: {ioengine: sim, size: 1MiB}\nworkloads:\n"
		  "  - name: a\n    rw: read\n    expect:\n"
		  "      - read.bw >= 80% of link\n"
		  "      - read.bw >= 90% of datasheet.seq_read\n"
		  "      - read.bw > 1 GB/s\n"
		  "      - \"every run: read.bw > 0.9 GB/s\"\n"
		  "      - read.clat.p99 <= 2ms\n");
	assert_int_equal(f->plan.nchecks, 5);
	c = check_of(f, 0, "expect read.bw min of link");
	assert_non_null(c);
	assert_true(c->limit == 0.8 && isnan(c->reference));
	assert_string_equal(c->percent_of, "link");
	assert_part(c->reference_why, "not known on 'dut'");
	c = check_of(f, 0, "expect read.bw min of datasheet.seq_read");
	assert_non_null(c);
	assert_true(c->reference == 3230e6);
	assert_null(c->reference_why);
	c = check_of(f, 0, "expect read.bw min");
	assert_true(c->limit == 1e9 && c->op == OP_GT && !c->every_run && !c->percent_of);
	assert_int_equal(c->line, 11);
	assert_true(check_of(f, 0, "expect read.bw min every run")->every_run);
	c = check_of(f, 0, "expect read.clat.p99 max");
	assert_true(c->limit == 2e6 && c->op == OP_LE);
	assert_string_equal(c->text, "read.clat.p99 <= 2ms");
}

/* Whichever instance comes first: a mix of 0 or 100 has one direction, and others keep theirs. */
static void mixes(void **state)
{
	struct fix *f = *state;
	static const struct {
		const char *order;
		int reads[3], writes[3];
	} v[] = {
		{"100, 50, 0", {1, 1, 0}, {0, 1, 1}},
		{"50, 0, 100", {1, 0, 1}, {1, 1, 0}},
		{"0, 100, 50", {0, 1, 1}, {1, 0, 1}},
	};

	for (size_t i = 0; i < sizeof(v) / sizeof(v[0]); i++) {
		char text[512];

		snprintf(
			text, sizeof(text),
			HEAD
			"  - {name: a, rw: randrw, matrix: {rwmixread: [%s]}, gate: {iops: 5%%}}\n",
			v[i].order);
		fix_ok(f, text);
		for (size_t k = 0; k < 3; k++) {
			assert_int_equal(check_of(f, k, "gate read.iops") != NULL, v[i].reads[k]);
			assert_int_equal(check_of(f, k, "gate write.iops") != NULL, v[i].writes[k]);
		}
	}
	fix_refused(f, HEAD "  - {name: a, rw: randrw, rwmixread: 100, gate: {write.iops: 5%}}\n",
		    "is randrw with rwmixread 100 and has no write.iops");
	fix_refused(f,
		    HEAD "  - {name: a, rw: randrw, rwmixread: 100, direct: auto, gate: "
			 "{sync.lat.p99: 5%}}\n",
		    "never syncs");
}

/* Law 1: what cannot fail, or cannot be measured, is no check. */
static void refused(void **state)
{
	struct fix *f = *state;
	static const struct {
		const char *keys, *text, *hint;
	} bad[] = {
		{"rw: read, gate: {read.bw: 100%}", "cannot fail", "role: watch"},
		{"rw: read, gate: {read.bww: 5%}", "metric 'read.bww' is unknown", "read.bw"},
		{"rw: read, gate: {read.p99: 5%}", "metric 'read.p99' is unknown",
		 "did you mean 'read.clat.p99'?"},
		{"rw: read, expect: [p99.9 <= 5ms]", "unknown", "did you mean 'clat.p99.9'?"},
		{"rw: write, fsync: 1, expect: [sync.mean <= 5ms]", "unknown", "'sync.lat.mean'?"},
		{"rw: read, gate: {write.bw: 5%}", "has no write.bw", "'bw'"},
		{"rw: read, gate: {bw: 5%, read.bw: 3%}", "two gates on read.bw", ""},
		{"rw: read, gate: {read.bw: +5ms}", "does not fit read.bw", "read.bw: 5%"},
		{"rw: read, ioengine: psync, gate: {read.slat.p99: 5%}", "is synchronous", ""},
		{"rw: write, direct: true, gate: {sync.lat.p99: 5%}", "it never syncs", "fsync: 1"},
		{"rw: read, runs: 4, gate: {read.bw: 5%}", "only 4 runs a session", "5 runs"},
		{"rw: read, expect: [read.bw >= 2ms]", "does not fit read.bw", ""},
		{"rw: read, expect: [read.iops >= 80% of link]", "link is a bandwidth", "read.bw"},
		{"rw: read, expect: [read.bw >= 80% of datasheet.nix]", "no 'nix'", "nix"},
		{"rw: read, expect: [read.bw >= 1 MB/s, read.bw > 2 MB/s]", "two floors of", ""},
		{"rw: read, expect: [read.clat.p99 <= 1ms, clat.p99 <= 2ms]", "two ceilings", ""},
		{"rw: read, expect: [read.bw == 1 MB/s]", "never exactly equal", ">="},
		{"rw: read, expect: [spread(read.bw) <= 20%]", "one target has no spread",
		 "two at least"},
		{"rw: read, expect: [spread(read.bw) >= 20%]", "missed when it is large", "<= 20%"},
		{"rw: read, expect: [\"every run: spread(read.bw) <= 20%\"]", "of the medians", ""},
		{"rw: read, expect: [spread(read.bw) <= 20% of link]", "of the median of the", ""},
		{"rw: read, expect: [read.bw >= 0 MB/s]", "cannot fail", ""},
		{"rw: read, expect: [\"every run: read.iops >= 0.0\"]", "cannot fail", ""},
	};

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		char text[512];

		snprintf(text, sizeof(text), HEAD "  - {name: a, %s}\n", bad[i].keys);
		assert_part(fix_refused(f, text, bad[i].text)->hint, bad[i].hint);
		assert_int_equal(f->diags.errors, 1);
	}
	/* watched only: nothing to fail, and said so */
	fix_ok(f,
	       HEAD "  - {name: a, rw: read, gate: {read.bw: {tolerance: 100%, role: watch}}}\n");
	/* fewer runs are for workloads without gates */
	fix_ok(f, HEAD "  - {name: a, rw: read, runs: 1, expect: [read.bw >= 1 MB/s]}\n");
	f->o.runs = 3;
	fix_refused(f, HEAD "  - {name: a, rw: read, gate: {read.bw: 5%}}\n",
		    "--runs 3 is too few");
}

/* Written once, told once, where it is written. */
static void few_runs_of_all(void **state)
{
	struct fix *f = *state;
	const struct diag *g;

	g = fix_refused(
		f,
		"blkgate: 1\nname: t\ndefaults: {ioengine: sim, size: 1MiB, runs: 3}\nworkloads:\n"
		"  - {name: a, rw: read, gate: {read.bw: 5%}}\n"
		"  - {name: b, rw: read, gate: {read.bw: 5%}}\n",
		"only 3 runs a session");
	assert_int_equal(f->diags.errors, 1);
	assert_int_equal(g->line, 3);
	assert_int_equal(g->column, 45);
}

static void known_entries(void **state)
{
	struct fix *f = *state;
	const char *const body =
		"workloads:\n  - {name: a, rw: read, matrix: {bs: [4k, 8k]}, gate: {iops: 5%}}\n";
	const char *const head = "blkgate: 1\nname: t\ndefaults: {ioengine: sim, size: 1MiB}\n";
	char text[1024];

	f->arg[0].role = "x";
	f->arg[1] = (struct target_arg){"y", "/tmp"};
	f->o.ntargets = 2;
	snprintf(text, sizeof(text),
		 "%s%sknown:\n  - {check: \"a:bs=4KiB gate read.iops\", "
		 "no_worse_than: 9%%, ticket: S-1, until: 2099-01-31}\n",
		 head, body);
	fix_ok(f, text);
	assert_int_equal(f->plan.nchecks, 4);
	assert_string_equal(f->plan.checks[0].known.ticket, "S-1");
	assert_string_equal(f->plan.checks[1].known.ticket, "S-1");
	assert_true(f->plan.checks[1].known.no_worse_than == 0.09);
	assert_true(f->plan.checks[1].known.until > 0);
	assert_null(f->plan.checks[2].known.ticket);

	snprintf(text, sizeof(text),
		 "%s%sknown:\n  - {check: \"a:bs=4097 gate read.iops\", "
		 "no_worse_than: 9%%, ticket: S-1, until: 2099-01-31}\n",
		 head, body);
	assert_part(fix_refused(f, text, "no workload 'a:bs=4097'")->hint, "a:bs=4KiB");
	snprintf(text, sizeof(text),
		 "%s%sknown:\n  - {check: \"a:bs=4KiB gate read.iop\", "
		 "no_worse_than: 9%%, ticket: S-1, until: 2099-01-31}\n",
		 head, body);
	assert_part(fix_refused(f, text, "no check 'gate read.iop'")->hint, "gate read.iops");
	snprintf(text, sizeof(text),
		 "%s%sknown:\n  - {check: \"a:bs=4KiB gate read.iops\", "
		 "no_worse_than: 4%%, ticket: S-1, until: 2099-01-31}\n",
		 head, body);
	fix_ok(f, text);
	assert_non_null(fix_rule(f, "known-within-tolerance"));
	assert_int_equal(f->diags.warnings, 1);
	/* a reason turns it into a note, in the suite or in the workload */
	snprintf(text, sizeof(text),
		 "%swaive: {known-within-tolerance: it moves}\n%sknown:\n"
		 "  - {check: \"a:bs=4KiB gate read.iops\", "
		 "no_worse_than: 4%%, ticket: S-1, until: 2099-01-31}\n",
		 head, body);
	fix_ok(f, text);
	assert_int_equal(f->diags.warnings, 0);
	assert_part(fix_rule(f, "known-within-tolerance")->text, "(waived: it moves)");

	/* a day that is over, once for both targets */
	snprintf(text, sizeof(text),
		 "%s%sknown:\n  - {check: \"a:bs=4KiB gate read.iops\", "
		 "no_worse_than: 9%%, ticket: S-1, until: 2020-01-31}\n",
		 head, body);
	fix_ok(f, text);
	assert_int_equal(fix_count(f, "known-expired"), 1);
	assert_int_equal(f->diags.warnings, 1);
	assert_part(fix_rule(f, "known-expired")->text, "until 2020-01-31");
	assert_int_equal(fix_rule(f, "known-expired")->line, 7);
}

static void selection(void **state)
{
	struct fix *f = *state;
	const char *const text =
		HEAD "  - {name: a, rw: read, gate: {iops: 5%, bw: 5%}}\n"
		     "  - {name: b, rw: read, matrix: {bs: [4k, 8k]}, gate: {bw: 5%}}\n";

	f->o.only = "b";
	fix_ok(f, text);
	assert_int_equal(f->plan.njobs, 3); /* constant, whatever is selected */
	assert_int_equal(f->plan.nchecks, 4);
	assert_int_equal(f->plan.jobs[0].state, JOB_SKIPPED);
	assert_string_equal(f->plan.jobs[0].why, "not selected by --only b");
	assert_int_equal(f->plan.jobs[1].state, JOB_READY);
	f->o.only = "b:bs=8*";
	fix_ok(f, text);
	assert_int_equal(f->plan.jobs[1].state, JOB_SKIPPED);
	assert_int_equal(f->plan.jobs[2].state, JOB_READY);
	f->o.only = "nix*";
	assert_int_equal(fix_plan(f, text), ERR_SUITE);
	assert_part(f->err.text, "--only 'nix*' selects no workload");

	f->o.only = NULL;
	f->o.check = "gate *.iops";
	fix_ok(f, text);
	assert_null(f->plan.checks[0].skipped);
	assert_string_equal(f->plan.checks[1].skipped, "not selected by --check gate *.iops");
	assert_int_equal(f->plan.jobs[0].state, JOB_READY);
	assert_int_equal(f->plan.jobs[1].state, JOB_SKIPPED);
	f->o.check = "nix";
	assert_int_equal(fix_plan(f, text), ERR_SUITE);
	assert_part(f->err.text, "--check 'nix' selects no check");
}

/* Once a workload: beside the first target, or of the total. */
static void spread(void **state)
{
	struct fix *f = *state;
	static const char *const bad[][2] = {
		{"spread(read.bw) <= 10 MB/s", "share of the median"},
		{"spread(read.bw) <= 0%", "share of the median"},
		{"spread(bw.drift) <= 5%", "lies around 0"},
		{"spread(write.bw) <= 5%", "has no write.bw"},
	};
	char text[512];

	f->arg[0] = (struct target_arg){"a", f->dir};
	f->arg[1] = (struct target_arg){"b", "/"};
	f->o.ntargets = 2;
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		snprintf(text, sizeof(text), HEAD "  - {name: a, rw: read, expect: [%s]}\n",
			 bad[i][0]);
		fix_refused(f, text, bad[i][1]);
	}
	fix_ok(f, HEAD "  - {name: a, rw: rw, matrix: {bs: [4k, 8k]}, expect: [spread(iops) <= "
		       "20%, read.iops >= 1]}\n");
	assert_int_equal(f->plan.njobs, 4);
	assert_int_equal(f->plan.nchecks, 8); /* two spreads an instance, one floor a job */
	for (size_t i = 0, n = 0; i < f->plan.nchecks; i++) {
		const struct check *c = &f->plan.checks[i];

		if (!c->spread)
			continue;
		assert_int_equal(f->plan.jobs[c->job].target, 0);
		assert_string_equal(c->name, n++ % 2 ? "expect spread(write.iops) max"
						     : "expect spread(read.iops) max");
		assert_true(c->limit > 0.199 && c->limit < 0.201);
		assert_int_equal(c->op, OP_LE);
	}
	fix_ok(f, HEAD "  - {name: a, rw: read, runtime: 1s, targets: all, expect: [spread(iops) "
		       "<= 20%]}\n");
	assert_int_equal(f->plan.nchecks, 1);
	assert_true(f->plan.jobs[f->plan.checks[0].job].total);
	f->o.lint_only = true; /* nobody knows how many there will be */
	f->o.ntargets = 0;
	fix_ok(f, HEAD "  - {name: a, rw: read, expect: [spread(read.bw) <= 20%]}\n");
	assert_int_equal(f->plan.nchecks, 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(spread),  TEST(gates),           TEST(mixes),         TEST(expectations),
		TEST(refused), TEST(few_runs_of_all), TEST(known_entries), TEST(selection),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
