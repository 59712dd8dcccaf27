/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "host/refuse.h"
#include "host/internal.h"
#include "base/fileio.h"

#include <errno.h>
#include <grp.h>
#include <pwd.h>
#include <stdio.h>
#include <sys/statvfs.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#define NEAR_MAX 4096 /* names looked at for a suggestion */

/* "owner root, group disk, mode 0660" */
static void add_mode(const struct stat *st, struct str *out, struct str *group)
{
	char buf[4096];
	struct passwd pw, *pwp = NULL;
	struct group gr, *grp = NULL;

	str_add(out, "owner ");
	if (getpwuid_r(st->st_uid, &pw, buf, sizeof(buf), &pwp) == 0 && pwp)
		str_add_clean(out, pwp->pw_name, SIZE_MAX);
	else
		str_addf(out, "%u", (unsigned)st->st_uid);
	if (getgrgid_r(st->st_gid, &gr, buf, sizeof(buf), &grp) == 0 && grp)
		str_add_clean(group, grp->gr_name, SIZE_MAX);
	else
		str_addf(group, "%u", (unsigned)st->st_gid);
	str_addf(out, ", group %s, mode %04o", group->s, (unsigned)(st->st_mode & 07777));
}

/* Folder and last name of a path: "/dev" and "sdx". */
static void split(const char *path, struct str *dir, const char **name)
{
	const char *slash = strrchr(path, '/');

	*name = slash ? slash + 1 : path;
	if (slash)
		str_addn(dir, path, slash == path ? 1 : (size_t)(slash - path));
}

static void hint_near(const struct host *h, const char *where, struct err *e)
{
	struct str dir;
	const char *name, *near;
	char **names;
	size_t n;

	str_init(&dir);
	split(where, &dir, &name);
	if (host_list(h, &names, &n, "%s", dir.s) < 0)
		n = 0;
	near = n <= NEAR_MAX ? str_nearest(name, (const char *const *)names, n) : NULL;
	if (near)
		err_hint(e, "there is '%s%s%s'", dir.s, str_eq(dir.s, "/") ? "" : "/", near);
	else if (str_starts(where, "/dev/"))
		err_hint(e, "`lsblk` lists the devices; in a container the node must be handed in");
	else
		err_hint(e,
			 "blkgate creates no target: give a block device, a file or a folder that "
			 "is there");
	file_list_free(names, n);
	str_release(&dir);
}

static int refuse_search(const struct host *h, const struct target *t, const char *where,
			 struct err *e)
{
	struct str dir, mode, group;
	const char *name;
	struct stat st;

	str_init(&dir);
	str_init(&mode);
	str_init(&group);
	split(where, &dir, &name);
	if (host_stat(h, dir.s, &st) == 0)
		add_mode(&st, &mode, &group);
	err_set(e, ERR_TARGET, "target '%s': uid %u may not search folder '%s' (%s)", t->id,
		(unsigned)geteuid(), dir.s, mode.len ? mode.s : "mode unknown");
	err_hint(e, "grant search permission on that folder, or run as its owner");
	e->sys = EACCES;
	str_release(&group);
	str_release(&mode);
	str_release(&dir);
	return ERR_TARGET;
}

int refuse_path(const struct host *h, const struct target *t, int sys, const char *where,
		struct err *e)
{
	switch (sys) {
	case ENOENT:
		if (str_eq(where, t->id))
			err_set(e, ERR_TARGET, "target '%s' does not exist", t->id);
		else
			err_set(e, ERR_TARGET, "target '%s' does not exist: '%s' is missing", t->id,
				where);
		hint_near(h, where, e);
		break;
	case EACCES:
		return refuse_search(h, t, where, e);
	case ELOOP:
		err_set(e, ERR_TARGET, "target '%s': too many symbolic links, the last one is '%s'",
			t->id, where);
		err_hint(e, "a link points back to itself; `namei -l %s` shows the chain", t->id);
		break;
	case ENOTDIR:
		err_set(e, ERR_TARGET,
			"target '%s': there is no '%s', a part of its path is a file", t->id,
			where);
		break;
	default:
		return err_sys(e, ERR_TARGET, sys, "target '%s': cannot look at '%s'", t->id,
			       where);
	}
	e->sys = sys;
	return ERR_TARGET;
}

static int refuse_mode(const struct host *h, const struct target *t, struct err *e)
{
	struct str mode, group;
	struct statvfs v;
	struct stat st = {0};
	bool nodev = host_live(h) && statvfs(t->path, &v) == 0 && (v.f_flag & ST_NODEV);
	bool readable;

	str_init(&mode);
	str_init(&group);
	if (host_stat(h, t->path, &st) == 0)
		add_mode(&st, &mode, &group);
	readable = geteuid() == 0 || (st.st_mode & S_IROTH);
	if (S_ISBLK(st.st_mode) && nodev && readable) {
		err_set(e, ERR_TARGET, "target '%s': the file system of the node is mounted nodev",
			t->id);
		err_hint(e, "use the node in /dev");
	} else {
		err_set(e, ERR_TARGET,
			"target '%s': no permission for uid %u, the file mode forbids it: %s",
			t->id, (unsigned)geteuid(), mode.len ? mode.s : "mode unknown");
		if (S_ISBLK(st.st_mode) && (st.st_mode & S_IRGRP))
			err_hint(e, "run as root, or join group %s", group.s);
		else
			err_hint(e, "run as its owner or as root");
	}
	e->sys = EACCES;
	str_release(&group);
	str_release(&mode);
	return ERR_TARGET;
}

int refuse_open(const struct host *h, const struct target *t, int sys, struct err *e)
{
	switch (sys) {
	case EACCES:
		return refuse_mode(h, t, e);
	case EPERM:
		/* the mode was looked at first and said yes: a device cgroup or a security module
		 */
		err_set(e, ERR_TARGET,
			"target '%s': the node is visible, but device %u:%u is not granted to this "
			"container (device cgroup)",
			t->id, t->dev_major, t->dev_minor);
		err_hint(e,
			 "grant it where the container starts: --device=%s (docker, podman), "
			 "DeviceAllow=%s (systemd)",
			 t->path, t->path);
		break;
	case ENXIO:
	case ENODEV:
		err_set(e, ERR_TARGET, "target '%s': no device %u:%u stands behind the node", t->id,
			t->dev_major, t->dev_minor);
		err_hint(e, "it was removed, its driver is not loaded, or the node is stale");
		break;
	case ENOMEDIUM:
		err_set(e, ERR_TARGET, "target '%s' holds no medium", t->id);
		break;
	case EROFS:
		err_set(e, ERR_TARGET, "target '%s' is on a file system mounted read-only", t->id);
		err_hint(e, "a folder target holds files that blkgate writes: mount it read-write");
		break;
	case EBUSY:
		err_set(e, ERR_TARGET, "target '%s' is held exclusively by another process", t->id);
		break;
	default:
		return err_sys(e, ERR_TARGET, sys, "cannot open target '%s'", t->id);
	}
	e->sys = sys;
	return ERR_TARGET;
}

int refuse_kind(const struct target *t, mode_t mode, struct err *e)
{
	err_set(e, ERR_TARGET, "target '%s' is a %s", t->id,
		S_ISCHR(mode)    ? "character device"
		: S_ISSOCK(mode) ? "socket"
		: S_ISFIFO(mode) ? "fifo"
				 : "file of an unknown kind");
	err_hint(e, "a target is a block device, a regular file or a folder");
	return ERR_TARGET;
}
