/* SPDX-License-Identifier: GPL-2.0-or-later */
/* host/root: reading below a settable root, links included. */
#include "host/internal.h"
#include "base/fileio.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <unistd.h>

#define ATTR_MAX (4u << 20) /* /proc files of a large host; sysfs attributes end at a page */
#define LINKS_MAX 40        /* the kernel's own limit (MAXSYMLINKS) */

bool host_live(const struct host *h)
{
	return h->root[0] == '\0' || str_eq(h->root, "/");
}

const char *host_prefix(const struct host *h)
{
	return host_live(h) ? "" : h->root;
}

int host_check_root(const struct host *h, struct err *e)
{
	if (host_exists(h, "/sys/block"))
		return 0;
	err_set(e, ERR_USAGE, "root '%s' holds no recorded machine: '%s/sys/block' is not there",
		h->root, host_prefix(h));
	return err_hint(e, "ci/record-machine makes one");
}

static int below(const struct host *h, char path[PATH_MAX], const char *fmt, va_list ap)
{
	int n = snprintf(path, PATH_MAX, "%s", host_prefix(h));
	int m;

	if (n < 0 || n >= PATH_MAX)
		return -ENAMETOOLONG;
	m = vsnprintf(path + n, PATH_MAX - (size_t)n, fmt, ap);
	return m < 0 || m >= PATH_MAX - n ? -ENAMETOOLONG : 0;
}

static void trim(struct str *s)
{
	size_t skip = 0;

	while (s->len && (c_isspace(s->s[s->len - 1]) || s->s[s->len - 1] == '\0'))
		s->len--;
	while (skip < s->len && c_isspace(s->s[skip]))
		skip++;
	memmove(s->s, s->s + skip, s->len - skip);
	s->len -= skip;
	s->s[s->len] = '\0';
}

static int slurp(int fd, struct str *out)
{
	char buf[4096];
	ssize_t got;

	for (;;) {
		got = read(fd, buf, sizeof(buf));
		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			return -errno;
		if (got == 0)
			return 0;
		if (out->len + (size_t)got > ATTR_MAX)
			return -EFBIG;
		str_addn(out, buf, (size_t)got);
	}
}

int host_read(const struct host *h, struct str *out, const char *fmt, ...)
{
	char path[PATH_MAX];
	va_list ap;
	int fd, rc;

	str_clear(out);
	va_start(ap, fmt);
	rc = below(h, path, fmt, ap);
	va_end(ap);
	if (rc < 0)
		return rc;
	/* O_NONBLOCK: a fifo in a damaged fixture must not hang the reader. */
	fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (fd < 0)
		return -errno;
	rc = slurp(fd, out);
	close(fd);
	if (rc < 0)
		str_clear(out);
	else if (out->len)
		trim(out);
	return rc;
}

int host_read_bytes(const struct host *h, unsigned char *out, size_t n, size_t *got,
		    const char *fmt, ...)
{
	char path[PATH_MAX];
	va_list ap;
	int fd, rc;

	*got = 0;
	va_start(ap, fmt);
	rc = below(h, path, fmt, ap);
	va_end(ap);
	if (rc < 0)
		return rc;
	fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (fd < 0)
		return -errno;
	while (rc == 0 && *got < n) {
		ssize_t now = read(fd, out + *got, n - *got);

		if (now < 0 && errno == EINTR)
			continue;
		if (now < 0)
			rc = -errno;
		if (now <= 0)
			break;
		*got += (size_t)now;
	}
	close(fd);
	return rc;
}

int host_read_u64(const struct host *h, uint64_t *out, const char *fmt, ...)
{
	char path[PATH_MAX];
	struct host live = {.root = "/"};
	uint64_t v = 0;
	struct str s;
	va_list ap;
	int rc;

	va_start(ap, fmt);
	rc = below(h, path, fmt, ap);
	va_end(ap);
	if (rc < 0)
		return rc;
	str_init(&s);
	rc = host_read(&live, &s, "%s", path);
	if (rc == 0 && s.len == 0)
		rc = -ENODATA;
	else if (rc == 0 && !str_to_u64(s.s, &v))
		rc = -EINVAL;
	str_release(&s);
	if (rc == 0)
		*out = v;
	return rc;
}

bool host_exists(const struct host *h, const char *fmt, ...)
{
	char path[PATH_MAX];
	va_list ap;
	int rc;

	va_start(ap, fmt);
	rc = below(h, path, fmt, ap);
	va_end(ap);
	return rc == 0 && access(path, F_OK) == 0;
}

int host_stat(const struct host *h, const char *path, struct stat *st)
{
	char full[PATH_MAX];
	int n = snprintf(full, sizeof(full), "%s%s", host_prefix(h), path);

	if (n < 0 || (size_t)n >= sizeof(full))
		return -ENAMETOOLONG;
	return lstat(full, st) < 0 ? -errno : 0;
}

int host_list(const struct host *h, char ***names, size_t *n, const char *fmt, ...)
{
	char path[PATH_MAX];
	struct err e = ERR_INIT;
	va_list ap;
	int rc;

	*names = NULL;
	*n = 0;
	va_start(ap, fmt);
	rc = below(h, path, fmt, ap);
	va_end(ap);
	if (rc < 0)
		return rc;
	if (file_list(path, NULL, names, n, &e) == 0)
		return 0;
	return e.sys ? -e.sys : -EIO;
}

/* out holds an absolute path without a final slash ("" is the root): cut its last component. */
static void up(struct str *out)
{
	while (out->len && out->s[out->len - 1] != '/')
		out->len--;
	if (out->len)
		out->len--;
	out->s[out->len] = '\0';
}

/* The link at out + "/" + name was read: what is left to walk is its text, then the rest. */
static int follow(const struct host *h, struct str *out, const char *candidate, struct str *pending,
		  size_t rest)
{
	char full[PATH_MAX], text[PATH_MAX];
	struct str next;
	ssize_t got;
	int n = snprintf(full, sizeof(full), "%s%s", host_prefix(h), candidate);

	if (n < 0 || (size_t)n >= sizeof(full))
		return -ENAMETOOLONG;
	got = readlink(full, text, sizeof(text) - 1);
	if (got < 0)
		return -errno;
	text[got] = '\0';
	if (text[0] == '/')
		str_clear(out);
	str_init(&next);
	str_addf(&next, "%s/%s", text, pending->s + rest);
	str_release(pending);
	*pending = next;
	return 0;
}

static int step(const struct host *h, struct str *out, struct str *pending, size_t *at,
		unsigned *links)
{
	const char *name = pending->s + *at;
	size_t n = strcspn(name, "/");
	struct str candidate;
	struct stat st;
	int rc;

	*at += n;
	if (pending->s[*at] == '/')
		(*at)++;
	if (n == 0 || (n == 1 && name[0] == '.'))
		return 0;
	if (n == 2 && name[0] == '.' && name[1] == '.') {
		up(out);
		return 0;
	}
	str_init(&candidate);
	str_addf(&candidate, "%s/%.*s", out->s, (int)n, name);
	rc = host_stat(h, candidate.s, &st);
	if (rc == 0 && S_ISLNK(st.st_mode)) {
		rc = ++*links > LINKS_MAX ? -ELOOP : follow(h, out, candidate.s, pending, *at);
		if (rc == 0)
			*at = 0;
	} else if (rc == 0) {
		str_clear(out);
		str_add(out, candidate.s);
	}
	if (rc < 0) {
		str_clear(out);
		str_add(out, candidate.s);
	}
	str_release(&candidate);
	return rc;
}

int host_resolve(const struct host *h, const char *path, struct str *out)
{
	char cwd[PATH_MAX];
	struct str pending;
	unsigned links = 0;
	size_t at = 0;
	int rc = 0;

	str_clear(out);
	str_init(&pending);
	if (path[0] != '/' && host_live(h)) {
		if (!getcwd(cwd, sizeof(cwd)))
			rc = -errno;
		else
			str_addf(&pending, "%s/", cwd);
	}
	str_add(&pending, path);
	while (rc == 0 && at < pending.len)
		rc = step(h, out, &pending, &at, &links);
	if (rc == 0 && out->len == 0)
		str_add(out, "/");
	str_release(&pending);
	return rc;
}
