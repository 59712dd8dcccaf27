/* SPDX-License-Identifier: GPL-2.0-or-later */
/* bugs-given overwrite-1: in use is decided by device number, over the whole disk and its stack. */
#include "fixture.h"

static void mount_on(struct fixture *x, const char *lines)
{
	char *text = xasprintf("21 1 254:0 / / rw - ext4 /dev/vda rw\n%s", lines);

	put(x, "/proc/self/mountinfo", text);
	free(text);
}

/* Number of users; with want: one sentence must hold it. */
static size_t users_of(struct fixture *x, const char *id, const char *want)
{
	bool found = want == NULL;

	must_resolve(x, id);
	notices_release(&x->users);
	notices_init(&x->users);
	if (host_in_use(&x->host, &x->target, &x->users, &x->err) != 0)
		fail_msg("%s: %s", id, x->err.text);
	for (size_t i = 0; i < x->users.n; i++)
		found |= want && strstr(x->users.v[i], want);
	if (!found)
		fail_msg("%s: no user '%s', first '%s'", id, want,
			 x->users.n ? x->users.v[0] : "(none)");
	return x->users.n;
}

static void a_free_disk_has_no_users(void **state)
{
	struct fixture *x = *state;

	put_sda(x);
	assert_int_equal(users_of(x, "/dev/sda", NULL), 0);
	assert_int_equal(users_of(x, "/dev/sda1", NULL), 0);
}

static void a_mounted_partition_blocks_disk_and_sibling(void **state)
{
	struct fixture *x = *state;

	put_sda(x);
	put_link(x, "/dev/disk/by-id/ata-860", "../../sda");
	mount_on(x, "40 21 8:1 / /home\\040dir rw - xfs /dev/sda1 rw\n");
	assert_int_equal(users_of(x, "/dev/sda", "'/dev/sda1' is mounted on '/home dir' (xfs)"), 1);
	assert_int_equal(users_of(x, "ata-860", "'/dev/sda1' is mounted"), 1);
	assert_int_equal(users_of(x, "/dev/sda1", "'/dev/sda1' is mounted"), 1);
	assert_int_equal(users_of(x, "/dev/sda2", "'/dev/sda1' is mounted"), 1);
	/* and the whole disk, seen from a partition */
	mount_on(x, "40 21 8:0 / /data rw - ext4 /dev/sda rw\n");
	assert_int_equal(users_of(x, "/dev/sda2", "'/dev/sda' is mounted"), 1);
}

/* btrfs and its like show a number of their own. */
static void a_mount_is_found_by_its_source(void **state)
{
	struct fixture *x = *state;

	put_sda(x);
	put_disk(x, "sdb", "8:16\n", "2048\n");
	mount_on(x, "40 21 0:44 /@ /mnt rw - btrfs /dev/sda2 rw,subvol=/@\n");
	assert_int_equal(users_of(x, "/dev/sda1", "'/dev/sda2' is mounted on '/mnt' (btrfs)"), 1);
	mount_on(x, "40 21 0:44 / /mnt rw - bcachefs /dev/sdc:/dev/sdb rw\n");
	assert_int_equal(users_of(x, "/dev/sdb", "'/dev/sdb' is mounted"), 1);
	mount_on(x, "40 21 254:1 / /mnt rw - xfs /dev/vda1 rw,logdev=/dev/sdb,noquota\n");
	assert_int_equal(users_of(x, "/dev/sdb", "'/dev/sdb' is mounted"), 1);
	/* the second device of a btrfs stands in no mount table */
	mount_on(x, "");
	put_dir(x, "/sys/fs/btrfs/features");
	put_link(x, "/sys/fs/btrfs/12-34/devices/sdb", "../../../../block/sdb");
	assert_int_equal(users_of(x, "/dev/sdb", "mounted btrfs 12-34"), 1);
	assert_int_equal(users_of(x, "/dev/sda", NULL), 0);
}

/* A service with a private mount namespace. */
static void mounts_of_the_first_process_count(void **state)
{
	struct fixture *x = *state;

	put_sda(x);
	put(x, "/proc/1/mountinfo", "40 21 8:2 / /srv rw - ext4 /dev/sda2 rw\n");
	assert_int_equal(users_of(x, "/dev/sda", "'/dev/sda2' is mounted on '/srv'"), 1);
}

/* Each namespace is read once, and begins as a copy of another. */
static void mounts_of_other_namespaces_count(void **state)
{
	struct fixture *x = *state;

	put_sda(x);
	put_link(x, "/proc/self/ns/mnt", "mnt:[1]");
	put_link(x, "/proc/1/ns/mnt", "mnt:[1]");
	put(x, "/proc/1/mountinfo", "40 21 8:2 / /never-read rw - ext4 /dev/sda2 rw\n");
	put_link(x, "/proc/77/ns/mnt", "mnt:[2]");
	put(x, "/proc/77/comm", "postgres\n");
	put(x, "/proc/77/mountinfo",
	    "21 1 254:0 / / rw - ext4 /dev/vda rw\n"
	    "40 21 8:2 / /srv rw - ext4 /dev/sda2 rw\n");
	put_link(x, "/proc/78/ns/mnt", "mnt:[3]");
	put(x, "/proc/78/mountinfo", "40 21 8:2 / /srv rw - ext4 /dev/sda2 rw\n");
	/* of another user: no name, no table */
	put(x, "/proc/79/mountinfo", "40 21 8:1 / /secret rw - ext4 /dev/sda1 rw\n");
	assert_int_equal(users_of(x, "/dev/sda",
				  "'/dev/sda2' is mounted on '/srv' (ext4) in the mount namespace "
				  "of process 77 (postgres)"),
			 1);
	mount_on(x, "41 21 8:2 / /srv rw - ext4 /dev/sda2 rw\n");
	assert_int_equal(users_of(x, "/dev/sda", "'/dev/sda2' is mounted on '/srv' (ext4)"), 1);
	assert_null(strstr(x->users.v[0], "namespace"));
}

/* The disk of the machine, by whatever it is called. */
static void the_root_disk_is_in_use_by_any_name(void **state)
{
	static const char *const names[] = {
		"/dev/sda",
		"/dev/sda1",
		"/dev/sda2",
		"ata-860",
		"/dev/root",
		"/dev/../dev/sda",
		"wwid:naa.5002538e40a1b2c3",
		"5002538e40a1b2c3",
		"diskseq:9",
		"/dev/disk/by-id/ata-860-part1",
		"pci:0000:00:17.0",
	};
	struct fixture *x = *state;

	put_sda(x);
	put(x, "/sys/block/sda/diskseq", "9\n");
	put_link(x, "/dev/disk/by-id/ata-860", "../../sda");
	put_link(x, "/dev/disk/by-id/ata-860-part1", "../../sda1");
	put_link(x, "/dev/root", "sda1");
	put(x, "/proc/self/mountinfo", "21 1 8:1 / / rw - ext4 /dev/root rw\n");
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		users_of(x, names[i], "'/dev/sda1' is mounted on '/' (ext4)");
	/* behind a volume the number is the volume's */
	put_disk(x, "dm-0", "252:0\n", "1024\n");
	put_link(x, "/sys/block/dm-0/slaves/sda2", "../../sda/sda2");
	put_link(x, "/sys/block/sda/sda2/holders/dm-0", "../../../../dm-0");
	put(x, "/proc/self/mountinfo", "21 1 252:0 / / rw - ext4 /dev/mapper/vg-root rw\n");
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		users_of(x, names[i], "'/dev/sda2' is held by 'dm-0'");
}

static void files_are_used_as_devices(void **state)
{
	struct fixture *x = *state;

	put_sda(x);
	put(x, "/var/disk.img", "x");
	put(x, "/var/swapfile", "x");
	put_link(x, "/img", "var/disk.img");
	put_disk(x, "loop3", "7:3\n", "1024\n");
	assert_int_equal(users_of(x, "/img", NULL), 0);
	put(x, "/sys/block/loop3/loop/backing_file", "/var/disk.img\n");
	assert_int_equal(users_of(x, "/img", "'/dev/loop3' is a loop device on '/var/disk.img'"),
			 1);
	assert_int_equal(users_of(x, "/var/swapfile", NULL), 0);
	put(x, "/proc/swaps",
	    "Filename\t\t\t\tType\t\tSize\tUsed\tPriority\n"
	    "/var/swapfile file 1024 0 -2\n");
	assert_int_equal(users_of(x, "/var/swapfile", "'/var/swapfile' is swap space"), 1);
	/* removed: another file may have its name now */
	put(x, "/sys/block/loop3/loop/backing_file", "/var/disk.img (deleted)\n");
	assert_int_equal(users_of(x, "/img", NULL), 0);
	put(x, "/proc/swaps", "nothing that can be read\n/x\n");
	assert_int_equal(host_in_use(&x->host, &x->target, &x->users, &x->err), ERR_TARGET);
}

static void swap_counts(void **state)
{
	struct fixture *x = *state;

	put_sda(x);
	put_link(x, "/dev/disk/by-uuid/1-2", "../../sda2");
	put(x, "/proc/swaps",
	    "Filename\t\t\t\tType\t\tSize\tUsed\tPriority\n"
	    "/swapfile file 1024 0 -2\n"
	    "/dev/sda2 partition 1024 0 -3\n");
	assert_int_equal(users_of(x, "/dev/sda", "'/dev/sda2' is swap space"), 1);
	assert_int_equal(users_of(x, "/dev/sda1", "is swap space"), 1);
	put(x, "/proc/swaps",
	    "Filename\t\t\t\tType\t\tSize\tUsed\tPriority\n"
	    "/dev/disk/by-uuid/1-2 partition 1024 0 -3\n");
	assert_int_equal(users_of(x, "/dev/sda", "is swap space"), 1);
}

static void put_dm(struct fixture *x, const char *name, const char *dev, const char *label)
{
	char path[128], to[128];

	put_disk(x, name, dev, "1024\n");
	putf(x, label, "/sys/block/%s/dm/name", name);
	putf(x, "LVM-xyz\n", "/sys/block/%s/dm/uuid", name);
	snprintf(path, sizeof(path), "/sys/block/%s/slaves/sda2", name);
	put_link(x, path, "../../sda/sda2");
	snprintf(path, sizeof(path), "/sys/block/sda/sda2/holders/%s", name);
	snprintf(to, sizeof(to), "../../../../%s", name);
	put_link(x, path, to);
}

static void holders_count(void **state)
{
	struct fixture *x = *state;

	put_sda(x);
	put_dm(x, "dm-0", "252:0\n", "vg-root\n");
	assert_int_equal(users_of(x, "/dev/sda", "'/dev/sda2' is held by 'dm-0' (LVM 'vg-root')"),
			 1);
	assert_int_equal(users_of(x, "/dev/sda1", "is held by 'dm-0'"), 1);
	/* the volume does not block itself ... */
	assert_int_equal(users_of(x, "/dev/dm-0", NULL), 0);
	/* ... but a mounted neighbour below it does, and a second volume on the same disk */
	mount_on(x, "40 21 8:1 / /boot rw - ext4 /dev/sda1 rw\n");
	assert_int_equal(users_of(x, "/dev/dm-0", "'/dev/sda1' is mounted"), 1);
	mount_on(x, "");
	put_dm(x, "dm-1", "252:1\n", "vg-home\n");
	assert_int_equal(users_of(x, "/dev/dm-0", "held by 'dm-1' (LVM 'vg-home')"), 1);
	mount_on(x, "40 21 252:0 / /mnt rw - ext4 /dev/mapper/vg-root rw\n");
	users_of(x, "/dev/dm-0", "'/dev/dm-0' is mounted on '/mnt'");
}

/* FACTS 3: neither holders nor an exclusive open shows a loop device on top. */
static void a_stacked_loop_device_counts(void **state)
{
	struct fixture *x = *state;

	put_sda(x);
	put_disk(x, "loop3", "7:3\n", "1024\n");
	put(x, "/sys/block/loop3/loop/backing_file", "/dev/sda2\n");
	assert_int_equal(
		users_of(x, "/dev/sda", "'/dev/loop3' is a loop device stacked on '/dev/sda2'"), 1);
	assert_int_equal(users_of(x, "/dev/sda1", "loop device"), 1);
	/* from above: the loop may be written unless what it lies on is used otherwise */
	assert_int_equal(users_of(x, "/dev/loop3", NULL), 0);
	mount_on(x, "40 21 8:1 / /boot rw - ext4 /dev/sda1 rw\n");
	assert_int_equal(users_of(x, "/dev/loop3", "'/dev/sda1' is mounted"), 1);
	/* a loop on a file uses no device of its own */
	mount_on(x, "");
	put(x, "/sys/block/loop3/loop/backing_file", "/var/disk.img (deleted)\n");
	assert_int_equal(users_of(x, "/dev/sda", NULL), 0);
}

static void another_path_to_the_disk_counts(void **state)
{
	struct fixture *x = *state;

	put_sda(x);
	put_disk(x, "sdb", "8:16\n", "2048\n");
	put_partition(x, "sdb", "sdb1", "8:17\n", "1\n");
	put(x, "/sys/block/sdb/device/wwid", "naa.5002538e40a1b2c3\n");
	mount_on(x, "40 21 8:17 / /data rw - ext4 /dev/sdb1 rw\n");
	assert_int_equal(users_of(x, "/dev/sda", "'/dev/sdb1' is mounted"), 1);
	put(x, "/sys/block/sdb/device/wwid", "naa.5002538e40a1b2c4\n");
	assert_int_equal(users_of(x, "/dev/sda", NULL), 0);
}

static void what_cannot_be_read_counts_as_used(void **state)
{
	struct fixture *x = *state;
	char *path = fixture_path(x, "/proc/self/mountinfo");

	put_sda(x);
	must_resolve(x, "/dev/sda");
	put(x, "/proc/self/mountinfo", "this is no mount table\n");
	assert_int_equal(host_in_use(&x->host, &x->target, &x->users, &x->err), ERR_TARGET);
	assert_int_equal(unlink(path), 0);
	free(path);
	assert_int_equal(host_in_use(&x->host, &x->target, &x->users, &x->err), ERR_TARGET);
	contains(x->err.text, "mountinfo");
	put_proc(x);
	/* a slave that sysfs does not know */
	put_link(x, "/sys/block/sda/slaves/sdz", "../../sdz");
	assert_int_equal(host_in_use(&x->host, &x->target, &x->users, &x->err), ERR_TARGET);
	contains(x->err.text, "made of");
	/* the device vanished between resolving and asking */
	x->target.dev_minor = 77;
	assert_int_equal(host_in_use(&x->host, &x->target, &x->users, &x->err), ERR_TARGET);
	contains(x->err.text, "not in /sys/block");
}

static void a_loop_of_stacks_ends(void **state)
{
	struct fixture *x = *state;

	put_disk(x, "dm-0", "252:0\n", "1024\n");
	put_disk(x, "dm-1", "252:1\n", "1024\n");
	put_link(x, "/sys/block/dm-0/slaves/dm-1", "../../dm-1");
	put_link(x, "/sys/block/dm-1/slaves/dm-0", "../../dm-0");
	assert_int_equal(users_of(x, "/dev/dm-0", NULL), 0);
	fact_is(&x->target.facts, "device.model", NULL);
}

static void the_recorded_signature_is_given(void **state)
{
	struct fixture *x = *state;
	const char *type = "?";

	put_sda(x);
	must_resolve(x, "/dev/sda");
	assert_int_equal(host_signature(&x->host, &x->target, &x->arena, &type, &x->err),
			 ERR_TARGET);
	contains(x->err.hint, "/run/udev/data/b8:0");
	assert_null(type);
	put(x, "/run/udev/data/b8:0", "E:ID_SERIAL=x\n");
	assert_int_equal(host_signature(&x->host, &x->target, &x->arena, &type, &x->err), 0);
	assert_null(type);
	put(x, "/run/udev/data/b8:0", "E:ID_SERIAL=x\nE:ID_PART_TABLE_TYPE=gpt\n");
	assert_int_equal(host_signature(&x->host, &x->target, &x->arena, &type, &x->err), 0);
	assert_string_equal(type, "gpt");
	put(x, "/run/udev/data/b8:0", "E:ID_FS_TYPE=LVM2_member\nE:ID_PART_TABLE_TYPE=gpt\n");
	assert_int_equal(host_signature(&x->host, &x->target, &x->arena, &type, &x->err), 0);
	assert_string_equal(type, "LVM2_member");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(a_free_disk_has_no_users),
		TEST(a_mounted_partition_blocks_disk_and_sibling),
		TEST(a_mount_is_found_by_its_source),
		TEST(mounts_of_the_first_process_count),
		TEST(mounts_of_other_namespaces_count),
		TEST(the_root_disk_is_in_use_by_any_name),
		TEST(files_are_used_as_devices),
		TEST(swap_counts),
		TEST(holders_count),
		TEST(a_stacked_loop_device_counts),
		TEST(another_path_to_the_disk_counts),
		TEST(what_cannot_be_read_counts_as_used),
		TEST(a_loop_of_stacks_ends),
		TEST(the_recorded_signature_is_given),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
