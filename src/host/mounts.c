/* SPDX-License-Identifier: GPL-2.0-or-later */
/* host/mounts: mount and swap tables, read through libmount (which undoes the octal escapes). */
#include "host/internal.h"
#include "base/fileio.h"

#include <errno.h>
#include <fcntl.h>
#include <libmount.h>
#include <limits.h>
#include <stdio.h>
#include <sys/sysmacros.h>
#include <unistd.h>

/* A line that cannot be read may be the mount that forbids writing: give up, do not skip it. */
static int refuse_line(struct libmnt_table *tb, const char *filename, int line)
{
	(void)tb;
	(void)filename;
	(void)line;
	return -EINVAL;
}

static int table_open(const struct host *h, const char *file, bool swaps, struct libmnt_table **tb)
{
	char path[PATH_MAX];
	int n = snprintf(path, sizeof(path), "%s%s", host_prefix(h), file);
	int rc;

	if (n < 0 || (size_t)n >= sizeof(path))
		return -ENAMETOOLONG;
	/* libmount's own return values hide the errno of the open */
	if (access(path, R_OK) < 0)
		return -errno;
	*tb = mnt_new_table();
	if (!*tb)
		return -ENOMEM;
	mnt_table_set_parser_errcb(*tb, refuse_line);
	rc = swaps ? mnt_table_parse_swaps(*tb, path) : mnt_table_parse_file(*tb, path);
	if (rc != 0) {
		mnt_unref_table(*tb);
		*tb = NULL;
		return rc < 0 ? rc : -EINVAL;
	}
	return 0;
}

static const char *keep(struct arena *a, const char *s)
{
	return arena_strdup(a, s ? s : "");
}

static int mounts_add(const struct host *h, const char *file, const char *space, struct arena *a,
		      struct mounts *m, struct err *e)
{
	struct libmnt_table *tb = NULL;
	struct libmnt_iter *it;
	struct libmnt_fs *fs;
	int rc = table_open(h, file, false, &tb);

	if (rc < 0)
		return err_sys(e, ERR_TARGET, -rc, "cannot read the mount table '%s%s'",
			       host_prefix(h), file);
	it = mnt_new_iter(MNT_ITER_FORWARD);
	while (it && mnt_table_next_fs(tb, it, &fs) == 0) {
		struct mount_entry *x = VEC_PUSH(m);
		dev_t dev = mnt_fs_get_devno(fs);

		x->space = space;
		x->id = mnt_fs_get_id(fs);
		x->dev_major = major(dev);
		x->dev_minor = minor(dev);
		x->root = keep(a, mnt_fs_get_root(fs));
		x->target = keep(a, mnt_fs_get_target(fs));
		x->source = keep(a, mnt_fs_get_source(fs));
		x->fstype = keep(a, mnt_fs_get_fstype(fs));
		x->vfs_options = keep(a, mnt_fs_get_vfs_options(fs));
		x->fs_options = keep(a, mnt_fs_get_fs_options(fs));
	}
	mnt_unref_table(tb);
	if (!it)
		return err_sys(e, ERR_TARGET, ENOMEM, "cannot read the mount table '%s'", file);
	mnt_free_iter(it);
	return 0;
}

int mounts_load(const struct host *h, const char *file, struct arena *a, struct mounts *m,
		struct err *e)
{
	*m = (struct mounts){0};
	if (mounts_add(h, file, NULL, a, m, e) == 0)
		return 0;
	mounts_release(m);
	return e->code;
}

/* "mnt:[4026531841]"; false when it may not be seen, or the process is gone. */
static bool space_of(const struct host *h, const char *pid, char *out, size_t n)
{
	char path[PATH_MAX];
	ssize_t len;

	snprintf(path, sizeof(path), "%s/proc/%s/ns/mnt", host_prefix(h), pid);
	len = readlink(path, out, n - 1);
	if (len < 0)
		return false;
	out[len] = '\0';
	return true;
}

static void space_add(const struct host *h, const char *pid, struct arena *a, struct mounts *m)
{
	char file[64];
	struct err ignored = ERR_INIT;
	struct str comm;

	str_init(&comm);
	snprintf(file, sizeof(file), "/proc/%s/mountinfo", pid);
	(void)host_read(h, &comm, "/proc/%s/comm", pid);
	(void)mounts_add(h, file,
			 arena_printf(a, "process %s%s%s%s", pid, comm.len ? " (" : "", comm.s,
				      comm.len ? ")" : ""),
			 a, m, &ignored);
	str_release(&comm);
}

void mounts_elsewhere(const struct host *h, struct arena *a, struct mounts *m)
{
	struct {
		char (*v)[48];
		size_t n, cap;
	} seen = {0};
	char **pids, space[sizeof(*seen.v)];
	size_t n;

	if (host_list(h, &pids, &n, "/proc") < 0)
		return;
	if (space_of(h, "self", space, sizeof(space)))
		memcpy(*VEC_PUSH(&seen), space, sizeof(space));
	for (size_t i = 0; i < n; i++) {
		size_t k = 0;

		if (strspn(pids[i], "0123456789") != strlen(pids[i]) || strlen(pids[i]) > 20)
			continue;
		/* without its name the first process alone is worth a look: its table is the
		 * machine's */
		if (space_of(h, pids[i], space, sizeof(space))) {
			while (k < seen.n && !str_eq(seen.v[k], space))
				k++;
			if (k < seen.n)
				continue;
			memcpy(*VEC_PUSH(&seen), space, sizeof(space));
		} else if (!str_eq(pids[i], "1")) {
			continue;
		}
		space_add(h, pids[i], a, m);
	}
	VEC_RELEASE(&seen);
	file_list_free(pids, n);
}

void mounts_release(struct mounts *m)
{
	VEC_RELEASE(m);
}

/* statx answers the mount id since Linux 5.8; 0 when it does not. */
static int mount_id(const char *path)
{
	struct statx sx;

	if (statx(AT_FDCWD, path, AT_STATX_DONT_SYNC, STATX_MNT_ID, &sx) < 0 ||
	    !(sx.stx_mask & STATX_MNT_ID) || sx.stx_mnt_id > INT_MAX)
		return 0;
	return (int)sx.stx_mnt_id;
}

static bool holds(const char *target, const char *path)
{
	size_t n = strlen(target);

	if (n && target[n - 1] == '/')
		n--;
	return strncmp(target, path, n) == 0 && (path[n] == '/' || path[n] == '\0');
}

const struct mount_entry *mounts_of(const struct host *h, const struct mounts *m, const char *path)
{
	int id = host_live(h) ? mount_id(path) : 0;
	size_t best = 0;
	const struct mount_entry *found = NULL;

	for (size_t i = 0; id && i < m->n; i++)
		if (m->v[i].id == id)
			return &m->v[i];
	for (size_t i = 0; i < m->n; i++) {
		size_t n = strlen(m->v[i].target);

		/* equal length: the later mount lies on top */
		if (n && n >= best && holds(m->v[i].target, path)) {
			best = n;
			found = &m->v[i];
		}
	}
	return found;
}

int swaps_load(const struct host *h, struct arena *a, const char ***paths, size_t *n, struct err *e)
{
	struct libmnt_table *tb = NULL;
	struct libmnt_iter *it;
	struct libmnt_fs *fs;
	int rc = table_open(h, "/proc/swaps", true, &tb);

	*paths = NULL;
	*n = 0;
	if (rc == -ENOENT)
		return 0;
	if (rc < 0)
		return err_sys(e, ERR_TARGET, -rc, "cannot read '%s/proc/swaps'", host_prefix(h));
	*paths = arena_alloc(a, ((size_t)mnt_table_get_nents(tb) + 1) * sizeof(**paths));
	it = mnt_new_iter(MNT_ITER_FORWARD);
	while (it && mnt_table_next_fs(tb, it, &fs) == 0)
		(*paths)[(*n)++] = keep(a, mnt_fs_get_source(fs));
	mnt_unref_table(tb);
	if (!it)
		return err_sys(e, ERR_TARGET, ENOMEM, "cannot read '/proc/swaps'");
	mnt_free_iter(it);
	return 0;
}

static int compare_options(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

/* Splits at commas; "lowerdir=/var/lib/..." becomes "lowerdir": such paths differ from container to
 * container and say nothing about speed. */
static void split_options(const char *text, char ***v, size_t *n, size_t *cap)
{
	while (*text) {
		size_t len = strcspn(text, ",");
		const char *eq = memchr(text, '=', len);
		size_t cut = len;

		if (eq && memchr(eq, '/', len - (size_t)(eq - text)))
			cut = (size_t)(eq - text);
		if (cut) {
			*v = vec_grow(*v, *n, cap, sizeof(**v));
			(*v)[(*n)++] = xstrndup(text, cut);
		}
		text += len;
		text += *text == ',';
	}
}

void mount_options(const struct mount_entry *m, struct str *out)
{
	char **v = NULL;
	size_t n = 0, cap = 0;

	split_options(m->vfs_options, &v, &n, &cap);
	split_options(m->fs_options, &v, &n, &cap);
	if (n)
		qsort(v, n, sizeof(*v), compare_options);
	for (size_t i = 0; i < n; i++)
		if (i == 0 || !str_eq(v[i], v[i - 1]))
			str_addf(out, "%s%s", out->len ? "," : "", v[i]);
	for (size_t i = 0; i < n; i++)
		free(v[i]);
	free(v);
}
