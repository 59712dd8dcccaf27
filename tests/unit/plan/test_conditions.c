/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "plan_test.h"
#include "recorded.h"

#include <sys/stat.h>

#define WITH(keys)                                                                                 \
	"blkgate: 1\nname: t\n" keys "defaults: {ioengine: sim, size: 1MiB}\nworkloads:\n"

static void targets_and_roles(void **state)
{
	struct fix *f = *state;
	const char *const text = HEAD "  - {name: a, rw: read}\n";

	f->o.ntargets = 0;
	assert_int_equal(fix_plan(f, text), ERR_USAGE);
	assert_part(f->err.text, "no target");
	f->o.ntargets = 2;
	f->arg[0] = (struct target_arg){"x", f->dir};
	f->arg[1] = (struct target_arg){NULL, f->dir};
	assert_int_equal(fix_plan(f, text), ERR_USAGE);
	assert_part(f->err.text, "no role name");
	f->arg[1].role = "x";
	assert_int_equal(fix_plan(f, text), ERR_USAGE);
	assert_part(f->err.text, "given to two targets");
	f->arg[1].role = "a b";
	assert_int_equal(fix_plan(f, text), ERR_USAGE);
	f->o.ntargets = 1;
	f->arg[0].role = NULL;
	fix_ok(f, text);
	assert_string_equal(f->plan.targets[0].role, "dut");
}

/* bugs-given exit-zero-1, no-dev-2: one target that is not there fails its own jobs and no other.
 */
static void missing_target(void **state)
{
	struct fix *f = *state;

	f->arg[0] = (struct target_arg){"here", f->dir};
	f->arg[1] = (struct target_arg){"gone", "/nonexistent/disk"};
	f->arg[2] = (struct target_arg){"tty", "/dev/null"};
	f->o.ntargets = 3;
	fix_ok(f, WITH("requires: [target.type == dir]\n") "  - {name: a, rw: read, gate: {iops: "
							   "5%}}\n");
	assert_int_equal(f->plan.njobs, 3);
	assert_int_equal(f->plan.nchecks, 3);
	assert_int_equal(f->plan.jobs[0].state, JOB_READY);
	assert_int_equal(f->plan.jobs[1].state, JOB_ERROR);
	assert_part(f->plan.jobs[1].why, "/nonexistent/disk");
	assert_int_equal(f->plan.jobs[2].state, JOB_ERROR);
	assert_int_equal(f->plan.targets[1].kind, TARGET_NONE);
	assert_string_equal(f->plan.targets[1].role, "gone");
	assert_null(f->plan.setup_error);
}

static void requirements(void **state)
{
	struct fix *f = *state;

	fix_ok(f, WITH("requires: [target.type == dir, kernel.release >= 2.6]\n") "  - {name: a, "
										  "rw: read}\n");
	assert_null(f->plan.setup_error);
	fix_ok(f, WITH("requires: [target.type == block]\n") "  - {name: a, rw: read}\n");
	assert_int_equal(f->plan.setup_code, ERR_TARGET);
	assert_part(f->plan.setup_error, "target.type == block");
	assert_part(f->plan.setup_error, "it is 'dir'");
	assert_int_equal(f->plan.jobs[0].state, JOB_READY);
	/* unknown is not met */
	fix_ok(f, WITH("requires: [no.such.fact != x]\n") "  - {name: a, rw: read}\n");
	assert_int_equal(f->plan.setup_code, ERR_TARGET);
	assert_part(f->plan.setup_error, "cannot be read here");
	fix_ok(f, WITH("admit: [temperature < 70C]\n") "  - {name: a, rw: read}\n");
	assert_int_equal(f->plan.setup_code, ERR_TARGET);
	assert_part(f->plan.setup_error, "admit: ");
	/* a version is no number, and a number with two readings has no order */
	fix_ok(f, WITH("requires: [kernel.release >= 2.10]\n") "  - {name: a, rw: read}\n");
	assert_null(f->plan.setup_error);
	fix_refused(f,
		    WITH("labels: {rack: 1.10}\nrequires: [label.rack < 1.9]\n") "  - {name: a, "
										 "rw: read}\n",
		    "ambiguous");
	/* ordering texts means nothing */
	assert_int_equal(
		fix_plan(f, WITH("requires: [target.type >= block]\n") "  - {name: a, rw: read}\n"),
		ERR_SUITE);
	/* lint asks no machine */
	f->o.lint_only = true;
	fix_ok(f, WITH("requires: [target.type == block]\n") "  - {name: a, rw: read}\n");
	assert_null(f->plan.setup_error);
}

static size_t notices_of(const struct fix *f, const char *part)
{
	size_t n = 0;

	for (size_t i = 0; i < f->plan.notices.n; i++)
		n += strstr(f->plan.notices.v[i], part) != NULL;
	return n;
}

#define PCI "/sys/devices/pci0000:00/0000:00:01.0/0000:01:00.0"

/* A recorded machine with one NVMe drive at x4, and a battery that can be pulled from the wall. */
static void put_machine(struct fix *f, const char *width)
{
	put(f, "/sys/block/nvme0n1/dev", "259:0\n");
	put(f, "/sys/block/nvme0n1/size", "2048\n");
	put(f, "/sys/block/nvme0n1/queue/logical_block_size", "512\n");
	put(f, "/dev/nvme0n1", "");
	put(f, "/proc/self/mountinfo", "21 1 254:0 / / rw - ext4 /dev/vda rw\n");
	put(f, "/proc/swaps", "Filename\t\t\t\tType\t\tSize\tUsed\tPriority\n");
	put(f, PCI "/nvme/nvme0/transport", "pcie\n");
	put(f, PCI "/current_link_speed", "8.0 GT/s PCIe\n");
	put(f, PCI "/max_link_speed", "8.0 GT/s PCIe\n");
	put(f, PCI "/current_link_width", width);
	put(f, PCI "/max_link_width", "4\n");
	put(f, "/proc/sys/kernel/osrelease", "6.12.8\n");
	put_link(f, "../../devices/pci0000:00/0000:00:01.0/0000:01:00.0/nvme/nvme0",
		 "/sys/block/nvme0n1/device");
	put_link(f, "../..", PCI "/nvme/nvme0/device");
	f->host.root = f->dir;
	f->arg[0].id = "/dev/nvme0n1";
}

/* The page of a SMART log as it is recorded: composite temperature, media errors. */
static void put_smart(struct fix *f, unsigned kelvin, unsigned media_errors)
{
	unsigned char page[512] = {0};
	char path[160];
	FILE *out;

	page[1] = (unsigned char)kelvin;
	page[2] = (unsigned char)(kelvin >> 8);
	page[160] = (unsigned char)media_errors;
	snprintf(path, sizeof(path), "%s/dev/nvme0.smart", f->dir);
	out = fopen(path, "w");
	assert_non_null(out);
	assert_int_equal(fwrite(page, 1, sizeof(page), out), sizeof(page));
	assert_int_equal(fclose(out), 0);
}

/* Facts of one run, as whoever watched it would hand them over: low, high, now. */
struct seen {
	struct arena arena;
	struct facts f[3];
	const struct facts *v[3];
	struct str why;
};

static void seen_init(struct seen *s)
{
	arena_init(&s->arena);
	str_init(&s->why);
	for (unsigned i = 0; i < 3; i++) {
		facts_init(&s->f[i]);
		s->v[i] = &s->f[i];
	}
}

static void seen_release(struct seen *s)
{
	for (unsigned i = 0; i < 3; i++)
		facts_release(&s->f[i]);
	str_release(&s->why);
	arena_release(&s->arena);
}

/* value NULL = unknown, "no reason" why. */
static void saw(struct seen *s, unsigned set, const char *key, const char *value)
{
	facts_set(&s->f[set], &s->arena, key, value, value ? NULL : "no reason");
}

static int admits(struct fix *f, struct seen *s)
{
	str_clear(&s->why);
	return plan_admitted(&f->plan, &f->plan.jobs[0], s->v, 3, NULL, &s->why);
}

/* DESIGN 3.2: the state in which a measurement counts, not only the state it begins in. */
static void admitted(void **state)
{
	struct fix *f = *state;
	struct seen s;

	put_machine(f, "4\n");
	put(f, "/sys/block/nvme0n1/queue/write_cache", "write back\n");
	seen_init(&s);
	fix_ok(f,
	       WITH("labels: {rack: r1}\n"
		    "admit: [link == full, kernel.release == 6.12.8, rack == r1, "
		    "device.write_cache != off, target.type == block, target.type != dir]\n") "  - "
											      "{nam"
											      "e: "
											      "a, "
											      "rw: "
											      "read"
											      "}"
											      "\n");
	if (f->plan.setup_error)
		print_message("%s\n", f->plan.setup_error);
	assert_null(f->plan.setup_error);
	assert_int_equal(notices_of(f, "admit: target.type is checked before the run only"), 1);
	assert_int_equal(notices_of(f, "admit: "), 1);
	/* a job of no device is asked about the machine only */
	assert_int_equal(admits(f, &s), 0);
	assert_part(s.why.s, "kernel.release cannot be read here");
	saw(&s, 2, "kernel.release", "6.12.8");
	assert_int_equal(admits(f, &s), 1);
	assert_int_equal(s.why.len, 0);
	f->plan.jobs[0].ioengine = "psync";
	/* what was not read during the run is unknown, whatever the plan saw */
	assert_int_equal(admits(f, &s), 0);
	assert_part(s.why.s, "link cannot be read here");
	saw(&s, 0, "link", "full");
	saw(&s, 1, "link", "full");
	saw(&s, 2, "device.write_cache", "write back");
	assert_int_equal(admits(f, &s), 1);
	/* the link trained down for a moment: the greatest is full, the least is not */
	saw(&s, 0, "link", "downgraded");
	assert_int_equal(admits(f, &s), 0);
	assert_string_equal(s.why.s, "admit: link == full did not hold during the run on 'dut': it "
				     "was 'downgraded'");
	saw(&s, 0, "link", NULL);
	assert_int_equal(admits(f, &s), 0);
	assert_part(s.why.s, "cannot be read here: no reason");
	saw(&s, 0, "link", "full");
	saw(&s, 2, "kernel.release", "6.12.9");
	assert_int_equal(admits(f, &s), 0);
	assert_part(s.why.s, "it was '6.12.9'");
	/* nothing asked, nothing broken */
	fix_ok(f, WITH("") "  - {name: a, rw: read}\n");
	assert_int_equal(admits(f, &s), 1);
	seen_release(&s);
}

/* A condition on a number holds of the least and of the greatest value that was seen. */
static void admitted_range(void **state)
{
	struct fix *f = *state;
	struct seen s;
	const char *const text = WITH("admit: [temperature < 70C wait 10min, temperature > 10C, "
				      "other_io < 1%, "
				      "throttled == no, health.media_errors.new == 0, "
				      "generator.cpu <= 95%]\n") "  - "
								 "{name: a, rw: read}\n";

	put_machine(f, "4\n");
	put_smart(f, 273 + 40, 0);
	seen_init(&s);
	fix_ok(f, text);
	if (f->plan.setup_error)
		print_message("%s\n", f->plan.setup_error);
	assert_null(f->plan.setup_error);
	f->plan.jobs[0].ioengine = "psync";
	saw(&s, 0, "temperature", "40C");
	saw(&s, 1, "temperature", "69C");
	saw(&s, 1, "other_io", "0.40%");
	saw(&s, 1, "throttled", "no");
	saw(&s, 1, "health.media_errors.new", "0");
	saw(&s, 1, "generator.cpu", "12.0%");
	assert_int_equal(admits(f, &s), 1);
	saw(&s, 1, "temperature", "70C");
	assert_int_equal(admits(f, &s), 0);
	assert_part(s.why.s, "it was '70C'");
	saw(&s, 1, "temperature", "69C");
	saw(&s, 0, "temperature", "9C");
	assert_int_equal(admits(f, &s), 0);
	assert_part(s.why.s, "temperature > 10C");
	saw(&s, 0, "temperature", "40C");
	saw(&s, 1, "other_io", "1.00%");
	assert_int_equal(admits(f, &s), 0);
	saw(&s, 1, "other_io", NULL);
	assert_int_equal(admits(f, &s), 0);
	saw(&s, 1, "other_io", "0.00%");
	saw(&s, 1, "health.media_errors.new", "1");
	assert_int_equal(admits(f, &s), 0);
	assert_part(s.why.s, "health.media_errors.new == 0");
	saw(&s, 1, "health.media_errors.new", "0");
	saw(&s, 1, "generator.cpu", "99.0%");
	assert_int_equal(admits(f, &s), 0);
	saw(&s, 1, "generator.cpu", "9.0%");
	/* throttled is left to the gate, which leaves it undecided; not knowing is an error */
	saw(&s, 1, "throttled", "yes");
	assert_int_equal(admits(f, &s), 1);
	saw(&s, 1, "throttled", NULL);
	assert_int_equal(admits(f, &s), 0);
	seen_release(&s);
}

/* What no run will show is told before one is made. */
static void admit_unshown(void **state)
{
	struct fix *f = *state;

	put_machine(f, "4\n");
	fix_ok(f, WITH("admit: [throttled == no]\n") "  - {name: a, rw: read}\n");
	assert_int_equal(f->plan.setup_code, ERR_TARGET);
	assert_part(f->plan.setup_error, "cannot read the SMART log of '/dev/nvme0'");
	fix_ok(f, WITH("admit: [health.media_errors.new == 0]\n") "  - {name: a, rw: read}\n");
	assert_part(f->plan.setup_error, "SMART");
	fix_ok(f, WITH("admit: [kernel_log == clean]\n") "  - {name: a, rw: read}\n");
	assert_part(f->plan.setup_error, "admit: kernel_log == clean is not met on 'dut': cannot "
					 "read '/dev/kmsg'");
	fix_ok(f, WITH("admit: [temperature < 70C wait 1min]\n") "  - {name: a, rw: read}\n");
	assert_part(f->plan.setup_error, "temperature cannot be read here");
	put(f, "/dev/kmsg", "");
	put_smart(f, 273 + 80, 0);
	fix_ok(f, WITH("admit: [kernel_log == clean, temperature < 70C wait 1min, throttled == "
		       "no]\n") "  - {name: a, rw: read}\n");
	assert_null(f->plan.setup_error); /* too hot is waited for */
	fix_ok(f, WITH("admit: [temperature < 70C]\n") "  - {name: a, rw: read}\n");
	assert_part(f->plan.setup_error, "it is '80 C'");
	/* no thermometer is neither hot nor cold */
	f->arg[0].id = "/dev/loop0";
	put(f, "/sys/block/loop0/dev", "7:0\n");
	put(f, "/sys/block/loop0/size", "2048\n");
	put(f, "/sys/block/loop0/queue/logical_block_size", "512\n");
	put(f, "/dev/loop0", "");
	fix_ok(f, WITH("admit: [temperature < 70C]\n") "  - {name: a, rw: read}\n");
	assert_int_equal(f->plan.setup_code, ERR_TARGET);
	assert_part(f->plan.setup_error, "it is 'none'");
	fix_ok(f, WITH("admit: [temperature < 70C wait 1s]\n") "  - {name: a, rw: read}\n");
	assert_part(f->plan.setup_error, "it is 'none'");
}

static void run_only_subjects(void **state)
{
	struct fix *f = *state;

	fix_refused(f, WITH("requires: [kernel_log == clean]\n") "  - {name: a, rw: read}\n",
		    "is known of a run only");
	fix_refused(f, WITH("requires: [pcie.fatal.new == 0]\n") "  - {name: a, rw: read}\n",
		    "is known of a run only");
	fix_refused(f, WITH("admit: [link == full wait 1min]\n") "  - {name: a, rw: read}\n",
		    "nothing is gained by waiting for link");
	fix_refused(f,
		    WITH("requires: [temperature < 70C wait 1min]\n") "  - {name: a, rw: read}\n",
		    "nothing is gained by waiting");
	fix_refused(f, WITH("admit: [kernel_log == dirty]\n") "  - {name: a, rw: read}\n",
		    "is no value of kernel_log");
}

/* One disk under two names would be compared with itself. */
static void one_target_twice(void **state)
{
	struct fix *f = *state;
	const char *const text = HEAD "  - {name: a, rw: read}\n";
	char real[160], alias[160], dots[160];

	snprintf(real, sizeof(real), "%s/real", f->dir);
	snprintf(alias, sizeof(alias), "%s/link", f->dir);
	snprintf(dots, sizeof(dots), "%s/../%s/real", f->dir, strrchr(f->dir, '/') + 1);
	assert_int_equal(mkdir(real, 0700), 0);
	assert_int_equal(symlink("real", alias), 0);
	f->arg[0] = (struct target_arg){"a", real};
	f->arg[1] = (struct target_arg){"b", real};
	f->o.ntargets = 2;
	assert_int_equal(fix_plan(f, text), ERR_USAGE);
	assert_part(f->err.text, "roles 'a' and 'b' are one target");
	f->arg[1].id = alias;
	assert_int_equal(fix_plan(f, text), ERR_USAGE);
	f->arg[1].id = dots;
	assert_int_equal(fix_plan(f, text), ERR_USAGE);
	/* a folder and its parent are two; so are two that are not there */
	f->arg[1].id = f->dir;
	fix_ok(f, text);
	f->arg[0].id = f->arg[1].id = "/nonexistent/disk";
	fix_ok(f, text);
	assert_int_equal(f->plan.jobs[0].state, JOB_ERROR);
	/* two hard links are one file */
	put(f, "/one", "text");
	snprintf(real, sizeof(real), "%s/one", f->dir);
	snprintf(dots, sizeof(dots), "%s/two", f->dir);
	assert_int_equal(link(real, dots), 0);
	f->arg[0].id = real;
	f->arg[1].id = dots;
	assert_int_equal(fix_plan(f, text), ERR_USAGE);
}

/* The same disk by node and by link, on a recorded machine. */
static void one_device_twice(void **state)
{
	struct fix *f = *state;

	put_machine(f, "4\n");
	put_link(f, "../../nvme0n1", "/dev/disk/by-id/nvme-x");
	f->arg[0] = (struct target_arg){"a", "/dev/nvme0n1"};
	f->arg[1] = (struct target_arg){"b", "/dev/disk/by-id/nvme-x"};
	f->o.ntargets = 2;
	assert_int_equal(fix_plan(f, HEAD "  - {name: a, rw: read}\n"), ERR_USAGE);
	assert_part(f->err.text, "are one target");
}

static void when(void **state)
{
	struct fix *f = *state;

	fix_ok(f, HEAD "  - {name: a, rw: read, when: target.type == block}\n"
		       "  - {name: b, rw: read, when: target.type == dir}\n"
		       "  - {name: c, rw: read, when: device.colour == red}\n");
	assert_int_equal(f->plan.jobs[0].state, JOB_SKIPPED);
	assert_string_equal(f->plan.jobs[0].why, "when: target.type == block is not met (dir)");
	assert_int_equal(f->plan.jobs[1].state, JOB_READY);
	/* law 1: not knowing is no reason to skip */
	assert_int_equal(f->plan.jobs[2].state, JOB_ERROR);
	assert_part(f->plan.jobs[2].why, "cannot be decided");
}

static void labels(void **state)
{
	struct fix *f = *state;
	const char *const text =
		WITH("labels: {adapter: required, rack: r1}\nrequires: [label.adapter != "
		     "none]\n") "  - {name: a, rw: read, when: rack == r1}\n";
	struct setting l[2] = {{"adapter", "x4"}, {"dut.bay", "7"}};

	fix_ok(f, text);
	assert_int_equal(f->plan.setup_code, ERR_SUITE);
	assert_part(f->plan.setup_error, "--label adapter=X");
	f->o.labels = l;
	f->o.nlabels = 2;
	fix_ok(f, text);
	assert_null(f->plan.setup_error);
	assert_string_equal(facts_value(&f->plan.host, "label.adapter"), "x4");
	assert_string_equal(facts_value(&f->plan.host, "label.rack"), "r1");
	assert_string_equal(facts_value(&f->plan.targets[0].facts, "label.bay"), "7");
	assert_int_equal(f->plan.jobs[0].state, JOB_READY);
	l[0].key = "dut.adapter";
	fix_ok(f, text);
	assert_null(f->plan.setup_error);
	l[0].key = "drive.adapter";
	assert_int_equal(fix_plan(f, text), ERR_USAGE);
	assert_part(f->err.text, "no role 'drive'");
}

static void sessions_and_budget(void **state)
{
	struct fix *f = *state;

	f->o.sessions_min = f->o.sessions_max = 2;
	f->o.budget_time = 5;
	f->o.seed = 9;
	fix_ok(f, HEAD "  - {name: a, rw: read}\n");
	assert_int_equal(f->plan.sessions_min, 2);
	assert_int_equal(f->plan.sessions_max, 2);
	assert_int_equal(f->plan.budget_time, 5);
	assert_int_equal(f->plan.seed, 9);
	assert_string_equal(f->plan.profile, "default");
	f->o.sessions_min = f->o.sessions_max = 0;
	fix_ok(f, HEAD "  - {name: a, rw: read}\n");
	assert_int_equal(f->plan.sessions_min, 1);
	assert_int_equal(f->plan.sessions_max, 5);
	f->o.sessions_min = f->o.sessions_max = 6;
	assert_int_equal(fix_plan(f, HEAD "  - {name: a, rw: read}\n"), ERR_USAGE);
}

/* The suite's gates can turn red; the command line takes that from them, and that is said. */
static void one_session(void **state)
{
	struct fix *f = *state;
	static const char gated[] =
		HEAD "  - {name: a, rw: read, gate: {read.iops: 5%, read.bw: 5%}}\n"
		     "  - {name: b, rw: read, expect: [read.iops >= 1]}\n";

	fix_ok(f, gated);
	assert_int_equal(notices_of(f, "can turn red"), 0);
	f->o.sessions_min = f->o.sessions_max = 1;
	fix_ok(f, gated);
	assert_int_equal(notices_of(f, "with 1 session no gate can turn red: a loss shows as "
				       "inconclusive (2 gates"),
			 1);
	f->o.sessions_min = 1;
	f->o.sessions_max = 2;
	fix_ok(f, gated);
	assert_int_equal(notices_of(f, "can turn red"), 0);
	/* nothing is taken from what never turned red, is not selected or does not run */
	f->o.sessions_max = 1;
	fix_ok(f,
	       HEAD "  - {name: a, rw: read, gate: {read.iops: {tolerance: 5%, role: watch}}}\n");
	assert_int_equal(notices_of(f, "can turn red"), 0);
	fix_ok(f,
	       HEAD "  - {name: a, rw: read, gate: {read.iops: 5%}, when: target.type == block}\n");
	assert_int_equal(notices_of(f, "can turn red"), 0);
	f->o.only = "b";
	fix_ok(f, gated);
	assert_int_equal(notices_of(f, "can turn red"), 0);
	f->o.only = NULL;
	f->o.check = "gate read.bw";
	fix_ok(f, gated);
	assert_int_equal(notices_of(f, "(1 gate;"), 1);
	f->o.check = NULL;
	/* in the suite it is no matter of the command line */
	fix_refused(f,
		    "blkgate: 1\nname: t\ndefaults: {ioengine: sim, size: 1MiB, sessions: "
		    "1}\nworkloads:\n"
		    "  - {name: a, rw: read, gate: {read.iops: 5%}}\n",
		    "can never turn red");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(targets_and_roles),
		TEST(missing_target),
		TEST(requirements),
		TEST(when),
		TEST(labels),
		TEST(sessions_and_budget),
		TEST(one_session),
		DISK_TEST(admitted),
		DISK_TEST(admitted_range),
		DISK_TEST(admit_unshown),
		TEST(run_only_subjects),
		DISK_TEST(one_target_twice),
		DISK_TEST(one_device_twice),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
