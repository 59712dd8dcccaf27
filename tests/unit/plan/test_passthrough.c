/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A plan on the passthrough node of a recorded NVMe namespace; a real one is the lab's. */
#include "plan_test.h"

#include "recorded.h"

#define CTRL "/sys/devices/pci0000:00/0000:01:00.0/nvme/nvme0"

static void put_drive(struct fix *f)
{
	put(f, CTRL "/serial", "S1\n");
	put(f, CTRL "/transport", "pcie\n");
	put(f, CTRL "/nvme0n1/dev", "259:0\n");
	put(f, CTRL "/nvme0n1/size", "2048\n");
	put(f, CTRL "/nvme0n1/nsid", "1\n");
	put(f, CTRL "/nvme0n1/wwid", "eui.00000000000000a1\n");
	put(f, CTRL "/nvme0n1/queue/logical_block_size", "512\n");
	put_link(f, "..", CTRL "/nvme0n1/device");
	put(f, CTRL "/nvme0n1/nvme0n1p1/dev", "259:1\n");
	put(f, CTRL "/nvme0n1/nvme0n1p1/partition", "1\n");
	put(f, CTRL "/nvme0n1/nvme0n1p1/size", "1024\n");
	put(f, CTRL "/ng0n1/dev", "245:0\n");
	put_link(f, "../devices/pci0000:00/0000:01:00.0/nvme/nvme0/nvme0n1", "/sys/block/nvme0n1");
	put_link(f, "../../devices/pci0000:00/0000:01:00.0/nvme/nvme0/ng0n1",
		 "/sys/class/nvme-generic/ng0n1");
	put(f, "/dev/nvme0n1", "");
	put(f, "/dev/ng0n1", "");
	put(f, "/run/udev/data/b259:0", "E:DEVTYPE=disk\n");
	put(f, "/proc/self/mountinfo", "21 1 254:0 / / rw - ext4 /dev/vda rw\n");
	put(f, "/proc/swaps", "Filename\t\t\t\tType\t\tSize\tUsed\tPriority\n");
	f->host.root = f->dir;
	f->arg[0].id = "/dev/ng0n1";
}

static void other_engines_are_refused_on_the_node(void **state)
{
	static const char *const engines[] = {"psync", "pvsync2", "mmap"};
	char suite[256];
	struct fix *f = *state;

	put_drive(f);
	for (unsigned i = 0; i < 3; i++) {
		snprintf(suite, sizeof(suite),
			 HEAD_BARE "  - {name: r, rw: read, ioengine: %s, direct: %s}\n",
			 engines[i], i == 2 ? "false" : "true");
		fix_ok(f, suite);
		assert_int_equal(f->plan.jobs[0].state, JOB_ERROR);
		assert_part(f->plan.jobs[0].why,
			    "cannot use the passthrough node /dev/ng0n1 of target 'dut'");
		assert_part(f->plan.jobs[0].why,
			    "--target /dev/nvme0n1, or ioengine: io_uring_cmd");
		assert_part(f->plan.jobs[0].why, "(suite.yaml:4)");
	}
	/* what does no I/O on the target does not mind */
	fix_ok(f, HEAD_BARE "  - {name: r, rw: read, ioengine: null, runtime: 1s}\n");
	assert_int_equal(f->plan.jobs[0].state, JOB_READY);
}

/* One namespace under two names would be compared with itself. */
static void node_and_block_device_are_one_target(void **state)
{
	struct fix *f = *state;

	put_drive(f);
	f->arg[0] = (struct target_arg){"a", "/dev/ng0n1"};
	f->arg[1] = (struct target_arg){"b", "/dev/nvme0n1"};
	f->o.ntargets = 2;
	assert_int_equal(fix_plan(f, HEAD_BARE "  - {name: r, rw: read, ioengine: null}\n"),
			 ERR_USAGE);
	assert_part(f->err.text, "are one target");
}

static void buffered_words_are_refused_by_lint(void **state)
{
	struct fix *f = *state;
	const struct diag *g;

	f->o.lint_only = true;
	g = fix_refused(f, HEAD "  - {name: r, rw: read, ioengine: io_uring_cmd, direct: false}\n",
			"it cannot be buffered");
	assert_string_equal(g->hint, "direct: true");
	g = fix_refused(f, HEAD "  - {name: r, rw: write, ioengine: io_uring_cmd, sync: dsync}\n",
			"sync is a flag of an open file");
	assert_part(g->hint, "fdatasync: 1");
	fix_refused(f, HEAD "  - {name: r, rw: read, ioengine: io_uring_cmd, nowait: true}\n",
		    "ioengine io_uring_cmd has no nowait");
	fix_refused(
		f, HEAD "  - {name: r, rw: write, ioengine: io_uring_cmd, hipri: true, fsync: 1}\n",
		"a polled ring of io_uring_cmd has no fsync");
	fix_ok(f, HEAD "  - {name: r, rw: randwrite, ioengine: io_uring_cmd, direct: auto, fsync: "
		       "4, fixedbufs: true, registerfiles: true, sqthread_poll: true}\n");
}

/* Unlike a block device there is nothing to sync at the end by itself. */
static void no_end_fsync_by_itself(void **state)
{
	struct fix *f = *state;

	f->o.lint_only = true;
	fix_ok(f, HEAD "  - {name: r, rw: randwrite, ioengine: io_uring_cmd}\n");
	assert_false(f->plan.jobs[0].end_fsync);
	assert_true(f->plan.jobs[0].direct);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		DISK_TEST(other_engines_are_refused_on_the_node),
		DISK_TEST(node_and_block_device_are_one_target),
		DISK_TEST(buffered_words_are_refused_by_lint),
		DISK_TEST(no_end_fsync_by_itself),
	};

	return cmocka_run_group_tests_name("passthrough", tests, NULL, NULL);
}
