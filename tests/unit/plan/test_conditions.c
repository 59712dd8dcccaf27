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
	fix_refused(f, WITH("admit: [temperature < 70C wait 10min]\n") "  - {name: a, rw: read}\n",
		    "comes with a later version");
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

/* DESIGN 3.2: the state in which a measurement counts, not only the state it begins in. */
static void admitted(void **state)
{
	struct fix *f = *state;
	const char *const text =
		WITH("labels: {rack: r1}\n"
		     "admit: [link == full, kernel.release == 6.12.8, rack == r1, "
		     "device.write_cache != off, device.write_cache != on]\n") "  - {name: a, rw: "
									       "read}\n  - {name: "
									       "b, rw: randread}\n";
	struct str why;

	put_machine(f, "4\n");
	put(f, "/sys/block/nvme0n1/queue/write_cache", "write back\n");
	str_init(&why);
	fix_ok(f, text);
	if (f->plan.setup_error)
		print_message("%s\n", f->plan.setup_error);
	assert_null(f->plan.setup_error);
	assert_int_equal(notices_of(f, "admit: device.write_cache is checked before the run only"),
			 1);
	assert_int_equal(notices_of(f, "admit: "), 1);
	assert_int_equal(plan_admitted(&f->plan, &f->host, &why), 1);
	assert_int_equal(why.len, 0);
	/* the link trains down while we measure */
	put(f, PCI "/current_link_width", "1\n");
	assert_int_equal(plan_admitted(&f->plan, &f->host, &why), 0);
	assert_string_equal(
		why.s, "admit: link == full does not hold any more on 'dut': it is 'downgraded'");
	/* unknown is not met */
	put(f, PCI "/current_link_width", "255\n");
	str_clear(&why);
	assert_int_equal(plan_admitted(&f->plan, &f->host, &why), 0);
	assert_part(why.s, "cannot be read");
	put(f, PCI "/current_link_width", "4\n");
	put(f, "/proc/sys/kernel/osrelease", "6.12.9\n");
	str_clear(&why);
	assert_int_equal(plan_admitted(&f->plan, &f->host, &why), 0);
	assert_part(why.s, "it is '6.12.9'");
	/* where nothing is measured, nothing is spoilt */
	f->plan.jobs[0].state = f->plan.jobs[1].state = JOB_ERROR;
	assert_int_equal(plan_admitted(&f->plan, &f->host, &why), 1);
	/* nothing asked, nothing read */
	fix_ok(f, WITH("") "  - {name: a, rw: read}\n");
	assert_int_equal(plan_admitted(&f->plan, &f->host, &why), 1);
	str_release(&why);
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
		WITH(
			"labels: {adapter: required, rack: r1}\nrequires: [label.adapter != "
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
		DISK_TEST(one_target_twice),
		DISK_TEST(one_device_twice),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
