/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The real machine: root "/". What needs root or a loop device skips with a sentence. */
#include "fixture.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <linux/loop.h>
#include <sys/ioctl.h>
#include <sys/vfs.h>

static const struct host live = {.root = "/"};

static int look(struct fixture *x, const char *id)
{
	facts_release(&x->target.facts);
	x->err = ERR_INIT;
	return host_target(&live, "dut", id, &x->arena, &x->target, &x->err);
}

static void facts_of_this_machine(void **state)
{
	struct fixture *x = *state;
	struct facts f;

	facts_init(&f);
	host_facts(&live, &f, &x->arena);
	assert_non_null(facts_value(&f, "kernel.release"));
	assert_non_null(facts_value(&f, "boot.id"));
	assert_non_null(facts_find(&f, "cpu.model"));
	assert_non_null(facts_find(&f, "cgroup.limit"));
	for (size_t i = 0; i < f.n; i++)
		assert_true(f.v[i].value || f.v[i].why);
	facts_release(&f);
}

/* In a chroot into a plain folder no line of the mount table holds the files. */
static bool root_is_a_mount(void)
{
	struct statx s;

	assert_int_equal(statx(AT_FDCWD, "/", 0, STATX_BASIC_STATS, &s), 0);
	return s.stx_attributes & STATX_ATTR_MOUNT_ROOT;
}

static void a_folder_and_a_file(void **state)
{
	struct fixture *x = *state;
	char *path = fixture_path(x, "/file"), *link = fixture_path(x, "/link");
	struct err e = ERR_INIT;
	int fd;

	put(x, "/file", "0123456789");
	assert_int_equal(look(x, x->root), 0);
	assert_int_equal(x->target.kind, TARGET_DIR);
	assert_true(x->target.size > 0);
	assert_true(x->target.write_allowed);
	assert_true(x->target.logical_block >= 512);
	assert_false(x->target.dio_known);
	fact_is(&x->target.facts, "target.type", "dir");
	assert_true(facts_value(&x->target.facts, "fs.type") || !root_is_a_mount());
	assert_non_null(facts_find(&x->target.facts, "device.model"));
	assert_int_equal(host_in_use(&live, &x->target, &x->users, &x->err), 0);
	assert_int_equal(symlink("file", link), 0);
	assert_int_equal(look(x, link), 0);
	assert_int_equal(x->target.kind, TARGET_FILE);
	assert_true(x->target.size == 10);
	assert_string_equal(strrchr(x->target.path, '/'), "/file");
	assert_false(x->target.write_allowed);
	/* a file is named for writing by its path */
	assert_int_equal(host_identity(&live, path, &x->target, &e), 1);
	assert_int_equal(host_identity(&live, x->root, &x->target, &e), 0);
	assert_int_equal(e.code, 0);
	fd = open(path, O_RDONLY);
	assert_true(fd >= 0);
	bool known = x->target.dio_known;
	uint32_t offset = x->target.dio_offset;
	x->target.dio_known = !known;
	assert_int_equal(host_dio(fd, &x->target), 0);
	assert_int_equal(x->target.dio_known, known);
	assert_int_equal(x->target.dio_offset, offset);
	close(fd);
	assert_int_equal(host_dio(-1, &x->target), -EBADF);
	assert_false(x->target.dio_known);
	free(link);
	free(path);
}

/* FACTS 1: tmpfs takes O_DIRECT and reports nothing; that must not look like direct I/O. */
static void tmpfs_reports_no_direct_io(void **state)
{
	struct fixture *x = *state;
	char path[] = "/dev/shm/blkgate-host-XXXXXX";
	struct statfs fs;
	int fd = mkstemp(path);

	if (fd < 0 || fstatfs(fd, &fs) < 0 || fs.f_type != 0x01021994) {
		if (fd >= 0) {
			close(fd);
			unlink(path);
		}
		print_message("skip: no tmpfs to write to in /dev/shm\n");
		skip();
	}
	close(fd);
	assert_int_equal(look(x, path), 0);
	unlink(path);
	assert_string_equal(x->target.fstype, "tmpfs");
	assert_false(x->target.dio_known);
	fact_is(&x->target.facts, "device.model", "none");
	fact_is(&x->target.facts, "target.dio", "not reported");
}

static void what_is_no_target_is_refused(void **state)
{
	static const struct {
		const char *id, *text;
	} cases[] = {
		{"/dev/null", "character device"},
		{"/dev/full", "character device"},
		{"/nonexistent/x", "'/nonexistent' is missing"},
		{"blkgate-no-such-thing", "is missing"},
		{"wwid:eui.ffffffffffffffffffff", "no block device here"},
		{"/proc/self/mountinfo/x", "a part of its path is a file"},
	};
	struct fixture *x = *state;

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		assert_int_equal(look(x, cases[i].id), ERR_TARGET);
		assert_int_equal(x->err.code, ERR_TARGET);
		contains(x->err.text, cases[i].text);
		assert_null(x->target.path);
		assert_string_equal(x->target.id, cases[i].id);
	}
}

static void missing_permission_is_explained(void **state)
{
	struct fixture *x = *state;
	char *file = fixture_path(x, "/shut/file"), *dir = fixture_path(x, "/shut");
	int rc;

	if (geteuid() == 0) {
		free(dir);
		free(file);
		print_message("skip: root is refused nothing by the file mode\n");
		skip();
	}
	put(x, "/shut/file", "x");
	assert_int_equal(chmod(file, 0), 0);
	assert_int_equal(look(x, file), ERR_TARGET);
	contains(x->err.text, "the file mode forbids it");
	contains(x->err.text, "mode 0000");
	assert_int_equal(x->err.sys, EACCES);
	assert_int_equal(chmod(dir, 0500), 0);
	rc = look(x, dir);
	assert_int_equal(rc, ERR_TARGET);
	contains(x->err.text, "mode 0500");
	assert_int_equal(chmod(dir, 0), 0);
	rc = look(x, file);
	assert_int_equal(chmod(dir, 0700), 0);
	assert_int_equal(rc, ERR_TARGET);
	contains(x->err.text, "may not search folder");
	free(dir);
	free(file);
}

/* A loop device on a file of 1 MiB, gone with its descriptor; -1 when this machine gives none. */
static int loop_open(struct fixture *x, char node[32])
{
	char *path = fixture_path(x, "/image");
	struct loop_config c = {.block_size = 4096, .info.lo_flags = LO_FLAGS_AUTOCLEAR};
	int ctl = open("/dev/loop-control", O_RDWR | O_CLOEXEC), n, fd;
	int image = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);

	free(path);
	assert_true(image >= 0);
	assert_int_equal(ftruncate(image, 1 << 20), 0);
	n = ctl < 0 ? -1 : ioctl(ctl, LOOP_CTL_GET_FREE);
	if (ctl >= 0)
		close(ctl);
	snprintf(node, 32, "/dev/loop%d", n);
	fd = n < 0 ? -1 : open(node, O_RDWR | O_CLOEXEC);
	c.fd = (uint32_t)image;
	if (fd >= 0 && ioctl(fd, LOOP_CONFIGURE, &c) < 0) {
		close(fd);
		fd = -1;
	}
	close(image);
	return fd;
}

static void write_at(int fd, const void *p, size_t n, off_t at)
{
	assert_int_equal(pwrite(fd, p, n, at), (ssize_t)n);
	assert_int_equal(fsync(fd), 0);
}

static void check_loop(struct fixture *x, int fd, const char *node)
{
	uint32_t swap[3] = {1, 255, 0}; /* version, last page, bad pages */
	const char *type = "?";
	char id[64];

	assert_int_equal(look(x, node), 0);
	assert_int_equal(x->target.kind, TARGET_BLOCK);
	assert_true(x->target.size == 1 << 20);
	assert_int_equal(x->target.logical_block, 4096);
	if (x->target.dio_known)
		assert_int_equal(x->target.dio_offset, 4096);
	assert_true(host_diskseq(fd) == x->target.diskseq);
	assert_true(host_diskseq(-1) == 0);
	fact_is(&x->target.facts, "device.transport", "loop");
	fact_is(&x->target.facts, "link", "none");
	assert_int_equal(host_in_use(&live, &x->target, &x->users, &x->err), 0);
	assert_int_equal(x->users.n, 0);
	/* its name is no identity, its sequence number is one */
	assert_int_equal(host_identity(&live, node, &x->target, &x->err), 0);
	contains(x->err.hint, "diskseq:");
	snprintf(id, sizeof(id), "diskseq:%llu", (unsigned long long)x->target.diskseq);
	assert_int_equal(host_identity(&live, id, &x->target, &x->err), 1);
	assert_int_equal(look(x, id), 0);
	assert_string_equal(x->target.path, node);
	assert_int_equal(host_signature(&live, &x->target, &x->arena, &type, &x->err), 0);
	assert_null(type);
	write_at(fd, swap, sizeof(swap), 1024);
	write_at(fd, "SWAPSPACE2", 10, 4096 - 10);
	assert_int_equal(host_signature(&live, &x->target, &x->arena, &type, &x->err), 0);
	assert_string_equal(type, "swap");
}

static void a_real_loop_device(void **state)
{
	struct fixture *x = *state;
	char node[32];
	char *image = fixture_path(x, "/image");
	const char *type;
	int fd = loop_open(x, node);

	if (fd < 0) {
		free(image);
		print_message("skip: no loop device can be set up here\n");
		skip();
	}
	check_loop(x, fd, node);
	/* FACTS 2: a truncated backing file gives EIO; unreadable is not blank */
	assert_int_equal(truncate(image, 0), 0);
	assert_int_equal(ioctl(fd, BLKFLSBUF, 0), 0);
	assert_int_equal(host_signature(&live, &x->target, &x->arena, &type, &x->err), ERR_TARGET);
	assert_null(type);
	assert_int_equal(ioctl(fd, LOOP_CLR_FD, 0), 0);
	close(fd);
	free(image);
}

static void every_disk_here_can_be_described(void **state)
{
	struct fixture *x = *state;
	struct err e = ERR_INIT;
	char **names;
	size_t n, seen = 0;

	assert_int_equal(file_list("/sys/block", NULL, &names, &n, &e), 0);
	for (size_t i = 0; i < n; i++) {
		char node[300];

		snprintf(node, sizeof(node), "/dev/%s", names[i]);
		if (look(x, node) < 0) {
			assert_true(x->err.text[0] != '\0');
			continue;
		}
		seen++;
		assert_non_null(facts_find(&x->target.facts, "device.model"));
		assert_non_null(facts_value(&x->target.facts, "device.capacity"));
		assert_int_equal(host_in_use(&live, &x->target, &x->users, &x->err), 0);
	}
	file_list_free(names, n);
	if (!seen) {
		print_message("skip: no block device here may be opened\n");
		skip();
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(facts_of_this_machine),
		TEST(a_folder_and_a_file),
		TEST(tmpfs_reports_no_direct_io),
		TEST(what_is_no_target_is_refused),
		TEST(missing_permission_is_explained),
		TEST(a_real_loop_device),
		TEST(every_disk_here_can_be_described),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
