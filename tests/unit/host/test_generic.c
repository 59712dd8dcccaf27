/* SPDX-License-Identifier: GPL-2.0-or-later */
/* /dev/ngXnY on recorded machines: it is its block device, in every respect that can refuse. */
#include "fixture.h"

#define PCI1 "0000:01:00.0"
#define CTRL "/sys/devices/pci0000:00/0000:00:1c.0/" PCI1 "/nvme/nvme0"
#define SUBSYS "/sys/devices/virtual/nvme-subsystem/nvme-subsys0"

/* The sysfs folders of block device and node below a parent, and the links to them. put_disk() made
 * a folder of /sys/block/X: it becomes a link, as it is on a machine. */
static void put_generic(struct fixture *x, const char *parent, const char *suffix)
{
	char from[256], to[256], *a, *b;

	snprintf(from, sizeof(from), "/sys/block/nvme%s", suffix);
	snprintf(to, sizeof(to), "%s/nvme%s", parent, suffix);
	put_dir(x, parent);
	a = fixture_path(x, from);
	b = fixture_path(x, to);
	assert_int_equal(rename(a, b), 0);
	snprintf(to, sizeof(to), "../..%s/nvme%s", parent + strlen("/sys"), suffix);
	assert_int_equal(symlink(to + strlen("../"), a), 0);
	free(a);
	free(b);
	putf(x, "245:0\n", "%s/ng%s/dev", parent, suffix);
	snprintf(from, sizeof(from), "/sys/class/nvme-generic/ng%s", suffix);
	put_link(x, from, to);
	putf(x, "", "/dev/ng%s", suffix);
}

/* A drive with two namespaces, whose node numbers are not their ids. */
static void put_drive(struct fixture *x)
{
	put_controller(x, 0, PCI1, "S1\n");
	put_namespace(x, 0, 1, PCI1, "2\n", "eui.00000000000000a2\n");
	put_namespace(x, 0, 2, PCI1, "1\n", "eui.00000000000000a1\n");
	put_partition(x, "nvme0n1", "nvme0n1p1", "259:7\n", "1\n");
	put_generic(x, CTRL, "0n1");
	put_generic(x, CTRL, "0n2");
	for (int n = 1; n <= 2; n++) {
		char path[64];

		snprintf(path, sizeof(path), "/sys/block/nvme0n%d/device", n);
		put_link(x, path, "../../nvme0");
	}
}

static int allowed(struct fixture *x, const char *id)
{
	x->err = ERR_INIT;
	return host_identity(&x->host, id, &x->target, &x->err);
}

static size_t users(struct fixture *x)
{
	notices_release(&x->users);
	notices_init(&x->users);
	x->err = ERR_INIT;
	assert_int_equal(host_in_use(&x->host, &x->target, &x->users, &x->err), 0);
	return x->users.n;
}

static void a_node_is_its_block_device(void **state)
{
	struct fixture *x = *state;

	put_drive(x);
	must_resolve(x, "/dev/ng0n2");
	assert_int_equal(x->target.kind, TARGET_BLOCK);
	assert_string_equal(x->target.path, "/dev/nvme0n2");
	assert_string_equal(x->target.disk_path, "/dev/nvme0n2");
	assert_string_equal(x->target.passthrough, "/dev/ng0n2");
	assert_string_equal(target_node(&x->target), "/dev/ng0n2");
	assert_int_equal(x->target.size, UINT64_C(2097152) * 512);
	assert_int_equal(x->target.dev_major, 259);
	assert_int_equal(x->target.dev_minor, 2);
	fact_is(&x->target.facts, "device.name", "nvme0n2");
	fact_is(&x->target.facts, "device.nsid", "1");
	fact_is(&x->target.facts, "target.type", "block");
	/* and the block device is no node */
	must_resolve(x, "/dev/nvme0n2");
	assert_null(x->target.passthrough);
	assert_string_equal(target_node(&x->target), "/dev/nvme0n2");
}

/* The second namespace of a drive is not the first, whatever the numbers of the nodes say. */
static void identity_is_that_of_the_namespace(void **state)
{
	struct fixture *x = *state;

	put_drive(x);
	must_resolve(x, "/dev/ng0n1");
	assert_int_equal(allowed(x, "wwid:eui.00000000000000a2"), 1);
	assert_int_equal(allowed(x, "serial:S1/nsid:2"), 1);
	assert_int_equal(allowed(x, "serial:S1/nsid:1"), 0);
	contains(x->err.text, "/dev/nvme0n2, and the target is /dev/nvme0n1");
	assert_int_equal(allowed(x, "/dev/ng0n1"), 0);
	contains(x->err.text, "no identity");
	contains(x->err.hint, "wwid:eui.00000000000000a2");
}

static void what_uses_the_block_device_uses_the_node(void **state)
{
	struct fixture *x = *state;

	put_drive(x);
	must_resolve(x, "/dev/ng0n1");
	assert_int_equal(users(x), 0);
	put(x, "/proc/self/mountinfo",
	    "21 1 254:0 / / rw - ext4 /dev/vda rw\n"
	    "30 21 259:7 / /data rw - ext4 /dev/nvme0n1p1 rw\n");
	assert_int_equal(users(x), 1);
	contains(x->users.v[0], "'/dev/nvme0n1p1' is mounted on '/data'");
	/* another namespace of the drive is another device */
	must_resolve(x, "/dev/ng0n2");
	assert_int_equal(users(x), 0);
	put(x, "/proc/self/mountinfo",
	    "21 1 254:0 / / rw - ext4 /dev/vda rw\n"
	    "30 21 259:2 / /data rw - xfs /dev/nvme0n2 rw\n");
	assert_int_equal(users(x), 1);
	put(x, "/proc/self/mountinfo", "21 1 254:0 / / rw - ext4 /dev/vda rw\n");
	put(x, "/proc/swaps",
	    "Filename\t\t\t\tType\t\tSize\tUsed\tPriority\n/dev/nvme0n2 partition 8 0 -2\n");
	assert_int_equal(users(x), 1);
	contains(x->users.v[0], "swap");
}

static void what_is_written_on_it_is_seen(void **state)
{
	struct fixture *x = *state;
	const char *type = NULL;

	put_drive(x);
	put(x, "/run/udev/data/b259:2", "E:ID_FS_TYPE=xfs\n");
	must_resolve(x, "/dev/ng0n2");
	assert_int_equal(host_signature(&x->host, &x->target, &x->arena, &type, &x->err), 0);
	assert_string_equal(type, "xfs");
}

/* Native multipath: node and block device belong to the head of the subsystem. */
static void a_multipath_head_has_the_node(void **state)
{
	struct fixture *x = *state;

	put_controller(x, 4, PCI1, "S1\n");
	put_disk(x, "nvme0n1", "259:1\n", "2097152\n");
	put(x, "/sys/block/nvme0n1/wwid", "eui.00000000000000a1\n");
	put(x, "/sys/block/nvme0c4n1/hidden", "1\n");
	put(x, "/sys/block/nvme0c4n1/wwid", "eui.00000000000000a1\n");
	put_generic(x, SUBSYS, "0n1");
	must_resolve(x, "/dev/ng0n1");
	assert_string_equal(x->target.path, "/dev/nvme0n1");
	assert_int_equal(allowed(x, "wwid:eui.00000000000000a1"), 1);
}

/* Equal numbers alone prove nothing: instances of controllers and subsystems are counted apart. */
static void a_name_alone_is_no_sibling(void **state)
{
	struct fixture *x = *state;

	put_drive(x);
	put_link(x, "/sys/class/nvme-generic/ng0n1",
		 "../../devices/virtual/nvme-subsystem/nvme-subsys0/ng0n1");
	putf(x, "245:9\n", "%s/ng0n1/dev", SUBSYS);
	assert_int_equal(resolve(x, "/dev/ng0n1"), ERR_TARGET);
	contains(x->err.text, "without a block device 'nvme0n1' beside it");
	assert_null(x->target.path);
	assert_null(x->target.passthrough);
}

static void a_node_without_block_device_is_refused(void **state)
{
	struct fixture *x = *state;
	char *node;

	put_drive(x);
	putf(x, "245:5\n", "%s/ng0n3/dev", CTRL);
	put_link(x, "/sys/class/nvme-generic/ng0n3",
		 "../../devices/pci0000:00/0000:00:1c.0/" PCI1 "/nvme/nvme0/ng0n3");
	put(x, "/dev/ng0n3", "");
	assert_int_equal(resolve(x, "/dev/ng0n3"), ERR_TARGET);
	contains(x->err.text, "nothing tells what uses it");
	/* a container that was given the one node only: no claim could be taken */
	node = fixture_path(x, "/dev/nvme0n1");
	assert_int_equal(unlink(node), 0);
	free(node);
	assert_int_equal(resolve(x, "/dev/ng0n1"), ERR_TARGET);
	contains(x->err.text, "'/dev/nvme0n1' is missing");
}

/* A format with metadata in the data has a block device of size 0. */
static void an_unusable_format_is_said(void **state)
{
	struct fixture *x = *state;

	put_drive(x);
	put(x, "/sys/block/nvme0n2/size", "0\n");
	assert_int_equal(resolve(x, "/dev/ng0n2"), ERR_TARGET);
	contains(x->err.text, "has no size");
	contains(x->err.hint, "metadata");
}

/* A file that happens to be called so is a file. */
static void a_name_without_sysfs_is_a_file(void **state)
{
	struct fixture *x = *state;

	put_drive(x);
	put(x, "/dev/ng7n1", "text");
	must_resolve(x, "/dev/ng7n1");
	assert_int_equal(x->target.kind, TARGET_FILE);
	put(x, "/srv/ng0n1", "text");
	must_resolve(x, "/srv/ng0n1");
	assert_int_equal(x->target.kind, TARGET_FILE);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(a_node_is_its_block_device),
		TEST(identity_is_that_of_the_namespace),
		TEST(what_uses_the_block_device_uses_the_node),
		TEST(what_is_written_on_it_is_seen),
		TEST(a_multipath_head_has_the_node),
		TEST(a_name_alone_is_no_sibling),
		TEST(a_node_without_block_device_is_refused),
		TEST(an_unusable_format_is_said),
		TEST(a_name_without_sysfs_is_a_file),
	};

	return cmocka_run_group_tests_name("generic", tests, NULL, NULL);
}
