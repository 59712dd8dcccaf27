/* SPDX-License-Identifier: GPL-2.0-or-later */
/* host/block: the table of block devices in /sys/block, and the names of each. */
#include "host/internal.h"
#include "base/fileio.h"

#include <errno.h>
#include <stdio.h>
#include <sys/sysmacros.h>

static int read_number(const struct host *h, const char *dir, unsigned *dev_major,
		       unsigned *dev_minor)
{
	struct str s;
	char tail;
	int rc;

	str_init(&s);
	rc = host_read(h, &s, "%s/dev", dir);
	if (rc == 0 && sscanf(s.s, "%u:%u%c", dev_major, dev_minor, &tail) != 2)
		rc = -EINVAL;
	str_release(&s);
	return rc;
}

/* 1 added, 0 vanished or no block device (hot removal between two reads), -errno else. */
static int add(const struct host *h, struct blocks *b, const char *dir, const char *name,
	       size_t disk)
{
	struct block x = {0};
	uint64_t hidden = 0;
	int n, rc;

	n = snprintf(x.name, sizeof(x.name), "%s", name);
	if (n < 0 || (size_t)n >= sizeof(x.name))
		return -ENAMETOOLONG;
	n = snprintf(x.dir, sizeof(x.dir), "%s/%s", dir, name);
	if (n < 0 || (size_t)n >= sizeof(x.dir))
		return -ENAMETOOLONG;
	(void)host_read_u64(h, &hidden, "%s/hidden", x.dir);
	x.hidden = hidden != 0;
	rc = read_number(h, x.dir, &x.dev_major, &x.dev_minor);
	/* a hidden path has no number */
	if (rc == -ENOENT || rc == -ENODEV || rc == -ENOTDIR) {
		if (!x.hidden)
			return 0;
		x.dev_major = x.dev_minor = UINT32_MAX;
		rc = 0;
	}
	if (rc < 0)
		return rc;
	x.disk = disk == BLOCK_NONE ? b->n : disk;
	*VEC_PUSH(b) = x;
	return 1;
}

static int add_partitions(const struct host *h, struct blocks *b, size_t disk)
{
	char name[sizeof(b->v[0].name)], dir[sizeof(b->v[0].dir)];
	char **sub;
	size_t n;
	int rc;

	/* copies: the array moves while it grows */
	memcpy(name, b->v[disk].name, sizeof(name));
	memcpy(dir, b->v[disk].dir, sizeof(dir));
	rc = host_list(h, &sub, &n, "%s", dir);
	for (size_t i = 0; rc >= 0 && i < n; i++)
		if (str_starts(sub[i], name) && host_exists(h, "%s/%s/partition", dir, sub[i]))
			rc = add(h, b, dir, sub[i], disk);
	file_list_free(sub, n);
	return rc < 0 ? rc : 0;
}

int blocks_load(const struct host *h, struct blocks *b, struct err *e)
{
	char **names;
	size_t n;
	int rc;

	*b = (struct blocks){0};
	rc = host_list(h, &names, &n, "/sys/block");
	for (size_t i = 0; rc >= 0 && i < n; i++) {
		rc = add(h, b, "/sys/block", names[i], BLOCK_NONE);
		if (rc > 0)
			rc = add_partitions(h, b, b->n - 1);
		if (rc == -ENOENT)
			rc = 0;
		if (rc < 0)
			err_sys(e, ERR_TARGET, -rc, "cannot read '%s/sys/block/%s'", host_prefix(h),
				names[i]);
	}
	if (rc < 0 && n == 0)
		err_sys(e, ERR_TARGET, -rc, "cannot list '%s/sys/block'", host_prefix(h));
	file_list_free(names, n);
	if (rc < 0) {
		blocks_release(b);
		return ERR_TARGET;
	}
	return 0;
}

void blocks_release(struct blocks *b)
{
	VEC_RELEASE(b);
}

size_t blocks_by_number(const struct blocks *b, unsigned dev_major, unsigned dev_minor)
{
	for (size_t i = 0; i < b->n; i++)
		if (b->v[i].dev_major == dev_major && b->v[i].dev_minor == dev_minor &&
		    !b->v[i].hidden)
			return i;
	return BLOCK_NONE;
}

size_t blocks_by_name(const struct blocks *b, const char *name)
{
	for (size_t i = 0; i < b->n; i++)
		if (str_eq(b->v[i].name, name))
			return i;
	return BLOCK_NONE;
}

void block_node(const struct block *b, struct str *out)
{
	str_add(out, "/dev/");
	for (const char *p = b->name; *p; p++)
		str_addc(out, *p == '!' ? '/' : *p);
}

/* "/dev/cciss/c0d0" -> index of "cciss!c0d0" */
static size_t by_node_name(const struct blocks *b, const char *path)
{
	char name[sizeof(b->v[0].name)];
	int n;

	if (!str_starts(path, "/dev/"))
		return BLOCK_NONE;
	n = snprintf(name, sizeof(name), "%s", path + strlen("/dev/"));
	if (n < 0 || (size_t)n >= sizeof(name))
		return BLOCK_NONE;
	for (char *p = name; *p; p++)
		if (*p == '/')
			*p = '!';
	return blocks_by_name(b, name);
}

size_t blocks_by_path(const struct host *h, const struct blocks *b, const char *path)
{
	struct str real;
	struct stat st;
	size_t i = BLOCK_NONE;

	str_init(&real);
	if (host_resolve(h, path, &real) == 0 && host_stat(h, real.s, &st) == 0) {
		if (S_ISBLK(st.st_mode))
			i = blocks_by_number(b, major(st.st_rdev), minor(st.st_rdev));
		else if (!host_live(h))
			i = by_node_name(b, real.s);
	} else {
		/* the node may be missing in a container; the name is the kernel's all the same */
		i = by_node_name(b, path);
	}
	str_release(&real);
	return i;
}

void text_squeeze(struct str *out, const char *text, size_t n)
{
	bool space = false;
	struct str raw;

	str_init(&raw);
	for (size_t i = 0; i < n; i++) {
		if (c_isspace(text[i]) || text[i] == '\0') {
			space = raw.len > 0;
			continue;
		}
		if (space)
			str_addc(&raw, ' ');
		space = false;
		str_addc(&raw, text[i]);
	}
	str_add_clean(out, raw.s, raw.len);
	str_release(&raw);
}

/* The first of the attributes (below the disk's folder) that exists and says something. */
static int first_of(const struct host *h, const struct block *disk, const char *const *attrs,
		    struct str *out)
{
	struct str s;
	int rc = -ENOENT, worst = -ENOENT;

	str_init(&s);
	str_clear(out);
	for (; *attrs; attrs++) {
		rc = host_read(h, &s, "%s/%s", disk->dir, *attrs);
		if (rc == 0 && s.len)
			text_squeeze(out, s.s, s.len);
		if (out->len)
			break;
		if (rc < 0 && rc != -ENOENT && rc != -ENOTDIR)
			worst = rc;
	}
	str_release(&s);
	return out->len ? 0 : worst;
}

int block_wwid(const struct host *h, const struct block *disk, struct str *out)
{
	static const char *const attrs[] = {"wwid", "device/wwid", "dm/uuid", "device/cid", NULL};

	return first_of(h, disk, attrs, out);
}

/* SCSI: VPD page 80h is binary, four bytes of head with the length in the last two. */
static int scsi_serial(const struct host *h, const struct block *disk, struct str *out)
{
	struct str s;
	size_t n;
	int rc;

	str_init(&s);
	rc = host_read(h, &s, "%s/device/vpd_pg80", disk->dir);
	/* host_read cut the NUL or blank that page 80h may begin with: look for the code 0x80 */
	if (rc == 0) {
		const char *head = memchr(s.s, 0x80, s.len < 2 ? s.len : 2);
		size_t at = head ? (size_t)(head - s.s) + 3 : s.len;

		n = at <= s.len && head ? s.len - at : 0;
		text_squeeze(out, s.s + (n ? at : 0), n);
		rc = out->len ? 0 : -ENOENT;
	}
	str_release(&s);
	return rc;
}

int block_serial(const struct host *h, const struct block *disk, struct str *out)
{
	static const char *const attrs[] = {"device/serial", "serial", NULL};
	int rc = first_of(h, disk, attrs, out);

	if (rc == -ENOENT)
		rc = scsi_serial(h, disk, out);
	return rc;
}

/* A controller is "nvme" and digits; an instance of a subsystem head is "nvme-subsys0". */
static bool controller_name(const char *name)
{
	const char *p = name + 4;

	if (!str_starts(name, "nvme") || !c_isdigit(*p))
		return false;
	while (c_isdigit(*p))
		p++;
	return *p == '\0';
}

void block_controllers(const struct host *h, const struct block *disk, struct block_controllers *c)
{
	char **names;
	size_t n;

	*c = (struct block_controllers){0};
	if (!str_starts(disk->name, "nvme"))
		return;
	if (host_exists(h, "%s/device/transport", disk->dir)) {
		*VEC_PUSH(c) = xasprintf("%s/device", disk->dir);
		return;
	}
	if (host_list(h, &names, &n, "%s/device", disk->dir) < 0)
		return;
	for (size_t i = 0; i < n; i++)
		if (controller_name(names[i]) &&
		    host_exists(h, "%s/device/%s/transport", disk->dir, names[i]))
			*VEC_PUSH(c) = xasprintf("%s/device/%s", disk->dir, names[i]);
	file_list_free(names, n);
}

void block_controllers_release(struct block_controllers *c)
{
	for (size_t i = 0; i < c->n; i++)
		free(c->v[i]);
	VEC_RELEASE(c);
}

void block_controller(const struct host *h, const struct block *disk, struct str *out,
		      bool *several)
{
	struct block_controllers c;

	block_controllers(h, disk, &c);
	str_clear(out);
	if (c.n)
		str_add(out, c.v[0]);
	*several = c.n > 1;
	block_controllers_release(&c);
}

void block_hardware(const struct host *h, const struct block *disk, struct str *out)
{
	struct str from;
	bool several;

	str_init(&from);
	block_controller(h, disk, &from, &several);
	if (from.len == 0 && host_exists(h, "%s/device", disk->dir))
		str_addf(&from, "%s/device", disk->dir);
	if (from.len == 0)
		str_add(&from, disk->dir);
	if (host_resolve(h, from.s, out) < 0)
		str_clear(out);
	str_release(&from);
}
