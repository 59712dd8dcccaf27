/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * host/inuse_files: who uses a file as if it were a device. The file system's permission says
 * nothing of that: root may write a disk image under the file system that is mounted from it.
 */
#include "host/internal.h"
#include "base/fileio.h"

#include <errno.h>

/* The kernel shows the path of a removed file with this behind it. */
#define REMOVED " (deleted)"

static bool same_file(const struct host *h, const char *path, const struct target *t)
{
	struct stat st;
	struct str real;
	bool same;

	str_init(&real);
	same = host_resolve(h, path, &real) == 0 &&
	       (str_eq(real.s, t->path) || (host_live(h) && host_stat(h, real.s, &st) == 0 &&
					    st.st_dev == t->fs_dev && st.st_ino == t->inode));
	str_release(&real);
	return same;
}

static int swap_in_it(const struct host *h, const struct target *t, struct notices *users,
		      struct err *e)
{
	const char **paths;
	struct arena a;
	size_t n;
	int rc;

	arena_init(&a);
	rc = swaps_load(h, &a, &paths, &n, e);
	for (size_t i = 0; rc == 0 && i < n; i++)
		if (same_file(h, paths[i], t))
			notices_add(users, "'%s' is swap space", paths[i]);
	arena_release(&a);
	return rc;
}

static int loop_on_it(const struct host *h, const struct target *t, struct notices *users,
		      struct err *e)
{
	struct str backing;
	char **names;
	size_t n;
	int rc = host_list(h, &names, &n, "/sys/block");

	if (rc < 0)
		return err_sys(e, ERR_TARGET, -rc, "cannot list '%s/sys/block'", host_prefix(h));
	str_init(&backing);
	for (size_t i = 0; i < n && e->code == 0; i++) {
		if (!str_starts(names[i], "loop"))
			continue;
		rc = host_read(h, &backing, "/sys/block/%s/loop/backing_file", names[i]);
		if (rc == 0 && !str_ends(backing.s, REMOVED) && same_file(h, backing.s, t))
			notices_add(users, "'/dev/%s' is a loop device on '%s'", names[i],
				    backing.s);
		else if (rc < 0 && rc != -ENOENT && rc != -ENXIO && rc != -ENODEV && rc != -EIO)
			err_sys(e, ERR_TARGET, -rc, "cannot find out what '/dev/%s' is stacked on",
				names[i]);
	}
	str_release(&backing);
	file_list_free(names, n);
	return e->code ? ERR_TARGET : 0;
}

int file_users(const struct host *h, const struct target *t, struct notices *users, struct err *e)
{
	int rc = swap_in_it(h, t, users, e);

	return rc == 0 ? loop_on_it(h, t, users, e) : rc;
}
