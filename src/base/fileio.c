/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/fileio.h"
#include "base/vec.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#define READ_MAX (UINT64_C(1) << 30)

static int read_fd(int fd, size_t max, struct str *out)
{
	char buf[65536];

	for (;;) {
		ssize_t n = read(fd, buf, sizeof(buf));

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -errno;
		if (n == 0)
			return 0;
		if ((size_t)n > max - out->len)
			return -EFBIG;
		str_addn(out, buf, (size_t)n);
	}
}

static int read_path(const char *path, int flags, size_t max, struct str *out, struct err *e)
{
	struct stat st;
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | flags), ret;

	str_clear(out);
	if (fd < 0)
		return err_sys(e, ERR_DATA, errno, "cannot open '%s'", path);
	if (max == 0)
		max = READ_MAX;
	/* The size is no guide in /proc and /sys, so the limit is kept while reading. */
	if (fstat(fd, &st))
		ret = -errno;
	else if (S_ISDIR(st.st_mode))
		ret = -EISDIR;
	else if ((flags & O_NONBLOCK) && !S_ISREG(st.st_mode))
		ret = -EINVAL;
	else
		ret = read_fd(fd, max, out);
	close(fd);
	if (ret == 0)
		return 0;
	str_clear(out);
	if (ret == -EFBIG) {
		err_sys(e, ERR_DATA, EFBIG, "cannot read '%s'", path);
		return err_hint(e, "at most %zu bytes are read here", max);
	}
	return err_sys(e, ERR_DATA, -ret, "cannot read '%s'", path);
}

int file_read(const char *path, size_t max, struct str *out, struct err *e)
{
	return read_path(path, 0, max, out, e);
}

int file_read_regular(const char *path, size_t max, struct str *out, struct err *e)
{
	int rc = read_path(path, O_NONBLOCK, max, out, e);

	if (rc < 0 && e->sys == EINVAL)
		return err_set(e, ERR_DATA, "'%s' is not a regular file", path);
	return rc;
}

int fd_write_all(int fd, const void *data, size_t n)
{
	const char *p = data;

	while (n > 0) {
		ssize_t w = write(fd, p, n);

		if (w > 0) {
			p += w;
			n -= (size_t)w;
		} else if (w < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) {
			/* A pipe that somebody else made non-blocking. */
			struct pollfd pfd = {.fd = fd, .events = POLLOUT};

			poll(&pfd, 1, -1);
		} else if (w < 0 && errno != EINTR) {
			return -errno;
		} else if (w == 0) {
			return -EIO;
		}
	}
	return 0;
}

int file_mkdirs(const char *path, struct err *e)
{
	char *part = xstrdup(path);
	size_t n = strlen(part);
	int sys = *path ? 0 : ENOENT;

	for (size_t i = 1; i <= n && !sys; i++) {
		struct stat st;

		if (part[i] != '/' && part[i] != '\0')
			continue;
		char keep = part[i];
		part[i] = '\0';
		if (mkdir(part, 0777) != 0) {
			/* EROFS or EACCES may come first for a folder that is there. */
			sys = errno;
			if (stat(part, &st) == 0)
				sys = S_ISDIR(st.st_mode) ? 0 : ENOTDIR;
		}
		if (sys)
			err_sys(e, ERR_OUTPUT, sys, "cannot make folder '%s'", part);
		part[i] = keep;
	}
	if (!*path)
		err_sys(e, ERR_OUTPUT, sys, "cannot make folder ''");
	free(part);
	return sys ? ERR_OUTPUT : 0;
}

static int compare_names(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

int file_list(const char *dir, const char *suffix, char ***names, size_t *n, struct err *e)
{
	VEC(char *) list = {0};
	struct dirent *entry;
	DIR *d = opendir(dir);

	*names = NULL;
	*n = 0;
	if (!d && errno == ENOENT)
		return 0;
	if (!d)
		return err_sys(e, ERR_DATA, errno, "cannot list folder '%s'", dir);
	while (errno = 0, (entry = readdir(d))) {
		const char *name = entry->d_name;

		if (str_eq(name, ".") || str_eq(name, "..") || (suffix && !str_ends(name, suffix)))
			continue;
		*VEC_PUSH(&list) = xstrdup(name);
	}
	int sys = errno;

	closedir(d);
	if (sys) {
		file_list_free(list.v, list.n);
		return err_sys(e, ERR_DATA, sys, "cannot list folder '%s'", dir);
	}
	if (list.n)
		qsort(list.v, list.n, sizeof(*list.v), compare_names);
	*names = list.v;
	*n = list.n;
	return 0;
}

void file_list_free(char **names, size_t n)
{
	for (size_t i = 0; i < n; i++)
		free(names[i]);
	free(names);
}
