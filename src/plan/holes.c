/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * plan/holes: was every byte of a file's region ever written? A read of a hole, or of an extent
 * that is only allocated, is answered with zeros by the file system and never reaches the device:
 * it would measure nothing and look like a very fast drive.
 */
#include "plan/planner.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/fiemap.h>
#include <linux/fs.h>
#include <sys/ioctl.h>
#include <unistd.h>

enum { EXTENTS = 64 }; /* a call */

/* 1 when one of the extents of a call is unwritten, else 0; *offset moves behind them, *last at the
 * end. */
static int extents_unwritten(const struct fiemap *x, uint64_t *offset, bool *last)
{
	*last = x->fm_mapped_extents == 0;
	for (unsigned i = 0; i < x->fm_mapped_extents && i < EXTENTS; i++) {
		const struct fiemap_extent *e = &x->fm_extents[i];
		uint64_t next = e->fe_logical + e->fe_length;

		if (e->fe_flags & FIEMAP_EXTENT_UNWRITTEN)
			return 1;
		*last = *last || (e->fe_flags & FIEMAP_EXTENT_LAST) || next <= *offset;
		*offset = next;
	}
	return 0;
}

/* 1 when an extent of the region is allocated but unwritten, 0 when none is known to be, or -errno.
 * SEEK_HOLE calls such an extent data as soon as somebody read it through the page cache. */
static int unwritten(int fd, uint64_t offset, uint64_t end)
{
	struct fiemap *x = xcalloc(1, sizeof(*x) + EXTENTS * sizeof(x->fm_extents[0]));
	bool last = false;
	int rc = 0;

	while (rc == 0 && offset < end && !last) {
		/* FLAG_SYNC: data that waits in the cache for its extent is data all the same */
		*x = (struct fiemap){.fm_start = offset,
				     .fm_length = end - offset,
				     .fm_flags = FIEMAP_FLAG_SYNC,
				     .fm_extent_count = EXTENTS};
		if (ioctl(fd, FS_IOC_FIEMAP, x) == 0)
			rc = extents_unwritten(x, &offset, &last);
		else
			rc = -errno;
	}
	free(x);
	/* a file system that keeps no such list */
	return rc == -EOPNOTSUPP || rc == -ENOTTY || rc == -EBADR ? 0 : rc;
}

const char *region_has_holes(const char *path, uint64_t offset, uint64_t size, struct arena *a)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK), rc;
	const char *why = NULL;
	off_t hole;

	if (fd < 0)
		return arena_printf(a, "cannot open file '%s': %s", path, strerror(errno));
	hole = lseek(fd, (off_t)offset, SEEK_HOLE);
	rc = hole < 0 ? -errno : unwritten(fd, offset, offset + size);
	if (hole >= 0 && (uint64_t)hole < offset + size)
		why = arena_printf(a,
				   "the region has holes (the first at %s): reads of them never "
				   "reach the device; write the file in full first",
				   plan_size(a, (uint64_t)hole));
	else if (rc > 0)
		why = "the region has extents that were allocated and never written: reads of them "
		      "never reach the device; write the file in full first";
	else if (rc < 0)
		why = arena_printf(a, "cannot find out whether the region of '%s' has holes: %s",
				   path, strerror(-rc));
	close(fd);
	return why;
}
