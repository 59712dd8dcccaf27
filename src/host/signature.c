/* SPDX-License-Identifier: GPL-2.0-or-later */
/* host/signature: what is written on a device, through libblkid. */
#include "host/internal.h"

#include <blkid.h>
#include <errno.h>
#include <fcntl.h>
#include <sys/sysmacros.h>
#include <unistd.h>

/* 0 and *type (NULL = blank), or -errno. */
static int probe(int fd, struct arena *a, const char **type)
{
	blkid_probe pr = blkid_new_probe();
	const char *value = NULL;
	int rc;

	*type = NULL;
	if (!pr)
		return -ENOMEM;
	errno = 0;
	if (blkid_probe_set_device(pr, fd, 0, 0) != 0 ||
	    blkid_probe_enable_superblocks(pr, 1) != 0 ||
	    blkid_probe_set_superblocks_flags(pr, BLKID_SUBLKS_TYPE | BLKID_SUBLKS_BADCSUM) != 0 ||
	    blkid_probe_enable_partitions(pr, 1) != 0) {
		rc = errno ? -errno : -EIO;
		blkid_free_probe(pr);
		return rc;
	}
	errno = 0;
	rc = blkid_do_safeprobe(pr);
	if (rc == 0) {
		if (blkid_probe_lookup_value(pr, "TYPE", &value, NULL) == 0 ||
		    blkid_probe_lookup_value(pr, "PTTYPE", &value, NULL) == 0)
			*type = arena_strdup(a, value);
		else
			*type = "unnamed";
	} else if (rc == -2) {
		*type = "several signatures";
		rc = 0;
	} else if (rc == 1) {
		rc = 0;
	} else {
		rc = errno ? -errno : -EIO;
	}
	blkid_free_probe(pr);
	return rc;
}

/* libblkid takes a failed read for "nothing found": prove that both ends can be read. */
static int readable(int fd, uint64_t size)
{
	char buf[4096];
	size_t n = size < sizeof(buf) ? (size_t)size : sizeof(buf);

	if (pread(fd, buf, n, 0) != (ssize_t)n)
		return errno ? -errno : -EIO;
	if (pread(fd, buf, n, (off_t)(size - n)) != (ssize_t)n)
		return errno ? -errno : -EIO;
	return 0;
}

/* A recorded machine has no device to read, but udev may have left its answer in /run. */
static int recorded(const struct host *h, const struct target *t, struct arena *a,
		    const char **type, struct err *e)
{
	static const char *const keys[] = {"E:ID_FS_TYPE=", "E:ID_PART_TABLE_TYPE="};
	struct str s;
	int rc;

	str_init(&s);
	rc = host_read(h, &s, "/run/udev/data/b%u:%u", t->dev_major, t->dev_minor);
	for (size_t k = 0; rc == 0 && k < 2 && !*type; k++) {
		const char *at = strstr(s.s, keys[k]);

		if (at)
			*type = arena_strndup(a, at + strlen(keys[k]),
					      strcspn(at, "\n") - strlen(keys[k]));
	}
	str_release(&s);
	if (rc == 0)
		return 0;
	err_set(e, ERR_TARGET,
		"what is written on '%s' is unknown: no device is read below root '%s'", t->id,
		h->root);
	return err_hint(e, "record '/run/udev/data/b%u:%u' of that machine", t->dev_major,
			t->dev_minor);
}

int host_signature(const struct host *h, const struct target *t, struct arena *a, const char **type,
		   struct err *e)
{
	struct stat st;
	int fd, rc;

	*type = NULL;
	if (t->kind != TARGET_BLOCK)
		return 0;
	if (!host_live(h))
		return recorded(h, t, a, type, e);
	fd = open(t->path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (fd < 0)
		return err_sys(e, ERR_TARGET, errno, "cannot read what is written on '%s'",
			       t->path);
	errno = 0;
	if (fstat(fd, &st) < 0 || !S_ISBLK(st.st_mode) || major(st.st_rdev) != t->dev_major ||
	    minor(st.st_rdev) != t->dev_minor)
		rc = -ENODEV;
	else
		rc = readable(fd, t->size);
	if (rc == 0)
		rc = probe(fd, a, type);
	close(fd);
	if (rc < 0)
		return err_sys(e, ERR_TARGET, -rc, "cannot read what is written on '%s'", t->path);
	return 0;
}
