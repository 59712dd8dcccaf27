/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "fixture.h"

#define PCI1 "0000:01:00.0"
#define PCI2 "0000:02:00.0"

/* bugs-given namespace-2 */
static void namespaces_are_matched_by_nsid(void **state)
{
	struct fixture *x = *state;

	put_controller(x, 0, PCI1, "S1\n");
	put_namespace(x, 0, 1, PCI1, "2\n", "eui.0000000000000002\n");
	put_namespace(x, 0, 2, PCI1, "1\n", "eui.0000000000000001\n");
	must_resolve(x, "serial:S1/nsid:1");
	assert_string_equal(x->target.path, "/dev/nvme0n2");
	fact_is(&x->target.facts, "device.nsid", "1");
	fact_is(&x->target.facts, "device.wwid", "eui.0000000000000001");
	fact_is(&x->target.facts, "device.name", "nvme0n2");
	must_resolve(x, "serial:S1/nsid:2");
	assert_string_equal(x->target.path, "/dev/nvme0n1");
	assert_int_equal(resolve(x, "serial:S1/nsid:3"), ERR_TARGET);
	/* the serial alone names both */
	assert_int_equal(resolve(x, "serial:S1"), ERR_TARGET);
	contains(x->err.text, "ambiguous");
	contains(x->err.text, "/dev/nvme0n1 (nsid 2)");
	contains(x->err.text, "/dev/nvme0n2 (nsid 1)");
	contains(x->err.text, "as wwid:eui.");
	contains(x->err.hint, "the one that is meant");
}

/* bugs-given device-rename-1: S1 was nvme0n1 and is nvme1n1 now */
static void a_renamed_disk_is_found_by_serial(void **state)
{
	struct fixture *x = *state;

	put_controller(x, 0, PCI1, "S2\n");
	put_namespace(x, 0, 1, PCI1, "1\n", "eui.00000000000000b2\n");
	put_controller(x, 1, PCI2, "S1\n");
	put_namespace(x, 1, 1, PCI2, "1\n", "eui.00000000000000a1\n");
	must_resolve(x, "serial:S1");
	assert_string_equal(x->target.path, "/dev/nvme1n1");
	fact_is(&x->target.facts, "device.serial", "S1");
	must_resolve(x, "/dev/nvme0n1");
	fact_is(&x->target.facts, "device.serial", "S2");
}

static void identities_name_one_device(void **state)
{
	static const char *const ids[] = {
		"wwid:eui.00000000000000a1",
		"WWID",
		"eui.00000000000000a1",
		"00000000000000A1",
		"0x00000000000000a1",
		"pci:0000:02:00.0",
		"nvme-Samsung_S1",
		"/dev/disk/by-id/nvme-Samsung_S1",
		"diskseq:17",
	};
	struct fixture *x = *state;

	put_controller(x, 0, PCI1, "S2\n");
	put_namespace(x, 0, 1, PCI1, "1\n", "eui.00000000000000b2\n");
	put_controller(x, 1, PCI2, "S1\n");
	put_namespace(x, 1, 1, PCI2, "1\n", "eui.00000000000000a1\n");
	put(x, "/sys/block/nvme1n1/diskseq", "17\n");
	put_link(x, "/dev/disk/by-id/nvme-Samsung_S1", "../../nvme1n1");
	put_link(x, "/dev/disk/by-path/pci-2", "../../nvme1n1");
	for (size_t i = 0; i < sizeof(ids) / sizeof(ids[0]); i++) {
		struct err e = ERR_INIT;

		if (str_eq(ids[i], "WWID")) /* a plain word is a path, and there is none */
			assert_int_equal(resolve(x, ids[i]), ERR_TARGET);
		else
			must_resolve(x, ids[i]);
		if (str_eq(ids[i], "WWID"))
			continue;
		assert_string_equal(x->target.path, "/dev/nvme1n1");
		assert_string_equal(x->target.id, ids[i]);
		assert_int_equal(x->target.kind, TARGET_BLOCK);
		assert_int_equal(x->target.dev_major, 259);
		assert_int_equal(x->target.dev_minor, 17);
		assert_int_equal(host_identity(&x->host, ids[i], &x->target, &e), 1);
		assert_int_equal(e.code, 0);
	}
}

static void a_kernel_name_is_no_identity(void **state)
{
	static const struct {
		const char *id, *text, *hint;
	} no[] = {
		{"/dev/sda", "no identity", "wwid:naa.5002538e40a1b2c3"},
		{"/dev/disk/by-path/x", "no identity", "wwid:"},
		{"/dev/disk/by-id/../../sda", "no identity", "wwid:"},
		{"sda", "no identity", "wwid:"},
		{"/dev/disk/by-id/ata-860-part1", "not one for its partition", ""},
		{"/dev/disk/by-id/ata-other", "leads to no block device", ""},
		{"wwid:naa.0", "no block device here", ""},
		{"serial:", "no block device here", ""},
		{"pci:", "no block device here", ""},
		{"diskseq:0", "no block device here", ""},
	};
	struct fixture *x = *state;

	put_sda(x);
	put_link(x, "/dev/disk/by-id/ata-860", "../../sda");
	put_link(x, "/dev/disk/by-id/ata-860-part1", "../../sda1");
	put_link(x, "/dev/disk/by-path/x", "../../sda");
	must_resolve(x, "/dev/sda");
	for (size_t i = 0; i < sizeof(no) / sizeof(no[0]); i++) {
		struct err e = ERR_INIT;

		if (host_identity(&x->host, no[i].id, &x->target, &e) != 0)
			fail_msg("'%s' was taken for an identity", no[i].id);
		assert_int_equal(e.code, 0);
		contains(e.text, no[i].text);
		contains(e.hint, no[i].hint);
	}
	assert_int_equal(host_identity(&x->host, "ata-860", &x->target, &x->err), 1);
	/* and the reverse */
	must_resolve(x, "/dev/sda1");
	assert_int_equal(host_identity(&x->host, "ata-860", &x->target, &x->err), 0);
	contains(x->err.text, "not one for its partition");
	assert_int_equal(host_identity(&x->host, "ata-860-part1", &x->target, &x->err), 1);
	assert_int_equal(host_identity(&x->host, "wwid:naa.5002538e40a1b2c3", &x->target, &x->err),
			 0);
}

static void scsi_serial_and_wwid_are_read(void **state)
{
	static const char page[] = {0,   (char)0x80, 0,   10,  ' ', ' ', 'S',
				    '3', 'Z',        '9', 'N', 'B', '0', 'K'};
	struct fixture *x = *state;
	char *path;
	FILE *f;

	put_sda(x);
	path = fixture_path(x, "/sys/block/sda/device/vpd_pg80");
	f = fopen(path, "w");
	assert_non_null(f);
	assert_int_equal(fwrite(page, 1, sizeof(page), f), sizeof(page));
	assert_int_equal(fclose(f), 0);
	free(path);
	must_resolve(x, "serial:S3Z9NB0K");
	assert_string_equal(x->target.path, "/dev/sda");
	must_resolve(x, "wwid:naa.5002538e40a1b2c3");
	must_resolve(x, "5002538E40A1B2C3");
	fact_is(&x->target.facts, "device.model", "Samsung SSD 860");
	fact_is(&x->target.facts, "device.firmware", "2B6Q");
	fact_is(&x->target.facts, "device.serial", "S3Z9NB0K");
	fact_is(&x->target.facts, "device.transport", "sata");
	assert_true(x->target.size == 1953525168ULL * 512);
	fact_is(&x->target.facts, "device.capacity", "1000204886016");
	/* a partition: its own size, the disk's facts */
	must_resolve(x, "/dev/sda1");
	assert_true(x->target.size == 2048 * 512);
	fact_is(&x->target.facts, "device.capacity", "1000204886016");
	fact_is(&x->target.facts, "device.partition", "1");
}

static void a_folder_of_the_fixture_is_a_target(void **state)
{
	struct fixture *x = *state;

	put_sda(x);
	put(x, "/proc/self/mountinfo",
	    "21 1 0:5 / / rw - tmpfs tmpfs rw\n"
	    "30 21 8:1 / /data rw,noatime - xfs /dev/sda1 rw,attr2\n"
	    "31 21 0:44 / /ov rw - overlay overlay "
	    "rw,lowerdir=/a:/b,upperdir=/c\n");
	put(x, "/data/file", "0123456789");
	put(x, "/ov/file", "0");
	put(x, "/ram", "0");
	must_resolve(x, "/data/file");
	assert_int_equal(x->target.kind, TARGET_FILE);
	assert_true(x->target.size == 10);
	assert_int_equal(x->target.dev_major, 8);
	assert_int_equal(x->target.dev_minor, 1);
	assert_string_equal(x->target.fstype, "xfs");
	fact_is(&x->target.facts, "fs.type", "xfs");
	fact_is(&x->target.facts, "fs.options", "attr2,noatime,rw");
	fact_is(&x->target.facts, "fs.kernel_device", "sda1");
	fact_is(&x->target.facts, "device.model", "Samsung SSD 860");
	fact_is(&x->target.facts, "target.type", "file");
	must_resolve(x, "/data");
	assert_int_equal(x->target.kind, TARGET_DIR);
	assert_true(x->target.write_allowed);
	assert_false(x->target.dio_known);
	must_resolve(x, "/ov/file");
	fact_is(&x->target.facts, "device.model", NULL);
	contains(facts_find(&x->target.facts, "device.model")->why, "overlay");
	fact_is(&x->target.facts, "fs.options", "lowerdir,rw,upperdir");
	/* memory has no device: known, not unknown */
	must_resolve(x, "/ram");
	fact_is(&x->target.facts, "device.model", "none");
	fact_is(&x->target.facts, "link", "none");
	fact_is(&x->target.facts, "link.bandwidth", "none");
}

static void links_are_followed_inside_the_root(void **state)
{
	struct fixture *x = *state;

	put_sda(x);
	put_link(x, "/dev/abs", "/dev/sda");
	put_link(x, "/dev/escape", "../../../../../../dev/sda1");
	put_link(x, "/dev/loop-a", "loop-b");
	put_link(x, "/dev/loop-b", "loop-a");
	put_link(x, "/dev/dangling", "nowhere");
	must_resolve(x, "/dev/abs");
	assert_string_equal(x->target.path, "/dev/sda");
	must_resolve(x, "/dev/escape");
	assert_string_equal(x->target.path, "/dev/sda1");
	assert_int_equal(resolve(x, "/dev/loop-a"), ERR_TARGET);
	contains(x->err.text, "too many symbolic links");
	assert_int_equal(resolve(x, "/dev/dangling"), ERR_TARGET);
	contains(x->err.text, "'/dev/nowhere' is missing");
	assert_int_equal(resolve(x, "/dev/sdq"), ERR_TARGET);
	contains(x->err.text, "'/dev/sdq' does not exist");
	contains(x->err.hint, "/dev/sd");
	assert_int_equal(resolve(x, "/dev/sda/x"), ERR_TARGET);
	contains(x->err.text, "a part of its path is a file");
	assert_int_equal(resolve(x, ""), ERR_TARGET);
	assert_null(x->target.path);
	assert_int_equal(x->target.kind, TARGET_NONE);
}

static void wrong_kinds_and_sizes_are_refused(void **state)
{
	struct fixture *x = *state;
	char *fifo = fixture_path(x, "/tmp-fifo");

	put_disk(x, "loop0", "7:0\n", "0\n");
	assert_int_equal(resolve(x, "/dev/loop0"), ERR_TARGET);
	contains(x->err.text, "has no size");
	assert_int_equal(mkfifo(fifo, 0600), 0);
	free(fifo);
	assert_int_equal(resolve(x, "/tmp-fifo"), ERR_TARGET);
	contains(x->err.text, "is a fifo");
}

/* A node that is missing while sysfs knows the disk: a container. */
static void a_disk_without_node_is_named(void **state)
{
	struct fixture *x = *state;
	char *node = fixture_path(x, "/dev/nvme0n1");

	put_controller(x, 0, PCI1, "S1\n");
	put_namespace(x, 0, 1, PCI1, "1\n", "eui.00000000000000a1\n");
	assert_int_equal(unlink(node), 0);
	free(node);
	assert_int_equal(resolve(x, "serial:S1"), ERR_TARGET);
	contains(x->err.text, "'/dev/nvme0n1' is missing");
	contains(x->err.hint, "container");
}

static void damaged_sysfs_is_an_error(void **state)
{
	struct fixture *x = *state;

	put_sda(x);
	put(x, "/sys/block/sdb/dev", "eight:sixteen\n");
	assert_int_equal(resolve(x, "wwid:naa.5002538e40a1b2c3"), ERR_TARGET);
	contains(x->err.text, "/sys/block/sdb");
}

/* NVMe multipath: the head is the device, its paths are hidden. */
static void a_multipath_head_is_found_once(void **state)
{
	struct fixture *x = *state;

	put_controller(x, 0, PCI1, "S1\n");
	put_controller(x, 1, PCI2, "S1\n");
	put_disk(x, "nvme0n1", "259:1\n", "2097152\n");
	put(x, "/sys/block/nvme0n1/wwid", "eui.00000000000000a1\n");
	put(x, "/sys/block/nvme0n1/nsid", "1\n");
	put(x, "/sys/block/nvme0c0n1/hidden", "1\n");
	put(x, "/sys/block/nvme0c0n1/wwid", "eui.00000000000000a1\n");
	put(x, "/sys/devices/virtual/nvme-subsystem/nvme-subsys0/model", "Samsung SSD 970 EVO\n");
	put(x, "/sys/devices/virtual/nvme-subsystem/nvme-subsys0/serial", "S1\n");
	put_link(x, "/sys/devices/virtual/nvme-subsystem/nvme-subsys0/nvme0",
		 "../../../pci0000:00/0000:00:1c.0/" PCI1 "/nvme/nvme0");
	put_link(x, "/sys/block/nvme0n1/device",
		 "../../devices/virtual/nvme-subsystem/nvme-subsys0");
	must_resolve(x, "wwid:eui.00000000000000a1");
	assert_string_equal(x->target.path, "/dev/nvme0n1");
	fact_is(&x->target.facts, "device.transport", "pcie");
	fact_is(&x->target.facts, "link", "full");
	must_resolve(x, "pci:" PCI1);
	put_link(x, "/sys/devices/virtual/nvme-subsystem/nvme-subsys0/nvme1",
		 "../../../pci0000:00/0000:00:1c.0/" PCI2 "/nvme/nvme1");
	must_resolve(x, "serial:S1/nsid:1");
	fact_is(&x->target.facts, "link", "full");
	fact_is(&x->target.facts, "link.width", "4");
	/* which of them an I/O takes is not known, and so neither how fast it may be */
	assert_null(facts_find(&x->target.facts, "link.bandwidth"));
	put(x, "/sys/devices/pci0000:00/0000:00:1c.0/" PCI2 "/current_link_width", "1\n");
	must_resolve(x, "serial:S1/nsid:1");
	fact_is(&x->target.facts, "link", "downgraded + full");
	put(x, "/sys/devices/pci0000:00/0000:00:1c.0/" PCI2 "/nvme/nvme1/transport", "tcp\n");
	must_resolve(x, "serial:S1/nsid:1");
	fact_is(&x->target.facts, "link", NULL);
	contains(facts_find(&x->target.facts, "link")->why, "nvme1': no rule reads the link");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(namespaces_are_matched_by_nsid),     TEST(a_renamed_disk_is_found_by_serial),
		TEST(identities_name_one_device),         TEST(a_kernel_name_is_no_identity),
		TEST(scsi_serial_and_wwid_are_read),      TEST(a_folder_of_the_fixture_is_a_target),
		TEST(links_are_followed_inside_the_root), TEST(wrong_kinds_and_sizes_are_refused),
		TEST(a_disk_without_node_is_named),       TEST(damaged_sysfs_is_an_error),
		TEST(a_multipath_head_is_found_once),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
