/* SPDX-License-Identifier: GPL-2.0-or-later */
/* host/tunable: settings of the kernel: a queue attribute of a target's disk, or a sysctl. */
#include "base/fileio.h"
#include "host/internal.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

static const char SYSCTL[] = "sysctl:";

/* A name of sysfs; a sysctl has parts of that kind with dots between. Never a way out of its
 * folder.
 */
static bool plain(const char *s, bool dots)
{
	bool part = false;

	for (; *s; s++) {
		if (dots && *s == '.') {
			if (!part)
				return false;
			part = false;
			continue;
		}
		if (!c_isalnum(*s) && *s != '_' && *s != '-')
			return false;
		part = true;
	}
	return part;
}

int host_tunable_name(const char *setting, struct err *e)
{
	bool sysctl = str_starts(setting, SYSCTL);

	if (plain(sysctl ? setting + strlen(SYSCTL) : setting, sysctl))
		return 0;
	err_set(e, ERR_USAGE, "'%s' is no name of a setting", setting);
	return err_hint(e, "scheduler, nr_requests, read_ahead_kb ... of the disk's queue, or "
			   "sysctl:vm.dirty_ratio");
}

static int queue_path(const struct host *h, const char *name, const struct target *t,
		      struct str *path, struct err *e)
{
	struct blocks b;
	size_t i;

	if (blocks_load(h, &b, e) < 0)
		return e->code;
	i = t->dev_major || t->dev_minor ? blocks_by_number(&b, t->dev_major, t->dev_minor)
					 : BLOCK_NONE;
	if (i == BLOCK_NONE)
		err_set(e, ERR_TARGET,
			"no disk is known behind target '%s', and so no queue with "
			"'%s'",
			t->id, name);
	else
		str_addf(path, "/sys/block/%s/queue/%s", b.v[b.v[i].disk].name, name);
	blocks_release(&b);
	return e->code;
}

int host_tunable(const struct host *h, const char *setting, const struct target *t, struct arena *a,
		 const char **out, struct err *e)
{
	struct str path;

	str_init(&path);
	if (host_tunable_name(setting, e) == 0 && str_starts(setting, SYSCTL)) {
		str_addf(&path, "/proc/sys/%s", setting + strlen(SYSCTL));
		for (char *s = path.s + strlen("/proc/sys/"); *s; s++)
			if (*s == '.')
				*s = '/';
	} else if (!e->code) {
		queue_path(h, setting, t, &path, e);
	}
	if (!e->code && !host_exists(h, "%s", path.s)) {
		err_set(e, ERR_USAGE, "there is no setting '%s': '%s' does not exist", setting,
			path.s);
	} else if (!e->code) {
		*out = arena_printf(a, "%s%s", host_prefix(h), path.s);
		if (access(*out, W_OK) < 0) {
			err_sys(e, ERR_TARGET, errno, "setting '%s' cannot be changed in '%s'",
				setting, path.s);
			if (e->sys == EACCES || e->sys == EPERM)
				err_hint(e, "run as root");
		}
	}
	str_release(&path);
	return e->code;
}

int host_tunable_read(const char *path, struct str *out, struct err *e)
{
	const struct host live = {.root = "/"};
	char *open_at, *close_at;
	int rc = host_read(&live, out, "%s", path);

	if (rc < 0)
		return err_sys(e, ERR_TARGET, -rc, "cannot read '%s'", path);
	/* "none [mq-deadline] kyber": all there are, and which it is */
	open_at = strchr(out->s, '[');
	close_at = open_at ? strchr(open_at, ']') : NULL;
	if (close_at) {
		out->len = (size_t)(close_at - open_at - 1);
		memmove(out->s, open_at + 1, out->len);
		out->s[out->len] = '\0';
	}
	return 0;
}

/* "4 4 1 7" is shown with tabs. */
static bool same_words(const char *a, const char *b)
{
	for (; *a && *b; a++, b++) {
		bool gap = c_isspace(*a);

		if (gap != c_isspace(*b) || (!gap && *a != *b))
			return false;
		while (gap && c_isspace(a[1]))
			a++;
		while (gap && c_isspace(b[1]))
			b++;
	}
	return *a == *b;
}

/* As text, or as the number that both stand for. */
static bool same_value(const char *a, const char *b)
{
	char *enda, *endb;
	long long x, y;

	if (same_words(a, b))
		return true;
	x = strtoll(a, &enda, 10);
	y = strtoll(b, &endb, 10);
	return enda != a && endb != b && !*enda && !*endb && x == y;
}

int host_tunable_holds(const char *path, const char *value, struct err *e)
{
	struct str now;

	str_init(&now);
	if (host_tunable_read(path, &now, e) == 0 && !same_value(now.s, value))
		err_set(e, ERR_TARGET, "'%s' is '%s' and not '%s'", path, now.s, value);
	str_release(&now);
	return e->code;
}

int host_tunable_write(const char *path, const char *value, struct err *e)
{
	int fd = open(path, O_WRONLY | O_TRUNC | O_CLOEXEC), rc;

	if (fd < 0)
		return err_sys(e, ERR_TARGET, errno, "cannot open '%s'", path);
	rc = fd_write_all(fd, value, strlen(value));
	close(fd);
	if (rc < 0)
		return err_sys(e, ERR_TARGET, -rc, "the kernel refuses '%s' in '%s'", value, path);
	if (host_tunable_holds(path, value, e) < 0)
		return err_prefix(e, "the kernel did not take '%s'", value);
	return 0;
}

bool host_tunable_counterpart(const char *path, struct str *out)
{
	static const char *const pair[][2] = {
		{"/vm/dirty_bytes", "/vm/dirty_ratio"},
		{"/vm/dirty_background_bytes", "/vm/dirty_background_ratio"},
	};

	for (size_t i = 0; i < sizeof(pair) / sizeof(*pair); i++)
		for (unsigned k = 0; k < 2; k++) {
			if (!str_ends(path, pair[i][k]))
				continue;
			str_addn(out, path, strlen(path) - strlen(pair[i][k]));
			str_add(out, pair[i][1 - k]);
			return true;
		}
	return false;
}

int host_drop_caches(const struct host *h, bool only_ask, struct err *e)
{
	char *path = xasprintf("%s/proc/sys/vm/drop_caches", host_prefix(h));
	int fd = open(path, O_WRONLY | O_CLOEXEC), rc = fd < 0 ? -errno : 0;

	if (rc == 0 && !only_ask)
		rc = fd_write_all(fd, "3", 1);
	if (fd >= 0)
		close(fd);
	free(path);
	if (rc == 0)
		return 0;
	err_sys(e, ERR_TARGET, -rc, "the caches of the machine cannot be dropped");
	return err_hint(e, "run as root, or leave drop_caches out");
}
