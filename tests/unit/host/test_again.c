/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A device that was renamed while a session used it: followed by what it is, or an error. */
#include "fixture.h"

#define PCI1 "0000:01:00.0"
#define PCI2 "0000:02:00.0"

static void put_drive(struct fixture *x, unsigned c, const char *pci, const char *serial,
		      const char *wwid, const char *seq)
{
	put_controller(x, c, pci, serial);
	put_namespace(x, c, 1, pci, "1\n", wwid);
	putf(x, seq, "/sys/block/nvme%un1/diskseq", c);
}

static void gone(struct fixture *x, const char *name)
{
	char path[128];

	snprintf(path, sizeof(path), "%s/sys/block/%s", x->root, name);
	nftw(path, fixture_remove, 16, FTW_DEPTH | FTW_PHYS);
	snprintf(path, sizeof(path), "%s/dev/%s", x->root, name);
	unlink(path);
}

static int again(struct fixture *x, const char *path)
{
	struct target now;
	int rc;

	x->err = ERR_INIT;
	rc = host_again(&x->host, &x->target, &x->arena, &now, &x->err);
	if (rc == 1) {
		assert_string_equal(now.path, path);
		facts_release(&now.facts);
	}
	return rc;
}

static void where_it_was(void **state)
{
	struct fixture *x = *state;

	put_drive(x, 0, PCI1, "S1\n", "eui.00000000000000a1\n", "1\n");
	must_resolve(x, "/dev/nvme0n1");
	assert_int_equal(again(x, NULL), 0);
	/* no number, as before Linux 5.15 */
	put(x, "/sys/block/nvme0n1/diskseq", "0\n");
	assert_int_equal(again(x, NULL), 0);
}

static void followed_to_another_name(void **state)
{
	static const char *const ids[] = {"/dev/nvme0n1", "serial:S1/nsid:1",
					  "eui.00000000000000a1", ("pci:" PCI1)};
	struct fixture *x = *state;

	for (size_t i = 0; i < sizeof(ids) / sizeof(ids[0]); i++) {
		put_drive(x, 0, PCI1, "S1\n", "eui.00000000000000a1\n", "1\n");
		must_resolve(x, ids[i]);
		gone(x, "nvme0n1");
		put_drive(x, 1, PCI1, "S1\n", "eui.00000000000000a1\n", "2\n");
		assert_int_equal(again(x, "/dev/nvme1n1"), 1);
		gone(x, "nvme1n1");
	}
}

/* The kernel gave the old name and number to the other drive. */
static void the_old_name_is_another(void **state)
{
	struct fixture *x = *state;

	put_drive(x, 0, PCI1, "S1\n", "eui.00000000000000a1\n", "1\n");
	must_resolve(x, "/dev/nvme0n1");
	put_drive(x, 0, PCI2, "S2\n", "eui.00000000000000b2\n", "2\n");
	put_drive(x, 1, PCI1, "S1\n", "eui.00000000000000a1\n", "3\n");
	assert_int_equal(again(x, "/dev/nvme1n1"), 1);
}

static void the_same_name_again(void **state)
{
	struct fixture *x = *state;

	put_drive(x, 0, PCI1, "S1\n", "eui.00000000000000a1\n", "1\n");
	must_resolve(x, "/dev/nvme0n1");
	put(x, "/sys/block/nvme0n1/diskseq", "5\n");
	assert_int_equal(again(x, "/dev/nvme0n1"), 1);
}

static void not_the_same_device(void **state)
{
	static const struct {
		const char *path, *text, *then, *why;
	} cases[] = {
		{"/sys/block/nvme1n1/device/firmware_rev", "NEWER\n", "2B2QEXE7\n",
		 "device.firmware NEWER, and was 2B2QEXE7"},
		{"/sys/block/nvme1n1/size", "4096\n", "2097152\n", "device.capacity 2097152, and "},
		{"/sys/block/nvme1n1/queue/logical_block_size", "4096\n", "512\n",
		 "device.lba_format 4096, and was 512"},
		{"/sys/block/nvme1n1/wwid", "eui.00000000000000ff\n", "eui.00000000000000a1\n",
		 "answers to 'wwid:eui.00000000000000a1'"},
	};
	struct fixture *x = *state;

	put_drive(x, 0, PCI1, "S1\n", "eui.00000000000000a1\n", "1\n");
	must_resolve(x, "/dev/nvme0n1");
	gone(x, "nvme0n1");
	put_drive(x, 1, PCI1, "S1\n", "eui.00000000000000a1\n", "2\n");
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		put(x, cases[i].path, cases[i].text);
		assert_int_equal(again(x, NULL), ERR_TARGET);
		contains(x->err.text, cases[i].why);
		contains(x->err.text, "target 'dut' is no longer the device at '/dev/nvme0n1'");
		put(x, cases[i].path, cases[i].then);
	}
	assert_int_equal(again(x, "/dev/nvme1n1"), 1);
	gone(x, "nvme1n1");
	assert_int_equal(again(x, NULL), ERR_TARGET);
}

/* Two that answer to it, a link that leads to another, and devices without a name of their own. */
static void nothing_tells(void **state)
{
	struct fixture *x = *state;

	put_drive(x, 0, PCI1, "S1\n", "eui.00000000000000a1\n", "1\n");
	put_drive(x, 1, PCI2, "S2\n", "eui.00000000000000b2\n", "2\n");
	put_link(x, "/dev/disk/by-id/nvme-one", "../../nvme0n1");
	must_resolve(x, "/dev/disk/by-id/nvme-one");
	gone(x, "nvme0n1");
	put_drive(x, 2, PCI1, "S1\n", "eui.00000000000000a1\n", "3\n");
	put_link(x, "/dev/disk/by-id/nvme-one", "../../nvme1n1");
	assert_int_equal(again(x, NULL), ERR_TARGET);
	contains(x->err.text, "does not lead to '/dev/nvme2n1'");
	put_link(x, "/dev/disk/by-id/nvme-one", "../../nvme2n1");
	assert_int_equal(again(x, "/dev/nvme2n1"), 1);
	put(x, "/sys/block/nvme1n1/wwid", "eui.00000000000000a1\n");
	assert_int_equal(again(x, NULL), ERR_TARGET);
	contains(x->err.text, "ambiguous");
	put_disk(x, "loop0", "7:0\n", "2048\n");
	put(x, "/sys/block/loop0/diskseq", "8\n");
	must_resolve(x, "/dev/loop0");
	put(x, "/sys/block/loop0/diskseq", "9\n");
	assert_int_equal(again(x, NULL), ERR_TARGET);
	contains(x->err.text, "nothing identifies '/dev/loop0' but its name");
}

static void a_partition_by_its_number(void **state)
{
	struct fixture *x = *state;

	put_drive(x, 0, PCI1, "S1\n", "eui.00000000000000a1\n", "1\n");
	put_partition(x, "nvme0n1", "nvme0n1p2", "259:40\n", "2\n");
	must_resolve(x, "/dev/nvme0n1p2");
	gone(x, "nvme0n1");
	put_drive(x, 1, PCI1, "S1\n", "eui.00000000000000a1\n", "2\n");
	put_partition(x, "nvme1n1", "nvme1n1p1", "259:41\n", "1\n");
	assert_int_equal(again(x, NULL), ERR_TARGET);
	contains(x->err.text, "'/dev/nvme1n1' has no partition 2 now");
	put_partition(x, "nvme1n1", "nvme1n1p2", "259:42\n", "2\n");
	assert_int_equal(again(x, "/dev/nvme1n1p2"), 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(where_it_was),
		TEST(followed_to_another_name),
		TEST(the_old_name_is_another),
		TEST(the_same_name_again),
		TEST(not_the_same_device),
		TEST(nothing_tells),
		TEST(a_partition_by_its_number),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
