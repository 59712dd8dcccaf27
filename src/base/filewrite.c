/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The half of base/fileio that puts documents into place. */
#include "base/fileio.h"
#include "base/rng.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define LINK_MAX_HOPS 40
#define TEMP_TRIES 16

/* Where a path is written. */
struct place {
	char *path; /* links followed to the end; need not exist */
	char *dir;  /* its folder */
	bool in_place;
	bool append; /* an open descriptor of ours, seen through /proc */
	bool exists;
	struct stat st; /* when it exists */
};

static void place_release(struct place *p)
{
	free(p->path);
	free(p->dir);
}

static char *folder_of(const char *path)
{
	const char *slash = strrchr(path, '/');

	if (!slash)
		return xstrdup(".");
	return slash == path ? xstrdup("/") : xstrndup(path, (size_t)(slash - path));
}

/*
 * Follows links by hand: realpath() cannot name the missing file a dangling link points to. Links
 * in /proc are not texts but descriptors (/dev/stdout, /dev/fd/3): the file behind one is written
 * through it, because renaming over a file would cut off what the shell has redirected there.
 */
static int place_find(const char *path, struct place *p)
{
	p->path = xstrdup(path);
	p->dir = folder_of(path);
	for (unsigned hop = 0; hop < LINK_MAX_HOPS; hop++) {
		char to[PATH_MAX], real[PATH_MAX];
		ssize_t n = readlink(p->path, to, sizeof(to) - 1);

		if (n < 0)
			return errno == EINVAL || errno == ENOENT ? 0 : -errno;
		if (realpath(p->dir, real) && str_starts(real, "/proc/")) {
			p->in_place = p->append = true;
			return 0;
		}
		to[n] = '\0';
		char *next = to[0] == '/' ? xstrdup(to) : xasprintf("%s/%s", p->dir, to);

		place_release(p);
		p->path = next;
		p->dir = folder_of(next);
	}
	return -ELOOP;
}

static int place_look(const char *path, struct place *p)
{
	int ret = place_find(path, p);

	if (ret)
		return ret;
	p->exists = stat(p->path, &p->st) == 0;
	if (!p->exists && errno != ENOENT)
		return -errno;
	if (p->exists && !S_ISREG(p->st.st_mode))
		p->in_place = true;
	if (p->exists && S_ISDIR(p->st.st_mode))
		return -EISDIR;
	return 0;
}

/* fsync() has no meaning on a pipe, a terminal or a few file systems: those answers are no loss. */
static int sync_fd(int fd)
{
	if (fsync(fd) == 0 || errno == EINVAL || errno == EROFS || errno == ENOTSUP)
		return 0;
	return -errno;
}

static int write_in_place(const struct place *p, const char *data, size_t n)
{
	int fd = open(p->path, O_WRONLY | O_CLOEXEC | O_NOCTTY | (p->append ? O_APPEND : 0)), ret;

	if (fd < 0)
		return -errno;
	ret = fd_write_all(fd, data, n);
	if (ret == 0)
		ret = sync_fd(fd);
	if (close(fd) != 0 && ret == 0)
		ret = -errno;
	return ret;
}

/* A new file in the folder, so that umask applies as for any new file (mkstemp would give 0600). */
static int make_temp(const char *dir, char **name)
{
	for (unsigned i = 0; i < TEMP_TRIES; i++) {
		*name = xasprintf("%s/.blkgate-%016llx", dir, (unsigned long long)rng_entropy());
		int fd = open(*name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);

		if (fd >= 0)
			return fd;
		int sys = errno;

		free(*name);
		*name = NULL;
		if (sys != EEXIST)
			return -sys;
	}
	return -EEXIST;
}

/* The replaced file's mode stands, and its owner where we may give files away. */
static int keep_identity(int fd, const struct place *p)
{
	if (!p->exists)
		return 0;
	if (fchown(fd, p->st.st_uid, p->st.st_gid) != 0 && errno != EPERM && errno != EINVAL)
		return -errno;
	/* After the owner: a change of owner may clear bits. */
	return fchmod(fd, p->st.st_mode & 0777) == 0 ? 0 : -errno;
}

static int fill_temp(int fd, const struct place *p, const char *data, size_t n)
{
	int ret = fd_write_all(fd, data, n);

	if (ret == 0)
		ret = keep_identity(fd, p);
	if (ret == 0 && fsync(fd) != 0)
		ret = -errno;
	if (close(fd) != 0 && ret == 0)
		ret = -errno;
	return ret;
}

/* The rename is durable once its folder is; a folder that we may not read cannot be synced. */
static int sync_folder(const char *dir)
{
	int fd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC), ret;

	if (fd < 0)
		return errno == EACCES ? 0 : -errno;
	ret = sync_fd(fd);
	close(fd);
	return ret;
}

static int replace(const struct place *p, const char *data, size_t n)
{
	char *temp;
	int fd = make_temp(p->dir, &temp), ret;

	if (fd < 0)
		return fd;
	ret = fill_temp(fd, p, data, n);
	if (ret == 0 && rename(temp, p->path) != 0)
		ret = -errno;
	if (ret)
		unlink(temp);
	else
		ret = sync_folder(p->dir);
	free(temp);
	return ret;
}

int file_write(const char *path, const char *data, size_t n, struct err *e)
{
	struct place p = {0};
	int ret = place_look(path, &p);

	if (ret == 0 && p.exists && S_ISBLK(p.st.st_mode)) {
		place_release(&p);
		err_set(e, ERR_OUTPUT, "cannot write '%s': it is a block device", path);
		return err_hint(e, "documents go to files and pipes, never onto a disk");
	}
	if (ret == 0)
		ret = p.in_place ? write_in_place(&p, data, n) : replace(&p, data, n);
	place_release(&p);
	if (ret)
		return err_sys(e, ERR_OUTPUT, -ret, "cannot write '%s'", path);
	return 0;
}

#define ASIDE_MAX 1000

int file_set_aside(const char *path, char **name, struct err *e)
{
	struct stat st;

	if (name)
		*name = NULL;
	if (lstat(path, &st) < 0 && errno == ENOENT)
		return 0;
	for (unsigned i = 1; i < ASIDE_MAX; i++) {
		char *old = i == 1 ? xasprintf("%s.old", path) : xasprintf("%s.old.%u", path, i);

		/* RENAME_NOREPLACE: two runs at once must not meet in one name. */
		if (renameat2(AT_FDCWD, path, AT_FDCWD, old, RENAME_NOREPLACE) == 0) {
			if (name)
				*name = old;
			else
				free(old);
			return 0;
		}
		free(old);
		if (errno != EEXIST)
			break;
	}
	return err_sys(e, ERR_OUTPUT, errno, "cannot set '%s' aside", path);
}

int journal_open(struct journal *j, const char *path, struct err *e)
{
	struct stat st;

	j->path = NULL;
	/* Truncated only when it is a file of its own: not what a link leads to, nor a fifo. */
	j->fd = open(path,
		     O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NOCTTY | O_NOFOLLOW | O_NONBLOCK,
		     0666);
	if (j->fd < 0)
		return err_sys(e, ERR_OUTPUT, errno, "cannot write journal '%s'", path);
	if (fstat(j->fd, &st) < 0 || !S_ISREG(st.st_mode) || ftruncate(j->fd, 0) < 0) {
		journal_close(j);
		return err_set(e, ERR_OUTPUT, "journal '%s' is not a regular file", path);
	}
	j->path = xstrdup(path);
	/* A panic minutes later must find the name, not only the data. */
	char *dir = folder_of(path);
	int ret = sync_folder(dir);

	free(dir);
	if (ret) {
		journal_close(j);
		return err_sys(e, ERR_OUTPUT, -ret, "cannot write journal '%s'", path);
	}
	return 0;
}

int journal_add(struct journal *j, const char *line, size_t n, struct err *e)
{
	struct str record;
	struct stat st;
	int ret;

	if (memchr(line, '\n', n))
		return err_set(e, ERR_OUTPUT, "journal '%s': a record must be one line", j->path);
	str_init(&record);
	str_addn(&record, line, n);
	str_addc(&record, '\n');
	bool regular = fstat(j->fd, &st) == 0 && S_ISREG(st.st_mode);

	ret = fd_write_all(j->fd, record.s, record.len);
	str_release(&record);
	/* Half a record would spoil the next one; a reader still copes when this fails too. */
	if (ret && regular && ftruncate(j->fd, st.st_size) != 0)
		return err_sys(e, ERR_OUTPUT, -ret, "journal '%s' (its last line is cut)", j->path);
	if (ret == 0 && fdatasync(j->fd) != 0 && errno != EINVAL && errno != EROFS)
		ret = -errno;
	return ret ? err_sys(e, ERR_OUTPUT, -ret, "cannot write journal '%s'", j->path) : 0;
}

void journal_close(struct journal *j)
{
	if (j->fd >= 0)
		close(j->fd);
	free(j->path);
	j->fd = -1;
	j->path = NULL;
}
