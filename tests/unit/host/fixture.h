/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A recorded machine in a temporary folder, built by the test that needs it. */
#ifndef BLKGATE_TESTS_HOST_FIXTURE_H
#define BLKGATE_TESTS_HOST_FIXTURE_H

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "base/fileio.h"
#include "base/vec.h"
#include "host/host.h"

#include <ftw.h>
#include <limits.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

struct fixture {
	char root[64];
	struct host host;
	struct arena arena;
	struct target target;
	struct err err;
	struct notices users;
};

static inline char *fixture_path(const struct fixture *x, const char *path)
{
	return xasprintf("%s%s", x->root, path);
}

/* A file with its folders. */
static inline void put(struct fixture *x, const char *path, const char *text)
{
	char *full = fixture_path(x, path), *slash = strrchr(full, '/');
	struct err e = ERR_INIT;
	FILE *f;

	*slash = '\0';
	assert_int_equal(file_mkdirs(full, &e), 0);
	*slash = '/';
	f = fopen(full, "w");
	assert_non_null(f);
	assert_int_equal(fwrite(text, 1, strlen(text), f), strlen(text));
	assert_int_equal(fclose(f), 0);
	free(full);
}

static inline void put_dir(struct fixture *x, const char *path)
{
	char *full = fixture_path(x, path);
	struct err e = ERR_INIT;

	assert_int_equal(file_mkdirs(full, &e), 0);
	free(full);
}

static inline void put_link(struct fixture *x, const char *path, const char *to)
{
	char *full = fixture_path(x, path), *slash = strrchr(full, '/');
	struct err e = ERR_INIT;

	*slash = '\0';
	assert_int_equal(file_mkdirs(full, &e), 0);
	*slash = '/';
	unlink(full);
	assert_int_equal(symlink(to, full), 0);
	free(full);
}

static inline void putf(struct fixture *x, const char *text, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
static inline void putf(struct fixture *x, const char *text, const char *fmt, ...)
{
	char path[512];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(path, sizeof(path), fmt, ap);
	va_end(ap);
	put(x, path, text);
}

/* A whole disk with its node: size in 512-byte sectors. */
static inline void put_disk(struct fixture *x, const char *name, const char *dev, const char *size)
{
	putf(x, dev, "/sys/block/%s/dev", name);
	putf(x, size, "/sys/block/%s/size", name);
	putf(x, "512\n", "/sys/block/%s/queue/logical_block_size", name);
	putf(x, "[none] mq-deadline\n", "/sys/block/%s/queue/scheduler", name);
	putf(x, "write back\n", "/sys/block/%s/queue/write_cache", name);
	putf(x, "", "/dev/%s", name);
}

static inline void put_partition(struct fixture *x, const char *disk, const char *name,
				 const char *dev, const char *number)
{
	putf(x, dev, "/sys/block/%s/%s/dev", disk, name);
	putf(x, number, "/sys/block/%s/%s/partition", disk, name);
	putf(x, "2048\n", "/sys/block/%s/%s/size", disk, name);
	putf(x, "", "/dev/%s", name);
}

/* A SATA disk sda behind ata3 with serial, and two partitions. */
static inline void put_sda(struct fixture *x)
{
	const char *at = "/sys/devices/pci0000:00/0000:00:17.0/ata3/host2/target2:0:0/2:0:0:0";

	put_disk(x, "sda", "8:0\n", "1953525168\n");
	put_partition(x, "sda", "sda1", "8:1\n", "1\n");
	put_partition(x, "sda", "sda2", "8:2\n", "2\n");
	putf(x, "ATA     \n", "%s/vendor", at);
	putf(x, "Samsung SSD 860 \n", "%s/model", at);
	putf(x, "2B6Q\n", "%s/rev", at);
	putf(x, "naa.5002538e40a1b2c3\n", "%s/wwid", at);
	put_link(x, "/sys/block/sda/device",
		 "../../devices/pci0000:00/0000:00:17.0/ata3/host2/target2:0:0/2:0:0:0");
	put(x, "/sys/class/ata_link/link3/sata_spd", "6.0 Gbps\n");
	put(x, "/sys/class/ata_link/link3/hw_sata_spd_limit", "6.0 Gbps\n");
}

/* A controller nvmeC at a PCI address, below a root port. */
static inline void put_controller(struct fixture *x, unsigned c, const char *pci,
				  const char *serial)
{
	char at[256];

	snprintf(at, sizeof(at), "/sys/devices/pci0000:00/0000:00:1c.0/%s", pci);
	putf(x, "8.0 GT/s PCIe\n", "%s/current_link_speed", at);
	putf(x, "8.0 GT/s PCIe\n", "%s/max_link_speed", at);
	putf(x, "4\n", "%s/current_link_width", at);
	putf(x, "4\n", "%s/max_link_width", at);
	put(x, "/sys/devices/pci0000:00/0000:00:1c.0/current_link_speed", "8.0 GT/s PCIe\n");
	put(x, "/sys/devices/pci0000:00/0000:00:1c.0/max_link_speed", "16.0 GT/s PCIe\n");
	put(x, "/sys/devices/pci0000:00/0000:00:1c.0/current_link_width", "4\n");
	put(x, "/sys/devices/pci0000:00/0000:00:1c.0/max_link_width", "8\n");
	putf(x, "Samsung SSD 970 EVO\n", "%s/nvme/nvme%u/model", at, c);
	putf(x, serial, "%s/nvme/nvme%u/serial", at, c);
	putf(x, "2B2QEXE7\n", "%s/nvme/nvme%u/firmware_rev", at, c);
	putf(x, "pcie\n", "%s/nvme/nvme%u/transport", at, c);
}

static inline void put_namespace(struct fixture *x, unsigned c, unsigned n, const char *pci,
				 const char *nsid, const char *wwid)
{
	char name[32], number[32], to[256], path[64];

	snprintf(name, sizeof(name), "nvme%un%u", c, n);
	snprintf(number, sizeof(number), "259:%u\n", c * 16 + n);
	put_disk(x, name, number, "2097152\n");
	putf(x, nsid, "/sys/block/%s/nsid", name);
	putf(x, wwid, "/sys/block/%s/wwid", name);
	snprintf(path, sizeof(path), "/sys/block/%s/device", name);
	snprintf(to, sizeof(to), "../../devices/pci0000:00/0000:00:1c.0/%s/nvme/nvme%u", pci, c);
	put_link(x, path, to);
}

static inline void put_proc(struct fixture *x)
{
	put(x, "/proc/self/mountinfo",
	    "21 1 254:0 / / rw,relatime - ext4 /dev/vda rw,discard\n"
	    "22 21 0:20 / /proc rw - proc proc rw\n");
	put(x, "/proc/swaps", "Filename\t\t\t\tType\t\tSize\tUsed\tPriority\n");
}

static inline int fixture_setup(void **state)
{
	struct fixture *x = xcalloc(1, sizeof(*x));

	snprintf(x->root, sizeof(x->root), "/tmp/blkgate-host-XXXXXX");
	if (!mkdtemp(x->root))
		return -1;
	x->host.root = x->root;
	arena_init(&x->arena);
	notices_init(&x->users);
	facts_init(&x->target.facts);
	put_dir(x, "/sys/block");
	put_proc(x);
	*state = x;
	return 0;
}

static inline int fixture_remove(const char *path, const struct stat *st, int flag, struct FTW *ftw)
{
	(void)st;
	(void)flag;
	(void)ftw;
	return remove(path);
}

static inline int fixture_teardown(void **state)
{
	struct fixture *x = *state;

	facts_release(&x->target.facts);
	notices_release(&x->users);
	arena_release(&x->arena);
	nftw(x->root, fixture_remove, 16, FTW_DEPTH | FTW_PHYS);
	free(x);
	return 0;
}

static inline int resolve(struct fixture *x, const char *id)
{
	facts_release(&x->target.facts);
	x->err = ERR_INIT;
	return host_target(&x->host, "dut", id, &x->arena, &x->target, &x->err);
}

static inline void must_resolve(struct fixture *x, const char *id)
{
	if (resolve(x, id) != 0)
		fail_msg("%s: %s", id, x->err.text);
}

static inline void fact_is(const struct facts *f, const char *key, const char *want)
{
	const struct fact *x = facts_find(f, key);

	if (!x)
		fail_msg("fact %s is absent, not '%s'", key, want ? want : "unknown");
	else if (!str_eq(x->value, want))
		fail_msg("fact %s is '%s' (%s), not '%s'", key, x->value ? x->value : "unknown",
			 x->why ? x->why : "", want ? want : "unknown");
}

static inline void contains(const char *text, const char *part)
{
	if (!text || !strstr(text, part))
		fail_msg("'%s' does not hold '%s'", text ? text : "(null)", part);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, fixture_setup, fixture_teardown)

#endif
